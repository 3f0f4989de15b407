"""Random and damaged scripts on many kinds of goals, random statements: never an exception, never a false theorem.

`LEAN_GYM_EXAMPLES=5000 python -m pytest tests/minilean/test_properties.py` runs more examples, new ones each time.
"""

from __future__ import annotations

import gc
import os
import re
import resource
import time
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from property_goals import goals
from property_terms import Said, binders, places, term

from lean_gym.datasets.proofs import proof_steps
from lean_gym.datasets.sets import load_theorems
from lean_gym.types import Theorem
from lean_gym.verification.verify import PERMITTED_AXIOMS
from minilean.library import library
from minilean.proof import Problem, ProofError, State, StepOutcome

SETS = [*load_theorems("logic"), *load_theorems("nat")]
EXTRA = goals()
THEOREMS = [*SETS, *EXTRA]
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
    "ext", "conv", "=>", "lhs", "rhs", "enter", "split", "omega", "simp_all", "simp +arith", "subst", "congr",
    "match", "| _ =>", "| 0 => rfl", "| n + 1 =>", "nomatch", "nofun", "⟨rfl, _⟩", "(_ | _)", "-", "xs",
    "xs[0]?", "xs[i]",
    "{", "}", "(h := ?_)", "..", ".inl", ".succ", "exact?", "injections", "next", "iterate 2", "fail_if_success", "≍",
    "Tree", "Vec.cons", "Even", "double", "rank", "Type _", "Sort _", "motive", "using", "generalizing", "(a := 1)",
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
        "omega",
        "split <;> simp_all",
        "subst_vars",
        "ext <;> simp",
        "congr",
        "injections",
        "rcases h with ⟨_, _⟩ | ⟨rfl⟩",
        "obtain ⟨x, rfl⟩ := h",
        "by_cases h : _",
        "if h : 0 = 1 then contradiction else skip",
        "match h with | _ => rfl",
        "conv => lhs; rw [h]",
        "cases h using Nat.rec",
        "exact nomatch h",
        "exact h ▸ rfl",
        "generalize h : _ = x",
        "induction h <;> simp_all",
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
some = settings(search, max_examples=int(_LONGER or 40))
pytestmark = pytest.mark.timeout(110 if _LONGER is None else 0)

snippets = st.one_of(st.sampled_from(TOKENS), st.sampled_from(WORDS), st.sampled_from(LINES), st.characters())


@st.composite
def damaged(draw: st.DrawFn, lines: st.SearchStrategy[str]) -> str:
    """Return a line with up to four tokens removed, replaced or inserted."""
    tokens = TOKEN.findall(draw(lines)) or ["exact"]
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(tokens)))
        width = draw(st.integers(0, 2))
        tokens[place : place + width] = draw(st.sampled_from([[], [" ", draw(snippets), " "]]))
    return "".join(tokens)


# half of the examples are not in the sets: lines of any proof on goals of any kind
theorems = st.one_of(st.sampled_from(SETS), st.sampled_from(EXTRA))
tactics = st.one_of(
    damaged(st.sampled_from(LINES)),
    st.sampled_from(CLOSERS),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join),
)


@cache
def _problem(statement: str, context: str) -> Problem:
    return Problem.from_source(statement, library(), context)


def posed(statement: str, context: str = "") -> Problem:
    """Return a new problem of a theorem; the context is elaborated once."""
    return _problem(statement, context).again()


def attempt(problem: Problem, state: State, tactic: str, seconds: float = 2.0) -> StepOutcome:
    """Run one step; the long search checks that it ends within half a second of its deadline and a bound on memory."""
    if _LONGER is None:
        step = problem.apply(state, tactic, seconds=seconds)
    else:
        # processor time, without other programs' load and without collecting Hypothesis' garbage
        gc.disable()
        start = time.process_time()
        step = problem.apply(state, tactic, seconds=seconds)
        spent = time.process_time() - start
        gc.enable()
        assert spent < seconds + 0.5, tactic
        assert resident_megabytes() < 2_000, tactic
    check_step(problem, state, step)
    return step


def resident_megabytes() -> float:
    """Return the resident memory of this process, or its maximum so far on systems that do not report it."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def check_step(problem: Problem, state: State, step: StepOutcome) -> None:
    """Check the properties of every answer."""
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
    """Return whether the kernel accepts a state; a refused state without goals has a reason."""
    try:
        axioms = problem.check(state)
    except ProofError as error:
        assert str(error)
        return False
    assert not state.goals
    assert set(axioms) <= set(PERMITTED_AXIOMS)
    return True


def negation(theorem: Theorem) -> str:
    """Return the statement that not every instance of `theorem` holds."""
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
    theorem=theorems,
    keep=st.integers(0, 4),
    script=st.lists(tactics, min_size=1, max_size=8),
)
def test_no_script_breaks_anything(theorem: Theorem, keep: int, script: list[str]) -> None:
    problem = posed(theorem.statement, theorem.context)
    state = problem.start()
    for tactic in [*STEPS[theorem.name][:keep], *script]:
        step = attempt(problem, state, tactic)
        state = step.state or state
        if not state.goals:
            break
    accepted(problem, state)


@search
@given(theorem=theorems, script=st.lists(tactics, min_size=1, max_size=8))
def test_the_negation_of_a_theorem_has_no_proof(theorem: Theorem, script: list[str]) -> None:
    problem = posed(negation(theorem), theorem.context)
    state = problem.start()
    for tactic in ["intro h", *script]:
        step = attempt(problem, state, tactic)
        state = step.state or state
        if not state.goals:
            break
    assert not accepted(problem, state)


@search
@given(
    theorem=theorems,
    where=st.integers(0, 6),
    script=st.lists(tactics, min_size=1, max_size=4),
)
def test_a_refused_tactic_leaves_no_trace(theorem: Theorem, where: int, script: list[str]) -> None:
    plain = posed(theorem.statement, theorem.context)
    disturbed = posed(theorem.statement, theorem.context)
    state, other = plain.start(), disturbed.start()
    for number, step_text in enumerate(STEPS[theorem.name]):
        if number == where:
            for tactic in script:
                # accepted or refused: the state it was applied to is the same value afterwards
                attempt(disturbed, other, tactic)
        step, twin = plain.apply(state, step_text), disturbed.apply(other, step_text)
        assert step.state is not None and twin.state is not None
        state, other = step.state, twin.state
        assert plain.goal_texts(state) == disturbed.goal_texts(other)
    assert plain.check(state) == disturbed.check(other)


DECIDERS = ["decide", "simp", "omega", "rfl", "simp_all", "exact of_decide_eq_true rfl", "simp +decide"]
PROVERS = [
    "simp",
    "omega",
    "simp_all",
    "cases xs <;> simp_all",
    "induction xs <;> simp_all",
    "cases b <;> cases c <;> simp_all",
    "split <;> simp_all",
    "cases x <;> simp_all",
    "by_cases k : x < y <;> simp_all <;> omega",
    "simp +arith at *",
    "rcases o with _ | n <;> simp_all",
    "induction x generalizing y <;> simp_all <;> omega",
    "rcases i with n | n <;> simp_all",
    "constructor <;> simp_all",
    "contradiction",
]


def proved(problem: Problem, tactic: str) -> bool:
    """Return whether one tactic proves the whole statement; the kernel must accept the proof."""
    step = attempt(problem, problem.start(), tactic)
    if step.state is None or step.state.goals:
        return False
    problem.check(step.state)
    return True


@some
@given(seed=st.integers(0, 2**40), depth=st.integers(1, 3), tactic=st.sampled_from(DECIDERS))
def test_closed_statements_are_decided_as_python_decides(seed: int, depth: int, tactic: str) -> None:
    said = term(Random(seed), "Prop", depth, closed=True)
    truth = bool(said.value({}))
    for statement, holds in ((said.text, truth), (f"¬{said.text}", not truth)):
        problem = Problem.from_source(f"theorem t : {statement}", library())
        assert not proved(problem, tactic) or holds, statement
        error = problem.apply(problem.start(), "decide", seconds=2.0).error or ""
        assert not (holds and "is false" in error), statement


@some
@given(
    seed=st.integers(0, 2**40),
    depths=st.tuples(st.integers(1, 3), st.integers(0, 2)),
    tactic=st.sampled_from(PROVERS),
)
def test_what_has_a_counterexample_is_not_proved(seed: int, depths: tuple[int, int], tactic: str) -> None:
    random = Random(seed)
    goal = term(random, "Prop", depths[0], closed=False)
    facts: list[Said] = [term(random, "Prop", depths[1], closed=False)] if depths[1] else []
    refuted = any(
        all(fact.value(at) for fact in facts) and not goal.value(at)
        for at in islice(places([goal, *facts]), 2_000)
    )
    given_ = " ".join(f"(h{i} : {fact.text})" for i, fact in enumerate(facts))
    problem = Problem.from_source(f"theorem t {binders()} {given_} : {goal.text}", library())
    assert not (proved(problem, tactic) and refuted), tactic
