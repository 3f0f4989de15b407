"""`goal.subsume`."""

from __future__ import annotations

from typing import Any


def goals(repl: Any, state_id: int) -> list[str]:
    return [goal["name"] for goal in repl("goal.print", stateId=state_id, goals=True)["goals"]]


def test_a_goal_that_comes_back_to_where_it_was_is_a_cycle(repl: Any) -> None:
    # from PyPantograph's own tests
    one = repl.step(repl.start("forall (p : Prop), p -> p"), tactic="intro p")
    two = repl.step(one, tactic="intro h")
    three = repl.step(two, tactic="revert h")
    candidates = [*goals(repl, one), *goals(repl, two)]
    answer = repl("goal.subsume", stateId=three, goal=goals(repl, three)[0], candidates=candidates)
    assert answer == {"result": "cycle", "subsumptor": candidates[0]}


def test_a_solved_sibling_closes_the_goal(repl: Any) -> None:
    both = repl.step(repl.start("∀ p : Prop, p → p ∧ p"), tactic="intro p h; constructor")
    first, second = goals(repl, both)
    one = repl.step(both, tactic="exact h")
    answer = repl("goal.subsume", stateId=one, goal=second, candidates=[first])
    assert answer["result"] == "subsumed"
    assert answer["subsumptor"] == first
    assert repl.axioms(answer["stateId"]) == ()


def test_an_open_sibling_closes_the_goal_as_soon_as_it_is_proved(repl: Any) -> None:
    both = repl.step(repl.start("∀ p : Prop, p → p ∧ p"), tactic="intro p h; constructor")
    first, second = goals(repl, both)
    answer = repl("goal.subsume", stateId=both, goal=second, candidates=[first])
    assert answer["result"] == "subsumed"
    assert goals(repl, answer["stateId"]) == [first]
    assert repl.axioms(repl.step(answer["stateId"], tactic="exact h")) == ()


def test_a_proof_from_another_search_is_carried_over(repl: Any) -> None:
    source = repl.step(repl.start("∀ p q : Prop, p ∧ q → q"), tactic="intro p q h")
    (there,) = goals(repl, source)
    solved = repl.step(source, tactic="exact h.2")
    here = repl.step(repl.start("∀ (n : Nat) (a b : Prop), a ∧ b → b"), tactic="intro n a b h")
    (goal,) = goals(repl, here)
    answer = repl("goal.subsume", stateId=here, goal=goal, candidates=[there], srcStateId=solved)
    assert answer["result"] == "subsumed"
    assert repl.axioms(answer["stateId"]) == ()


def test_a_stronger_context_does_not_subsume(repl: Any) -> None:
    source = repl.step(repl.start("∀ p : Prop, p → p"), tactic="intro p h")
    (there,) = goals(repl, source)
    solved = repl.step(source, tactic="exact h")
    here = repl.step(repl.start("∀ p : Prop, p"), tactic="intro p")
    (goal,) = goals(repl, here)
    answer = repl("goal.subsume", stateId=here, goal=goal, candidates=[there], srcStateId=solved)
    assert answer == {"result": "none"}
    assert len(goals(repl, here)) == 1


def test_an_open_goal_of_another_search_subsumes_nothing(repl: Any) -> None:
    there = repl("goal.start", expr="False")["root"]
    goal = repl("goal.start", expr="False")["root"]
    assert repl("goal.subsume", stateId=1, goal=goal, candidates=[there], srcStateId=0) == {"result": "none"}


def test_two_open_goals_cannot_close_each_other(repl: Any) -> None:
    both = repl.step(repl.start("False ∧ False"), tactic="constructor")
    first, second = goals(repl, both)
    one = repl("goal.subsume", stateId=both, goal=second, candidates=[first])["stateId"]
    answer = repl("goal.subsume", stateId=one, goal=first, candidates=[second])
    assert answer["result"] == "cycle"
    assert goals(repl, one) == [first]


def test_names_that_are_not_in_scope(repl: Any) -> None:
    name = repl("goal.start", expr="True")["root"]
    for goal, candidates in ((name, ["_uniq.9999999"]), ("_uniq.9999999", [name]), ("x", [])):
        answer = repl("goal.subsume", stateId=0, goal=goal, candidates=candidates)
        assert answer["error"] == "structure"
        assert "not in scope" in answer["desc"]


def test_data_is_never_subsumed(repl: Any) -> None:
    both = repl.step(repl.start("Nat × Nat"), tactic="constructor")
    first, second = goals(repl, both)
    assert repl("goal.subsume", stateId=both, goal=second, candidates=[first]) == {"result": "none"}
