"""`SizeOf` instances of inductive types, and recursion along sizes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

TYPES = """
inductive Tree (α : Type u) where
  | leaf : Tree α
  | node (left : Tree α) (value : α) (right : Tree α) : Tree α
inductive Rose where
  | mk : Nat → List Rose → Rose
mutual
inductive A where | a : Nat → B → A | nil
inductive B where | b : A → A → B
end
inductive Vec (α : Type u) : Nat → Type u where
  | nil : Vec α 0
  | cons : α → Vec α n → Vec α (n + 1)
structure Pair where
  x : Nat
  h : x = 2
inductive Fn where
  | mk : (Nat → Fn) → Fn
inductive Name where
  | str : String → Name → Name
"""


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        (
            "Tree.node.sizeOf_spec",
            "∀ {α : Type u_1} [inst : SizeOf α] (left : Tree α) (value : α) (right : Tree α), "
            "sizeOf (left.node value right) = 1 + sizeOf left + sizeOf value + sizeOf right",
        ),
        ("Tree._sizeOf_inst", "{α : Type u_1} → [SizeOf α] → SizeOf (Tree α)"),
        (
            "Rose.mk.sizeOf_spec",
            "∀ (a : Nat) (a_1 : List Rose), sizeOf (Rose.mk a a_1) = 1 + sizeOf a + sizeOf a_1",
        ),
        ("B.b.sizeOf_spec", "∀ (a a_1 : A), sizeOf (B.b a a_1) = 1 + sizeOf a + sizeOf a_1"),
        (
            "Vec.cons.sizeOf_spec",
            "∀ {α : Type u_1} [inst : SizeOf α] {n : Nat} (a : α) (a_1 : Vec α n), "
            "sizeOf (Vec.cons a a_1) = 1 + sizeOf n + sizeOf a + sizeOf a_1",
        ),
        (
            "Pair.mk.sizeOf_spec",
            "∀ (x : Nat) (h : x = 2), sizeOf { x := x, h := h } = 1 + sizeOf x + sizeOf h",
        ),
        ("Fn.mk.sizeOf_spec", "∀ (a : Nat → Fn), sizeOf (Fn.mk a) = 1"),
        (
            "Name.str.sizeOf_spec",
            "∀ (a : String) (a_1 : Name), sizeOf (Name.str a a_1) = 1 + sizeOf a + sizeOf a_1",
        ),
        (
            "Fin.mk.sizeOf_spec",
            "∀ {n : Nat} (val : Nat) (isLt : val < n), sizeOf ⟨val, isLt⟩ = 1 + sizeOf val + sizeOf isLt",
        ),
    ],
)
def test_what_is_generated(messages: Check, name: str, type_: str) -> None:
    [message] = messages(f"{TYPES}#check @{name}")
    shown = " ".join(message.split(" info ", 1)[1].split())
    assert shown.partition(" : ")[2] == type_


@pytest.mark.parametrize(
    "statement",
    [
        "(l r : Tree α) (a : α) : sizeOf l < sizeOf (Tree.node l a r) := by simp; omega",
        ": sizeOf (Tree.node .leaf 5 .leaf) = 8 := rfl",
        ": sizeOf (Rose.mk 3 [.mk 0 []]) = 8 := rfl",
        ": sizeOf true = 1 := rfl",
        ": sizeOf (2 : Fin 5) = 3 := rfl",
        ": sizeOf (Sum.inl 3 : Sum Nat Bool) = 4 := by simp",
        ": sizeOf (fun _ : Unit => 5) = 5 := rfl",
        "(f : Nat → Nat) : sizeOf f = 0 := rfl",
        "(p : Prop) (h : p) : sizeOf h = 0 := rfl",
        "(s : String) : sizeOf (Name.str s n) = 1 + sizeOf s + sizeOf n := rfl",
    ],
)
def test_sizes_are_leans(messages: Check, statement: str) -> None:
    assert messages(f"{TYPES}example {statement}") == []


@pytest.mark.parametrize(
    "statement",
    [
        ": sizeOf true = 0 := rfl",
        ": sizeOf (Tree.node .leaf 5 .leaf) = 3 := rfl",
        ': sizeOf "a" = 0 := rfl',
        ': sizeOf "a" = 2 := by simp',
        ": sizeOf (fun _ : Unit => 5) = 0 := rfl",
        "(α : Type) [SizeOf α] (a : α) : sizeOf a = 0 := rfl",
        "(r : Rose) : sizeOf r = 0 := by simp",
        "(p : Pair) : sizeOf p = 1 := by cases p; simp",
        "(l r : Tree α) (a : α) : sizeOf (Tree.node l a r) < sizeOf l := by simp",
    ],
)
def test_no_type_has_size_zero_by_default(messages: Check, statement: str) -> None:
    assert any(" error " in message for message in messages(f"{TYPES}example {statement}"))


LAZY = """
inductive Lazy where
  | nil
  | cons (n : Nat) (rest : Unit → Lazy)
inductive Forest where
  | mk (n : Nat) (kids : Unit → List Forest)
inductive Wide where
  | mk (f : Unit → Nat → Wide)
"""


def test_a_delayed_value_of_the_type_itself_has_the_size_of_its_value(messages: Check) -> None:
    text = f"""{LAZY}
#check Lazy.cons.sizeOf_spec
example (n : Nat) (t : Unit → Lazy) : sizeOf (Lazy.cons n t) = 1 + n + sizeOf (t ()) := by simp
example : sizeOf (Lazy.cons 3 fun _ => .cons 2 fun _ => .nil) = 8 := rfl
example (k : Unit → List Forest) : sizeOf (Forest.mk 4 k) = 5 + sizeOf (k ()) := by simp
def Lazy.sum : Lazy → Nat
  | nil => 0
  | cons n rest => n + (rest ()).sum
termination_by s => sizeOf s
#eval (Lazy.cons 3 fun _ => .cons 2 fun _ => .nil).sum
"""
    assert [message.split(" ", 1)[1] for message in messages(text)] == [
        "info Lazy.cons.sizeOf_spec (n : Nat) (rest : Unit → Lazy) : "
        "sizeOf (Lazy.cons n rest) = 1 + sizeOf n + sizeOf rest",
        "info 5",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "(t : Unit → Lazy) : sizeOf (Lazy.cons 0 t) = 1 := by simp",
        "(t : Unit → Lazy) : sizeOf (Lazy.cons 0 t) < sizeOf (t ()) := by simp",
        "(k : Unit → List Forest) : sizeOf (Forest.mk 0 k) = 1 := by simp",
        "(w : Wide) : sizeOf w = sizeOf w := rfl",
    ],
)
def test_a_delayed_value_is_not_free(messages: Check, statement: str) -> None:
    (message,) = messages(f"{LAZY}example {statement}")
    assert " error " in message


def test_no_recursion_goes_on_without_forcing_a_delayed_value(messages: Check) -> None:
    text = (
        "def f : Lazy → Nat\n  | .nil => 0\n  | .cons n t => f (.cons n t) + 1\ntermination_by s => sizeOf s"
    )
    (message,) = messages(f"{LAZY}{text}")
    assert "failed to prove termination" in message


def test_recursion_along_sizes(messages: Check) -> None:
    text = f"""{TYPES}
def merge : Tree Nat → Tree Nat → Nat
  | .leaf, _ => 0
  | .node l _ r, t => merge t l + 1 + merge r t
termination_by x y => sizeOf x + sizeOf y
inductive E where
  | num : Nat → E
  | add : E → E → E
def E.size : E → Nat
  | num _ => 1
  | add (add a b) c => 1 + (add b c).size + a.size
  | add (num _) b => b.size
#eval (E.add (.add (.num 1) (.num 2)) (.num 3)).size
def E.right : E → Nat
  | num _ => 1
  | add a b => if a.right = 1 then 2 else b.right
termination_by e => e
#print axioms E.size
"""
    assert [message.split(" ", 1)[1] for message in messages(text)] == [
        "info 3",
        "info 'E.size' depends on axioms: [propext]",
    ]


@pytest.mark.parametrize(
    "body",
    [
        "def f : Rose → False\n  | r => f r\ntermination_by r => sizeOf r",
        "def f : Rose → False\n  | .mk n rs => f (.mk n rs)\ntermination_by r => r",
        "def f : Rose → False\n  | .mk n rs => f (.mk n [.mk n rs])\ntermination_by r => sizeOf r",
        "theorem f (s : String) (r : Name) : False := f s (.str s r)\ntermination_by sizeOf r",
        "theorem f (t : Tree Nat) : False := match t with\n  | .leaf => f .leaf\n  | .node l _ _ => f l",
    ],
)
def test_sizes_prove_no_endless_recursion(messages: Check, body: str) -> None:
    found = messages(f"{TYPES}{body}\n#print axioms f")
    assert " error " in found[0]
    assert "Unknown constant `f`" in found[-1] or found[-1].endswith("'f' depends on axioms: [sorryAx]")
