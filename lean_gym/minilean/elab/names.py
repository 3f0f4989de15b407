"""Scopes and name resolution: namespaces, `open`, and where a dotted name ends and its fields begin.

Source: Lean 4 `src/Lean/ResolveName.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from lean_gym.minilean.elab.passing import Change
from lean_gym.minilean.meta.extension import LeanEnv
from lean_gym.minilean.syntax import ast
from lean_gym.minilean.syntax.notation import EXPORTED


@dataclass(frozen=True, slots=True)
class Scope:
    """What `namespace`, `section`, `open`, `universe` and `variable` have set up.

    Attributes:
        aliases: Short and full names of what `open n (a)` and `open n renaming a → b` brought.
        closed: Full names that `open n hiding a` left out.
        included: Variables that `include` asked for.
        notations: The user's notations, by key, with what they stand for.
        passing: What attributes changed that hold to the end of this scope.
        options: Options that were set, by name.
    """

    namespace: str = ""
    opened: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    variables: tuple[ast.Binder, ...] = ()
    label: str = field(default="", compare=False)
    aliases: tuple[tuple[str, str], ...] = ()
    closed: frozenset[str] = frozenset()
    included: frozenset[str] = frozenset()
    notations: tuple[tuple[str, Any], ...] = ()
    passing: tuple[Change, ...] = field(default=(), compare=False)
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str, default: str) -> str:
        """The value of an option."""
        return dict(self.options).get(name, default)

    def notation(self, key: str) -> Any:
        """What the notation `key` stands for, the latest one first; `None` if there is none."""
        for known, meaning in reversed(self.notations):
            if known == key:
                return meaning
        return None

    def opening(self, names: tuple[str, ...]) -> Scope:
        """This scope with more namespaces open."""
        return replace(self, opened=self.opened + names)


_EXPORTED = {short: full for full, short in EXPORTED.items()}


def resolve_global(env: LeanEnv, scope: Scope, name: str) -> tuple[str, tuple[str, ...]] | None:
    """The constant that a dotted name refers to, and the fields that follow it; the longest constant wins."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        head = ".".join(parts[:cut])
        found = resolve_exact(env, scope, head)
        if found is not None:
            return found, tuple(parts[cut:])
    return None


def resolve_exact(env: LeanEnv, scope: Scope, name: str) -> str | None:
    """The constant that `name` as a whole refers to."""
    found = _resolve(env, scope, name)
    if found is not None:
        env.require_named(found)
    return found


def _resolve(env: LeanEnv, scope: Scope, name: str) -> str | None:
    if name.startswith("_root_."):
        name = name[len("_root_.") :]
        return name if env.find(name) is not None else None
    namespace = scope.namespace
    while namespace:
        full = f"{namespace}.{name}"
        if env.find(full) is not None and not (full in env.protected and "." not in name):
            return full
        namespace = namespace.rpartition(".")[0]
    if env.find(name) is not None:
        return name
    for short, full in reversed(scope.aliases):
        if short == name and env.find(full) is not None:
            return full
    for opened in scope.opened:
        full = f"{opened}.{name}"
        hidden = full in scope.closed or (full in env.protected and "." not in name)
        if env.find(full) is not None and not hidden:
            return full
    exported = _EXPORTED.get(name)
    return exported if exported is not None and env.find(exported) is not None else None
