"""Output of a run: progress bar, TensorBoard scalars, files in the run folder.

config.yaml            the resolved settings; `--config` on it repeats the run
run.json               versions, seed, command, checksum of the theorems
checkpoint.pt          state for `--resume`
run.lock               locked while a process works here
policy/                model and tokenizer, for `--model`
start_policy/          the same after the warm start, the reference of the KL term
events.out.tfevents.*  scalars for TensorBoard, which names a run after the folder that they lie in
trajectories.jsonl     every episode of training, with `--save-trajectories`
held_out.jsonl         the held-out theorems, where no named set holds exactly these
proofs.jsonl           proofs found of theorems whose proof was never shown
summary.json           the result
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table
from torch.utils.tensorboard import SummaryWriter

from lean_gym.datasets.rows import row_from_theorem
from lean_gym.types import Theorem
from trainers.config.files import write_file
from trainers.config.run import TrainingConfig
from trainers.errors import ConfigError
from trainers.evaluation.yardstick import automation_share
from trainers.rollouts.player import TrajectoryGroup
from trainers.run.checkpoint import RunState
from trainers.runtime.atomic_files import naming_unwritable, replacing, write_text
from trainers.runtime.terminal import progress_on, say

_LAYOUT: Final = {
    "What the policy proves": {
        "held-out theorems": ["Multiline", ["eval/pass_at_1$", "eval/pass_at_8$", "eval/automation_best$"]],
        "training theorems": ["Multiline", ["proof/solve_rate$", "proof/pass_at_8$", "proof/refused_share$"]],
        "new proofs": ["Multiline", ["proof/new$"]],
    },
    "What it is rewarded for": {
        "terms of the reward": ["Multiline", ["reward/.*"]],
        "groups without a difference": ["Multiline", ["group/zero_std_fraction$"]],
    },
    "How it changes": {
        "entropy, nats": ["Multiline", ["policy/entropy$"]],
        "KL from the start, nats": ["Multiline", ["policy/kl$"]],
        "clipped tokens": ["Multiline", ["policy/clip_fraction$"]],
    },
    "Where the time goes, seconds": {"an iteration": ["Multiline", ["time/.*"]]},
}
"""Charts of TensorBoard's page Custom Scalars: chart -> patterns of the scalars on it."""
_EVENTS: Final = "events.out.tfevents."
"""Beginning of the name of each event file."""
_PACKAGES = ("torch", "transformers", "tokenizers", "gymnasium", "numpy", "lean-gym")


class RunFolder:
    """Folder of a run: its paths, and writing of its small files."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoint = path / "checkpoint.pt"
        self.policy = path / "policy"
        self.start_policy = path / "start_policy"
        self._trajectories = path / "trajectories.jsonl"

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
                            {
                                "shown": step.goals,
                                "tactic": step.choice.text,
                                "token_ids": list(step.choice.token_ids),
                                "logprobs": list(step.choice.logprobs),
                                "reward": step.reward,
                                "refused": step.refused,
                            }
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

    def write_held_out(self, theorems: Iterable[Theorem]) -> Path:
        """Write `held_out.jsonl` and return its path."""
        path = self.path / "held_out.jsonl"
        rows = (json.dumps(row_from_theorem(theorem), ensure_ascii=False) + "\n" for theorem in theorems)
        write_text(path, "".join(rows))
        return path

    def write_summary(
        self, seed: int, prover: Mapping[str, str | None], state: RunState, held_out: Mapping[str, Any]
    ) -> None:
        """Write `summary.json`.

        Args:
            seed: The seed of the run.
            prover: The name of the backend, and how its programs are isolated.
            state: The progress of the run.
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
            "new_proofs": len(state.proofs),
            "new_proofs_with_automation": automation_share(state.proofs.values()),
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
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


class Monitor:
    """Progress on the terminal and scalars for TensorBoard."""

    def __init__(self, folder: RunFolder, console: Console, written: Mapping[str, int]) -> None:
        """Open a new event file.

        Args:
            folder: Folder of the run.
            console: Output.
            written: Result of `flush` at the point from which the run goes on. Scalars that were written later are
                deleted; they will be written again.
        """
        self.console = console
        self._events = folder.path / f"{_EVENTS}*"
        with naming_unwritable(self._events):
            # At a start, when nothing is written yet, event files in the folder are of someone else.
            for path in _files(self._events.parent) if written else ():
                if path.name not in written:
                    path.unlink()
                elif path.stat().st_size > written[path.name]:
                    os.truncate(path, written[path.name])
            self._writer = SummaryWriter(str(folder.path))
            self._writer.add_custom_scalars(_LAYOUT)
        self._plain_hook = threading.excepthook
        threading.excepthook = self._on_thread_error

    def _on_thread_error(self, error: threading.ExceptHookArgs) -> None:
        """Leave out the traceback of the thread that writes events: the next call reports the error, in one line."""
        written = type(error.thread).__module__.startswith("tensorboard.")
        if not (written and isinstance(error.exc_value, OSError)):
            self._plain_hook(error)

    def flush(self) -> dict[str, int]:
        """Write all scalars to the disk and return the size of each event file, in bytes."""
        with naming_unwritable(self._events):
            self._writer.flush()
            return {path.name: path.stat().st_size for path in _files(self._events.parent)}

    def close(self) -> None:
        """Flush and close the event file."""
        try:
            with naming_unwritable(self._events):
                self._writer.close()
        finally:
            threading.excepthook = self._plain_hook

    def say(self, text: str) -> None:
        """Print one line."""
        say(self.console, text)

    def scalars(self, values: Mapping[str, float], iteration: int) -> None:
        """Write named scalars."""
        with naming_unwritable(self._events):
            for name, value in values.items():
                self._writer.add_scalar(name, value, iteration)

    @contextmanager
    def bar(self, title: str, total: int, done: int = 0) -> Iterator[ProgressBar]:
        """Show a progress bar while the block runs."""
        with progress_on(self.console) as progress:
            task = progress.add_task(title, total=total, completed=done, note="")
            yield ProgressBar(self, progress, task, title, total)

    def show_result(self, state: RunState, folder: RunFolder, held_out: str) -> None:
        """Print the table of results."""
        table = Table(title=f"{held_out}, after {timedelta(seconds=round(state.seconds['total']))}")
        for heading in ("", "before", "after", "gain"):
            table.add_column(heading, justify="right" if heading else "left")
        before, after = state.evaluations["before"], state.evaluations["after"]
        for name in before:
            gain = f"{100 * (after[name] - before[name]):+.1f}"
            table.add_row(name, f"{100 * before[name]:.1f}%", f"{100 * after[name]:.1f}%", gain)
        for name, label in (("best", "automation, best script"), ("any", "automation, any script")):
            if state.automation:
                share = f"{100 * state.automation[name]:.1f}%"
                table.add_row(label, share, share, "")
        self.console.print(table)
        share_using = automation_share(state.proofs.values())
        using = "" if share_using is None else f" ({share_using:.0%} of them use automation)"
        self.say(f"new proofs, each verified: {len(state.proofs)}{using}, in {folder.path / 'proofs.jsonl'}")
        self.say(f"scalars: tensorboard --logdir {folder.path}")


def _files(folder: Path) -> list[Path]:
    """Return the event files of a run; its folder holds other files beside them."""
    return sorted(folder.glob(f"{_EVENTS}*"))


class ProgressBar:
    """A progress bar; without a terminal, a line for every twentieth of the work."""

    def __init__(self, monitor: Monitor, progress: Progress, task: TaskID, title: str, total: int) -> None:
        self._monitor = monitor
        self._progress = progress
        self._task = task
        self._title = title
        self._every = max(1, total // 20)

    def show(self, done: int, note: str) -> None:
        """Move the bar to `done` and show a note."""
        self._progress.update(self._task, completed=done, note=note)
        task = self._progress.tasks[self._task]
        if not self._monitor.console.is_terminal and (done % self._every == 0 or done == task.total):
            seconds = task.time_remaining  # None until there are two measurements
            left = "" if seconds is None else f"  left {timedelta(seconds=round(seconds))}"
            self._monitor.say(f"{self._title} {done}/{task.total}  {note}{left}")
