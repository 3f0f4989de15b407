"""A run that uses every kind of state, started, and its results."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from trainers.grpo import main
from trainers.run.checkpoint import load_checkpoint

# Every kind of state of a run is used: solve rates, a population of returns, the optimiser over
# several passes, a start policy that follows, evaluations between iterations.
SETTINGS: dict[str, Any] = {
    "backend": "fake",
    "workers": 1,
    "torch_threads": 1,
    "max_iterations": 4,
    "checkpoint_every": 3,
    "tiny": {"hidden_size": 32, "layers": 1, "attention_heads": 2, "vocabulary": 320},
    "warm_start": {
        "proof_share": 0.25,
        "warm_start_epochs": 12,
        "warm_start_learning_rate": 5e-3,
        "warm_start_batch": 4,
    },
    "rollout": {"theorems_per_iteration": 6, "group_size": 2, "max_steps": 8, "max_tactic_tokens": 8},
    "algo": {"algo_config": {"beta": 0.1, "population_size": 6}},
    "learner": {
        "learning_rate": 2e-3,
        "update_epochs": 2,
        "learning_rate_floor": 0.5,
        "sync_ref_model": True,
        "ref_model_sync_steps": 5,
    },
    "replay": {"replay_weight": 0.2, "replayed_steps": 8},
    # Without the automation scripts, which take another prover process for a moment.
    "evaluation": {"eval_every": 2, "automation": False},
    "report_to": "tensorboard,csv",
}


@pytest.fixture
def start(tmp_path: Path, theorem_file: Path, no_workers: None) -> Callable[..., int]:
    """Start the run in the named folder, with further flags, and return the exit code; `whole` has a worker."""
    settings = tmp_path / "settings.yaml"
    settings.write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    return lambda name, *flags: main(["--config", str(settings), "--run-dir", str(tmp_path / name), *flags])


def _outcome(folder: Path) -> dict[str, Any]:
    """Results of a run, without times and without counts of the machine's caches."""
    # Every point is in the files once, also for readers that do not look for restarts.
    events = EventAccumulator(str(folder), purge_orphaned_data=False)
    events.Reload()
    for tag in events.Tags()["scalars"]:
        steps = [event.step for event in events.Scalars(tag)]
        assert len(steps) == len(set(steps)), (tag, steps)
    tags = [tag for tag in events.Tags()["scalars"] if not tag.startswith(("time/", "pool/"))]
    state, learner = load_checkpoint(folder / "checkpoint.pt")
    state.seconds.clear()
    state.event_bytes.clear()
    with (folder / "metrics.csv").open(newline="") as file:
        rows = [(row["scalar"], int(row["step"]), float(row["value"])) for row in csv.DictReader(file)]
    assert len(rows) == len({row[:2] for row in rows})
    # The file has each point of the event files, which store 32 bits.
    stored = {(tag, e.step): e.value for tag in events.Tags()["scalars"] for e in events.Scalars(tag)}
    assert {(tag, step): float(np.float32(value)) for tag, step, value in rows} == pytest.approx(stored)
    return {
        "scalars": {tag: {e.step: e.value for e in events.Scalars(tag)} for tag in tags},
        "state": state,
        "weights": {name: tensor.tolist() for name, tensor in learner["model"].items()},
        "reference": {name: tensor.tolist() for name, tensor in learner["reference"].items()},
        "algorithm": learner["algorithm"],
        "proofs": (folder / "proofs.jsonl").read_text(),
        "measurements": (folder / "measurements.jsonl").read_text(),
        "eval": json.loads((folder / "summary.json").read_text())["eval"],
    }


@pytest.fixture(scope="session")
def outcome() -> Callable[[Path], dict[str, Any]]:
    """The function that reads the results of a run in a folder."""
    return _outcome


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, theorem_file: Path) -> dict[str, Any]:
    """The results of an uninterrupted run."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "settings.yaml").write_text(yaml.safe_dump(SETTINGS | {"theorems": str(theorem_file)}))
    assert main(["--config", str(folder / "settings.yaml"), "--run-dir", str(folder / "run")]) == 0
    found = _outcome(folder / "run")
    assert set(found["scalars"]["eval/pass_at_1"]) == {0, 2, 4}
    assert found["state"].solve_rates
    assert found["algorithm"]["population"]["groups"]
    assert found["scalars"]["cache/earlier"][4] > 0.0
    return found
