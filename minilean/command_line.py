"""Conduct of a program at its border: wrong usage in one line, the end of one whose reader left."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

CLOSED: Final = 128 + signal.SIGPIPE
"""Exit status of a program whose output was closed, as that of any Unix program in `program | head -1`."""


class Parser(argparse.ArgumentParser):
    """Parser whose errors are one line on standard error, and exit code 2; `--help` shows the usage."""

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
