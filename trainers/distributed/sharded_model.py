"""A model divided among processes: each keeps a part of every weight, of its gradient and of the optimiser's state.

While a block of the model computes, its whole weights are put together for it, so all processes have to run the model
equally often. Sampling does not, and works on a plain copy of the model that holds whole weights for as long as it
lasts.

Source: Zhao et al. 2023, arXiv:2304.11277; the dividing itself is torch's `fully_shard`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from transformers import PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer


def divide(module: torch.nn.Module, mesh: DeviceMesh, reshard: bool) -> None:
    """Divide a module's weights in place, those of each block of a model in it apart.

    Args:
        module: The outermost module that will be called; it holds the same weights in every process.
        mesh: The processes.
        reshard: Whether a block's whole weights are dropped between forward and backward pass.
    """
    for block in module.modules():
        if isinstance(block, GradientCheckpointingLayer):
            fully_shard(block, mesh=mesh, reshard_after_forward=reshard)
    fully_shard(module, mesh=mesh)


def set_aside(module: torch.nn.Module) -> None:
    """Drop the whole weights of the outermost module, which only a backward pass drops by itself.

    Until then its parameters are the whole ones, and an optimiser or a checkpoint would take them for the parts.
    """
    assert isinstance(module, FSDPModule)
    module.reshard()


class Skeleton:
    """A model without weights, to be filled with those of the divided one."""

    def __init__(self, model: PreTrainedModel) -> None:
        """Copy the structure of a model that is not divided yet."""
        self._empty: dict[str, torch.nn.Parameter] = {
            name: torch.nn.Parameter(weight.to("meta"), requires_grad=False)
            for name, weight in model.named_parameters()
        }
        known: dict[int, Any] = {id(w): self._empty[name] for name, w in model.named_parameters()}
        self._model = copy.deepcopy(model, known)
        for module in self._model.modules():
            # A block that is computed again for the gradient has a `forward` of its own, which belongs to the original.
            module.__dict__.pop("forward", None)

    def filled(self, model: PreTrainedModel) -> PreTrainedModel:
        """A plain model with the whole weights of the divided one; all processes call this together."""
        weights = dict(model.named_parameters())
        known: dict[int, Any] = {
            id(empty): torch.nn.Parameter(whole(weights[name].detach()), requires_grad=False)
            for name, empty in self._empty.items()
        }
        return copy.deepcopy(self._model, known)


def whole(tensor: Tensor) -> Tensor:
    """The whole of a tensor of which each process holds a part; all of them call this together."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def part_of(tensor: Tensor, like: Tensor) -> Tensor:
    """This process's part of a whole tensor, divided like another one."""
    if not isinstance(like, DTensor) or isinstance(tensor, DTensor):
        return tensor
    local = tensor.to(like.device)
    # Every process has the whole, so nothing needs to be sent.
    return distribute_tensor(local, like.device_mesh, like.placements, src_data_rank=None)


def over_tensors(value: Any, function: Callable[[Tensor], Any]) -> Any:
    """The same nested mappings and lists with `function` applied to the tensors in them, in order."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, Mapping):
        return {key: over_tensors(inner, function) for key, inner in value.items()}
    return [over_tensors(inner, function) for inner in value] if isinstance(value, list) else value
