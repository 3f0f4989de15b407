"""Part of a course that another package supplies."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class Tracer(Protocol):
    """Traces a project into a folder of LeanDojo's layout with `theorems.jsonl`; a traced file stays traced."""

    def __call__(self, source: str, out: Path) -> None:
        """Trace.

        Args:
            source: Folder of a project, or `URL[@COMMIT]`.
            out: The folder.

        Raises:
            ConfigError: The project cannot be traced.
        """
