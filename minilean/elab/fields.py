"""Dot notation: `e.x` as a projection, or as a function of the namespace of the type of `e`.

Source: Lean 4 `src/Lean/Elab/App.lean`, `elabAppLValsAux` (4.34).
"""

from __future__ import annotations

from minilean.elab.argument_list import Arguments, Given
from minilean.elab.arguments import apply_args
from minilean.elab.display import inline, show
from minilean.elab.identifiers import own_function
from minilean.elab.instance_problems import apply_defaults
from minilean.elab.missing_names import unknown
from minilean.elab.names import Scope
from minilean.elab.term import Elab
from minilean.kernel.expr import (
    DEFAULT,
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
from minilean.meta.errors import MetaError
from minilean.meta.extension import LeanEnv, StructureInfo
from minilean.meta.infer import infer_type
from minilean.meta.whnf import unfold_definition, whnf_core


def elab_field(el: Elab, e: Expr, name: str | int, arguments: Arguments, expected: Expr | None) -> Expr:
    """Elaborate `e.name arguments`; the type of `e` is unfolded until the name is a field or function of it."""
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
                if apply_defaults(m, el.pending):
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
            return elab_field(el, elab_field(el, e, parent, Arguments(), None), name, arguments, expected)
        new_type = unfold_definition(m, type_)
        head = get_app_fn(e)
        if new_type is None and type(head) is Const and isinstance(name, str) and type(fn) is not Const:
            full = f"{head.name}.{name}"
            raise unknown(m.env, Scope(), full, f"Unknown constant `{full}`")
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
    if own_function(m, full) is not None:
        return "method", full
    # the namespace is that of the type; open namespaces do not count
    return ("method", full) if m.env.find(full) is not None else None


def _parent_with(el: Elab, type_: Expr, name: str | int) -> str | None:
    """Return the field that holds the parent structure which has `name`; `None` if no parent has it."""
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
    reduced = whnf_core(m, type_)
    if isinstance(name, int) and type(reduced) is Pi:
        return MetaError(
            f"Invalid projection: Projections cannot be used on functions, and\n  {shown}\n"
            f"has function type{inline(m, type_, '')}"
        )
    if isinstance(name, int) and type(head) is Const:
        return MetaError(
            "Invalid projection: Projections extract constructor fields for one-constructor inductive types. The "
            f"expression\n  {shown}\nhas type{inline(m, type_)}which is not a one-constructor inductive type."
        )
    if type(head) is Const:
        return unknown(
            m.env,
            Scope(),
            f"{head.name}.{name}",
            f"Invalid field `{name}`: The environment does not contain `{head.name}.{name}`, so it is not "
            f"possible to project the field `{name}` from an expression\n  {shown}\nof type{inline(m, type_, '')}",
        )
    notation = "projection: Projection" if isinstance(name, int) else "field notation: Field projection"
    return MetaError(
        f"Invalid {notation} operates on types of the form `C ...` where C is a constant. The expression\n  {shown}\n"
        f"has type{inline(m, type_)}which does not have the necessary form."
    )


def _apply_method(
    el: Elab, name: str, self_type: Expr, e: Expr, arguments: Arguments, expected: Expr | None
) -> Expr:
    """`e.f args`: put `e` at the first explicit argument of `f` whose type is an application of the same head."""
    m = el.m
    head = get_app_fn(self_type)
    own = own_function(m, name)
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
        hidden = _implicit_parameter(type_, wanted, arguments)
        if hidden is not None:
            given = {**arguments.named, hidden: Given(value=e)}
            return apply_args(
                el, fn, Arguments(list(arguments.positional), given, arguments.explicit), expected
            )
        taken = type(head) is Const and type(infer_type(m, head)) is not Pi
        raise MetaError(
            f"Invalid field notation: Function `{name}` does not have a usable parameter of type "
            f"`{wanted or 'Function'}{'' if taken else ' ...'}` for which to substitute{inline(m, e, '')}\n\nNote: "
            "Such a parameter must be explicit, or implicit with a unique name, to be used by field notation"
        )
    positional = list(arguments.positional)
    if position > len(positional):
        named = dict(arguments.named)
        named[binder.name] = Given(value=e)
        return apply_args(el, fn, Arguments(positional, named, arguments.explicit), expected)
    positional.insert(position, Given(value=e))
    return apply_args(el, fn, Arguments(positional, arguments.named, arguments.explicit), expected)


def _implicit_parameter(type_: Expr, wanted: str | None, arguments: Arguments) -> str | None:
    """Return the name of the first implicit parameter whose type has this head."""
    while type(type_) is Pi:
        head = get_app_fn(type_.type)
        if (
            type_.info != DEFAULT
            and type(head) is Const
            and head.name == wanted
            and type_.name not in arguments.named
        ):
            return type_.name
        type_ = type_.body
    return None


def all_fields(env: LeanEnv, info: StructureInfo) -> list[str]:
    """Names of the fields of a structure and of those it extends."""
    out = list(info.fields)
    for _, parent in info.parents:
        out += all_fields(env, env.structures[parent])
    return out
