"""The comparison of searches: what it measures, keeps and prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks import search
from lean_gym.datasets import write_jsonl
from lean_gym.types import Theorem
from trainers.config.tasks import ProveConfig
from trainers.policies.base import Completion
from trainers.policies.source import PolicySource

EASY = Theorem("easy", "theorem easy (p : Prop) : p → p")
HARD = Theorem("hard", "theorem hard (p : Prop) : p")
CONFIG = ProveConfig(policy="x", backend="minilean", workers=1, tactics=6, samples=2)


class Cycling:
    """Gives `skip`, `intro h` and `assumption` in turn."""

    def __init__(self) -> None:
        self.asked = 0

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        tactics = ["skip", "intro h", "assumption"]
        given = [tactics[(self.asked + number) % 3] for number in range(len(goals))]
        self.asked += len(goals)
        return [Completion((), (0,), (-1.0,), tactic) for tactic in given]

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        yield


@pytest.mark.parametrize("method", ["sample", "best_first", "beam"])
def test_a_search_is_measured_within_its_budget(method: str) -> None:
    found = search.measure(CONFIG, [EASY, HARD], Cycling(), method)
    assert found["solved"] == 0.5
    assert 0 < found["tactics"] <= 6


def test_episodes_give_both_rates() -> None:
    found = search.measure(CONFIG, [HARD], Cycling(), search.EPISODES)
    assert found == {"pass@1": 0.0, "pass@8": 0.0, "tactics": 8.0 * CONFIG.rollout.max_steps}


def test_a_measurement_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_jsonl(tmp_path / "two.jsonl", [EASY, HARD])
    (tmp_path / "run" / "policy").mkdir(parents=True)
    (tmp_path / "run" / "config.yaml").write_text("backend: minilean\n", encoding="utf-8")
    loaded: list[str] = []

    def load(source: PolicySource, *_: object) -> Cycling:
        loaded.append(Path(source.model).name)
        return Cycling()

    monkeypatch.setattr(PolicySource, "load", load)
    words = [str(tmp_path / "run"), "--theorems", str(tmp_path / "two.jsonl"), "--tactics", "6"]
    words += ["--out", str(tmp_path / "out.jsonl"), "--methods"]
    assert search.main([*words, "best_first"]) == 0
    assert loaded == ["start_policy", "policy"]
    assert search.main([*words, "best_first,episodes"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["policy"], row["method"]) for row in rows] == [
        ("start", "best_first"),
        ("trained", "best_first"),
        ("start", "episodes"),
        ("trained", "episodes"),
    ]
    printed = capsys.readouterr().out.splitlines()
    assert any("| best_first | 50.0 |" in line for line in printed)
    assert any("| pass@8 |" in line for line in printed)


def test_a_folder_that_is_no_run_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search.main([str(tmp_path / "none"), "--theorems", "logic:test"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "none" in line
