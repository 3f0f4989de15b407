"""The mode `calc` of `goal.tactic`; the chain is that of PyPantograph's own test (0.3.15)."""

from __future__ import annotations

from typing import Any

import pytest

STATEMENT = "∀ (a b: Nat), (b = 2) -> 1 + a + 1 = a + b"
CONTEXT = "a : Nat, b : Nat, h : b = 2"


@pytest.fixture
def chain(repl: Any) -> int:
    """Return the state after entering the mode."""
    start = repl.step(repl.start(STATEMENT), tactic="intro a b h")
    state_id = repl.step(start, mode="calc")
    assert isinstance(state_id, int)
    return state_id


def fragments(repl: Any, state_id: int) -> list[str]:
    return [goal["fragment"] for goal in repl("goal.print", stateId=state_id, goals=True)["goals"]]


def test_a_chain_step_by_step(repl: Any, chain: int) -> None:
    assert repl.shown(chain) == [f"{CONTEXT} ⊢ 1 + a + 1 = a + b"]
    assert fragments(repl, chain) == ["calc"]
    one = repl.step(chain, tactic="1 + a + 1 = a + 1 + 1")
    assert repl.shown(one) == [f"calc: {CONTEXT} ⊢ 1 + a + 1 = a + 1 + 1", f"{CONTEXT} ⊢ a + 1 + 1 = a + b"]
    assert fragments(repl, one) == ["tactic", "calc"]
    two = repl.step(one, tactic="_ = a + 2", goalId=1)
    assert f"calc: {CONTEXT} ⊢ a + 1 + 1 = a + 2" in repl.shown(two)
    assert f"{CONTEXT} ⊢ a + 2 = a + b" in repl.shown(two)
    names = [goal["target"]["pp"] for goal in repl("goal.print", stateId=two, goals=True)["goals"]]
    last = repl.step(two, tactic="_ = a + b", goalId=names.index("a + 2 = a + b"))
    assert set(fragments(repl, last)) == {"tactic"}
    end = repl.step(last, tactic="all_goals first | rw [h] | rw [Nat.add_comm 1 a] | rfl")
    assert repl.axioms(end) == ()


def test_leaving_the_mode(repl: Any, chain: int) -> None:
    left = repl.step(chain, mode="tactic")
    assert fragments(repl, left) == ["tactic"]
    assert repl.axioms(repl.step(left, tactic="rw [h, Nat.add_comm 1 a]")) == ()


def test_a_chain_that_is_broken_off_is_no_proof(repl: Any, chain: int) -> None:
    one = repl.step(chain, tactic="1 + a + 1 = a + 1 + 1")
    half = repl.step(one, goalId=0, autoResume=False, tactic="rw [Nat.add_comm 1 a]")
    assert repl.shown(half) == []
    assert repl("goal.print", stateId=half)["rootHasMVar"] is True


@pytest.mark.parametrize(
    ("step", "part"),
    [
        ("a", "type expected"),
        ("True", "relation expected"),
        ("nonsense = 1", "nonsense"),
        ("a = 1 + a + 1", "invalid 'calc' step"),
        ("1 + a + 1 = _", "synthesize"),
        ("1 + a + 1 = true", "true"),
    ],
)
def test_steps_that_do_not_fit(repl: Any, chain: int, step: str, part: str) -> None:
    answer = repl("goal.tactic", stateId=chain, tactic=step)
    assert "nextStateId" not in answer
    assert part in answer["messages"][0]["data"]


def test_a_step_goes_on_where_the_one_before_ended(repl: Any, chain: int) -> None:
    one = repl.step(chain, tactic="1 + a + 1 = a + 1 + 1")
    answer = repl("goal.tactic", stateId=one, goalId=1, tactic="a = a + 2")
    text = answer["messages"][0]["data"]
    assert text == "invalid 'calc' step, left-hand side is\n  a\nbut is expected to be\n  a + 1 + 1"


def test_the_mode_is_entered_once(repl: Any, chain: int) -> None:
    answer = repl("goal.tactic", stateId=chain, mode="calc")
    assert answer == {"error": "invalid", "desc": "Goal already has a fragment"}


def test_a_text_that_does_not_parse(repl: Any, chain: int) -> None:
    assert "parseError" in repl("goal.tactic", stateId=chain, tactic="1 + a + 1 =")
