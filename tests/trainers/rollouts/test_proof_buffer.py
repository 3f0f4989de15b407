from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from lean_gym.types import Outcome
from trainers.errors import ConfigError
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory
from trainers.rollouts.proof_buffer import ProofBuffer

END = 0


def ended(ids: Sequence[int]) -> bool:
    return ids[-1] == END


def episode(theorem: str, *tactics: str, outcome: Outcome = Outcome.PROVED) -> Trajectory[Completion]:
    """An episode whose tactics have their length and the end token as tokens; a refused `oops` comes first."""
    texts = ("oops", *tactics)
    steps = [
        Step("goals", Completion((9, number), (len(text), END), (-1.0, -1.0), text), 0.0, text == "oops")
        for number, text in enumerate(texts)
    ]
    return Trajectory(theorem, steps, outcome, tuple(tactics))


def test_verified_proofs_are_kept_once_without_refused_steps(tmp_path: Path) -> None:
    buffer = ProofBuffer(tmp_path / "kept", per_theorem=4, rounds=0)
    lost = [episode("a", "no", outcome=outcome) for outcome in (Outcome.REJECTED, Outcome.STEP_LIMIT)]
    assert buffer.add([*lost, episode("a", "go", "done"), episode("a", "go", "done")], 1, ended) == 1
    assert buffer.add([episode("a", "go", "done")], 2, ended) == 0
    assert list(buffer.pairs()) == [((9, 1), (2, END)), ((9, 2), (4, END))]
    assert len(buffer) == 1


def test_the_shortest_are_used(tmp_path: Path) -> None:
    buffer = ProofBuffer(tmp_path / "kept", per_theorem=2, rounds=0)
    scripts = [("a", "b", "c"), ("d",), ("e", "f"), ("g",)]
    buffer.add([episode("t", *script) for script in scripts], 1, ended)
    assert [proof.tactics for proof in buffer.of("t")] == [("d",), ("g",)]


def test_a_step_that_was_cut_off_teaches_nothing(tmp_path: Path) -> None:
    buffer = ProofBuffer(tmp_path / "kept", per_theorem=2, rounds=0)
    buffer.add([episode("t", "go")], 1, ended=lambda ids: ids[-1] == 7)
    assert list(buffer.pairs()) == []


def test_it_is_read_back_up_to_the_round_of_the_checkpoint(tmp_path: Path) -> None:
    buffer = ProofBuffer(tmp_path / "kept", per_theorem=4, rounds=0)
    for number, script in enumerate([("a", "∀ -- \u2028"), ("b",), ("c",)], start=1):
        buffer.add([episode("t", *script)], number, ended)
    buffer.save()
    whole = ProofBuffer(tmp_path / "kept", per_theorem=4, rounds=3)
    assert whole.of("t") == buffer.of("t")
    assert list(whole.pairs()) == list(buffer.pairs())
    earlier = ProofBuffer(tmp_path / "kept", per_theorem=4, rounds=2)
    assert [proof.tactics for proof in earlier.of("t")] == [("b",), ("a", "∀ -- \u2028")]


@pytest.mark.parametrize(
    "line",
    [
        "junk",
        "[]",
        "{}",
        '{"theorem": "t", "round": 1, "tactics": [], "pairs": 3}',
        '{"theorem": "t", "round": 1, "tactics": ["x"], "pairs": [[["a"], ["b"]]]}',
        '{"theorem": ["t"], "round": 1, "tactics": ["x"], "pairs": []}',
        '{"theorem": "t", "round": 1, "tactics": "x", "pairs": []}',
    ],
)
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, line: str) -> None:
    (tmp_path / "kept").write_text(line + "\n")
    with pytest.raises(
        ConfigError, match=r"kept, line 1: expected a kept proof, got .*; start the run again"
    ):
        ProofBuffer(tmp_path / "kept", per_theorem=4, rounds=1)


def test_a_run_does_not_go_on_without_its_proofs(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read the proofs of the run in .*kept: No such file"):
        ProofBuffer(tmp_path / "kept", per_theorem=4, rounds=1)
