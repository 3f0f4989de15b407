"""`python -m trainers.expert_iteration` on the game of conftest.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from lean_gym import Theorem
from lean_gym.datasets import load_theorems
from lean_gym.verification.canaries import CANARY_DOMAIN
from trainers.curriculum.difficulty import categories, ratings_of
from trainers.curriculum.sampler import TheoremSampler
from trainers.errors import PolicyError
from trainers.evaluate import main as evaluate
from trainers.expert_iteration import main
from trainers.imitation.expert_iteration import ExpertIteration
from trainers.policies.transformers import load_pretrained
from trainers.run.checkpoint import load_checkpoint
from trainers.runtime.signals import Interrupted, StopRequest

WORDS = (
    *("--backend", "fake", "--workers", "1", "--torch-threads", "1", "--hidden-size", "32", "--layers", "2"),
    *("--attention-heads", "2", "--vocabulary", "320", "--theorems-per-iteration", "4", "--group-size", "4"),
    *("--max-steps", "8", "--max-tactic-tokens", "8", "--warm-start-epochs", "12", "--warm-start-batch", "4"),
    *("--proof-share", "0.25"),
    *("--warm-start-learning-rate", "5e-3", "--fine-tune-learning-rate", "2e-3", "--checkpoint-every", "2"),
)

pytestmark = pytest.mark.usefixtures("no_workers")


def run(theorem_file: Path, folder: Path, *words: str) -> int:
    return main(["--theorems", str(theorem_file), "--run-dir", str(folder), *WORDS, *words])


def weights(folder: Path) -> list[torch.Tensor]:
    model, _ = load_pretrained(str(folder / "policy"))
    return list(model.parameters())


def tags(folder: Path) -> list[str]:
    events = EventAccumulator(str(folder))
    events.Reload()
    return list(events.Tags()["scalars"])


def scalars(folder: Path, tag: str) -> list[float]:
    events = EventAccumulator(str(folder))
    events.Reload()
    return [event.value for event in events.Scalars(tag)]


@pytest.fixture(scope="module")
def whole(theorem_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    assert run(theorem_file, folder, "--rounds", "4") == 0
    return folder


@pytest.mark.slow
def test_it_learns(
    theorem_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], documented: dict[str, str]
) -> None:
    folder = tmp_path / "run"
    assert run(theorem_file, folder, "--rounds", "25", "--seed", "1", "--theorems-per-iteration", "8") == 0
    rates = json.loads((folder / "summary.json").read_text())["eval"]
    assert rates["after"]["pass@1"] > rates["before"]["pass@1"] + 0.15
    kept = [json.loads(line) for line in (folder / "kept_proofs.jsonl").read_text().splitlines()]
    assert len({(proof["theorem"], tuple(proof["tactics"])) for proof in kept}) == len(kept) > 0
    assert scalars(folder, "buffer/proofs")[-1] <= len(kept)
    expected = {name for name, when in documented.items() if "not in" not in when and "where" not in when}
    expected |= {"reward/proof", "proof/pass_at_4", "proof/length"}
    assert set(tags(folder)) == expected - {"reward/TERM", "proof/pass_at_K"}
    parts = zip(scalars(folder, "time/rollout"), scalars(folder, "time/learn"), strict=True)
    assert scalars(folder, "time/iteration") == pytest.approx([sum(pair) for pair in parts])
    assert all(rate > 0 for rate in scalars(folder, "time/tactics_per_second"))
    assert scalars(folder, "pool/tactics")[-1] > 0
    earlier, repeated = scalars(folder, "cache/earlier"), scalars(folder, "cache/repeated")
    assert earlier[0] == 0
    assert all(a <= b <= 1 for a, b in zip(earlier, repeated, strict=True))
    assert earlier[-1] > 0
    assert "held-out theorems" in capsys.readouterr().out

    # The run is a policy like any other, with the settings that it was trained with.
    words = ["--theorems", f"{theorem_file}:test", "--k", "1", "--samples", "8", "--workers", "1"]
    assert evaluate(["--policy", str(folder), *words, "--out-dir", str(tmp_path / "measured")]) == 0
    found = json.loads((tmp_path / "measured" / "result.json").read_text())
    assert found["backend"] == "fake"
    assert found["overall"]["pass@1"]["value"] == pytest.approx(rates["after"]["pass@1"], abs=0.3)


def test_held_out_theorems_are_not_learnt_from(theorem_file: Path, whole: Path) -> None:
    rows = [json.loads(line) for line in theorem_file.read_text().splitlines()]
    held_out = {row["name"] for row in rows if row["split"] == "test"}
    kept = [json.loads(line)["theorem"] for line in (whole / "kept_proofs.jsonl").read_text().splitlines()]
    assert kept
    assert not held_out & set(kept)


# The checks fall into the warm start, the first evaluation and the rounds.
@pytest.mark.parametrize("stop_at", [8, 20, 45])
def test_an_interruption_changes_nothing(
    theorem_file: Path, whole: Path, tmp_path: Path, stop_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = []

    def check(self: StopRequest) -> None:
        checks.append(None)
        if len(checks) == stop_at:
            raise Interrupted(15)

    monkeypatch.setattr(StopRequest, "check", check)
    broken = tmp_path / "broken"
    assert run(theorem_file, broken, "--rounds", "4") == 128 + 15
    assert main(["--resume", str(broken)]) == 0
    assert all(map(torch.equal, weights(whole), weights(broken)))
    for name in ("kept_proofs.jsonl", "proofs.jsonl"):
        assert (whole / name).read_text() == (broken / name).read_text()
    assert scalars(whole, "reward/mean") == scalars(broken, "reward/mean")


def test_a_policy_that_fails_loses_nothing(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    plain = ExpertIteration._iteration

    def fail(self: ExpertIteration, *given: Any) -> str:
        if self.state.iteration == 1:
            raise PolicyError("the model is gone")
        return plain(self, *given)

    monkeypatch.setattr(ExpertIteration, "_iteration", fail)
    with pytest.raises(SystemExit):
        run(theorem_file, folder, "--rounds", "2")
    shown = capsys.readouterr()
    assert (
        f"to resume from its last checkpoint: python -m trainers.expert_iteration --resume {folder}"
        in shown.out.replace("\n", "")
    )
    assert shown.err == "error: the model is gone\n"
    assert load_checkpoint(folder / "checkpoint.pt")[0].iteration == 1
    assert (folder / "kept_proofs.jsonl").is_file()


def test_a_canary_that_is_proved_stops_the_run(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    canary = Theorem("canary", "theorem canary : True ∨ True", domain=CANARY_DOMAIN)
    for module in ("run.session", "run.loop"):
        monkeypatch.setattr(f"trainers.{module}.canary_theorems", lambda: (canary,))
    words = ["--canaries", "1", "--rounds", "6", "--rollout", "tree", "--branch-size", "2"]
    assert run(theorem_file, tmp_path / "run", *words) == 3
    assert "ALARM" in capsys.readouterr().out


def test_a_curriculum_decides_the_draws_of_each_round(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop is that of `trainers.grpo`, so this holds for every algorithm."""
    draws: list[list[str]] = []
    plain = TheoremSampler.draw

    def draw(self: TheoremSampler, count: int, rng: np.random.Generator) -> list[str]:
        draws.append(plain(self, count, rng))
        return draws[-1]

    monkeypatch.setattr(TheoremSampler, "draw", draw)
    words = ["--curriculum", "percentile", "--rounds", "3", "--warm-start-epochs", "1", "--max-steps", "2"]
    assert run(theorem_file, tmp_path / "run", *words) == 0
    theorems = [theorem for theorem in load_theorems(str(theorem_file)) if theorem.split == "train"]
    found = categories(ratings_of(theorems))
    by_name = {theorem.name: category for theorem, category in zip(theorems, found, strict=True)}
    assert [{by_name[name] for name in names} for names in draws] == [{"Easy"}, {"Medium"}, {"Hard"}]


def test_a_finished_run_can_be_extended(theorem_file: Path, tmp_path: Path) -> None:
    assert run(theorem_file, tmp_path / "run", "--rounds", "1") == 0
    assert main(["--resume", str(tmp_path / "run"), "--rounds", "2"]) == 0
    assert load_checkpoint(tmp_path / "run" / "checkpoint.pt")[0].iteration == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--theorems", "logik"], "did you mean 'logic'"),
        (["--backend", "minilaen"], "did you mean 'minilean'"),
        (["--model", "./missing"], "cannot load the model './missing'"),
        (["--round", "3"], "unknown flag --round; did you mean --rounds?"),
        (["--proofs-per-theorem", "0"], "--proofs-per-theorem: expected a whole number at least 1, got 0"),
        (["--seed", "-1"], "--seed: expected a whole number from 0"),
        (["--algorithm", "dapo"], "unknown flag --algorithm"),
    ],
)
def test_mistakes_end_with_one_line(
    theorem_file: Path, tmp_path: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        run(theorem_file, tmp_path / "run", *words)
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "run").exists()
