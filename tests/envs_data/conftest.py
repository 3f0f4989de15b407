"""Checks that the tests of generated sets share."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

CheckCard = Callable[[Path, Sequence[Mapping[str, Any]], Iterable[str]], None]


@pytest.fixture
def check_card() -> CheckCard:
    """Return a check of the card beside the file of a set, given the file, its rows and all fields that occur."""
    return _check_card


def _check_card(path: Path, rows: Sequence[Mapping[str, Any]], fields: Iterable[str]) -> None:
    card = path.with_suffix(".md").read_text("utf-8")
    facts = dict(re.findall(r"^\| ([\w ]+) \| (.*) \|$", card, flags=re.MULTILINE))
    splits = Counter(row["split"] for row in rows)
    assert facts["file"] == f"`{path.name}`"
    assert int(facts["rows"]) == len(rows)
    assert (int(facts["train"]), int(facts["test"])) == (splits["train"], splits["test"])
    assert facts["sha256"] == f"`{hashlib.sha256(path.read_bytes()).hexdigest()}`", (
        "the file changed: write its new checksum and numbers to the card"
    )
    for domain in {row["domain"] for row in rows}:
        counted = Counter(row["split"] for row in rows if row["domain"] == domain)
        line = re.search(rf"^\| {domain} \| (\d+) \| (\d+) \|", card, flags=re.MULTILINE)
        assert line is not None, domain
        assert (int(line[1]), int(line[2])) == (counted["train"], counted["test"])
    for field in fields:
        assert f"| `{field}` |" in card
