"""`env.*` and `expr.echo`. Literal answers are those of Pantograph's own integration tests (0.3.15)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def test_expr_echo(repl: Any) -> None:
    assert repl("expr.echo", expr="λ {α : Sort (u + 1)} => List α", levels=["u"]) == {
        "expr": {"pp": "fun {α} => List α"},
        "type": {"pp": "{α : Type u} → Type u"},
    }
    assert repl("expr.echo", expr="forall (n m: Nat), n + m = m + n")["type"] == {"pp": "Prop"}
    assert repl("expr.echo", expr="2", type="Nat")["type"] == {"pp": "Nat"}


@pytest.mark.parametrize(
    ("payload", "kind"),
    [({"expr": "fun ("}, "parse"), ({"expr": "nonsense"}, "elab"), ({"expr": "2", "type": "True"}, "elab")],
)
def test_terms_that_are_none(repl: Any, payload: dict[str, str], kind: str) -> None:
    assert repl("expr.echo", **payload)["error"] == kind


def test_inspecting_a_theorem_with_its_tree(repl: Any) -> None:
    pp = "∀ (n : Nat), n + 1 = n.succ"
    assert repl("env.inspect", name="Nat.add_one") == {
        "isUnsafe": False,
        "module": "Init",
        "type": {"pp": pp},
    }
    repl("options.set", printExprAST=True)
    one = "((:c OfNat.ofNat) (:c Nat) (:lit 1) ((:c instOfNatNat) (:lit 1)))"
    plus = f"((:c HAdd.hAdd) (:c Nat) (:c Nat) (:c Nat) ((:c instHAdd) (:c Nat) (:c instAddNat)) 0 {one})"
    assert repl("env.inspect", name="Nat.add_one")["type"] == {
        "pp": pp,
        "sexp": f"(:forall n (:c Nat) ((:c Eq) (:c Nat) {plus} ((:c Nat.succ) 0)))",
    }


def test_inspecting_an_inductive_type(repl: Any) -> None:
    assert repl("env.inspect", name="Or")["inductInfo"] == {
        "all": ["Or"],
        "ctors": ["Or.inl", "Or.inr"],
        "isNested": False,
        "isRec": False,
        "isReflexive": False,
        "numIndices": 0,
        "numParams": 2,
    }
    assert repl("env.inspect", name="Or.inr")["constructorInfo"] == {
        "induct": "Or",
        "cidx": 1,
        "numParams": 2,
        "numFields": 1,
    }
    recursor = repl("env.inspect", name="Nat.rec")["recursorInfo"]
    assert (recursor["numParams"], recursor["numMotives"], recursor["numMinors"], recursor["k"]) == (
        0,
        1,
        2,
        False,
    )
    assert [(rule["ctor"], rule["nFields"]) for rule in recursor["rules"]] == [
        ("Nat.zero", 0),
        ("Nat.succ", 1),
    ]


def test_values_and_dependencies(repl: Any) -> None:
    repl("env.add", name="double", value="fun n : Nat => n + n")
    shown = repl("env.inspect", name="double", dependency=True)
    assert shown["value"] == {"pp": "fun n => n + n"}
    assert shown["typeDependency"] == ["Nat"]
    assert "HAdd.hAdd" in shown["valueDependency"]
    assert "value" not in repl("env.inspect", name="double", value=False)
    assert "value" not in repl("env.inspect", name="Nat.add_comm")


def test_adding_definitions(repl: Any) -> None:
    name = "Pantograph.mystery"
    assert repl("env.add", name=name, value="λ (a b: Prop) => Or a b", isTheorem=False) == {}
    assert repl("env.inspect", name=name, value=True) == {
        "isUnsafe": False,
        "type": {"pp": "Prop → Prop → Prop"},
        "value": {"pp": "fun a b => a ∨ b"},
    }
    polymorphic = {
        "levels": ["u"],
        "type": "(α : Type u) → α → (α × α)",
        "value": "λ (α : Type u) (x : α) => (x, x)",
    }
    assert repl("env.add", name="pair", typeErrorsAsGoals=False, **polymorphic) == {}
    assert repl("env.inspect", name="pair", value=False)["type"] == {"pp": "(α : Type u) → α → α × α"}


def test_an_added_theorem_can_be_used(repl: Any) -> None:
    repl(
        "env.add",
        name="swap",
        type="∀ p q : Prop, p ∧ q → q ∧ p",
        value="fun _ _ h => ⟨h.2, h.1⟩",
        isTheorem=True,
    )
    end = repl.step(repl.start("True ∧ False → False ∧ True"), tactic="exact swap _ _")
    assert repl.axioms(end) == ()


@pytest.mark.parametrize(
    ("payload", "kind", "part"),
    [
        ({"name": "x", "type": "False", "value": "trivial"}, "elab", "Type mismatch"),
        ({"name": "x", "type": "Nat", "value": "("}, "parse", "expected"),
        ({"name": "x", "type": "Nat", "value": "3", "isTheorem": True}, "exception", "NotAProposition"),
        ({"name": "Nat.add_comm", "type": "True", "value": "trivial"}, "exception", "AlreadyDeclared"),
        ({"name": "sorryAx", "type": "True", "value": "trivial"}, "exception", "AlreadyDeclared"),
        (
            {"name": "x", "type": "∀ n : Nat, n = n", "value": "fun n => rfl", "levels": ["u", "u"]},
            "exception",
            "Duplicate",
        ),
        ({"name": "", "value": "True"}, "arguments", "is no name of a constant"),
        ({"name": "a b", "value": "True"}, "arguments", "'a b' is no name of a constant"),
        ({"name": "a.\n.b", "value": "True"}, "arguments", "is no name of a constant"),
    ],
)
def test_what_is_not_added(repl: Any, payload: dict[str, Any], kind: str, part: str) -> None:
    answer = repl("env.add", **payload)
    assert answer["error"] == kind
    assert part in answer["desc"]
    assert repl("env.inspect", name="x")["error"] == "index"


def test_states_keep_the_environment_they_began_in(repl: Any) -> None:
    start = repl.start("True")
    repl("env.add", name="late", type="True", value="trivial", isTheorem=True)
    assert "nextStateId" not in repl("goal.tactic", stateId=start, tactic="exact late")
    assert repl.step(repl.start("True"), tactic="exact late") == 2


def test_the_catalogue_goes_to_a_file(repl: Any, tmp_path: Path) -> None:
    repl("env.add", name="mine", value="fun n : Nat => n")
    file = tmp_path / "symbols"
    answer = repl("env.catalog", filename=str(file))
    symbols = file.read_text("utf-8").splitlines()
    assert answer == {"nSymbols": len(symbols)}
    expected = {"dmine", "tNat.add_comm", "cOr.inl", "iOr", "rOr.rec", "aClassical.choice", "qQuot"}
    assert expected <= set(symbols)
    repl("env.catalog", filename=str(file), modulePrefix="Init", invertFilter=True)
    assert file.read_text("utf-8").splitlines() == ["dmine"]
    repl("env.catalog", filename=str(file), modulePrefix="Init")
    assert set(file.read_text("utf-8").splitlines()) == set(symbols) - {"dmine"}
    assert repl("env.catalog", modulePrefix="In", invertFilter=False) == {"symbols": []}


def test_a_file_that_cannot_be_written(repl: Any, tmp_path: Path) -> None:
    answer = repl("env.catalog", filename=str(tmp_path / "no" / "where"))
    assert answer["error"] == "io"
    assert "No such file" in answer["desc"]


def test_modules(repl: Any) -> None:
    assert repl("env.describe") == {"imports": ["Init"], "modules": ["Init"]}
    assert "Nat.add_comm" in repl("env.module_read", module="Init")["constNames"]
    assert repl("env.module_read", module="Mathlib") == {
        "error": "exception",
        "desc": "Module not found Mathlib",
    }


@pytest.mark.parametrize(
    ("category", "text", "head"),
    [
        ("tactic", "intro x; apply a", "intro x"),
        ("tactic", "intro x\napply a", "intro x\n"),
        ("tactic", "exact h", "exact h"),
        ("tacticSeq", "intro x; apply a", "intro x; apply a"),
        ("term", "α ∧ β ) rest", "α ∧ β "),
        ("term", "f x", "f x"),
        ("command", "theorem t : True := trivial\nopen Nat", "theorem t : True := trivial\n"),
    ],
)
def test_parsing_by_category(repl: Any, category: str, text: str, head: str) -> None:
    assert repl("env.parse", input=text, category=category) == {"pos": len(head.encode())}


@pytest.mark.parametrize(
    ("category", "text"), [("term", ")"), ("tactic", ""), ("sonnet", "x"), ("term", "(" * 5_000)]
)
def test_text_that_does_not_parse(repl: Any, category: str, text: str) -> None:
    assert repl("env.parse", input=text, category=category)["error"] == "parse"
