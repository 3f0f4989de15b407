"""`MetaM`: a `Meta` with the reducer and the unifier, the class of which runs are made."""

from __future__ import annotations

from minilean.meta import unify
from minilean.meta import whnf as reducer
from minilean.meta.metavars import Meta


class MetaM(Meta):
    """The state of one elaboration or tactic run, complete."""

    # functions of a `Meta` are its methods as they are: a call through one costs no further frame
    whnf = reducer.whnf
    is_def_eq = unify.is_def_eq
    equate = unify.equate
