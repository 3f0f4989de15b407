"""Folder of a run: its paths, and writing of its small files.

config.yaml            the resolved settings; `--config` on it repeats the run
run.json               versions, seed, command, checksum of the theorems
checkpoint.pt          state for `--resume`; with `--use_fsdp`, the tensors are in shards-N/
run.lock               locked while a process works here
policy/                model and tokenizer, for `--model`
start_policy/          the same after the warm start, the reference of the KL term
events.out.tfevents.*  scalars for TensorBoard, which names a run after the folder that they lie in; metrics.csv,
                       wandb.json, trackio.json: other recorders of `report_to`
trajectories.jsonl     every episode of training, with `--save-trajectories`
measurements.jsonl     held-out theorems in each measurement: numbers, some episodes
held_out.jsonl         the held-out theorems, where no named set holds exactly these
proofs.jsonl           proofs found of theorems whose proof was never shown, of both parts
summary.json           the result
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from lean_gym.checkout import Checkout
from lean_gym.datasets.formats.rows import row_from_theorem
from lean_gym.types import Theorem
from trainers.config.files import write_file
from trainers.config.run import TrainingConfig
from trainers.errors import ConfigError
from trainers.evaluation.yardstick import automation_share
from trainers.policies.base import Completion
from trainers.policies.prompts import Dialogue, Rendered
from trainers.rollouts.player import Step, TrajectoryGroup
from trainers.run.checkpoint import RunState
from trainers.run.found_proofs import FoundProofs
from trainers.run.measurements import step_row
from trainers.runtime.atomic_files import naming_unwritable, replacing, write_text

_PACKAGES = ("torch", "transformers", "tokenizers", "gymnasium", "numpy", "lean-gym")


class RunFolder:
    """Folder of a run: its paths, and writing of its small files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoint = path / "checkpoint.pt"
        self.policy = path / "policy"
        self.start_policy = path / "start_policy"
        self._trajectories = path / "trajectories.jsonl"
        self._measurements = path / "measurements.jsonl"

    def stored_policy(self) -> str:
        """Return the folder of the model with which an interrupted run is resumed.

        Raises:
            ConfigError: It does not exist.
        """
        if not self.policy.is_dir():
            raise ConfigError(
                f"--resume {self.path}: the run has no folder policy; start it again with --config"
            )
        return str(self.policy)

    def create(self, config: TrainingConfig, facts: Mapping[str, Any]) -> None:
        """Write the settings and the facts needed to repeat the run.

        Raises:
            ConfigError: The folder cannot be written.
        """
        try:
            write_file(config, self.path / "config.yaml")
        except OSError as error:
            raise ConfigError(f"run_dir: cannot write to {self.path}: {error.strerror}") from None
        content = {"seed": config.seed, "command": sys.argv, "git": git_commit(), **versions(), **facts}
        write_text(self.path / "run.json", json.dumps(content, indent=2) + "\n")

    def write_proofs(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write `proofs.jsonl`."""
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        write_text(self.path / "proofs.jsonl", text)

    def append_trajectories(self, iteration: int, groups: Iterable[TrajectoryGroup], learnt: int) -> None:
        """Append the episodes of an iteration to `trajectories.jsonl`, one per line.

        Args:
            iteration: Its number.
            groups: All groups, those that the update learns from first.
            learnt: Number of these.
        """
        path = self._trajectories
        with naming_unwritable(path), path.open("a", encoding="utf-8") as file:
            for number, group in enumerate(groups):
                for trajectory in group.trajectories:
                    row = {
                        "iteration": iteration,
                        "group": number,
                        "learnt": number < learnt,
                        "theorem": group.theorem,
                        "outcome": str(trajectory.outcome),
                        "return": trajectory.total_reward,
                        "tactics": list(trajectory.tactics),
                        "steps": [
                            step_row(step.goals, step.choice.text, step.refused, step.message)
                            | {
                                "token_ids": list(step.choice.token_ids),
                                "logprobs": list(step.choice.logprobs),
                                "reward": step.reward,
                                "truncated": step.choice.truncated,
                            }
                            | _prompt_of(step)
                            for step in trajectory.steps
                        ],
                    }
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def forget_trajectories(self, after: int) -> None:
        """Delete the episodes of later iterations from `trajectories.jsonl`; they will be played again."""
        if not self._trajectories.is_file():
            return
        with (
            replacing(self._trajectories) as temporary,
            temporary.open("w", encoding="utf-8") as kept,
            self._trajectories.open(encoding="utf-8") as written,
        ):
            for line in written:
                # A line without an end is incomplete: the disk was full or the process was killed.
                if line.endswith("\n") and json.loads(line)["iteration"] <= after:
                    kept.write(line)

    def append_measurement(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append the rows of a measurement to `measurements.jsonl`."""
        with naming_unwritable(self._measurements), self._measurements.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

    def sizes(self) -> dict[str, int]:
        """Return the sizes in bytes of the files that `cut_back` cuts."""
        path = self._measurements
        return {path.name: path.stat().st_size} if path.exists() else {}

    def cut_back(self, sizes: Mapping[str, int]) -> None:
        """Delete from `measurements.jsonl` what a checkpoint does not cover; it will be measured again.

        Args:
            sizes: Result of `sizes` at the checkpoint, which may name other files too.
        """
        path = self._measurements
        with naming_unwritable(path):
            if path.exists():
                os.truncate(path, min(sizes.get(path.name, 0), path.stat().st_size))

    def write_held_out(self, theorems: Iterable[Theorem]) -> Path:
        """Write `held_out.jsonl` and return its path."""
        path = self.path / "held_out.jsonl"
        rows = (json.dumps(row_from_theorem(theorem), ensure_ascii=False) + "\n" for theorem in theorems)
        write_text(path, "".join(rows))
        return path

    def write_summary(
        self,
        seed: int,
        prover: Mapping[str, str | None],
        state: RunState,
        proofs: FoundProofs,
        held_out: Mapping[str, Any],
    ) -> None:
        """Write `summary.json`.

        Args:
            seed: The seed of the run.
            prover: The name of the backend, and how its programs are isolated.
            state: The progress of the run.
            proofs: The proofs that it found.
            held_out: The source that the held-out theorems can be loaded from, and their number.
        """
        content = {
            "seed": seed,
            **prover,
            "seconds": {name: round(value, 2) for name, value in state.seconds.items()},
            "eval": state.evaluations,
            "held_out": dict(held_out),
            "automation": {name: state.automation[name] for name in ("best", "any")}
            if state.automation
            else None,
            "new_proofs": len(proofs.training),
            "new_proofs_with_automation": automation_share(proofs.training),
            "held_out_proofs": len(proofs.held_out),
            "held_out_proofs_with_automation": automation_share(proofs.held_out),
            "tactics": state.tactics,
        }
        write_text(self.path / "summary.json", json.dumps(content, indent=2) + "\n")


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed as a package"
    return found


def git_commit() -> str | None:
    """Return the commit of the source tree, with `-dirty` after local changes; `None` outside a repository."""
    tree = Checkout.at(Path(__file__).parents[2])
    commit = "" if tree is None else tree.head()
    if tree is None or not commit:
        return None
    return commit if tree.is_clean(commit, untracked=False) else f"{commit}-dirty"


def _prompt_of(step: Step[Completion]) -> dict[str, Any]:
    """Return the prompt of a step as tokens, where the text that is stored does not determine them."""
    if not isinstance(step.goals, Dialogue | Rendered):
        return {}
    return {"prompt_ids": list(step.choice.prompt_ids)}
