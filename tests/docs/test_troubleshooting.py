"""docs/troubleshooting.md: each message in it is a message of the code, and each section is in alphabetical order."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
MESSAGES = re.findall(r"^### `(.+)`$", TEXT, re.MULTILINE)
VARYING = "…"


def templates_in(source: str) -> set[str]:
    """Return the texts of a module; `…` stands for each part of an f-string that varies."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else VARYING for part in node.values)
            found.add("".join(map(str, parts)))
    return found


@cache
def templates() -> str:
    packages = ("lean_gym", "minilean", "trainers", "envs_data")
    files = [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]
    return "\0".join(text for path in files for text in templates_in(path.read_text(encoding="utf-8")))


def occurs(message: str, texts: str) -> bool:
    """Tell whether one of the texts has the fixed parts of a message, in their order."""
    fixed = [re.escape(part.strip()) for part in message.split(VARYING) if part.strip(" :;")]
    return re.search("[^\0]*?".join(fixed), texts) is not None


@pytest.mark.parametrize("message", MESSAGES)
def test_the_message_is_one_of_the_code(message: str) -> None:
    assert occurs(message, templates())


def test_messages_are_found_and_told_apart() -> None:
    assert len(MESSAGES) >= 30
    texts = "\0".join(templates_in('raise ValueError(f"cannot read {path}: no such file; " "take another")'))
    assert occurs("cannot read …: no such file; take another", texts)
    assert not occurs("cannot read …: no such folder", texts)
    assert not occurs("take another … cannot read", texts)


def test_sections_are_in_alphabetical_order() -> None:
    for section in re.split(r"^## ", TEXT, flags=re.MULTILINE):
        words = [re.findall("[a-z0-9]+", one.lower()) for one in re.findall(r"^### `(.+)`$", section, re.M)]
        assert words == sorted(words)
