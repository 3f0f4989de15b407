"""Checkpoint of a run: one file, replaced atomically.

Where processes divide the weights, the file has the structure of the learner's state, and its tensors are in a folder
beside it, a file of each process, see `trainers.distributed.shards`. The file is written last and names folder and
checksums, so an interruption in between leaves the checkpoint before.

The file's last bytes are the SHA-256 of everything before them, as the comment of the ZIP archive that torch writes, so
damage is found before anything is loaded and the file is still one that `torch.load` reads.

It holds the keys of the tactics tried so far (`trainers.rollouts.cache_stats`), but not their results: these refer to
states of a running prover, only save work, and affect no metric except those under `pool/`.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch

from trainers.distributed.processes import Processes
from trainers.distributed.shards import ShardWriter, checksum, stored_rows
from trainers.errors import ConfigError
from trainers.learning.learner import Learner
from trainers.runtime.atomic_files import replacing

_ZIP_END = 22  # bytes of the end record of a ZIP archive without a comment
_DIGEST = hashlib.sha256().digest_size
_BLOCK = 1 << 20
_SHARDS = "shards-"

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


class CheckpointWriter:
    """Writes the checkpoints of a run; those of divided weights in the background."""

    def __init__(self, path: Path, processes: Processes) -> None:
        """Write nothing yet.

        Args:
            path: The file; folders of shards are beside it.
            processes: Those of the run. All of them call the methods together.
        """
        self._path, self._processes = path, processes
        self._shards = ShardWriter(processes.rank) if processes.divides else None
        self._begun: tuple[RunState, dict[str, Any], Path] | None = None

    def write(
        self, state: RunState, learner: Learner, write_policy: Callable[[Mapping[str, torch.Tensor]], None]
    ) -> None:
        """Write a checkpoint and the policy.

        Divided weights are copied now and written in the background: `finish` completes the checkpoint.

        Args:
            state: Progress of the run.
            learner: Owns weights and optimiser.
            write_policy: Writes the policy from its whole weights; called in the first process.

        Raises:
            ConfigError: It, or the one before, cannot be written.
        """
        self.finish()
        if self._shards is None:
            stored = learner.state_dict()
            if self._processes.main:
                write_policy(stored["model"])
                save_checkpoint(self._path, state, stored)
                self._forget_shards()
            self._processes.gather(None)  # the others may read the policy
            return
        folder = self._path.parent / self._processes.gather(self._next_name())[0]
        weights = learner.weights(learner.policy.loaded_dtype)
        also = functools.partial(write_policy, weights) if self._processes.main else lambda: None
        structure = self._shards.begin(folder, learner.divided_state_dict(), also)
        self._begun = copy.deepcopy(state), structure, folder

    def finish(self, wait: bool = True) -> None:
        """Complete the checkpoint whose shards are written.

        Args:
            wait: Whether to wait for them; otherwise a checkpoint that is still written stays for a later call.

        Raises:
            ConfigError: One of the processes cannot write.
        """
        if self._begun is None or self._shards is None:
            return
        if not wait and not all(self._processes.gather(self._shards.done)):
            return
        (state, structure, folder), self._begun = self._begun, None
        own, failure = {}, ""
        try:
            own = self._shards.result()
        except ConfigError as error:
            failure = str(error)
        written = self._processes.gather((own, failure))
        failure = next(filter(None, (text for _, text in written)), "")
        if self._processes.main and not failure:
            try:
                checksums = {name: digest for files, _ in written for name, digest in files.items()}
                self._complete(state, structure, folder, checksums)
            except ConfigError as error:
                failure = str(error)
        if failure := self._processes.gather(failure)[0]:
            raise ConfigError(failure)

    def close(self) -> None:
        """Wait for the files that are being written."""
        if self._shards is not None:
            self._shards.close()

    def _complete(self, state: RunState, structure: Any, folder: Path, checksums: Mapping[str, str]) -> None:
        missing = [name for name in checksums if not (folder / name).is_file()]
        if missing:
            raise ConfigError(
                f"run_dir: expected a folder that all machines of the run share, but {folder / missing[0]}, which "
                "another process has written, is not there"
            )
        save_checkpoint(
            self._path, state, {**structure, "shards": {"folder": folder.name, "sha256": dict(checksums)}}
        )
        self._forget_shards(folder)

    def _next_name(self) -> str:
        numbers = [
            int(path.name.removeprefix(_SHARDS)) for path in self._path.parent.glob(f"{_SHARDS}[0-9]*")
        ]
        return f"{_SHARDS}{max(numbers, default=0) + 1}"

    def _forget_shards(self, kept: Path | None = None) -> None:
        for path in self._path.parent.glob(f"{_SHARDS}[0-9]*"):
            if path != kept:
                shutil.rmtree(path, ignore_errors=True)


def load_checkpoint(path: Path, processes: Processes | None = None) -> tuple[RunState, dict[str, Any]]:
    """Read a checkpoint; the file may hold only tensors and plain values.

    Args:
        path: The file.
        processes: The processes that read it, each of which checks a part of the shards; only this one if left out.

    Returns:
        Progress of the run, and the learner's state; `StoredRows` stand for tensors in shards.

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
        state, learner = RunState(**stored["run"]), stored["learner"]
        shards = learner.pop("shards", None)
        checksums = dict(shards["sha256"]) if shards else {}
        folder = path.parent / (shards["folder"] if shards else "")
    except Exception as error:  # torch raises many kinds of exceptions for a damaged file
        # torch's message is not shown: it advises to load the file without the check for code.
        raise ConfigError(
            f"--resume {path.parent}: {path.name} is damaged, or no checkpoint of a run"
        ) from error
    for name in (processes or Processes()).own_part(list(checksums)):
        if not (folder / name).is_file() or checksum(folder / name) != checksums[name]:
            raise ConfigError(
                f"--resume {path.parent}: {folder.name}/{name} is missing or damaged; start the run again with --config"
            )
    return state, stored_rows(learner, tuple(folder / name for name in sorted(checksums)))


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
