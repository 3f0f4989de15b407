"""Requests, fields and answers as text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minilean.repl.server import COMMANDS, UNSUPPORTED, answer, execute, new_session
from minilean.repl.wire import Refusal, encode, parse_request


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("stat", ("stat", None)),
        ("stat {}\n", ("stat", {})),
        ('goal.start {"expr": "∀ p, p"}', ("goal.start", {"expr": "∀ p, p"})),
        ('{"cmd": "stat", "payload": {"a": 1}}', ("stat", {"a": 1})),
        ('{"cmd": "stat"}', ("stat", None)),
        ("  stat  ", ("stat", None)),
    ],
)
def test_both_forms_of_a_request_are_read(line: str, expected: tuple[str, Any]) -> None:
    assert parse_request(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "stat {",
        'stat {"a": }',
        "{",
        '{"payload": {}}',
        '{"cmd": 3}',
        'stat {"a": NaN}',
        'stat {"a": -Infinity}',
        "stat " + "[" * 100_000,
        'stat {"n": ' + "9" * 5_000 + "}",
        r'stat {"a": "\ud800"}',
        "stat {} trailing",
    ],
)
def test_a_line_that_is_no_request_is_refused(line: str) -> None:
    with pytest.raises(Refusal) as caught:
        parse_request(line)
    assert caught.value.kind == "command"
    assert "\n" not in caught.value.desc


def test_answers_are_one_line_with_sorted_keys() -> None:
    assert encode({"b": "⊢", "a": {"d": 1, "c": "x\ny"}}) == '{"a":{"c":"x\\ny","d":1},"b":"⊢"}'


def test_an_unknown_command_is_named_and_ignores_its_payload() -> None:
    assert execute(new_session(), "invalid", {"name": "Nat.add_one"}) == {
        "error": "command",
        "desc": "Unknown command invalid",
    }


# The first one is from Pantograph's own tests.
@pytest.mark.parametrize(
    ("command", "payload", "problem"),
    [
        ("expr.echo", {"invalid": "garbage"}, "ExprEcho.expr: String expected"),
        ("goal.start", {"expr": 3}, "GoalStart.expr: String expected"),
        (
            "goal.start",
            {"expr": "True", "levels": "u"},
            "GoalStart.levels?: expected JSON array, got '\"u\"'",
        ),
        ("goal.tactic", {"stateId": "0", "tactic": "x"}, "GoalTactic.stateId: Natural number expected"),
        ("goal.tactic", {"stateId": -1, "tactic": "x"}, "GoalTactic.stateId: Natural number expected"),
        ("goal.tactic", {"stateId": 0.5, "tactic": "x"}, "GoalTactic.stateId: Natural number expected"),
        ("goal.tactic", {"stateId": True, "tactic": "x"}, "GoalTactic.stateId: Natural number expected"),
        ("goal.tactic", {"stateId": 0, "tactic": ["x"]}, "GoalTactic.tactic?: String expected"),
        ("goal.tactic", {"stateId": 0, "autoResume": 1}, "GoalTactic.autoResume?: Bool expected"),
        ("goal.delete", {"stateIds": 0}, "GoalDelete.stateIds: expected JSON array, got '0'"),
        ("goal.delete", {"stateIds": ["0"]}, "GoalDelete.stateIds: Natural number expected"),
        ("options.set", {"timeout": "1"}, "OptionsSet.timeout?: Natural number expected"),
        ("env.inspect", None, "EnvInspect.name: String expected"),
        ("env.inspect", [1], "EnvInspect.name: String expected"),
    ],
)
def test_a_wrong_field_is_named_with_what_was_expected(command: str, payload: Any, problem: str) -> None:
    answer_ = execute(new_session(), command, payload)
    assert answer_ == {"error": "command", "desc": f"Unable to parse json: Pantograph.Protocol.{problem}"}


@pytest.mark.parametrize("command", sorted(UNSUPPORTED))
def test_what_minilean_cannot_do_is_refused_by_name(command: str) -> None:
    answer_ = execute(new_session(), command, {"path": "/nowhere", "file": "", "id": 0})
    assert answer_ == {"error": "io", "desc": f"unsupported: minilean has no `{command}`"}


@pytest.mark.parametrize("command", sorted(COMMANDS))
@pytest.mark.parametrize(
    "payload", [None, [], 7, "x", {}, {"stateId": 10**30}, {"expr": None, "file": 1, "candidates": {}}]
)
def test_no_payload_takes_a_command_down(command: str, payload: Any) -> None:
    repl = new_session()
    result = execute(repl, command, payload)
    assert result.get("error") != "main", result
    assert execute(repl, "stat", None) == {"nGoals": 0}


def test_unknown_fields_are_ignored(repl: Any) -> None:
    assert repl("stat", surprise=1) == {"nGoals": 0}


def test_bytes_that_are_no_text_get_an_answer() -> None:
    text = answer(new_session(), b"stat \xff\xfe\n")
    assert text is not None
    assert json.loads(text)["error"] == "command"


def test_an_empty_line_ends_the_session() -> None:
    assert answer(new_session(), b"  \n") is None
