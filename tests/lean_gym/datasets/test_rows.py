import pytest

from lean_gym.datasets.rows import check_unique, row_from_theorem, theorem_from_row, theorem_from_statement
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
