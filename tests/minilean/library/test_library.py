"""The library: proved from its source with the cache off, on the three axioms only, with core Lean's statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_gym.minilean.kernel.declaration import Axiom, TheoremDecl
from lean_gym.minilean.kernel.expr import alpha_eq
from lean_gym.minilean.library import library
from lean_gym.minilean.library.listing import listing
from lean_gym.minilean.load import build_library

ROOT = Path(__file__).resolve().parents[3]
AXIOMS = {"propext", "Classical.choice", "Quot.sound"}


def test_everything_is_proved_and_agrees_with_the_cache() -> None:
    built = build_library()
    cached = library()
    assert list(built.kernel) == list(cached.kernel)
    for name in built.kernel:
        declaration = built.kernel.get(name)
        if isinstance(declaration, Axiom):
            assert name in AXIOMS
        if isinstance(declaration, TheoremDecl):
            assert declaration.value is not None
            assert set(declaration.axioms) <= AXIOMS
        assert alpha_eq(cached.kernel.get(name).type, declaration.type)
    assert built.simp_lemmas == cached.simp_lemmas
    assert built.equations == cached.equations
    assert built.matchers == cached.matchers
    assert built.recursions.keys() == cached.recursions.keys()


@pytest.mark.parametrize(
    ("row", "simp"),
    [
        ("List.append_nil.{u} {α : Type u} (as : List α) : as ++ [] = as", True),
        ("List.length_append.{u} {α : Type u} {as bs : List α} : (as ++ bs).length = as.length + bs.length", True),
        ("List.mem_cons.{u} {α : Type u} {a b : α} {l : List α} : a ∈ b :: l ↔ a = b ∨ a ∈ l", True),
        ("Nat.div_add_mod (m k : Nat) : k * (m / k) + m % k = m", False),
        ("Nat.mod_lt (x : Nat) {y : Nat} : y > 0 → x % y < y", False),
        ("Nat.dvd_trans {a b c : Nat} (h₁ : a ∣ b) (h₂ : b ∣ c) : a ∣ c", False),
        ("Bool.and_comm (x y : Bool) : (x && y) = (y && x)", False),
        ("Option.getD_some.{u} {α : Type u} {a b : α} : (some a).getD b = a", True),
    ],
)  # fmt: skip
def test_statements_are_core_leans(row: str, simp: bool) -> None:
    mark = "*" if simp else " "
    assert f"{mark} theorem {row}" in listing().splitlines()


def test_the_page_is_what_the_script_writes() -> None:
    assert (ROOT / "docs" / "library.md").read_text("utf-8") == listing()
