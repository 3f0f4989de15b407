"""Macros with arguments: `syntax`, `macro_rules` and `macro` with plain templates."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from minilean.elab.names import Scope
from minilean.library import library
from minilean.proof import Problem

Check = Callable[[str], list[str]]

VECTORS = """inductive Vec (α : Type) : Nat → Type where
  | nil : Vec α 0
  | cons (a : α) (v : Vec α n) : Vec α (n + 1)
syntax "⟪" term,* "⟫" : term
macro_rules
  | `(⟪⟫) => `(Vec.nil)
  | `(⟪$h⟫) => `(Vec.cons $h Vec.nil)
  | `(⟪$h, $t,*⟫) => `(Vec.cons $h ⟪$t,*⟫)
"""


@pytest.mark.parametrize(
    "text",
    [
        f"{VECTORS}example : (⟪⟫ : Vec Nat 0) = Vec.nil := rfl",
        f"{VECTORS}example : ⟪1, 2⟫ = Vec.cons 1 (Vec.cons 2 Vec.nil) := rfl",
        f"{VECTORS}def first : Vec Nat 2 → Nat | ⟪a, _⟫ => a\nexample : first ⟪3, 4⟫ = 3 := rfl",
        f"{VECTORS}example : id ⟪⟪1⟫, ⟪2⟫⟫ = ⟪⟪1⟫, Vec.cons 2 ⟪⟫⟫ := rfl",
        'macro "list(" xs:term,* ")" : term => `([$xs,*])\nexample : list(1, 2) = [1, 2] := rfl',
        'syntax "sum" "(" term,+ ")" : term\n'
        "macro_rules | `(sum($x)) => `($x) | `(sum($x, $xs,*)) => `($x + sum($xs,*))\n"
        "example : sum(1, 2, 3) = 6 := rfl",
        # terms
        'macro "both" x:term:max y:term:max : term => `(And $x $y)\n'
        "example (p q : Prop) (h : p) (k : q) : both p q := ⟨h, k⟩",
        'macro x:term:51 " ~~ " y:term:51 : term => `($x = $y ∨ $y = $x)\nexample : 1 ~~ 1 := .inl rfl',
        'syntax:65 term:65 " ⊞ " term:66 : term\nmacro_rules | `($a ⊞ $b) => `($a + $b)\n'
        "example : 1 ⊞ 2 ⊞ 3 = 6 := rfl",
        'macro "lam" x:ident "=>" b:term : term => `(fun $x => $b)\n'
        "example : (lam y => y + 1 : Nat → Nat) 2 = 3 := rfl",
        'macro "every" x:ident ":" b:term : term => `(∀ $x:ident, $b)\n'
        "example : every y : y = y + 0 := by\n  intro y\n  rfl",
        'macro "zero" c:term "so" a:term "else" b:term : term => `(if $c = 0 then $a else $b)\n'
        "example : (zero 0 so 1 else 2) = 1 := rfl",
        'syntax "pick" ident num str : term\nmacro_rules | `(pick $i $n $s) => `(($i, $n, $s))\n'
        'example : pick true 3 "a" = (true, 3, "a") := rfl',
        # patterns by shape, the first that fits
        'syntax "shape" term : term\nmacro_rules | `(shape $x:ident) => `(1) | `(shape 0) => `(2)\n'
        "  | `(shape $x:num) => `(3) | `(shape $x + $y) => `($x) | `(shape ($x)) => `(shape $x)\n"
        "  | `(shape $f $x) => `(4) | `(shape $x) => `(5)\n"
        "example : [shape true, shape 0, shape 7, shape 8 + 9, shape (id 1), shape [1]] = [1, 2, 3, 8, 4, 5] := rfl",
        # later commands come first
        'syntax "n" : term\nmacro_rules | `(n) => `(1)\nmacro_rules | `(n) => `(2)\nexample : n = 2 := rfl',
        # tactics
        'macro "by_term" x:term : tactic => `(tactic| exact $x)\n'
        "example (h : p) : p ∧ p := by by_term ⟨by assumption, h⟩",
        'macro "twice" t:tactic : tactic => `(tactic| ($t; $t))\n'
        "example : p → q → p := by\n  twice intro h\n  assumption",
        'macro "all" t:tactic : tactic => `(tactic| repeat $t)\n'
        "example (h : p) : p ∧ p := by\n  constructor\n  all exact h",
        'macro "named" h:ident : tactic => `(tactic| intro $h)\nexample : p → p := by\n  named x\n  exact x',
        'macro "clean" h:ident : tactic => `(tactic| (simp at $h; omega))\n'
        "example (h : x = 1 + 0) : x + 1 = 2 := by clean h",
        'macro "swap_and" h:term : tactic => `(tactic| (obtain ⟨a, b⟩ := $h; exact ⟨b, a⟩))\n'
        "example (h : p ∧ q) : q ∧ p := by swap_and h",
        'macro "turn" h:term : tactic => `(tactic| rw [$h:term])\nexample (h : a = b) : a = b := by turn h',
        'macro "use_it" h:term : tactic => `(tactic| (have := $h; simp_all))\n'
        "example (h : a = b) (k : b = 2) : a = 2 := by use_it h",
        'def f (n : Nat) := n + 1\nmacro "open_f" x:term : tactic => `(tactic| (unfold f; exact $x))\n'
        "example : f 1 = 1 + 1 := by open_f rfl",
        'syntax "oneof" "[" term,* "]" : tactic\nmacro_rules\n  | `(tactic| oneof [$h]) => `(tactic| exact $h)\n'
        "  | `(tactic| oneof [$h, $hs,*]) => `(tactic| first | exact $h | oneof [$hs,*])\n"
        "example (h : p) (k : q) : q := by oneof [h, k]",
        'macro "pull" t:term : tactic => `(tactic| (generalize h : $t = x; revert h; intro h; clear h; rfl))\n'
        "example (n : Nat) : n + 1 = n + 1 := by pull n + 1",
        # the first word of a tactic stays a name
        'macro "m" x:term : tactic => `(tactic| exact $x)\nmacro "k" : tactic => `(tactic| rfl)\n'
        "example (m k : Nat) (h : m = k) : m = k := by m h",
        # two tactics with one first word
        'syntax "settle" term : tactic\nsyntax "settle" : tactic\n'
        "macro_rules | `(tactic| settle) => `(tactic| trivial) | `(tactic| settle $t) => `(tactic| exact $t)\n"
        "example (h : p) : p ∧ True := by\n  constructor\n  settle h\n  settle",
    ],
)
def test_accepted(messages: Check, text: str) -> None:
    assert messages(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # names of the template and names of the arguments
        ('macro "k" x:term : term => `(fun y => $x)\nexample (y : Nat) : (k y) 1 = y := rfl', ""),
        (
            'macro "plus" x:term : term => `(let y := 1; $x + y)\ndef y := 5\nexample : (plus y) = 6 := rfl',
            "",
        ),
        ('macro "some_of" x:term : term => `(∃ y, y = $x)\nexample (y : Nat) : some_of y := ⟨y, rfl⟩', ""),
        (
            'macro "after" t:term : tactic => `(tactic| (intro h; exact $t))\n'
            "example (p q : Prop) (h : q) : p → q := by after h",
            "",
        ),
        (
            'macro "after" t:term : tactic => `(tactic| (intro h; exact $t))\n'
            "example (p : Prop) : p → p := by after h",
            "Unknown identifier `h`",
        ),
        (
            'macro "twin" h:ident : tactic => `(tactic| (intro $h; have k := $h))\n'
            "example (p q : Prop) : p → q := by\n  twin x",
            "unsolved goals\np q : Prop\nx k✝ : p\n⊢ q",
        ),
        (
            'macro "see" t:tactic : tactic => `(tactic| (intro h; $t))\n'
            "example (p : Prop) : p → p := by see fail",
            "Failed: `fail` tactic was invoked\np : Prop\nh✝ : p\n⊢ p",
        ),
        # an argument may bind the same name itself
        (
            'notation "unique" p => ∃ y : Nat, p y ∧ ∀ z, p z → z = y\nnotation "only" x => unique (fun y => y = x)\n'
            "example : only 1 := ⟨1, rfl, fun _ h => h⟩",
            "",
        ),
        (
            'notation "inner" p => fun y : Nat => p y\n'
            'notation "outer" x => fun y : Nat => inner (fun y : Fin y => x)\n'
            "#check outer 1",
            "unsupported: expansions inside each other that both bind `y`",
        ),
        # an expansion inside another one names its own hypothesis
        (
            'macro "inner" t:term : tactic => `(tactic| intro h)\n'
            'macro "outer" t:term : tactic => `(tactic| (intro h; inner 1; exact h))\n'
            "example (p q : Prop) : p → q → p := by outer 1",
            "",
        ),
        (
            'macro "inner" t:term : tactic => `(tactic| intro h)\n'
            'macro "outer" t:term : tactic => `(tactic| (intro h; inner 1; exact h))\n'
            "example (p q : Prop) : p → q → q := by outer 1",
            "Type mismatch\n  h✝¹\nhas type\n  p\nbut is expected to have type\n  q",
        ),
        (
            'macro "inner" x:term:max : term => `(fun y => y + $x)\n'
            'macro "outer" x:term:max : term => `(fun (y : Nat) => (inner y) $x)\n#check outer 1',
            "unsupported: expansions inside each other that both bind `y`",
        ),
        (
            'notation "inner" x => fun y => y + x\nnotation "outer" x => fun (y : Nat) => (inner y) x\n#check outer 1',
            "unsupported: expansions inside each other that both bind `y`",
        ),
    ],
)
def test_names_of_a_template_are_its_own(messages: Check, text: str, expected: str) -> None:
    found = [message.partition(" error ")[2] for message in messages(text)]
    assert found == [expected] * bool(expected)


DECLARED = 'syntax "u" term : term\nmacro_rules | `(u {}) => `({})'


@pytest.mark.parametrize(
    "text",
    [
        'syntax "a" imp : term',
        'syntax "a" (term)? : term',
        'syntax "a" term* : term',
        'syntax "a" term,*,? : term',
        'syntax "a" : command',
        "syntax term : term",
        'syntax term " then " : tactic',
        'macro "a" term : term => `(1)',
        'macro "a" x:term : tactic => do\n  return x',
        'macro "a" x:term : tactic => `($x)',
        'macro "a" x:tactic : term => `($x)',
        'macro "a" x:term : tactic => `(tactic| exact h)',
        'macro "a" x:term : tactic => `(tactic| rw [$x])',
        'macro "a" x:term : tactic => `(tactic| rcases 1 with $x)',
        'macro "a" x:term : tactic => `(tactic| simp at $x)',
        'macro "a" x:term : tactic => `(tactic| cases $x with | _ => skip)',
        'macro "a" x:term : tactic => `(tactic| (intro id; exact $x))',
        'macro "a" x:term : tactic => `(tactic| (have h := $x; exact fun h => h))',
        'macro "a" x:term : term => `(match $x with | 0 => 1 | _ => 2)',
        'macro "a" x:term : term => `(show $x by have h := $x; exact h)',
        'macro "a" x:ident : term => `(id ($x := 1))',
        'macro "a" x:ident : term => `(Type $x)',
        'variable (n : Nat)\nmacro "a" x:term : term => `($x + n)',
        "macro_rules | `($a + $b) => `($a * $b)",
        "macro_rules (kind := foo) | `(a) => `(1)",
        DECLARED.format("$(x)", "1"),
        DECLARED.format("$x", "f $(x)"),
        DECLARED.format("$x", "[$[$x],*]"),
        DECLARED.format("$x", "$x.succ"),
        DECLARED.format("[$x]", "1"),
        DECLARED.format("$x + $x", "1"),
        DECLARED.format("$x:tactic", "1"),
        DECLARED.format("$x", "$x:num"),
        'syntax "l" "[" term,* "]" : term\nmacro_rules | `(l [$xs,*, $x]) => `(1)',
        'elab "a" : term => pure 1',
    ],
)
def test_everything_else_is_refused_by_name(messages: Check, text: str) -> None:
    assert "error unsupported: " in "\n".join(messages(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DECLARED.format("$x", "$y"), "Unknown identifier `y`"),
        (
            f"{DECLARED.format('0', '1')}\n#check u 2",
            "no rule of `macro_rules` fits this use of the syntax `u _`",
        ),
        ('macro "c" "a b" : term => `(1)', "invalid atom"),
        # Lean has vectors with this token
        (
            'syntax "#v[" term,* "]" : term\nmacro_rules | `(#v[]) => `(1)',
            "multiple interpretations for pattern",
        ),
        (f"{DECLARED.format('$x', 'u $x')}\n#check u 1", "maximum recursion depth has been reached"),
        (f"{DECLARED.format('$x', 'u ($x + 1)')}\n#check u 1", "maximum recursion depth has been reached"),
        (f"{DECLARED.format('$x', 'u $x')}\ndef f : Nat → Nat | u 1 => 1", "maximum recursion depth"),
        (
            'syntax "t" term : tactic\nmacro_rules | `(tactic| t $x) => `(tactic| t $x)\nexample : False := by t 1',
            "maximum recursion depth has been reached",
        ),
        ('macro "f" x:term : term => `(True)\ntheorem t : False := f False', "Type mismatch"),
        ('macro "t" x:term : tactic => `(tactic| exact $x)\ntheorem t : False := by t trivial', "error"),
        # a hole stays a hole
        ('macro "w" x:term : term => `(sorry)\ntheorem t : False := w 1', "declaration uses `sorry`"),
        (
            'macro "w" x:term : tactic => `(tactic| sorry)\ntheorem t : False := by w 1',
            "declaration uses `sorry`",
        ),
        (
            'macro "w" x:tactic : tactic => `(tactic| $x)\ntheorem t : False := by w sorry',
            "declaration uses `sorry`",
        ),
    ],
)
def test_messages(messages: Check, text: str, expected: str) -> None:
    (message,) = messages(text)
    assert expected in message


@pytest.mark.parametrize(
    ("macro", "step"),
    [
        ('macro "win" x:term : tactic => `(tactic| sorry)', "win 1"),
        ('macro "win" x:term : tactic => `(tactic| exact sorry)', "win 1"),
        ('macro "win" x:term : term => `(sorry)', "exact win 1"),
        ('macro "win" x:term : tactic => `(tactic| exact $x)', "win sorry"),
        ('macro "win" t:tactic : tactic => `(tactic| $t)', "win sorry"),
        ('macro "win" t:tactic : tactic => `(tactic| first | $t | native_decide)', "win admit"),
        (
            'syntax "win" term,* : term\nmacro_rules | `(win $x, $xs,*) => `(win $xs,*) | `(win) => `(sorry)',
            "exact win 1",
        ),
        ('macro "win" x:term : tactic => `(tactic| exact $x)', "win False.elim"),
        ('macro "False" : term => `(True)', "trivial"),
    ],
)
def test_a_macro_of_the_context_proves_nothing_by_itself(macro: str, step: str) -> None:
    statement = "theorem t : 1 = 2"
    problem = Problem.from_source(statement, library(), macro)
    after = problem.apply(problem.start(), step)
    assert after.state is None or problem.check(after.state) != ()


@pytest.mark.parametrize(
    "tactic",
    [
        'macro "m" x:term : tactic => `(tactic| exact $x)',
        'syntax "m" term : term',
        "macro_rules | `(tactic| m) => `(tactic| sorry)",
        "exact `(m)",
        "exact $x",
    ],
)
def test_tactics_declare_no_macros(tactic: str) -> None:
    problem = Problem.from_source("theorem t : 2 = 3", library(), 'syntax "m" : tactic')
    assert problem.apply(problem.start(), tactic).state is None


def test_other_problems_know_nothing_of_a_macro() -> None:
    Problem.from_source("theorem t : 2 = 2", library(), 'macro "two" x:term : term => `(2)')
    problem = Problem.from_source("theorem t : ∃ n, n = 2", library())
    assert problem.apply(problem.start(), "exact ⟨two 1, rfl⟩").state is None
    assert Scope().macros == {}
