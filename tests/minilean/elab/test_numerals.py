"""Large numbers: numerals that Python itself neither reads nor prints, powers that are too large."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from minilean.syntax.digits import MAX_DIGITS, decimal, from_decimal

Check = Callable[[str], list[str]]


def test_numerals_beyond_the_limit_of_python(messages: Check) -> None:
    long = "7" * 5000
    assert messages(f"example : {long} = {long} := rfl") == []
    assert messages(f"example : {long} + 1 = {long[:-1]}8 := by decide") == []
    assert messages(f"example : {long} = {long[:-1]}8 := rfl")
    (message,) = messages(f"#check {long}")
    assert message == f"1:0 info {long} : Nat"


def test_numerals_beyond_the_limit_of_the_kernel(messages: Check) -> None:
    (message,) = messages(f"example : {'9' * (MAX_DIGITS + 1)} = 0 := rfl")
    assert message.endswith(f"unsupported: numerals of more than {MAX_DIGITS} digits")
    assert messages(f"example (p : Nat × Nat) : p.{'1' * 5000} = 0 := rfl")[0].endswith("so large an index")


@pytest.mark.parametrize(
    ("digits", "more"), [(0, 0), (0, 8), (4000, -1), (4000, 0), (9000, 7), (MAX_DIGITS, -1)]
)
def test_decimal_digits_and_back(digits: int, more: int) -> None:
    value = 10**digits + more
    text = decimal(value)
    assert from_decimal(text) == value
    assert len(text) == 1 or not text.startswith("0")
    assert (10**MAX_DIGITS - 1).bit_length() <= 1 << 18


def test_the_exponent_is_bounded(messages: Check) -> None:
    assert messages("example : 2 ^ 256 % 10 = 6 := by simp") == []
    (message,) = messages("example (x : Nat) : 2 ^ 257 = x := by simp")
    assert message.endswith("`simp` made no progress")
    started = time.perf_counter()
    assert messages("example : 3 ^ 10781274 < 2 ^ 17087915 := by decide")
    assert time.perf_counter() - started < 60
