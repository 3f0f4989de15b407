"""Universes that a header leaves open: the body of a definition may determine them, a proof may not.

Source: Lean 4 `src/Lean/Elab/MutualDef.lean`, `levelMVarToParamHeaders` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

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
