"""Rows of the files that a report reads, checked; fields that it does not need are ignored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainers.config.base import shortened
from trainers.config.files import read_text
from trainers.errors import ConfigError

Rate = Annotated[float, Field(ge=0, le=1)]
Number = Annotated[int, Field(ge=0)]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, allow_inf_nan=False)


class TacticRow(_Row):
    """One tactic tried: the goals before, the tactic, whether it was refused, and Lean's message where it is stored."""

    shown: str
    tactic: str
    refused: bool
    message: str | None = None


class EpisodeRow(_Row):
    """One line of `trajectories.jsonl`, or a proof that is made to look like one.

    `tactics` are the accepted ones, those before a branch point included. A proof that an evaluation found is of no
    iteration.
    """

    iteration: Number | None
    theorem: str
    outcome: str
    tactics: tuple[str, ...]
    steps: tuple[TacticRow, ...]

    @property
    def proved(self) -> bool:
        """Return whether the episode ended with a verified proof."""
        return self.outcome == "proved"


class MeasurementRow(_Row):
    """One line of `measurements.jsonl`: a held-out theorem in a measurement, with some of the episodes."""

    iteration: Number
    theorem: str
    episodes: Number
    proved: Number
    kept: tuple[EpisodeRow, ...]


class ProofRow(_Row):
    """One line of `proofs.jsonl`, of a run or an evaluation; only a run has iteration and goals before each tactic."""

    name: str
    statement: str
    tactics: tuple[str, ...]
    split: str | None = None
    part: str | None = None
    iteration: Number | None = None
    goals: tuple[str, ...] | None = None


class AutomationRow(_Row):
    """Shares that automation proves: the best single script, and any script."""

    best: Rate
    any: Rate


class SummaryRow(_Row):
    """`summary.json` of a run; that of supervised fine-tuning has other fields."""

    eval: dict[str, dict[str, Rate]] = Field(default_factory=dict)
    automation: AutomationRow | None = None
    seconds: dict[str, float] | float = Field(default_factory=dict)
    new_proofs: Number | None = None
    tactics: Number | None = None

    @property
    def total_seconds(self) -> float | None:
        """Return the seconds of the whole run."""
        return self.seconds.get("total") if isinstance(self.seconds, dict) else self.seconds


class FactsRow(_Row):
    """`run.json` of a run."""

    model_config = ConfigDict(extra="allow")

    backend: str | None = None
    theorems_sha256: str | None = None


class RateRow(_Row):
    """A rate with its interval."""

    value: Rate
    low: Rate
    high: Rate


class ResultRow(_Row):
    """`result.json` of an evaluation; `overall` also holds the number of theorems."""

    policy: str
    theorems: str
    samples: Annotated[int, Field(ge=1)]
    confidence: Rate
    overall: dict[str, RateRow | int]
    by_theorem: dict[str, Number]
    outcomes: dict[str, Number]
    refused_share: Rate
    automation: AutomationRow | None = None


Kind = TypeVar("Kind", bound=_Row)


def read_object(path: Path, kind: type[Kind]) -> Kind:
    """Read a file that holds one JSON object.

    Raises:
        ConfigError: It cannot be read, or holds something else.
    """
    text = read_text(path, "cannot read")
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(f"{path}: {_first_problem(error)}") from None


class Lines(Generic[Kind]):
    """The rows of a JSONL file, one at a time; broken lines are counted and left out.

    The text after the last line break is no line: the program that writes the file is still at work, or was killed.
    """

    def __init__(self, path: Path, kind: type[Kind]) -> None:
        self._path = path
        self._kind = kind
        self._broken = 0
        self._first = ""

    def __iter__(self) -> Iterator[Kind]:
        try:
            with self._path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if not line.endswith(b"\n"):
                        return
                    try:
                        yield self._kind.model_validate_json(line)
                    except ValidationError as error:
                        self._broken += 1
                        self._first = self._first or f"line {number}: {_first_problem(error)}"
        except OSError as error:
            raise ConfigError(f"cannot read {self._path}: {error.strerror}") from None

    @property
    def problem(self) -> str | None:
        """Return one line about the broken lines that were met, or `None`."""
        if not self._broken:
            return None
        lines = "1 line is" if self._broken == 1 else f"{self._broken} lines are"
        return f"{self._path.name}: {lines} broken and left out; {self._first}"


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"]))
    return " ".join(f"{place + ': ' if place else ''}{first['msg']}, got {shortened(first['input'])}".split())
