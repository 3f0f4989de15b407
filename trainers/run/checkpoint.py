"""What a run needs in order to go on, in one file that is either the old one or the new one.

The keys of the tactics tried so far are in it (`cache_keys.py`), their results are not: these hold states that live in
a prover, save work, and change no metric but what machines count of that (`pool/`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch

from trainers.errors import ConfigError
from trainers.runtime.atomic_files import replacing

Stage = Literal["warm_start", "eval_before", "train", "eval_after", "done"]


@dataclass(slots=True)
class RunState:
    """How far a run has come. Everything here is plain data; seeds are derived from these numbers.

    Attributes:
        stage: What is to be done next.
        warm_start_epoch: Supervised passes done.
        iteration: Iterations done.
        shown: Theorems whose reference proof was shown in the warm start.
        seconds: Wall-clock seconds by kind of work, over all sittings.
        evaluations: `"before"` and `"after"` to their rates, as far as they are known.
        measured_at: Iterations done when the held-out theorems were last measured.
        solve_rates: The theorem sampler's running means.
        streaks: Its groups in a row that were proved throughout.
        proofs: Theorem name to the row of `proofs.jsonl`.
        cache_keys: Keys of the tactics tried in iterations, see `trainers.rollouts.cache_stats`.
    """

    stage: Stage = "warm_start"
    warm_start_epoch: int = 0
    iteration: int = 0
    shown: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(
        default_factory=lambda: {"total": 0.0, "warm_start": 0.0, "train": 0.0, "eval": 0.0}
    )
    evaluations: dict[str, dict[str, float]] = field(default_factory=dict)
    measured_at: int = 0
    solve_rates: dict[str, float] = field(default_factory=dict)
    streaks: dict[str, int] = field(default_factory=dict)
    proofs: dict[str, dict[str, Any]] = field(default_factory=dict)
    cache_keys: dict[int, None] = field(default_factory=dict)


def save_checkpoint(path: Path, state: RunState, learner: Mapping[str, Any]) -> None:
    """Write a checkpoint in one step: a reader finds the previous file or this one.

    Args:
        path: The file.
        state: How far the run has come.
        learner: What `Learner.state_dict` gave.
    """
    with replacing(path) as temporary, temporary.open("wb") as file:
        torch.save({"run": asdict(state), "learner": dict(learner)}, file)


def load_checkpoint(path: Path) -> tuple[RunState, dict[str, Any]]:
    """Read a checkpoint; only tensors and plain values are accepted from the file.

    Raises:
        ConfigError: The file is missing or is no checkpoint.
    """
    if not path.is_file():
        raise ConfigError(f"--resume {path.parent}: the run has no checkpoint; start it again with --config")
    try:
        stored = torch.load(path, map_location="cpu", weights_only=True)
        return RunState(**stored["run"]), stored["learner"]
    except Exception as error:  # reading junk fails in as many ways as there is junk
        # Not torch's own words: they advise to load whatever code the file holds.
        raise ConfigError(
            f"--resume {path.parent}: {path.name} is damaged, or no checkpoint of a run"
        ) from error
