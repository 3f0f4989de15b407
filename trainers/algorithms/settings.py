"""Settings of algorithms: the knobs that they share, in parts.

An algorithm's settings are put together from the parts below, so that a knob an algorithm does not use is an
unknown key there, not a key without effect. The types carry the range of each value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, model_validator

from lean_gym.errors import unknown_name
from trainers.config.base import (
    AtLeastTwo,
    Count,
    CountOrZero,
    Decay,
    Fraction,
    NonNegative,
    Positive,
    Settings,
    Share,
    require,
)

ISLevel = Literal["token", "sequence", "sequence_token", "geometric_mean"]
KLEstimator = Literal["schulman", "k3", "abs", "mse", "k2", "k1"]
AdvantageNorm = Literal["standard", "winsorized", "rank", "none"]


class GroupSettings(Settings):
    """Turning returns into advantages, and the demands on rollouts and learner."""

    group_size: AtLeastTwo = 8
    """Episodes per theorem."""
    advantage_norm: AdvantageNorm = "standard"
    """`standard`: divide by the standard deviation; `winsorized`: the same after pulling in extreme returns;
    `rank`: ranks spread over [-1, 1]; `none`: subtract the mean only."""
    winsorize_quantile: Annotated[float, Field(gt=0.5, le=1)] = 0.9
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
    advantage_ema_decay: Decay = 0.99
    """Weight of a group in the population relative to the group after it; 1 weighs all alike."""
    pass_at_k: Count = 1
    """Size k of the sets of episodes whose best return is maximised, below the group size; 1 maximises the return of
    each episode. An episode then counts for the sets that it makes better, so rare proofs count more than frequent
    ones."""
    unlikeliness: Share = 0.0
    """Share of its return that the most likely of a group's episodes loses if it is a proof; less likely proofs lose
    less, by rank of probability. 0 switches it off."""
    use_consensus: bool = False
    """Blend advantages with those relative to all groups of the iteration."""
    consensus_weight: Share = 0.3
    """Weight in that blend of the advantages relative to all groups."""
    sparse_reward_threshold: Share = 1.0
    """Rewards are sparse when a larger share of the episodes of the iteration earned nothing; 1 is never."""
    sparse_reward_bonus: NonNegative = 0.1
    """Added, while rewards are sparse, to the advantage of episodes that earned something."""
    dynamic_sampling_rounds: CountOrZero = 0
    """Times that groups whose episodes all earned the same are replaced by fresh ones; 0 keeps them."""
    overlong_buffer: Share = 0.0
    """Share of the length limit, at its end, over which episodes are charged for length; 0 charges none."""
    overlong_penalty: NonNegative = 0.5
    """Charge of an episode at the limit, in units of return."""
    use_dynamic_groups: bool = False
    """Compute a theorem's group size from its solve rate instead of taking `group_size`."""
    min_group_size: AtLeastTwo = 4
    """Smallest group with `use_dynamic_groups`."""
    max_group_size: AtLeastTwo = 16
    """Largest group with `use_dynamic_groups`."""
    mixed_group_target: Fraction = 0.8
    """Probability of different outcomes within a group that `use_dynamic_groups` aims at."""
    sync_frequency: Count = 1
    """Mini-batches whose gradients are added up before processes exchange them and the optimiser steps."""

    @model_validator(mode="after")
    def _check_groups(self) -> Self:
        most = self.max_group_size
        require(
            self.min_group_size <= most,
            "min_group_size",
            self.min_group_size,
            f"at most max_group_size ({most})",
        )
        if self.population_size and self.advantage_norm in ("rank", "none"):
            raise ValueError(
                f"population_size={self.population_size} sets a standard deviation, and "
                f"advantage_norm={self.advantage_norm!r} divides by none; "
                "set advantage_norm to 'standard' or 'winsorized'"
            )
        return self

    @model_validator(mode="after")
    def _check_best_of(self) -> Self:
        if self.pass_at_k == 1:
            return self
        least = self.min_group_size if self.use_dynamic_groups else self.group_size
        require(self.pass_at_k < least, "pass_at_k", self.pass_at_k, f"below the group size ({least})")
        clashes: dict[str, object] = {}
        if self.advantage_norm not in ("standard", "none"):
            clashes["advantage_norm"] = self.advantage_norm
        if self.population_size:
            clashes["population_size"] = self.population_size
        if self.use_consensus:
            clashes["use_consensus"] = True
        for name, value in clashes.items():
            raise ValueError(
                f"pass_at_k={self.pass_at_k} divides by the deviation of the best of k, and {name}={value!r} "
                "replaces it; leave out one of the two"
            )
        return self


class RatioSettings(Settings):
    """Level at which the probabilities of policy and sampler are compared."""

    is_level: ISLevel = "token"
    """`token`: r_t; `sequence`: s, the geometric mean of a row's r_t; `sequence_token`: s in value, r_t in
    gradient; `geometric_mean`: sqrt(r_t s)."""


class ClipSettings(Settings):
    """The interval that probability ratios are clipped to."""

    epsilon: Fraction = 0.2
    """The ratio is clipped from below at 1 - epsilon."""
    epsilon_high: Positive | None = None
    """The ratio is clipped from above at 1 + epsilon_high; `None` takes `epsilon`."""
    delta: Annotated[float, Field(gt=1)] | None = None
    """Bound of the ratio where the advantage is negative, which the clipping leaves open; `None` is none."""

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return 1.0 - self.epsilon

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return 1.0 + (self.epsilon if self.epsilon_high is None else self.epsilon_high)


class KLSettings(Settings):
    """Penalty on the divergence from the start policy."""

    beta: NonNegative = 0.0
    """Weight of the KL divergence to the start policy; 0 switches the term off."""
    kl_estimator: KLEstimator = "schulman"
    """Per token, with d = log pi_ref - log pi: `schulman` or `k3`: exp(d) - d - 1; `mse` or `k2`: d^2 / 2;
    `abs`: |d|; `k1`: -d."""


class KLLossSettings(KLSettings):
    """For algorithms whose loss has the KL divergence as a term of its own."""

    use_unbiased_kl: bool = False
    """Multiply the estimate by the probability ratio, which makes its gradient unbiased for rows that an older
    policy sampled."""


class EntropySettings(Settings):
    """Bonus for the entropy of the policy."""

    entropy_coef: NonNegative = 0.0
    """Weight of the policy's entropy per token, in nats, which the loss rewards: a policy that is kept spread out goes
    on finding different proofs. 0 switches it off."""


class OffPolicySettings(Settings):
    """Guard of the rows that the policy has moved away from within an update."""

    off_policy_mask_threshold: Positive | None = None
    """Rows with a negative advantage whose log-probability has fallen by more than this since they were sampled, in
    nats and the mean over their tokens, are left out of the policy loss; `None` keeps all."""


class FamilySettings(GroupSettings, KLSettings, EntropySettings, OffPolicySettings):
    """Settings of every algorithm; the other parts above are for the algorithms that use them."""


Kind = TypeVar("Kind", bound=Settings)


def keep_known(kind: type[Settings], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the values that a settings class has a key for."""
    return {key: value for key, value in values.items() if key in kind.model_fields}


def build(kind: type[Kind], values: Mapping[str, Any], name: str) -> Kind:
    """Make the settings of one algorithm from plain values.

    Args:
        kind: The settings class.
        values: Key to value.
        name: Name of the algorithm, for messages.

    Raises:
        ConfigError: A value has the wrong type or is out of range.
        ValueError: A key is unknown; lists the valid ones.
    """
    for key in values:
        if key not in kind.model_fields:
            raise ValueError(unknown_name(f"setting of {name}", key, kind.model_fields))
    return kind(**values)
