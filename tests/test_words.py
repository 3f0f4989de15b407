"""Docstrings are plain technical English: the first line says what the thing is or does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    "minilean",
    "lean_gym",
    "trainers",
    "envs_data",
    "lean_gym_cli",
    "lean_gym_verifiers",
    "examples",
    "benchmarks",
    "docs",
    "tests",
)
OPENING = re.compile(r"(What|Whether|Where|Who|Whose|How|Which|When|Why)\b(?![^\n]*\?)")


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of each docstring of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), text


def test_no_docstring_opens_with_a_question_word() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, text in docstrings(path)
        if OPENING.match(text)
    ]
    assert not found, "\n".join(found)
