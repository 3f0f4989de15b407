"""Searches over whole proofs with repair: the order of attempts, the budget, what a repair is shown, and attacks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lean_gym import LeanProofVectorEnv
from lean_gym.types import Outcome
from minilean.check_command import check_text
from trainers.config.search import SearchConfig
from trainers.config.tasks import ProveConfig
from trainers.policies.base import Completion
from trainers.policies.prompts import Dialogue
from trainers.policies.source import PolicySource
from trainers.policies.views import ProofView
from trainers.prove import main
from trainers.proving.editing import file_check
from trainers.proving.search import proving
from trainers.proving.search.budget import Budget
from trainers.proving.search.drawing import draw_tree
from trainers.proving.search.searcher import Search, Searcher
from trainers.proving.search.whole_proof import WholeProof
from trainers.rollouts.env import opened_env

SWAP = "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p"
FLAGS = ["--policy", "someone/model", "--backend", "minilean", "--actions", "proof", "--samples", "2"]
START = "the theorem"


class Answers:
    """Answers to the theorem, and to an attempt that failed, in turn; records the prompts and their subjects."""

    def __init__(self, table: Mapping[str, Sequence[str]]) -> None:
        self.table = table
        self.asked: list[list[str]] = []
        self.shown: list[str] = []
        self._given: dict[str, Iterator[int]] = {}

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        subjects = [_failed(one) for one in goals]
        self.asked.append(subjects)
        self.shown += goals
        numbers = [next(self._given.setdefault(each, count())) for each in subjects]
        rows = [self.table.get(each, ["exact nothing"]) for each in subjects]
        return [
            Completion((), (0,), (-1.0,), row[number % len(row)])
            for row, number in zip(rows, numbers, strict=True)
        ]

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        yield


def _failed(prompt: str) -> str:
    """Return the attempt that a prompt asks to repair."""
    said = [one["content"] for one in getattr(prompt, "messages", []) if one["role"] == "assistant"]
    return said[-1] if said else START


def searched(
    policy: Answers, rule: tuple[int, int] = (2, 2), max_repairs: int = 2, num_envs: int = 3, **limits: Any
) -> Search:
    options: dict[str, Any] = {"actions": "proof", "max_repairs": max_repairs, "num_workers": 0}
    with LeanProofVectorEnv(num_envs, [SWAP], "minilean", **options) as env:
        searcher = Searcher(env, policy, lambda: WholeProof(*rule), Budget(**limits), view=ProofView())
        (found,) = searcher.search(["t"])
    return found


FAILING = {
    START: ["exact a", "exact b", "exact a", "exact c"],
    "exact a": ["exact a1", "exact a2"],
    "exact b": ["exact b1", "exact b1"],
    **{f"exact {name}": [f"exact {name}x", f"exact {name}y"] for name in ("a1", "a2", "b1")},
}


@pytest.mark.parametrize("num_envs", [1, 4])
def test_rounds_of_repairs_and_then_new_first_attempts(num_envs: int) -> None:
    policy = Answers(FAILING)
    found = searched(policy, num_envs=num_envs, tactics=12)
    a, b, a1, a2, b1 = (f"exact {name}" for name in ("a", "b", "a1", "a2", "b1"))
    assert policy.asked == [[START, START], [a, a, b, b], [a1, a1, a2, a2, b1, b1], [START, START]]
    assert found.proof is None and found.tree is not None
    # 2 first ones, 3 and 6 repairs, and 1 of 2 new first ones: b1 and a came a second time.
    assert (found.spent.tactics, found.spent.model_calls) == (12, 14)
    assert (found.tree.repeated, found.tree.merged) == (2, 0)
    texts = [edge.tactic for node in found.tree.nodes.values() for edge in node.edges.values()]
    assert texts == [a, b, "exact c", a1, a2, b1] + [f"{each}{end}" for each in (a1, a2, b1) for end in "xy"]
    # Attempts of the last round have no repairs left, so they are no states.
    assert (len(found.tree.nodes), found.tree.refused) == (7, 6)


@pytest.mark.parametrize("limits", [{"tactics": 4}, {"model_calls": 4}, {"tactics": 256, "model_calls": 4}])
def test_the_budget_is_exact(limits: dict[str, int]) -> None:
    policy = Answers(FAILING)
    found = searched(policy, **limits)
    assert found.spent.tactics == 4
    asked = ["exact a", "exact a"] + ["exact b", "exact b"] * (limits.get("model_calls") is None)
    assert policy.asked == [[START, START], asked]


def test_without_repairs_the_attempts_are_independent() -> None:
    policy = Answers(FAILING)
    found = searched(policy, max_repairs=0, tactics=3)
    assert policy.asked == [[START, START], [START, START]]
    assert (found.spent.tactics, found.spent.model_calls) == (3, 4)


def test_a_policy_that_repeats_itself_is_left_alone() -> None:
    policy = Answers({START: ["exact a"], "exact a": ["exact a"]})
    found = searched(policy, max_repairs=1, patience=3)
    # An attempt and its repair are found; then three times nothing new.
    assert policy.asked == [[START] * 2, ["exact a"] * 2, [START] * 2, [START] * 2, [START] * 2]
    assert (found.spent.tactics, found.ended) == (2, True)


def test_a_repair_is_shown_the_errors_of_its_own_attempt() -> None:
    proof = "have k : q := h.2\nexact ⟨k, h.1⟩"
    policy = Answers({START: ["exact a", "exact b"], "exact b": [f"```lean\n{proof}\n```"]})
    found = searched(policy)
    assert found.proof is not None
    assert found.proof.tactics == (proof,)
    assert policy.asked == [[START] * 2, ["exact a"] * 2 + ["exact b"] * 2]
    assert policy.shown[:2] == [f"{SWAP} := by"] * 2
    for prompt, own, other in zip(policy.shown[2:], "aabb", "bbaa", strict=True):
        assert isinstance(prompt, Dialogue)
        errors = prompt.messages[-1]["content"]
        assert f"  exact {own}\n\nerror at line 2, column 8:\nUnknown identifier `{own}`" in errors
        assert f"`{other}`" not in errors


def test_equal_proofs_in_other_words_are_tried_once() -> None:
    file = f"<think>Once more.</think>\n```lean\n{SWAP} := by\n  exact a\n```"
    found = searched(Answers({START: ["exact a", file]}), max_repairs=0, patience=1)
    assert found.tree is not None
    assert (found.spent.tactics, found.tree.repeated) == (1, 3)


def test_the_tree_of_attempts_is_drawn() -> None:
    found = searched(Answers({START: ["exact a", "exact b"], "exact b": ["exact ⟨h.2, h.1⟩"]}), max_repairs=1)
    assert found.tree is not None
    assert draw_tree(found.tree) == [
        "state 0: ⊢ q ∧ p",
        "├─ exact a  attempt 1 failed: 2:8: Unknown identifier `a`",
        "│  └─ (1 refused)",
        "└─ exact b  attempt 2 failed: 2:8: Unknown identifier `b`",
        "   └─ exact ⟨h.2, h.1⟩  proved",
    ]


ATTACKS = [
    "sorry",
    "exact sorry",
    f"{SWAP} := by\n  sorry",
    "theorem t : True := by\n  trivial",
    "theorem t (p q : Prop) (h : q ∧ p) : q ∧ p := by\n  exact h",
    f"axiom cheat : False\n\n{SWAP} := cheat.elim",
    f"{SWAP} := by\n  exact t p q h",
    "exact absurd rfl (by decide)",
    'have k := "\x1b[2J"\nexact ⟨h.2, h.1⟩',
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_no_proof_and_its_repair_is_one(attack: str) -> None:
    shown: list[str] = []
    for honest in ("exact a", f"{SWAP} := by\n  exact ⟨h.2, h.1⟩"):
        policy = Answers({START: [attack, "exact b"], attack: [attack], "exact b": [honest]})
        found = searched(policy, tactics=8)
        shown += policy.shown
        assert found.tree is not None
        assert (found.proof is not None) == (honest != "exact a")
        (edge,) = (edge for edge in found.tree.root.edges.values() if edge.tactic == attack)
        assert (edge.outcome, edge.proof) == (Outcome.TACTIC_ERROR, False)
    assert all("\x1b" not in text for text in shown)


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the programs use listed answers, and prove and check in this process, which is faster."""

    def checked(text: str, root: Path | None) -> list[tuple[int, str, str]]:
        return [(message.line, message.severity, message.text) for message in check_text(text)]

    def use(table: Mapping[str, Sequence[str]]) -> None:
        monkeypatch.setattr(PolicySource, "load", lambda *_: Answers(table))

    monkeypatch.setattr(file_check, "_messages", checked)
    monkeypatch.setattr(proving, "opened_env", partial(opened_env, num_workers=0))
    return use


PROOF = "have k : q := h.2\nexact ⟨k, h.1⟩"
PRINTED = f"{SWAP} := by\n  have k : q := h.2\n  exact ⟨k, h.1⟩\n"


def test_a_repaired_proof_is_printed_as_source(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answer({START: ["exact a", "sorry"], "exact a": ["sorry", PROOF]})
    assert main([SWAP, *FLAGS, "--max-repairs", "1"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"{PRINTED}-- t: proved by whole_proof: 5 attempts, 6 model calls, ")
    assert check_text(printed) == []
    assert main([SWAP, *FLAGS, "--max-repairs", "1", "--json", "--show", "tree"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["method"], row["proved"], row["source"], row["tactics"]) == (
        "whole_proof",
        True,
        PRINTED,
        [PROOF],
    )
    assert row["tree"][0] == "state 0: ⊢ q ∧ p"
    assert (row["spent"]["tactics"], row["spent"]["model_calls"]) == (5, 6)
    # One repair of the failed attempt is not enough.
    assert main([SWAP, *FLAGS, "--max-repairs", "1", "--repairs", "1", "--tactics", "4"]) == 1
    assert capsys.readouterr().out.startswith("-- t: not proved by whole_proof: 4 attempts, ")


def test_a_file_is_filled_in_where_a_whole_proof_is_missing(
    answer: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer({START: ["exact a", PROOF]})
    file = tmp_path / "F.lean"
    inside = "theorem u (p : Prop) (h : p) : p := by\n  have k : p := sorry\n  exact k\n"
    file.write_text(f"{SWAP} := by sorry\n\n{inside}")
    assert main(["--file", str(file), "--in-place", *FLAGS]) == 1
    assert file.read_text() == f"{PRINTED}\n{inside}"
    printed = capsys.readouterr().out
    assert "-- t (line 1): proved by whole_proof: 2 attempts, " in printed
    assert "not searched: a part of a proof is searched by tactics, not by whole proofs" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--actions", "proof", "--method", "sample"],
            "the method 'whole_proof', as actions is 'proof', got",
        ),
        (
            ["--method", "whole_proof"],
            "expected another method than 'whole_proof', as actions is 'tactic', got 'whole_proof'",
        ),
        (["--actions", "proof", "--repairs", "0"], "--repairs: "),
        (["--actions", "proof", "--split-goals"], "it with best_first or mcts"),
        (["--max-repairs", "1"], "0, as actions is 'tactic'"),
    ],
)
def test_a_wrong_combination_ends_in_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([SWAP, "--policy", "someone/model", *words])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


def test_the_method_of_whole_proofs_is_their_default() -> None:
    assert ProveConfig(policy="p", rollout={"actions": "proof"}).search.method == "whole_proof"
    named = ProveConfig(policy="p", rollout={"actions": "proof"}, search=SearchConfig(samples=3))
    assert (named.search.method, named.search.samples, named.search.repairs) == ("whole_proof", 3, 2)
    assert ProveConfig().search.method == "best_first"


def test_flags_may_lean_on_what_the_preset_says(answer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answer({START: ["", PROOF]})
    words = ["--policy", "preset:goedel-v2=someone/model", "--backend", "minilean", "--method", "whole_proof"]
    assert main([SWAP, *words, "--max-repairs", "1", "--samples", "2"]) == 0
    assert capsys.readouterr().out.startswith(f"{PRINTED}-- t: proved by whole_proof: ")
