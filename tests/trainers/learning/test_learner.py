from __future__ import annotations

import copy
import math
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from trl import GRPOTrainer
from trl.trainer.callbacks import SyncRefModelCallback

from lean_gym import Outcome
from trainers.algorithms import ALGORITHMS, LossBatch, create_algorithm
from trainers.config.credit import CreditConfig
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig, WarmStartConfig
from trainers.learning.learner import Learner
from trainers.learning.rows import RolloutSize, assign_credit
from trainers.learning.samples import Sample, Tried
from trainers.policies.base import Completion
from trainers.policies.packing import build_batch, pack_rows
from trainers.policies.scoring import score
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.vllm import VllmPolicy
from trainers.rollouts.player import Step, Trajectory, TrajectoryGroup

GOALS = ["⊢ True ∧ True"] * 4 + ["⊢ False ∨ True"] * 3 + ["⊢ True"]
ADVANTAGES = (1.0, -0.5, 0.3, 0.0, 2.0, -1.0, 0.7, 0.4)


@pytest.fixture
def samples(policy: TransformersPolicy) -> list[Sample]:
    with policy.seeded(5):
        drawn = policy.sample(GOALS)
    rows = [
        Sample(c.prompt_ids, c.token_ids, c.logprobs, advantage)
        for c, advantage in zip(drawn, ADVANTAGES, strict=True)
    ]
    return [*rows, rows[0]]  # the same tactic drawn twice


def learner(policy: TransformersPolicy, **settings: Any) -> Learner:
    """A learner without a warm-up of its rate."""
    chosen = LearnerConfig(**{"learning_rate": 1e-3, "warmup_steps": 0, **settings})
    made = Learner(policy, create_algorithm("grpo", beta=0.1), chosen)
    made.use_reference(copy.deepcopy(policy.model))
    return made


def group_of(rows: list[Sample], rewards: tuple[float, ...]) -> TrajectoryGroup:
    """Episodes of one tactic each."""
    steps = [
        Step("goals", Completion(row.prompt_ids, row.token_ids, row.logprobs, "tactic"), reward, False)
        for row, reward in zip(rows, rewards, strict=True)
    ]
    return TrajectoryGroup("t", tuple(Trajectory("t", [step], Outcome.STEP_LIMIT) for step in steps))


def gradient_of(
    made: Learner, samples: list[Sample], rollout: RolloutSize | None = None, **others: Any
) -> torch.Tensor:
    """The gradient of one mini-batch, before clipping and optimiser."""
    made.optimizer.step = lambda *_: None  # type: ignore[method-assign,assignment]
    kept: list[torch.Tensor] = []
    made.optimizer.zero_grad = lambda *_: kept.append(  # type: ignore[method-assign,assignment,misc]
        torch.cat([p.grad.flatten().clone() for p in made.policy.model.parameters()])
    )
    made.update(samples, 0.0, torch.Generator().manual_seed(0), rollout=rollout, **others)
    return kept[0]


@pytest.mark.parametrize("algorithm", ["grpo", "dapo", "dr_grpo"])
def test_dropping_rows_without_advantage_does_not_change_the_gradient(
    policy: TransformersPolicy, samples: list[Sample], algorithm: str
) -> None:
    """The mean is over the rows of the rollout (over its tokens in dapo), not over those that are left."""
    settings = LearnerConfig(minibatches=1, max_grad_norm=0)
    samples = [replace(row, advantage=row.advantage * (at > 2)) for at, row in enumerate(samples)]
    kept = [row for row in samples if row.advantage]
    assert len(kept) < len(samples)

    def gradient(rows: list[Sample], rollout: RolloutSize | None) -> torch.Tensor:
        policy.model.zero_grad()
        made = Learner(policy, create_algorithm(algorithm, beta=0.0), settings)
        return gradient_of(made, rows, rollout)

    whole = gradient(samples, None)
    assert torch.allclose(gradient(kept, RolloutSize.of(samples)), whole, atol=1e-6)
    assert not torch.allclose(gradient(kept, None), whole, atol=1e-4)


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("grpo", {"kl_estimator": "k3"}),
        ("dapo", {"kl_estimator": "k3"}),
        ("reinforce_pp", {"kl_estimator": "k3"}),
        ("reinforce_pp", {"kl_estimator": "k1", "use_baseline": False}),
        ("rloo", {}),
    ],
)
def test_the_divergence_is_that_of_all_rows(
    policy: TransformersPolicy, samples: list[Sample], algorithm: str, settings: dict[str, Any]
) -> None:
    """Episodes of equal returns have no advantage; they keep their share in the KL divergence."""
    reference = copy.deepcopy(policy.model)
    for parameter in reference.parameters():
        parameter.data *= 0.9
    rule = create_algorithm(algorithm, group_size=4, beta=0.3, **settings)
    rewards = ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    groups = [
        group_of([samples[4 * number + at] for at in range(4)], earned)
        for number, earned in enumerate(rewards)
    ]
    credit = assign_credit(groups, rule, CreditConfig(error_penalty=0.0), max_steps=4)
    made = Learner(policy, rule, LearnerConfig(minibatches=1, max_grad_norm=0))
    made.use_reference(reference)
    found = gradient_of(made, list(credit.samples), credit.rollout)
    policy.model.zero_grad()
    advantages = [value for group in rule.compute_group_advantages(rewards) for value in group.tolist()]
    lengths = [len(row.token_ids) for row in samples[:8]]
    total = torch.zeros(())
    for row, advantage in zip(samples[:8], advantages, strict=True):
        batch = build_batch(pack_rows([(row.prompt_ids, row.token_ids)], share_prompts=False))
        own, start = policy.score(batch).logprobs[0], policy.score(batch, reference).logprobs[0].detach()
        apart = (own - start).detach()
        if algorithm == "rloo":
            total = total - (advantage - 0.3 * apart.sum()) * own.sum() / 8
        elif settings["kl_estimator"] == "k1":
            to_come = apart.flip(0).cumsum(0).flip(0)
            total = total - ((advantage - 0.3 * to_come) * own).sum() / sum(lengths)
        else:
            losses = -advantage * own + 0.3 * (torch.exp(start - own) - (start - own) - 1)
            total = total + (losses.mean() / 8 if algorithm == "grpo" else losses.sum() / sum(lengths))
    total.backward()
    expected = torch.cat([p.grad.flatten() for p in policy.model.parameters()])
    assert expected.norm() > 0.01
    assert torch.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("change", ["alone", "small batches"])
def test_sharing_and_batching_do_not_change_the_gradient(
    policy: TransformersPolicy, samples: list[Sample], change: str
) -> None:
    whole = gradient_of(learner(policy, minibatches=1, max_grad_norm=0), samples)
    policy.model.zero_grad()
    other = learner(
        policy, minibatches=1, max_grad_norm=0, batch_tokens=40 if change == "small batches" else 8192
    )
    policy.shares_prompts = change != "alone"
    assert whole.norm() > 0.01
    assert torch.allclose(gradient_of(other, samples), whole, atol=1e-5)


def test_the_gradient_is_that_of_the_loss_row_by_row(
    policy: TransformersPolicy, samples: list[Sample]
) -> None:
    found = gradient_of(learner(policy, minibatches=1, max_grad_norm=0), samples)
    policy.model.zero_grad()
    total = torch.zeros(())
    for row in samples:
        ids = torch.tensor([row.prompt_ids + row.token_ids])
        logits = policy.model(ids).logits[0, len(row.prompt_ids) - 1 : -1]
        logprobs = logits.log_softmax(-1).gather(1, torch.tensor(row.token_ids).unsqueeze(1)).squeeze(1)
        # on-policy: the ratio is 1 and the KL to itself has no gradient
        total = total - row.advantage * torch.exp(logprobs - logprobs.detach()).mean()
    (total / len(samples)).backward()
    expected = torch.cat([p.grad.flatten() for p in policy.model.parameters()])
    assert torch.allclose(found, expected, atol=1e-5)


def test_rewarded_tactics_become_likelier(policy: TransformersPolicy, samples: list[Sample]) -> None:
    made = learner(policy, minibatches=2, update_epochs=2)
    metrics = made.update([replace(samples[0], advantage=1.0)], 0.0, torch.Generator().manual_seed(0))
    shown = {"loss", "entropy", "clip_fraction", "ratio", "update_kl", "kl", "grad_norm", "learning_rate"}
    assert set(metrics) == shown | {"sampler_kl"}
    assert metrics["sampler_kl"] == pytest.approx(0.0, abs=1e-6) != metrics["update_kl"]
    assert metrics["ratio"] > 1.0  # the policy has changed before the second pass
    again = made.update([replace(samples[0], advantage=0.5)], 0.0, torch.Generator().manual_seed(0))
    assert again["ratio"] > metrics["ratio"]


def test_an_entropy_bonus_spreads_the_policy(policy: TransformersPolicy, samples: list[Sample]) -> None:
    """Its gradient is that of the mean entropy per token, computed from all logits."""
    rows = [replace(row, advantage=0.0) for row in samples]
    made = Learner(
        policy,
        create_algorithm("grpo", beta=0.0, entropy_coef=0.5),
        LearnerConfig(minibatches=1, max_grad_norm=0),
    )
    found = gradient_of(made, rows)
    policy.model.zero_grad()
    total = torch.zeros(())
    for row in rows:
        logits = policy.model(torch.tensor([row.prompt_ids + row.token_ids])).logits
        logprobs = logits[0, len(row.prompt_ids) - 1 : -1].log_softmax(-1)
        total = total + (logprobs.exp() * logprobs).sum()
    (0.5 * total / sum(len(row.token_ids) for row in rows)).backward()
    expected = torch.cat([p.grad.flatten() for p in policy.model.parameters()])
    assert found.norm() > 1e-3
    assert torch.allclose(found, expected, atol=1e-5)


def test_no_rows_no_step(policy: TransformersPolicy) -> None:
    before = [parameter.clone() for parameter in policy.model.parameters()]
    assert learner(policy).update([], 0.0, torch.Generator()) == {}
    assert all(torch.equal(a, b) for a, b in zip(before, policy.model.parameters(), strict=True))


def test_minibatches_keep_prompts_together(policy: TransformersPolicy, samples: list[Sample]) -> None:
    made = learner(policy, minibatches=3)
    parts: list[list[Sample]] = []
    made._accumulate = lambda part, *_: parts.append(part)  # type: ignore[method-assign,assignment,misc]
    made.update(samples, 0.0, torch.Generator().manual_seed(0))
    assert 1 < len(parts) <= 3
    assert sorted(map(id, samples)) == sorted(id(row) for part in parts for row in part)
    prompts = [{row.prompt_ids for row in part} for part in parts]
    assert sum(map(len, prompts)) == len(set().union(*prompts))


def test_learning_rate_falls_to_its_floor(policy: TransformersPolicy, samples: list[Sample]) -> None:
    made = learner(policy, learning_rate_floor=0.2)
    rates = []
    for progress in (0.0, 0.5, 1.0):
        made.update(samples, progress, torch.Generator().manual_seed(0))
        rates.append(made.optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([1e-3, 0.6e-3, 0.2e-3])


def test_the_rate_is_warmed_up_after_each_reset(policy: TransformersPolicy, samples: list[Sample]) -> None:
    def begun() -> tuple[Learner, list[float]]:
        made = learner(policy, warmup_steps=4, minibatches=1, update_epochs=3)
        taken: list[float] = []
        step = made._step
        made._step = lambda rate: taken.append(rate) or step(rate)  # type: ignore[method-assign,func-returns-value]
        return made, taken

    made, taken = begun()
    pairs = [(samples[0].prompt_ids, samples[0].token_ids)]
    made.imitate(
        pairs, WarmStartConfig().imitation, 0, torch.Generator().manual_seed(0)
    )  # counts for nothing
    made.reset_optimizer()
    taken.clear()
    metrics = made.update(samples, 0.0, torch.Generator().manual_seed(0))
    assert taken == pytest.approx([0.25e-3, 0.5e-3, 0.75e-3])
    assert metrics["learning_rate"] == pytest.approx(0.5e-3)
    resumed, later = begun()
    resumed.load_state_dict(made.state_dict())
    resumed.update(samples, 0.0, torch.Generator().manual_seed(0))
    assert later == pytest.approx([1e-3] * 3)
    made.reset_optimizer()
    taken.clear()
    made.update(samples, 0.0, torch.Generator().manual_seed(0))
    assert taken == pytest.approx([0.25e-3, 0.5e-3, 0.75e-3])


def test_imitation_learns_the_pairs(policy: TransformersPolicy) -> None:
    pairs = [
        (policy.encode_prompt(goal), policy.encode_tactic(f"trivial{goal}")) for goal in sorted(set(GOALS))
    ]
    settings = WarmStartConfig(warm_start_epochs=12, warm_start_learning_rate=3e-3, warm_start_batch=1)
    made = learner(policy)
    losses = [
        made.imitate(pairs, settings.imitation, epoch, torch.Generator().manual_seed(epoch))
        for epoch in range(12)
    ]
    assert losses[-1] < 0.7 * losses[0]
    assert made.optimizer.param_groups[0]["lr"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("rewarded", [True, False])
def test_imitation_beside_the_loss_adds_its_weighted_mean(
    policy: TransformersPolicy, samples: list[Sample], rewarded: bool
) -> None:
    rows = samples if rewarded else []
    pairs = [(policy.encode_prompt(goal), policy.encode_tactic(f"trivial{goal}")) for goal in GOALS[2:6]]
    made = learner(policy, minibatches=1, max_grad_norm=0)
    alone = gradient_of(made, rows) if rows else 0.0
    policy.model.zero_grad()
    logprobs = []
    for prompt, completion in pairs:
        logits = policy.model(torch.tensor([prompt + completion])).logits[0, len(prompt) - 1 : -1]
        logprobs.append(logits.log_softmax(-1).gather(1, torch.tensor(completion).unsqueeze(1)))
    loss = -torch.cat(logprobs).mean()
    (0.3 * loss).backward()
    imitation = torch.cat([p.grad.flatten().clone() for p in policy.model.parameters()])
    policy.model.zero_grad()
    both = gradient_of(
        learner(policy, minibatches=1, max_grad_norm=0), rows, imitated=pairs, imitation_weight=0.3
    )
    assert imitation.norm() > 0.01
    assert torch.allclose(both, alone + imitation, atol=1e-5)
    metrics = learner(policy).update(rows, 0.0, torch.Generator().manual_seed(0), None, None, pairs, 0.0)
    assert metrics["imitation_loss"] == pytest.approx(float(loss.detach()), rel=0.2)


@pytest.mark.parametrize("algorithm", ["dapo", "dr_grpo", "gspo", "cispo"])
def test_no_algorithm_sees_how_rows_are_batched(
    policy: TransformersPolicy, samples: list[Sample], algorithm: str
) -> None:
    found = []
    for batch_tokens in (8192, 30):
        settings = LearnerConfig(minibatches=1, max_grad_norm=0, batch_tokens=batch_tokens)
        found.append(gradient_of(Learner(policy, create_algorithm(algorithm), settings), samples))
        policy.model.zero_grad()
    assert found[0].norm() > 0.001
    assert torch.allclose(*found, atol=1e-6)


def test_minibatches_that_share_a_step_have_the_gradient_of_the_whole(
    policy: TransformersPolicy, samples: list[Sample]
) -> None:
    found = []
    for minibatches, sync_frequency in ((1, 1), (3, 3)):
        settings = LearnerConfig(minibatches=minibatches, max_grad_norm=0)
        made = Learner(policy, create_algorithm("dapo", sync_frequency=sync_frequency), settings)
        steps: list[None] = []
        taken = made._step
        made._step = lambda rate, taken=taken, steps=steps: steps.append(None) or taken(rate)  # type: ignore[method-assign,misc]
        found.append(gradient_of(made, samples))
        policy.model.zero_grad()
        assert len(steps) == 1
    assert torch.allclose(*found, atol=1e-6)


def test_logits_in_pieces_give_the_same_update(
    policy: TransformersPolicy, samples: list[Sample], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = gradient_of(learner(policy, minibatches=1, max_grad_norm=0), samples)
    policy.model.zero_grad()
    assert policy.scores_in_pieces
    monkeypatch.setattr("trainers.policies.transformers.score", partial(score, most_logits=900))
    assert torch.allclose(
        gradient_of(learner(policy, minibatches=1, max_grad_norm=0), samples), whole, atol=1e-6
    )


def test_preferences_between_episodes_in_rows_that_never_meet(
    policy: TransformersPolicy, samples: list[Sample]
) -> None:
    reference = copy.deepcopy(policy.model)
    for parameter in reference.parameters():
        parameter.data *= 0.9
    pairs = [(4, 5), (0, 1)]
    rows = [
        replace(row, episode=episode)
        for row, episode in zip(samples[:8], (0, 0, 1, 1, 4, 5, 5, 4), strict=True)
    ]
    found = []
    for options in ({"dpo_coef": 0.7}, {"use_dpo_loss": False}):
        algorithm = create_algorithm("dgpo", beta=0.0, dpo_beta=0.5, **options)
        made = Learner(policy, algorithm, LearnerConfig(minibatches=1, max_grad_norm=0, batch_tokens=30))
        made.use_reference(reference)
        made.optimizer.step = lambda *_: None  # type: ignore[method-assign,assignment]
        made.optimizer.zero_grad = lambda *_: None  # type: ignore[method-assign,assignment]
        made.update(rows, 0.0, torch.Generator().manual_seed(0), pairs)
        found.append(torch.cat([p.grad.flatten().clone() for p in policy.model.parameters()]))
        policy.model.zero_grad()

    log_ratios = torch.zeros(6)
    for row in rows:
        batch = build_batch(pack_rows([(row.prompt_ids, row.token_ids)], share_prompts=False))
        ours = policy.score(batch).logprobs.sum()
        log_ratios = log_ratios.index_add(
            0,
            torch.tensor([row.episode]),
            (ours - policy.score(batch, reference).logprobs.sum().detach())[None],
        )
    margins = torch.stack([log_ratios[better] - log_ratios[worse] for better, worse in pairs])
    (-0.7 * torch.nn.functional.logsigmoid(0.5 * margins).mean()).backward()
    expected = torch.cat([p.grad.flatten() for p in policy.model.parameters()])
    assert expected.norm() > 0.01
    assert torch.allclose(found[0] - found[1], expected, atol=1e-5)


def test_computing_in_16_bits_trains_weights_of_32(policy: TransformersPolicy, samples: list[Sample]) -> None:
    exact = gradient_of(learner(policy, minibatches=1, max_grad_norm=0), samples)
    policy.model.zero_grad()
    policy.compute_dtype = torch.bfloat16
    rough = gradient_of(learner(policy, minibatches=1, max_grad_norm=0), samples)
    assert not torch.equal(rough, exact)
    assert float(torch.nn.functional.cosine_similarity(rough, exact, dim=0)) > 0.99
    assert all(parameter.dtype == torch.float32 for parameter in policy.model.parameters())
    with policy.seeded(0):
        drawn = policy.sample(GOALS)
    batch = build_batch(pack_rows([(c.prompt_ids, c.token_ids) for c in drawn], policy.shares_prompts))
    for place, member in enumerate(batch.members):
        sampled = drawn[member].logprobs
        again = policy.score(batch).logprobs[place, : len(sampled)].tolist()
        assert again == pytest.approx(sampled, abs=0.1)


def elsewhere(policy: TransformersPolicy) -> VllmPolicy:
    """The same policy with an engine, which updates must not use but to let it rest."""
    engine: Any = SimpleNamespace(rest=lambda: False)
    return VllmPolicy(policy.model, policy.tokenizer, policy.settings, engine)


def shifted(samples: list[Sample], shifts: tuple[float, ...]) -> list[Sample]:
    """Rows whose log-probabilities under the engine exceed the learner's by a number of nats for each row."""
    return [
        replace(row, logprobs=tuple(value + shift for value in row.logprobs))
        for row, shift in zip(samples, shifts, strict=True)
    ]


def seen_by(made: Learner) -> list[LossBatch]:
    """Record the batches that the algorithm gets."""
    kept: list[LossBatch] = []
    compute = made.algorithm.compute_loss
    made.algorithm.compute_loss = lambda batch: kept.append(batch) or compute(batch)  # type: ignore[method-assign,func-returns-value,arg-type]
    return kept


# The last is more than log 2 below the learner, so its weight is truncated at 2.
SHIFTS = (0.1, -0.2, 0.0, 0.3, 0.5, -0.1, 0.05, -0.3, -1.0)
WEIGHTS = [math.exp(-shift) for shift in SHIFTS[:-1]] + [2.0]


def test_tokens_of_another_engine_are_weighed_in_the_loss(
    policy: TransformersPolicy, samples: list[Sample]
) -> None:
    rows = shifted(samples, SHIFTS)
    settings = LearnerConfig(minibatches=1, max_grad_norm=0, batch_tokens=60)
    made = Learner(elsewhere(policy), create_algorithm("grpo", beta=0.0), settings)
    found = gradient_of(made, rows)
    policy.model.zero_grad()
    total = torch.zeros(())
    for row, weight in zip(rows, WEIGHTS, strict=True):
        ids = torch.tensor([row.prompt_ids + row.token_ids])
        logits = policy.model(ids).logits[0, len(row.prompt_ids) - 1 : -1]
        logprobs = logits.log_softmax(-1).gather(1, torch.tensor(row.token_ids).unsqueeze(1)).squeeze(1)
        # The learner's own ratio is 1, so nothing is clipped whatever the engine's probabilities.
        total = total - weight * row.advantage * torch.exp(logprobs - logprobs.detach()).mean()
    (total / len(rows)).backward()
    expected = torch.cat([p.grad.flatten() for p in policy.model.parameters()])
    assert expected.norm() > 0.01
    assert torch.allclose(found, expected, atol=1e-5)


def test_the_difference_between_engine_and_learner_is_measured(
    policy: TransformersPolicy, samples: list[Sample]
) -> None:
    made = Learner(elsewhere(policy), create_algorithm("grpo", beta=0.0), LearnerConfig(batch_tokens=60))
    metrics = made.update(shifted(samples, SHIFTS), 0.0, torch.Generator().manual_seed(0))
    lengths = [len(row.token_ids) for row in samples]
    mean = sum(n * abs(shift) for n, shift in zip(lengths, SHIFTS, strict=True)) / sum(lengths)
    assert metrics["sampler_mean_difference"] == pytest.approx(mean, abs=1e-5)
    assert metrics["sampler_largest_difference"] == pytest.approx(1.0, abs=1e-4)
    assert metrics["sampler_capped_share"] == pytest.approx(lengths[-1] / sum(lengths))


def test_the_learners_probabilities_are_those_from_before_the_first_step(
    policy: TransformersPolicy, samples: list[Sample]
) -> None:
    rows = shifted(samples, SHIFTS)
    before = {(row.prompt_ids, row.token_ids): row.logprobs for row in samples}
    settings = LearnerConfig(learning_rate=1e-2, minibatches=2, update_epochs=2)
    made = Learner(elsewhere(policy), create_algorithm("grpo", beta=0.0), settings)
    batches = seen_by(made)
    made.update(rows, 0.0, torch.Generator().manual_seed(0))
    assert len(batches) > 2  # steps of both passes
    for batch in batches:
        assert batch.sampler_weights is not None
        for old, mask in zip(batch.old_logprobs, batch.mask.bool(), strict=True):
            values = old[mask].tolist()
            assert any(
                len(own) == len(values) and own == pytest.approx(values, abs=1e-5) for own in before.values()
            )
        assert not bool(batch.sampler_weights.requires_grad)
    moved = [float((batch.logprobs - batch.old_logprobs).abs().max().detach()) for batch in batches]
    assert moved[0] < 1e-5
    assert min(moved[1:]) > 1e-3


def test_what_the_learner_sampled_itself_is_taken_as_it_was_sampled(
    policy: TransformersPolicy, samples: list[Sample]
) -> None:
    made = Learner(policy, create_algorithm("grpo", beta=0.0), LearnerConfig(minibatches=1))
    batches = seen_by(made)
    metrics = made.update(samples, 0.0, torch.Generator().manual_seed(0))
    [batch] = batches
    assert batch.sampler_weights is None
    kept = [
        tuple(old[mask].tolist()) for old, mask in zip(batch.old_logprobs, batch.mask.bool(), strict=True)
    ]
    assert sorted(kept) == sorted(row.logprobs for row in samples)
    assert [name for name in metrics if name.startswith("sampler_")] == ["sampler_kl"]


@pytest.mark.parametrize("mode", ["none", "token_mask", "sequence_truncate"])
def test_the_correction_is_that_of_the_settings(
    policy: TransformersPolicy, samples: list[Sample], mode: Any
) -> None:
    settings = LearnerConfig(
        minibatches=1, sampler_correction=mode, sampler_weight_min=0.8, sampler_weight_max=1.2
    )
    made = Learner(elsewhere(policy), create_algorithm("grpo", beta=0.0), settings)
    batches = seen_by(made)
    made.update(shifted(samples, SHIFTS), 0.0, torch.Generator().manual_seed(0))
    [batch] = batches
    assert batch.sampler_weights is not None
    found = {round(float(value), 3) for value in batch.sampler_weights.flatten()}
    if mode == "none":
        assert found == {1.0}
    elif mode == "token_mask":
        weights = (0.0 if not 0.8 <= value <= 1.2 else value for value in WEIGHTS)
        assert found == {round(value, 3) for value in weights} | {1.0}
    else:
        assert batch.sampler_weights.shape == (len(samples), 1)
        assert min(found) >= 0.8
        assert max(found) <= 1.2


def test_what_was_sampled_in_16_bits_is_weighed_as_well(policy: TransformersPolicy) -> None:
    """Ratios are 1 before the first step, and the difference of sampling and scoring is in the weights."""
    rough = TransformersPolicy(policy.model, policy.tokenizer, policy.settings, compute_dtype=torch.bfloat16)
    with rough.seeded(5):
        drawn = rough.sample(GOALS)
    rows = [
        Sample(one.prompt_ids, one.token_ids, one.logprobs, advantage)
        for one, advantage in zip(drawn, ADVANTAGES, strict=True)
    ]
    made = Learner(rough, create_algorithm("grpo", beta=0.0), LearnerConfig(minibatches=1))
    batches = seen_by(made)
    metrics = made.update(rows, 0.0, torch.Generator().manual_seed(0))
    [batch] = batches
    assert batch.sampler_weights is not None
    assert metrics["ratio"] == pytest.approx(1.0, abs=1e-6)
    assert metrics["sampler_largest_difference"] < 0.2


def test_an_engine_and_no_rows_give_no_step(policy: TransformersPolicy) -> None:
    made = Learner(elsewhere(policy), create_algorithm("grpo", beta=0.0), LearnerConfig())
    assert made.update([], 0.0, torch.Generator()) == {}


def test_the_start_policy_follows_as_in_trl(policy: TransformersPolicy, samples: list[Sample]) -> None:
    """Every second optimiser step, by TRL's own function on the same models; a copy of the learner goes on alike."""

    def made(source: TransformersPolicy, start: torch.nn.Module) -> Learner:
        settings = LearnerConfig(
            minibatches=1, learning_rate=0.01, sync_ref_model=True, ref_model_sync_steps=2, warmup_steps=0
        )
        found = Learner(source, create_algorithm("grpo", beta=0.1), settings)
        found.use_reference(copy.deepcopy(start))  # type: ignore[arg-type]
        return found

    def step(one: Learner) -> dict[str, float]:
        return one.update(samples, 0.0, torch.Generator().manual_seed(0))

    start = copy.deepcopy(policy.model)
    first, expected = made(policy, start), copy.deepcopy(start)
    for count in range(1, 6):
        divergence = step(first)["kl"]
        assert (divergence == pytest.approx(0.0, abs=1e-7)) == (count == 1)
        if count % 2 == 0:
            SyncRefModelCallback._sync_target_model(policy.model, expected, 0.6)
    stored = first.state_dict()
    for name, weight in expected.state_dict().items():
        assert torch.equal(stored["reference"][name], weight)
    assert not torch.equal(stored["reference"]["model.norm.weight"], start.state_dict()["model.norm.weight"])
    stored = copy.deepcopy(stored)
    other = TransformersPolicy(copy.deepcopy(start), policy.tokenizer, RolloutConfig(max_tactic_tokens=6))
    second = Learner(other, first.algorithm, first.settings)
    second.load_state_dict(copy.deepcopy(stored))
    torch.testing.assert_close(second.state_dict()["reference"], stored["reference"], rtol=0, atol=0)
    second.use_reference(copy.deepcopy(start))
    assert step(second) == step(first)
    torch.testing.assert_close(
        second.state_dict()["reference"], first.state_dict()["reference"], rtol=0, atol=0
    )


def test_a_start_policy_that_stays_is_not_stored(policy: TransformersPolicy) -> None:
    assert learner(policy).state_dict()["reference"] is None


def test_the_most_uncertain_tokens_of_the_whole_step_are_trained(
    policy: TransformersPolicy, samples: list[Sample]
) -> None:
    """The quantile is that of the step, not that of each of its parts, and TRL's own on the same entropies."""

    def gradient(share: float) -> tuple[torch.Tensor, list[LossBatch]]:
        policy.model.zero_grad()
        settings = LearnerConfig(minibatches=1, max_grad_norm=0, batch_tokens=12, top_entropy_quantile=share)
        made = Learner(policy, create_algorithm("dapo", beta=0.0), settings)
        batches = seen_by(made)
        return gradient_of(made, samples), batches

    found, batches = gradient(0.3)
    assert len(batches) > 1
    batch = build_batch(pack_rows([(row.prompt_ids, row.token_ids) for row in samples], share_prompts=False))
    scores = policy.score(batch)
    one_process = SimpleNamespace(pad_across_processes=lambda value, **_: value, gather=lambda value: value)
    trainer, entropies = SimpleNamespace(accelerator=one_process), scores.entropy.detach()
    top = GRPOTrainer.get_high_entropy_mask(trainer, entropies, batch.mask, 0.7)
    assert 0 < top.sum() < batch.mask.sum() / 2
    assert sum(float(part.trained.sum()) for part in batches if part.trained is not None) == top.sum()
    policy.model.zero_grad()
    advantages = torch.tensor([samples[member].advantage for member in batch.members]).unsqueeze(1)
    (-(advantages * scores.logprobs * top).sum() / batch.mask.sum()).backward()
    expected = torch.cat([p.grad.flatten() for p in policy.model.parameters()])
    assert expected.norm() > 0.01
    assert torch.allclose(found, expected, atol=1e-5)
    assert not torch.allclose(gradient(1.0)[0], expected, atol=1e-3)


@pytest.mark.parametrize("target", [None, 1e-9, 1e9])
def test_steps_after_a_divergence_above_the_target_are_left_out(
    policy: TransformersPolicy, samples: list[Sample], target: float | None
) -> None:
    """The first step is taken at the policy that sampled, the second one finds it changed."""
    made = learner(policy, minibatches=1, update_epochs=3, target_kl=target)
    taken = []
    step = made._step
    made._step = lambda rate: taken.append(rate) or step(rate)  # type: ignore[method-assign,func-returns-value]
    metrics = made.update(samples, 0.0, torch.Generator().manual_seed(0))
    assert len(taken) == (2 if target == 1e-9 else 3)
    assert metrics.get("skipped_steps") == (None if target is None else 3 - len(taken))


def test_a_fallen_row_of_negative_advantage_is_left_out() -> None:
    old = torch.full((4, 2), -1.0)
    logprobs = torch.tensor([[-1.7, -1.7], [-1.7, -1.7], [-1.4, -1.4], [-2.4, -1.0]], requires_grad=True)
    batch = LossBatch(logprobs, old, torch.tensor([-1.0, 1.0, -1.0, -1.0]), torch.ones(4, 2))
    for threshold, kept in ((0.5, [False, True, True, False]), (0.8, [True] * 4), (None, [True] * 4)):
        algorithm = create_algorithm("cispo", off_policy_mask_threshold=threshold)
        (gradient,) = torch.autograd.grad(algorithm.compute_loss(batch), logprobs)
        assert gradient.any(dim=1).tolist() == kept
        left_out = algorithm.compute_metrics(batch).get("masked_fraction")
        assert left_out == (None if threshold is None else kept.count(False) / 4)


def fall_of(policy: TransformersPolicy, name: str, **options: Any) -> float:
    """Nats a token that tactics lose in 32 optimiser steps on one rollout in which all did badly."""
    changed = TransformersPolicy(copy.deepcopy(policy.model), policy.tokenizer, policy.settings)
    with changed.seeded(5):
        drawn = changed.sample(GOALS)
    rows = [Sample(c.prompt_ids, c.token_ids, c.logprobs, -1.0) for c in drawn]
    settings = LearnerConfig(learning_rate=1e-3, warmup_steps=0, minibatches=1, update_epochs=32)
    made = Learner(changed, create_algorithm(name, beta=0.0, **options), settings)
    made.update(rows, 0.0, torch.Generator().manual_seed(0))
    now = made._scores_now(rows, "logprobs")
    lost = [
        old - new
        for row in rows
        for old, new in zip(row.logprobs, now[row.prompt_ids, row.token_ids], strict=True)
    ]
    return math.fsum(lost) / len(lost)


@pytest.mark.parametrize("name", sorted(set(ALGORITHMS) - {"grpo"}))
def test_no_default_lets_bad_tactics_fall_further_than_the_clip_of_grpo(
    policy: TransformersPolicy, name: str
) -> None:
    """Otherwise one iteration can destroy the policy: most rows are bad while few theorems are proved."""
    clipped = fall_of(policy, "grpo")
    options = {"use_dpo_loss": False} if name == "dgpo" else {}  # preferences need good tactics as well
    assert fall_of(policy, name, **options) < 1.1 * clipped
    if name in ("cispo", "sapo"):
        assert fall_of(policy, name, off_policy_mask_threshold=None) > 1.5 * clipped


def test_the_divergence_of_an_update_is_that_of_the_sampler_from_the_policy() -> None:
    new, old = torch.tensor([[0.25, 0.75]]).log(), torch.tensor([[0.5, 0.5]]).log()
    batch = LossBatch(new, old, torch.ones(1), torch.ones(1, 2))
    # Both tokens as often as the sampler draws them: the estimate is exact.
    assert create_algorithm("grpo").compute_metrics(batch)["update_kl"] == pytest.approx(
        0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75)
    )


# dgpo asks for the log-probabilities of whole episodes once a pass.
@pytest.mark.parametrize("name", sorted(set(ALGORITHMS) - {"dgpo"}))
def test_an_update_waits_for_no_value(
    policy: TransformersPolicy, samples: list[Sample], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """On torch's device without values, where every step that would wait for one fails; they are read in the end."""
    policy.model.to("meta")
    settings = LearnerConfig(minibatches=1, update_epochs=3)
    made = Learner(policy, create_algorithm(name, beta=0.1, entropy_coef=0.1), settings)
    made.use_reference(copy.deepcopy(policy.model))
    rows = [replace(row, tried=Tried(((5, 6), (7,)), (-1.0, -2.0), 2, False)) for row in samples[:4]]
    taken: list[int] = []
    made.on_step = taken.append

    class Read(Exception):
        """The end of the test: values are asked for."""

    def read(_: Any) -> Any:
        raise Read

    monkeypatch.setattr("trainers.learning.learner._Meter.read", read)
    imitated = [(row.prompt_ids, row.token_ids) for row in samples[4:6]]
    with pytest.raises(Read):
        made.update([*rows, *samples[4:]], 0.0, torch.Generator(), imitated=imitated, imitation_weight=1.0)
    assert taken == [1, 2, 3]


def test_blocks_of_the_start_policy_leave_the_cpu_only_to_compute(
    policy: TransformersPolicy, samples: list[Sample]
) -> None:
    found = gradient_of(learner(policy), samples)
    policy.model.zero_grad()
    assert torch.equal(gradient_of(learner(policy, offload_ref_model=True), samples), found)
    # Torch's device without values stands for a GPU.
    start = copy.deepcopy(policy.model)
    policy.model.to("meta")
    made = Learner(policy, create_algorithm("grpo", beta=0.1), LearnerConfig(offload_ref_model=True))
    made.use_reference(start)
    inside = [weight for name, weight in start.named_parameters() if ".layers." in name]
    seen: list[str] = []
    for layer in start.model.layers:
        layer.register_forward_pre_hook(
            lambda block, _: seen.extend(w.device.type for w in block.parameters())
        )
    values = [weight.clone() for weight in inside]
    for part, _, _ in made._row_parts(samples):
        reference = made._reference(part.batch)
        assert reference is not None
        assert reference.device.type == "meta"
    assert set(seen) == {"meta"}
    assert {weight.device.type for weight in start.parameters()} == {"meta", "cpu"}
    assert all(map(torch.equal, inside, values))
