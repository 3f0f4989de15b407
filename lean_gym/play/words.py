"""Tactics that may apply to a goal, and the words that complete a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lean_gym.play.hand_proof import fresh_name
from lean_gym.types import Goal, ProofState, TacticResult

CLOSING: Final = (
    "rfl",
    "assumption",
    "trivial",
    "contradiction",
    "omega",
    "decide",
    "simp",
    "simp_all",
    "exact?",
)
"""Tactics without words that often finish a goal."""
OPENING: Final = ("constructor", "left", "right", "exfalso", "ext", "split", "subst_vars", "simp_all only []")
"""Tactics without words that turn a goal into others."""
ABOUT_HYPOTHESIS: Final = ("exact {h}", "apply {h}", "rw [{h}]", "rw [← {h}]", "cases {h}", "induction {h}")
"""Tactics about one hypothesis; the context tells of which."""
_HEADS: Final = (
    "all_goals any_goals by_cases calc case congr conv exists first funext generalize grind have injection intro "
    "intros next obtain rcases refine repeat rintro show specialize symm unfold"
)
TACTICS: Final = tuple(
    sorted({each.split()[0] for each in (*CLOSING, *OPENING, *ABOUT_HYPOTHESIS)} | set(_HEADS.split()))
)
"""First words that a line completes to."""
MOST_WORDS: Final = 200
NO_WORD: Final = " \t\n()[]{}⟨⟩,;:←"
"""Characters that end a word to complete; a dot does not, as it is part of a lemma's name."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A tactic that the prover accepts here.

    Attributes:
        tactic: Its text.
        goals: Goals left after it.
        messages: Lean's messages, e.g. `Try this: ...`.
    """

    tactic: str
    goals: int
    messages: tuple[str, ...]


def candidates(goal: Goal) -> list[str]:
    """Return the tactics worth trying on a goal: those that may close it first."""
    names = [one.name for one in goal.hypotheses if "✝" not in one.name]
    about = [form.format(h=name) for name in reversed(names) for form in ABOUT_HYPOTHESIS]
    return [*CLOSING, f"intro {fresh_name(set(names))}", *OPENING, *about]


def suggestions(state: ProofState, tried: Callable[[str], TacticResult]) -> list[Suggestion]:
    """Return the tactics that apply, those that leave fewest goals first.

    A tactic that leaves the goals as they are is none.

    Args:
        state: A state with goals.
        tried: Runs a tactic on it.
    """
    found = []
    for tactic in candidates(state.goals[0]):
        result = tried(tactic)
        if result.state is not None and result.state.text != state.text:
            found.append(Suggestion(tactic, len(result.state.goals), result.messages))
    return sorted(found, key=lambda one: one.goals)


def completions(line: str, word: str, hypotheses: Sequence[str], declarations: Iterable[str]) -> list[str]:
    """Return what a word of a line may become.

    Args:
        line: The line up to the word.
        word: The beginning that stands there.
        hypotheses: Names in the main goal.
        declarations: Names of lemmas and definitions.

    Returns:
        At the beginning of a line tactics; elsewhere hypotheses, then declarations. At most 200.
    """
    known = TACTICS if not line.strip() else (*hypotheses, *(declarations if word else ()))
    return [name for name in known if name.startswith(word)][:MOST_WORDS]
