"""Terms with holes given to `simp`, as `h _ x`: each hole becomes a variable of the rule.

Source: Lean 4 `src/Lean/Elab/Tactic/Simp.lean`, `elabSimpTermCore`, and `src/Lean/Meta/AbstractMVars.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.match.matchers import collect_level_mvars
from minilean.kernel.expr import INST, Const, Expr, FVar, MVar, Sort, get_app_fn
from minilean.kernel.level import Level, mk_param
from minilean.kernel.traversal import subterms
from minilean.meta.context import Kind
from minilean.meta.errors import MetaError
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import collect_mvars


def abstract_holes(m: Meta, e: Expr) -> tuple[tuple[str, ...], Expr]:
    """Return `e` as a function of its metavariables, and universe parameters that replace its level metavariables.

    Raises:
        MetaError: A hole is a goal, `?_`.
    """
    if not e.has_mvar:
        return (), e
    mark, old = m.mctx.mark(), m.lctx
    try:
        fvars: list[FVar] = []
        while holes := collect_mvars(e):
            fvars.append(_variable(m, holes))
            e = m.instantiate_mvars(e)
        found: dict[Level, str] = {}
        for term in (e, *(m.local(x).type for x in fvars)):
            _universes(m, term, found)
        for i, level in enumerate(found):
            found[level] = f"_u_{i + 1}"
            m.mctx.assign_level(level.id, mk_param(found[level]))  # type: ignore[attr-defined]
        return tuple(found.values()), m.instantiate_mvars(m.mk_lambda(fvars, m.instantiate_mvars(e)))
    finally:
        m.mctx.rollback(mark)
        m.lctx = old


def _variable(m: Meta, holes: list[MVar]) -> FVar:
    """Assign a new variable to a hole whose type has no hole; return the variable."""
    hole = holes[0]
    while inner := collect_mvars(m.instantiate_mvars(m.mvar_decl(hole).type)):
        hole = inner[0]
    decl = m.mvar_decl(hole)
    if decl.kind is Kind.OPAQUE or hole.id in m.mctx.delayed:
        raise MetaError("don't know how to synthesize placeholder")
    type_ = m.instantiate_mvars(decl.type)
    fn = get_app_fn(type_)
    is_class = type(fn) is Const and fn.name in m.env.classes
    x = m.push_local(decl.tag or "a✝", type_, INST if is_class else 0)
    m.mctx.assign(hole.id, x)
    return x


def _universes(m: Meta, e: Expr, found: dict[Level, str]) -> None:
    for sub in subterms(m.instantiate_mvars(e)):
        for level in sub.levels if type(sub) is Const else (sub.level,) if type(sub) is Sort else ():
            collect_level_mvars(m.instantiate_level(level), found)
