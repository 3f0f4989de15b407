"""The connection to Ray, the CPUs of its nodes, the actors on them. Only this module of `lean_gym` imports `ray`."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import ray
from ray._private.state import available_resources_per_node
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from lean_gym.errors import BackendUnavailable
from lean_gym.pool.ray_node import Numbered, PoolMaker, RayNode, Report

ADDRESS: Final = "RAY_ADDRESS"
_ANSWER_SECONDS: Final = 10.0
# Jobs and replies are short; the least that Ray takes is 75 MB.
_STORE_BYTES: Final = 80_000_000
# Calls of this group wait for replies; the other calls of an actor go on meanwhile.
_WAITING: Final = "waiting"


class Connection:
    """The connection of this process to Ray, shared by its pools, since Ray has one for each process.

    A connection of the caller is used as it is. One that is opened here is closed with the last pool.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._users = 0
        self._opened_here = False

    def acquire(self) -> None:
        """Connect, if nobody has yet.

        Raises:
            BackendUnavailable: No cluster can be reached.
        """
        with self._lock:
            if not ray.is_initialized():
                _connect()
                self._opened_here, self._users = True, 0
            self._users += 1

    def release(self) -> None:
        """Disconnect with the last user, and end a Ray that was started here."""
        with self._lock:
            self._users -= 1
            if self._opened_here and self._users <= 0:
                self._opened_here = False
                ray.shutdown()

    @property
    def is_open(self) -> bool:
        """Return whether Ray is connected; the caller may have shut it down."""
        return bool(ray.is_initialized())


CONNECTION: Final = Connection()


def _connect() -> None:
    address = os.environ.get(ADDRESS) or "local"
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    _check_listening(address)
    own = {"include_dashboard": False, "object_store_memory": _STORE_BYTES} if address == "local" else {}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **own)
    # Ray ends the program where it finds that the address is no cluster.
    except (Exception, SystemExit) as error:
        ray.shutdown()
        raise _unreachable(address, str(error).strip().partition("\n")[0]) from None
    finally:
        # Ray puts its own handler there, and the caller's program would no longer stop in order.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)


def _check_listening(address: str) -> None:
    """Refuse an address that nobody listens on: Ray itself tries for two minutes and then ends the process."""
    host, _, port = address.rpartition(":")
    if not host:
        return
    if "/" in host or not port.isdigit():
        raise BackendUnavailable(
            f"{ADDRESS}: got {address!r}, expected HOST:PORT of the head node, or 'auto'"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address, str(error)) from None


def _unreachable(address: str, why: str) -> BackendUnavailable:
    if address == "local":
        return BackendUnavailable(f"Ray does not start on this machine: {why}")
    return BackendUnavailable(
        f"no Ray cluster answers at {ADDRESS}={address}: {why}; start one with `ray start --head`, or correct the "
        "address"
    )


class NodeActor:
    """The parent's end of the actor of one node.

    Args:
        node_id: The node, on which it stays.
        cpus: How many CPUs it reserves.
        make_pool: Makes its pool.
        num_workers: How many workers.
    """

    def __init__(self, node_id: str, cpus: int, make_pool: PoolMaker, num_workers: int) -> None:
        # One that is lost is not started again by Ray: the jobs go to other nodes.
        options = {"num_cpus": cpus, "max_restarts": 0, "concurrency_groups": {_WAITING: 1}}
        strategy = NodeAffinitySchedulingStrategy(node_id, soft=False)
        remote: Any = ray.remote(**options)(RayNode)
        self._actor = remote.options(scheduling_strategy=strategy).remote(make_pool, num_workers)

    def submit(self, jobs: Numbered, dropped: list[tuple[int, int]]) -> None:
        """Send jobs; a failure shows when replies are asked for."""
        self._actor.submit.options(num_returns=0).remote(jobs, dropped)

    def ask(self, wait_s: float) -> Any:
        """Ask for a report, and return the reference to it; see `RayNode.receive`."""
        return self._actor.receive.options(concurrency_group=_WAITING).remote(wait_s)

    def ask_to_close(self) -> Any:
        """Ask for the end of the workers, and return the reference to the answer."""
        return self._actor.close.remote()

    def kill(self) -> None:
        """End the actor; its workers end when they notice."""
        with suppress(Exception):
            ray.kill(self._actor, no_restart=True)


def wait_for(references: Sequence[Any], at_least: int, wait_s: float) -> list[Any]:
    """Return the references that are there, waiting for at least so many for some seconds."""
    done, _ = ray.wait(list(references), num_returns=at_least, timeout=wait_s)
    if len(done) < len(references):
        done, _ = ray.wait(list(references), num_returns=len(references), timeout=0)
    return list(done)


def read(reference: Any) -> Report | BackendUnavailable:
    """Return a report, or the error of a node that is lost."""
    try:
        report: Report = ray.get(reference)
    except RayError as error:
        return BackendUnavailable(f"{type(error).__name__}: {cause_of(error)}")
    return report


def cause_of(error: RayError) -> str:
    """Return the last line of an error: the first ones name the call."""
    return str(error).strip().splitlines()[-1].strip()


def alive_cpus() -> dict[str, tuple[float, float]]:
    """Return the free and all CPUs of each node that is alive."""
    free = available_resources_per_node()
    return {
        node["NodeID"]: (
            float(free.get(node["NodeID"], {}).get("CPU", 0.0)),
            float(node["Resources"].get("CPU", 0.0)),
        )
        for node in ray.nodes()
        if node["Alive"]
    }


def share_out(num_workers: int, cpus: Mapping[str, float]) -> dict[str, int]:
    """Share workers out among nodes in proportion to their CPUs (D'Hondt's method).

    No node gets more workers than CPUs as long as there are enough CPUs in all.

    Args:
        num_workers: At least 1.
        cpus: Of each node, at least one node; equal shares where none has any.
    """
    weights = cpus if any(cpus.values()) else dict.fromkeys(cpus, 1.0)
    shares = dict.fromkeys(cpus, 0)
    for _ in range(num_workers):
        shares[max(cpus, key=lambda node: weights[node] / (shares[node] + 1))] += 1
    return {node: share for node, share in shares.items() if share}
