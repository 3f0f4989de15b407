"""Settings of credit assignment."""

from __future__ import annotations

from typing import Literal

from trainers.config.base import Decay, NonNegative, Settings


class CreditConfig(Settings):
    """Dividing what an episode earned among its tactics; see `trainers.algorithms.step_credit`."""

    credit: Literal["episode", "gigpo", "state", "graph"] = "episode"
    """`episode`: the advantage of the episode on all its steps; `gigpo`: plus the advantage among all visits to the
    same prompt; `state`: return from the step on, less that of other episodes there; `graph`: episode plus value
    differences on the merged graph of states."""
    gamma: Decay = 1.0
    """Discount per step of the returns that `gigpo`, `state` and `graph` compare, above 0, at most 1."""
    step_credit_weight: NonNegative = 1.0
    """Weight of the step term in `gigpo` and `graph`."""
    refused_credit: bool = False
    """Give refused tactics, which left the goals as they were, a share in what their episode earned."""
    error_penalty: NonNegative = 0.3
    """Taken off the advantage of exactly the tactics that Lean refused; 0 switches it off."""
    error_baseline: bool = True
    """Give back the mean penalty over all tactics chosen at the same prompt, so that only the difference between them
    counts: an accepted one gains where others were refused, and nothing changes where all were refused."""
    first_error_credit: bool = False
    """Never give a negative advantage to the tactics before the first refused one."""
    step_cost: NonNegative = 0.0
    """Taken off the reward of every step, so that shorter proofs earn more."""
