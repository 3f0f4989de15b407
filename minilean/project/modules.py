"""The files of a project: their modules, what they import, and an order in which imports come first."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from minilean.project.header import is_core, split_header

_SKIPPED = ("build", "lake-packages", "node_modules", "__pycache__")
_LAKE = ("lakefile.toml", "lakefile.lean")
_PART = re.compile(r"[^\W\d][\w'!?]*")
_SOURCE_FOLDER = re.compile(r'\bsrcDir\s*:=\s*"([^"]+)"')


class ProjectError(Exception):
    """A file or module that cannot be read or imported; the text is one line."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a project.

    Attributes:
        path: Its path in the project, with slashes.
        module: Its module.
        text: Its content.
        imports: The modules of the project that it imports.
        core: The modules that it imports from elsewhere.
    """

    path: str
    module: str
    text: str
    imports: tuple[str, ...]
    core: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a project.

    Attributes:
        files: By module, imports before importers. Files that cannot be run are left out.
        left_out: By path, the reason in one line.
    """

    files: dict[str, SourceFile]
    left_out: dict[str, str]


def project_root(file: Path) -> Path:
    """Return the nearest folder above a file that has a lakefile; without one, the folder of the file."""
    folder = file.absolute().parent
    return next(
        (root for root in (folder, *folder.parents) if any((root / name).is_file() for name in _LAKE)), folder
    )


def source_folders(root: Path) -> list[Path]:
    """Return the folders below which modules are looked for: the source folders of the lakefile, and the root."""
    found: list[str] = []
    if (root / "lakefile.toml").is_file():
        found = [folder for folder in _toml_folders(root / "lakefile.toml") if isinstance(folder, str)]
    elif (root / "lakefile.lean").is_file():
        found = _SOURCE_FOLDER.findall((root / "lakefile.lean").read_text("utf-8", "replace"))
    inside = [root / folder for folder in found if (root / folder).resolve().is_relative_to(root.resolve())]
    return list(dict.fromkeys([*(folder for folder in inside if folder.is_dir()), root]))


def _toml_folders(lakefile: Path) -> Iterator[object]:
    try:
        data = tomllib.loads(lakefile.read_text("utf-8", "replace"))
    except tomllib.TOMLDecodeError as error:
        raise ProjectError(f"{lakefile.name}: not TOML: {error}") from None
    yield data.get("srcDir")
    for key in ("lean_lib", "lean_exe"):
        libraries = data.get(key)
        yield from (library.get("srcDir") for library in libraries or () if isinstance(library, dict))


def module_file(folders: Sequence[Path], module: str) -> Path | None:
    """Return the file of a module, or `None`. A module whose name is no dotted Lean name has none."""
    parts = module.split(".")
    if not all(map(_PART.fullmatch, parts)):
        return None
    for folder in folders:
        file = folder.joinpath(*parts).with_suffix(".lean")
        if file.is_file():
            return file
    return None


def read_source(file: Path, root: Path, module: str) -> SourceFile:
    """Read a file.

    Raises:
        ProjectError: It cannot be read, or is not UTF-8.
    """
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ProjectError(f"not UTF-8 at byte {error.start}: {error.reason}") from None
    except OSError as error:
        raise ProjectError(f"cannot be read: {error.strerror or error}") from None
    imports = list(dict.fromkeys(split_header(text)[0]))
    return SourceFile(
        file.relative_to(root).as_posix(),
        module,
        text,
        tuple(name for name in imports if not is_core(name)),
        tuple(name for name in imports if is_core(name)),
    )


def read_project(root: Path, with_packages: bool = False) -> Sources:
    """Read all Lean files below a folder, except hidden folders, packages and build products.

    Args:
        root: The folder.
        with_packages: Modules without a file belong to other packages; else a file that imports one is left out.

    Raises:
        ProjectError: The folder does not exist, or its lakefile is damaged.
    """
    if not root.is_dir():
        raise ProjectError(f"{root}: no such folder; expected one with .lean files")
    folders = source_folders(root)
    files: dict[str, SourceFile] = {}
    left_out: dict[str, str] = {}
    for file in _lean_files(root):
        folder = next(folder for folder in folders if file.is_relative_to(folder))
        module = ".".join(file.relative_to(folder).with_suffix("").parts)
        path = file.relative_to(root).as_posix()
        if module in files:
            left_out[path] = f"{files[module].path} is the module `{module}` already"
            continue
        try:
            files[module] = read_source(file, root, module)
        except ProjectError as error:
            left_out[path] = str(error)
    if with_packages:
        files = {module: _own_imports(file, files) for module, file in files.items()}
    return in_order(files, left_out)


def _own_imports(file: SourceFile, files: Mapping[str, SourceFile]) -> SourceFile:
    outside = tuple(name for name in file.imports if name not in files)
    inside = tuple(name for name in file.imports if name in files)
    return replace(file, imports=inside, core=(*file.core, *outside))


def _lean_files(root: Path) -> Iterator[Path]:
    for entry in sorted(root.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            if not entry.name.startswith(".") and entry.name not in _SKIPPED:
                yield from _lean_files(entry)
        elif entry.suffix == ".lean" and entry.is_file() and entry.name != "lakefile.lean":
            yield entry


def in_order(files: dict[str, SourceFile], left_out: dict[str, str]) -> Sources:
    """Return the files in import order, without those that import a module that is missing or left out."""
    left_out = dict(left_out)
    ordered: dict[str, SourceFile] = {}
    refused: dict[str, str] = {}

    def refuse(module: str, reason: str) -> None:
        refused[module] = reason
        left_out[files[module].path] = reason

    for start in files:
        stack = [(start, iter(files[start].imports))]
        on_stack = [start]
        if start in ordered or start in refused:
            continue
        while stack:
            module, rest = stack[-1]
            imported = next(rest, None)
            if imported is None:
                stack.pop()
                on_stack.pop()
                if module not in refused:
                    ordered[module] = files[module]
            elif imported in on_stack:
                cycle = [*on_stack[on_stack.index(imported) :], imported]
                for name in cycle[:-1]:
                    refuse(name, f"import cycle: {' -> '.join(cycle)}")
            elif imported in refused:
                if module not in refused:
                    refuse(module, f"imports `{imported}`: {refused[imported]}")
            elif imported not in files:
                refuse(module, f"imports `{imported}`: there is no such file, or it cannot be read")
            elif imported not in ordered:
                stack.append((imported, iter(files[imported].imports)))
                on_stack.append(imported)
    # a module can be refused after one that imports it was put in order
    while late := [m for m, file in ordered.items() if any(name in refused for name in file.imports)]:
        for module in late:
            culprit = next(name for name in ordered[module].imports if name in refused)
            refuse(module, f"imports `{culprit}`: {refused[culprit]}")
            del ordered[module]
    return Sources(ordered, left_out)
