"""A command that is refused leaves the environment as it was."""

from __future__ import annotations

import pytest

from minilean.check_command import check_text
from minilean.library import library

HALF_DONE = {
    "a function whose `match` was compiled": "def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => f (n + 2)\n",
    "a type with an attribute that is refused": "@[nonsense] inductive f | a (n : Nat)\n",
    "a structure with an attribute that is refused": "@[ext, nonsense] structure f where\n  n : Nat\n",
    "an example": "example (n : Nat) : Nat := match n with | 0 => 1 | _ => 2\n",
}


@pytest.mark.parametrize("text", HALF_DONE.values(), ids=HALF_DONE.keys())
def test_a_refused_command_leaves_nothing_behind(text: str) -> None:
    env = library().child()
    before, namespaces = list(env.kernel), set(env.namespaces)
    errors = [m for m in check_text(text, env) if m.severity == "error"]
    assert bool(errors) != text.startswith("example")
    assert list(env.kernel) == before and env.namespaces == namespaces
    assert not any(name.startswith(("f.", "_example")) for name in (*env.matchers, *env.equations))
