import pytest

from lean_gym.envs.env import LeanProofEnv
from lean_gym.rewards import CompositeReward, NormalizeReward, ShapedReward, create_reward
from lean_gym.rewards.base import at_stake

T = "theorem t : True ∧ True"


def returns(name, script, **options):
    env = LeanProofEnv([T], "fake", name, max_steps=4, reward_options=options)
    env.reset()
    return sum(env.step(tactic)[1] for tactic in script)


SCRIPTS = (["left"] * 4, ["split", "left", "trivial", "left"], ["split", "trivial", "trivial"])


def test_the_bounds_become_0_and_1_and_ranks_stay():
    plain = [returns("step_cost", script, weight=0.1) for script in SCRIPTS]
    assert plain == pytest.approx([-0.4, -0.4, 0.7])
    options = {"reward": "step_cost:0.1", "low": -0.4, "high": 0.7}
    assert [returns("normalize", script, **options) for script in SCRIPTS] == pytest.approx([0, 0, 1])


def test_the_shift_is_paid_once_at_the_end():
    env = LeanProofEnv([T], "fake", NormalizeReward(create_reward("binary"), -1.0, 3.0), max_steps=3)
    env.reset()
    terms = [env.step("left")[4]["reward_terms"] for _ in range(3)]
    assert [one["shift"] for one in terms] == pytest.approx([0, 0, 0.25])
    assert [one["proof"] for one in terms] == [0.0] * 3


def test_it_passes_on_what_the_other_reward_is():
    rule = create_reward("normalize", reward="novelty", options={"weight": 0.25}, low=0.0, high=0.5)
    assert rule.scale == 2.0
    assert at_stake(rule) == 0.25
    with pytest.raises(ValueError, match=r"parts: got rules that may pay a failure.* 1.2 of a proof"):
        CompositeReward(
            [NormalizeReward(create_reward("first_error:0.6"), 0, 2), create_reward("novelty:0.6")]
        )


@pytest.mark.parametrize("bounds", [(1, 1), (2, 1), (float("nan"), 1), (0, float("inf")), ("a", 1)])
def test_bad_bounds(bounds):
    with pytest.raises(ValueError, match="low, high: got"):
        NormalizeReward(ShapedReward(), *bounds)
