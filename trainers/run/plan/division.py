"""Processes of a run as its launcher starts them, and the setting to change where the memory of one is too small."""

from __future__ import annotations

import os

from trainers.config.plan import Plan
from trainers.distributed.deepspeed import asked_stage
from trainers.distributed.fsdp import asked_reshard
from trainers.distributed.processes import DEEPSPEED, FSDP, switched_on
from trainers.run.plan.sizes import Division


def division_of(processes: int) -> Division:
    """Return what processes divide: as the launcher's variables say, if one started this program.

    Args:
        processes: Their number by the settings, which a launcher's own number replaces.
    """
    processes = int(os.environ.get("WORLD_SIZE", processes))
    if switched_on(FSDP):
        return Division(processes, weights=True, gathered=not asked_reshard())
    if switched_on(DEEPSPEED):
        return Division(processes, averages=True, gradients=asked_stage() == "2")
    return Division(processes)


def remedy(use: str, plan: Plan, division: Division) -> str:
    """Return the setting to change where this use of memory is the largest."""
    update = plan.update
    if use in ("activations", "scores of the vocabulary", "gathered weights") and update is not None:
        if use == "activations" and not update.checkpointing:
            return "set --gradient-checkpointing, or a smaller --batch-tokens"
        return f"set a smaller --batch-tokens than {update.tokens}"
    if use in ("keys and values", "reading prompts"):
        return (
            "sample fewer at a time: a smaller --theorems-per-iteration, --group-size or --max-prompt-tokens"
        )
    if use == "engine":
        return "set --engine vllm-server, on another GPU"
    if use == "reference model":
        return (
            "set --offload-ref-model, or --lora r=16, whose start policy is the model itself, or an algorithm without "
            "a KL term (beta 0)"
        )
    if use == "copy that samples ahead":
        return "set --staleness 0"
    if update is not None and not update.adapter:
        return (
            "set --lora r=16"
            if use != "weights" or division.weights
            else "set --lora r=16, or start it by accelerate launch --use_fsdp on more GPUs"
        )
    if update is not None and not update.four_bit:
        return "set --load-in-4bit, or start it by accelerate launch --use_fsdp on more GPUs"
    return "take a smaller --model"
