"""Files that check themselves: `#guard_msgs`, `#guard`, `guard_hyp`, `trace_state`, and what `sorry` is told as."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    "text",
    [
        "/-- info: 1 : Nat -/\n#guard_msgs in\n#check 1",
        "/-- trace: p : Prop\nh : p\n⊢ p -/\n#guard_msgs in\n"
        "example (p : Prop) (h : p) : p := by\n  trace_state\n  exact h",
        "/-- error: Unknown identifier `nope` -/\n#guard_msgs in\nexample : 1 = 1 := nope",
        "#guard_msgs (drop info) in\n#check 1",
        "#guard_msgs (drop all) in\nexample : 1 = 2 := rfl",
        "/-- warning: declaration uses `sorry` -/\n#guard_msgs in\ntheorem t : 1 = 2 := sorry",
        "/-- info: one\n---\ninfo: two -/\n#guard_msgs (ordering := sorted) in\n"
        'example : True := by\n  trace "two"\n  trace "one"\n  trivial',
        "/-- info:   1    : Nat -/\n#guard_msgs (whitespace := lax) in\n#check 1",
        "#guard 1 + 1 == 2",
        "#guard 1 < 2",
        "example (p : Prop) (h : p) : p := by\n  guard_hyp h : p\n  guard_target = p\n  exact h",
        "example : True := by\n  let x : Nat := 2\n  guard_hyp x : Nat := 2\n  guard_hyp x :~ Nat :=~ 1 + 1\n  trivial",
    ],
)
def test_what_holds_is_silent(messages: Check, text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "/-- info: 2 : Nat -/\n#guard_msgs in\n#check 1",
            [
                "2:0 info 1 : Nat",
                "2:0 error ❌️ Docstring on `#guard_msgs` does not match generated message:\n\n"
                "- info: 2 : Nat\n+ info: 1 : Nat",
            ],
        ),
        ("#guard 1 == 2", ["1:0 error Expression\n  1 == 2\ndid not evaluate to `true`"]),
        ("#guard_msgs (error) in\n#check 1", ["1:0 info 1 : Nat"]),
        ("#check_failure 1", ["1:0 error unexpected success"]),
        (
            "example (p q : Prop) (h : p) : p := by\n  guard_hyp h : q\n  exact h",
            ["2:2 error hypothesis h has type\n  p\nnot\n  q"],
        ),
        (
            "example (p q : Prop) (h : p) : p := by\n  guard_target = q\n  exact h",
            ["2:2 error target of main goal is\n  p\nnot\n  q"],
        ),
        ("example (n : Nat) : n = n := by\n  guard_hyp n := 1\n  rfl", ["2:2 error n is not a let binding"]),
        ("theorem t : 1 = 2 := by sorry\n#print axioms t", [
            "1:8 warning declaration uses `sorry`",
            "2:0 info 't' depends on axioms: [sorryAx]",
        ]),
        # a message of a tactic that was undone is not told
        ('example : True := by\n  first\n  | trace "a"; fail\n  | trace "b"; trivial', ["4:4 info b"]),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_told(messages: Check, text: str, expected: list[str]) -> None:
    found = messages(text)
    assert sorted(found) == sorted(expected)


def test_a_guarded_error_leaves_the_environment_as_it_was(messages: Check) -> None:
    text = "#guard_msgs (drop all) in\ntheorem t : 1 = 2 := rfl\n#check t"
    assert messages(text) == ["3:7 error Unknown identifier `t`"]


def test_nothing_passes_for_a_proof_because_its_error_was_expected(messages: Check) -> None:
    text = "#guard_msgs (drop error) in\ntheorem f : False := by trivial\ntheorem g : False := f"
    assert messages(text) == ["3:21 error Unknown identifier `f`"]
