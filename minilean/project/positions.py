"""The environment before a theorem: in minilean's library, or in a file of a project.

A position is `FILE:NAME` in the library (`minilean.library.prefix`), and `ROOT//FILE:NAME` in the project below the
folder ROOT: a file of it and a theorem in that file. The environment there has what the imports of the file declare
and what the commands before the theorem added, and nothing else.

What keeps a proof from using the theorem itself, or a later one, is the kernel: the environment that checks the proof
sees the first declarations of the file only. A module that imports the file is not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from minilean.elab.names import Scope
from minilean.library import library
from minilean.library.prefix import PositionError, library_before
from minilean.meta.extension import TABLES, LeanEnv
from minilean.project.declared import THEOREMS
from minilean.project.loading import Module, Project
from minilean.project.modules import ProjectError, SourceFile, read_project
from minilean.project.running import FileRunner, Report
from minilean.project.traced import theorem_scope
from minilean.syntax import ast
from minilean.tactics.state import run_nested

BETWEEN = "//"
"""Stands between the root of a project and the file."""
MAX_PROJECTS = 4
MAX_PLACES = 16
"""Greatest number of environments that are kept; each keeps its index of simp lemmas."""


@dataclass(frozen=True, slots=True)
class TheoremPlace:
    """A theorem of a file, and the moment before it.

    Attributes:
        size: The number of declarations of its file before it.
        tables: The tables of the environment, by name.
        scope: The scope in which it stands.
        start: Offset of its first character in the file.
        header_end: Offset after its statement.
    """

    size: int
    tables: Mapping[str, Any]
    scope: Scope
    start: int
    header_end: int


@dataclass(frozen=True, slots=True)
class Written:
    """A theorem as its file writes it.

    Attributes:
        before: The text of the file in front of it, imports included.
        header: Its text without its proof.
        env: The environment before it. Add to a `child()` of it, never to it.
        scope: The scope in which it stands, with its namespace.
        name: Its full name.
    """

    before: str
    header: str
    env: LeanEnv
    scope: Scope
    name: str


class _PlacingRunner(FileRunner):
    """Keeps the moment before each theorem of the file."""

    def __init__(self, env: LeanEnv, scope: Scope, report: Report) -> None:
        super().__init__(env, run_nested, scope=scope, report=report)
        self._kernel = env.kernel
        self.places: dict[str, TheoremPlace] = {}
        self._tables: dict[str, Any] = {}

    def run(self, command: ast.Command, source: str = "") -> None:
        """Run one command as a whole."""
        place = None
        if isinstance(command, ast.Decl) and command.kind in THEOREMS and command.type is not None:
            place = self.full_name(command.name), self._place(command, command.type.end)
        super().run(command, source)
        if place is not None:
            self.places.setdefault(*place)

    def _place(self, command: ast.Decl, header_end: int) -> TheoremPlace:
        # a command replaces the tables of the environment; those that it left as they were are kept once
        for table in TABLES:
            now = getattr(self.env, table)
            if table not in self._tables or now != self._tables[table]:
                self._tables[table] = now
        return TheoremPlace(self._kernel.size, dict(self._tables), self.scope, command.start, header_end)


def project_position(root: str, file: str, name: str) -> str:
    """Return the position of a theorem in a file of a project."""
    return f"{root}{BETWEEN}{file}:{name}"


def in_project(position: str) -> bool:
    """Return whether a position is in a project, and not in the library."""
    return BETWEEN in position


def environment_at(position: str) -> tuple[LeanEnv, Scope | None]:
    """Return the environment at a position, and the scope there; the whole library without a position.

    Add to a `child()` of the environment, never to it.

    Raises:
        PositionError: There is no such file or theorem.
    """
    if not position:
        return library(), None
    return project_before(position) if in_project(position) else (library_before(position), None)


@lru_cache(maxsize=MAX_PLACES)
def project_before(position: str) -> tuple[LeanEnv, Scope]:
    """Return the environment and the scope before a theorem of a project.

    Raises:
        PositionError: There is no such file or theorem.
    """
    return project_before_on(None, position)


def project_before_on(base: LeanEnv | None, position: str) -> tuple[LeanEnv, Scope]:
    """Return the environment and the scope before a theorem of a project whose files are run on a library.

    Args:
        base: The library; `None` for minilean's, on which the files are run once.
        position: `ROOT//FILE:NAME`.

    Raises:
        PositionError: There is no such file or theorem.
    """
    module, _, place = _found(position, base)
    return _before(module, place), theorem_scope(place.scope)


def written_at(position: str) -> Written:
    """Return a theorem of a project as its file writes it.

    Raises:
        PositionError: There is no such file or theorem.
    """
    module, name, place = _found(position)
    text = module.source.text
    header = text[place.start : place.header_end]
    return Written(text[: place.start], header, _before(module, place), place.scope, name)


def _before(module: Module, place: TheoremPlace) -> LeanEnv:
    env = LeanEnv()
    env.kernel = module.env.kernel.prefix(place.size)
    for table in TABLES:
        setattr(env, table, place.tables[table].copy())
    return env


def _found(position: str, base: LeanEnv | None = None) -> tuple[Module, str, TheoremPlace]:
    """Return the module, the name and the place of a theorem."""
    root, _, rest = position.partition(BETWEEN)
    project, modules = _project(root) if base is None else _read(root, base)
    file = max((path for path in modules if rest.startswith(f"{path}:")), key=len, default="")
    if not file:
        raise PositionError(f"position: got {position!r}, expected ROOT//FILE:NAME with a file below {root}")
    name = rest.removeprefix(f"{file}:")
    try:
        module = project.load(modules[file])
    except ProjectError as error:
        raise PositionError(f"position {position!r}: {error}") from None
    assert isinstance(module.runner, _PlacingRunner)
    found = module.runner.places.get(name)
    if found is None:
        raise PositionError(f"position: got {position!r}, but {file} has no theorem of this name")
    return module, name, found


@lru_cache(maxsize=MAX_PROJECTS)
def _project(root: str) -> tuple[Project, dict[str, str]]:
    """Return a project and the modules of its files by path. The files are read once."""
    return _read(root, None)


def _read(root: str, base: LeanEnv | None) -> tuple[Project, dict[str, str]]:
    try:
        sources = read_project(Path(root))
        project = Project(Path(root), sources.files, lenient=True, make_runner=_placing, base=base)
    except ProjectError as error:
        raise PositionError(f"position in a project: {error}") from None
    return project, {file.path: module for module, file in sources.files.items()}


def _placing(source: SourceFile, env: LeanEnv, scope: Scope, report: Report) -> FileRunner:
    return _PlacingRunner(env, scope, report)
