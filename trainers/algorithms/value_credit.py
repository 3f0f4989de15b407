"""Credit for single steps from a value of states: generalised advantages, and values from rollouts.

V(s) is an estimate of the return from s on. `td_advantages` takes it from a potential Phi, which says from the open
goals how far a state has come, `vine_advantages` from rollouts that start in the state. Both give credit in units of
return, without the advantage of the episode; `step_credit.unit_scale` gives it that scale.
"""

from __future__ import annotations

from collections.abc import Sequence

from trainers.algorithms.step_credit import Credits, Trace, returns_to_go


def mean_return_of_others(traces: Sequence[Trace], gamma: float) -> list[float]:
    """Return for each episode the mean return of the others of its group, discounted from the start.

    This is the baseline of RLOO, arXiv:2402.14740. In a group of one it is the episode's own return.
    """
    starts = [next(iter(returns_to_go(trace.rewards, gamma)), 0.0) for trace in traces]
    if len(starts) < 2:
        return starts
    total = sum(starts)
    return [(total - own) / (len(starts) - 1) for own in starts]


def td_advantages(
    traces: Sequence[Trace],
    potentials: Sequence[Sequence[float]],
    gamma: float,
    td_lambda: float,
    weight: float,
) -> Credits:
    """Return generalised advantages under values from a potential.

        A_t     = delta_t + gamma lambda A_{t+1}
        delta_t = r_t + gamma V(s_{t+1}) - V(s_t)
        V(s)    = b + w (Phi(s) - Phi(s_0)),  V(end) = 0

    b is the mean return of the other episodes of the group. V does not depend on the future of its own episode, so
    for lambda = 1 (and gamma = 1) the gradient is unbiased whatever Phi is; with w = 0 the credit is then that of
    `episode` with RLOO's baseline. For lambda below 1 it is biased as far as V differs from the true values.

    Args:
        traces: The episodes of a group.
        potentials: Phi of the state of each step, from 0 to 1, larger where less is left to prove.
        gamma: Discount per step, in (0, 1].
        td_lambda: Weight of later differences, from 0 to 1.
        weight: w, in units of return.

    Source: Schulman et al., arXiv:1506.02438, equation 16.
    """
    found: Credits = []
    for trace, heights, base in zip(traces, potentials, mean_return_of_others(traces, gamma), strict=True):
        values = [base + weight * (height - heights[0]) for height in heights] + [0.0]
        credit, following = [], 0.0
        for at in reversed(range(len(trace.states))):
            delta = trace.rewards[at] + gamma * values[at + 1] - values[at]
            following = delta + gamma * td_lambda * following
            credit.append(following)
        found.append(credit[::-1])
    return found


def vine_advantages(
    traces: Sequence[Trace], values: Sequence[Sequence[float | None]], gamma: float
) -> Credits:
    """Return r_t + gamma V(s_{t+1}) - V(s_t), with V(end) = 0, for the steps whose values are known.

    If the values are unbiased estimates from independent rollouts, the credit is an unbiased estimate of the advantage
    of the step in its state. Other steps get the credit of the episode, its return less the mean of the others.

    Args:
        traces: The episodes of a group.
        values: The value of the state of each step, `None` where there is no estimate.
        gamma: Discount per step, in (0, 1].

    Source: VinePPO, arXiv:2410.01679, equation 5.
    """
    found: Credits = []
    for trace, known, base in zip(traces, values, mean_return_of_others(traces, gamma), strict=True):
        whole = next(iter(returns_to_go(trace.rewards, gamma)), 0.0) - base
        following = [*known[1:], 0.0]
        found.append(
            [
                whole if here is None or then is None else reward + gamma * then - here
                for reward, here, then in zip(trace.rewards, known, following, strict=True)
            ]
        )
    return found
