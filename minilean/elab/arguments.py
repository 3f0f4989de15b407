"""Application of a function to arguments: implicit, instance, named and defaulted ones, guided by the expected type.

Source: Lean 4 `src/Lean/Elab/App.lean`, `elabAppArgs` (4.34).
"""

from __future__ import annotations

from minilean.elab.argument_list import Arguments, Given
from minilean.elab.coercions import coercion_to_function
from minilean.elab.default_arguments import (
    AutoTactic,
    default_of,
    fields_with_defaults,
    may_omit,
    plain_type,
)
from minilean.elab.display import show
from minilean.elab.eliminators import elab_elimination
from minilean.elab.field_types import over_field
from minilean.elab.instance_problems import is_posed, settle_instance
from minilean.elab.pending import HoleInfo, Pending
from minilean.elab.term import Elab
from minilean.kernel.expr import (
    DEFAULT,
    INST,
    STRICT,
    Expr,
    Lam,
    MVar,
    Pi,
    get_app_fn,
    mk_app,
    mk_lam,
)
from minilean.kernel.instantiate import instantiate1
from minilean.kernel.traversal import subterms
from minilean.meta.context import Kind
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core
from minilean.syntax import ast


def apply_args(el: Elab, fn: Expr, arguments: Arguments, expected: Expr | None) -> Expr:
    """Apply `fn`, making metavariables for implicit arguments, and use the expected type as early as Lean does."""
    m = el.m
    eliminated = elab_elimination(el, fn, arguments, expected)
    if eliminated is not None:
        return eliminated
    type_ = m.instantiate_mvars(infer_type(m, fn))
    args = list(arguments.positional)
    named = dict(arguments.named)
    e = fn
    propagated = expected is None or arguments.explicit
    instances: list[tuple[MVar, Expr]] = []
    implicit: list[tuple[MVar, str]] = []
    eta: list[Expr] = []
    old = m.lctx
    try:
        while True:
            if type(type_) is not Pi:
                type_ = whnf_core(m, type_)
            shown_type = type_
            if type(type_) is not Pi and (args or named):
                type_ = whnf(m, m.instantiate_mvars(type_))
            if type(type_) is not Pi:
                if (args or named) and type(get_app_fn(type_)) is MVar:
                    el.synthesize(postpone=True)
                    known = whnf(m, m.instantiate_mvars(type_))
                    if type(known) is Pi:
                        type_ = known
                        continue
                    el.postpone_or_fail()
                function = coercion_to_function(m, e, type_) if args or named else None
                if function is not None:
                    e, type_ = function, m.instantiate_mvars(infer_type(m, function))
                    continue
                if args or named:
                    raise _function_expected(el, e, shown_type, args, named)
                break
            given: Given | None = None
            if type_.name in named:
                given = named.pop(type_.name)
            elif type_.info == DEFAULT or arguments.explicit:
                if named and _is_determined(m, type_, named):
                    given = Given(value=m.new_mvar(plain_type(type_.type)))
                elif args:
                    given = args.pop(0)
                    if type_.info == INST and type(given.stx) is ast.Hole:
                        given = None  # `@f _` leaves it to instance search as well
                elif not arguments.explicit and (default := default_of(m.env, type_.type)) is not None:
                    given = _default(el, type_, default)
                elif arguments.ellipsis:
                    given = Given(value=m.new_mvar(plain_type(type_.type)))
                elif named and any(_has_binder(type_.body, n) for n in named):
                    # A later parameter is given by name: this one becomes a parameter of a lambda. The arguments
                    # that are elaborated below it were written outside, so they must not mention it.
                    given = _parameter(m, type_, eta)
                elif named:
                    raise _unknown_named(el, fn, named)
                elif not arguments.explicit and may_omit(type_.body):
                    given = _parameter(m, type_, eta)
                elif not arguments.explicit and fields_with_defaults(m.env, fn, type_):
                    raise UnsupportedError(
                        f"`{show(m, fn)}` without the fields that have defaults: use `{{ x := a, .. }}`"
                    )
                else:
                    break
            elif type_.info == STRICT and not args and not named:
                break
            if given is None:
                mvar = _implicit(el, type_, instances)
                implicit.append((mvar, type_.name))
                e, type_ = mk_app(e, mvar), instantiate1(type_.body, mvar)
                continue
            if not propagated and not eta and _waits_for_type(given):
                propagated = _propagate(el, expected, type_, 1 + len(args), bool(named))
            _settle_instances(el, instances)
            value = _argument(el, given, type_, e)
            body = type_.body
            type_ = over_field(m, body, value) if arguments.fields else instantiate1(body, value)
            e = mk_app(e, value)
        if expected is not None and not eta:
            is_def_eq(m, type_, expected)
        _settle_instances(el, instances, final=True)
        for mvar, name in implicit:
            if not m.mctx.is_assigned(mvar.id):
                el.hole_infos[mvar.id] = HoleInfo(mvar, "" if name.endswith("✝") else name, e)
        return _with_plain_names(m.mk_lambda(eta, e), len(eta)) if eta else e
    finally:
        m.lctx = old


def _is_determined(m: Meta, pi: Pi, named: dict[str, Given]) -> bool:
    """Return whether the type of an argument given by name depends on the parameter that comes next."""
    old = m.lctx
    x = m.push_local(pi.name, pi.type)
    m.lctx = old
    type_ = instantiate1(pi.body, x)
    while type(type_) is Pi:
        if type_.name in named and any(sub is x for sub in subterms(plain_type(type_.type))):
            return True
        type_ = type_.body
    return False


def _parameter(m: Meta, pi: Pi, eta: list[Expr]) -> Given:
    """Bind a missing argument: the application becomes a function of it."""
    fvar = m.push_local(pi.name.rstrip("✝") + "✝", plain_type(pi.type))
    eta.append(fvar)
    return Given(value=fvar)


def _default(el: Elab, pi: Pi, default: Expr | AutoTactic) -> Given:
    """Return the value of an argument that was left out: its default, or a goal for its tactics."""
    if not isinstance(default, AutoTactic):
        return Given(value=default)
    mvar = el.m.new_mvar(plain_type(pi.type), Kind.OPAQUE)
    el.pending.append(Pending("tactic", mvar, el.m.lctx, default.block, pi.name))
    return Given(value=mvar)


def _with_plain_names(e: Expr, count: int) -> Expr:
    """Rename the first `count` binders of a function to the parameters that they stand for."""
    if count == 0 or type(e) is not Lam:
        return e
    return mk_lam(e.name.rstrip("✝"), e.type, _with_plain_names(e.body, count - 1), e.info)


def _implicit(el: Elab, pi: Pi, instances: list[tuple[MVar, Expr]]) -> MVar:
    m = el.m
    if pi.info != INST:
        return m.new_mvar(pi.type)
    mvar = m.new_mvar(pi.type, Kind.SYNTHETIC)
    instances.append((mvar, pi.type))
    return mvar


def _settle_instances(el: Elab, instances: list[tuple[MVar, Expr]], final: bool = False) -> None:
    """Try to synthesize instance arguments; at the end hand the rest to the elaborator's pending list."""
    m = el.m
    remaining = []
    for mvar, type_ in instances:
        # before the arguments are elaborated, an instance for every type would be taken
        early = not final and not is_posed(m, m.instantiate_mvars(type_))
        if early or not settle_instance(m, mvar):
            remaining.append((mvar, type_))
    instances[:] = remaining
    if final:
        for mvar, _ in remaining:
            el.pending.append(Pending("inst", mvar, m.lctx))


def _has_binder(type_: Expr, name: str) -> bool:
    while type(type_) is Pi:
        if type_.name == name:
            return True
        type_ = type_.body
    return False


def _unknown_named(el: Elab, fn: Expr, named: dict[str, Given]) -> MetaError:
    name = next(iter(named))
    return MetaError(f"Invalid argument name `{name}` for function `{show(el.m, get_app_fn(fn))}`")


def _waits_for_type(given: Given) -> bool:
    """Return whether the expected type is used before this argument (`shouldPropagateExpectedTypeFor`)."""
    return given.stx is not None and not isinstance(given.stx, (ast.Hole, ast.NamedHole, ast.By))


def _propagate(el: Elab, expected: Expr | None, pi: Pi, explicit_left: int, has_named: bool) -> bool:
    """Unify the result type with the expected one before an explicit argument is elaborated.

    Returns:
        Whether that is settled; otherwise the next argument tries again.
    """
    m = el.m
    if expected is None or has_named:
        return False
    expected = m.instantiate_mvars(expected)
    if type(get_app_fn(expected)) is MVar:
        return False
    out: Expr = pi
    while type(out) is Pi:
        if out.info == DEFAULT:
            if explicit_left:
                explicit_left -= 1
            elif default_of(m.env, out.type) is None:
                break
        out = out.body
    if explicit_left or out.loose or may_omit(out):
        return False
    mark = m.mctx.mark()
    if is_def_eq(m, out, expected):
        return True
    m.mctx.rollback(mark)
    return False


def _argument(el: Elab, given: Given, pi: Pi, fn: Expr) -> Expr:
    expected = plain_type(pi.type)
    if given.value is not None:
        value = given.value
    else:
        assert given.stx is not None
        value = el.elab(given.stx, expected)
        info = el.hole_infos.get(value.id) if type(value) is MVar else None
        if info is not None and info.app is None and not pi.name.endswith("✝"):
            info.name = pi.name
    return el.ensure_has_type(value, expected, fn)


def _function_expected(
    el: Elab, e: Expr, type_: Expr, args: list[Given], named: dict[str, Given]
) -> MetaError:
    m = el.m
    if not args:
        return _unknown_named(el, e, named)
    given = args[0]
    text = ""
    if given.value is not None:
        text = show(m, given.value, 2)
    elif given.stx is not None:
        text = el.source[given.stx.start : given.stx.end].strip()
    if text:
        text = f"\n\nNote: Expected a function because this term is being applied to the argument\n  {text}"
    return MetaError(
        f"Function expected at\n  {show(m, e, 2)}\nbut this term has type\n  {show(m, type_, 2)}{text}"
    )
