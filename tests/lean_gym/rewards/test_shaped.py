"""The shaped reward, and the ways in which an agent might exploit it."""

import itertools

import pytest

from lean_gym.envs.env import LeanProofEnv
from lean_gym.rewards import ShapedReward, Transition
from lean_gym.types import Goal, Outcome, Theorem

THEOREM = Theorem("t", "theorem t : p")
# A goal language in which goals can be split, swapped, closed, hidden and multiplied at will.
RULES = {
    ("A", "split"): ["A", "B"],
    ("A", "close"): [],
    ("B", "close"): [],
    ("A", "rename"): ["B"],
    ("B", "rename"): ["A"],
    ("A", "many"): ["B"] * 9,
    ("A", "skip"): ["A"],
    ("B", "skip"): ["B"],
}
TACTICS = ("split", "close", "rename", "many", "skip", "refused", "hide")


def goals(count):
    return tuple(Goal(f"⊢ {index}", str(index)) for index in range(count))


def transition(before, after, outcome=Outcome.RUNNING, terminated=False, truncated=False):
    return Transition(
        THEOREM, "x", goals(before), goals(after), outcome, terminated=terminated, truncated=truncated
    )


def make_env(reward, starts=("A",), **options):
    # "hide" makes all goals disappear without proving them, as a tactic that parks goals somewhere would.
    return LeanProofEnv(
        [THEOREM],
        "fake",
        reward,
        backend_options={"rules": RULES, "starts": {"t": list(starts)}, "cheats": ["hide"]},
        **options,
    )


def play(env, script):
    """Play a script until the episode ends; return (rewards, info of the last step, ended)."""
    env.reset()
    rewards, info, ended = [], {}, False
    for tactic in script:
        _, reward, terminated, truncated, info = env.step(tactic)
        rewards.append(reward)
        ended = terminated or truncated
        if ended:
            break
    return rewards, info, ended


def discounted(rewards, gamma):
    return sum(gamma**step * reward for step, reward in enumerate(rewards))


def test_potential_by_hand():
    reward = ShapedReward(weight=0.2)
    # -0.2 * (1 - 1/n)
    assert [reward.potential(goals(count)) for count in (1, 2, 4)] == pytest.approx([0.0, -0.1, -0.15])


def test_terms_by_hand():
    reward = ShapedReward(weight=0.2, gamma=0.5, scale=10.0)
    assert reward(transition(1, 2)) == pytest.approx({"proof": 0.0, "goals": 10 * (0.5 * -0.1 - 0.0)})
    assert reward(transition(4, 2)) == pytest.approx({"proof": 0.0, "goals": 10 * (0.5 * -0.1 + 0.15)})
    proved = transition(1, 0, Outcome.PROVED, terminated=True)
    assert reward(proved) == pytest.approx({"proof": 10.0, "goals": 0.0})
    rejected = transition(2, 0, Outcome.REJECTED, terminated=True)
    assert reward(rejected) == pytest.approx({"proof": 0.0, "goals": 1.0})


def test_default_totals_are_one_for_a_proof_and_zero_for_a_failure():
    env = make_env("shaped", max_steps=5)
    rewards, info, _ = play(env, ["split", "skip", "close", "close"])
    assert info["outcome"] == "proved"
    assert sum(rewards) == pytest.approx(1.0)
    rewards, info, _ = play(env, ["split", "split", "many", "skip", "refused"])
    assert info["outcome"] == "step_limit"
    assert sum(rewards) == pytest.approx(0.0)


@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("starts", [("A",), ("A", "B", "B")])
def test_shaping_sums_to_minus_the_first_potential_however_the_episode_ends(gamma, starts):
    rule = ShapedReward(weight=0.3, gamma=gamma)
    env = make_env(rule, starts, max_steps=3)
    first = rule.potential(goals(len(starts)))
    outcomes = set()
    for script in itertools.product(TACTICS, repeat=3):
        rewards, info, ended = play(env, script)
        assert ended
        outcomes.add(info["outcome"])
        proof = gamma ** (len(rewards) - 1) * (info["outcome"] == "proved")
        assert discounted(rewards, gamma) - proof == pytest.approx(-first), script
    assert outcomes >= {"step_limit", "rejected", "proved"}


def test_a_loop_earns_nothing():
    env = make_env("shaped", starts=("A", "B"), max_steps=100)
    start, _ = env.reset()
    for _ in range(5):
        # Back to the very same goals by way of more of them, renamings, refusals and idle steps.
        loop = [env.step(tactic) for tactic in ("split", "refused", "close", "skip", "rename")]
        assert loop[-1][0] == start
        assert loop[0][1] < 0
        assert sum(reward for _, reward, *_ in loop) == pytest.approx(0.0)


def test_no_unfinished_episode_is_ahead():
    """An episode that is abandoned early, e.g. by an outer time limit, has earned at most -Phi(s0), here 0."""
    env = make_env("shaped", max_steps=50)
    for script in itertools.product(("split", "close", "many", "rename", "refused"), repeat=3):
        rewards, _, ended = play(env, script)
        if not ended:
            assert sum(rewards) <= 1e-12, script


def test_hiding_goals_earns_nothing():
    """A tactic that makes goals vanish is paid back by the rejected end."""
    env = make_env("shaped", max_steps=50)
    rewards, info, ended = play(env, ["many", "hide"])
    assert ended
    assert info["outcome"] == "rejected"
    assert not info["is_success"]
    assert sum(rewards) == pytest.approx(0.0)


def test_branching_does_not_multiply_shaping():
    """Every branch from a saved point sums to the same, so a search cannot collect the same step twice."""
    env = make_env("shaped", max_steps=50)
    env.reset()
    before = env.step("split")[1]
    point = env.save()
    first = [env.step("close")[1], env.step("close")[1]]
    env.restore(point)
    second = [env.step("close")[1], env.step("close")[1]]
    assert first == second
    assert before + sum(first) == pytest.approx(1.0)


def test_truncation_by_time_closes_the_account_too():
    backend_options = {"rules": RULES, "starts": {"t": ["A"]}, "slow": {"skip": 0.05}}
    env = LeanProofEnv([THEOREM], "fake", "shaped", backend_options=backend_options, max_seconds=0.02)
    rewards, info, ended = play(env, ["split", "skip"])
    assert ended
    assert info["outcome"] == "time_limit"
    assert sum(rewards) == pytest.approx(0.0)


def test_a_crash_closes_the_account_too():
    backend_options = {"rules": RULES, "starts": {"t": ["A"]}, "crash_on": ["boom"]}
    env = LeanProofEnv([THEOREM], "fake", "shaped", backend_options=backend_options)
    rewards, info, ended = play(env, ["split", "boom"])
    assert ended
    assert info["outcome"] == "crashed"
    assert sum(rewards) == pytest.approx(0.0)


@pytest.mark.parametrize(
    "options", [{"weight": -0.1}, {"weight": float("nan")}, {"gamma": 0.0}, {"gamma": 1.1}]
)
def test_ranges(options):
    with pytest.raises(ValueError, match=r"(weight|gamma): got .*, expected"):
        ShapedReward(**options)
