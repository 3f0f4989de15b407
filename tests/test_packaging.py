"""Promises of pyproject.toml: a version that the changelog lists, no unrelated package, a wheel with the library."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path

from minilean.library.cache import SHIPPED

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


def test_each_script_is_a_function() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for target in project["scripts"].values():
        module, _, name = target.partition(":")
        assert callable(getattr(importlib.import_module(module), name))


def test_the_library_is_not_shipped_with_the_sources() -> None:
    # An sdist or a checkout with the file would build wheels from it instead of from the Lean sources.
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    assert hatch["build"]["targets"]["wheel"]["hooks"]["custom"]["path"] == "hatch_build.py"
    assert not SHIPPED.exists()
