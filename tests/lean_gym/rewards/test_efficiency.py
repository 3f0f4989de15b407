import pytest

from lean_gym.rewards import EfficiencyReward, Transition
from lean_gym.types import Outcome, Theorem

THEOREM = Theorem("t", "theorem t : p")


@pytest.mark.parametrize(("tries", "total"), [(1, 1.5), (2, 1.25), (3, 1.125)])
def test_each_further_try_leaves_a_share_of_the_bonus(tries, total):
    proved = Transition(THEOREM, "x", (), (), Outcome.PROVED, step=tries, terminated=True)
    assert sum(EfficiencyReward(weight=0.5, decay=0.5)(proved).values()) == pytest.approx(total)


def test_giving_up_early_never_pays():
    given_up = Transition(THEOREM, "x", (), (), Outcome.REJECTED, step=1, terminated=True)
    late = Transition(THEOREM, "x", (), (), Outcome.PROVED, step=10_000, terminated=True)
    reward = EfficiencyReward()
    assert sum(reward(given_up).values()) == 0.0
    assert sum(reward(late).values()) >= 1.0


@pytest.mark.parametrize("options", [{"weight": -1.0}, {"decay": 0.0}, {"decay": 1.5}])
def test_ranges(options):
    with pytest.raises(ValueError, match=r"(weight|decay): got .*, expected a finite number"):
        EfficiencyReward(**options)
