"""State of commands: the environment, the open scopes and the receiver of messages; the table of their functions.

Source: Lean 4 `src/Lean/Elab/Command.lean`, `Command.State` and `Command.Scope` (4.34).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from minilean.commands.universes import with_levels
from minilean.elab.names import Scope
from minilean.elab.scoped_attributes import undo
from minilean.elab.term import Elab, TacticRunner
from minilean.meta.budget import Budget
from minilean.meta.extension import LeanEnv
from minilean.meta.meta_m import MetaM
from minilean.syntax import ast
from minilean.syntax.handlers import Handlers

# the section whose definitions need no code; also the name of the option that marks its scope
NONCOMPUTABLE = "noncomputable section"

Cmd = TypeVar("Cmd", bound=ast.Command)

Handler = Callable[["CommandState", Cmd], None]
"""Runs one kind of command, or raises a `MetaError`."""

HANDLERS: Handlers[type[ast.Command], Handler[Any]] = Handlers("commands")
"""The function for each kind of command; filled when the package is imported."""


def runs(*kinds: type[Cmd]) -> Callable[[Handler[Cmd]], Handler[Cmd]]:
    """Register the decorated function in `HANDLERS` for these kinds of commands.

    Raises:
        ValueError: One of them has a handler already.
    """

    def register(handler: Handler[Cmd]) -> Handler[Cmd]:
        HANDLERS.add(handler, *kinds)
        return handler

    return register


class CommandState(ABC):
    """Environment and scopes, which commands change; `run` runs another command."""

    def __init__(
        self,
        env: LeanEnv,
        run_tactics: TacticRunner | None,
        trusted: bool = False,
        scope: Scope | None = None,
        seconds: float = 60.0,
        report: Callable[[str, str, int | None], None] | None = None,
    ) -> None:
        """Start with an empty scope unless one is given.

        Args:
            env: The environment to which the commands add.
            run_tactics: Runs the tactic blocks inside terms.
            trusted: Whether this is the library, which may declare axioms and has a larger budget.
            scope: The initial scope.
            seconds: Time limit for one command, in seconds.
            report: Receives severity, text and source offset of each message. With a report, axioms are allowed,
                because they are reported.
        """
        self.env = env
        self.run_tactics = run_tactics
        self.trusted = trusted
        self.scopes = [Scope() if scope is None else scope]
        self.seconds = seconds
        self.report = report
        self.source = ""
        self.log: list[tuple[str, str, int]] = []

    @property
    def scope(self) -> Scope:
        """The innermost scope."""
        return self.scopes[-1]

    @abstractmethod
    def run(self, command: ast.Command, source: str = "") -> None:
        """Run one command as a whole."""

    def say(self, severity: str, text: str, offset: int | None = None) -> None:
        """Pass a message to `report`, if there is one."""
        if self.report is not None:
            self.report(severity, text, offset)

    def change_scopes(self, change: Callable[[Scope], Scope], all_: bool) -> None:
        """Change the innermost scope, or all that are open."""
        last = len(self.scopes) - 1
        self.scopes[:] = [change(s) if all_ or i == last else s for i, s in enumerate(self.scopes)]

    def push_scope(self, **changes: Any) -> None:
        """Open a scope that differs from the current one in `changes`."""
        self.scopes.append(replace(self.scope, **{"label": "", **changes}, passing=()))

    def pop_scopes(self, count: int) -> None:
        """Close scopes and undo their local attributes."""
        for _ in range(count):
            undo(self.env, self.scopes.pop().passing)

    def full_name(self, name: str) -> str:
        """Return the full name of a declaration of this name in the current namespace."""
        if name.startswith("_root_."):
            return name[len("_root_.") :]
        return f"{self.scope.namespace}.{name}" if self.scope.namespace else name

    def scope_of(self, decl: ast.Decl) -> Scope:
        """The scope inside a declaration: `def T.f` sees the names of the namespace `T`."""
        if not decl.name or decl.kind == "instance":
            return self.scope
        return self.scope.of(self.full_name(decl.name))

    def elaborator(self, level_names: tuple[str, ...], auto_bound: bool) -> Elab:
        """Return an elaborator for one declaration, with its own budget.

        Raises:
            MetaError: A universe name is declared twice.
        """
        with_levels(self.scope.levels, level_names)
        m = MetaM(self.env, budget=Budget(20_000_000 if self.trusted else 2_000_000, self.seconds))
        m.log = self.log
        m.scope = self.scope
        return Elab(m, self.scope, self.run_tactics, level_names, auto_bound, self.source)
