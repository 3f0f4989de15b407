"""Make the set `cancellation` from the generator of that name.

    python -m envs_data.cancellation            write envs_data/cancellation.jsonl
    python -m envs_data.cancellation --check    compare it with what would be written; exit status 1 if they differ

A candidate for the test part is dropped if a script of `envs_data.automation` proves it. A training theorem is dropped
if a test theorem is an instance of it: the same equations with other terms for its variables, the sides of all of them
as they stand or all exchanged. The results of the scripts come from their cache where they are known; without it they
take some minutes on one core.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from envs_data.making import Part, rows_beyond_automation, run
from lean_gym.datasets.generators.cancellation import CANCELLATION
from lean_gym.datasets.generators.rewriting import Term, match_term, parse
from lean_gym.types import Theorem

PATH: Final = Path(__file__).with_name("cancellation.jsonl")
_VARIABLES: Final = frozenset("abcdefg")


PARTS: Final = (Part(0.2, 400, 0), Part(0.4, 2000, 120), Part(0.6, 2000, 120))
TRAIN_SEED: Final = 71
TEST_SEED: Final = 72


@cache
def equations_of(theorem: Theorem) -> tuple[tuple[Term, Term], ...]:
    """Return the equations of a theorem: those of the hypotheses in their order, then those of the goals."""
    binders, _, goals = theorem.statement.partition(" : α)")[2].rpartition(" : ")
    hypotheses = re.findall(r"\(h\d* : (.*?)\)(?= \(h|$)", binders)
    return tuple(_equation(text) for text in (*hypotheses, *goals.split(" ∧ ")))


def _equation(text: str) -> tuple[Term, Term]:
    left, right = map(parse, text.split(" = "))
    return left, right


def is_instance(special: Theorem, general: Theorem) -> bool:
    """Return whether the special theorem is the general one with terms for its variables."""
    if special.context != general.context:
        return False
    wanted, pattern = equations_of(special), equations_of(general)
    exchanged = tuple((right, left) for left, right in wanted)
    return any(match_term(_joined(pattern), _joined(each), _VARIABLES, {}) for each in (wanted, exchanged))


def _joined(equations: Sequence[tuple[Term, Term]]) -> Term:
    return (f"{len(equations)} equations", *(("=", *sides) for sides in equations))


def rows() -> list[dict[str, Any]]:
    """Return the rows of the set."""

    def too_close(test: Sequence[Theorem]) -> Callable[[Theorem], bool]:
        return lambda theorem: any(is_instance(special, theorem) for special in test)

    return rows_beyond_automation(CANCELLATION, PARTS, TRAIN_SEED, TEST_SEED, too_close)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    return run(PATH, rows, arguments)


if __name__ == "__main__":
    sys.exit(main())
