"""Start of the processes of a run on the nodes of a Ray cluster.

Each process is a program of its own beside an actor of its node, with the variables of `torchrun`. Ray Train would call
the training in a thread of the actor, where a program receives no signals and cannot leave its checkpoint.
"""

from __future__ import annotations

import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import IO, Any, Final

import ray
from ray.exceptions import RayError
from ray.util.placement_group import PlacementGroup, placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from lean_gym.errors import BackendUnavailable
from lean_gym.pool.ray_cluster import ADDRESS, CONNECTION, cause_of
from trainers.config.cli import NOTES_TOLD
from trainers.distributed.together import GRACE_S, end_with, free_port, passing_on_signals, told_end
from trainers.errors import ConfigError

_ASK_S: Final = 0.5
"""How long an actor waits for news of its process, in seconds; signals come through in between."""
_SAY_S: Final = 20.0
"""Seconds between two lines about a cluster that is busy."""
_PASSED_ON: Final = ("ACCELERATE_", "FSDP_", "GLOO_", "HF_", "LEAN_GYM_", "NCCL_", "TORCH_")
"""Beginnings of the variables that the processes take over from the command."""
_KEPT_LINES: Final = 1000
"""Last lines kept of what a process other than the first wrote to standard error."""

Line = tuple[int, bytes]
"""Number of an output, 1 or 2, and a line that was written there."""
Place = tuple[str, str, int]
"""A node, its address, and a port that is free there."""


class ProcessActor:
    """One process of the run, on the node of this actor."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.SimpleQueue[Line] = queue.SimpleQueue()
        self._readers: list[threading.Thread] = []

    def place(self) -> Place:
        """Return where it is."""
        return ray.get_runtime_context().get_node_id(), ray.util.get_node_ip_address(), free_port("")

    def start(self, words: Sequence[str], folder: str, variables: Mapping[str, str]) -> str | None:
        """Start the process, and return why it does not start."""
        try:
            self._process = subprocess.Popen(
                [sys.executable, *words],
                cwd=folder,
                env={**os.environ, **variables},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                preexec_fn=end_with(os.getpid()),
            )
        except OSError as error:
            return f"{socket.gethostname()}: {error}"
        for number, stream in enumerate((self._process.stdout, self._process.stderr), 1):
            assert stream is not None
            reader = threading.Thread(target=self._read, args=(number, stream), daemon=True)
            reader.start()
            self._readers.append(reader)
        return None

    def _read(self, number: int, stream: IO[bytes]) -> None:
        for line in stream:  # whole lines, since several processes may write
            self._lines.put((number, line))

    def news(self, wait_s: float) -> tuple[list[Line], int | None]:
        """Return what the process has written since the last call, and its exit code once it has ended."""
        assert self._process is not None
        code = self._process.poll()
        if code is not None:
            for reader in self._readers:
                reader.join(1.0)  # a program that it left behind may hold the outputs open
        lines: list[Line] = []
        with suppress(queue.Empty):
            while True:
                lines.append(self._lines.get(code is None and not lines, wait_s))
        return lines, code

    def send_signal(self, number: int) -> None:
        """Send the process a signal."""
        if self._process is not None:
            self._process.send_signal(number)


@dataclass
class _Process:
    """The end of an actor that the command holds.

    Attributes:
        actor: The actor.
        code: Exit code of the process; 1 where it was lost.
        errors: Last lines that it wrote to standard error, if it is not the first.
        lost: Whether its node or the actor was lost.
        killed: Whether it was killed since another one had failed.
    """

    actor: Any
    code: int | None = None
    errors: deque[bytes] = field(default_factory=partial(deque, maxlen=_KEPT_LINES))
    lost: bool = False
    killed: bool = False

    def is_running(self) -> bool:
        """Return whether it has not ended."""
        return self.code is None

    def send_signal(self, number: int, /) -> None:
        """Send it a signal, between two questions for news."""
        self.actor.send_signal.options(num_returns=0).remote(number)


def run_on_ray(address: str, count: int, cpus: int, words: Sequence[str]) -> int:
    """Run a Python program in several processes on the nodes of a Ray cluster, and wait for all of them.

    Each process has some CPUs for itself, and a GPU where the cluster has any. The processes run in the folder of this
    one, which all nodes must see. Output, exit codes and signals are as in `run_together`. If this process is killed,
    the others are ended.

    Args:
        address: `HOST:PORT` of the head node, or `auto`.
        count: Number of processes.
        cpus: CPUs that each reserves.
        words: Arguments of Python, e.g. `-m trainers.grpo`.

    Returns:
        The exit code of the first process if it failed, else that of another one that did, else 0.

    Raises:
        ConfigError: No cluster answers there, it has too few CPUs or GPUs, or a node lacks the folder.
    """
    os.environ[ADDRESS] = address
    try:
        CONNECTION.acquire()
    except BackendUnavailable as error:
        raise ConfigError(f"ray: {error}") from None
    try:
        with _reserved(count, cpus) as (group, needs):
            actors = [_actor(group, needs, at) for at in range(count)]
            # Those of a node get neighbouring numbers, as launchers give them.
            placed = sorted(
                zip(ray.get([actor.place.remote() for actor in actors]), actors, strict=True), key=_node
            )
            processes = [_Process(actor) for _, actor in placed]
            with passing_on_signals(processes):
                _start([place for place, _ in placed], processes, words)
                _follow(processes)
            code = told_end(
                [None if process.killed else process.code for process in processes],
                [b"".join(process.errors).decode(errors="replace") for process in processes[1:]],
            )
            for rank, ((place, _), process) in enumerate(zip(placed, processes, strict=True)):
                if process.lost:
                    where = f"process {rank + 1} of {count}, on {place[1]},"
                    sys.stderr.write(f"{where} is lost: Ray lost the node, or the actor beside the process\n")
            return code
    except RayError as error:
        raise ConfigError(f"ray: {cause_of(error)}") from None
    finally:
        CONNECTION.release()


def _node(placed: tuple[Place, Any]) -> str:
    return placed[0][0]


@contextmanager
def _reserved(count: int, cpus: int) -> Iterator[tuple[PlacementGroup, dict[str, int]]]:
    """Reserve the CPUs and GPUs of the processes within the block."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    needs = {"CPU": cpus} | ({"GPU": 1} if any(node.get("GPU") for node in nodes) else {})
    most = sum(min(int(node.get(kind, 0) // need) for kind, need in needs.items()) for node in nodes)
    each = " and ".join(f"{need} {kind}{'s' * (need > 1)}" for kind, need in needs.items())
    if count > most:
        raise ConfigError(
            f"processes: expected at most {most}, as the cluster has {each} for each, got {count}"
        )
    group = placement_group([needs] * count, strategy="PACK")
    try:
        ready = group.ready()
        while not ray.wait([ready], timeout=_SAY_S)[0]:
            print(f"waiting for the Ray cluster: {count} processes with {each} each", flush=True)
        yield group, needs
    finally:
        remove_placement_group(group)


def _actor(group: PlacementGroup, needs: Mapping[str, int], at: int) -> Any:
    strategy = PlacementGroupSchedulingStrategy(placement_group=group, placement_group_bundle_index=at)
    made: Any = ray.remote(num_cpus=needs["CPU"], num_gpus=needs.get("GPU", 0), max_restarts=0)(ProcessActor)
    return made.options(scheduling_strategy=strategy).remote()


def _start(places: Sequence[Place], processes: Sequence[_Process], words: Sequence[str]) -> None:
    nodes = [node for node, _, _ in places]
    passed_on = {name: value for name, value in os.environ.items() if name.startswith(_PASSED_ON)}
    shared = {
        **passed_on,
        ADDRESS: ray.get_runtime_context().gcs_address,
        "WORLD_SIZE": str(len(processes)),
        "MASTER_ADDR": places[0][1],
        "MASTER_PORT": str(places[0][2]),
        "PYTHONUNBUFFERED": "1",
        NOTES_TOLD: "1",
    }
    started = []
    for rank, (process, node) in enumerate(zip(processes, nodes, strict=True)):
        own = {
            "RANK": str(rank),
            "LOCAL_RANK": "0",  # the number of its GPU: Ray shows a process none but its own
            "LOCAL_WORLD_SIZE": str(nodes.count(node)),
        }
        started.append(process.actor.start.remote(words, os.getcwd(), shared | own))
    for problem in ray.get(started):
        if problem is not None:
            raise ConfigError(
                f"ray: a process does not start on {problem}; all nodes must see the folder of the command"
            )


def _follow(processes: Sequence[_Process]) -> None:
    """Show what the processes write until all have ended; the others of a failed one are killed after a while."""
    asked = {process.actor.news.remote(_ASK_S): process for process in processes}
    deadline = None
    while asked:
        done, _ = ray.wait(list(asked), timeout=_ASK_S)
        for reference in done:
            process = asked.pop(reference)
            try:
                lines, process.code = ray.get(reference)
            except RayError:
                lines, process.code, process.lost = [], 1, not process.killed
            _show(process, lines, process is processes[0])
            if process.code is None:
                asked[process.actor.news.remote(_ASK_S)] = process
        if deadline is None and any(process.code for process in processes):
            deadline = time.monotonic() + GRACE_S
        if deadline is not None and time.monotonic() > deadline:
            for process in asked.values():
                process.killed = True
                process.send_signal(signal.SIGKILL)
            deadline = time.monotonic() + GRACE_S


def _show(process: _Process, lines: Sequence[Line], first: bool) -> None:
    for number, line in lines:
        if number == 1 or first:
            stream = sys.stdout if number == 1 else sys.stderr
            stream.flush()
            stream.buffer.write(line)
            stream.buffer.flush()
        else:
            process.errors.append(line)
