"""Versions of Lean and Mathlib that a folder of Lean files was written for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

TOOLCHAIN_FILE: Final = "lean-toolchain"
MANIFEST_FILE: Final = "lake-manifest.json"
_LEVELS_ABOVE: Final = 2


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions a statement was written for; `""` where unknown.

    Attributes:
        lean: A version of Lean, e.g. `"4.24.0"`.
        mathlib: A commit or tag of Mathlib.
    """

    lean: str = ""
    mathlib: str = ""


def project_versions(folder: Path) -> Versions:
    """Return the versions that the Lean project around a folder is pinned to.

    The search covers the folder itself, its `lean4` folder, and up to two folders above: benchmarks are given by their
    root or by the folder with the statements.
    """
    above = [folder, folder / "lean4", *folder.absolute().parents[:_LEVELS_ABOVE]]
    project = next((place for place in above if (place / TOOLCHAIN_FILE).is_file()), None)
    if project is None:
        return Versions()
    toolchain = (project / TOOLCHAIN_FILE).read_text(encoding="utf-8", errors="replace")
    return Versions(lean_version(toolchain), _manifest_revision(project / MANIFEST_FILE))


def lean_version(toolchain: str) -> str:
    """The version in a toolchain's name: `"leanprover/lean4:v4.24.0"` is `"4.24.0"`."""
    name = toolchain.strip().rpartition(":")[2]
    return name[1:] if name[:1] == "v" and name[1:2].isdigit() else name


def _manifest_revision(manifest: Path) -> str:
    """The commit of Mathlib in a Lake manifest, `""` when it pins none."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    packages = content.get("packages") if isinstance(content, dict) else None
    for package in packages if isinstance(packages, list) else ():
        # Manifests before version 6 wrap each package as {"git": {...}}.
        for entry in _objects([package, *(_objects(package.values()) if isinstance(package, dict) else ())]):
            if str(entry.get("name", "")).strip("«»") == "mathlib":
                return str(entry.get("rev") or "")
    return ""


def _objects(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)]
