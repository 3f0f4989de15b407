"""Declarations of a group of inductive types: checked, translated where types are nested, and checked again.

Source: Lean 4 `src/kernel/inductive.cpp`, add_inductive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from minilean.kernel.checks import check_header, check_type, validate
from minilean.kernel.declaration import Declaration, Inductive, InductiveType, Recursor
from minilean.kernel.fuel import FuelConfig
from minilean.kernel.inductive import Group
from minilean.kernel.judgements import Declarations
from minilean.kernel.nested import Flattening
from minilean.kernel.recursors import check_recursor, recursors
from minilean.kernel.typechecker import TypeChecker

Extend = Callable[[Iterable[Declaration]], Declarations]
"""Returns the environment with further declarations, which are not checked."""


def checked_group(
    extend: Extend,
    params: tuple[str, ...],
    num_params: int,
    types: Sequence[InductiveType],
    fuel: FuelConfig,
) -> list[Declaration]:
    """Check types that are declared together; return them with their constructors and recursors.

    Args:
        extend: Adds declarations to the environment, for the check of others.
        params: Universe parameters, checked already.
        num_params: Number of parameters of the types.
        types: The types, whose names are new.
        fuel: Bounds.

    Raises:
        KernelError: The group is invalid.
    """
    outside = extend(())
    for own in types:
        validate(outside.find, params, fuel, own.type)
        check_type(TypeChecker(outside, fuel), own.type)
    # the constructors mention the types: check them where those are known, but no constructor of them is
    inside = extend(_formers(params, num_params, types))
    for own in types:
        validate(inside.find, params, fuel, *(type_ for _, type_ in own.constructors))
    flattening = Flattening(inside, params, num_params, types, fuel)
    if not flattening.auxiliary:
        return _elaborated(Group(inside, params, num_params, types, fuel))
    # the translation drops the parameters of nested types: check the constructors as they are written as well
    for own in types:
        for _, type_ in own.constructors:
            TypeChecker(inside, fuel).check_type(type_)
    for own in flattening.auxiliary:
        check_type(TypeChecker(inside, fuel), own.type)
    flat = extend(_formers(params, num_params, flattening.types))
    group = Group(flat, params, num_params, flattening.types, fuel)
    declarations = flattening.restored(_elaborated(group))
    check_header(outside.find, [declaration.name for declaration in declarations], ())
    whole = extend(declarations)
    for declaration in declarations:
        if type(declaration) is Recursor:
            check_recursor(whole, declaration, fuel)
    return declarations


def _formers(params: tuple[str, ...], num_params: int, types: Sequence[InductiveType]) -> list[Declaration]:
    """Return types without constructors."""
    names = tuple(own.name for own in types)
    return [Inductive(own.name, params, own.type, num_params, 0, (), True, False, names, 0) for own in types]


def _elaborated(group: Group) -> list[Declaration]:
    return [*group.declarations(), *recursors(group)]
