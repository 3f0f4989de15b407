"""Processes that each hold a shard of the model, started by `accelerate launch --use_fsdp`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from transformers import PreTrainedModel

from trainers.distributed.processes import LaunchedProcesses, Processes, ScoreFunction, Scorer, switched_on
from trainers.distributed.sharded_model import Skeleton, divide, set_aside, whole
from trainers.distributed.shards import over_tensors
from trainers.errors import ConfigError
from trainers.policies.packing import PackedBatch
from trainers.policies.scoring import Scores, trial_batch
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.vllm import VllmPolicy


class ShardingProcesses(LaunchedProcesses):
    """One of several processes that each hold a shard of the model."""

    def __init__(self) -> None:
        """Join the process group.

        Raises:
            ConfigError: The launcher's options ask for an unsupported kind of sharding.
        """
        self._reshard = asked_reshard()
        super().__init__()
        self.divides = True
        self._mesh = _mesh_of_all(self)
        self._skeleton: Skeleton | None = None

    def joined(self, policy: TransformersPolicy) -> ScoreFunction:
        """Shard the policy's model and return its scoring; every pass averages gradients over the processes."""
        self._skeleton = Skeleton(policy.model)
        return self._divided(policy, policy.model)

    def frozen(
        self, policy: TransformersPolicy, model: PreTrainedModel, on_cpu: bool = False
    ) -> ScoreFunction:
        """Shard another, frozen model and return the policy's scoring with it; `on_cpu`: shards lie on the CPU."""
        if not on_cpu:
            model.to(policy.model.device)
        return self._divided(policy, model, on_cpu)

    @contextmanager
    def whole(self, policy: TransformersPolicy) -> Iterator[None]:
        """Give the policy a plain model with unsharded weights within the block, unless an engine has them."""
        if isinstance(policy, VllmPolicy):
            policy.update_engine(lambda weight: whole(weight.to(policy.compute_dtype)))
            with super().whole(policy):
                yield
            return
        assert self._skeleton is not None, "joined comes first"
        divided = policy.model
        policy.model = self._skeleton.filled(divided, policy.compute_dtype)
        try:
            yield
        finally:
            policy.model = divided

    def gathered(self, state: Any, dtype: torch.dtype | None = None) -> Any:
        """Return nested mappings and lists with unsharded tensors, valid in the first process only."""
        seen: dict[int, torch.Tensor | None] = {}  # tied weights stay one tensor

        def gather(_: str, tensor: torch.Tensor) -> torch.Tensor | None:
            if id(tensor) not in seen:
                found = whole(tensor.detach().to(dtype))
                seen[id(tensor)] = found.cpu() if self.main else None
            return seen[id(tensor)]

        return over_tensors(state, gather)

    def __exit__(self, *_: object) -> None:
        """Leave the process group."""
        self._skeleton = None
        super().__exit__()

    def accumulating(self, last: bool) -> AbstractContextManager[None]:
        """Do nothing: gradients are exchanged after every pass, because accumulating would need unsharded ones."""
        return nullcontext()

    def _divided(
        self, policy: TransformersPolicy, model: PreTrainedModel, on_cpu: bool = False
    ) -> ScoreFunction:
        scorer = Scorer(policy, model)
        divide(scorer, self._mesh, self._reshard, policy.compute_dtype, on_cpu)

        def score(batch: PackedBatch) -> Scores:
            scores = Scores(*scorer(batch))
            if not torch.is_grad_enabled():
                set_aside(scorer)
            return scores

        with torch.no_grad():  # torch fixes in the first pass which weights get a gradient
            score(trial_batch())
        return score


def _mesh_of_all(processes: Processes) -> DeviceMesh:
    """Return the mesh of all processes, which does not keep the process group alive.

    Torch caches for good how it divided tensors, and with that the mesh. There are several such caches, some in C++ and
    one for each thread, and emptying those of the main thread is not enough. A group that they held would outlive
    `destroy_process_group`, and one of its threads may abort the interpreter at exit.
    """
    mesh = init_device_mesh(processes.device.type, (processes.count,))
    # No public function drops the mesh's reference to the group. Only torch.compile reads it, everything else finds the
    # group by its name; older versions of torch have no such reference.
    vars(mesh).get("_pg_registry", {}).clear()
    return mesh


def asked_reshard() -> bool:
    """Return whether weights are resharded after the forward pass, from the options of either FSDP version.

    Raises:
        ConfigError: The options are not supported.
    """
    if switched_on("FSDP_OFFLOAD_PARAMS"):
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
