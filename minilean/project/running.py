"""Run of all commands of a file, with Lean's messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from minilean.commands.command import CommandRunner
from minilean.elab.names import Scope
from minilean.elab.sorry import SORRY, sorry_as_term
from minilean.kernel.fuel import deep_stack
from minilean.meta.errors import messages_of
from minilean.project.privacy import written_names
from minilean.proof import limit_shared_terms
from minilean.syntax import ast
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import FileParser

Report = Callable[[str, str, "int | None"], None]
"""Takes severity, text and offset of a message."""


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
        syntax: Its notations and macros, in order.
        written: The names that it writes down, in order, with whether they are private.
    """

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

    def change_scopes(self, change: Callable[[Scope], Scope], all_: bool) -> None:
        """Change the innermost scope, or all that are open and those of files that import this one."""
        if all_:
            self.syntax = (*self.syntax, change)
        super().change_scopes(change, all_)


def run_text(
    text: str, make_runner: Callable[[Report], FileRunner], on_command: Callable[[], None] | None = None
) -> tuple[FileRunner, list[Message]]:
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
        line_start = text.rfind("\n", 0, offset) + 1
        messages.append(Message(severity, text.count("\n", 0, offset) + 1, offset - line_start, message))

    runner = make_runner(report)
    parser = FileParser(text, runner.scope.grammar)
    while True:
        if on_command is not None:
            on_command()
        try:
            command = parser.next()
        except ParseError as error:
            messages.append(Message("error", error.line, error.column, error.message))
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
                report("error", message, position)
