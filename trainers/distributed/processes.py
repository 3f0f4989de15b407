"""The processes of a run: one, or several data-parallel ones.

    accelerate launch --multi_gpu --num_processes 4 -m trainers.grpo --model PATH ...
    torchrun --standalone --nproc-per-node 4 -m trainers.grpo ...                       the same, also on the CPU
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

import gc
import os
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, TypeVar

import psutil
import torch
from accelerate import Accelerator
from accelerate.utils import DistributedType, gather_object
from transformers import PreTrainedModel

from trainers.distributed.sharded_model import part_of, whole
from trainers.distributed.shards import over_tensors
from trainers.distributed.stopped import STOPPED_S, BackgroundWatch
from trainers.errors import ConfigError
from trainers.policies.packing import PackedBatch
from trainers.policies.scoring import Scores, hold_blocks_on_cpu
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.vllm import VllmPolicy

T = TypeVar("T")
ScoreFunction = Callable[[PackedBatch], Scores]
_STOPPED_S = 1.5 * STOPPED_S
"""As `STOPPED_S`; the program that started the processes may watch them too, and then is the first to say so."""
FSDP = "ACCELERATE_USE_FSDP"
DEEPSPEED = "ACCELERATE_USE_DEEPSPEED"
"""Variables by which the launcher asks for a way of sharding."""
_EXPECTED = "expected data-parallel processes (--multi_gpu, or torchrun), --use_fsdp or --use_deepspeed"


class Processes:
    """The single process of a run, and the interface of several processes.

    Attributes:
        rank: Number of this process, from 0.
        count: Number of processes.
        local_count: Number of processes on this machine.
        device: Device of this process.
        divides: Whether each process holds only a shard of the model.
    """

    def __init__(self) -> None:
        self.rank, self.count, self.local_count = 0, 1, 1
        self.divides = False
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the process group."""

    @property
    def main(self) -> bool:
        """Return whether this is the process that writes files and prints."""
        return self.rank == 0

    def own_part(self, items: Sequence[T]) -> Sequence[T]:
        """Return the items of this process: all processes together have each of them once, in their order."""
        return items[len(items) * self.rank // self.count : len(items) * (self.rank + 1) // self.count]

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes, by rank; a collective call."""
        return [value]

    def lost(self, failure: RuntimeError) -> bool:
        """Return whether a failure says that another process has ended or does not answer."""
        return False

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """Return the policy's scoring, with gradients that are averaged over the processes in the backward pass.

        All processes must call the result equally often.
        """
        return policy.score

    def frozen(
        self, policy: TransformersPolicy, model: PreTrainedModel, on_cpu: bool = False
    ) -> ScoreFunction:
        """Return the policy's scoring with another, frozen model; all processes must call it equally often.

        Args:
            policy: The policy.
            model: The model; it is moved to the device of the policy's.
            on_cpu: Whether its blocks stay on the CPU, and each is moved only while it computes.
        """
        if on_cpu:
            hold_blocks_on_cpu(model, policy.model.device)
        else:
            model.to(policy.model.device)
        return lambda batch: policy.score(batch, model)

    def whole(self, policy: TransformersPolicy) -> AbstractContextManager[None]:
        """Allow this process to run the policy's model on its own within the block, for sampling."""
        return nullcontext()

    def gathered(self, state: Any, dtype: torch.dtype | None = None) -> Any:
        """Return nested mappings and lists with unsharded tensors, valid in the first process only.

        Args:
            state: The mappings and lists.
            dtype: Of the tensors where they are sharded; `None` for their own.
        """
        return over_tensors(state, lambda _, tensor: tensor.detach())

    def spread(self, state: Any, like: Any) -> Any:
        """Return a stored state with its tensors sharded like those in the same place of `like`.

        Args:
            state: Result of `gathered`, or the same with `StoredRows` in place of tensors.
            like: Nested mappings with the same keys, or a tensor.
        """
        if isinstance(state, Mapping):
            return {key: self.spread(value, like[key]) for key, value in state.items()}
        return part_of(state, like)

    def accumulating(self, last: bool) -> AbstractContextManager[None]:
        """Skip averaging in a forward and backward pass that is not the `last` one of an optimiser step."""
        return nullcontext()

    def prepared(self, optimizer: torch.optim.Optimizer) -> Any:
        """Return the optimiser to use instead of a new one; called after `joined`."""
        return optimizer

    def backward(self, loss: torch.Tensor) -> None:
        """Add the gradient of a loss, within `accumulating`."""
        loss.backward()

    def step(self, optimizer: Any, limit: float) -> torch.Tensor | float:
        """Take an optimiser step with the gradient clipped to a norm, and return its norm before clipping."""
        trained = [weight for group in optimizer.param_groups for weight in group["params"]]
        norm = whole(torch.nn.utils.clip_grad_norm_(trained, limit))
        optimizer.step()
        optimizer.zero_grad()
        return norm

    def optimizer_state(self, optimizer: Any) -> Any:
        """Return the optimiser's state, unsharded in the first process; a collective call."""
        return self.gathered(optimizer.state_dict())

    def load_optimizer(self, optimizer: Any, state: Mapping[str, Any]) -> None:
        """Restore the state from `optimizer_state`, saved with any number of processes; called after the weights."""
        trained = [weight for group in optimizer.param_groups for weight in group["params"]]
        # Averages have the shape and sharding of their weight.
        states = {
            at: {
                name: value if name == "step" else self.spread(value, trained[at])
                for name, value in averages.items()
            }
            for at, averages in state["state"].items()
        }
        optimizer.load_state_dict({**state, "state": states})


class LaunchedProcesses(Processes):
    """One of several data-parallel processes that a launcher started."""

    def __init__(self) -> None:
        """Join the process group.

        Raises:
            ConfigError: The launcher's options ask for an unsupported kind of parallelism.
        """
        super().__init__()
        if switched_on("ACCELERATE_USE_MEGATRON_LM"):
            raise ConfigError(f"accelerate launch: {_EXPECTED}, got Megatron-LM")
        with _left_to_us(FSDP, DEEPSPEED):
            # Without `cpu`, accelerate leaves the processes of torchrun on a machine without GPU unconnected.
            self._accelerator = Accelerator(mixed_precision="no", cpu=not torch.accelerator.is_available())
        kind = self._accelerator.distributed_type
        if kind not in (DistributedType.MULTI_CPU, DistributedType.MULTI_GPU):
            raise ConfigError(f"accelerate launch: {_EXPECTED}, got {kind.value}")
        self.rank, self.count = self._accelerator.process_index, self._accelerator.num_processes
        self.local_count = int(os.environ.get("LOCAL_WORLD_SIZE", self.count))
        self.device = self._accelerator.device
        self._model: Any = None
        self._watch = BackgroundWatch(self._others_here(), _STOPPED_S)
        weakref.finalize(self, self._watch.close)

    def _others_here(self) -> dict[str, psutil.Process]:
        """Return the other processes of the run on this machine, by their places."""
        own = psutil.Process()
        found = {}
        for place, (pid, created) in enumerate(self.gather((own.pid, own.create_time())), 1):
            # Another machine may have a process of this number, but not one of the same moment.
            with suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                if process != own and process.create_time() == created:
                    found[f"{place} of {self.count}"] = process
        return found

    def __exit__(self, *_: object) -> None:
        """Leave the process group; its threads would abort the interpreter at exit."""
        self._watch.close()
        self._model = None
        gc.collect()  # a divided model in a reference cycle keeps the threads alive that exchange its weights
        self._accelerator.end_training()

    def gather(self, value: T) -> list[T]:
        """Return the values of all processes, by rank; a collective call."""
        return list(gather_object([value]))

    def lost(self, failure: RuntimeError) -> bool:
        """Return whether a failure says that another process has ended or does not answer."""
        # gloo, torch's exchange on the CPU, names its source file instead of having a class of errors.
        return isinstance(failure, torch.distributed.DistError) or "/gloo/transport/" in str(failure)

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """Return the policy's scoring, with gradients that are averaged over the processes in the backward pass."""
        self._model = self._accelerator.prepare_model(Scorer(policy))

        def score(batch: PackedBatch) -> Scores:
            return Scores(*self._model(batch))

        return score

    @contextmanager
    def whole(self, policy: TransformersPolicy) -> Iterator[None]:
        """Allow this process to run the policy's model, or its engine, on its own within the block."""
        if isinstance(policy, VllmPolicy):
            policy.update_engine()
            self.gather(None)  # a server has the weights of the first process before another one asks it
        yield

    def accumulating(self, last: bool) -> AbstractContextManager[None]:
        """Skip averaging in a forward and backward pass that is not the `last` one of an optimiser step."""
        return nullcontext() if last else self._accelerator.no_sync(self._model)


class Scorer(torch.nn.Module):
    """Policy's scoring as a torch module, as data-parallel and sharding wrappers need it."""

    def __init__(self, policy: TransformersPolicy, model: PreTrainedModel | None = None) -> None:
        super().__init__()
        self.model = policy.model if model is None else model
        self._policy = policy

    def forward(self, batch: PackedBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return log-probabilities and entropies, (N, T) each."""
        scores = self._policy.score(batch, self.model)
        return scores.logprobs, scores.entropy


def switched_on(variable: str) -> bool:
    """Return whether the launcher set a variable to true."""
    return os.environ.get(variable, "false").lower() in ("true", "1")


@contextmanager
def _left_to_us(*libraries: str) -> Iterator[None]:
    """Hide these options from accelerate, which would require its own optimiser and loop, and a GPU for FSDP."""
    asked = {name: os.environ.pop(name) for name in libraries if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(asked)
