"""Run of all commands of a file, with Lean's messages.

After an error the run goes on with the next command. What was refused is missing; messages say so where it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from minilean.commands.command import CommandRunner
from minilean.elab.missing_names import with_places
from minilean.elab.names import Scope
from minilean.elab.sorry import SORRY, sorry_as_term
from minilean.kernel.fuel import deep_stack
from minilean.meta.errors import messages_of
from minilean.project.declared import declared_by
from minilean.project.privacy import written_names
from minilean.proof import limit_shared_terms
from minilean.syntax import ast
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import FileParser

Report = Callable[[str, str, "int | None"], None]
"""Takes severity, text and offset of a message."""

_DECLARES = re.compile(
    r"^\s*(?:@\[[^\]]*\]\s*)?(?:(?:private|protected|noncomputable|partial|unsafe|nonrec)\s+)*"
    r"(abbrev|axiom|class|def|inductive|instance|lemma|opaque|structure|theorem)\s+(?!inductive\b)([^\s:({\[⦃|]+)",
    re.MULTILINE,
)
"""The beginning of a declaration with a name, in text that cannot be read."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message about a file; `severity` is `error`, `warning`, `info` or `trace`."""

    severity: str
    line: int
    column: int
    text: str

    def format(self, name: str) -> str:
        """Return the line that Lean prints: information is printed without a position."""
        if self.severity in ("info", "trace"):
            return self.text
        return f"{name}:{self.line}:{self.column}: {self.severity}: {self.text}"


class FileRunner(CommandRunner):
    """Runs the commands of one file, and keeps what the files that import it need.

    Attributes:
        path: Its path, for notes about what was refused in it.
        syntax: Its notations and macros, in order.
        written: The names that it writes down, in order, with whether they are private.
    """

    path: str = ""
    syntax: tuple[Callable[[Scope], Scope], ...] = ()
    written: tuple[tuple[str, bool], ...] = ()

    def run(self, command: ast.Command, source: str = "") -> None:
        """Run one command as a whole."""
        before = self.syntax, self.written
        try:
            super().run(command, source)
        except BaseException:
            self.syntax, self.written = before
            raise
        self.written += tuple(written_names(command, self.source, self.full_name))

    def refused(self, command: ast.Command, text: str) -> None:
        """Go on after a command of a file that was refused."""
        while isinstance(command, ast.InCmd):
            command = command.second
        for declared in declared_by(command, text, self.full_name):
            self.miss(declared.name, declared.kind, text, declared.start)

    def skipped(self, text: str, start: int, end: int) -> None:
        """Go on after text with a syntax error, for what it seems to declare."""
        for found in _DECLARES.finditer(text, start, end):
            self.miss(self.full_name(found[2]), found[1], text, found.start(1))

    def miss(self, name: str, kind: str, text: str, offset: int) -> None:
        """Record that a declaration is missing: its name gets no other meaning, and messages name it."""
        if self.env.find(name) is None:
            line, column = _position(text, offset)
            self.env.refused[name] = f"{self.path}:{line}:{column}".removeprefix(":")

    def change_scopes(self, change: Callable[[Scope], Scope], all_: bool) -> None:
        """Change the innermost scope, or all that are open and those of files that import this one."""
        if all_:
            self.syntax = (*self.syntax, change)
        super().change_scopes(change, all_)


R = TypeVar("R", bound=FileRunner)


def run_text(
    text: str, make_runner: Callable[[Report], R], on_command: Callable[[], None] | None = None
) -> tuple[R, list[Message]]:
    """Run a file without its header; after an error the next command is tried.

    Args:
        text: The source; imports are replaced by white space.
        make_runner: Makes the runner, which passes its messages to the function that it is given. Where its
            environment declares the axiom of `sorry`, each `sorry` stands for it.
        on_command: Called before each command.

    Returns:
        The runner after the last command, and the messages in order.
    """
    messages: list[Message] = []
    at = 0

    def report(severity: str, message: str, offset: int | None = None) -> None:
        offset = at if offset is None else offset
        messages.append(Message(severity, *_position(text, offset), message))

    runner = make_runner(report)
    parser = FileParser(text, runner.scope.grammar)
    while True:
        if on_command is not None:
            on_command()
        try:
            command = parser.next()
        except ParseError as error:
            messages.append(Message("error", error.line, error.column, error.message))
            runner.skipped(text, *parser.skipped)
            continue
        if command is None:
            return runner, messages
        at = command.start
        limit_shared_terms(runner.env)
        try:
            with deep_stack():
                runner.run(command if runner.env.find(SORRY) is None else sorry_as_term(command, text), text)
            parser.use(runner.scope.grammar)
        except Exception as error:
            for message, position, _ in messages_of(error):
                report("error", with_places(runner.env, runner.scope, message), position)
            runner.refused(command, text)


def _position(text: str, offset: int) -> tuple[int, int]:
    """Return line, from 1, and column, from 0."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset) - 1
