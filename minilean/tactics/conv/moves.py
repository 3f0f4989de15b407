"""Moves of `conv` in a term: to arguments, sides and patterns, below binders.

Source: Lean 4 `src/Lean/Elab/Tactic/Conv/*.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minilean.kernel.expr import (
    DEFAULT,
    App,
    Const,
    Expr,
    Lam,
    MVar,
    Pi,
    get_app,
    mk_app,
    mk_apps,
    mk_bvar,
    mk_const,
    mk_lam,
    mk_pi,
)
from minilean.kernel.instantiate import abstract, instantiate1, replace
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import REDUCIBLE
from minilean.meta.fun_info import binder_infos
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax.conv import ConvStep
from minilean.tactics.conv.places import Converter
from minilean.tactics.simp.result import Result, congr, proof_of


def _explicit(c: Converter, e: Expr) -> list[int]:
    fn, args = get_app(e)
    infos = binder_infos(c.m, fn, len(args))
    return [i for i, info in enumerate(infos) if info == DEFAULT]


def go_to_argument(c: Converter, index: int) -> None:
    """Go to one argument of the application at the main place."""
    _go_to_arguments(c, [index])


def _go_to_arguments(c: Converter, indices: Sequence[int]) -> None:
    m, e = c.m, c.here
    fn, args = get_app(e)
    lctx = m.lctx

    def join(results: list[Result]) -> Result:
        by_index = dict(zip(indices, results, strict=True))
        with m.with_lctx(lctx):
            current, left = Result(fn), fn
            fn_type = m.instantiate_mvars(infer_type(m, fn))
            for i, arg in enumerate(args):
                if type(fn_type) is not Pi:
                    fn_type = whnf(m, fn_type)
                assert type(fn_type) is Pi
                result = by_index.get(i, Result(arg))
                if result.proof is not None and fn_type.body.loose:
                    raise MetaError(
                        "cannot rewrite an argument that the types of other arguments depend on\n  "
                        f"{c.t.show(arg)}"
                    )
                current = congr(c.m, left, current, arg, result)
                left = mk_app(left, arg)
                fn_type = instantiate1(fn_type.body, arg)
            return current

    c.go_below([c.place(args[i]) for i in indices], join)


def _go_to_sides(c: Converter, sides: str) -> None:
    """Go to one or both sides of `p → q`."""
    m, e = c.m, c.here
    assert type(e) is Pi
    premise, conclusion = e.type, e.body
    lctx = m.lctx

    def join(results: list[Result]) -> Result:
        found = dict(zip(sides, results, strict=True))
        p, q = found.get("l", Result(premise)), found.get("r", Result(conclusion))
        new = mk_pi(e.name, p.expr, q.expr, e.info)
        if p.proof is None and q.proof is None:
            return Result(new)
        with m.with_lctx(lctx):
            proofs = proof_of(c.m, premise, p), proof_of(c.m, conclusion, q)
            args = (premise, p.expr, conclusion, q.expr, *proofs)
            levels = (sort_level(m, premise), sort_level(m, conclusion))
            return Result(new, mk_apps(mk_const("implies_congr", levels), args))

    c.go_below([c.place(premise if side == "l" else conclusion) for side in sides], join)


def _is_arrow(c: Converter, e: Expr) -> bool:
    return type(e) is Pi and not e.body.loose


def go_to_side(c: Converter, step: ConvStep) -> None:
    """`lhs`, `rhs`: the last but one argument, the last one."""
    e = c.here
    if _is_arrow(c, e):
        _go_to_sides(c, step.name[0])
        return
    _, args = get_app(e)
    if len(args) < 2:
        raise c.failed(f"invalid '{step.name}' conv tactic, application with at least 2 arguments expected")
    go_to_argument(c, len(args) - (2 if step.name == "lhs" else 1))


def go_to_nth(c: Converter, step: ConvStep) -> None:
    """`arg n`: the nth explicit argument; `arg @n`: the nth argument; `arg 0`: the function."""
    e = c.here
    if step.number == 0:
        go_to_function(c, step)
        return
    index = step.number - 1 if step.number > 0 else step.number
    if type(e) is Pi:
        if not -2 <= index < 2:
            raise MetaError("invalid `arg` tactic, index is out of bounds for pi type")
        if _is_arrow(c, e):
            _go_to_sides(c, "lr"[index])
        elif "lr"[index] == "l":
            _go_to_domain(c)
        else:
            go_under_binder(c, None)
        return
    if type(e) is not App:
        raise c.failed("invalid 'arg' conv tactic, application or implication expected")
    _, args = get_app(e)
    choices = list(range(len(args))) if step.implicit else _explicit(c, e)
    if not -len(choices) <= index < len(choices):
        kind = "" if step.implicit else "explicit "
        raise MetaError(
            f"invalid `arg` tactic, application has {len(choices)} {kind}argument(s) but the index is out of bounds"
        )
    go_to_argument(c, choices[index])


def _go_to_domain(c: Converter) -> None:
    """Go to the domain of a `∀` whose body depends on the variable; it cannot be changed there."""
    e = c.here
    assert type(e) is Pi

    def join(results: list[Result]) -> Result:
        if results[0].expr is not e.type:
            raise UnsupportedError("a change of the domain of a `∀`")
        return Result(e)

    c.go_below([c.place(e.type)], join)


def go_to_function(c: Converter, step: ConvStep) -> None:
    """`fun`: the function of the application."""
    m, e = c.m, c.here
    if type(e) is not App:
        raise c.failed("invalid 'fun' conv tactic, application expected")
    fn, arg = e.fn, e.arg
    if step.name == "arg":
        fn, args = get_app(e)
    else:
        args = [arg]
    lctx = m.lctx

    def join(results: list[Result]) -> Result:
        with m.with_lctx(lctx):
            current, left = results[0], fn
            for each in args:
                current = congr(c.m, left, current, each, Result(each))
                left = mk_app(left, each)
            return current

    c.go_below([c.place(fn)], join)


def go_to_all(c: Converter, step: ConvStep) -> None:
    """`congr`, `args`: all explicit arguments that others do not depend on."""
    e = c.here
    if _is_arrow(c, e):
        _go_to_sides(c, "lr")
        return
    if type(e) is not App:
        raise c.failed(f"invalid '{step.name}' conv tactic, application or implication expected")
    _go_to_arguments(c, _explicit(c, e))


def go_under_binders(c: Converter, step: ConvStep) -> None:
    """`ext x y`: below `fun` and `∀`."""
    for name in step.names or ("_",):
        with c.m.with_lctx(c.main.lctx):
            go_under_binder(c, None if name == "_" else name)


def go_under_binder(c: Converter, name: str | None, renames: bool = True) -> None:
    """Go to the body of the `fun` or `∀` at the main place; without `renames` it keeps the name of its variable."""
    m, e = c.m, c.here
    if type(e) is not Lam and type(e) is not Pi:
        # a function that is not a `fun`
        type_ = whnf(m, m.instantiate_mvars(infer_type(m, e)))
        if type(type_) is not Pi:
            raise c.failed("invalid 'ext' conv tactic, function or arrow expected")
        e = mk_lam(type_.name, type_.type, mk_app(e, mk_bvar(0)), type_.info)
    old = m.lctx
    x = m.push_local(e.name.rstrip("✝") + "✝" if name is None else name, e.type, e.info)
    inner = m.lctx
    body = instantiate1(e.body, x)
    place = c.place(body)
    m.lctx = old
    kind = type(e)

    def join(results: list[Result]) -> Result:
        (result,) = results
        with m.with_lctx(inner):
            expr = m.instantiate_mvars(result.expr)
            # `funext` keeps the name of the variable, `forall_congr` introduces its own
            make, bound = (mk_lam, name or e.name) if kind is Lam else (mk_pi, "a")
            new = make(bound if renames else e.name, e.type, abstract(expr, [x]), e.info)
            if result.proof is None:
                return Result(new)
            proof = m.mk_lambda([x], result.proof)
            if kind is Lam:
                beta_type = infer_type(m, body)
                levels = (sort_level(m, e.type), sort_level(m, beta_type))
                parts: tuple[Expr, ...] = (e.type, m.mk_lambda([x], beta_type), e, new, proof)
                return Result(new, mk_apps(mk_const("funext", levels), parts))
            if not is_prop(m, body):
                raise UnsupportedError("`conv` below the binder of a type that is not a proposition")
            parts = (e.type, m.mk_lambda([x], body), m.mk_lambda([x], expr), proof)
            return Result(new, mk_apps(mk_const("forall_congr", (sort_level(m, e.type),)), parts))

    c.go_below([place], join)


def enter(c: Converter, step: ConvStep) -> None:
    """`enter [1, x, in p]`."""
    for part in step.steps:
        with c.m.with_lctx(c.main.lctx):
            c.step(part)


def find_pattern(c: Converter, step: ConvStep) -> None:
    """`pattern p`: the first place that `p` matches."""
    assert step.term is not None
    el = c.t.elab()
    pattern = el.elab(step.term, None)
    el.synthesize(postpone=True)
    pattern = c.m.instantiate_mvars(pattern)
    if not go_to_pattern(c, pattern):
        raise c.failed(
            f"'pattern' conv tactic failed, pattern was not found\n  {c.t.show(pattern)}\nin the term"
        )


def go_to_pattern(c: Converter, pattern: Expr) -> bool:
    """Go to the first place, from the outside in and from left to right, that the pattern matches."""
    m = c.m
    m.budget.spend("conv")
    with m.with_lctx(c.main.lctx), m.nested("conv"):
        e = c.here
        if _same_head(e, pattern):
            with m.with_transparency(REDUCIBLE):
                if m.attempt(lambda: is_def_eq(m, e, _refreshed(m, pattern))):
                    return True
        top = c.main
        moves: list[Callable[[], None]] = []
        if type(e) is App:
            moves = [lambda i=i: go_to_argument(c, i) for i in _explicit(c, e)]  # type: ignore[misc]
        elif _is_arrow(c, e):
            moves = [lambda: _go_to_sides(c, "l"), lambda: _go_to_sides(c, "r")]
        elif type(e) is Lam or type(e) is Pi:
            moves = [lambda: go_under_binder(c, e.name, renames=False)]
        for move in moves:
            saved = list(c.open)
            move()
            if go_to_pattern(c, pattern):
                return True
            c.open, top.below, top.join = saved, [], None
    return False


def _same_head(e: Expr, pattern: Expr) -> bool:
    (fn, args), (head, wanted) = get_app(e), get_app(pattern)
    if len(args) != len(wanted):
        return False
    return fn.name == head.name if type(fn) is Const and type(head) is Const else fn is head


def _refreshed(m: Meta, pattern: Expr) -> Expr:
    """Return the pattern with new metavariables for the present context."""
    fresh: dict[Expr, Expr] = {}

    def at(sub: Expr, _depth: int) -> Expr | None:
        if type(sub) is not MVar:
            return None
        if sub not in fresh:
            fresh[sub] = m.new_mvar(replace(m.instantiate_mvars(m.mvar_decl(sub).type), at))
        return fresh[sub]

    return replace(m.instantiate_mvars(pattern), at)
