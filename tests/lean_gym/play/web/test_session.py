"""The session of the page in CPython: goals, errors, verdicts, suggestions, completion, replay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lean_gym.play.web.session import MOST_GOAL_CHARS, MOST_STATES, Session

SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"


@pytest.fixture
def session() -> Session:
    return Session()


def ask(session: Session, what: str, *tactics: str, statement: str = SWAP, **more: Any) -> dict[str, Any]:
    request = {"ask": what, "statement": statement, "tactics": tactics, **more}
    answer: dict[str, Any] = json.loads(session.answer(json.dumps(request)))
    return answer


def test_a_proof_is_checked_when_no_goals_are_left(session: Session) -> None:
    assert ask(session, "start")["goals"] == ["p q : Prop\nh : p ∧ q\n⊢ q ∧ p"]
    answer = ask(session, "apply", tactic="constructor")
    assert answer["goals"] == [
        "case left\np q : Prop\nh : p ∧ q\n⊢ q",
        "case right\np q : Prop\nh : p ∧ q\n⊢ p",
    ]
    assert "verdict" not in answer
    done = ask(session, "apply", "constructor", "exact h.2", tactic="exact h.1")
    assert done["goals"] == []
    assert done["verdict"] == {"proved": True, "reason": "", "axioms": []}
    assert done["source"] == f"{SWAP} := by\n  constructor\n  exact h.2\n  exact h.1"


def test_axioms_are_listed(session: Session) -> None:
    done = ask(session, "apply", tactic="exact Classical.em p", statement="theorem t (p : Prop) : p ∨ ¬p")
    assert done["verdict"]["axioms"] == ["Classical.choice", "Quot.sound", "propext"]


@pytest.mark.parametrize("tactic", ["sorry", "exact sorry", "admit"])
def test_sorry_is_no_proof(session: Session, tactic: str) -> None:
    answer = ask(session, "apply", tactic=tactic)
    assert "error" in answer or not answer["verdict"]["proved"]


def test_a_wrong_tactic_is_an_error_and_changes_nothing(session: Session) -> None:
    assert "error" in ask(session, "apply", tactic="exact h")
    assert ask(session, "start")["goals"] == ["p q : Prop\nh : p ∧ q\n⊢ q ∧ p"]


def test_a_new_session_replays_what_it_does_not_know() -> None:
    done = ask(Session(), "apply", "constructor", "exact h.2", tactic="exact h.1")
    assert done["verdict"]["proved"]
    assert ask(Session(), "start", "constructor", "nonsense")["error"].startswith("tactic 2, 'nonsense': ")


def test_branches_from_one_state(session: Session) -> None:
    ask(session, "apply", tactic="constructor")
    other = ask(session, "apply", tactic="cases h")
    assert other["goals"] == ["case intro\np q : Prop\nleft✝ : p\nright✝ : q\n⊢ q ∧ p"]
    assert len(ask(session, "apply", "constructor", tactic="exact h.2")["goals"]) == 1


@pytest.mark.parametrize("statement", ["", "theorem", "theorem t : 1 + ", "theorem t : p := by simp", "def"])
def test_a_statement_that_cannot_be_used_is_an_error(session: Session, statement: str) -> None:
    assert ask(session, "start", statement=statement)["error"]


def test_an_example_and_a_proposition_are_statements(session: Session) -> None:
    for statement in ("example (n : Nat) : n = n", "∀ n : Nat, n = n"):
        done = ask(session, "apply", tactic="intros; rfl", statement=statement)
        assert done["verdict"]["proved"]


def test_the_context_stands_before_the_statement(session: Session) -> None:
    given = {"statement": "theorem t : two = 2", "context": "def two := 2"}
    done = ask(session, "apply", tactic="rfl", **given)
    assert done["verdict"]["proved"]
    assert done["source"] == "def two := 2\n\ntheorem t : two = 2 := by\n  rfl"


def test_suggestions_say_how_many_goals_are_left(session: Session) -> None:
    found = ask(session, "suggest")
    by_tactic = {one["tactic"]: one["goals"] for one in found["suggestions"]}
    assert found["before"] == 1
    assert by_tactic["constructor"] == 2
    assert by_tactic["cases h"] == 1
    assert "rfl" not in by_tactic


def test_suggestions_stop_at_the_time_limit(session: Session) -> None:
    assert ask(session, "suggest", seconds=0)["suggestions"] == []
    assert ask(session, "start", seconds=10)["goals"]


def test_completion_knows_tactics_hypotheses_and_lemmas(session: Session) -> None:
    assert ask(session, "complete", line="constr") == {"words": ["constructor"], "length": 6}
    assert "h" in ask(session, "complete", line="exact h")["words"]
    found = ask(session, "complete", line="rw [Nat.add_com")
    assert found == {"words": ["Nat.add_comm"], "length": len("Nat.add_com")}


def test_a_goal_of_many_characters_is_shortened(session: Session) -> None:
    binders = " ".join(f"({'x' * 250}{number} : Nat)" for number in range(100))
    statement = f"theorem t {binders} : True"
    [goal] = ask(session, "start", statement=statement)["goals"]
    assert len(goal) < MOST_GOAL_CHARS + 50
    assert goal.endswith("more characters")


def test_only_so_many_states_are_kept(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lean_gym.play.web.session.MOST_STATES", 3)
    assert MOST_STATES > 3
    tactics = ["constructor", "rotate_left", "rotate_left", "exact h.2", "exact h.1"]
    for number, tactic in enumerate(tactics):
        answer = ask(session, "apply", *tactics[:number], tactic=tactic)
    assert answer["verdict"]["proved"]
    assert len(session._states) == 3
