"""`python -m minilean check FILE.lean ...`: elaborate whole files and print Lean's messages.

    python -m minilean check Proofs.lean          Proofs.lean:3:2: error: unsolved goals ...
    python -m minilean check --json Proofs.lean   one JSON object a message

After an error the next command is tried. Positions are Lean's: lines from 1, columns from 0. The exit status is
1 when there was an error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from minilean.commands.command import CommandRunner
from minilean.elab.sorry import SORRY, sorry_as_term, with_sorry
from minilean.kernel.fuel import deep_stack
from minilean.library import library
from minilean.meta.errors import messages_of
from minilean.meta.extension import LeanEnv
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import FileParser
from minilean.tactics.state import run_nested


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


def check_text(
    text: str, env: LeanEnv | None = None, seconds: float = 60.0, on_command: Callable[[], None] | None = None
) -> list[Message]:
    """Elaborate a whole file on top of the library.

    Args:
        text: The source.
        env: The environment that gets the declarations; by default a new scope on top of the library, in which
            `sorry` is an axiom, reported by a warning. In an environment without that axiom `sorry` is refused.
        seconds: Time for one command.
        on_command: Called before each command.

    Returns:
        The messages, in order.
    """
    messages: list[Message] = []
    parser = FileParser(text)
    at = 0

    def report(severity: str, message: str, offset: int | None = None) -> None:
        offset = at if offset is None else offset
        line_start = text.rfind("\n", 0, offset) + 1
        messages.append(Message(severity, text.count("\n", 0, offset) + 1, offset - line_start, message))

    runner = CommandRunner(
        with_sorry(library()) if env is None else env, run_nested, seconds=seconds, report=report
    )
    while True:
        if on_command is not None:
            on_command()
        try:
            command = parser.next()
        except ParseError as error:
            messages.append(Message("error", error.line, error.column, error.message))
            continue
        if command is None:
            return messages
        at = command.start
        try:
            with deep_stack():
                runner.run(command if runner.env.find(SORRY) is None else sorry_as_term(command, text), text)
            parser.use(runner.scope.grammar)
        except Exception as error:
            for message, position, _ in messages_of(error):
                report("error", message, position)


def main(argv: Sequence[str]) -> int:
    """Run the command line.

    Returns:
        The exit status: 0, 1 for errors in a file, 2 for a file that cannot be read.
    """
    parser = argparse.ArgumentParser(
        prog="python -m minilean check",
        description="Elaborate Lean files and print Lean's messages.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a Lean source file")
    parser.add_argument("--json", action="store_true", help="print one JSON object a message")
    options = parser.parse_args(list(argv))
    status = 0
    for name in options.files:
        try:
            text = Path(name).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            print(f"{name}: cannot be read: {error}; expected a UTF-8 text file", file=sys.stderr)
            return 2
        for message in check_text(text):
            if message.severity == "error":
                status = 1
            if options.json:
                row = {
                    "fileName": name, "severity": message.severity.replace("trace", "info"), "data": message.text,
                    "pos": {"line": message.line, "column": message.column},
                }  # fmt: skip
                print(json.dumps(row, ensure_ascii=False))
            else:
                print(message.format(name))
    return status
