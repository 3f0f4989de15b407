"""Loading Lean source: the library of minilean, and whole files.

A wheel brings the proved library as a file (`cache.py`). Without a valid one, the first process that needs the
library proves it, and others wait for that process.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import minilean.tactics.families  # noqa: F401  registers all tactics
from minilean.commands.command import CommandRunner
from minilean.kernel.errors import KernelError
from minilean.kernel.fuel import deep_stack
from minilean.kernel.interning import keep_tables, trim_tables
from minilean.library import cache
from minilean.library.lock import locked
from minilean.library.progress import Progress
from minilean.meta.errors import MetaError
from minilean.meta.extension import TABLES, LeanEnv
from minilean.syntax import ast
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_commands
from minilean.tactics.state import run_nested

LIBRARY = Path(__file__).parent
WAIT_S = 120.0
"""Seconds that a process waits for another one that proves the library."""
# how strings are represented: core's `String` has other constructors, and other facts about them
_HIDDEN = (
    "String.literal",
    "String.ofChars",
    "String.rec",
    "String.casesOn",
    "String.noConfusion",
    "Lean.Syntax",
    "Lean.Name",
    "Lean.SourceInfo",
    "Lean.Omega",
    "have_",
    "String.Pos.Raw",
    "Substring.Raw",
)


class LibraryError(Exception):
    """A declaration of the library was refused: file, line, declaration and message."""


def library_files() -> list[Path]:
    """Return the library's Lean files, in the order in which they are loaded."""
    return [LIBRARY / name for name in (LIBRARY / "order.txt").read_text("utf-8").split()]


def run_source(env: LeanEnv, text: str, name: str, on_error: Callable[[str], None], trusted: bool) -> None:
    """Run every command of a source text and record it; `on_error` gets one message for each refused one."""
    runner = CommandRunner(env, run_nested, trusted)
    try:
        commands = parse_commands(text)
    except ParseError as error:
        on_error(f"{name}:{error}")
        return
    for command in commands:
        before = {table: getattr(env, table) for table in TABLES}
        try:
            with deep_stack():
                runner.run(command, text)
        except (MetaError, KernelError, RecursionError) as error:
            line = text.count("\n", 0, command.start) + 1
            label = command.name if isinstance(command, ast.Decl) else type(command).__name__
            on_error(f"{name}:{line}: {label}: {type(error).__name__}: {error}")
        # a command replaces the tables of the environment, so that the old ones are as they were
        env.history.record(before, vars(env), env.kernel.size)


def load_library() -> LeanEnv:
    """Return the library: from the shipped file, else from the user's cache, else proved now and cached.

    Raises:
        LibraryError: It had to be proved, and a declaration was refused.
    """
    key = cache.library_key(library_files())
    found = cache.find(key)
    env = _prove_once(key) if found is None else found[0]
    keep_tables()
    return env


def _prove_once(key: str) -> LeanEnv:
    """Prove the library, unless another process that is doing so ends in time."""
    path = cache.cache_path(key)
    with locked(path.with_suffix(".lock"), WAIT_S):
        env = cache.read_cached(key)
        if env is not None:
            return env
        keep_tables()
        built = build_library(Progress(len(library_files())))
        cache.write(key, built)
    # The intermediate terms of the proofs are of no use any more.
    trim_tables()
    return cache.read_cached(key) or built


def build_library(progress: Progress | None = None) -> LeanEnv:
    """Prove the whole library from its source. Proofs are kept.

    Args:
        progress: Is told after each file.

    Raises:
        LibraryError: A declaration was refused.
    """
    env = LeanEnv()
    errors: list[str] = []
    with cache.uncollected():
        for done, path in enumerate(library_files(), start=1):
            run_source(env, path.read_text("utf-8"), path.name, errors.append, trusted=True)
            if errors:
                raise LibraryError("\n".join(errors))
            env.history.end_file(path.name)
            if progress is not None:
                progress.show(done)
    if progress is not None:
        progress.end()
    env.hidden = frozenset(name for name in env.kernel if name.startswith(_HIDDEN))
    return env
