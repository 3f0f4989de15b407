"""Input and result of a reward: transitions, terms, and the check that terms are finite."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from types import FunctionType
from typing import Any, Protocol, runtime_checkable

from lean_gym.errors import RewardError
from lean_gym.types import Goal, Outcome, Theorem


@dataclass(frozen=True, slots=True)
class PastStep:
    """An earlier step of an episode.

    Attributes:
        tactic: The text that was tried.
        error: The prover's message when it was refused, else `None`.
        before: All open goals before it.
    """

    tactic: str
    error: str | None
    before: tuple[Goal, ...]


@dataclass(frozen=True, slots=True)
class Transition:
    """One step of an episode, as a reward sees it.

    Attributes:
        theorem: What is being proved.
        tactic: The text that was tried.
        before: All open goals before the step.
        after: All open goals after it; equal to `before` when the tactic was refused.
        outcome: Outcome of the episode after the step. `Outcome.PROVED` only after verification.
        error: The prover's message when the tactic was refused or the proof rejected, else `None`.
        tactics: The accepted tactics of the episode, this one included if it was.
        step: Number of this step, from 1.
        terminated: The episode ended with this step: proved, rejected, or given up as crashed.
        truncated: The episode ended with this step because a budget is spent.
        history: All earlier steps of the episode; with this one they are its whole course.
    """

    theorem: Theorem
    tactic: str
    before: tuple[Goal, ...]
    after: tuple[Goal, ...]
    outcome: Outcome
    error: str | None = None
    tactics: tuple[str, ...] = ()
    step: int = 1
    terminated: bool = False
    truncated: bool = False
    history: tuple[PastStep, ...] = ()

    @property
    def refused(self) -> bool:
        """Return whether the prover refused the tactic, which left the goals as they were."""
        return self.error is not None and self.outcome is not Outcome.REJECTED

    @property
    def proved(self) -> bool:
        """Return whether this step finished a proof that was verified."""
        return self.outcome is Outcome.PROVED

    @property
    def ended(self) -> bool:
        """Return whether this was the episode's last step."""
        return self.terminated or self.truncated


@runtime_checkable
class Reward(Protocol):
    """A rule that turns a transition into named terms; the step's reward is their sum."""

    @property
    def scale(self) -> float:
        """Reward of a verified proof; every term is in this unit, so a trainer may divide by it."""

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Return the terms of one step. The rule keeps no state: an episode may be branched or replayed."""


@runtime_checkable
class PreparedReward(Reward, Protocol):
    """A reward that is faster on several steps at once, because it has to wait for something."""

    def prepare(self, transitions: Sequence[Transition]) -> None:
        """Prepare the terms of steps that follow, in this order; no term may depend on this call."""


@runtime_checkable
class BoundedReward(Reward, Protocol):
    """A reward that says by how much it may bring a failure nearer to a proof."""

    @property
    def at_stake(self) -> float:
        """Most that its terms pay a failed episode, plus most that they take off a proved one, in proofs."""


@dataclass(frozen=True)
class FunctionReward:
    """A user's function as a reward.

    Attributes:
        function: Takes a `Transition`; returns one number (a term named after the function) or named numbers.
        scale: Factor on every term.
    """

    function: Callable[[Transition], float | Mapping[str, float]]
    scale: float = 1.0

    def __call__(self, transition: Transition) -> Mapping[str, float]:
        """Call the function and scale its terms."""
        value = self.function(transition)
        terms = value if isinstance(value, Mapping) else {reward_name(self): value}
        return {name: term * self.scale if _is_number(term) else term for name, term in terms.items()}


def reward_name(reward: Reward) -> str:
    """The name to use for a reward in messages and as the term of a plain function."""
    if isinstance(reward, FunctionReward):
        function: Any = reward.function
        if isinstance(function, partial):  # a function with options
            function = function.func
        return function.__name__ if isinstance(function, FunctionType) else type(function).__name__
    return type(reward).__name__


def reward_terms(reward: Reward, transition: Transition) -> dict[str, float]:
    """Compute the terms of one step as fresh, finite floats.

    Args:
        reward: The rule.
        transition: The step to judge.

    Returns:
        Term name -> value; the step's reward is the sum of the values.

    Raises:
        RewardError: The rule failed, or a term is not a finite number, which would poison every average it enters.
    """
    try:
        values = reward(transition)
    except RewardError:
        raise
    except Exception as error:  # whatever a user's rule does
        raise _failure(reward, f"on a step {_place(transition)}", error) from error
    terms = {}
    for name, value in values.items():
        # A float is most of them, and asking what counts as a number takes as long as all the rest.
        if not (type(value) is float or _is_number(value)) or not math.isfinite(value):
            raise RewardError(
                f"reward {reward_name(reward)!r}: got {value!r} for term {name!r} {_place(transition)}, expected a "
                "finite number"
            )
        terms[str(name)] = float(value)
    return terms


def at_stake(reward: Reward) -> float:
    """Return by how much, in proofs, a reward may bring a failure nearer to a proof; 0 if the rule does not say."""
    return reward.at_stake if isinstance(reward, BoundedReward) else 0.0


def prepare_terms(reward: Reward, transitions: Sequence[Transition]) -> None:
    """Call `prepare` of a reward that has it, before `reward_terms` of each step.

    Raises:
        RewardError: The rule failed.
    """
    if len(transitions) > 1 and isinstance(reward, PreparedReward):
        try:
            reward.prepare(transitions)
        except RewardError:
            raise
        except Exception as error:  # whatever a user's rule does
            raise _failure(reward, f"on {len(transitions)} steps", error) from error


def _place(transition: Transition) -> str:
    return f"of theorem {transition.theorem.name!r} on {transition.tactic[:80]!r}"


def _failure(reward: Reward, what: str, error: Exception) -> RewardError:
    place = traceback.extract_tb(error.__traceback__)[-1]
    reason = f"{type(error).__name__}: {error} ({place.filename}, line {place.lineno})"
    return RewardError(f"reward {reward_name(reward)!r} failed {what}: {reason}")


def require_weight(name: str, value: object, most: float = math.inf, *, above_zero: bool = False) -> None:
    """Refuse an option of a reward that is no finite number from 0 (or above it) to `most`.

    Raises:
        ValueError: It is none.
    """
    usable = _is_number(value) and not isinstance(value, bool)
    if usable and 0.0 <= value <= most and value != math.inf and (value or not above_zero):  # type: ignore[operator]
        return
    range_ = ("above 0" if above_zero else "at least 0") + (
        f" and at most {most:g}" if most < math.inf else ""
    )
    raise ValueError(f"{name}: got {value!r}, expected a finite number {range_}")


def require_fraction(name: str, value: float) -> None:
    """Refuse an option of a reward that is no number from 0, below 1: a proof has to earn more than a failure.

    Raises:
        ValueError: It is none.
    """
    require_weight(name, value, most=1.0)
    if value == 1.0:
        raise ValueError(f"{name}: got {value!r}, expected less than 1, which a proof earns")


def _is_number(value: object) -> bool:
    # numpy's scalars register as Real; bool counts as 0 or 1.
    return isinstance(value, Real)
