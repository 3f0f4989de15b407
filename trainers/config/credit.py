"""Settings of credit assignment."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from trainers.config.base import Count, Decay, NonNegative, Settings, Share, require

ValueKind = Literal["goals", "goal_size", "progress"]


class CreditConfig(Settings):
    """Dividing what an episode earned among its tactics; see `trainers.algorithms.step_credit`."""

    credit: Literal["episode", "gigpo", "state", "graph", "td", "vine"] = "episode"
    """`episode`: the advantage of the episode on all its steps; `gigpo`: plus the advantage among all visits to the
    same prompt; `state`: return from the step on, less that of other episodes there; `graph`: episode plus value
    differences on the merged graph of states; `td`: generalised advantages with values from the open goals;
    `vine`: value differences, with values from further episodes that start in the states."""
    gamma: Decay = 1.0
    """Discount per step of the returns that every `credit` but `episode` compares, above 0, at most 1."""
    step_credit_weight: NonNegative = 1.0
    """Weight of the step term in `gigpo` and `graph`."""
    td_lambda: Share = 0.9
    """Weight, per step, of later value differences in `td`: 0 credits a step with its own difference only, 1 with the
    whole return less a baseline."""
    value: ValueKind = "goals"
    """Potential of a state in `td`, from 0 to 1: `goals`: one divided by the number of open goals; `goal_size`: falls
    with the length of their text, one half at 100 characters; `progress`: that of the model in `progress_model`."""
    progress_model: str = ""
    """Folder that `python -m trainers.progress` wrote, for the value `progress`."""
    value_weight: NonNegative = 0.5
    """Difference in value, in units of return, between the potentials 0 and 1 in `td`; at 0 all states of an episode
    have the same value."""
    vine_rollouts: Count = 4
    """Episodes played from each state that `vine` estimates the value of."""
    vine_tactics: Count = 1000
    """Most tactics of these episodes per iteration; states of groups with mixed outcomes come first. The steps between
    other states keep the credit of the episode."""
    refused_credit: bool = False
    """Give refused tactics, which left the goals as they were, a share in what their episode earned."""
    error_penalty: NonNegative = 0.3
    """Taken off the advantage of exactly the tactics that Lean refused, in standard deviations of the advantages within
    groups of unequal returns (1 with GRPO); 0 switches it off."""
    error_baseline: bool = True
    """Give back the mean penalty over all tactics chosen at the same prompt, so that only the difference between them
    counts: an accepted one gains where others were refused, and nothing changes where all were refused."""
    episode_weighting: bool = False
    """Divide the credit of a tactic by the number of its episode's tactics that get credit, and multiply it by the mean
    of that number: every episode then weighs the same. Without it an episode of many tactics weighs more; those are
    mostly failures, so advantages that sum to 0 over episodes do not over tactics."""
    mask_truncated_completions: bool = True
    """Leave tactics that were cut at `max_tactic_tokens` out of the loss, so that the policy is not taught to end where
    it did not. Their episodes keep their returns."""
    first_error_credit: bool = False
    """Never give a negative advantage to the tactics before the first refused one."""
    step_cost: NonNegative = 0.0
    """Taken off the reward of every step, so that shorter proofs earn more."""

    @model_validator(mode="after")
    def _check_progress(self) -> Self:
        learned = self.value == "progress"
        require(
            not learned or self.progress_model.strip() != "",
            "progress_model",
            self.progress_model,
            "a folder of python -m trainers.progress with the value 'progress'",
        )
        require(
            learned or self.progress_model == "",
            "progress_model",
            self.progress_model,
            f"the value 'progress' beside it, not {self.value!r}",
        )
        require(
            not learned or self.credit == "td",
            "value",
            self.value,
            f"the credit 'td' beside it, not {self.credit!r}",
        )
        return self
