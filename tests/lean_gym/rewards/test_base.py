import functools

import numpy as np
import pytest

from lean_gym.rewards import BinaryReward, FunctionReward, Reward, Transition, reward_terms
from lean_gym.types import Goal, Outcome, Theorem

GOAL = Goal("⊢ p", "p")
STEP = Transition(Theorem("t", "theorem t : p"), "skip", (GOAL,), (GOAL,), Outcome.RUNNING)


def steps_taken(transition):
    return transition.step


def test_a_number_becomes_a_term_named_after_the_function():
    assert reward_terms(FunctionReward(steps_taken), STEP) == {"steps_taken": 1.0}


def test_named_terms_are_kept_and_scaled():
    reward = FunctionReward(lambda transition: {"a": 1, "b": np.float32(0.5)}, scale=2.0)
    terms = reward_terms(reward, STEP)
    assert terms == {"a": 2.0, "b": 1.0}
    assert all(type(value) is float for value in terms.values())


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "1.0", None])
def test_a_term_that_is_no_finite_number_names_the_function(bad):
    def broken(transition):
        return {"fine": 0.0, "term": bad}

    with pytest.raises(ValueError, match=r"reward 'broken': got .* for term 'term' of theorem 't' on 'skip'"):
        reward_terms(FunctionReward(broken), STEP)


def test_a_callable_object_is_named_by_its_class():
    class Broken:
        def __call__(self, transition):
            return float("nan")

    with pytest.raises(ValueError, match="reward 'Broken': got nan"):
        reward_terms(FunctionReward(Broken()), STEP)


def test_a_function_with_options_keeps_its_name():
    assert reward_terms(FunctionReward(functools.partial(steps_taken)), STEP) == {"steps_taken": 1.0}


def test_terms_are_fresh_each_time():
    shared = {"a": 1.0}
    reward = FunctionReward(lambda transition: shared)
    first = reward_terms(reward, STEP)
    first["a"] = 7.0
    assert reward_terms(reward, STEP) == {"a": 1.0}


def test_every_reward_has_a_scale():
    for reward in (BinaryReward(scale=3.0), FunctionReward(steps_taken, scale=3.0)):
        assert isinstance(reward, Reward)
        assert reward.scale == 3.0


def test_ended_means_terminated_or_truncated():
    assert not STEP.ended
    assert Transition(STEP.theorem, "x", (), (), Outcome.STEP_LIMIT, truncated=True).ended
    assert Transition(STEP.theorem, "x", (), (), Outcome.REJECTED, terminated=True).ended
