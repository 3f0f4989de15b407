"""A user's algorithm, named by its import path, from the settings to a run that is resumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from trainers.algorithms import create_algorithm
from trainers.algorithms.__main__ import main as list_algorithms
from trainers.config.run import RunConfig
from trainers.errors import ConfigError
from trainers.grpo import main
from trainers.policies.transformers import load_pretrained
from trainers.run.checkpoint import load_checkpoint

MODULE = '''
from typing import ClassVar

from trainers.algorithms.base import Algorithm
from trainers.algorithms.grpo import GRPO
from trainers.algorithms.ratios import token_mean, weighted
from trainers.algorithms.settings import FamilySettings
from trainers.config.base import NonNegative


class Settings(FamilySettings):
    """Its settings."""

    strength: NonNegative = 1.0
    """Factor on the loss."""


class Mine(Algorithm):
    """REINFORCE."""

    name: ClassVar[str] = "mine"
    settings_type = Settings
    settings: Settings

    def loss(self, batch):
        return token_mean(batch, weighted(batch, -self.settings.strength * batch.token_advantages * batch.logprobs))


class Unfinished(Algorithm):
    """It has no loss and no settings."""

    name: ClassVar[str] = "unfinished"


number = 3
'''
GAME = (
    *("--backend", "fake", "--workers", "1", "--torch-threads", "1", "--hidden-size", "32", "--layers", "2"),
    *("--attention-heads", "2", "--vocabulary", "320", "--theorems-per-iteration", "4", "--group-size", "4"),
    *("--warm-start-epochs", "12", "--warm-start-learning-rate", "5e-3", "--warm-start-batch", "4"),
    *("--max-steps", "8", "--max-tactic-tokens", "8", "--eval-samples", "8", "--no-automation"),
)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The import path of the algorithm."""
    (tmp_path / "my_pkg").mkdir()
    (tmp_path / "my_pkg" / "algorithms_of_mine.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "my_pkg.algorithms_of_mine:Mine"


def weights(folder: Path) -> list[torch.Tensor]:
    return list(load_pretrained(str(folder / "policy"))[0].parameters())


def test_a_run_with_an_algorithm_of_the_user(mine: str, theorem_file: Path, tmp_path: Path) -> None:
    words = [*GAME, "--theorems", str(theorem_file), "--algorithm", mine, "--max-iterations", "1"]
    words += ["--replay-weight", "0"]  # otherwise the proofs shown teach as well
    for name, strength in (("one", "1.0"), ("none", "0.0")):
        folder = [
            "--run-dir",
            str(tmp_path / name),
            "--algo-config",
            json.dumps({"strength": float(strength)}),
        ]
        assert main([*words, *folder]) == 0
    # Its loss is the one that is minimised: with strength 0 the policy stays as the warm start left it.
    assert not all(map(torch.equal, weights(tmp_path / "one"), weights(tmp_path / "none")))
    start = list(load_pretrained(str(tmp_path / "none" / "start_policy"))[0].parameters())
    assert all(map(torch.equal, start, weights(tmp_path / "none")))
    assert main(["--resume", str(tmp_path / "one"), "--max-iterations", "2"]) == 0
    assert load_checkpoint(tmp_path / "one" / "checkpoint.pt")[0].iteration == 2
    assert RunConfig(algo={"algorithm": mine}).stem == "LeanProof-v0-Mine-seed0"  # type: ignore[arg-type]


def test_its_settings_can_be_listed(mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert list_algorithms([mine]) == 0
    assert "strength" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no.such.module:Mine", "algorithm 'no.such.module:Mine': cannot import 'no.such.module'"),
        (
            "my_pkg.algorithms_of_mine:Mien",
            "unknown name in my_pkg.algorithms_of_mine: 'Mien'; did you mean 'Mine'?",
        ),
        ("my_pkg.algorithms_of_mine:number", "expected a subclass of trainers.algorithms.Algorithm, got 3"),
        ("my_pkg.algorithms_of_mine:Settings", "expected a subclass of trainers.algorithms.Algorithm, got"),
        ("my_pkg.algorithms_of_mine:Unfinished", "got one without loss, settings_type"),
        (
            "my_pkg/algorithms_of_mine.py:Mine",
            "--algorithm: expected an import path package.module:Name, got",
        ),
        ("my_pkg.algorithms_of_mine:", "--algorithm: expected an import path package.module:Name, got"),
    ],
)
def test_a_path_that_leads_nowhere_ends_in_one_line(
    mine: str, path: str, message: str, tmp_path: Path, theorem_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--theorems", str(theorem_file), "--run-dir", str(tmp_path / "run"), "--algorithm", path]
    with pytest.raises(SystemExit) as caught:
        main([*GAME, *words])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_its_settings_are_checked(mine: str, theorem_file: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="strength: expected a number at least 0, got -1"):
        create_algorithm(mine, strength=-1)
    with pytest.raises(ValueError, match="unknown setting of mine 'strenght'; did you mean 'strength'"):
        create_algorithm(mine, strenght=1.0)
