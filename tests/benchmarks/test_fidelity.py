"""minilean measured against Lean: what the benchmark counts, and the shares that hold on a sample."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.fidelity import Comparison, compare_proofs, main, programs_of, tables
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.errors import BackendUnavailable
from lean_gym.types import Theorem


@pytest.fixture(scope="module")
def comparison() -> Iterator[Comparison]:
    try:
        lean = create_backend("lean")
    except BackendUnavailable as error:
        pytest.skip(str(error))
    with closing(create_backend("minilean")) as minilean, closing(lean):
        yield Comparison(minilean, lean)


def test_a_sample_of_steps_is_the_same_in_both(
    comparison: Comparison, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "differences.jsonl"
    words = ["--sets", "logic", "--every", "40", "--steps", "60", "--no-files", "--differences", str(file)]
    assert main(words) == 0
    differences = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [row for row in differences if row["source"] == "reference"] == []
    assert sum(row["kind"] == "verdict" for row in differences) <= 2
    assert "| random | 6" in capsys.readouterr().out


def test_differences_are_counted_by_kind(comparison: Comparison) -> None:
    theorem = Theorem("t", "theorem t (p q : Prop) (h : p) : p ∨ q")
    states = comparison.start(theorem, "mine")
    assert states is not None
    after = comparison.step("mine", theorem, states, "left")
    assert after is not None
    assert comparison.step("mine", theorem, after, "exact q") is None
    assert comparison.step("mine", theorem, after, "fun_prop") is None
    tally = comparison.tallies["mine"]
    assert (tally.steps, tally.accepted, tally.goals) == (4, 2, 2)
    assert tally.refused + tally.named == 2
    assert "| mine | 4 |" in tables(comparison)


def test_proofs_of_a_run_are_judged_by_both(comparison: Comparison, tmp_path: Path) -> None:
    good, other = load_theorems("logic")[:2]
    rows = [
        {"name": good.name, "tactics": list(proof_steps(good.proof))},
        {"name": other.name, "tactics": ["trivial", "trivial"]},
        {"name": "of another set", "tactics": []},
    ]
    (tmp_path / "proofs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    compare_proofs(comparison, [good, other], tmp_path)
    assert (comparison.tallies["proofs"].steps, comparison.tallies["proofs"].verdict) == (2, 2)


def test_programs_of_a_lean_file_come_without_the_messages_that_it_expects() -> None:
    first = "namespace A\n{}#check 1\nexample : 1 = 1 := rfl\nend A"
    second = "mutual\ndef f := 1\ndef g := 2\nend\nexample : f = 1 := rfl"
    text = f"""-- Checked with Lean 4.35.0.

/-! # A title -/

/-! One heading. -/

{first.format("/-- info: 1 : Nat -/" + chr(10) + "#guard_msgs in" + chr(10))}

/-! Another. -/

{second}
"""
    assert programs_of(text) == [first.format(""), second]
