"""Making a theorem set: the command line of the programs that do, and the two parts of a generated set."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from envs_data.automation import measure
from lean_gym.command_line import Parser
from lean_gym.datasets.formats.rows import row_from_theorem
from lean_gym.datasets.generators.base import Generator, take
from lean_gym.types import Theorem

_SECONDS: Final = 5.0
"""Time limit of a script of automation for one theorem."""


@dataclass(frozen=True, slots=True)
class Part:
    """Theorems of one difficulty: numbers of draws for training and of candidates for the test part."""

    difficulty: float
    train: int
    test: int


def rows_beyond_automation(
    generator: Generator,
    parts: Sequence[Part],
    train_seed: int,
    test_seed: int,
    too_close: Callable[[Sequence[Theorem]], Callable[[Theorem], bool]],
) -> list[dict[str, Any]]:
    """Return the rows of a set whose test part no script of `envs_data.automation` proves.

    Args:
        generator: Draws the theorems.
        parts: How many of each difficulty.
        train_seed: Seed of the training theorems.
        test_seed: Seed of the candidates for the test part.
        too_close: Given the test part, returns whether a training theorem must be dropped because of it.
    """
    candidates = [
        theorem
        for part in parts
        for theorem in take(generator.iterate(part.difficulty, test_seed), part.test)
    ]
    proved = measure(candidates, seconds=_SECONDS).proved_by_any
    test = [theorem for theorem in candidates if theorem.name not in proved]
    is_dropped = too_close(test)
    drawn = (
        theorem
        for part in parts
        for theorem in take(generator.iterate(part.difficulty, train_seed), part.train)
    )
    return [
        *(row_from_theorem(replace(theorem, split="train")) for theorem in drawn if not is_dropped(theorem)),
        *(row_from_theorem(replace(theorem, split="test", automation=False)) for theorem in test),
    ]


def run(path: Path, rows: Callable[[], Iterable[dict[str, Any]]], arguments: Sequence[str] | None) -> int:
    """Run the command line; return its exit status, 1 if `--check` finds a difference.

    Args:
        path: File of the set. Its stem names the set and the module of `envs_data` that makes it.
        rows: Makes the rows.
        arguments: Words of the command line; those of the process if left out.
    """
    program = f"python -m envs_data.{path.stem}"
    parser = Parser(prog=program, description=f"Make the set `{path.stem}`.")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    options = parser.parse_args(arguments)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows())
    print(f"{text.count(chr(10))} rows")
    if not options.check:
        path.write_text(text, encoding="utf-8", newline="\n")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    print(f"{path} is not what the generator gives; run `{program}`", file=sys.stderr)
    return 1
