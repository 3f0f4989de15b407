"""The plan of a program, as `--dry-run` prints it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from lean_gym.types import Theorem
from trainers.config.base import Settings, sections
from trainers.config.lora import LoraSettings, parse_lora
from trainers.config.plan import Plan
from trainers.config.run import ProgramConfig, RunConfig, TinyConfig
from trainers.curriculum.theorems import load_sets, select_theorems
from trainers.errors import ConfigError
from trainers.policies.presets.catalogue import read_name
from trainers.policies.sampling import BATCH_TOKENS
from trainers.policies.vllm import MEMORY_SHARE
from trainers.run.models import choose_compute_dtype
from trainers.run.plan import missing
from trainers.run.plan.division import division_of, remedy
from trainers.run.plan.sizes import Division, Memory, ModelSize, Sampling, Training, measure, memory
from trainers.run.plan.traced import Pass, Passes, trace_reading, trace_update
from trainers.run.session import make_algorithm

_GB = 1e9
_FEW_STEPS = 4
"""Optimiser steps on one rollout that need no bound."""


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
    lacking: list[str] = []
    theorems: Sequence[Theorem] = ()
    lines: list[tuple[str, str]] = []
    run = config.as_run()
    try:
        theorems = choose() if choose is not None else load_sets(config.theorems)
        lines = list(_outline(run, run is config)) if run is not None else []
    except ConfigError as error:
        lacking.append(str(error))
    plan = config.plan(len(theorems))
    print(f"  {'prover':<12}{config.prover(plan.processes)}")
    for label, text in () if lacking else (*plan.lines, *lines):
        print(f"  {label:<12}{text}")
    name = _loaded(plan.model)
    adapter = parse_lora(plan.update.adapter if plan.update is not None else "")
    size = measure(name, getattr(config, "tiny", TinyConfig()), adapter) if name else None
    if name:
        print(f"  {'model':<12}{_described(name, size)}")
    if plan.proves:
        lacking += missing.of_prover(config, theorems)
    lacking += missing.of_model(name, size)
    if resume is not None:
        lacking += missing.of_resumed(resume, has_checkpoint=run is not None)
    lacking += missing.of_packages(*plan.packages, *[] if plan.engine == "transformers" else ["vllm"])
    lacking += missing.of_run(run) if run is not None else ()
    if size is not None:
        needed, division = estimated(plan, size, adapter, run if run is config else None)
        lacking += _show_memory(needed, division, plan, size)
    if changed := [f"  {path} = {value}" for path, value in _changes(config, type(config).model_construct())]:
        print("settings that differ from the defaults", *changed, sep="\n")
    if lacking:
        print("missing on this machine", *(f"  {line}" for line in lacking), sep="\n")
    else:
        print("nothing is missing on this machine")
    return 1 if lacking else 0


def _loaded(model: str) -> str:
    """Return the model that is loaded for a name, a run or a preset; empty for one behind an endpoint."""
    if (named := read_name(model)) is not None:
        model = named.model
    if model.startswith("openai:"):
        return ""
    inner = os.path.join(model, "policy")  # a run
    return inner if os.path.isdir(inner) else model


def _outline(run: RunConfig, with_algorithm: bool) -> Iterator[tuple[str, str]]:
    """Yield the lines of a training run: label and text."""
    split, rollout = select_theorems(run.theorems, run.evaluation.held_out), run.rollout
    drawn = min(rollout.theorems_per_iteration, len(split.train))
    episodes = drawn * rollout.group_size + 2 * rollout.canaries
    tactics, tries = episodes * rollout.max_steps, rollout.tries
    held_out = len(split.held_out) * run.evaluation.eval_samples
    if with_algorithm:
        yield "algorithm", f"{run.algo.algorithm}, credit {run.credit.credit}"
    if run.ray:
        text = (
            f"{run.processes} on the nodes of Ray at {run.ray}; memory is compared with that of this machine"
        )
        yield "processes", text
    every = run.evaluation.eval_every
    yield "theorems", f"{run.theorems}: {len(split.train)} to train on, {len(split.held_out)} held out"
    yield (
        "sampling",
        f"{run.engine}: {drawn} theorems x {rollout.group_size} episodes, at most {tactics} {tries} a round",
    )
    if with_algorithm:
        yield "update", _steps_of(run)
    limit = f", or {run.max_tactics} {tries}" if run.max_tactics else ""
    yield "length", f"{run.max_iterations} rounds: at most {tactics * run.max_iterations} {tries}{limit}"
    yield (
        "evaluation",
        f"{held_out} episodes, before and after"
        + (f", and every {every} rounds" if 0 < every < run.max_iterations else ""),
    )


def _steps_of(run: RunConfig) -> str:
    """Return the optimiser steps of a round, with a warning where they may move the policy without a bound."""
    learner = run.learner
    try:
        algorithm = make_algorithm(run)
    except ConfigError:  # told among what is missing
        return f"{learner.update_epochs} x {learner.minibatches} parts"
    steps = learner.update_epochs * len(algorithm.sync_windows(learner.minibatches))
    threshold = algorithm.settings.off_policy_mask_threshold
    bounded = algorithm.bounds_falling or threshold is not None or learner.target_kl is not None
    text = f"{steps} optimiser steps a round, the rate warmed up over {learner.warmup_steps}"
    if bounded or steps <= _FEW_STEPS:
        return text
    return f"{text}; nothing bounds how far they move the policy: set off_policy_mask_threshold to 0.1, or target_kl"


def _needs_reference(run: RunConfig) -> bool:
    try:
        return make_algorithm(run).needs_reference
    except ConfigError:  # told among what is missing
        return False


def estimated(
    plan: Plan, size: ModelSize, adapter: LoraSettings | None, run: RunConfig | None
) -> tuple[Memory, Division]:
    """Return the estimate for one process, and what the processes divide.

    Args:
        plan: The plan of the program.
        size: The model.
        adapter: The adapter that it trains, if any.
        run: The settings, if they are those of a training run.
    """
    division, update = division_of(plan.processes), plan.update
    training = None
    if update is not None:
        ahead = run is not None and run.rollout.staleness > 0
        reference = run is not None and _needs_reference(run)
        gpu = missing.device().type == "cuda"
        training = Training(
            lora=bool(update.adapter),
            four_bit=update.four_bit,
            half=_computes_in_half(plan),
            reference=reference,
            on_cpu=run is not None and run.learner.offload_ref_model and gpu,
            ahead=ahead,
            foreach=gpu,
        )
    sampling = None
    if plan.sampled_tokens and plan.engine == "transformers":
        row = plan.prompt_tokens + plan.answer_tokens
        rows = max(1, min(BATCH_TOKENS, plan.sampled_tokens // division.processes) // row)
        sampling = Sampling(rows, plan.prompt_tokens, plan.answer_tokens)
    share = MEMORY_SHARE if plan.engine_share is None else plan.engine_share
    engine = share * missing.device_bytes() if plan.engine == "vllm" else 0.0
    passes = _passes(plan, size, adapter, sampling)
    return memory(size, training, sampling, passes, division, engine, plan.engine_rests), division


def _passes(plan: Plan, size: ModelSize, adapter: LoraSettings | None, sampling: Sampling | None) -> Passes:
    """Return what passes through the model take; nothing for one that cannot be run without numbers."""
    assert size.shape is not None, "measure gives one"
    update, dtype = plan.update, torch.float32
    half = _computes_in_half(plan)
    if adapter is not None and half and size.stored == torch.bfloat16.itemsize:
        dtype = torch.bfloat16
    checkpointing = update is not None and update.checkpointing
    settings = Pass(missing.device(), half, adapter, checkpointing, dtype)
    found = Passes()
    try:
        if update is not None:
            found = trace_update(size.shape, settings, update.tokens, plan.prompt_tokens, plan.answer_tokens)
        if sampling is not None:
            reading = trace_reading(size.shape, settings, sampling.rows, sampling.prompt)
            found = replace(found, reading=reading)
    except Exception:  # models raise many kinds where an operation asks for numbers, e.g. to choose experts
        return Passes(known=False)
    return found


def _computes_in_half(plan: Plan) -> bool:
    try:
        precision = "fp32" if plan.update is None else plan.update.precision
        return choose_compute_dtype(precision, missing.device()) is not None
    except ConfigError:  # told among what is missing
        return False


def _described(name: str, size: ModelSize | None) -> str:
    if size is None:
        return f"{name}: its size is not known here"
    weights = (
        f"{size.weights / 1e9:.2f} billion" if size.weights >= 1e8 else f"{size.weights / 1e6:.2f} million"
    )
    adapter = f", {size.adapter / 1e6:.2f} million in the adapter" if size.adapter else ""
    return f"{name}: {weights} weights{' (by its name)' if size.by_name else adapter}"


def _show_memory(needed: Memory, division: Division, plan: Plan, size: ModelSize) -> list[str]:
    """Print the estimate for one of the processes; return a line where this machine has less."""
    total, processes = needed.total, division.processes
    here = float(missing.device_bytes())
    if torch.cuda.is_available():
        where = torch.cuda.get_device_name(0)
    else:
        here, where = here / processes, "free memory, no GPU"
    if processes > 1:
        where += f"; for each of {processes} processes, which divide {division}"
    partly = "; of a Llama of so many weights, as only the model's name is known" if size.by_name else ""
    print(f"memory, an estimate: {total / _GB:.2f} GB of {here / _GB:.1f} GB ({where}){partly}")
    for use, amount in needed.held.items():
        print(f"  {use:<31}{amount / _GB:8.2f} GB")
    for phase, uses in (("while sampling", needed.sampling), ("while updating", needed.update)):
        for use, amount in uses.items():
            print(f"  {use:<31}{amount / _GB:8.2f} GB, {phase}")
    if not needed.passes_known:
        print("  passes                         not known: this architecture does not run without numbers")
    if total <= here:
        return []
    use, amount = needed.largest
    line = f"memory: about {total / _GB:.1f} GB, {here / _GB:.1f} GB are here"
    return [f"{line}; {use}, {amount / _GB:.1f} GB of them: {remedy(use, plan, division)}"]


def _changes(config: Settings, usual: Settings) -> Iterator[tuple[str, Any]]:
    """Yield path and value of the settings that differ."""
    parts = sections(type(config))
    for name, value in config:
        other = getattr(usual, name)
        if name in parts:
            yield from ((f"{name}.{path}", inner) for path, inner in _changes(value, other))
        elif value != other:
            yield name, "(not shown)" if name == "api_key" else value
