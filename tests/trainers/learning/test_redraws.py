"""Log-probabilities of tactics as they were sent: against an enumeration of draws, and in the learner's gradient."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from lean_gym import LeanProofVectorEnv
from tests.trainers.learning.test_learner import elsewhere, gradient_of
from trainers.algorithms import create_algorithm
from trainers.config.run import LearnerConfig
from trainers.learning.learner import Learner
from trainers.learning.redraws import log_factors, tried_before
from trainers.learning.samples import Sample, Tried
from trainers.policies.packing import build_batch, pack_rows
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import EpisodePlayer

PROBABILITIES = (0.5, 0.3, 0.15, 0.05)


def sent(draws: tuple[int, ...], tried: set[int]) -> int:
    """The rule of the player, for the first draw and those in its place."""
    first, *others = draws
    if first not in tried:
        return first
    return next((other for other in others if other not in tried), first)


@pytest.mark.parametrize("redraws", [1, 3])
@pytest.mark.parametrize("tried", [{0}, {2}, {0, 1}, {0, 1, 2, 3}])
def test_probabilities_are_those_of_all_draws(redraws: int, tried: set[int]) -> None:
    expected = dict.fromkeys(range(4), 0.0)
    for draws in product(range(4), repeat=redraws + 1):
        expected[sent(draws, tried)] += math.prod(PROBABILITIES[draw] for draw in draws)
    mass = torch.tensor([sum(PROBABILITIES[one] for one in tried)] * 4, dtype=torch.float64)
    factors = log_factors(mass, [Tried((), (), redraws, number in tried) for number in range(4)])
    found = torch.tensor(PROBABILITIES, dtype=torch.float64) * factors.exp()
    assert found.tolist() == pytest.approx(list(expected.values()))
    assert float(found.sum()) == pytest.approx(1.0)


def test_rows_may_have_different_numbers_of_redraws() -> None:
    masses = torch.tensor([0.5, 0.5, 1.0, 0.0], requires_grad=True)
    known = [Tried((), (), count, again) for count, again in ((1, False), (2, False), (3, False), (2, True))]
    found = log_factors(masses, known)
    assert found[:3].tolist() == pytest.approx([math.log(1.5), math.log(1.75), math.log(4.0)])
    found.sum().backward()
    assert bool(torch.isfinite(found).all())
    assert masses.grad is not None
    assert bool(torch.isfinite(masses.grad).all())


def test_what_an_episode_had_tried_is_known_from_its_steps(
    env: LeanProofVectorEnv, policy: TransformersPolicy
) -> None:
    with policy.seeded(3):
        episodes = EpisodePlayer(env, redraws=3).sample(["t1", "t7", "t13", "t19"] * 3, policy)
        plain = EpisodePlayer(env).sample(["t1", "t7"], policy)
    seen = again = 0
    for episode in episodes:
        for at, (step, tried) in enumerate(zip(episode.steps, tried_before(episode.steps), strict=True)):
            before = [other for other in episode.steps[:at] if other.goals == step.goals]
            assert (tried is None) == (not before)
            if tried is not None:
                kept = {other.choice.token_ids: sum(other.choice.logprobs) for other in reversed(before)}
                assert dict(zip(tried.tactics, tried.logprobs, strict=True)) == kept
                assert tried.redraws == step.choice.redraws == 3
                assert tried.again == (step.choice.text in {other.choice.text for other in before})
                seen, again = seen + 1, again + tried.again
    assert seen > again > 0
    assert all(tried is None for episode in plain for tried in tried_before(episode.steps))


@pytest.fixture
def rows(policy: TransformersPolicy) -> list[Sample]:
    """Rows of three prompts; some had tried others of their prompt, one of which is no row of its own."""
    with policy.seeded(5):
        drawn = policy.sample(["⊢ True ∧ True"] * 4 + ["⊢ False ∨ True"] * 4 + ["⊢ True"])
    made = [
        Sample(one.prompt_ids, one.token_ids, one.logprobs, weight)
        for one, weight in zip(drawn, (1.0, -0.5, 0.3, 0.8, 2.0, -1.0, 0.7, 0.0, 0.4), strict=True)
    ]

    def after(row: Sample, others: Iterable[Sample], again: bool = False) -> Sample:
        kept = {other.token_ids: sum(other.logprobs) for other in others}
        return replace(row, tried=Tried(tuple(kept), tuple(kept.values()), 4, again))

    made[1] = after(made[1], made[:1])
    made[2] = after(made[2], made[:2])
    made[5] = after(made[5], [made[4], made[7]])
    made[6] = after(made[6], [made[6], made[7]], again=True)
    return [row for row in made if row.advantage]


def own_logprobs(
    policy: TransformersPolicy, prompt: tuple[int, ...], tokens: tuple[int, ...], model: Any = None
) -> Tensor:
    return policy.score(build_batch(pack_rows([(prompt, tokens)], share_prompts=False)), model).logprobs[0]


@pytest.mark.parametrize("engine", [False, True])
@pytest.mark.parametrize("batch_tokens", [8192, 30])
def test_the_gradient_is_that_of_the_tactics_as_they_were_sent(
    policy: TransformersPolicy, rows: list[Sample], engine: bool, batch_tokens: int
) -> None:
    settings = LearnerConfig(minibatches=1, max_grad_norm=0, batch_tokens=batch_tokens)
    chosen: Any = elsewhere(policy) if engine else policy
    found = gradient_of(Learner(chosen, create_algorithm("grpo", beta=0.0), settings), rows)
    policy.model.zero_grad()
    total, plain = torch.zeros(()), torch.zeros(())
    for row in rows:
        drawn = own_logprobs(policy, row.prompt_ids, row.token_ids)
        plain = plain - row.advantage * drawn.mean() / len(rows)
        if row.tried is not None:
            q = torch.stack(
                [own_logprobs(policy, row.prompt_ids, one).sum().exp() for one in row.tried.tactics]
            ).sum()
            drawn = drawn + (4 * q.log() if row.tried.again else (1 + q + q**2 + q**3 + q**4).log()) / len(
                drawn
            )
        total = total - row.advantage * drawn.mean() / len(rows)
    weights = list(policy.model.parameters())
    expected = torch.cat([grad.flatten() for grad in torch.autograd.grad(total, weights, retain_graph=True)])
    without = torch.cat([grad.flatten() for grad in torch.autograd.grad(plain, weights)])
    assert torch.allclose(found, expected, atol=1e-5)
    assert not torch.allclose(found, without, atol=1e-3)


def test_ratios_compare_probabilities_of_the_same_kind(
    policy: TransformersPolicy, rows: list[Sample]
) -> None:
    """Before the first step the ratio is 1 and the divergence from a copy is 0, whatever had been tried."""
    made = Learner(policy, create_algorithm("grpo", beta=0.1), LearnerConfig(minibatches=1))
    made.use_reference(copy.deepcopy(policy.model))
    metrics = made.update(rows, 0.0, torch.Generator().manual_seed(0))
    assert metrics["ratio"] == pytest.approx(1.0, abs=1e-5)
    assert metrics["kl"] == pytest.approx(0.0, abs=1e-6)
    assert metrics["update_kl"] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_each_part_of_each_process_has_all_that_its_rows_have_tried(
    count: int, policy: TransformersPolicy
) -> None:
    """Those too that a process computes for nothing, while another one has more parts."""
    made = Learner(policy, create_algorithm("grpo"), LearnerConfig())
    spare = 0
    for seed in range(40):
        rng = random.Random(seed)
        made.settings = made.settings.model_copy(update={"batch_tokens": rng.choice([1, 8, 30, 400])})
        samples = []
        for prompt in range(rng.randint(1, 5)):
            texts = [tuple(rng.choices((3, 4, 5), k=rng.randint(1, 6))) for _ in range(8)]
            for text in rng.choices(texts, k=rng.randint(1, 5)):
                others = tuple(dict.fromkeys(rng.choices(texts, k=rng.randint(0, 4))))
                tried = Tried(others, (-1.0,) * len(others), 2, text in others) if others else None
                samples.append(Sample((7, prompt), text, (-0.5,) * len(text), 1.0, tried=tried))
        trained: list[Sample] = []
        for rank in range(count):
            made.processes = SimpleNamespace(count=count, rank=rank)  # type: ignore[assignment]
            for part, scored, rows in made._row_parts(samples):
                for row in rows.samples:
                    assert all(
                        (row.prompt_ids, own) in scored for own in (row.tried.tactics if row.tried else ())
                    )
                trained += rows.samples if part.real else []
                spare += not part.real
        assert sorted(map(id, trained)) == sorted(map(id, samples))
    assert (spare > 0) is (count > 1)
