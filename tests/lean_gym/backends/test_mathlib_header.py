"""Headers of files for Mathlib: the lines that are kept without it, and how theorems below them start."""

from __future__ import annotations

import warnings

import pytest

from lean_gym.backends.mathlib_header import without_unknown
from lean_gym.backends.minilean import MinileanBackend
from lean_gym.errors import DataError
from lean_gym.types import Theorem

HEADERS = [
    "set_option maxHeartbeats 400000\n\nopen BigOperators Real Nat Topology Rat",
    "set_option maxHeartbeats 400000 in",
    "open Real\nopen Nat",
    "open scoped BigOperators Topology",
    "open Finset\nopen scoped Nat\nset_option autoImplicit false",
    "noncomputable section\nopen Complex hiding I\nuniverse u v",
    "set_option linter.style.longLine false\nset_option weak.foo.bar true",
    "",
]


def known(commands: str) -> bool:
    """A prover that knows the namespaces `Nat` and `A`, and no option."""
    lines = [line for line in commands.split("\n") if line.strip()]
    names = {name for line in lines if line.startswith("open") for name in line.split()[1:]}
    return names <= {"Nat", "A", "scoped"} and not any(
        line.startswith(("set_option", "bad")) for line in lines
    )


@pytest.mark.parametrize(
    ("context", "kept", "left_out"),
    [
        ("open Nat", "open Nat", []),
        ("open Real Nat A Rat", "open Nat A", ["open Real Rat"]),
        ("open Real", "", ["open Real"]),
        ("open scoped Nat Real", "open scoped Nat", ["open scoped Real"]),
        ("set_option a 1\ndef x := 1", "def x := 1", ["set_option a 1"]),
        ("open Real hiding pi", "", ["open Real hiding pi"]),
        ("open Real in\ntheorem x : p", "open Real in\ntheorem x : p", []),
        ("bad\nopen Real", "bad\nopen Real", []),
        (f"open {'a' * 60}!", "", [f"open {'a' * 60}!"]),  # not exponential in the length
    ],
)
def test_lines_that_the_prover_refuses_are_left_out(context: str, kept: str, left_out: list[str]) -> None:
    assert without_unknown(context, known) == (kept, left_out)


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_for_mathlib_does_not_keep_a_theorem_from_starting(header: str) -> None:
    header = header.removesuffix(" in")
    theorem = Theorem(
        "t", "theorem t (n : Nat) (h : n = 1) : succ n = 2", header + "\nopen Nat", ("Mathlib",)
    )
    backend = MinileanBackend(ignore_imports=True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        state = backend.start(theorem)
    assert [goal.target for goal in state.goals] == ["n.succ = 2"]
    assert backend.verify(theorem, ["subst h", "rfl"]).proved
    named = " ".join(str(each.message) for each in told)
    for word in ("Real", "BigOperators", "Topology", "Finset", "Complex", "weak.foo.bar"):
        assert (word in named) == (word in header)
    with pytest.raises(DataError, match="ignore_imports"):
        MinileanBackend().start(theorem)


def test_what_is_left_out_proves_nothing_more() -> None:
    """A context that fails for another reason still fails, and a false statement stays without a proof."""
    backend = MinileanBackend(ignore_imports=True)
    with pytest.warns(UserWarning, match="open Real"), pytest.raises(DataError, match="does not elaborate"):
        backend.start(Theorem("t", "theorem t : 1 = 1", "open Real\ndef x : Nat := foo", ("Mathlib",)))
    with pytest.warns(UserWarning, match="open Rat"):
        false = Theorem("t", "theorem t : False", "open Rat", ("Mathlib",))
        assert not backend.verify(false, ["simp"]).proved


@pytest.mark.parametrize("option", ["foo.bar true", "real.foo 3"])
def test_an_option_that_lean_has_not_is_refused_in_a_context(option: str) -> None:
    with pytest.raises(DataError, match=f"unknown option `{option.split()[0]}`"):
        MinileanBackend().start(Theorem("t", "theorem t : 1 = 1", f"set_option {option}"))


def test_an_option_of_a_context_holds_for_the_statement() -> None:
    statement = "theorem t (a : α) : a = a"
    assert MinileanBackend().start(Theorem("t", statement)).goals
    with pytest.raises(DataError, match="does not elaborate"):
        MinileanBackend().start(Theorem("t", statement, "set_option autoImplicit false"))
