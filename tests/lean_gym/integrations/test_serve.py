"""`lean-gym serve` without the packages of its extra; tests/frameworks/test_openenv.py serves with them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from lean_gym.integrations.serve import main

ROOT = Path(__file__).resolve().parents[3]


def test_without_its_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["--theorems", "logic"]) == 1
    line = "error: needs the package uvicorn; install it with: pip install 'lean-gym[openenv]'\n"
    assert capsys.readouterr().err == line


def test_the_image_has_all_that_the_wheel_is_built_from() -> None:
    """The Dockerfile copies each package of the wheel, and the files that the build reads."""
    text = (ROOT / "lean_gym" / "integrations" / "openenv" / "server" / "Dockerfile").read_text()
    copied = {name for line in re.findall(r"^COPY (.*) \S+$", text, re.MULTILINE) for name in line.split()}
    packages = re.search(r"wheel\]\npackages = \[(.*?)\]", (ROOT / "pyproject.toml").read_text())
    assert packages is not None
    assert set(re.findall(r'"(\w+)"', packages[1])) <= copied
    assert {"pyproject.toml", "README.md", "LICENSE", "hatch_build.py"} <= copied
    assert all((ROOT / name).exists() for name in copied)
