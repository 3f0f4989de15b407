"""Plan of a trace: the files of a project in import order, with the keys that tell whether they have changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from lean_gym.tracing.records import FileRecord


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file to trace: its path in the project, its module, the paths of its imports, and its key."""

    path: str
    module: str
    imports: tuple[str, ...]
    key: str


class Tracer(Protocol):
    """Traces the files of one project."""

    def trace(self, plan: PlannedFile) -> FileRecord:
        """Return the record of a file; what the prover refuses in it is among the errors of the record."""


@dataclass(frozen=True, slots=True)
class OtherProver:
    """A prover besides minilean.

    Attributes:
        key: Changes when its traces may.
        tracer: Takes the modules of the project, and returns a function that makes its tracer.
    """

    key: str
    tracer: Callable[[tuple[str, ...]], Callable[[], Tracer]]


@dataclass(frozen=True, slots=True)
class Plan:
    """The files of a project.

    Attributes:
        files: Imports before importers.
        left_out: By path, why a file is not traced.
        tracer: Makes a tracer; can be sent to another process.
    """

    files: tuple[PlannedFile, ...]
    left_out: Mapping[str, str]
    tracer: Callable[[], Tracer]


def file_key(text: str, above: Sequence[str]) -> str:
    """Return the key of a file: a hash of its text and of the keys of what it depends on."""
    return hashlib.sha256("\0".join([*above, text]).encode()).hexdigest()
