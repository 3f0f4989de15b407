"""Copies of a model's matrices in 16 bits, made once per version of the weights, for sampling.

A model that trains weights of 32 bits and computes in 16 bits runs under torch's autocast, which casts each matrix
where it is used. Autocast keeps a cast until its block ends, but not under `inference_mode`: there it casts all
matrices again for every sampled token. With these copies in their place there is nothing left to cast, and the numbers
are the same: the other weights (embeddings, norms) stay as they are, and the same operations run in the same precision.

The copies cost 2 bytes per weight of the linear layers, beside 4 for the weight itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary
from transformers.pytorch_utils import Conv1D


class LowPrecisionCopies:
    """Cast copies of the weights of linear layers.

    A copy belongs to one version of a weight: torch counts the changes in place that optimisers and `load_state_dict`
    make. Code that writes to a parameter's `.data` is not noticed. Copies of a weight that is freed are freed with it.
    """

    def __init__(self, dtype: torch.dtype) -> None:
        """Make no copies yet; `dtype` is that of autocast."""
        self._dtype = dtype
        self._copies = WeakTensorKeyDictionary()  # weight: (version, address, copy)

    @contextmanager
    def in_place_of_weights(self, model: nn.Module) -> Iterator[None]:
        """Put the copies in place of a model's weights within the block, which must compute no gradient."""
        replaced: list[tuple[nn.Module, str, nn.Parameter]] = []
        try:
            for module in model.modules():
                if isinstance(module, nn.Linear | Conv1D):
                    for name, weight in list(module.named_parameters(recurse=False)):
                        if weight.dtype == torch.float32:
                            # torch's `functional_call` does the same, but for the length of one call of the model.
                            replaced.append((module, name, weight))
                            module._parameters[name] = self._copy_of(weight)  # type: ignore[assignment]
            yield
        finally:
            for module, name, weight in replaced:
                module._parameters[name] = weight

    def _copy_of(self, weight: nn.Parameter) -> Tensor:
        version, address, copy = self._copies.get(weight, (-1, -1, None))
        if copy is None or (version, address) != (weight._version, weight.data_ptr()):
            copy = weight.detach().to(self._dtype)
            self._copies[weight] = (weight._version, weight.data_ptr(), copy)
        assert isinstance(copy, Tensor)
        return copy
