"""Words of other systems: each is translated in meaning, refused with advice, and stands on the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from trainers.algorithms import create_algorithm
from trainers.config.cli import read_command, read_flags
from trainers.config.foreign import (
    ALGORITHM_SETTINGS,
    ALGORITHMS,
    FLAGS,
    LEAN_GRPO,
    LEANDOJO,
    REFUSED,
    RENAMED,
    WORDS,
)
from trainers.config.programs import PROGRAMS
from trainers.config.rollout import RolloutConfig
from trainers.config.run import AlgorithmConfig, LearnerConfig, RunConfig
from trainers.config.tasks import EvaluateConfig, SftConfig
from trainers.errors import ConfigError

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "trainers" / "migrating.md"
FLAT = """
base_model: Qwen/Qwen2.5-7B-Instruct
lora_rank: 16
lora_alpha: 32
algorithm: DrGRPO
algorithm_config:
  group_size: 16
  advantage_norm_method: winsorized
  winsorize_quantile: 0.95
  use_asymmetric_clip: true
  clip_high: 0.3
  normalize_advantages: true
learning_rate: 5e-6
num_train_epochs: 3
num_generations: 16
max_proof_steps: 20
reward_type: shaped
output_dir: runs/x
"""


def command(*words: str) -> RunConfig:
    return read_command(words, "train", "Train.", lambda config: 40).config


def from_file(folder: Path, values: dict[str, Any] | str, *words: str) -> RunConfig:
    path = folder / "a.yaml"
    path.write_text(values if isinstance(values, str) else yaml.safe_dump(values))
    return command("--config", str(path), *words)


def test_a_flat_file_means_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = RunConfig(
        model="Qwen/Qwen2.5-7B-Instruct",
        run_dir="runs/x",
        max_iterations=4,  # 3 times 40 theorems, 32 an iteration
        rollout=RolloutConfig(group_size=16, max_steps=20, reward="shaped"),
        learner=LearnerConfig(learning_rate=5e-6, lora="r=16,alpha=32"),
        algo=AlgorithmConfig(
            algorithm="dr_grpo",
            algo_config={
                "advantage_norm": "winsorized",
                "winsorize_quantile": 0.95,
                "epsilon": 0.2,
                "epsilon_high": 0.3,
            },
        ),
    )
    assert from_file(tmp_path, FLAT) == expected
    create_algorithm("dr_grpo", **expected.algo.algo_config)
    notes = capsys.readouterr().err.splitlines()
    assert all(note.startswith("note: ") for note in notes)
    assert "note: num_generations is rollout.group_size here: 16" in notes
    assert "note: num_train_epochs 3 is max_iterations 4 here: 40 theorems, 32 an iteration" in notes
    for word in yaml.safe_load(FLAT):
        assert any(word in note for note in notes), word


def test_flags(capsys: pytest.CaptureFixture[str]) -> None:
    config = command("-a", "drgrpo", "-n", "4", "--lr", "1e-5", "--kl-beta", "0.04", "-m", "m", "-o", "d")
    assert config == RunConfig(
        model="m",
        run_dir="d",
        rollout=RolloutConfig(group_size=4),
        learner=LearnerConfig(learning_rate=1e-5),
        algo=AlgorithmConfig(algorithm="dr_grpo", algo_config={"beta": 0.04}),
    )
    assert "note: num_generations is rollout.group_size here: 4\n" in capsys.readouterr().err
    assert command("--num-generations", "4") == command("--group-size", "4")
    assert command("--algorithm", "drgrpo") == command("--algorithm", "dr_grpo")
    assert command("--epochs", "2").max_iterations == command("-e", "2").max_iterations == 3
    assert command().algo == AlgorithmConfig()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"normalize_advantages": True}, {"advantage_norm": "standard"}),
        ({"normalize_advantages": False}, {"advantage_norm": "none"}),
        ({"normalize_advantages": True, "advantage_norm_method": "rank"}, {"advantage_norm": "rank"}),
        ({"advantage_norm_method": "winsorized"}, {"advantage_norm": "winsorized"}),
        ({"use_asymmetric_clip": True}, {"epsilon": 0.2, "epsilon_high": 0.2}),
        ({"clip_low": 0.15, "clip_high": 0.3}, {"epsilon": 0.15, "epsilon_high": 0.3}),
        ({"use_asymmetric_clip": False, "epsilon": 0.1}, {"epsilon": 0.1, "epsilon_high": None}),
        (
            {"use_asymmetric_loss": True},
            {"epsilon": 0.5, "epsilon_high": 1.5, "negative_advantage_scale": 0.8},
        ),
        (
            {"use_asymmetric_loss": True, "ratio_clip_low": 0.4, "negative_advantage_scale": 0.5},
            {"epsilon": 0.4, "epsilon_high": 1.5, "negative_advantage_scale": 0.5},
        ),
        ({"use_asymmetric_loss": False}, {"epsilon_high": None}),
        ({"use_population_norm": True}, {"population_size": 100}),
        ({"use_population_norm": True, "population_size": 50}, {"population_size": 50}),
        ({"use_population_norm": False}, {"population_size": 0}),
        ({"use_reward_shaping": True}, {"sparse_reward_threshold": 0.9}),
        ({"use_reward_shaping": True, "sparse_reward_threshold": 0.8}, {"sparse_reward_threshold": 0.8}),
        ({"use_reward_shaping": False}, {"sparse_reward_threshold": 1.0}),
        ({"negative_adv_scale": 0.7}, {"negative_advantage_scale": 0.7}),
        ({"negative_adv_max_is": 2.0}, {"delta": 2.0}),
        ({"importance_sampling_level": "sequence"}, {"is_level": "sequence"}),
    ],
)
def test_settings_of_an_algorithm(given: dict[str, Any], expected: dict[str, Any], tmp_path: Path) -> None:
    assert command("--algo-config", json.dumps(given)).algo.algo_config == expected
    assert from_file(tmp_path, {"algo": {"algo_config": given}}).algo.algo_config == expected
    assert from_file(tmp_path, {"algorithm_config": given}).algo.algo_config == expected
    create_algorithm("grpo", **expected)  # all of them are settings


def test_a_bonus_for_sparse_rewards_is_what_the_switch_gives() -> None:
    """Of the words for sparse rewards, the switch is the one that has an effect there, and here."""
    returns = [[0.0] * 19 + [1.0]]
    for on, bonus in ((True, 0.1), (False, 0.0)):
        options = command("--algo-config", json.dumps({"use_reward_shaping": on})).algo.algo_config
        shifted = create_algorithm("grpo", **options).compute_group_advantages(returns)[0][-1]
        plain = create_algorithm("grpo").compute_group_advantages(returns)[0][-1]
        assert float(shifted - plain) == pytest.approx(bonus)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["-n", "4", "--group-size", "8"],
            "num_generations: this says group_size 4, but group_size says 8; keep one",
        ),
        (
            ["-a", "drgrpo", "--algorithm", "dapo"],
            "algorithm: this says algorithm 'drgrpo', but algorithm says 'dapo'",
        ),
        (["--beta", "0.1", "--kl-beta", "0.2"], "kl_beta: this says beta 0.2, but beta says 0.1; keep one"),
        (["--epochs", "2", "--max-iterations", "4"], "num_train_epochs and max_iterations both say how long"),
        (["--epochs", "0"], "num_train_epochs: expected a number above 0, got 0"),
        (
            ["--algo-config", '{"normalize_advantages": false, "advantage_norm_method": "rank"}'],
            "normalize_advantages: this says advantage_norm 'none', but advantage_norm_method says 'rank'",
        ),
        (
            ["--algo-config", '{"use_asymmetric_loss": true, "epsilon": 0.2}'],
            "use_asymmetric_loss: this says epsilon 0.5, but epsilon says 0.2; keep one",
        ),
        (
            ["--algo-config", '{"use_asymmetric_clip": false, "clip_low": 0.1}'],
            "use_asymmetric_clip: false leaves clip_low without effect; drop one of them",
        ),
        (["--algo-config", '{"use_reward_shaping": 1}'], "use_reward_shaping: expected true or false, got 1"),
        (["--algo-config", '{"advantage_clip": 5.0}'], "advantage_clip: use advantage_norm winsorized"),
        (
            ["--reward-type", "lenient"],
            "counterpart of the value 'lenient'; use reward shaped with error_penalty 0.02",
        ),
        (["--per-device-train-batch-size", "4"], "use theorems_per_iteration and minibatches"),
        (
            ["--reference-model", "x"],
            "reference_model: expected 'tiny', the model that training starts from, got 'x'",
        ),
        (
            ["--reward-weights", "[1, 2]"],
            "reward_weights: train has no counterpart of the value [1, 2]; use reward,",
        ),
        (["--lora-alpha", "4"], "lora_alpha: expected lora_rank as well"),
    ],
)
def test_what_cannot_be_translated_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        command(*words)
    assert message in str(caught.value)


def test_a_file_names_all_words_without_a_counterpart(tmp_path: Path) -> None:
    values = {"base_model": "tiny", "logging_steps": 5, "save_steps": 500}
    with pytest.raises(ConfigError) as caught:
        from_file(tmp_path, values)
    assert str(caught.value) == (
        f"{tmp_path / 'a.yaml'}: words without a counterpart here: "
        "logging_steps: drop it, scalars are written in every iteration; "
        "save_steps: use checkpoint_every (save_every in trainers.sft)"
    )
    with pytest.raises(ConfigError, match=r"a.yaml: rollout: expected settings under this section, got 3"):
        from_file(tmp_path, {"rollout": 3, "num_generations": 4})


def test_values_that_agree_may_stand_twice(tmp_path: Path) -> None:
    config = from_file(tmp_path, {"num_generations": 4, "rollout": {"group_size": 4}})
    assert config.rollout.group_size == 4
    assert command("--reference-model", "tiny") == command()


def test_a_flag_wins_over_a_file_and_leaves_the_rest_of_it(tmp_path: Path) -> None:
    values = {
        "num_generations": 4,
        "num_train_epochs": 3,
        "algo": {"algo_config": {"epsilon": 0.1, "beta": 0.5}},
    }
    config = from_file(tmp_path, values, "-n", "6", "--kl-beta", "0.2", "--max-iterations", "2")
    assert config.rollout.group_size == 6
    assert config.max_iterations == 2
    assert config.algo.algo_config == {"epsilon": 0.1, "beta": 0.2}


def test_weights_of_rewards_become_a_mixture() -> None:
    config = command("--reward-weights", '{"binary": 1.0, "efficiency": 0.2}')
    assert config.rollout.reward == "binary:1.0+efficiency:0.2"


def test_other_programs_take_the_words_that_they_have() -> None:
    words = ["--num-train-epochs", "2", "--lr", "1e-5", "-m", "m", "--lora-rank", "8"]
    given = read_flags(SftConfig, words, "sft", "Fine-tune.")
    assert given.settings() == SftConfig(epochs=2, learning_rate=1e-5, model="m", lora="r=8,alpha=8")
    assert read_flags(SftConfig, ["--epochs", "2"], "sft", "Fine-tune.").settings() == SftConfig(epochs=2)
    measured = read_flags(EvaluateConfig, ["-o", "d", "--max-proof-steps", "3"], "evaluate", "Measure.")
    assert measured.settings(below={"policy": "p"}) == EvaluateConfig(
        policy="p",
        out_dir="d",
        rollout={"max_steps": 3},  # type: ignore[arg-type]
    )
    with pytest.raises(ConfigError, match="num_generations: evaluate has no counterpart"):
        read_flags(EvaluateConfig, ["-n", "4"], "evaluate", "Measure.")
    with pytest.raises(ConfigError, match=r"num_train_epochs: .* has no counterpart .*; use rounds"):
        name = "python -m trainers.expert_iteration"
        read_flags(PROGRAMS[name], ["--num-train-epochs", "4"], name, "Iterate.")


def test_a_run_that_goes_on_takes_no_other_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--resume takes the run's own settings; drop --num-generations"):
        command("--resume", str(tmp_path), "-n", "4")


def rows(heading: str) -> list[tuple[str, ...]]:
    """The rows of the table below a heading of the page."""
    text = PAGE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]) for line in lines]


def test_the_page_lists_every_word() -> None:
    assert rows("lean-grpo: settings") == [(f"`{w.name}`", w.ours, w.meaning) for w in LEAN_GRPO]
    assert rows("LeanDojo-v2: settings") == [(f"`{w.name}`", w.ours, w.meaning) for w in LEANDOJO]
    renamed = [(f"`{name}`", f"`{ours}`") for name, ours in RENAMED.items()]
    other = [(f"`{name}`", text) for name, text in ALGORITHM_SETTINGS.items()]
    assert rows("lean-grpo: settings of an algorithm") == renamed + other
    names = [(f"`{name}`", f"`{ours}`") for name, ours in ALGORITHMS.items()]
    flags = [(f"`{flag}`", f"`{word}`") for flag, word in FLAGS.items()]
    assert rows("lean-grpo: names and flags") == names + flags
    assert rows("Words without a counterpart") == [(f"`{name}`", text) for name, text in REFUSED.items()]


def test_no_word_is_a_setting_of_ours_in_another_sense() -> None:
    assert not {*WORDS, *REFUSED} & {name for kind in PROGRAMS.values() for name in kind.model_fields} - {
        "learning_rate"
    }
    assert not {*RENAMED, *ALGORITHM_SETTINGS} & set(create_algorithm("grpo").settings_type.model_fields)
