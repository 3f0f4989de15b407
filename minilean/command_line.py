"""Conduct of a program at its border: wrong usage and want of means in one line, its end when a reader left."""

from __future__ import annotations

import argparse
import errno
import io
import os
import resource
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn

CLOSED: Final = 128 + signal.SIGPIPE
"""Exit status of a program whose output was closed, as that of any Unix program in `program | head -1`."""
_OUT_OF: Final = (
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.ENOMEM,
    errno.EAGAIN,
)
_UNMAPPED: Final = ("failed to map segment", "cannot allocate memory")
"""What the loader says about a library for which there is no room, in an `ImportError`."""


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


@contextmanager
def ending_in_want() -> Iterator[None]:
    """End the program in one line where it has no more memory, files, processes or space on a disk.

    Raises:
        SystemExit: With code 1.
    """
    try:
        yield
        sys.stdout.flush()
    except MemoryError:
        _end(_out_of_memory())
    except ImportError as error:
        if not any(text in str(error) for text in _UNMAPPED):
            raise
        _end(_out_of_memory())
    except OSError as error:
        if error.errno not in _OUT_OF:
            raise
        place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        limit = f"; this process may open {files}, see `ulimit -n`" if error.errno == errno.EMFILE else ""
        _end(f"{place}{os.strerror(error.errno)}{limit}")


def _out_of_memory() -> str:
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return "out of memory"
    return f"out of memory; this process may have {limit >> 20} MiB, see `ulimit -v`"


def _end(reason: str) -> NoReturn:
    # What is left in the buffer of a full output would fail once more at the exit.
    try:
        sys.stdout.flush()
    except (OSError, MemoryError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    print(f"error: {reason}", file=sys.stderr)
    raise SystemExit(1) from None
