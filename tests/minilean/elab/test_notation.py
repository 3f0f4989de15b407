"""Notations with many readings are read in linear time."""

from __future__ import annotations

from collections.abc import Callable

from minilean.library import library
from minilean.proof import Problem
from minilean.syntax.parser import parse_statement

Check = Callable[[str], list[str]]


def test_reading_twice_takes_linear_time() -> None:
    context = Problem.from_source("theorem t : True", library(), 'infixr:50 " ∈ " => Nat.add')
    chain = " ∈ ".join(["x"] * 100)
    text = f"theorem t (x : Nat) : {'(' * 60}x{' ∈ x)' * 60} = {chain}"
    # without memory this would be read 2 ^ 100 times
    assert parse_statement(text, context.scope.grammar).name == "t"


def test_readings_that_share_their_parts_are_gone_through_once(messages: Check) -> None:
    nested = "(" * 60 + "x" + " ∈ x)" * 60
    # there are 2 ^ 60 ways down to the innermost x
    assert messages(f'infixr:50 " ∈ " => Nat.add\nnotation "nested" x => {nested}') == []
