"""`python -m trainers.prove` on the game of the fake backend, with a policy that follows a list."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from lean_gym.types import Theorem
from minilean.check_command import check_text
from trainers.config.rollout import SamplingConfig
from trainers.config.search import SearchConfig
from trainers.config.tasks import ProveConfig
from trainers.errors import ConfigError
from trainers.policies.base import Completion
from trainers.policies.progress import ProgressModel
from trainers.policies.source import PolicySource
from trainers.policies.transformers import TransformersPolicy
from trainers.prove import main
from trainers.proving.search.proving import chosen_theorems, rule_maker, search_with, source_of
from trainers.runtime.signals import Interrupted

PROVABLE = "theorem t : True ∧ (False ∨ True)"


class Listed:
    """Gives the tactics of the game in turn, whatever the goals."""

    def __init__(self, tactics: Sequence[str] = ("split", "trivial", "left", "right", "sorry")) -> None:
        self._tactics = tactics
        self._count = 0

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        first, self._count = self._count, self._count + len(goals)
        words = [self._tactics[(first + at) % len(self._tactics)] for at in range(len(goals))]
        return [Completion((), (0,), (-1.0,), word) for word in words]

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        yield


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, no_workers: None) -> Iterator[list[str]]:
    """Replace the loading of a policy; the words are flags that all calls share."""
    monkeypatch.setattr(PolicySource, "load", lambda *_: Listed())
    words = ["--policy", "someone/model", "--tactics-from", "policy", "--backend", "fake"]
    yield [*words, "--workers", "1", "--samples", "5"]


@pytest.mark.parametrize("method", ["best_first", "beam", "mcts", "sample"])
def test_a_proof_is_printed_as_source(
    run: list[str], method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    # Four episodes do not meet the same of the five tactics each time.
    assert main(["theorem t : True ∧ True", *run, "--method", method, "--samples", "4"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(
        "theorem t : True ∧ True := by\n  split\n  trivial\n  trivial\n-- t: proved by "
    )


def test_what_stays_unproved_is_exit_code_1(run: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["theorem t : False", *run, "--tactics", "9", "--show", "tree"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("-- t: not proved by best_first: 5 tactics, ")
    assert printed[1:3] == ["-- state 0: ⊢ False", "-- └─ (5 refused)"]


def test_one_json_object_a_theorem(
    run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"name": "a", "statement": "theorem a : True"}, {"name": "b", "statement": "theorem b : False"}]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["--theorems", str(tmp_path / "set.jsonl"), *run, "--json", "--show", "tree"]
    assert main(words) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["name"], row["proved"]) for row in found] == [("a", True), ("b", False)]
    assert found[0]["source"] == "theorem a : True := by\n  trivial\n"
    assert (found[1]["source"], found[1]["tactics"]) == (None, [])
    assert found[0]["tree"][0] == "state 0: ⊢ True"
    assert found[1]["spent"]["tactics"] == 5


def test_an_interruption_keeps_what_was_found() -> None:
    theorems = [Theorem("a", "theorem a : True"), Theorem("b", "theorem b : False")]
    config = ProveConfig(
        policy="p",
        tactics_from="policy",
        backend="fake",
        workers=1,
        side_by_side=1,
        search=SearchConfig(samples=5),
    )
    calls = iter(range(100))

    def check() -> None:
        if (
            next(calls) == 4
        ):  # each theorem has a start; the first has a model call and a wave of tactics or two
            raise Interrupted(2)

    first, second = search_with(config, theorems, Listed(("trivial",)), check)
    assert first.proof is not None
    assert first.proof.tactics == ("trivial",)
    assert second.proof is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["theorem t : True", "--tactics-from", "menu,policy"],
            "policy: expected a run folder, a model or an endpoint",
        ),
        (["theorem t : True", "--tactics-from", "lemma"], "unknown source 'lemma'; did you mean 'lemmas'?"),
        ([], "theorem: expected a statement such as 'theorem t : 1 = 1', or --theorems SET or --file F.lean"),
        (["--policy", "p"], "theorem: expected a statement"),
        (["theorem t : 1 = 1", "--policy", "p", "--method", "depth"], "--method: "),
        (["nothing", "--theorems", "logic", "--policy", "p"], "unknown theorem 'nothing'"),
        (["--theorems", "nat", "--policy", "p", "--tactics", "0"], "--tactics: "),
        (
            ["theorem t : True := trivial", "--policy", "p"],
            "theorem: expected a statement without a proof, got the proof ':= trivial'",
        ),
        (
            ["theorem t : True := by\n  sorry\n  simp", "--policy", "p"],
            "expected a statement without a proof",
        ),
    ],
)
def test_wrong_settings_end_in_one_line(
    run: list[str], words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_chosen_theorem() -> None:
    named = ProveConfig(theorem="prop_chain", theorems="logic")
    assert [theorem.name for theorem in chosen_theorems(named)] == ["prop_chain"]
    assert chosen_theorems(ProveConfig(theorem=PROVABLE))[0].statement == PROVABLE
    for placeholder in (" :=", " := sorry", " := by sorry", " := by"):
        (given,) = chosen_theorems(ProveConfig(theorem=PROVABLE + placeholder))
        assert given.statement == PROVABLE
    with pytest.raises(ConfigError, match="theorem: "):
        chosen_theorems(ProveConfig(theorem="theorem {} :"))


def test_a_rule_for_each_method() -> None:
    names = {
        rule_maker(SearchConfig(method=method), 8)().__class__.__name__
        for method in ("best_first", "beam", "mcts", "sample")
    }
    assert names == {"BestFirst", "Beam", "Mcts", "Sample"}


@pytest.mark.parametrize("method", ["best_first", "mcts"])
def test_a_progress_model_guides_the_search(
    run: list[str],
    method: str,
    policy: TransformersPolicy,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "progress"
    ProgressModel(policy.model, policy.tokenizer, SamplingConfig(), longest=3).save(folder)
    words = ["theorem t : True ∧ True", *run, "--method", method]
    assert main([*words, "--value", str(folder)]) == 0
    assert f"-- t: proved by {method}: " in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main([*words, "--value", str(tmp_path / "none")])
    assert ended.value.code == 2
    assert "none" in capsys.readouterr().err


def test_a_lemma_of_the_library_is_printed_without_a_file_around_it() -> None:
    lemma = Theorem("x", "theorem x : True", position="Core.lean:x")
    assert source_of(lemma, ("trivial",)) == "theorem x : True := by\n  trivial\n"


def test_the_printed_source_is_accepted_by_minilean(
    run: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tactics = ("sorry", "intro h", "exact ⟨h.2, h.1⟩", "exact sorry")
    monkeypatch.setattr(PolicySource, "load", lambda *_: Listed(tactics))
    words = ["theorem t (p q : Prop) : p ∧ q → q ∧ p", *run, "--backend", "minilean", "--samples", "4"]
    assert main([*words, "--show", "tree"]) == 0
    printed = capsys.readouterr().out
    assert "by\n  intro h\n  exact ⟨h.2, h.1⟩\n" in printed
    assert check_text(printed) == []
    # The check can fail: the same file with another proof.
    wrong = check_text(printed.replace("h.2, h.1", "h.1, h.2"))
    assert any(message.severity == "error" for message in wrong)
