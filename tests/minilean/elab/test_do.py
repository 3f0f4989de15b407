"""`do` blocks, the operators of monads, their laws, and classes with new defaults for inherited fields."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text


def said(text: str) -> list[str]:
    return [m.text for m in check_text(text)]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("let mut x := 1\n  return x", "unsupported: `let mut` in `do`"),
        ("for i in [1] do\n    pure ()\n  return 1", "unsupported: `for` in `do`"),
        ("while true do\n    pure ()\n  return 1", "unsupported: `while` in `do`"),
        ("if true then\n    failure\n  return 1", "unsupported: an action after `if` in `do`"),
        ("match 1 with\n  | _ => failure\n  return 1", "unsupported: an action after `match` in `do`"),
        ("return 1\n  return 2", "unsupported: an action after `return` in `do`"),
        ("let a ← if true then some 1 else none\n  return a", "unsupported: `if` after `←` in `do`"),
        ("let a := 1\n  a := 2\n  return a", "unsupported: an assignment in `do`"),
        ("try failure catch _ => some 1", "unsupported: `try` in `do`"),
        ("return [1].map (fun x => (← some x))", "unsupported: `(← e)` outside of an action of `do`"),
        ("return if true then 1 else (← some 1)", "unsupported: `(← e)` outside of an action of `do`"),
        ("let a ← some 1", "unexpected end of `do` block after `let`"),
        ("some 1\n  some 2", "OfNat PUnit 1"),
        ("some true\n  some 2", "mismatch"),
        ("do\n    return 1\n  return 2", "unsupported: an action after `do` in `do`"),
        ("let a ← some true\n  return a", "mismatch"),
    ],
)
def test_what_is_refused(block: str, message: str) -> None:
    assert message in said(f"def f : Option Nat := do\n  {block}\n")[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#check (← some 1)", "unsupported: `(← e)` outside of an action of `do`"),
    ],
)
def test_what_does_not_hold(text: str, message: str) -> None:
    assert any(message in m for m in said(text))
