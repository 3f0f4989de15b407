"""Makes `kernel_terms` and `export_rows` importable by the tests here; kernel tests get a child of one library each."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from minilean.kernel.environment import Environment

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "minilean" / "kernel")]


@pytest.fixture(scope="session")
def library() -> Environment:
    import kernel_terms

    return kernel_terms.standard()


@pytest.fixture
def env(library: Environment) -> Environment:
    return library.child()
