"""Processes that shard the optimiser's state with DeepSpeed's ZeRO, started by `accelerate launch --use_deepspeed`.

    accelerate launch --num_processes 4 --use_deepspeed --zero_stage 2 -m trainers.grpo --model PATH ...

Every process holds the full model and a shard of the optimiser's averages (stage 1) and of the gradients (stage 2).
For sharded weights, stage 3, use `--use_fsdp`. The settings of the update are the learner's. Needs the package
deepspeed.

Source: Rajbhandari et al. 2020, arXiv:1910.02054.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from trainers.distributed.processes import LaunchedProcesses, ScoreFunction, Scorer
from trainers.errors import ConfigError
from trainers.policies.packing import PackedBatch
from trainers.policies.scoring import Scores
from trainers.policies.transformers import TransformersPolicy

AVERAGES = ("exp_avg", "exp_avg_sq")
"""Names of AdamW's averages of each weight."""


class ZeroProcesses(LaunchedProcesses):
    """One of several processes that shard the state of the optimiser."""

    def __init__(self) -> None:
        """Join the process group.

        Raises:
            ConfigError: The launcher's options are not supported, or the package is missing.
        """
        self._stage = _stage()
        super().__init__()
        self._scorer: Scorer | None = None
        self._engine: Any = None

    def __exit__(self, *_: object) -> None:
        """Leave the process group."""
        self._let_go()
        super().__exit__()

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """Return the policy's scoring; `backward` exchanges gradients."""
        self._let_go()
        self._scorer = Scorer(policy)

        def score(batch: PackedBatch) -> Scores:
            return Scores(*self._engine(batch)) if torch.is_grad_enabled() else policy.score(batch)

        return score

    def prepared(self, optimizer: torch.optim.Optimizer) -> Any:
        """Return DeepSpeed's optimiser, with sharded averages of 0."""
        if self._engine is None:
            import deepspeed

            # An optimiser step is the passes between two calls of `step`, which sets learning rate and clipping.
            settings = {
                "train_micro_batch_size_per_gpu": 1,
                "gradient_accumulation_steps": 1,
                "zero_optimization": {"stage": self._stage},
                "zero_allow_untrusted_optimizer": True,
            }
            self._engine = deepspeed.initialize(model=self._scorer, optimizer=optimizer, config=settings)[0]
        divided = self._engine.optimizer
        for part in self._parts(divided):
            averages = {name: torch.zeros_like(part.data) for name in AVERAGES}
            divided.optimizer.state[part] = {"step": torch.tensor(0.0), **averages}
        # DeepSpeed maps averages to processes in the first step, but a checkpoint may be saved before.
        divided._hp_optimizer_states_linked = False
        divided._lazy_init_hp_params_optimizer_state()
        return divided

    @contextmanager
    def accumulating(self, last: bool) -> Iterator[None]:
        """Tell DeepSpeed whether a pass is the `last` one of an optimiser step."""
        self._engine.set_gradient_accumulation_boundary(last)
        yield

    def backward(self, loss: torch.Tensor) -> None:
        """Add the gradient of a loss."""
        self._engine.backward(loss)

    def step(self, optimizer: Any, limit: float) -> torch.Tensor | float:
        """Take an optimiser step with the gradient clipped to a norm, and return its norm before clipping."""
        optimizer.clip_grad = limit if limit < float("inf") else 0.0
        self._engine.step()
        return float(self._engine.get_global_grad_norm())

    def optimizer_state(self, optimizer: Any) -> dict[str, Any]:
        """Return the state in the format of a plain optimiser; a collective call."""
        from deepspeed.utils import safe_get_full_optimizer_state

        groups, trained = optimizer.param_groups, self._trained()
        steps = optimizer.optimizer.state[self._parts(optimizer)[0]]["step"]
        states = {
            at: {"step": steps.clone()}
            | {name: safe_get_full_optimizer_state(weight, name).cpu() for name in AVERAGES}
            for at, weight in enumerate(trained)
        }
        settings = {name: value for name, value in groups[0].items() if name != "params"}
        return {
            "state": states if steps else {},
            "param_groups": [settings | {"params": list(range(len(trained)))}],
        }

    def load_optimizer(self, optimizer: Any, state: Mapping[str, Any]) -> None:
        """Restore the state from `optimizer_state`; called after the weights."""
        from deepspeed.utils import safe_set_full_optimizer_state

        optimizer.refresh_fp32_params()
        for at, weight in enumerate(self._trained()):
            for name in AVERAGES if at in state["state"] else ():
                average = self.spread(state["state"][at][name], weight)
                safe_set_full_optimizer_state(weight, average.to(weight.device), name)
        steps = {float(entry["step"]) for entry in state["state"].values()}
        for part in self._parts(optimizer):
            optimizer.optimizer.state[part]["step"].fill_(max(steps, default=0.0))

    def _let_go(self) -> None:
        if self._engine is not None:
            self._engine.destroy()
        self._engine = self._scorer = None

    @staticmethod
    def _parts(optimizer: Any) -> list[torch.nn.Parameter]:
        """Return this process's shard of the weights, which the inner optimiser updates."""
        return [part for group in optimizer.optimizer.param_groups for part in group["params"]]

    def _trained(self) -> list[torch.nn.Parameter]:
        assert self._scorer is not None, "joined comes first"
        return [weight for weight in self._scorer.model.parameters() if weight.requires_grad]


def asked_stage() -> str:
    """Return the ZeRO stage that the launcher's options ask for, supported or not."""
    return os.environ.get("ACCELERATE_DEEPSPEED_ZERO_STAGE", "2")


def _stage() -> int:
    """Return the ZeRO stage from the launcher's options.

    Raises:
        ConfigError: An option is not supported, or the package is missing.
    """
    asked = asked_stage()
    if asked not in ("1", "2"):
        raise ConfigError(
            f"accelerate launch: expected --zero_stage 1 or 2, got {asked} (--use_fsdp divides the weights as well)"
        )
    for name in ("OFFLOAD_OPTIMIZER_DEVICE", "OFFLOAD_PARAM_DEVICE", "CONFIG_FILE"):
        value = os.environ.get(f"ACCELERATE_DEEPSPEED_{name}", "none")
        if value != "none":
            flag = f"--{name.lower()}" if name != "CONFIG_FILE" else "--deepspeed_config_file"
            raise ConfigError(f"accelerate launch: expected no {flag} with --use_deepspeed, got {value}")
    if importlib.util.find_spec("deepspeed") is None:
        raise ConfigError(
            "accelerate launch: --use_deepspeed needs the package deepspeed; install it with: pip install deepspeed"
        )
    return int(asked)
