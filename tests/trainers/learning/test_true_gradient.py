"""Expected gradient of each credit against the true policy gradient, by enumeration of all episodes of a small tree.

The policy is a softmax over the tactics of each state, so gradients are vectors of a few numbers. Tactics that an
episode has tried in a state are drawn again as the player does it. Episodes come in groups of two, and all groups are
enumerated with their probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from lean_gym import Outcome
from trainers.algorithms import create_algorithm
from trainers.config.credit import CreditConfig
from trainers.learning.redraws import log_factors
from trainers.learning.rows import weigh_steps
from trainers.learning.samples import Tried
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory, TrajectoryGroup

MOST_STEPS = 3
REFUSED, PROOF = "refused", "proof"
# state -> what each of its tactics leads to
TREE: dict[str, tuple[str, ...]] = {
    "root": ("split", "easy", REFUSED),
    "split": ("easy", "dead", REFUSED),
    "easy": (PROOF, REFUSED, REFUSED),
    "dead": (REFUSED, REFUSED),
}
GOALS = {"root": ("p ∧ q",), "split": ("p", "q"), "easy": ("q",), "dead": ("False", "q")}
LOGITS = {"root": (0.3, -0.4, 0.6), "split": (-0.2, 0.5, 0.1), "easy": (-0.5, 0.8, 0.2), "dead": (0.4, -0.1)}
BASE = torch.tensor([value for state in TREE for value in LOGITS[state]], dtype=torch.float64)
PLACES = {place: at for at, place in enumerate((s, n) for s, ways in TREE.items() for n in range(len(ways)))}


@dataclass(frozen=True)
class Episode:
    """Tactics of an episode, its probability, and the state after them."""

    taken: tuple[tuple[str, int], ...] = ()
    probability: Tensor = field(default_factory=lambda: torch.ones((), dtype=torch.float64))
    state: str = "root"

    @property
    def proved(self) -> bool:
        return self.state == PROOF


def policy_of(logits: Tensor) -> dict[tuple[str, int], Tensor]:
    """Return the probability of each tactic."""
    found = {}
    for state, ways in TREE.items():
        numbers = [PLACES[state, number] for number in range(len(ways))]
        for number, value in enumerate(logits[numbers].softmax(0)):
            found[state, number] = value
    return found


def sent(policy: dict[tuple[str, int], Tensor], state: str, tried: set[int], redraws: int) -> list[Tensor]:
    """Return the probability that each tactic is sent, after those tried: the first of `redraws` others not tried."""
    own = [policy[state, number] for number in range(len(TREE[state]))]
    if not tried or not redraws:
        return own
    mass = torch.stack([own[number] for number in tried]).sum()
    more = torch.stack([mass**count for count in range(redraws + 1)]).sum()
    return [value * (mass**redraws if number in tried else more) for number, value in enumerate(own)]


def episodes(
    policy: dict[tuple[str, int], Tensor], redraws: int, begun: Episode = Episode()
) -> Iterator[Episode]:
    """Yield all episodes that begin so."""
    if begun.proved or len(begun.taken) == MOST_STEPS:
        yield begun
        return
    tried = {number for state, number in begun.taken if state == begun.state}
    for number, value in enumerate(sent(policy, begun.state, tried, redraws)):
        to = TREE[begun.state][number]
        taken = (*begun.taken, (begun.state, number))
        yield from episodes(
            policy, redraws, Episode(taken, begun.probability * value, begun.state if to == REFUSED else to)
        )


def true_gradient(logits: Tensor, redraws: int) -> Tensor:
    """Return the gradient of the solve rate."""
    leaf = logits.clone().requires_grad_()
    rate = torch.stack([one.probability for one in episodes(policy_of(leaf), redraws) if one.proved]).sum()
    return torch.autograd.grad(rate, leaf)[0]


def trajectory(one: Episode, policy: dict[tuple[str, int], Tensor]) -> Trajectory[Completion]:
    steps, script = [], ()
    for at, (state, number) in enumerate(one.taken):
        refused = TREE[state][number] == REFUSED
        ids = (PLACES[state, number],)
        choice = Completion(
            (list(TREE).index(state),), ids, (float(policy[state, number].log()),), f"{state}{number}"
        )
        episode = SimpleNamespace(theorem=SimpleNamespace(name="t"), tactics=script, steps=at)
        reward = float(one.proved and at + 1 == len(one.taken))
        point: Any = SimpleNamespace(episode=episode)
        steps.append(Step(state, choice, reward, refused, point, GOALS[state]))
        script = script if refused else (*script, choice.text)
    return Trajectory("t", steps, Outcome.PROVED if one.proved else Outcome.STEP_LIMIT)


def vines_of(policy: dict[tuple[str, int], Tensor], redraws: int) -> list[TrajectoryGroup]:
    """Return a group of one episode for each state that was reached, which earned the state's true value."""
    earned: dict[tuple[tuple[str, int], ...], list[float]] = {}
    for one in episodes(policy, redraws):
        for at in range(len(one.taken)):
            sums = earned.setdefault(one.taken[:at], [0.0, 0.0])
            sums[0] += float(one.probability) * one.proved
            sums[1] += float(one.probability)
    groups = []
    for before, (won, often) in earned.items():
        state = next(
            one.taken[len(before)][0]
            for one in episodes(policy, redraws)
            if one.taken[: len(before)] == before and len(one.taken) > len(before)
        )
        step = trajectory(Episode((*before, (state, 0))), policy).steps[-1]
        groups.append(TrajectoryGroup("t", (Trajectory("t", [replace(step, reward=won / often)]),)))
    return groups


def expected_gradient(logits: Tensor, redraws: int, settings: CreditConfig, exact: bool = True) -> Tensor:
    """Return the mean over all groups of two of the gradient that the weights of the rows give, at ratio 1.

    Args:
        logits: Of the policy.
        redraws: Tactics drawn in place of one that was tried.
        settings: The credit.
        exact: Whether log-probabilities are those of tactics as they were sent.
    """
    leaf = logits.clone().requires_grad_()
    policy = policy_of(leaf)
    fixed = {place: value.detach() for place, value in policy.items()}
    played = list(episodes(fixed, redraws))
    pairs = list(combinations_with_replacement(range(len(played)), 2))
    told = [trajectory(one, fixed) for one in played]
    groups = [TrajectoryGroup("t", (told[first], told[second])) for first, second in pairs]
    vines = vines_of(fixed, redraws) if settings.credit == "vine" else ()
    rule = create_algorithm("grpo", group_size=2)
    weights = weigh_steps(groups, rule, settings, MOST_STEPS, vines=vines).weights
    share: dict[tuple[str, int, frozenset[int]], float] = {}
    for (first, second), group in zip(pairs, weights, strict=True):
        often = float(played[first].probability * played[second].probability) * (1 if first == second else 2)
        for number, own in zip((first, second), group, strict=True):
            tried: dict[str, frozenset[int]] = {}
            for (state, tactic), weight in zip(played[number].taken, own, strict=True):
                row = (state, tactic, tried.get(state, frozenset()))
                share[row] = share.get(row, 0.0) + often * weight
                tried[state] = row[2] | {tactic}
    total = torch.zeros((), dtype=torch.float64)
    for (state, tactic, before), weight in share.items():
        total = total + weight * policy[state, tactic].log()
        if before and redraws and exact:
            mass = torch.stack([policy[state, number] for number in before]).sum()
            known = Tried((), (), redraws, tactic in before)
            total = total + weight * log_factors(mass[None], [known])[0]
    return torch.autograd.grad(total, leaf)[0]


def cosine(one: Tensor, other: Tensor) -> float:
    return float(torch.nn.functional.cosine_similarity(one, other, dim=0))


PAPER: dict[str, Any] = {"refused_credit": True, "error_penalty": 0.0}
"""Refused tactics have their share of the episode, and no penalty."""


@pytest.mark.parametrize("redraws", [0, 4])
@pytest.mark.parametrize("credit", ["episode", "state", "td"])
def test_the_gradient_is_unbiased(credit: str, redraws: int) -> None:
    more: dict[str, Any] = {"td_lambda": 1.0} if credit == "td" else {}
    found = expected_gradient(BASE, redraws, CreditConfig(credit=credit, **PAPER, **more))
    true = true_gradient(BASE, redraws)
    assert cosine(found, true) == pytest.approx(1.0, abs=1e-6)
    if redraws:
        drawn = expected_gradient(BASE, redraws, CreditConfig(credit=credit, **PAPER, **more), exact=False)
        assert cosine(drawn, true) < 0.99


@pytest.mark.parametrize(
    ("credit", "without", "usual"),
    [
        ("episode", 0.999, 0.84),
        ("gigpo", 0.97, 0.92),
        ("state", 0.999, 0.97),
        ("graph", 0.95, 0.95),
        ("td", 0.99, 0.94),
        ("vine", 0.99, 0.98),
    ],
)
def test_the_bias_of_each_credit_is_bounded(credit: str, without: float, usual: float) -> None:
    """`usual`: as users have it, with 4 redraws, no share for refused tactics and their penalty."""
    true = true_gradient(BASE, 4)
    assert cosine(expected_gradient(BASE, 4, CreditConfig(credit=credit, **PAPER)), true) > without
    assert cosine(expected_gradient(BASE, 4, CreditConfig(credit=credit)), true) > usual


def test_an_episode_that_weighs_as_one_adds_a_bias() -> None:
    true = true_gradient(BASE, 4)
    assert cosine(expected_gradient(BASE, 4, CreditConfig(episode_weighting=True)), true) < 0.8
    alone = cosine(expected_gradient(BASE, 4, CreditConfig(episode_weighting=True, **PAPER)), true)
    assert 0.999 < alone < 0.9999


def test_the_defaults_gain_by_exact_probabilities() -> None:
    true = true_gradient(BASE, 4)
    drawn, exact = (expected_gradient(BASE, 4, CreditConfig(), exact) for exact in (False, True))
    assert cosine(drawn, true) < 0.82 < 0.84 < cosine(exact, true)
