"""Choice of the kind of processes from the launcher's environment variables."""

from __future__ import annotations

import os
from itertools import pairwise

import psutil

from trainers.distributed.deepspeed import ZeroProcesses
from trainers.distributed.fsdp import ShardingProcesses
from trainers.distributed.processes import DEEPSPEED, FSDP, LaunchedProcesses, Processes, switched_on
from trainers.errors import ConfigError


def find_processes() -> Processes:
    """Return the processes of this run.

    Raises:
        ConfigError: The launcher's options are not supported, or it was asked for several processes and started one.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        asked = 1 if "WORLD_SIZE" in os.environ else _asked_of_accelerate()
        if asked > 1:
            raise ConfigError(
                f"accelerate launch: asked for {asked} processes, got one (with --cpu it starts several under MPI "
                "only, with GPUs it needs --multi_gpu); on the CPU: "
                f"torchrun --standalone --nproc-per-node {asked} -m trainers.grpo"
            )
        return Processes()
    if switched_on(DEEPSPEED):
        return ZeroProcesses()
    return ShardingProcesses() if switched_on(FSDP) else LaunchedProcesses()


def _asked_of_accelerate() -> int:
    """Return the number of processes in the command line of the `accelerate launch` that started this one; else 1.

    Where accelerate starts one process, it leaves no other trace of the number that it was asked for.
    """
    if "ACCELERATE_MIXED_PRECISION" not in os.environ:
        return 1
    try:
        parent = psutil.Process().parent()
        words = [] if parent is None else parent.cmdline()
    except psutil.Error:
        return 1
    parts = [part for word in words for part in word.replace("-", "_").split("=", 1)]
    found = [value for flag, value in pairwise(parts) if flag == "__num_processes"]
    return int(found[-1]) if found and found[-1].isdecimal() else 1


def refuse_several(what: str) -> None:
    """Refuse to run under a launcher.

    Raises:
        ConfigError: There are other processes.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ConfigError(f"{what} runs in one process; got several (start it without accelerate launch)")
