"""Terms and fields that are notation for others, and queries about them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Check = Callable[[str], list[str]]


def info(messages: list[str]) -> list[str]:
    return [m.split(" ", 2)[2] if " info " in m else m for m in messages]


def test_indices_of_a_family_without_constructors_are_parameters(messages: Check) -> None:
    assert info(messages("inductive E : Nat → Prop\n#check @E.rec\n#print E")) == [
        "@E.rec : {a : Nat} → (motive : E a → Sort u_1) → (t : E a) → motive t",
        "inductive E : Nat → Prop\nnumber of parameters: 1\nconstructors:",
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('#eval m!"n"', "interpolated strings"),
        ("#check 1 &&& 2", "the operator `&&&`"),
    ],
)
def test_what_is_outside_is_refused_by_name_and_once(messages: Check, text: str, what: str) -> None:
    found = messages(text)
    assert len(found) == 1
    assert found[0].split(" error ")[1] == f"unsupported: {what}"
