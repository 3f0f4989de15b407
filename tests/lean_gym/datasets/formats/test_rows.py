import json

import pytest

from lean_gym.datasets import load_theorems
from lean_gym.datasets.formats.lean_source import declared_name
from lean_gym.datasets.formats.rows import (
    check_unique,
    row_from_theorem,
    theorem_from_row,
    theorem_from_statement,
)
from lean_gym.errors import DataError
from lean_gym.types import Theorem

ROW = {
    "name": "add_zero",
    "statement": "theorem add_zero (n : Nat) : n + 0 = n",
    "context": "",
    "imports": [],
}
FULL = {
    **ROW,
    "context": "open Nat",
    "imports": ["Init"],
    "split": "train",
    "domain": "nat",
    "difficulty": 0.25,
    "proof": "rfl",
    "automation": False,
    "permitted_axioms": [],
}


def test_a_row_becomes_a_theorem_and_back():
    theorem = theorem_from_row(FULL, "here")
    assert theorem == Theorem(
        name="add_zero",
        statement="theorem add_zero (n : Nat) : n + 0 = n",
        context="open Nat",
        imports=("Init",),
        split="train",
        domain="nat",
        difficulty=0.25,
        proof="rfl",
        automation=False,
        permitted_axioms=(),
    )
    assert row_from_theorem(theorem) == FULL
    assert list(row_from_theorem(theorem)) == list(FULL)
    assert row_from_theorem(theorem_from_row(ROW, "here")) == ROW


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"statment": "x"}, r"unknown field 'statment'; did you mean 'statement'\?"),
        ({"name": 3}, "field 'name': got 3, expected a string"),
        ({"name": " "}, "field 'name': got ' ', expected a name"),
        ({"name": "other"}, "field 'name': got 'other', but the statement declares 'add_zero'"),
        ({"context": None}, "field 'context': got None, expected a string"),
        ({"imports": "Init"}, "field 'imports': got 'Init', expected a list of module names"),
        ({"imports": [1]}, "field 'imports': got .1., expected a list"),
        ({"difficulty": 1.5}, "field 'difficulty': got 1.5, expected a number from 0 to 1"),
        ({"difficulty": True}, "field 'difficulty': got True"),
        ({"difficulty": float("nan")}, "field 'difficulty': got nan"),
        ({"automation": "yes"}, "field 'automation': got 'yes', expected true, false or null"),
        (
            {"permitted_axioms": "propext"},
            "field 'permitted_axioms': got 'propext', expected a list of names of axioms",
        ),
        ({"automation": 1}, "field 'automation': got 1, expected true, false or null"),
        ({"statement": "n + 0 = n"}, "field 'statement': got 'n . 0 = n', expected Lean source starting"),
        (
            {"statement": "theorem add_zero : p := by simp"},
            "field 'statement': got .*, expected the source up to",
        ),
    ],
)
def test_a_bad_row_names_place_and_field(change, message):
    with pytest.raises(DataError, match=f"^set.jsonl, line 7: {message}"):
        theorem_from_row({**ROW, **change}, "set.jsonl, line 7")


@pytest.mark.parametrize("missing", ["name", "statement"])
def test_a_missing_field_is_named(missing):
    row = {key: value for key, value in ROW.items() if key != missing}
    with pytest.raises(DataError, match=f"here: field '{missing}' is missing"):
        theorem_from_row(row, "here")


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("theorem foo : p", "foo"),
        ("theorem Nat.foo' (n : Nat) : n = n", "Nat.foo'"),
        ("theorem foo.{u} (α : Type u) : p", "foo"),
        ("theorem «odd name».b: p", "«odd name».b"),
        ("lemma foo{p : Prop} : p → p", "foo"),
    ],
)
def test_the_declared_name_is_found(statement, name):
    theorem = theorem_from_statement(statement, 0, "here")
    assert theorem.name == name
    assert theorem.statement == statement


@pytest.mark.parametrize(
    ("statement", "name", "kept"),
    [
        ("@[simp, norm_cast] theorem a : True", "a", "theorem a : True"),
        (
            "/-- What it says. -/\n@[simp]\nprivate lemma A.b (x : Nat) : x = x",
            "A.b",
            "lemma A.b (x : Nat) : x = x",
        ),
        ("-- a note\nprotected theorem «c d».{u} : True", "«c d»", "theorem «c d».{u} : True"),
    ],
)
def test_what_stands_in_front_of_a_theorem_is_dropped(statement, name, kept):
    theorem = theorem_from_statement(statement, 0, "here")
    assert (theorem.name, theorem.statement) == (name, kept)


def test_statements_without_a_name_get_one():
    assert theorem_from_statement("∀ n : Nat, n = n", 3, "here") == Theorem(
        "statement_3", "theorem statement_3 : ∀ n : Nat, n = n"
    )
    assert theorem_from_statement("example (p : Prop) : p → p", 0, "here").statement == (
        "theorem statement_0 (p : Prop) : p → p"
    )


@pytest.mark.parametrize(
    "statement", ["", "  ", "theorem : p", "theorem foo : p := sorry", "theorem foo : p :="]
)
def test_unusable_statements_are_refused(statement):
    with pytest.raises(DataError, match="here: field 'statement'"):
        theorem_from_statement(statement, 0, "here")


def test_names_are_unique():
    theorem = theorem_from_row(ROW, "here")
    with pytest.raises(DataError, match="line 2: field 'name': 'add_zero' is taken already by line 1"):
        check_unique([theorem, theorem], ["line 1", "line 2"])


@pytest.mark.parametrize(
    ("text", "context", "statement"),
    [
        ("open Nat in\ntheorem t : succ 0 = 1", "open Nat", "theorem t : succ 0 = 1"),
        ("/-- d -/ open Nat in @[simp] theorem t : p", "open Nat", "theorem t : p"),
        ("open Nat in /-- d -/ theorem t : p", "open Nat", "theorem t : p"),
        (
            "set_option maxRecDepth 900 in open A B in lemma t : p",
            "set_option maxRecDepth 900\nopen A B",
            "lemma t : p",
        ),
        ("universe u in example (a : Sort u) : p", "universe u", "theorem statement_0 (a : Sort u) : p"),
        ("/-- d -/ example : p", "", "theorem statement_0 : p"),
        ("-- open Nat in\n∀ x, p x", "", "theorem statement_0 : ∀ x, p x"),
    ],
)
def test_commands_in_front_of_a_statement_are_its_context(text, context, statement):
    theorem = theorem_from_statement(text, 0, "here")
    assert (theorem.context, theorem.statement) == (context, statement)


@pytest.mark.parametrize(
    "row",
    [
        {
            "name": "a",
            "formal_statement": "theorem a : p := sorry",
            "header": "import Mathlib",
        },  # miniF2F, Goedel
        {"id": 1, "formal_statement": "theorem a : p := by sorry", "status": "proved"},  # Lean-Workbook
        {
            "uuid": "1-2",
            "problem": "?",
            "formal_statement": "import Mathlib\ntheorem a : p := by sorry",
        },  # NuminaMath
        {"name": "a", "lean4_statement": "theorem a : p := sorry"},  # PutnamBench
        {"id": "a", "lean4_formalization": "theorem a : p"},  # ProofNet
        {"problem_id": "a", "full_proof": "import Mathlib\ntheorem a : p := h"},  # Goedel
        {"name": "a", "statement": "import Mathlib\ntheorem a : p := by sorry", "tags": []},  # Kimina
    ],
)
def test_rows_of_published_sets_name_the_reader_that_takes_them(row, tmp_path):
    with pytest.raises(DataError, match="a row of a published benchmark: load 'minif2f:FILE'"):
        theorem_from_row(row, "here")
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row))
    (theorem,) = load_theorems(f"minif2f:{path}")
    assert declared_name(theorem.statement) == theorem.name and theorem.statement.endswith(" : p")


def test_a_slip_in_a_row_of_ones_own_is_no_benchmark():
    with pytest.raises(DataError) as told:
        theorem_from_row({**ROW, "statment": "x"}, "here")
    assert "published" not in str(told.value)
