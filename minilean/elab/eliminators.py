"""Eliminators in terms, as `Nat.rec base step n`: the motive is the expected type, abstracted over the targets.

Recursors and constants marked `@[elab_as_elim]` are elaborated this way, unless the motive is given by name.

Source: Lean 4 `src/Lean/Elab/App.lean`, `ElabElim` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minilean.elab.argument_list import Arguments, Given
from minilean.elab.display import show
from minilean.elab.pending import Pending
from minilean.elab.term import Elab
from minilean.kernel.declaration import Recursor
from minilean.kernel.expr import (
    DEFAULT,
    INST,
    Const,
    Expr,
    FVar,
    MVar,
    Pi,
    get_app,
    get_app_fn,
    mk_apps,
    mk_pi,
)
from minilean.kernel.instantiate import instantiate1
from minilean.meta.check import IllTyped, check
from minilean.meta.context import Kind
from minilean.meta.errors import MetaError
from minilean.meta.extension import LeanEnv
from minilean.meta.infer import infer_type
from minilean.meta.kabstract import kabstract
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core
from minilean.syntax import ast

MakeArgument = Callable[[str, Expr, bool], Expr | None]
"""Makes the argument of a binder from its name, its type and whether it is needed at once; `None` if none was given."""


def is_eliminator(env: LeanEnv, name: str) -> bool:
    """Return whether applications of this constant are elaborated as eliminations."""
    if name in env.elab_as_elim:
        return True
    prefix, _, last = name.rpartition(".")
    return last in ("rec", "recOn", "casesOn", "brecOn") and isinstance(env.find(f"{prefix}.rec"), Recursor)


def positions(m: Meta, type_: Expr) -> tuple[int, list[int]] | None:
    """Return the positions of the motive and of its targets in an eliminator's type; `None` for any other type."""
    old = m.lctx
    try:
        binders, end = m.intro_binders(type_)
        motive, targets = get_app(end)
        if motive not in binders or any(x not in binders for x in targets):
            return None
        return binders.index(motive), [binders.index(x) for x in targets if type(x) is FVar]
    finally:
        m.lctx = old


def elab_elimination(el: Elab, fn: Expr, arguments: Arguments, expected: Expr | None) -> Expr | None:
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

    value = _elab_eliminator(el, fn, *found, make, expected)
    # the motive is known now, and with it the types of the premises
    el.pending += later
    return value


def _elab_eliminator(
    el: Elab, fn: Const, motive_at: int, targets_at: Sequence[int], make: MakeArgument, expected: Expr
) -> Expr:
    """Elaborate an application of an eliminator whose arguments come from `make`.

    Raises:
        MetaError: A target is missing, or the motive made from the expected type is not type correct.
    """
    m = el.m
    type_ = m.instantiate_mvars(infer_type(m, fn))
    args: list[Expr] = []
    motive: MVar | None = None
    while type(type_) is Pi:
        i = len(args)
        arg: Expr | None = None
        if i == motive_at:
            arg = motive = m.new_mvar(type_.type)
        elif type_.info == DEFAULT:
            arg = make(type_.name, type_.type, i in targets_at)
            if arg is None:
                break
        elif type_.info == INST:
            arg = el.instance(type_.type)
        else:
            arg = m.new_mvar(type_.type)
        args.append(arg)
        type_ = instantiate1(type_.body, arg)
    if motive is None or max(targets_at) >= len(args):
        raise insufficient(m, expected)
    el.synthesize(postpone=True)
    value = _motive(m, motive, [m.instantiate_mvars(args[i]) for i in targets_at], type_, expected)
    if not is_def_eq(m, motive, value):
        raise MetaError("failed to elaborate eliminator, invalid motive\n  " + show(m, value, 2))
    if type(type_) is Pi and not is_def_eq(m, m.instantiate_mvars(type_), expected):
        raise insufficient(m, expected)
    return m.instantiate_mvars(mk_apps(fn, args))


def insufficient(m: Meta, expected: Expr) -> MetaError:
    """Return the error of an eliminator with too few arguments for the expected type."""
    return MetaError(
        "failed to elaborate eliminator, insufficient number of arguments, expected type:\n  "
        + show(m, expected, 2)
    )


def _motive(m: Meta, motive: MVar, targets: Sequence[Expr], rest: Expr, expected: Expr) -> Expr:
    """Abstract the expected type over the targets; `rest` is the remainder of the eliminator's type."""
    old = m.lctx
    body = m.instantiate_mvars(expected)
    while type(rest) is Pi:
        # premises that were not given are binders of the expected type
        body = whnf_core(m, body)
        if type(body) is not Pi or rest.body.loose or body.body.loose:
            raise insufficient(m, expected)
        rest, body = rest.body, body.body
    if type(get_app_fn(rest)) is not MVar:
        raise MetaError("failed to elaborate eliminator, expected type is not available")
    try:
        xs: list[FVar] = []
        type_ = m.instantiate_mvars(m.mvar_decl(motive).type)
        for _ in targets:
            assert type(type_) is Pi
            xs.append(m.push_local("x✝", type_.type))
            type_ = instantiate1(type_.body, xs[-1])
        for x, target in zip(reversed(xs), reversed(targets), strict=True):
            abstracted = kabstract(m, body, target)
            if abstracted is not None:
                body = instantiate1(abstracted, x)
        value = m.mk_lambda(xs, body)
    finally:
        m.lctx = old
    try:
        check(m, value)
    except IllTyped:
        raise MetaError(
            "failed to elaborate eliminator, motive is not type correct:\n  " + show(m, value, 2)
        ) from None
    return value
