"""Memory that models take in a run, measured, beside the estimate of `--dry-run`.

    python -m benchmarks.memory_plan                     all cases, some minutes
    python -m benchmarks.memory_plan --only smollm2      those whose name has this part

A case is a model with settings. Each is a process of its own, which loads the model, samples one batch of different
prompts, and takes two optimiser steps of the real learner on rows of exactly `batch_tokens` tokens; the second step,
of two batches, is measured. Parts:

weights     of the model, its adapter and its buffers, and copies in 16 bits that sampling leaves
optimiser   AdamW's averages
sampling    peak above these while sampling
gradients   of one step
passes      peak above all these while updating: activations, scores of the vocabulary
total       the largest number of bytes at a time

On a CPU, torch's profiler reports every allocation and release of torch's allocator, so the bytes are exact. With a GPU
torch counts the peak. The resident memory of the process is beside it: it has Python and the libraries too, above the
baseline before loading. Add figures worth keeping to docs/log.md, together with the command.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.children import ChildFailed, answer, run_child
from benchmarks.figures import open_console
from benchmarks.memory import MemoryUnknown, peak_mib, reset_peak, resident_mib
from lean_gym.command_line import Parser

_WIDE = {"hidden_size": 512, "layers": 8, "attention_heads": 8, "head_size": 64, "vocabulary": 32000}
_SMALL: dict[str, Any] = {"max_prompt_tokens": 128, "max_tactic_tokens": 24}
_MODELS: dict[str, dict[str, Any]] = {
    "neox": {"model_type": "gpt_neox", "vocab_size": 8192, "hidden_size": 256, "num_hidden_layers": 6}
    | {"num_attention_heads": 8, "intermediate_size": 1024},
    "gemma2": {"model_type": "gemma2", "vocab_size": 16384, "hidden_size": 256, "num_hidden_layers": 6}
    | {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "intermediate_size": 1024},
}
"""Configurations of models with random weights, of other architectures than Llama's."""


@dataclass(frozen=True, slots=True)
class Case:
    """A model with the settings of a run.

    Attributes:
        name: Its name in the table.
        model: `tiny`, a demo model, or a name in `_MODELS`.
        learner: Settings of the learner.
        tiny: Shape of the model `tiny`.
        rows: Rows that are sampled.
    """

    name: str
    model: str
    learner: dict[str, Any]
    tiny: dict[str, Any]
    rows: int = 16


def _cases() -> Iterator[Case]:
    half: dict[str, Any] = {"precision": "bf16"}
    again, lora = {"gradient_checkpointing": True}, {"lora": "r=16"}
    for settings in ({}, again, lora, half):
        yield _case("tiny", "tiny", settings, 8192)
    for settings in ({}, again, half, lora | half):
        yield _case("tiny, wide", "tiny", settings, 2048, _WIDE)
    for settings in ({}, again, half, lora, lora | half | again):
        yield _case("smollm2", "demo:smollm2", settings, 768)
    for model in _MODELS:
        for settings in ({}, again, lora | half):
            yield _case(model, model, settings, 2048)


def _case(
    name: str, model: str, settings: dict[str, Any], tokens: int, tiny: dict[str, Any] | None = None
) -> Case:
    words = [
        {"gradient_checkpointing": "checkpointing"}.get(key, str(value)) for key, value in settings.items()
    ]
    label = ", ".join([name, f"{tokens} tokens", *words])
    return Case(label, model, settings | {"batch_tokens": tokens}, tiny or {})


def measure(case: Case, folder: str) -> dict[str, dict[str, float]]:
    """Return the bytes of each part of a case, `measured` and `estimated`."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, LlamaForCausalLM

    from trainers.algorithms import create_algorithm
    from trainers.config.rollout import RolloutConfig
    from trainers.config.run import LearnerConfig, RunConfig, TinyConfig
    from trainers.distributed.processes import Processes
    from trainers.learning.learner import Learner
    from trainers.learning.samples import Sample
    from trainers.policies.tiny import tiny_shape, train_tokenizer
    from trainers.policies.transformers import load_pretrained, prepare_libraries
    from trainers.run.models import choose_compute_dtype, make_policy
    from trainers.run.plan.traced import fullest_rows

    prepare_libraries()
    rollout = RolloutConfig(**_SMALL, group_size=case.rows, theorems_per_iteration=1)
    config = RunConfig(
        model=folder or case.model,
        learner=LearnerConfig(**case.learner),
        tiny=TinyConfig(**case.tiny),
        rollout=rollout,
    )
    processes = Processes()
    baseline = resident_mib()
    tokenizer = train_tokenizer([" ".join(map(str, range(3000)))], 300)
    loaded: Any
    if folder:
        loaded = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder)), tokenizer
    elif case.model == "tiny":
        loaded = LlamaForCausalLM(tiny_shape(config.tiny, config.tiny.vocabulary)), tokenizer
    else:
        loaded = load_pretrained(case.model)
    policy = make_policy(
        config, loaded, "", processes, choose_compute_dtype(config.learner.precision, processes.device)
    )
    model = policy.model
    weights = sum(t.nbytes for t in itertools.chain(model.parameters(), model.buffers()))
    reset_peak()

    def sample() -> None:
        stream = policy.open_stream()
        for number in range(case.rows):
            stream.ask((number,), " ".join(str(number * 1000 + at) for at in range(200)))
        while len(stream):
            stream.answers()

    policy.entropy_gradient = False
    learner = Learner(policy, create_algorithm("grpo"), config.learner)
    sampling, copies = _bytes_above(sample)
    pairs = [
        pair
        for row in fullest_rows(
            config.learner.batch_tokens, rollout.max_prompt_tokens, rollout.max_tactic_tokens
        )
        for pair in row.pairs
    ]
    further = [((prompt[0] + 100, *prompt[1:]), tactic) for prompt, tactic in pairs]
    samples = [
        Sample(prompt, tactic, (-1.0,) * len(tactic), 1.0 - 2.0 * (at % 2))
        for at, (prompt, tactic) in enumerate([*pairs, *further])
    ]
    learner.settings = config.learner.model_copy(update={"minibatches": 1})

    def update() -> None:
        learner.update(samples, 0.0, torch.Generator().manual_seed(0))

    parts = len(list(learner._parts([*pairs, *further])))
    update()
    found: dict[str, float] = {}

    def gradients() -> None:
        found["gradients"] = sum(p.grad.nbytes for p in model.parameters() if p.grad is not None)

    learner.on_part = gradients
    passes, _ = _bytes_above(update)
    averages = sum(value.nbytes for state in learner.optimizer.state.values() for value in state.values())
    grown = peak_mib() - baseline
    measured = {
        "weights": weights + copies,
        "optimiser": averages,
        "sampling": sampling - copies,
        "gradients": found["gradients"],
        "passes": passes - found["gradients"],
    }
    assert parts == 2, f"the rows are {parts} batches"
    return {
        "measured": _with_total(measured),
        "estimated": _estimate(config),
        "resident": {"grown": grown * 2**20},
    }


def _with_total(parts: dict[str, float]) -> dict[str, float]:
    """Return the parts with the largest sum at a time: sampling and update take turns."""
    held = parts["weights"] + parts["optimiser"]
    return parts | {"total": held + max(parts["sampling"], parts["gradients"] + parts["passes"])}


def _estimate(config: Any) -> dict[str, float]:
    """Return the parts that `--dry-run` estimates."""
    from trainers.config.lora import parse_lora
    from trainers.run.plan.report import estimated
    from trainers.run.plan.sizes import measure as size_of

    plan, adapter = config.plan(1), parse_lora(config.learner.lora)
    size = size_of(config.model, config.tiny, adapter)
    assert size is not None
    needed, _ = estimated(plan, size, adapter, config)
    held, update = dict(needed.held), dict(needed.update)
    return {
        "weights": sum(held.values()) - held["optimiser"],
        "optimiser": held["optimiser"],
        "sampling": sum(needed.sampling.values()),
        "gradients": update.pop("gradients"),
        "passes": sum(update.values()),
        "total": needed.total,
    }


def _bytes_above(work: Callable[[], None]) -> tuple[float, float]:
    """Return the peak of the bytes that some work holds above those before it, and those that it leaves."""
    import torch

    if torch.cuda.is_available():
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        work()
        return torch.cuda.max_memory_allocated() - before, torch.cuda.memory_allocated() - before
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as profile:
        work()
    kineto = profile.profiler.kineto_results
    changes = sorted(
        (e.start_ns(), at, e.nbytes()) for at, e in enumerate(kineto.events()) if e.name() == "[memory]"
    )
    running = list(itertools.accumulate(size for _, _, size in changes))
    return max(running, default=0), running[-1] if running else 0


def _table(found: Sequence[tuple[Case, dict[str, dict[str, float]]]]) -> Table:
    table = Table("case", "part", "measured, MB", "estimated, MB", "ratio")
    for case, sides in found:
        measured, estimated = sides["measured"], sides["estimated"]
        for part, value in measured.items():
            ratio = f"{estimated[part] / value:.2f}"
            table.add_row(
                case.name if part == "weights" else "",
                part,
                f"{value / 1e6:.1f}",
                f"{estimated[part] / 1e6:.1f}",
                ratio,
            )
        table.add_row("", "resident", f"{sides['resident']['grown'] / 1e6:.1f}", "", "")
    return table


def _run(case: Case) -> dict[str, dict[str, float]]:
    """Measure a case in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        job = asdict(case) | {"folder": ""}
        if case.model in _MODELS:
            Path(folder, "config.json").write_text(json.dumps(_MODELS[case.model]), encoding="utf-8")
            job["folder"] = folder
        found: dict[str, dict[str, float]] = run_child("benchmarks.memory_plan", job)
        return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = Parser("python -m benchmarks.memory_plan", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="a part of the names of the cases to measure")
    given = parser.parse_args(arguments)
    try:
        found = [(case, _run(case)) for case in _cases() if given.only in case.name]
    except (ChildFailed, MemoryUnknown) as error:
        parser.exit(2, f"error: {error}\n")
    open_console().print(_table(found))


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        job = json.loads(sys.argv[1])
        folder = job.pop("folder")
        answer(measure(Case(**job), folder))
    else:
        main()
