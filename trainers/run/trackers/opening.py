"""The recorders that `report_to` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from trainers.errors import ConfigError
from trainers.extras import install
from trainers.run.trackers.base import Tracker
from trainers.run.trackers.csv_file import CsvTracker
from trainers.run.trackers.hosted import TrackioTracker, WandbTracker
from trainers.run.trackers.tensorboard import TensorBoardTracker

_KINDS: Final[dict[str, Callable[[Path, Mapping[str, Any], Mapping[str, int] | None], Tracker]]] = {
    "tensorboard": TensorBoardTracker,
    "csv": CsvTracker,
    "wandb": WandbTracker,
    "trackio": TrackioTracker,
}


def missing_packages(names: Sequence[str]) -> list[str]:
    """Return the packages of these recorders that are not installed."""
    return [name for name in names if name != "csv" and find_spec(name) is None]


def check_packages(names: Sequence[str]) -> None:
    """Check that the packages of the recorders are installed, before anything is opened.

    Raises:
        ConfigError: One is not.
    """
    for name in missing_packages(names):
        raise ConfigError(
            f"report_to: {name} needs the package {name}; install it with: {install(name)} (or leave it out)"
        )


def open_trackers(
    names: Sequence[str], folder: Path, settings: Mapping[str, Any], written: Mapping[str, int] | None
) -> list[Tracker]:
    """Open the recorders of a run.

    Args:
        names: Those of `report_to`.
        folder: Folder of the run.
        settings: The settings of the run by dotted path.
        written: Sizes of files at the point from which a run is resumed, see `Tracker.flush`; `None` for a new run.

    Raises:
        ConfigError: A recorder cannot start, or a file cannot be written.
    """
    opened: list[Tracker] = []
    try:
        for name in names:
            opened.append(_KINDS[name](folder, settings, written))
    except ConfigError:
        for tracker in opened:
            tracker.close()
        raise
    return opened
