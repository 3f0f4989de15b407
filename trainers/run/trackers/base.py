"""Interface of a recorder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

HEADLINES = ("eval/pass_at_1", "eval/pass_at_8")
"""Scalars whose last values are the result of a run."""


class Tracker(Protocol):
    """A recorder of a run. Steps of one name ascend."""

    @property
    def where(self) -> str:
        """Return one line that says how to look at the record."""

    def scalars(self, values: Mapping[str, float], step: int) -> None:
        """Record named scalars of a step."""

    def text(self, name: str, text: str, step: int) -> None:
        """Record a plain text, which may hold anything, of bounded size."""

    def histogram(self, name: str, values: Sequence[float], step: int) -> None:
        """Record the distribution of at least one value."""

    def end(self) -> None:
        """Record that the run has come to its end."""

    def flush(self) -> Mapping[str, int]:
        """Bring everything to the disk and return the sizes in bytes of the files to cut back when a run is resumed.

        Raises:
            ConfigError: A file cannot be written.
        """

    def close(self) -> None:
        """Flush, and free all resources."""
