"""Credit for single steps: dividing the outcome of an episode among its tactics.

The episodes of one group (same theorem) are `Trace`s: for each step its state, its reward and whether Lean refused it.
A state is any hashable value; equal prompts (token ids) are equal states, because the policy sampled from the same
distribution there, and are called an anchor. R_t is the discounted return from step t on, A^E the advantage of
the whole episode as an algorithm assigns it. `step_credit` gives

    episode    A^E on every step
    gigpo      A^E + omega A^S,  A^S = (R_t - its mean over the anchor) / F       GiGPO, arXiv:2505.10978
    state      R_t minus its mean over the other trajectories through the state   leave one trajectory out
    graph      A^E + omega (r_t + gamma V(s_t+1) - V(s_t)) / F                    values on the merged state graph

F is that of the algorithm's `advantage_norm`, so that A^E and the step term have one scale: the standard deviation
(of the anchor in `gigpo`, of the group's steps in `graph`) under `standard`, 1 under `none`, as in the paper's two
forms; under `winsorized` and `rank` the step term is normalised as A^E is.

`state` has an unbiased gradient: its baseline depends on the other trajectories and on the past only. `graph` has less
variance and is biased, because a trajectory is part of the values it is compared with; therefore the episode's
advantage is kept. With advantages of 0 only the second term remains.

Independent of these: `spare_sound_prefix` (first-error credit), `charge_steps` (step cost).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch

from trainers.algorithms.advantages import normalise
from trainers.algorithms.rollout_rules import SAME_RETURN
from trainers.algorithms.settings import GroupSettings

CreditKind = Literal["episode", "gigpo", "state", "graph"]

IN_UNITS_OF_RETURN = frozenset({"state", "td", "vine"})
"""Kinds that do not contain A^E; `unit_scale` gives them its scale."""

Credits = list[list[float]]
"""One number per step of each episode."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Steps of one episode.

    Attributes:
        states: The state in which each step was taken, e.g. its prompt's token ids.
        rewards: Reward of each step.
        refused: Whether Lean refused the tactic, which leaves the state unchanged.
    """

    states: tuple[Hashable, ...]
    rewards: tuple[float, ...]
    refused: tuple[bool, ...]

    def __post_init__(self) -> None:
        if not len(self.states) == len(self.rewards) == len(self.refused):
            raise ValueError(
                f"expected as many rewards and refused flags as states ({len(self.states)}), "
                f"got {len(self.rewards)} and {len(self.refused)}"
            )

    @property
    def total(self) -> float:
        """Return the undiscounted return."""
        return sum(self.rewards)


def step_credit(
    kind: CreditKind,
    traces: Sequence[Trace],
    advantages: Sequence[float],
    gamma: float,
    omega: float,
    norm: GroupSettings,
) -> Credits:
    """Return the credit of every step of a group.

    Args:
        kind: See the module text.
        traces: The episodes of a group.
        advantages: A^E, one per episode.
        gamma: Discount per step, in (0, 1].
        omega: Weight of the step term in `gigpo` and `graph`.
        norm: `advantage_norm` and its settings, for the step term.

    Raises:
        ValueError: The number of advantages differs from that of episodes, or `gamma` is out of range.
    """
    if len(advantages) != len(traces):
        raise ValueError(f"expected one advantage per episode ({len(traces)}), got {len(advantages)}")
    if not 0.0 < gamma <= 1.0:
        raise ValueError(f"expected gamma above 0 and at most 1, got {gamma}")
    if kind == "state":
        return leave_one_out(traces, gamma)
    whole = [[advantage] * len(trace.states) for advantage, trace in zip(advantages, traces, strict=True)]
    if kind == "episode":
        return whole
    if kind == "gigpo":
        parts = anchor_advantages(traces, gamma, norm)
    else:
        parts = normalised_steps(value_differences(traces, gamma), norm)
    return [
        [own + omega * part for own, part in zip(*pair, strict=True)]
        for pair in zip(whole, parts, strict=True)
    ]


def returns_to_go(rewards: Sequence[float], gamma: float) -> list[float]:
    """Return R_t = r_t + gamma R_{t+1} for each step."""
    found: list[float] = []
    following = 0.0
    for reward in reversed(rewards):
        following = reward + gamma * following
        found.append(following)
    return found[::-1]


def anchor_advantages(traces: Sequence[Trace], gamma: float, norm: GroupSettings) -> Credits:
    """Return GiGPO's A^S: R_t normalised over all steps of the group in the same state.

    A state visited once gets 0, and so does one whose visits have equal returns.
    """
    ahead = [returns_to_go(trace.rewards, gamma) for trace in traces]
    visits: dict[Hashable, list[tuple[int, int]]] = {}
    for index, trace in enumerate(traces):
        for at, state in enumerate(trace.states):
            visits.setdefault(state, []).append((index, at))
    found = [[0.0] * len(returns) for returns in ahead]
    for places in visits.values():
        if len(places) < 2:
            continue
        earned = torch.tensor([ahead[index][at] for index, at in places], dtype=torch.float64)
        values = normalise(earned, earned, norm).tolist()
        for (index, at), value in zip(places, values, strict=True):
            found[index][at] = value
    return found


def normalised_steps(credits: Credits, norm: GroupSettings) -> Credits:
    """Normalise the numbers of all steps of a group together."""
    flat = torch.tensor([value for credit in credits for value in credit], dtype=torch.float64)
    values = iter(normalise(flat, flat, norm).tolist())
    return [[next(values) for _ in credit] for credit in credits]


def leave_one_out(traces: Sequence[Trace], gamma: float) -> Credits:
    """Return R_t minus its mean over the other trajectories that visited the state, each counted once.

    A trajectory that visits a state repeatedly counts with the mean of its visits, and never in its own baseline. A
    state that no other trajectory visited has no mean of its own. There the baseline is that of the step before, less
    the reward in between: with gamma = 1 the step gets the credit of the last state that others visited. Such a
    baseline depends on the others and on the trajectory's past only, so the gradient is unbiased. (For gamma below 1 it
    is not divided by gamma, which would grow without bound.) Before the first such state the baseline is the mean
    return of the others. A group of one gets 0.
    """
    ahead = [returns_to_go(trace.rewards, gamma) for trace in traces]
    visits: dict[Hashable, dict[int, list[float]]] = {}
    for index, (trace, returns) in enumerate(zip(traces, ahead, strict=True)):
        for state, value in zip(trace.states, returns, strict=True):
            visits.setdefault(state, {}).setdefault(index, []).append(value)
    means = {
        state: {index: sum(values) / len(values) for index, values in by_trace.items()}
        for state, by_trace in visits.items()
    }
    starts = {index: returns[0] for index, returns in enumerate(ahead) if returns}
    found: Credits = []
    for index, (trace, returns) in enumerate(zip(traces, ahead, strict=True)):
        baseline = _mean_of_others(starts, index)
        credit = []
        for at, (state, value) in enumerate(zip(trace.states, returns, strict=True)):
            here = _mean_of_others(means[state], index)
            if here is not None:
                baseline = here
            elif baseline is not None and at:
                baseline -= trace.rewards[at - 1]
            credit.append(0.0 if baseline is None else value - baseline)
        found.append(credit)
    return found


def _mean_of_others(values: Mapping[int, float], own: int) -> float | None:
    others = [value for index, value in values.items() if index != own]
    return sum(others) / len(others) if others else None


def value_differences(traces: Sequence[Trace], gamma: float) -> Credits:
    """Return r_t + gamma V(s_{t+1}) - V(s_t), with V from `graph_values`, and 0 after the last step.

    The environment is deterministic, so V(s_{t+1}) is the value of the action chosen in s_t. A refused tactic without
    reward leaves the state unchanged and gets (gamma - 1) V(s_t).
    """
    values = graph_values(traces, gamma)
    return [
        [
            reward
            + gamma * (values[trace.states[at + 1]] if at + 1 < len(trace.states) else 0.0)
            - values[state]
            for at, (state, reward) in enumerate(zip(trace.states, trace.rewards, strict=True))
        ]
        for trace in traces
    ]


def graph_values(traces: Sequence[Trace], gamma: float) -> dict[Hashable, float]:
    """Return the value of each state of the merged graph, under the actions of the group.

    Equal states of all trajectories are one node; V(s) is the mean of r + gamma V(s') over all steps taken in s. The
    outcome of one trajectory after a state thus counts for all trajectories that reach the state. The linear system is
    solved exactly.
    """
    numbers: dict[Hashable, int] = {}
    for trace in traces:
        for state in trace.states:
            numbers.setdefault(state, len(numbers))
    size = len(numbers)
    system = torch.zeros(
        size, size, dtype=torch.float64
    )  # visits on the diagonal, minus gamma per transition
    earned = torch.zeros(size, dtype=torch.float64)
    for trace in traces:
        for at, (state, reward) in enumerate(zip(trace.states, trace.rewards, strict=True)):
            row = numbers[state]
            system[row, row] += 1.0
            earned[row] += reward
            if at + 1 < len(trace.states):
                system[row, numbers[trace.states[at + 1]]] -= gamma
    # Every trajectory ends, so the system has exactly one solution.
    solution = torch.linalg.solve(system, earned) if size else earned
    return {state: float(solution[number]) for state, number in numbers.items()}


def spare_sound_prefix(trace: Trace, credit: Sequence[float]) -> list[float]:
    """Apply first-error credit: tactics before the first refused one get no negative credit.

    Lean accepted them. Positive credit is kept, and so is all credit of a trace without refused tactics.
    Source: verified prefixes of arXiv:2601.18984 and first-error propagation of arXiv:2606.20068.

    Args:
        trace: The episode.
        credit: One number per step.
    """
    first = trace.refused.index(True) if True in trace.refused else 0
    return [max(value, 0.0) if at < first else value for at, value in enumerate(credit)]


def charge_steps(trace: Trace, cost: float) -> Trace:
    """Return the trace with `cost` subtracted from the reward of every step, so that shorter proofs earn more."""
    return replace(trace, rewards=tuple(reward - cost for reward in trace.rewards))


def charge_end(trace: Trace, charge: float) -> Trace:
    """Return the trace with `charge` subtracted from the reward of its last step."""
    if not trace.rewards:
        return trace
    *before, last = trace.rewards
    return replace(trace, rewards=(*before, last - charge))


def agreement(credits: Sequence[float], advantages: Sequence[float]) -> dict[str, float]:
    """Compare the credit of steps with the advantage of their episodes.

    Args:
        credits: One number per step.
        advantages: The advantage of the step's episode, one per step.

    Returns:
        `sign_differs`, the share of the steps where the two have opposite signs, and `correlation`, Pearson's; without
        `correlation` if one of the two is constant.
    """
    if not credits:
        return {}
    pair = torch.tensor([list(credits), list(advantages)], dtype=torch.float64)
    found = {"sign_differs": float((pair[0] * pair[1] < 0.0).double().mean())}
    if bool((pair.amax(dim=1) - pair.amin(dim=1) >= SAME_RETURN).all()):
        found["correlation"] = float(torch.corrcoef(pair)[0, 1])
    return found


def unit_scale(groups: Sequence[Credits], norm: GroupSettings) -> list[Credits]:
    """Divide credit in units of return by its root mean square over all steps of the iteration.

    It has then the scale of the advantages of episodes, so that penalties and learning rates that suit these suit it.
    The mean is not subtracted. With `advantage_norm` `none` nothing changes.

    Args:
        groups: The credit of each group of the iteration.
        norm: `advantage_norm` and `std_epsilon`.
    """
    if norm.advantage_norm == "none":
        return list(groups)
    values = [value for group in groups for credit in group for value in credit]
    scale = math.sqrt(sum(value**2 for value in values) / max(1, len(values))) + norm.std_epsilon
    return [[[value / scale for value in credit] for credit in group] for group in groups]


def credit_coverage(traces: Sequence[Trace]) -> float:
    """Return the share of steps in a state that trajectories of different return visited.

    Only there can step credit differ from the episode's advantage.
    """
    totals: dict[Hashable, list[float]] = {}
    for trace in traces:
        for state in set(trace.states):
            totals.setdefault(state, []).append(trace.total)
    return _share(traces, lambda state: max(totals[state]) - min(totals[state]) >= SAME_RETURN)


def anchor_share(traces: Sequence[Trace]) -> float:
    """Return the share of steps in a state that the group visited at least twice."""
    visits: dict[Hashable, int] = {}
    for trace in traces:
        for state in trace.states:
            visits[state] = visits.get(state, 0) + 1
    return _share(traces, lambda state: visits[state] >= 2)


def _share(traces: Sequence[Trace], holds: Callable[[Hashable], bool]) -> float:
    steps = [state for trace in traces for state in trace.states]
    return sum(map(holds, steps)) / len(steps) if steps else 0.0
