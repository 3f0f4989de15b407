"""States with the tactics left, and rows in LeanProgress's format: `goal`, `prefix`, `tactic`, `steps_remaining`.

    {"goal": "⊢ p → p", "prefix": "", "tactic": "intro h", "steps_remaining": 1, "theorem": "t"}

`goal` has all open goals before the tactic, `prefix` the tactics that led there, one a line, and `steps_remaining` the
tactics left after it, 0 for the last one. The format has no word for a tactic with which no proof is reached;
LeanProgress writes a large number, and so does `rows_of`, with `"reached": false` beside it. This and `theorem` are our
own fields; other readers leave them out.

Source: LeanDojo-v2, lean_dojo_v2/lean_progress/create_sample_dataset.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainers.config.names import Reads
from trainers.errors import ConfigError
from trainers.policies.prompts import candidate_text


@dataclass(frozen=True, slots=True)
class LabelledState:
    """State of an episode, or of a search, and a tactic in it.

    Attributes:
        theorem: Name of the theorem; empty where it is not known.
        goals: All open goals, the main goal first.
        left: Accepted tactics from this state to the end of the proof, `tactic` included, so at least 1; `None` where
            no proof was reached.
        prefix: The accepted tactics that led there.
        tactic: The tactic accepted there, or tried last.
    """

    theorem: str
    goals: tuple[str, ...]
    left: int | None
    prefix: tuple[str, ...] = ()
    tactic: str = ""

    @property
    def text(self) -> str:
        """Return the goals as one text."""
        return "\n\n".join(self.goals)

    def shown(self, reads: Reads) -> str:
        """Return the text that a progress model reads."""
        if reads == "goals":
            return self.text
        return candidate_text(self.text, "\n".join(self.prefix), self.tactic)


class StepRow(BaseModel):
    """One row; further fields are not used."""

    model_config = ConfigDict(strict=True)

    goal: str = Field(min_length=1)
    prefix: str = ""
    tactic: str = ""
    steps_remaining: int = Field(ge=0)
    theorem: str = ""
    reached: bool = True


def rows_of(states: Sequence[LabelledState], most: int) -> str:
    """Return states as lines of a file.

    Args:
        states: The states.
        most: `steps_remaining` where no proof was reached.
    """
    rows = (
        StepRow(
            goal=state.text,
            prefix="\n".join(state.prefix),
            tactic=state.tactic,
            steps_remaining=most if state.left is None else state.left - 1,
            theorem=state.theorem,
            reached=state.left is not None,
        )
        for state in states
        if state.goals
    )
    usual = {"theorem": "", "reached": True}
    shown = (
        {name: value for name, value in row.model_dump().items() if usual.get(name) != value} for row in rows
    )
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in shown)


def read_rows(paths: str) -> list[LabelledState]:
    """Return the states of files.

    Args:
        paths: Files, separated by commas; empty for none.

    Raises:
        ConfigError: A file cannot be read, or a line is no row.
    """
    found = []
    for path in filter(None, map(str.strip, paths.split(","))):
        try:
            lines = Path(path).expanduser().read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise ConfigError(f"steps: cannot read {path}: {error}") from None
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = StepRow.model_validate_json(line)
            except ValidationError as error:
                problem = error.errors(include_url=False)[0]
                place = ".".join(map(str, problem["loc"])) or "the row"
                raise ConfigError(f"steps: {path}, line {number}: {place}: {problem['msg']}") from None
            goals = tuple(row.goal.split("\n\n"))
            left = row.steps_remaining + 1 if row.reached else None
            found.append(LabelledState(row.theorem, goals, left, tuple(row.prefix.splitlines()), row.tactic))
    return found


def best_of_states(states: Sequence[LabelledState]) -> list[LabelledState]:
    """Return each state of a theorem once, with the tactic from which the fewest are left.

    A search tries many tactics in a state, most of which lead nowhere; that says nothing against the state. Rows that
    name no theorem are not compared.
    """
    kept: list[LabelledState] = []
    place: dict[tuple[str, str], int] = {}
    for state in states:
        known = place.setdefault((state.theorem, state.text), len(kept)) if state.theorem else len(kept)
        if known == len(kept):
            kept.append(state)
        elif _left(state) < _left(kept[known]):
            kept[known] = state
    return kept


def _left(state: LabelledState) -> float:
    return float("inf") if state.left is None else state.left
