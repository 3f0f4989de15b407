"""Choice of the kind of processes from the launcher's environment variables."""

from __future__ import annotations

import os

from trainers.distributed.deepspeed import ZeroProcesses
from trainers.distributed.fsdp import ShardingProcesses
from trainers.distributed.processes import DEEPSPEED, FSDP, LaunchedProcesses, Processes, switched_on
from trainers.errors import ConfigError


def find_processes() -> Processes:
    """Return the processes of this run.

    Raises:
        ConfigError: The launcher's options are not supported.
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
