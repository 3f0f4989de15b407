"""Things that a run needs and this machine lacks."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import torch

from lean_gym.backends.pantograph.discovery import INSTALL, search_repl
from lean_gym.backends.registry import resolve_name
from lean_gym.errors import mathlib_hint
from lean_gym.process_state import free_mib
from lean_gym.types import Theorem
from trainers.config.run import ProgramConfig, RunConfig
from trainers.errors import ConfigError, PolicyError
from trainers.extras import EXTRAS, install
from trainers.policies.demo import find_demo
from trainers.policies.model_folder import check_undamaged
from trainers.run.checkpoint import load_checkpoint
from trainers.run.folder import RunFolder
from trainers.run.models import choose_compute_dtype
from trainers.run.plan.sizes import ModelSize
from trainers.run.session import check_schedule, make_algorithm
from trainers.run.trackers.opening import missing_packages

_ANSWER_SECONDS: Final = 2.0


def of_packages(*modules: str) -> Iterator[str]:
    """Yield a line for each package that is not installed."""
    for module in modules:
        if find_spec(module) is None:
            yield f"the package {module}: {install(module) if module in EXTRAS else f'pip install {module}'}"


def of_prover(config: ProgramConfig, theorems: Sequence[Theorem]) -> Iterator[str]:
    """Yield what the prover lacks, and the imports that it does not have."""
    if config.env.pool == "ray":
        yield from of_packages("ray")
    options = config.env.backend_options
    name = resolve_name(config.backend, options)
    bare = [each for each in theorems if not each.imports and mathlib_hint(each.statement)]
    if bare and name in ("minilean", "pantograph"):
        first = f"{bare[0].name}: {mathlib_hint(bare[0].statement)}"
        yield f"Mathlib for {len(bare)} theorems, of which the first is {first}"
    if name == "minilean":
        modules = sorted({one for each in theorems for one in each.imports if not one.startswith("Init")})
        if modules and not config.env.ignore_imports:
            yield f"a prover for theorems that import {', '.join(modules[:3])}: backend pantograph"
        return
    if name != "pantograph":
        return
    found = search_repl(options.get("repl_command")).found
    if found is None:
        yield f"Lean's REPL: {INSTALL}"
    elif shutil.which(found.command[0]) is None:
        yield f"Lean's REPL: {found.command[0]!r} is no program that can be run"
    project = options.get("project_path")
    if project is not None and not Path(str(project)).expanduser().is_dir():
        yield f"the Lake project {project}: docs/lean_gym/pantograph.md says how to build one"


def of_model(name: str, size: ModelSize | None) -> Iterator[str]:
    """Yield a line about a model that is not on this machine.

    Args:
        name: `tiny`, a demo model, a folder or a hub id; empty for a model behind an endpoint.
        size: Result of `measure`.
    """
    demo = find_demo(name)
    if demo is not None and size is not None and size.by_name:
        if demo.packed is None:
            yield f"the model {name}: {demo.how}"
        yield from of_packages("gguf")
    elif name and (size is None or size.by_name):
        yield f"the model {name}: it is no folder and was not downloaded before"
    elif name:
        yield from _of_checks(lambda: check_undamaged(Path(name)))


def of_resumed(folder: Path, has_checkpoint: bool) -> Iterator[str]:
    """Yield what keeps a run from going on: a damaged checkpoint or policy.

    Args:
        folder: The folder of the run.
        has_checkpoint: Whether it is the run of a training loop, with a checkpoint of its own.
    """
    run = RunFolder(folder)
    yield from _of_checks(lambda: check_undamaged(Path(run.stored_policy())))
    if has_checkpoint:
        yield from _of_checks(lambda: load_checkpoint(run.checkpoint))


def _of_checks(*checks: Callable[[], object]) -> Iterator[str]:
    """Yield the messages of checks that fail."""
    for check in checks:
        try:
            check()
        except (ConfigError, PolicyError) as error:
            yield str(error)


def of_run(config: RunConfig) -> Iterator[str]:
    """Yield what a training run lacks: packages, devices, a server, settings that cannot be carried out."""
    learner = config.learner
    yield from of_packages(*["peft"] * bool(learner.lora), *["bitsandbytes"] * learner.load_in_4bit)
    yield from of_packages(*missing_packages(config.trackers))
    if learner.load_in_4bit and not torch.cuda.is_available():
        yield "a CUDA GPU: load_in_4bit"
    if config.engine == "vllm-server" and not _answers(config.vllm_server):
        yield f"an answer from the vLLM server at {config.vllm_server}: trl vllm-serve starts one"
    model = config.credit.progress_model
    if model and not Path(model).is_dir():
        yield f"the progress model {model}: python -m trainers.progress writes one"
    yield from _of_checks(
        lambda: make_algorithm(config),
        lambda: check_schedule(config.rollout),
        lambda: choose_compute_dtype(learner.precision, device()),
    )


def device() -> torch.device:
    """Return the device of a run of one process."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def device_bytes() -> int:
    """Return the memory of the device: all of a GPU's, else what is free on this machine."""
    if torch.cuda.is_available():
        return int(torch.cuda.get_device_properties(0).total_memory)
    return free_mib() * 2**20


def _answers(address: str) -> bool:
    parts = urlsplit(address)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), _ANSWER_SECONDS):
            return True
    except OSError:
        return False
