"""Universes that a header leaves open: the body of a definition may determine them, a proof may not.

Source: Lean 4 `src/Lean/Elab/MutualDef.lean`, `levelMVarToParamHeaders` (4.34).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

# Theorem Proving in Lean 4 (4.34), "Axioms and Computation": the instance that decides `∃ a : α, ..` is that for
# propositions, so `α` is one, and the proof by `rfl` is proof irrelevance
LINV = """
open Classical
noncomputable def linv [Inhabited α] (f : α → β) : β → α :=
  fun b : β => if ex : (∃ a : α, f a = b) then choose ex else default
"""
LEFT_INVERSE = """
theorem linv_comp_self {f : α → β} [Inhabited α] (inj : ∀ {a b}, f a = f b → a = b) : linv f ∘ f = id :=
  funext fun a =>
    have ex  : ∃ a₁ : α, f a₁ = f a := ⟨a, rfl⟩
    have feq : f (choose ex) = f a  := choose_spec ex
    calc linv f (f a)
      _ = choose ex := rfl
      _ = a         := inj feq
"""


def texts(found: list[str]) -> list[str]:
    return [message.split(" ", 1)[1] for message in found]


def test_the_body_makes_a_type_a_proposition(messages: Check) -> None:
    assert texts(messages(f"{LINV}{LEFT_INVERSE}#check @linv")) == [
        "info @linv : ∀ {α : Prop} {β : Sort u_1} [Inhabited α] (f : α → β) (a : β), α"
    ]


def test_a_choice_of_data_is_not_the_condition(messages: Check) -> None:
    data = "{α : Type u} {β : Type v} [Inhabited α]"
    text = LINV.replace("[Inhabited α]", data) + LEFT_INVERSE.replace("[Inhabited α]", "").replace(
        "{f : α → β}", f"{data} {{f : α → β}}"
    )
    (message,) = messages(text)
    assert "error Type mismatch" in message
    assert messages(text.replace("choose ex := rfl", "choose ex := dif_pos ex")) == []


def test_a_definition_takes_the_universes_of_its_body(messages: Check) -> None:
    text = """
def asList (x : α) := [x]
#check @asList
def self (α : Sort _) (x : α) : List α := [x]
#check self
def rec' (x : α) : Nat → List α
  | 0 => []
  | n + 1 => x :: rec' x n
#check @rec'
def tac (x : α) : α := by
  trace_state
  exact x
"""
    assert texts(messages(text)) == [
        "info @asList : {α : Type u_1} → α → List α",
        "info self.{u_1} (α : Type u_1) (x : α) : List α",
        "info @rec' : {α : Type u_1} → α → Nat → List α",
        "trace α : Sort u_1\nx : α\n⊢ α",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "theorem t (α : Sort _) (x y : α) : x = y := proof_irrel x y",
        "example : (fun (α : Sort _) (x y : α) => x = y) Nat 0 1 := proof_irrel 0 1",
        "def f (α : Sort _) (x y : α) : x = y := proof_irrel x y",
        "def u (α : Sort _) (x y : α) : PLift (x = y) := ⟨proof_irrel x y⟩\nexample : 0 = 1 := (u Nat 0 1).down",
    ],
)
def test_a_statement_keeps_its_universes(messages: Check, text: str) -> None:
    found = messages(text)
    assert " error " in found[0]


AMBIGUOUS = "def g.{u, v} (α : Sort (max u v)) : Nat := 1\ndef k.{u, v} (α : Sort (imax u v)) : Nat := 1\n"


@pytest.mark.parametrize(
    "example",
    [
        "example (β : Type w) : Nat := g β",
        "example (β : Type w) : Nat := k β",
        "theorem t (β : Type w) : g β = g β := rfl",
        "example (β : Type w) : Nat := by exact g β",
        "example (β : Type w) : g β = 1 := by\n  have h := g β\n  rfl",
    ],
)
def test_universes_that_nothing_determines_are_stuck(messages: Check, example: str) -> None:
    (message,) = messages(AMBIGUOUS + example)
    assert re.search(r" error stuck at solving universe constraint\n  max \?u\.\d+ \?u\.\d+ =\?= w$", message)


@pytest.mark.parametrize(
    "example",
    [
        "example (β : Type) : Nat := g β",
        "example (p : Prop) : Nat := g p + k p",
        "example (β : Type w) : Nat := g.{w + 1, w + 1} β",
        "example (β : Type w) : g.{w + 1, 0} β = 1 := by first | exact (rfl : g β = 1) | rfl",
    ],
)
def test_universes_that_something_determines_are_solved(messages: Check, example: str) -> None:
    assert messages(AMBIGUOUS + example) == []
