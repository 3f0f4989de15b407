"""The programs on whole proofs with repairs, on the game of conftest.py."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from lean_gym import LeanProofVectorEnv, Theorem
from lean_gym.types import Outcome
from trainers import evaluate, expert_iteration, grpo, sft
from trainers.config.rollout import PromptConfig, RolloutConfig, SamplingConfig
from trainers.config.run import RunConfig
from trainers.config.tasks import ProgressConfig
from trainers.errors import ConfigError
from trainers.integrations.trl import LeanRollout
from trainers.policies.views import create_view
from trainers.rollouts.env import verify_proofs
from trainers.rollouts.player import EpisodePlayer
from trainers.rollouts.replay import replay

ROLLOUT: dict[str, Any] = {
    "actions": "proof",
    "max_repairs": 1,
    "theorems_per_iteration": 4,
    "group_size": 4,
    "max_prompt_tokens": 200,
    "max_tactic_tokens": 24,
}
SETTINGS: dict[str, Any] = {
    "backend": "fake",
    "workers": 1,
    "torch_threads": 1,
    "max_iterations": 2,
    "tiny": {"hidden_size": 32, "layers": 2, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {
        "proof_share": 1.0,
        "warm_start_epochs": 30,
        "warm_start_learning_rate": 5e-3,
        "warm_start_batch": 4,
    },
    "rollout": ROLLOUT,
    "learner": {"batch_tokens": 2048},
    "evaluation": {"automation": False},
    "report_to": "none",
}
MEASURED = ("--k", "1", "--samples", "4", "--workers", "1", "--torch-threads", "1", "--backend", "fake")
pytestmark = pytest.mark.usefixtures("no_workers")


@dataclass(frozen=True)
class Word:
    text: str


def settings_file(folder: Path, theorem_file: Path, **changes: Any) -> Path:
    path = folder / "settings.yaml"
    path.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)} | changes))
    return path


def test_each_attempt_is_a_step(theorems: tuple[Theorem, ...]) -> None:
    settings = SamplingConfig(actions="proof", max_repairs=1)
    shown: list[Sequence[str]] = []

    def choose(numbers: Sequence[int], texts: Sequence[str]) -> list[Word]:
        shown.append(texts)
        return [Word("split\nleft") if len(shown) == 1 else Word("split\ntrivial\ntrivial") for _ in numbers]

    with LeanProofVectorEnv(1, list(theorems), "fake", num_workers=0, **settings.env_options) as env:
        (episode,) = EpisodePlayer(env, view=create_view(settings)).play(["t0"], choose)
    assert (episode.outcome, episode.tactics) == (Outcome.PROVED, ("split\ntrivial\ntrivial",))
    assert [step.refused for step in episode.steps] == [True, False]
    assert [step.reward for step in episode.steps] == [0.0, 1.0]
    assert episode.steps[0].goals == "theorem t0 : True ∧ True := by"
    assert episode.steps[0].message.startswith("3:2: 'left' does not apply")
    assert "error at line 3, column 2" in episode.steps[1].goals
    # It is a proof for an environment whose actions are tactics, too.
    assert verify_proofs(theorems, [("t0", episode.tactics)], "fake", 1) == [()]


def test_a_long_proof_is_verified_again() -> None:
    theorem = Theorem("t", "theorem t : True ∧ True")
    long = "\n".join(["split", *["skip"] * 2000, "trivial", "trivial"])
    assert len(long) > 4096
    assert verify_proofs([theorem], [("t", (long,))], "fake", 1) == [()]


def test_reference_proofs_become_pairs_of_statement_and_proof(theorems: tuple[Theorem, ...]) -> None:
    with LeanProofVectorEnv(2, list(theorems), "fake", num_workers=0, actions="proof") as env:
        found = replay(EpisodePlayer(env), [theorems[1], Theorem("t2", theorems[2].statement, proof="left")])
    assert found.pairs == ((f"{theorems[1].statement} := by", theorems[1].proof),)
    assert found.failed == ("t2",)


def test_training_and_measuring(theorem_file: Path, tmp_path: Path) -> None:
    """A run learns from attempts; its proofs hold, and `evaluate` goes on in the same way."""
    folder = tmp_path / "run"
    config = settings_file(tmp_path, theorem_file, save_trajectories=True)
    assert grpo.main(["--config", str(config), "--run-dir", str(folder)]) == 0
    rows = [json.loads(line) for line in (folder / "trajectories.jsonl").read_text().splitlines()]
    assert {len(row["steps"]) for row in rows} <= {1, 2}
    repairs = [row["steps"][1]["shown"] for row in rows if len(row["steps"]) == 2]
    assert repairs
    assert all("error" in goals for goals in repairs)
    proofs = [json.loads(line) for line in (folder / "proofs.jsonl").read_text().splitlines()]
    theorem_set = [json.loads(line) for line in theorem_file.read_text().splitlines()]
    known = [Theorem(row["name"], row["statement"]) for row in theorem_set]
    claims = [(row["name"], tuple(row["tactics"])) for row in proofs]
    assert all(len(script) == 1 for _, script in claims)
    assert verify_proofs(known, claims, "fake", 1) == [()] * len(claims)
    words = ["--policy", str(folder), "--theorems", f"{theorem_file}:test", *MEASURED]
    assert evaluate.main([*words, "--out-dir", str(tmp_path / "measured")]) == 0
    measured = yaml.safe_load((tmp_path / "measured" / "settings.yaml").read_text())["rollout"]
    assert (measured["actions"], measured["max_repairs"], measured["max_steps"]) == ("proof", 1, 2)


def test_expert_iteration_keeps_whole_proofs(theorem_file: Path, tmp_path: Path) -> None:
    shared = {name: value for name, value in SETTINGS.items() if name not in ("max_iterations", "learner")}
    path = tmp_path / "settings.yaml"
    path.write_text(yaml.safe_dump(shared | {"theorems": str(theorem_file), "rounds": 1}))
    folder = tmp_path / "run"
    assert expert_iteration.main(["--config", str(path), "--run-dir", str(folder)]) == 0
    kept = [json.loads(line) for line in (folder / "kept_proofs.jsonl").read_text().splitlines()]
    assert kept
    assert {(len(row["tactics"]), len(row["pairs"]) <= 1) for row in kept} == {(1, True)}


@pytest.mark.filterwarnings("default")  # TRL and transformers warn of each other
def test_sft_on_whole_proofs(theorem_file: Path, tmp_path: Path) -> None:
    words = (
        "--backend",
        "fake",
        "--workers",
        "1",
        "--torch-threads",
        "1",
        "--hidden-size",
        "32",
        "--layers",
        "2",
    )
    more = ("--attention-heads", "2", "--vocabulary", "320", "--epochs", "12", "--learning-rate", "5e-3")
    folder = tmp_path / "run"
    asked = ["--theorems", str(theorem_file), "--run-dir", str(folder), "--actions", "proof"]
    assert sft.main([*asked, *words, *more, "--batch-size", "8"]) == 0
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["pairs"], summary["proofs"]) == (20, 20)
    assert summary["loss"] < 3.0
    words = ("--policy", str(folder), "--theorems", f"{theorem_file}:train", *MEASURED)
    assert evaluate.main([*words, "--max-tactic-tokens", "24", "--out-dir", str(tmp_path / "measured")]) == 0
    measured = yaml.safe_load((tmp_path / "measured" / "settings.yaml").read_text())["rollout"]
    assert (measured["actions"], measured["max_steps"]) == ("proof", 1)


def test_the_defaults_follow_the_actions() -> None:
    settings = RolloutConfig(actions="proof", max_repairs=2)
    assert (settings.max_steps, settings.max_tactic_tokens, settings.max_prompt_tokens) == (3, 512, 1024)
    assert RolloutConfig(actions="proof", max_tactic_tokens=9).max_tactic_tokens == 9
    assert PromptConfig(actions="proof").max_prompt_tokens == 1024
    assert RunConfig(rollout={"actions": "proof", "max_repairs": 1}).rollout.max_steps == 2
    usual = RolloutConfig()
    assert (usual.max_steps, usual.max_tactic_tokens, usual.max_prompt_tokens) == (12, 48, 320)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_repairs": 1}, "max_repairs: expected 0, as actions is 'tactic', got 1"),
        (
            {"actions": "proof", "max_repairs": 1, "max_steps": 9},
            r"max_steps: expected 1 \+ max_repairs \(2\)",
        ),
        ({"actions": "proof", "rollout": "tree"}, "rollout: expected 'flat', as actions is 'proof'"),
        ({"actions": "proofs"}, "actions: "),
    ],
)
def test_settings_that_do_not_go_together(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RolloutConfig(**settings)


def test_programs_that_need_tactics() -> None:
    with pytest.raises(ConfigError, match="rollout: expected actions that are tactics"):
        ProgressConfig(rollout=SamplingConfig(actions="proof"))
    with pytest.raises(ValueError, match="actions: got 'proof', expected 'tactic'"):
        LeanRollout("logic", RolloutConfig(actions="proof"), {})
