"""minilean's own library as a project: its files in order, each importing the one before it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from minilean.kernel.fuel import deep_stack
from minilean.kernel.interning import keep_tables
from minilean.library import cache
from minilean.library.load import LIBRARY, library_files
from minilean.meta.extension import LeanEnv
from minilean.project.recording import Again, TacticStep
from minilean.project.traced import Trace, TracingRunner
from minilean.syntax.parser import parse_commands

FOLDER = "minilean/library"
"""Folder of the library in the paths of traces."""


def library_path(file: str) -> str:
    """Return the path of a file of the library in traces."""
    return f"{FOLDER}/{file}"


def is_library(folder: Path) -> bool:
    """Return whether a folder is that of minilean's library."""
    return folder.is_dir() and folder.samefile(LIBRARY)


class LibraryTracer:
    """Traces the files of the library, each after all before it, on an environment of its own."""

    def __init__(self) -> None:
        keep_tables()
        self._env = LeanEnv()
        self._done = 0

    def trace(
        self, file: str, on_again: Callable[[TacticStep, Again], None] | None = None
    ) -> tuple[str, Trace]:
        """Run a file and those before it that were not run yet.

        Args:
            file: Its name, e.g. `NatBasic.lean`. A file is traced once, and files in their order.
            on_again: As in `TracingRunner`.

        Returns:
            Its text and its record.

        Raises:
            ValueError: The library has no such file, or it was traced before.
            MetaError: A command is refused.
        """
        files = library_files()
        names = [path.name for path in files]
        if file not in names[self._done :]:
            raise ValueError(f"file: got {file!r}, expected one of {', '.join(names[self._done :])}")
        while True:
            path = files[self._done]
            self._done += 1
            text = path.read_text("utf-8")
            runner = TracingRunner(self._env, text, on_again if path.name == file else None, trusted=True)
            with cache.uncollected():
                for command in parse_commands(text):
                    with deep_stack():
                        runner.run(command, text)
            if path.name == file:
                return text, runner.trace
