"""More attempts to prove a false statement: whole files, wrong instances, incomplete proofs, random arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random

import gymnasium as gym
import pytest

from minilean.check_command import check_text
from minilean.library import library
from minilean.proof import Problem, ProofError

FILES = [
    # substitutes for a proof
    ("theorem t : False := sorry", "`sorry` is refused"),
    ("theorem t : False := by\n  have h : False := by admit\n  exact h", "`admit` is refused"),
    ("theorem t : False := by\n  first | trivial | sorry", "`sorry` is refused"),
    ("def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => f n\n  | 0 => sorry\ntheorem t : False := f", "refused"),
    ("instance : Inhabited False := ⟨sorry⟩\ntheorem t : False := default", "`sorry` is refused"),
    ("theorem t : False := nomatch (0 : Nat)", "Missing cases"),
    ("theorem t (n : Nat) : False := nomatch n", "Missing cases"),
    ("theorem t (n : Nat) : n = 0 := match n with | 0 => rfl", "Missing cases"),
    ("theorem t (n : Nat) : n = 0 := by\n  cases n with\n  | zero => rfl", "Alternative `succ`"),
    ("theorem t (n : Nat) : n = 0 := by\n  induction n using Nat.rec with\n  | zero => rfl", "Alternative `succ`"),
    ("theorem t : False := @t", "structural recursion"),
    ("namespace A\ntheorem t : False := A.t\nend A\ntheorem t : False := A.t", "structural recursion"),
    ("theorem t : False := let rec f (n : Nat) : False := f n; f 0", "structural recursion"),
    # notations and tactics of the file itself
    ('macro "win" : tactic => `(tactic| exact True.intro)\ntheorem t : False := by win', "Type mismatch"),
    ('macro "exact" : tactic => `(tactic| trivial)\ntheorem t : False := by exact', "`assumption` failed"),
    ('macro "again" : tactic => `(tactic| again)\ntheorem t : False := by again', "unknown tactic"),
    (
        'syntax "w" : tactic\nmacro_rules | `(tactic| w) => `(tactic| exact True.intro)\n'
        "theorem t : False := by w",
        "Type mismatch",
    ),
    (
        'syntax "exact" : tactic\nmacro_rules | `(tactic| exact) => `(tactic| skip)\n'
        "theorem t : False := by exact",
        "unsolved goals",
    ),
    ("theorem t : False := by\n  let rec f (n : Nat) : False := f n\n  exact f 0", "structural recursion"),
    ("def f : Char → Bool | 'a' => true | _ => false\ntheorem t : f 'b' = true := rfl", "mismatch"),
    ("class inductive C : Prop where | no (h : False) : C\ninstance : C := .no trivial", "mismatch"),
    ('infixl:50 " = " => fun a b => True\ntheorem t : 1 = 2 := True.intro', "Type mismatch"),
    ('notation "two" => 1\ntheorem t : 1 = 2 := (rfl : 1 = two)', "Type mismatch"),
    # a proof eliminated into data
    (
        "inductive T : Prop where | a | b\ndef f : T → Nat | .a => 0 | .b => 1\n"
        "theorem t : (0 : Nat) = 1 := congrArg f (rfl : T.a = T.b)",
        "eliminate into `Prop`",
    ),
    ("inductive T : Prop where | mk (n : Nat)\ndef f : T → Nat | .mk n => n", "eliminate into `Prop`"),
    ("structure T : Prop where\n  n : Nat", "failed to generate projection"),
    (
        "inductive I : Nat → Prop where | mk (n : Nat) : I (n * 0)\n"
        "def f : (n : Nat) → I n → Nat | _, .mk n => n",
        "eliminate into `Prop`",
    ),
    ("theorem t (h : ∃ n : Nat, n = n) : h.1 = 0 := rfl", "rojection"),
    ("def f (h : Nonempty Nat) : Nat := match h with | ⟨n⟩ => n", "eliminate into `Prop`"),
    ("theorem t (p q : Prop) (a : p) (b : q) (h : (Or.inl a : p ∨ q) = .inr b) : False := nomatch h", "Missing cases"),
    # positivity, also below functions, parameters and other types
    ("inductive B : Type | mk : (Nat → B → B) → B", "non positive"),
    ("inductive B : Type | mk : ((B → Nat) → Nat) → B", "non positive"),
    ("def N (a : Type) := a → False\ninductive B : Type | mk : N B → B", "(kernel)"),
    ("inductive W (α : Type) : Type | mk : (α → False) → W α\ninductive B : Type | mk : W B → B", "nested"),
    ("inductive B (α : Type) : Type 1 | nil : B α | cons : B (α × α) → B α", "Mismatched inductive type parameter"),
    # universes
    ("theorem t.{u, v} : Sort (imax u v) = Sort (max u v) := rfl", "Type mismatch"),
    ("theorem t.{u, v} : Sort (imax u v) = Sort (imax v u) := rfl", "Type mismatch"),
    ("theorem t.{u} : Sort u = Prop := rfl", "Type mismatch"),
    ("inductive I.{u} (α : Sort u) : Sort u where | mk (x : α) (n : Nat)", "universe polymorphic"),
    ("inductive I : Type where | mk (α : Type) (a : α)", "not less than or equal"),
    # an instance is only a name for its value
    ("instance : Decidable False := isTrue (by decide)\ntheorem t : False := by decide", "`decide` proved"),
    (
        "def lie : Decidable False := isTrue trivial\n"
        "theorem t : False := of_decide_eq_true (inst := lie) rfl",
        "mismatch",
    ),
    ("attribute [instance] Classical.propDecidable\ntheorem t : (1 : Nat) = 2 := by decide", "did not reduce"),
    ("attribute [class] Nat\nattribute [instance] Nat.zero\ntheorem t : (1 : Nat) = 0 := inferInstance", "failed"),
    ("instance odd : BEq Nat := ⟨fun _ _ => true⟩\nexample : 1 = 2 := by decide", "is false"),
    # variables are hypotheses only if the statement mentions them
    ("variable (h : False)\ntheorem t : 1 = 2 := h.elim", "error"),
    ("variable (n : Nat) (h : n ≠ n)\ntheorem t : n = n + 1 := absurd rfl h", "error"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "refusal"), FILES)
def test_a_file_that_proves_nothing(text: str, refusal: str) -> None:
    env = library().child()
    messages = check_text(text, env)
    errors = [message.text for message in messages if message.severity == "error"]
    assert errors
    assert refusal == "error" or any(refusal in error for error in errors), errors
    assert not any("internal" in error for error in errors)
    assert env.find("t") is None


LIES = [
    # instances of the theorem itself, which automation must not confuse with the usual ones
    ("theorem t [LT Nat] (a b : Nat) (h : a < b) : ¬b < a", "omega"),
    ("theorem t [LE Nat] (n : Nat) : n ≤ n", "omega"),
    ("theorem t [LE Nat] (n : Nat) : n ≤ n", "rfl"),
    ("theorem t [LE Nat] (n : Nat) : n ≤ n", "exact Nat.le_refl n"),
    ("theorem t [LE Nat] (n : Nat) : n ≤ n", "conv => rhs; whnf"),
    ("theorem t [LE Nat] (a b : Nat) (h : a ≤ b) (k : b ≤ a) : a = b", "omega"),
    ("theorem t [Add Nat] (a b : Nat) : a + b = b + a", "omega"),
    ("theorem t [HAdd Nat Nat Nat] (a b : Nat) (h : a + 1 = b + 1) : a = b", "omega"),
    ("theorem t [HAdd Nat Nat Nat] (a b : Nat) (h : a + 1 = b + 1) : a = b", "injection h"),
    ("theorem t [HAdd Nat Nat Nat] (n : Nat) (h : n + 4 = 0) : False", "cases h"),
    ("theorem t [HAdd Nat Nat Nat] : (5 : Nat) + 4 = 9", "decide"),
    ("theorem t [HMul Nat Nat Nat] (n : Nat) : n * 0 = 0", "omega"),
    ("theorem t [HDiv Nat Nat Nat] (n : Nat) : n / 1 = n", "omega"),
    ("theorem t [HMod Nat Nat Nat] (n : Nat) : n % 1 = 0", "omega"),
    ("theorem t [HSub Nat Nat Nat] (n : Nat) : n - n = 0", "omega"),
    ("theorem t [OfNat Nat 5] (n : Nat) : n + 5 ≠ n", "omega"),
    ("theorem t [OfNat Nat 5] (n : Nat) : n + 5 ≠ n", "simp"),
    ("theorem t [OfNat Nat 5] (n : Nat) : n + 5 ≠ n", "nofun"),
    ("theorem t [OfNat Nat 0] (n : Nat) (h : n = 0) : n * 0 = 0", "simp_all"),
    ("theorem t [BEq Nat] : (1 == 2) = false", "decide"),
    ("theorem t [Decidable False] : False", "decide"),
    ("theorem t : False", "let i : LT Nat := ⟨fun _ _ => True⟩; have h : 1 < 0 := True.intro; omega"),
    ("theorem t : False", "let i : HAdd Nat Nat Nat := ⟨fun _ _ => 0⟩; have h : 1 + 1 = 0 := rfl; omega"),
    ("theorem t : False", "let i : HAdd Nat Nat Nat := ⟨fun _ _ => 0⟩; have h : 1 + 1 = 0 := rfl; simp at h"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "script"), LIES)
def test_a_lying_instance_earns_nothing(statement: str, script: str) -> None:
    problem = Problem.from_source(statement, library())
    step = problem.apply(problem.start(), script)
    if step.state is None:
        assert step.error
        assert "internal" not in step.error
    else:
        with pytest.raises(ProofError):
            problem.check(step.state)


def test_a_claim_that_the_kernel_refuses_is_no_success() -> None:
    env = gym.make("lean_gym:LeanProof-v0", theorems=[LIES[0][0]], backend="minilean", max_steps=2)
    try:
        env.reset(seed=0)
        _, reward, _, _, info = env.step("omega")
        assert float(reward) <= 0.0
        assert not info["is_success"]
    finally:
        env.close()


CUT_SHORT = [
    ("theorem t (a b : Nat) (h : a < b) : ¬b ≤ a", "omega"),
    ("theorem t (l : List Nat) : l ++ [] = l", "simp"),
    ("theorem t (p q : Prop) (h : p ∧ q) : q ∧ p", "exact ⟨h.2, h.1⟩"),
    ("theorem t (n : Nat) : n * 0 = 0 ∧ n + 0 = n", "constructor <;> simp"),
    ("theorem t : (if (1 : Nat) = 1 then 1 else 2) = 1", "decide"),
    (
        "theorem t (n : Nat) : 0 + n = n",
        "induction n with\n| zero => rfl\n| succ n ih => rw [← Nat.add_assoc, ih]",
    ),
    ("theorem t (a b c : Nat) : a + b + c = c + b + a", "ac_rfl"),
]


@pytest.mark.parametrize(("statement", "script"), CUT_SHORT)
def test_a_run_that_was_cut_short_leaves_no_wrong_memory(statement: str, script: str) -> None:
    library().memo.clear()
    problem = Problem.from_source(statement, library())
    start = problem.start()
    for heartbeats in (1, 3, 10, 30, 100, 300, 1000):
        assert "internal" not in (problem.apply(start, script, heartbeats=heartbeats).error or "")
    for seconds in (0.0, 0.0005, 0.002):
        problem.apply(start, script, seconds)
    state = problem.apply(start, script).state
    assert state is not None
    with suppress(ProofError):
        problem.check(state, 0.0)
    assert set(problem.check(state)) <= {"propext", "Quot.sound", "Classical.choice"}


Value = Callable[[dict[str, int]], int]
Fact = Callable[[dict[str, int]], bool]


def _random_term(random: Random, depth: int) -> tuple[str, Value]:
    if depth == 0 or random.random() < 0.25:
        if random.random() < 0.6:
            name = random.choice("xy")
            return name, lambda at: at[name]
        number = random.choice([0, 1, 2, 3, 5, 10])
        return str(number), lambda at: number
    (a, f), (b, g) = _random_term(random, depth - 1), _random_term(random, depth - 1)
    k = random.choice([0, 1, 2, 3, 4])
    prop, holds = _random_relation(random, 0)
    made: list[tuple[str, Value]] = [
        (f"({a} + {b})", lambda at: f(at) + g(at)),
        (f"({a} - {b})", lambda at: max(f(at) - g(at), 0)),
        (f"({k} * {a})", lambda at: k * f(at)),
        (f"({a} / {k})", lambda at: f(at) // k if k else 0),
        (f"({a} % {k})", lambda at: f(at) % k if k else f(at)),
        (f"(min {a} {b})", lambda at: min(f(at), g(at))),
        (f"(max {a} {b})", lambda at: max(f(at), g(at))),
        (f"(if {prop} then {a} else {b})", lambda at: f(at) if holds(at) else g(at)),
        (f"({k} ^ 2)", lambda at: k**2),
        (f"(Nat.succ {a})", lambda at: f(at) + 1),
    ]
    return random.choice(made)


def _random_relation(random: Random, depth: int) -> tuple[str, Fact]:
    (a, f), (b, g) = _random_term(random, depth), _random_term(random, depth)
    k = random.choice([0, 1, 2, 3])
    made: list[tuple[str, Fact]] = [
        (f"({a} < {b})", lambda at: f(at) < g(at)),
        (f"({a} ≤ {b})", lambda at: f(at) <= g(at)),
        (f"({a} ≥ {b})", lambda at: f(at) >= g(at)),
        (f"({a} = {b})", lambda at: f(at) == g(at)),
        (f"({a} ≠ {b})", lambda at: f(at) != g(at)),
        (f"({k} ∣ {a})", lambda at: f(at) % k == 0 if k else f(at) == 0),
    ]
    return random.choice(made)


def _random_proposition(random: Random) -> tuple[str, Fact]:
    (p, f), (q, g) = _random_relation(random, 2), _random_relation(random, 1)
    made: list[tuple[str, Fact]] = [
        (p, f),
        (f"(¬{p})", lambda at: not f(at)),
        (f"({p} ∧ {q})", lambda at: f(at) and g(at)),
        (f"({p} ∨ {q})", lambda at: f(at) or g(at)),
        (f"({p} → {q})", lambda at: not f(at) or g(at)),
        (f"({p} ↔ {q})", lambda at: f(at) == g(at)),
    ]
    return random.choice(made)


@pytest.mark.parametrize("seed", range(20))
def test_omega_proves_nothing_that_has_a_counterexample(seed: int) -> None:
    """Compare `omega` with a search below 12: division, remainders, cases, connectives; the kernel checks proofs."""
    random = Random(seed)
    for _ in range(4):
        facts = [_random_proposition(random) for _ in range(random.choice([0, 1, 2]))]
        goal, holds = _random_proposition(random)
        binders = " ".join(f"(h{i} : {text})" for i, (text, _) in enumerate(facts))
        statement = f"theorem t (x y : Nat) {binders} : {goal}"
        points = [{"x": x, "y": y} for x in range(12) for y in range(12)]
        refuted = any(all(fact(at) for _, fact in facts) and not holds(at) for at in points)
        problem = Problem.from_source(statement, library())
        step = problem.apply(problem.start(), "omega")
        if step.state is None:
            assert "internal" not in (step.error or ""), statement
            continue
        assert not refuted, statement
        assert not step.state.goals
        problem.check(step.state)
