"""Check that each statement starts as exactly one goal, on the prover of the training that follows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from lean_gym.datasets.formats.lean_source import binder_names
from lean_gym.datasets.formats.problems import Failure
from lean_gym.errors import DataError, mathlib_hint
from lean_gym.types import Goal, ProofState, Theorem


class Starter(Protocol):
    """The part of `ProofBackend` that the check needs."""

    def start(self, theorem: Theorem) -> ProofState:
        """Elaborate the statement and return its initial state."""

    def release(self, states: Iterable[ProofState]) -> None:
        """Tell that these states will not be used again."""


def start_problem(backend: Starter, theorem: Theorem) -> str:
    """Return why a theorem cannot be used for training; `""` when it starts as one goal about what it declares.

    Args:
        backend: The prover.
        theorem: The statement.

    Raises:
        BackendError: The prover itself failed.
    """
    try:
        state = backend.start(theorem)
    except DataError as error:
        return str(error)
    backend.release([state])
    if len(state.goals) != 1:
        return f"starts as {len(state.goals)} goals, expected exactly one"
    invented = undeclared_names(theorem, state.goals[0])
    if invented:
        hint = mathlib_hint(" ".join(invented))
        return (
            f"Lean made variables of {', '.join(invented)}, which nothing declares (autoImplicit): another statement "
            f"than the one meant; declare them, or import what defines them{'; ' * bool(hint)}{hint}"
        )
    return ""


def undeclared_names(theorem: Theorem, goal: Goal) -> list[str]:
    """The variables of a first goal that neither the statement nor its context declares.

    With `autoImplicit`, Lean's default outside of Mathlib, an unknown name in a statement is no error but one more
    variable, and the theorem is false or says nothing.
    """
    declared = binder_names(theorem.statement, theorem.context)
    # A dagger marks names that Lean made up for unnamed binders.
    return [entry.name for entry in goal.hypotheses if "✝" not in entry.name and entry.name not in declared]


def check_starts(backend: Starter, theorems: Iterable[Theorem]) -> tuple[list[Theorem], list[Failure]]:
    """Start every theorem.

    Args:
        backend: The prover.
        theorems: The statements.

    Returns:
        Those that start as exactly one goal, in order, and the others with Lean's message.

    Raises:
        BackendError: The prover itself failed.
    """
    good, bad = [], []
    for theorem in theorems:
        problem = start_problem(backend, theorem)
        if problem:
            bad.append(Failure(theorem.name, theorem.source, problem))
        else:
            good.append(theorem)
    return good, bad
