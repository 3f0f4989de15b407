"""The whole comparison on a small game, in this process."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from benchmarks import gpu, savings, trainers
from benchmarks.contest import child
from benchmarks.contest.rounds import Outcome
from benchmarks.contest.settings import Measurement

pytestmark = pytest.mark.filterwarnings("default")  # TRL warns of its own experimental parts


def small(game: Path) -> list[str]:
    return [
        *("--theorems", str(game), "--backend", "fake", "--workers", "1", "--theorems-per-update", "3"),
        *("--group-size", "4", "--max-steps", "5", "--max-tactic-tokens", "4", "--warm-start-epochs", "30"),
        *("--updates", "2", "--stock-rows", "3", "--threads", "1"),
    ]


class Here:
    """Do the jobs of a contest in this process and record the answers."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str], Measurement] = {}
        self.batch: dict[str, float] = {}

    def __call__(self, job: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(json.dumps(child.run(json.loads(json.dumps(job)))))
        if job["side"] == "preparation":
            self.batch = found
        else:
            self.answers[job["side"], job["phase"]] = Measurement(**found)
        return found


def test_both_sides_do_the_same_work(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = Here()
    trainers.main([*small(game), "--rounds", "1"], here)
    ours, stock = here.answers["ours", "learning"], here.answers["stock", "learning"]
    # Both learn from the recorded batch: each of its tactics and tokens, in each of the two updates.
    assert ours.tactics == stock.tactics == [here.batch["tactics"]] * 2
    assert ours.tokens == stock.tokens == [here.batch["tokens"]] * 2
    assert stock.rows == here.batch["tactics"] == ours.rows + ours.dropped
    assert ours.rows > 0
    assert ours.rollout_s == stock.rollout_s == []
    for one in here.answers.values():
        assert len(one.learning_s) == 2
        assert min(one.learning_s) > 0
        assert one.peak_mib > 0
    played = here.answers["ours", "iteration"]
    assert all(12 <= count <= 12 * 5 for count in played.tactics)
    assert played.tried == sum(played.tactics)
    assert 0 < played.hits < played.tried
    live = here.answers["stock", "iteration"]
    assert min(live.rollout_s) > 0
    assert all(12 <= count <= 12 * 5 for count in live.tactics)
    shown = capsys.readouterr().out
    assert "recorded batch: 12 episodes" in shown
    assert f"cache of the group: {played.hits / played.tried:.1%}" in shown


def test_a_big_model_learns_and_samples(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = Here()
    gpu.main(
        [*small(game), "--rounds", "1", "--device", "cpu", "--size", "tiny", "--teraflops", "0.001"], here
    )
    # Random weights never end a tactic and prove nothing: both sides sample 12 episodes of 5 tactics of 4 tokens.
    for side in ("ours", "stock"):
        assert here.answers[side, "iteration"].tactics == [60, 60]
        assert here.answers[side, "iteration"].tokens == [240, 240]
    shown = capsys.readouterr().out
    assert "utilisation, % of 0.001 TFLOP/s" in shown
    assert "own episodes: tokens sampled/s" in shown


def test_the_share_that_the_cache_saves() -> None:
    runs = [Measurement(tried=10, hits=1), Measurement(tried=30, hits=9)]
    outcome = Outcome({}, {("ours", "iteration"): runs})
    assert trainers.saved_share(outcome) == 0.25


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rounds", "0"], "rounds: expected at least 1, got 0"),
        (["--stock-rows", "7"], "stock_rows: expected a number that"),
        (["--theorems", "logik"], "did you mean 'logic'"),
    ],
)
def test_mistakes(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        trainers.main(words, Here())
    assert end.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_command_with_its_processes(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trainers.main([*small(game), "--rounds", "1"])
    assert "whole iteration" in capsys.readouterr().out


def test_a_saving_is_switched_off_from_line_to_line(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found: dict[str, dict[str, Measurement]] = {}

    def do(job: dict[str, Any]) -> dict[str, Any]:
        answer = child.run(json.loads(json.dumps(job)))
        if job["side"] != "preparation":
            found.setdefault(job["contest"]["batch"], {})[job["side"]] = Measurement(**answer)
        return answer

    savings.main([*small(game), "--rounds", "1", "--updates", "1", "--batches", "distinct,recorded"], do)
    assert list(found) == ["recorded", "distinct"]
    for sides in found.values():
        ours, apart, each, everything, rows, stock = (sides[side] for side in savings.LABELS)
        assert ours.rows == apart.rows == each.rows == rows.rows > 0
        assert each.passed == rows.passed  # the same tokens, padding apart
        assert everything.rows == each.rows + each.dropped == stock.rows == everything.tactics[0]
        passed = [side.passed[0] for side in (ours, apart, each, everything)]
        assert passed == sorted(passed)
        assert each.learning_flops < everything.learning_flops
    recorded = found["recorded"]
    assert recorded["ours"].passed < recorded["apart"].passed < recorded["each"].passed
    # Four episodes of a theorem begin with the same goals, unless prompts are made distinct.
    a_row = {batch: sides["ours"].passed[0] / sides["ours"].rows for batch, sides in found.items()}
    assert a_row["distinct"] > 2 * a_row["recorded"]
    shown = capsys.readouterr().out
    assert all(shown.count(f" {label} ") >= 2 for label in savings.LABELS.values())


def test_an_interrupted_comparison_shows_what_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    measured = Measurement(rows=1, passed=[2], learning_flops=[3.0], learning_s=[4.0])
    asked = []

    def do(job: dict[str, Any]) -> dict[str, Any]:
        asked.append((job["contest"]["batch"], job["side"]))
        if asked[-1] == ("distinct", "apart"):
            raise KeyboardInterrupt
        return {} if job["side"] == "preparation" else asdict(measured)

    savings.main(["--batches", "distinct,long", "--rounds", "1"], do)
    shown = capsys.readouterr().out
    assert " ours " in shown
    assert savings.LABELS["apart"] not in shown
    assert asked[-1] == ("distinct", "apart")


def test_an_unknown_batch_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        savings.main(["--batches", "recorded,short"])
    assert "--batches: expected names among recorded, distinct, long, proofs, got" in capsys.readouterr().err
