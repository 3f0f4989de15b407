"""Files that check themselves: `#guard_msgs`, `#guard`, `guard_hyp`, `trace_state`; the warning about `sorry`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]
TRACE = (
    "\n\nHint: Type class instance resolution failures can be inspected with the "
    "`set_option trace.Meta.synthInstance true` command."
)


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
        "/-- trace: one\n---\ntrace: two -/\n#guard_msgs (ordering := sorted) in\n"
        'example : True := by\n  trace "two"\n  trace "one"\n  trivial',
        "/-- info:   1    : Nat -/\n#guard_msgs (whitespace := lax) in\n#check 1",
        # Theorem Proving in Lean 4 (4.34), "Type Classes", with Lean's number of the metavariable
        f"structure P where\n/-- error: failed to synthesize instance of type class\n  HAdd P P ?m.5{TRACE} -/\n"
        "#guard_msgs in\ndef three (p : P) := p + p + p",
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
        # two metavariables do not pass for one
        (
            "/-- info: \"?m.1 ?m.1\" -/\n#guard_msgs in\n#eval \"?m.2 ?m.3\"",
            [
                '2:0 info "?m.2 ?m.3"',
                "2:0 error ❌️ Docstring on `#guard_msgs` does not match generated message:\n\n"
                '- info: "?m.1 ?m.1"\n+ info: "?m.2 ?m.3"',
            ],
        ),
        ("#guard 1 == 2", ["1:0 error Expression\n  1 == 2\ndid not evaluate to `true`"]),
        ("#guard_msgs (error) in\n#check 1", ["1:0 info 1 : Nat"]),
        ("#check_failure 1", ["1:0 error unexpected success"]),
        (
            "example (p q : Prop) (h : p) : p := by\n  guard_hyp h : q\n  exact h",
            ["2:2 error Hypothesis `h` has type\n  p\nbut was expected to have type\n  q"],
        ),
        (
            "example (p q : Prop) (h : p) : p := by\n  guard_target = q\n  exact h",
            ["2:2 error The main goal is\n  p\nbut was expected to be\n  q"],
        ),
        ("example (n : Nat) : n = n := by\n  guard_hyp n := 1\n  rfl", ["2:2 error `n` is not a let binding"]),
        ("theorem t : 1 = 2 := by sorry\n#print axioms t", [
            "1:8 warning declaration uses `sorry`",
            "2:0 info 't' depends on axioms: [sorryAx]",
        ]),
        # a message of a tactic that was undone is not reported
        ('example : True := by\n  first\n  | trace "a"; fail\n  | trace "b"; trivial', ["4:4 trace b"]),
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


@pytest.mark.parametrize(
    "text",
    [
        "inductive P : Nat → Nat → Prop where\n  | refl (n : Nat) : P n n\nattribute [refl] P.refl\n"
        "example (n : Nat) : P n (n + 0) := by rfl",
        "def Same (a b : Nat) : Prop := a = b\nexample : Same 1 1 := by rfl",
        "def R (a b : Nat) : Prop := a = b\n@[symm] theorem R.turn {a b : Nat} (h : R a b) : R b a := Eq.symm h\n"
        "example (a b : Nat) (h : R a b) : R b a := by symm; exact h\n"
        "example (a b : Nat) (h : R a b) : R b a := by\n  symm at h\n  exact h",
        "example (n m : Nat) (h : n + 2 = m) : n + 1 + 1 = m := by\n  change _ + 1 = _ at h\n"
        "  guard_hyp h :ₛ n + 1 + 1 = m\n  exact h",
        "def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => f n + 1\n"
        "/-- trace: n : Nat\n⊢ (match n with\n    | 0 => 1\n    | n.succ => f n + 1) >\n    0 -/\n"
        "#guard_msgs in\nexample (n : Nat) : f n > 0 := by\n  unfold f\n  trace_state\n  cases n <;> simp",
    ],
)
def test_relations_and_definitions(messages: Check, text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "example (n : Nat) : n ≤ n := by rfl",
        "example (n m : Nat) (h : n = m) : n ≤ m := by rw [h]",
        "@[refl] theorem bad (n m : Nat) : n + m = m + n := Nat.add_comm n m",
        "theorem bad (n m : Nat) (h : n < m) : m < n + m := sorry\nattribute [symm] bad\n"
        "example (n m : Nat) (h : n < m) : m < n := by symm; exact h",
    ],
)
def test_what_is_not_reflexive_or_symmetric_is_refused(messages: Check, text: str) -> None:
    assert any(" error " in line for line in messages(text))


def test_traces_of_one_place_are_one_message_behind_the_others(messages: Check) -> None:
    text = "/-- trace: p : Prop\nh : p\n⊢ p\nno goals\n---\nwarning: declaration uses `sorry` -/\n#guard_msgs in\n"
    text = text.replace("\nno goals", "\np : Prop\nh : p\n⊢ p")
    text += "example (p : Prop) (h : p) : p := by\n  iterate 2 trace_state\n  sorry"
    assert messages(text) == []


def test_a_theorem_states_a_proposition(messages: Check) -> None:
    assert messages("theorem t : Nat := 3") == ["1:0 error type of theorem `t` is not a proposition\n  Nat"]


def test_wildcards_in_patterns_are_named_and_ordered_as_lean_names_them(messages: Check) -> None:
    text = "def f (a b : Nat) : Nat :=\n  match a, b with\n  | _ + 1, 5 => 1\n  | _, _ => 2\n"
    text += "/-- trace: ⊢ (match 1, 2 with\n    | n.succ, 5 => 1\n    | x, x_1 => 2) =\n    2 -/\n#guard_msgs in\n"
    text += "example : f 1 2 = 2 := by\n  unfold f\n  trace_state\n  rfl"
    assert messages(text) == []


def test_evaluation_of_sorry_is_an_error_and_a_warning(messages: Check) -> None:
    text = (
        "/--\nerror: Aborting evaluation since the expression depends on the 'sorry' axiom, which can lead to runtime\n"
        "instability and crashes.\n\nTo attempt to evaluate anyway despite the risks, use the '#eval!' command.\n---\n"
        "warning: declaration uses `sorry`\n-/\n#guard_msgs in\n#eval (sorry : Nat)"
    )
    assert messages(text) == []
    found = messages("#guard_msgs (drop error) in\n#eval (sorry : Nat)")
    assert found == ["2:0 warning declaration uses `sorry`"]


def test_guards_of_guards_do_not_grow_without_end(messages: Callable[[str], list[str]]) -> None:
    """Each repeats the messages of the inner ones, so thirty of them would have as many characters as a disk."""
    found = messages("#guard_msgs in " * 60 + "#check 1\n")
    assert any("unsupported: `#guard_msgs` over" in each for each in found)
    assert sum(map(len, found)) < 2_000_000


def test_many_lines_that_differ_are_shown_without_a_diff(messages: Callable[[str], list[str]]) -> None:
    expected = "\n".join(f"info: line {number} of the others" for number in range(3000))
    found = messages(f"/--\n{expected}\n-/\n#guard_msgs in\n#check 1\n")
    assert found[-1].endswith("does not match generated message:\n\ninfo: 1 : Nat")
