"""The plan of a program: sizes against numbers worked out by hand, memory, what is missing."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from trainers.config.lora import LoraSettings
from trainers.config.run import (
    AlgorithmConfig,
    CreditConfig,
    EvaluationConfig,
    LearnerConfig,
    ProgramConfig,
    RolloutConfig,
    RunConfig,
    TinyConfig,
)
from trainers.config.search import SearchConfig
from trainers.config.serve import ServeConfig
from trainers.config.tasks import (
    EvaluateConfig,
    ExpertIterationConfig,
    ProgressConfig,
    ProveConfig,
    SftConfig,
)
from trainers.curriculum.theorems import load_sets
from trainers.extras import install
from trainers.policies.tiny import tiny_shape
from trainers.prove import theorems_of
from trainers.run.plan.division import division_of, remedy
from trainers.run.plan.missing import of_packages, of_run
from trainers.run.plan.report import dry_run
from trainers.run.plan.sizes import Division, ModelSize, Sampling, Training, measure, memory
from trainers.run.plan.traced import Passes
from trainers.runtime.checksums import write_checksums

TINY = TinyConfig(hidden_size=8, layers=1, attention_heads=4, key_heads=2, head_size=6, vocabulary=300)
# queries and output 8 x 24, two heads of keys and two of values 8 x 12, three matrices 8 x 32
LINEAR = 2 * 8 * 24 + 2 * 8 * 12 + 3 * 8 * 32
NORMS = 3 * 8


def planned(config: ProgramConfig, program: str, resume: Path | None = None) -> int:
    """Print a plan as the programs do, and return the exit code."""
    choose = partial(theorems_of, config) if isinstance(config, ProveConfig) else None
    return dry_run(config, program, resume, choose)


def test_the_size_of_the_tiny_model() -> None:
    size = measure("tiny", TINY, None)
    block = LINEAR + 2 * 8
    assert size == ModelSize(
        weights=300 * 8 + LINEAR + NORMS,
        linear=LINEAR + 300 * 8,  # the output has the embeddings
        adapted=LINEAR,
        vocabulary=300,
        layers=1,
        block=block,
        outer=300 * 8 + 8,
        cached=2 * 2 * 6,
    )


def test_the_size_of_an_adapter() -> None:
    pairs = 2 * (8 + 24) + 2 * (8 + 12) + 3 * (8 + 32)
    whole = measure("tiny", TINY, LoraSettings(2))
    part = measure("tiny", TINY, LoraSettings(2, targets=("q_proj", "v_proj")))
    assert whole is not None and part is not None
    assert (whole.adapter, part.adapter) == (2 * pairs, 2 * (32 + 20))


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("Some/Model-0.6B", 600_000_000),
        ("BFS-Prover-V2-7B", 7_000_000_000),
        ("Some/Model-30B-A3B", None),
        ("Some/3Body", None),
    ],
)
def test_a_model_that_is_not_here_is_known_by_its_name(name: str, weights: int | None) -> None:
    size = measure(name, TINY, None)
    if name.endswith("A3B"):  # of a mixture of experts the whole counts, which is named first
        assert size is not None and size.weights == 30_000_000_000
        return
    assert (None if size is None else size.weights) == weights


SIZE = ModelSize(weights=1000, linear=800, adapted=700, adapter=10, block=300, outer=400, cached=16, stored=2)
PASSES = Passes(activations=5000, vocabulary=600, reading=900)


def test_memory_of_an_update() -> None:
    needed = memory(SIZE, Training(reference=True), Sampling(rows=2, prompt=3, answer=1), PASSES)
    assert needed.held == {"weights": 4000, "optimiser": 8000, "reference model": 4000}
    assert needed.update == {"gradients": 4000, "activations": 5000, "scores of the vocabulary": 600}
    # prompts of rows twice: a stream remembers them
    assert needed.sampling == {"keys and values": 2 * 7 * 16 * 4, "reading prompts": 900 - 896}
    assert needed.total == 16000 + 9600  # more than sampling needs
    assert needed.largest == ("optimiser", 8000)
    elsewhere = memory(SIZE, Training(reference=True, on_cpu=True), None, PASSES)
    # what is outside of the blocks, and one of these
    assert elsewhere.held["reference model"] == 4 * (400 + 300)


def test_memory_of_an_adapter_in_16_bits() -> None:
    training = Training(lora=True, half=True, reference=True)
    needed = memory(SIZE, training, Sampling(rows=1000, prompt=3, answer=1), PASSES)
    # the model as it is stored; the adapter has 32 bits, and a copy in 16
    assert needed.held == {"weights": 2000 + 40, "optimiser": 80, "copies in 16 bits for sampling": 20}
    assert needed.update["gradients"] == 40
    assert needed.total == 2140 + 1000 * 7 * 16 * 2  # the cache is larger than the update
    assert needed.largest == ("keys and values", 224000)
    four_bit = memory(SIZE, Training(lora=True, four_bit=True, half=True), None, PASSES)
    assert four_bit.held["weights"] == pytest.approx(700 * (0.5 + (1 + 4 / 256) / 64) + 300 * 2 + 40)


def test_memory_of_16_bits_with_weights_of_32() -> None:
    needed = memory(SIZE, Training(half=True), Sampling(1, 1, 1), PASSES)
    assert needed.held["copies in 16 bits for sampling"] == 1600
    assert memory(SIZE, None, None, Passes()).held == {"weights": 4000}


def test_a_copy_that_samples_ahead_is_beside_the_update() -> None:
    sampling = Sampling(2, 3, 1)
    alone, ahead = (memory(SIZE, Training(ahead=on), sampling, PASSES) for on in (False, True))
    assert ahead.total == alone.total + 4000 + sum(alone.sampling.values())


@pytest.mark.parametrize(
    ("division", "weights", "optimiser", "gradients", "further"),
    [
        (Division(), 4000, 8000, 4000, {}),
        (Division(4), 4000, 8000, 4000, {"exchange of gradients": 4000}),
        (Division(4, weights=True), 1000, 2000, 1000, {"gathered weights": 4 * (400 + 600) + 4 * 700}),
        (
            Division(4, weights=True, gathered=True),
            1000,
            2000,
            1000,
            {"gathered weights": 4 * 1000 + 4 * 700},
        ),
        (Division(4, averages=True), 4000, 2000, 4000, {}),
        (Division(4, averages=True, gradients=True), 4000, 2000, 1000, {}),
    ],
    ids=["one", "plain", "fsdp", "fsdp that keeps", "zero 1", "zero 2"],
)
def test_processes_divide_what_they_shard(
    division: Division, weights: int, optimiser: int, gradients: int, further: dict[str, int]
) -> None:
    needed = memory(SIZE, Training(), Sampling(1, 1, 1), PASSES, division)
    assert needed.held["weights"] == weights
    assert needed.held["optimiser"] == optimiser
    assert needed.update["gradients"] == gradients
    assert needed.update["activations"] == 5000
    assert {**needed.held, **needed.update}.items() >= further.items()
    assert ("undivided weights" in needed.sampling) == division.weights


def test_shards_of_32_bits_are_gathered_in_16() -> None:
    needed = memory(SIZE, Training(half=True), Sampling(1, 1, 1), PASSES, Division(4, weights=True))
    assert (needed.held["weights"], needed.held["optimiser"], needed.update["gradients"]) == (
        1000,
        2000,
        1000,
    )
    assert needed.update["gathered weights"] == 2 * (400 + 600) + (2 + 4) * 700  # a gradient in both
    assert needed.sampling["undivided weights"] == 2000


def test_an_engine_takes_its_share() -> None:
    assert memory(SIZE, None, None, Passes(), engine=7000.0).total == 4000 + 7000
    always, rests = (
        memory(SIZE, Training(), None, PASSES, engine=7000.0, engine_rests=on) for on in (False, True)
    )
    assert always.total - rests.total == 7000  # the update needs more, and the engine frees its part for it
    assert rests.sampling == {"engine": 7000}


def test_the_launcher_says_what_is_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    assert division_of(2) == Division(2)
    monkeypatch.setenv("WORLD_SIZE", "8")
    assert division_of(2) == Division(8)
    monkeypatch.setenv("ACCELERATE_USE_DEEPSPEED", "true")
    assert division_of(2) == Division(8, averages=True, gradients=True)
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    assert division_of(2) == Division(8, weights=True)
    monkeypatch.setenv("FSDP_RESHARD_AFTER_FORWARD", "SHARD_GRAD_OP")
    assert division_of(2) == Division(8, weights=True, gathered=True)


@pytest.mark.parametrize(
    ("use", "learner", "setting"),
    [
        ("activations", {}, "--gradient-checkpointing"),
        ("activations", {"gradient_checkpointing": True}, "--batch-tokens than 8192"),
        ("keys and values", {}, "--theorems-per-iteration"),
        ("optimiser", {}, "--lora r=16"),
        ("weights", {"lora": "r=8"}, "--load-in-4bit"),
        ("engine", {}, "--engine vllm-server"),
    ],
)
def test_what_does_not_fit_names_a_setting(use: str, learner: dict[str, Any], setting: str) -> None:
    plan = RunConfig(learner=LearnerConfig(**learner)).plan(1)
    assert setting in remedy(use, plan, Division())


def test_a_model_known_by_name_has_the_shape_of_a_llama() -> None:
    size = measure("Some/Model-7B", TINY, None)
    assert size is not None and size.shape is not None
    assert (size.layers, size.shape.hidden_size) == (33, 4224)  # 32 and 4096 of Llama 7B
    assert size.outer + 33 * size.block == pytest.approx(7e9, rel=0.1)


def test_a_token_takes_the_keys_and_values_that_the_cache_of_the_model_holds() -> None:
    tiny = TinyConfig()
    size = measure("tiny", tiny, None)
    model = LlamaForCausalLM(tiny_shape(tiny, tiny.vocabulary))
    cache = model(input_ids=torch.zeros(3, 5, dtype=torch.long), use_cache=True).past_key_values
    held = sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)
    assert size is not None and size.cached == held / (3 * 5)


@pytest.mark.parametrize(
    ("config", "batch"),
    [
        (RunConfig(rollout=RolloutConfig(theorems_per_iteration=2, group_size=2)), 4 * (320 + 48)),
        (RunConfig(rollout=RolloutConfig(theorems_per_iteration=900)), 32768),
        (EvaluateConfig(policy="tiny", parallel_episodes=3), 3 * (320 + 48)),
        (
            ProveConfig(policy="tiny", theorem="theorem t : True", search=SearchConfig(samples=3)),
            3 * (320 + 48),
        ),
        (
            ProveConfig(
                policy="tiny",
                theorems="nat",
                side_by_side=2,
                search=SearchConfig(method="beam", samples=3, beam_width=4),
            ),
            24 * (320 + 48),
        ),
        (ProveConfig(policy="tiny", engine="vllm"), 0),
        (RunConfig(engine="vllm"), 0),
        (SftConfig(model="tiny"), 0),
    ],
    ids=[
        "a small batch",
        "as much as is decoded at once",
        "evaluation",
        "one search",
        "two beams",
        "a search with another engine",
        "another engine",
        "no sampling",
    ],
)
def test_the_cache_of_sampling_is_in_the_plan(
    config: RunConfig, batch: int, capsys: pytest.CaptureFixture[str]
) -> None:
    planned(config, "PROGRAM")
    shown = capsys.readouterr().out
    size = measure("tiny", TinyConfig(), None)
    assert size is not None
    rows = batch // (320 + 48)
    remembered = rows * (batch > 0) * 320
    whole = rows * (320 + 48) + remembered
    line = f"  {'keys and values':<31}{whole * size.cached * 4 / 1e9:8.2f} GB, while sampling\n"
    assert (line in shown) == bool(batch)
    assert bool(batch) == ("keys and values" in shown)


def test_the_plan_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    rollout = RolloutConfig(theorems_per_iteration=4, group_size=3, max_steps=5, canaries=1)
    config = RunConfig(
        theorems="logic", max_iterations=7, rollout=rollout, evaluation=EvaluationConfig(eval_samples=9)
    )
    assert planned(config, "lean-gym train") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("plan of lean-gym train; nothing is started\n")
    assert "4 theorems x 3 episodes, at most 70 tactics a round" in shown  # (4 * 3 + 2) * 5
    assert "7 rounds: at most 490 tactics" in shown
    assert "  rollout.max_steps = 5\n" in shown
    assert "nothing is missing on this machine" in shown


@pytest.mark.parametrize(
    ("algorithm", "settings", "learner", "warned"),
    [
        ("grpo", {}, {}, False),
        ("grpo", {"epsilon": 0.9}, {}, True),
        ("grpo", {"epsilon": 0.9}, {"minibatches": 4}, False),
        ("grpo", {"epsilon": 0.9}, {"target_kl": 0.1}, False),
        ("grpo", {"epsilon": 0.9, "sync_frequency": 8}, {}, False),
        ("gmpo", {}, {}, False),
        ("vespo", {}, {}, False),
        ("vespo", {"k_negative": 0.0}, {}, True),
        ("sapo", {}, {}, False),
        ("sapo", {"off_policy_mask_threshold": None}, {}, True),
        ("sapo", {"off_policy_mask_threshold": None}, {"minibatches": 2, "update_epochs": 3}, True),
    ],
)
def test_many_steps_without_a_bound_are_warned_of(
    algorithm: str,
    settings: dict[str, Any],
    learner: dict[str, Any],
    warned: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = RunConfig(
        theorems="logic",
        algo=AlgorithmConfig(algorithm=algorithm, algo_config=settings),
        learner=LearnerConfig(**learner),
    )
    assert planned(config, "lean-gym train") == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  update ")]
    assert (
        "; nothing bounds how far they move the policy: set off_policy_mask_threshold to 0.1" in line
    ) == warned
    assert "optimiser steps a round, the rate warmed up over 10" in line


def test_a_run_on_ray_is_planned_without_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    config = RunConfig(theorems="logic", processes=4, ray="10.0.0.1:6379")
    assert planned(config, "lean-gym train") == 0
    assert (
        "  processes   4 on the nodes of Ray at 10.0.0.1:6379; memory is compared" in capsys.readouterr().out
    )


def test_the_plan_of_a_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    statement = ProveConfig(
        policy="tiny", theorem="theorem t (n : Nat) : n = n", search=SearchConfig(tactics=9)
    )
    assert planned(statement, "PROGRAM") == 0
    shown = capsys.readouterr().out
    assert "theorems    theorem t (n : Nat) : n = n: 1\n" in shown
    assert "search      best_first: at most 9 tactics each\n" in shown
    assert "model       tiny: " in shown
    file = tmp_path / "F.lean"
    file.write_text("theorem a : True := sorry\ndef b : Nat := sorry\ntheorem c : True := sorry\n")
    assert planned(ProveConfig(policy="tiny", file=str(file)), "PROGRAM") == 0
    shown = capsys.readouterr().out
    assert f"{file}: to be filled in: 2\n" in shown
    assert "search      best_first: at most 256 tactics each, 512 tactics in all\n" in shown
    assert planned(ProveConfig(policy="tiny", theorem="nothing", theorems="nat"), "PROGRAM") == 1
    assert "missing on this machine\n  unknown theorem 'nothing'" in capsys.readouterr().out


def test_plans_of_whole_proofs_count_attempts_and_repairs(capsys: pytest.CaptureFixture[str]) -> None:
    rollout = {"actions": "proof", "max_repairs": 2}
    search = {"tactics": 99, "model_calls": 56, "seconds": 60.0}
    assert planned(ProveConfig(policy="tiny", theorems="nat", rollout=rollout, search=search), "PROGRAM") == 0
    count = len(load_sets("nat"))
    repairs = (
        "whole_proof: 2 repairs of each that failed, 2 rounds of them, at most 56 attempts and 60 s each"
    )
    assert f"search      {repairs}, {count * 56} attempts in all\n" in capsys.readouterr().out
    assert planned(EvaluateConfig(policy="tiny", theorems="nat", k="1", rollout=rollout), "PROGRAM") == 0
    assert f"{count} x 1 episodes, at most {count * 3} attempts\n" in capsys.readouterr().out
    assert planned(ServeConfig(policy="tiny", theorems="nat", rollout=rollout, search=search), "PROGRAM") == 0
    assert f"searches    2 at a time, {repairs}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "config",
    [
        ExpertIterationConfig(rounds=2),
        SftConfig(model="tiny"),
        ProgressConfig(),
        EvaluateConfig(policy="openai:m@http://localhost:1/v1"),
        ProveConfig(policy="openai:m@http://localhost:1/v1"),
    ],
    ids=lambda config: type(config).__name__,
)
def test_every_program_has_a_plan(config: RunConfig, capsys: pytest.CaptureFixture[str]) -> None:
    assert planned(config, "PROGRAM") == 0
    assert "nothing is missing on this machine" in capsys.readouterr().out


def test_processes_share_the_memory(capsys: pytest.CaptureFixture[str]) -> None:
    here = []
    for processes in (1, 4):
        planned(RunConfig(processes=processes, workers=3), "PROGRAM")
        shown = capsys.readouterr().out
        assert f", {3 * processes} processes, verify" in shown
        assert ("; for each of 4 processes, which divide episodes and batches)" in shown) == (processes == 4)
        found = re.search(r"GB of ([\d.]+) GB \(free memory", shown)
        assert found is not None
        here.append(float(found[1]))
    assert here[1] == pytest.approx(here[0] / 4, rel=0.3)  # other programs run as well


@pytest.mark.parametrize(
    ("config", "line"),
    [
        (
            RunConfig(model="Some/Model-2B"),
            "the model Some/Model-2B: it is no folder and was not downloaded before",
        ),
        (RunConfig(theorems="no/such.jsonl"), "theorems: no/such.jsonl: cannot be read"),
        (RunConfig(learner=LearnerConfig(lora="r=4", load_in_4bit=True), model="m/m"), "load_in_4bit"),
        (
            RunConfig(credit=CreditConfig(credit="td", value="progress", progress_model="none")),
            "the progress model none: python -m trainers.progress writes one",
        ),
        (
            RunConfig(env={"backend_options": {"repl_command": ["/no/repl"]}}),
            "Lean's REPL: '/no/repl' is no program",
        ),
    ],
)
def test_what_is_missing_is_told(config: RunConfig, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert planned(config, "lean-gym train") == 1
    assert line in capsys.readouterr().out.partition("missing on this machine\n")[2]


def test_a_model_that_is_too_large_is_told_with_its_reference(capsys: pytest.CaptureFixture[str]) -> None:
    totals = []
    for options in ({}, {"beta": 0.1}):
        algo = AlgorithmConfig(algo_config=options)
        assert planned(RunConfig(model="Some/Model-900B", algo=algo), "lean-gym train") == 1
        found = re.search(r"memory: about ([\d.]+) GB", capsys.readouterr().out)
        assert found is not None
        totals.append(float(found[1]))
    assert totals[0] > 900 * 16  # weights, gradients, two averages
    assert totals[1] == pytest.approx(totals[0] + 900 * 4)


def test_a_model_that_does_not_run_without_numbers_is_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> Passes:
        raise RuntimeError("an operation asks for numbers")

    monkeypatch.setattr("trainers.run.plan.report.trace_update", refuse)
    LlamaConfig(vocab_size=300, hidden_size=16, num_hidden_layers=1, num_attention_heads=4).save_pretrained(
        tmp_path
    )
    planned(RunConfig(model=str(tmp_path)), "lean-gym train")
    shown = capsys.readouterr().out
    assert "not known: this architecture does not run without numbers" in shown
    assert "activations" not in shown


def test_a_setting_of_an_algorithm_that_is_wrong_is_told() -> None:
    config = RunConfig(algo={"algo_config": {"epsilom": 0.1}})
    assert any("did you mean 'epsilon'" in line for line in of_run(config))


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainers.run.plan.missing.find_spec", lambda module: None)
    assert list(of_packages("vllm", "other")) == [
        f"the package vllm: {install('vllm')}",
        "the package other: pip install other",
    ]
    assert install("vllm") == "pip install 'lean-gym[vllm]'"


def test_theorems_that_need_mathlib_without_imports_are_missing_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"name": "a", "statement": "theorem a (n : ℕ) : n = n"},
        {"name": "b", "statement": "theorem b (x : ℝ) : x = x"},
        {"name": "c", "statement": "theorem c : 1 = 1"},
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert planned(EvaluateConfig(policy="tiny", theorems=str(path), backend="minilean"), "PROGRAM") == 1
    assert "  Mathlib for 2 theorems, of which the first is a: ℕ needs Mathlib" in capsys.readouterr().out


def test_a_run_that_cannot_go_on_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = RunConfig(theorems="logic")
    assert planned(config, "PROGRAM", tmp_path) == 1
    shown = capsys.readouterr().out
    assert "the run has no folder policy" in shown
    assert "the run has no checkpoint" in shown
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "config.json").write_text("{}")
    write_checksums(tmp_path / "policy")
    (tmp_path / "policy" / "config.json").write_text("{ }")
    (tmp_path / "checkpoint.pt").write_bytes(b"x" * 100)
    assert planned(config, "PROGRAM", tmp_path) == 1
    shown = capsys.readouterr().out
    assert "config.json is damaged" in shown
    assert "checkpoint.pt is damaged" in shown
