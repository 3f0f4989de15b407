"""Programs with syntax errors: their messages cannot stand in a `#guard_msgs`, which only holds those of elaboration.

The parser refuses these programs, some of them by the name of a form that minilean does not have.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]

OUTSIDE = (
    "unsupported: `(← e)` outside of an action of `do`, or inside of `fun`, `let`, `if`, `match` or `by`"
)
SCOPED = """namespace A
scoped infixl:65 " ⊞ " => Nat.add
scoped macro "m" : tactic => `(tactic| rfl)
end A
"""
PROGRAMS: list[tuple[str, list[str]]] = [
    # check
    (
        "macro_rules | `(x) => `(y)",
        ["1:16 error unsupported: `macro_rules` for syntax which `syntax` has not declared"],
    ),
    # destructuring
    ("#eval (3#8)", ["1:8 error unsupported: literals of bit vectors"]),
    ("#check #v[1, 2]", ["1:7 error unsupported: literals of vectors"]),
    # interpolated
    ('def a := s!"abc{1', ["2:0 error expected '}'"]),
    ('def a := s!"abc{1}', ["1:17 error expected unterminated string literal"]),
    ('def a := s!"{1 , 2}"', ["1:15 error expected '}'"]),
    ('def a := s!"{}"', ["1:13 error unexpected token '}'; expected term"]),
    ('def a := s!"\\q"', ["2:0 error invalid escape sequence"]),
    ('def a := "\\{"', ["1:9 error invalid escape sequence"]),
    # macro rules
    (
        'section\nlocal syntax "settle" : tactic\nend\nexample : True := by settle',
        ["4:22 error unknown tactic"],
    ),
    (
        "macro_rules | `(tactic| rfl) => `(tactic| trivial)",
        ["1:24 error unsupported: `macro_rules` for syntax which `syntax` has not declared"],
    ),
    ('syntax "many" tacticSeq : tactic', ["1:14 error unsupported: arguments of the kind `tacticSeq`"]),
    ('syntax "pair" : command', ["1:16 error unsupported: syntax of the category `command`"]),
    (
        'syntax "settle" : tactic\nmacro_rules | `(tactic| settle $x) => `(tactic| rfl)',
        ["2:31 error unexpected identifier; expected ')'"],
    ),
    # macros
    # Lean has vectors with this token
    (
        'syntax "#v[" term,* "]" : term\nmacro_rules | `(#v[]) => `(1)',
        [
            "2:16 error invalid macro_rules alternative, multiple interpretations for pattern"
            " (solution: specify node kind using `macro_rules (kind := <kind>) ...`)"
        ],
    ),
    ('syntax "a" imp : term', ["1:11 error unsupported: arguments of the kind `imp`"]),
    ('syntax "a" (term)? : term', ["1:11 error unsupported: syntax with groups of tokens and arguments"]),
    (
        'syntax "a" term* : term',
        [
            "1:15 error unsupported: arguments that may be absent or repeated, other than `term,*` and `term,+`"
        ],
    ),
    (
        'syntax "a" term,*,? : term',
        ["1:15 error unsupported: lists of arguments other than `term,*` and `term,+`"],
    ),
    ('syntax "a" : command', ["1:13 error unsupported: syntax of the category `command`"]),
    (
        "syntax term : term",
        ["2:0 error unsupported: syntax that does not start with a token, or with a term and a token"],
    ),
    ('syntax term " then " : tactic', ["2:0 error unsupported: syntax that does not start with a token"]),
    (
        'macro "a" term : term => `(1)',
        ["1:15 error unsupported: the argument `term` of a macro without a name and a kind, as in `x:term`"],
    ),
    (
        'macro "a" x:term : tactic => do\n  return x',
        ["1:29 error unsupported: macros whose value is computed"],
    ),
    (
        'macro "a" x:term : tactic => `($x)',
        ["1:31 error unsupported: a macro of the category tactic with a template of another category"],
    ),
    (
        "macro_rules | `($a + $b) => `($a * $b)",
        ["1:16 error unsupported: `macro_rules` for syntax which `syntax` has not declared"],
    ),
    ("macro_rules (kind := foo) | `(a) => `(1)", ["1:12 error unsupported: `macro_rules` for a kind"]),
    (
        'syntax "u" term : term\nmacro_rules | `(u $(x)) => `(1)',
        ["2:18 error unsupported: antiquotations other than `$x`, `$x:kind` and `$xs,*`"],
    ),
    (
        'syntax "u" term : term\nmacro_rules | `(u $x) => `(f $(x))',
        ["2:29 error unsupported: antiquotations other than `$x`, `$x:kind` and `$xs,*`"],
    ),
    (
        'syntax "u" term : term\nmacro_rules | `(u $x) => `([$[$x],*])',
        ["2:28 error unsupported: antiquotations other than `$x`, `$x:kind` and `$xs,*`"],
    ),
    (
        'syntax "u" term : term\nmacro_rules | `(u $x) => `($x.succ)',
        ["2:27 error unsupported: `$x.f` in a quotation; write `($x).f`"],
    ),
    ('elab "a" : term => pure 1', ["1:0 error unsupported: the command `elab`"]),
    ('macro "c" "a b" : term => `(1)', ["1:10 error invalid atom"]),
    # notation
    (
        'section\nlocal macro "m" : tactic => `(tactic| rfl)\nend\nexample : 1 = 1 := by m',
        ["4:23 error unknown tactic"],
    ),
    (
        SCOPED + "example : 1 ⊞ 2 = 3 := by m",
        ["5:12 error expected token"],
    ),
    (
        SCOPED + "section\nopen A\nend\nexample : 1 ⊞ 2 = 3 := by m",
        ["8:12 error expected token"],
    ),
    (
        SCOPED + "open A in\nexample : 1 = 1 := rfl\nexample : 1 ⊞ 2 = 3 := by m",
        ["7:12 error expected token"],
    ),
    ('infixl " ⊕⊕ " => Nat.add', ["1:7 error unexpected token; expected ':'"]),
    ('macro "x" n:term : term => do return n', ["1:27 error unsupported: macros whose value is computed"]),
    (
        'notation "‖" x => Nat.pred x\n#check Nat.succ ‖3',
        ["2:0 info Nat.succ (n : Nat) : Nat", "2:16 error unexpected token '‖'; expected command"],
    ),
    # small forms
    ("theorem t : 1 = 1 ∧ 2 = 2 := by\n  constructor\n  .rfl\n  .foo", ["4:4 error unknown tactic"]),
    (
        "example : Nat := id unreachable!",
        [
            "1:0 error Type mismatch\n  id\nhas type\n  ?m.1 → ?m.1\nbut is expected to have type\n  Nat",
            "1:20 error unexpected token 'unreachable!'; expected command",
        ],
    ),
    # do
    ("def f : Option Nat := do\n  let mut x := 1\n  return x", ["2:6 error unsupported: `let mut` in `do`"]),
    (
        "def f : Option Nat := do\n  for i in [1] do\n    pure ()\n  return 1",
        ["2:2 error unsupported: `for` in `do`"],
    ),
    (
        "def f : Option Nat := do\n  while true do\n    pure ()\n  return 1",
        ["2:2 error unsupported: `while` in `do`"],
    ),
    (
        "def f : Option Nat := do\n  if true then\n    failure\n  return 1",
        ["4:2 error unsupported: an action after `if` in `do`"],
    ),
    (
        "def f : Option Nat := do\n  match 1 with\n  | _ => failure\n  return 1",
        ["4:2 error unsupported: an action after `match` in `do`"],
    ),
    (
        "def f : Option Nat := do\n  return 1\n  return 2",
        ["3:2 error unsupported: an action after `return` in `do`"],
    ),
    (
        "def f : Option Nat := do\n  let a ← if true then some 1 else none\n  return a",
        ["2:10 error unsupported: `if` after `←` in `do`"],
    ),
    (
        "def f : Option Nat := do\n  let a := 1\n  a := 2\n  return a",
        ["3:2 error unsupported: an assignment in `do`"],
    ),
    ("def f : Option Nat := do\n  try failure catch _ => some 1", ["2:2 error unsupported: `try` in `do`"]),
    (
        "def f : Option Nat := do\n  return [1].map (fun x => (← some x))",
        [f"2:30 error {OUTSIDE}"],
    ),
    (
        "def f : Option Nat := do\n  return if true then 1 else (← some 1)",
        [f"2:32 error {OUTSIDE}"],
    ),
    (
        "def f : Option Nat := do\n  let a ← some 1",
        ["3:0 error unexpected end of `do` block after `let`; expected an action"],
    ),
    (
        "def f : Option Nat := do\n  do\n    return 1\n  return 2",
        ["4:2 error unsupported: an action after `do` in `do`"],
    ),
    (
        "#check (← some 1)",
        [f"1:10 error {OUTSIDE}"],
    ),
    # sugar
    ('#eval m!"n"', ["1:6 error unsupported: interpolated strings"]),
    # structures
    (
        "def f (x : Nat) : Nat := by\ncases x\nexact 1\nexact 2\n#eval f 0",
        [
            "1:25 error unsolved goals\nx : Nat\n⊢ Nat",
            "2:0 error unexpected identifier; expected command",
            "5:6 error Unknown identifier `f`\n\nNote: `f` is missing, its declaration was refused: 1:0",
        ],
    ),
    # lean refuses
    ("protected private def f := 1", ["1:10 error unexpected token 'private'; expected declaration"]),
    ("private private def f := 1", ["1:8 error unexpected token 'private'; expected declaration"]),
    ("noncomputable private def f := 1", ["1:14 error unexpected token 'private'; expected declaration"]),
    ("local def f := 1", ["1:6 error unexpected token 'def'; expected 'instance'"]),
    ("private variable (n : Nat)", ["1:8 error unexpected token 'variable'; expected declaration"]),
    ("private namespace A", ["1:8 error unexpected token 'namespace'; expected declaration"]),
    ("/-- a -/ /-- b -/ def f := 1", ["1:9 error unexpected token '/--'; expected declaration"]),
    ("/-- a -/ variable (n : Nat)", ["1:9 error unexpected token 'variable'; expected declaration"]),
    ("/-- a -/", ["2:0 error unexpected end of input; expected declaration"]),
    (
        "set_option pp.all",
        ["2:0 error unexpected end of input; expected 'false', 'true', numeral or string literal"],
    ),
    (
        "set_option pp.all foo",
        ["1:18 error unexpected identifier; expected 'false', 'true', numeral or string literal"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), PROGRAMS)
def test_what_the_parser_says(messages: Check, text: str, expected: list[str]) -> None:
    assert messages(f"{text}\n") == expected
