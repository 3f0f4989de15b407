"""What a run needs in order to go on, in one file that is either the old one or the new one.

The keys of the tactics tried so far are in it (`cache_keys.py`), their results are not: these hold states that live in
a prover, save work, and change no metric but what machines count of that (`pool/`).
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Literal, Protocol

import torch
from safetensors import SafetensorError

from trainers.sections import ConfigError

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
        cache_keys: Keys of the tactics tried in iterations, see `trainers.cache_keys`; nothing is kept with them.
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


@contextmanager
def naming_unwritable(path: Path) -> Iterator[None]:
    """Turn a failure to write into one line that names the file.

    Raises:
        ConfigError: Something in the block could not be written.
    """
    try:
        yield
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}") from error
    except SafetensorError as error:
        raise ConfigError(f"cannot write {path}: {error}") from error
    except RuntimeError as error:
        cause = error.__context__  # torch closes its archive when a write has failed, which fails again
        if not isinstance(cause, OSError):
            raise
        raise ConfigError(f"cannot write {path}: {cause.strerror or cause}") from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path next to `path` that takes its place when the block ends without an error."""
    with naming_unwritable(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Give an empty folder next to `path` that takes its place when the block ends without an error."""
    with naming_unwritable(path):
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        written, replaced = temporary / "written", temporary / "replaced"
        written.mkdir()
        try:
            yield written
            if path.exists():
                path.rename(replaced)
            written.rename(path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file in one step."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


class Interrupted(Exception):
    """The run was asked to stop; `signal_number` says how."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal.Signals(signal_number).name)
        self.signal_number = signal_number


class Stop(Protocol):
    """Whoever may have been asked to stop."""

    def check(self) -> None:
        """Raise `Interrupted` if so."""


class StopRequest:
    """Turns Ctrl-C and SIGTERM into a request that the run meets at its next safe point.

    A second signal takes effect at once, as it would without this, unless a launcher stands in between: it passes on
    signals that this process has received itself.
    """

    def __init__(self, launched: bool = False) -> None:
        """Note nothing yet.

        Args:
            launched: Whether a launcher started this process.
        """
        self._launched = launched
        self._signal_number: int | None = None
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> StopRequest:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    @property
    def signal_number(self) -> int | None:
        """The signal that has come, if any."""
        return self._signal_number

    def check(self) -> None:
        """Raise `Interrupted` if a signal has come."""
        if self._signal_number is not None:
            raise Interrupted(self._signal_number)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._signal_number = number
        if not self._launched:
            self._restore()

    def _restore(self) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
