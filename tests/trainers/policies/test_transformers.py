from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaForCausalLM

from trainers.config.rollout import RolloutConfig
from trainers.errors import PolicyError
from trainers.policies.packing import build_batch, pack_rows, split_rows
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
    for part in split_rows(rows, batch_tokens=60):
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
