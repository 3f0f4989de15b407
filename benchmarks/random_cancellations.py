"""Baseline without learning for the set `cancellation`: an operation drawn at random, and a fixed script for the rest.

    python -m benchmarks.random_cancellations cancellation:test
    python -m benchmarks.random_cancellations cancellation:test --attempts 64 --steps 12

The policy knows the form of the proofs. It applies an operation of the structure to both sides of a hypothesis, with an
argument that stands in the hypothesis, and then simplifies with all laws and closes the goal if that is possible. A
goal with two parts is split first. The estimates are those of pass@1 and pass@8 in the tables of the trainers.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from typing import Final

from benchmarks.chance import Policy, run
from lean_gym.types import Theorem

_OPERATION: Final = re.compile(r"^  (\w+) : ((?:α → )*)α$", flags=re.MULTILINE)
_LAW: Final = re.compile(r"^  (\w+) : ∀", flags=re.MULTILINE)
_HYPOTHESIS: Final = re.compile(r"^(h\d*)(?: h\d*)* : (.* = .*)$", flags=re.MULTILINE)
_ARGUMENT: Final = re.compile(r"\([^()]*\)|\b[a-g]\b")


def random_cancellations(rng: random.Random, theorem: Theorem) -> Policy:
    """Return a policy that applies operations at random until the theorem is proved."""
    operations = [(name, arrows.count("→")) for name, arrows in _OPERATION.findall(theorem.context)]
    laws = ", ".join(f"A.{law}" for law in _LAW.findall(theorem.context))
    planned: list[str] = []

    def choose(goal: str, refused: bool) -> str:
        main = goal.partition("\n\n")[0].replace("\n  ", " ")  # long hypotheses go on, indented
        if planned:
            return planned.pop(0)
        if " ∧ " in main[main.rindex("⊢") :]:
            return "constructor"
        hypotheses = _HYPOTHESIS.findall(main)
        if not hypotheses:  # all became `True`: both sides were the same
            return "rfl"
        name, hypothesis = rng.choice(hypotheses)
        operation, arity = rng.choice([each for each in operations if each[1] <= 2])
        applied = f"A.{operation}"
        if arity == 2:
            applied = f"({applied} {rng.choice(sorted(set(_ARGUMENT.findall(hypothesis))))})"
        planned.append(f"simp only [{laws}] at {name} <;> try first | exact h | exact h1 | exact h.trans h1")
        return f"replace {name} := congrArg {applied} {name}"

    return choose


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    return run(
        "python -m benchmarks.random_cancellations",
        "Apply operations at random to both sides.",
        random_cancellations,
        arguments,
    )


if __name__ == "__main__":
    sys.exit(main())
