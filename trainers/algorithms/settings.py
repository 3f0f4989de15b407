"""Settings of algorithms: frozen dataclasses whose types carry the range of each value, and the shared knobs.

An algorithm's settings are put together from the parts below, so that a knob an algorithm has no use for is an
unknown key there, not a key without effect.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from lean_gym.errors import unknown_name


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of a number; `None` is open."""

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None

    def holds(self, value: float) -> bool:
        """Whether a number is within."""
        return (
            math.isfinite(value)
            and (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )

    def __str__(self) -> str:
        if self.above is not None and self.below is not None:
            return f"between {self.above:g} and {self.below:g}"
        if self.at_least is not None and self.at_most is not None:
            return f"from {self.at_least:g} to {self.at_most:g}"
        words = {"at least": self.at_least, "above": self.above, "at most": self.at_most, "below": self.below}
        return " and ".join(f"{word} {bound:g}" for word, bound in words.items() if bound is not None)


Fraction = Annotated[float, Range(above=0, below=1)]
Share = Annotated[float, Range(at_least=0, at_most=1)]
Positive = Annotated[float, Range(above=0)]
NonNegative = Annotated[float, Range(at_least=0)]
Count = Annotated[int, Range(at_least=1)]
CountOrZero = Annotated[int, Range(at_least=0)]
GroupSize = Annotated[int, Range(at_least=2)]

ISLevel = Literal["token", "sequence", "sequence_token", "geometric_mean"]
KLEstimator = Literal["schulman", "k3", "abs", "mse", "k2", "k1"]
AdvantageNorm = Literal["standard", "winsorized", "rank", "none"]


@dataclass(frozen=True, kw_only=True)
class GroupSettings:
    """How returns become advantages, and what is asked of rollouts and learner."""

    group_size: GroupSize = 8
    """Episodes per theorem."""
    advantage_norm: AdvantageNorm = "standard"
    """`standard`: divide by the standard deviation; `winsorized`: the same after pulling in extreme returns;
    `rank`: ranks spread over [-1, 1]; `none`: subtract the mean only."""
    winsorize_quantile: Annotated[float, Range(above=0.5, at_most=1)] = 0.9
    """Returns beyond this quantile, and beyond its mirror image, are pulled in by `winsorized`. At 0.9 the only success
    in a group of 11 or more is pulled in to nothing."""
    std_epsilon: Positive = 1e-4
    """Added to a standard deviation before dividing by it."""
    positive_advantage_scale: NonNegative = 1.0
    """Factor on advantages above 0."""
    negative_advantage_scale: NonNegative = 1.0
    """Factor on advantages below 0."""
    population_size: CountOrZero = 0
    """Latest groups whose returns together give the standard deviation, instead of each group's own; 0 is off."""
    advantage_ema_decay: Annotated[float, Range(above=0, at_most=1)] = 0.99
    """Weight of a group in the population relative to the group after it; 1 weighs all alike."""
    use_consensus: bool = False
    """Whether advantages are blended with those relative to all groups at hand."""
    consensus_weight: Share = 0.3
    """Share of the relative-to-all-groups part in that blend."""
    sparse_reward_threshold: Share = 1.0
    """Rewards are sparse when a larger share of the episodes at hand earned nothing; 1 is never."""
    sparse_reward_bonus: NonNegative = 0.1
    """Added, while rewards are sparse, to the advantage of episodes that earned something."""
    dynamic_sampling_rounds: CountOrZero = 0
    """Times that groups whose episodes all earned the same are replaced by fresh ones; 0 keeps them."""
    overlong_buffer: Share = 0.0
    """Share of the length limit, at its end, over which episodes are charged for length; 0 charges none."""
    overlong_penalty: NonNegative = 0.5
    """What an episode at the limit is charged, in units of return."""
    use_dynamic_groups: bool = False
    """Whether a theorem's group size follows from its solve rate instead of `group_size`."""
    min_group_size: GroupSize = 4
    """Smallest group with `use_dynamic_groups`."""
    max_group_size: GroupSize = 16
    """Largest group with `use_dynamic_groups`."""
    mixed_group_target: Fraction = 0.8
    """Probability of different outcomes within a group that `use_dynamic_groups` aims at."""
    sync_frequency: Count = 1
    """Mini-batches whose gradients are added up before processes exchange them and the optimiser steps."""

    def __post_init__(self) -> None:
        check_values(self)
        if self.min_group_size > self.max_group_size:
            raise ValueError(
                f"min_group_size: expected at most max_group_size ({self.max_group_size}), "
                f"got {self.min_group_size}"
            )
        if self.population_size and self.advantage_norm in ("rank", "none"):
            raise ValueError(
                f"population_size={self.population_size} sets a standard deviation, and "
                f"advantage_norm={self.advantage_norm!r} divides by none; "
                "set advantage_norm to 'standard' or 'winsorized'"
            )


@dataclass(frozen=True, kw_only=True)
class RatioSettings:
    """At which level the probabilities of policy and sampler are compared."""

    is_level: ISLevel = "token"
    """`token`: r_t; `sequence`: s, the geometric mean of a row's r_t; `sequence_token`: s in value, r_t in
    gradient; `geometric_mean`: sqrt(r_t s)."""


@dataclass(frozen=True, kw_only=True)
class ClipSettings:
    """The interval that probability ratios are clipped to."""

    epsilon: Fraction = 0.2
    """The ratio is clipped from below at 1 - epsilon."""
    epsilon_high: Positive | None = None
    """The ratio is clipped from above at 1 + epsilon_high; `None` takes `epsilon`."""
    delta: Annotated[float, Range(above=1)] | None = None
    """Bound of the ratio where the advantage is negative, which the clipping leaves open; `None` is none."""

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return 1.0 - self.epsilon

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return 1.0 + (self.epsilon if self.epsilon_high is None else self.epsilon_high)


@dataclass(frozen=True, kw_only=True)
class KLSettings:
    """The pull towards the start policy."""

    beta: NonNegative = 0.0
    """Weight of the KL divergence to the start policy; 0 switches the term off."""
    kl_estimator: KLEstimator = "schulman"
    """Per token, with d = log pi_ref - log pi: `schulman` or `k3`: exp(d) - d - 1; `mse` or `k2`: d^2 / 2;
    `abs`: |d|; `k1`: -d."""


@dataclass(frozen=True, kw_only=True)
class KLLossSettings(KLSettings):
    """For algorithms whose loss has the KL divergence as a term of its own."""

    use_unbiased_kl: bool = False
    """Whether the estimate is multiplied by the probability ratio, which makes its gradient unbiased for rows
    that an older policy sampled."""


@dataclass(frozen=True, kw_only=True)
class FamilySettings(GroupSettings, KLSettings):
    """What every algorithm has; the parts above that it does not name are for those that use them."""


def keep_known(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that a settings dataclass has a key for."""
    valid = {field.name for field in dataclasses.fields(kind)}
    return {key: value for key, value in values.items() if key in valid}


def build(kind: type[Any], values: Mapping[str, Any], name: str) -> Any:
    """Make settings of one algorithm from plain values.

    Args:
        kind: The settings dataclass.
        values: Key to value.
        name: Of the algorithm, for messages.

    Raises:
        ValueError: A key is unknown, or a value has the wrong type or is out of range; lists what is valid.
    """
    valid = [field.name for field in dataclasses.fields(kind)]
    for key in values:
        if key not in valid:
            raise ValueError(unknown_name(f"setting of {name}", key, valid))
    return kind(**values)


def check_values(settings: Any) -> None:
    """Hold every field of a settings dataclass against its annotation.

    Raises:
        ValueError: Names the key, what was expected and what it got.
    """
    hints = typing.get_type_hints(type(settings), include_extras=True)
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if not _Kind.of(hints[field.name]).accepts(value):
            raise ValueError(f"{field.name}: expected {_Kind.of(hints[field.name])}, got {value!r}")


def allowed_values(kind: type[Any]) -> dict[str, str]:
    """For each key of a settings dataclass the values it takes, in the words of the error messages."""
    hints = typing.get_type_hints(kind, include_extras=True)
    return {field.name: str(_Kind.of(hints[field.name])) for field in dataclasses.fields(kind)}


@dataclass(frozen=True, slots=True)
class _Kind:
    """An annotation taken apart: a type with bounds, or a choice; either may be optional."""

    base: type
    bounds: Range | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False

    @classmethod
    def of(cls, annotation: Any) -> _Kind:
        if typing.get_origin(annotation) in (typing.Union, types.UnionType):
            inner = next(part for part in typing.get_args(annotation) if part is not types.NoneType)
            return dataclasses.replace(cls.of(inner), optional=True)
        if typing.get_origin(annotation) is Literal:
            return cls(str, choices=typing.get_args(annotation))
        if typing.get_origin(annotation) is Annotated:
            base, bounds = typing.get_args(annotation)
            return cls(base, bounds)
        return cls(annotation)

    def accepts(self, value: Any) -> bool:
        if value is None:
            return self.optional
        if self.choices:
            return value in self.choices
        if self.base is bool or isinstance(value, bool):
            return self.base is bool and isinstance(value, bool)
        right_type = isinstance(value, (int, float) if self.base is float else self.base)
        return right_type and (self.bounds is None or self.bounds.holds(value))

    def __str__(self) -> str:
        if self.choices:
            text = "one of " + ", ".join(self.choices)
        elif self.base is bool:
            text = "true or false"
        else:
            number = "a whole number" if self.base is int else "a number"
            text = f"{number} {self.bounds}" if self.bounds is not None else number
        return f"{text}, or null" if self.optional else text
