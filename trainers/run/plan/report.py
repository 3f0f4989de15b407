"""The plan of a program, as `--dry-run` prints it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil
import torch

from lean_gym.types import Theorem
from trainers.config.base import Settings, sections
from trainers.config.lora import parse_lora
from trainers.config.names import POLICY
from trainers.config.rollout import SamplingConfig
from trainers.config.run import ProgramConfig, RunConfig, TinyConfig, TrainingConfig
from trainers.config.serve import ServeConfig
from trainers.config.tasks import (
    EvaluateConfig,
    ExpertIterationConfig,
    ProgressConfig,
    ProveConfig,
    SftConfig,
)
from trainers.curriculum.theorems import load_sets, select_theorems
from trainers.errors import ConfigError
from trainers.policies.presets.catalogue import read_name
from trainers.policies.sampling import BATCH_TOKENS
from trainers.run.models import choose_compute_dtype
from trainers.run.plan import missing
from trainers.run.plan.sizes import Memory, ModelSize, Training, measure, memory
from trainers.run.session import make_algorithm

_GB = 1e9


def dry_run(
    config: ProgramConfig,
    program: str,
    resume: Path | None = None,
    choose: Callable[[], Sequence[Theorem]] | None = None,
) -> int:
    """Print the plan of a program, and start nothing.

    Args:
        config: The program's settings.
        program: How the program was started.
        resume: Folder of the run to go on with; `None` for a new one.
        choose: Chooses the theorems that the program is about; those of the settings' sets if left out.

    Returns:
        The exit code: 0, or 1 where something is missing on this machine.
    """
    print(f"plan of {program}; nothing is started")
    name = _model_of(config)
    lacking: list[str] = []
    theorems: Sequence[Theorem] = ()
    try:
        theorems = choose() if choose is not None else load_sets(config.theorems)
        for label, text in _outline(config, len(theorems)):
            print(f"  {label:<12}{text}")
    except ConfigError as error:
        lacking.append(str(error))
    run = _run_of(config)
    adapter = parse_lora(_lora_of(config))
    size = measure(name, _tiny_of(config), adapter) if name else None
    if name:
        print(f"  {'model':<12}{_described(name, size)}")
    if not isinstance(config, ServeConfig) or config.proofs:
        lacking += missing.of_prover(config, theorems)
    lacking += missing.of_model(name, size)
    if resume is not None:
        lacking += missing.of_resumed(resume, has_checkpoint=run is not None)
    lacking += missing.of_run(run) if run is not None else _of_other(config)
    if size is not None:
        training = _training(config, run)
        half = training.half if training is not None else False
        needed = memory(size, training, _sampled_tokens(config, run, len(theorems)), half)
        lacking += _show_memory(needed, size, _processes_of(config))
    changed = (
        [f"  {path} = {value}" for path, value in _changes(config, type(config)())] if _plain(config) else []
    )
    if changed:
        print("settings that differ from the defaults", *changed, sep="\n")
    if lacking:
        print("missing on this machine", *(f"  {line}" for line in lacking), sep="\n")
    else:
        print("nothing is missing on this machine")
    return 1 if lacking else 0


def _plain(config: ProgramConfig) -> bool:
    """Return whether the program's settings have defaults for all; an evaluation needs a policy."""
    return not isinstance(config, EvaluateConfig)


def _run_of(config: ProgramConfig) -> RunConfig | None:
    if isinstance(config, ExpertIterationConfig):
        return config.to_run_config()
    return config if isinstance(config, RunConfig) else None


def _model_of(config: ProgramConfig) -> str:
    """Return the model that is loaded; empty for one behind an endpoint."""
    if isinstance(config, TrainingConfig):
        return config.model
    if isinstance(config, ProgressConfig):
        return config.policy or "tiny"
    policy = config.policy if isinstance(config, EvaluateConfig | ProveConfig | ServeConfig) else ""
    if isinstance(config, ProveConfig) and POLICY not in config.sources:
        return ""
    if (named := read_name(policy)) is not None:
        policy = named.model
    if policy.startswith("openai:"):
        return ""
    inner = os.path.join(policy, "policy")  # a run
    return inner if os.path.isdir(inner) else policy


def _tiny_of(config: ProgramConfig) -> TinyConfig:
    return config.tiny if isinstance(config, TrainingConfig | ProgressConfig) else TinyConfig()


def _lora_of(config: ProgramConfig) -> str:
    if isinstance(config, RunConfig):
        return config.learner.lora
    return config.lora if isinstance(config, SftConfig) else ""


def _outline(config: ProgramConfig, theorems: int) -> Iterator[tuple[str, str]]:
    """Yield the lines of the work: label and text."""
    workers = config.workers * _processes_of(config) or os.cpu_count() or 1
    yield "prover", f"{config.backend}, {workers} processes, verify {config.env.verify}"
    run = _run_of(config)
    if run is None:
        yield from _outline_of_other(config, theorems)
        return
    split, rollout = select_theorems(run.theorems, run.evaluation.held_out), run.rollout
    drawn = min(rollout.theorems_per_iteration, len(split.train))
    episodes = drawn * rollout.group_size + 2 * rollout.canaries
    tactics, tries = episodes * rollout.max_steps, _tries(rollout)
    held_out = len(split.held_out) * run.evaluation.eval_samples
    if isinstance(config, RunConfig):
        yield "algorithm", f"{run.algo.algorithm}, credit {run.credit.credit}"
    every = run.evaluation.eval_every
    yield "theorems", f"{run.theorems}: {len(split.train)} to train on, {len(split.held_out)} held out"
    yield (
        "sampling",
        f"{run.engine}: {drawn} theorems x {rollout.group_size} episodes, at most {tactics} {tries} a round",
    )
    limit = f", or {run.max_tactics} {tries}" if run.max_tactics else ""
    yield "length", f"{run.max_iterations} rounds: at most {tactics * run.max_iterations} {tries}{limit}"
    yield (
        "evaluation",
        f"{held_out} episodes, before and after"
        + (f", and every {every} rounds" if 0 < every < run.max_iterations else ""),
    )


def _outline_of_other(config: ProgramConfig, count: int) -> Iterator[tuple[str, str]]:
    if isinstance(config, ProveConfig):
        given = f"{config.file}: to be filled in" if config.file else config.theorem or config.theorems
        yield "theorems", f"{' '.join(given.split())}: {count}"
        yield "search", _search(config, count)
        yield "tactics", f"from {', '.join(config.sources)}"
        return
    yield "theorems", f"{config.theorems}: {count}"
    if isinstance(config, EvaluateConfig):
        samples = config.samples_per_theorem
        most = count * samples * config.rollout.max_steps
        yield (
            "sampling",
            f"{config.policy}: {count} x {samples} episodes, at most {most} {_tries(config.rollout)}",
        )
        yield "measures", f"pass@k for k = {config.k}"
    if isinstance(config, ServeConfig):
        yield "serving", f"{config.policy} at {config.host}, port {config.port}"
        yield "searches", f"{config.proofs} at a time, {_search(config, 1)}"
    if isinstance(config, SftConfig | ProgressConfig):
        yield "training", f"{config.epochs} passes, {config.batch_size} rows per step"


def _tries(rollout: SamplingConfig) -> str:
    """Return the word for actions."""
    return "attempts" if rollout.actions == "proof" else "tactics"


def _search(config: ProveConfig | ServeConfig, theorems: int) -> str:
    """Return the method of a search and its limits; whole proofs are attempts, repairs among them."""
    search, tries = config.search, _tries(config.rollout)
    most = min(search.tactics, search.model_calls or search.tactics)
    rounds = config.rollout.max_repairs
    repairs = f" {search.repairs} repairs of each that failed, {rounds} rounds of them," if rounds else ""
    each = f"{search.method}:{repairs} at most {most} {tries}" + (
        f" and {search.seconds:g} s" if search.seconds else ""
    )
    return f"{each} each" + (f", {theorems * most} {tries} in all" if theorems > 1 else "")


def _of_other(config: ProgramConfig) -> Iterator[str]:
    if isinstance(config, SftConfig):
        yield from missing.of_packages("trl", "datasets", *["peft"] * bool(config.lora))
    if isinstance(config, ServeConfig):
        yield from missing.of_packages("fastapi", "uvicorn")
    if isinstance(config, EvaluateConfig | ProveConfig | ServeConfig) and config.engine == "vllm":
        yield from missing.of_packages("vllm")


def _training(config: ProgramConfig, run: RunConfig | None) -> Training | None:
    """Return what decides on the memory of the update; `None` for a program that only samples."""
    if run is not None:
        learner = run.learner
        try:
            half = choose_compute_dtype(learner.precision, missing.device()) is not None
            reference = isinstance(config, RunConfig) and make_algorithm(run).needs_reference
        except ConfigError:  # told among what is missing
            half = reference = False
        return Training(
            bool(learner.lora),
            learner.load_in_4bit,
            half,
            reference,
            learner.batch_tokens,
            learner.gradient_checkpointing,
        )
    if isinstance(config, SftConfig):
        tokens = config.batch_size * (config.max_seq_len or config.rollout.max_prompt_tokens)
        half = torch.cuda.is_available()
        return Training(bool(config.lora), False, half, False, tokens, config.gradient_checkpointing)
    if isinstance(config, ProgressConfig):
        tokens = config.batch_size * config.rollout.max_prompt_tokens
        return Training(False, False, False, False, tokens, False)
    return None


def _sampled_tokens(config: ProgramConfig, run: RunConfig | None, theorems: int) -> int:
    """Return how many tokens a batch of sampling holds at most; 0 where this process does not sample."""
    if isinstance(config, ServeConfig):
        rows, sampling = 0 if config.engine == "vllm" else config.batch * config.suggestions, config.rollout
    elif isinstance(config, EvaluateConfig):
        rows, sampling = 0 if config.engine == "vllm" else config.parallel_episodes, config.rollout
    elif isinstance(config, ProveConfig):
        rows, sampling = min(config.side_by_side, theorems) * _rows_of_search(config), config.rollout
    elif run is not None and run.engine == "transformers":
        rows, sampling = run.rollout.theorems_per_iteration * run.rollout.group_size, run.rollout
    else:
        return 0
    return min(BATCH_TOKENS, rows * (sampling.max_prompt_tokens + sampling.max_tactic_tokens))


def _rows_of_search(config: ProveConfig) -> int:
    """Return how many completions the search for one proof asks for at once; of a beam, in its first pass."""
    if config.engine == "vllm":
        return 0
    search = config.search
    return search.samples * (search.beam_width if search.method == "beam" else 1)


def _described(name: str, size: ModelSize | None) -> str:
    if size is None:
        return f"{name}: its size is not known here"
    weights = (
        f"{size.weights / 1e9:.2f} billion" if size.weights >= 1e8 else f"{size.weights / 1e6:.2f} million"
    )
    adapter = f", {size.adapter / 1e6:.2f} million in the adapter" if size.adapter else ""
    return f"{name}: {weights} weights{' (by its name)' if size.by_name else adapter}"


def _processes_of(config: ProgramConfig) -> int:
    return config.processes if isinstance(config, RunConfig) else 1


def _show_memory(needed: Memory, size: ModelSize, processes: int) -> list[str]:
    """Print the estimate for one of the processes; return a line where this machine has less."""
    total = needed.total
    if torch.cuda.is_available():
        here, where = float(torch.cuda.get_device_properties(0).total_memory), torch.cuda.get_device_name(0)
    else:
        here, where = psutil.virtual_memory().available / processes, "free memory, no GPU"
        where += f"; for each of {processes} processes" if processes > 1 else ""
    partly = "; what tokens take is not counted, as only the model's name is known" if size.by_name else ""
    print(f"memory, an estimate: {total / _GB:.2f} GB of {here / _GB:.1f} GB ({where}){partly}")
    for use, amount in needed.held.items():
        print(f"  {use:<31}{amount / _GB:8.2f} GB")
    for phase, uses in (("while sampling", needed.sampling), ("while updating", needed.update)):
        for use, amount in uses.items():
            print(f"  {use:<31}{amount / _GB:8.2f} GB, {phase}")
    return [f"memory: about {total / _GB:.1f} GB, {here / _GB:.1f} GB are here"] if total > here else []


def _changes(config: Settings, usual: Settings) -> Iterator[tuple[str, Any]]:
    """Yield path and value of the settings that differ."""
    parts = sections(type(config))
    for name, value in config:
        other = getattr(usual, name)
        if name in parts:
            yield from ((f"{name}.{path}", inner) for path, inner in _changes(value, other))
        elif value != other:
            yield name, "(not shown)" if name == "api_key" else value
