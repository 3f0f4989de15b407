"""Scopes and name resolution: namespaces, `open`, and the split of a dotted name into constant and fields.

Source: Lean 4 `src/Lean/ResolveName.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from minilean.elab.scoped_attributes import Change
from minilean.meta.errors import MetaError
from minilean.meta.extension import LeanEnv
from minilean.meta.metavars import Meta
from minilean.printer.shown_notations import NONE, Notations, ShownNotation
from minilean.syntax import ast
from minilean.syntax.cursor import Grammar
from minilean.syntax.macros import with_tactic
from minilean.syntax.notation import EXPORTED
from minilean.syntax.notations import Argument, extended
from minilean.syntax.parser import CORE


@dataclass(frozen=True, slots=True)
class Scope:
    """Effects of `namespace`, `section`, `open`, `universe`, `variable` and options at one place of a file.

    Attributes:
        aliases: Pairs of name and full name from `open n (a)`, `open n renaming a → b` and `export n (a)`; the
            name of an export starts with the namespace that exports it.
        closed: Full names hidden by `open n hiding a`.
        variables: Binders of `variable`, one name each.
        included: Variables named by `include`.
        omitted: Positions of the variables named by `omit`.
        notations: The user's notations: key to expansion.
        shown: Notations under which applications of constants are printed.
        grammar: Grammar of the text: core's with the user's notations and tactics.
        passing: Changes by attributes that are undone at the end of this scope.
        options: Options that were set, by name.
        macros: The rules for syntax of the user by its key: those of each command, the latest first.
        classical: Whether every proposition is decidable, after `open Classical` or `open scoped Classical`.
    """

    namespace: str = ""
    opened: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    variables: tuple[ast.Binder, ...] = ()
    label: str = field(default="", compare=False)
    aliases: tuple[tuple[str, str], ...] = ()
    closed: frozenset[str] = frozenset()
    included: frozenset[str] = frozenset()
    omitted: frozenset[int] = frozenset()
    notations: Mapping[str, Any] = field(default_factory=dict, compare=False)
    shown: Notations = field(default_factory=lambda: NONE, compare=False)
    grammar: Grammar = field(default=CORE, compare=False)
    passing: tuple[Change, ...] = field(default=(), compare=False)
    options: tuple[tuple[str, str], ...] = ()
    macros: Mapping[str, tuple[tuple[Any, ...], ...]] = field(default_factory=dict, compare=False)
    classical: bool = False

    def option(self, name: str, default: str) -> str:
        """The value of an option."""
        return dict(self.options).get(name, default)

    def lints(self, name: str, default: bool) -> bool:
        """Return whether the linter of this name is on."""
        chosen = self.option(f"linter.{name}", self.option("linter.all", str(default).lower()))
        return chosen == "true"

    @property
    def view(self) -> tuple[str, ...]:
        """Settings that decide under which names constants are printed; empty where nothing is open."""
        aliases = (f"{short}={full}" for short, full in self.aliases)
        shown = (self.namespace, *self.opened, *aliases, *sorted(self.closed))
        return shown if any(shown) else ()

    def of(self, name: str) -> Scope:
        """The scope inside the declaration of `name`: its namespace is the one that the name is in."""
        return replace(self, namespace=name.rpartition(".")[0])

    def with_notation(
        self, command: ast.NotationCmd, key: str, meaning: Any, shown: tuple[str, ShownNotation] | None
    ) -> Scope:
        """Add a notation that expands to `meaning`; `shown` is the constant that it prints, with its pattern."""
        table = self.shown
        if shown is not None:
            table = {**table, shown[0]: (shown[1], *table.get(shown[0], ()))}
        return replace(
            self,
            notations={**self.notations, key: meaning},
            shown=table,
            grammar=extended(self.grammar, command, key),
        )

    def with_block(self, command: ast.SyntaxCmd, block: ast.TacSeq) -> Scope:
        """Add a tactic without arguments that stands for a block."""

        def make(args: object, start: int, end: int) -> ast.Tactic:
            return ast.Expansion(block, start=start, end=end)

        return replace(self, grammar=with_tactic(self.grammar, command, make))

    def with_syntax(self, command: ast.SyntaxCmd, key: str) -> Scope:
        """Add a term or tactic without expansions."""
        word = command.items[0].token or ""

        def make(args: tuple[Argument, ...], start: int, end: int) -> ast.Tactic:
            return ast.MacroUse(word, key, args, start=start, end=end)

        if command.category == "term":
            return replace(self, grammar=extended(self.grammar, command, key))
        return replace(self, grammar=with_tactic(self.grammar, command, make))

    def with_macro_rules(self, rules: Mapping[str, tuple[Any, ...]]) -> Scope:
        """Add the rules of one command, by the key of their syntax; they are tried before the older ones."""
        added = {key: (group, *self.macros.get(key, ())) for key, group in rules.items()}
        return replace(self, macros={**self.macros, **added})

    @property
    def inherited(self) -> Scope:
        """The initial scope of a file that imports this one: notations and tactics, nothing open."""
        return Scope(notations=self.notations, shown=self.shown, grammar=self.grammar, macros=self.macros)

    def opening(self, names: tuple[str, ...]) -> Scope:
        """This scope with more namespaces open."""
        return replace(self, opened=self.opened + names)


def is_short(name: str) -> bool:
    """Return whether a name is one letter followed by digits, subscripts or primes only."""
    return all(c.isdigit() or c in "₀₁₂₃₄₅₆₇₈₉'_" for c in name[1:])


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
    """The constant that `name` as a whole refers to.

    Raises:
        MetaError: There are several, or it is hidden.
    """
    found = meanings(env, scope, name)
    if len(found) > 1:
        raise MetaError(f"ambiguous identifier `{name}`, possible interpretations: [{', '.join(found)}]")
    if not found:
        return None
    env.require_named(found[0])
    return found[0]


def meanings(env: LeanEnv, scope: Scope, name: str) -> list[str]:
    """Return all constants that `name` as a whole refers to; several when open namespaces each have one.

    The current namespace and the enclosing ones come first, then an exact dotted name, then open namespaces.
    """
    if name.startswith("_root_."):
        name = name[len("_root_.") :]
        return [name] if env.find(name) is not None else []
    short = "." not in name
    namespace = scope.namespace
    while namespace:
        inner = _qualified(env, scope, f"{namespace}.{name}", short)
        if inner:
            return inner
        namespace = namespace.rpartition(".")[0]
    found = [name] if env.find(name) is not None else []
    if found and not short:
        return found
    found += _aliased(env, scope, name)
    for opened in scope.opened:
        full = f"{opened}.{name}"
        if full not in scope.closed:
            found += _qualified(env, scope, full, short)
    exported = _EXPORTED.get(name)
    if exported is not None and env.find(exported) is not None:
        found.append(exported)
    return list(dict.fromkeys(found))


def overloads(m: Meta, scope: Scope, stx: ast.Ident) -> list[ast.Ident]:
    """Return the constants that an identifier may refer to, as identifiers; empty unless there are several.

    A local variable is never overloaded.
    """
    parts = stx.name.split(".")
    if not (scope.opened or scope.aliases or parts[0] in _EXPORTED):
        return []
    for cut in range(len(parts), 0, -1):
        head = ".".join(parts[:cut])
        if m.lctx.by_name(head) is not None:
            return []
        found = meanings(m.env, scope, head)
        if found:
            names = [".".join(["_root_", full, *parts[cut:]]) for full in found]
            return [replace(stx, name=name) for name in names] if len(found) > 1 else []
    return []


def _qualified(env: LeanEnv, scope: Scope, full: str, short: bool) -> list[str]:
    """Return the constant of a full name, unless it is protected and written short, and its aliases."""
    found = [full] if env.find(full) is not None and not (short and full in env.protected) else []
    return found + _aliased(env, scope, full)


def _aliased(env: LeanEnv, scope: Scope, name: str) -> list[str]:
    return [full for alias, full in scope.aliases[::-1] if alias == name and env.find(full) is not None]
