"""The table of theorems, the evaluations that it uses, and what is replayed for it."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lean_gym import Theorem
from trainers.reporting.evaluations import find_evaluations
from trainers.reporting.gather import gather
from trainers.reporting.replay import Replayer, group_errors, pattern_of
from trainers.reporting.run_folder import read_run
from trainers.reporting.theorems import NEW, SOLVED, UNSOLVED

SWAP = Theorem("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p")


def rows(folder: Path) -> dict[str, tuple[Any, ...]]:
    lines = gather(read_run(folder, "run")).lines
    return {
        each.name: (each.part, each.status, each.before, each.after, each.attempts, each.shortest)
        for each in lines
    }


def test_theorems_of_a_run(write_run: Any) -> None:
    assert rows(write_run()) == {
        "swap": ("training", SOLVED, 0.0, 1.0, 2, 3),
        "pick": ("training", SOLVED, 1.0, None, 1, 1),
        # Two evaluations of eight episodes each.
        "keep": ("held out", NEW, None, None, 16, 1),
        "hard": ("held out", UNSOLVED, None, None, 16, None),
    }


def test_a_run_without_episodes_and_evaluation(write_run: Any) -> None:
    folder = write_run(trajectories=None, scalars={})
    assert rows(folder) == {"keep": ("held out", NEW, None, None, 0, 1)}
    report = gather(read_run(folder, "run"))
    assert report.unlisted == 3
    assert [note.partition(":")[0] for note in report.record.notes] == [
        "no evaluation is recorded",
        "no episode is stored (trainers.grpo --save-trajectories stores them)",
    ]


def test_an_evaluation_beside_the_run_gives_before_and_after(
    write_run: Any, write_evaluation: Any, tmp_path: Path
) -> None:
    folder = write_run()
    proof = {"name": "hard", "statement": "", "tactics": ["a", "b"]}
    write_evaluation("e1", str(folder / "start_policy"), {"keep": 1, "hard": 0})
    write_evaluation("e2", "run", {"keep": 4, "hard": 1}, [proof])  # relative to the folder above
    write_evaluation("e3", str(tmp_path / "another"), {"keep": 0})
    assert [(each.name, each.before) for each in find_evaluations(read_run(folder, "run"))] == [
        ("e1", True),
        ("e2", False),
    ]
    found = rows(folder)
    assert found["keep"] == ("held out", NEW, 0.25, 1.0, 24, 1)
    assert found["hard"] == ("held out", SOLVED, 0.0, 0.25, 24, 2)


def test_a_broken_evaluation_is_a_note(write_run: Any, write_evaluation: Any) -> None:
    folder = write_run()
    (write_evaluation("e1", "run", {}) / "result.json").write_text("{}")
    record = read_run(folder, "run")
    assert find_evaluations(record) == []
    assert "result.json: policy: Field required" in record.notes[0]


@pytest.mark.parametrize("changed", [{"theorems": "no_such_set"}, {"theorems": 3}])
def test_a_set_that_is_gone_is_a_note(changed: Any, write_run: Any) -> None:
    report = gather(read_run(write_run(config=changed), "run"))
    assert {each.name for each in report.lines} == {"swap", "pick", "keep"}
    assert len(report.record.notes) == 1


def test_a_set_that_has_changed_is_not_the_set_of_the_run(write_run: Any) -> None:
    folder = write_run()
    (folder / "run.json").write_text('{"backend": "minilean", "theorems_sha256": "other"}')
    report = gather(read_run(folder, "run"))
    assert {each.name for each in report.lines} == {"swap", "pick", "keep"}
    assert report.record.notes == [
        f"only theorems with a record are listed: {report.record.settings['theorems']} has changed since the run"
    ]


def test_goals_of_a_proof_are_replayed_where_the_run_stores_none(write_run: Any) -> None:
    [proof] = gather(read_run(write_run(), "run")).proofs["keep"]
    assert [(step.shown, step.tactic) for step in proof.steps] == [("p : Prop\nh : p\n⊢ p", "exact h")]


def test_a_run_on_real_lean_is_not_replayed(write_run: Any) -> None:
    folder = write_run()
    (folder / "run.json").write_text('{"backend": "pantograph"}')
    report = gather(read_run(folder, "run"))
    assert report.proofs["keep"][0].steps == ()
    assert report.errors == []
    assert report.failures.refused == 3


def test_a_script_that_proves_nothing_stays_without_goals() -> None:
    with closing(Replayer({"swap": SWAP})) as replayer:
        assert replayer.proof("swap", ["constructor", "exact h.2"], 1) is None
        assert replayer.proof("swap", ["exact g"], 1) is None
        assert replayer.proof("other", ["exact h"], 1) is None
        whole = replayer.proof("swap", ["constructor", "exact h.2", "exact h.1"], 1)
    assert whole is not None and len(whole.steps) == 3


def test_refused_tactics_are_grouped_by_error() -> None:
    refusals = Counter(
        {
            ("swap", (), "exact g"): 5,
            ("swap", ("constructor",), "exact k"): 2,
            ("swap", (), "rfl"): 1,
            ("swap", (), "constructor"): 9,  # is accepted
            ("other", (), "exact g"): 9,
        }
    )
    with closing(Replayer({"swap": SWAP})) as replayer:
        groups, explained = group_errors(refusals, {}, replayer)
    assert explained == 8
    assert [(group.count, group.distinct, group.theorem, group.tactic) for group in groups] == [
        (7, 2, "swap", "exact g"),
        (1, 1, "swap", "rfl"),
    ]
    assert groups[0].message == "Unknown identifier `…`"
    assert groups[0].full == "Unknown identifier `g`"


@pytest.mark.parametrize(
    ("message", "tactic", "pattern"),
    [
        ("Unknown identifier `h1`", "exact h1", "Unknown identifier `…`"),
        ("`simp` made no progress", "simp [h]", "`simp` made no progress"),
        ("Tactic `introN` failed: no `let` in\n\n⊢ a", "intro h", "Tactic `introN` failed: no `…` in"),
        ("<input>:1:5: expected ')'", "exact (", "syntax: expected ')'"),
        ("index 12 is too large", "x", "index … is too large"),
        ("", "x", "(no message)"),
    ],
)
def test_messages_that_differ_in_names_only_are_one(message: str, tactic: str, pattern: str) -> None:
    assert pattern_of(message, tactic) == pattern
