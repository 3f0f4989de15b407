"""The library proved from its source, once for the tests that need its proofs or compare with it."""

from __future__ import annotations

import pytest

from minilean.library.load import build_library
from minilean.meta.extension import LeanEnv


@pytest.fixture(scope="session")
def proved() -> LeanEnv:
    return build_library()
