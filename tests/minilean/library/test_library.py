"""The library: core Lean's statements under core Lean's names, and the page that lists them."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from minilean.kernel.declaration import TheoremDecl
from minilean.library import library
from minilean.library.listing import listing
from minilean.library.load import library_files


@cache
def page() -> str:
    return listing()


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
        ("Bool.and_eq_false_imp {x y : Bool} : (x && y) = false ↔ x = true → y = false", True),
        ("Bool.not_eq_eq_eq_not {a b : Bool} : (!a) = b ↔ a = !b", True),
        ("beq_iff_eq.{u} {α : Type u} [BEq α] [LawfulBEq α] {a b : α} : (a == b) = true ↔ a = b", True),
        ("List.cons_ne_nil.{u} {α : Type u} (a : α) (l : List α) : a :: l ≠ []", False),
        ("List.mem_singleton.{u} {α : Type u} {a b : α} : a ∈ [b] ↔ a = b", False),
        ("List.reverse_inj.{u} {α : Type u} {xs ys : List α} : xs.reverse = ys.reverse ↔ xs = ys", True),
        ("List.getLast_mem.{u} {α : Type u} {l : List α} (h : l ≠ []) : l.getLast h ∈ l", True),
        ("List.drop_one.{u} {α : Type u} {l : List α} : List.drop 1 l = l.tail", True),
        ("List.Perm.length_eq.{u} {α : Type u} {l₁ l₂ : List α} (h : l₁.Perm l₂) : l₁.length = l₂.length", False),
        ("Nat.add_mul_div_left (x z : Nat) {y : Nat} (H : 0 < y) : (x + y * z) / y = x / y + z", False),
        ("Nat.mod_mod (a n : Nat) : a % n % n = a % n", True),
        ("Nat.dvd_gcd {k m n : Nat} : k ∣ m → k ∣ n → k ∣ m.gcd n", False),
        ("Nat.lt_two_pow_self {n : Nat} : n < 2 ^ n", False),
        ("Nat.dvd_sub {k m n : Nat} (h₁ : k ∣ m) (h₂ : k ∣ n) : k ∣ m - n", False),
        ("Fin.val_add {n : Nat} (a b : Fin n) : ↑(a + b) = (↑a + ↑b) % n", False),
        ("Function.injective_id.{u} {α : Sort u} : Function.Injective id", False),
    ],
)  # fmt: skip
def test_statements_are_core_leans(row: str, simp: bool) -> None:
    mark = "*" if simp else " "
    assert f"{mark} theorem {row}" in page().splitlines()


def listed_names(section: str) -> list[str]:
    """The names of the declarations that a section of the page lists."""
    return [
        row[1].split(".{")[0]
        for row in re.finditer(r"^[* ] (?:theorem|def|type|axiom) +(\S+)", section, re.M)
    ]


def test_the_page_lists_every_declaration_once() -> None:
    names = listed_names(page())
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert [name for name in names if library().find(name) is None] == []
    theorems = {name for name in library().kernel if isinstance(library().kernel.get(name), TheoremDecl)}
    # Made with a definition or a type, not written in the library.
    made = re.compile(r".*\.(eq_def|eq_\d+|inj|injEq|sizeOf_spec|differ)")
    assert [name for name in sorted(theorems - set(names)) if not made.fullmatch(name)] == []


@pytest.mark.parametrize("path", library_files(), ids=lambda path: path.stem)
def test_a_section_has_as_many_theorems_as_its_source(path: Path) -> None:
    source = re.sub(r"/-.*?-/|--[^\n]*", "", path.read_text("utf-8"), flags=re.DOTALL)
    section = page().partition(f"\n## {path.stem}\n")[2].partition("\n## ")[0]
    assert listed_names(section)
    assert len(re.findall(r"^[* ] theorem ", section, re.M)) == len(re.findall(r"\btheorem\s+\S", source))


@pytest.mark.parametrize(
    "name",
    ["Bool.and_comm", "List.append_assoc", "List.Perm.length_eq", "Fin.ext", "Option.bind_assoc"],
)
def test_no_axioms_where_core_needs_none(name: str) -> None:
    assert library().kernel.get(name).axioms == ()  # type: ignore[attr-defined]
