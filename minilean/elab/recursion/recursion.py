"""Structural recursion: functions that call themselves on parts of an argument, compiled to `brecOn`.

    f = fun ys x zs => T.brecOn x (fun x (below : T.below x) zs => body) zs

where each call `f ys x' zs'` in the body becomes a projection of `below`. Each matcher on `x` passes a refined `below`
to its alternatives. Recursion that is not structural is refused.

Source: Lean 4 `src/Lean/Elab/PreDefinition/Structural/` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minilean.elab.recursion.mutual_structural import compile_mutual
from minilean.elab.recursion.preprocess import StructuralError, beta_reduced
from minilean.elab.recursion.recursive_calls import NoDecrease, Plan, Rewriter, calls_of, mentions
from minilean.elab.recursion.termination import compile_well_founded
from minilean.elab.term import Elab
from minilean.kernel.declaration import Inductive
from minilean.kernel.expr import (
    Const,
    Expr,
    FVar,
    Lam,
    get_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.instantiate import abstract, instantiate1
from minilean.kernel.traversal import subterms
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf
from minilean.syntax import ast

_HINT = "structural recursion cannot be used"
_NO_PARAMETERS = "no parameters suitable for structural recursion"
_PASSED_OVER = "Not considering parameter"


class Compiled(NamedTuple):
    """A compiled recursive function.

    Attributes:
        value: Its value without calls to itself.
        written: Its value with them, from which its equations are made.
        position: The argument that gets smaller structurally; `None` for well-founded recursion.
    """

    value: Expr
    written: Expr
    position: int | None


def compile_recursion(
    el: Elab, name: str, self_var: FVar, value: Expr, hints: ast.Termination | None, bound: int
) -> Compiled:
    """Compile a recursive function by structural recursion where that is possible, else by well-founded recursion.

    Args:
        el: The elaborator, whose local context has `self_var`.
        name: The name of the function.
        self_var: The variable that stands for the function in `value`.
        value: `fun args => body`, fully instantiated.
        hints: `termination_by` and `decreasing_by`, if they are written.
        bound: How many of the arguments stand before the colon.

    Raises:
        MetaError: The function is not seen to terminate.
    """

    def by_measure(given: ast.Termination) -> Compiled:
        compiled = compile_well_founded(el, name, self_var, value, given, bound)
        return Compiled(compiled, beta_reduced(value, self_var), None)

    if hints is not None and not hints.structural:
        return by_measure(hints)
    only = None if hints is None else _position(name, value, hints, bound)
    try:
        compiled, position = compile_structural(el.m, name, self_var, value, only)
        return Compiled(compiled, value, position)
    except StructuralError as structural:
        if only is not None or el.m.env.find("WellFounded.fix") is None:
            raise
        try:
            return by_measure(ast.Termination())
        except (BudgetError, UnsupportedError):
            raise
        except MetaError as error:
            raise MetaError(
                f"fail to show termination for\n  {name}\nwith errors\n"
                f"failed to infer structural recursion:\n{structural}\n\n{error}"
            ) from None


def _position(name: str, value: Expr, hints: ast.Termination, bound: int) -> int:
    """Return the position of the argument that `termination_by structural` names."""
    names: list[str] = []
    while type(value) is Lam:
        names.append(value.name)
        value = value.body
    names[bound : bound + len(hints.names)] = hints.names
    if not isinstance(hints.measure, ast.Ident) or hints.measure.name not in names:
        raise MetaError(
            "The termination measure of a structurally recursive function must be one of the parameters"
        )
    return names.index(hints.measure.name)


def compile_structural(
    m: Meta, name: str, self_var: FVar, value: Expr, only: int | None = None
) -> tuple[Expr, int]:
    """Compile a recursive function; return its value without `self_var` and the position of the recursive argument.

    Args:
        m: The state whose local context has `self_var`.
        name: The name of the function, for messages.
        self_var: The variable that stands for the function in `value`.
        value: `fun args => body`, fully instantiated.
        only: The argument to recurse on; by default all are tried.

    Raises:
        StructuralError: The function recurses structurally on none of its arguments.
        MetaError: The function occurs without arguments.
    """
    old = m.lctx
    errors: list[str] = []
    try:
        args, body = m.intro_binders(beta_reduced(value, self_var))
        calls = calls_of(body, self_var)
        if any(len(call) == 0 for call in calls):
            if not args:
                raise StructuralError(_NO_PARAMETERS)
            raise MetaError(
                f"fail to show termination for\n  {name}\nwith errors\n{_HINT}: it is used without arguments"
            )
        fixed = _fixed_prefix(args, calls, m)
        for position in range(len(args)) if only is None else (only,):
            mark = m.mctx.mark()
            context = m.lctx
            try:
                if _in_group(m, args[position]):
                    (compiled,), _ = compile_mutual(m, [(name, self_var, value)], {name: position})
                    return compiled, position
                plan = _plan(m, args, position, fixed, calls)
                return _compile(m, plan, self_var, args, body), position
            except BudgetError:
                raise
            except MetaError as error:
                errors.append(_reason(m, name, args, position, error, calls))
                m.mctx.rollback(mark)
                m.lctx = context
    finally:
        m.lctx = old
    if all(error.startswith(_PASSED_OVER) for error in errors):
        raise StructuralError("\n".join([*errors, _NO_PARAMETERS]))
    raise StructuralError("\n".join(errors) + "\n")


def _in_group(m: Meta, x: FVar) -> bool:
    """Return whether the type of a variable is declared with others, or nests itself in others."""
    fn, _ = get_app(whnf(m, m.instantiate_mvars(m.local(x).type)))
    info = m.env.find(fn.name) if type(fn) is Const else None
    return isinstance(info, Inductive) and len(info.recursors) > 1


def _reason(
    m: Meta, name: str, args: Sequence[FVar], position: int, error: MetaError, calls: Sequence[list[Expr]]
) -> str:
    """Return Lean's text on an argument on which a function does not recurse."""
    written = m.local(args[position]).name
    shown = f"#{position + 1}" if written.endswith("✝") else written
    if calls and all(len(c) > position and c[position] is args[position] for c in calls):
        return f"{_PASSED_OVER} {shown} of {name}:\n  it is unchanged in the recursive calls"
    if isinstance(error, NoDecrease):
        return f"Cannot use parameter {shown}:\n  {error}"
    return f"{_PASSED_OVER} {shown} of {name}:\n  {error}"


def _fixed_prefix(args: Sequence[FVar], calls: Sequence[list[Expr]], m: Meta) -> int:
    count = 0
    while count < len(args) and all(len(c) > count and c[count] is args[count] for c in calls):
        count += 1
    return count


def _plan(m: Meta, args: list[FVar], position: int, fixed: int, calls: Sequence[list[Expr]]) -> Plan:
    type_ = whnf(m, m.local(args[position]).type)
    fn, type_args = get_app(type_)
    info = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(info, Inductive) or type(fn) is not Const:
        raise MetaError("its type is not an inductive type")
    if m.env.find(f"{info.name}.brecOn") is None:
        raise MetaError(f"its type {info.name} does not have a recursor")
    if any(len(c) <= position for c in calls):
        raise MetaError("it is missing in a recursive call")
    indices = type_args[info.num_params :]
    index_positions = []
    for index in indices:
        if type(index) is not FVar or index not in args[:position]:
            raise MetaError("its type is an inductive family whose indices are not variables of the function")
        index_positions.append(args.index(index))
    fixed = min([fixed, position, *index_positions])
    bound = set(args[fixed:])
    for param in type_args[: info.num_params]:
        if any(type(s) is FVar and s in bound for s in subterms(param)):
            raise MetaError("its type is an inductive datatype whose parameters depend on what changes")
    return Plan(position, fixed, info, fn, type_args[: info.num_params], index_positions)


def _compile(m: Meta, plan: Plan, self_var: FVar, args: list[FVar], body: Expr) -> Expr:
    major = args[plan.position]
    indices = [args[i] for i in plan.index_positions]
    own = [*indices, major]
    others = [x for x in args[plan.fixed :] if x not in own]
    if any(mentions(m.local(x).type, y) for x in own for y in others):
        raise MetaError("its type depends on arguments that change")
    result = m.instantiate_mvars(infer_type(m, body))
    rest = m.mk_pi(others, result)
    motive = m.mk_lambda(own, rest)
    level = sort_level(m, rest)
    levels = (level, *plan.fn.levels)
    # a local definition for the motive: while it is not unfolded, values at different arguments have different types
    named = m.push_local("C", infer_type(m, motive), value=motive)
    below_type = mk_apps(mk_const(f"{plan.info.name}.below", levels), [*plan.params, named, *own])
    below = m.push_local("below", below_type)
    rewriter = Rewriter(m, plan, self_var, named, args)
    new_body = rewriter.rewrite(body, below)
    if mentions(new_body, self_var):
        raise MetaError("unexpected occurrence of recursive application")
    step = m.mk_lambda([*own, below, *others], new_body)
    call = mk_apps(
        mk_const(f"{plan.info.name}.brecOn", levels), [*plan.params, motive, *indices, major, step]
    )
    whole = mk_apps(instantiate1(abstract(call, [named]), motive), others)
    return m.mk_lambda(args, whole)
