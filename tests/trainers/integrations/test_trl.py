"""The integration against the environment, with a scripted trainer; test_trl_training.py runs TRL itself."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from transformers import PreTrainedTokenizerBase

from lean_gym import Theorem
from lean_gym.rewards import Transition
from trainers.config.rollout import RolloutConfig
from trainers.integrations.trl import LeanRollout, environment_factory, make_reward_func, make_rollout_func
from trainers.policies.tiny import train_tokenizer

ONE = Theorem("one", "theorem one : True")
TWO = Theorem("two", "theorem two : True ∧ True")
THEOREMS = [ONE, TWO]
SETTINGS = RolloutConfig(max_steps=4, max_tactic_tokens=40)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerBase:
    return train_tokenizer(["⊢ True ∧ True", "trivial", "split"], vocabulary=300)


@dataclass
class ScriptedTrainer:
    """Fake with the attributes of a `GRPOTrainer` that a rollout uses; each generation takes the next tactics."""

    _tokenizer: PreTrainedTokenizerBase
    tactics: Iterator[list[str]]
    logprob: float | None = None
    max_completion_length: int = 400
    use_vllm: bool = False
    accelerator: Any = field(default_factory=lambda: SimpleNamespace(num_processes=1))
    generation_config: Any = field(default_factory=lambda: SimpleNamespace(max_new_tokens=400))
    read: list[list[str]] = field(default_factory=list)

    def _generate_single_turn(self, prompt_ids: Any, images: Any, fields: Any, num_generations: int) -> Any:
        assert (images, fields, num_generations) == (None, {}, 1)
        assert self.generation_config.max_new_tokens == SETTINGS.max_tactic_tokens
        self.read.append([str(self._tokenizer.decode(ids)) for ids in prompt_ids])
        end = int(self._tokenizer.eos_token_id)
        sampled = [[*self._tokenizer.encode(tactic), end] for tactic in next(self.tactics)]
        assert len(sampled) == len(prompt_ids)
        return sampled, None if self.logprob is None else [[self.logprob] * len(ids) for ids in sampled]


@pytest.fixture
def rollout() -> Iterator[LeanRollout]:
    with make_rollout_func(THEOREMS, SETTINGS, backend="fake", num_workers=0) as made:
        yield made


def test_rows_hold_what_was_sampled_and_what_was_answered(
    rollout: LeanRollout, tokenizer: PreTrainedTokenizerBase
) -> None:
    turns = [["trivial", "split"], ["trivial"], ["left"], ["trivial"]]
    trainer = ScriptedTrainer(tokenizer, iter(turns), logprob=-0.5)
    found = rollout([ONE.statement, TWO.statement], trainer)

    assert [str(tokenizer.decode(ids)) for ids in found["prompt_ids"]] == ["⊢ True:::", "⊢ True ∧ True:::"]
    end = tokenizer.eos_token
    rows = [str(tokenizer.decode(ids)) for ids in found["completion_ids"]]
    answer = "\n⊢ True:::"
    assert rows == [
        f"trivial{end}",
        f"split{end}{answer}trivial{end}{answer}left{end}{answer}trivial{end}",
    ]
    for ids, mask, logprobs in zip(
        found["completion_ids"], found["env_mask"], found["logprobs"], strict=True
    ):
        own = [token for token, bit in zip(ids, mask, strict=True) if bit]
        assert logprobs == [-0.5 * bit for bit in mask]
        assert answer not in str(tokenizer.decode(own))
        assert ids[-1] == tokenizer.eos_token_id
        assert mask[-1] == 1
    assert found["episode_reward"] == [1.0, 1.0]
    assert found["proved"] == [True, True]
    assert found["tactics"] == [["trivial"], ["split", "trivial", "trivial"]]
    assert trainer.generation_config.max_new_tokens == 400
    # The second generation read the whole dialogue of the one episode that was still running.
    assert trainer.read[1] == [f"⊢ True ∧ True:::split{end}{answer}"]


CHAT = (
    "{% for m in messages %}<|turn|>{{ m.role }}\n{{ m.content }}<|over|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|turn|>assistant\n{% endif %}"
)


def test_a_chat_goes_on_in_the_models_template(tokenizer: PreTrainedTokenizerBase) -> None:
    tokenizer = copy.deepcopy(tokenizer)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|turn|>", "<|over|>"]})
    tokenizer.chat_template = CHAT
    settings = SETTINGS.model_copy(update={"prompt_style": "chat", "instruction": "Prove."})
    with make_rollout_func(THEOREMS, settings, backend="fake", num_workers=0) as rollout:
        # Both ways to end a turn: by the template's token, and by the end of the text.
        turns = [["```lean\nsplit\n```<|over|>"], ["<think>?</think>trivial<|over|>"], ["trivial"]]
        trainer = ScriptedTrainer(tokenizer, iter(turns), logprob=-0.5)
        found = rollout([TWO.statement], trainer)
    assert found["tactics"] == [["split", "trivial", "trivial"]]
    assert tokenizer.decode(found["prompt_ids"][0]) == (
        "<|turn|>system\nProve.<|over|>\n<|turn|>user\n⊢ True ∧ True<|over|>\n<|turn|>assistant\n"
    )
    answer = "\n<|turn|>user\n⊢ True<|over|>\n<|turn|>assistant\n"
    row = f"```lean\nsplit\n```<|over|>{answer}<think>?</think>trivial<|over|>{answer}trivial{tokenizer.eos_token}"
    assert tokenizer.decode(found["completion_ids"][0]) == row
    own = [token for token, bit in zip(found["completion_ids"][0], found["env_mask"][0], strict=True) if bit]
    assert tokenizer.decode(own) == row.replace(answer, "")
    plain = SETTINGS.model_copy(update={"prompt_style": "plain"})
    with make_rollout_func(THEOREMS, plain, backend="fake", num_workers=0) as rollout:
        found = rollout([ONE.statement], ScriptedTrainer(tokenizer, iter([["trivial"]])))
    assert tokenizer.decode(found["prompt_ids"][0]) == "⊢ True:::"


def test_a_stop_text_ends_a_turn(tokenizer: PreTrainedTokenizerBase) -> None:
    settings = SETTINGS.model_copy(update={"stop": ["\n", "--"]})
    with make_rollout_func(THEOREMS, settings, backend="fake", num_workers=0) as rollout:
        trainer = ScriptedTrainer(tokenizer, iter([["trivial\nsorry\nsorry"]]), logprob=-0.5)
        found = rollout([ONE.statement], trainer)
    assert found["tactics"] == [["trivial"]]
    assert tokenizer.decode(found["completion_ids"][0]) == "trivial\n"
    assert len(found["completion_ids"][0]) == len(found["logprobs"][0]) == len(found["env_mask"][0])


def test_options_of_the_reward_reach_the_environment(tokenizer: PreTrainedTokenizerBase) -> None:
    for weight, expected in ((0.0, 1.0), (0.5, 1.0 + 0.5 * 0.8)):
        changes = {"reward": "efficiency", "reward_options": {"weight": weight}}
        settings = SETTINGS.model_copy(update=changes)
        with make_rollout_func(THEOREMS, settings, backend="fake", num_workers=0) as rollout:
            trainer = ScriptedTrainer(tokenizer, iter([["left"], ["trivial"]]))
            assert rollout([ONE.statement], trainer)["episode_reward"] == [pytest.approx(expected)]


def test_no_logprobs_are_passed_on_as_none(rollout: LeanRollout, tokenizer: PreTrainedTokenizerBase) -> None:
    found = rollout([ONE.statement], ScriptedTrainer(tokenizer, iter([["trivial"]])))
    assert found["logprobs"] is None


def test_claims_in_text_earn_nothing(rollout: LeanRollout, tokenizer: PreTrainedTokenizerBase) -> None:
    turns = [["sorry"], ["reward := 1"], ["no goals"], ["done"]]
    found = rollout([ONE.statement], ScriptedTrainer(tokenizer, iter(turns)))
    assert found["episode_reward"] == [0.0]
    assert found["outcome"][0] in ("rejected", "step_limit")
    assert not found["proved"][0]


def test_a_row_that_is_full_goes_no_further(rollout: LeanRollout, tokenizer: PreTrainedTokenizerBase) -> None:
    trainer = ScriptedTrainer(tokenizer, iter([["left"]]), max_completion_length=SETTINGS.max_tactic_tokens)
    found = rollout([ONE.statement], trainer)
    assert len(trainer.read) == 1
    assert found["outcome"] == ["step_limit"]
    assert str(tokenizer.decode(found["completion_ids"][0])) == f"left{tokenizer.eos_token}"


class CostOfSteps:
    """Reward of -1 for each step, and -100 where the episode ends at its limit."""

    def __call__(self, transition: Transition) -> dict[str, float]:
        return {"steps": -1.0, "end": -100.0 * transition.truncated}


def test_a_row_that_is_full_pays_for_one_step_only(tokenizer: PreTrainedTokenizerBase) -> None:
    """An episode beside it goes on, and a sampled tactic without text ends nothing."""
    limit = 2 * SETTINGS.max_tactic_tokens
    long = "left " * 16
    turns = [[long, ""], [""], [""], [""]]
    settings = SETTINGS.model_copy(update={"max_steps": 30, "max_tactic_tokens": SETTINGS.max_tactic_tokens})
    options: dict[str, Any] = {"reward": CostOfSteps(), "max_steps": 4}
    with make_rollout_func(THEOREMS, settings, backend="fake", num_workers=0, **options) as rollout:
        trainer = ScriptedTrainer(tokenizer, iter(turns), max_completion_length=limit)
        found = rollout([ONE.statement] * 2, trainer)
    assert found["outcome"] == ["step_limit"] * 2
    assert found["episode_reward"] == [-102.0, -104.0]


def test_rollouts_of_different_size_follow_each_other(
    rollout: LeanRollout, tokenizer: PreTrainedTokenizerBase
) -> None:
    for count in (1, 3, 2):
        trainer = ScriptedTrainer(tokenizer, iter([["trivial"] * count]))
        assert rollout([ONE.statement] * count, trainer)["proved"] == [True] * count


def test_mistakes_are_named(rollout: LeanRollout, tokenizer: PreTrainedTokenizerBase) -> None:
    trainer = ScriptedTrainer(tokenizer, iter([]))
    with pytest.raises(
        ValueError, match="prompt: got 'theorem three : True', expected the statement of one of"
    ):
        rollout(["theorem three : True"], trainer)
    trainer.max_completion_length = 8
    with pytest.raises(
        ValueError, match=r"max_completion_length: got 8, expected at least max_tactic_tokens \(40\)"
    ):
        rollout([ONE.statement], trainer)


def test_the_reward_of_an_episode_is_handed_on() -> None:
    reward = make_reward_func()
    assert reward(completions=["a", "b"], episode_reward=[1, 0.25], prompts=["p", "p"]) == [1.0, 0.25]
    with pytest.raises(ValueError, match="add rollout_func=make_rollout_func"):
        reward(completions=["a"])


def test_whole_proofs_are_replayed() -> None:
    reward = make_reward_func(THEOREMS, backend="fake", num_workers=0)
    completions: list[Any] = [
        "split\ntrivial\ntrivial",
        [{"role": "assistant", "content": "Here:\n```lean\nsplit\ntrivial\ntrivial\n```"}],
        "split\ntrivial",
        "sorry",
        "The theorem is proved.",
        "",
        "split\ntrivial\ntrivial\ntrivial",
    ]
    assert reward(completions=completions, theorem=["two"] * 7) == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert reward(completions=["trivial"], theorem=["one"]) == [1.0]
    assert reward(completions=["trivial"], theorem=["three"]) == [0.0]


def test_an_environment_behind_a_tool() -> None:
    env = environment_factory(THEOREMS, backend="fake")()
    assert env.reset(prompt="x", theorem="two") == "\n\n⊢ True ∧ True"
    assert env.apply_tactic("split") == "⊢ True\n\n⊢ True"
    assert env.apply_tactic("left").startswith("error: 'left' does not apply")
    assert env.apply_tactic("trivial") == "⊢ True"
    assert env.get_reward() == 0.0
    assert env.apply_tactic("trivial") == "The theorem is proved."
    assert env.get_reward() == 1.0
    # A tactic after the end has no effect.
    assert env.apply_tactic("trivial") == "no tactic can be applied: the attempt has ended (proved)"
    assert env.get_reward() == 1.0
    env.reset(theorem="one")
    assert env.get_reward() == 0.0


def test_a_cheat_behind_the_tool_is_rejected() -> None:
    env = environment_factory(THEOREMS, backend="fake")()
    env.reset(theorem="one")
    env.apply_tactic("sorry")
    assert env.get_reward() == 0.0
    assert env.apply_tactic("trivial") == "no tactic can be applied: the attempt has ended (rejected)"


def test_environments_are_apart() -> None:
    make = environment_factory(THEOREMS, backend="fake")
    first, second = make(), make()
    first.reset(theorem="two")
    second.reset(theorem="one")
    first.apply_tactic("split")
    assert second.apply_tactic("trivial") == "The theorem is proved."
    assert first.apply_tactic("trivial") == "⊢ True"


def test_only_one_tool_is_offered() -> None:
    env = environment_factory(THEOREMS, backend="fake")()
    public = {name for name in dir(type(env)) if not name.startswith("_")}
    assert public == {"reset", "get_reward", "apply_tactic"}
