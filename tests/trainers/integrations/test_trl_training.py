"""Stock `trl.GRPOTrainer`s on the game of conftest.py."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import peft
import pytest
import torch
import trl

from lean_gym import Theorem
from lean_gym.errors import DataError
from trainers.config.rollout import RolloutConfig
from trainers.integrations import leandojo, trl_trainer
from trainers.integrations.trl import environment_factory, make_dataset, make_reward_func, make_rollout_func
from trainers.policies.transformers import TransformersPolicy, load_pretrained

pytestmark = pytest.mark.filterwarnings("default")  # TRL warns of its own experimental parts
SETTINGS = RolloutConfig(max_steps=6, max_tactic_tokens=6)
# One tactic proves each, so that a model that saw the game's proofs a few times proves some at once.
EASY = [Theorem(f"e{number}", f"theorem e{number} : True") for number in range(4)]
# Sometimes proved and sometimes not, so that there is something to learn.
MIXED = [Theorem(f"m{number}", f"theorem m{number} : False ∨ True ∧ True") for number in range(4)]
GAME = {"backend": "fake", "num_workers": 0}


def config(folder: Path, **options: Any) -> Any:
    fixed = {
        "output_dir": str(folder), "max_steps": 2, "per_device_train_batch_size": 8, "num_generations": 4,
        "max_completion_length": 200, "learning_rate": 1e-3, "report_to": "none", "bf16": False,
        "disable_tqdm": True, "logging_steps": 1, "use_cpu": True, "save_strategy": "no",
    }  # fmt: skip
    return trl.GRPOConfig(**(fixed | options))


def test_a_stock_trainer_trains_on_episodes(policy: TransformersPolicy, tmp_path: Path) -> None:
    before = [parameter.detach().clone() for parameter in policy.model.parameters()]
    seen: list[dict[str, Any]] = []

    def watch(**columns: Any) -> list[float]:
        seen.append(columns)
        return [0.0] * len(columns["completions"])

    with make_rollout_func(MIXED, SETTINGS, **GAME) as rollout:
        trainer = trl.GRPOTrainer(
            model=policy.model,
            args=config(tmp_path),
            train_dataset=make_dataset(MIXED),
            processing_class=policy.tokenizer,
            reward_funcs=[make_reward_func(), watch],
            rollout_func=rollout,
        )
        trainer.train()
    logs = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(logs) == 2
    for entry, columns in zip(logs, seen, strict=True):
        rewards = columns["episode_reward"]
        assert entry["reward"] == pytest.approx(sum(rewards) / len(rewards))
        assert [reward == 1.0 for reward in rewards] == columns["proved"]
        # Groups: each theorem four times in a row.
        names = columns["theorem"]
        assert [names[at : at + 4] for at in range(0, 8, 4)] == [[names[at]] * 4 for at in range(0, 8, 4)]
    proved = [sum(columns["proved"]) for columns in seen]
    assert 0 < sum(proved) < 16
    assert any(not torch.equal(a, b) for a, b in zip(before, policy.model.parameters(), strict=True))


def test_tokens_of_the_prover_carry_no_gradient(policy: TransformersPolicy, tmp_path: Path) -> None:
    """The trainer uses the dialogue's mask: it trains on exactly the sampled tokens."""
    masks: list[list[int]] = []
    with make_rollout_func(EASY, SETTINGS, **GAME) as rollout:

        def keep(prompts: Sequence[Any], trainer: Any) -> dict[str, Any]:
            found = rollout(prompts, trainer)
            masks.extend(found["env_mask"])
            return found

        trainer = trl.GRPOTrainer(
            model=policy.model,
            args=config(tmp_path, max_steps=1),
            train_dataset=make_dataset(EASY),
            processing_class=policy.tokenizer,
            reward_funcs=make_reward_func(),
            rollout_func=keep,
        )
        trainer.train()
    mean_length = trainer.state.log_history[0]["completions/mean_length"]
    assert mean_length == pytest.approx(sum(map(sum, masks)) / len(masks))
    assert mean_length < sum(map(len, masks)) / len(masks)


def test_a_stock_trainer_trains_on_whole_proofs(
    policy: TransformersPolicy, theorems: tuple[Theorem, ...], tmp_path: Path
) -> None:
    trainer = trl.GRPOTrainer(
        model=policy.model,
        args=config(tmp_path, max_completion_length=16, max_steps=1),
        train_dataset=make_dataset(list(theorems)),
        processing_class=policy.tokenizer,
        reward_funcs=make_reward_func(list(theorems), **GAME),
    )
    trainer.train()
    assert 0.0 <= trainer.state.log_history[0]["reward"] <= 1.0


def test_a_stock_trainer_trains_on_tool_calls(
    policy: TransformersPolicy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = Path(trl.__file__).parent / "chat_templates"
    tokenizer = policy.tokenizer
    tokenizer.chat_template = (templates / "qwen3.jinja").read_text()
    one = Theorem("one", "theorem one : True ∧ True")
    call = '<tool_call>\n{{"name": "apply_tactic", "arguments": {{"tactic": "{}"}}}}\n</tool_call>'
    turns = iter(
        [
            [call.format("split"), call.format("sorry")],
            [call.format("trivial"), "I give up"],
            [call.format("trivial")],
            ["Done"],
        ]
    )
    contexts: list[str] = []

    def scripted(self: Any, prompt_ids: Any, *_: Any, **__: Any) -> tuple[list[list[int]], None]:
        contexts.extend(str(tokenizer.decode(ids)) for ids in prompt_ids)
        texts = next(turns)
        assert len(texts) == len(prompt_ids)
        return [[*tokenizer.encode(text), tokenizer.eos_token_id] for text in texts], None

    monkeypatch.setattr(trl.GRPOTrainer, "_generate_single_turn", scripted)
    trainer = trl.GRPOTrainer(
        model=policy.model,
        args=config(
            tmp_path, max_steps=1, per_device_train_batch_size=2, num_generations=2, max_completion_length=900
        ),
        train_dataset=make_dataset([one], chat=True),
        processing_class=tokenizer,
        environment_factory=environment_factory([one], backend="fake"),
    )
    trainer.train()
    assert trainer.state.log_history[0]["reward"] == 0.5
    assert contexts[0].count("⊢ True ∧ True") == 1
    assert "The theorem is proved." in contexts[-1]


def test_a_trainer_with_the_constructor_of_leandojo(
    policy: TransformersPolicy, theorems: tuple[Theorem, ...], tmp_path: Path
) -> None:
    policy.save(tmp_path / "start")
    trainer = leandojo.GRPOTrainer(
        model_name=str(tmp_path / "start"),
        reward_func=None,
        output_dir=str(tmp_path / "out"),
        epochs_per_repo=1,
        batch_size=8,
        lr=1e-3,
        lora_config=None,
        rollout=SETTINGS,
        config_options={"max_completion_length": 200, "disable_tqdm": True},
        **GAME,
    )
    trainer.train([list(theorems[:2]), list(theorems[2:4])])
    model, _ = load_pretrained(str(tmp_path / "out"))
    changed = [
        not torch.equal(a, b) for a, b in zip(model.parameters(), policy.model.parameters(), strict=True)
    ]
    assert any(changed)


def test_leandojo_calls_the_callers_reward_and_trains_an_adapter(
    policy: TransformersPolicy, theorems: tuple[Theorem, ...], tmp_path: Path
) -> None:
    policy.save(tmp_path / "start")
    called: list[set[str]] = []

    def reward(completions: Sequence[str], **columns: Any) -> list[float]:
        called.append(set(columns["theorem"]))
        assert len(columns["proved"]) == len(completions)
        return [float(number % 2) for number in range(len(completions))]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = leandojo.GRPOTrainer(
            str(tmp_path / "start"),
            reward,
            str(tmp_path / "out"),
            batch_size=2,
            lora_config=peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"]),
            rollout=SETTINGS,
            config_options={"max_completion_length": 200, "disable_tqdm": True},
            **GAME,
        )
        trainer.train([list(theorems[:1]), list(theorems[1:2])])
    # The second set arrives: the passes go over the first one again.
    assert called[0] == {theorems[0].name}
    assert sorted(map(sorted, called[1:])) == sorted([[theorems[0].name], [theorems[1].name]])
    assert (tmp_path / "out" / "adapter_model.safetensors").is_file()


@pytest.mark.parametrize(
    ("batch_size", "expected"),
    [(1, (2, 2)), (2, (2, 1)), (6, (6, 1)), (7, (7, 1)), (16, (8, 1)), (11, (2, 2)), (9, (3, 1))],
)
def test_group_sizes(batch_size: int, expected: tuple[int, int]) -> None:
    group, accumulation = trl_trainer._group_of(batch_size)
    assert (group, accumulation) == expected
    assert batch_size * accumulation % group == 0


def test_settings_that_its_readme_names(policy: TransformersPolicy, tmp_path: Path) -> None:
    start = str(tmp_path / "start")
    policy.save(tmp_path / "start")
    trainer = leandojo.GRPOTrainer(
        start,
        [make_reward_func(), lambda completions, **_: [0.0] * len(completions)],
        reward_weights=[1.0, 0.5],
        kl_beta=0.04,
        reference_model=start,
    )
    assert (trainer.config.beta, trainer.config.reward_weights) == (0.04, [1.0, 0.5])
    assert trainer.config.bf16 == (torch.cuda.is_available() and torch.cuda.is_bf16_supported())
    with pytest.raises(ValueError, match="reference_model: got 'other', expected None or"):
        leandojo.GRPOTrainer(start, reference_model="other")


def test_sets_are_merged_as_they_arrive() -> None:
    one, two, other = EASY[0], EASY[1], Theorem("e0", "theorem e0 : False")
    assert leandojo.merged([[one], [two, one]]) == [[one], [one, two]]
    with pytest.raises(DataError, match="two theorems of the sets are named 'e0'"):
        leandojo.merged([[one], [other]])


def test_a_batch_size_out_of_range() -> None:
    with pytest.raises(ValueError, match="batch_size: got 0"):
        leandojo.GRPOTrainer("x", batch_size=0)
