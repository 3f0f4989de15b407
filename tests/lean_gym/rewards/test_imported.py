import pytest

from lean_gym.rewards import FunctionReward, Transition, create_reward, reward_terms
from lean_gym.types import Outcome, Theorem

SOURCE = """
from dataclasses import dataclass

def per_step(transition, cost=0.5):
    return -cost

@dataclass(frozen=True)
class Mine:
    bonus: float
    scale: float = 1.0
    def __call__(self, transition):
        return {"mine": self.bonus}

ready = Mine(3.0)
number = 7
"""
STEP = Transition(Theorem("t", "theorem t : p"), "x", (), (), Outcome.RUNNING)


@pytest.fixture(autouse=True)
def module(tmp_path, monkeypatch):
    (tmp_path / "my_rewards.py").write_text(SOURCE)
    (tmp_path / "broken_rewards.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize(
    ("path", "options", "terms"),
    [
        ("my_rewards:per_step", {}, {"per_step": -0.5}),
        ("my_rewards:per_step", {"cost": 2.0}, {"per_step": -2.0}),
        ("my_rewards:Mine", {"bonus": 4.0}, {"mine": 4.0}),
        ("my_rewards:ready", {}, {"mine": 3.0}),
    ],
)
def test_functions_classes_and_instances(path, options, terms):
    assert reward_terms(create_reward(path, **options), STEP) == terms


def test_as_a_part_of_others():
    reward = create_reward("composite", parts={"my_rewards:per_step": {"cost": 0.1}, "shaped": {}})
    assert reward_terms(reward, STEP) == pytest.approx({"proof": 0.0, "per_step": -0.1, "goals": 0.0})


@pytest.mark.parametrize(
    ("path", "options", "complaint"),
    [
        ("no_such_module:x", {}, "cannot import 'no_such_module': ModuleNotFoundError"),
        ("broken_rewards:x", {}, "cannot import 'broken_rewards': ZeroDivisionError"),
        (":x", {}, "cannot import ''"),
        ("my_rewards:per_stp", {}, "unknown name in my_rewards: 'per_stp'; did you mean 'per_step'"),
        ("my_rewards:per_step", {"cots": 1}, "unknown option of reward .*: 'cots'; did you mean 'cost'"),
        ("my_rewards:Mine", {}, "reward 'my_rewards:Mine': missing a required argument: 'bonus'"),
        ("my_rewards:Mine", {"bonos": 1}, "did you mean 'bonus'"),
        ("my_rewards:ready", {"bonus": 1}, "expected no options"),
    ],
)
def test_mistakes_are_one_line(path, options, complaint):
    with pytest.raises(ValueError, match=complaint) as caught:
        create_reward(path, **options)
    assert "\n" not in str(caught.value)


def test_what_is_no_reward_is_refused():
    with pytest.raises(ValueError, match="reward: got 7"):
        create_reward("my_rewards:number")


def test_a_rule_that_fails_says_where():
    with pytest.raises(
        ValueError, match=r"reward 'broken' failed on a step .* KeyError: 'k' \(.*, line \d+\)"
    ):

        def broken(transition):
            return {}["k"]

        reward_terms(FunctionReward(broken), STEP)
