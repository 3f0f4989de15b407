"""Preference pairs within a group, and the DPO loss on them (arXiv:2305.18290).

For a pair of a preferred sequence y+ and another y- of one group, with the log-ratio h(y) = log pi(y) - log pi_ref(y),

    L_pair = -log sigmoid(dpo_beta (h(y+) - h(y-)))

Its gradient is -w on log pi(y+) and +w on log pi(y-), with w = dpo_beta sigmoid(-dpo_beta (h(y+) - h(y-))). The two
sequences of a pair, or the rows of one trajectory, can therefore be in different batches: given w,
`pair_loss_from_weights` has the same gradient row by row.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from trainers.algorithms.rollout_rules import SAME_RETURN

PreferencePair = tuple[int, int]
"""(preferred, other), positions within a group or batch."""


def rank_pairs(returns: Sequence[float], most: int) -> list[PreferencePair]:
    """Pair the best with the worst, the second best with the second worst, and so on.

    Args:
        returns: Returns of the members of a group; in a tie the earlier one counts as better.
        most: Largest number of pairs.

    Returns:
        Pairs of strictly different returns.
    """
    order = sorted(range(len(returns)), key=lambda index: -returns[index])
    matched = zip(order[: len(order) // 2], reversed(order), strict=False)
    pairs = [(best, worst) for best, worst in matched if returns[best] - returns[worst] >= SAME_RETURN]
    return pairs[:most]


def check_pairs(pairs: Sequence[PreferencePair], members: int) -> list[PreferencePair]:
    """Check given preferences and return them.

    Raises:
        ValueError: A position is not in the group, or a member is preferred to itself.
    """
    for preferred, other in pairs:
        if preferred == other or not (0 <= preferred < members and 0 <= other < members):
            raise ValueError(
                f"expected pairs of different positions from 0 to {members - 1}, got ({preferred}, {other})"
            )
    return [(preferred, other) for preferred, other in pairs]


def pair_loss(log_ratios: Tensor, pairs: Tensor, dpo_beta: float) -> Tensor:
    """Return the mean of L_pair; 0 without pairs.

    Args:
        log_ratios: (N,) h of each sequence; may carry gradient.
        pairs: (P, 2) positions, the preferred one first.
        dpo_beta: See the module text.
    """
    if len(pairs) == 0:
        return log_ratios.sum() * 0.0
    margins = log_ratios[pairs[:, 0]] - log_ratios[pairs[:, 1]]
    return -F.logsigmoid(dpo_beta * margins).mean()


def pair_weights(log_ratios: Tensor, pairs: Sequence[PreferencePair] | Tensor, dpo_beta: float) -> Tensor:
    """Return the weight of each sequence's log-probability in the gradient of `pair_loss`, sign reversed.

    Args:
        log_ratios: (N,) h of each sequence.
        pairs: Pairs of the whole optimiser step.
        dpo_beta: See the module text.

    Returns:
        (N,): the sum of +w/P over the pairs that prefer a sequence and -w/P over those that do not.
    """
    chosen = torch.as_tensor(pairs, dtype=torch.long, device=log_ratios.device).reshape(-1, 2)
    weights = torch.zeros_like(log_ratios)
    if len(chosen) == 0:
        return weights
    margins = log_ratios[chosen[:, 0]] - log_ratios[chosen[:, 1]]
    pull = (dpo_beta * torch.sigmoid(-dpo_beta * margins) / len(chosen)).detach()
    return weights.index_add(0, chosen[:, 0], pull).index_add(0, chosen[:, 1], -pull)


def pair_loss_from_weights(row_logprobs: Tensor, weights: Tensor) -> Tensor:
    """Return a loss with the gradient of `pair_loss`, for any part of the rows.

    Args:
        row_logprobs: (B,) log-probability of each row; carries gradient.
        weights: (B,) result of `pair_weights` for the sequence that each row belongs to.
    """
    return -(weights.detach() * row_logprobs).sum()
