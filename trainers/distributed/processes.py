"""The processes of a run: one, or those that `accelerate launch` started.

    accelerate launch --num_processes 4 -m trainers.grpo --model PATH ...
    accelerate launch --num_processes 4 --use_fsdp -m trainers.grpo --model PATH ...
    accelerate launch --num_processes 4 --use_deepspeed --zero_stage 2 -m trainers.grpo --model PATH ...

Every process holds the policy and the run's state; with `--use_fsdp` (of either version) a part of the policy, see
`sharding.py`; with `--use_deepspeed` a part of the optimiser's state, see `zero.py`. They differ in two things only:
each plays a part of the episodes, and each computes a part of the gradient. Episodes are handed round as soon as they
are played, so what follows (credit, curriculum, metrics, the split into mini-batches) is computed from the same data
everywhere and needs no further talk; gradients are added up over the processes before each optimiser step. The first
process alone writes files and speaks.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, TypeVar

import torch
from accelerate import Accelerator
from accelerate.utils import DistributedType, gather_object
from torch.distributed.device_mesh import init_device_mesh
from transformers import PreTrainedModel

from lean_gym import LeanProofVectorEnv
from lean_gym.envs.vector import Point
from trainers.distributed.fsdp import Skeleton, divide, over_tensors, part_of, set_aside, whole
from trainers.errors import ConfigError
from trainers.policies.base import Completion, Policy
from trainers.policies.packing import PackedBatch
from trainers.policies.scoring import Scores, trial_batch
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import EpisodePlayer, Trajectory
from trainers.runtime.signals import Interrupted, StopRequest

T = TypeVar("T")
ScoreFunction = Callable[[PackedBatch], Scores]


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
        if _switched_on("ACCELERATE_USE_MEGATRON_LM"):
            raise ConfigError(f"accelerate launch: {_EXPECTED}, got Megatron-LM")
        with _left_to_us(_FSDP, _DEEPSPEED):
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


class ShardingProcesses(LaunchedProcesses):
    """One of several processes that each hold a part of the model."""

    def __init__(self) -> None:
        """Meet the other processes.

        Raises:
            ConfigError: The launcher was asked for a way of dividing the model that is not supported.
        """
        self._reshard = _reshard_after_forward()
        super().__init__()
        self.divides = True
        self._mesh = init_device_mesh(self.device.type, (self.count,))
        self._skeleton: Skeleton | None = None

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """The policy's scoring, its model divided; every pass adds up gradients over the processes."""
        self._skeleton = Skeleton(policy.model)
        return self._divided(policy, policy.model)

    def frozen(self, policy: TransformersPolicy, model: PreTrainedModel) -> ScoreFunction:
        """The policy's scoring with another model that is not trained, divided as well."""
        return self._divided(policy, model)

    @contextmanager
    def whole(self, policy: TransformersPolicy) -> Iterator[None]:
        """Give the policy a plain model with whole weights in the block."""
        assert self._skeleton is not None, "joined comes first"
        divided = policy.model
        policy.model = self._skeleton.filled(divided)
        try:
            yield
        finally:
            policy.model = divided

    def gathered(self, state: Any) -> Any:
        """Nested mappings and lists with whole tensors in them, in the first process; nothing of use in others."""
        seen: dict[int, torch.Tensor | None] = {}  # tied weights stay one tensor

        def gather(tensor: torch.Tensor) -> torch.Tensor | None:
            if id(tensor) not in seen:
                found = whole(tensor.detach())
                seen[id(tensor)] = found.cpu() if self.main else None
            return seen[id(tensor)]

        return over_tensors(state, gather)

    def spread(self, state: Any, like: Any) -> Any:
        """What `gathered` gave, its tensors divided as those in the same place of `like`."""
        if isinstance(state, torch.Tensor):
            return part_of(state, like)
        return {key: self.spread(value, like[key]) for key, value in state.items()}

    def __exit__(self, *_: object) -> None:
        """Part from the other processes."""
        self._skeleton = None
        gc.collect()  # a divided model holds on to the threads that exchange its weights
        super().__exit__()

    def accumulating(self, last: bool) -> AbstractContextManager[None]:
        """Gradients are exchanged after every pass: to hold them back would take whole ones."""
        return nullcontext()

    def _divided(self, policy: TransformersPolicy, model: PreTrainedModel) -> ScoreFunction:
        scorer = Scorer(policy, model)
        divide(scorer, self._mesh, self._reshard)

        def score(batch: PackedBatch) -> Scores:
            scores = Scores(*scorer(batch))
            if not torch.is_grad_enabled():
                set_aside(scorer)
            return scores

        with torch.no_grad():  # torch settles in the first pass which weights get a gradient
            score(trial_batch())
        return score


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


_EXPECTED = "expected data-parallel processes (--multi_gpu, or --cpu), --use_fsdp or --use_deepspeed"
_FSDP = "ACCELERATE_USE_FSDP"
_DEEPSPEED = "ACCELERATE_USE_DEEPSPEED"


def _switched_on(variable: str) -> bool:
    return os.environ.get(variable, "false").lower() in ("true", "1")


def _reshard_after_forward() -> bool:
    """Whether whole weights go between forward and backward pass: said in the words of either version of FSDP."""
    if _switched_on("FSDP_OFFLOAD_PARAMS"):
        raise ConfigError(
            "accelerate launch: expected no --fsdp_offload_params (weights stay where they are used)"
        )
    asked = os.environ.get("FSDP_RESHARD_AFTER_FORWARD", "true")
    kinds = {"true": True, "full_shard": True, "false": False, "shard_grad_op": False}
    if asked.lower() not in kinds:
        raise ConfigError(
            f"accelerate launch: expected --fsdp_reshard_after_forward true (FULL_SHARD) or false (SHARD_GRAD_OP), "
            f"got {asked}"
        )
    return kinds[asked.lower()]


@contextmanager
def _left_to_us(*libraries: str) -> Iterator[None]:
    """Keep accelerate from preparing for these: it wants its own optimiser and loop, and a GPU for FSDP."""
    asked = {name: os.environ.pop(name) for name in libraries if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(asked)


def find_processes() -> Processes:
    """The processes that this one belongs to.

    Raises:
        ConfigError: They share the model in a way that is not supported.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return Processes()
    if _switched_on(_DEEPSPEED):
        from trainers.distributed.deepspeed import ZeroProcesses  # which builds on this module

        return ZeroProcesses()
    return ShardingProcesses() if _switched_on(_FSDP) else LaunchedProcesses()


def refuse_several(what: str) -> None:
    """Refuse to run under a launcher.

    Raises:
        ConfigError: There are other processes.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ConfigError(f"{what} runs in one process; got several (start it without accelerate launch)")


class SharedStop:
    """A request to stop that any process received, met by all of them at the same point."""

    def __init__(self, stop: StopRequest, processes: Processes) -> None:
        self._stop = stop
        self._processes = processes

    def check(self) -> None:
        """Raise `Interrupted` in every process if a signal has come to one of them."""
        raise_first(self._processes.gather(self._stop.signal_number))


class SharedPlayer(EpisodePlayer):
    """Plays a part of the sampled episodes and hands all of them to all processes."""

    def __init__(
        self, processes: Processes, env: LeanProofVectorEnv, on_step: Callable[[], None], **options: Any
    ) -> None:
        """Take over an environment.

        Args:
            processes: Those that play.
            env: As for `EpisodePlayer`.
            on_step: As for `EpisodePlayer`.
            **options: Its others.
        """
        super().__init__(env, on_step, **options)
        self._processes = processes

    def sample(
        self, theorems: Sequence[str], policy: Policy, points: Sequence[Point | None] | None = None
    ) -> list[Trajectory[Completion]]:
        """Play episodes with tactics drawn from a policy, each in one of the processes.

        Raises:
            Interrupted: One of the processes was asked to stop.
        """
        rank, count = self._processes.rank, self._processes.count
        own = slice(len(theorems) * rank // count, len(theorems) * (rank + 1) // count)
        played: list[Trajectory[Completion]] = []
        stopped_by: int | None = None
        try:
            with self._whole(policy):
                played = super().sample(theorems[own], policy, None if points is None else points[own])
        except Interrupted as interruption:
            stopped_by = interruption.signal_number
        parts = self._processes.gather((played, stopped_by))
        raise_first([number for _, number in parts])
        return [episode for part, _ in parts for episode in part]

    def _whole(self, policy: Policy) -> AbstractContextManager[None]:
        return self._processes.whole(policy) if isinstance(policy, TransformersPolicy) else nullcontext()


def raise_first(signal_numbers: Sequence[int | None]) -> None:
    """Raise `Interrupted` with the first number that is one."""
    for number in signal_numbers:
        if number is not None:
            raise Interrupted(number)
