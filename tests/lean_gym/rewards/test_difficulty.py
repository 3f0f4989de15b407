import pytest

from lean_gym.rewards import DifficultyReward, Transition
from lean_gym.types import Outcome, Theorem


def step(difficulty, outcome=Outcome.PROVED):
    return Transition(
        Theorem("t", "theorem t : p", difficulty=difficulty), "x", (), (), outcome, terminated=True
    )


@pytest.mark.parametrize(
    ("difficulty", "bonus"), [(0.0, 0.0), (0.5, 0.4), (1.0, 0.8), (None, 0.2), (7.0, 0.8)]
)
def test_a_proof_earns_more_the_harder_the_theorem(difficulty, bonus):
    terms = DifficultyReward(weight=0.4, unknown=0.25, scale=2.0)(step(difficulty))
    assert terms == pytest.approx({"proof": 2.0, "difficulty": bonus})


def test_without_a_proof_there_is_nothing_to_earn():
    terms = DifficultyReward()(step(1.0, Outcome.REJECTED))
    assert terms == {"proof": 0.0, "difficulty": 0.0}


@pytest.mark.parametrize("options", [{"weight": -1.0}, {"weight": "a"}, {"unknown": 1.5}])
def test_ranges(options):
    with pytest.raises(ValueError, match=r"(weight|unknown): got .*, expected a finite number at least 0"):
        DifficultyReward(**options)
