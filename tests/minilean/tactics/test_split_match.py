"""`split` on a `match`: variables that stay in the context, overlapping alternatives, equations, hypotheses."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text

FIRST = "def first (a b : Nat) : Nat :=\n  match a, b with\n  | 0, _ => 1\n  | _, 0 => 2\n  | _, _ => 3\n"
CLASS = "def cl (n : Nat) : Option Nat :=\n  match n with\n  | 7 => some 1\n  | 12 => some 2\n  | _ => none\n"
SHORT = "def short : List Nat → Bool\n  | [] => true\n  | [_] => true\n  | _ => false\n"


def check(text: str) -> list[str]:
    return [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text)]


def goals(text: str) -> str:
    """Return the goals that the first error of an unfinished proof shows."""
    return check(text)[0].split("unsolved goals\n")[1]


def test_the_copies_of_the_discriminants_stay_behind() -> None:
    # Functional Programming in Lean, "Insertion Sort": `x✝ : Ordering` above `heq✝`
    term = "(match g b with | none => 1 | some k => k)"
    text = f"theorem t (g : Nat → Option Nat) (b : Nat) : {term} ≥ 0 := by\n  split"
    assert goals(text) == (
        "case h_1\ng : Nat → Option Nat\nb : Nat\nx✝ : Option Nat\nheq✝ : g b = none\n⊢ 1 ≥ 0\n\n"
        "case h_2\ng : Nat → Option Nat\nb : Nat\nx✝ : Option Nat\nk✝ : Nat\nheq✝ : g b = some k✝\n⊢ k✝ ≥ 0"
    )


def test_functions_without_all_their_arguments_are_passed_over() -> None:
    text = "theorem t (f : Nat → Nat) (x : Option (Option Nat)) : x.map (Option.map f) = x := by\n  split"
    assert "internal error" not in check(text)[0]


def test_overlapping_alternatives_exclude_earlier_ones() -> None:
    text = FIRST + "theorem t (a b : Nat) : first a b > 0 := by\n  unfold first\n  split"
    assert goals(text) == (
        "case h_1\nb x✝¹ x✝ : Nat\n⊢ 1 > 0\n\n"
        "case h_2\na x✝² x✝¹ : Nat\nx✝ : a = 0 → False\n⊢ 2 > 0\n\n"
        "case h_3\na b x✝³ x✝² : Nat\nx✝¹ : a = 0 → False\nx✝ : b = 0 → False\n⊢ 3 > 0"
    )


def test_hypotheses_that_cannot_hold_do_not_decide_what_computes() -> None:
    # lean4 tests/lean/run/split2.lean: `y ≠ 5` becomes `5 ≠ 5` in the second goal, which needs `y = 5`
    match = "match x, y, z with\n  | 5, _, _ => y\n  | _, 5, _ => y\n  | _, _, 5 => y\n  | _, _, _ => 1"
    definition = f"def f (x y z : Nat) : Nat :=\n  {match}\n"
    proof = "  intros\n  simp [f]\n  split\n  . contradiction\n  . contradiction\n  . contradiction\n  . rfl"
    statement = "example (x y z : Nat) : x ≠ 5 → y ≠ 5 → z ≠ 5 → f x y z ="
    assert check(f"{definition}{statement} 1 := by\n{proof}") == []
    assert len(check(f"{definition}{statement} 2 := by\n{proof}")) == 1


def test_a_hypothesis_is_split_and_keeps_its_name() -> None:
    text = (
        FIRST + "theorem t (a b : Nat) (h : first a b = 3) : a ≠ 0 := by\n  unfold first at h\n  split at h\n"
    )
    assert check(text + "  · cases h\n  · cases h\n  · assumption") == []
    assert goals(text + "  · cases h\n  · cases h").splitlines()[-2:] == ["h : 3 = 3", "⊢ a ≠ 0"]


def test_exclusions_are_simplified() -> None:
    text = "def f (n m : Nat) : Nat :=\n  match n, m with\n  | 0, k => k\n  | k + 1, 1 => k\n  | k + 1, l => k + l\n"
    assert goals(text + "theorem t (n m : Nat) : f n m ≥ 0 := by\n  unfold f\n  split").split("\n\n")[2] == (
        "case h_3\nm x✝² x✝¹ k✝ : Nat\nx✝ : m = 1 → False\n⊢ k✝ + m ≥ 0"
    )


def test_numbers_are_excluded_as_well() -> None:
    # the example in the reference manual's description of `split`
    text = (
        CLASS
        + "theorem t (n : Nat) : cl n = some 1 ∨ cl n = some 2 ∨ (n ≠ 7 ∧ n ≠ 12) := by\n  unfold cl\n  split\n"
    )
    assert check(text + "  · simp\n  · simp\n  · right; right; constructor <;> assumption") == []


@pytest.mark.parametrize(
    ("source", "name", "shown"),
    [
        (CLASS, "cl.eq_3", "∀ (x : Nat), (x = 7 → False) → (x = 12 → False) → cl x = none"),
        (FIRST, "first.eq_2", "∀ (x : Nat), (x = 0 → False) → first x 0 = 2"),
        (
            SHORT,
            "short.eq_3",
            "∀ (x : List Nat), (x = [] → False) → (∀ (head : Nat), x = [head] → False) → short x = false",
        ),
    ],
)
def test_equations_assume_what_split_gives(source: str, name: str, shown: str) -> None:
    assert check(f"{source}#check @{name}")[-1].split(" info ")[1] == f"{name} : {shown}"


def test_a_match_with_an_equation_is_split() -> None:
    text = "def f (n : Nat) : Nat := match h : n with\n  | 0 => 1\n  | k + 1 => k\n"
    assert check(text + "theorem t (n : Nat) : f n < n + 2 := by\n  unfold f\n  split <;> omega") == []


def test_if_let_is_split() -> None:
    text = "theorem t (o : Option Nat) : (if let some x := o then x + 1 else 1) > 0 := by\n  split"
    assert goals(text) == (
        "case h_1\nx✝¹ : Option Nat\nx✝ : Nat\n⊢ x✝ + 1 > 0\n\n"
        "case h_2\no x✝¹ : Option Nat\nx✝ : ∀ (x : Nat), o = some x → False\n⊢ 1 > 0"
    )


@pytest.mark.parametrize(
    "tactic",
    [
        "exact absurd rfl ‹_ = 0 → False›",
        "contradiction",
        "simp_all",
        "rename_i x h₁ h₂; exact (h₁ rfl).elim",
        "rename_i x h₁ h₂; exact (h₂ rfl).elim",
    ],
)
def test_exclusions_prove_nothing_else(tactic: str) -> None:
    text = FIRST + "theorem t (a b : Nat) : first a b = 4 := by\n  unfold first\n  split\n  case h_3 => "
    assert any(" error " in line for line in check(text + tactic))


FIVES = """def f (x y z : Nat) : Nat :=
  match x, y, z with
  | 5, _, _ => y
  | _, 5, _ => y
  | _, _, 5 => y
  | _, _, _ => 1
"""


@pytest.mark.parametrize(
    "closing", ["contradiction", "exact absurd rfl (by assumption)", "(exfalso; simp_all)"]
)
def test_a_hypothesis_that_denies_a_pattern_does_not_decide_for_another_one(closing: str) -> None:
    """`y ≠ 5` is a hypothesis in the alternative for `y = 5`."""
    text = (
        "theorem t (x y w : Nat) : y ≠ 5 → f x y w = f x y w := by\n  intro h\n  unfold f\n  split\n  · rfl\n"
    )
    text += f"  · {closing}\n  · rfl\n  · rfl"
    assert [message.text for message in check_text(FIVES + text)] == []


def test_every_pattern_of_three_may_be_denied() -> None:
    text = "theorem t (x y z : Nat) : x ≠ 5 → y ≠ 5 → z ≠ 5 → z = w → f x y w = 1 := by\n"
    text += "  intros\n  simp [f]\n  split\n"
    text += "  · contradiction\n  · contradiction\n  · contradiction\n"
    assert [message.text for message in check_text(f"{FIVES}{text}  · rfl")] == []
    assert any("error" in m.severity for m in check_text(f"{FIVES}{text}"))


def test_later_alternatives_do_not_hide_earlier_ones() -> None:
    text = (
        SHORT
        + "theorem t (xs : List Nat) : short xs = true := by\n  unfold short\n  split\n  · rfl\n  · rfl\n"
    )
    assert goals(text + "  · skip").splitlines()[-1] == "⊢ false = true"


def test_simp_lemmas_of_low_priority_come_last() -> None:
    assert check("theorem t (h : true = false) : 1 = 2 := by simp at h") == []
    assert check("theorem t (b : Bool) (h : true = b) : b = true := by\n  simp at h\n  exact h") == []


MATCH = "(match f a, b with | 0, k => k | n, 3 => n + 5 | n, k => n + k)"
ANY = "(f : Nat → Nat) (q : Nat → Prop) (a b : Nat)"


def test_the_last_alternative_applies_to_any_term() -> None:
    text = f"theorem t {ANY} : q {MATCH} := by\n  split"
    assert goals(text).split("\n\n")[2].endswith(" = 3 → False\nx✝ : f a = 0 → False\n⊢ q (f a + x✝⁴)")
    text = "theorem t (f : Nat → Nat) (q : Nat → Prop) (a : Nat) (h0 : q 1) (h : ∀ n, q (n + 5)) :\n"
    text += "    q (match f a with | 0 => 1 | n => n + 5) := by\n  split\n  · exact h0\n  · exact h _\n"
    assert check(text) == []


@pytest.mark.parametrize("closing", ["rfl", "simp", "omega", "exact absurd rfl ‹_›", "simp_all"])
def test_an_alternative_that_is_not_excluded_does_not_apply(closing: str) -> None:
    """The value of the last alternative needs the hypotheses that exclude the others."""
    text = f"theorem t {ANY} : {MATCH} = f a + b := by\n  split\n"
    for goal in ("exact Nat.zero_add _ |>.symm", closing, "rfl"):
        text += f"  · {goal}\n"
    assert check(text) != []


def test_a_splitter_is_built_once_and_serves_all_theorems_of_a_file() -> None:
    proof = " > 0 := by\n  unfold first\n  split <;> decide\n"
    text = FIRST + f"theorem t (a b : Nat) : first a b{proof}theorem u (a b : Nat) : first b a{proof}"
    printed = check(text + "#print axioms u\n#check @t.splitter_1\n#check @u.splitter_1\n")
    assert printed[0].endswith("'u' does not depend on any axioms")
    assert " info t.splitter_1 : " in printed[1].replace("@", "")
    assert " error " in printed[2]


def test_a_splitter_belongs_to_the_matcher_of_its_file() -> None:
    """Matchers of two files may have one name."""
    proof = " > 0 := by\n  unfold first\n  split <;> decide\n"
    other = FIRST.replace("| 0, _ => 1\n  | _, 0 => 2", "| _, 0 => 1\n  | 1, _ => 2")
    for definition in (FIRST, other, FIRST):
        assert check(f"{definition}theorem t (a b : Nat) : first a b{proof}") == []


def test_messages_inside_try_show_goals() -> None:
    text = "theorem t (a : Nat) : a = a + 0 := by\n  try (trace_state; exact rfl)\n  try (trace_state; assumption)"
    assert check(text)[0].endswith("⊢ a = a + 0")
