"""Proofs for the `sorry`s of a repository: in a copy of its files, and in those of a folder of this machine.

`lifelong/filling.py` fills each file as `python -m trainers.prove --file` does. A proof cannot change what its file
declares, but a file that imports it may ask for its axioms. So all files that import a changed one are checked again
with the changed ones, and where one does not check any more, those that it imports get their `sorry`s back.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trainers.config.tasks import ProveConfig
from trainers.corpora.agents.repositories import TracedRepository
from trainers.corpora.lifelong.filling import PATCH, fill_repository, patch_of
from trainers.corpora.lifelong.records import StoredTheorem
from trainers.corpora.lifelong.store import Store
from trainers.errors import ConfigError
from trainers.proving.editing.file_check import check_file
from trainers.proving.editing.file_text import FileText
from trainers.proving.search.drawing import one_line
from trainers.runtime.atomic_files import naming_unwritable, replacing_folder, write_text


@dataclass(frozen=True, slots=True)
class FilledSorry:
    """A `sorry` that was filled in.

    Attributes:
        file: Path of its file in the repository.
        name: The theorem around it.
        line: Its line before, from 1.
        tactics: The tactics in its place.
        axioms: Axioms that the theorem depends on in its file.
    """

    file: str
    name: str
    line: int
    tactics: tuple[str, ...]
    axioms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FilledRepository:
    """Result for a repository.

    Attributes:
        repository: Its name.
        sorries: Number of its theorems with a `sorry` in their file.
        filled: The `sorry`s that were filled in.
        proved: Names of the theorems that exactly such tactics prove from the bare statement; the database has them.
        failures: By path, the reason why a file was not filled or not written.
        folder: Copy of the files with the proofs.
        patch: The same as a patch for `git apply`.
        written: Paths of the files that were written in the repository itself.
    """

    repository: str
    sorries: int
    filled: tuple[FilledSorry, ...]
    proved: tuple[str, ...]
    failures: Mapping[str, str]
    folder: Path
    patch: Path
    written: tuple[str, ...] = ()


def fill(
    config: ProveConfig,
    store: Store,
    number: int,
    project: TracedRepository,
    on_step: Callable[[], None],
    *,
    in_place: bool,
) -> FilledRepository:
    """Search for the proofs of a repository's `sorry`s, and write those that are found.

    Args:
        config: Settings of the search.
        store: Takes the proofs.
        number: Number of the repository in it.
        project: The repository.
        on_step: Raises `Interrupted` to stop.
        in_place: Write the files of a repository of this machine as well.

    Raises:
        Interrupted: A stop was requested.
        ConfigError: The copy cannot be written, or a setting cannot be used.
        PolicyError: The policy cannot be used.
    """
    folder = project.folder / "filled"
    with replacing_folder(folder) as made, naming_unwritable(folder):
        shutil.copytree(project.sources, made, dirs_exist_ok=True)
    theorems = [_reopened(each) for each in store.theorems(number)]
    found = fill_repository(config, store, theorems, project.sources, folder, on_step)
    reasons: dict[str, str] = dict(found["failures"])
    kept = _checked(config, project, folder, _changed(project, folder), reasons)
    patches = (_patch(project, folder, name) for name in sorted(kept))
    write_text(folder / PATCH, "".join(patches))
    filled = FilledRepository(
        repository=project.repository.name,
        sorries=found["sorries"],
        filled=tuple(_sorry(row) for row in found["rows"] if row["file"] in kept),
        proved=tuple(found["proofs"]),
        failures=reasons,
        folder=folder,
        patch=folder / PATCH,
    )
    return _written(filled, project, kept) if in_place and project.local is not None else filled


def _reopened(theorem: StoredTheorem) -> StoredTheorem:
    """Return a theorem whose `sorry` is still in the file, though the database may have a proof of it by now."""
    if theorem.traced.status != "sorry_proved":
        return theorem
    return replace(theorem, traced=replace(theorem.traced, status="sorry"))


def _sorry(row: Mapping[str, Any]) -> FilledSorry:
    return FilledSorry(row["file"], row["name"], row["line"], tuple(row["tactics"]), tuple(row["axioms"]))


def _changed(project: TracedRepository, folder: Path) -> set[str]:
    """Return the files of the copy that differ from the traced ones."""
    names = {theorem.file for theorem in project.repository.theorems}
    return {name for name in names if (folder / name).read_bytes() != (project.sources / name).read_bytes()}


def _patch(project: TracedRepository, folder: Path, name: str) -> str:
    return patch_of(name, (project.sources / name).read_bytes(), (folder / name).read_bytes())


def _checked(
    config: ProveConfig, project: TracedRepository, folder: Path, changed: set[str], reasons: dict[str, str]
) -> set[str]:
    """Undo the changes with which a file that imports a changed one does not check any more.

    Returns:
        The files that stay changed; `reasons` gets the others.
    """
    above = _imports(project)
    whole = {file["path"] for file in project.repository.metadata.get("files", ()) if not file["reason"]}
    kept = set(changed)
    while kept:
        blamed: set[str] = set()
        for name in sorted(name for name in whole if kept & above.get(name, set())):
            error = check_file(config, FileText.read(folder / name).text, (), folder).error
            if error is not None:
                blamed = kept & above[name]
                message = f"{name}:{error[0]} would not check with its proofs: {one_line(error[1])}"
                reasons |= dict.fromkeys(blamed, message)
                break
        if not blamed:
            break
        for name in blamed:
            shutil.copyfile(project.sources / name, folder / name)
        kept -= blamed
    return kept


def _imports(project: TracedRepository) -> dict[str, set[str]]:
    """Return the files that each file imports, directly or not."""
    found: dict[str, set[str]] = {}
    for file in project.repository.premise_files:  # imports before importers
        found[file.path] = set(file.imports).union(*(found.get(path, set()) for path in file.imports))
    return found


def _written(filled: FilledRepository, project: TracedRepository, names: set[str]) -> FilledRepository:
    """Write files of the copy into the repository, but for those that were changed there since they were traced."""
    assert project.local is not None
    written, reasons = [], dict(filled.failures)
    for name in sorted(names):
        try:
            file = FileText.read(project.local / name)
            if file.content != (project.sources / name).read_bytes():
                raise ConfigError("it was changed since it was traced and is left as it is; set it up again")
            file.write(file.path, (filled.folder / name).read_bytes())
        except ConfigError as error:
            reasons[name] = str(error)
        else:
            written.append(name)
    return replace(filled, failures=reasons, written=tuple(written))
