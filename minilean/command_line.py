"""Conduct of a program at its border: wrong usage in one line, no text that ends it, its end when a reader left."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn

CLOSED: Final = 128 + signal.SIGPIPE
"""Exit status of a program whose output was closed, as that of any Unix program in `program | head -1`."""


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


@contextmanager
def unless_closed() -> Iterator[None]:
    """End the program without a traceback where the reader of its output has left.

    Raises:
        SystemExit: With the status `CLOSED`.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        end_closed()


def end_closed() -> NoReturn:
    """End the program after a `BrokenPipeError` of its output.

    Raises:
        SystemExit: Always, with the status `CLOSED`.
    """
    # Python writes what is left in its buffer at the exit, which would fail once more.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(CLOSED) from None


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
