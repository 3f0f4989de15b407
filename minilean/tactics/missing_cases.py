"""Cases of a `match` that no alternative covers: they are split further, and closed where they cannot occur.

Source: Lean 4 `src/Lean/Meta/Match/Match.lean` (`processConstructor`, `processLeaf`) (4.34): where no alternative is
left, each remaining variable is split once, unless its type is recursive, and `contradiction` closes what is left.
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.elab.match.missing_cases import RefuteCases, case_text
from minilean.kernel.declaration import Inductive
from minilean.kernel.expr import Const, Expr, FVar, get_app_fn
from minilean.kernel.instantiate import replace
from minilean.meta.errors import MetaError
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.tactics.cases import Branch, cases_fvar
from minilean.tactics.contradiction import tac_exfalso, try_contradiction
from minilean.tactics.equations import Subst
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics


@runs(RefuteCases)
def tac_refute_cases(t: Tactics, stx: RefuteCases) -> None:
    """Close the main goal, or report the cases that can occur.

    Raises:
        MetaError: Some case can occur.
    """
    tac_exfalso(t, ast.Simple("exfalso"))
    _refute(t, list(stx.variables), list(stx.values), stx.lacks)
    if stx.lacks:
        raise MetaError("Missing cases")


def _refute(t: Tactics, variables: Sequence[Expr], values: Sequence[Expr], lacks: list[str]) -> None:
    """Close the main goal: split the variables, then look for a contradiction."""
    m = t.m
    goal = t.main
    m.lctx = m.mvar_decl(goal).lctx
    if not variables:
        if not try_contradiction(t):
            lacks.append(case_text(m, values))
            t.goals.remove(goal)
        return
    x, *rest = variables
    branches = _split(t, x) if type(x) is FVar else None
    if branches is None:
        _refute(t, rest, values, lacks)
        return
    others = t.goals
    for branch in branches:
        t.goals = [branch.goal, *others]
        inner = [*branch.fields, *(_after(branch.subst, y) for y in rest)]
        _refute(t, inner, [_after(branch.subst, value) for value in values], lacks)
    t.goals = others


def _split(t: Tactics, x: FVar) -> list[Branch] | None:
    """Split a variable; `None` if that is not possible, or if some case of a recursive type can occur."""
    m = t.m
    family = get_app_fn(whnf(m, m.instantiate_mvars(m.local(x).type)))
    decl = m.env.find(family.name) if type(family) is Const else None
    if not isinstance(decl, Inductive):
        return None
    found: list[Branch] = []

    def split() -> None:
        found.extend(cases_fvar(t, x, None))
        if found and decl.is_recursive:
            raise MetaError("a variable of a recursive type may have any value")

    return found if t.attempt(split) is None else None


def _after(subst: Subst, e: Expr) -> Expr:
    """Replace the variables that a split eliminated."""
    return replace(e, lambda sub, _depth: subst.get(sub.id) if type(sub) is FVar else None)
