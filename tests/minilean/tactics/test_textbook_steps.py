"""Steps from textbooks: local definitions, `match` on local data, named holes, functions marked `simp`."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text


def check(text: str) -> list[str]:
    return [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text)]


LOCAL = "theorem t (p : Prop) (hp : p) : True := by\n  let U (x : Prop) : Prop := x = True ∨ p\n"
SWAP = "def twist (a b : Nat × Nat) : Prop :=\n  match a, b with\n  | (m, n), (k, l) => m + l = n + k\n"
FIB = "@[simp] def fib : Nat → Nat\n  | 0 => 0\n  | 1 => 1\n  | n + 2 => fib (n + 1) + fib n\n"
MY = "inductive My where\n  | zero\n  | succ (n : My)\ninstance : Zero My := ⟨.zero⟩\n"


@pytest.mark.parametrize("tactic", ["simp [U]", "dsimp [U]; simp", "unfold U; simp", "simp +zetaDelta"])
def test_a_local_definition_is_unfolded_on_request(tactic: str) -> None:
    assert check(f"{LOCAL}  have : U True := by {tactic}\n  trivial") == []


def test_a_local_definition_is_opaque_without_request() -> None:
    assert check(f"{LOCAL}  have : U True := by simp\n  trivial") == ["3:22 error `simp` made no progress"]


def test_a_match_takes_apart_what_a_local_definition_says() -> None:
    text = f"{LOCAL}  let u : Prop := True\n  have h : U u := Or.inl rfl\n  have : u ∨ p := by\n"
    text += "    match h with\n    | Or.inl h => skip\n    | Or.inr h => exact Or.inr h\n  trivial"
    assert check(text) == [
        "7:18 error unsolved goals\np : Prop\nhp : p\nU : Prop → Prop := fun x => x = True ∨ p\nu : Prop := True\n"
        "h✝ : U u\nh : u = True\n⊢ u ∨ p"
    ]


def test_dsimp_reduces_a_match_of_constructors() -> None:
    text = SWAP + "theorem t (a b : Nat) : twist (a, b) (a, b) := by\n  dsimp [twist]\n  skip"
    assert check(text) == ["4:47 error unsolved goals\na b : Nat\n⊢ a + b = b + a"]


def test_a_tactic_block_sees_implicit_binders() -> None:
    text = SWAP + "theorem t : ∀ {a b : Nat × Nat}, twist a b → twist b a := by\n  intro (m, n) (k, l) h\n"
    assert check(text + "  dsimp [twist] at *\n  omega") == []
    assert check("theorem t : ∀ {p : Prop}, p → p := by\n  skip") == [
        "1:35 error unsolved goals\n⊢ ∀ {p : Prop}, p → p"
    ]
    assert check("example : ∀ ⦃p : Prop⦄, p → p := fun p h => h") == []


def test_a_named_hole_is_the_same_in_later_tactics() -> None:
    text = "example (p q : Prop) (f : p → q) (g : p → q → False) (hp : p) : False := by\n"
    assert check(text + "  refine g ?a ?_\n  · exact hp\n  · exact f ?a") == []


@pytest.mark.parametrize(
    ("tactic", "message"),
    [
        (
            "exact ?x",
            "Tactic `exact` failed: attempting to close the goal using\n  ?x\n"
            "this is often due occurs-check failure\n\ncase x\n⊢ False",
        ),
        (
            "refine id ?x",
            "Tactic `refine` failed: value\n  id ?x\ndepends on the main goal metavariable `?x`\n\ncase x\n⊢ False",
        ),
        ("apply id ?x", "the goal occurs in the term that is to close it"),
        ("cases ?x", "the goal occurs in the term that is to close it"),
        ("have h : False := ?x; exact h", "the goal occurs in the term that is to close it"),
    ],
)
def test_a_goal_does_not_close_itself(tactic: str, message: str) -> None:
    found = check(f"theorem t : False := by\n  refine id ?x\n  {tactic}")
    assert len(found) == 1
    assert found[0].split(" error ")[1] == message


def test_two_goals_do_not_close_each_other() -> None:
    text = "theorem t : False ∧ False := by\n  refine ⟨?a, ?b⟩\n  exact ?b\n  exact ?a"
    assert "occurs-check failure" in check(text)[0]


def test_a_recursive_function_marked_simp_gives_its_equations() -> None:
    assert check(FIB + "example : fib 5 = 5 := by simp") == []
    assert check(FIB + "theorem t (n : Nat) : fib (n + 2) = 0 := by\n  simp only [fib]\n  skip") == [
        "5:41 error unsolved goals\nn : Nat\n⊢ fib (n + 1) + fib n = 0"
    ]


def test_simp_all_uses_premises_and_conjuncts() -> None:
    assert check("example (p q : Prop) : p → q → p ∧ q := by simp_all") == []
    assert check("example (p q : Prop) (h : (p → q) ∧ p) : q := by simp_all") == []


def test_zero_and_one_are_numerals() -> None:
    assert check(MY + "example : (0 : My) = My.zero := rfl") == []
    assert "OfNat My 1" in check(MY + "#check (1 : My)")[0]
    text = "class Mon (α : Type) where\n  unit : α\ninstance [s : Mon α] : OfNat α (nat_lit 1) := ⟨s.unit⟩\n"
    assert check(text + "example [Mon α] : (1 : α) = Mon.unit := rfl") == []


def test_implicit_fields_are_found() -> None:
    text = "structure S where\n  {n : Nat}\n  v : Fin n\n#check fun (i : Fin 3) => ({ v := i } : S)"
    assert check(text) == ["4:0 info fun i => { n := 3, v := i } : Fin 3 → S"]


def test_a_name_behind_a_constant_is_no_field() -> None:
    assert check("#check Quot.nothing") == ["1:7 error Unknown constant `Quot.nothing`"]


def test_options_and_documented_operators() -> None:
    assert check("example : 1 = 1 := by\n  set_option pp.all true in\n  rfl") == [
        "2:2 warning the option `pp.all` has no effect in minilean"
    ]
    assert check('@[inherit_doc] infix:50 " ≼ " => Nat.le\nexample : 2 ≼ 2 := Nat.le_refl 2') == []
