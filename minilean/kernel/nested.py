"""Nested inductive types: `List Tree` in a field of `Tree`.

The declaration is translated to a group without nesting: each type such as `List Tree` becomes a type of the group
that has copies of the constructors. That group is checked, and its constructors and recursors are translated back.

Source: Lean 4 `src/kernel/inductive.cpp`, elim_nested_inductive and restore_nested (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from minilean.kernel.declaration import (
    Constructor,
    Declaration,
    Inductive,
    InductiveType,
    Recursor,
    RecursorRule,
)
from minilean.kernel.errors import DeepRecursion, NestedWithLocals, ParameterMismatch
from minilean.kernel.expr import Const, Expr, Lam, Pi, get_app, mk_apps, mk_const, mk_lam, mk_pi
from minilean.kernel.fuel import FuelConfig
from minilean.kernel.instantiate import abstract, instantiate, instantiate1, instantiate_level_params
from minilean.kernel.instantiate import replace as replace_terms
from minilean.kernel.judgements import Declarations
from minilean.kernel.level import mk_param
from minilean.kernel.telescope import Local, close, new_local
from minilean.kernel.traversal import alpha_eq, children
from minilean.kernel.typechecker import TypeChecker

RESERVED = "_nested"
"""First part of the names of types that stand for nested ones; no constructor may have it."""
_MAX_TYPES = 200
"""Bound on the types of a translated group: `T (T α)` in a field of `T α` gives ever more of them."""


@dataclass(frozen=True, slots=True)
class _Nested:
    """A type of the group that stands for `former`, `List Tree`, over the parameters of the group."""

    name: str
    former: Expr


class Flattening:
    """The translation of one declaration.

    Attributes:
        types: The types of the translated group: those declared, then those that stand for nested types.
    """

    def __init__(
        self,
        env: Declarations,
        level_params: tuple[str, ...],
        num_params: int,
        types: Sequence[InductiveType],
        fuel: FuelConfig,
    ) -> None:
        """Translate a declaration.

        Args:
            env: An environment in which the types are known, without constructors.
            level_params: Universe parameters of the types.
            num_params: Number of their parameters.
            types: The types.
            fuel: Bounds.

        Raises:
            NestedWithLocals: A nested type has local variables in its parameters.
            ParameterMismatch: A constructor has too few arguments.
            DeepRecursion: There are too many nested types.
        """
        self._env = env
        self._checker = TypeChecker(env, fuel)
        self._levels = tuple(mk_param(param) for param in level_params)
        self._declared = tuple(types)
        self._nested: list[_Nested] = []
        self._constructors: dict[str, tuple[str, str]] = {}
        self._taken = {ctor for type_ in types for ctor, _ in type_.constructors}
        self.types = list(types)
        self._names = frozenset(type_.name for type_ in types)
        self._mentioning: dict[Expr, bool] = {}
        if type(num_params) is not int or num_params < 0:
            raise ParameterMismatch(types[0].name, num_params)
        self._params, _ = self._open_params(types[0].name, types[0].type, num_params)
        done = 0
        while done < len(self.types):
            own = self.types[done]
            constructors = tuple((ctor, self._flat(ctor, type_)) for ctor, type_ in own.constructors)
            self.types[done] = own._replace(constructors=constructors)
            done += 1

    @property
    def auxiliary(self) -> list[InductiveType]:
        """The types that stand for nested types."""
        return self.types[len(self._declared) :]

    # -- the translation -----------------------------------------------------------------------------------

    def _open_params(self, name: str, type_: Expr, num_params: int) -> tuple[list[Local], Expr]:
        params: list[Local] = []
        for _ in range(num_params):
            if type(type_) is not Pi:
                raise ParameterMismatch(name, num_params)
            params.append(new_local(self._checker, type_.name, type_.type, type_.info))
            type_ = instantiate1(type_.body, params[-1].fvar)
        return params, type_

    def _flat(self, constructor: str, type_: Expr) -> Expr:
        """Return the type of a constructor without nested types."""
        params, body = self._open_params(constructor, type_, len(self._params))
        own = [param.fvar for param in params]
        shared = [param.fvar for param in self._params]

        def at(e: Expr, _depth: int) -> Expr | None:
            head, args = get_app(e)
            container = self._container(head, args)
            if container is None or type(head) is not Const:
                return None
            count = container.num_params
            former = instantiate(abstract(mk_apps(head, args[:count]), own), shared)
            name = self._standing_for(former, container)
            return mk_apps(mk_const(name, self._levels), [*own, *args[count:]])

        return close(mk_pi, params, replace_terms(body, at))

    def _container(self, head: Expr, args: list[Expr]) -> Inductive | None:
        """Return `I` for `I ds is` where the parameters `ds` mention the group, else `None`."""
        self._checker.tick()
        if type(head) is not Const or not args or head.name in self._names:
            return None
        declaration = self._env.find(head.name)
        if type(declaration) is not Inductive or declaration.num_params > len(args):
            return None
        params = args[: declaration.num_params]
        if not any([self._mentions(arg) for arg in params]):
            return None
        if any([arg.loose for arg in params]):
            raise NestedWithLocals(head.name)
        return declaration

    def _mentions(self, e: Expr) -> bool:
        """Return whether `e` mentions a declared type; terms that are still to be translated mention no other one."""
        known = self._mentioning.get(e)
        if known is None:
            self._checker.tick()
            own = type(e) is Const and e.name in self._names
            known = self._mentioning[e] = own or any([self._mentions(child) for child in children(e)])
        return known

    def _standing_for(self, former: Expr, container: Inductive) -> str:
        """Return the type of the group for `former`; the types declared together with it get one as well."""
        for known in self._nested:
            if alpha_eq(known.former, former):
                return known.name
        if len(self.types) >= _MAX_TYPES:
            raise DeepRecursion
        head, args = get_app(former)
        assert type(head) is Const
        found = ""
        for name in container.all:
            one = self._env.find(name)
            assert type(one) is Inductive, "types of one declaration"
            stands = self._fresh(name, one)
            self._nested.append(_Nested(stands, mk_apps(mk_const(name, head.levels), args)))
            self.types.append(self._copy(stands, one, head, args))
            if name == container.name:
                found = stands
        return found

    def _fresh(self, name: str, one: Inductive) -> str:
        i = len(self._nested) + 1
        while True:
            stands = f"{RESERVED}.{name}_{i}"
            names = [stands, f"{stands}.rec", *(_renamed(ctor, name, stands) for ctor in one.constructors)]
            if all(n not in self._taken and self._env.find(n) is None for n in names):
                return stands
            i += 1

    def _copy(self, stands: str, one: Inductive, head: Const, args: list[Expr]) -> InductiveType:
        """Return a copy of a type at some parameters; its constructors still mention the type itself."""
        constructors = []
        for name in one.constructors:
            ctor = self._env.find(name)
            assert type(ctor) is Constructor, "a constructor of a declared type"
            copy = _renamed(name, one.name, stands)
            self._constructors[copy] = (name, stands)
            constructors.append((copy, self._at_params(ctor, head, args)))
        return InductiveType(stands, self._at_params(one, head, args), tuple(constructors))

    def _at_params(self, declaration: Declaration, head: Const, args: list[Expr]) -> Expr:
        type_ = instantiate_level_params(declaration.type, declaration.level_params, head.levels)
        for _ in args:
            assert type(type_) is Pi, "a type takes its parameters first"
            type_ = type_.body
        return close(mk_pi, self._params, instantiate(type_, args))

    # -- and back ------------------------------------------------------------------------------------------

    def restored(self, declarations: Sequence[Declaration]) -> list[Declaration]:
        """Return the declarations of the translated group for the types as they were declared.

        Args:
            declarations: Types, constructors and recursors of `types`, the types in order.
        """
        main = self._declared[0].name
        names = tuple(type_.name for type_ in self._declared)
        written = {ctor: type_ for own in self._declared for ctor, type_ in own.constructors}
        stands = {nested.name: nested for nested in self._nested}
        renamed = {f"{nested.name}.rec": f"{main}.rec_{i + 1}" for i, nested in enumerate(self._nested)}
        found: list[Declaration] = []
        for d in declarations:
            if isinstance(d, Inductive):
                if d.name not in stands:
                    found.append(replace(d, all=names, num_nested=len(self._nested)))
            elif isinstance(d, Constructor):
                if d.inductive not in stands:
                    found.append(replace(d, type=written[d.name]))
            elif isinstance(d, Recursor):
                found.append(self._restored_recursor(d, names, renamed))
        return found

    def _restored_recursor(self, d: Recursor, names: tuple[str, ...], renamed: dict[str, str]) -> Recursor:
        rules = tuple(
            RecursorRule(
                self._constructors.get(rule.constructor, (rule.constructor,))[0],
                rule.num_fields,
                self._restored(rule.rhs, renamed),
            )
            for rule in d.rules
        )
        inductive = d.inductive
        for nested in self._nested:
            if nested.name == inductive:
                inductive = get_app(nested.former)[0].name  # type: ignore[attr-defined]
        return replace(
            d, name=renamed.get(d.name, d.name), type=self._restored(d.type, renamed), inductive=inductive,
            all=names, rules=rules,
        )  # fmt: skip

    def _restored(self, e: Expr, renamed: dict[str, str]) -> Expr:
        """Return a type or rule over the parameters with the nested types in it."""
        params: list[Local] = []
        make = mk_pi if type(e) is Pi else mk_lam
        for _ in self._params:
            assert type(e) is Pi or type(e) is Lam, "the parameters come first"
            params.append(new_local(self._checker, e.name, e.type, e.info))
            e = instantiate1(e.body, params[-1].fvar)
        own = [param.fvar for param in params]
        shared = [param.fvar for param in self._params]
        formers = {n.name: instantiate(abstract(n.former, shared), own) for n in self._nested}

        def at(sub: Expr, _depth: int) -> Expr | None:
            if type(sub) is Const and sub.name in renamed:
                return mk_const(renamed[sub.name], sub.levels)
            head, args = get_app(sub)
            if type(head) is not Const:
                return None
            name, stands = self._constructors.get(head.name, ("", head.name))
            if stands not in formers:
                return None
            # arguments may hold nested types as well
            rest = [replace_terms(arg, at) for arg in args[len(own) :]]
            former = formers[stands]
            if not name:
                return mk_apps(former, rest)
            container, container_args = get_app(former)
            return mk_apps(mk_const(name, container.levels), [*container_args, *rest])  # type: ignore[attr-defined]

        return close(make, params, replace_terms(e, at))


def _renamed(constructor: str, old: str, new: str) -> str:
    return f"{new}.{constructor.removeprefix(f'{old}.')}"
