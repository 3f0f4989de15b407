"""Makes `printing_world` importable by the tests here, and gives each test a world of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from minilean.kernel.environment import Environment

if TYPE_CHECKING:
    from printing_world import World

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def printing_environment() -> Environment:
    import printing_world

    return printing_world.standard()


@pytest.fixture
def world(printing_environment: Environment) -> World:
    import printing_world

    return printing_world.World(printing_environment)
