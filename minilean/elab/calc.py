"""`calc`: chains of relations by transitivity.

Source: Lean 4 `src/Lean/Elab/Calc.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minilean.elab.argument_list import Arguments, Given
from minilean.elab.arguments import apply_args
from minilean.elab.display import clash, show
from minilean.elab.term import Elab, elaborates
from minilean.kernel.expr import Const, Expr, MVar, get_app, mk_apps
from minilean.kernel.instantiate import head_beta
from minilean.meta.errors import BudgetError, MetaError, together
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast


@elaborates(ast.Calc)
def elab_calc(el: Elab, stx: ast.Calc, expected: Expr | None) -> Expr:
    """`calc` steps, chained by `Trans`."""
    value, type_ = calc_chain(el, stx)
    if expected is not None and not is_def_eq(el.m, type_, expected):
        raise wrong_calc(el, type_, expected)
    return value


def relation_of(m: Meta, type_: Expr) -> tuple[Expr, Expr, Expr] | None:
    """Split `r a b` into `(r, a, b)`."""
    fn, args = get_app(m.instantiate_mvars(type_))
    if type(fn) is Const and len(args) >= 2:
        return mk_apps(fn, args[:-2]), args[-2], args[-1]
    return None


def wrong_calc(el: Elab, type_: Expr, expected: Expr) -> MetaError:
    """Return Lean's error for a chain that does not prove the goal: about its ends, where the relation is the same."""
    m = el.m
    got, want = relation_of(m, type_), relation_of(m, expected)
    wrong: list[MetaError] = []
    if got is not None and want is not None and is_def_eq(m, got[0], want[0]):
        for side, mine, theirs in (("left", got[1], want[1]), ("right", got[2], want[2])):
            if not is_def_eq(m, mine, theirs):
                wrong.append(
                    MetaError(
                        f"invalid 'calc' step, {side}-hand side is\n  {_typed(m, mine)}\n"
                        f"but is expected to be\n  {_typed(m, theirs)}"
                    )
                )
    return together(wrong) if wrong else MetaError(f"'calc' expression {clash(m, type_, expected)[0]}")


def calc_chain(el: Elab, stx: ast.Calc) -> tuple[Expr, Expr]:
    """Elaborate a whole chain; return its proof and its statement."""
    m = el.m
    value: Expr | None = None
    type_: Expr | None = None
    for step in _with_first_relation(stx.steps):
        step_type = el.elab_type(step.relation)
        el.synthesize(postpone=True)
        parts = relation_of(m, step_type)
        if parts is None:
            raise MetaError(f"invalid 'calc' step, relation expected\n  {show(m, step_type, 2)}")
        if type_ is not None:
            before = relation_of(m, type_)
            assert before is not None
            if not is_def_eq(m, parts[1], before[2]):
                raise MetaError(
                    f"invalid 'calc' step, left-hand side is\n  {_typed(m, parts[1])}\n"
                    f"but previous right-hand side is\n  {_typed(m, before[2])}"
                )
        if step.proof is None:
            raise MetaError("invalid 'calc' step, a proof is missing")
        proof = el.elab_ensuring(step.proof, m.instantiate_mvars(step_type))
        el.synthesize()
        step_type = m.instantiate_mvars(step_type)
        if value is None or type_ is None:
            value, type_ = proof, step_type
        else:
            value, type_ = _trans(el, value, type_, proof, step_type)
    assert value is not None and type_ is not None
    return value, type_


def _typed(m: Meta, e: Expr) -> str:
    return f"{show(m, e, 2)} : {show(m, infer_type(m, e))}"


def _with_first_relation(steps: Sequence[ast.CalcStep]) -> Sequence[ast.CalcStep]:
    """Expand a first step that is only a term, `calc a`, to `a = _ := rfl`."""
    first = steps[0]
    if first.proof is not None:
        return steps
    start, end = first.start, first.end
    relation = ast.BinOp("=", first.relation, ast.Hole(start=start, end=end), start=start, end=end)
    rfl = ast.Ident("rfl", start=start, end=end)
    return (ast.CalcStep(relation, rfl, start=start, end=end), *steps[1:])


def extend_calc(
    el: Elab, value: Expr, type_: Expr, target: Expr, new_goal: Callable[[Expr], MVar]
) -> tuple[Expr, MVar] | None:
    """Complete a chain that ends before the target with a goal for the last step; `None` if that fails too."""
    m = el.m
    have, want = relation_of(m, type_), relation_of(m, target)
    if have is None or want is None:
        return None
    mark = m.mctx.mark()
    try:
        step = mk_apps(want[0], (have[2], want[2]))
        goal = new_goal(step)
        done, done_type = _trans(el, value, type_, goal, step)
        if is_def_eq(m, done_type, target):
            return done, goal
    except BudgetError:
        raise
    except MetaError:
        pass
    m.mctx.rollback(mark)
    return None


def _trans(el: Elab, left: Expr, left_type: Expr, right: Expr, right_type: Expr) -> tuple[Expr, Expr]:
    m = el.m
    first, second = relation_of(m, left_type), relation_of(m, right_type)
    assert first is not None and second is not None
    r, a, b = first
    s, _, c = second
    fn = m.const("Trans.trans")
    given = Arguments([Given(value=left), Given(value=right)], {"r": Given(value=r), "s": Given(value=s)})
    given.named.update({"a": Given(value=a), "b": Given(value=b), "c": Given(value=c)})
    try:
        value = apply_args(el, fn, given, None)
        el.synthesize()
    except MetaError:
        raise MetaError(
            "invalid 'calc' step, failed to synthesize `Trans` instance\n  "
            f"Trans {show(m, r)} {show(m, s)} ?m"
        ) from None
    value = m.instantiate_mvars(value)
    return value, head_beta(m.instantiate_mvars(infer_type(m, value)))
