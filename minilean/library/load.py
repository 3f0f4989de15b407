"""Loading Lean source: the library that ships with minilean, and whole files.

The library is proved when it is first loaded. What was proved is then kept in a cache file, keyed by the text of
the library, the source of minilean itself and the Python version; a file that is missing, stale or damaged is
rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import minilean.tactics.families  # noqa: F401  registers all tactics
from minilean.commands.command import CommandRunner
from minilean.kernel.errors import KernelError
from minilean.kernel.fuel import deep_stack
from minilean.kernel.interning import keep_tables, trim_tables
from minilean.library import cache as library_cache
from minilean.meta.errors import MetaError
from minilean.meta.extension import LeanEnv
from minilean.syntax import ast
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_commands
from minilean.tactics.state import run_nested

LIBRARY = Path(__file__).parent
# how strings are represented: core's `String` has other constructors, and other facts about them
_HIDDEN = (
    "String.literal",
    "String.ofChars",
    "String.rec",
    "String.casesOn",
    "String.noConfusion",
    "Lean.Syntax",
)


class LibraryError(Exception):
    """A declaration of the library was refused: file, line, declaration and message."""


def library_files() -> list[Path]:
    """The library's files, in the order in which they are loaded."""
    return [LIBRARY / name for name in (LIBRARY / "order.txt").read_text("utf-8").split()]


def run_source(env: LeanEnv, text: str, name: str, on_error: Callable[[str], None], trusted: bool) -> None:
    """Run every command of a source text; `on_error` gets one message for each refused one."""
    runner = CommandRunner(env, run_nested, trusted)
    try:
        commands = parse_commands(text)
    except ParseError as error:
        on_error(f"{name}:{error}")
        return
    for command in commands:
        try:
            with deep_stack():
                runner.run(command)
        except (MetaError, KernelError, RecursionError) as error:
            line = text.count("\n", 0, command.start) + 1
            label = command.name if isinstance(command, ast.Decl) else type(command).__name__
            on_error(f"{name}:{line}: {label}: {type(error).__name__}: {error}")


def load_library() -> LeanEnv:
    """The library, from the cache file if there is a sound one, else proved anew and cached."""
    key = library_cache.cache_key(library_files())
    env = library_cache.read(key)
    if env is None:
        keep_tables()
        built = build_library()
        library_cache.write(key, built)
        # what proving left behind is not worth keeping
        trim_tables()
        env = library_cache.read(key) or built
    keep_tables()
    return env


def build_library() -> LeanEnv:
    """Prove the whole library.

    Raises:
        LibraryError: A declaration was refused.
    """
    env = LeanEnv()
    errors: list[str] = []
    with library_cache.uncollected():
        for path in library_files():
            run_source(env, path.read_text("utf-8"), path.name, errors.append, trusted=True)
            if errors:
                raise LibraryError("\n".join(errors))
    env.hidden = frozenset(name for name in env.kernel if name.startswith(_HIDDEN))
    return env
