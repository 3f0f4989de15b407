"""A batch whose ratios lie inside and outside of every interval, with padding and advantages of both signs."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor


@pytest.fixture
def rows() -> dict[str, Tensor]:
    """Six rows of up to five tokens; one row is padding only."""
    generator = torch.Generator().manual_seed(7)
    old = -3.0 * torch.rand(6, 5, generator=generator, dtype=torch.float64) - 0.05
    shift = 0.8 * torch.randn(6, 5, generator=generator, dtype=torch.float64)
    lengths = torch.tensor([5, 3, 1, 4, 0, 2])
    return {
        "logprobs": old + shift,
        "old_logprobs": old,
        "ref_logprobs": old + 0.5 * torch.randn(6, 5, generator=generator, dtype=torch.float64),
        "advantages": torch.tensor([1.3, -0.7, 0.4, -1.9, 0.8, -0.2], dtype=torch.float64),
        "mask": (torch.arange(5) < lengths[:, None]).to(torch.float64),
    }


@pytest.fixture
def token_advantages() -> Tensor:
    """(6, 5), both signs within a row."""
    generator = torch.Generator().manual_seed(8)
    return torch.randn(6, 5, generator=generator, dtype=torch.float64)
