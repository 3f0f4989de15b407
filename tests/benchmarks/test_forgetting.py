"""The comparison of replay and elastic weight consolidation: its repositories and its table."""

from __future__ import annotations

from benchmarks.forgetting import STEPS, repositories, table, variants
from lean_gym.datasets import load_theorems, proof_steps


def test_the_repositories_have_short_proofs_and_another_draw_has_other_theorems() -> None:
    first, second = ([load_theorems(source) for source in repositories(8, draw)] for draw in (0, 1))
    for own, other in zip(first, second, strict=True):
        assert len(own) == 8
        assert max(len(proof_steps(one.proof)) for one in own) <= STEPS
        assert {one.statement for one in own} != {one.statement for one in other}


def test_the_variants() -> None:
    assert variants(0.3, 10.0) == {
        "neither": [],
        "replay": ["--replay-share", "0.3"],
        "ewc": ["--ewc-weight", "10.0"],
        "both": ["--replay-share", "0.3", "--ewc-weight", "10.0"],
    }


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
