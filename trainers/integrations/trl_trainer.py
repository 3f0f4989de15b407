"""A stock `trl.GRPOTrainer` on a theorem set. Importing this module loads TRL, which takes seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer

from lean_gym.types import Theorem
from trainers.integrations.trl import LeanRollout, make_dataset

LARGEST_GROUP = 8


def make_config(batch_size: int, options: Mapping[str, Any]) -> Any:
    """Make a `trl.GRPOConfig` without KL penalty and without reports, in 16 bits where the GPU can.

    Args:
        batch_size: Episodes per device and step, at least 1. The group size is its largest divisor up to
            `LARGEST_GROUP`, and 2 at least.
        options: Further arguments of `trl.GRPOConfig`; they override the ones chosen here.
    """
    group, accumulation = _group_of(batch_size)
    chosen = {
        "per_device_train_batch_size": batch_size,
        "gradient_accumulation_steps": accumulation,
        "num_generations": group,
        "max_completion_length": 1024,
        "beta": 0.0,
        # TRL's default is true everywhere, which transformers refuses without such a GPU.
        "bf16": torch.cuda.is_available() and torch.cuda.is_bf16_supported(),
        "report_to": "none",
    }
    return GRPOConfig(**{**chosen, **options})


def make_trainer(theorems: Sequence[Theorem], rollout: LeanRollout, config: Any, **parts: Any) -> Any:
    """Make a `trl.GRPOTrainer` whose episodes are played by a rollout function.

    Args:
        theorems: The data set.
        rollout: The rollout function, made for the same theorems.
        config: A `trl.GRPOConfig`.
        **parts: Further arguments of `trl.GRPOTrainer`: `model`, `reward_funcs`, `processing_class`, `peft_config`.
    """
    return GRPOTrainer(args=config, train_dataset=make_dataset(theorems), rollout_func=rollout, **parts)


def _group_of(batch_size: int) -> tuple[int, int]:
    """Return group size and gradient accumulation steps; a group must divide the episodes generated at once."""
    for group in range(min(LARGEST_GROUP, batch_size), 1, -1):
        if batch_size % group == 0:
            return group, 1
    return 2, 2
