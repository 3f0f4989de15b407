"""Conduct of a program at its border: wrong usage and want of means in one line, its end when a reader left.

Also the border of a program that answers line by line on its standard streams, for another program.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, NoReturn

CLOSED: Final = 128 + signal.SIGPIPE
"""Exit status of a program whose output was closed, as that of any Unix program in `program | head -1`."""
MAX_LINE: Final = 1 << 26
"""Longest line that `serve_lines` reads, bytes."""
_PARENT_POLL_S: Final = 1.0
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
        import resource

        place = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        limit = f"; this process may open {files}, see `ulimit -n`" if error.errno == errno.EMFILE else ""
        _end(f"{place}{os.strerror(error.errno)}{limit}")


def _out_of_memory() -> str:
    import resource  # which a browser's Python does not have

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


# --- programs that answer line by line ----------------------------------------------------------------------------


def serve_lines(
    lines: BinaryIO, out: BinaryIO, answer: Callable[[bytes], str | None], refusal: Callable[[str], str]
) -> None:
    """Answer each line with a line, until they end or one has no answer.

    Args:
        lines: The requests.
        out: For the answers.
        answer: Returns the answer to a line, `None` to end.
        refusal: Returns the answer that reports a problem, for a line that is too long to be read.
    """
    while line := lines.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            length = len(line) + _rest_of_line(lines)
            reply: str | None = refusal(f"the line has {length} bytes, at most {MAX_LINE} are read")
        else:
            reply = answer(line)
        if reply is None:
            return
        write_line(out, reply)


def _rest_of_line(lines: BinaryIO) -> int:
    length = 0
    while part := lines.readline(MAX_LINE):
        length += len(part)
        if part.endswith(b"\n"):
            break
    return length


def write_line(out: BinaryIO, text: str) -> None:
    """Write a line at once; half a surrogate pair is written as its escape, so that the line stays readable."""
    out.write(text.encode("utf-8", "backslashreplace") + b"\n")
    out.flush()


def private_output() -> BinaryIO:
    """Return the real standard output, and redirect all other printing to standard error."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return out


def end_with_parent() -> None:
    """End this process when its parent is gone, even if another process still holds its standard input open."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_POLL_S)
        os._exit(0)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()
