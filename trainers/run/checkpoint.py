"""Checkpoint of a run: one file, replaced atomically.

Its last bytes are the SHA-256 of everything before them, as the comment of the ZIP archive that torch writes, so damage
is found before anything is loaded and the file is still one that `torch.load` reads.

It holds the keys of the tactics tried so far (`trainers.rollouts.cache_stats`), but not their results: these refer to
states of a running prover, only save work, and affect no metric except those under `pool/`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch

from trainers.errors import ConfigError
from trainers.runtime.atomic_files import replacing

_ZIP_END = 22  # bytes of the end record of a ZIP archive without a comment
_DIGEST = hashlib.sha256().digest_size
_BLOCK = 1 << 20

Stage = Literal["warm_start", "eval_before", "train", "eval_after", "done"]


@dataclass(slots=True)
class RunState:
    """Progress of a run, as plain data; seeds are derived from these numbers.

    Attributes:
        stage: Next stage to carry out.
        warm_start_epoch: Completed supervised passes.
        warm_start_step: Completed optimiser steps of the next one.
        warm_start_loss: Negative log-likelihood of these steps, the sum over their tokens in nats, and their number.
        iteration: Completed iterations.
        tactics: Sampled tactics of these iterations.
        shown: Theorems whose reference proof was shown in the warm start.
        seconds: Wall-clock seconds by kind of work, since the start of the run, interruptions left out.
        evaluations: `"before"` and `"after"` -> their rates, of a mixture those of each set too, once measured.
        automation: Plain data of a `Yardstick` on the held-out theorems, once measured.
        measured_at: Completed iterations at the last measurement of the held-out theorems.
        solve_rates: Theorem name -> running mean of its solve rate, see `TheoremSampler`.
        proofs: Theorem name -> row of `proofs.jsonl`.
        cache_keys: Keys of the tactics tried in iterations, see `trainers.rollouts.cache_stats`.
        event_bytes: Size in bytes of each file of scalars and of `measurements.jsonl`; what follows was written after
            this point.
    """

    stage: Stage = "warm_start"
    warm_start_epoch: int = 0
    warm_start_step: int = 0
    warm_start_loss: tuple[float, int] = (0.0, 0)
    iteration: int = 0
    tactics: int = 0
    shown: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(
        default_factory=lambda: {"total": 0.0, "warm_start": 0.0, "train": 0.0, "eval": 0.0}
    )
    evaluations: dict[str, dict[str, float]] = field(default_factory=dict)
    automation: dict[str, Any] = field(default_factory=dict)
    measured_at: int = 0
    solve_rates: dict[str, float] = field(default_factory=dict)
    proofs: dict[str, dict[str, Any]] = field(default_factory=dict)
    cache_keys: dict[int, None] = field(default_factory=dict)
    event_bytes: dict[str, int] = field(default_factory=dict)


def save_checkpoint(path: Path, state: RunState, learner: Mapping[str, Any]) -> None:
    """Write a checkpoint by atomic replacement.

    Args:
        path: The file.
        state: Progress of the run.
        learner: Result of `Learner.state_dict`.
    """
    with replacing(path) as temporary, temporary.open("wb") as file:
        # Not `asdict`, which copies every key and proof: half a second at the end of a run.
        run = {name: getattr(state, name) for name in RunState.__slots__}
        torch.save({"run": run, "learner": dict(learner)}, file)
        file.close()
        _seal(temporary)


def load_checkpoint(path: Path) -> tuple[RunState, dict[str, Any]]:
    """Read a checkpoint; the file may hold only tensors and plain values.

    Raises:
        ConfigError: The file is missing, damaged or not a checkpoint.
    """
    if not path.is_file():
        raise ConfigError(f"--resume {path.parent}: the run has no checkpoint; start it again with --config")
    if not _is_sealed(path):
        raise ConfigError(
            f"--resume {path.parent}: {path.name} is damaged, or no checkpoint of a run (its checksum is wrong); "
            "start the run again with --config"
        )
    try:
        stored = torch.load(path, map_location="cpu", weights_only=True)
        return RunState(**stored["run"]), stored["learner"]
    except Exception as error:  # torch raises many kinds of exceptions for a damaged file
        # torch's message is not shown: it advises to load the file without the check for code.
        raise ConfigError(
            f"--resume {path.parent}: {path.name} is damaged, or no checkpoint of a run"
        ) from error


def _seal(path: Path) -> None:
    """Append the digest of a ZIP archive to it, as its comment."""
    with path.open("r+b") as file:
        file.seek(-_ZIP_END, os.SEEK_END)
        end = file.read()
        if not end.startswith(b"PK\x05\x06"):
            raise RuntimeError(
                f"{path}: torch wrote no ZIP archive without a comment, so no checksum can be added"
            )
        file.seek(-2, os.SEEK_END)
        file.write(_DIGEST.to_bytes(2, "little"))
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").digest()
        file.write(digest)


def _is_sealed(path: Path) -> bool:
    """Return whether a file ends with the digest of everything before."""
    digest, left = hashlib.sha256(), path.stat().st_size - _DIGEST
    with path.open("rb") as file:
        while left > 0 and (block := file.read(min(left, _BLOCK))):
            digest.update(block)
            left -= len(block)
        return file.read() == digest.digest()
