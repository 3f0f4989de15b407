"""Goals and messages of steps as Lean gives them: each text here was printed by Lean 4.35 on minilean's library.

Measured with the backend `lean`, on the same statement and steps. Of several messages Lean prints all, minilean's step
the first. Numbers of metavariables are not compared.
"""

from __future__ import annotations

import re

import pytest

from minilean.library import library
from minilean.proof import Problem

NUMBER = re.compile(r"\?m\.\d+")


def after(statement: str, *tactics: str) -> str:
    """Return the goals after these steps, or the message of the first that fails."""
    problem = Problem.from_source(f"theorem t {statement}", library())
    state = problem.start()
    for tactic in tactics:
        step = problem.apply(state, tactic)
        if step.state is None:
            return NUMBER.sub("?m", step.error or "")
        state = step.state
    return NUMBER.sub("?m", "\n\n".join(problem.goal_texts(state)))


@pytest.mark.parametrize(
    ("statement", "tactic", "text"),
    [
        ("(p q : Prop) : p → q", "symm", "Symmetry lemmas only apply to binary relations, not\n  p → q"),
        ("(r : Nat → Nat → Prop) : r 0 1", "symm", "No applicable symmetry lemma found for\n  r 0 1\n\nNote: "
         "Additional symmetry lemmas can be registered using the `[symm]` attribute"),
        ("(f g : Nat → Nat) : f ≠ g", "ext",
         "This extensionality tactic only applies to equalities, not\n  f = g → False"),
        ("(a b : Nat) : a < b", "ext", "This extensionality tactic only applies to equalities, not\n  a.succ.le b"),
        ("(a b : Nat) : a = b", "exists a", "Insufficient number of fields for `⟨...⟩` constructor: "
         "Constructor `Eq.refl` does not have explicit fields, but 2 were provided"),
        ("(a b : Nat) : a = b", "exact ⟨a⟩", "Insufficient number of fields for `⟨...⟩` constructor: "
         "Constructor `Eq.refl` does not have explicit fields, but 1 was provided"),
        ("(p q : Prop) : p ∧ q", "exact ⟨⟩", "Insufficient number of fields for `⟨...⟩` constructor: "
         "Constructor `And.intro` has 2 explicit field, but none were provided"),
        ("(p q : Prop) : p → q", "simp_all", "simp_all made no progress"),
        ("(p q : Prop) (h : p) : q", "exact h.1", "Invalid projection: Projection operates on types of the form "
         "`C ...` where C is a constant. The expression\n  h\nhas type `p` which does not have the necessary form."),
        ("(p q : Prop) (h : p → q) : q", "exact h.1",
         "Invalid projection: Projections cannot be used on functions, and\n  h\nhas function type `p → q`"),
        ("(n : Nat) : False", "exact n.1", "Invalid projection: Projections extract constructor fields for "
         "one-constructor inductive types. The expression\n  n\nhas type `Nat` which is not a one-constructor "
         "inductive type."),
        ("(p q : Prop) (h : p) : q", "exact h (x + y)", "Function expected at\n  h\nbut this term has type\n  p\n\n"
         "Note: Expected a function because this term is being applied to the argument\n  (x + y)"),
    ],
)  # fmt: skip
def test_what_is_refused_is_told_in_leans_words(statement: str, tactic: str, text: str) -> None:
    assert after(statement, tactic) == text


def test_the_last_of_equal_arguments_is_called_so() -> None:
    assert after("(a b : Nat) (h : a = b) : a = b", "exact absurd h h").startswith(
        "Application type mismatch: The last\n  h\nargument has type\n  a = b\nbut is expected"
    )
    assert after("(a b : Nat) (f : Nat → Nat → Nat) (h : a = b) : a = b", "have := f a h").startswith(
        "Application type mismatch: The argument\n  h\nhas type\n"
    )


def test_the_expected_type_is_not_used_before_the_object_of_a_method() -> None:
    told = after("(a b c : Nat) (h : a = b) (k : b = c) : a = c", "exact k.trans h")
    assert told.endswith("but is expected to have type\n  c = ?m\nin the application\n  Eq.trans k h")
    told = after("(a b c : Nat) (h : a = b) (k : b = c) : a = c", "exact Eq.trans k h")
    assert told.endswith("but is expected to have type\n  a = ?m\nin the application\n  Eq.trans k")
    assert after("(a b c : Nat) (k : b = c) : a = c", "exact k.trans h1") == "Unknown identifier `h1`"


def test_a_calculation_that_proves_something_else() -> None:
    told = "'calc' expression has type\n  a = b\nbut is expected to have type\n  False"
    assert after("(a b : Nat) (h : a = b) : False", "calc _ = _ := h") == told
    assert after("(a b : Nat) (h : a = b) : False", "exact calc a = b := h") == told
    assert after("(a b : Nat) (h : a = b) : b = a", "calc a = b := h").startswith(
        "invalid 'calc' step, left-hand side is\n  a : Nat\n"
    )


@pytest.mark.parametrize(
    ("equation", "shown"),
    [
        ("f 0 = g 1", "g 1 = f 0"),
        ("f 0 + 1 = g 0 + 1", "g 0 = f 0"),
        ("f 0 = 2 + 3", "5 = f 0"),
        ("f 0 = g 0 + 1", "((g 0).add 0).succ = f 0"),
        ("f 0 ≤ g 1", "g 1 = f 0"),
    ],
)
def test_an_equation_that_cases_cannot_solve(equation: str, shown: str) -> None:
    statement = f"(f g : Nat → Nat) (h : {equation}) : False"
    told = f"Dependent elimination failed: Failed to solve equation\n  {shown}"
    assert after(statement, "cases h") == told
    constructor = "Nat.le.refl" if "≤" in equation else "Eq.refl"
    nested = f"Tactic `cases` failed with a nested error:\n{told}\nat case `{constructor}`"
    assert after(statement, "rcases h with _ | _") == nested


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("a", "Invalid argument: Variable `a` is not a proposition or let-declaration"),
        ("← a", "Invalid argument: Variable `a` is not a proposition or let-declaration"),
        ("a + 0", "Invalid simp theorem: Expected a proposition, but found\n  Nat"),
        ("-h", "Unknown constant `h`"),
        ("-h, *", "Unknown constant `h`"),
        ("-Nat.nope", "Unknown constant `Nat.nope`"),
        ("← Nat.add", "Invalid `←` modifier: `Nat.add` is a declaration name to be unfolded\n\nHint: The simplifier "
         'cannot "refold" definitions by name. Use `rw` for this instead,\n                      or use the `←` simp '
         "modifier with an equational lemma for `Nat.add`."),
        ("← k", "Invalid `←` modifier: Cannot be applied to simp theorems of the form `¬ P`\n\nNote: This simp "
         "theorem will rewrite `a = 1` to `False`, which should not be applied in the reverse direction"),
        ("← Nat.le_refl", "Invalid `←` modifier: Cannot be applied to a rule that rewrites to `True`\n\nNote: This "
         "simp theorem will rewrite `n ≤ n` to `True`, which should not be applied in the reverse direction"),
    ],
)  # fmt: skip
def test_arguments_that_simp_refuses(argument: str, text: str) -> None:
    assert after("(a b : Nat) (h : a + 0 = b) (k : ¬a = 1) : a + 0 = b", f"simp [{argument}]") == text


@pytest.mark.parametrize("argument", ["Nat", "Nat.succ", "Nat.rec", "*, -h"])
def test_arguments_that_change_nothing(argument: str) -> None:
    statement = "(a b : Nat) (h : a + 0 = b) : a + 0 = b"
    assert after(statement, f"simp [{argument}]") == "a b : Nat\nh : a + 0 = b\n⊢ a = b"


def test_reverted_binders_keep_their_kind() -> None:
    statement = ": ∀ {α : Type} [Inhabited α] ⦃a : α⦄, a = a"
    told = "⊢ ∀ {α : Type} [i : Inhabited α] ⦃a : α⦄, a = a"
    assert after(statement, "intro α i a", "revert α") == told
    goals = after("(n : Nat) {m : Nat} (p : Nat → Nat → Prop) : p n m", "induction n generalizing m")
    assert "a✝ : ∀ {m : Nat}, p n✝ m" in goals


def test_the_holes_of_a_value_come_behind_the_goal() -> None:
    statement = "(a b : Nat) (p : Nat → Prop) : p a"
    goals = after(statement, "have h : a = b := ?_")
    assert re.findall("case .*|⊢ .*", goals) == ["case refine_2", "⊢ p a", "case refine_1", "⊢ a = b"]
    assert after(statement, "let x : Nat := ?y") == (
        "a b : Nat\np : Nat → Prop\nx : Nat := ?y\n⊢ p a\n\ncase y\na b : Nat\np : Nat → Prop\n⊢ Nat"
    )
    goals = after(statement, "suffices h : a = b from ?_")
    assert re.findall("case .*", goals) == ["case refine_2", "case refine_1"]
    goals = after(statement, "have ⟨x, h⟩ : ∃ x, x = b := ⟨b, ?_⟩")
    assert re.findall("case .*|⊢ .*", goals) == ["case refine_2", "⊢ p a", "case refine_1", "⊢ b = b"]


def test_a_metavariable_whose_name_is_taken_has_a_dagger() -> None:
    told = after("(f : Nat → Nat → Nat → Nat) : False", "rw [f]")
    assert "`f ?a✝ ?a✝¹ ?a✝²`" in told
    assert "`f ?x✝ ?x`" in after("(f : (x : Nat) → (x : Nat) → Nat) : False", "rw [f]")
    goals = after("(a b : Nat) : a < b", "apply Nat.lt_trans", "apply Nat.lt_trans")
    assert re.findall("⊢ .*", goals) == ["⊢ a < ?h₁.m", "⊢ ?h₁.m < ?m✝", "⊢ Nat", "⊢ ?m✝ < b", "⊢ Nat"]


@pytest.mark.parametrize(
    ("statement", "tactic"),
    [
        ("(p : Prop) (h : p) : p", "omega"),
        ("(α : Type) (a b : α) (h : a = b) : a = b", "omega"),
        ("(p : Nat → Prop) (h : p (1 + 2)) : p 3", "omega"),
        ("(α : Type) (a c : α) (h : a = c) : a = c", "congr"),
        ("(v : Nat → Nat) (h : v 0 = 1) : v 0 = 8 * 0 + 1", "congr"),
        ("(p q : Prop) (h : p ↔ q) : p ↔ q", "congr"),
    ],
)
def test_a_hypothesis_closes_the_goal_first(statement: str, tactic: str) -> None:
    assert after(statement, tactic) == ""


@pytest.mark.parametrize(
    ("statement", "tactic", "first"),
    [
        ("(α : Type) (a b : α) (h : a = b) : b = a", "omega", "omega could not prove the goal:"),
        ("(R : Nat → Nat → Prop) (a c : Nat) : R a c", "rfl",
         "Tactic `rfl` failed: The left-hand side"),
        ("(R : Nat → Nat → Prop) (a c : Nat) : R a a", "rfl",
         "Tactic `rfl` failed: No `[refl]` lemma registered for relation"),
        ("(h : 0 < 1) : 0 < 3", "left", "Tactic `apply` failed: could not unify the conclusion of the term"),
        ("(h : ∀ x, x = 1) (n : Nat) : n = 1", "rw [h]", "Invalid rewrite argument: The pattern to be substituted is "
         "a metavariable (`?x`) in this equality"),
        ("(h : ∃ n : Nat, n = 3) : True", "have : Nat := by obtain ⟨n, h⟩ := h; exact n",
         "Tactic `cases` failed with a nested error:"),
        (": ∀ n : Nat, n = n", "decide", "failed to synthesize"),
    ],
)  # fmt: skip
def test_first_lines(statement: str, tactic: str, first: str) -> None:
    assert after(statement, tactic).partition("\n")[0] == first


def test_goals_of_by_cases_have_no_other_case_in_their_names() -> None:
    goals = after("(p q : Prop) : p ∧ q", "constructor", "by_cases h : q")
    assert [line for line in goals.split("\n") if line.startswith("case")] == [
        "case pos",
        "case neg",
        "case right",
    ]
