"""Rules over single steps: novelty, the cost of a step, the first error. Each is switched on against `binary`."""

import pytest

from lean_gym.envs.env import LeanProofEnv
from lean_gym.envs.vector import LeanProofVectorEnv
from lean_gym.rewards import create_reward

T = "theorem t : True ∧ True"
RULES = {
    (one, tactic): [two] for one, two, tactic in [("A", "B", "go"), ("B", "A", "back"), ("B", "C", "on")]
}
RULES |= {("C", "close"): (), ("A", "stay"): ["A"]}


def play(reward, script, max_steps=32, **options):
    """Return the terms of each step."""
    backend_options = {"rules": RULES, "starts": {"t": ["A"]}, "cheats": ["hide"]}
    env = LeanProofEnv(
        [T], "fake", reward, max_steps=max_steps, backend_options=backend_options, reward_options=options
    )
    env.reset()
    return [env.step(tactic)[4]["reward_terms"] for tactic in script]


def test_novelty_pays_for_states_that_the_episode_has_not_been_in():
    terms = play("novelty", ["stay", "go", "nonsense", "back", "go", "on", "close"], weight=0.5, decay=0.5)
    # B, C and the end are new; 0.5 * (1 - 0.5), then half of that each time
    assert [one["novelty"] for one in terms] == pytest.approx([0, 0.25, 0, 0, 0, 0.125, 0.0625])
    assert terms[-1]["proof"] == 1.0
    switched_off = play("binary", ["stay", "go", "nonsense", "back", "go", "on", "close"])
    assert sum(sum(one.values()) for one in switched_off) == 1.0


def test_novelty_of_any_episode_is_below_its_weight():
    rule = create_reward("novelty", weight=0.5, decay=0.9)
    rules = {(str(n), "next"): [str(n + 1)] for n in range(200)}
    env = LeanProofEnv(
        [T], "fake", rule, max_steps=200, backend_options={"rules": rules, "starts": {"t": ["0"]}}
    )
    env.reset()
    earned = sum(env.step("next")[1] for _ in range(200))
    assert 0.49 < earned < 0.5


def test_every_step_costs_up_to_a_limit():
    terms = play("step_cost", ["stay", "nonsense", "go", "on", "close"], weight=0.2, most=0.5)
    assert [one["step_cost"] for one in terms] == pytest.approx([-0.2, -0.2, -0.1, 0, 0])
    assert sum(sum(one.values()) for one in terms) == pytest.approx(0.5)


def test_a_long_proof_earns_more_than_a_short_failure():
    long = play("step_cost", ["stay"] * 20 + ["go", "on", "close"], weight=0.3, most=0.9)
    short = play("step_cost", ["hide"], weight=0.3, most=0.9)
    assert sum(map(sum, (one.values() for one in long))) == pytest.approx(0.1)
    assert sum(map(sum, (one.values() for one in short))) == pytest.approx(-0.3)


def test_only_the_first_refused_tactic_costs():
    terms = play("first_error", ["go", "nonsense", "on", "nonsense", "close"], weight=0.4)
    assert [one["first_error"] for one in terms] == pytest.approx([0, -0.4, 0, 0, 0])
    assert sum(sum(one.values()) for one in terms) == pytest.approx(0.6)
    assert play("first_error", ["go", "on", "close"])[-1] == {"proof": 1.0, "first_error": 0.0}


def test_a_rejected_script_is_no_refused_tactic():
    assert play("first_error", ["hide"]) == [{"proof": 0.0, "first_error": 0.0}]
    assert play("first_error", ["nonsense"], max_steps=1) == [{"proof": 0.0, "first_error": -0.1}]


@pytest.mark.parametrize(
    "reward", ["novelty", "step_cost", "first_error", "novelty+step_cost+first_error:0.2"]
)
def test_branches_and_the_vector_environment_agree(reward):
    backend_options = {"rules": RULES, "starts": {"t": ["A"]}}
    script = ["go", "nonsense", "back", "go", "on", "close"]
    single = LeanProofEnv([T], "fake", reward, backend_options=backend_options)
    single.reset()
    first = [single.step(tactic)[1] for tactic in script[:2]]
    point = single.save()
    rest = [single.step(tactic)[1] for tactic in script[2:]]
    single.restore(point)
    assert [single.step(tactic)[1] for tactic in script[2:]] == rest
    with LeanProofVectorEnv(2, [T], "fake", reward, num_workers=2, backend_options=backend_options) as vec:
        vec.reset()
        assert [vec.step([tactic] * 2)[1].tolist() for tactic in script] == [[r] * 2 for r in first + rest]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("novelty", {"weight": 1.0}),
        ("novelty", {"decay": 1.0}),
        ("step_cost", {"most": 1.0}),
        ("step_cost", {"weight": -1}),
        ("first_error", {"weight": 1.0}),
    ],
)
def test_ranges(name, options):
    with pytest.raises(ValueError, match=r"(weight|decay|most): got .*, expected"):
        create_reward(name, **options)
