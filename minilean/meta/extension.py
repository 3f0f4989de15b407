"""The elaborator's tables on top of the kernel's environment: attributes, classes, structures.

Nothing here is trusted. A `LeanEnv` is persistent as the kernel's `Environment` is: `child()` starts a scope
whose additions the parent never sees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from minilean.kernel.declaration import Declaration
from minilean.kernel.environment import Environment
from minilean.kernel.expr import Const, Expr
from minilean.kernel.traversal import subterms
from minilean.meta.errors import UnsupportedError
from minilean.meta.history import History

REDUCIBLE = 1
INSTANCES = 2
DEFAULT_TRANSPARENCY = 3
ALL = 4
NEVER = 5

PRINT_CACHE = "print_cache"
"""Key of the memo entry that holds printed terms."""

PRIVATE = "_private."
"""Beginning of the names of private declarations of imported files: `_private.MODULE.0.NAME`, as in Lean."""

DEFAULT_PRIORITY = 1000
"""Priority of simp lemmas and instances that state none."""


_BY_NAMES = (PRINT_CACHE, "lemmas_by_head")
"""Keys of the memo entries that depend on which names are declared."""

_ABOUT_TERMS = ("inst", "definitional")
"""First parts of the keys of memo entries about a term, of which there may be any number."""


@dataclass(frozen=True, slots=True)
class StructureInfo:
    """A structure or class: its constructor and the short names of its fields, in order."""

    name: str
    constructor: str
    fields: tuple[str, ...]
    num_params: int
    is_class: bool
    parents: tuple[tuple[str, str], ...] = ()
    """Fields that hold a parent structure, with its name: `("toPoint", "Point")`."""


@dataclass(frozen=True, slots=True)
class ProjectionInfo:
    """A projection function `struct.field`, whose structure argument is argument number `num_params`."""

    struct: str
    index: int
    num_params: int
    is_class: bool


@dataclass(frozen=True, slots=True)
class InstanceEntry:
    """A global instance; later and higher `priority` ones are tried first."""

    name: str
    priority: int


@dataclass(frozen=True, slots=True)
class MatcherInfo:
    """A function that a `match` was compiled to.

    Its arguments are `num_params` parameters, the motive, `num_discrs` discriminants, and one alternative each
    with `alt_arities[i]` arguments (a `Unit` among them where a pattern has no variables).
    """

    name: str
    num_params: int
    num_discrs: int
    alt_arities: tuple[int, ...]
    has_unit: tuple[bool, ...]

    @property
    def arity(self) -> int:
        """Return the number of arguments of a complete application."""
        return self.num_params + 1 + self.num_discrs + len(self.alt_arities)


@dataclass(frozen=True, slots=True)
class Recursion:
    """A recursive function as it was written.

    `value` is the closed body in which the function calls itself. It takes `arity` arguments to unfold; the one at
    `position` decreases structurally. After well-founded recursion `position` is `None`: the function unfolds by its
    equations only.
    """

    level_params: tuple[str, ...]
    value: Expr
    arity: int
    position: int | None
    hints: tuple[object, int] | None = None
    """The syntax of `termination_by` and `decreasing_by`, and the number of arguments before the colon."""
    all: tuple[str, ...] = ()
    """The functions of a `mutual` block that call each other."""


_PASSING = {"passing": True}
"""Marks a table that `local` and `scoped` attributes change until their scope ends."""


@dataclass(eq=False)
class Tables:
    """Tables of facts about constants by name. Scopes, `local` attributes and the cache copy each table listed here."""

    reducibility: dict[str, int] = field(default_factory=dict, metadata=_PASSING)
    classes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The classes, with the positions of their `outParam` arguments."""
    instances: dict[str, tuple[InstanceEntry, ...]] = field(default_factory=dict, metadata=_PASSING)
    default_instances: dict[str, tuple[InstanceEntry, ...]] = field(default_factory=dict, metadata=_PASSING)
    structures: dict[str, StructureInfo] = field(default_factory=dict)
    projections: dict[str, ProjectionInfo] = field(default_factory=dict)
    simp_lemmas: dict[str, int] = field(default_factory=dict, metadata=_PASSING)
    """Priorities of the lemmas marked `@[simp]`; higher ones are tried first."""
    grind_lemmas: dict[str, frozenset[str]] = field(default_factory=dict, metadata=_PASSING)
    """The modifiers of the attributes `@[grind]` of a theorem or definition, `""` for none."""
    matchers: dict[str, MatcherInfo] = field(default_factory=dict)
    """Functions that `match` terms were compiled to."""
    recursions: dict[str, Recursion] = field(default_factory=dict)
    """Bodies of recursive functions, for unfolding them as they were written."""
    equations: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The equation theorems `f.eq_1`, `f.eq_2`, .. of a function defined by pattern matching."""
    unfold_equations: dict[str, str] = field(default_factory=dict)
    """The theorem `f.eq_def`, which states the whole body of such a function."""
    ext_lemmas: dict[str, tuple[InstanceEntry, ...]] = field(default_factory=dict, metadata=_PASSING)
    """Theorems marked `@[ext]`, by the type that they are about, in the order in which they are tried."""
    refl_lemmas: dict[str, tuple[str, ...]] = field(default_factory=dict, metadata=_PASSING)
    """Theorems marked `@[refl]`, by the head of the relation, the latest first."""
    symm_lemmas: dict[str, tuple[str, ...]] = field(default_factory=dict, metadata=_PASSING)
    """Theorems marked `@[symm]`, by the head of the relation, the latest first."""
    elab_as_elim: dict[str, bool] = field(default_factory=dict)
    """Constants marked `@[elab_as_elim]`, which are elaborated as recursors are."""
    uncompiled: dict[str, bool] = field(default_factory=dict)
    """Definitions that are marked `noncomputable`."""
    written_by_repr: dict[str, bool] = field(default_factory=dict)
    """Types with `deriving Repr`, whose values `#eval` writes as `Repr` does even if there is a `ToString` instance."""
    coercions: dict[str, int] = field(default_factory=dict)
    """Functions marked `@[coe]`, with the position of the argument that is shown after `↑`."""
    match_patterns: dict[str, bool] = field(default_factory=dict)
    """Definitions marked `@[match_pattern]`."""
    eliminators: dict[tuple[str, str], str] = field(default_factory=dict, metadata=_PASSING)
    """Theorems that `induction` or `cases` uses for a type instead of its recursor, by tactic and type."""
    field_defaults: dict[str, object] = field(default_factory=dict)
    """By `S.f`, the number of arguments of `S.f._default`, or the syntax of a tactic block."""
    auto_tactics: dict[str, object] = field(default_factory=dict)
    """Tactics that prove an omitted argument, by the constant that stands for their syntax."""
    scoped: dict[str, tuple[tuple[str, str, str], ...]] = field(default_factory=dict)
    """The `scoped` attributes of a namespace: name, attribute, argument."""
    notations: dict[str, tuple[Callable[[Any], Any], ...]] = field(default_factory=dict)
    """The `scoped` notations of a namespace: functions that change the scope where the namespace is open."""
    refused: dict[str, str] = field(default_factory=dict)
    """By the full name of a declaration of a file that was refused, its place: `FILE:LINE:COLUMN`."""
    namespaces: set[str] = field(default_factory=set)
    protected: set[str] = field(default_factory=set)
    hidden: frozenset[str] = frozenset()
    """Names that sources cannot use, because Lean's core library defines something else in their place."""


TABLES = tuple(table.name for table in fields(Tables))
PASSING_TABLES = tuple(table.name for table in fields(Tables) if "passing" in table.metadata)


class LeanEnv(Tables):
    """A kernel environment with the elaborator's tables.

    Attributes:
        root: The environment that this one is a scope of, or itself.
        is_prefix: Whether this is the library before one of its commands, which lacks constants that tactics name.
        history: The order in which the library was made; empty for an environment that is not the library.
        inline_lemmas: Statements that tactics prove where they use them, elaborated once; shared with the root.
        splitters: The splitters of matchers, built once; declarations that are added do not change them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kernel = Environment()
        self.root = self
        self.is_prefix = False
        self.history = History()
        self.inline_lemmas: dict[str, tuple[Expr, Expr]] = {}
        self.splitters: dict[object, object] = {}
        self.memo: dict[object, object] = {}
        self._found: dict[str, Declaration] = {}

    def child(self) -> LeanEnv:
        """A scope on top of this one."""
        other = LeanEnv.__new__(LeanEnv)
        mine = vars(self)
        vars(other).update({table: mine[table].copy() for table in TABLES})
        other.kernel = self.kernel.child()
        other.root = self.root
        other.is_prefix = self.is_prefix
        other.history = self.history
        other.inline_lemmas = self.inline_lemmas
        other.splitters = self.splitters.copy()
        other.memo = {}
        other._found = {}
        return other

    def scope(self) -> LeanEnv:
        """A child that starts with the memo of this environment, which is valid there until a declaration is added."""
        other = self.child()
        # tables that grow are copied; printed terms may show constants that only one of the two has, and are dropped
        other.memo = {
            key: known.copy() if type(known) is dict else known
            for key, known in self.memo.items()
            if key != PRINT_CACHE
        }
        return other

    def theorem_added(self) -> None:
        """Drop the memo entries that one more theorem may change: printed terms and lists of lemmas.

        All other entries are about existing constants, which do not change.
        """
        for key in _BY_NAMES:
            self.memo.pop(key, None)

    def forget_terms(self) -> None:
        """Drop the memo entries about terms, which grow with the proofs: printed terms and answers about classes."""
        self.memo.pop(PRINT_CACHE, None)
        for key in [key for key in self.memo if type(key) is tuple and key[0] in _ABOUT_TERMS]:
            del self.memo[key]

    def adopt(self, child: LeanEnv) -> None:
        """Add everything that a child added; nothing may have been added here since the child was made."""
        kernel = self.kernel
        kernel.adopt(child.kernel)
        vars(self).update(vars(child))
        self.kernel = kernel

    def find(self, name: str) -> Declaration | None:
        """The declaration of this name, if any."""
        # a declaration never changes: the kernel refuses to declare a name again
        found = self._found.get(name)
        if found is None:
            found = self.kernel.find(name)
            if found is not None:
                self._found[name] = found
        return found

    def require_named(self, name: str) -> None:
        """Refuse a hidden name.

        Raises:
            UnsupportedError: The name is hidden.
        """
        if name in self.hidden:
            raise UnsupportedError(f"`{name}`, which stands for what Lean represents otherwise")

    def require_shown(self, type_name: str) -> None:
        """Refuse the constructors of a type whose recursor is hidden.

        Raises:
            UnsupportedError: The recursor is hidden.
        """
        if f"{type_name}.rec" in self.hidden:
            raise UnsupportedError(f"the constructors of `{type_name}`")

    def is_recursive(self, name: str) -> bool:
        """Return whether the source of a function calls the function itself."""
        recursion = self.recursions.get(name)
        if recursion is None:
            return False
        group = (name, *recursion.all)
        return any(type(sub) is Const and sub.name in group for sub in subterms(recursion.value))

    def add_instance(self, class_name: str, instance: str, priority: int = DEFAULT_PRIORITY) -> None:
        """Register a global instance of a class."""
        entries = [*self.instances.get(class_name, ()), InstanceEntry(instance, priority)]
        entries.sort(key=lambda entry: entry.priority)
        self.instances[class_name] = tuple(entries)
        self.reducibility.setdefault(instance, INSTANCES)

    def add_default_instance(self, class_name: str, instance: str, priority: int = DEFAULT_PRIORITY) -> None:
        """Register an instance that may be chosen when a type-class problem stays ambiguous."""
        entries = [*self.default_instances.get(class_name, ()), InstanceEntry(instance, priority)]
        entries.sort(key=lambda entry: -entry.priority)
        self.default_instances[class_name] = tuple(entries)

    def add_namespace(self, name: str) -> None:
        """Record a namespace and its parents, so that `open` and dot notation know it."""
        parts = name.split(".")
        for i in range(1, len(parts) + 1):
            self.namespaces.add(".".join(parts[:i]))
