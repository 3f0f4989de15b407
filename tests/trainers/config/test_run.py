from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trainers.config.files import read_file
from trainers.config.run import RunConfig, WarmStartConfig
from trainers.errors import ConfigError

CONFIGS = Path(__file__).parents[3] / "configs"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"seeed": 1}, "unknown setting seeed; did you mean 'seed'"),
        ({"rollout": {"grup_size": 1}}, r"unknown setting rollout.grup_size; did you mean 'group_size'"),
        ({"group_size": 4}, "it belongs under the section 'rollout'"),
        ({"rollout": 3}, "rollout: expected settings under this section, got 3"),
        ({"seed": "one"}, "seed: expected a whole number from 0 to 4294967295, got 'one'"),
        ({"seed": True}, "seed: expected a whole number from 0 to 4294967295, got True"),
        ({"seed": 1.5}, "seed: expected a whole number from 0 to 4294967295, got 1.5"),
        ({"seed": -1}, "seed: expected a whole number from 0 to 4294967295, got -1"),
        ({"seed": 2**32}, "seed: expected a whole number from 0 to 4294967295, got 4294967296"),
        ({"rollout": {"group_size": 1}}, "rollout.group_size: expected a whole number at least 2, got 1"),
        (
            {"rollout": {"prompt_template": "x"}},
            "rollout.prompt_template: expected a text with {goals} in it, got 'x'",
        ),
        (
            {"learner": {"learning_rate": "fast"}},
            "learner.learning_rate: expected a number above 0, got 'fast'",
        ),
        (
            {"evaluation": {"held_out": "train"}},
            "evaluation.held_out: expected one of test, validation, got 'train'",
        ),
        (
            {"evaluation": {"eval_samples": 0}},
            "evaluation.eval_samples: expected a whole number at least 1, got 0",
        ),
        ({"algo": {"algo_config": {"group_size": 4}}}, "algo.algo_config: expected no group_size in it"),
        (
            {"algo": {"algo_config": {"pass_at_k": 4}}, "credit": {"credit": "td"}},
            "credit: expected episode, gigpo or graph with pass_at_k=4 .*, got 'td'",
        ),
        (
            {"algo": {"algo_config": {"unlikeliness": 0.4}}, "credit": {"credit": "vine"}},
            "credit: expected any but vine with unlikeliness=0.4 .*, got 'vine'",
        ),
        ({"run_dir": " "}, "run_dir: expected a folder, got ' '"),
        ({"rollout": {"reward_options": 3}}, "rollout.reward_options: expected a mapping, got 3"),
        ({"rollout": {"reward_options": {3: 4}}}, "rollout.reward_options: expected texts as keys, got 3"),
        ({"learner": {"lora": "q=4"}}, "learner.lora: unknown setting 'q'"),
        ({"learner": {"load_in_4bit": 1}}, "learner.load_in_4bit: expected true or false, got 1"),
        ({"tiny": {"key_heads": 3}}, r"tiny.attention_heads: expected a multiple of key_heads \(3\), got 4"),
        ({"tiny": {"head_size": 31}}, "tiny.head_size: expected an even number, got 31"),
    ],
)
def test_wrong_values_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RunConfig(**values)


def test_the_recipe_for_7b_trains_an_adapter() -> None:
    path = CONFIGS / "pretrained_7b_lora.yaml"
    learner = RunConfig(**read_file(path)).learner
    assert learner.lora and learner.gradient_checkpointing
    lines = path.read_text(encoding="utf-8").splitlines()
    values = [line for line in lines if not line.startswith("#") and not line.endswith(":")]
    assert [line for line in values if " # " not in line] == []  # each value with its reason


@pytest.mark.parametrize(
    ("words", "names"),
    [("csv", ["csv"]), ("tensorboard, csv,csv", ["tensorboard", "csv"]), ("none", [])],
)
def test_recorders_are_a_list(words: str, names: list[str]) -> None:
    assert RunConfig(report_to=words).trackers == names


@pytest.mark.parametrize(
    ("words", "message"),
    [("", "expected recorders"), (",", "expected recorders"), ("csv,wandbb", "did you mean 'wandb'")],
)
def test_other_recorders_are_refused(words: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RunConfig(report_to=words)


def test_the_default_shows_a_quarter_of_the_proofs_and_100_at_most() -> None:
    assert [round(n * WarmStartConfig().share_of(n)) for n in (20, 400, 4597)] == [5, 100, 100]
    assert WarmStartConfig(proof_share=0.5).share_of(4597) == 0.5
