"""`match` and definitions by equations: values, printed text, equation theorems."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

FUNCTIONS = """
def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)
def len {α : Type u} : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1
def app (xs ys : List α) : List α := match xs with
  | [] => ys
  | x :: xs => x :: app xs ys
inductive Tree where
  | leaf : Tree
  | node (l : Tree) (v : Nat) (r : Tree) : Tree
def Tree.mirror : Tree → Tree
  | leaf => leaf
  | node l v r => node r.mirror v l.mirror
def Tree.size : Tree → Nat
  | leaf => 0
  | node l _ r => l.size + 1 + r.size
def overlap : Nat → Nat → Nat
  | 0, _ => 1
  | _, 0 => 2
  | n + 1, m + 1 => overlap n m
"""


@pytest.mark.parametrize(
    "example",
    [
        "fib 10 = 55",
        "len [1, 2, 3] = 3",
        "app [1] [2, 3] = [1, 2, 3]",
        "overlap 2 1 = 2",
        "Tree.leaf.mirror = Tree.leaf",
        "(Tree.node .leaf 1 (.node .leaf 2 .leaf)).size = 2",
    ],
)
def test_functions_compute_by_rfl(messages: Check, example: str) -> None:
    assert messages(FUNCTIONS + f"example : {example} := rfl") == []


@pytest.mark.parametrize(
    "statement",
    [
        "(n : Nat) : fib (n + 2) = fib n + fib (n + 1)",
        "(a : Nat) (l : List Nat) : len (a :: l) = len l + 1",
        "(x : α) (xs ys : List α) : app (x :: xs) ys = x :: app xs ys",
        "(l r : Tree) (v : Nat) : (Tree.node l v r).mirror = .node r.mirror v l.mirror",
        "(n m : Nat) : overlap (n + 1) (m + 1) = overlap n m",
        "(m : Nat) : overlap 0 m = 1",
    ],
)
def test_equations_hold_by_rfl(messages: Check, statement: str) -> None:
    assert messages(FUNCTIONS + f"example {statement} := rfl") == []


def test_an_equation_that_does_not_hold_is_refused(messages: Check) -> None:
    (message,) = messages(FUNCTIONS + "example (m : Nat) : overlap m 0 = 2 := rfl")
    assert "error" in message


def test_equation_theorems(messages: Check) -> None:
    text = FUNCTIONS + "#check fib.eq_3\n#check overlap.eq_2\n#check len.eq_1\n#check fib.eq_def\n"
    assert [line.split(" ", 2)[2] for line in messages(text)] == [
        "fib.eq_3 (n : Nat) : fib n.succ.succ = fib n + fib (n + 1)",
        "overlap.eq_2 : ∀ (x : Nat), (x = 0 → False) → overlap x 0 = 2",
        "len.eq_1.{u} {α : Type u} : len [] = 0",
        "fib.eq_def : ∀ (x : Nat),\n    fib x =\n      match x with\n      | 0 => 0\n      | 1 => 1\n      "
        "| n.succ.succ => fib n + fib (n + 1)",
    ]


NESTED = """
inductive Expr where
  | num : Nat → Expr
  | plus : Expr → Expr → Expr

def Expr.simp : Expr → Expr
  | num n => num n
  | plus (num 0) b => simp b
  | plus a b => plus (simp a) (simp b)

def Expr.eval : Expr → Nat
  | num n => n
  | plus a b => a.eval + b.eval

def toTen : Nat → Nat
  | 0 => 0
  | 10 => 1
  | n + 1 => toTen n
"""


def test_recursive_functions_with_nested_overlapping_patterns_have_equations(messages: Check) -> None:
    text = NESTED + "#check Expr.simp.eq_2\n#check Expr.simp.eq_3\n#check toTen.eq_3\n"
    assert [line.split(" ", 2)[2] for line in messages(text)] == [
        "Expr.simp.eq_2 (b : Expr) : ((Expr.num 0).plus b).simp = b.simp",
        "Expr.simp.eq_3 (a b : Expr) : (a = Expr.num 0 → False) → (a.plus b).simp = a.simp.plus b.simp",
        "toTen.eq_3 (n : Nat) : (n = 9 → False) → toTen n.succ = toTen n",
    ]
    proof = """
theorem eval_simp (e : Expr) : e.simp.eval = e.eval := by
  induction e with
  | num n => rfl
  | plus a b iha ihb =>
    unfold Expr.simp
    split
    next n h => cases h
    next c h => cases h; simp [Expr.eval, ihb]
    next c d _ h => cases h; simp [Expr.eval, iha, ihb]
"""
    assert messages(NESTED + proof) == []


def test_a_match_prints_as_lean_prints_it(messages: Check) -> None:
    (message,) = messages("example (n : Nat) : (match n with | 0 => 1 | k + 1 => k) = 5 := by\n  skip")
    assert message.endswith(
        "unsolved goals\nn : Nat\n⊢ (match n with\n    | 0 => 1\n    | k.succ => k) =\n    5"
    )


def test_a_pattern_that_the_others_determine_prints_with_a_dot(messages: Check) -> None:
    text = (
        "theorem s {a b : Nat} {p : Nat → Prop} (h : a = b) (x : p a) : p b :=\n  match h with | rfl => x\n"
    )
    (message,) = messages(text + "#print s")
    assert message.endswith("match b, h with\n  | .(a), Eq.refl a => x")


def test_a_proof_numbers_its_matchers_apart_from_the_statement(messages: Check) -> None:
    # Theorem Proving in Lean 4 (4.34), "Induction and Recursion", prints `subst.match_1_1`
    text = "inductive T where | a | b | c\n"
    text += "theorem t (x : T) : (match x with | .a => 1 | _ => 2) < 3 :=\n"
    text += "  match x with | .a => by decide | .b => by decide | .c => by decide\n"
    text += "def f (x : T) : T := match x with | .c => .a | y => y\n"
    names = ("t.match_1", "t.match_1_1", "f.match_1")
    found = messages(text + "\n".join(f"#check {name}" for name in names))
    assert [message.split(" ")[2].split(".{")[0] for message in found] == list(names)
    (refused,) = messages(text + "#check t.match_2")
    assert "Unknown constant `t.match_2`" in refused


@pytest.mark.parametrize(
    ("term", "error"),
    [
        ("fun (n : Nat) => (match n with | 0 => 1 : Nat)", "Missing cases"),
        ("fun (n : Nat) => (match n with | _ => 1 | 0 => 2 : Nat)", "Redundant alternative"),
        ("fun (n : Nat) => (match n with | 0, 1 => 1 : Nat)", "Too many patterns"),
        ("fun (n m : Nat) => (match n, m with | x, x => 1 : Nat)", "occurred more than once"),
    ],
)
def test_bad_matches(messages: Check, term: str, error: str) -> None:
    (message,) = messages(f"#check {term}")
    assert error in message


def test_proofs_by_match_and_recursion(messages: Check) -> None:
    text = (
        FUNCTIONS
        + """
theorem app_nil : ∀ xs : List α, app xs [] = xs
  | [] => rfl
  | x :: xs => congrArg (x :: ·) (app_nil xs)
theorem swap {p q : Prop} : p ∨ q → q ∨ p := fun
  | .inl h => .inr h
  | .inr h => .inl h
theorem Tree.mirror_mirror : ∀ t : Tree, t.mirror.mirror = t
  | .leaf => rfl
  | .node l v r => by
    show Tree.node l.mirror.mirror v r.mirror.mirror = _
    rw [mirror_mirror l, mirror_mirror r]
example : ¬(1 = 2) := nofun
example (h : 0 = 1) : False := nomatch h
#print axioms Tree.mirror_mirror
"""
    )
    assert messages(text)[-1].endswith("info 'Tree.mirror_mirror' does not depend on any axioms")
    assert len(messages(text)) == 1


MY_NAT = """inductive MyNat where | zero | succ (n : MyNat)
namespace MyNat
def ofNat : Nat → MyNat | 0 => zero | n + 1 => succ (ofNat n)
instance : OfNat MyNat n := ⟨ofNat n⟩
def add : MyNat → MyNat → MyNat
  | a, 0 => a
  | a, succ b => succ (add a b)
instance : Add MyNat := ⟨add⟩
def mul : MyNat → MyNat → MyNat
  | _, 0 => 0
  | a, b + 1 => mul a b + a
"""


def test_patterns_of_numerals_and_sums_of_other_types_are_constructors(messages: Check) -> None:
    # `toPattern` evaluates what is marked `@[match_pattern]` until constructors and variables are left.
    text = (
        MY_NAT + "example (a b : MyNat) : mul a (succ b) = mul a b + a := rfl\n#check @mul.eq_2\n#print mul"
    )
    equation, printed = messages(text)
    assert equation.endswith("∀ (a b : MyNat), a.mul b.succ = a.mul b + a")
    assert printed.endswith("| x, zero => 0\n  | a, b.succ => a.mul b + a")


def test_a_pattern_that_evaluates_to_no_constructor_is_refused(messages: Check) -> None:
    text = MY_NAT + "def half : MyNat → MyNat\n  | 0 => 0\n  | n + n => n\n"
    assert any("error" in message for message in messages(text))
