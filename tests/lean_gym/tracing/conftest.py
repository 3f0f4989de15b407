"""The sample project, traced once for all tests that read the result."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_gym.tracing import trace

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture(scope="package")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data set of the sample project, with its theorems as episodes."""
    out = tmp_path_factory.mktemp("traced") / "sample"
    trace(SAMPLE, out, jsonl=True)
    return out
