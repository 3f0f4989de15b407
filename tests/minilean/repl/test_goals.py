"""`goal.start`, `goal.print`, `goal.continue`, `goal.delete`.

The targets and their text are those of Pantograph's own integration tests (0.3.15) where it has them.
"""

from __future__ import annotations

import re
from typing import Any

import pytest


def test_a_start_names_state_and_root(repl: Any) -> None:
    answer = repl("goal.start", expr="∀ (p q: Prop), p ∨ q → q ∨ p")
    assert answer.keys() == {"stateId", "root"}
    assert answer["stateId"] == 0
    assert re.fullmatch(r"_uniq\.\d+", answer["root"])
    printed = repl("goal.print", stateId=0, goals=True)
    assert printed["goals"] == [
        {
            "fragment": "tactic",
            "name": answer["root"],
            "target": {"pp": "∀ (p q : Prop), p ∨ q → q ∨ p"},
            "vars": [],
        }
    ]


def test_an_unfinished_root_is_no_proof(repl: Any) -> None:
    start = repl.start("∀ (p q: Prop), p ∨ q → q ∨ p")
    untouched = repl("goal.print", stateId=start, rootExpr=True, parentExprs=True)
    assert "root" not in untouched
    assert untouched["parentExprs"] == []
    after = repl.step(start, tactic="intro x")
    printed = repl("goal.print", stateId=after, rootExpr=True, parentExprs=True)
    assert re.fullmatch(r"fun x => \?m\.\d+", printed["root"]["pp"])
    assert printed["parentExprs"] == [printed["root"]]
    assert printed["rootHasMVar"] is True
    assert printed["goals"] == []


def test_a_finished_root_is_the_term(repl: Any) -> None:
    end = repl.step(repl.start("forall (p: Prop), p -> p"), tactic="exact fun z p => p")
    printed = repl("goal.print", stateId=end, rootExpr=True)
    assert printed["root"] == {"pp": "fun z p => p"}
    flags = {key: printed[key] for key in ("rootHasMVar", "rootHasSorry", "rootHasUnsafe")}
    assert flags == {"rootHasMVar": False, "rootHasSorry": False, "rootHasUnsafe": False}


def test_no_goals_in_focus_is_no_proof(repl: Any) -> None:
    repl("options.set", automaticMode=False)
    both = repl.step(repl.start("True ∧ False"), tactic="constructor")
    left = repl.step(both, tactic="trivial")
    assert repl.shown(left) == []
    assert repl("goal.print", stateId=left)["rootHasMVar"] is True


def test_sorry_shows_in_the_root(repl: Any) -> None:
    end = repl.step(repl.start("False"), tactic="sorry")
    printed = repl("goal.print", stateId=end, rootExpr=True)
    assert printed["root"] == {"pp": "sorry"}
    assert printed["rootHasSorry"] is True


def test_sorry_behind_a_constant_shows_in_the_root(repl: Any) -> None:
    assert repl("env.add", name="cheat", type="False", value="sorry", isTheorem=True) == {}
    end = repl.step(repl.start("False"), tactic="exact cheat")
    assert repl("goal.print", stateId=end)["rootHasSorry"] is True
    assert repl.axioms(end) == ("sorryAx",)


def test_what_a_named_metavariable_became(repl: Any) -> None:
    start = repl.start("∀ p : Prop, p → p")
    goal = repl("goal.tactic", stateId=start, tactic="intro p")["goals"][0]["name"]
    end = repl.step(1, tactic="exact fun h => h")
    names = [goal, "_uniq.999999999", "nonsense", "_uniq.²"]
    printed = repl("goal.print", stateId=end, extraMVars=names)
    assert printed["extraMVars"] == [{"pp": "fun h => h"}, {}, {}, {}]


def test_copying_a_statement(repl: Any) -> None:
    assert repl("goal.start", copyFrom="Nat.add_comm")["stateId"] == 0
    assert repl.shown(0) == ["⊢ ∀ (n m : Nat), n + m = m + n"]
    assert repl("goal.start", copyFrom="Nat.nothing") == {
        "error": "index",
        "desc": "Symbol not found: Nat.nothing",
    }


@pytest.mark.parametrize("payload", [{}, {"expr": "True", "copyFrom": "And.intro"}])
def test_one_source_of_the_statement_is_needed(repl: Any, payload: dict[str, str]) -> None:
    assert repl("goal.start", **payload) == {
        "error": "arguments",
        "desc": "Exactly one of {expr, copyFrom} must be supplied",
    }


def test_universe_names_have_to_be_declared(repl: Any) -> None:
    expr = "∀ (α : Type u) (a : α), a = a"
    assert repl("goal.start", expr=expr)["error"] == "elab"
    assert repl("goal.start", expr=expr, levels=["u"])["stateId"] == 0
    end = repl.step(0, tactic="exact fun _ _ => rfl")
    assert repl.axioms(end) == ()


@pytest.mark.parametrize(
    ("expr", "kind", "part"),
    [
        ("∀ (p", "parse", "<Pantograph>:1:"),
        ("nonsense", "elab", "nonsense"),
        ("Nat.zero", "elab", "type expected"),
        ("∀ x, x = _", "elab", "synthesize"),
        ("(" * 500 + "True" + ")" * 500, "parse", "<Pantograph>:1:"),
        ("x" * 100_001, "parse", "100001 characters"),
        ("", "parse", "<Pantograph>:1:0"),
    ],
)
def test_a_statement_that_is_none_is_refused(repl: Any, expr: str, kind: str, part: str) -> None:
    answer = repl("goal.start", expr=expr)
    assert answer["error"] == kind
    assert part in answer["desc"]
    assert repl("stat") == {"nGoals": 0}


def test_data_may_be_a_goal(repl: Any) -> None:
    end = repl.step(repl.start("Nat → Nat"), expr="fun n => n + 1")
    assert repl("goal.print", stateId=end, rootExpr=True)["root"] == {"pp": "fun n => n + 1"}


def test_deleting_states(repl: Any) -> None:
    start = repl.start("True")
    assert repl("goal.delete", stateIds=[start, 77]) == {}
    assert repl("stat") == {"nGoals": 0}
    missing = {"error": "index", "desc": "Invalid state index 0"}
    assert repl("goal.tactic", stateId=start, tactic="trivial") == missing
    assert repl("goal.print", stateId=start) == missing
    assert repl.start("True") == 1


def test_manual_mode_hides_siblings_until_they_are_continued(repl: Any) -> None:
    repl("options.set", automaticMode=False)
    cases = repl.step(repl.start("∀ (p q: Prop), p ∨ q → q ∨ p"), tactic="intro p q h; cases h")
    assert len(repl.shown(cases)) == 2
    left = repl.step(cases, tactic="apply Or.inr; assumption")
    assert repl.shown(left) == []
    answer = repl("goal.continue", target=left, branch=cases)
    assert [goal["userName"] for goal in answer["goals"]] == ["inr"]
    end = repl.step(answer["nextStateId"], tactic="apply Or.inl; assumption")
    assert repl.axioms(end) == ()


def test_resuming_goals_by_name(repl: Any) -> None:
    both = repl.step(repl.start("True ∧ True"), tactic="constructor")
    names = [goal["name"] for goal in repl("goal.print", stateId=both, goals=True)["goals"]]
    one = repl.step(both, goalId=0, autoResume=False, tactic="trivial")
    answer = repl("goal.continue", target=one, goals=[*names, names[1]])
    assert [goal["name"] for goal in answer["goals"]] == names[1:]


@pytest.mark.parametrize(
    ("payload", "kind", "part"),
    [
        ({"target": 0}, "arguments", "Exactly one of {branch, goals}"),
        ({"target": 0, "branch": 0, "goals": []}, "arguments", "Exactly one of {branch, goals}"),
        ({"target": 9, "branch": 0}, "index", "Invalid state index 9"),
        ({"target": 2, "branch": 9}, "index", "Invalid state index 9"),
        ({"target": 0, "branch": 1}, "structure", "Target state has unresolved goals"),
        ({"target": 2, "branch": 1}, "structure", "Roots of two continued goal states do not match"),
        (
            {"target": 2, "goals": ["_uniq.7777777", "x"]},
            "structure",
            "Goals [_uniq.7777777, x] are not in scope",
        ),
    ],
)
def test_what_cannot_be_continued(repl: Any, payload: dict[str, Any], kind: str, part: str) -> None:
    first, other = repl.start("True"), repl.start("False")
    done = repl.step(first, tactic="trivial")
    assert (first, other, done) == (0, 1, 2)
    answer = repl("goal.continue", **payload)
    assert answer["error"] == kind
    assert part in answer["desc"]


def test_goals_of_another_search_cannot_be_brought_in(repl: Any) -> None:
    done = repl.step(repl.start("True"), tactic="trivial")
    foreign = repl("goal.start", expr="False")["root"]
    assert repl("goal.continue", target=done, goals=[foreign])["error"] == "structure"


def test_terms_as_trees_and_their_metavariables(repl: Any) -> None:
    repl("options.set", printExprAST=True, printDependentMVars=True, printExprPretty=False)
    start = repl.start("∃ (x : Nat), x + 1 = 0")
    first, second = repl("goal.tactic", stateId=start, tactic="apply Exists.intro")["goals"]
    assert first["target"]["dependentMVars"] == [second["name"]]
    assert second["target"] == {"sexp": "(:c Nat)", "dependentMVars": []}
    one = "((:c OfNat.ofNat) (:c Nat) (:lit 1) ((:c instOfNatNat) (:lit 1)))"
    zero = "((:c OfNat.ofNat) (:c Nat) (:lit 0) ((:c instOfNatNat) (:lit 0)))"
    plus = "((:c HAdd.hAdd) (:c Nat) (:c Nat) (:c Nat) ((:c instHAdd) (:c Nat) (:c instAddNat))"
    mvar = f"(:mv {second['name']})"
    assert first["target"]["sexp"] == f"((:c Eq) (:c Nat) {plus} {mvar} {one}) {zero})"
