"""The theorems of a traced project as episodes: `theorems.jsonl`, and the files that they stand in.

A row is one of `lean_gym.datasets.formats.rows`. Its position is the place of the theorem: in minilean's library, or
in the copy of the project's files in the data set, so that an episode depends on nothing outside of the folder. The
copy is in `sources/KEY`, where KEY is a hash of the files: another trace makes another copy.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

from lean_gym.datasets.formats.lean_source import declared_name, renamed
from lean_gym.datasets.traced import EPISODES
from lean_gym.tracing.layout import Origin, write_rows
from lean_gym.tracing.records import FileRecord, TheoremRecord

SOURCES: Final = "sources"
_PARTS: Final = {"train": "train", "val": "valid", "test": "test"}


def write_episodes(
    out: Path, files: Sequence[FileRecord], root: Path | None, origin: Origin, at_positions: bool
) -> None:
    """Write the theorems of a trace, and copy the files of its project.

    Left out are theorems whose statement does not stand alone, e.g. in a `mutual` block, and those of a name that an
    earlier file declares too.

    Args:
        out: Folder of the data set, with the splits in it.
        files: The files of the project.
        root: Its folder; `None` for minilean's library.
        origin: The project.
        at_positions: The prover goes to the place of a theorem. Otherwise a position ends in the offset of the theorem,
            and `lean_gym.datasets.traced` makes its context of the file before it.
    """
    folder = "" if root is None else _copy(out, files, root)
    parts = _parts(out)
    rows: dict[str, dict[str, Any]] = {}
    for file in files:
        for theorem in filter(lambda theorem: theorem.is_episode, file.theorems):
            row = _row(theorem, file, folder, parts, origin)
            if not at_positions:
                row["name"] = _free_name(declared_name(theorem.statement) or theorem.full_name, rows)
                row["statement"] = renamed(theorem.statement, row["name"])
                row["position"] = f"{folder}{file.path}:{theorem.offset}"
            rows.setdefault(row["name"], row)
    write_rows(out / EPISODES, rows.values())
    _remove_other_copies(out, folder)


def _free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that no row has: a theorem inside an open namespace is stated under its short name."""
    numbered = (f"{name}_{number}" for number in count(2))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def _row(
    theorem: TheoremRecord, file: FileRecord, folder: str, parts: Mapping[str, str], origin: Origin
) -> dict[str, Any]:
    place = file.path if folder else Path(file.path).name
    row = {
        "name": theorem.full_name,
        "statement": theorem.statement,
        "context": "",
        "imports": [],
        "split": parts.get(f"{file.path}:{theorem.full_name}", ""),
        "domain": file.path.removesuffix(".lean"),
        "source": f"{origin.url}@{origin.commit[:12]}",
        "position": f"{folder}{place}:{theorem.full_name}",
    }
    if theorem.proof and not theorem.has_sorry:
        row["proof"] = theorem.proof
    return row


def _parts(out: Path) -> dict[str, str]:
    """Return the part of the random split that each theorem is in."""
    found = {}
    for part, word in _PARTS.items():
        for row in json.loads((out / "random" / f"{part}.json").read_text(encoding="utf-8")):
            found[f"{row['file_path']}:{row['full_name']}"] = word
    return found


def _copy(out: Path, files: Sequence[FileRecord], root: Path) -> str:
    """Copy the files of a project, and return the beginning of positions in them."""
    key = hashlib.sha256("\0".join(f"{file.path} {file.key}" for file in files).encode()).hexdigest()[:16]
    place = out / SOURCES / key
    if not place.is_dir():
        partial = out / SOURCES / "partial"
        shutil.rmtree(partial, ignore_errors=True)
        for name in [*(file.path for file in files), *_lakefiles(root)]:
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, partial / name)
        partial.rename(place)
    return f"{SOURCES}/{key}//"


def _remove_other_copies(out: Path, folder: str) -> None:
    """Remove the copies that the theorems no longer stand in."""
    for place in (out / SOURCES).iterdir() if (out / SOURCES).is_dir() else ():
        if f"{SOURCES}/{place.name}//" != folder:
            shutil.rmtree(place, ignore_errors=True)


def _lakefiles(root: Path) -> list[str]:
    return [name for name in ("lakefile.toml", "lakefile.lean") if (root / name).is_file()]
