"""The set `core`: its form, its card, and that it is what minilean's library gives."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest

import envs_data
from envs_data.automation import measure, wrong_flags
from envs_data.core import PATH, main, row_of, rows
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.datasets.generators.base import measure_difficulty
from lean_gym.verification.verify import verify_script
from minilean.library.theorems import library_theorems

CARD = Path(envs_data.__file__).with_name("core.md")
KEYS = ["name", "statement", "context", "imports", "split", "domain", "difficulty", "proof"]
KEYS += ["automation", "position"]
ROWS = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]


def test_rows_have_the_fixed_form() -> None:
    assert len(ROWS) > 2_000
    for row in ROWS:
        assert list(row) == KEYS
        assert row["imports"] == []
        assert row["position"] == f"{row['domain']}.lean:{row['name']}"
        assert row["difficulty"] == measure_difficulty(row["proof"])
        assert isinstance(row["automation"], bool)


def test_each_row_is_the_source_of_its_theorem() -> None:
    """All but the choice among the scripts, which takes their verification, and the flags."""
    theorems = {theorem.name: theorem for theorem in library_theorems()}
    for row in ROWS:
        theorem = theorems.pop(row["name"])
        assert row["proof"] in theorem.scripts, row["name"]
        flag = {"automation": row["automation"]}
        assert row == row_of(theorem, row["proof"]) | flag, row["name"]
    facts = dict(re.findall(r"^\| ([\w ]+) \| (.*) \|$", CARD.read_text("utf-8"), flags=re.MULTILINE))
    assert int(facts["left out"]) == len(theorems)


def test_theorems_that_are_left_out_cannot_be_rows() -> None:
    names = {row["name"] for row in ROWS}
    left_out: Counter[str] = Counter()
    absent = [theorem for theorem in library_theorems() if theorem.name not in names]
    assert list(rows(left_out, absent)) == []
    assert left_out.total() == len(absent) == len(list(library_theorems())) - len(ROWS)


def test_sampled_reference_proofs_are_verified() -> None:
    backend = create_backend("minilean")
    for theorem in load_theorems("core")[::40]:
        assert verify_script(backend, theorem, proof_steps(theorem.proof)).proved, theorem.name


def test_sampled_flags_are_what_automation_proves() -> None:
    theorems = load_theorems("core")[7::100]
    assert wrong_flags(theorems, measure(theorems, workers=0)) == []
    assert {theorem.automation for theorem in theorems} == {True, False}


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_the_file_is_what_the_library_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_a_file_that_is_out_of_date_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("envs_data.core.library_theorems", lambda: list(library_theorems())[:3])
    monkeypatch.setattr("envs_data.core.PATH", tmp_path / "core.jsonl")
    assert main(["--check"]) == 1
    assert "run `python -m envs_data.core`" in capsys.readouterr().err
    assert main([]) == 0
    assert main(["--check"]) == 0
    (tmp_path / "core.jsonl").write_text("{}\n")
    assert main(["--check"]) == 1


def test_the_card_tells_the_truth() -> None:
    card = CARD.read_text("utf-8")
    facts = dict(re.findall(r"^\| ([\w ]+) \| (.*) \|$", card, flags=re.MULTILINE))
    splits = Counter(row["split"] for row in ROWS)
    chance = Counter(theorem.split for theorem in load_theorems("core_random"))
    assert facts["file"] == "`core.jsonl`"
    assert int(facts["rows"]) == len(ROWS)
    assert (int(facts["train"]), int(facts["test"])) == (splits["train"], splits["test"])
    assert (int(facts["train at random"]), int(facts["test at random"])) == (chance["train"], chance["test"])
    assert facts["sha256"] == f"`{hashlib.sha256(PATH.read_bytes()).hexdigest()}`", (
        "the file changed: write its new checksum and numbers to the card"
    )
    counts = Counter(row["domain"] for row in ROWS)
    table = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", card, flags=re.MULTILINE))
    assert {domain: int(count) for domain, count in table.items()} == counts
    for field in KEYS:
        assert f"| `{field}` |" in card
