import pytest

from lean_gym.errors import RewardError
from lean_gym.rewards import (
    CompositeReward,
    EfficiencyReward,
    FunctionReward,
    ShapedReward,
    Transition,
    create_reward,
)
from lean_gym.types import Goal, Outcome, Theorem

GOALS = tuple(Goal(f"⊢ {name}", name) for name in "ab")
PROVED = Transition(
    Theorem("t", "theorem t : p", difficulty=1.0), "x", GOALS, (), Outcome.PROVED, step=2, terminated=True
)


def refusals(transition):
    return -0.25 if transition.error else 0.0


def test_one_proof_and_what_each_part_adds():
    parts = [ShapedReward(0.2), EfficiencyReward(0.5, 0.5, scale=4.0), FunctionReward(refusals)]
    terms = CompositeReward(parts, scale=2.0)(PROVED)
    # goals: back from two goals, 0.2 * (1 - 1/2); efficiency: 0.5 * 0.5; both in units of a proof worth 2
    assert terms == pytest.approx({"proof": 2.0, "goals": 0.2, "efficiency": 0.5, "refusals": 0.0})


def test_by_name_with_options_as_a_file_gives_them():
    reward = create_reward("composite", parts={"difficulty": {"weight": 0.3}, "efficiency": {}})
    assert reward(PROVED) == pytest.approx({"proof": 1.0, "difficulty": 0.3, "efficiency": 0.4})


def test_a_proof_cannot_be_claimed_by_a_part():
    lying = FunctionReward(lambda transition: {"proof": 1.0})
    failed = Transition(PROVED.theorem, "x", GOALS, GOALS, Outcome.STEP_LIMIT, truncated=True)
    assert CompositeReward([lying])(failed) == {"proof": 0.0}


@pytest.mark.parametrize(
    ("parts", "complaint"),
    [
        ({}, "parts: got none"),
        (["shaped"], "parts: got .*, expected rewards with the options of each"),
        ({"shapd": {}}, "unknown reward 'shapd'; did you mean 'shaped'"),
        ({"shaped": {"gama": 1}}, "unknown option of reward 'shaped': 'gama'"),
        ({"shaped": {"scale": 0.0}}, "expected a scale other than 0"),
    ],
)
def test_bad_parts(parts, complaint):
    with pytest.raises(ValueError, match=complaint):
        create_reward("composite", parts=parts)


def test_a_part_that_fails_is_named():
    broken = FunctionReward(lambda transition: {"a": float("nan")})
    with pytest.raises(RewardError, match=r"reward '<lambda>': got nan for term 'a'"):
        CompositeReward([broken])(PROVED)
