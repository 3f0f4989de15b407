"""Model sharded among processes: each keeps a shard of every weight, of its gradient and of the optimiser's state.

The weights of a block are gathered while it computes, so all processes must run the model equally often. Sampling does
not, so it uses a temporary plain copy of the model with unsharded weights.

Where a model computes in 16 bits, the shards, their gradients and the optimiser's state keep 32, and weights are
gathered in 16: half the bytes travel, and the temporary copy is half as large.

Source: Zhao et al. 2023, arXiv:2304.11277, section 4.4 for the precisions; the sharding is torch's `fully_shard`.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import (
    CPUOffloadPolicy,
    FSDPModule,
    MixedPrecisionPolicy,
    OffloadPolicy,
    fully_shard,
)
from torch.distributed.tensor import DTensor, distribute_tensor
from transformers import PreTrainedModel

from trainers.distributed.shards import StoredRows
from trainers.policies.scoring import blocks_of


def divide(
    module: torch.nn.Module,
    mesh: DeviceMesh,
    reshard: bool,
    dtype: torch.dtype | None = None,
    on_cpu: bool = False,
) -> None:
    """Shard a module's weights in place, each block of the model separately.

    Args:
        module: The outermost module that will be called; its weights are equal in every process.
        mesh: The processes.
        reshard: Whether a block's gathered weights are freed between forward and backward pass.
        dtype: Dtype of the gathered weights; `None` for that of the shards. Gradients are summed in 32 bits.
        on_cpu: Whether the shards of blocks lie on the CPU, and are moved to the GPU to be gathered.
    """
    gpu = mesh.device_type == "cuda"
    offload = CPUOffloadPolicy(pin_memory=gpu) if on_cpu else OffloadPolicy()
    reduce_dtype = None if dtype is None else torch.float32
    # Inputs stay as they are: the weights decide the dtype, and masks of scores have 32 bits.
    precision = MixedPrecisionPolicy(dtype, reduce_dtype, cast_forward_inputs=False)
    for block in blocks_of(module):
        fully_shard(
            block, mesh=mesh, reshard_after_forward=reshard, mp_policy=precision, offload_policy=offload
        )
    fully_shard(module, mesh=mesh, mp_policy=precision)


def set_aside(module: torch.nn.Module) -> None:
    """Free the gathered weights of the outermost module, which otherwise only a backward pass frees.

    Until then its parameters are the gathered ones, and an optimiser or a checkpoint would take them for the shards.
    """
    assert isinstance(module, FSDPModule)
    module.reshard()


class Skeleton:
    """Structure of a model without weights, to be filled with those of the sharded model."""

    def __init__(self, model: PreTrainedModel) -> None:
        """Copy the structure of a model that is not yet sharded."""
        self._empty: dict[str, torch.nn.Parameter] = {
            name: torch.nn.Parameter(weight.to("meta"), requires_grad=False)
            for name, weight in model.named_parameters()
        }
        known: dict[int, Any] = {id(w): self._empty[name] for name, w in model.named_parameters()}
        self._model = copy.deepcopy(model, known)
        for module in self._model.modules():
            # A block with activation checkpointing has an instance attribute `forward`, bound to the original.
            module.__dict__.pop("forward", None)

    def filled(self, model: PreTrainedModel, dtype: torch.dtype | None = None) -> PreTrainedModel:
        """Return a plain model with the unsharded weights of a sharded one; a collective call.

        Args:
            model: The sharded model.
            dtype: Dtype of the weights; `None` for that of the shards.
        """
        weights = dict(model.named_parameters())
        known: dict[int, Any] = {
            id(empty): torch.nn.Parameter(whole(weights[name].detach().to(dtype)), requires_grad=False)
            for name, empty in self._empty.items()
        }
        return copy.deepcopy(self._model, known)


def whole(tensor: Tensor) -> Tensor:
    """Return the unsharded tensor; a collective call if it is sharded."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def part_of(tensor: Tensor | StoredRows, like: Tensor) -> Tensor:
    """Return this process's shard of a tensor, sharded like another one; all of it if that is not sharded."""
    if isinstance(tensor, StoredRows):
        return tensor.read_like(like)
    if not isinstance(like, DTensor) or isinstance(tensor, DTensor):
        return tensor
    local = tensor.to(like.device)
    # Every process has the full tensor, so nothing is sent.
    return distribute_tensor(local, like.device_mesh, like.placements, src_data_rank=None)
