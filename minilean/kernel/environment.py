"""The environment: declarations by name, which proofs may use.

Each `add_*` first validates names and terms from scratch (`validate.py`), then type-checks them, and only then
stores the declaration. A stored declaration never changes, and no environment sees two declarations of a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from minilean.kernel.checks import (
    check_header,
    check_type,
    check_value,
    constants_of,
    height_above,
    parts,
    validate,
)
from minilean.kernel.declaration import (
    ABBREV_HEIGHT,
    OPAQUE_HEIGHT,
    Axiom,
    Declaration,
    Definition,
    Inductive,
    InductiveType,
    TheoremDecl,
)
from minilean.kernel.errors import (
    InvalidGroup,
    InvalidQuotient,
    NotAProposition,
    UnknownConstant,
)
from minilean.kernel.expr import Const, Expr
from minilean.kernel.fuel import DEFAULT_FUEL, FuelConfig, deep_stack
from minilean.kernel.groups import checked_group
from minilean.kernel.instantiate import instantiate_level_params
from minilean.kernel.level import is_zero
from minilean.kernel.literals import NAT_FUNCTIONS, has_defining_equations
from minilean.kernel.nested import RESERVED
from minilean.kernel.proved_equations import EQUATIONS, FUNCTION_OF, has_proved_equations
from minilean.kernel.quot import is_standard_eq, quot_declarations
from minilean.kernel.typechecker import TypeChecker

_MAX_INSTANCES = 50_000


@dataclass(frozen=True, slots=True)
class _Unread:
    """A declaration of a library file that nobody has asked for yet."""

    read: Callable[[], Declaration]


class Environment:
    """Declarations by name, in addition to those that the parent had when this child was made.

    A declaration added later to one of the two is not seen from the other, even where both declare the same name.

    All `add_*` methods and `check_proof` take `fuel`, the bounds of the check, and raise `KernelError`; the
    environment is unchanged when they do.
    """

    __slots__ = ("_axioms", "_computing", "_instances", "_own", "_positions", "_seen", "parent")

    def __init__(self, parent: Environment | None = None) -> None:
        self.parent = parent
        # number of the parent's own declarations that are seen from here: the first ones
        self._seen = 0 if parent is None else len(parent._own)
        self._own: dict[str, Declaration | _Unread] = {}
        self._positions: dict[str, int] = {}
        self._axioms: dict[str, tuple[str, ...]] = {}
        self._computing: set[str] = set()
        # types, values and rules at given universes, shared by parents and children; see `instance`
        self._instances: dict[tuple[Const, int], tuple[Declaration, Expr]] = (
            {} if parent is None else parent._instances
        )

    def child(self) -> Environment:
        """A new environment that sees everything declared here."""
        return Environment(self)

    def prefix(self, count: int) -> Environment:
        """A new environment that sees the first `count` declarations made here, and those of the parents.

        Raises:
            ValueError: There are fewer declarations.
        """
        if not 0 <= count <= len(self._own):
            raise ValueError(f"prefix of {count} declarations, of which there are {len(self._own)}")
        other = Environment(self)
        other._seen = count
        return other

    # -- looking up ----------------------------------------------------------------------------------------

    def find(self, name: str) -> Declaration | None:
        """The declaration of `name`, or `None`."""
        owner = self._home(name)
        return None if owner is None else owner._stored(name)

    def get(self, name: str) -> Declaration:
        """The declaration of `name`.

        Raises:
            UnknownConstant: There is none.
        """
        declaration = self.find(name)
        if declaration is None:
            raise UnknownConstant(name)
        return declaration

    def __contains__(self, name: object) -> bool:
        return type(name) is str and self.find(name) is not None

    def __iter__(self) -> Iterator[str]:
        """All names, those of the parents first."""
        chain: list[tuple[Environment, int]] = []
        env: Environment | None = self
        seen = len(self._own)
        while env is not None:
            chain.append((env, seen))
            seen, env = env._seen, env.parent
        for env, seen in reversed(chain):
            yield from islice(env._own, seen)

    @property
    def size(self) -> int:
        """Number of the declarations made here, those of the parents not counted."""
        return len(self._own)

    def position(self, name: str) -> int | None:
        """Return the number of declarations made here before that of `name`; `None` if it is not one of them."""
        return self._positions.get(name)

    def _home(self, name: str) -> Environment | None:
        """Return the environment that stores the declaration of `name` seen from here, or `None`."""
        env: Environment | None = self
        seen = len(self._own)
        while env is not None:
            position = env._positions.get(name)
            if position is not None and position < seen:
                return env
            seen, env = env._seen, env.parent
        return None

    def _stored(self, name: str) -> Declaration:
        """Return the own declaration of `name`, which is read when it is first asked for."""
        found = self._own[name]
        if type(found) is _Unread:
            found = self._own[name] = found.read()
        return found  # type: ignore[return-value]

    def _owner(self, name: str) -> Environment:
        owner = self._home(name)
        if owner is None:
            raise UnknownConstant(name)
        return owner

    def computes_on_literals(self, name: str) -> bool:
        """Return whether `name` is a declared function of natural numbers whose equations were verified."""
        equations = EQUATIONS.get(name)
        # the environment that stores the last equation may be a child of the one that stores the function
        owner = self._home(name if equations is None else equations.last)
        return owner is not None and name in owner._computing

    def instance(self, const: Const, declaration: Declaration, part: int, e: Expr) -> Expr:
        """Return `e` with the universe parameters of `declaration` replaced by the levels of `const`, and cache it.

        Args:
            const: A constant with as many levels as `declaration` has parameters.
            declaration: The declaration that `const` refers to here.
            part: Which part of `declaration` the term `e` is: 0 type, 1 value, 2 + i rule i.
            e: That part.
        """
        key = (const, part)
        known = self._instances.get(key)
        if known is not None and known[0] is declaration:
            return known[1]
        out = instantiate_level_params(e, declaration.level_params, const.levels)
        if len(self._instances) >= _MAX_INSTANCES:
            self._instances.clear()
        self._instances[key] = (declaration, out)
        return out

    # -- adding --------------------------------------------------------------------------------------------

    def add_axiom(
        self, name: str, level_params: Sequence[str], type: Expr, *, fuel: FuelConfig = DEFAULT_FUEL
    ) -> None:
        """Declare a constant without a value. Every theorem that uses it reports it."""
        params = check_header(self.find, [name], level_params)
        with deep_stack():
            validate(self.find, params, fuel, type)
            check_type(TypeChecker(self, fuel), type)
        self._insert(Axiom(name, params, type))

    def add_definition(
        self,
        name: str,
        level_params: Sequence[str],
        type: Expr,
        value: Expr,
        *,
        abbrev: bool = False,
        opaque: bool = False,
        fuel: FuelConfig = DEFAULT_FUEL,
    ) -> None:
        """Declare a constant that unfolds to `value` (never, if `opaque`; before all others, if `abbrev`)."""
        params = check_header(self.find, [name], level_params)
        with deep_stack():
            validator = validate(self.find, params, fuel, type, value)
            checker = TypeChecker(self, fuel)
            check_type(checker, type)
            check_value(checker, type, value)
        height = height_above(self.find, validator.constants)
        height = OPAQUE_HEIGHT if opaque else ABBREV_HEIGHT if abbrev else height
        self._insert(Definition(name, params, type, value, height))
        self._enable_computing(name, fuel)

    def add_theorem(
        self,
        name: str,
        level_params: Sequence[str],
        type: Expr,
        value: Expr,
        *,
        fuel: FuelConfig = DEFAULT_FUEL,
    ) -> TheoremDecl:
        """Declare a proved proposition: the proof is checked from scratch, its axioms are collected."""
        params = check_header(self.find, [name], level_params)
        axioms = self._check_proof(params, type, value, fuel)
        theorem = TheoremDecl(name, params, type, value, axioms)
        self._insert(theorem)
        self._enable_computing(name, fuel)
        return theorem

    def check_proof(
        self, level_params: Sequence[str], type: Expr, value: Expr, *, fuel: FuelConfig = DEFAULT_FUEL
    ) -> tuple[str, ...]:
        """Check that `value` proves the proposition `type`, without declaring anything.

        Returns:
            The names of the axioms that statement and proof rest on, sorted.
        """
        return self._check_proof(check_header(self.find, [], level_params), type, value, fuel)

    def add_inductive(
        self,
        name: str,
        level_params: Sequence[str],
        num_params: int,
        type: Expr,
        constructors: Sequence[tuple[str, Expr]],
        *,
        fuel: FuelConfig = DEFAULT_FUEL,
    ) -> None:
        """Declare an inductive type, its constructors (name and full type each) and its recursor."""
        types = [InductiveType(name, type, tuple(constructors))]
        self.add_inductives(level_params, num_params, types, fuel=fuel)

    def add_inductives(
        self,
        level_params: Sequence[str],
        num_params: int,
        types: Sequence[InductiveType],
        *,
        fuel: FuelConfig = DEFAULT_FUEL,
    ) -> None:
        """Declare inductive types that may mention each other, their constructors and their recursors.

        Args:
            level_params: Universe parameters of all the types and constructors.
            num_params: Number of leading arguments that are parameters, the same in all the types.
            types: The types with their constructors.
            fuel: Bounds of the check.
        """
        if not types:
            raise InvalidGroup(
                "invalid empty (mutual) inductive datatype declaration, it must contain at least one inductive type."
            )
        constructors = [name for own in types for name, _ in own.constructors]
        for name in constructors:
            if name.partition(".")[0] == RESERVED:
                raise InvalidGroup(f"invalid declaration '{name}', it uses the reserved prefix '{RESERVED}'")
        names = [*(own.name for own in types), *constructors]
        names += [f"{own.name}.rec" for own in types]
        params = check_header(self.find, names, level_params)
        with deep_stack():
            declarations = checked_group(self._extended, params, num_params, types, fuel)
        for declaration in declarations:
            self._insert(declaration)

    def _extended(self, declarations: Iterable[Declaration]) -> Environment:
        """Return a child with declarations that are not checked, for a check of others that mention them."""
        child = self.child()
        for declaration in declarations:
            child._insert(declaration)
        return child

    def add_quot(self) -> None:
        """Declare `Quot`, `Quot.mk`, `Quot.ind` and `Quot.lift`.

        Raises:
            InvalidQuotient: `Eq` is missing or is not Lean's.
        """
        declarations = quot_declarations()
        check_header(self.find, [declaration.name for declaration in declarations], ())
        if not is_standard_eq(self.find):
            raise InvalidQuotient
        for declaration in declarations:
            self._insert(declaration)

    def adopt(self, child: Environment) -> None:
        """Add the declarations of a child, which were checked there.

        Raises:
            ValueError: `child` is not a child of this environment, or a declaration was added here since it was made.
        """
        if child.parent is not self or child._seen != len(self._own):
            raise ValueError("only a child that sees everything declared here can be adopted")
        for name in child._own:
            self._insert(child._stored(name))
        self._axioms.update(child._axioms)
        self._computing |= child._computing

    def load_trusted(self, declaration: Declaration) -> None:
        """Store a declaration that was checked before, e.g. by a library cache: only its name is checked."""
        check_header(self.find, [declaration.name], declaration.level_params)
        self._insert(declaration)
        self._enable_computing(declaration.name, DEFAULT_FUEL)

    @property
    def computing(self) -> frozenset[str]:
        """Functions declared here that compute on literals."""
        return frozenset(self._computing)

    def load_library(
        self, declarations: Mapping[str, Callable[[], Declaration]], computing: Iterable[str]
    ) -> None:
        """Store declarations that were checked before, each of which is read when it is first asked for.

        Args:
            declarations: Name -> function that reads the declaration, in their order.
            computing: `computing` of the environment that they come from.

        Raises:
            ValueError: Something is declared here already.
        """
        if self._own or self.parent is not None:
            raise ValueError("a library is loaded into an empty environment")
        self._own.update((name, _Unread(read)) for name, read in declarations.items())
        self._positions.update((name, at) for at, name in enumerate(declarations))
        self._computing.update(computing)

    # -- axioms --------------------------------------------------------------------------------------------

    def axioms_of(self, e: Expr) -> tuple[str, ...]:
        """The axioms that the constants of `e` rest on, sorted."""
        return self._axioms_below(constants_of((e,)))

    def _axioms_below(self, names: Iterable[str]) -> tuple[str, ...]:
        found: set[str] = set()
        for name in names:
            found.update(self._axioms_of_constant(name))
        return tuple(sorted(found))

    def _axioms_of_constant(self, name: str) -> tuple[str, ...]:
        """The axioms that the declaration of `name` rests on; cached in the environment that stores it."""
        owner = self._owner(name)
        known = owner._axioms.get(name)
        if known is not None:
            return known
        found: set[str] = set()
        seen = {name}
        stack = [name]
        while stack:
            current = stack.pop()
            home = owner._owner(current)
            known = home._axioms.get(current)
            if known is not None:
                found.update(known)
                continue
            declaration = home._stored(current)
            if type(declaration) is TheoremDecl:
                found.update(declaration.axioms)
                continue
            if type(declaration) is Axiom:
                found.add(current)
            fresh = constants_of(parts(declaration)) - seen
            if type(declaration) is Inductive:
                fresh.update(set(declaration.constructors) - seen)
            seen |= fresh
            stack.extend(fresh)
        axioms = owner._axioms[name] = tuple(sorted(found))
        return axioms

    # -- the checks ----------------------------------------------------------------------------------------

    def _check_proof(
        self, params: tuple[str, ...], type_: Expr, value: Expr, fuel: FuelConfig
    ) -> tuple[str, ...]:
        with deep_stack():
            validator = validate(self.find, params, fuel, type_, value)
            checker = TypeChecker(self, fuel)
            if not is_zero(check_type(checker, type_)):
                raise NotAProposition(type_)
            check_value(checker, type_, value)
        return self._axioms_below(validator.constants)

    def _insert(self, declaration: Declaration) -> None:
        self._positions[declaration.name] = len(self._own)
        self._own[declaration.name] = declaration

    def _enable_computing(self, name: str, fuel: FuelConfig) -> None:
        """Let a function compute on literals if `name`, just declared, is the function or its last equation."""
        function = FUNCTION_OF.get(name)
        if function is not None:
            if has_proved_equations(function, self.find, self.computes_on_literals):
                self._computing.add(function)
        elif name in NAT_FUNCTIONS and type(self._stored(name)) is Definition:
            with deep_stack():
                if has_defining_equations(TypeChecker(self, fuel), name):
                    self._computing.add(name)
