"""Terms and fields that are notation for others, and queries about them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]
POINT = "structure Pt where\n  x : Nat\n  y : Nat\nstructure Hue where\n  hue : Nat\n"


def info(messages: list[str]) -> list[str]:
    return [m.split(" ", 2)[2] if " info " in m else m for m in messages]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("#check (Σ n k : Nat, Fin (n + k))", "(n : Nat) × (k : Nat) × Fin (n + k) : Type"),
        ("#check (n : Nat) × Fin n", "(n : Nat) × Fin n : Type"),
        ("#check fun (p : (n : Nat) ×' (n = 0)) => p.1", "fun p => p.fst : (n : Nat) ×' n = 0 → Nat"),
        ("#check bif true then 1 else 2", "bif true then 1 else 2 : Nat"),
        ("#eval if let some x := some 4 then x else 0", "4"),
        ("#eval let f : Nat → Nat\n  | 0 => 7\n  | n + 1 => n\n  f 5 + f 0", "11"),
        ("#eval 12_345", "12345"),
        ("#check Nat × Bool", "Nat × Bool : Type"),
        ("#check @Sigma.mk", "@Sigma.mk : {α : Type u_1} → {β : α → Type u_2} → (fst : α) → β fst → Sigma β"),
        ("#synth Inhabited (Nat × Bool)", "instInhabitedProd"),
    ],
)
def test_abbreviations_mean_what_lean_says(messages: Check, text: str, shown: str) -> None:
    assert info(messages(text)) == [shown]


@pytest.mark.parametrize(
    "pair", ["(n : Nat) × Fin (n + 1)", "(n : Nat) ×' (n = n)", "Σ n : Nat, Fin (n + 1)"]
)
def test_a_pair_type_is_the_one_of_core_whatever_has_its_name(messages: Check, pair: str) -> None:
    own = "namespace Own\ndef Sigma (_ : Nat → Type) : Type := Bool\ndef PSigma (_ : Nat → Prop) : Type := Bool\n"
    proof = "rfl" if "'" in pair else "0"
    assert (
        messages(
            f"{own}example : {pair} := ⟨2, {proof}⟩\nend Own\nopen Own\nexample : {pair} := ⟨2, {proof}⟩"
        )
        == []
    )


def test_strict_implicit_binders_in_ascii(messages: Check) -> None:
    text = "def sym (r : Nat → Nat → Prop) : Prop := ∀ {{a b : Nat}}, r a b → r b a\n"
    text += "example (h : sym Eq) (e : 1 = 2) : 2 = 1 := h e\nexample (h : sym Eq) : sym Eq := h"
    assert messages(text) == []


def test_a_structure_takes_fields_from_several_sources(messages: Check) -> None:
    text = POINT + "structure Both extends Pt, Hue\n"
    text += "def p : Pt := { x := 1, y := 2 }\ndef h : Hue := { hue := 3 }\n"
    text += "def b : Both := { p, h with y := 9 }\ndef c : Both := { p with hue := 5 }\n"
    text += "example : (b.x, b.y, b.hue) = (1, 9, 3) := rfl\nexample : (c.x, c.y, c.hue) = (1, 2, 5) := rfl\n"
    assert messages(text) == []
    assert messages(text + "def d : Both := { p with x := 1 }") == ["13:16 error Fields missing: `hue`"]
    # the type of a source may be known only after the arguments that follow
    assert (
        messages(POINT + "example (ps : List Pt) : List Pt := List.map (fun p => { p with x := 1 }) ps") == []
    )
    assert messages(POINT + "example (ps : List Pt) : List Pt := ps.map fun p => { p with x := 1 }") == []
    (said,) = messages(POINT + "example : Pt := { (1 : Nat) with x := 1 }")
    assert said.endswith("error `Nat` is not a structure")
    (said,) = messages(POINT + "example (f : Nat → Nat) : Pt := { f with x := 1 }")
    assert said.endswith("error expected structure")


def test_fields_by_equations(messages: Check) -> None:
    text = (
        "class Size (α : Type) where\n  size : α → Nat\ninstance : Size Bool where\n  size\n    | true => 1\n"
    )
    assert messages(text + "    | false => 0\nexample : Size.size true = 1 := rfl") == []
    assert "Missing cases" in messages(text)[0]


def test_print_shows_types_and_structures(messages: Check) -> None:
    assert info(messages("theorem t {p q : Prop} (hp : p) (_ : q) : p := hp\n#print t")) == [
        "theorem t : ∀ {p q : Prop}, p → q → p :=\nfun {p q} hp x => hp"
    ]
    assert info(messages(POINT + "#print Pt")) == [
        "structure Pt : Type\nnumber of parameters: 0\nfields:\n  Pt.x : Nat\n  Pt.y : Nat\n"
        "constructor:\n  Pt.mk (x y : Nat) : Pt"
    ]
    assert info(messages("#print Or")) == [
        "inductive Or : Prop → Prop → Prop\nnumber of parameters: 2\nconstructors:\n"
        "Or.inl : ∀ {a b : Prop}, a → a ∨ b\nOr.inr : ∀ {a b : Prop}, b → a ∨ b"
    ]


def test_indices_of_a_family_without_constructors_are_parameters(messages: Check) -> None:
    assert info(messages("inductive E : Nat → Prop\n#check @E.rec\n#print E")) == [
        "@E.rec : {a : Nat} → (motive : E a → Sort u_1) → (t : E a) → motive t",
        "inductive E : Nat → Prop\nnumber of parameters: 1\nconstructors:",
    ]


def test_functions_are_not_evaluated(messages: Check) -> None:
    assert messages("#eval fun n : Nat => n") == [
        "1:0 error Could not synthesize a `ToExpr`, `Repr`, or `ToString` instance for type\n  Nat → Nat"
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('#eval m!"n"', "interpolated strings"),
        ("#check 1 &&& 2", "the operator `&&&`"),
    ],
)
def test_what_is_outside_is_refused_by_name_and_once(messages: Check, text: str, what: str) -> None:
    found = messages(text)
    assert len(found) == 1
    assert found[0].split(" error ")[1] == f"unsupported: {what}"
