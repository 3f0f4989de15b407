"""Parts of a course that other packages supply."""

from __future__ import annotations

from collections.abc import Sequence
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


class Retriever(Protocol):
    """Brings a premise retriever up to date with the repositories seen so far."""

    def __call__(self, traced: Sequence[Path], out: Path, before: Path | None) -> None:
        """Train.

        Args:
            traced: Folders of the repositories so far, the newest last.
            out: Folder of the new retriever.
            before: Folder of the last one; `None` for the first repository.

        Raises:
            ConfigError: It cannot be trained.
        """
