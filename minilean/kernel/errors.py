"""Errors of the kernel. They hold names and terms; `printer/pretty.py` prints the terms.

    KernelError
    ├── DeclarationError               the declaration as a whole
    │   ├── InvalidName                a name that is not a non-empty `str`, of the declaration or of a parameter
    │   ├── AlreadyDeclared            the name is taken, here or in a parent environment
    │   ├── DuplicateLevelParam        a universe parameter is listed twice
    │   ├── NotAType                   the declared type is not a type
    │   ├── NotAProposition            the type of a theorem is a type, but not in `Prop`
    │   └── ValueTypeMismatch          the value has another type than the declared one
    ├── MalformedTerm                  not a term over this environment
    │   ├── ForgedNode                 a node of an unknown class, or with wrong fields or cached facts
    │   ├── LooseBoundVariable         a bound variable without its binder
    │   ├── FreeVariable               a free variable in a declaration
    │   ├── Metavariable               a metavariable, of terms or of levels
    │   ├── UnknownConstant            no declaration of that name
    │   ├── WrongLevelCount            a constant with too many or too few universe arguments
    │   ├── UndeclaredLevelParam       a universe parameter that the declaration does not list
    │   └── BadLiteral                 a literal that is neither a natural number nor a string
    ├── TermError                      does not type-check
    │   ├── SortExpected               a type is needed, got a term of some other type
    │   ├── FunctionExpected           an argument is given to a term that is not a function
    │   ├── ArgumentMismatch           the argument has another type than the function expects
    │   ├── LetMismatch                the value of a `let` has another type than stated
    │   └── InvalidProjection          not a structure, no such field, or data taken out of a proof
    ├── InductiveError                 an invalid inductive type
    │   ├── InvalidGroup               types declared together that do not fit together
    │   ├── NestedWithLocals           a nested type such as `Vect Tree n` with a local variable in its parameters
    │   ├── ParameterMismatch          fewer parameters than declared, or other ones in a constructor
    │   ├── InvalidConstructorResult   a constructor does not build the type at its own parameters
    │   ├── NonPositiveOccurrence      the type occurs to the left of an arrow in a field
    │   ├── InvalidOccurrence          the type occurs with other parameters or inside its own indices
    │   └── UniverseTooBig             a field lives in a larger universe than the type
    ├── InvalidQuotient                `Quot` needs Lean's `Eq` in the environment
    ├── Unsupported                    valid in Lean, not supported by this kernel
    └── ResourceLimit                  the kernel gave up; the declaration may be valid
        ├── DeterministicTimeout       out of steps
        ├── DeepRecursion              too deeply nested
        ├── TermTooLarge               too many nodes, or too large a number
        ├── LevelTooComplex            a universe comparison with too many cases
        └── DeadlineExceeded           the caller's deadline passed

With more fuel (`fuel.py`) a valid declaration that met a `ResourceLimit` may pass; all other errors are final.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from minilean.kernel.expr import Expr
from minilean.kernel.level import Level


class KernelError(Exception):
    """Base of the kernel's errors.

    Attributes:
        summary: One line with the names, but without the terms.
        locals: Name and type of each free variable that the checker made, for printing the terms.
    """

    summary: ClassVar[str] = "the kernel rejects this"
    locals: Mapping[int, tuple[str, Expr]] = {}

    def __str__(self) -> str:
        return self.summary.format_map(vars(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class DeclarationError(KernelError):
    """The declaration as a whole is invalid."""


@dataclass(eq=False, repr=False)
class InvalidName(DeclarationError):
    """A name that is not a non-empty `str`, or level parameters that are not a tuple of such."""

    summary = "invalid name {name!r}, expected a non-empty str"
    name: object


@dataclass(eq=False, repr=False)
class AlreadyDeclared(DeclarationError):
    """The name is taken, here or in a parent environment."""

    summary = "'{name}' has already been declared"
    name: str


@dataclass(eq=False, repr=False)
class DuplicateLevelParam(DeclarationError):
    """A universe parameter is listed twice."""

    summary = "universe parameter '{param}' is listed twice"
    param: str


@dataclass(eq=False, repr=False)
class NotAType(DeclarationError):
    """The declared type is not a type: its own type is `got`, not a `Sort`."""

    summary = "type expected"
    type: Expr
    got: Expr


@dataclass(eq=False, repr=False)
class NotAProposition(DeclarationError):
    """A theorem whose type is a type outside `Prop`."""

    summary = "the type of a theorem must be a proposition"
    type: Expr


@dataclass(eq=False, repr=False)
class ValueTypeMismatch(DeclarationError):
    """The value's type `got` is not the declared type `expected`."""

    summary = "declaration type mismatch"
    expected: Expr
    got: Expr


class MalformedTerm(KernelError):
    """Not a term over this environment."""


@dataclass(eq=False, repr=False)
class ForgedNode(MalformedTerm):
    """A node that the `mk_*` functions cannot have built; `reason` says which property is wrong."""

    summary = "not a term: {reason}"
    reason: str


@dataclass(eq=False, repr=False)
class LooseBoundVariable(MalformedTerm):
    """A bound variable without its binder, somewhere in `term`."""

    summary = "loose bound variable"
    term: Expr


@dataclass(eq=False, repr=False)
class FreeVariable(MalformedTerm):
    """A free variable in a declaration."""

    summary = "declaration has free variables"
    term: Expr


@dataclass(eq=False, repr=False)
class Metavariable(MalformedTerm):
    """A metavariable (of terms, or of levels inside `term`) in a declaration."""

    summary = "declaration has metavariables"
    term: Expr


@dataclass(eq=False, repr=False)
class UnknownConstant(MalformedTerm):
    """No declaration of that name."""

    summary = "unknown constant '{name}'"
    name: str


@dataclass(eq=False, repr=False)
class WrongLevelCount(MalformedTerm):
    """A constant with too many or too few universe arguments."""

    summary = "'{name}' takes {expected} universe arguments, got {got}"
    name: str
    expected: int
    got: int


@dataclass(eq=False, repr=False)
class UndeclaredLevelParam(MalformedTerm):
    """A universe parameter that the declaration does not list."""

    summary = "undeclared universe parameter '{param}'"
    param: str


@dataclass(eq=False, repr=False)
class BadLiteral(MalformedTerm):
    """A literal that is neither a natural number nor a string."""

    summary = "invalid literal of class {kind}"
    kind: str


class TermError(KernelError):
    """A term that does not type-check."""


@dataclass(eq=False, repr=False)
class SortExpected(TermError):
    """`term` is used as a type, but its own type is `got`, not a `Sort`."""

    summary = "type expected"
    term: Expr
    got: Expr


@dataclass(eq=False, repr=False)
class FunctionExpected(TermError):
    """The function of `app` has the type `got`, not a function type."""

    summary = "function expected"
    app: Expr
    got: Expr


@dataclass(eq=False, repr=False)
class ArgumentMismatch(TermError):
    """Argument `arg` of `app` has the type `got`, but the function expects `expected`."""

    summary = "application type mismatch"
    app: Expr
    arg: Expr
    expected: Expr
    got: Expr


@dataclass(eq=False, repr=False)
class LetMismatch(TermError):
    """The value of the `let` has the type `got`, but the stated type is `expected`."""

    summary = "let-declaration type mismatch"
    value: Expr
    expected: Expr
    got: Expr


@dataclass(eq=False, repr=False)
class InvalidProjection(TermError):
    """Not a structure, no such field, or data taken out of a proof."""

    summary = "invalid projection: {reason}"
    term: Expr
    reason: str


class InductiveError(KernelError):
    """An invalid inductive type."""


@dataclass(eq=False, repr=False)
class InvalidGroup(InductiveError):
    """Types declared together that do not fit together; `reason` says why."""

    summary = "{reason}"
    reason: str


@dataclass(eq=False, repr=False)
class NestedWithLocals(InductiveError):
    """A type of the declaration is nested in `container`, whose parameters contain local variables."""

    summary = (
        "invalid nested inductive datatype '{container}', nested inductive datatypes parameters cannot contain "
        "local variables."
    )
    container: str


@dataclass(eq=False, repr=False)
class ParameterMismatch(InductiveError):
    """`name` (the type or a constructor) does not start with the declared number of parameters."""

    summary = "'{name}' does not take the {num_params} parameters of the inductive type"
    name: str
    num_params: int


@dataclass(eq=False, repr=False)
class InvalidConstructorResult(InductiveError):
    """The result of the constructor is not the type at its own parameters, or an index mentions the type."""

    summary = "invalid return type of constructor '{constructor}'"
    constructor: str
    result: Expr


@dataclass(eq=False, repr=False)
class NonPositiveOccurrence(InductiveError):
    """The type occurs to the left of an arrow in field `field` (0-based, parameters excluded)."""

    summary = "field #{field} of constructor '{constructor}' has a non-positive occurrence of the type"
    constructor: str
    field: int
    type: Expr


@dataclass(eq=False, repr=False)
class InvalidOccurrence(InductiveError):
    """The type occurs in field `field` with other parameters, inside its own indices, or not as a type."""

    summary = "field #{field} of constructor '{constructor}' has an invalid occurrence of the type"
    constructor: str
    field: int
    type: Expr


@dataclass(eq=False, repr=False)
class UniverseTooBig(InductiveError):
    """Field `field` lives in universe `got`, the type in the smaller `limit`."""

    summary = (
        "universe level of field #{field} of constructor '{constructor}' is too big: {got}, at most {limit}"
    )
    constructor: str
    field: int
    got: Level
    limit: Level


class InvalidQuotient(KernelError):
    """`Quot` needs `Eq` as Lean defines it."""

    summary = "failed to initialize Quot: the environment's 'Eq' is missing or is not Lean's"


@dataclass(eq=False, repr=False)
class Unsupported(KernelError):
    """Valid in Lean, not supported by this kernel."""

    summary = "unsupported: {what}"
    what: str


class ResourceLimit(KernelError):
    """The kernel gave up; the declaration may be valid."""


class DeterministicTimeout(ResourceLimit):
    """Out of steps."""

    summary = "(kernel) deterministic timeout"


class DeepRecursion(ResourceLimit):
    """Too deeply nested."""

    summary = "(kernel) deep recursion detected"


@dataclass(eq=False, repr=False)
class TermTooLarge(ResourceLimit):
    """More nodes than the bound, or a number with more bits."""

    summary = "(kernel) term too large: {what}"
    what: str


@dataclass(eq=False, repr=False)
class LevelTooComplex(ResourceLimit):
    """A universe comparison with too many cases, or a level with too many nodes."""

    summary = "(kernel) universe levels too complex"
    left: Level
    right: Level


class DeadlineExceeded(ResourceLimit):
    """The caller's deadline passed."""

    summary = "(kernel) deadline exceeded"
