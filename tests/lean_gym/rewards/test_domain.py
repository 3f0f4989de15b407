import pytest

from lean_gym.rewards import DomainReward, Transition
from lean_gym.types import Outcome, Theorem


def step(domain, outcome=Outcome.PROVED):
    return Transition(Theorem("t", "theorem t : p", domain=domain), "x", (), (), outcome, terminated=True)


@pytest.mark.parametrize(("domain", "total"), [("induction", 6.0), ("order", 1.5), ("", 3.0)])
def test_a_proof_weighs_what_its_domain_does(domain, total):
    reward = DomainReward({"induction": 2.0, "order": 0.5}, scale=3.0)
    assert sum(reward(step(domain)).values()) == pytest.approx(total)
    assert sum(reward(step(domain, Outcome.STEP_LIMIT)).values()) == 0.0


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"weights": {"order": 0.0}}, "weights: order: got 0.0, expected a finite number above 0"),
        ({"other": float("inf")}, "other: got inf, expected a finite number above 0"),
        ({"weights": ["order"]}, r"weights: got \['order'\], expected domains with their weights"),
    ],
)
def test_ranges(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        DomainReward(**options)
