"""Short ways to write bullets, functions, instances and local recursion."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

ACCEPTED = [
    # bullets without a space
    "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  constructor\n  .exact hp\n  .exact hq",
    "theorem t (a b : Nat) : a = a ∧ b = b := by\n  constructor\n  ·rfl\n  .rfl",
    "theorem t (a b : Nat) : a = a ∧ b = b := by\n  constructor <;> try\n    .rfl",
    "theorem t (a : Nat) (h : a = a) : a = a ∧ (a = a ∧ a = a) := by\n  constructor\n  .exact h\n"
    "  .constructor\n   .exact h\n   .show a = a\n    exact h",
    # a name after a dot is an argument where it stands further right
    "theorem t (a : Nat) : a = a := by\n  exact\n    .refl a",
    "theorem t (p q : Prop) (h : p) : p ∨ q := by\n  refine id\n    (.inl h)",
    # `.` as `·`
    "def f : List Nat → List Nat := List.map (. + 1)\nexample : f [1] = [2] := rfl",
    "example : (. + .) 1 2 = 3 := rfl",
    "theorem t (f : Nat → Nat → Nat) (h : ∀ x, f x 1 = x) : (f . 1) 2 = 2 := h 2",
    # proofs by cases without cases
    "theorem t (x : Fin 0) : False := nomatch (x : Fin 0)",
    "theorem t : ∀ x : Fin 0, False := nofun",
    # instances
    "namespace A\ninductive R | x deriving DecidableEq, Inhabited\n"
    "inductive B.R | u | v deriving DecidableEq, Inhabited\nend A\n"
    "inductive A.C.R | u | v deriving DecidableEq\ninductive C.R | u | v deriving DecidableEq\n"
    "example : A.B.R.u ≠ A.B.R.v := by decide\nexample : C.R.u ≠ C.R.v := by decide",
    "structure P where\n  a : Nat\nderiving instance DecidableEq for P\nexample : P.mk 1 ≠ P.mk 2 := by decide",
    "namespace A\ninductive R | u | v\nend A\ninductive S | u\nopen A in\n"
    "deriving instance DecidableEq, Inhabited for R, S\nexample : A.R.u ≠ A.R.v := by decide",
    "def f {α : Type} (xs : List α) : Nat := if xs = [] then 1 else 0\n"
    "example (f : Nat → Nat) : (if [] = [f] then 1 else 0) = 0 := by simp",
    # local recursion
    "def f (n : Nat) : Nat :=\n  let rec go (i k : Nat) : Nat := if i < n then go (i + 1) (k + i) else k\n"
    "  termination_by n - i\n  go 0 0\nexample : f 0 = 0 := by simp [f, f.go]",
    "def f (n : Nat) : Nat := 1 + (\n  let rec go (i k : Nat) : Nat := if i < n then go (i + 1) (k + i) else k\n"
    "  termination_by n - i\n  decreasing_by omega\n  go 0 0)",
    "def f (n : Nat) : Nat := by\n  skip\n  let rec go (i k : Nat) : Nat := if i < n then go (i + 1) (k + i) else k\n"
    "  termination_by n - i\n  decreasing_by omega\n  exact go 0 0",
    # an implicit argument before the dot
    "structure Q where\n  v : Nat\ndef Q.twice {b : Q} : Nat := b.v * 2\nexample : (Q.mk 3).twice = 6 := rfl",
]
REFUSED = [
    ("theorem t (a : Nat) : a = a := by\n  .", "unsolved goals"),
    ("theorem t : 1 = 1 ∧ 2 = 2 := by\n  constructor\n  .rfl\n  .foo", "unknown tactic"),
    ("deriving instance DecidableEq for Foo", "Unknown constant `Foo`"),
    (
        "def d := 1\nderiving instance DecidableEq for d",
        "Failed to delta derive `Decidable` instance for `d`",
    ),
    ("inductive P : Prop | a\nderiving instance DecidableEq for P", "None of the deriving handlers"),
    (
        "theorem t : 1 = 2 := by\n  skip\n  let rec q (n : Nat) : 1 = 2 := q (n + 1)\n  termination_by n\n  exact q 0",
        "failed to prove termination",
    ),
    (
        "def f (n : Nat) : Nat :=\n  let rec go (i : Nat) : Nat := go (i + 1)\n  termination_by i\n  go n",
        "decreasing",
    ),
    (
        "structure Q where\n  v : Nat\ndef Q.f {b : Nat} : Nat := b\n#eval (Q.mk 3).f",
        "does not have a usable parameter",
    ),
    ("lemma l : 1 = 1 := rfl", "use `theorem`"),
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(messages: Check, text: str) -> None:
    assert messages(text + "\n") == []


@pytest.mark.parametrize(("text", "part"), REFUSED)
def test_refused(messages: Check, text: str, part: str) -> None:
    found = messages(text + "\n")
    assert any(" error " in message and part in message for message in found), found


@pytest.mark.parametrize("count", [1, 16, 17, 60])
def test_enumerations_of_any_size_have_decidable_equality(messages: Check, count: int) -> None:
    names = [f"c{i}" for i in range(count)]
    text = f"inductive E | {' | '.join(names)}\n  deriving DecidableEq\n"
    checks = [f"example : E.c0 ≠ E.c{count - 1} := by decide"] if count > 1 else []
    checks += [
        "example (x : E) : x = x := by simp",
        f"example : E.c{count - 1} = E.c{count - 1} := by decide",
    ]
    assert messages(text + "\n".join(checks)) == []


@pytest.mark.parametrize("count", [4, *(pytest.param(count, marks=pytest.mark.slow) for count in (17, 40))])
def test_equality_of_values_with_fields_is_derived(messages: Check, count: int) -> None:
    # fields are numbers, values of the type itself, proofs, and values of a parameter with the name of a variable
    kinds = ("", " (x : Nat) (t : E a)", " (x : Nat) (h : x = x) (y : Bool)", " (x : a) (t u : E a)")
    constructors = " | ".join(f"c{i}{kinds[i % 4]}" for i in range(count))
    text = f"inductive E (a : Type) | {constructors}\n  deriving DecidableEq\nabbrev V := E Nat\n"
    values = [".c0", ".c1 1 .c0", ".c1 2 .c0", ".c1 1 (.c1 1 .c0)", ".c2 1 rfl true", ".c2 1 rfl false"]
    values += [".c3 1 .c0 .c0", ".c3 2 .c0 .c0", ".c3 1 .c0 (.c1 1 .c0)"]
    for i, left in enumerate(values[: 3 if count > 20 else None]):
        for j, right in enumerate(values[: i + 1]):
            text += f"example : ({left} : V) {'=' if i == j else '≠'} {right} := by decide\n"
    assert [line.partition(" ")[2] for line in messages(text + "#print axioms instDecidableEqE")] == [
        "info 'instDecidableEqE' does not depend on any axioms"
    ]
    last = f"{text}example : (.c0 : V) = .c1 1 .c0 := by decide"
    assert any(" error " in line and "is false" in line for line in messages(last))


def test_an_instance_that_is_not_made_is_said_so(messages: Check) -> None:
    (message,) = messages("inductive E : Nat → Type | a : E 0\n  deriving DecidableEq\n")
    assert "warning unsupported: `deriving DecidableEq` for `E`: no instance is made" in message


def test_panic_is_the_default_value_under_a_name_that_says_where(messages: Check) -> None:
    # As Lean 4.35 prints it.
    head = 'def f (xs : List Nat) : Nat := match xs with | [] => panic! "empty" | x :: _ => x\n'
    assert messages(head + "example : f [] = 0 := by\n  simp only [f]\n  trace_state\n  rfl") == [
        '4:2 trace ⊢ panicWithPosWithDecl "[anonymous]" "f" 1 53 "empty" = 0'
    ]
    inner = "namespace A\ndef h : Nat :=\n  unreachable!\n#print h\nend A"
    assert messages(inner)[0].endswith(
        'panicWithPosWithDecl "[anonymous]" "A.h" 3 2 "unreachable code has been reached"'
    )


@pytest.mark.parametrize("term", ['panic! "x"', "unreachable!", 'panic! (panic! "x")'])
def test_panic_proves_nothing_that_has_no_value(messages: Check, term: str) -> None:
    said = messages(f"theorem t : False := {term}\ndef g (α : Type) : α := {term}")
    assert [line.split("\n")[0].partition("error ")[2] for line in said] == [
        "failed to synthesize instance of type class"
    ] * 2


def test_panic_is_no_argument(messages: Check) -> None:
    said = messages("example : Nat := id unreachable!")
    assert said[-1].endswith("unexpected token 'unreachable!'; expected command")


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ('"a b c".splitOn', '["a", "b", "c"]'),
        ('"a--b-c--".splitOn "--"', '["a", "b-c", ""]'),
        ('"aaa".splitOn "aa"', '["", "a"]'),
        ('"ab".splitOn ""', '["ab"]'),
        ('"".splitOn', '[""]'),
        ("String.mk ['a', 'b']", '"ab"'),
        ('"ab".data', "['a', 'b']"),
        ("(Array.mkEmpty 3 : Array Nat)", "#[]"),
    ],
)
def test_older_names_of_strings_and_arrays(messages: Check, term: str, value: str) -> None:
    assert messages(f"#eval {term}") == [f"1:0 info {value}"]
