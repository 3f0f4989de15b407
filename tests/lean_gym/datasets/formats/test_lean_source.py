import pytest

from lean_gym.datasets.formats.lean_source import (
    binder_names,
    commands,
    declared_name,
    has_sorry,
    imported_modules,
    mask,
    renamed,
    statement_of,
    theorem_at,
    theorems_in,
)

FILE = """\
/- theorem commented (p : Prop) : p := sorry -/
import Mathlib.Order
import Mathlib.Data /- nested /- comment -/ -/

open Nat -- the naturals
variable {α : Type}

/-- `theorem quoted : False` -/
def twice (n : Nat) : Nat :=
  n + n

/-- First. -/
theorem first (n : Nat)
(h : n = n)
: twice n = n + n :=
sorry

instance made_up : Inhabited α := sorry

open Classical in
@[simp]
lemma second (s : String := "theorem x := ") : s = s := by
  rfl

example : True := trivial
#check first
"""


def test_a_file_becomes_theorems_with_what_stands_before_them():
    first, second = theorems_in(FILE)
    assert (first.name, first.line, first.imports) == ("first", 13, ("Mathlib.Order", "Mathlib.Data"))
    assert first.statement == "theorem first (n : Nat)\n(h : n = n)\n: twice n = n + n"
    assert first.context == "open Nat\nvariable {α : Type}\ndef twice (n : Nat) : Nat :=\n  n + n"
    assert second.statement == 'lemma second (s : String := "theorem x := ") : s = s'
    # Neither the other theorem, nor the unproved instance; but what its own `open ... in` says.
    assert second.context == first.context + "\nopen Classical"


def test_a_string_at_the_end_is_kept():
    parts = commands('def a := "x" -- no\ndef b := "y"\n\n/- no -/\n')
    assert [part.text for part in parts] == ['def a := "x"', 'def b := "y"']
    assert statement_of('theorem t : a = "x" -- no\n') == 'theorem t : a = "x"'


def test_masking_keeps_offsets_and_blanks_comments_and_strings():
    source = "a -- b\n/- c /- d -/ -- e -/ f \"g -- h\" '\"' x' y'"
    masked = mask(source)
    assert len(masked) == len(source)
    assert masked.split() == ["a", "f", "x'", "y'"]
    assert masked.index("f") == source.index("f")
    assert mask("/- never closed\nx").split() == []
    assert mask("a -/ b") == "a -/ b"


@pytest.mark.parametrize(
    ("declaration", "statement"),
    [
        ("theorem a : p := sorry", "theorem a : p"),
        ("theorem a : p := by sorry", "theorem a : p"),
        ("theorem a : p := by\n  sorry -- easy", "theorem a : p"),
        ("theorem a : p :=", "theorem a : p"),
        ("theorem a : p := by", "theorem a : p"),
        ("theorem a : p", "theorem a : p"),
        ("theorem a : p := fun x => (y := 2)", "theorem a : p"),
        ("theorem a : let x := 2; x = 2 := by norm_num", "theorem a : let x := 2; x = 2"),
        ("theorem a (h : p := by simp) : p := h", "theorem a (h : p := by simp) : p"),
        ("theorem a : p → q\n  | h => absurd h", "theorem a : p → q"),
        ("theorem a : x\n  | y ∧ y := sorry", "theorem a : x\n  | y ∧ y"),
    ],
)
def test_a_statement_ends_where_its_proof_begins(declaration, statement):
    assert statement_of(declaration) == statement


def test_a_placeholder_gets_the_answer_behind_it():
    (theorem,) = theorems_in(
        "abbrev p1_solution : Nat → Nat := sorry\n-- fun n => n + 1\n/-- What? -/\n"
        "theorem p1 : p1_solution 1 = 2 := sorry"
    )
    assert theorem.context == "abbrev p1_solution : Nat → Nat := fun n => n + 1"


@pytest.mark.parametrize(
    "definition",
    [
        "abbrev p1_solution : Nat := sorry",
        "abbrev p1_solution : Nat := sorry\n/-- 3 -/",
        "abbrev p1_solution : Nat := sorry\n\n\n-- Another section",
        "abbrev p1_solution : Nat × Nat := (sorry, sorry)\n-- 3",
        "def p1_value : Nat := sorry\n-- TODO",
    ],
)
def test_a_placeholder_without_a_clear_answer_stays(definition):
    name = definition.split()[1]
    (theorem,) = theorems_in(f"{definition}\ntheorem p1 : {name} = {name} := sorry")
    assert has_sorry(theorem.context)


def test_sorry_is_a_word_of_code():
    assert has_sorry("x := sorry")
    assert not has_sorry("x -- sorry")
    assert not has_sorry("sorry' Nat.sorry mysorry")


@pytest.mark.parametrize(
    ("statement", "context", "names"),
    [
        ("theorem a {α β : Type*} [Group α] [i : Ring β] ⦃x : α⦄ (h : x = y) : z = x", "", "α β i x h"),
        ("theorem a : (y : Nat) = 2", "", ""),
        ("theorem a n (m) : n = m", "", "n m"),
        ("theorem a.{u} : p", "variable (p : Prop) {q}\nopen Nat\nvariable (r)", "u p q r"),
        ("theorem a (f : (x : Nat) → Fin x) (h : p := by simp) : q", "def g (y : Nat) := y", "f h"),
    ],
)
def test_names_that_are_declared(statement, context, names):
    assert binder_names(statement, context) - {"."} == set(names.split())


def test_renaming_drops_what_stands_before_the_keyword():
    assert (
        renamed("@[simp] protected theorem A.b' (n : Nat) : A.b' = n", "c")
        == "theorem c (n : Nat) : A.b' = n"
    )
    assert declared_name("lemma «odd name» : p") == "«odd name»"
    assert declared_name("def x := 1") is None
    with pytest.raises(ValueError, match="got 'def x := 1', expected Lean source starting with"):
        renamed("def x := 1", "y")


def test_a_theorem_by_its_lines_keeps_all_of_the_file_before_it():
    source = (
        "import A\n\nnamespace N\ntheorem x : p := h\n\n/-- doc -/\ntheorem y : q := by\n  exact x\nend N\n"
    )
    found = theorem_at(source, "N.y", 6, 8)
    assert found is not None
    assert (found.statement, found.imports) == ("theorem y : q", ("A",))
    assert found.context == "namespace N\ntheorem x : p := h"
    assert theorem_at(source, "N.y", 1, 5) is None
    assert theorem_at(source, "N.z", 6, 8) is None


def test_commands_keep_the_comments_after_them():
    first, second = commands("open A -- why\n\n-- then\nsection\n")
    assert (first.text, first.after) == ("open A", " -- why\n\n-- then\n")
    assert (second.text, second.start) == ("section", 23)
    assert [command.text for command in commands("noncomputable\ndef x := 1\n@[simp]\nlemma y : p := q")] == [
        "noncomputable\ndef x := 1",
        "@[simp]\nlemma y : p := q",
    ]
    assert commands("") == commands("-- nothing") == []
    assert imported_modules("public import all A\n-- import B\nimport C") == ("A", "C")
