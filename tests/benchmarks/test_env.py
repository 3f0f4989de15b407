from pathlib import Path

from benchmarks.env import replay_vector
from benchmarks.groups import Group, alone
from benchmarks.single import replay_apart, replay_single
from lean_gym.datasets import load_theorems


def test_every_way_does_the_same_steps(game: Path) -> None:
    """9 conjunctions of 1 + a + b steps, a and b out of 1, 2, 3: 9 + 2 · 3 · (1 + 2 + 3)."""
    theorems = load_theorems(str(game))
    ways = [
        replay_single(theorems, "fake"),
        replay_apart(theorems, "fake"),
        replay_vector(alone(theorems), "fake", num_envs=4, num_workers=0),
    ]
    assert [(one.steps, one.proved) for one in ways] == [(45, 9)] * 3


def test_a_group_takes_the_next_theorem_when_all_of_it_is_done(game: Path) -> None:
    """Each of two episodes tries `nonsense` first, so that a theorem takes twice its steps and two."""
    groups = [
        Group(one.theorem, tuple(("nonsense", *script) for script in one.scripts * 2))
        for one in alone(load_theorems(str(game)))
    ]
    done = replay_vector(groups, "fake", num_envs=4, num_workers=0)
    assert (done.steps, done.proved) == (2 * (45 + 9), 18)
