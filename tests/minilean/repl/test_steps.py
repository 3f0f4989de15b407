"""`goal.tactic`: tactics, Pantograph's own steps, sites, failures.

Goals and shapes are those of Pantograph's and PyPantograph's own tests (0.3.15) where they have them.
"""

from __future__ import annotations

from typing import Any

import pytest

OR_COMM = "∀ (p q: Prop), p ∨ q → q ∨ p"


def test_a_successful_step_in_full(repl: Any) -> None:
    start = repl.start(OR_COMM)
    answer = repl("goal.tactic", stateId=start, tactic="intro x")
    goal = answer["goals"][0]
    assert goal["name"] != goal["vars"][0]["name"]
    assert answer == {
        "goals": [
            {
                "fragment": "tactic",
                "name": goal["name"],
                "target": {"pp": "∀ (q : Prop), x ∨ q → q ∨ x"},
                "vars": [
                    {
                        "isInaccessible": False,
                        "name": goal["vars"][0]["name"],
                        "type": {"pp": "Prop"},
                        "userName": "x",
                    }
                ],
            }
        ],
        "hasSorry": False,
        "hasUnsafe": False,
        "messages": [],
        "nextStateId": 1,
    }


def test_a_failed_step_in_full(repl: Any) -> None:
    answer = repl("goal.tactic", stateId=repl.start("False"), tactic="assumption")
    assert answer == {
        "hasSorry": False,
        "hasUnsafe": False,
        "messages": [
            {
                "caption": "",
                "data": "Tactic `assumption` failed\n\n⊢ False",
                "endPos": None,
                "fileName": "<Pantograph>",
                "isSilent": False,
                "keepFullRange": False,
                "kind": "[anonymous]",
                "pos": {"column": 0, "line": 0},
                "severity": "error",
            }
        ],
    }
    assert repl("stat") == {"nGoals": 1}


def test_a_parse_error_in_full(repl: Any) -> None:
    assert repl("goal.tactic", stateId=repl.start("False"), tactic="intro (") == {
        "hasSorry": False,
        "hasUnsafe": False,
        "parseError": "<Pantograph>:1:7: unexpected end of input; expected ')'",
    }


def test_what_minilean_has_not_is_a_failure_not_a_parse_error(repl: Any) -> None:
    answer = repl("goal.tactic", stateId=repl.start("1 + 1 = 2"), tactic="norm_num")
    assert answer["messages"][0]["data"].startswith("unsupported: ")


def test_states_branch(repl: Any) -> None:
    start = repl.start("True ∨ False")
    assert repl.shown(repl.step(start, tactic="left")) == ["⊢ True"]
    assert repl.shown(repl.step(start, tactic="right")) == ["⊢ False"]
    assert repl.shown(start) == ["⊢ True ∨ False"]


def test_inaccessible_names_are_marked(repl: Any) -> None:
    start = repl.start(OR_COMM)
    left, right = repl("goal.tactic", stateId=start, tactic="intro p q h; cases h")["goals"]
    assert (left["userName"], right["userName"]) == ("inl", "inr")
    assert [(v["userName"], v["isInaccessible"]) for v in left["vars"]] == [
        ("p", False),
        ("q", False),
        ("h✝", True),
    ]


@pytest.mark.parametrize(
    ("site", "left_over"),
    [
        ({}, ["⊢ b", "⊢ c"]),
        ({"goalId": 1}, ["⊢ a", "⊢ c"]),
        ({"autoResume": False}, []),
        ({"goalId": 2, "autoResume": False}, []),
    ],
)
def test_the_site_decides_which_goals_stay(repl: Any, site: dict[str, Any], left_over: list[str]) -> None:
    start = repl.start("∀ a b c : Prop, a → b → c → a ∧ b ∧ c")
    three = repl.step(start, tactic="intro a b c ha hb hc; refine ⟨?_, ?_, ?_⟩")
    assert len(repl.shown(three)) == 3
    after = repl.step(three, tactic="assumption", **site)
    assert [goal[goal.index("⊢") :] for goal in repl.shown(after)] == left_over


def test_without_a_site_a_tactic_sees_all_goals(repl: Any) -> None:
    both = repl.step(repl.start("True ∧ True"), tactic="constructor")
    end = repl.step(both, tactic="all_goals trivial")
    assert repl.axioms(end) == ()


@pytest.mark.parametrize(
    ("payload", "kind", "desc"),
    [
        ({"stateId": 7, "tactic": "skip"}, "index", "Invalid state index 7"),
        ({"stateId": 0, "tactic": "skip", "goalId": 1}, "index", "Invalid goal index 1"),
        ({"stateId": 1, "tactic": "skip", "autoResume": False}, "index", "No goals to be solved"),
        ({"stateId": 1, "tactic": "skip"}, "exception", "no goals to be solved"),
        ({"stateId": 0, "mode": "algebra"}, "operation", "Invalid mode algebra"),
        ({"stateId": 0, "mode": "tactic"}, "invalid", "Goal does not have a fragment"),
        (
            {"stateId": 0, "mode": "conv"},
            "invalid",
            "unsupported: the mode `conv`; use the tactic `conv .. => ..` instead",
        ),
    ],
)
def test_steps_that_cannot_be_taken(repl: Any, payload: dict[str, Any], kind: str, desc: str) -> None:
    repl.step(repl.start("True"), tactic="trivial")
    assert repl("goal.tactic", **payload) == {"error": kind, "desc": desc}


@pytest.mark.parametrize("actions", [{}, {"tactic": "trivial", "expr": "trivial"}])
def test_exactly_one_action(repl: Any, actions: dict[str, str]) -> None:
    answer = repl("goal.tactic", stateId=repl.start("True"), **actions)
    assert answer["error"] == "operation"
    assert answer["desc"] == "Exactly one of {tactic, mode, expr, have, let, draft} must be supplied"


def test_a_term_and_its_holes(repl: Any) -> None:
    start = repl.start("∀ p q : Prop, p → q → q ∧ p")
    after = repl.step(start, expr="fun p q hp hq => And.intro ?_ ?_")
    assert [goal[goal.index("⊢") :] for goal in repl.shown(after)] == ["⊢ q", "⊢ p"]
    assert repl.axioms(repl.step(after, tactic="all_goals assumption")) == ()


def test_have_asks_for_the_proof_first(repl: Any) -> None:
    after = repl.step(repl.start("1 + 1 = 2"), have="2 = 1 + 1", binderName="h")
    assert repl.shown(after) == ["⊢ 2 = 1 + 1", "h : 2 = 1 + 1 ⊢ 1 + 1 = 2"]
    end = repl.step(repl.step(after, tactic="rfl"), tactic="exact h.symm")
    assert repl.axioms(end) == ()


def test_let_shows_the_value_that_is_to_come(repl: Any) -> None:
    after = repl.step(repl.start("1 + 1 = 2"), let="2 = 1 + 1", binderName="h")
    assert repl.shown(after) == ["h: ⊢ 2 = 1 + 1", "h : 2 = 1 + 1 := ?h ⊢ 1 + 1 = 2"]
    end = repl.step(repl.step(after, tactic="rfl"), tactic="exact h.symm")
    assert repl.axioms(end) == ()


def test_a_draft_turns_each_sorry_into_a_goal(repl: Any) -> None:
    start = repl.step(repl.start("∀ p : Prop, p → p"), tactic="intro p")
    answer = repl("goal.tactic", stateId=start, draft="by\nhave h1 : Or p p := sorry\nsorry")
    assert answer["hasSorry"] is False
    after = answer["nextStateId"]
    first, second = repl.shown(after)
    assert first == "p : Prop ⊢ p ∨ p"
    assert second.startswith("p : Prop, h1 : p ∨ p := ?m")
    assert second.endswith("⊢ p → p")
    one = repl.step(after, goalId=1, tactic="exact fun h => h")
    assert "nextStateId" not in repl("goal.tactic", stateId=one, tactic="assumption")


def test_a_draft_is_a_proof_once_its_goals_are(repl: Any) -> None:
    draft = "fun p q ⟨hp, hq⟩ => ⟨sorry, by constructor; exact sorry; sorry⟩"
    after = repl.step(repl.start("∀ p q : Prop, p ∧ q → q ∧ p ∧ True"), draft=draft)
    assert [goal[goal.index("⊢") :] for goal in repl.shown(after)] == ["⊢ q", "⊢ p", "⊢ True"]
    end = repl.step(after, tactic="all_goals first | assumption | trivial")
    assert repl.axioms(end) == ()


@pytest.mark.parametrize(
    ("action", "part"),
    [
        ({"draft": "(1 : Nat)"}, "Type mismatch"),
        ({"expr": "fun x => x"}, "fun x => x"),
        ({"have": "nonsense", "binderName": "h"}, "nonsense"),
        ({"let": "Nat.zero"}, "type expected"),
    ],
)
def test_terms_that_do_not_fit_fail(repl: Any, action: dict[str, str], part: str) -> None:
    answer = repl("goal.tactic", stateId=repl.start("False"), **action)
    assert "nextStateId" not in answer
    assert part in answer["messages"][0]["data"]


def test_a_draft_whose_goals_would_depend_on_each_other_is_refused(repl: Any) -> None:
    answer = repl("goal.tactic", stateId=repl.start("∃ n : Nat, n = 3"), draft="⟨sorry, sorry⟩")
    text = answer["messages"][0]["data"]
    assert text == "Coupling is not allowed in draft tactic: sorry = 3"


@pytest.mark.parametrize("name", ["tactic", "expr", "have", "let", "draft"])
def test_text_without_end_is_refused(repl: Any, name: str) -> None:
    answer = repl("goal.tactic", stateId=repl.start("False"), **{name: "a " * 60_000})
    assert answer["messages"][0]["data"] == f"the {name} has 120000 characters, at most 100000 are read"


# Each closes the goal with `sorry`, and the answer has to say so.
@pytest.mark.parametrize(
    "action",
    [
        {"tactic": "sorry"},
        {"tactic": "admit"},
        {"tactic": "exact sorry"},
        {"tactic": "exact absurd trivial sorry"},
        {"tactic": "exact sorryAx _ false"},
        {"tactic": "exact sorryAx _ true"},
        {"tactic": "refine id (by sorry)"},
        {"tactic": "first | fail | (try sorry)"},
        {"tactic": "have h : False := sorry\nexact h"},
        {"tactic": "apply sorryAx\nexact false"},
        {"expr": "sorry"},
        {"expr": "by sorry"},
    ],
)
def test_sorry_is_never_hidden(repl: Any, action: dict[str, str]) -> None:
    answer = repl("goal.tactic", stateId=repl.start("False"), **action)
    assert answer["goals"] == []
    assert answer["hasSorry"] is True
    end = answer["nextStateId"]
    assert repl("goal.print", stateId=end)["rootHasSorry"] is True
    assert repl.axioms(end) == ("sorryAx",)
