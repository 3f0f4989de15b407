"""Fixture `messages`: the messages of `check` about a text, as `line:column severity text` lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.check_command import check_text


def check(text: str) -> list[str]:
    return [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text)]


@pytest.fixture
def messages() -> Callable[[str], list[str]]:
    return check
