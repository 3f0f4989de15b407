"""Encoder-decoder models sample, score and train like causal ones, held against a plain computation."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, TypeVar

import pytest
import torch
from torch import Tensor
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    ByT5Tokenizer,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
)

from trainers.algorithms import create_algorithm
from trainers.config.lora import LoraSettings
from trainers.config.rollout import RolloutConfig
from trainers.config.run import Imitation, LearnerConfig, TinyConfig
from trainers.errors import PolicyError
from trainers.learning.learner import Learner
from trainers.learning.samples import Sample
from trainers.policies.adapters import Adapter
from trainers.policies.beam import BeamPolicy
from trainers.policies.packing import build_batch, pack_rows
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.policies.vllm import ColocatedEngine, VllmPolicy
from trainers.run.plan.sizes import measure

GOALS = ["⊢ p", "⊢ p", "h : p\n⊢ q ∧ p", "⊢ p", "h : p\n⊢ q ∧ p"]
SETTINGS = RolloutConfig(
    prompt_template="{goals}", max_prompt_tokens=64, max_tactic_tokens=10, temperature=0.7
)


Model = TypeVar("Model", bound=PreTrainedModel)


def byt5(tied: bool = False) -> T5ForConditionalGeneration:
    torch.manual_seed(0)
    shape: dict[str, Any] = {
        "vocab_size": 384,
        "d_model": 32,
        "d_kv": 8,
        "d_ff": 48,
        "num_layers": 3,
        "num_decoder_layers": 2,
        "num_heads": 4,
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": tied,
        "decoder_start_token_id": 0,
        "pad_token_id": 0,
        "eos_token_id": 1,
    }
    return louder(T5ForConditionalGeneration(T5Config(**shape)), 3.0 if tied else 1.5)


def bart() -> BartForConditionalGeneration:
    """A model with absolute positions."""
    torch.manual_seed(0)
    config = BartConfig(
        vocab_size=384,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=48,
        decoder_ffn_dim=48,
        max_position_embeddings=128,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=1,
        decoder_start_token_id=1,
        forced_eos_token_id=None,
    )
    return louder(BartForConditionalGeneration(config), 3.0)


def louder(model: Model, factor: float) -> Model:
    """Make the distributions of a random model uneven, and its rounding small."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(factor)
    return model.double()


def plain(
    model: PreTrainedModel, prompt: tuple[int, ...], answer: tuple[int, ...], temperature: float
) -> Tensor:
    """Log-probabilities of one answer, without padding, cache or sharing."""
    start = model.config.decoder_start_token_id
    logits = model(
        input_ids=torch.tensor([prompt]), decoder_input_ids=torch.tensor([[start, *answer[:-1]]])
    ).logits[0]
    return torch.log_softmax(logits / temperature, dim=-1)[range(len(answer)), list(answer)]


@pytest.fixture(params=["byt5", "tied", "bart"])
def policy(request: pytest.FixtureRequest) -> TransformersPolicy:
    model = {"byt5": byt5, "tied": lambda: byt5(tied=True), "bart": bart}[request.param]()
    return TransformersPolicy(model, ByT5Tokenizer(), SETTINGS)


def test_sampled_log_probabilities_are_those_of_the_sampling_distribution(policy: TransformersPolicy) -> None:
    with policy.seeded(3):
        drawn = policy.sample(GOALS)
    assert len({one.token_ids for one in drawn}) > 1
    for one in drawn:
        expected = plain(policy.model, one.prompt_ids, one.token_ids, 0.7).float()
        assert torch.allclose(torch.tensor(one.logprobs), expected, atol=1e-4)
    with policy.seeded(3):
        assert policy.sample(GOALS) == drawn
    with policy.seeded(4):
        assert policy.sample(GOALS) != drawn


def test_an_answer_ends_with_the_end_token() -> None:
    model = byt5()
    with torch.no_grad():
        model.lm_head.weight[2:] *= 0.1  # little but the start and the end
    policy = TransformersPolicy(model, ByT5Tokenizer(), SETTINGS)
    with policy.seeded(0):
        drawn = policy.sample(["⊢ p"] * 20)
    ended = [one.token_ids for one in drawn if 1 in one.token_ids]
    assert ended
    assert all(ids.index(1) == len(ids) - 1 for ids in ended)


@pytest.mark.parametrize("share", [True, False])
def test_scores_and_their_gradient(policy: TransformersPolicy, share: bool) -> None:
    with policy.seeded(1):
        drawn = policy.sample(GOALS)
    batch = build_batch(pack_rows([(one.prompt_ids, one.token_ids) for one in drawn], share_prompts=share))
    scores = policy.score(batch)
    weight = torch.linspace(-1.0, 2.0, len(drawn))
    expected = torch.tensor(0.0)
    for row, member in enumerate(batch.members):
        found = plain(policy.model, drawn[member].prompt_ids, drawn[member].token_ids, 0.7).float()
        assert torch.allclose(scores.logprobs[row, : len(found)], found, atol=1e-4)
        assert not scores.logprobs[row, len(found) :].any()
        expected = expected + weight[row] * found.sum()

    def gradient(loss: Tensor) -> Tensor:
        grads = torch.autograd.grad(loss, list(policy.model.parameters()), materialize_grads=True)
        return torch.cat([grad.flatten() for grad in grads])

    ours = gradient((scores.logprobs.sum(dim=1) * weight).sum())
    theirs = gradient(expected)
    assert theirs.norm() > 1.0
    assert torch.allclose(ours, theirs, atol=1e-3 * float(theirs.abs().max()))


def test_prompts_are_shared() -> None:
    assert TransformersPolicy(byt5(), ByT5Tokenizer(), SETTINGS).shares_prompts


def test_it_is_loaded_from_a_folder(tmp_path: Path) -> None:
    policy = TransformersPolicy(byt5(), ByT5Tokenizer(), SETTINGS)
    policy.save(tmp_path / "model")
    model, tokenizer = load_pretrained(str(tmp_path / "model"))
    assert isinstance(model, T5ForConditionalGeneration)
    assert isinstance(tokenizer, ByT5Tokenizer)
    loaded = TransformersPolicy(model, tokenizer, SETTINGS)
    with policy.seeded(1), loaded.seeded(1):
        assert policy.sample(GOALS) == loaded.sample(GOALS)


def test_a_step_of_grpo_follows_the_plain_policy_gradient() -> None:
    """The update is Adam's first step: each weight moves by the rate against the sign of its gradient."""
    policy = TransformersPolicy(byt5(), ByT5Tokenizer(), SETTINGS)
    with policy.seeded(1):
        drawn = policy.sample(["⊢ p"] * 4)
    before = copy.deepcopy(policy.model)
    advantages = (1.0, -1.0, 0.5, -0.5)
    rows = [
        Sample(one.prompt_ids, one.token_ids, one.logprobs, advantage)
        for one, advantage in zip(drawn, advantages, strict=True)
    ]
    settings = LearnerConfig(learning_rate=1e-3, minibatches=1, max_grad_norm=0.0, warmup_steps=0)
    learner = Learner(policy, create_algorithm("grpo", beta=0.0), settings)
    learner.update(rows, 0.0, torch.Generator().manual_seed(0))

    loss = torch.tensor(0.0)
    for row in rows:
        found = plain(before, row.prompt_ids, row.token_ids, 0.7)
        loss = loss - row.advantage * found.mean() / len(rows)
    names = [name for name, _ in before.named_parameters()]
    grads = torch.autograd.grad(loss, [weight for _, weight in before.named_parameters()])
    largest = max(float(grad.abs().max()) for grad in grads)
    moved = dict(policy.model.named_parameters())
    checked = 0
    for name, grad, (_, old) in zip(names, grads, before.named_parameters(), strict=True):
        clear = grad.abs() > 1e-3 * largest
        step = (moved[name] - old).detach()[clear]
        assert torch.allclose(step, -1e-3 * grad[clear].sign(), atol=2e-5), name
        checked += int(clear.sum())
    assert checked > 1000


def test_an_adapter_learns_and_comes_back(tmp_path: Path) -> None:
    model, tokenizer = byt5().float(), ByT5Tokenizer()  # an adapter has 32 bits
    TransformersPolicy(model, tokenizer, SETTINGS).save(tmp_path / "base")
    frozen = {name: weight.clone() for name, weight in model.named_parameters()}
    adapter = Adapter(model, LoraSettings(4), str(tmp_path / "base"), seed=0)
    policy = TransformersPolicy(model, tokenizer, SETTINGS, adapter)
    learner = Learner(policy, create_algorithm("grpo"), LearnerConfig())
    pairs = [(policy.encode_prompt("⊢ p"), policy.encode_tactic("simp"))]
    settings = Imitation(12, 1e-2, 1)
    losses = [learner.imitate(pairs, settings, epoch, torch.Generator()) for epoch in range(12)]
    assert losses[-1] < losses[0] - 20
    for name, weight in model.named_parameters():
        assert name not in frozen or torch.equal(weight, frozen[name])
    policy.save(tmp_path / "adapter")
    merged, _ = load_pretrained(str(tmp_path / "adapter"))
    prompt, tactic = pairs[0]
    with torch.no_grad():
        here = policy.score(build_batch(pack_rows(pairs, True))).logprobs[0]
        assert torch.allclose(plain(merged.eval(), prompt, tactic, 0.7), here, rtol=1e-3)


def test_vllm_refuses_it() -> None:
    message = "engine: expected 'transformers' with the encoder-decoder model T5ForConditionalGeneration"
    with pytest.raises(PolicyError, match=message):
        ColocatedEngine(byt5(), SETTINGS)
    with pytest.raises(PolicyError, match=message):
        VllmPolicy(byt5(), ByT5Tokenizer(), SETTINGS, engine=None)  # type: ignore[arg-type]


def beams_by_hand(
    model: PreTrainedModel, prompt: tuple[int, ...], width: int, length: int
) -> list[tuple[int, ...]]:
    """A beam search with the whole answer computed anew at each step; no answer ends before the last step."""
    beams: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(length):
        grown = []
        for total, ids in beams:
            start = torch.tensor([[model.config.decoder_start_token_id, *ids]])
            logits = model(input_ids=torch.tensor([prompt]), decoder_input_ids=start).logits[0, -1]
            logprobs = torch.log_softmax(logits, dim=-1)
            values, tokens = logprobs.topk(2 * width)
            grown += [(total + float(v), (*ids, int(t))) for v, t in zip(values, tokens, strict=True)]
        beams = sorted(grown, reverse=True)[:width]
    return [ids for _, ids in beams]


@torch.no_grad()
def test_the_best_ones_are_those_of_a_beam_search_by_hand() -> None:
    model = byt5()
    model.lm_head.weight[1] = 0  # no end
    model.generation_config.repetition_penalty = 2.0  # the model's own settings must not count
    policy = TransformersPolicy(model, ByT5Tokenizer(), SETTINGS.model_copy(update={"max_tactic_tokens": 4}))
    best = policy.best("⊢ p", 6)
    prompt = policy.encode_prompt("⊢ p")
    by_hand = beams_by_hand(model, prompt, width=6, length=4)
    texts = list(dict.fromkeys(policy.layout.tactics(by_hand)))
    assert [one.text for one in best] == texts
    totals = [sum(one.logprobs) for one in best]
    assert totals == sorted(totals, reverse=True)
    for one in best:
        assert torch.allclose(
            torch.tensor(one.logprobs), plain(model, prompt, one.token_ids, 1.0).float(), atol=1e-4
        )


def test_equal_goals_get_the_best_different_tactics(policy: TransformersPolicy) -> None:
    best = policy.best("⊢ p", 4)
    other = policy.best("⊢ q", 2)
    asked = BeamPolicy(policy).sample(["⊢ p", "⊢ q", "⊢ p", "⊢ p", "⊢ q", "⊢ p"])
    assert [one.text for one in asked[::2][:1] + asked[2:4] + asked[5:]] == [
        best[min(at, len(best) - 1)].text for at in range(4)
    ]
    assert [asked[1].text, asked[4].text] == [other[min(at, len(other) - 1)].text for at in range(2)]


def test_a_beam_wider_than_the_vocabulary_allows_is_refused(policy: TransformersPolicy) -> None:
    with pytest.raises(PolicyError, match="samples: expected at most 192 with the decoding 'beam', got 193"):
        policy.best("⊢ p", 193)


def test_its_size_is_known_without_its_weights(tmp_path: Path) -> None:
    model = byt5()
    model.save_pretrained(tmp_path)
    size = measure(str(tmp_path), TinyConfig(), None)
    assert size is not None
    assert size.weights == sum(weight.numel() for weight in model.parameters())


def test_code_that_comes_with_a_model_is_not_run(tmp_path: Path) -> None:
    """InternLM2 is such a model: transformers has no class for it."""
    (tmp_path / "configuration_own.py").write_text("raise SystemExit('run')\n")
    own = {"model_type": "own", "auto_map": {"AutoConfig": "configuration_own.OwnConfig"}}
    (tmp_path / "config.json").write_text(json.dumps(own))
    with pytest.raises(
        PolicyError, match="it brings code of its own, which is not run here; serve it elsewhere"
    ):
        load_pretrained(str(tmp_path))
