from __future__ import annotations

from trainers.runtime.seeding import derive_seed


def test_derived_seeds_differ_in_each_argument() -> None:
    seeds = {derive_seed(*key) for key in ((0, "a", 0), (1, "a", 0), (0, "b", 0), (0, "a", 1))}
    assert len(seeds) == 4
    assert derive_seed(3, "rollout", 5) == derive_seed(3, "rollout", 5)
    assert all(0 <= seed < 2**63 for seed in seeds)
