import sys
from types import ModuleType

import pytest

from lean_gym.envs.env import LeanProofEnv
from lean_gym.errors import RewardError
from lean_gym.rewards import TrajectoryReward, create_reward

T = "theorem t : True ∧ True"


def refused_share(last):
    """The share of refused tactics of the episode, as a punishment."""
    errors = [step.error for step in last.history] + [last.error]
    return -sum(error is not None for error in errors) / len(errors)


def play(reward, script, max_steps=4):
    env = LeanProofEnv([T], "fake", reward, max_steps=max_steps)
    env.reset()
    return [env.step(tactic)[4]["reward_terms"] for tactic in script]


def test_it_sees_the_whole_episode_once_it_has_ended():
    seen = []

    def score(last):
        seen.append([(step.tactic, step.error is not None, len(step.before)) for step in last.history])
        return 0.5

    terms = play(TrajectoryReward(score, weight=0.2), ["split", "left", "trivial", "trivial"])
    assert seen == [[("split", False, 1), ("left", True, 2), ("trivial", False, 2)]]
    assert [one["trajectory"] for one in terms] == pytest.approx([0, 0, 0, 0.1])
    assert terms[-1]["proof"] == 1.0


def test_a_score_changes_the_return_of_proofs_and_failures():
    failed = play(TrajectoryReward(refused_share), ["left", "left", "split", "skip"])
    assert failed[-1] == {"proof": 0.0, "trajectory": -0.25 * 0.5}
    proved = play(TrajectoryReward(refused_share), ["split", "trivial", "left", "trivial"])
    assert proved[-1] == {"proof": 1.0, "trajectory": -0.25 * 0.25}


def test_the_worst_proof_earns_more_than_the_best_failure():
    best = play(TrajectoryReward(lambda last: 1e9, weight=0.49), ["left"] * 4)[-1]
    worst = play(TrajectoryReward(lambda last: -1e9, weight=0.49), ["split", "trivial", "trivial"])[-1]
    assert sum(best.values()) == pytest.approx(0.49)
    assert sum(worst.values()) == pytest.approx(0.51)


def test_by_import_path(monkeypatch):
    module = ModuleType("scores_of_a_user")
    module.refused_share = refused_share
    monkeypatch.setitem(sys.modules, "scores_of_a_user", module)
    rule = create_reward("trajectory", function="scores_of_a_user:refused_share", weight=0.1)
    assert play(rule, ["left"] * 4)[-1]["trajectory"] == pytest.approx(-0.1)


def test_a_score_that_is_no_number_is_named():
    with pytest.raises(RewardError, match=r"got nan for term 'trajectory'"):
        play(TrajectoryReward(lambda last: float("nan")), ["left"] * 4)


@pytest.mark.parametrize("weight", [0.5, -0.1, float("nan")])
def test_the_weight_stays_below_half_a_proof(weight):
    with pytest.raises(ValueError, match="weight: got"):
        TrajectoryReward(refused_share, weight=weight)
    with pytest.raises(ValueError, match="function: got 3"):
        TrajectoryReward(3)
