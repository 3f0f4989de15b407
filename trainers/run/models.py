"""Model, policy and sampling engine of a training run, made from its settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from trainers.config.lora import parse_lora
from trainers.config.run import RunConfig
from trainers.curriculum.theorems import TheoremSplit
from trainers.distributed.processes import Processes
from trainers.errors import ConfigError
from trainers.integrations import trl_vllm
from trainers.policies.adapters import Adapter
from trainers.policies.scoring import save_activation_memory
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.vllm import ColocatedEngine, Engine, VllmPolicy, require_packages
from trainers.rollouts.player import EpisodePlayer
from trainers.runtime.seeding import derive_seed

LoadedModel = tuple[PreTrainedModel, PreTrainedTokenizerBase]


def choose_compute_dtype(precision: str, device: torch.device) -> torch.dtype | None:
    """Return the dtype to compute with; `None` for 32 bits.

    Raises:
        ConfigError: The GPU does not support the given precision.
    """
    able = device.type != "cuda" or torch.cuda.is_bf16_supported()
    if precision == "bf16" and not able:
        raise ConfigError("precision: expected fp32 or auto, got 'bf16', which this GPU does not have")
    wanted = precision == "bf16" or (precision == "auto" and device.type == "cuda" and able)
    return torch.bfloat16 if wanted else None


def check_engine(config: RunConfig, processes: Processes) -> None:
    """Check that the engine can be used, before anything is opened.

    Raises:
        ConfigError: Several processes would get new weights at different times, or share engines; or the engine would
            sleep while episodes are played.
        PolicyError: A package is missing.
    """
    if config.engine == "transformers":
        return
    if processes.count > 1 and config.rollout.staleness:
        raise ConfigError(
            f"staleness: expected 0 with {config.engine!r} in a run of several processes, got "
            f"{config.rollout.staleness}"
        )
    if config.engine_options.get("enable_sleep_mode") and config.rollout.staleness:
        raise ConfigError(
            f"engine_options: expected no enable_sleep_mode with staleness {config.rollout.staleness}, where episodes "
            "are played during updates"
        )
    if processes.count > 1 and (gpus := config.engine_options.get("tensor_parallel_size", 1)) > 1:
        raise ConfigError(
            f"engine_options.tensor_parallel_size: expected 1 in a run of several processes, each of which has an "
            f"engine of its own, got {gpus}; --engine vllm-server asks one over several GPUs"
        )
    require_packages("vllm", *(["trl"] if config.engine == "vllm-server" else []))


@contextmanager
def opened_engine(
    config: RunConfig, model: PreTrainedModel, processes: Processes, compute_dtype: torch.dtype | None
) -> Iterator[Engine | None]:
    """Open the engine that the settings name; `None` where the learner's model samples.

    Args:
        config: The settings.
        model: The model to train, without an adapter.
        processes: Each has an engine of its own, or asks the server, which gets the weights from the first one.
        compute_dtype: Result of `choose_compute_dtype`; the engine computes with the same.

    Raises:
        PolicyError: The engine does not start or does not answer.
    """
    engine: Engine | None = None
    if config.engine == "vllm":
        options: dict[str, Any] = {"dtype": str(compute_dtype or torch.float32).removeprefix("torch.")}
        if processes.count > 1:
            options["distributed_executor_backend"] = "external_launcher"
        engine = ColocatedEngine(model, config.rollout, engine_options=options | config.engine_options)
    elif config.engine == "vllm-server":
        engine = trl_vllm.connect(config.vllm_server, processes.device if processes.main else None)
    try:
        yield engine
    finally:
        if engine is not None:
            engine.close()


def make_policy(
    config: RunConfig,
    loaded: LoadedModel,
    base: str,
    processes: Processes,
    compute_dtype: torch.dtype | None,
    engine: Engine | None = None,
) -> TransformersPolicy:
    """Make the policy to train from a loaded model.

    Args:
        config: The settings.
        loaded: Model and tokenizer; the model is changed.
        base: Folder or hub id of the model, recorded with an adapter.
        processes: Decide the device and the random stream of this process.
        compute_dtype: Result of `choose_compute_dtype`.
        engine: Samples in place of the model, if given.

    Raises:
        ConfigError: A package for adapters is missing.
        PolicyError: The model does not fit the settings.
    """
    model, tokenizer = loaded
    own_dtype = model.dtype
    lora = parse_lora(config.learner.lora)
    if not config.learner.load_in_4bit:  # weights in 4 bits are on their device already
        model.to(processes.device)  # type: ignore[arg-type]
        if lora is None or compute_dtype is None:
            model.float()  # 16 bits would round most optimiser steps away
    adapter = None if lora is None else Adapter(model, lora, base, derive_seed(config.seed, "adapter"))
    if config.learner.gradient_checkpointing:
        save_activation_memory(model)
    parts = (adapter, compute_dtype)
    policy = (
        TransformersPolicy(model, tokenizer, config.rollout, *parts)
        if engine is None
        else VllmPolicy(model, tokenizer, config.rollout, engine, *parts)
    )
    policy.stream = processes.rank
    policy.loaded_dtype = own_dtype
    return policy


def make_tiny(config: RunConfig, player: EpisodePlayer, split: TheoremSplit) -> LoadedModel:
    """Build the tiny model with a tokenizer trained on the goals and proofs of the training theorems."""
    goals = player.first_goals([theorem.name for theorem in split.train])
    proofs = [theorem.proof for theorem in split.train]
    tokenizer = train_tokenizer([*goals, *proofs], config.tiny.vocabulary)
    return build_model(config.tiny, tokenizer, derive_seed(config.seed, "model")), tokenizer
