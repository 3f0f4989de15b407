"""Checks of inductive types with Lean's messages; they run before the kernel's own checks.

Source: Lean 4 `src/Lean/Elab/MutualInductive.lean`, `Inductive.lean`, `src/kernel/inductive.cpp` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.commands.inductive_headers import sort_of
from minilean.elab.display import show
from minilean.elab.match.matchers import collect_level_mvars
from minilean.kernel.errors import (
    InvalidGroup,
    InvalidOccurrence,
    KernelError,
    NestedWithLocals,
    NonPositiveOccurrence,
    UniverseTooBig,
)
from minilean.kernel.expr import Const, Expr, FVar, Pi, Sort, get_app
from minilean.kernel.level import (
    ONE,
    Level,
    LMVar,
    Param,
    Zero,
    format_level,
    is_zero,
    mk_offset,
    simplify,
    to_offset,
)
from minilean.kernel.level_order import is_leq
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf


def check_parameters(m: Meta, self_var: FVar, params: Sequence[FVar], ctor: Expr) -> None:
    """Refuse a constructor in which a parameter of the type varies.

    Args:
        m: The elaborator's state, with the parameters in its context.
        self_var: The type that is declared, a function of its parameters.
        params: The parameters, variables of the context.
        ctor: The constructor's type over them.
    """
    old = m.lctx
    try:
        fields, result = m.intro_binders(m.instantiate_mvars(ctor))
        for part in (*(m.local(x).type for x in fields), result):
            for sub in subterms(part):
                fn, args = get_app(sub)
                if fn is not self_var or len(args) < len(params) or sub.loose:
                    continue
                for arg, param in zip(args, params, strict=False):
                    if not m.attempt(lambda a=arg, p=param: is_def_eq(m, a, p)):  # type: ignore[misc]
                        raise _varying(m, sub, arg, param)
    finally:
        m.lctx = old


def check_result(m: Meta, self_var: FVar, constructor: str, type_: Expr) -> None:
    """Refuse a constructor that does not build the type.

    Args:
        m: The elaborator's state, with the parameters in its context.
        self_var: The type that is declared.
        constructor: The full name of the constructor.
        type_: Its type over the parameters.
    """
    old = m.lctx
    try:
        _, result = m.intro_binders(m.instantiate_mvars(type_))
        if get_app(result)[0] != self_var:
            takes = type(m.local(self_var).type) is Pi
            raise MetaError(
                f"Unexpected resulting type for constructor `{constructor}`: Expected"
                f"{' an application of' if takes else ''}\n  {show(m, self_var, 2)}\nbut found\n  {show(m, result, 2)}"
            )
    finally:
        m.lctx = old


def _varying(m: Meta, app: Expr, arg: Expr, param: FVar) -> MetaError:
    shown = show(m, param)
    return MetaError(
        f"Mismatched inductive type parameter in\n  {show(m, app, 2)}\nThe provided argument\n  {show(m, arg, 2)}\n"
        f"is not definitionally equal to the expected parameter\n  {shown}\n\n"
        f"Note: The value of parameter `{shown}` must be fixed throughout the inductive declaration. Consider making "
        "this parameter an index if it must vary."
    )


def settle_universes(m: Meta, types: Sequence[Expr], ctors: Sequence[tuple[str, Expr]]) -> None:
    """Assign the universe metavariables of fields to the universe of the type, if that is `Type`, `Type u`, `Type 1` ..

    A field that is a sort gets a universe of data: `α : Sort ?u` is no `Prop` by this.

    Source: Lean 4 `src/Lean/Elab/MutualInductive.lean`, propagateUniversesToConstructor (4.35).
    """
    sort = sort_of(m, types[0])
    if type(sort) is not Sort or is_zero(m.instantiate_level(sort.level)):
        return
    known = _open_levels(m, types)
    target, height = to_offset(m.instantiate_level(sort.level))
    for _, ctor in ctors:
        old = m.lctx
        fields, _ = m.intro_binders(m.instantiate_mvars(ctor))
        for x in fields:
            type_ = whnf(m, m.instantiate_mvars(m.local(x).type))
            own = whnf(m, infer_type(m, type_))
            if type(own) is not Sort or type(target) not in (Zero, Param):
                continue
            base, offset = to_offset(m.instantiate_level(own.level))
            if type(base) is not LMVar:
                continue
            if type(type_) is not Sort:
                if offset == height:
                    m.mctx.assign_level(base.id, target)
            elif (
                base not in known
                and height >= offset
                and height - offset + to_offset(m.instantiate_level(type_.level))[1] >= 1
            ):
                m.mctx.assign_level(base.id, mk_offset(target, height - offset))
        m.lctx = old


def check_determined(
    m: Meta, types: Sequence[Expr], ctors: Sequence[tuple[str, Expr]], of_sorts: bool = False
) -> None:
    """Refuse fields with universes that neither they nor the types determine, as that of `P` in `mk : P → Q`.

    With `of_sorts` only `Sort ?u` is refused: where the universe of the type is inferred, that of `Type ?u` is, too.

    Source: Lean 4 `src/Lean/Elab/MutualInductive.lean`, collectLevelParamsInInductive and what calls it (4.35).
    """
    known = _open_levels(m, types)
    for name, ctor in ctors:
        old = m.lctx
        fields, _ = m.intro_binders(m.instantiate_mvars(ctor))
        for x in fields:
            type_ = m.instantiate_mvars(m.local(x).type)
            for sub in subterms(type_):
                if of_sorts and not (type(sub) is Sort and type(m.instantiate_level(sub.level)) is LMVar):
                    continue
                if _open_levels(m, [sub]) - known and type(sub) in (Sort, Const):
                    raise MetaError(
                        f"Constructor field `{m.local(x).name}` of `{name}` contains universe level metavariables at "
                        f"the expression\n  {show(m, sub, 2)}\nin its type\n  {show(m, type_, 2)}"
                    )
        m.lctx = old


def _open_levels(m: Meta, terms: Sequence[Expr]) -> set[Level]:
    """Return the universe metavariables in terms."""
    found: dict[Level, str] = {}
    for sub in (sub for term in terms for sub in subterms(m.instantiate_mvars(term))):
        levels = (sub.level,) if type(sub) is Sort else sub.levels if type(sub) is Const else ()
        for level in levels:
            collect_level_mvars(m.instantiate_level(level), found)
    return set(found)


def check_universes(
    m: Meta, level: Level, ctors: Sequence[tuple[str, Expr]], skipped: int = 0, structure: bool = False
) -> None:
    """Refuse fields that live in a larger universe than the type, unless that is `Prop`.

    The first `skipped` arguments of the constructors are parameters, not fields.
    """
    level = m.instantiate_level(level)
    if is_zero(level):
        return
    for name, ctor in ctors:
        old = m.lctx
        fields, _ = m.intro_binders(m.instantiate_mvars(ctor))
        for x in fields[skipped:]:
            type_ = m.instantiate_mvars(m.local(x).type)
            sort = whnf(m, infer_type(m, type_))
            if type(sort) is Sort and not is_leq(own := simplify(m.instantiate_level(sort.level)), level):
                named = m.local(x).name
                which = "" if named.endswith("✝") else f" `{named}`"
                place = (
                    f"for field{which}: Field" if structure else f"in constructor `{name}`: Parameter{which}"
                )
                raise MetaError(
                    f"Invalid universe level {place} has type\n"
                    f"  {show(m, type_, 2)}\nat universe level\n  {format_level(own)}\n"
                    f"which is not less than or equal to the {'structure' if structure else 'inductive type'}'s "
                    f"resulting universe level\n  {format_level(simplify(level))}"
                )
        m.lctx = old


def check_projections(m: Meta, structure: str, sort: Expr, fields: Sequence[FVar]) -> None:
    """Refuse data in a structure that is a proposition: it has no projection."""
    if not is_zero(sort.level if type(sort) is Sort else ONE):
        return
    for x in fields:
        type_ = m.instantiate_mvars(m.local(x).type)
        if not is_prop(m, type_):
            raise MetaError(
                f"failed to generate projection `{structure}.{m.local(x).name}` for the 'Prop'-valued type "
                f"`{structure}`, field must be a proof, but it has type\n  {show(m, type_, 2)}"
            )


def kernel_message(error: KernelError, num_params: int) -> str | None:
    """Return the message of Lean's kernel for a constructor that it refuses; `None` for other errors."""
    if isinstance(error, UniverseTooBig):
        return (
            f"(kernel) universe level of type_of(arg #{num_params + error.field + 1}) of '{error.constructor}' is too "
            "big for the corresponding inductive datatype"
        )
    if isinstance(error, InvalidGroup | NestedWithLocals):
        return f"(kernel) {error}"
    if isinstance(error, NonPositiveOccurrence):
        what = "has a non positive occurrence"
    elif isinstance(error, InvalidOccurrence):
        what = "contains a non valid occurrence"
    else:
        return None
    place = f"arg #{num_params + error.field + 1} of '{error.constructor}'"
    return f"(kernel) {place} {what} of the datatypes being declared"
