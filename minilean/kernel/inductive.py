"""Inductive types: their checks and their generated recursors.

One type at a time: mutual types, and types nested in others (`List T` as a field of `T`), are `Unsupported`.

Source: Lean 4 `src/kernel/inductive.cpp`, whose binder names and kinds the recursor has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from minilean.kernel.declaration import Constructor, Declaration, Inductive, Recursor, RecursorRule
from minilean.kernel.errors import (
    InvalidConstructorResult,
    InvalidOccurrence,
    NonPositiveOccurrence,
    NotAType,
    ParameterMismatch,
    UniverseTooBig,
    Unsupported,
)
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    Const,
    Expr,
    Pi,
    Sort,
    get_app,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
    mk_sort,
)
from minilean.kernel.fuel import FuelConfig
from minilean.kernel.instantiate import abstract, instantiate1
from minilean.kernel.judgements import Declarations
from minilean.kernel.level import ZERO, Level, is_never_zero, is_zero, mk_param
from minilean.kernel.level_order import is_leq
from minilean.kernel.traversal import alpha_eq, subterms
from minilean.kernel.typechecker import TypeChecker


class _Local(NamedTuple):
    fvar: Expr
    name: str
    type: Expr
    info: int


class _Field(NamedTuple):
    """A field of a constructor; a recursive one has as `target` its own binders and the indices it builds."""

    local: _Local
    target: tuple[list[_Local], list[Expr]] | None


class _Case(NamedTuple):
    """A checked constructor: fields and indices of the result, over the parameters of the type."""

    name: str
    fields: list[_Field]
    indices: list[Expr]


def elaborate_inductive(
    env: Declarations,
    name: str,
    level_params: tuple[str, ...],
    num_params: int,
    type: Expr,
    constructors: Sequence[tuple[str, Expr]],
    fuel: FuelConfig,
) -> list[Declaration]:
    """Check an inductive type and build its declarations: the type, the constructors, the recursor.

    Args:
        env: An environment in which `name : type` is known, as an inductive type without constructors.
        name: Name of the type.
        level_params: Universe parameters of the type, the constructors and, after its own, the recursor.
        num_params: How many leading arguments of `type` are parameters.
        type: The well-typed closed type of `name`.
        constructors: Name and closed, validated type of each; the types are checked here.
        fuel: Bounds.

    Raises:
        KernelError: The type is invalid; most often an `InductiveError`.
    """
    builder = _Builder(env, name, level_params, num_params, type, fuel)
    cases = [builder.check_constructor(*constructor) for constructor in constructors]
    large = is_never_zero(builder.level) or builder.eliminates_large(cases)
    recursive = any(name in _constant_names(f.local.type) for case in cases for f in case.fields)
    return [
        Inductive(
            name, level_params, type, num_params, len(builder.indices),
            tuple(case.name for case in cases), recursive, large,
        ),
        *(
            Constructor(case.name, level_params, ctor[1], name, i, num_params, len(case.fields))
            for i, (case, ctor) in enumerate(zip(cases, constructors, strict=True))
        ),
        builder.recursor(cases, large),
    ]  # fmt: skip


class _Builder:
    """Checks the constructors of one type and builds its recursor.

    Attributes:
        level: Universe of the type.
        params: The parameters, as free variables.
        indices: The indices, as free variables.
    """

    def __init__(
        self,
        env: Declarations,
        name: str,
        level_params: tuple[str, ...],
        num_params: int,
        type_: Expr,
        fuel: FuelConfig,
    ) -> None:
        self._checker = TypeChecker(env, fuel)
        self._env = env
        self._name = name
        self._level_params = level_params
        self._former = mk_const(name, tuple(mk_param(param) for param in level_params))
        telescope, sort = self._open(type_)
        if type(num_params) is not int or not 0 <= num_params <= len(telescope):
            raise ParameterMismatch(name, num_params)
        sort = self._checker.whnf(sort)
        if type(sort) is not Sort:
            raise NotAType(type_, sort)
        self.level = sort.level
        self.params = telescope[:num_params]
        self.indices = telescope[num_params:]

    # -- the checks ----------------------------------------------------------------------------------------

    def check_constructor(self, name: str, type_: Expr) -> _Case:
        """Check a constructor: parameters, universes, positivity, result."""
        self._checker.check_type(type_)
        body = type_
        for param in self.params:
            if type(body) is not Pi or not self._checker.is_def_eq(body.type, param.type):
                raise ParameterMismatch(name, len(self.params))
            body = instantiate1(body.body, param.fvar)
        fields: list[_Field] = []
        while type(body) is Pi:
            self._check_universe(name, len(fields), body.type)
            local = self._local(body.name, body.type, body.info)
            fields.append(_Field(local, self._recursive_target(name, len(fields), body.type)))
            body = instantiate1(body.body, local.fvar)
        indices = self._indices_of(body)
        if indices is None:
            raise InvalidConstructorResult(name, body)
        return _Case(name, fields, indices)

    def eliminates_large(self, cases: list[_Case]) -> bool:
        """Return whether a type that may be in `Prop` eliminates into every universe: its proofs hold no data."""
        if len(cases) != 1:
            return not cases
        (case,) = cases
        return all(
            [
                field.local.fvar in case.indices or is_zero(self._checker.infer_sort(field.local.type))
                for field in case.fields
            ]
        )

    def _check_universe(self, constructor: str, field: int, type_: Expr) -> None:
        level = self._checker.infer_sort(type_)
        if not is_zero(self.level) and not is_leq(level, self.level):
            raise UniverseTooBig(constructor, field, level, self.level)

    def _recursive_target(
        self, constructor: str, field: int, type_: Expr
    ) -> tuple[list[_Local], list[Expr]] | None:
        """Check that the type occurs strictly positively in a field; return the `_Field.target`."""
        binders: list[_Local] = []
        body = self._checker.whnf(type_)
        while self._name in _constant_names(body):
            if type(body) is not Pi:
                indices = self._indices_of(body)
                if indices is None:
                    raise self._bad_occurrence(constructor, field, body)
                return binders, indices
            if self._name in _constant_names(body.type):
                raise NonPositiveOccurrence(constructor, field, type_)
            binder = self._local(body.name, body.type, body.info)
            binders.append(binder)
            body = self._checker.whnf(instantiate1(body.body, binder.fvar))
        return None

    def _bad_occurrence(self, constructor: str, field: int, body: Expr) -> Exception:
        head = get_app(body)[0]
        if type(head) is Const and head.name != self._name and type(self._env.find(head.name)) is Inductive:
            return Unsupported(f"nested inductive type '{self._name}' (inside '{head.name}')")
        return InvalidOccurrence(constructor, field, body)

    def _indices_of(self, e: Expr) -> list[Expr] | None:
        """Return `is` if `e` is `T params is` with the parameters of the type and no `T` in `is`, else `None`."""
        head, args = get_app(e)
        if not alpha_eq(head, self._former) or len(args) != len(self.params) + len(self.indices):
            return None
        if any([arg is not param.fvar for arg, param in zip(args, self.params, strict=False)]):
            return None
        indices = args[len(self.params) :]
        return None if any([self._name in _constant_names(index) for index in indices]) else indices

    # -- the recursor --------------------------------------------------------------------------------------

    def recursor(self, cases: list[_Case], large: bool) -> Recursor:
        """`T.rec` with its computation rules."""
        level_params = self._level_params
        elim: Level = ZERO
        if large:
            fresh = _fresh_level_param(level_params)
            elim = mk_param(fresh)
            level_params = (fresh, *level_params)
        params = [_hidden(param) for param in self.params]
        indices = [_hidden(index) for index in self.indices]
        self_type = mk_apps(self._former, [local.fvar for local in params + indices])
        major = self._local("t", self_type, DEFAULT)
        motive_type = _close(mk_pi, [*self.indices, major], mk_sort(elim))
        # the minor premises determine the motive; where there are none it has to be given
        motive = self._local("motive", motive_type, IMPLICIT if cases else DEFAULT)
        minors = [self._minor(case, motive.fvar) for case in cases]
        result = mk_app(mk_apps(motive.fvar, [index.fvar for index in indices]), major.fvar)
        type_ = _close(mk_pi, [*params, motive, *minors, *indices, major], result)
        rec_name = f"{self._name}.rec"
        rec = mk_const(rec_name, tuple(mk_param(param) for param in level_params))
        shared = [*self.params, motive._replace(info=DEFAULT), *minors]
        rules = tuple(
            RecursorRule(case.name, len(case.fields), self._rule(case, rec, shared, minor))
            for case, minor in zip(cases, minors, strict=True)
        )
        k = is_zero(self.level) and len(cases) == 1 and not cases[0].fields
        return Recursor(
            rec_name, level_params, type_, self._name, len(params), len(indices), len(minors), rules, k
        )

    def _minor(self, case: _Case, motive: Expr) -> _Local:
        """Return the minor premise of the recursor for a constructor."""
        hypotheses = []
        for field in case.fields:
            if field.target is not None:
                binders, indices = field.target
                value = mk_apps(field.local.fvar, [binder.fvar for binder in binders])
                type_ = _close(mk_pi, binders, mk_app(mk_apps(motive, indices), value))
                hypotheses.append(self._local(f"{field.local.name}_ih", type_, DEFAULT))
        locals_ = [field.local for field in case.fields]
        built = mk_apps(
            mk_const(case.name, self._former.levels), [local.fvar for local in self.params + locals_]
        )
        result = mk_app(mk_apps(motive, case.indices), built)
        short = case.name.removeprefix(f"{self._name}.")
        return self._local(short, _close(mk_pi, locals_ + hypotheses, result), DEFAULT)

    def _rule(self, case: _Case, rec: Expr, shared: list[_Local], minor: _Local) -> Expr:
        """`fun params motive minors fields => minor fields (recursive calls)`."""
        locals_ = [field.local for field in case.fields]
        call = mk_apps(rec, [local.fvar for local in shared])
        result = mk_apps(minor.fvar, [local.fvar for local in locals_])
        for field in case.fields:
            if field.target is not None:
                binders, indices = field.target
                value = mk_apps(field.local.fvar, [binder.fvar for binder in binders])
                result = mk_app(result, _close(mk_lam, binders, mk_app(mk_apps(call, indices), value)))
        return _close(mk_lam, shared + locals_, result)

    # -- telescopes ----------------------------------------------------------------------------------------

    def _local(self, name: str, type_: Expr, info: int) -> _Local:
        return _Local(self._checker.new_local(name, type_), name, type_, info)

    def _open(self, e: Expr) -> tuple[list[_Local], Expr]:
        """The binders of a function type as free variables, and what is below them."""
        telescope = []
        while type(e) is Pi:
            local = self._local(e.name, e.type, e.info)
            telescope.append(local)
            e = instantiate1(e.body, local.fvar)
        return telescope, e


def _close(make: Callable[[str, Expr, Expr, int], Expr], telescope: Sequence[_Local], body: Expr) -> Expr:
    """Bind the free variables of `telescope` in `body`, with `mk_pi` or `mk_lam`."""
    fvars = [local.fvar for local in telescope]
    body = abstract(body, fvars)
    for i in reversed(range(len(telescope))):
        local = telescope[i]
        body = make(local.name, abstract(local.type, fvars[:i]), body, local.info)
    return body


def _hidden(local: _Local) -> _Local:
    """Return the variable with an explicit binder made implicit."""
    return local._replace(info=IMPLICIT) if local.info == DEFAULT else local


def _fresh_level_param(taken: tuple[str, ...]) -> str:
    """`u`, or the first of `u_1`, `u_2`, ... that is not taken."""
    name, i = "u", 0
    while name in taken:
        i += 1
        name = f"u_{i}"
    return name


def _constant_names(e: Expr) -> set[str]:
    return {node.name for node in subterms(e) if type(node) is Const}
