"""Training rows from groups of episodes: one row per tactic, weighted by its credit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import variance

from trainers.algorithms import Algorithm
from trainers.algorithms.rollout_rules import has_spread
from trainers.algorithms.step_credit import (
    IN_UNITS_OF_RETURN,
    Credits,
    Trace,
    agreement,
    anchor_share,
    credit_coverage,
    spare_sound_prefix,
    step_credit,
    unit_scale,
)
from trainers.config.credit import CreditConfig
from trainers.learning.redraws import tried_before
from trainers.learning.samples import Sample
from trainers.learning.steps import charged_traces, known_values, td_credits, vine_credits
from trainers.learning.values import ValueSource, make_value
from trainers.policies.base import Completion
from trainers.rollouts.player import Trajectory, TrajectoryGroup


@dataclass(frozen=True, slots=True)
class RolloutSize:
    """Numbers of rows and of sampled tokens in them."""

    rows: int
    tokens: int

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> RolloutSize:
        """Count some rows."""
        return cls(len(samples), sum(len(sample.token_ids) for sample in samples))

    def share(self, kept: RolloutSize, part: RolloutSize) -> tuple[float, float]:
        """Return the rows and tokens of this rollout that a part of its kept rows stands for."""
        rows, tokens = self.rows / max(1, kept.rows), self.tokens / max(1, kept.tokens)
        return part.rows * rows, part.tokens * tokens


@dataclass(frozen=True, slots=True)
class Credit:
    """Training rows, with statistics about the credit.

    Attributes:
        samples: Rows with an advantage other than 0; all rows of the episodes in `preferences`, whose probability
            counts independent of their returns; and all rows if the loss has a KL divergence or an entropy bonus, which
            are means over the whole rollout. The other rows are dropped: they do not change the loss or, since they
            count in `rollout`, its scale. Masked rows are left out in any case.
        rollout: Size of the rollout: dropped and masked rows, and the tokens of the former.
        truncated: Rows that were cut at the token limit, masked or not.
        masked: Rows that `mask_truncated_completions` leaves out of the loss.
        too_old: Rows left out of the loss because older weights sampled them than are allowed.
        zero_std_fraction: Share of the groups with equal returns.
        coverage: Share of the steps in a state that episodes of different return visited.
        anchored: Share of the steps in a state that the group visited at least twice.
        agreement: Scalars that compare the credit with that of `episode`, by name; empty for `episode` itself.
        preferences: Pairs of episodes that the algorithm compares, by number, the preferred one first.
    """

    samples: tuple[Sample, ...]
    rollout: RolloutSize
    zero_std_fraction: float
    coverage: float
    anchored: float
    truncated: int = 0
    masked: int = 0
    too_old: int = 0
    agreement: Mapping[str, float] = field(default_factory=dict)
    preferences: tuple[tuple[int, int], ...] = ()

    @property
    def dropped_rows(self) -> int:
        """Return the number of rows with advantage 0 that are left out."""
        return self.rollout.rows - len(self.samples) - self.masked - self.too_old


@dataclass(frozen=True, slots=True)
class StepWeights:
    """Credit of every step of every episode, by group, and what it was computed from.

    Attributes:
        weights: Weight of each step in the loss: group -> episode -> steps.
        traces: Steps as the rules of credit see them.
        returns: Return of each episode, with all charges.
        advantages: Advantage of each episode.
        shares: Credit of each step by the rule, before what refused tactics lose.
    """

    weights: tuple[tuple[tuple[float, ...], ...], ...]
    traces: Sequence[Sequence[Trace]]
    returns: Sequence[Sequence[float]]
    advantages: Sequence[Sequence[float]]
    shares: Sequence[Credits]


def weigh_steps(
    groups: Sequence[TrajectoryGroup],
    algorithm: Algorithm,
    settings: CreditConfig,
    max_steps: int,
    value: ValueSource | None = None,
    vines: Sequence[TrajectoryGroup] = (),
) -> StepWeights:
    """Assign credit to every step of every episode.

    1. The returns, minus step costs and the algorithm's charge for length, become advantages of episodes, and these
       become the credit of steps. Credit in units of return gets the scale of advantages.
    2. A refused tactic left the goals unchanged, so it did not contribute to the return: it gets none of the episode's
       credit, unless `refused_credit` is set.
    3. It gets `-error_penalty` instead, times `spread_of(advantages)`: the advantages of Dr. GRPO, RLOO and pass@k are
       smaller than GRPO's, and a penalty of one size for all would drown them. With `error_baseline` it is relative to
       the mean penalty of the group's tactics at that prompt. In experiments with the tiny model this gave better
       results than a constant penalty.
    4. With `episode_weighting` the credit of a tactic is divided by the number of those of its episode that get some.
    5. A tactic that was cut at the token limit gets 0 with `mask_truncated_completions`, refused or not.

    Args:
        groups: Episodes of one theorem each.
        algorithm: Turns the returns of all groups into advantages.
        settings: Credit settings.
        max_steps: Largest number of tactics of an episode, the limit for the algorithm's charge for length.
        value: Potential of states for `td`; that of the setting `value` if left out, which loads a model every time.
        vines: Further episodes for `vine`, a group for each state that they began in.
    """
    traces = [charged_traces(group, algorithm, settings, max_steps) for group in groups]
    returns = [[trace.total for trace in group] for group in traces]
    advantages = [v.tolist() for v in algorithm.compute_group_advantages(returns)] if groups else []
    match settings.credit:
        case "td":
            shares = td_credits(groups, traces, settings, value or make_value(settings))
        case "vine":
            returned = [charged_traces(vine, algorithm, settings, max_steps) for vine in vines]
            shares = vine_credits(groups, traces, settings, known_values(vines, returned, settings.gamma))
        case kind:
            gamma, omega = settings.gamma, settings.step_credit_weight
            shares = [
                step_credit(kind, group, own, gamma, omega, algorithm.settings)
                for group, own in zip(traces, advantages, strict=True)
            ]
    if settings.credit in IN_UNITS_OF_RETURN:
        shares = unit_scale(shares, algorithm.settings)
    weights, penalty = [], settings.error_penalty * spread_of(advantages)
    usual = _mean(
        [float(n) for group in groups for one in group.trajectories if (n := _credited(one, settings))]
    )
    for group, group_traces, credits in zip(groups, traces, shares, strict=True):
        baselines = _refusal_rates(group) if settings.error_baseline else {}
        weights.append(
            tuple(
                _weights(
                    trajectory,
                    spare_sound_prefix(trace, credit) if settings.first_error_credit else credit,
                    settings,
                    penalty,
                    baselines,
                    usual / max(1, _credited(trajectory, settings)) if settings.episode_weighting else 1.0,
                )
                for trajectory, trace, credit in zip(group.trajectories, group_traces, credits, strict=True)
            )
        )
    return StepWeights(tuple(weights), traces, returns, advantages, shares)


def spread_of(advantages: Sequence[Sequence[float]]) -> float:
    """Return the standard deviation of advantages within groups, over those groups that have any.

    It is the root of the mean variance (divisor G - 1): 1 with GRPO, but for its `std_epsilon`. Where no group has any
    spread it is 1.

    Args:
        advantages: Advantage of each episode: group -> episodes.
    """
    variances = [variance(group) for group in advantages if has_spread(group)]
    return math.sqrt(sum(variances) / len(variances)) if variances else 1.0


def assign_credit(
    groups: Sequence[TrajectoryGroup],
    algorithm: Algorithm,
    settings: CreditConfig,
    max_steps: int,
    value: ValueSource | None = None,
    vines: Sequence[TrajectoryGroup] = (),
    oldest: int = 0,
) -> Credit:
    """Make the training rows of an iteration; the arguments are those of `weigh_steps`, which says what they weigh.

    Tactics of a `version` below `oldest` get no row.

    A masked row counts among the rows that a loss is averaged over, its tokens do not count among the tokens: as with
    `mask_truncated_completions` of TRL, where its mask is 0 throughout.
    """
    weighed = weigh_steps(groups, algorithm, settings, max_steps, value, vines)
    samples: list[Sample] = []
    preferences: list[tuple[int, int]] = []
    episode = 0
    for group, earned, weights in zip(groups, weighed.returns, weighed.weights, strict=True):
        pairs = algorithm.preference_pairs(earned)
        preferences += [(episode + preferred, episode + other) for preferred, other in pairs]
        compared = {episode + member for pair in pairs for member in pair}
        for trajectory, own in zip(group.trajectories, weights, strict=True):
            keep_all = algorithm.needs_all_rows or episode in compared
            samples += _rows(trajectory, own, episode, keep_all, settings, oldest)
            episode += 1
    steps = [sum(len(trace.states) for trace in group) for group in weighed.traces]
    return Credit(
        samples=tuple(samples),
        rollout=_size(groups, settings),
        zero_std_fraction=_mean([float(not has_spread(values)) for values in weighed.returns]),
        coverage=_mean([credit_coverage(group) for group in weighed.traces], steps),
        anchored=_mean([anchor_share(group) for group in weighed.traces], steps),
        truncated=sum(choice.truncated for choice in _chosen(groups)),
        masked=sum(_is_masked(choice, settings) for choice in _chosen(groups)),
        too_old=sum(
            choice.version < oldest and not _is_masked(choice, settings) for choice in _chosen(groups)
        ),
        agreement={} if settings.credit == "episode" else _agreement(weighed.shares, weighed.advantages),
        preferences=tuple(preferences),
    )


def _agreement(shares: Sequence[Credits], advantages: Sequence[Sequence[float]]) -> dict[str, float]:
    own = [value for credits in shares for credit in credits for value in credit]
    whole = [
        value
        for credits, values in zip(shares, advantages, strict=True)
        for credit, value in zip(credits, values, strict=True)
        for _ in credit
    ]
    return {f"credit/{name}": value for name, value in agreement(own, whole).items()}


def _chosen(groups: Sequence[TrajectoryGroup]) -> list[Completion]:
    return [step.choice for group in groups for one in group.trajectories for step in one.steps]


def _is_masked(choice: Completion, settings: CreditConfig) -> bool:
    return choice.truncated and settings.mask_truncated_completions


def _size(groups: Sequence[TrajectoryGroup], settings: CreditConfig) -> RolloutSize:
    chosen = _chosen(groups)
    tokens = sum(len(choice.token_ids) for choice in chosen if not _is_masked(choice, settings))
    return RolloutSize(len(chosen), tokens)


def _credited(trajectory: Trajectory[Completion], settings: CreditConfig) -> int:
    """Return the number of tactics that get a share of what their episode earned."""
    return sum(
        (settings.refused_credit or not step.refused) and not _is_masked(step.choice, settings)
        for step in trajectory.steps
    )


def _refusal_rates(group: TrajectoryGroup) -> dict[tuple[int, ...], float]:
    """Return prompt -> share of refused tactics among those chosen there."""
    outcomes: dict[tuple[int, ...], list[bool]] = {}
    for trajectory in group.trajectories:
        for step in trajectory.steps:
            outcomes.setdefault(step.choice.prompt_ids, []).append(step.refused)
    return {prompt: sum(refused) / len(refused) for prompt, refused in outcomes.items()}


def _weights(
    trajectory: Trajectory[Completion],
    credit: Sequence[float],
    settings: CreditConfig,
    penalty: float,
    baselines: Mapping[tuple[int, ...], float],
    factor: float,
) -> tuple[float, ...]:
    weights = []
    for step, value in zip(trajectory.steps, credit, strict=True):
        weight = penalty * (baselines.get(step.choice.prompt_ids, 0.0) - step.refused)
        if settings.refused_credit or not step.refused:
            weight += factor * value
        weights.append(0.0 if _is_masked(step.choice, settings) else weight)
    return tuple(weights)


def _rows(
    trajectory: Trajectory[Completion],
    weights: Sequence[float],
    episode: int,
    keep_all: bool,
    settings: CreditConfig,
    oldest: int,
) -> list[Sample]:
    return [
        Sample(step.choice.prompt_ids, step.choice.token_ids, step.choice.logprobs, weight, episode, tried)
        for step, weight, tried in zip(trajectory.steps, weights, tried_before(trajectory.steps), strict=True)
        if (weight != 0.0 or keep_all)
        and step.choice.version >= oldest
        and not _is_masked(step.choice, settings)
    ]


def _mean(values: Sequence[float], weights: Sequence[float] | None = None) -> float:
    weights = [1.0] * len(values) if weights is None else weights
    total = sum(weights)
    return sum(v * w for v, w in zip(values, weights, strict=True)) / total if total else 0.0
