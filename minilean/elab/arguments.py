"""Application of a function to arguments: implicit, instance, named and defaulted ones, guided by the expected type.

Source: Lean 4 `src/Lean/Elab/App.lean`, `elabAppArgs` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from minilean.elab.coercions import coercion_to_function
from minilean.elab.default_arguments import (
    AutoTactic,
    default_of,
    fields_with_defaults,
    may_omit,
    plain_type,
)
from minilean.elab.display import clash, show
from minilean.elab.eliminators import elab_eliminator, insufficient, is_eliminator, positions
from minilean.elab.field_types import over_field
from minilean.elab.instance_problems import settle_instance
from minilean.elab.pending import HoleInfo, Pending
from minilean.elab.term import Elab
from minilean.kernel.expr import (
    DEFAULT,
    INST,
    STRICT,
    Const,
    Expr,
    FVar,
    Lam,
    MVar,
    Pi,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_lam,
    mk_pi,
)
from minilean.kernel.instantiate import instantiate1
from minilean.kernel.traversal import subterms
from minilean.meta.context import Kind
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import infer_type
from minilean.meta.kabstract import kabstract
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core
from minilean.syntax import ast


@dataclass(slots=True)
class Given:
    """An argument that is already a term (`value`) or still syntax (`stx`)."""

    stx: ast.Term | None = None
    value: Expr | None = None


@dataclass(slots=True)
class Arguments:
    """Arguments of an application, as written."""

    positional: list[Given] = field(default_factory=list)
    named: dict[str, Given] = field(default_factory=dict)
    explicit: bool = False
    ellipsis: bool = False
    fields: bool = False
    """True when the arguments are the fields of a structure instance."""


def apply_args(el: Elab, fn: Expr, arguments: Arguments, expected: Expr | None) -> Expr:
    """Apply `fn`, making metavariables for implicit arguments, and use the expected type as early as Lean does."""
    m = el.m
    eliminated = _elimination(el, fn, arguments, expected)
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
            if not propagated:
                propagated = True
                _propagate(el, expected, type_, 1 + len(args), bool(named))
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


def _elimination(el: Elab, fn: Expr, arguments: Arguments, expected: Expr | None) -> Expr | None:
    """Elaborate an application of an eliminator whose motive is not given; `None` for any other application."""
    m = el.m
    given = arguments.positional or arguments.named
    if type(fn) is not Const or arguments.explicit or arguments.ellipsis or not given:
        return None
    if not is_eliminator(m.env, fn.name):
        return None
    type_ = infer_type(m, fn)
    found = positions(m, type_)
    if found is None:
        return None
    args, named = list(arguments.positional), dict(arguments.named)
    before = 0
    for _ in range(found[0]):
        before += type_.info == DEFAULT and type_.name not in named  # type: ignore[attr-defined]
        type_ = type_.body  # type: ignore[attr-defined]
    if type_.name in named:  # type: ignore[attr-defined]
        return None
    if type_.info == DEFAULT and before < len(args):  # type: ignore[attr-defined]
        # an explicit motive, as that of `False.rec`, counts as given unless it is `_`
        if not isinstance(args[before].stx, ast.Hole):
            return None
        del args[before]
    expected = None if expected is None else m.instantiate_mvars(expected)
    if expected is None or type(get_app_fn(expected)) is MVar:
        el.postpone_or_fail()
        raise MetaError("failed to elaborate eliminator, expected type is not available")
    old = m.lctx
    try:
        missing, over = _arity(m, fn, found, args, named)
        xs, aim = _missing_targets(m, expected, missing)
        args += [Given(value=x) for x in xs]
        extra = [_value(el, given) for given in args[len(args) - over :]] if over else []
        value = _eliminate(el, fn, found, args[: len(args) - over], named, _generalized(m, aim, extra))
        return m.mk_lambda(xs, mk_apps(value, extra))
    finally:
        m.lctx = old


def _arity(
    m: Meta, fn: Expr, found: tuple[int, list[int]], args: list[Given], named: dict[str, Given]
) -> tuple[int, int]:
    """Count the explicit arguments missing up to the last target, and those beyond the last parameter."""
    type_ = infer_type(m, fn)
    needed = total = 0
    names = set()
    for i in range(1_000):
        if type(type_) is not Pi:
            break
        names.add(type_.name)
        if type_.info == DEFAULT and i != found[0] and type_.name not in named:
            total += 1
            needed = total if i <= max(found[1]) else needed
        type_ = type_.body
    if unused := [name for name in named if name not in names]:
        raise MetaError(f"failed to elaborate eliminator, unused named arguments: [{', '.join(unused)}]")
    return max(0, needed - len(args)), max(0, len(args) - total)


def _missing_targets(m: Meta, expected: Expr, count: int) -> tuple[list[FVar], Expr]:
    """Introduce variables for the targets that are not given: the expected type is that of a function of them."""
    xs: list[FVar] = []
    aim = expected
    for _ in range(count):
        pi = whnf(m, aim)
        if type(pi) is not Pi:
            raise insufficient(m, expected)
        xs.append(m.push_local(pi.name, pi.type))
        aim = instantiate1(pi.body, xs[-1])
    return xs, aim


def _value(el: Elab, given: Given) -> Expr:
    if given.value is not None:
        return given.value
    assert given.stx is not None
    value = el.elab(given.stx, None)
    el.synthesize(postpone=True)
    return el.m.instantiate_mvars(value)


def _generalized(m: Meta, expected: Expr, values: list[Expr]) -> Expr:
    """Return the type that an elimination needs so that, applied to these values, it has the expected type."""
    for value in reversed(values):
        abstracted = kabstract(m, expected, value)
        type_ = m.instantiate_mvars(infer_type(m, value))
        expected = mk_pi("x✝", type_, expected if abstracted is None else abstracted)
    return expected


def _eliminate(
    el: Elab,
    fn: Const,
    found: tuple[int, list[int]],
    args: list[Given],
    named: dict[str, Given],
    expected: Expr,
) -> Expr:
    m = el.m
    later: list[Pending] = []

    def make(binder: str, type_: Expr, now: bool) -> Expr | None:
        given = named.pop(binder, None) or (args.pop(0) if args else None)
        if given is None:
            return None
        if given.value is not None:
            return el.ensure_has_type(given.value, type_)
        assert given.stx is not None
        if now:
            return el.elab_ensuring(given.stx, type_)
        later.append(Pending("term", m.new_mvar(type_, Kind.OPAQUE), m.lctx, given.stx, fresh=True))
        return later[-1].mvar

    value = elab_eliminator(el, fn, *found, make, expected)
    # the motive is known now, and with it the types of the premises
    el.pending += later
    return value


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
        if not settle_instance(m, mvar):
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


def _propagate(el: Elab, expected: Expr | None, pi: Pi, explicit_left: int, has_named: bool) -> None:
    """Unify the result type with the expected one before the first explicit argument is elaborated."""
    m = el.m
    if expected is None or has_named:
        return
    expected = m.instantiate_mvars(expected)
    if type(get_app_fn(expected)) is MVar:
        return
    out: Expr = pi
    while type(out) is Pi:
        if out.info == DEFAULT:
            if explicit_left:
                explicit_left -= 1
            elif default_of(m.env, out.type) is None:
                break
        out = out.body
    if explicit_left or out.loose or may_omit(out):
        return
    mark = m.mctx.mark()
    if not is_def_eq(m, out, expected):
        m.mctx.rollback(mark)


def _argument(el: Elab, given: Given, pi: Pi, fn: Expr) -> Expr:
    m = el.m
    expected = plain_type(pi.type)
    if given.value is not None:
        value = given.value
    else:
        assert given.stx is not None
        value = el.elab(given.stx, expected)
        info = el.hole_infos.get(value.id) if type(value) is MVar else None
        if info is not None and info.app is None and not pi.name.endswith("✝"):
            info.name = pi.name
    type_ = infer_type(m, value)
    if el.agree(value, type_, expected):
        return value
    coerced = el.coerce(value, type_, expected)
    if coerced is not None:
        return coerced
    types, then = clash(m, type_, expected)
    raise MetaError(
        f"Application type mismatch: The argument\n  {show(m, value, 2)}\n{types}{then}"
        f"in the application\n  {show(m, mk_app(fn, value), 2)}"
    )


def _function_expected(
    el: Elab, e: Expr, type_: Expr, args: list[Given], named: dict[str, Given]
) -> MetaError:
    m = el.m
    if not args:
        return _unknown_named(el, e, named)
    given = args[0]
    text = ""
    value = given.value
    if value is None and given.stx is not None:
        try:
            value = el.elab(given.stx, None)
        except MetaError:
            value = None
    if value is not None:
        text = "\n\nNote: Expected a function because this term is being applied to the argument\n  "
        text += show(m, value, 2)
    return MetaError(
        f"Function expected at\n  {show(m, e, 2)}\nbut this term has type\n  {show(m, type_, 2)}{text}"
    )
