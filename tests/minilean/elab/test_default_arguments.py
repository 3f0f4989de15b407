"""Arguments that may be left out: `(x : A := v)` and `(h : p := by tac)`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

_ADD = "def add (x : Nat) (y : Nat := 5) (z := 7) : Nat := x + y + z\n"
_POS = """theorem pos (n : Nat) (h : 0 < n := by omega) : n ≠ 0 := by
  intro e
  rw [e] at h
  exact absurd h (by decide)
"""


# What is shown, and that several are left out: Lean's `tests/lean/run/delabApp.lean`.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{_ADD}#check add", ["2:0 info add (x : Nat) (y : Nat := 5) (z : Nat := 7) : Nat"]),
        (f"{_ADD}#check (add)", ["2:0 info fun x => add x : Nat → Nat"]),
        (f"{_ADD}#check (add 1, add 1 5 7, add 1 5 8, add 1 2)",
         ["2:0 info (add 1, add 1, add 1 5 8, add 1 2) : Nat × Nat × Nat × Nat"]),
        (f"{_ADD}#eval [add 1, add 1 2, add (z := 0) 1, add 1 (z := 1)]", ["2:0 info [13, 10, 6, 7]"]),
        (f"{_ADD}example : [1, 2].map add = [13, 14] := rfl", []),
        (f"{_ADD}example : @add 1 5 7 = add 1 := rfl", []),
        (f"{_ADD}example : add 1 = 12 := by decide", ["2:27 error Tactic `decide` proved that the proposition\n"
         "  add 1 = 12\nis false"]),
        ("def foo (α : Type) [Inhabited α] (x : α := default) : α := x\n#check foo Nat\n#check foo Nat 1",
         ["2:0 info foo Nat : Nat", "3:0 info foo Nat 1 : Nat"]),
        ("variable (w : Nat := 4)\ndef one := w + 1\n#check one\n#eval one",
         ["3:0 info one (w : Nat := 4) : Nat", "4:0 info 5"]),
        ("def q (n : Nat) (k : Nat := 2) : Nat := match n with\n  | 0 => k\n  | n + 1 => q n + 1\n#eval (q 0 9, q 3 9)",
         ["4:0 info (9, 5)"]),
    ],
)  # fmt: skip
def test_a_value_is_left_out(text: str, expected: list[str], messages: Check) -> None:
    assert messages(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{_POS}example : (3 : Nat) ≠ 0 := pos 3\nexample (n : Nat) (h : 5 < n) : n ≠ 0 := pos n", []),
        (f"{_POS}#check pos", ["5:0 info pos (n : Nat) (h : 0 < n := by omega) : n ≠ 0"]),
        (f"{_POS}example (n : Nat) (h : 5 < n) : n ≠ 0 := by exact pos n", []),
        # the tactic proves the statement with the caller's arguments
        (f"{_POS}example (n : Nat) : n ≠ 0 := pos n",
         ["5:0 error could not synthesize default value for parameter 'h' using tactics"]),
        ("theorem bad (h : False := by trivial) : 1 = 2 := h.elim\nexample : 1 = 2 := bad",
         ["2:0 error could not synthesize default value for parameter 'h' using tactics"]),
        ("theorem bad (h : False := by trivial) : False := by assumption\nexample : False := @bad",
         ["2:0 error Type mismatch\n  bad\nhas type\n  autoParam False bad._auto_1 → False\n"
          "but is expected to have type\n  False"]),
        (f"{_POS}example (n : Nat) (h : 0 < n) : n ≠ 0 := by\n  apply pos",
         ["6:2 error unsupported: `apply` with the optional argument `h`: use `exact` or `refine`"]),
    ],
)  # fmt: skip
def test_a_proof_is_left_out(text: str, expected: list[str], messages: Check) -> None:
    assert messages(text) == expected


# --- attacks ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        # a default is not a hypothesis about the argument
        "theorem t (x : Nat := 5) : x = 5 := rfl",
        "theorem t (x : Nat := 5) : x = 5 := by simp",
        # a default has the type of its parameter, and is checked even if it is never used
        "def f (x : Nat := True) : Nat := x",
        # a default may mention earlier parameters only
        "set_option autoImplicit false\ndef f (x : Nat := y) (y : Nat) : Nat := x",
        # source text cannot refer to the syntax constant of an `autoParam`
        "example : Lean.Syntax := Lean.Syntax.missing",
        "example (s : Lean.Syntax) : s = s := by cases s; rfl",
        "theorem t (h : False := by trivial) : False := h\nexample : False := t t",
        "theorem t (h : False := by exact t) : False := h\nexample : False := t",
    ],
)
def test_attacks(text: str, messages: Check) -> None:
    assert any(" error " in message for message in messages(text))


def test_a_parameter_that_an_argument_given_by_name_determines_is_found(messages: Check) -> None:
    # Lean's `anyNamedArgDependsOnCurrent`
    text = "def f (n : Nat) (i : Fin n) : Nat := i.val\nexample (i : Fin 3) : f (i := i) = i.val := rfl"
    assert messages(text) == []


def test_a_constructor_without_the_fields_that_have_defaults_is_refused(messages: Check) -> None:
    # in Lean `S.mk 3` is `S.mk 3 4`, not a function
    text = "structure S where\n  a : Nat\n  b : Nat := 4\n"
    (message,) = messages(f"{text}example : Nat → S := S.mk 3")
    assert message.startswith("4:21 error unsupported: `S.mk` without the fields that have defaults")
    assert (
        messages(
            f"{text}example : S := S.mk 3 4\nexample : Nat → Nat → S := @S.mk\nexample : S := {{ a := 3 }}"
        )
        == []
    )
