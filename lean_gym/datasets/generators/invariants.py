"""Generator of theorems about sequences that need an invented induction hypothesis, each with a proof.

    from lean_gym.datasets.generators.invariants import INVARIANTS
    theorems = INVARIANTS.generate(100, difficulty=0.3, seed=0)

The hypotheses define sequences of natural numbers by recursion. The theorem states a consequence of an invariant, and
induction on the theorem itself fails: its hypothesis is too weak. The proof reduces the theorem to the invariant with
`suffices`, and proves that by induction:

    progression  `f (n + 1) = f n + 4`: the value for every `n`
    choice       `f (n + 1) = f n + 4 ∨ f (n + 1) = f n + 8`: the remainder modulo 4 stays
    product      `f (n + 1) = 3 * f n + 2`: a remainder that the step keeps
    mirror       `f (n + 1) = 7 - f n`: one of two values
    pair         `f` grows by 2 and `g` by 3: both values for every `n`
    exchange     `f (n + 1) = g n` and `g (n + 1) = f n`: one of two pairs
    accumulator  `f (n + 1) a = f n (a + 3)`: the value for every accumulator

Easy theorems have an invariant that is stated, as the theorem or as a hypothesis; difficult ones are conjunctions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from lean_gym.datasets.generators.base import Draw, Generator

_NAMES: Final = ("f", "g", "s", "t", "u", "v")
_LARGEST: Final = 9
"""Numbers in the definitions of sequences have one digit."""
_COST_OF_INVENTION: Final = 10
_COST_OF_INDUCTION: Final = 8
_COST_OF_USE: Final = 4


@dataclass(frozen=True, slots=True)
class _Part:
    """A conjunct of a theorem about `n : Nat`, and its proof.

    Attributes:
        kind: Its kind, the domain of a theorem with this conjunct alone.
        binder: The sequences, e.g. `(f g : Nat → Nat)`.
        hypotheses: Propositions about the sequences.
        goal: The conjunct.
        lines: Its proof; `{0}`, `{1}` ... stand for the names of the hypotheses, `{new}` for a fresh name.
    """

    kind: str
    binder: str
    hypotheses: tuple[str, ...]
    goal: str
    lines: tuple[str, ...]


_Names = Iterator[str]
_Kind = Callable[[random.Random, _Names], _Part | None]
"""Draws a conjunct with some of these names for its sequences; `None` if the numbers do not fit."""


def _draw(rng: random.Random, difficulty: float) -> Draw | None:
    """Draw a theorem with conjuncts that cost about as much as asked; `None` if the numbers do not fit."""
    names = iter(rng.sample(_NAMES, len(_NAMES)))
    inventions, rest = divmod(max(0, round(30 * difficulty) + rng.randint(0, 2)), _COST_OF_INVENTION)
    kinds = rng.choices(_KINDS, k=min(3, inventions))
    if rest >= _COST_OF_INDUCTION - 2:
        kinds.append(_stated)
    elif rest >= _COST_OF_USE or not kinds:
        kinds.append(_given)
    parts = [kind(rng, names) for kind in kinds]
    return _joined([part for part in parts if part is not None]) if all(parts) else None


def _joined(parts: list[_Part]) -> Draw:
    """Return the theorem that all these conjuncts hold."""
    hypotheses = [hypothesis for part in parts for hypothesis in part.hypotheses]
    names = ["h", *(f"h{number}" for number in range(1, len(hypotheses) + 1))]
    new = names.pop()
    binders, lines, used = [], [], 0
    for number, part in enumerate(parts):
        own = names[used : used + len(part.hypotheses)]
        used += len(own)
        binders += [part.binder, *(f"({h} : {text})" for h, text in zip(own, part.hypotheses, strict=True))]
        lines += ["constructor"] * (number < len(parts) - 1)
        lines += [line.format(*own, new=new) for line in part.lines]
    goals = [f"({part.goal})" if "→" in part.goal and len(parts) > 1 else part.goal for part in parts]
    return Draw(
        statement=f"{' '.join(binders)} (n : Nat) : {' ∧ '.join(goals)}",
        proof="\n".join(lines),
        domain=parts[0].kind if len(parts) == 1 else "conjunction",
    )


def _progression(rng: random.Random, names: _Names) -> _Part | None:
    f = next(names)
    start, step = rng.randint(0, _LARGEST), rng.randint(2, _LARGEST)
    missed = _missed(rng, start)
    if (missed - start) % step == 0:
        return None
    hypotheses = _growing(f, start, step)
    return _invented("progression", f, hypotheses, f"{f} n ≠ {missed}", _value(f, start, step), _INSTANCE)


def _choice(rng: random.Random, names: _Names) -> _Part | None:
    modulus = rng.randint(2, _LARGEST)
    start = rng.randrange(modulus)
    steps = [f" + {modulus * factor}" for factor in rng.sample(range(1, 4), 2)]
    return _remainder("choice", next(names), start, steps, modulus, _missed(rng, start))


def _product(rng: random.Random, names: _Names) -> _Part | None:
    factor, summand, modulus = rng.randint(2, 5), rng.randint(0, _LARGEST), rng.randint(2, 6)
    start = rng.randint(0, _LARGEST)
    if (factor * start + summand - start) % modulus:
        return None
    f = next(names)
    missed = _missed(rng, start)
    return _remainder("product", f, start, [_plus(summand)], modulus, missed, factor)


def _missed(rng: random.Random, start: int) -> int:
    return rng.randint(start + 1, start + 3 * _LARGEST)


def _remainder(
    kind: str, f: str, start: int, steps: list[str], modulus: int, missed: int, factor: int = 1
) -> _Part | None:
    """Return the conjunct that a sequence whose remainder stays never takes the value `missed`."""
    if (missed - start) % modulus == 0:
        return None
    step = " ∨ ".join(f"{f} (n + 1) = {_times(factor, f'{f} n')}{text}" for text in steps)
    hypotheses = (f"{f} 0 = {start}", f"∀ n, {step}")
    return _invented(
        kind, f, hypotheses, f"{f} n ≠ {missed}", f"{f} n % {modulus} = {start % modulus}", _INSTANCE
    )


def _mirror(rng: random.Random, names: _Names) -> _Part | None:
    start, other = rng.randint(0, _LARGEST), rng.randint(0, _LARGEST)
    missed = rng.randint(0, start + other)
    if missed in (start, other) or start == other:
        return None
    f = next(names)
    hypotheses = (f"{f} 0 = {start}", f"∀ n, {f} (n + 1) = {start + other} - {f} n")
    return _invented(
        "mirror", f, hypotheses, f"{f} n ≠ {missed}", f"{f} n = {start} ∨ {f} n = {other}", _INSTANCE
    )


def _pair(rng: random.Random, names: _Names) -> _Part:
    f, g = next(names), next(names)
    (start, right), (other, up) = ((rng.randint(0, _LARGEST), rng.randint(1, _LARGEST)) for _ in "fg")
    steps = rng.randint(2, 9)
    invariant = f"{_value(f, start, right)} ∧ {_value(g, other, up)}"
    goal = f"{f} n = {start + right * steps} → {g} n = {other + up * steps}"
    hypotheses = (*_growing(f, start, right), *_growing(g, other, up))
    return _invented("pair", f"{f} {g}", hypotheses, goal, invariant, _BOTH_REWRITTEN)


def _growing(f: str, start: int, step: int) -> tuple[str, str]:
    return f"{f} 0 = {start}", f"∀ n, {f} (n + 1) = {f} n + {step}"


def _value(f: str, start: int, step: int) -> str:
    return f"{f} n = {_times(step, 'n')}{_plus(start)}"


def _exchange(rng: random.Random, names: _Names) -> _Part | None:
    start, other = rng.randint(0, _LARGEST), rng.randint(0, _LARGEST)
    missed = rng.randint(0, max(start, other))
    if missed in (start, other) or start == other:
        return None
    f, g = next(names), next(names)
    hypotheses = (
        *(f"{f} 0 = {start}", f"∀ n, {f} (n + 1) = {g} n"),
        *(f"{g} 0 = {other}", f"∀ n, {g} (n + 1) = {f} n"),
    )
    invariant = f"{f} n = {start} ∧ {g} n = {other} ∨ {f} n = {other} ∧ {g} n = {start}"
    return _invented("exchange", f"{f} {g}", hypotheses, f"{f} n ≠ {missed}", invariant, _BOTH_REWRITTEN)


_INDUCTION: Final = "induction n with | zero | succ n ih"
_INSTANCE: Final = ("have {new} := {1} n",)
_BOTH_REWRITTEN: Final = ("rw [{1}]", "rw [{3}]")


def _invented(
    kind: str, sequences: str, hypotheses: tuple[str, ...], goal: str, invariant: str, step: tuple[str, ...]
) -> _Part:
    """Return a conjunct that follows from an invariant, which is proved by induction with one use of the step."""
    lines = (f"suffices {{new}} : {invariant} by omega", _INDUCTION, "omega", *step, "omega")
    return _Part(kind, f"({sequences} : Nat → Nat)", hypotheses, goal, lines)


def _accumulator(rng: random.Random, names: _Names) -> _Part:
    f = next(names)
    end, step, first = rng.randint(0, _LARGEST), rng.randint(1, _LARGEST), rng.randint(0, _LARGEST)
    value = f"{_times(step, 'n')}{_plus(end)}"
    lines = (
        f"suffices {{new}} : ∀ a, {f} n a = a + {value} by rw [{{new}}] <;> omega",
        _INDUCTION,
        "intro a",
        "rw [{0}] <;> omega",
        "intro a",
        "rw [{1}, ih] <;> omega",
    )
    hypotheses = (f"∀ a, {f} 0 a = a{_plus(end)}", f"∀ n a, {f} (n + 1) a = {f} n (a + {step})")
    goal = f"{f} n {first} = {_times(step, 'n')}{_plus(first + end)}"
    return _Part("accumulator", f"({f} : Nat → Nat → Nat)", hypotheses, goal, lines)


def _stated(rng: random.Random, names: _Names) -> _Part:
    """Draw a conjunct that is the invariant itself."""
    f = next(names)
    start, step = rng.randint(0, _LARGEST), rng.randint(1, _LARGEST)
    lines = (_INDUCTION, "omega", *_INSTANCE, "omega")
    return _Part("stated", f"({f} : Nat → Nat)", _growing(f, start, step), _value(f, start, step), lines)


def _given(rng: random.Random, names: _Names) -> _Part:
    """Draw a conjunct that follows from an invariant among the hypotheses."""
    f = next(names)
    modulus = rng.randint(2, _LARGEST)
    kept, times = rng.randrange(modulus), rng.randint(0, 3)
    missed = modulus * times + (kept + rng.randint(1, modulus - 1)) % modulus
    hypotheses = (f"∀ n, {f} n % {modulus} = {kept}",)
    return _Part(
        "given", f"({f} : Nat → Nat)", hypotheses, f"{f} n ≠ {missed}", ("have {new} := {0} n", "omega")
    )


def _times(factor: int, name: str) -> str:
    return name if factor == 1 else f"{factor} * {name}"


def _plus(number: int) -> str:
    """Return ` + number`, or nothing unless it is positive."""
    return f" + {number}" if number > 0 else ""


_KINDS: Final[tuple[_Kind, ...]] = (
    *(_progression, _choice, _product, _mirror, _pair, _exchange, _accumulator),
)

INVARIANTS: Final = Generator("invariants", _draw)
