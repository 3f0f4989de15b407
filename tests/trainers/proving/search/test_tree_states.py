"""States of search trees as targets of the progress model: tactics left, false branches, the file and its readers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lean_gym import LeanProofVectorEnv, Theorem
from trainers.config.tasks import ProgressConfig
from trainers.prove import main
from trainers.proving.search.beam import Beam
from trainers.proving.search.best_first import BestFirst
from trainers.proving.search.budget import Budget
from trainers.proving.search.rules import Rule
from trainers.proving.search.scores import create_score
from trainers.proving.search.searcher import Searcher
from trainers.proving.search.tree import Tree
from trainers.proving.search.tree_states import states_of_tree
from trainers.rollouts.step_rows import LabelledState, best_of_states, read_rows, rows_of

STATEMENT = "theorem t : False ∨ False ∨ True"
WORDS = ("left", "right", "split", "trivial")


@pytest.fixture
def searched(told: Callable[..., Any]) -> Callable[..., Tree]:
    """Searches one theorem with a policy that gives the same tactics in turn."""

    def run(rule: Callable[[], Rule], statement: str = STATEMENT, split: bool = False, **limits: int) -> Tree:
        options = {"backend": "fake" if statement == STATEMENT else "minilean", "num_workers": 0}
        words = WORDS if statement == STATEMENT else ("constructor", "exact ha", "exact hb", "rfl")
        with LeanProofVectorEnv(2, [Theorem("t", statement)], **options) as env:  # type: ignore[arg-type]
            searcher = Searcher(env, told(words), rule, Budget(**limits), split_goals=split)
            (found,) = searcher.search(["t"])
        assert found.tree is not None
        return found.tree

    return run


def best_first() -> Rule:
    return BestFirst(create_score("sum"), 4)


def shown(states: Sequence[LabelledState]) -> Mapping[str, dict[str, int | None]]:
    """Return the tactics left by state and tactic."""
    found: dict[str, dict[str, int | None]] = {}
    for state in states:
        found.setdefault(state.text, {})[state.tactic] = state.left
    return found


def test_the_numbers_of_a_tree_by_hand(searched: Callable[..., Tree]) -> None:
    states = states_of_tree("t", searched(lambda: Beam(create_score("sum"), 4, 8), tactics=64))
    assert shown(states) == {
        # `left` leads to `False`, where all tactics were tried in vain.
        "⊢ False ∨ False ∨ True": {"left": None, "right": 3, "split": None, "trivial": None},
        "⊢ False": dict.fromkeys(WORDS),
        "⊢ False ∨ True": {"left": None, "right": 2, "split": None, "trivial": None},
        "⊢ True": {"left": None, "right": None, "split": None, "trivial": 1},
    }
    (last,) = (state for state in states if state.left == 1)
    assert (last.theorem, last.prefix) == ("t", ("right", "right"))


def test_a_state_in_which_nothing_was_tried_says_nothing(searched: Callable[..., Tree]) -> None:
    states = states_of_tree("t", searched(best_first, tactics=4))
    assert shown(states) == {"⊢ False ∨ False ∨ True": {"split": None, "trivial": None}}


def test_goals_searched_apart_add_up(searched: Callable[..., Tree]) -> None:
    tree = searched(
        best_first, "theorem t (a b : Prop) (ha : a) (hb : b) : (a ∧ b) ∧ a", split=True, tactics=64
    )
    assert tree.proof is not None
    found = {goals.rpartition("⊢ ")[2]: left for goals, left in shown(states_of_tree("t", tree)).items()}
    assert found["(a ∧ b) ∧ a"]["constructor"] == len(tree.proof.tactics) == 5
    assert (found["a ∧ b"]["constructor"], found["a"]["exact ha"], found["a"]["rfl"]) == (3, 1, None)


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    states = [
        LabelledState("t", ("⊢ a", "⊢ b"), 3, ("intro x", "simp"), "constructor"),
        LabelledState("", ("⊢ a",), None, (), "rfl"),
    ]
    lines = rows_of(states, 16)
    assert [json.loads(line) for line in lines.splitlines()] == [
        {
            "goal": "⊢ a\n\n⊢ b",
            "prefix": "intro x\nsimp",
            "tactic": "constructor",
            "steps_remaining": 2,
            "theorem": "t",
        },
        {"goal": "⊢ a", "prefix": "", "tactic": "rfl", "steps_remaining": 16, "reached": False},
    ]
    (tmp_path / "steps.jsonl").write_text(lines)
    assert read_rows(str(tmp_path / "steps.jsonl")) == states


def test_a_state_counts_by_its_best_tactic_and_rows_without_a_theorem_as_they_are() -> None:
    def state(theorem: str, left: int | None) -> LabelledState:
        return LabelledState(theorem, ("⊢ a",), left)

    rows = [state("t", None), state("t", 4), state("t", 2), state("t", 3), state("s", None), state("s", None)]
    assert best_of_states(rows) == [state("t", 2), state("s", None)]
    assert best_of_states([state("", 4), state("", None)]) == [state("", 4), state("", None)]


@pytest.fixture
def steps(tmp_path: Path, tell: Callable[..., object]) -> Path:
    """File that a search of a training theorem and of a held-out one wrote."""
    names = {"t": STATEMENT, "u": STATEMENT.replace("theorem t", "theorem u")}
    rows = [{"name": name, "statement": text} for name, text in names.items()]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    tell(*WORDS)
    words = ["--theorems", str(tmp_path / "set.jsonl"), "--policy", "someone/model", "--backend", "fake"]
    words += ["--workers", "1", "--samples", "4", "--method", "beam", "--tactics", "64"]
    words += ["--tactics-from", "policy"]
    assert main([*words, "--steps-out", str(tmp_path / "steps.jsonl")]) == 0
    return tmp_path / "steps.jsonl"


def test_the_prover_writes_what_the_progress_model_takes(steps: Path) -> None:
    states = read_rows(str(steps))
    assert {state.theorem for state in states} == {"t", "u"}
    assert shown([state for state in states if state.theorem == "t"])["⊢ False"] == dict.fromkeys(WORDS)
    kept = best_of_states(states)
    assert {(state.theorem, state.text): state.left for state in kept}["t", "⊢ False ∨ True"] == 2
    assert len(kept) == 8
    first = json.loads(steps.read_text().splitlines()[0])
    assert (first["tactic"], first["steps_remaining"], first["reached"]) == (
        "left",
        ProgressConfig().longest,
        False,
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--steps-out", "no/such/folder/steps.jsonl"], "steps_out: expected a file in a folder that exists"),
        (["--steps-out", "."], "steps_out: expected a file in a folder that exists, got '.'"),
        (["--steps-out", "a.jsonl", "--actions", "proof"], "--steps-out: expected none beside --file or"),
    ],
)
def test_a_wrong_file_is_refused_before_the_search(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([STATEMENT, "--policy", "someone/model", "--backend", "fake", *words])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1
