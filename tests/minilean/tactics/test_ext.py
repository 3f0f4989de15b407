"""`ext` with patterns and a depth, `@[ext]` on structures with parents, `cases` on heterogeneous equations.

Accepted texts and goals follow lean4 `tests/elab/ext1.lean` and `src/Lean/Elab/Tactic/Ext.lean` (4.34).
"""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

SHAPES = """structure A (n : Nat) where
  a : Nat
structure B (n) extends A n where
  b : Nat
  h : b > 0
  i : Fin b
@[ext] structure C (n) extends B n where
  c : Nat
@[ext (flat := false)] structure D (n) extends B n where
  c : Nat
"""


def check(text: str) -> list[str]:
    return [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text)]


def left(text: str) -> str:
    """Return the goals that the only error of a proof shows."""
    (message,) = check(text)
    return message.split("unsolved goals\n")[1]


@pytest.mark.parametrize(
    ("statement", "tactic", "goals"),
    [
        ("(f g : Nat × Nat → Nat) : f = g", "ext ⟨x, y⟩", "f g : Nat × Nat → Nat\nx y : Nat\n⊢ f (x, y) = g (x, y)"),
        (
            "(f g : Nat → Nat → Nat) : f = g",
            "ext x : 1",
            "f g : Nat → Nat → Nat\nx : Nat\n⊢ f x = g x",
        ),
        (
            "(f g : Nat → Nat → Nat) : f = g",
            "ext x",
            "f g : Nat → Nat → Nat\nx x✝ : Nat\n⊢ f x x✝ = g x x✝",
        ),
        (
            "(f g : Nat × (Nat → Nat)) : f = g",
            "ext x",
            "case fst\nf g : Nat × (Nat → Nat)\n⊢ f.fst = g.fst\n\n"
            "case snd\nf g : Nat × (Nat → Nat)\nx : Nat\n⊢ f.snd x = g.snd x",
        ),
        (
            "(a b : Option Nat) : a = b",
            "ext",
            "a b : Option Nat\na✝ : Nat\n⊢ a = some a✝ ↔ b = some a✝",
        ),
        (
            "(f g : Nat → List Nat) : f = g",
            "ext x i a",
            "f g : Nat → List Nat\nx i a : Nat\n⊢ (f x)[i]? = some a ↔ (g x)[i]? = some a",
        ),
        ("(i j : Fin 3) : i = j", "ext", "i j : Fin 3\n⊢ ↑i = ↑j"),
        ("(f : Nat → Nat) : f = id", "ext (_ | n)", "case zero\nf : Nat → Nat\n⊢ f 0 = id 0\n\n"
         "case succ\nf : Nat → Nat\nn : Nat\n⊢ f (n + 1) = id (n + 1)"),
    ],
)  # fmt: skip
def test_patterns_and_depth(statement: str, tactic: str, goals: str) -> None:
    assert left(f"example {statement} := by\n  {tactic}") == goals


def test_parents_count_as_their_fields_unless_told_otherwise() -> None:
    assert left(SHAPES + "example (a b : C n) : a = b := by\n  ext") == (
        "case a\nn : Nat\na b : C n\n⊢ a.a = b.a\n\ncase b\nn : Nat\na b : C n\n⊢ a.b = b.b\n\n"
        "case i\nn : Nat\na b : C n\n⊢ a.i ≍ b.i\n\ncase c\nn : Nat\na b : C n\n⊢ a.c = b.c"
    )
    assert left(SHAPES + "example (a b : D n) : a = b := by\n  ext") == (
        "case toB\nn : Nat\na b : D n\n⊢ a.toB = b.toB\n\ncase c\nn : Nat\na b : D n\n⊢ a.c = b.c"
    )
    statement = "∀ {n : Nat} {x y : C n}, x = y ↔ x.a = y.a ∧ x.b = y.b ∧ x.i ≍ y.i ∧ x.c = y.c"
    assert check(f"{SHAPES}example : {statement} := @C.ext_iff") == []


@pytest.mark.parametrize(
    "text",
    [
        "structure U\n@[ext high] theorem U.one (x y : U) (_h : 1 = 1) : x = y := by cases x; rfl\n"
        "@[ext] theorem U.two (x y : U) (_h : 2 = 1) : x = y := by cases x; rfl\n"
        "example (x y : U) : x = y := by ext; rfl",
        "example (f : Empty → Empty) : f = f := by\n  ext ⟨⟩",
        "attribute [-ext] Prod.ext\nexample (p q : Nat × Nat) (h : p = q) : p = q := by\n"
        "  fail_if_success ext\n  exact h",
        # an attribute that is erased in a section is there again after it
        "section\nattribute [-ext] Prod.ext\nend\nexample (p q : Nat × Nat) (h : p = q) : p = q := by\n"
        "  ext <;> rw [h]",
    ],
)
def test_priorities_and_erasure(text: str) -> None:
    assert check(text) == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("example (f g : Nat → Nat) : f = g := by\n  ext ⟨⟩", "unsolved goals"),
        ("example (p q : Nat × Nat) : p = q := by\n  ext : 0\n  rfl", "Tactic `rfl` failed"),
        ("example (a b : Nat) : a = b := by\n  ext", "No applicable extensionality theorem found for type\n  Nat"),
        ("example (f g : Nat → String) : f = g := by\n  ext x", "unsupported: `ext` for `String`"),
        ("@[ext] structure E where\n  n : Nat\nexample (a b : E) : a = b := by\n  ext\n  rfl", "Tactic `rfl` failed"),
        ("@[ext] theorem t (p q : Prop) (h : p) (k : q) : p ∧ q := ⟨h, k⟩", "only applies to structures and lemmas"),
        ("attribute [ext] Nat.add_comm", "where `x` and `y` are variables"),
        # fields that are proofs do not become premises, other fields do
        (f"{SHAPES}example (a b : C n) (h : a.b = b.b) (k : a.c = b.c) : a = b := C.ext h k", "error"),
    ],
)  # fmt: skip
def test_what_does_not_follow_is_refused(text: str, part: str) -> None:
    assert part in check(text)[0]


@pytest.mark.parametrize(
    "proof",
    [
        "(a b : Nat) (h : a ≍ b) : a = b := by\n  cases h\n  rfl",
        "(α β : Type) (a : α) (b : β) (h : a ≍ b) : b ≍ a := by\n  cases h\n  rfl",
        "(a b : Nat) (h : a + 1 ≍ b + 1) : a = b := by\n  obtain ⟨⟩ := h\n  rfl",
        "(h : (0 : Nat) ≍ (1 : Nat)) : False := by\n  cases h",
    ],
)
def test_cases_on_heterogeneous_equations(proof: str) -> None:
    assert check(f"example {proof}") == []


@pytest.mark.parametrize(
    "statement",
    [
        "(n m : Nat) (i : Fin n) (j : Fin m) (h : i ≍ j) : n = m",
        "(h : (0 : Nat) ≍ (0 : Fin 2)) : False",
        "(α : Type) (a b : α) (h : a ≍ a) : a = b",
    ],
)
def test_heterogeneous_equations_prove_nothing_else(statement: str) -> None:
    assert len(check(f"example {statement} := by\n  cases h\n  rfl")) == 1


def test_a_side_that_computes_to_a_variable_may_mention_what_depends_on_it() -> None:
    text = "structure P where\n  b : Nat\n  h : b > 0\n"
    proof = "  rcases x with ⟨_, _⟩\n  rcases y with ⟨_, _⟩\n  intro e\n  cases e\n  rfl"
    assert check(f"{text}theorem t (x y : P) : x.b = y.b → x = y := by\n{proof}") == []
    assert len(check(f"{text}theorem t (x y : P) : x.b = y.b + 0 + 1 → x = y := by\n{proof}")) == 1
