"""States in the format of LeanProgress: JSON lines with `goal`, `prefix`, `tactic`, `steps_remaining`.

    {"goal": "⊢ p → p", "prefix": "", "tactic": "intro h", "steps_remaining": 1}

`goal` has all open goals before the tactic, `prefix` the tactics that led there, one a line, and `steps_remaining` the
tactics left after it, 0 for the last one. The format has no word for a proof that is not reached; LeanProgress writes a
large number, and so does `rows_of`.

Source: LeanDojo-v2, lean_dojo_v2/lean_progress/create_sample_dataset.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from trainers.errors import ConfigError
from trainers.imitation.progress_states import LabelledState


class StepRow(BaseModel):
    """One row; further fields are not used."""

    model_config = ConfigDict(strict=True)

    goal: str = Field(min_length=1)
    prefix: str = ""
    tactic: str = ""
    steps_remaining: int = Field(ge=0)


def rows_of(states: Sequence[LabelledState], most: int) -> str:
    """Return states as lines of a file.

    Args:
        states: The states.
        most: `steps_remaining` of a state from which no proof was reached.
    """
    rows = (
        StepRow(
            goal=state.text,
            prefix="\n".join(state.prefix),
            tactic=state.tactic,
            steps_remaining=most if state.left is None else state.left - 1,
        )
        for state in states
        if state.goals
    )
    return "".join(json.dumps(row.model_dump(), ensure_ascii=False) + "\n" for row in rows)


def read_rows(paths: str) -> list[LabelledState]:
    """Return the states of files; the theorem of each is unknown, and stands as an empty name.

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
            prefix = tuple(row.prefix.splitlines())
            found.append(LabelledState("", goals, row.steps_remaining + 1, prefix, row.tactic))
    return found
