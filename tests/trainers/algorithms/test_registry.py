from __future__ import annotations

import pytest

from trainers.algorithms import ALGORITHMS, create_algorithm


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_each_algorithm_carries_its_name(name: str) -> None:
    assert create_algorithm(name).name == name


def test_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(ValueError, match="unknown algorithm 'grop'; did you mean 'grpo'"):
        create_algorithm("grop")
