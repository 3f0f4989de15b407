"""Conduct of a program at its border: wrong usage in one line, and no text that ends it."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """Parser whose errors are one line on standard error, and exit code 2; `--help` shows the usage.

    Reading a command line makes the standard streams take every text, see `take_every_text`.
    """

    def parse_known_args(  # type: ignore[override]  # the two overloads of `argparse` at once
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        """Read a command line; `parse_args` calls it as well."""
        take_every_text()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End the program.

        Raises:
            SystemExit: Always, with code 2.
        """
        self.exit(2, f"error: {self.prog}: {' '.join(message.split())}\n")


def take_every_text() -> None:
    """Let the standard streams take every text, whatever their encoding.

    A character that an output cannot encode, such as `⊢` in ASCII or a byte of a file name, is written as its escape.
    A byte of the input that is no character is read as half a surrogate pair, which no reader of Lean accepts.
    """
    for stream, errors in (
        (sys.stdin, "surrogateescape"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        if isinstance(stream, io.TextIOWrapper):  # programs and tests put other streams in their place
            stream.reconfigure(errors=errors)
