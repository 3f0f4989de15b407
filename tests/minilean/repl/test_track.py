"""`frontend.track` accepts completions of a file and refuses files that change a statement."""

from __future__ import annotations

from typing import Any

import pytest

SRC = "theorem t (p q : Prop) : p ∧ q → q ∧ p := sorry"
PROOF = "theorem t (p q : Prop) : p ∧ q → q ∧ p := fun h => ⟨h.2, h.1⟩"
FALSE = "theorem t : 1 = 2 := sorry"


def failure(repl: Any, src: str, dst: str) -> str | None:
    """Return the reason why `dst` does not complete `src`: the failure, or its first error; `None` if it does."""
    answer = repl("frontend.track", src=src, dst=dst)
    assert "srcMessages" in answer, answer
    errors = [m for m in (*answer["srcMessages"], *answer["dstMessages"]) if m["severity"] == "error"]
    found = answer.get("failure")
    assert found is None or isinstance(found, str)
    return errors[0]["data"] if errors else found


@pytest.mark.parametrize(
    ("src", "dst"),
    [
        (SRC, PROOF),
        (SRC, "theorem t : ∀ a b : Prop, a ∧ b → b ∧ a := by\n  intro p q ⟨hp, hq⟩\n  exact ⟨hq, hp⟩"),
        (
            SRC,
            "theorem aux (p q : Prop) (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩\n"
            "theorem t (p q : Prop) : p ∧ q → q ∧ p := aux p q",
        ),
        ("def f : Nat -> Nat := sorry", "def f : Nat -> Nat := fun y => y + y"),
        ("def f : Nat := 2\ntheorem t : f = 2 := sorry", "def f : Nat := 2\ntheorem t : f = 2 := rfl"),
        ("namespace A\ntheorem t : True := sorry\nend A", "theorem A.t : True := trivial"),
        ("axiom a : 1 = 2\ntheorem t : 2 = 1 := sorry", "axiom a : 1 = 2\ntheorem t : 2 = 1 := a.symm"),
        ("theorem t (p : Prop) : p ∨ ¬p := sorry", "theorem t (p : Prop) : p ∨ ¬p := Classical.em p"),
    ],
)
def test_an_honest_completion_passes(repl: Any, src: str, dst: str) -> None:
    assert repl("frontend.track", src=src, dst=dst) == {"srcMessages": [], "dstMessages": []}


def test_messages_of_both_files_are_reported_when_one_fails(repl: Any) -> None:
    # from Pantograph's own tests
    answer = repl("frontend.track", src="def f : Nat := sorry", dst="def f : Nat := false")
    (warning,), (error,) = answer["srcMessages"], answer["dstMessages"]
    assert (warning["data"], warning["kind"]) == ("declaration uses `sorry`", "hasSorry")
    assert error["data"] == "Type mismatch\n  false\nhas type\n  Bool\nbut is expected to have type\n  Nat"
    assert "failure" not in answer


# Attempts to pass another declaration off as a proof of `1 = 2`.
@pytest.mark.parametrize(
    ("dst", "reason"),
    [
        ("", "[t] not accounted for"),
        (FALSE, "Definition value has sorry: t"),
        ("theorem t : 1 = 2 := by sorry", "Definition value has sorry: t"),
        ("theorem t : 1 = 2 := sorryAx _ true", "Definition value has sorry: t"),
        (
            'macro "easy" : tactic => `(tactic| sorry)\ntheorem t : 1 = 2 := by easy',
            "Definition value has sorry: t",
        ),
        ('notation "easy" => sorry\ntheorem t : 1 = 2 := easy', "Definition value has sorry: t"),
        ("theorem c : False := sorry\ntheorem t : 1 = 2 := c.elim", "Definition value has sorry: c"),
        ("axiom c : False\ntheorem t : 1 = 2 := c.elim", "Adding axiom is not allowed: c"),
        ("axiom t : 1 = 2", "Definition clash of t"),
        ("def t : 1 = 2 := sorry", "Definition value has sorry: t"),
        ("axiom c : False\ndef t : 1 = 2 := c.elim", "Adding axiom is not allowed: c"),
        # another statement under the same name
        ("theorem t : 1 = 1 := rfl", "Type clash of t"),
        ("theorem t : True := trivial", "Type clash of t"),
        ("theorem t (h : False) : 1 = 2 := h.elim", "Type clash of t"),
        ("variable (h : False)\ninclude h\ntheorem t : 1 = 2 := h.elim", None),
        ("theorem t : (1 : Fin 1) = 2 := rfl", None),
        # the right statement in another place
        ("namespace A\ntheorem t : 1 = 2 := sorry\nend A", "Definition value has sorry: A.t"),
        ("namespace A\ntheorem t : 1 = 1 := rfl\nend A\nopen A", "[t] not accounted for"),
        ("theorem «t » : 1 = 1 := rfl", None),
        ("theorem T : 1 = 1 := rfl", "[t] not accounted for"),
        ("/- theorem t : 1 = 2 := rfl -/", "[t] not accounted for"),
        ("-- theorem t : 1 = 2 := rfl", "[t] not accounted for"),
        ("example : 1 = 1 := rfl -- t", "[t] not accounted for"),
        ("section\ntheorem u : 1 = 1 := rfl\n/- end\ntheorem t : 1 = 2 := rfl\n-/", "[t] not accounted for"),
        # the same name twice
        ("theorem t : 1 = 1 := rfl\ntheorem t : 1 = 2 := rfl", None),
        ("theorem t : 1 = 1 := rfl\nnamespace A\ntheorem t : 1 = 1 := rfl\nend A", "Type clash of t"),
        # other meanings of the names in the statement
        ('notation:50 a " = " b => True\ntheorem t : 1 = 2 := trivial', None),
        ('notation "2" => 1\ntheorem t : 1 = 2 := rfl', None),
        ("instance (priority := 5000) : OfNat Nat 2 := ⟨1⟩\ntheorem t : (1 : Nat) = 2 := rfl", None),
        (
            "instance : OfNat Bool 1 := ⟨true⟩\ninstance : OfNat Bool 2 := ⟨true⟩\ntheorem t : (1 : Bool) = 2 := rfl",
            None,
        ),
        (
            "inductive Eq' : Nat → Nat → Prop where | mk (a b) : Eq' a b\ntheorem t : Eq' 1 2 := .mk 1 2",
            "Type clash of t",
        ),
        # the check itself
        ("import Init\ntheorem t : 1 = 2 := rfl", None),
        ("#exit\ntheorem t : 1 = 2 := rfl", None),
        ("set_option debug.skipKernelTC true\ntheorem t : 1 = 2 := rfl", None),
        ("unsafe def t : 1 = 2 := t", None),
        ("partial def t : 1 = 2 := t", None),
        ("theorem t : 1 = 2 := t", None),
        ("theorem t : 1 = 2 := by exact t", None),
        ("theorem t : 1 = 2 := by native_decide", None),
        ("theorem t : 1 = 2 := by decide", None),
        ("mutual\ntheorem t : 1 = 2 := u\ntheorem u : 1 = 2 := t\nend", None),
        ("@[implemented_by trivial] theorem t : 1 = 2 := rfl", None),
        ("theorem sorryAx : 1 = 2 := rfl", None),
    ],
)
def test_a_false_statement_has_no_completion(repl: Any, dst: str, reason: str | None) -> None:
    found = failure(repl, FALSE, dst)
    assert found is not None
    if reason is not None:
        assert found == reason


@pytest.mark.parametrize(
    ("src", "dst", "reason"),
    [
        (
            "def f : Nat := 1\ntheorem t : f = 2 := sorry",
            "def f : Nat := 2\ntheorem t : f = 2 := rfl",
            "Definition clash of f",
        ),
        (
            "def f : Nat := 1\ntheorem t : f = 2 := sorry",
            "abbrev f := 2\ntheorem t : f = 2 := rfl",
            "Definition clash of f",
        ),
        ("theorem f : True := trivial", "theorem f : True := ⟨⟩", None),
        ("def f.{u} (α : Sort u) : Nat := sorry", "def f (α : Prop) : Nat := 1", "Type clash of f"),
        ("axiom a : 1 = 2", "theorem a : 1 = 1 := rfl", "Type clash of a"),
        (
            "inductive P : Prop where | mk : False → P\ntheorem t : P := sorry",
            "inductive P : Prop where | mk : P\ntheorem t : P := .mk",
            "Type clash of P.mk",
        ),
        (
            "inductive P : Prop where | mk : False → P\ntheorem t : P := sorry",
            "inductive P : Prop where | mk : False → P | other : P\ntheorem t : P := .other",
            "Definition clash of P",
        ),
        (
            "structure S where x : Nat\ntheorem t : ∀ a b : S, a = b := sorry",
            "structure S : Type where x : True\ntheorem t : ∀ a b : S, a = b := fun ⟨_⟩ ⟨_⟩ => rfl",
            "Type clash of S.mk",
        ),
        (
            "class C (n : Nat) : Prop where h : n = 0\ninstance i : C 1 := sorry\ntheorem t : C 1 := sorry",
            "class C (n : Nat) : Prop where h : n = n\ninstance i : C 1 := ⟨rfl⟩\ntheorem t : C 1 := i",
            "Type clash of C.mk",
        ),
    ],
)
def test_definitions_must_not_change(repl: Any, src: str, dst: str, reason: str | None) -> None:
    found = failure(repl, src, dst)
    if reason is None:
        assert found in (None, "Definition clash of f")
    else:
        assert found == reason


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        (
            ("env.add", {"name": "c", "type": "False", "value": "sorry", "isTheorem": True}),
            "Definition value has sorry: t",
        ),
        (
            ("env.add", {"name": "c", "type": "False", "value": "sorry", "isTheorem": False}),
            "Definition value has sorry: t",
        ),
        (
            ("frontend.process", {"file": "theorem c : False := sorry", "inheritEnv": True}),
            "Definition value has sorry: t",
        ),
        (
            ("frontend.process", {"file": "axiom c : False", "inheritEnv": True}),
            "Adding axiom is not allowed: c",
        ),
        (
            ("frontend.process", {"file": "axiom a : False\ntheorem c : False := a", "inheritEnv": True}),
            "Adding axiom is not allowed: a",
        ),
    ],
)
def test_what_the_session_was_taught_is_no_way_around(
    repl: Any, prepare: tuple[str, dict[str, Any]], reason: str
) -> None:
    command, payload = prepare
    assert "error" not in repl(command, **payload)
    assert failure(repl, FALSE, "theorem t : 1 = 2 := c.elim") == reason


TWO = "inductive Two where | a | b\n"
MATCH_SRC = TWO + "theorem t (x : Two) : (match x with | .a => True | .b => x = x) := sorry"
MATCHER = """
noncomputable def t.match_1.{u_1} (motive : Two → Sort u_1) (x : Two) (h_1 : Unit → motive Two.a)
    (h_2 : Unit → motive Two.b) : motive x := @Two.rec motive (id (h_1 ())) (h_2 ()) x
theorem t (x : Two) : t.match_1 (fun _ => Prop) x (fun _ => True) (fun _ => x = x) := by
  cases x with
  | a => exact trivial
  | b => exact rfl
"""


def test_the_matcher_in_a_statement_is_part_of_the_statement(repl: Any) -> None:
    honest = MATCH_SRC.replace("sorry", "by cases x <;> trivial")
    assert failure(repl, MATCH_SRC, honest) is None
    # The type has the same text, with a constant of the candidate in the place of the matcher.
    found = failure(repl, MATCH_SRC, TWO + MATCHER)
    assert found is not None and found.endswith("clash of t.match_1")
    assert failure(repl, MATCH_SRC, honest.replace("x = x", "True")) == "Type clash of t"


def test_the_equations_of_a_definition_that_is_yet_to_be_given_may_differ(repl: Any) -> None:
    src = "def f : Nat → Nat\n  | 0 => sorry\n  | n + 1 => f n"
    assert failure(repl, src, src.replace("sorry", "7")) is None
    assert failure(repl, src, "def f (n : Nat) : Nat := n") is None
    assert failure(repl, src, src) == "Definition value has sorry: f"


def test_notation_of_one_file_is_not_known_to_the_other(repl: Any) -> None:
    src = 'notation "holds" => True\ntheorem t : holds := sorry'
    assert failure(repl, src, "theorem t : True := trivial") is None
    found = failure(repl, src, "theorem t : holds := trivial")
    assert found is not None and "holds" in found


def test_tracking_leaves_the_session_as_it_was(repl: Any) -> None:
    repl("frontend.track", src=SRC, dst=PROOF)
    assert repl("env.inspect", name="t")["error"] == "index"
    assert repl("stat") == {"nGoals": 0}
