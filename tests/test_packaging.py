"""What pyproject.toml promises: a version the changelog knows, and no wrong package by the right name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_newest_entry_is_the_package_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = re.findall(
        r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M
    )
    assert versions[0] == project["version"]


def test_pypi_name_of_pantograph_is_never_required_bare() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    pantograph = [line for group in groups for line in group if line.lower().startswith("pantograph")]
    assert pantograph
    assert all("@ git+https://" in line for line in pantograph)
