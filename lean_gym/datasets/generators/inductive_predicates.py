"""Generator of theorems about inductively defined predicates, each with a proof.

    from lean_gym.datasets.generators.inductive_predicates import INDUCTIVE_PREDICATES
    theorems = INDUCTIVE_PREDICATES.generate(100, difficulty=0.3, seed=0)

The context defines a predicate `Conf` on pairs of numbers: where a machine starts, and two or three moves, each of
which adds constants to both numbers. Four kinds of theorems are drawn:

    reach       `Conf 7 5`: apply the constructors in the right order
    closure     `Conf x y → Conf (x + 4) (y + 3)`: name the configurations in between
    unreachable `¬Conf 4 6`: case analysis on all ways to end there
    invariant   `Conf x y → 2 * x = 3 * y + 1`: induction on the derivation
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from lean_gym.datasets.generators.base import Draw, Generator

_MOVES: Final = ("one", "two", "three")
_MAX_LINES: Final = 40

_Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Machine:
    """A predicate on pairs of numbers.

    Attributes:
        start: The pair that holds from the start.
        moves: Each adds its two constants, which are not both 0; sorted, without repetition.
    """

    start: _Pair
    moves: tuple[_Pair, ...]

    def context(self) -> str:
        """Return the Lean definition."""
        lines = [
            "inductive Conf : Nat → Nat → Prop where",
            f"  | start : Conf {self.start[0]} {self.start[1]}",
        ]
        for name, (right, up) in zip(_MOVES, self.moves, strict=False):
            lines.append(f"  | {name} (x y : Nat) (h : Conf x y) : Conf {_plus('x', right)} {_plus('y', up)}")
        return "\n".join(lines)

    def end(self, path: list[int]) -> _Pair:
        """Return the pair after the moves with these numbers."""
        x, y = self.start
        for number in path:
            x, y = x + self.moves[number][0], y + self.moves[number][1]
        return x, y


def _draw(rng: random.Random, difficulty: float) -> Draw | None:
    """Draw a theorem of one of the four kinds; `None` if its numbers do not fit."""
    kind = rng.choice((_reach, _closure, _unreachable, _invariant))
    return kind(rng, difficulty)


def _reach(rng: random.Random, difficulty: float) -> Draw | None:
    machine = _random_machine(rng)
    # A step costs three and the end two, see `measure_difficulty`.
    length = max(1, round(10 * difficulty) + rng.randint(-1, 1))
    path = [rng.randrange(len(machine.moves)) for _ in range(length)]
    x, y = machine.end(path)
    if length == 1:
        arguments = f"{machine.start[0]} {machine.start[1]}"
        lines = [f"exact Conf.{_MOVES[path[0]]} {arguments} Conf.start"]
    else:
        lines = [f"apply Conf.{_MOVES[number]}" for number in reversed(path)] + ["exact Conf.start"]
    return _theorem(machine, f": Conf {x} {y}", lines)


def _closure(rng: random.Random, difficulty: float) -> Draw | None:
    machine = _random_machine(rng)
    # Every step but the last is a `have`, which costs four.
    length = max(1, round(8 * difficulty) + rng.randint(-1, 1))
    lines = ["intro h"]
    right = up = 0
    name = "h"
    for step in range(1, length + 1):
        number = rng.randrange(len(machine.moves))
        applied = f"Conf.{_MOVES[number]} {_plus('x', right)} {_plus('y', up)} {name}"
        right, up = right + machine.moves[number][0], up + machine.moves[number][1]
        if step == length:
            lines.append(f"exact {applied}")
        else:
            name = f"h{step}"
            lines.append(f"have {name} : Conf {_plus('x', right)} {_plus('y', up)} := {applied}")
    return _theorem(machine, f"(x y : Nat) : Conf x y → Conf {_plus('x', right)} {_plus('y', up)}", lines)


def _unreachable(rng: random.Random, difficulty: float) -> Draw | None:
    machine = _random_machine(rng)
    size = 2 + round(14 * difficulty)
    end = (rng.randint(0, size), rng.randint(0, size))
    lines = ["intro h"]
    if not _refute(machine, end, "h", lines):
        return None
    return _theorem(machine, f": ¬Conf {end[0]} {end[1]}", lines)


def _refute(machine: _Machine, end: _Pair, name: str, lines: list[str]) -> bool:
    """Append the case analysis that shows that no derivation ends there; return whether there is a short one."""
    if end == machine.start or len(lines) > _MAX_LINES:
        return False
    before = [
        (move, (end[0] - right, end[1] - up))
        for move, (right, up) in zip(_MOVES, machine.moves, strict=False)
        if right <= end[0] and up <= end[1]
    ]
    if not before:
        lines.append(f"cases {name}")
        return True
    # `cases` clears the hypothesis, but a name must be free before the step.
    fresh = "h1" if name == "h" else "h"
    lines.append(f"cases {name} with " + " ".join(f"| {move} _ _ {fresh}" for move, _ in before))
    return all(_refute(machine, earlier, fresh, lines) for _, earlier in before)


def _invariant(rng: random.Random, difficulty: float) -> Draw | None:
    """Draw a machine whose moves are multiples of one direction, and the line that it stays on."""
    direction = (rng.randint(1, 5), rng.randint(1, 5))
    count = 2 if difficulty < 0.5 else 3
    moves = tuple((direction[0] * k, direction[1] * k) for k in sorted(rng.sample(range(1, 5), count)))
    machine = _Machine((rng.randint(0, 4), rng.randint(0, 4)), moves)
    left, right = direction[1] * machine.start[0], direction[0] * machine.start[1]
    goal = (
        f"{_plus(_times(direction[1], 'x'), max(0, right - left))} = "
        f"{_plus(_times(direction[0], 'y'), max(0, left - right))}"
    )
    goal = goal.replace("(", "").replace(")", "")
    cases = " ".join(f"| {name} x y h1 ih" for name, _ in zip(_MOVES, moves, strict=False))
    lines = ["intro h", f"induction h with | start {cases}", "rfl", *(["omega"] * count)]
    return _theorem(machine, f"(x y : Nat) : Conf x y → {goal}", lines)


def _random_machine(rng: random.Random) -> _Machine:
    pairs = [(right, up) for right in range(4) for up in range(4) if (right, up) != (0, 0)]
    moves = tuple(sorted(rng.sample(pairs, rng.randint(2, 3))))
    return _Machine((rng.randint(0, 3), rng.randint(0, 3)), moves)


def _theorem(machine: _Machine, statement: str, lines: list[str]) -> Draw:
    return Draw(statement, "\n".join(lines), "inductive_predicates", machine.context())


def _plus(name: str, number: int) -> str:
    """Return an argument that is a sum, without `+ 0`."""
    return f"({name} + {number})" if number else name


def _times(factor: int, name: str) -> str:
    return name if factor == 1 else f"{factor} * {name}"


INDUCTIVE_PREDICATES: Final = Generator("inductive_predicates", _draw)
