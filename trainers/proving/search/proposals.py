"""Tactics that need no policy: automation scripts for the start, a menu for any state, lemmas like the goal.

The menu and the lemmas follow from the first goal of a state. A lemma is found by its shape: the words and runs of
words of its conclusion, with local names made equal, are compared with those of the goal, rare ones counting more.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, count, islice
from typing import Final, Self

from envs_data.automation import SCRIPTS, definitions, filled
from lean_gym.datasets import load_theorems
from lean_gym.types import Goal, Theorem
from trainers.policies.premises import Premise

_CLOSERS: Final = ("simp_all", "omega", "grind", "decide", "contradiction", "exact?")
_HYPOTHESES: Final = 8
"""Most hypotheses of a goal that the menu has tactics for, the latest ones."""
_LEAST_LIKENESS: Final = 0.4
"""Cosine of the shapes of a goal and a lemma, from 0 to 1, below which the lemma is of no use."""
_WORD: Final = re.compile(r"[^\W_]+'*|[^\w\s]")
_LOCAL: Final = re.compile(r"[^\W\d_]{1,2}[0-9₀-₉]*'*|h[^\W_]{1,3}")
_ARROW: Final = re.compile(r"→|->")
_OPEN, _CLOSE = "([{⟨⦃", ")]}⟩⦄"


def automation_scripts(theorem: Theorem) -> list[str]:
    """Return the scripts of `python -m envs_data.automation` for a theorem, those first that try little."""
    return [script for script in (filled(each, theorem) for each in SCRIPTS) if script is not None]


def menu_of(goal: Goal, theorem: Theorem) -> list[str]:
    """Return plain tactics for a goal: those that close goals, those for its target, then those for its hypotheses."""
    laws = definitions(theorem.context)
    named = [each for each in goal.hypotheses if "✝" not in each.name][-_HYPOTHESES:]
    return list(
        dict.fromkeys(
            chain(
                _CLOSERS,
                _for_target(goal),
                *(_for_hypothesis(each.name, each.type) for each in reversed(named)),
                (f"rw [{law}]" for law in laws),
                (f"rw [← {law}]" for law in laws),
                ("simp", "split", "exfalso", "constructor"),
            )
        )
    )


def _for_target(goal: Goal) -> Iterator[str]:
    target = goal.target
    taken = {name for each in goal.hypotheses for name in each.name.split()}
    head = _outside(target)
    if target.startswith("∀") or "→" in head or target.startswith("¬"):
        yield f"intro {next(name for name in chain(['h'], map('h{}'.format, count(1))) if name not in taken)}"
    if "∧" in head or "↔" in head or target.startswith("⟨"):
        yield "constructor"
    if "∨" in head:
        yield from ("left", "right")
    if target.startswith("∃"):
        yield from (f"exists {each.name}" for each in goal.hypotheses if "✝" not in each.name)
        yield "refine ⟨_, ?_⟩"
    if "=" in head:
        yield from ("symm", "funext x", "congr")
    if "if " in target or "match " in target:
        yield "split"


def _for_hypothesis(names: str, type_: str) -> Iterator[str]:
    """Yield tactics for a hypothesis, or for each of those that Lean shows on one line."""
    head = _outside(type_)
    for name in names.split():
        if "∨" in head:
            yield f"rcases {name} with h | h"
        elif "∧" in head or "↔" in head:
            yield f"rcases {name} with ⟨h1, h2⟩"
        elif type_.startswith("∃"):
            yield f"rcases {name} with ⟨x, hx⟩"
        if "→" in head or type_.startswith(("∀", "¬")):
            yield f"apply {name}"
        if "=" in type_ or "↔" in type_:
            yield from (f"rw [{name}]", f"rw [← {name}]", f"simp [{name}]")
        if re.fullmatch(r"\w+( \w+)*|\w+ \(.*\)", type_) and type_ not in ("Prop", "Type"):
            yield from (f"induction {name}", f"cases {name}")
        yield f"exact {name}"


def _outside(text: str) -> str:
    """Return a text without what stands in brackets."""
    depth, kept = 0, []
    for letter in text:
        depth += letter in _OPEN
        if depth == 0:
            kept.append(letter)
        depth -= letter in _CLOSE
    return "".join(kept)


class LemmasByShape:
    """Lemmas by the shape of their conclusion; a retriever, see `trainers.policies.premises`.

    Args:
        premises: The lemmas, with their statements as code.
    """

    def __init__(self, premises: Sequence[Premise]) -> None:
        self._premises = tuple(premises)
        self._having: defaultdict[str, list[int]] = defaultdict(list)
        shapes = [shape_of(conclusion_of(each.code)) for each in premises]
        for number, shape in enumerate(shapes):
            for feature in shape:
                self._having[feature].append(number)
        self._weights = {
            feature: math.log((1 + len(shapes)) / len(numbers)) for feature, numbers in self._having.items()
        }
        self._rare = math.log(1 + len(shapes))
        self._sizes = [sum(self._weights[feature] for feature in shape) or 1.0 for shape in shapes]

    @classmethod
    def of_theorems(cls, theorems: Sequence[Theorem]) -> Self:
        """Return the lemmas that theorems are."""
        return cls([Premise(each.name, each.statement) for each in theorems])

    def __call__(
        self, goal_texts: Sequence[str], count: int, theorems: Sequence[Theorem | None] = ()
    ) -> list[list[Premise]]:
        """Return the lemmas most like the first goal of each text, if any are like it; never the theorem itself."""
        given = theorems or [None] * len(goal_texts)
        return [self._found(text, count, theorem) for text, theorem in zip(goal_texts, given, strict=True)]

    def _found(self, text: str, count: int, theorem: Theorem | None) -> list[Premise]:
        target = text.partition("\n\n")[0].rpartition("⊢")[2]
        scores: defaultdict[int, float] = defaultdict(float)
        shape = shape_of(target)
        for feature in shape:
            for number in self._having.get(feature, ()):
                scores[number] += self._weights[feature]
        size = sum(self._weights.get(feature, self._rare) for feature in shape)
        likeness = {number: score / (self._sizes[number] * size) ** 0.5 for number, score in scores.items()}
        own = None if theorem is None else theorem.name
        ranked = sorted(likeness, key=lambda number: (-likeness[number], number))
        alike = (self._premises[number] for number in ranked if likeness[number] >= _LEAST_LIKENESS)
        return list(islice((each for each in alike if each.name != own), count))


def shape_of(text: str) -> Counter[str]:
    """Return words of a formula and runs of two and three of them; local names are all the same."""
    words = ["_" if _LOCAL.fullmatch(word) else word for word in _WORD.findall(text)]
    words = [word for word in words if word not in "(){}⟨⟩,."]
    return Counter(
        " ".join(words[at : at + size]) for size in (1, 2, 3) for at in range(len(words) - size + 1)
    )


def conclusion_of(statement: str) -> str:
    """Return what stands behind the first colon outside of brackets, and behind the last arrow there."""
    depth = 0
    for at, letter in enumerate(statement):
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == ":" and depth == 0:
            statement = statement[at + 1 :]
            break
    last = depth = 0
    for at, letter in enumerate(statement):
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if depth == 0 and _ARROW.match(statement, at):
            last = at + 1
    return statement[last:]


@cache
def core_lemmas() -> LemmasByShape:
    """Return the theorems of the set `core`, lemmas of core Lean that minilean's library has as well."""
    return LemmasByShape.of_theorems(load_theorems("core"))


def tactics_with(premise: Premise) -> list[str]:
    """Return tactics that use a lemma."""
    name, conclusion = premise.name, _outside(conclusion_of(premise.code))
    rewriting = [f"rw [{name}]", f"rw [← {name}]", f"simp [{name}]"]
    return [f"apply {name}", *(rewriting if "=" in conclusion or "↔" in conclusion else ())]
