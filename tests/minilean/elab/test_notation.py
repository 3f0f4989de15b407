"""The user's notations and tactic macros."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.library import library
from minilean.proof import Problem
from minilean.syntax.parser import parse_statement

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("command", "example"),
    [
        ('infixl:65 " ⊹ " => Nat.sub', "7 ⊹ 2 ⊹ 1 = 4"),
        ('infixr:65 " ⊹ " => Nat.sub', "7 ⊹ 2 ⊹ 1 = 6"),
        ('infix:50 " ≪ " => Nat.lt', "(1 + 1 ≪ 3) = Nat.lt 2 3"),
        ('prefix:max "√" => Nat.succ', "√2 = 3"),
        ('postfix:max "†" => Nat.succ', "2† = 3"),
        ('notation:max "‖" x "‖" => Nat.pred x', "‖4‖ = 3"),
        ('notation a " ⟪" b "⟫" => a * b', "2 ⟪3 + 1⟫ = 8"),
        ('notation "ten" => 10', "ten = 10"),
        ('infixl:65 " my- " => Nat.sub', "7 my- 2 my- 1 = 4"),
        ('infixl:65 " +' + "'" + ' " => Nat.add', "7 +' 2 = 9"),
    ],
)
def test_notations(messages: Check, command: str, example: str) -> None:
    assert messages(f"{command}\nexample : {example} := rfl") == []


def test_local_notations_end_with_their_section(messages: Check) -> None:
    text = 'section\nlocal notation "ten" => 10\nexample : ten = 10 := rfl\nend\nexample : ten = 10 := rfl'
    (message,) = messages(text)
    assert message.startswith("5:")


def test_tactic_macros(messages: Check) -> None:
    text = 'macro "close" : tactic => `(tactic| first | rfl | trivial)\nexample : 1 = 1 := by close\n'
    assert messages(text) == []
    (message,) = messages(text + "example : 1 = 2 := by close")
    assert "error" in message


@pytest.mark.parametrize(
    ("block", "proof", "expected"),
    [
        # names of the macro are invisible to the caller, names of the caller to the macro
        ("intro h", "(p : Prop) : p → p := by m; exact h", "Unknown identifier `h`"),
        ("intro h", "(p : Prop) : p → p := by m; rename_i k; exact k", ""),
        ("intro h", "(p q : Prop) : p → q := by m", "unsolved goals\np q : Prop\nh✝ : p\n⊢ q"),
        ("have : 1 = 1 := rfl", ": 1 = 1 := by m; exact this", "Unknown identifier `this`"),
        ("exact h", "(p : Prop) (h : p) : p := by m", "Unknown identifier `h✝`"),
        ("(intro h; exact h)", "(p q : Prop) (h : q) : p → p := by m", ""),
        ("assumption", "(h : 1 = 2) : 1 = 1 := by m", "Tactic `assumption` failed\n\nh : 1 = 2\n⊢ 1 = 1"),
        ("simp at *", "(n : Nat) (h : n + 0 = 3) : n = 3 := by m; exact h", ""),
        ("subst_vars", "(a b : Nat) (h : a = b) (k : b = 2) : a = 2 := by m; rfl", ""),
    ],
)
def test_names_in_a_macro_are_its_own(block: str, proof: str, expected: str, messages: Check) -> None:
    found = messages(f'macro "m" : tactic => `(tactic| {block})\nexample {proof}')
    assert [message.partition(" error ")[2] for message in found] == [expected] * bool(expected)


SCOPED = 'namespace A\nscoped infixl:65 " ⊞ " => Nat.add\nscoped macro "m" : tactic => `(tactic| rfl)\n'
USE = "example : 1 ⊞ 2 = 3 := by m\n"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (f"{SCOPED}{USE}end A", True),
        (f"{SCOPED}section\n{USE}end\nend A", True),
        (f"{SCOPED}end A\nopen A\n{USE}", True),
        (f"{SCOPED}end A\nopen scoped A\n{USE}", True),
        (f"{SCOPED}end A\nnamespace A\n{USE}", True),
        (f"{SCOPED}end A\n{USE}", False),
        (f"{SCOPED}end A\nsection\nopen A\nend\n{USE}", False),
        (f"{SCOPED}end A\nopen A in\nexample : 1 = 1 := rfl\n{USE}", False),
        ('scoped notation "foo" => 1', False),
    ],
)
def test_scoped_notations_are_known_where_the_namespace_is_open(
    text: str, known: bool, messages: Check
) -> None:
    assert (messages(text) == []) is known


def test_a_local_macro_ends_with_its_section(messages: Check) -> None:
    text = 'section\nlocal macro "m" : tactic => `(tactic| rfl)\nend\nexample : 1 = 1 := by m'
    assert "error" in messages(text)[0]


def test_operators_have_a_precedence(messages: Check) -> None:
    (message,) = messages('infixl " ⊕⊕ " => Nat.add')
    assert message.endswith("unexpected token; expected ':'")


def test_other_macros_are_refused_by_name(messages: Check) -> None:
    (message,) = messages('macro "x" n:term : term => do return n')
    assert "unsupported: macros whose value is computed" in message


CONTEXT = """inductive Com where | skip | seq (c d : Com) | ite (b : Bool) (c d : Com) | set (x : String) (n : Nat)
inductive Big : Com × Nat → Nat → Prop where | skip (s) : Big (Com.skip, s) s
structure P where (a b : Nat)
"""


@pytest.mark.parametrize(
    ("notation", "term", "shown"),
    [
        (
            'infixl:65 " ⊹ " => Nat.sub',
            "fun a b => a ⊹ b ⊹ 1 = a ⊹ (b ⊹ 1)",
            "fun a b => a ⊹ b ⊹ 1 = a ⊹ (b ⊹ 1)",
        ),
        ('infixr:65 "⊹" => Nat.sub', "Nat.sub 5 (Nat.sub 4 3)", "5⊹4⊹3"),
        ('prefix:max "√" => Nat.pred', "√(√3 + 1)", "√(√3 + 1)"),
        ('postfix:max " ‼" => Nat.pred', "3 ‼ + (1 + 1) ‼", "3 ‼ + (1 + 1) ‼"),
        ('notation:max "‖" x "‖" => Nat.pred x', "fun x => ‖x + 1‖", "fun x => ‖x + 1‖"),
        ('notation "S" => Nat.succ', "fun (n : Nat) => n.succ + List.length (List.map S [])", None),
        ('notation "ℕ" => Nat', "fun (f : Nat → Nat) => ∀ n : Nat, f n = n", "fun f => ∀ (n : ℕ), f n = n"),
        (
            'infix:110 " ⟹ " => Big',
            "fun s => ¬ Big (Com.skip, s) s ∧ True",
            "fun s => ¬(Com.skip, s) ⟹ s ∧ True",
        ),
        ('infixr:8 ";;" => Com.seq', "(Com.skip;;.skip);;.skip", "(Com.skip;;Com.skip);;Com.skip"),
        ('infixr:8 ";;" => Com.seq', "Com.seq .skip", "Com.skip.seq"),
        (
            'notation:10 "IF" b "THEN" c "ELSE" d => Com.ite b c d',
            "fun b c => IF (!b) THEN c ELSE .skip",
            "fun b c => IF !b THEN c ELSE Com.skip",
        ),
        ('notation "[" x " ↦ " v "]" => Com.set x v', 'Com.set "x" 3', '["x" ↦ 3]'),
        ('notation y " ← " x => Com.set x y', 'Com.set "x" 3', '3 ← "x"'),
        ('infix:50 " ⋈ " => P.mk', "P.mk 1 2", "1 ⋈ 2"),
        ('infixr:35 " & " => And', "True ∧ False ∧ True", "True & False & True"),
        (
            'notation "⟦" a " plus3 " b "⟧" => Nat.add a (Nat.add 3 b)',
            "Nat.add 5 (Nat.add 3 1)",
            "⟦5 plus3 1⟧",
        ),
        ('notation "⟦" a " plus3 " b "⟧" => Nat.add a (Nat.add 3 b)', "Nat.add 5 (Nat.add 4 1)", None),
        ('notation a " ⊕⊕ " b => (Nat.add a b)', "5 ⊕⊕ 4", "Nat.add 5 4"),
        ('notation a " ⊕⊕ " b => a + b', "5 ⊕⊕ 4", "5 + 4"),
        ('infixl:90 " ⊙ " => Function.comp', "(Nat.succ ⊙ Nat.succ) 2", "(Nat.succ ⊙ Nat.succ) 2"),
    ],
)
def test_terms_are_shown_by_notations(messages: Check, notation: str, term: str, shown: str | None) -> None:
    # Words that would become one token are kept apart; other spaces are those of the notation (`pushToken`).
    (message,) = messages(f"{CONTEXT}{notation}\n#check {term}")
    text = message.partition(" info ")[2]
    if shown is None:
        shown = {"S": "fun n => S n + (List.map S []).length", "⟦": "Nat.add 5 (Nat.add 4 1)"}[notation[10]]
    assert text.startswith(shown + " : "), text


def test_the_latest_notation_shows(messages: Check) -> None:
    inner = 'section\nlocal infixl:65 " ⊖ " => Nat.sub\n#check Nat.sub 2 1\nend'
    first, second = messages(f'infixl:65 " ⊹ " => Nat.sub\n{inner}\n#check Nat.sub 2 1')
    assert "2 ⊖ 1" in first and "2 ⊹ 1" in second


def test_goals_are_shown_by_notations(messages: Check) -> None:
    text = 'notation "ℕ" => Nat\nexample (x y : ℕ) : x = y := by\n  skip'
    (message,) = messages(text)
    assert message.endswith("x y : ℕ\n⊢ x = y")


def test_notations_take_part_in_line_breaks(messages: Check) -> None:
    long = "averylongname_" * 3
    text = f'infix:50 " ≼≼ " => Nat.le\nexample ({long}a {long}b : Nat) : {long}a + {long}a ≼≼ {long}b := by\n  skip'
    (message,) = messages(text)
    assert message.endswith(f"⊢ {long}a + {long}a ≼≼\n    {long}b")


def test_default_precedence(messages: Check) -> None:
    # a notation that does not end with a token is not an argument unless it has precedence `max`
    text = 'notation "‖" x => Nat.pred x\n#check Nat.succ ‖3'
    assert any("error" in message for message in messages(text))
    assert not any("error" in m for m in messages(text.replace('notation "', 'notation:max "')))


OVERLOADED = """inductive L where | nil | cons (n : Nat) (l : L)
namespace L
infixr:60 " :: " => L.cons
def app : L → L → L
  | nil, m => m
  | x :: l, m => x :: app l m
infixr:60 " ++ " => app
"""


@pytest.mark.parametrize(
    "statement",
    [
        "(x : Nat) (l m : L) : (x :: l) ++ m = x :: l ++ m := rfl",
        "(x : Nat) (l : List Nat) : (x :: l) ++ l = ([x] ++ l) ++ l := rfl",
        "(x : Nat) (l : List Nat) : ([x] ++ l).length = (x :: l).length := by cases l <;> rfl",
    ],
)
def test_tokens_of_core_mean_what_fits(messages: Check, statement: str) -> None:
    assert messages(f"{OVERLOADED}example {statement}") == []


def test_equal_readings_are_ambiguous(messages: Check) -> None:
    text = 'infixl:65 " ⊹ " => Nat.add\ninfixl:65 " ⊹ " => Nat.sub\n#check 2 ⊹ 1'
    (message,) = messages(text)
    assert "Ambiguous term\n  2 ⊹ 1" in message


def test_priorities_decide(messages: Check) -> None:
    text = 'infixl:65 " ⊹ " => Nat.add\ninfixl:65 (priority := high) " ⊹ " => Nat.sub\nexample : 2 ⊹ 1 = 1 := rfl'
    assert messages(text) == []


def test_the_longest_reading_wins(messages: Check) -> None:
    text = 'notation:max "[" a " ↦ " b "]" => Nat.add a b\nexample : [1].length = 1 := rfl\n'
    assert messages(text + "example : [1 ↦ 2] = 3 := rfl") == []
    text = 'notation:65 f "[" a " ↦ " b "]" => Nat.add f (Nat.mul a b)\nexample : 1[1 ↦ 2] = 3 := rfl\n'
    assert messages(text + "example (f : List Nat → Nat) : f [1, 2] = f [1, 2] := rfl") == []


def test_reading_twice_takes_linear_time() -> None:
    context = Problem.from_source("theorem t : True", library(), 'infixr:50 " ∈ " => Nat.add')
    chain = " ∈ ".join(["x"] * 100)
    text = f"theorem t (x : Nat) : {'(' * 60}x{' ∈ x)' * 60} = {chain}"
    # without memory this would be read 2 ^ 100 times
    assert parse_statement(text, context.scope.grammar).name == "t"


def test_an_operator_may_stand_for_anything_whatever_its_names(messages: Check) -> None:
    text = "def a (x y : Nat) : Nat := x * y\ndef b (x : Nat) : Nat := x + 1\n"
    text += 'infixl:65 " +++ " => a\npostfix:max "!!" => b\ninfixl:65 " ~~~ " => fun (a b : Nat) => a - b\n'
    assert messages(text + "example : 2 +++ 3 = 6 ∧ 5!! = 6 ∧ 5 ~~~ 3 = 2 := ⟨rfl, rfl, rfl⟩") == []


def test_readings_that_share_their_parts_are_gone_through_once(messages: Check) -> None:
    nested = "(" * 60 + "x" + " ∈ x)" * 60
    # there are 2 ^ 60 ways down to the innermost x
    assert messages(f'infixr:50 " ∈ " => Nat.add\nnotation "nested" x => {nested}') == []


def test_a_local_notation_may_speak_of_variables(messages: Check) -> None:
    text = 'variable {α} (op : α → α → α)\n{}infixr:60 " ∙ " => op\n'
    use = "theorem t (h : ∀ x y, x ∙ y = y ∙ x) (x y : α) : x ∙ y = y ∙ x := h x y\n"
    assert messages(text.replace("{}", "local ") + use) == []
    other = "example (op : Nat → Nat → Nat) : 1 ∙ 2 = op 1 2 := rfl\n"
    found = messages(text.replace("{}", "local ") + other)
    assert [m.split(" error ")[1] for m in found] == [
        "unsupported: a notation that mentions the variable `op` where a later one shadows it"
    ]
    assert [m.split(" error ")[1] for m in messages(text.replace("{}", ""))] == [
        "Unknown identifier `op` at quotation precheck\n\n"
        "Note: You can use `set_option quotPrecheck false` to disable this check."
    ]


def test_a_notation_without_hygiene_comes_before_what_it_speaks_of(messages: Check) -> None:
    text = 'set_option hygiene false in\ninfixl:40 " ==> " => Step\ninductive Step : Nat → Nat → Prop where\n'
    text += "  | one : ∀ n, n ==> n + 1\n  | next : ∀ a b, a ==> b → a + 1 ==> b + 1\n#check 1 ==> 2\n"
    assert messages(text) == ["6:0 info Step 1 2 : Prop"]


def test_a_notation_between_tokens_is_an_argument(messages: Check) -> None:
    (message,) = messages('notation "‖" x "‖" => Nat.succ x\n#check Nat.add ‖1‖ 2')
    assert message == "2:0 info ‖1‖.add 2 : Nat"
