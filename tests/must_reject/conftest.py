"""Makes `kernel_terms` importable by the kernel tests here, which get a child of one library each."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from minilean.kernel.environment import Environment

sys.path.insert(0, str(Path(__file__).parents[1] / "minilean" / "kernel"))


@pytest.fixture(scope="session")
def library() -> Environment:
    import kernel_terms

    return kernel_terms.standard()


@pytest.fixture
def env(library: Environment) -> Environment:
    return library.child()
