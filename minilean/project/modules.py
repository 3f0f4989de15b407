"""The files of a project: their modules, what they import, and an order in which imports come first."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from minilean.project.header import is_core, split_header
from minilean.syntax.lexer import plain_name, split_name

_SKIPPED = ("build", "lake-packages", "node_modules", "__pycache__")
_LAKE = ("lakefile.toml", "lakefile.lean")
_PART = re.compile(r"[^\W\d][\w'!?]*")
_QUOTED = re.compile(r"«([^«»\n/\\\0]+)»")
_CORPUS = "corpus.jsonl"
"""The file in every folder with traces, which hold copies of the files that were traced."""
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
    try:
        inside = [root / folder for folder in found if _is_inside(root / folder, root)]
        return list(dict.fromkeys([*(folder for folder in inside if folder.is_dir()), root]))
    except (OSError, ValueError) as error:
        raise ProjectError(f"the lakefile has a srcDir that no folder can have: {error}") from None


def _is_inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _toml_folders(lakefile: Path) -> Iterator[object]:
    try:
        data = tomllib.loads(lakefile.read_text("utf-8", "replace"))
    except tomllib.TOMLDecodeError as error:
        raise ProjectError(f"{lakefile.name}: not TOML: {error}") from None
    yield data.get("srcDir")
    for key in ("lean_lib", "lean_exe"):
        libraries = data.get(key)
        if isinstance(libraries, list):
            yield from (library.get("srcDir") for library in libraries if isinstance(library, dict))


def module_file(folders: Sequence[Path], module: str) -> Path | None:
    """Return the file of a module, or `None`. A module whose name is no dotted Lean name has none."""
    parts = []
    for part in split_name(module):
        quoted = _QUOTED.fullmatch(part)
        parts.append(part if quoted is None else quoted[1])
        if not (_PART.fullmatch(part) if quoted is None else parts[-1].strip(".")):
            return None
    for folder in folders:
        file = folder.joinpath(*parts[:-1], f"{parts[-1]}.lean")
        if file.is_file():
            return file
    return None


def module_name(path: Sequence[str]) -> str:
    """Return the module of a file, given by its folders and its name without ending: `A.«b-c»`."""
    return ".".join(plain_name(f"«{part}»") for part in path)


def _normal(module: str) -> str:
    """Return the name of a module as `module_name` writes it: `A.«B»` is `A.B`."""
    return module_name([part.strip("«»") for part in split_name(module)])


def read_source(file: Path, root: Path, module: str) -> SourceFile:
    """Read a file.

    Raises:
        ProjectError: It cannot be read, or is not UTF-8.
    """
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ProjectError(f"not UTF-8 at byte {error.start}: {error.reason}") from None
    except ValueError as error:  # a name that no file has
        raise ProjectError(f"cannot be read: {error}") from None
    except OSError as error:
        raise ProjectError(f"cannot be read: {error.strerror or error}") from None
    imports = list(dict.fromkeys(map(_normal, split_header(text)[0])))
    return SourceFile(
        file.relative_to(root).as_posix(),
        module,
        text,
        tuple(name for name in imports if not is_core(name)),
        tuple(name for name in imports if is_core(name)),
    )


def read_project(root: Path, with_packages: bool = False) -> Sources:
    """Read all Lean files below a folder, except hidden folders, packages, build products and data sets of traces.

    Args:
        root: The folder.
        with_packages: Modules without a file belong to other packages; else a file that imports one is left out.

    Raises:
        ProjectError: The folder does not exist or cannot be read, or its lakefile is damaged.
    """
    if not root.is_dir():
        raise ProjectError(f"{root}: no such folder; expected one with .lean files")
    folders = source_folders(root)
    files: dict[str, SourceFile] = {}
    left_out: dict[str, str] = {}
    for file in _lean_files(root):
        folder = next(folder for folder in folders if file.is_relative_to(folder))
        module = module_name([*file.relative_to(folder).parts[:-1], file.name.removesuffix(".lean")])
        path = file.relative_to(root).as_posix()
        reason = _unusable(file, path, root)
        if reason:
            left_out["".join(char if char.isprintable() else "?" for char in path)] = reason
            continue
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


def _unusable(file: Path, path: str, root: Path) -> str:
    """Return why a file of a project cannot be part of it; `""` if it can."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if any(char in path for char in ":«»") or not path.isprintable():
        return f"its name {path!r} has a character that no module can have"
    return "" if _is_inside(file, root) else "a link that leads out of the project"


def _own_imports(file: SourceFile, files: Mapping[str, SourceFile]) -> SourceFile:
    outside = tuple(name for name in file.imports if name not in files)
    inside = tuple(name for name in file.imports if name in files)
    return replace(file, imports=inside, core=(*file.core, *outside))


def _lean_files(root: Path) -> Iterator[Path]:
    try:
        entries = sorted(root.iterdir())
    except OSError as error:
        raise ProjectError(f"{root}: cannot be read: {error.strerror or error}") from None
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            hidden = entry.name.startswith(".") or entry.name in _SKIPPED
            if not hidden and not (entry / _CORPUS).is_file():
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
