"""Checks of inductive types: one type, or several that are declared together.

Types that are nested in others, as `List Tree` in a field of `Tree`, were replaced by types of the group before
(`nested.py`). The recursors are built in `recursors.py`.

Source: Lean 4 `src/kernel/inductive.cpp`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minilean.kernel.declaration import Constructor, Declaration, Inductive, InductiveType
from minilean.kernel.errors import (
    InvalidConstructorResult,
    InvalidGroup,
    InvalidOccurrence,
    NonPositiveOccurrence,
    NotAType,
    ParameterMismatch,
    UniverseTooBig,
)
from minilean.kernel.expr import Const, Expr, Pi, Sort, get_app, mk_const
from minilean.kernel.fuel import FuelConfig
from minilean.kernel.instantiate import instantiate1
from minilean.kernel.judgements import Declarations
from minilean.kernel.level import Level, is_never_zero, is_zero, mk_param
from minilean.kernel.level_order import is_equivalent, is_geq
from minilean.kernel.telescope import Local, binder_local, open_pis
from minilean.kernel.traversal import alpha_eq, subterms
from minilean.kernel.typechecker import TypeChecker


class Target(NamedTuple):
    """A recursive field gives a value of type number `former` at `indices`, under `binders` of its own."""

    former: int
    binders: list[Local]
    indices: list[Expr]


class Field(NamedTuple):
    """A field of a constructor; `target` is `None` where it is not recursive."""

    local: Local
    target: Target | None


class Case(NamedTuple):
    """A checked constructor: fields and indices of the result, over the parameters of the group."""

    name: str
    type: Expr
    fields: list[Field]
    indices: list[Expr]


class Former(NamedTuple):
    """A type of a group: its constant and its indices, over the parameters of the group."""

    name: str
    type: Expr
    const: Expr
    indices: list[Local]


class Group:
    """The types of one declaration, with their checked constructors.

    Attributes:
        level: Universe of all the types.
        params: The parameters, as free variables.
        formers: The types.
        cases: The constructors of each type.
        large: Whether the recursors eliminate into every universe.
    """

    def __init__(
        self,
        env: Declarations,
        level_params: tuple[str, ...],
        num_params: int,
        types: Sequence[InductiveType],
        fuel: FuelConfig,
    ) -> None:
        """Check the types and their constructors.

        Args:
            env: An environment in which the types are known, as inductive types without constructors.
            level_params: Universe parameters of the types and the constructors.
            num_params: Number of leading arguments that are parameters, the same in all types.
            types: The types, each of a well-typed closed type; the types of constructors are checked here.
            fuel: Bounds.

        Raises:
            KernelError: The group is invalid; most often an `InductiveError`.
        """
        self.checker = TypeChecker(env, fuel)
        self.level_params = level_params
        self.names = frozenset(type_.name for type_ in types)
        self.params: list[Local] = []
        self.formers: list[Former] = []
        self.level: Level
        levels = tuple(mk_param(param) for param in level_params)
        for own in types:
            self.formers.append(self._check_former(own, mk_const(own.name, levels), num_params))
        self.cases = [
            [self._check_constructor(i, *constructor) for constructor in own.constructors]
            for i, own in enumerate(types)
        ]
        self.large = is_never_zero(self.level) or (len(types) == 1 and self._holds_no_data(self.cases[0]))

    def declarations(self) -> list[Declaration]:
        """Return the types and constructors, each type before its constructors."""
        recursive = any(
            self._mentions(field.local.type)
            for cases in self.cases
            for case in cases
            for field in case.fields
        )
        names = tuple(former.name for former in self.formers)
        num_params = len(self.params)
        found: list[Declaration] = []
        for former, cases in zip(self.formers, self.cases, strict=True):
            constructors = tuple(case.name for case in cases)
            found.append(
                Inductive(
                    former.name, self.level_params, former.type, num_params, len(former.indices), constructors,
                    recursive, self.large, names, 0,
                )
            )  # fmt: skip
            found += [
                Constructor(
                    case.name, self.level_params, case.type, former.name, i, num_params, len(case.fields)
                )
                for i, case in enumerate(cases)
            ]
        return found

    # -- the types -----------------------------------------------------------------------------------------

    def _check_former(self, own: InductiveType, const: Expr, num_params: int) -> Former:
        """Check the header of a type: the parameters and the universe are those of the first one."""
        telescope, sort = self._opened(own.type)
        if type(num_params) is not int or not 0 <= num_params <= len(telescope):
            raise ParameterMismatch(own.name, num_params)
        if type(sort) is not Sort:
            raise NotAType(own.type, sort)
        if not self.formers:
            self.level = sort.level
            self.params = telescope[:num_params]
            return Former(own.name, own.type, const, telescope[num_params:])
        if not is_equivalent(sort.level, self.level):
            raise InvalidGroup("mutually inductive types must live in the same universe")
        body = own.type
        for param in self.params:
            assert type(body) is Pi, "counted above"
            if not self.checker.is_def_eq(body.type, param.type):
                raise InvalidGroup("parameters of all inductive datatypes must match")
            body = instantiate1(body.body, param.fvar)
        return Former(own.name, own.type, const, self._opened(body)[0])

    def _opened(self, type_: Expr) -> tuple[list[Local], Expr]:
        """Return the binders of a header, also those that a definition hides, and its result, reduced."""
        telescope: list[Local] = []
        while True:
            found, type_ = open_pis(self.checker, type_)
            telescope += found
            type_ = self.checker.whnf(type_)
            if type(type_) is not Pi:
                return telescope, type_

    # -- the constructors ----------------------------------------------------------------------------------

    def _check_constructor(self, former: int, name: str, type_: Expr) -> Case:
        """Check a constructor: parameters, universes, positivity, result."""
        self.checker.check_type(type_)
        body = type_
        for param in self.params:
            if type(body) is not Pi or not self.checker.is_def_eq(body.type, param.type):
                raise ParameterMismatch(name, len(self.params))
            body = instantiate1(body.body, param.fvar)
        fields: list[Field] = []
        while type(body) is Pi:
            self._check_universe(name, len(fields), body.type)
            local = binder_local(self.checker, body)
            fields.append(Field(local, self._recursive_target(name, len(fields), body.type)))
            body = instantiate1(body.body, local.fvar)
        result = self._at_indices(body)
        if result is None or result[0] != former:
            raise InvalidConstructorResult(name, body)
        return Case(name, type_, fields, result[1])

    def _holds_no_data(self, cases: list[Case]) -> bool:
        """Return whether the proofs of a type that may be in `Prop` hold no data beyond the indices."""
        if len(cases) != 1:
            return not cases
        (case,) = cases
        return all(
            [
                field.local.fvar in case.indices or is_zero(self.checker.infer_sort(field.local.type))
                for field in case.fields
            ]
        )

    def _check_universe(self, constructor: str, field: int, type_: Expr) -> None:
        level = self.checker.infer_sort(type_)
        if not is_zero(self.level) and not is_geq(self.level, level):
            raise UniverseTooBig(constructor, field, level, self.level)

    def _recursive_target(self, constructor: str, field: int, type_: Expr) -> Target | None:
        """Check that the types of the group occur strictly positively in a field; return its target."""
        binders: list[Local] = []
        body = self.checker.whnf(type_)
        while self._mentions(body):
            if type(body) is not Pi:
                found = self._at_indices(body)
                if found is None:
                    raise InvalidOccurrence(constructor, field, body)
                return Target(found[0], binders, found[1])
            if self._mentions(body.type):
                raise NonPositiveOccurrence(constructor, field, type_)
            binder = binder_local(self.checker, body)
            binders.append(binder)
            body = self.checker.whnf(instantiate1(body.body, binder.fvar))
        return None

    def _at_indices(self, e: Expr) -> tuple[int, list[Expr]] | None:
        """Return the number of `T` and `is` if `e` is `T params is` and no `is` mentions the group, else `None`."""
        head, args = get_app(e)
        found = [i for i, former in enumerate(self.formers) if alpha_eq(head, former.const)]
        if not found or len(args) != len(self.params) + len(self.formers[found[0]].indices):
            return None
        if any([arg is not param.fvar for arg, param in zip(args, self.params, strict=False)]):
            return None
        indices = args[len(self.params) :]
        return None if any([self._mentions(index) for index in indices]) else (found[0], indices)

    def _mentions(self, e: Expr) -> bool:
        return any([type(node) is Const and node.name in self.names for node in subterms(e)])
