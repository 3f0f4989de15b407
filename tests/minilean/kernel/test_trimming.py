"""The tables of shared terms may be emptied at any time: no goal, message or verdict depends on it."""

from __future__ import annotations

import random
import re

import pytest
from property_goals import goals

from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.types import Theorem
from minilean import proof
from minilean.kernel.expr import (
    APPS,
    LAMS,
    LETS,
    PIS,
    PROJS,
    mk_app,
    mk_bvar,
    mk_const,
    mk_fvar,
    mk_lam,
    mk_let,
    mk_mvar,
    mk_pi,
    mk_proj,
    mk_sort,
)  # fmt: skip
from minilean.kernel.interning import fresh_id, growth, keep_tables, table_size, trim_tables
from minilean.kernel.level import ZERO, drop_unheld, forget_level_mvars, mk_level_mvar, mk_max, mk_succ
from minilean.library import library
from minilean.proof import Problem
from minilean.repl.server import execute, new_session


@pytest.fixture(autouse=True, scope="module")
def _only_own_terms() -> None:
    """Let trimming pass over what other tests left in this process: these tests trim before every tactic."""
    trim_tables()
    keep_tables()


def transcript(theorem: Theorem, problem: Problem | None = None) -> list[object]:
    """Goals or message after every step, and the axioms of the finished proof."""
    problem = problem or Problem.from_source(theorem.statement, library(), theorem.context)
    state, seen = problem.start(), list[object]()
    for tactic in proof_steps(theorem.proof):
        step = problem.apply(state, tactic)
        state = step.state or state
        seen.append(step.error or problem.goal_texts(state))
    return [*seen, problem.check(state)]


@pytest.mark.parametrize("every", [9, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["logic", "nat"])
def test_proofs_run_alike_however_often_the_tables_are_emptied(
    name: str, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    theorems = [one for one in load_theorems(name) if one.proof][::every]
    plain = [transcript(theorem) for theorem in theorems]
    monkeypatch.setattr(proof, "MAX_TERMS", 0)
    for theorem, expected in zip(theorems, plain, strict=True):
        assert transcript(theorem) == expected, theorem.name


MENU = (
    "rw [h]", "rw [← h]", "rw [h] at h2", "rw [hp]", "rw [Nat.add_comm]", "rw [ih]", "rw [Nat.mul_comm n]", "simp [h]",
    "simp at h", "simp only [Nat.add_zero] at *", "cases h", "cases n", "induction n", "induction xs", "constructor",
    "exact h", "exact h n", "exact ⟨h, h⟩", "apply h", "apply Nat.le_trans", "refine ⟨?_, ?_⟩", "refine h ?x ?y",
    "generalize n = k", "generalize h : n + 1 = k", "conv => lhs; rw [h]", "omega", "decide", "rfl", "subst h",
    "specialize h n", "obtain ⟨a, b⟩ := h", "left", "exists n", "unfold double", "split", "injection h with h1",
    "intro h", "intro n h", "revert n", "exact absurd h h", "contradiction", "congr", "funext x", "exact fun x => x",
)  # fmt: skip


def wander(problem: Problem, draw: random.Random, steps: int = 12) -> list[str]:
    """Goals or message after each tactic, drawn at random from the menu and the names in the goal."""
    state, seen = problem.start(), list[str]()
    for _ in range(steps):
        shown = "\n".join(problem.goal_texts(state))
        names = re.findall(r"^(\w+)\b.* :", shown, re.MULTILINE) or ["h"]
        tactic = (
            re.sub(r"\bh\b", draw.choice(names), draw.choice(MENU))
            if draw.random() < 0.7
            else draw.choice(MENU)
        )
        step = problem.apply(state, tactic)
        state = step.state or state
        seen.append(f"{tactic}: {step.error or problem.goal_texts(state)}")
        if not state.goals:
            break
    # metavariables are named by increasing numbers
    return [re.sub(r"\?[a-z]?[._]\d+", "?", line) for line in seen]


def test_refusals_and_messages_do_not_depend_on_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of these tactics fail: they must fail with the same message whatever the tables hold."""
    theorems = [*load_theorems("logic")[::60], *load_theorems("nat")[::60], *goals()[::8]]
    refused = 0
    for number, theorem in enumerate(theorems):
        problem = Problem.from_source(theorem.statement, library(), theorem.context)
        plain = wander(problem.again(), random.Random(number))
        with monkeypatch.context() as patch:
            patch.setattr(proof, "MAX_TERMS", 0)
            assert wander(problem.again(), random.Random(number)) == plain, theorem.name
        trim_tables()
        forget_level_mvars()
        assert wander(problem.again(), random.Random(number)) == plain, theorem.name
        refused += sum("[" not in line.partition(": ")[2][:1] for line in plain)
    assert refused > 3 * len(theorems)


def test_rewriting_asks_for_an_occurrence() -> None:
    """A term that was rebuilt without a change is not an occurrence."""
    statement = "theorem t (p : Nat → Prop) (a b c : Nat) (h : a = b) (k : p c) : p c ∧ p c"
    problem = Problem.from_source(statement, library())
    state = problem.start()
    trim_tables()
    assert "Did not find an occurrence" in (problem.apply(state, "rw [h]").error or "")


def test_declarations_of_a_context_survive_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """`omega` and other tactics compare constants by identity, so constants stay while anything refers to them."""
    for theorem in goals()[1::6]:
        problem = Problem.from_source(theorem.statement, library(), theorem.context)
        with monkeypatch.context() as patch:
            plain = transcript(theorem, problem.again())
            patch.setattr(proof, "MAX_TERMS", 0)
            for _ in range(2):
                assert transcript(theorem, problem.again()) == plain, theorem.name


FILE = "@[simp] theorem t (n : Nat) : n + 0 = n := by simp\n#print axioms t"
COMMANDS = (
    ("frontend.process", {"file": FILE, "inheritEnv": True}),
    ("frontend.distil", {"file": "theorem s (n : Nat) (h : n = 1) : n + 0 = 1 := by sorry"}),
    ("goal.start", {"expr": "∀ n : Nat, n + 0 = n ∧ True"}),
    ("goal.tactic", {"stateId": 0, "tactic": "simp [h]"}),
    ("goal.tactic", {"stateId": 1, "tactic": "refine fun n => ⟨?left, ?right⟩"}),
    ("goal.tactic", {"stateId": 2, "tactic": "exact t n"}),
    ("goal.tactic", {"stateId": 3, "tactic": "trivial"}),
    ("goal.print", {"stateId": 4, "rootExpr": True}),
    ("env.inspect", {"name": "t", "value": True}),
    ("expr.echo", {"expr": "fun n : Nat => t n"}),
)  # fmt: skip


def _answers() -> list[object]:
    session = new_session()
    # metavariables are named by increasing numbers
    return [
        re.sub(r"_uniq\.\d+|\?m?\.\d+", "_", str(execute(session, name, fields))) for name, fields in COMMANDS
    ]


def test_a_session_of_the_repl_runs_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = _answers()
    monkeypatch.setattr(proof, "MAX_TERMS", 0)
    assert _answers() == plain
    assert not any(str(answer).startswith("{'error'") for answer in plain)


def test_a_session_that_runs_no_tactics_keeps_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of a file makes terms too: the tables must not grow with the number of files."""
    session = new_session()
    monkeypatch.setattr(proof, "MAX_TERMS", 20_000)
    for number in range(6):
        file = f"theorem t{number} (n : Nat) : n + 0 = n := by simp"
        assert "units" in execute(session, "frontend.process", {"file": file})
        assert growth() < 40_000


def test_a_metavariable_is_found_in_a_term_after_the_tables_were_emptied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proof, "MAX_TERMS", 0)
    problem = Problem.from_source("theorem t : False", library())
    step = problem.apply(problem.start(), "refine id ?x")
    assert step.state is not None
    assert "occurs-check failure" in (problem.apply(step.state, "exact ?x").error or "")


def test_a_held_term_stays_the_one_of_its_structure() -> None:
    x, level = mk_fvar(fresh_id()), mk_level_mvar(fresh_id())

    def make() -> tuple[object, ...]:
        app = mk_app(mk_const("Nat.succ"), mk_lam("y", mk_const("Nat"), mk_app(x, mk_bvar(0))))
        return mk_let("z", mk_const("Nat"), app, mk_bvar(0)), mk_sort(
            mk_max(mk_succ(level), mk_level_mvar(level.id))
        )

    held = make()
    before = table_size()
    mk_app(mk_app(x, x), mk_app(mk_app(x, x), x))
    trim_tables()
    forget_level_mvars()
    assert all(new is old for new, old in zip(make(), held, strict=True))
    assert table_size() <= before


TABLES = (APPS, LAMS, PIS, LETS, PROJS)


def _trim_by_sweeps(kept: list[int]) -> None:
    """Sweep all tables until nothing is dropped: the plain way to the same tables."""
    dropped = True
    while dropped:
        sweeps = [drop_unheld(table, list(table)[n:]) for table, n in zip(TABLES, kept, strict=True)]
        dropped = any(sweeps)


def test_all_terms_are_dropped_that_repeated_sweeps_drop() -> None:
    """Each term is part of the next, the kinds by turns, so that a sweep over the tables drops one or few of them."""
    trim_tables()
    kept, draw = [len(table) for table in TABLES], random.Random(0)
    made = [mk_app(mk_fvar(fresh_id()), mk_fvar(fresh_id()))]
    for number in range(400):
        part, other = made[-1], draw.choice(made)
        made.append(
            draw.choice(
                [
                    lambda part=part, other=other: mk_app(part, other),
                    lambda part=part, other=other: mk_app(other, part),
                    lambda part=part: mk_lam("x", mk_sort(mk_succ(ZERO)), part),
                    lambda part=part, other=other: mk_pi("x", other, part),
                    lambda part=part, other=other: mk_let("x", other, other, part),
                    lambda part=part, number=number: mk_proj("And", number, part),
                ]
            )()
        )
    held = made[150]
    del made, part, other
    trim_tables()
    left = table_size()
    _trim_by_sweeps(kept)
    assert table_size() == left
    assert 0 < left - sum(kept) <= 151  # `held` and its parts
    del held
    trim_tables()
    assert table_size() == sum(kept)


def test_what_is_held_stays_the_one_of_its_number() -> None:
    variable, hole, level = fresh_id(), fresh_id(), fresh_id()
    held = (mk_fvar(variable), mk_mvar(hole), mk_level_mvar(level))
    inside = mk_app(mk_fvar(fresh_id()), mk_mvar(fresh_id()))
    above = mk_succ(mk_level_mvar(fresh_id()))
    trim_tables()
    forget_level_mvars()
    assert held[0] is mk_fvar(variable)
    assert held[1] is mk_mvar(hole)
    assert held[2] is mk_level_mvar(level)
    assert inside.fn is mk_fvar(inside.fn.id)
    assert inside.arg is mk_mvar(inside.arg.id)
    assert above.of is mk_level_mvar(above.of.id)
