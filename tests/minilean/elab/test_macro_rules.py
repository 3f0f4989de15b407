"""Tactics of the command `syntax`, whose expansions `macro_rules` give."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

DECLARED = 'syntax "settle" : tactic\n'
BY_ASSUMPTION = "macro_rules\n  | `(tactic| settle) => `(tactic| assumption)\n"
BY_RFL = "macro_rules | `(tactic| settle) => `(tactic| rfl)\n"
BY_PARTS = "macro_rules | `(tactic| settle) => `(tactic| apply And.intro <;> settle)\n"


def test_all_rules_are_tried(messages: Check) -> None:
    both = DECLARED + BY_ASSUMPTION + BY_RFL
    assert messages(f"{both}example (h : p) : p := by settle\nexample : 1 + 1 = 2 := by settle") == []


def test_rules_may_use_the_tactic_itself(messages: Check) -> None:
    text = DECLARED + BY_ASSUMPTION + BY_PARTS
    assert messages(f"{text}example (h : p) (k : q) : p ∧ q ∧ p := by settle") == []
    (message,) = messages(f"{text}example (h : p) : p ∧ q := by settle")
    assert "error" in message


def test_the_error_is_that_of_the_latest_rule(messages: Check) -> None:
    (message,) = messages(f"{DECLARED}{BY_RFL}{BY_ASSUMPTION}example : 1 = 2 := by settle")
    assert "Tactic `assumption` failed" in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{DECLARED}example : True := by settle", "Tactic `settle` has not been implemented"),
        ("macro_rules | `(tactic| rfl) => `(tactic| trivial)", "which `syntax` has not declared"),
        ('syntax "many" tacticSeq : tactic', "unsupported"),
        ('syntax "pair" : command', "unsupported"),
        (f"{DECLARED}macro_rules | `(tactic| settle $x) => `(tactic| rfl)", "expected ')'"),
        (f"section\nlocal {DECLARED}end\nexample : True := by settle", "unknown tactic"),
        # a rule that only calls itself does not terminate
        (
            f"{DECLARED}macro_rules | `(tactic| settle) => `(tactic| settle)\nexample : False := by settle",
            "maximum recursion depth",
        ),
    ],
)
def test_refused(messages: Check, text: str, expected: str) -> None:
    assert expected in "\n".join(messages(text))


def test_a_notation_may_stand_for_a_proof(messages: Check) -> None:
    text = 'notation "given" p => show p by assumption\n'
    assert messages(f"{text}example (h : p) : p ∨ q := Or.inl (given p)") == []
    assert "Tactic `assumption` failed" in "\n".join(messages(f"{text}example : p := given p"))
    (message,) = messages('notation "bad" p => show p by intro h; exact h')
    assert "a tactic block which names hypotheses" in message


def test_unhygienic_names_are_accessible(messages: Check) -> None:
    text = "example : ∀ a b : Nat, a = b → b = a := by\n  {}intros\n  exact a_1.symm"
    assert messages(text.replace("{}", "unhygienic ")) == []
    assert "Unknown identifier `a_1.symm`" in "\n".join(messages(text.replace("{}", "")))


def test_let_rec_at_the_beginning_of_a_proof(messages: Check) -> None:
    text = """
def count (n : Nat) (xs : List α) : Nat :=
  match xs with
  | [] => n
  | _ :: ys => count (n + 1) ys
theorem count_eq (xs : List α) : count 0 xs = xs.length := by
  let rec from_any (n : Nat) (ys : List α) : count n ys = n + ys.length := by
    match ys with
    | [] => rfl
    | _ :: zs => rw [count, from_any (n + 1) zs, List.length_cons]; omega
  have h := from_any 0 xs
  omega
#check @count_eq.from_any
"""
    (message,) = messages(text)
    assert message.startswith("13:0 info @count_eq.from_any")
    attack = "theorem t : False := by\n  let rec f (n : Nat) : False := f n\n  exact f 0"
    assert "error" in "\n".join(messages(attack))
