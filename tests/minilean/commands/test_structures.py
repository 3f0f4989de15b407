"""Fields of structures: brackets, binders, tactics, instances found for them; types in dotted names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    "text",
    [
        # instance fields are found, after any kind of field
        "structure P where\n  p : Nat → Prop\n  [inst : DecidablePred p]\nexample : P := { p := fun n => n < 9 }",
        "structure P where\n  x : Nat\n  p : Prop := x < 3\n  [i : Decidable p]\nexample : P := { x := 0 }",
        # tactics of a field run below its binders when an instance omits the field
        "class Op (α) where\n  op : α → α → α\nclass Unital (α) extends Op α where\n  one : α\n"
        "  unit (a : α) : Op.op one a = a := by intros; rfl\n"
        "example : Unital (α → α) := { op := Function.comp, one := id }",
        "class Order (α : Type u) extends LE α, LT α, Max α where\n  ltDecidable : DecidableRel (@LT.lt α _)\n"
        "  max_def x y : max x y = if x < y then x else y",
        "inductive Perm : List α → List α → Prop\n  | nil : Perm [] []\n  | cons : Perm l k → Perm (a :: l) (a :: k)\n"
        "example : ∀ l : List α, Perm l l := fun l => by\n  induction l with\n  | nil => exact .nil\n"
        "  | cons _ _ ih => exact .cons ih",
        # a name that occurs only in the type of the type is an index, which may vary
        "inductive T : Nat → Type\n  | one : T n\ninductive Same : T n → T m → Prop\n  | refl : Same t t\n"
        "example (h : Same (t : T 2) u) : Same u t := by\n  cases h\n  exact .refl",
        "structure P where\n  x : Nat\nexample : P := let x := 3; { x }",
        "def _root_.Nat.half : Nat → Nat\n  | n + 2 => n.half + 1\n  | _ => 0\nexample : Nat.half 5 = 2 := rfl",
        "namespace A\ninductive B.T where\n  | s : T → T\n  | z\ndef B.T.size : B.T → Nat\n"
        "  | .s a => a.size + 1\n  | .z => 0\nexample : (B.T.s .z).size = 1 := rfl",
        "namespace A.B\ndef x := 3\nend A.B\nopen A B in\nexample : x = 3 := rfl",
        # undetermined universes of fields become the universe of the type
        "inductive Member : α → List α → Type u\n  | head : Member a (a :: as)\n"
        "  | tail : Member a bs → Member a (b :: bs)\nexample {α : Type u} (a b : α) : Member a [b, a] := .tail .head",
        "structure P where\n/-- info: 3 -/\n#guard_msgs in\n#eval 3",
        "inductive P where\n  | mk (α : Type _) (a : α)",
        "inductive P : Type 1 where\n  | mk : B → P",
        "inductive P : Type 1 where\n  | mk (α) (a : α) : P",
        "inductive P : Type 1 where\n  | mk (α : Sort _) (a : α) : P",
        "inductive P : Type 1 where\n  | mk (α : Type _) (a : α) : P",
    ],
)
def test_lean_accepts(messages: Check, text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            "structure P where\n  p : Prop\n  [i : Decidable p]\nexample (q : Prop) : P := { p := q }",
            "Decidable",
        ),
        (
            "class C (α) where\n  a : α\n  h (b : α) : a = b := by intros; rfl\nexample : C Nat := { a := 0 }",
            "Tactic `rfl` failed",
        ),
        (
            "inductive Member : α → List α → Type 1\n  | head : Member a (a :: as)",
            "constructor `Member.head`: Parameter `as` has type\n  List α\nat universe level\n  u_1 + 1\n",
        ),
        # names after a field's own name are its binders
        ("structure P where\n  x y : Nat", "Failed to infer type of binder `y`"),
        ("structure P where\n  x : _", "error Failed to infer type of field `x`"),
        ("inductive P where\n  | mk (x : _)", "error Failed to infer type of binder `x`"),
        (
            "inductive P : Nat where",
            "error Invalid resulting type: Expected a sort or an indexed family of sorts\n",
        ),
        ("structure P : Nat where", "error Invalid resulting type: Expected a sort\n"),
        (
            "inductive P : Type where\n  | mk : A → P",
            "error Constructor field `A` of `P.mk` contains universe level m",
        ),
        (
            "inductive P : Type u where\n  | mk : A → P",
            "error Constructor field `A` of `P.mk` contains universe level",
        ),
        (
            "inductive P where\n  | mk : A → P",
            "error Constructor field `A` of `P.mk` contains universe level metav",
        ),
        # of an instance, what no text, default or instance of a parent gives
        ("instance : Functor List where", "error Fields missing: `map`"),
        ("instance : Monad List where", "error Fields missing: `pure`, `bind`"),
        ("instance : Monad List where\n  bind x f := []", "error Fields missing: `pure`"),
        ("instance : Applicative List where\n  pure x := [x]", "error Fields missing: `seq`"),
        (
            "class G (α : Type) extends Mul α, One α where\n  inv : α → α\ninstance : G Nat where\n  inv := id",
            "error Fields missing: `one`",
        ),
        (
            "class A (α : Type) where\n  a : α\nclass B (α : Type) extends A α where\n  b : α := A.a\n"
            "instance : B Nat where",
            "error Fields missing: `a`",
        ),
        (
            "structure Q (α : Type) where\n  v : α\ndef Q.f {b : Nat} : Nat := b\nexample (q : Q Nat) : q.f = 0 := rfl",
            "usable parameter of type `Q ...` for which to substitute `q`\n\nNote: Such a parameter must be explicit",
        ),
        (
            "structure Q where\n  v : Nat\ndef Q.f {b : Nat} : Nat := b\nexample (q : Q) : q.f = 0 := rfl",
            "usable parameter of type `Q` for which to substitute `q`\n",
        ),
        (
            "set_option relaxedAutoImplicit false in\ndef f {α : Type β} (a : α) := a",
            "unknown universe level `β`",
        ),
    ],
)
def test_lean_refuses(messages: Check, text: str, part: str) -> None:
    assert any(" error " in message and part in message for message in messages(text))


def test_tactics_stand_right_of_their_command(messages: Check) -> None:
    text = "def f (x : Nat) : Nat := by\n cases x\n exact 1\n exact 2\n#eval f 0"
    assert messages(text) == ["5:0 info 1"]
    assert messages(text.replace("\n ", "\n"))[:2] == [
        "1:25 error unsolved goals\nx : Nat\n⊢ Nat",
        "2:0 error unexpected identifier; expected command",
    ]


@pytest.mark.parametrize(
    ("text", "projection", "type_"),
    [
        ("class A (α : Type) where\n  a : Nat", "A.a", "(α : Type) → [self : A α] → Nat"),
        ("class A (α : Type) where\n  a : α", "A.a", "{α : Type} → [self : A α] → α"),
        ("class A (α : Type) where\n  a : α → Nat", "A.a", "{α : Type} → [self : A α] → α → Nat"),
        ("class A (α : Type) where\n  a : {x : α} → Nat", "A.a", "(α : Type) → [self : A α] → {x : α} → Nat"),
        ("class A (α : outParam Type) where\n  a : Nat", "A.a", "{α : outParam Type} → [self : A α] → Nat"),
        (
            "class A (α : Type) [BEq α] where\n  a : α",
            "A.a",
            "{α : Type} → {inst : BEq α} → [self : A α] → α",
        ),
        ("structure A (α : Type) [BEq α] where\n  a : Nat", "A.a", "{α : Type} → [inst : BEq α] → A α → Nat"),
        ("", "OfNat.ofNat", "{α : Type u_1} → (x : Nat) → [self : OfNat α x] → α"),
    ],
)
def test_which_parameters_a_projection_asks_for(
    messages: Check, text: str, projection: str, type_: str
) -> None:
    (message,) = messages(f"{text}\n#check @{projection}")
    # an `@` stands in front of a name whose first argument is not asked for
    assert message.partition(" info ")[2] == f"{'' if type_[0] == '(' else '@'}{projection} : {type_}"


def test_a_parameter_that_nothing_determines_is_shown(messages: Check) -> None:
    text = "class A (α : Type) where\n  a : Nat\n"
    assert messages(text + "example (α : Type) (i : A α) : i.a = A.a α := rfl") == []
    (message,) = messages(text + "example (α : Type) [A α] : A.a α = 4 := by\n  skip")
    assert "⊢ A.a α = 4" in message
    (message,) = messages(text + "example (α : Type) [A α] : A.a = 4 := by\n  skip")
    assert "error" in message


@pytest.mark.parametrize(
    ("term", "holds"),
    [
        ("⟨x.a, fun n => x.run n⟩", True),
        ("⟨x.a, fun n => x.run (n + 0)⟩", True),
        ("⟨x.a, x.run⟩", True),
        ("⟨x.a, fun n => x.run (n + 1)⟩", False),
        ("⟨x.a, fun n => y.run n⟩", False),
        ("⟨y.a, fun n => x.run n⟩", False),
    ],
)
def test_eta_with_functions_as_fields(messages: Check, term: str, holds: bool) -> None:
    head = "structure S where\n  a : Nat\n  run : Nat → Nat\n"
    for sides in (f"({term} : S) = x", f"x = ({term} : S)"):
        assert (messages(f"{head}example (x y : S) : {sides} := rfl") == []) is holds
