"""Processes that share the optimiser's work through DeepSpeed's ZeRO, started by `accelerate launch --use_deepspeed`.

    accelerate launch --num_processes 4 --use_deepspeed --zero_stage 2 -m trainers.grpo --model PATH ...

Every process holds the whole model and a part of the optimiser's averages (stage 1), and of the gradients (stage 2).
Stage 3, which divides the weights, is what `--use_fsdp` does here. The settings of the update stay the learner's own.
Needs the package deepspeed.

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
"""What AdamW remembers of each weight."""


class ZeroProcesses(LaunchedProcesses):
    """One of several processes that divide the state of the optimiser."""

    def __init__(self) -> None:
        """Meet the other processes.

        Raises:
            ConfigError: The launcher was asked for more than is supported, or the package is missing.
        """
        self._stage = _stage()
        super().__init__()
        self._scorer: Scorer | None = None
        self._engine: Any = None

    def __exit__(self, *_: object) -> None:
        """Part from the other processes."""
        self._let_go()
        super().__exit__()

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """The policy's scoring; gradients are exchanged by `backward`."""
        self._let_go()
        self._scorer = Scorer(policy)

        def score(batch: PackedBatch) -> Scores:
            return Scores(*self._engine(batch)) if torch.is_grad_enabled() else policy.score(batch)

        return score

    def prepared(self, optimizer: torch.optim.Optimizer) -> Any:
        """The optimiser, its averages divided and zero."""
        if self._engine is None:
            import deepspeed

            # One optimiser step is whatever lies between two calls of `step`; rates and clipping are set there.
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
        # DeepSpeed looks up whose averages are where in the first step; they may be asked for before.
        divided._hp_optimizer_states_linked = False
        divided._lazy_init_hp_params_optimizer_state()
        return divided

    @contextmanager
    def accumulating(self, last: bool) -> Iterator[None]:
        """Say whether a pass is the `last` one of an optimiser step."""
        self._engine.set_gradient_accumulation_boundary(last)
        yield

    def backward(self, loss: torch.Tensor) -> None:
        """Add the gradient of a loss."""
        self._engine.backward(loss)

    def step(self, optimizer: Any, limit: float) -> float:
        """Take a step along the gradient, no longer than the limit, and return the norm that it had."""
        optimizer.clip_grad = limit if limit < float("inf") else 0.0
        self._engine.step()
        return float(self._engine.get_global_grad_norm())

    def optimizer_state(self, optimizer: Any) -> dict[str, Any]:
        """What a plain optimiser would give; all processes call this together."""
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
        """Take over what `optimizer_state` gave, after the weights."""
        from deepspeed.utils import safe_set_full_optimizer_state

        optimizer.refresh_fp32_params()
        for at, weight in enumerate(self._trained()):
            for name in AVERAGES if at in state["state"] else ():
                safe_set_full_optimizer_state(weight, state["state"][at][name].to(weight.device), name)
        steps = {float(entry["step"]) for entry in state["state"].values()}
        for part in self._parts(optimizer):
            optimizer.optimizer.state[part]["step"].fill_(max(steps, default=0.0))

    def _let_go(self) -> None:
        if self._engine is not None:
            self._engine.destroy()
        self._engine = self._scorer = None

    @staticmethod
    def _parts(optimizer: Any) -> list[torch.nn.Parameter]:
        """This process's part of the weights, which is what the optimiser below steps."""
        return [part for group in optimizer.optimizer.param_groups for part in group["params"]]

    def _trained(self) -> list[torch.nn.Parameter]:
        assert self._scorer is not None, "joined comes first"
        return [weight for weight in self._scorer.model.parameters() if weight.requires_grad]


def _stage() -> int:
    """The stage that the launcher was asked for.

    Raises:
        ConfigError: It is not supported, nor is something else that was asked for; or the package is missing.
    """
    asked = os.environ.get("ACCELERATE_DEEPSPEED_ZERO_STAGE", "2")
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
