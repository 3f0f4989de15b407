from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaForCausalLM

from trainers.config.rollout import RolloutConfig
from trainers.errors import PolicyError
from trainers.policies.packing import build_batch, join_rows, pack_rows, split_rows
from trainers.policies.scoring import can_share_prompts
from trainers.policies.transformers import TransformersPolicy, load_pretrained

GOALS = ["⊢ True ∧ False ∨ True"] * 3 + ["⊢ True"] * 2 + ["⊢ False ∨ False ∨ True ∧ True", "⊢ True"]


@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_sampled_logprobs_are_those_of_the_training_pass(
    policy: TransformersPolicy, share: bool, temperature: float
) -> None:
    settings = RolloutConfig(max_tactic_tokens=12, temperature=temperature)
    policy = TransformersPolicy(policy.model, policy.tokenizer, settings)
    with policy.seeded(3):
        completions = policy.sample(GOALS)
    assert len({len(completion.token_ids) for completion in completions}) > 1
    rows = pack_rows([(c.prompt_ids, c.token_ids) for c in completions], share_prompts=share)
    checked = set()
    for part in split_rows(join_rows(rows, ()), batch_tokens=60):
        batch = build_batch(part)
        scores = policy.score(batch)
        for place, member in enumerate(batch.members):
            sampled = completions[member].logprobs
            assert scores.logprobs[place, : len(sampled)].tolist() == pytest.approx(sampled, abs=1e-4)
            assert scores.logprobs[place, len(sampled) :].abs().sum() == 0.0
            checked.add(member)
    assert checked == set(range(len(GOALS)))


def test_entropy_of_the_first_token(policy: TransformersPolicy) -> None:
    prompt = policy.encode_prompt("⊢ True")
    with torch.no_grad():
        logits = policy.model(torch.tensor([prompt])).logits[0, -1]
        scores = policy.score(build_batch(pack_rows([(prompt, (5,))], share_prompts=True)))
    expected = torch.distributions.Categorical(logits=logits)
    assert scores.entropy[0, 0].item() == pytest.approx(expected.entropy().item(), abs=1e-4)
    assert scores.logprobs[0, 0].item() == pytest.approx(expected.log_prob(torch.tensor(5)).item(), abs=1e-4)


def test_same_seed_same_tactics(policy: TransformersPolicy) -> None:
    draws = []
    for seed in (1, 1, 2):
        with policy.seeded(seed):
            draws.append([completion.token_ids for completion in policy.sample(GOALS)])
    assert draws[0] == draws[1] != draws[2]


def test_samples_follow_the_distribution(policy: TransformersPolicy) -> None:
    policy = TransformersPolicy(policy.model, policy.tokenizer, RolloutConfig(max_tactic_tokens=1))
    prompt = policy.encode_prompt("⊢ True")
    with torch.no_grad():
        expected = policy.model(torch.tensor([prompt])).logits[0, -1].softmax(-1)
    with policy.seeded(0):
        first = torch.tensor([c.token_ids[0] for c in policy.sample(["⊢ True"] * 4000)])
    likely = int(expected.argmax())
    spread = float((expected[likely] * (1 - expected[likely]) / 4000) ** 0.5)
    assert abs(float((first == likely).float().mean()) - float(expected[likely])) < 5 * spread


def test_a_tactic_ends_at_the_end_token_or_is_cut_off(policy: TransformersPolicy) -> None:
    settings = RolloutConfig(max_tactic_tokens=6, temperature=2.0)  # hot enough that some tactics are cut off
    policy = TransformersPolicy(policy.model, policy.tokenizer, settings)
    with policy.seeded(0):
        completions = policy.sample(GOALS * 20)
    end = policy.tokenizer.eos_token_id
    assert all(end not in completion.token_ids[:-1] for completion in completions)
    lengths = {len(completion.token_ids) for completion in completions if completion.token_ids[-1] != end}
    assert lengths == {6}
    assert {completion.token_ids[-1] != end for completion in completions} == {True, False}
    for completion in completions:  # a tactic as long as the limit may have ended
        assert completion.truncated == (completion.token_ids[-1] != end)
    for completion in completions:
        assert completion.text == policy.tokenizer.decode(
            list(completion.token_ids), skip_special_tokens=True
        )


def test_prompt_budget_keeps_the_target(policy: TransformersPolicy) -> None:
    settings = RolloutConfig(max_prompt_tokens=16, prompt_goals=1)
    short = TransformersPolicy(policy.model, policy.tokenizer, settings)
    goals = "h : True ∨ False ∨ True ∨ False ∨ True ∨ False ∨ True ∨ False\n⊢ True"
    kept = short.tokenizer.decode(list(short.encode_prompt(goals + "\n\n⊢ False")))
    assert len(short.encode_prompt(goals)) == 16
    assert kept.endswith("⊢ True:::")
    every = TransformersPolicy(policy.model, policy.tokenizer, RolloutConfig(prompt_goals=0))
    decoded = every.tokenizer.decode(list(every.encode_prompt("⊢ True\n\n⊢ False")))
    assert decoded == "⊢ True\n\n⊢ False:::"


def test_models_with_learned_positions_share_prompts_too() -> None:
    config = GPT2Config(vocab_size=16, n_positions=32, n_embd=16, n_layer=1, n_head=2)
    assert can_share_prompts(GPT2LMHeadModel(config).eval())


def test_a_model_that_ignores_the_mask_does_not_share() -> None:
    class Blind(GPT2LMHeadModel):
        def forward(self, *arguments, attention_mask=None, **options):  # type: ignore[no-untyped-def]
            return super().forward(*arguments, **options)

    config = GPT2Config(vocab_size=16, n_positions=32, n_embd=16, n_layer=1, n_head=2)
    torch.manual_seed(0)
    model = Blind(config).eval()
    for parameter in model.parameters():
        parameter.data *= 20.0
    assert not can_share_prompts(model)


def test_no_end_token_is_refused(policy: TransformersPolicy) -> None:
    policy.tokenizer.eos_token = None
    with pytest.raises(PolicyError, match="no end token"):
        TransformersPolicy(policy.model, policy.tokenizer, RolloutConfig())


def test_unusable_models_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "run" / "policy").mkdir(parents=True)
    (tmp_path / "run" / "config.yaml").touch()
    with pytest.raises(PolicyError, match=r"it is a run; its model is .*run/policy"):
        load_pretrained(str(tmp_path / "run"))
    with pytest.raises(PolicyError, match="no such folder"):
        load_pretrained("./missing")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(PolicyError, match=f"cannot load the model '{tmp_path}'"):
        load_pretrained(str(tmp_path))


def test_loaded_weights_lie_where_torch_would_put_them(policy: TransformersPolicy, tmp_path: Path) -> None:
    """Sums may follow the address, and a resumed run must be the run that was interrupted."""
    policy.save(tmp_path)
    plain = LlamaForCausalLM.from_pretrained(tmp_path)
    assert any(weight.data_ptr() % 64 for weight in plain.parameters())
    model, _ = load_pretrained(str(tmp_path))
    assert not any(weight.data_ptr() % 64 for weight in model.parameters())
    assert all(map(torch.equal, model.parameters(), policy.model.parameters()))
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight


def test_processes_with_one_seed_draw_differently(policy: TransformersPolicy) -> None:
    draws = []
    for stream in (0, 0, 1, 2):
        policy.stream = stream
        with policy.seeded(1):
            draws.append([completion.token_ids for completion in policy.sample(GOALS)])
    assert draws[0] == draws[1]
    assert draws[0] != draws[2] != draws[3] != draws[0]


def test_weights_in_4_bits_need_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(PolicyError, match="needs the package bitsandbytes; install it with"):
        load_pretrained("some/model", four_bit=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("suppress_tokens", list(range(40, 120))),
        ("begin_suppress_tokens", list(range(40, 120))),
        ("bad_words_ids", [[token] for token in range(40, 120)]),
        ("sequence_bias", [[[token], 9.0] for token in range(40, 60)]),
        ("stop_strings", ["e", "t"]),
        ("repetition_penalty", 3.0),
        ("no_repeat_ngram_size", 1),
        ("encoder_repetition_penalty", 3.0),
        ("forced_bos_token_id", 50),
        ("forced_eos_token_id", 51),
        ("min_new_tokens", 6),
        ("exponential_decay_length_penalty", (1, 3.0)),
        ("renormalize_logits", True),
        ("length_penalty", 4.0),
        ("max_time", 1e-9),
    ],
)
def test_a_beam_search_follows_none_of_the_models_own_settings(
    policy: TransformersPolicy, name: str, value: object
) -> None:
    expected = policy.best(GOALS[0], 4)
    own = policy.model.generation_config
    assert own is not None
    before = getattr(own, name)
    setattr(own, name, value)
    try:
        assert policy.best(GOALS[0], 4) == expected
        assert policy.model.generation_config is own
    finally:
        setattr(own, name, before)


@pytest.mark.parametrize("given", ["list", "number"])
def test_every_end_token_of_the_model_ends_a_tactic(policy: TransformersPolicy, given: str) -> None:
    model, tokenizer = policy.model, policy.tokenizer
    first = policy.layout.end_tokens[0]
    with policy.seeded(0):
        sampled = Counter(token for one in policy.sample(GOALS * 10) for token in one.token_ids)
    other = next(token for token, _ in sampled.most_common() if token != first)
    own = model.generation_config
    assert own is not None
    before, own.eos_token_id = own.eos_token_id, other if given == "number" else [first, other]
    try:
        ended = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=12))
        assert ended.layout.end_tokens == (first, other)
        with ended.seeded(0):
            rows = [completion.token_ids for completion in ended.sample(GOALS * 40)]
        assert any(row[-1] == other for row in rows)
        assert all(token not in (first, other) for row in rows for token in row[:-1])
        # Training still teaches the first one.
        assert ended.encode_tactic("left")[-1] == first
    finally:
        own.eos_token_id = before


def test_a_tokenizer_that_is_larger_than_the_model_is_named(policy: TransformersPolicy) -> None:
    shape = policy.model.config
    prompt = policy.encode_prompt(GOALS[0])
    fits = LlamaForCausalLM(type(shape)(**{**shape.to_dict(), "vocab_size": max(prompt) + 1}))
    TransformersPolicy(fits, policy.tokenizer, RolloutConfig()).sample(
        GOALS[:1]
    )  # the rest is not needed here
    small = LlamaForCausalLM(type(shape)(**{**shape.to_dict(), "vocab_size": max(prompt)}))
    asked = TransformersPolicy(small, policy.tokenizer, RolloutConfig())
    with pytest.raises(
        PolicyError, match=f"tokenizer: expected tokens below {max(prompt)}.*got {max(prompt)} for "
    ):
        asked.sample(GOALS[:1])
    with pytest.raises(PolicyError, match="tokenizer: expected tokens below"):
        asked.encode_pairs([("", GOALS[0])])
