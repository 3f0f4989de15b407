"""What the elaborator knows about an environment beyond its declarations: attributes, classes, structures.

None of it is trusted. A `LeanEnv` is persistent as the kernel's `Environment` is: `child()` starts a scope
whose additions the parent never sees.
"""

from __future__ import annotations

from dataclasses import dataclass

from lean_gym.minilean.kernel.declaration import Declaration
from lean_gym.minilean.kernel.environment import Environment

REDUCIBLE = 1
INSTANCES = 2
DEFAULT_TRANSPARENCY = 3
ALL = 4


@dataclass(frozen=True, slots=True)
class StructureInfo:
    """A structure or class: its constructor and the short names of its fields, in order."""

    name: str
    constructor: str
    fields: tuple[str, ...]
    num_params: int
    is_class: bool


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


class LeanEnv:
    """A kernel environment with the elaborator's tables."""

    def __init__(self) -> None:
        self.kernel = Environment()
        self.reducibility: dict[str, int] = {}
        self.classes: dict[str, tuple[int, ...]] = {}
        self.instances: dict[str, tuple[InstanceEntry, ...]] = {}
        self.default_instances: dict[str, tuple[InstanceEntry, ...]] = {}
        self.structures: dict[str, StructureInfo] = {}
        self.projections: dict[str, ProjectionInfo] = {}
        self.simp_lemmas: dict[str, bool] = {}
        self.namespaces: set[str] = set()
        self.protected: set[str] = set()
        self.memo: dict[object, object] = {}

    def child(self) -> LeanEnv:
        """A scope on top of this one."""
        other = LeanEnv.__new__(LeanEnv)
        other.kernel = self.kernel.child()
        other.reducibility = dict(self.reducibility)
        other.classes = dict(self.classes)
        other.instances = dict(self.instances)
        other.default_instances = dict(self.default_instances)
        other.structures = dict(self.structures)
        other.projections = dict(self.projections)
        other.simp_lemmas = dict(self.simp_lemmas)
        other.namespaces = set(self.namespaces)
        other.protected = set(self.protected)
        other.memo = {}
        return other

    def find(self, name: str) -> Declaration | None:
        """The declaration of this name, if any."""
        return self.kernel.find(name)

    def add_instance(self, class_name: str, instance: str, priority: int = 1000) -> None:
        """Register a global instance of a class."""
        entries = [*self.instances.get(class_name, ()), InstanceEntry(instance, priority)]
        entries.sort(key=lambda entry: entry.priority)
        self.instances[class_name] = tuple(entries)
        self.reducibility.setdefault(instance, INSTANCES)

    def add_default_instance(self, class_name: str, instance: str, priority: int = 1000) -> None:
        """Register an instance that may be chosen when a problem stays ambiguous."""
        entries = [*self.default_instances.get(class_name, ()), InstanceEntry(instance, priority)]
        entries.sort(key=lambda entry: -entry.priority)
        self.default_instances[class_name] = tuple(entries)

    def add_namespace(self, name: str) -> None:
        """Record a namespace and its parents, so that `open` and dot notation know it."""
        parts = name.split(".")
        for i in range(1, len(parts) + 1):
            self.namespaces.add(".".join(parts[:i]))
