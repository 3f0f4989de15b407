"""Scalars as one CSV file, a row for each value."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from trainers.errors import ConfigError
from trainers.runtime.atomic_files import naming_unwritable

FILE: Final = "metrics.csv"
HEADER: Final = ("step", "scalar", "value")


class CsvTracker:
    """Recorder of `metrics.csv`: step, scalar, value. Texts and histograms are left out."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], written: Mapping[str, int] | None) -> None:
        """Open the file; see `open_trackers`.

        Raises:
            ConfigError: It cannot be written, or a new run finds one.
        """
        self._path = folder / FILE
        if written is None and self._path.exists():
            raise ConfigError(
                f"report_to: {self._path} exists already; move it away, or choose another folder"
            )
        with naming_unwritable(self._path):
            size = 0 if written is None else written.get(FILE, 0)
            if self._path.exists():
                os.truncate(self._path, min(size, self._path.stat().st_size))
            self._file = self._path.open("a", encoding="utf-8", newline="")
            self._rows = csv.writer(self._file, lineterminator="\n")
            if size == 0:
                self._rows.writerow(HEADER)

    @property
    def where(self) -> str:
        """Return the line about the file."""
        return f"scalars: {self._path}"

    def scalars(self, values: Mapping[str, float], step: int) -> None:
        """Write a row for each scalar."""
        with naming_unwritable(self._path):
            for name, value in values.items():
                # `repr` of a float reads back as the same number.
                self._rows.writerow((step, name, repr(float(value))))
            self._file.flush()

    def text(self, name: str, text: str, step: int) -> None:
        """Leave out a text: `measurements.jsonl` and `proofs.jsonl` hold what the samples are taken from."""

    def histogram(self, name: str, values: Sequence[float], step: int) -> None:
        """Leave out a histogram."""

    def end(self) -> None:
        """Do nothing: the file has no mark for its end."""

    def flush(self) -> dict[str, int]:
        """Return the size of the file, see `Tracker.flush`."""
        with naming_unwritable(self._path):
            self._file.flush()
            return {FILE: self._path.stat().st_size}

    def close(self) -> None:
        """Close the file."""
        with naming_unwritable(self._path):
            self._file.close()
