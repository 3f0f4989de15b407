"""Applications, identifiers, dot notation and anonymous constructors.

Source: Lean 4 `src/Lean/Elab/App.lean`, `BuiltinNotation.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields

from lean_gym.minilean.elab.coercions import coercion_to_function
from lean_gym.minilean.elab.display import inline, show
from lean_gym.minilean.elab.eliminators import elab_eliminator, is_eliminator, positions
from lean_gym.minilean.elab.names import resolve_global
from lean_gym.minilean.elab.overloads import elab_overloaded, overloads
from lean_gym.minilean.elab.term import AutoBoundError, Elab, Handler, HoleInfo, Pending
from lean_gym.minilean.kernel.declaration import Constructor, Definition, Inductive
from lean_gym.minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    STRICT,
    Const,
    Expr,
    MVar,
    Pi,
    get_app,
    get_app_args,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_const,
)
from lean_gym.minilean.kernel.instantiate import beta_apply, instantiate1, instantiate_level_params, replace
from lean_gym.minilean.meta.context import Kind
from lean_gym.minilean.meta.errors import MetaError, UnsupportedError
from lean_gym.minilean.meta.extension import LeanEnv, StructureInfo
from lean_gym.minilean.meta.infer import infer_type
from lean_gym.minilean.meta.metavars import Meta
from lean_gym.minilean.meta.unify import is_def_eq
from lean_gym.minilean.meta.whnf import unfold_definition, whnf, whnf_core
from lean_gym.minilean.syntax import ast


@dataclass(slots=True)
class Given:
    """An argument that is already a term (`value`) or still syntax (`stx`)."""

    stx: ast.Term | None = None
    value: Expr | None = None


@dataclass(slots=True)
class Arguments:
    """What an application was given."""

    positional: list[Given] = field(default_factory=list)
    named: dict[str, Given] = field(default_factory=dict)
    explicit: bool = False
    ellipsis: bool = False


def elab_app(el: Elab, stx: ast.App, expected: Expr | None) -> Expr:
    """`f a b (n := c)`."""
    arguments = Arguments()
    for arg in stx.args:
        if isinstance(arg, ast.NamedArg):
            arguments.named[arg.name] = Given(stx=arg.value)
        else:
            arguments.positional.append(Given(stx=arg))
    arguments.ellipsis = stx.ellipsis
    return elab_head(el, stx.fn, arguments, expected)


def elab_atom(el: Elab, stx: ast.Term, expected: Expr | None) -> Expr:
    """An identifier, `@f`, `e.x` or `.x` without arguments."""
    return elab_head(el, stx, Arguments(), expected)


def elab_head(el: Elab, fn: ast.Term, arguments: Arguments, expected: Expr | None) -> Expr:
    """Elaborate the function part and apply it."""
    while isinstance(fn, ast.Paren) and isinstance(fn.term, (ast.Explicit, ast.Ident)):
        fn = fn.term
    if isinstance(fn, ast.Explicit):
        arguments.explicit = True
        fn = fn.term
    if isinstance(fn, ast.Ident):
        if found := overloads(el, fn):

            def with_meaning(choice: ast.Ident) -> Expr:
                named = dict(arguments.named)
                return elab_head(el, choice, replace_fields(arguments, named=named), expected)

            return elab_overloaded(el, fn, found, with_meaning, expected)
        head, fields = resolve_ident(el, fn)
    elif isinstance(fn, ast.Proj):
        names: list[str | int] = []
        inner: ast.Term = fn
        while isinstance(inner, ast.Proj):
            names.append(inner.field)
            inner = inner.term
        head = el.elab(inner, None)
        fields = tuple(reversed(names))
        if isinstance(inner, ast.Ident):
            # `h.left.1` arrives as a projection of an identifier
            head, more = resolve_ident(el, inner)
            fields = (*more, *fields)
    elif isinstance(fn, ast.DotIdent):
        return _elab_dot_ident(el, fn, arguments, expected)
    elif isinstance(fn, ast.App):
        head, fields = el.elab(fn, None), ()
    else:
        head, fields = el.elab(fn, None), ()
    for i, name in enumerate(fields):
        last = i == len(fields) - 1
        given = arguments if last else Arguments()
        head = _elab_field(el, head, name, given, expected if last else None)
    if fields:
        return head
    return apply_args(el, head, arguments, expected)


def resolve_ident(el: Elab, stx: ast.Ident) -> tuple[Expr, tuple[str | int, ...]]:
    """A local variable or constant, and the fields that follow it in the dotted name."""
    m = el.m
    parts = stx.name.split(".")
    for cut in range(len(parts), 0, -1):
        local = m.lctx.by_name(".".join(parts[:cut]))
        # only a notation's own text has names with daggers
        if local is not None and (not local.name.endswith("✝") or stx.name.endswith("✝")):
            return local.fvar, tuple(parts[cut:])
    own = _recursive_call(el, stx.name)
    found = resolve_global(m.env, el.scope, stx.name)
    # the longest name counts: inside `def Nat.div`, `div.go` is a constant of its own
    if own is not None and (found is None or len(own[1]) <= len(found[1])):
        return own
    if found is None:
        if "." in stx.name:
            raise MetaError(
                f"Unknown constant `{stx.name}`" if parts[0] in m.env.namespaces else _unknown(stx.name)
            )
        if el.auto_bound:
            raise _auto_bound(el, stx.name)
        raise MetaError(_unknown(stx.name))
    name, fields = found
    if stx.levels is not None:
        return mk_const(name, tuple(el.level(level) for level in stx.levels)), fields
    return m.const(name), fields


def _auto_bound(el: Elab, name: str) -> MetaError:
    """What to raise for an unknown name in a header: a request to bind it, if the options allow that."""
    if el.scope.option("autoImplicit", "true") == "false":
        reason = "the `autoImplicit` option is set to `false`"
    elif el.scope.option("relaxedAutoImplicit", "true") == "false" and not _is_short(name):
        reason = "it has multiple characters while the `relaxedAutoImplicit` option is set to `false`"
    else:
        return AutoBoundError(name)
    return MetaError(
        f"{_unknown(name)}\n\nNote: It is not possible to treat `{name}` as an implicitly bound variable here "
        f"because {reason}."
    )


def _is_short(name: str) -> bool:
    """Whether a name is one letter, with digits, subscripts or primes behind it."""
    return all(c.isdigit() or c in "₀₁₂₃₄₅₆₇₈₉'_" for c in name[1:])


def _recursive_call(el: Elab, name: str) -> tuple[Expr, tuple[str | int, ...]] | None:
    """The function that is being defined, by its name as seen from the present namespace."""
    for decl in el.m.lctx:
        if not decl.hidden:
            continue
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            head = ".".join(parts[:cut])
            space = el.scope.namespace
            while True:
                if decl.name == (f"{space}.{head}" if space else head):
                    return decl.fvar, tuple(parts[cut:])
                if not space:
                    break
                space = space.rpartition(".")[0]
    return None


def _unknown(name: str) -> str:
    return f"Unknown identifier `{name}`"


def _elab_dot_ident(el: Elab, fn: ast.DotIdent, arguments: Arguments, expected: Expr | None) -> Expr:
    m = el.m
    if expected is None:
        el.postpone_or_fail()
        raise MetaError(f"invalid dotted identifier notation, expected type must be known: `.{fn.name}`")
    type_ = m.instantiate_mvars(expected)
    while type(whnf_core(m, type_)) is Pi:
        type_ = whnf_core(m, type_).body  # type: ignore[attr-defined]
    head = get_app_fn(type_)
    if type(head) is MVar:
        el.postpone_or_fail()
    while True:
        if type(head) is Const:
            full = f"{head.name}.{fn.name}"
            own = next((decl.fvar for decl in m.lctx if decl.hidden and decl.name == full), None)
            if own is not None or m.env.find(full) is not None:
                return apply_args(el, m.const(full) if own is None else own, arguments, expected)
        unfolded = None if type_.loose else unfold_definition(m, whnf_core(m, type_))
        if unfolded is None:
            raise MetaError(f"Unknown constant `{head.name if type(head) is Const else '_'}.{fn.name}`")
        type_ = unfolded
        head = get_app_fn(type_)


# --- fields ------------------------------------------------------------------------------------------------


def _elab_field(el: Elab, e: Expr, name: str | int, arguments: Arguments, expected: Expr | None) -> Expr:
    m = el.m
    e = apply_args(el, e, Arguments(), None) if not arguments.explicit else e
    type_ = m.instantiate_mvars(infer_type(m, e))
    first = type_
    while True:
        type_ = whnf_core(m, type_)
        if type(type_) is Pi and type_.info != DEFAULT and not isinstance(name, int):
            e = mk_app(e, m.new_mvar(type_.type))
            type_ = infer_type(m, e)
            continue
        fn = get_app_fn(type_)
        if type(fn) is MVar:
            el.synthesize(postpone=True)
            new = m.instantiate_mvars(type_)
            if new is type_:
                el.postpone_or_fail()
                if el.apply_defaults():
                    continue
                raise MetaError(f"Invalid field notation: type is not of the form `C ...`\n  {show(m, e, 2)}")
            type_ = new
            continue
        found = _find_field(el, e, type_, name)
        if found is not None:
            kind, target = found
            if kind == "projection":
                _, params = get_app(type_)
                info = m.env.projections[target]
                proj = mk_app(mk_apps(mk_const(target, fn.levels), params[: info.num_params]), e)  # type: ignore[attr-defined]
                return apply_args(el, proj, arguments, expected)
            return _apply_method(el, target, type_, e, arguments, expected)
        parent = _parent_with(el, type_, name)
        if parent is not None:
            return _elab_field(el, _elab_field(el, e, parent, Arguments(), None), name, arguments, expected)
        new_type = unfold_definition(m, type_)
        head = get_app_fn(e)
        if new_type is None and type(head) is Const and isinstance(name, str) and type(fn) is not Const:
            raise MetaError(f"Unknown constant `{head.name}.{name}`")
        if new_type is None:
            raise _no_field(el, e, first, name)
        type_ = new_type


def _find_field(el: Elab, e: Expr, type_: Expr, name: str | int) -> tuple[str, str] | None:
    m = el.m
    fn = get_app_fn(type_)
    if type(type_) is Pi:
        full = f"Function.{name}"
        return ("method", full) if m.env.find(full) is not None else None
    if type(fn) is not Const:
        return None
    info = m.env.structures.get(fn.name)
    if isinstance(name, int):
        if info is not None and 1 <= name <= len(info.fields):
            return "projection", f"{fn.name}.{info.fields[name - 1]}"
        if info is not None:
            raise MetaError(
                f"Invalid projection: Index `{name}` is invalid for this structure; "
                f"it must be between 1 and {len(info.fields)}\n\nNote: The expression\n  {show(m, e, 2)}\n"
                f"has type{inline(m, type_)}which has only {len(info.fields)} "
                f"field{'' if len(info.fields) == 1 else 's'}"
            )
        if fn.name == "Exists" and name == 1:
            raise MetaError(
                f"Invalid projection: Cannot project a value of non-propositional type\n  "
                f"{show(m, get_app_args(type_)[0], 2)}\nfrom the expression\n  {show(m, e, 2)}\n"
                f"which has propositional type\n  {show(m, type_, 2)}"
            )
        return None
    full = f"{fn.name}.{name}"
    if full in m.env.projections:
        return "projection", full
    for decl in m.lctx:
        if decl.hidden and decl.name == full:
            return "method", full
    # the namespace is that of the type, whatever other namespaces are open
    return ("method", full) if m.env.find(full) is not None else None


def _parent_with(el: Elab, type_: Expr, name: str | int) -> str | None:
    """The field of a structure that leads to the parent which knows `name`."""
    fn = get_app_fn(type_)
    info = el.m.env.structures.get(fn.name) if type(fn) is Const else None
    if info is None or isinstance(name, int):
        return None
    for field_name, parent in info.parents:
        if name in all_fields(el.m.env, el.m.env.structures[parent]) or el.m.env.find(f"{parent}.{name}"):
            return field_name
    return None


def _no_field(el: Elab, e: Expr, type_: Expr, name: str | int) -> MetaError:
    m = el.m
    head = get_app_fn(type_)
    shown = show(m, e, 2)
    if isinstance(name, int):
        return MetaError(
            f"Invalid projection: Projections cannot be used on this kind of term\n  {shown}\n"
            f"of type{inline(m, type_, '')}"
        )
    if type(head) is Const:
        return MetaError(
            f"Invalid field `{name}`: The environment does not contain `{head.name}.{name}`, so it is not "
            f"possible to project the field `{name}` from an expression\n  {shown}\nof type{inline(m, type_, '')}"
        )
    return MetaError(
        "Invalid field notation: Field projection operates on types of the form `C ...` where C is a constant. "
        f"The expression\n  {shown}\nhas type{inline(m, type_)}which does not have the necessary form."
    )


def _apply_method(
    el: Elab, name: str, self_type: Expr, e: Expr, arguments: Arguments, expected: Expr | None
) -> Expr:
    """`e.f args`: put `e` at the first explicit argument of `f` whose type is an application of the same head."""
    m = el.m
    head = get_app_fn(self_type)
    own = next((decl.fvar for decl in m.lctx if decl.hidden and decl.name == name), None)
    fn = m.const(name) if own is None else own
    type_ = infer_type(m, fn)
    wanted = head.name if type(head) is Const else None
    position = 0
    binder: Expr = type_
    while type(binder) is Pi:
        if binder.info == DEFAULT or arguments.explicit:
            target = get_app_fn(binder.type)
            is_function = wanted is None and type(binder.type) is Pi
            fits = is_function or (type(target) is Const and target.name == wanted)
            if fits and binder.name not in arguments.named:
                break
            position += 1
        binder = binder.body
    else:
        # Lean also unfolds: try the first explicit argument by unification of heads
        raise MetaError(
            f"Invalid field notation: Function `{name}` does not have a usable parameter of type "
            f"`{wanted or 'Function'} ...` for which to substitute\n  {show(m, e, 2)}"
        )
    positional = list(arguments.positional)
    if position > len(positional):
        named = dict(arguments.named)
        named[binder.name] = Given(value=e)
        return apply_args(el, fn, Arguments(positional, named, arguments.explicit), expected)
    positional.insert(position, Given(value=e))
    return apply_args(el, fn, Arguments(positional, arguments.named, arguments.explicit), expected)


# --- the argument loop -------------------------------------------------------------------------------------


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
                if args:
                    given = args.pop(0)
                elif named and any(_has_binder(type_.body, n) for n in named):
                    # Named arguments further on: this one becomes a parameter of a lambda.
                    fvar = m.push_local(type_.name, type_.type)
                    eta.append(fvar)
                    given = Given(value=fvar)
                elif named:
                    raise _unknown_named(el, fn, named)
                elif arguments.ellipsis:
                    given = Given(value=m.new_mvar(type_.type))
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
            e, type_ = mk_app(e, value), instantiate1(type_.body, value)
        if expected is not None and not eta:
            is_def_eq(m, type_, expected)
        _settle_instances(el, instances, final=True)
        for mvar, name in implicit:
            if not m.mctx.is_assigned(mvar.id):
                el.hole_infos[mvar.id] = HoleInfo(mvar, "" if name.endswith("✝") else name, e)
        return m.mk_lambda(eta, e) if eta else e
    finally:
        m.lctx = old


def _elimination(el: Elab, fn: Expr, arguments: Arguments, expected: Expr | None) -> Expr | None:
    """An application of an eliminator without a given motive; `None` for any other one."""
    m = el.m
    if type(fn) is not Const or arguments.explicit or arguments.ellipsis or not arguments.positional:
        return None
    if not is_eliminator(m.env, fn.name):
        return None
    type_ = infer_type(m, fn)
    found = positions(m, type_)
    if found is None:
        return None
    for _ in range(found[0]):
        type_ = type_.body  # type: ignore[attr-defined]
    if type_.name in arguments.named:  # type: ignore[attr-defined]
        return None
    expected = None if expected is None else m.instantiate_mvars(expected)
    if expected is None or type(get_app_fn(expected)) is MVar:
        if expected is not None:
            el.postpone_or_fail()
        raise MetaError("failed to elaborate eliminator, expected type is not available")
    args, named = list(arguments.positional), dict(arguments.named)
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
        later.append(Pending("term", m.new_mvar(type_, Kind.OPAQUE), m.lctx, given.stx))
        return later[-1].mvar

    value = elab_eliminator(el, fn, *found, make, expected)
    # now that the motive is known, the types of the premises are
    el.pending += later
    if named:
        raise _unknown_named(el, value, named)
    return apply_args(el, value, Arguments(args), expected) if args else value


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
        if not el._settle_instance(mvar):
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
            if explicit_left == 0:
                break
            explicit_left -= 1
        elif explicit_left == 0 and out.info != DEFAULT:
            return
        out = out.body
    if explicit_left or out.loose:
        return
    mark = m.mctx.mark()
    if not is_def_eq(m, out, expected):
        m.mctx.rollback(mark)


def _argument(el: Elab, given: Given, pi: Pi, fn: Expr) -> Expr:
    m = el.m
    expected = pi.type
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
    raise MetaError(
        f"Application type mismatch: The argument\n  {show(m, value, 2)}\nhas type\n  {show(m, type_, 2)}\n"
        f"but is expected to have type\n  {show(m, expected, 2)}\n"
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


# --- anonymous constructors --------------------------------------------------------------------------------

_UNKNOWN_TYPE = "Invalid `⟨...⟩` notation: The expected type of this term could not be determined"


def elab_anon_ctor(el: Elab, stx: ast.AnonCtor, expected: Expr | None) -> Expr:
    """`⟨a, b, c⟩`: the only constructor of the expected type; surplus arguments nest to the right."""
    m = el.m
    if expected is None and not el.may_postpone:
        raise MetaError(_UNKNOWN_TYPE)
    type_ = el.require_known(expected)
    fn, _ = get_app(type_)
    if type(fn) is MVar:
        raise MetaError(_UNKNOWN_TYPE)
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Inductive) or len(decl.constructors) != 1:
        problem = "is not an inductive type"
        if isinstance(decl, Inductive):
            problem = f"has {'more than one constructor' if decl.constructors else 'no constructors'}"
        raise MetaError(
            f"Invalid `⟨...⟩` notation: The expected type{inline(m, type_)}{problem}\n\nNote: This notation can only "
            "be used when the expected type is an inductive type with a single constructor"
        )
    m.env.require_shown(decl.name)
    ctor = m.env.find(decl.constructors[0])
    assert isinstance(ctor, Constructor)
    explicit = _explicit_fields(ctor)
    args = list(stx.args)
    if len(args) < explicit:
        raise MetaError(
            f"Insufficient number of fields for `⟨...⟩` constructor: Constructor `{ctor.name}` has "
            f"{explicit} explicit field, but only {len(args)} "
            f"{'was' if len(args) == 1 else 'were'} provided"
        )
    if len(args) > explicit:
        if explicit == 0:
            raise MetaError(f"Too many arguments: Constructor `{ctor.name}` has no explicit fields")
        rest = ast.AnonCtor(tuple(args[explicit - 1 :]), start=args[explicit - 1].start, end=stx.end)
        args = [*args[: explicit - 1], rest]
    given = Arguments([Given(stx=arg) for arg in args])
    return apply_args(el, m.const(ctor.name), given, expected)


def _explicit_fields(ctor: Constructor) -> int:
    type_ = ctor.type
    count = 0
    for i in range(ctor.num_params + ctor.num_fields):
        assert type(type_) is Pi
        if i >= ctor.num_params and type_.info == DEFAULT:
            count += 1
        type_ = type_.body
    return count


def elab_struct_inst(el: Elab, stx: ast.StructInst, expected: Expr | None) -> Expr:
    """`{ field := value, ... }`, `{ base with field := value }`."""
    m = el.m
    if stx.type is not None:
        expected = el.elab_type(stx.type)
    bases = [el.elab(base, None) for base in stx.bases]
    if expected is None and bases:
        el.synthesize(postpone=True)
        expected = m.instantiate_mvars(infer_type(m, bases[0]))
    type_ = el.require_known(expected)
    fn, _ = get_app(type_)
    info = m.env.structures.get(fn.name) if type(fn) is Const else None
    if info is None:
        raise MetaError(f"Invalid structure instance: {show(m, type_)} is not a structure")
    given = dict(stx.fields)
    known = all_fields(m.env, info)
    unknown = [name for name in given if name not in known]
    if unknown:
        raise MetaError(f"`{unknown[0]}` is not a field of structure `{info.name}`")
    if stx.ellipsis:
        given = {**{name: ast.Hole() for name in info.fields if name not in given}, **given}
    missing: list[str] = []
    sources = [_source(el, base) for base in bases]
    value = _instance(el, info, given, sources, expected, missing)
    if missing:
        raise MetaError("Fields missing: " + ", ".join(f"`{name}`" for name in missing))
    return value


def all_fields(env: LeanEnv, info: StructureInfo) -> list[str]:
    """Names of the fields of a structure and of those it extends."""
    out = list(info.fields)
    for _, parent in info.parents:
        out += all_fields(env, env.structures[parent])
    return out


def _leaves(env: LeanEnv, info: StructureInfo, field: str) -> list[str]:
    """A field, or those of the parent structure that it holds."""
    parent = dict(info.parents).get(field)
    if parent is None:
        return [field]
    inner = env.structures[parent]
    return [leaf for name in inner.fields for leaf in _leaves(env, inner, name)]


def _source(el: Elab, base: Expr) -> tuple[Expr, StructureInfo]:
    """`base` of `{ base with .. }` and the structure that it is an element of."""
    m = el.m
    el.synthesize(postpone=True)
    type_ = whnf_core(m, m.instantiate_mvars(infer_type(m, base)))
    fn = get_app_fn(type_)
    info = m.env.structures.get(fn.name) if type(fn) is Const else None
    if info is None:
        raise MetaError(
            f"invalid structure instance source, source type is not a structure\n  {show(m, type_, 2)}"
        )
    return base, info


def _from_sources(el: Elab, sources: Sequence[tuple[Expr, StructureInfo]], field: str) -> ast.Term | None:
    """The field as the first source that has one of this name gives it."""
    for base, info in sources:
        if field in all_fields(el.m.env, info):
            return ast.Proj(ast.Quoted(base), field)
    return None


def _subobject(
    el: Elab, sources: Sequence[tuple[Expr, StructureInfo]], to: str, parent: str
) -> ast.Term | None:
    """The parent structure as the first source is it or has it."""
    for base, info in sources:
        if info.name == parent:
            return ast.Quoted(base)
        if (to, parent) in info.parents:
            return ast.Proj(ast.Quoted(base), to)
    return None


def _instance(
    el: Elab,
    info: StructureInfo,
    given: dict[str, ast.Term],
    sources: Sequence[tuple[Expr, StructureInfo]],
    expected: Expr | None,
    missing: list[str],
) -> Expr:
    m = el.m
    named: dict[str, Given] = {}
    for name in info.fields:
        field = _field(el, info, name, given, sources, named)
        if field is None:
            missing += _leaves(m.env, info, name)
        else:
            named[name] = Given(stx=field)
    if missing:
        return m.const(info.constructor)
    made = apply_args(el, m.const(info.constructor), Arguments([], named), expected)
    if not any(f"{info.name}.{name}" in m.env.field_defaults for name in info.fields):
        return made
    el.synthesize(postpone=True)
    return _without_defaults(m, m.instantiate_mvars(made))


def _field(
    el: Elab,
    info: StructureInfo,
    name: str,
    given: dict[str, ast.Term],
    sources: Sequence[tuple[Expr, StructureInfo]],
    named: dict[str, Given],
) -> ast.Term | None:
    """What a field of a structure instance is: given, taken from a source, found or its default."""
    m = el.m
    if name in given:
        return given[name]
    parent = dict(info.parents).get(name)
    inherited = [] if parent is None else all_fields(m.env, m.env.structures[parent])
    if not any(f in given for f in inherited):
        found = _from_sources(el, sources, name) if parent is None else _subobject(el, sources, name, parent)
        if found is not None:
            return found
    inner = tuple((f, v) for f, v in given.items() if f in inherited)
    if inner or any(f in all_fields(m.env, source) for _, source in sources for f in inherited):
        return ast.StructInst(inner, bases=tuple(ast.Quoted(base) for base, _ in sources))
    if parent is not None and info.is_class:
        return ast.Ident("inferInstance")
    if _is_implicit(m.env, info, name):
        return ast.Hole()
    default = _default_field(el, info, name, named)
    if default is None and parent is not None and _has_defaults(m.env, m.env.structures[parent]):
        return ast.StructInst(())
    return default


def _is_implicit(env: LeanEnv, info: StructureInfo, field: str) -> bool:
    """Whether the constructor takes a field in curly braces."""
    ctor = env.find(info.constructor)
    assert ctor is not None
    type_ = ctor.type
    for _ in range(info.num_params + info.fields.index(field)):
        type_ = type_.body  # type: ignore[attr-defined]
    return type(type_) is Pi and type_.info in (IMPLICIT, STRICT)


def _default_field(el: Elab, info: StructureInfo, name: str, named: dict[str, Given]) -> ast.Term | None:
    """The default of a field, over what the fields before it are given as."""
    default = el.m.env.field_defaults.get(f"{info.name}.{name}")
    if default is None or isinstance(default, ast.Term):
        return default
    before = info.fields[: info.fields.index(name)]
    args = tuple(
        ast.NamedArg(f, g.stx) for f in before if (g := named.get(f)) is not None and g.stx is not None
    )
    if len(args) < len(before):
        return None
    head = ast.Ident(f"_root_.{info.name}.{name}._default")
    return ast.App(head, args) if args else head


def _has_defaults(env: LeanEnv, info: StructureInfo) -> bool:
    return all(f"{info.name}.{f}" in env.field_defaults for f in info.fields)


def _without_defaults(m: Meta, e: Expr) -> Expr:
    """`e` with the defaults of fields unfolded."""

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn, args = get_app(sub)
        if type(fn) is not Const or not fn.name.endswith("._default"):
            return None
        count = m.env.field_defaults.get(fn.name.removesuffix("._default"))
        decl = m.env.find(fn.name)
        if not isinstance(decl, Definition) or len(args) != count:
            return None
        value = instantiate_level_params(decl.value, dict(zip(decl.level_params, fn.levels, strict=True)))
        return replace(beta_apply(value, args), at)

    return replace(e, at)


def elab_refused(el: Elab, stx: ast.Term, expected: Expr | None) -> Expr:
    """`sorry` proves nothing and is refused."""
    raise UnsupportedError("`sorry` is refused: it proves nothing")


HANDLERS: dict[type, Handler] = {
    ast.App: elab_app,  # type: ignore[dict-item]
    ast.Ident: elab_atom,
    ast.Explicit: elab_atom,
    ast.Proj: elab_atom,
    ast.DotIdent: elab_atom,
    ast.AnonCtor: elab_anon_ctor,  # type: ignore[dict-item]
    ast.StructInst: elab_struct_inst,  # type: ignore[dict-item]
    ast.Sorry: elab_refused,
}
