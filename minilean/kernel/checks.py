"""Checks that all declarations have in common: names, universe parameters, terms, types and values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from minilean.kernel.declaration import ABBREV_HEIGHT, Declaration, Definition
from minilean.kernel.errors import (
    AlreadyDeclared,
    DuplicateLevelParam,
    InvalidName,
    NotAType,
    SortExpected,
    ValueTypeMismatch,
)
from minilean.kernel.expr import Const, Expr, Proj
from minilean.kernel.fuel import FuelConfig
from minilean.kernel.level import Level
from minilean.kernel.traversal import subterms
from minilean.kernel.typechecker import TypeChecker
from minilean.kernel.validate import Validator

Find = Callable[[str], Declaration | None]
"""Looks up a declaration by its name."""


def check_header(find: Find, names: Sequence[str], level_params: Sequence[str]) -> tuple[str, ...]:
    """Check that names are new and universe parameters distinct; return the parameters."""
    seen: set[str] = set()
    for name in names:
        if type(name) is not str or not name:
            raise InvalidName(name)
        if name in seen or find(name) is not None:
            raise AlreadyDeclared(name)
        seen.add(name)
    params: list[str] = []
    for param in level_params:
        if type(param) is not str or not param:
            raise InvalidName(param)
        if param in params:
            raise DuplicateLevelParam(param)
        params.append(param)
    return tuple(params)


def validate(find: Find, params: tuple[str, ...], fuel: FuelConfig, *terms: Expr) -> Validator:
    """Check that terms are closed terms over an environment; return the validator, which has their constants."""
    validator = Validator(find, params, fuel)
    for term in terms:
        validator.closed_term(term)
    return validator


def check_type(checker: TypeChecker, type_: Expr) -> Level:
    """Check the type of a declaration; return its universe."""
    try:
        return checker.check_type(type_)
    except SortExpected as err:
        if err.term is not type_:
            raise
        raise NotAType(type_, err.got) from None


def check_value(checker: TypeChecker, type_: Expr, value: Expr) -> None:
    """Check that a value has the type of its declaration."""
    got = checker.check(value)
    if not checker.is_def_eq(got, type_):
        error = ValueTypeMismatch(type_, got)
        error.locals = checker.locals
        raise error


def height_above(find: Find, constants: Iterable[str]) -> int:
    """Return one more than the highest definition mentioned; abbreviations count as 0."""
    height = 0
    for name in constants:
        declaration = find(name)
        if type(declaration) is Definition and height < declaration.height < ABBREV_HEIGHT:
            height = declaration.height
    return height + 1


def parts(declaration: Declaration) -> tuple[Expr, ...]:
    """Return the terms that a declaration consists of, for the search for axioms."""
    if type(declaration) is Definition:
        return (declaration.type, declaration.value)
    return (declaration.type,)


def constants_of(terms: Iterable[Expr]) -> set[str]:
    """Return the names of the constants and structures that terms mention."""
    names: set[str] = set()
    for term in terms:
        for node in subterms(term):
            if type(node) is Const:
                names.add(node.name)
            elif type(node) is Proj:
                names.add(node.struct)
    return names
