"""Checksums of the files of a folder, in the format of `sha256sum`: `sha256sum -c SHA256SUMS` checks them too."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

SUMS: Final = "SHA256SUMS"
_FREE: Final = (SUMS, "README.md")
"""Files that may change."""


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files in a folder, those of its subfolders left out."""
    lines = [
        f"{_digest(path)}  {path.name}\n"
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name not in _FREE
    ]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def damaged_file(folder: Path) -> str | None:
    """Return the name of a file that is not the one whose checksum was written; `None` if there is none.

    A folder without checksums has no damaged file. One that is listed and missing is for the reader to report.
    """
    sums = folder / SUMS
    if not sums.is_file():
        return None
    for line in sums.read_text(encoding="utf-8", errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        if (folder / name).is_file() and _digest(folder / name) != digest:
            return name
    return None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
