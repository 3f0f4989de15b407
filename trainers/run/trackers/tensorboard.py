"""Event files of TensorBoard: scalars, samples, histograms, settings, and the page of charts."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from trainers.run.trackers.base import HEADLINES
from trainers.runtime.atomic_files import naming_unwritable

LAYOUT: Final = {
    "What the policy proves": {
        "held-out theorems": ["Multiline", ["eval/pass_at_1$", "eval/pass_at_8$", "eval/automation_best$"]],
        "training theorems": [
            "Multiline",
            ["proof/solve_rate$", "proof/pass_at_[248]$", "proof/refused_share$"],
        ],
        "theorems proved": ["Multiline", ["proof/new$", "eval/proved$"]],
    },
    "What it is rewarded for": {
        "terms of the reward": ["Multiline", ["reward/.*"]],
        "groups without a difference": ["Multiline", ["group/zero_std_fraction$"]],
    },
    "How it changes": {
        "entropy, nats": ["Multiline", ["policy/entropy$"]],
        "KL of an update and from the start, nats": ["Multiline", ["policy/(update_)?kl$"]],
        "clipped tokens": ["Multiline", ["policy/clip_fraction$"]],
    },
    "Where the time goes": {
        "seconds of an iteration": ["Multiline", ["time/(?!tactics_per_second)"]],
        "tactics a second": ["Multiline", ["time/tactics_per_second$"]],
    },
    "The provers": {
        "work and caches": [
            "Multiline",
            [
                "pool/(starts|verifications|.*hits|.*misses)$",
                "pool/(tactics|tactic_hit_share|replayed_tactics)$",
                "pool/(backend|queue)_seconds$",
            ],
        ],
        "workers and faults": [
            "Multiline",
            ["pool/workers$", "pool/.*(restarts|kills|recycles)$", "pool/(moved_jobs|quarantined)$"],
        ],
    },
}
"""Charts of TensorBoard's page Custom Scalars: chart -> patterns of the scalars on it."""
_EVENTS: Final = "events.out.tfevents."
"""Beginning of the name of each event file."""


class TensorBoardTracker:
    """Recorder of event files in the run folder, after which TensorBoard names the run."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], written: Mapping[str, int] | None) -> None:
        """Open a new event file; see `open_trackers`.

        Raises:
            ConfigError: It cannot be written.
        """
        self._events = folder / f"{_EVENTS}*"
        with naming_unwritable(self._events):
            # At a start event files in the folder are of someone else.
            if written is not None:
                self._cut_back(written)
            self._writer = SummaryWriter(str(folder))
            self._writer.add_custom_scalars(LAYOUT)
            values = {name: _plain(value) for name, value in settings.items()}
            experiment, start, self._end = hparams(values, dict.fromkeys(HEADLINES, 0.0))
            if written is None:
                self._write(experiment, start)
        self._plain_hook = threading.excepthook
        threading.excepthook = self._on_thread_error

    def _cut_back(self, written: Mapping[str, int]) -> None:
        for path in self._files():
            if path.name not in written:
                path.unlink()
            elif path.stat().st_size > written[path.name]:
                os.truncate(path, written[path.name])

    def _write(self, *summaries: Any) -> None:
        writer = self._writer.file_writer
        assert writer is not None  # it is until the close
        for summary in summaries:
            writer.add_summary(summary)

    def _on_thread_error(self, error: threading.ExceptHookArgs) -> None:
        """Leave out the traceback of the thread that writes events: the next call reports the error, in one line."""
        written = type(error.thread).__module__.startswith("tensorboard.")
        if not (written and isinstance(error.exc_value, OSError)):
            self._plain_hook(error)

    @property
    def where(self) -> str:
        """Return the line about the command that draws the curves."""
        return f"scalars: tensorboard --logdir {self._events.parent}"

    def scalars(self, values: Mapping[str, float], step: int) -> None:
        """Write scalars."""
        with naming_unwritable(self._events):
            for name, value in values.items():
                self._writer.add_scalar(name, value, step)

    def text(self, name: str, text: str, step: int) -> None:
        """Write a text as a block of code."""
        with naming_unwritable(self._events):
            self._writer.add_text(name, code_block(text), step)

    def histogram(self, name: str, values: Sequence[float], step: int) -> None:
        """Write a histogram."""
        with naming_unwritable(self._events):
            self._writer.add_histogram(name, np.asarray(values, dtype=np.float64), step)

    def end(self) -> None:
        """Mark the settings as those of a run that ended well."""
        with naming_unwritable(self._events):
            self._write(self._end)

    def flush(self) -> dict[str, int]:
        """Write everything and return the size of each event file, see `Tracker.flush`."""
        with naming_unwritable(self._events):
            self._writer.flush()
            return {path.name: path.stat().st_size for path in self._files()}

    def close(self) -> None:
        """Flush and close the event file."""
        try:
            with naming_unwritable(self._events):
                self._writer.close()
        finally:
            threading.excepthook = self._plain_hook

    def _files(self) -> list[Path]:
        """Return the event files of the run; its folder holds other files beside them."""
        return sorted(self._events.parent.glob(self._events.name))


def code_block(text: str) -> str:
    """Return a text as Markdown that shows it as it is.

    Every line is indented, so none can end the block, as a line of a fenced block could. Control characters, some of
    which Markdown reads as ends of lines or as its own marks, become U+FFFD.
    """
    lines = (
        "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
        for line in text.split("\n")
    )
    return "\n".join("    " + line for line in lines)


def _plain(value: Any) -> float | str:
    """Return the value of a setting as the page of hparams takes it."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return value if isinstance(value, int | float) else str(value)
