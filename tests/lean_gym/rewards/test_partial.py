"""The reward for partial progress, on the embedded prover."""

import pytest

from lean_gym.envs.env import LeanProofEnv
from lean_gym.envs.vector import LeanProofVectorEnv
from lean_gym.rewards import PartialReward, Transition, create_reward
from lean_gym.types import Outcome, Theorem

THREE = "theorem t : (∃ k : Nat, k * k = 49) ∧ (∃ k : Nat, k * k = 64) ∧ (∃ k : Nat, k * k = 81)"
SPLIT = "refine ⟨?_, ?_, ?_⟩"
CLOSE = ("exact ⟨7, rfl⟩", "exact ⟨8, rfl⟩", "exact ⟨9, rfl⟩")


# `simp_all` and `trivial` close the first half at once; what `forbid="automation"` leaves does not. Nothing closes r.
EASY_HALF = "theorem t (p q r : Prop) (hp : p) (hq : q) : (p ∧ q) ∧ r"
PLAY_HALF = ("constructor", "exact ⟨hp, hq⟩", "skip", "skip")


def ended(outcome, progress=0.5):
    return Transition(Theorem("t", "theorem t : p"), "x", (), (), outcome, terminated=True, progress=progress)


def returns(script, reward="partial", theorem=THREE, forbid=(), **options):
    """Return the reward of each step of an episode of four steps."""
    env = LeanProofEnv([theorem], "minilean", reward, max_steps=4, forbid=forbid, reward_options=options)
    env.reset()
    found = [env.step(tactic)[1] for tactic in script]
    env.close()
    return found


def test_it_pays_once_at_the_end_by_the_share_that_was_closed():
    assert returns([SPLIT, *CLOSE[:2], "skip"]) == pytest.approx([0, 0, 0, 0.5 * 2 / 3])
    assert returns([SPLIT, CLOSE[0], "skip", "no tactic"]) == pytest.approx([0, 0, 0, 0.5 / 3])
    assert returns(["skip"] * 4) == [0.0] * 4
    assert returns([SPLIT, *CLOSE[:2], "skip"], weight=0.9, scale=10.0)[-1] == pytest.approx(6.0)


def test_a_proof_earns_exactly_the_proof():
    assert returns([SPLIT, *CLOSE]) == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("forbid", "earned"),
    [
        ((), 0.0),
        (("omega",), 0.0),
        (("simp_all",), 0.0),
        (("simp_all", "trivial"), 0.25),
        ("automation", 0.25),
    ],
)
def test_a_goal_counts_where_the_automation_that_closes_it_is_forbidden(forbid, earned):
    assert returns(PLAY_HALF, theorem=EASY_HALF, forbid=forbid) == pytest.approx([0, 0, 0, earned])
    assert returns(PLAY_HALF, "binary", EASY_HALF, forbid) == [0.0] * 4


def test_forbid_changes_the_probe_of_a_worker_too():
    for forbid, earned in (((), 0.0), ("automation", 0.25)):
        with LeanProofVectorEnv(
            1, [EASY_HALF], "minilean", "partial", num_workers=1, max_steps=4, forbid=forbid
        ) as vec:
            vec.reset()
            assert [float(vec.step([tactic])[1][0]) for tactic in PLAY_HALF] == [0.0, 0.0, 0.0, earned]


def test_a_rejected_script_earns_nothing_and_a_crash_what_was_closed():
    rule = PartialReward()
    assert rule(ended(Outcome.REJECTED, 1.0)) == {"proof": 0.0, "partial": 0.0}
    assert rule(ended(Outcome.CRASHED)) == {"proof": 0.0, "partial": 0.25}
    assert rule(ended(Outcome.PROVED, 1.0)) == {"proof": 1.0, "partial": 0.0}


def test_only_a_reward_that_asks_has_goals_probed():
    asked = []
    for reward in ("binary", "partial", "partial:0", "binary+partial", "efficiency+shaped"):
        env = LeanProofEnv([THREE], "minilean", reward)
        env.reset()
        jobs = []
        run = env._prover.run
        env._prover.run = lambda job, jobs=jobs, run=run: jobs.append(job) or run(job)
        env.step(SPLIT)
        env.close()
        if jobs[0].probe:
            asked.append(reward)
    assert asked == ["partial", "binary+partial"]


@pytest.mark.parametrize("weight", [-0.1, 1.0, 1.5, float("nan"), "x"])
def test_the_weight_stays_below_a_proof(weight):
    with pytest.raises(ValueError, match=r"weight: got .*, expected"):
        create_reward("partial", weight=weight)
