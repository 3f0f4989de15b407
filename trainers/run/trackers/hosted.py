"""Recording through the packages wandb and trackio, whose interfaces are alike."""

from __future__ import annotations

import html
import importlib
import json
import os
import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trainers.config.files import read_text
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import write_text


class _HostedTracker(ABC):
    """A recorder that cannot take back what it was told.

    `PACKAGE.json` in the run folder holds the id of the run and the last step of each name. A resumed run passes over
    the points up to there: it was going to record them again.
    """

    package: str

    def __init__(self, folder: Path, settings: Mapping[str, Any], written: Mapping[str, int] | None) -> None:
        """Start recording, or go on; see `open_trackers`.

        Raises:
            ConfigError: The package does not start, or the file of an earlier part of the run is damaged.
        """
        self._path = folder / f"{self.package}.json"
        self._last: dict[str, int] = {}
        self._calls = 0
        self._id = uuid.uuid4().hex[:12]
        resumed = written is not None and self._path.is_file()
        if resumed:
            self._read()
        self.module: Any = importlib.import_module(self.package)
        self._project = os.environ.get(f"{self.package.upper()}_PROJECT", "lean-gym")
        try:
            self._start(self._project, folder.resolve(), self._id, dict(settings), resumed)
        except Exception as error:  # the packages have errors of their own for networks, keys and settings
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ConfigError(f"report_to: {self.package} does not start: {reason}") from error
        self._remember()

    @abstractmethod
    def _start(self, project: str, folder: Path, run: str, settings: dict[str, Any], resumed: bool) -> None:
        """Start recording a run, or go on."""

    @abstractmethod
    def _log(self, values: Mapping[str, Any], step: int) -> None:
        """Hand over values."""

    def _read(self) -> None:
        try:
            stored = json.loads(read_text(self._path, "cannot read"))
            self._id, self._calls, self._last = str(stored["id"]), int(stored["calls"]), dict(stored["last"])
        except (ValueError, TypeError, KeyError):
            raise ConfigError(
                f"report_to: {self._path} is damaged; expected the id of the run and the last step of each name"
            ) from None

    def _remember(self) -> None:
        write_text(self._path, json.dumps({"id": self._id, "calls": self._calls, "last": self._last}) + "\n")

    def _record(self, values: Mapping[str, Any], step: int) -> None:
        fresh = {name: value for name, value in values.items() if step > self._last.get(name, step - 1)}
        if not fresh:
            return
        self._calls += 1
        self._log(fresh, step)
        self._last |= dict.fromkeys(fresh, step)
        self._remember()

    @property
    def where(self) -> str:
        """Return the line about the project."""
        return f"scalars: {self.package}, project {self._project}"

    def scalars(self, values: Mapping[str, float], step: int) -> None:
        """Record scalars."""
        self._record({name: float(value) for name, value in values.items()}, step)

    def text(self, name: str, text: str, step: int) -> None:
        """Record a text, escaped."""
        self._record({name: self.module.Html(f"<pre>{html.escape(text)}</pre>")}, step)

    def histogram(self, name: str, values: Sequence[float], step: int) -> None:
        """Record a histogram."""
        self._record({name: self.module.Histogram(list(values))}, step)

    def end(self) -> None:  # noqa: B027 - part of the interface
        """Do nothing: `close` ends the record."""

    def flush(self) -> dict[str, int]:
        """Return no file: none is cut back."""
        return {}

    def close(self) -> None:
        """Wait until everything is handed over."""
        self.module.finish()


class WandbTracker(_HostedTracker):
    """Weights & Biases; `WANDB_MODE=offline` records without a network, WANDB_PROJECT names the project."""

    package = "wandb"

    def _start(self, project: str, folder: Path, run: str, settings: dict[str, Any], resumed: bool) -> None:
        own = self.module.Settings(console="off")  # it would record the progress bar
        options = {"project": project, "name": folder.name, "id": run, "dir": str(folder), "settings": own}
        started = self.module.init(config=settings, resume="allow", **options)
        # Its own steps may not repeat or fall below 0, as those of measurements and of the warm start do.
        started.define_metric("*", step_metric="iteration")

    def _log(self, values: Mapping[str, Any], step: int) -> None:
        self.module.log({**values, "iteration": step}, step=self._calls)


class TrackioTracker(_HostedTracker):
    """Trackio, which records on this machine; TRACKIO_PROJECT names the project."""

    package = "trackio"

    def _start(self, project: str, folder: Path, run: str, settings: dict[str, Any], resumed: bool) -> None:
        # It finds a run to go on with by its name, so the name must be of this run alone.
        self.module.init(
            project=project,
            name=f"{folder.name}-{run}",
            config=settings,
            resume="must" if resumed else "never",
            embed=False,
        )

    def _log(self, values: Mapping[str, Any], step: int) -> None:
        self.module.log(dict(values), step=step)
