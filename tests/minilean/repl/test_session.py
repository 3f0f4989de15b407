"""`stat`, `reset`, options, and the time limit."""

from __future__ import annotations

from typing import Any

from minilean.meta.budget import MAX_HEARTBEATS
from minilean.repl.server import answer
from minilean.repl.session import heartbeats_of

DEFAULTS = {
    "automaticMode": True,
    "noRepeat": False,
    "printAuxDecls": False,
    "printDependentMVars": False,
    "printExprAST": False,
    "printExprPretty": True,
    "printImplementationDetailHyps": False,
    "printJsonPretty": False,
    "timeout": 0,
}
# never fails, so it runs until a limit stops it
SLOW = "repeat (have h := Nat.add_comm 1 2; clear h)"


def test_stat_counts_and_reset_starts_over(repl: Any) -> None:
    repl.start("True")
    repl.start("True")
    assert repl("stat") == {"nGoals": 2}
    assert repl("reset") == {"nGoals": 2}
    assert repl("stat") == {"nGoals": 0}
    assert repl.start("True") == 0


def test_options_have_pantographs_names_and_defaults(repl: Any) -> None:
    assert repl("options.print") == DEFAULTS
    assert repl("options.set", printExprAST=True, timeout=7) == {}
    assert repl("options.print") == {**DEFAULTS, "printExprAST": True, "timeout": 7}


def test_a_refused_option_changes_none(repl: Any) -> None:
    assert repl("options.set", printExprAST=True, timeout="soon")["error"] == "command"
    assert repl("options.print") == DEFAULTS


def test_pretty_json_spans_lines(repl: Any) -> None:
    repl("options.set", printJsonPretty=True)
    text = answer(repl.session, b"stat\n")
    assert text is not None
    assert text.splitlines() == ["{", ' "nGoals": 0', "}"]


def test_a_step_past_the_timeout_is_interrupted_and_the_state_survives(repl: Any) -> None:
    start = repl.start("∀ p q : Prop, p ∧ q → q ∧ p")
    repl("options.set", timeout=1)
    assert repl("goal.tactic", stateId=start, tactic=SLOW) == {"error": "io", "desc": "interrupt"}
    repl("options.set", timeout=0)
    end = repl.step(start, tactic="intro p q h; exact ⟨h.2, h.1⟩")
    assert repl.axioms(end) == ()


def test_heartbeats_scale_with_leans_default() -> None:
    assert heartbeats_of(200_000) == MAX_HEARTBEATS
    assert heartbeats_of(100_000) == MAX_HEARTBEATS // 2
    assert heartbeats_of(0) > 10**12


def test_a_step_past_its_heartbeats_is_a_failed_tactic(repl: Any) -> None:
    start = repl.start("True")
    repl.session.heartbeats = 2_000
    failed = repl("goal.tactic", stateId=start, tactic=SLOW)
    assert "nextStateId" not in failed
    assert "heartbeats" in failed["messages"][0]["data"]
