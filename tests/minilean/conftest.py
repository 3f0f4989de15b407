"""Fixture `messages`; `property_goals` and `property_terms` become importable for the property tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from minilean.check_command import check_text

sys.path.insert(0, str(Path(__file__).parent))


def check(text: str) -> list[str]:
    return [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text)]


@pytest.fixture
def messages() -> Callable[[str], list[str]]:
    """Return the messages of `check` about a text, as `line:column severity text` lines."""
    return check
