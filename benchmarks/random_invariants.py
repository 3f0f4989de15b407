"""Baseline without learning for the set `invariants`: an invariant drawn at random, and a fixed script for the rest.

    python -m benchmarks.random_invariants invariants:test
    python -m benchmarks.random_invariants invariants:test --attempts 64 --steps 12

The policy knows the forms of the invariants, fills in numbers that stand in the goal, and proves what it guessed by
induction with one script that fits all theorems of the set. A guess that does not imply the goal costs a tactic. The
estimates are those of pass@1 and pass@8 in the tables of the trainers.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from typing import Final

from benchmarks.chance import Policy, run
from lean_gym.types import Theorem

_ONE: Final = ("{f} n % {} = {}", "{f} n = {} ∨ {f} n = {}", "{f} n = {} * n + {}")
_TWO: Final = (
    "{f} n = {0} * n + {1} ∧ {g} n = {2} * n + {3}",
    "{f} n = {0} ∧ {g} n = {1} ∨ {f} n = {1} ∧ {g} n = {0}",
)
_ACCUMULATOR: Final = "∀ a, {f} n a = a + {} * n + {}"
_NAMES: Final = ("h", *(f"h{number}" for number in range(1, 7)))
_INDUCTION: Final = "induction n with | zero | succ n ih"
_FINISH: Final = "all_goals try first | omega | " + " | ".join(
    [
        *(f"(have h9 := {name} n; omega)" for name in _NAMES),
        *(f"(rw [{one}, {other}]; omega)" for one, other in zip(_NAMES, _NAMES[2:], strict=False)),
        *(f"(intro a; rw [{name}] <;> omega)" for name in _NAMES),
        *(f"(intro a; rw [{name}, ih] <;> omega)" for name in _NAMES),
    ]
)


def guess(rng: random.Random, goal: str) -> str:
    """Return a tactic that reduces the goal to an invariant with numbers from the goal; `omega` if none fits.

    Args:
        rng: Source of the choices.
        goal: The goals as Lean prints them, the main goal first.
    """
    main, _, _ = goal.partition("\n\n")
    hypotheses, _, target = main.rpartition("⊢")
    about = re.search(r"\b([a-z]) n\b", target)
    declared = about and re.search(
        rf"^((?:[a-z] )*{about[1]}(?: [a-z])*) : (Nat → .*)$", hypotheses, flags=re.M
    )
    if not about or not declared:
        return "omega"
    f, sequences = about[1], declared[1].split()
    numbers = sorted(set(re.findall(r"\d+", main)), key=int)
    fill = [rng.choice(numbers) for _ in range(4)]
    if declared[2] == "Nat → Nat → Nat":
        return f"suffices h9 : {_ACCUMULATOR.format(*fill, f=f)} by rw [h9] <;> omega"
    others = [name for name in sequences if name != f]
    form = rng.choice([*_ONE, *_TWO] if others else _ONE)
    return f"suffices h9 : {form.format(*fill, f=f, g=''.join(others[:1]))} by omega"


def random_invariants(rng: random.Random, theorem: Theorem) -> Policy:
    """Return a policy that guesses until a guess implies the goal, and then runs the script."""
    planned: list[str] = []
    guessed = False

    def choose(goal: str, refused: bool) -> str:
        nonlocal guessed
        if guessed and not refused:
            planned[:] = [_INDUCTION, _FINISH]
        guessed = False
        main, _, _ = goal.partition("\n\n")
        if planned:
            return planned.pop(0)
        if " ∧ " in main[main.rindex("⊢") :]:
            planned[:] = [_FINISH]
            return "constructor"
        guessed = True
        return guess(rng, goal)

    return choose


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    return run(
        "python -m benchmarks.random_invariants", "Guess invariants at random.", random_invariants, arguments
    )


if __name__ == "__main__":
    sys.exit(main())
