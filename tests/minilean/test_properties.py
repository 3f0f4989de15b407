"""Random and damaged scripts on the theorems of the sets: never an exception, never a false theorem.

`LEAN_GYM_EXAMPLES=5000 python -m pytest tests/minilean/test_properties.py` looks longer, and elsewhere each time.
"""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lean_gym.backends.minilean import PERMITTED_AXIOMS
from lean_gym.datasets.proofs import proof_steps
from lean_gym.datasets.sets import load_theorems
from lean_gym.minilean.library import library
from lean_gym.minilean.proof import Problem, ProofError, State, Step
from lean_gym.types import Theorem

THEOREMS = [*load_theorems("logic"), *load_theorems("nat")]
STEPS = {theorem.name: proof_steps(theorem.proof) for theorem in THEOREMS}
LINES = sorted({step for steps in STEPS.values() for step in steps})
TOKEN = re.compile(r"[^\W\d][\w.'✝]*|\d+|\s+|.", re.DOTALL)
TOKENS = sorted({token for line in LINES for token in TOKEN.findall(line) if not token.isspace()})
WORDS = [
    "?_", "?a", "_", "by", "fun", "=>", "⟨", "⟩", "(", ")", "[", "]", "←", "at", "⊢", "*", ";", "<;>", "·",
    "|", "with", "rfl", "exact", "apply", "refine", "intro", "rw", "simp", "only", "have", "show", "change",
    "cases", "induction", "rcases", "obtain", "constructor", "left", "right", "exists", "exfalso",
    "contradiction", "decide", "trivial", "assumption", "subst", "symm", "specialize", "revert", "clear",
    "rename_i", "unfold", "calc", "case", "all_goals", "any_goals", "try", "repeat", "first", "suffices",
    "from", "let", "injection", "generalize", "by_cases", "∀", "∃", "→", "∧", "∨", "¬", "↔", "=", "≠", "<",
    "≤", "+", "*", "^", "True", "False", "Nat", "Prop", "Type", "0", "1", "2", "10000000000", "h", "p", "q",
    "n", ":", ":=", ",", ".1", ".mp", "@", "▸", "$", "if", "then", "else", "Nat.rec", "Eq.rec", "And.intro",
    "Classical.em", "Classical.choice", "propext", "funext", "Eq.trans", "congrArg", "id",
]  # fmt: skip
CLOSERS = [
    *(
        "rfl",
        "simp",
        "decide",
        "trivial",
        "assumption",
        "contradiction",
        "constructor",
        "intro h",
        "cases h",
        "simp at *",
    ),
    *(
        "exact ?_",
        "refine ⟨?_, ?_⟩",
        "apply Eq.trans",
        "apply Exists.intro",
        "apply absurd",
        "repeat' constructor",
    ),
    *(
        "exact h",
        "exact absurd h (by simp)",
        "exact h _ _ _",
        "apply h",
        "specialize h 0",
        "all_goals simp_all",
        "exfalso",
    ),
    *(
        "refine' Eq.mpr _ _",
        "apply Classical.byContradiction",
        "have := h",
        "all_goals (try rfl)",
        "case _ => rfl",
    ),
]

_LONGER = os.environ.get("LEAN_GYM_EXAMPLES")
search = settings(
    max_examples=int(_LONGER or 250),
    derandomize=_LONGER is None,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
pytestmark = pytest.mark.timeout(110 if _LONGER is None else 0)

snippets = st.one_of(st.sampled_from(TOKENS), st.sampled_from(WORDS), st.sampled_from(LINES), st.characters())


@st.composite
def damaged(draw: st.DrawFn, lines: st.SearchStrategy[str]) -> str:
    """A line with up to four of its tokens removed, replaced or put in."""
    tokens = TOKEN.findall(draw(lines)) or ["exact"]
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(tokens)))
        width = draw(st.integers(0, 2))
        tokens[place : place + width] = draw(st.sampled_from([[], [" ", draw(snippets), " "]]))
    return "".join(tokens)


tactics = st.one_of(
    damaged(st.sampled_from(LINES)),
    st.sampled_from(CLOSERS),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join),
)


def check_step(problem: Problem, state: State, step: Step) -> None:
    """What holds of every answer."""
    assert (step.state is None) != (step.error is None)
    if step.error is not None:
        assert step.error
        assert "internal" not in step.error
    else:
        assert step.state is not None
        assert (
            len(problem.goal_texts(step.state)) == len(problem.goal_rows(step.state)) == len(step.state.goals)
        )


def accepted(problem: Problem, state: State) -> bool:
    """Whether the kernel accepts a state; one that has no goals left and is refused says why."""
    try:
        axioms = problem.check(state)
    except ProofError as error:
        assert str(error)
        return False
    assert not state.goals
    assert set(axioms) <= set(PERMITTED_AXIOMS)
    return True


def negation(theorem: Theorem) -> str:
    """The statement that not every instance of `theorem` holds."""
    head, _, _ = theorem.statement.partition(" : ")
    depth = 0
    for i, char in enumerate(theorem.statement):
        depth += (char in "([{⦃") - (char in ")]}⦄")
        if char == ":" and depth == 0:
            head, body = theorem.statement[:i].strip(), theorem.statement[i + 1 :].strip()
            break
    _, _, binders = head.partition(theorem.name)
    return (
        f"theorem negated : ¬ (∀ {binders.strip()}, {body})"
        if binders.strip()
        else f"theorem negated : ¬ ({body})"
    )


@search
@given(
    theorem=st.sampled_from(THEOREMS),
    keep=st.integers(0, 4),
    script=st.lists(tactics, min_size=1, max_size=8),
)
def test_no_script_breaks_anything(theorem: Theorem, keep: int, script: list[str]) -> None:
    problem = Problem.from_source(theorem.statement, library(), theorem.context)
    state = problem.start()
    for tactic in [*STEPS[theorem.name][:keep], *script]:
        step = problem.apply(state, tactic, seconds=2.0)
        check_step(problem, state, step)
        state = step.state or state
        if not state.goals:
            break
    accepted(problem, state)


@search
@given(theorem=st.sampled_from(THEOREMS), script=st.lists(tactics, min_size=1, max_size=8))
def test_the_negation_of_a_theorem_has_no_proof(theorem: Theorem, script: list[str]) -> None:
    problem = Problem.from_source(negation(theorem), library(), theorem.context)
    state = problem.start()
    for tactic in ["intro h", *script]:
        step = problem.apply(state, tactic, seconds=2.0)
        check_step(problem, state, step)
        state = step.state or state
        if not state.goals:
            break
    assert not accepted(problem, state)


@search
@given(
    theorem=st.sampled_from(THEOREMS),
    where=st.integers(0, 6),
    script=st.lists(tactics, min_size=1, max_size=4),
)
def test_a_refused_tactic_leaves_no_trace(theorem: Theorem, where: int, script: list[str]) -> None:
    plain = Problem.from_source(theorem.statement, library(), theorem.context)
    disturbed = Problem.from_source(theorem.statement, library(), theorem.context)
    state, other = plain.start(), disturbed.start()
    for number, step_text in enumerate(STEPS[theorem.name]):
        if number == where:
            for tactic in script:
                # accepted or refused: the state it was applied to is the same value afterwards
                disturbed.apply(other, tactic, seconds=2.0)
        step, twin = plain.apply(state, step_text), disturbed.apply(other, step_text)
        assert step.state is not None and twin.state is not None
        state, other = step.state, twin.state
        assert plain.goal_texts(state) == disturbed.goal_texts(other)
    assert plain.check(state) == disturbed.check(other)
