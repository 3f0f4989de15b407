"""Group-relative advantages of episodes that all fail."""

from __future__ import annotations

import pytest

from lean_gym import LeanProofVectorEnv
from trainers.algorithms import create_algorithm

HARD = "theorem t : (∃ k : Nat, k * k = 49) ∧ (∃ k : Nat, k * k = 64) ∧ (∃ k : Nat, k * k = 50)"
SPLIT, SEVEN, EIGHT = "refine ⟨?_, ?_, ?_⟩", "exact ⟨7, rfl⟩", "exact ⟨8, rfl⟩"
GROUP = (
    (SPLIT, SEVEN, EIGHT, "skip"),
    (SPLIT, SEVEN, "nonsense", "skip"),
    (SPLIT, "skip", "skip", "skip"),
    ("nonsense", "skip", "skip", "have : True := trivial"),
)


def returns(reward: str) -> list[float]:
    with LeanProofVectorEnv(4, [HARD], "minilean", reward, num_workers=0, max_steps=4) as env:
        env.reset()
        steps = [env.step([script[at] for script in GROUP]) for at in range(4)]
    assert steps[-1][3].all()
    return [float(sum(step[1][member] for step in steps)) for member in range(4)]


@pytest.mark.parametrize("algorithm", ["grpo", "dr_grpo", "rloo"])
def test_partial_tells_failures_apart_and_binary_and_shaped_do_not(algorithm: str) -> None:
    made = create_algorithm(algorithm, group_size=4)
    for reward in ("binary", "shaped"):
        assert returns(reward) == pytest.approx([0.0] * 4)
        assert made.compute_advantages(returns(reward)).abs().max() < 1e-6
    earned = returns("partial")
    assert earned == pytest.approx([1 / 3, 1 / 6, 0.0, 0.0])
    advantages = made.compute_advantages(earned).tolist()
    assert advantages[0] > advantages[1] > advantages[2] == advantages[3]
    assert advantages[0] > 0 > advantages[3]
