"""Presets behind a server: prompts of their own around bare goals, and tactics read as they are published."""

from __future__ import annotations

import pytest

from trainers.config.rollout import SamplingConfig
from trainers.policies.presets.base import Shown
from trainers.policies.presets.catalogue import PRESETS
from trainers.policies.transformers import TransformersPolicy
from trainers.proving.serving.asks import Ask, Sampled
from trainers.proving.serving.sampler import Sampler

GOALS = "p : Prop\nh : p\n⊢ p"


@pytest.mark.parametrize(("name", "opening"), [("internlm2-step", "PROOFSTEP tri"), ("llmstep", "tri")])
def test_goals_get_the_prompt_of_the_preset_and_answers_its_reading(
    policy: TransformersPolicy, name: str, opening: str
) -> None:
    preset = PRESETS[name]
    settings = SamplingConfig(**preset.rollout() | {"max_tactic_tokens": 16})
    served = TransformersPolicy(policy.model, policy.tokenizer, settings)
    sampler = Sampler(served)
    prompt = str(preset.prompt(Shown(GOALS)))
    encode = policy.tokenizer.encode
    found = sampler.answer([Ask(GOALS, count=4, seed=1), Ask(GOALS, count=4, seed=1, prefix="tri")])
    whole, begun = found
    assert not isinstance(whole, Exception) and not isinstance(begun, Exception)
    assert {one.prompt_tokens for one in whole} == {len(encode(prompt))}
    ids = encode(opening, add_special_tokens=False)
    assert {one.prompt_tokens for one in begun} == {len(encode(prompt)) + len(ids)}
    assert all(one.tactic == preset.clean(one.text) for one in (*whole, *begun))
    assert all(one.tactic.startswith("tri") for one in begun)


def test_the_word_in_front_of_a_tactic_is_no_part_of_it(policy: TransformersPolicy) -> None:
    settings = SamplingConfig(**PRESETS["internlm2-step"].rollout())
    sampler = Sampler(TransformersPolicy(policy.model, policy.tokenizer, settings))
    ids = tuple(policy.tokenizer.encode("PROOFSTEP exact h", add_special_tokens=False))
    layout = sampler._policy.layout
    shown: Sampled = sampler._shown(ids, (-0.5,) * len(ids), 1, settings.stop, layout, "")
    assert (shown.text, shown.tactic) == ("PROOFSTEP exact h", "exact h")
