"""Large numbers: quotients, powers, numerals that Python itself neither reads nor prints."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from minilean.syntax.digits import MAX_DIGITS, decimal, from_decimal

Check = Callable[[str], list[str]]


@pytest.mark.parametrize(
    "text",
    [
        "10000 / 3 = 3333 := by decide", "2 ^ 64 % 10 = 6 := by decide", "10000 / 3 = 3333 := by simp",
        "10000 % 3 = 1 := by simp", "7 / 0 = 0 := by simp", "7 % 0 = 7 := by simp", "Nat.gcd 12 18 = 6 := by simp",
        "10 ^ 30 / 3 = 333333333333333333333333333333 := rfl", "(10 ^ 30 : Nat) % 7 = 1 := by decide",
        "(-10000 : Int) / 3 = -3334 := by simp", "(-10000 : Int) % -3 = 2 := by simp",
        "(10 ^ 30 : Int) / 7 * 7 + 1 = 10 ^ 30 := by decide", "(1000001 : Nat) ∣ 1000001 * 3 := by decide",
        "Nat.gcd (2 ^ 100) (6 ^ 50) = 2 ^ 50 := by decide", "Nat.log2 (2 ^ 200 + 1) = 200 := by decide",
        "Nat.land 12 10 = 8 := rfl", "Nat.lor 12 10 = 14 := by decide", "Nat.xor 12 10 = 6 := by rfl",
        "Nat.shiftLeft 3 100 = 3 * 2 ^ 100 := by decide", "Nat.shiftRight 1000 3 = 125 := by decide",
        "(10000 : Nat) / 3 + 1 = 3334 := by omega",
    ],
)  # fmt: skip
def test_quotients_and_digits_of_literals(text: str, messages: Check) -> None:
    assert messages(f"example : {text}") == []


@pytest.mark.parametrize(
    "text",
    [
        "10000 / 3 = 3334 := by decide", "10000 % 3 = 2 := by simp", "Nat.gcd 12 18 = 12 := by simp",
        "Nat.land 12 10 = 9 := rfl", "(-10000 : Int) / 3 = -3333 := by simp", "Nat.log2 8 = 4 := by decide",
    ],
)  # fmt: skip
def test_wrong_values_are_refused(text: str, messages: Check) -> None:
    assert [message for message in messages(f"example : {text}") if " error " in message]


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
