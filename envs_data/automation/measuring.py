"""Trying the automation scripts on theorems, over worker processes and with a cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from envs_data.automation.cache import (
    FAILED,
    OUT_OF_TIME,
    PROVED,
    UNUSABLE,
    add_entries,
    cache_path,
    entry_key,
    read_entries,
)
from envs_data.automation.scripts import SCRIPTS, filled
from lean_gym.backends.registry import BackendFactory, backend_factory, results_key
from lean_gym.errors import DataError
from lean_gym.execution import Job, ProverOptions, Reply
from lean_gym.pool import PoolOptions, create_pool, usable_cores
from lean_gym.types import Theorem

SECONDS: Final = 10.0
"""Seconds for one script, and as many again for its verification; a limit for safety, far above what scripts need."""
SHIPPED: Final = Path(__file__).with_name("shipped.json")
"""Results for sets that are measured by default, see `envs_data.automation.shipped`."""
_SIDE_BY_SIDE: Final = 32


@dataclass(frozen=True, slots=True)
class Measured:
    """Results of the scripts on some theorems.

    Attributes:
        theorems: Their number.
        proved: Script of `SCRIPTS` -> names of the theorems that it proves.
        out_of_time: Number of scripts, over all theorems, that ran into the limit of seconds.
        unusable: Name of each theorem that does not elaborate -> the prover's message. No script proves it.
    """

    theorems: int
    proved: Mapping[str, frozenset[str]]
    out_of_time: int
    unusable: Mapping[str, str]

    def share(self, script: str) -> float:
        """Return the share of the theorems that a script proves, from 0 to 1."""
        return len(self.proved[script]) / self.theorems

    @property
    def best_script(self) -> str:
        """Return the script that proves most, the earliest among equals."""
        return max(self.proved, key=lambda script: len(self.proved[script]))

    @property
    def best(self) -> float:
        """Return the share that the best single script proves."""
        return self.share(self.best_script)

    @property
    def proved_by_any(self) -> frozenset[str]:
        """Return the names of the theorems that at least one script proves."""
        return frozenset().union(*self.proved.values())

    @property
    def any(self) -> float:
        """Return the share that at least one script proves."""
        return len(self.proved_by_any) / self.theorems


def measure(
    theorems: Sequence[Theorem],
    backend: str = "minilean",
    workers: int | None = None,
    seconds: float = SECONDS,
    fresh: bool = False,
    on_theorem: Callable[[int], None] = lambda done: None,
    backend_options: Mapping[str, Any] | None = None,
) -> Measured:
    """Return what every script proves, from the results shipped with the sets or from the cache where it is known.

    Args:
        theorems: At least one, with names that are unique.
        backend: Registered name of the prover. Results of minilean are cached, and those of its default options and
            the default limit may be the shipped ones.
        workers: Prover processes; 0 for this process, `None` for one per core.
        seconds: Limit for one script.
        fresh: Try every script again, whatever is shipped, and replace what the cache holds.
        on_theorem: Told the number of theorems that are done, after each; may raise to stop.
        backend_options: Keyword arguments of the backend.

    Raises:
        ValueError: Unknown backend.
        BackendError: The prover cannot be used.
    """
    tries = [_Tries(theorem) for theorem in theorems]
    options = backend_options or {}
    prover = results_key(backend, options)
    path = None if prover is None else cache_path(prover, seconds)
    known = {} if path is None or fresh else read_entries(path)
    if prover == results_key("minilean", {}) and seconds == SECONDS and not fresh:
        known = {**read_entries(SHIPPED), **known}
    missing = [each for each in tries if not each.recall(known.get(each.key, ""))]
    finished: dict[str, str] = {}
    try:
        done = len(tries) - len(missing)
        for each in _tried(missing, backend_factory(backend, options), workers, seconds):
            finished[each.key] = each.entry
            done += 1
            on_theorem(done)
    finally:
        if path is not None and finished:
            add_entries(path, finished)
    return _collected(tries)


def results_of(theorems: Sequence[Theorem]) -> dict[str, str]:
    """Return the cached entries of theorems, by key: those of minilean with its default options and limit."""
    cached = read_entries(cache_path(str(results_key("minilean", {})), SECONDS))
    keys = [_Tries(theorem).key for theorem in theorems]
    return {key: cached[key] for key in keys if key in cached}


class _Tries:
    """The scripts of one theorem; equal texts are tried once.

    Attributes:
        theorem: The theorem.
        texts: Script -> its text for this theorem, `None` without a value for a placeholder.
        results: Text -> one of the letters of `envs_data.automation.cache`, once it is known.
        problem: Message of the prover where the statement does not elaborate.
    """

    def __init__(self, theorem: Theorem) -> None:
        self.theorem = theorem
        self.texts = {script: filled(script, theorem) for script in SCRIPTS}
        self._distinct = list(dict.fromkeys(filter(None, self.texts.values())))
        self.results: dict[str, str] = {}
        self.problem = ""

    @property
    def key(self) -> str:
        """Return the key in the cache."""
        return entry_key(self.theorem, self._distinct)

    @property
    def entry(self) -> str:
        """Return the entry for the cache, when all texts are tried."""
        if self.problem:
            return UNUSABLE + self.problem
        return "".join(self.results[text] for text in self._distinct)

    @property
    def next_text(self) -> str | None:
        """Return the next text to try, `None` after the last one."""
        if self.problem or len(self.results) == len(self._distinct):
            return None
        return self._distinct[len(self.results)]

    def recall(self, entry: str) -> bool:
        """Take over an entry of the cache; return whether it is one."""
        if entry.startswith(UNUSABLE):
            self.problem = entry.removeprefix(UNUSABLE)
        elif len(entry) == len(self._distinct) and set(entry) <= {PROVED, FAILED, OUT_OF_TIME}:
            self.results = dict(zip(self._distinct, entry, strict=True))
        return self.next_text is None

    def record(self, text: str, reply: Reply, seconds: float) -> None:
        """Keep the result of one text."""
        if isinstance(reply.failure, DataError):
            self.problem = str(reply.failure)
        elif reply.failure is not None:
            raise reply.failure
        elif reply.verdict is not None and reply.verdict.proved:
            self.results[text] = PROVED
        else:
            self.results[text] = OUT_OF_TIME if reply.seconds >= seconds else FAILED


def _tried(
    missing: Sequence[_Tries], make_backend: BackendFactory, workers: int | None, seconds: float
) -> Iterator[_Tries]:
    """Try all texts, those of one theorem in one slot of a pool; yield each theorem when it is done."""
    if not missing:
        return
    pool = create_pool(
        make_backend,
        ProverOptions(cache_size=0),
        PoolOptions(),
        num_workers=usable_cores() if workers is None else workers,
        context="spawn",
        theorems=[each.theorem for each in missing],
    )
    waiting = list(reversed(missing))
    playing: dict[int, _Tries] = {}
    free = list(range(_SIDE_BY_SIDE))
    moved: list[int] = []
    try:
        while waiting or playing:
            while free and waiting:
                moved.append(free.pop())
                playing[moved[-1]] = waiting.pop()
            texts = {slot: playing[slot].next_text for slot in moved}
            pool.submit([Job(slot, playing[slot].theorem, (), text, seconds) for slot, text in texts.items()])
            moved = []
            for slot, reply in pool.receive(1).items():
                each = playing[slot]
                each.record(each.next_text or "", reply, seconds)
                if each.next_text is None:
                    free.append(slot)
                    yield playing.pop(slot)
                else:
                    moved.append(slot)
    finally:
        pool.close()


def _collected(tries: Sequence[_Tries]) -> Measured:
    """Return the results of all theorems."""
    proved = {
        script: frozenset(t.theorem.name for t in tries if t.results.get(t.texts[script] or "") == PROVED)
        for script in SCRIPTS
    }
    out_of_time = sum(result == OUT_OF_TIME for each in tries for result in each.results.values())
    unusable = {each.theorem.name: each.problem for each in tries if each.problem}
    return Measured(len(tries), proved, out_of_time, unusable)


def wrong_flags(theorems: Sequence[Theorem], measured: Measured) -> list[Theorem]:
    """Return the theorems whose flag `automation` says something else than the measurement; `None` says nothing."""
    return [t for t in theorems if t.automation not in (None, t.name in measured.proved_by_any)]
