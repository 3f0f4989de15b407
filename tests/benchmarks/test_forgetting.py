"""The comparison of replay and elastic weight consolidation: its sets and its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.forgetting import table, write_sets
from lean_gym.datasets import load_theorems


def test_a_set_holds_the_theorems_of_a_file(tmp_path: Path) -> None:
    (path,) = write_sets(tmp_path / "sets", ["Order.lean"])
    theorems = load_theorems(path)
    assert theorems
    assert all(theorem.position.startswith("Order.lean:") and not theorem.split for theorem in theorems)
    with pytest.raises(ValueError, match=r"got 'Missing\.lean'"):
        write_sets(tmp_path / "sets", ["Missing.lean"])


def test_the_table_has_means_over_seeds() -> None:
    def course(average: float, backward: float | None) -> dict[str, object]:
        return {"measures": [{}, {"average": average, "backward_transfer": backward}]}

    found = {"neither": [course(0.2, -0.1), course(0.4, -0.3)], "ewc": [course(0.5, None)]}
    assert table(found).splitlines() == [
        "| | average | backward transfer |",
        "|---|---|---|",
        "| neither | 30.0 ± 14.1 | -20.0 ± 14.1 |",
        "| ewc | 50.0 | - |",
    ]
