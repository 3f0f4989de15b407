"""Synthesization order: an instance is accepted if its premises can be solved one after another from its class.

Source: Lean 4 `computeSynthOrder` in `src/Lean/Meta/Instances.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.display import show
from minilean.kernel.expr import INST, Const, Expr, FVar, Pi, get_app, get_app_fn, mk_const
from minilean.kernel.instantiate import abstract, instantiate
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError
from minilean.meta.metavars import Meta


def check_synthesis_order(m: Meta, name: str, type_: Expr) -> None:
    """Refuse an instance whose premises or out-parameters stay undetermined.

    Raises:
        MetaError: Lean's message.
    """
    old = m.lctx
    try:
        binders, class_type = m.intro_binders(type_)
        unknown = set(binders)
        for arg in _inputs(m, class_type):
            _settle(m, unknown, arg)
        todo = [x for x in binders if m.local(x).info == INST]
        while todo:
            ready = next((x for x in todo if not _has_unknown(unknown, _inputs_of_premise(m, x))), None)
            if ready is None:
                inst = mk_const(name)
                lines = "".join(f"\n  {_shown(m, unknown, m.local(x).type)}" for x in todo)
                raise MetaError(
                    f"cannot find synthesization order for instance {_head(m, inst, type_)} with type\n"
                    f"  {show(m, type_, 2)}\nall remaining arguments have metavariables:{lines}"
                )
            todo.remove(ready)
            unknown.discard(ready)
            _settle(m, unknown, m.local(ready).type)
        if _has_unknown(unknown, [class_type]):
            raise MetaError(
                "instance does not provide concrete values for (semi-)out-params\n"
                f"  {_shown(m, unknown, class_type)}"
            )
    finally:
        m.lctx = old


def _inputs(m: Meta, class_type: Expr) -> list[Expr]:
    """Return the input arguments of a class: neither out-parameters nor semi-out-parameters."""
    fn, args = get_app(class_type)
    if type(fn) is not Const:
        return args
    found = set(m.env.classes.get(fn.name, ()))
    decl = m.env.find(fn.name)
    binders = None if decl is None else decl.type
    position = 0
    while type(binders) is Pi:
        head = get_app_fn(binders.type)
        if type(head) is Const and head.name == "semiOutParam":
            found.add(position)
        position, binders = position + 1, binders.body
    return [arg for i, arg in enumerate(args) if i not in found]


def _inputs_of_premise(m: Meta, x: FVar) -> list[Expr]:
    outer = m.lctx
    _, class_type = m.intro_binders(m.local(x).type)
    m.lctx = outer
    return _inputs(m, class_type)


def _has_unknown(unknown: set[FVar], terms: list[Expr]) -> bool:
    return any(sub in unknown for term in terms for sub in subterms(term))


def _settle(m: Meta, unknown: set[FVar], term: Expr) -> None:
    """Mark the variables of a term, and those of their types, as known."""
    for sub in subterms(term):
        if type(sub) is FVar and sub in unknown:
            unknown.discard(sub)
            _settle(m, unknown, m.local(sub).type)


def _shown(m: Meta, unknown: set[FVar], term: Expr) -> str:
    open_ = [x for x in unknown if x in set(subterms(term))]
    names = [mk_const("?" + m.local(x).name.rstrip("✝")) for x in open_]
    return show(m, instantiate(abstract(term, open_), names), 2)


def _head(m: Meta, inst: Expr, type_: Expr) -> str:
    hidden = type(type_) is Pi and type_.info != 0
    name = show(m, inst).lstrip("@")
    return f"@{name}" if hidden else name
