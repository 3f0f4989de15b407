"""Attempts to have a false statement accepted, each with the expected refusal, as exact text where it matters."""

from __future__ import annotations

from collections.abc import Sequence

import gymnasium as gym
import pytest

from lean_gym.backends.minilean import MinileanBackend
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from lean_gym.verification.verify import verify_script
from minilean.library import library
from minilean.proof import Problem, ProofError

FALSE = "theorem t : False"
EQUAL = "theorem t (a b : Nat) : a = b"
NO_PLACEHOLDER = "don't know how to synthesize placeholder"
MISMATCH = "Type mismatch"


def run(statement: str, tactics: Sequence[str], context: str = "") -> str:
    """Run every tactic, refused ones without effect; return the last refusal, or that of the finished proof."""
    problem = Problem.from_source(statement, library(), context)
    state = problem.start()
    message = ""
    for tactic in tactics:
        before = problem.goal_texts(state)
        step = problem.apply(state, tactic)
        if step.state is None:
            message = step.error or ""
            assert message and problem.goal_texts(state) == before
        else:
            state = step.state
    if state.goals:
        return message or problem.goal_texts(state)[0]
    with pytest.raises(ProofError) as refusal:
        problem.check(state)
    return str(refusal.value)


HOLES = [
    # every hole is a goal: none of these finishes a proof
    (FALSE, ["exact ?_"], NO_PLACEHOLDER),
    (FALSE, ["exact (?_ : False)"], NO_PLACEHOLDER),
    (FALSE, ["exact False.elim ?_"], NO_PLACEHOLDER),
    (FALSE, ["refine id ?x", "exact ?x"], "occurs-check failure"),
    (FALSE, ["refine id ?x", "have h := ?x"], "the goal occurs in the term"),
    (FALSE, ["refine ?x", "case x => exact ?x"], NO_PLACEHOLDER),
    (FALSE, ["refine ?x", "case x => refine ?x"], "unsolved goals"),
    (FALSE, ["have h : False := ?x", "exact h"], "case x\n⊢ False"),
    (FALSE, ["have := ?_", "exact this"], "case refine_1\n⊢ False"),
    (FALSE, ["exact by refine ?_"], "unsolved goals"),
    (FALSE, ["exact by skip"], "unsolved goals"),
    (FALSE, ["· skip"], "unsolved goals"),
    (FALSE, ["suffices h : 1 = 2 from absurd h (by decide)"], "⊢ 1 = 2"),
    (FALSE, ["suffices h : False from h"], "⊢ False"),
    (FALSE, ["obtain ⟨x, hx⟩ : ∃ x : Nat, x ≠ x := ⟨0, ?_⟩", "exact hx rfl"], "⊢ 0 ≠ 0"),
    (FALSE, ["obtain ⟨x, hx⟩ : ∃ x : Nat, x ≠ x := ⟨?_, ?_⟩", "exact hx rfl"], "⊢ Nat"),
    (FALSE, ["exact Classical.byContradiction fun h => h ?_"], NO_PLACEHOLDER),
    (FALSE, ["exact cast (propext ?_) True.intro"], NO_PLACEHOLDER),
    (EQUAL, ["calc a = b := ?_"], "⊢ a = b"),
    (EQUAL, ["calc a = ?x := ?_\n _ = b := ?_", "all_goals (try rfl)"], "case x"),
    (EQUAL, ["apply Eq.trans", "all_goals (try rfl)"], "⊢ a = b"),
    (EQUAL, ["refine Eq.trans (b := ?x) ?_ ?_", "all_goals (try rfl)"], "case x"),
    ("theorem t (p q : Prop) (h : p) : p ∧ q", ["refine ⟨?a, ?a⟩"], MISMATCH),
    ("theorem t (p q : Prop) : (q → q) ∧ q", ["refine ⟨fun h => ?a, ?a⟩"], "incompatible local context"),
    ("theorem t (h : ∀ n : Nat, n = 1 → False) : False", ["specialize h ?_ rfl", "exact h"], "mismatch"),
    ("theorem t (α : Type) (h : α → False) : False", ["apply h", "assumption"], "`assumption` failed"),
    ("theorem t (α : Type) : ∃ x : α, x = x", ["constructor", "rfl"], "case w"),
    ("theorem t (α : Type) : ∃ x : α, x = x", ["refine' ⟨_, _⟩", "rfl"], "⊢ α"),
]

CLAIMS = [
    (FALSE, ["show True"], "'show' tactic failed"),
    (FALSE, ["change True"], "'change' tactic failed"),
    (FALSE, ["exact (True.intro : False)"], MISMATCH),
    (FALSE, ["exact @id False True.intro"], "type mismatch"),
    (FALSE, ["exact show True from True.intro"], MISMATCH),
    (FALSE, ["have : False := True.intro"], MISMATCH),
    (FALSE, ["exact of_decide_eq_true (p := False) rfl"], "type mismatch"),
    (FALSE, ["exact (rfl : True = False) ▸ True.intro"], MISMATCH),
    (FALSE, ["exact Inhabited.default"], "Inhabited False"),
    (FALSE, ["infer_instance"], "failed to synthesize"),
    (FALSE, ["exact t"], "Unknown identifier `t`"),
    (FALSE, ["exact sorryAx False"], "Unknown identifier"),
    (FALSE, ["theorem cheat : False := cheat"], "expected tactic"),
    ("theorem t : (1000000000 : Nat) ≤ 3", ["decide"], "is false"),
    ("theorem t : (10 : Nat) ^ 1000 = 10 ^ 1000 + 1", ["decide"], "is false"),
    ("theorem t : (Nat → Prop) = Prop", ["rfl"], "not definitionally equal"),
    ("theorem t : ∀ p : Prop, p", ["intro p", "trivial"], "failed"),
    ("theorem t (p : Prop) : p", ["by_cases h : p", "exact h", "exact h"], MISMATCH),
    ("theorem t (False : Prop) (h : False) : 1 = 2", ["cases h"], "inductive"),
    ("theorem t (False : Prop) (h : False) : 1 = 2", ["exact h.elim"], "field"),
    ("theorem t (And : Prop → Prop → Prop) (h : And True True) : 1 = 2", ["cases h"], "inductive"),
    ("theorem t (p : Prop) (h : p) : ¬p", ["intro x✝", "exact x✝"], "token"),
    ("theorem t (p q : Prop) (h : p ∨ q) : p", ["rcases h with h | h", "exact h", "exact h"], MISMATCH),
    ("theorem t (a b : Nat) (h : a ≤ b) : b ≤ a", ["cases h", "rfl"], "⊢"),
    ("theorem t (a b : Nat) (h : a = a + b) : b = 1", ["subst h"], "subst"),
    ("theorem t (n : Nat) : n = 0", ["injection (rfl : n + 1 = n + 1)", "rfl"], "not definitionally equal"),
    ("theorem t (n : Nat) : n = 0", ["cases n", "rfl", "rfl"], "not definitionally equal"),
    ("theorem t (n : Nat) : n = 0", ["induction n", "rfl", "assumption"], "`assumption` failed"),
    (EQUAL, ["calc a = a := rfl\n _ = b := rfl"], MISMATCH),
    (EQUAL, ["calc b = a := ?_"], "invalid 'calc' step"),
    (EQUAL, ["calc a ≤ b := ?_"], "but is expected to have type\n  a = b"),
]

UNIVERSES = [
    # a proof may not be eliminated into data, and a universe is not its own member
    ("theorem t (h : ∃ n : Nat, n = 3) : False", ["let k : Nat := by cases h; assumption"], "eliminate into"),
    (
        "theorem t (p q : Prop) (h : p ∨ q) : False",
        ["let k : Nat := by cases h; exact 0; exact 1"],
        "eliminate",
    ),
    ("theorem t (h : ∃ n : Nat, n = 3) : False", ["let k : Nat := h.1"], "Invalid projection"),
    (FALSE, ["have h : (Type : Type) = Type := rfl"], MISMATCH),
    (FALSE, ["let T : Type := Type"], MISMATCH),
    (FALSE, ["exact (fun X : Type => X) Type"], "type mismatch"),
]


@pytest.mark.parametrize(("statement", "tactics", "refusal"), HOLES + CLAIMS + UNIVERSES)
def test_a_false_statement_is_refused(statement: str, tactics: list[str], refusal: str) -> None:
    message = run(statement, tactics)
    assert refusal in message
    assert "internal" not in message


CONTEXTS = [
    ("axiom cheat : False", "new axioms are refused"),
    ("theorem cheat : False := cheat", "fail to show termination"),
    ("def cheat (n : Nat) : False := cheat n", "fail to show termination"),
    ("partial def cheat (n : Nat) : False := cheat n", "cheat"),
    ("theorem cheat : (1 : Nat) = 2 := by sorry", "`sorry` is refused"),
    ("theorem cheat : (1 : Nat) = 2 := by native_decide", "`native_decide` is refused"),
    ("def Nat.add (a b : Nat) : Nat := a", "already been declared"),
    ("inductive False : Prop where | mk", "already been declared"),
    ("instance : Add Nat := ⟨fun _ _ => 0⟩", "already been declared"),
    ("opaque cheat : False", "Inhabited"),
    ("set_option debug.skipKernelTC true", "unsupported"),
    ("set_option no.such.option 1", "unknown option"),
    ("inductive Bad : Type where | mk (f : Bad → False) : Bad", "non positive"),
    ("inductive Big : Type where | mk (α : Type) : Big", "not less than or equal"),
    ("structure S where\n  x : ?a", "Failed to infer type of field `x`"),
    ("def f (n : Nat) : Nat := ?_", NO_PLACEHOLDER),
]


@pytest.mark.parametrize(("context", "refusal"), CONTEXTS)
def test_a_context_smuggles_nothing_in(context: str, refusal: str) -> None:
    with pytest.raises(DataError, match=r"theorem 't' does not elaborate") as error:
        MinileanBackend().start(Theorem("t", FALSE, context=context))
    assert refusal in str(error.value)


@pytest.mark.parametrize(
    ("block", "refusal"),
    [
        ("sorry", "`sorry` is refused"),
        ("native_decide", "`native_decide` is refused"),
        ("exact t", "Unknown identifier"),
        ("exact win", "Unknown identifier"),
        ("first | sorry | rfl", "Tactic `rfl` failed"),
    ],
)
def test_a_macro_of_the_context_does_what_its_block_may(block: str, refusal: str) -> None:
    problem = Problem.from_source(FALSE, library(), f'macro "win" : tactic => `(tactic| {block})')
    step = problem.apply(problem.start(), "win")
    assert step.state is None
    assert refusal in (step.error or "")


@pytest.mark.parametrize(
    "statement",
    [
        "theorem t : ?p",
        "theorem t (a b : Nat) : a + ?_ = a + b",
        "theorem t : Nat",
        "theorem t : True := True.intro",
        "theorem t : True\naxiom cheat : False",
    ],
)
def test_a_statement_is_a_closed_proposition(statement: str) -> None:
    with pytest.raises(ProofError):
        Problem.from_source(statement, library())


def test_a_local_instance_serves_its_own_theorem_only() -> None:
    lucky = Problem.from_source("theorem t [i : Nonempty False] : Nonempty False", library())
    assert lucky.apply(lucky.start(), "infer_instance").error is None
    other = Problem.from_source("theorem t : Nonempty False", library())
    assert "failed to synthesize" in (other.apply(other.start(), "infer_instance").error or "")


def test_no_reward_without_a_proof() -> None:
    tricks = ["exact ?_", "sorry", "show True", "constructor", "skip", "decide", "trivial", "\ud800", ""]
    env = gym.make("LeanProof-v0", theorems=[FALSE], backend="minilean", max_steps=len(tricks))
    try:
        env.reset(seed=0)
        for trick in tricks:
            _, reward, terminated, _, info = env.step(trick)
            assert float(reward) <= 0.0
            assert not terminated
            assert not info["is_success"]
    finally:
        env.close()


def test_a_script_is_judged_by_its_replay() -> None:
    backend = MinileanBackend()
    swap = Theorem("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p")
    assert backend.verify(swap, ["exact ⟨h.2, h.1⟩"]).proved
    assert "step 1 fails" in backend.verify(swap, ["exact h"]).reason
    assert "1 goals are left" in backend.verify(swap, ["constructor", "exact h.2"]).reason
    assert "goals are left" in backend.verify(swap, []).reason
    em = Theorem("em", "theorem em (p : Prop) : p ∨ ¬p")
    assert verify_script(backend, em, ["exact Classical.em p"]).proved
    refused = verify_script(backend, em, ["exact Classical.em p"], permitted_axioms=())
    assert not refused.proved
    assert "Classical.choice" in refused.reason


@pytest.mark.parametrize(
    ("statement", "context"),
    [
        ("theorem Nat.add_comm (a b : Nat) : a + b = b + a", ""),
        ("theorem given (p : Prop) (h : p) : p", "theorem given (p : Prop) (h : p) : p := h"),
        ("theorem given : True", "namespace N\ntheorem given : True := trivial"),
    ],
)
def test_a_name_that_is_taken_proves_nothing(statement: str, context: str) -> None:
    with pytest.raises(ProofError, match="has already been declared"):
        Problem.from_source(statement, library(), context)


@pytest.mark.parametrize(
    "tactic", ["cases h", "contradiction", "simp at h", "omega", "nomatch h", "exact absurd h (by decide)"]
)
def test_a_numeral_means_what_the_users_instance_says(tactic: str) -> None:
    """With an arbitrary instance as a hypothesis, 5 may be 6."""
    problem = Problem.from_source("theorem t [OfNat Nat 5] (h : (5 : Nat) = 6) : False", library())
    step = problem.apply(problem.start(), tactic)
    assert step.state is None, tactic
