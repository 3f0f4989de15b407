"""Make the set `invariants` from the generator of that name.

    python -m envs_data.invariants            write envs_data/invariants.jsonl
    python -m envs_data.invariants --check    compare it with what would be written; exit status 1 if they differ

A candidate for the test part is dropped if a script of `envs_data.automation` proves it. A training theorem is dropped
if it shares a recursion with a test theorem: the same hypotheses about a sequence, names aside. The results of the
scripts come from their cache where they are known; without it they take about ten minutes on one core.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from envs_data.making import Part, rows_beyond_automation, run
from lean_gym.datasets.generators.invariants import INVARIANTS
from lean_gym.types import Theorem

PATH: Final = Path(__file__).with_name("invariants.jsonl")
_SEQUENCES: Final = re.compile(r" (?=\([a-z](?: [a-z])? : Nat → )")

PARTS: Final = (Part(0.1, 150, 0), Part(0.2, 250, 0), Part(0.3, 2200, 200), Part(0.42, 1200, 100))
TRAIN_SEED: Final = 61
TEST_SEED: Final = 62


def recursions(theorem: Theorem) -> frozenset[str]:
    """Return what the hypotheses say of each sequence or pair of sequences, names aside."""
    binders, _, _ = theorem.statement.partition(" (n : Nat) : ")
    found = set()
    for text in _SEQUENCES.split(binders)[1:]:
        names, _, _ = text[1:].partition(" : ")
        for new, name in zip("xy", names.split(), strict=False):
            text = re.sub(rf"\b{name}\b", new, text)
        if "(n + 1)" in text:
            found.add(re.sub(r"\(h\d* : ", "(", text))
    return frozenset(found)


def rows() -> list[dict[str, Any]]:
    """Return the rows of the set."""

    def too_close(test: Sequence[Theorem]) -> Callable[[Theorem], bool]:
        known = frozenset().union(*map(recursions, test))
        return lambda theorem: bool(recursions(theorem) & known)

    return rows_beyond_automation(INVARIANTS, PARTS, TRAIN_SEED, TEST_SEED, too_close)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    return run(PATH, rows, arguments)


if __name__ == "__main__":
    sys.exit(main())
