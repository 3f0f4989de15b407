"""A schedule of rewards over the iterations of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from lean_gym import LeanProofEnv, LeanProofVectorEnv
from trainers.config.rollout import RolloutConfig
from trainers.grpo import main
from trainers.integrations.trl import make_rollout_func

SETTINGS = {
    "backend": "fake",
    "evaluation": {"automation": False},  # another prover process for a moment
    "workers": 1,
    "torch_threads": 1,
    "max_iterations": 4,
    "tiny": {"hidden_size": 16, "layers": 1, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {"warm_start_epochs": 0},
    "rollout": {
        "theorems_per_iteration": 2,
        "group_size": 2,
        "max_steps": 3,
        "max_tactic_tokens": 4,
        "reward": "binary",
        "reward_schedule": {1: "step_cost:0.1", 3: "first_error:0.2+step_cost:0.1"},
    },
    "learner": {"batch_tokens": 2048},
}


@pytest.fixture
def settings_file(tmp_path: Path, theorem_file: Path) -> Path:
    path = tmp_path / "settings.yaml"
    path.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    return path


def steps_of(folder: Path) -> dict[str, list[int]]:
    """Return the iterations at which each reward term was logged."""
    events = EventAccumulator(str(folder))
    events.Reload()
    return {
        tag.removeprefix("reward/"): [event.step for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
        if tag.startswith("reward/")
    }


def test_each_iteration_has_its_reward_also_when_it_is_resumed(settings_file: Path, tmp_path: Path) -> None:
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    assert main(["--config", str(settings_file), "--run-dir", str(whole)]) == 0
    # Iterations count from 0 in the schedule; a scalar's step is the number of iterations done.
    assert steps_of(whole) == {
        "mean": [1, 2, 3, 4],
        "proof": [1, 2, 3, 4],
        "step_cost": [2, 3, 4],
        "first_error": [4],
    }
    words = ["--config", str(settings_file), "--run-dir", str(resumed), "--max-iterations", "2"]
    assert main(words) == 0
    assert main(["--resume", str(resumed), "--max-iterations", "4"]) == 0
    assert steps_of(resumed) == steps_of(whole)


def test_trl_has_no_iterations_of_ours() -> None:
    with pytest.raises(ValueError, match="reward_schedule: got '0:novelty', expected none"):
        make_rollout_func(["theorem t : True"], RolloutConfig(reward_schedule="0:novelty"))


def test_the_environment_and_the_trainers_have_the_same_default() -> None:
    statement, settings = "theorem t : True ∧ True", RolloutConfig()
    single = LeanProofEnv([statement], "fake")
    named = LeanProofEnv([statement], "fake", settings.reward, reward_options=settings.reward_options)
    with LeanProofVectorEnv(1, [statement], "fake", num_workers=0) as many:
        for env in (single, named, many):
            env.reset()
        for tactic in ("left", "split", "trivial", "trivial"):
            terms = named.step(tactic)[4]["reward_terms"]
            assert single.step(tactic)[4]["reward_terms"] == terms
            assert many.step([tactic])[1].tolist() == [sum(terms.values())]
