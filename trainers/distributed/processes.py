"""The processes of a run: one, or several data-parallel ones.

    accelerate launch --num_processes 4 -m trainers.grpo --model PATH ...
    accelerate launch --num_processes 4 --use_fsdp -m trainers.grpo --model PATH ...
    accelerate launch --num_processes 4 --use_deepspeed --zero_stage 2 -m trainers.grpo --model PATH ...

Every process holds the policy and the run's state; with `--use_fsdp` (of either version) only a shard of the policy,
see `fsdp.py`; with `--use_deepspeed` only a shard of the optimiser's state, see `deepspeed.py`. Processes differ in two
things: each plays a part of the episodes, and each computes a part of the gradient. Episodes are gathered as soon as
they are played, so everything after that (credit, curriculum, metrics, the split into mini-batches) is computed from
the same data in every process without further communication. Gradients are averaged over the processes before each
optimiser step. Only the first process writes files and prints.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import torch
from accelerate import Accelerator
from accelerate.utils import DistributedType, gather_object
from transformers import PreTrainedModel

from trainers.distributed.sharded_model import over_tensors, whole
from trainers.errors import ConfigError
from trainers.policies.packing import PackedBatch
from trainers.policies.scoring import Scores
from trainers.policies.transformers import TransformersPolicy

T = TypeVar("T")
ScoreFunction = Callable[[PackedBatch], Scores]
FSDP = "ACCELERATE_USE_FSDP"
DEEPSPEED = "ACCELERATE_USE_DEEPSPEED"
"""Variables by which the launcher asks for a way of sharding."""
_EXPECTED = "expected data-parallel processes (--multi_gpu, or --cpu), --use_fsdp or --use_deepspeed"


class Processes:
    """A run in this process alone.

    Attributes:
        rank: Number of this process, from 0.
        count: Number of processes.
        local_count: How many of them are on this machine.
        device: Where this process computes.
        divides: Whether each process holds a part of the model only.
    """

    def __init__(self) -> None:
        self.rank, self.count, self.local_count = 0, 1, 1
        self.divides = False
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        """Part from the other processes."""

    @property
    def main(self) -> bool:
        """Whether this is the process that writes and speaks."""
        return self.rank == 0

    def gather(self, value: T) -> list[T]:
        """The values that all processes bring to this call, in their order; each waits for the others."""
        return [value]

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """The policy's scoring, with gradients that are averaged over the processes in the backward pass.

        All processes call what this returns equally often.
        """
        return policy.score

    def frozen(self, policy: TransformersPolicy, model: PreTrainedModel) -> ScoreFunction:
        """The policy's scoring with another model that is not trained; called equally often by all processes."""
        return lambda batch: policy.score(batch, model)

    def whole(self, policy: TransformersPolicy) -> AbstractContextManager[None]:
        """Let this process alone run the policy's model in the block, as often as it likes; for sampling."""
        return nullcontext()

    def gathered(self, state: Any) -> Any:
        """Nested mappings and lists with whole tensors in them, in the first process; nothing of use in others."""
        return over_tensors(state, torch.Tensor.detach)

    def spread(self, state: Any, like: Any) -> Any:
        """What `gathered` gave, its tensors divided as those in the same place of `like`."""
        return state

    def accumulating(self, last: bool) -> AbstractContextManager[None]:
        """Hold the averaging back in a forward and backward pass that is not the `last` one of an optimiser step."""
        return nullcontext()

    def prepared(self, optimizer: torch.optim.Optimizer) -> Any:
        """The optimiser to use in place of a fresh one, after `joined`."""
        return optimizer

    def backward(self, loss: torch.Tensor) -> None:
        """Add the gradient of a loss, within `accumulating`."""
        loss.backward()

    def step(self, optimizer: Any, limit: float) -> float:
        """Take a step along the gradient, no longer than the limit, and return the norm that it had."""
        trained = [weight for group in optimizer.param_groups for weight in group["params"]]
        norm = float(whole(torch.nn.utils.clip_grad_norm_(trained, limit)))
        optimizer.step()
        optimizer.zero_grad()
        return norm

    def optimizer_state(self, optimizer: Any) -> Any:
        """The optimiser's state, whole in the first process; all processes call this together."""
        return self.gathered(optimizer.state_dict())

    def load_optimizer(self, optimizer: Any, state: Mapping[str, Any]) -> None:
        """Take over what `optimizer_state` gave with any number of processes, after the weights."""
        trained = [weight for group in optimizer.param_groups for weight in group["params"]]
        # Averages are as large as their weight, and divided like it; the count of steps is a number.
        states = {
            at: {
                name: value if value.dim() == 0 else self.spread(value, trained[at])
                for name, value in averages.items()
            }
            for at, averages in state["state"].items()
        }
        optimizer.load_state_dict({**state, "state": states})


class LaunchedProcesses(Processes):
    """One of several processes that a launcher started."""

    def __init__(self) -> None:
        """Meet the other processes.

        Raises:
            ConfigError: The launcher was asked for a way of sharing the model that is not supported.
        """
        super().__init__()
        if switched_on("ACCELERATE_USE_MEGATRON_LM"):
            raise ConfigError(f"accelerate launch: {_EXPECTED}, got Megatron-LM")
        with _left_to_us(FSDP, DEEPSPEED):
            self._accelerator = Accelerator(mixed_precision="no")
        kind = self._accelerator.distributed_type
        if kind not in (DistributedType.MULTI_CPU, DistributedType.MULTI_GPU):
            raise ConfigError(f"accelerate launch: {_EXPECTED}, got {kind.value}")
        self.rank, self.count = self._accelerator.process_index, self._accelerator.num_processes
        self.local_count = int(os.environ.get("LOCAL_WORLD_SIZE", self.count))
        self.device = self._accelerator.device
        self._model: Any = None

    def __exit__(self, *_: object) -> None:
        """Part from the other processes; threads left to the end of the interpreter would abort it."""
        self._model = None
        self._accelerator.end_training()

    def gather(self, value: T) -> list[T]:
        """The values that all processes bring to this call, in their order; each waits for the others."""
        return list(gather_object([value]))

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """The policy's scoring, with gradients that are averaged over the processes in the backward pass."""
        self._model = self._accelerator.prepare_model(Scorer(policy))

        def score(batch: PackedBatch) -> Scores:
            return Scores(*self._model(batch))

        return score

    def accumulating(self, last: bool) -> AbstractContextManager[None]:
        """Hold the averaging back in a forward and backward pass that is not the `last` one of an optimiser step."""
        return nullcontext() if last else self._accelerator.no_sync(self._model)


class Scorer(torch.nn.Module):
    """A policy's scoring as a module, which is what averages gradients and puts weights together."""

    def __init__(self, policy: TransformersPolicy, model: PreTrainedModel | None = None) -> None:
        super().__init__()
        self.model = policy.model if model is None else model
        self._policy = policy

    def forward(self, batch: PackedBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities and entropies."""
        scores = self._policy.score(batch, self.model)
        return scores.logprobs, scores.entropy


def switched_on(variable: str) -> bool:
    """Return whether the launcher set a variable to true."""
    return os.environ.get(variable, "false").lower() in ("true", "1")


@contextmanager
def _left_to_us(*libraries: str) -> Iterator[None]:
    """Keep accelerate from preparing for these: it wants its own optimiser and loop, and a GPU for FSDP."""
    asked = {name: os.environ.pop(name) for name in libraries if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(asked)
