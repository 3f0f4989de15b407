"""A `trl.GRPOTrainer` with a row per tactic, weighted by our credit. Importing this module loads TRL."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Any, Final

import torch
from accelerate.utils import gather_object
from torch import Tensor
from trl.trainer.grpo_trainer import GRPOTrainer

from trainers.algorithms import create_algorithm
from trainers.config.credit import CreditConfig
from trainers.integrations.trl import LeanRollout, make_dataset
from trainers.learning.rows import Credit, assign_credit
from trainers.learning.samples import Sample
from trainers.learning.values import make_value
from trainers.policies.base import Completion
from trainers.rollouts.player import Trajectory, TrajectoryGroup

_MEANS_OVER_ROWS: Final = ("grpo", "sapo", "dr_grpo", "luspo")
"""Losses that TRL divides by the rows of a part; the others it divides by tokens."""


class TacticGRPOTrainer(GRPOTrainer):
    """GRPO on episodes with a row per tactic: prompt and completion are the goals and the tactic, not the dialogue.

    Episodes, groups and advantages are those of `python -m trainers.grpo`; loss, optimiser, engines, sharding and
    adapters are those of TRL. The loss is the mean over all rows of a rollout (or over their tokens, as `loss_type`
    says): rows that teach nothing are left out and count in the mean, as in our learner.

    A step has the tactics of `per_device_train_batch_size` episodes, so its rows are more than that, and not always as
    many. Of TRL's arguments `max_completion_length` is not used, a tactic is as long as the rollout's settings say; nor
    are `reward_weights` and `multi_objective_aggregation`, as the reward is that of the episode.
    """

    def __init__(
        self,
        model: Any,
        rollout: LeanRollout,
        args: Any,
        credit: CreditConfig | None = None,
        algorithm: str = "",
        **parts: Any,
    ) -> None:
        """Make the trainer.

        Args:
            model: As for `trl.GRPOTrainer`.
            rollout: That of `make_rollout_func`; the caller closes it.
            args: A `trl.GRPOConfig`.
            credit: How tactics share what their episode earned; `None` for the defaults of `trainers.grpo`.
            algorithm: Name of our algorithm that makes advantages of the returns of a group; by default `grpo`, or
                `dr_grpo` where `scale_rewards` is "none".
            **parts: Further arguments of `trl.GRPOTrainer`; the data set is that of the rollout by default.

        Raises:
            ValueError: The arguments need what has no meaning for rows of tactics.
        """
        self._credit = credit or CreditConfig()
        if self._credit.credit == "vine":
            raise ValueError("credit: got 'vine', expected a rule that needs no further episodes")
        if args.loss_type == "bnpo":
            raise ValueError(
                "loss_type: got 'bnpo', expected another one: parts of a step have different rows"
            )
        if args.entropy_coef or args.use_adaptive_entropy:
            raise ValueError(
                "entropy_coef: got an entropy bonus, expected 0: it is a mean over the rows of a part"
            )
        if not algorithm and args.scale_rewards == "batch":
            raise ValueError("scale_rewards: got 'batch', expected 'group' or 'none', or an algorithm")
        chosen = algorithm or ("dr_grpo" if args.scale_rewards == "none" else "grpo")
        self._advantages = create_algorithm(chosen, beta=args.beta)
        self._value = make_value(self._credit) if self._credit.credit == "td" else None
        self._rollout = rollout
        self._arguments = args
        self._own: list[tuple[Sample, bool]] = []
        parts = {"train_dataset": make_dataset(rollout.theorems)} | parts
        super().__init__(
            model=model, args=args, reward_funcs=_no_reward, rollout_func=self._rows_of_this_process, **parts
        )
        self.max_completion_length = rollout.settings.max_tactic_tokens

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        """Play the episodes of a batch and return their rows, as the base class does for completions."""
        training = self.model is not None and self.model.training
        played = gather_object(self._rollout.play([each["theorem"] for each in inputs], self))
        args = self._arguments
        size: int = args.num_generations if training else args.num_generations_eval or args.num_generations
        groups = [
            TrajectoryGroup(played[at].theorem, tuple(played[at : at + size]))
            for at in range(0, len(played), size)
        ]
        steps = self._rollout.settings.max_steps
        credit = assign_credit(groups, self._advantages, self._credit, steps, self._value)
        # A part of a step has as many rows in every process; the base class looks at them in groups.
        multiple = math.lcm(size, args.steps_per_generation if training else 1)
        count = self.accelerator.num_processes
        each = -(-max(1, len(credit.samples)) // count)
        each = -(-each // multiple) * multiple
        own = credit.samples[self.accelerator.process_index :: count]
        self._own = [(row, True) for row in own]
        self._own += [(_any_row(played), False)] * (each - len(own))
        output: dict[str, Any] = super()._generate_and_score_completions(
            [{"prompt": "", "theorem": ""} for _ in self._own]
        )
        weights = [row.advantage if real else 0.0 for row, real in self._own]
        output["advantages"] = torch.tensor(weights, device=self.accelerator.device)
        output["num_items_in_batch"] = torch.tensor(credit.rollout.tokens, device=self.accelerator.device)
        output["row_factor"] = torch.tensor(
            each * count / max(1, credit.rollout.rows), device=self.accelerator.device
        )
        self._tell("train" if training else "eval", played, credit)
        return output

    def _rows_of_this_process(self, prompts: Sequence[Any], _: Any) -> dict[str, Any]:
        """Return sampled rows in place of completions; see the arguments of `trl.GRPOTrainer`."""
        rows = [row for row, _ in self._own]
        known = all(row.logprobs for row in rows)
        return {
            "prompt_ids": [list(row.prompt_ids) for row in rows],
            "completion_ids": [list(row.token_ids) for row in rows],
            "logprobs": [list(row.logprobs) for row in rows] if known else None,
            "env_mask": [[int(real)] * len(row.token_ids) for row, real in self._own],
        }

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> Tensor:
        loss: Tensor = super()._compute_loss(model, inputs)  # type: ignore[no-untyped-call]
        return loss * inputs["row_factor"] if self.loss_type in _MEANS_OVER_ROWS else loss

    def _tell(self, mode: str, episodes: Sequence[Trajectory[Completion]], credit: Credit) -> None:
        """Put episodes in place of rows in the metrics of the base class."""
        returns = [episode.total_reward for episode in episodes]
        lengths = [len(step.choice.token_ids) for episode in episodes for step in episode.steps]
        metrics = self._metrics[mode]
        for name in [name for name in metrics if name.startswith(("rewards/", "completions/"))]:
            del metrics[name]
        for name, value in {
            "reward": fmean(returns),
            "reward_std": pstdev(returns),
            "frac_reward_zero_std": credit.zero_std_fraction,
        }.items():
            metrics[name][-1] = value
        for name, value in {
            "proved": fmean(episode.proved for episode in episodes),
            "completions/mean_length": fmean(lengths),
            "completions/max_length": max(lengths),
            "completions/clipped_ratio": credit.truncated / len(lengths),
            "rows/trained": len(credit.samples),
            "rows/dropped": credit.dropped_rows,
        }.items():
            metrics[name].append(float(value))


def _no_reward(completions: Sequence[Any], **_: Any) -> list[float | None]:
    """Return 0 for each row: rewards are in the advantages."""
    return [0.0] * len(completions)


def _any_row(episodes: Sequence[Trajectory[Completion]]) -> Sample:
    """Return a row that fills a part; its tokens are masked."""
    choice = next(step.choice for episode in episodes for step in episode.steps)
    return Sample(choice.prompt_ids, choice.token_ids, choice.logprobs, 0.0, 0)
