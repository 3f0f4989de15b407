"""Promises of pyproject.toml: a version that the changelog lists, no unrelated package, a wheel with the library."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from minilean.library.cache import SHIPPED
from trainers.extras import EXTRAS

NOT_ON_PYPI = {"slime"}  # that of PyPI is another one
OURS = {"envs_data", "lean_gym", "lean_gym_cli", "lean_gym_verifiers", "minilean", "trainers"}
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


def test_every_import_is_of_a_declared_package() -> None:
    """Of the whole project, and by the one line about a missing package of the trainers."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: _distributions(lines) for name, lines in project["optional-dependencies"].items()}
    declared = set().union(_distributions(project["dependencies"]), *extras.values())
    where = packages_distributions()
    for package in ("lean_gym", "lean_gym_cli", "lean_gym_verifiers", "envs_data", "trainers"):
        for path in (ROOT / package).rglob("*.py"):
            for name in _imported(path) - OURS - NOT_ON_PYPI - set(sys.stdlib_module_names):
                found = {_normal(each) for each in where.get(name, [name])}
                assert found & declared, f"{path} imports {name}, which no extra installs"
    for module, extra in EXTRAS.items():
        assert {_normal(each) for each in where.get(module, [module])} & extras[extra], (module, extra)


def _imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


def _distributions(lines: list[str]) -> set[str]:
    return {_normal(re.split(r"[^\w.-]", line)[0]) for line in lines}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


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
