"""Elastic weight consolidation: a quadratic penalty that keeps weights near those of earlier theorems.

    penalty = weight / 2 * sum_i F_i (theta_i - theta*_i)^2

F is the diagonal of the empirical Fisher information: the mean, over proof steps, of the squared gradient of
log p(tactic | goals). Over several repositories F is summed and theta* are the latest weights, so the memory does not
grow with their number.

Source: Kirkpatrick et al. 2017, arXiv:1612.00796, equation 3; the running sum: Schwarz et al. 2018, arXiv:1805.06370,
section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from trainers.config.consolidation import ConsolidationConfig
from trainers.errors import ConfigError
from trainers.policies.packing import Pair, build_batch, pack_rows
from trainers.policies.transformers import TransformersPolicy
from trainers.runtime.atomic_files import replacing


class Consolidation:
    """Fisher information and the weights that it belongs to.

    Attributes:
        fisher: Diagonal of the Fisher information, by name of the parameter; same shapes as the parameters.
        anchor: The weights, likewise.
    """

    def __init__(self, fisher: Mapping[str, Tensor], anchor: Mapping[str, Tensor]) -> None:
        self.fisher = dict(fisher)
        self.anchor = dict(anchor)

    @classmethod
    def load(cls, path: Path) -> Consolidation:
        """Read the file that `save` wrote.

        Raises:
            ConfigError: It cannot be read, or holds something else.
        """
        parts: dict[str, dict[str, Tensor]] = {"fisher": {}, "anchor": {}}
        try:
            with safe_open(path, framework="pt") as file:
                for key in file.keys():  # noqa: SIM118
                    part, _, name = key.partition("/")
                    parts[part][name] = file.get_tensor(key)
        except (OSError, SafetensorError, KeyError) as error:
            raise ConfigError(f"ewc: cannot read {path}: {error}") from None
        if not parts["fisher"] or parts["fisher"].keys() != parts["anchor"].keys():
            raise ConfigError(
                f"ewc: {path} holds no Fisher information; expected a consolidation.safetensors"
            )
        return cls(**parts)

    def save(self, path: Path) -> None:
        """Write a file by atomic replacement.

        Raises:
            ConfigError: It cannot be written.
        """
        tensors = {f"fisher/{name}": value.contiguous() for name, value in self.fisher.items()}
        tensors |= {f"anchor/{name}": value.contiguous() for name, value in self.anchor.items()}
        with replacing(path) as temporary:
            save_file(tensors, temporary)

    def check(self, model: torch.nn.Module) -> None:
        """Check that the parameters are those of a model.

        Raises:
            ConfigError: Names or shapes differ.
        """
        expected = {name: value.shape for name, value in _trained(model)}
        if {name: value.shape for name, value in self.fisher.items()} != expected:
            raise ConfigError("ewc: the Fisher information is of a model with other weights")

    @torch.no_grad()
    def penalty(self, model: torch.nn.Module, weight: float) -> float:
        """Return the penalty of a model's weights."""
        total = 0.0
        for name, value in _trained(model):
            change = value - self.anchor[name].to(value)
            total += float((self.fisher[name].to(value) * change.square()).sum())
        return 0.5 * weight * total

    @torch.no_grad()
    def add_gradient(self, model: torch.nn.Module, weight: float) -> None:
        """Add the gradient of the penalty to that of the parameters that have one."""
        for name, value in _trained(model):
            if value.grad is not None:
                pull = self.fisher[name].to(value) * (value - self.anchor[name].to(value))
                value.grad.add_(pull.to(value.grad), alpha=weight)

    def after(self, later: Consolidation) -> Consolidation:
        """Return the sum of both Fisher informations with the weights of the later one."""
        return Consolidation(
            {name: value + self.fisher[name] for name, value in later.fisher.items()}, later.anchor
        )


def opened_consolidation(settings: ConsolidationConfig) -> Consolidation | None:
    """Read the file that the settings name; `None` without one or with the weight 0.

    Raises:
        ConfigError: It cannot be used.
    """
    if not settings.ewc or settings.ewc_weight == 0.0:
        return None
    return Consolidation.load(Path(settings.ewc))


def measure_fisher(
    policy: TransformersPolicy, pairs: Sequence[Pair], most: int, generator: torch.Generator
) -> Consolidation:
    """Return the Fisher information of proof steps at the present weights.

    Args:
        policy: All its weights are trained; their gradients are cleared.
        pairs: Token ids of prompts and tactics, at least one.
        most: Steps that are drawn from them.
        generator: Random generator of the draw.
    """
    model = policy.model
    fisher = {name: torch.zeros_like(value) for name, value in _trained(model)}
    chosen = torch.randperm(len(pairs), generator=generator).tolist()[:most]
    model.zero_grad()
    for index in chosen:
        policy.score(build_batch(pack_rows([pairs[index]], policy.shares_prompts))).logprobs.sum().backward()
        for name, value in _trained(model):
            if value.grad is not None:
                fisher[name] += value.grad.detach().square() / len(chosen)
        model.zero_grad()
    return Consolidation(fisher, {name: value.detach().clone() for name, value in _trained(model)})


def _trained(model: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Parameter]]:
    return ((name, value) for name, value in model.named_parameters() if value.requires_grad)
