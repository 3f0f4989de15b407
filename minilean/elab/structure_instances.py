"""`⟨a, b⟩` and `{ x := a, y := b }`: values of structures.

Source: Lean 4 `src/Lean/Elab/BuiltinNotation.lean` (`elabAnonymousConstructor`), `StructInst.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from minilean.elab.argument_list import Arguments, Given
from minilean.elab.arguments import apply_args
from minilean.elab.display import inline, show
from minilean.elab.fields import all_fields
from minilean.elab.term import Elab, elaborates
from minilean.kernel.declaration import Constructor, Definition, Inductive
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    STRICT,
    Const,
    Expr,
    Lam,
    MVar,
    Pi,
    get_app,
    get_app_fn,
    mk_apps,
    mk_const,
)
from minilean.kernel.instantiate import beta_apply, instantiate1, instantiate_level_params, replace
from minilean.meta.errors import MetaError
from minilean.meta.extension import LeanEnv, StructureInfo
from minilean.meta.infer import infer_type
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf_core
from minilean.syntax import ast

_UNKNOWN_TYPE = "Invalid `⟨...⟩` notation: The expected type of this term could not be determined"


@elaborates(ast.AnonCtor)
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
            f"{explicit} explicit field, but {_given(len(args))} provided"
        )
    if len(args) > explicit:
        if explicit == 0:
            raise MetaError(
                f"Insufficient number of fields for `⟨...⟩` constructor: Constructor `{ctor.name}` does not have "
                f"explicit fields, but {len(args)} {'was' if len(args) == 1 else 'were'} provided"
            )
        rest = ast.AnonCtor(tuple(args[explicit - 1 :]), start=args[explicit - 1].start, end=stx.end)
        args = [*args[: explicit - 1], rest]
    given = Arguments([Given(stx=arg) for arg in args])
    return apply_args(el, m.const(ctor.name), given, expected)


def _given(count: int) -> str:
    return {0: "none were", 1: "only 1 was"}.get(count, f"only {count} were")


def _explicit_fields(ctor: Constructor) -> int:
    type_ = ctor.type
    count = 0
    for i in range(ctor.num_params + ctor.num_fields):
        assert type(type_) is Pi
        if i >= ctor.num_params and type_.info == DEFAULT:
            count += 1
        type_ = type_.body
    return count


@elaborates(ast.StructInst)
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
        for base in bases:
            _source(el, base)  # Lean complains of a source first
        wanted = (
            "structure type expected" if type(fn) is Const else "expected type is not of the form (C ...)"
        )
        raise MetaError(f"invalid {{...}} notation, {wanted}\n  {show(m, type_, 2)}")
    given = dict(stx.fields)
    if len(given) < len(stx.fields):
        names = [name for name, _ in stx.fields]
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise MetaError(f"field `{twice}` has already been specified")
    known = all_fields(m.env, info)
    unknown = [name for name in given if name not in known]
    if unknown:
        raise MetaError(f"`{unknown[0]}` is not a field of structure `{info.name}`")
    if stx.ellipsis:
        given = {**{name: ast.Hole() for name in info.fields if name not in given}, **given}
    sources = [_source(el, base) for base in bases]
    missing: list[str] = []
    if info.is_class and not sources and not stx.ellipsis:
        missing = _missing_in_class(m, type_, given, frozenset())
        if missing:
            raise MetaError(_missing(missing))
    given = _with_inherited_defaults(el, info, given, sources, type_)
    value = _instance(el, info, given, sources, expected, missing)
    if missing:
        raise MetaError(_missing(missing))
    return value


def _missing(names: Sequence[str]) -> str:
    return "Fields missing: " + ", ".join(f"`{name}`" for name in names)


def _missing_in_class(
    m: Meta, type_: Expr, given: Collection[str], defaulted: frozenset[str], may_be_found: bool = False
) -> list[str]:
    """Return the fields of an instance of a class that nothing gives: no text, no default, no instance of a parent.

    Args:
        m: The elaborator's state.
        type_: The class, applied.
        given: The fields that the text has.
        defaulted: The fields for which a class that extends this one has a default.
        may_be_found: The class is a parent, whose instance is searched for unless a field of it is given.
    """
    fn, params = get_app(type_)
    assert type(fn) is Const
    info = m.env.structures[fn.name]
    names = all_fields(m.env, info)
    if may_be_found and not any(name in given for name in names) and synth_instance(m, type_) is not None:
        return []
    ctor = m.env.find(info.constructor)
    assert ctor is not None
    rest = instantiate_level_params(ctor.type, ctor.level_params, fn.levels)
    for param in params:
        assert type(rest) is Pi
        rest = instantiate1(rest.body, param)
    defaulted |= {name for name in names if f"{info.name}.{name}" in m.env.field_defaults}
    parents = dict(info.parents)
    found = []
    for name in info.fields:
        assert type(rest) is Pi
        if name not in parents:
            if name not in given and name not in defaulted and rest.info == DEFAULT:
                found.append(name)
        elif name not in given and not rest.type.loose:
            found += _missing_in_class(
                m, rest.type, given, defaulted, m.env.structures[parents[name]].is_class
            )
        rest = rest.body
    return found


def _leaves(env: LeanEnv, info: StructureInfo, field: str) -> list[str]:
    """Return the field itself, or the fields of the parent structure that it holds."""
    parent = dict(info.parents).get(field)
    if parent is None:
        return [field]
    inner = env.structures[parent]
    return [leaf for name in inner.fields for leaf in _leaves(env, inner, name)]


def _source(el: Elab, base: Expr) -> tuple[Expr, StructureInfo]:
    """Return `base` of `{ base with .. }` with its structure; the type of `base` may be known later only."""
    m = el.m
    el.synthesize(postpone=True)
    type_ = whnf_core(m, m.instantiate_mvars(infer_type(m, base)))
    fn = get_app_fn(type_)
    if type(fn) is MVar:
        el.postpone_or_fail()
    info = m.env.structures.get(fn.name) if type(fn) is Const else None
    if info is None:
        raise MetaError(no_structure(m, type_))
    return base, info


PARENT_HINT = (
    "\n\nHint: This error is possibly due to a change in the `structure` syntax. Now the syntax is `structure S : Type "
    "extends P` rather than `structure S extends P : Type`.\n\nThe purpose of the change is to accommodate `structure "
    "S extends toP : P` syntax for naming parent projections."
)
"""What Lean adds where it refuses a parent of a structure."""


def no_structure(m: Meta, type_: Expr) -> str:
    """Return Lean's words about a type that is expected to be a structure."""
    fn = get_app_fn(type_)
    return f"`{show(m, fn)}` is not a structure" if type(fn) is Const else "expected structure"


def _from_sources(el: Elab, sources: Sequence[tuple[Expr, StructureInfo]], field: str) -> ast.Term | None:
    """Return the field as a projection of the first source that has it; `None` if no source has it."""
    for base, info in sources:
        if field in all_fields(el.m.env, info):
            return ast.Proj(ast.Quoted(base), field)
    return None


def _subobject(
    el: Elab, sources: Sequence[tuple[Expr, StructureInfo]], to: str, parent: str
) -> ast.Term | None:
    """Return the parent structure from the first source that is one or holds one; `None` if no source does."""
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
    # the parameters are those of the expected type, so that the types of the fields are known
    head, params = get_app(el.require_known(expected))
    if type(head) is Const and head.name == info.name:
        ctor = mk_apps(mk_const(info.constructor, head.levels), params)
    else:
        ctor = m.const(info.constructor)
    made = apply_args(el, ctor, Arguments([], named, fields=True), expected)
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
    """Return the value of a field: as given, from a source, by instance search, or its default; `None` if missing."""
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
    info_ = _binder_info(m.env, info, name)
    if info_ == INST:
        return ast.Ident("inferInstance")
    if info_ in (IMPLICIT, STRICT):
        return ast.Hole()
    default = _default_field(el, info, name, named)
    if default is None and parent is not None and _has_defaults(m.env, m.env.structures[parent]):
        return ast.StructInst(())
    return default


def _with_inherited_defaults(
    el: Elab,
    info: StructureInfo,
    given: dict[str, ast.Term],
    sources: Sequence[tuple[Expr, StructureInfo]],
    type_: Expr,
) -> dict[str, ast.Term]:
    """Add the inherited fields for which the structure itself has a default, as far as the given fields allow.

    The given fields that a default mentions are elaborated here, once.
    """
    m = el.m
    own = {field for field in info.fields if field not in dict(info.parents)}
    waiting = [
        name
        for name in all_fields(m.env, info)
        if name not in own
        and name not in given
        and f"{info.name}.{name}" in m.env.field_defaults
        and not any(name in all_fields(m.env, source) for _, source in sources)
    ]
    given = dict(given)
    progress = bool(waiting)
    while progress:
        progress = False
        for name in waiting:
            value = _inherited_default(el, info, name, given, type_)
            if value is not None:
                given[name] = ast.Explicit(ast.Quoted(value))
                waiting.remove(name)
                progress = True
                break
    return given


def _inherited_default(
    el: Elab, info: StructureInfo, name: str, given: dict[str, ast.Term], type_: Expr
) -> Expr | None:
    """Return the default of an inherited field, or `None` if a field that it mentions is not given."""
    m = el.m
    fn, params = get_app(type_)
    decl = m.env.find(f"{info.name}.{name}._default")
    assert isinstance(decl, Definition) and type(fn) is Const
    pi = instantiate_level_params(decl.type, decl.level_params, fn.levels)
    value = instantiate_level_params(decl.value, decl.level_params, fn.levels)
    for param in params:
        pi = instantiate1(pi.body, param)  # type: ignore[attr-defined]
    count = int(m.env.field_defaults[f"{info.name}.{name}"]) - len(params)  # type: ignore[call-overload]
    probe = pi
    for _ in range(count):
        assert type(probe) is Pi
        if probe.name not in given:
            return None
        probe = probe.body
    args = list(params)
    for _ in range(count):
        assert type(pi) is Pi
        stx = given[pi.name]
        if not (isinstance(stx, ast.Explicit) and isinstance(stx.term, ast.Quoted)):
            e = el.elab_ensuring(stx, pi.type)
            el.synthesize(postpone=True)
            given[pi.name] = stx = ast.Explicit(ast.Quoted(m.instantiate_mvars(e)))
        assert isinstance(stx.term, ast.Quoted) and isinstance(stx.term.value, Expr)
        args.append(stx.term.value)
        pi = instantiate1(pi.body, args[-1])
    return _beta(beta_apply(value, args))


def _binder_info(env: LeanEnv, info: StructureInfo, field: str) -> int:
    """Return the binder kind of a field in the constructor's type."""
    ctor = env.find(info.constructor)
    assert ctor is not None
    type_ = ctor.type
    for _ in range(info.num_params + info.fields.index(field)):
        type_ = type_.body  # type: ignore[attr-defined]
    assert type(type_) is Pi
    return type_.info


def _default_field(el: Elab, info: StructureInfo, name: str, named: dict[str, Given]) -> ast.Term | None:
    """Return the default of a field, applied to the values of the fields before it."""
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
    """Unfold the defaults of fields in `e`."""

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn, args = get_app(sub)
        if type(fn) is not Const or not fn.name.endswith("._default"):
            return None
        count = m.env.field_defaults.get(fn.name.removesuffix("._default"))
        decl = m.env.find(fn.name)
        if not isinstance(decl, Definition) or not isinstance(count, int) or len(args) < count:
            return None
        value = instantiate_level_params(decl.value, decl.level_params, fn.levels)
        return replace(_beta(beta_apply(value, args)), at)

    return replace(e, at)


def _beta(e: Expr) -> Expr:
    """Contract the functions in `e` that are applied."""

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn, args = get_app(sub)
        return _beta(beta_apply(fn, args)) if type(fn) is Lam and args else None

    return replace(e, at)
