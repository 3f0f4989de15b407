"""Choice of the processes of a run by what the launcher set in the environment."""

from __future__ import annotations

import os

from trainers.distributed.deepspeed import ZeroProcesses
from trainers.distributed.fsdp import ShardingProcesses
from trainers.distributed.processes import DEEPSPEED, FSDP, LaunchedProcesses, Processes, switched_on
from trainers.errors import ConfigError


def find_processes() -> Processes:
    """The processes that this one belongs to.

    Raises:
        ConfigError: They share the model in a way that is not supported.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return Processes()
    if switched_on(DEEPSPEED):
        return ZeroProcesses()
    return ShardingProcesses() if switched_on(FSDP) else LaunchedProcesses()


def refuse_several(what: str) -> None:
    """Refuse to run under a launcher.

    Raises:
        ConfigError: There are other processes.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ConfigError(f"{what} runs in one process; got several (start it without accelerate launch)")
