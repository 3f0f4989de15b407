"""Functions and theorems of a `mutual` block: structural recursion, equations, and Lean's refusals."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

PARITY = """
mutual
def isEven : Nat → Bool
  | 0 => true
  | n + 1 => isOdd n
def isOdd : Nat → Bool
  | 0 => false
  | n + 1 => isEven n
end
"""
TERM = """
inductive Term where
  | const : String → Term
  | app : String → List Term → Term
mutual
def Term.numConsts : Term → Nat
  | .const _ => 1
  | .app _ ts => numConstsLst ts
def numConstsLst : List Term → Nat
  | [] => 0
  | t :: ts => t.numConsts + numConstsLst ts
end
mutual
def Term.replace (a b : String) : Term → Term
  | .const c => if a == c then .const b else .const c
  | .app f cs => .app f (replaceLst a b cs)
def replaceLst (a b : String) : List Term → List Term
  | [] => []
  | c :: cs => c.replace a b :: replaceLst a b cs
end
"""


def infos(found: list[str]) -> list[str]:
    return [" ".join(message.split(" info ", 1)[1].split()) for message in found]


def errors(found: list[str]) -> list[str]:
    return [message.split(" error ", 1)[1] for message in found if " error " in message]


def test_functions_compute_and_have_equations(messages: Check) -> None:
    text = f"""{PARITY}
#print axioms isEven
#eval isOdd 7
#check @isEven.eq_1
#check @isEven.eq_2
#check @isOdd.eq_def
"""
    assert infos(messages(text)) == [
        "'isEven' does not depend on any axioms",
        "true",
        "isEven.eq_1 : isEven 0 = true",
        "isEven.eq_2 : ∀ (n : Nat), isEven n.succ = isOdd n",
        "isOdd.eq_def : ∀ (x : Nat), isOdd x = match x with | 0 => false | n.succ => isEven n",
    ]


def test_tactics_unfold_the_functions(messages: Check) -> None:
    text = f"""{PARITY}
example : isEven 4 = true := rfl
example : isEven 5 = false := by decide
example (n : Nat) : isEven (n + 2) = isEven n := by simp [isEven, isOdd]
example (n : Nat) : isEven (n + 1) = isOdd n := by unfold isEven; rfl
example (n : Nat) : isOdd (n + 1) = isEven n := by rw [isOdd]
theorem or (n : Nat) : isEven n = true ∨ isOdd n = true := by
  induction n with
  | zero => simp [isEven]
  | succ n ih => simp [isEven, isOdd]; exact ih.symm
"""
    assert messages(text) == []
    # a stuck call stays as it is
    assert errors(messages(f"{PARITY}example (n : Nat) : isEven n = isOdd n := by rfl")) != []


def test_functions_over_a_nested_type_and_theorems_about_them(messages: Check) -> None:
    text = f"""{TERM}
mutual
theorem same (a b : String) (e : Term) : (Term.replace a b e).numConsts = e.numConsts := by
  match e with
  | .const c => simp [Term.replace]; split <;> simp [Term.numConsts]
  | .app f cs => simp [Term.replace, Term.numConsts, sameLst a b cs]
theorem sameLst (a b : String) (es : List Term) : numConstsLst (replaceLst a b es) = numConstsLst es := by
  match es with
  | [] => simp [replaceLst, numConstsLst]
  | c :: cs => simp [replaceLst, numConstsLst, same a b c, sameLst a b cs]
end
#print axioms same
example : (Term.app "f" [.const "a", .app "g" [.const "b"]]).numConsts = 2 := rfl
"""
    assert infos(messages(text)) == ["'same' depends on axioms: [propext]"]


def test_functions_over_types_declared_together(messages: Check) -> None:
    text = """
mutual
inductive Tree (α : Type) where
  | leaf : Tree α
  | node : α → Forest α → Tree α
inductive Forest (α : Type) where
  | nil : Forest α
  | cons : Tree α → Forest α → Forest α
end
mutual
def Tree.size : Tree α → Nat
  | .leaf => 1
  | .node _ f => f.size + 1
def Forest.size : Forest α → Nat
  | .nil => 0
  | .cons t f => t.size + f.size
end
example : (Tree.node 1 (.cons .leaf .nil)).size = 2 := rfl
mutual
theorem Tree.pos : (t : Tree α) → 0 < t.size
  | .leaf => by simp [Tree.size]
  | .node _ f => by simp [Tree.size]
theorem Forest.fine : (f : Forest α) → 0 ≤ f.size
  | .nil => Nat.zero_le _
  | .cons _ f => by
    have := Forest.fine f
    exact Nat.zero_le _
end
"""
    assert messages(text) == []


def test_one_function_over_a_nested_type(messages: Check) -> None:
    text = """
inductive Rose where
  | mk : Nat → List Rose → Rose
def Rose.first : Rose → Nat
  | .mk n [] => n
  | .mk _ (r :: _) => r.first
example : (Rose.mk 1 [.mk 2 [], .mk 3 []]).first = 2 := rfl
example (n : Nat) : (Rose.mk n []).first = n := by simp [Rose.first]
"""
    assert messages(text) == []


def test_induction_by_the_recursor_with_the_other_motive_given(messages: Check) -> None:
    text = """
inductive Rose where
  | mk : Nat → List Rose → Rose
mutual
def Rose.sum : Rose → Nat
  | .mk n rs => n + sums rs
def sums : List Rose → Nat
  | [] => 0
  | r :: rs => r.sum + sums rs
end
mutual
def Rose.sum' : Rose → Nat
  | .mk n rs => sums' rs + n
def sums' : List Rose → Nat
  | [] => 0
  | r :: rs => sums' rs + r.sum'
end
theorem same (r : Rose) : r.sum = r.sum' := by
  induction r using Rose.rec (motive_2 := fun rs => sums rs = sums' rs) with
  | mk n rs ih => rw [Rose.sum, Rose.sum', ih, Nat.add_comm]
  | nil => rfl
  | cons r rs h1 h2 => rw [sums, sums', h1, h2, Nat.add_comm]
"""
    assert messages(text) == []
    wrong = "inductive R where | mk : List R → R\nexample (r : R) : r = r := by\n  induction r using R.rec (m := 1)"
    assert errors(messages(wrong)) == ["Invalid argument name `m` for function `R.rec`"]


def test_a_function_that_does_not_call_the_others_comes_first(messages: Check) -> None:
    text = """
mutual
def f (n : Nat) : Nat := g n + 1
def g : Nat → Nat
  | 0 => 0
  | n + 1 => g n + 2
end
example : f 2 = 5 := rfl
namespace A
mutual
@[simp] def k (n m : Nat) : Nat := match n with
  | 0 => m
  | n + 1 => l n (m + 1)
termination_by structural n
@[simp] def l (n m : Nat) : Nat := match n with
  | 0 => m
  | n + 1 => k n (m + 2)
termination_by structural n
end
end A
example : A.k 2 0 = 3 := by simp
"""
    assert messages(text) == []


def test_all_functions_take_the_section_variables_that_one_of_them_mentions(messages: Check) -> None:
    text = """
section
variable {α : Type u} (p : α → Bool) (unused : Nat)
mutual
def evens : List α → Nat
  | [] => 0
  | x :: xs => if p x then odds xs + 1 else odds xs
def odds : List α → Nat
  | [] => 0
  | _ :: xs => evens xs
end
#check @odds
theorem odds_cons (x : α) (xs) : odds p (x :: xs) = evens p xs := by rw [odds]
end
#eval odds (fun x => x == 2) [1, 2, 3, 2]
section
variable (a b : Nat)
mutual
def k : Nat → Nat
  | 0 => a
  | n + 1 => l n
def l : Nat → Nat
  | 0 => b
  | n + 1 => k n
end
end
example : k 1 2 3 = 2 := rfl
"""
    assert [message.split(" ", 1)[1] for message in messages(text)] == [
        "info @odds : {α : Type u_1} → (α → Bool) → List α → Nat",
        "info 2",
    ]


def test_a_section_variable_proves_nothing(messages: Check) -> None:
    text = "variable (h : 1 = 2)\n"
    defs = block(
        "def a : Nat → PLift (1 = 2)\n  | 0 => ⟨h⟩\n  | n + 1 => b n",
        "def b : Nat → PLift (1 = 2)\n  | 0 => ⟨h⟩\n  | n + 1 => a n",
    )
    found = messages(f"{text}{defs}\n#check a\nexample : 1 = 2 := (a 0).down")
    assert found[0].endswith("info a (h : 1 = 2) : Nat → PLift (1 = 2)")
    assert [" error " in message for message in found] == [False, True]
    # proofs see the variables that a statement mentions, and those of `include`
    theorems = block("theorem a (n : Nat) : n = n := rfl", "theorem b (n : Nat) : 1 = 2 := h")
    assert messages(text + theorems)[0].endswith("error Unknown identifier `h`")
    found = messages(f"{text}include h\n{theorems}\nexample : 1 = 2 := b 0\n#check b")
    assert " error " in found[0]
    assert found[1].endswith("info b (h : 1 = 2) (n : Nat) : 1 = 2")
    mixed = block("def a (n : Nat) : Nat := n", "theorem b (n : Nat) : h = h := rfl")
    assert (
        "unsupported: theorems and definitions of a `mutual` block over variables"
        in messages(text + mixed)[0]
    )


def test_theorems_over_section_variables(messages: Check) -> None:
    text = "variable (p : Nat → Prop) (h0 : p 0) (hs : ∀ n, p n → p (n + 1)) (unused : Nat)\ninclude h0 hs\n"
    theorems = block(
        "theorem a : ∀ n, p n\n  | 0 => h0\n  | n + 1 => hs n (b n)",
        "theorem b : ∀ n, p n\n  | 0 => h0\n  | n + 1 => hs n (a n)",
    )
    (message,) = messages(
        f"{text}{theorems}\n#check @a\ntheorem c (n : Nat) : p n ∧ p n := ⟨a p h0 hs n, b p h0 hs n⟩"
    )
    assert message.endswith(
        "info a : ∀ (p : Nat → Prop), p 0 → (∀ (n : Nat), p n → p (n + 1)) → ∀ (n : Nat), p n"
    )


def test_theorems_over_section_variables_recurse_on_smaller_arguments(messages: Check) -> None:
    text = "variable (p : Nat → Prop)\n"
    theorems = block("theorem a (n : Nat) : p n := b n", "theorem b (n : Nat) : p n := a n")
    assert "failed to infer structural recursion" in messages(text + theorems)[0]


LOCAL = """
variable (k : Nat)
mutual
def p (n : Nat) : Nat := match n with
  | 0 => base
  | n + 1 => q n + twice 2
where
  base : Nat := k
  twice : Nat → Nat
    | 0 => 0
    | m + 1 => twice m + 2
def q (n : Nat) : Nat := match n with
  | 0 => 0
  | n + 1 => p n + shift n
where
  shift (m : Nat) := m + n
end
"""


def test_functions_after_where(messages: Check) -> None:
    found = messages(f"{LOCAL}#eval p 7 4\n#check @q.shift\n#check @p.base")
    assert [message.split(" ", 1)[1] for message in found] == [
        "info 21",
        "info q.shift : Nat → Nat → Nat",
        "info p.base : Nat → Nat",
    ]
    found = messages(LOCAL.replace("m + n", "p m"))
    assert found[0].endswith("unsupported: mutual recursion of `shift` with the definitions around it")
    falsity = block(
        "theorem a (n : Nat) : False := b n\nwhere\n  b (n : Nat) : False := c n",
        "theorem c (n : Nat) : False := a n",
    )
    assert "unsupported: mutual recursion of `b`" in messages(falsity)[0]


def block(first: str, second: str) -> str:
    return f"mutual\n{first}\n{second}\nend"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (block("theorem a : 1 = 2 := b", "theorem b : 1 = 2 := a"), "without arguments"),
        (block("theorem a (n : Nat) : 1 = 2 := b n", "theorem b (n : Nat) : 1 = 2 := a n"), "mutual"),
        (
            block(
                "theorem a (n : Nat) : False := b (n + 1)",
                "theorem b : Nat → False\n  | 0 => a 0\n  | n + 1 => a n",
            ),
            "failed to eliminate recursive application",
        ),
        (
            block(
                "theorem a : Nat → False\n  | 0 => b 1\n  | n + 1 => b n",
                "theorem b : Nat → False\n  | 0 => a 1\n  | n + 1 => a n",
            ),
            "failed to eliminate recursive application",
        ),
        (
            block(
                "def a (n : Nat) : Empty := b n",
                "def b (n : Nat) : Empty := a n\ntermination_by structural n",
            ),
            "fail to show termination for\n  a\n  b",
        ),
        (
            block("def a (n : Nat) : Nat := b (n / 2)\ntermination_by n", "def b (n : Nat) : Nat := n + a 0"),
            "incomplete set of termination hints: `b` needs `termination_by`",
        ),
        (block("def a : Nat := 1", "def a : Nat := 2"), "`a` has already been declared"),
        (block("def a : Nat := 1", "axiom b : False"), "invalid mutual block"),
        (block("def a : Nat := 1", "theorem b : Nat := a"), "is not a proposition"),
    ],
)
def test_refusals_declare_nothing(messages: Check, text: str, part: str) -> None:
    first, rest = errors(messages(f"{text}\n#check @a"))
    assert part in first
    assert rest.startswith("Unknown identifier `a`")
