"""The pool of workers on the nodes of a Ray cluster.

Each node that gets workers has one actor, and the actor a pool of its share of the workers, the same as on a single
machine: deadlines, limits of memory, quarantine and the replacement of workers are those of `ProcessPool`. Here slots
are given to nodes, and the jobs of a node that is lost to other nodes, which replay their tactics.

A verdict comes from the node that ran the job, as it comes from a worker on one machine; a node is trusted as much as
this process.
"""

from __future__ import annotations

import itertools
import os
import time
import weakref
from collections import deque
from collections.abc import Collection, Sequence
from typing import Any, Final

from lean_gym.errors import BackendUnavailable, excerpt
from lean_gym.execution import COUNTERS, Job, Reply
from lean_gym.pool.assignment import Assignment
from lean_gym.pool.base import POOL_COUNTERS, TICK_SECONDS, RemotePool, add_counts
from lean_gym.pool.failures import MOST_FAILURES
from lean_gym.pool.ray_cluster import CONNECTION, NodeActor, alive_cpus, read, share_out, wait_for
from lean_gym.pool.ray_node import PoolMaker
from lean_gym.pool.serialization import pack_job, unpack_reply
from lean_gym.pool.worker_handle import CLOSE_SECONDS, Ticket

# How long a node keeps a question for replies; a lost node is noticed earlier.
_ASK_SECONDS: Final = 1.0
# More than two batches, so that the workers of a node have the next jobs there while replies are on their way.
_MOST_EACH: Final = 16
_START_ATTEMPTS: Final = 3
_MOST_REST_SECONDS: Final = 60.0
# What Ray may take for the process of an actor, beside the start of the workers.
_ACTOR_SECONDS: Final = 120.0
_MOST_WORKERS: Final = 4096


def cluster_cpus() -> int:
    """Return the number of free CPUs of the cluster, at least 1.

    Raises:
        BackendUnavailable: No cluster can be reached.
    """
    CONNECTION.acquire()
    try:
        return max(1, int(sum(free for free, _ in alive_cpus().values())))
    finally:
        CONNECTION.release()


class _Node:
    """An actor and the jobs that are meant for it.

    Args:
        actor: The actor.
        workers: Numbers of its workers, unique within the pool; slots are assigned to these.
    """

    def __init__(self, actor: NodeActor, workers: range) -> None:
        self.actor = actor
        self.workers = workers
        self.backend_name: str | None = None
        self.started = time.monotonic()
        self.report: Any = None
        self.queue: deque[Ticket] = deque()
        self.flying: dict[int, Ticket] = {}
        self.dropped: list[tuple[int, int]] = []
        self.counts: dict[str, float] = {}

    @property
    def room(self) -> int:
        """Return how many more jobs it takes."""
        return max(0, _MOST_EACH * len(self.workers) - len(self.flying)) if self.backend_name else 0


class RayPool(RemotePool[Ticket]):
    """`Pool` whose workers are on the nodes of a Ray cluster.

    A node that is lost is no evidence against a tactic. Its workers are started again where CPUs are free, after 1, 2,
    4, ... 60 seconds. When no node is left, the call under way tries a few times to start workers and then raises; the
    next call tries again.

    Args:
        make_pool: Makes the pool of a node, there; sent by cloudpickle.
        num_workers: How many processes in all, at least 1.
        start_s: Most seconds for the start of a worker.
    """

    def __init__(self, make_pool: PoolMaker, num_workers: int, start_s: float) -> None:
        if type(num_workers) is not int or not 1 <= num_workers <= _MOST_WORKERS:
            raise ValueError(
                f"num_workers: got {excerpt(num_workers)}, expected 1 to {_MOST_WORKERS} with pool='ray'"
            )
        super().__init__()
        self._make_pool = make_pool
        self._num_workers = num_workers
        self._start_s = start_s + _ACTOR_SECONDS
        self._counts = dict.fromkeys((*COUNTERS, *POOL_COUNTERS), 0.0)
        self._numbers = itertools.count(1)
        self._workers_made = 0
        self._assignment = Assignment()
        self._owners = self._assignment.owners
        self._places: dict[int, _Node] = {}
        # Jobs while there is no node.
        self._homeless: list[Ticket] = []
        self._backend_name: str | None = None
        self._problem: Exception | None = None
        self._fruitless = 0
        self._rests = 0
        self._rests_until = 0.0
        self._nodes: list[_Node] = []
        CONNECTION.acquire()
        # Also runs at interpreter exit and when the pool is collected, so that no actor remains.
        self._release = weakref.finalize(self, _end_all, self._nodes, self._owner)
        try:
            self._start_all()
        except BaseException:
            self._release()
            raise

    @property
    def backend_name(self) -> str:
        """Name of the backend, which every node has; see `ProcessPool.backend_name`."""
        while True:
            with self._lock:
                self._check_open()
                if self._backend_name is not None:
                    return self._backend_name
                self._turn()

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue the jobs and send what the nodes can take; see `Pool.submit`."""
        with self._lock:
            self._check_open()
            self.cancel({job.slot for job in jobs})
            now = time.monotonic()
            self._assign(
                [job for job in jobs if job.tactic is None or self._owners.get(job.slot) not in self._places]
            )
            tickets = [Ticket(next(self._numbers), job, now) for job in jobs]
            self._current.update((ticket.job.slot, ticket) for ticket in tickets)
            starts = [ticket for ticket in tickets if ticket.job.tactic is None]
            # A reset waits for the starts alone.
            for ticket in reversed(starts):
                self._enqueue(ticket, first=True)
            for ticket in tickets:
                if ticket.job.tactic is not None:
                    self._enqueue(ticket)
            self._dispatch()

    def cancel(self, slots: Collection[int]) -> None:
        """Forget the jobs of these slots; the nodes are told with the next jobs."""
        with self._lock:
            for slot in slots:
                self._replies.pop(slot, None)
                ticket = self._current.pop(slot, None)
                if ticket is None:
                    continue
                for node in self._nodes:
                    if node.flying.pop(ticket.number, None) is not None:
                        node.dropped.append((slot, ticket.number))

    def stats(self) -> dict[str, float]:
        """All counters, summed over the nodes, those that were lost included."""
        with self._lock:
            if not self._closing and CONNECTION.is_open:
                self._ask_idle()
        total = dict(self._counts)
        for node in self._nodes:
            add_counts(total, _kept(node))
        return {**total, "workers": float(sum(len(node.workers) for node in self._nodes))}

    def close(self) -> None:
        """Stop the workers and the actors; a thread that waits for replies gets `ClosedEnvironmentError`."""
        self._closing = True
        with self._lock:
            if os.getpid() == self._owner and self._nodes and CONNECTION.is_open:
                # A node that still starts is killed, and its workers notice.
                able = [node.actor.ask_to_close() for node in self._nodes if node.backend_name is not None]
                if able:
                    wait_for(able, len(able), 2 * CLOSE_SECONDS)
                for node in self._nodes:
                    add_counts(self._counts, _kept(node))
            self._release()

    def _ask_idle(self) -> None:
        """Read the counters of idle nodes: those of a batch come after its last reply."""
        asked = {}
        for node in self._nodes:
            if node.report is None and node.backend_name is not None:
                asked[node.actor.ask(0.0)] = node
        for reference in wait_for([*asked], len(asked), _ASK_SECONDS) if asked else ():
            asked[reference].report = reference
            self._read(asked[reference])

    def _check_open(self) -> None:
        super()._check_open()
        # Ray would start a cluster of its own at the next call.
        if not CONNECTION.is_open:
            raise BackendUnavailable(
                "ray.shutdown() has ended the workers of this environment; make a new one"
            )

    def _turn(self, wait_s: float = TICK_SECONDS) -> None:
        """Wait briefly for replies, act on them, and send jobs."""
        if not self._nodes:
            self._begin_again(wait_s)
        elif self._backend_name is not None and time.monotonic() >= self._rests_until:
            self._replace_lost()
        self._dispatch()
        asked = {node.report: node for node in self._nodes if node.report is not None}
        for reference in wait_for([*asked], 1, wait_s) if asked else ():
            self._read(asked[reference])
        for node in list(self._nodes):
            if node.backend_name is None and time.monotonic() - node.started > self._start_s:
                problem = f"a node of Ray has not started its workers within {self._start_s:g} s"
                self._lose(node, BackendUnavailable(problem))
        self._dispatch()

    def _begin_again(self, wait_s: float) -> None:
        """Start workers a while after the loss of all nodes, or raise the reason for which they do not start."""
        if self._problem is not None:
            problem, self._problem, self._fruitless = self._problem, None, 0
            self._rests, self._rests_until = 0, 0.0
            raise problem.with_traceback(None)
        left = self._rests_until - time.monotonic()
        if left > 0:
            time.sleep(min(left, wait_s))
        else:
            self._start_all()

    def _start_all(self) -> None:
        """Start all workers; more than there are free CPUs, if need be.

        Raises:
            BackendUnavailable: The cluster has no node.
        """
        cpus = alive_cpus()
        if not cpus:
            raise BackendUnavailable("the Ray cluster has no node alive; start one with `ray start`")
        free = {node: float(int(free)) for node, (free, _) in cpus.items()}
        weights = free if any(free.values()) else {node: every for node, (_, every) in cpus.items()}
        self._start(share_out(self._num_workers, weights), free)

    def _replace_lost(self) -> None:
        """Start the workers of lost nodes where CPUs are free."""
        missing = self._num_workers - sum(len(node.workers) for node in self._nodes)
        if not missing:
            return
        self._rest()
        free = {node: float(int(free)) for node, (free, _) in alive_cpus().items()}
        most = min(missing, int(sum(free.values())))
        if most:
            self._start(share_out(most, free), free)

    def _rest(self) -> None:
        """Start no workers for a while: Ray takes seconds to notice that a node has gone."""
        self._rests_until = time.monotonic() + min(_MOST_REST_SECONDS, 2.0**self._rests)
        self._rests += 1

    def _start(self, shares: dict[str, int], free: dict[str, float]) -> None:
        for node_id, share in shares.items():
            workers = range(self._workers_made, self._workers_made + share)
            self._workers_made += share
            actor = NodeActor(node_id, min(share, int(free[node_id])), self._make_pool, share)
            node = _Node(actor, workers)
            self._nodes.append(node)
            self._places.update(dict.fromkeys(workers, node))
        self._hand_over(self._homeless)

    def _hand_over(self, tickets: Sequence[Ticket]) -> None:
        """Give jobs that have no node to the nodes that there are."""
        tickets = [ticket for ticket in tickets if self._is_current(ticket)]
        self._homeless = []
        self._assign([ticket.job for ticket in tickets])
        for ticket in tickets:
            self._enqueue(ticket)

    def _assign(self, jobs: Sequence[Job]) -> None:
        if self._places:
            self._assignment.assign(jobs, [*self._places])

    def _enqueue(self, ticket: Ticket, first: bool = False) -> None:
        node = self._places.get(self._owners.get(ticket.job.slot, -1))
        if node is None:
            self._homeless.append(ticket)
        elif first:
            node.queue.appendleft(ticket)
        else:
            node.queue.append(ticket)

    def _is_current(self, ticket: Ticket) -> bool:
        return self._current.get(ticket.job.slot) is ticket

    def _read(self, node: _Node) -> None:
        report = read(node.report)
        node.report = None
        if isinstance(report, BackendUnavailable):
            self._fruitless += 1
            self._rest()
            lost = f"the nodes of Ray were lost {_START_ATTEMPTS} times in a row ({report})"
            final = self._fruitless >= _START_ATTEMPTS
            advice = "see `ray status`, and give the workers less memory or the cluster more nodes"
            self._lose(node, BackendUnavailable(f"{lost}; {advice}") if final else None)
            return
        name, problem, replies, node.counts = report
        for number, packed in replies:
            ticket = node.flying.pop(number, None)
            if ticket is not None:
                self._settle(ticket, unpack_reply(packed))
        if replies:
            self._fruitless = self._rests = 0
        if problem is None and name is not None and node.backend_name is None:
            problem = self._name_problem(name)
            node.backend_name = name if problem is None else None
        if problem is not None:
            self._lose(node, problem)

    def _name_problem(self, name: str) -> Exception | None:
        """Keep the name of the backend; two nodes must not prove with different ones."""
        self._backend_name = self._backend_name or name
        if name == self._backend_name:
            return None
        return BackendUnavailable(
            f"the nodes of Ray have different backends, {self._backend_name!r} and {name!r}; name one of them "
            "instead of 'auto'"
        )

    def _settle(self, ticket: Ticket, reply: Reply) -> None:
        if self._is_current(ticket):
            del self._current[ticket.job.slot]
            self._replies[ticket.job.slot] = reply
            waited = time.monotonic() - ticket.submitted - reply.seconds
            self._counts["queue_seconds"] += max(0.0, waited)

    def _lose(self, node: _Node, problem: Exception | None) -> None:
        """Do without a node; its jobs go to the others, except those that have seen too many nodes go.

        Args:
            node: The node.
            problem: What to raise when no node is left; `None` to start workers again then.
        """
        node.actor.kill()
        self._nodes.remove(node)
        for worker in node.workers:
            del self._places[worker]
        self._problem = problem
        add_counts(self._counts, {**_kept(node), "worker_restarts": float(len(node.workers))})
        for ticket in node.flying.values():
            ticket.failures += 1
            if ticket.failures >= MOST_FAILURES:
                error = f"the node of Ray was lost {ticket.failures} times while it had this step"
                self._settle(ticket, Reply(crashed=True, error=error))
        self._hand_over([*node.flying.values(), *node.queue, *self._homeless])

    def _dispatch(self) -> None:
        """Send every node what it has room for; an idle node also takes jobs that wait for another one."""
        for node in self._nodes:
            self._send(node)
        for node in self._nodes:
            if node.backend_name is not None and not node.flying:
                self._take_over(node)
                self._send(node)

    def _send(self, node: _Node) -> None:
        batch: list[Ticket] = []
        room = node.room
        while node.queue and len(batch) < room:
            ticket = node.queue.popleft()
            if self._is_current(ticket):
                batch.append(ticket)
        if batch or node.dropped:
            node.actor.submit([(ticket.number, pack_job(ticket.job)) for ticket in batch], node.dropped)
            node.dropped = []
            node.flying.update((ticket.number, ticket) for ticket in batch)
        if node.report is None and (node.flying or node.backend_name is None):
            node.report = node.actor.ask(_ASK_SECONDS)

    def _take_over(self, idle: _Node) -> None:
        """Move half of the longest queue to an idle node, from its end, so that groups stay together."""
        longest = max((node.queue for node in self._nodes), key=len)
        places = itertools.cycle(idle.workers)
        for _ in range((len(longest) + 1) // 2):
            ticket = longest.pop()
            if self._is_current(ticket):
                self._owners[ticket.job.slot] = next(places)
                idle.queue.appendleft(ticket)
                self._counts["moved_jobs"] += 1


def _kept(node: _Node) -> dict[str, float]:
    """Return the counters of a node that are added up; the parent counts workers and waiting itself."""
    return {name: count for name, count in node.counts.items() if name not in ("workers", "queue_seconds")}


def _end_all(nodes: list[_Node], owner: int) -> None:
    """End the actors and leave the connection."""
    # A forked copy of the program must not end the actors of the original; at exit Ray may have ended them first.
    if os.getpid() != owner or not CONNECTION.is_open:
        return
    for node in nodes:
        node.actor.kill()
    nodes.clear()
    CONNECTION.release()
