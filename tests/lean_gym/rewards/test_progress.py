"""The reward of a progress model, and policies that know how to fool the model."""

from __future__ import annotations

import itertools

import pytest

from lean_gym import LeanProofEnv
from lean_gym.errors import LeanGymError
from lean_gym.rewards import create_reward
from lean_gym.types import Theorem

THEOREM = Theorem("t", "theorem t : p")
# B is a goal that the model takes for nearly proved and that no tactic closes.
RULES = {
    ("A", "close"): [],
    ("A", "split"): ["A", "B"],
    ("A", "trap"): ["B"],
    ("B", "back"): ["A"],
    ("B", "skip"): ["B"],
    ("A", "skip"): ["A"],
}
TACTICS = ("close", "split", "trap", "back", "skip", "refused", "hide")


class Fooled:
    """A model that takes any state with B for nearly proved; keeps what it was asked."""

    def __init__(self, low: float = 0.1, high: float = 0.9) -> None:
        self.low, self.high = low, high
        self.asked: list[int] = []

    def __call__(self, states):
        self.asked.append(len(states))
        return [self.high if any("B" in goal for goal in goals) else self.low for goals in states]


def make_env(weight=0.3, **options):
    return LeanProofEnv(
        [THEOREM],
        "fake",
        create_reward("progress", potential=Fooled(), weight=weight),
        backend_options={"rules": RULES, "starts": {"t": ["A"]}, "cheats": ["hide"]},
        **options,
    )


def play(env, script):
    env.reset()
    earned, info, ended = [], {}, False
    for tactic in script:
        _, reward, terminated, truncated, info = env.step(tactic)
        earned.append(reward)
        if ended := terminated or truncated:
            break
    return earned, info["outcome"], ended


def test_terms_by_hand():
    env = make_env()
    env.reset()
    assert env.step("trap")[1] == pytest.approx(0.3 * (0.9 - 0.1))
    assert env.step("skip")[1] == 0.0
    assert env.step("back")[1] == pytest.approx(0.3 * (0.1 - 0.9))
    _, reward, terminated, _, info = env.step("close")
    assert terminated
    assert info["reward_terms"] == pytest.approx({"proof": 1.0, "progress": 0.0})
    assert reward == 1.0


def test_every_finished_episode_earns_its_proof_and_nothing_else():
    env, outcomes = make_env(max_steps=3), set()
    for script in itertools.product(TACTICS, repeat=3):
        earned, outcome, ended = play(env, script)
        assert ended
        outcomes.add(outcome)
        assert sum(earned) == pytest.approx(float(outcome == "proved")), script
    assert outcomes >= {"step_limit", "rejected", "proved"}


def test_a_policy_that_loops_through_overrated_states_gains_nothing():
    looping, idle = make_env(max_steps=40), make_env(max_steps=40)
    earned, outcome, _ = play(looping, ["trap", "back"] * 20)
    assert outcome == "step_limit"
    assert sum(earned) == pytest.approx(sum(play(idle, ["skip"] * 40)[0])) == pytest.approx(0.0)
    # Each turn of the loop sums to nothing, so no number of turns pays.
    assert [
        first + second for first, second in zip(earned[:-2:2], earned[1:-2:2], strict=True)
    ] == pytest.approx([0] * 19)
    # The honest neighbour: the same detour, then the proof.
    earned, outcome, _ = play(looping, ["trap", "back", "close"])
    assert (outcome, sum(earned)) == ("proved", pytest.approx(1.0))


def test_ending_in_an_overrated_state_gives_back_what_it_earned():
    earned, outcome, _ = play(make_env(max_steps=3), ["trap", "skip", "skip"])
    assert outcome == "step_limit"
    assert earned[0] > 0.2
    assert sum(earned) == pytest.approx(0.0)


def test_a_weight_of_zero_is_the_binary_reward():
    env = make_env(weight=0.0)
    for script in itertools.product(("trap", "back", "close"), repeat=3):
        earned, outcome, _ = play(env, script)
        assert sum(map(abs, earned)) == float(outcome == "proved")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "potential"),
        ({"potential": 3}, "potential: got 3, expected a function of states"),
        ({"potential": "nothing:there"}, "nothing"),
        ({"potential": Fooled(), "weight": -1.0}, "weight"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        create_reward("progress", **options)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_potential_out_of_range_is_refused(value):
    reward = create_reward("progress", potential=Fooled(low=value))
    env = LeanProofEnv([THEOREM], "fake", reward, backend_options={"rules": RULES, "starts": {"t": ["A"]}})
    env.reset()
    with pytest.raises((ValueError, LeanGymError)):
        env.step("skip")
