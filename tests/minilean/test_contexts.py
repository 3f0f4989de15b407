"""A context is run once for all of its statements, which do not affect each other."""

from __future__ import annotations

import pytest

from lean_gym.backends import minilean
from lean_gym.backends.minilean import MinileanBackend
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from minilean import proof
from minilean.library import library
from minilean.proof import Context, Problem, ProofError, State

COMMANDS = """
inductive Tree where
  | leaf : Tree
  | node : Tree → Tree → Tree
def Tree.size : Tree → Nat
  | leaf => 1
  | node l r => l.size + r.size
section Inner
variable (s t : Tree)
open Tree
attribute [local simp] Tree.size
"""
STATEMENTS = (
    "theorem a : (node s t).size = s.size + t.size",
    "theorem b : leaf.size = 1",
    "theorem c {n : Nat} (h : n = s.size) : s.size = n",
    "theorem d (x : α) : x = x",
    "example : (node leaf t).size = 1 + t.size",
)


def _shown(problem: Problem, *tactics: str) -> list[object]:
    state = problem.start()
    shown: list[object] = [problem.goal_texts(state)]
    for tactic in tactics:
        step = problem.apply(state, tactic)
        shown.append(step.error)
        if step.state is None:
            break
        state = step.state
        shown.append(problem.goal_texts(state))
    return shown


def test_each_statement_is_what_it_is_alone() -> None:
    alone = [Problem.from_source(statement, library(), COMMANDS) for statement in STATEMENTS]
    tactics = ("simp", "simp at h", "cases t", "exact h.symm")
    expected = [[_shown(problem, tactic) for tactic in tactics] for problem in alone]
    context = Context(library(), COMMANDS)
    for order in (1, -1):
        for statement, problem, shown in list(zip(STATEMENTS, alone, expected, strict=True))[::order]:
            shared = context.problem(statement)
            assert shared.signature == problem.signature
            assert [_shown(shared, tactic) for tactic in tactics] == shown


def test_nothing_that_was_proved_is_known_to_the_next() -> None:
    context = Context(library(), COMMANDS)
    names = set(context.problem(STATEMENTS[1])._kernel)
    first = context.problem("theorem one (p : Prop) (h : p ∨ p) : p")
    state: State | None = first.start()
    for tactic in ("have two : p := match h with | .inl h => h | .inr h => h", "exact two"):
        assert state is not None
        state = first.apply(state, tactic).state
    assert state is not None
    assert first.check(state) == ()
    second = context.problem("theorem three (p : Prop) (h : p ∨ p) : p")
    for tactic in ("exact one p h", "exact two", "exact three p h"):
        assert second.apply(second.start(), tactic).error is not None
    assert set(second._kernel) == names == set(context.problem("theorem one : True")._kernel)


def test_a_name_that_the_context_has_is_taken_each_time() -> None:
    context = Context(library(), "theorem one : True := trivial")
    for _ in range(2):
        with pytest.raises(ProofError, match="`one` has already been declared"):
            context.problem("theorem one : True")
    assert _shown(context.problem("theorem two : True"), "exact one") == [["⊢ True"], None, []]


def test_a_bad_context_and_a_bad_statement_are_bad_each_time() -> None:
    backend = MinileanBackend()
    good = Theorem("t", "theorem t : two = 2", context="def two := 2")
    for _ in range(2):
        with pytest.raises(DataError, match="theorem 't' does not elaborate"):
            backend.start(Theorem("t", "theorem t : True", context="def two : Nat := true"))
        with pytest.raises(DataError, match="theorem 'u' does not elaborate"):
            backend.start(Theorem("u", "theorem u : two", context="def two := 2"))
        assert backend.start(good).text == "⊢ two = 2"
    assert backend.verify(good, ["rfl"]).proved


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "MAX_HEADERS", 2)
    monkeypatch.setattr(minilean, "MAX_CONTEXTS", 2)
    monkeypatch.setattr(minilean, "MAX_PROBLEMS", 2)
    backend = MinileanBackend()
    theorems = [
        Theorem("t", f"theorem t : {n} = {n}", context=f"def c{k} := {k}") for k in range(3) for n in range(3)
    ]
    for _ in range(2):
        for theorem in theorems:
            assert backend.start(theorem).text == f"⊢ {theorem.statement[-1]} = {theorem.statement[-1]}"
            assert backend.verify(theorem, ["rfl"]).proved
    assert len(backend._contexts) == len(backend._problems) == 2
    assert all(len(context._headers) == 2 for context in backend._contexts.values())


def test_a_context_makes_what_its_commands_mention() -> None:
    commands = """
def f : Nat → Nat
  | 0 => 0
  | n + 1 => f n
theorem u : f 3 = 0 := by
  have := @f.induct
  have := fun (h : true = false) => (Bool.noConfusion h : False)
  rfl
"""
    step = Problem.from_source("theorem t : f 3 = 0", library(), commands)
    shown = _shown(step, "have := @f.induct", "exact u")
    assert shown[-1] == []
