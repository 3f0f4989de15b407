"""The files themselves: form, split, cards, and that every reference proof is one."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import envs_data
from envs_data.automation import measure, wrong_flags
from envs_data.statement_key import statement_key
from envs_data.validate import confirm_with, foreign_theorems, validate_theorem
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems, proof_steps, set_names
from lean_gym.datasets.generators.base import measure_difficulty

FOLDER = Path(envs_data.__file__).parent
KEYS = ["name", "statement", "context", "imports", "split", "domain", "difficulty", "proof", "automation"]
LEAST_ROWS = {"logic": 150, "nat": 120, "steps": 750}
# Core Lean has no names with these beginnings, so that a set can be stated next to all of core.
PREFIXES = {
    "propositional": "prop_",
    "classical": "classical_",
    "predicate": "pred_",
    "equality": "eqn_",
    **dict.fromkeys(
        ("addition", "multiplication", "semiring", "order", "divisibility", "subtraction"), "nat_"
    ),
}

each = pytest.mark.parametrize("label", sorted(LEAST_ROWS))
both = pytest.mark.parametrize("label", ["logic", "nat"])
"""The sets without definitions in the context."""


def rows_of(label: str) -> list[dict[str, Any]]:
    text = (FOLDER / f"{label}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def skills(proof: str) -> set[str]:
    """Features of a proof: its tactics, the forms of `rcases` and `rw`, the library names."""
    found = set(re.findall(r"\b[A-Z]\w*(?:\.\w+)+|\b(?:absurd|funext)\b", proof))
    for step in proof.split("\n"):
        head = step.split()[0]
        found.add(head)
        if head == "rcases":
            found.add("rcases |" if "|" in step else "rcases ⟨⟩")
        if "←" in step:
            found.add("rw ←")
        if " at " in step:
            found.add(f"{head} at")
    return found


def test_these_are_the_sets() -> None:
    assert set(LEAST_ROWS) <= set(set_names())


@each
def test_rows_have_the_fixed_form(label: str) -> None:
    data = (FOLDER / f"{label}.jsonl").read_bytes()
    assert data.endswith(b"}\n")
    assert b"\r" not in data
    rows = rows_of(label)
    assert len(rows) >= LEAST_ROWS[label]
    for row in rows:
        assert list(row) == KEYS
        assert row["imports"] == []
        assert row["split"] in ("train", "test")
        assert re.match(rf"theorem {row['name']} [(\[{{:]", row["statement"])
        assert row["difficulty"] == measure_difficulty(row["proof"])
        assert isinstance(row["automation"], bool)


@both
def test_rows_without_definitions_are_named_after_their_domain(label: str) -> None:
    for row in rows_of(label):
        assert row["context"] == ""
        assert row["name"].startswith(PREFIXES[row["domain"]])


@each
def test_each_line_of_a_proof_is_a_step(label: str) -> None:
    for row in rows_of(label):
        lines = row["proof"].split("\n")
        assert lines == [line.strip() for line in lines if line.strip()]
        assert lines == proof_steps(row["proof"])
        assert not any(line.startswith(("·", "sorry")) for line in lines)


def test_automation_proves_a_third_of_the_test_part_of_steps() -> None:
    parts = {split: [row for row in rows_of("steps") if row["split"] == split] for split in ("train", "test")}
    assert len(parts["train"]) >= 600
    assert len(parts["test"]) >= 150
    assert sum(row["automation"] for row in parts["test"]) <= 0.35 * len(parts["test"])
    card = (FOLDER / "steps.md").read_text(encoding="utf-8")
    for split, rows in parts.items():
        assert f"{sum(row['automation'] for row in rows)} " in card, split


def test_no_two_statements_are_renamings_of_each_other() -> None:
    names: dict[str, str] = {}
    for row in rows_of("logic") + rows_of("nat"):
        other = names.setdefault(statement_key(row["statement"]), row["name"])
        assert other == row["name"], f"{row['name']} is a renaming of {other}"


@both
def test_a_quarter_of_each_domain_is_held_out_at_every_difficulty(label: str) -> None:
    rows = rows_of(label)
    assert 0.22 <= sum(row["split"] == "test" for row in rows) / len(rows) <= 0.28
    for domain in {row["domain"] for row in rows}:
        part = [row for row in rows if row["domain"] == domain]
        assert 0.2 <= sum(row["split"] == "test" for row in part) / len(part) <= 0.3
    for low, high in ((0.0, 0.1), (0.1, 0.3), (0.3, 1.01)):
        part = [row for row in rows if low <= row["difficulty"] < high]
        assert 0.15 <= sum(row["split"] == "test" for row in part) / len(part) <= 0.35


@both
def test_a_held_out_proof_uses_nothing_that_training_does_not_show(label: str) -> None:
    rows = rows_of(label)
    shown = Counter(skill for row in rows if row["split"] == "train" for skill in skills(row["proof"]))
    for row in rows:
        if row["split"] == "test":
            assert all(shown[skill] >= 2 for skill in skills(row["proof"])), row["name"]


@each
def test_the_card_tells_the_truth(label: str) -> None:
    card = (FOLDER / f"{label}.md").read_text(encoding="utf-8")
    facts = dict(re.findall(r"^\| ([\w ]+) \| (.*) \|$", card, flags=re.MULTILINE))
    rows = rows_of(label)
    splits = Counter(row["split"] for row in rows)
    assert facts["file"] == f"`{label}.jsonl`"
    assert int(facts["rows"]) == len(rows)
    assert int(facts["train"]) == splits["train"]
    assert int(facts["test"]) == splits["test"]
    digest = hashlib.sha256((FOLDER / f"{label}.jsonl").read_bytes()).hexdigest()
    assert facts["sha256"] == f"`{digest}`", (
        "the file changed: write its new checksum and numbers to the card"
    )
    assert facts["licence"] == "MIT"
    for domain, count in Counter((row["domain"], row["split"]) for row in rows).items():
        train, test = re.search(rf"^\| {domain[0]} \| (\d+) \| (\d+) \|", card, flags=re.MULTILINE).groups()
        assert int({"train": train, "test": test}[domain[1]]) == count
    for field in KEYS:
        assert f"| `{field}` |" in card


@each
@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [2, pytest.param(None, marks=pytest.mark.slow)])
def test_the_flag_of_automation_is_what_the_scripts_prove(label: str, count: int | None) -> None:
    theorems = load_theorems(label)
    proved, others = ([each for each in theorems if each.automation is flag] for flag in (True, False))
    parts = [proved[::24], others[:: max(1, len(others) // 12)]]
    assert min(map(len, parts)) >= 2
    # others in each run
    theorems = [each for part in parts for each in random.sample(part, count or len(part))]
    assert wrong_flags(theorems, measure(theorems, fresh=True)) == []


@each
@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_every_reference_proof_is_verified(label: str, every: int) -> None:
    backend = create_backend("minilean")
    refused = {}
    for theorem in load_theorems(label)[random.randrange(every) :: every]:
        verdict = backend.verify(theorem, proof_steps(theorem.proof))
        if not verdict.proved:
            refused[theorem.name] = verdict.reason
    assert refused == {}


@each
def test_wrong_proofs_are_refused(label: str) -> None:
    backend = create_backend("minilean")
    theorems = load_theorems(label)
    with confirm_with("minilean") as confirm:
        for index in range(random.randrange(48), len(theorems), 48):
            others = foreign_theorems(theorems, index)
            for check in validate_theorem(backend, theorems[index], others, confirm):
                assert check.passed, f"{theorems[index].name}: {check}"
