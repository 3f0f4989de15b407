"""`--policy preset:NAME` and `--model preset:NAME`: the model, and the settings that the user does not name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from trainers import evaluate, expert_iteration, grpo, prove, sft
from trainers.config.cli import read_flags
from trainers.config.files import write_file
from trainers.config.rollout import SamplingConfig
from trainers.config.run import RunConfig
from trainers.config.tasks import (
    EndpointConfig,
    EvaluateConfig,
    ExpertIterationConfig,
    ProveConfig,
    SftConfig,
)
from trainers.errors import ConfigError, PolicyError
from trainers.policies.openai import OpenAIPolicy
from trainers.policies.presets.base import Shown
from trainers.policies.presets.catalogue import PRESETS
from trainers.policies.presets.training import trained_settings
from trainers.policies.presets.view import rendered
from trainers.policies.source import PolicySource


def found(words: list[str], kind: type[Any]) -> tuple[PolicySource, Any]:
    given = read_flags(kind, words, "program", "")
    source = PolicySource.find(given.settings().policy)
    return source, given.settings(below=source.defaults_for(None, kind))


def test_a_preset_gives_the_search_and_the_users_words_win() -> None:
    source, config = found(
        ["--policy", "preset:bfs-prover-v2", "--samples", "7", "--temperature", "0.5"], ProveConfig
    )
    assert (source.kind, source.model) == ("model", "ByteDance-Seed/BFS-Prover-V2-7B")
    assert (
        config.search.method,
        config.search.score,
        config.search.length_exponent,
        config.search.samples,
    ) == (
        "best_first",
        "length_scaled",
        2.0,
        7,
    )
    assert (config.search.seconds, config.search.decoding, config.rollout.temperature) == (
        600.0,
        "sample",
        0.5,
    )
    assert (config.rollout.preset, config.rollout.prompt_goals) == ("bfs-prover-v2", 0)
    assert (config.rollout.max_prompt_tokens, config.rollout.max_tactic_tokens) == (4096, 2048)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_policy_of_each_program(name: str) -> None:
    policy = f"preset:{name}=some/model"
    _, proving = found(["--policy", policy], ProveConfig)
    _, measured = found(["--policy", policy], EvaluateConfig)
    assert proving.rollout == measured.rollout
    given = read_flags(RunConfig, ["--model", policy], "program", "")
    trained = trained_settings(given)
    assert (trained.model, trained.rollout.preset) == ("some/model", name)
    fine_tuned = trained_settings(read_flags(SftConfig, ["--model", policy], "program", ""))
    assert (fine_tuned.model, fine_tuned.rollout.preset) == ("some/model", name)
    assert trained.rollout.max_steps == (
        1 + PRESETS[name].search.repairs if PRESETS[name].action == "proof" else trained.rollout.max_steps
    )


@pytest.mark.parametrize("name", [name for name in PRESETS if PRESETS[name].decoding.top_p < 1])
def test_the_nucleus_of_a_preset_is_sampled_from_and_not_trained_with(name: str) -> None:
    policy, published = f"preset:{name}=some/model", PRESETS[name].decoding.top_p
    _, measured = found(["--policy", policy], EvaluateConfig)
    assert measured.rollout.top_p == published
    _, measured = found(["--policy", policy, "--top-p", "1"], EvaluateConfig)
    assert measured.rollout.top_p == 1.0
    trained = trained_settings(read_flags(RunConfig, ["--model", policy], "program", ""))
    assert (trained.rollout.top_p, trained.rollout.preset) == (1.0, name)


@pytest.mark.parametrize("kind", [RunConfig, ExpertIterationConfig])
def test_training_refuses_a_nucleus(kind: type[Any]) -> None:
    with pytest.raises(ConfigError) as refused:
        read_flags(kind, ["--top-p", "0.95"], "program", "").settings()
    assert str(refused.value) == (
        "rollout.top_p: expected 1.0 in training, which scores tactics under the whole distribution, got 0.95"
    )


def test_fewer_repairs_are_one_word() -> None:
    _, config = found(["--policy", "preset:goedel-v2", "--max-repairs", "0"], EvaluateConfig)
    assert (config.rollout.actions, config.rollout.max_repairs, config.rollout.max_steps) == ("proof", 0, 1)
    _, config = found(["--policy", "preset:goedel-v2"], EvaluateConfig)
    assert (config.rollout.max_repairs, config.rollout.max_steps) == (2, 3)


def test_a_run_keeps_the_preset_for_later_programs(tmp_path: Path) -> None:
    (tmp_path / "policy").mkdir()
    given = read_flags(
        RunConfig, ["--model", "preset:internlm2-step=some/model", "--temperature", "0.9"], "program", ""
    )
    write_file(trained_settings(given), tmp_path / "config.yaml")
    stored = yaml.safe_load((tmp_path / "config.yaml").read_text())
    assert (stored["model"], stored["rollout"]["preset"]) == ("some/model", "internlm2-step")
    _, config = found(["--policy", str(tmp_path)], ProveConfig)
    assert (config.rollout.preset, config.rollout.temperature, config.rollout.stop) == (
        "internlm2-step",
        0.9,
        ["<|im_end|>"],
    )
    assert (config.search.score, config.search.decoding, config.search.seconds) == ("mean", "beam", 1500.0)


def test_what_a_fine_tuning_does_not_store_comes_from_the_preset(tmp_path: Path) -> None:
    (tmp_path / "policy").mkdir()
    given = read_flags(SftConfig, ["--model", "preset:ntp-state=some/model"], "program", "")
    write_file(trained_settings(given), tmp_path / "config.yaml")
    _, config = found(["--policy", str(tmp_path)], EvaluateConfig)
    assert (config.rollout.stop, config.rollout.max_tactic_tokens) == (["[/TAC]"], 256)


def test_an_endpoint_is_sampled_from_by_the_api_of_the_preset() -> None:
    words = ["--policy", "preset:internlm2-step=openai:m@http://localhost:1/v1"]
    source, config = found(words, ProveConfig)
    assert (source.kind, config.search.decoding, config.endpoint.api) == ("endpoint", "sample", "completions")
    _, config = found(["--policy", "preset:goedel-v2=openai:m@http://localhost:1/v1"], EvaluateConfig)
    assert config.endpoint.api == "chat"


def test_a_policy_without_a_preset_has_no_defaults(tmp_path: Path) -> None:
    assert PolicySource.find("some/model").defaults == {}
    with pytest.raises(PolicyError, match="unknown preset 'bfs'"):
        PolicySource.find("preset:bfs")


@pytest.mark.parametrize(
    ("program", "flag"),
    [
        (evaluate, "--policy"),
        (prove, "--policy"),
        (grpo, "--model"),
        (sft, "--model"),
        (expert_iteration, "--model"),
    ],
)
def test_a_wrong_name_is_one_line(program: Any, flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        program.main([flag, "preset:kimin"])
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("error: unknown preset 'kimin'; did you mean 'kimina'? (known: ")
    assert captured.err.count("\n") == 1


def test_a_beam_is_refused_for_independent_episodes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        prove.main(["theorem t : True", "--policy", "preset:reprover", "--method", "sample"])
    assert capsys.readouterr().err.startswith(
        "error: search.decoding: expected 'sample' with the method 'sample'"
    )


def test_an_endpoint_gets_the_rendered_prompt_and_its_answer_is_cleaned() -> None:
    bodies: list[dict[str, Any]] = []

    class Endpoint(OpenAIPolicy):
        def _post(self, client: Any, body: Any) -> Any:
            bodies.append(dict(body))
            if "prompt" in body:
                return {"choices": [{"text": "PROOFSTEP exact h"}]}
            return {"choices": [{"message": {"content": "```lean4\ntheorem t : p := by\n  exact h\n```"}}]}

    for name in ("internlm2-step", "goedel-v2", "reaper"):
        preset = PRESETS[name]
        settings = SamplingConfig(**preset.rollout())
        policy = Endpoint("openai:m@http://localhost:1/v1", settings, EndpointConfig(api=preset.api))
        parts = Shown("h : p\n\ncase b\n⊢ p", "t", "theorem t : p")
        (found,) = policy.sample([rendered(preset, parts)])
        prompt = preset.prompt(parts)
        if preset.api == "completions":
            assert bodies[-1]["prompt"] == prompt
        else:
            asked = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
            assert bodies[-1]["messages"] == asked
        assert found.text == (
            "exact h" if name != "reaper" else "```lean4\ntheorem t : p := by\n  exact h\n```"
        )
