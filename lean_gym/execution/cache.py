"""Tactic results kept by theorem, and the ledger of the states that are still needed."""

from __future__ import annotations

from collections import OrderedDict

from lean_gym.types import ProofState, TacticResult

Path = tuple[str, ...]


class Ledger:
    """Counts the users of each state: slots, caches, snapshots. States without a user are released in batches."""

    def __init__(self) -> None:
        # States compare by their goals, so identity is the key; each entry holds its state, so ids are not
        # reused.
        self._needed: dict[int, tuple[ProofState, int]] = {}
        self._unused: dict[int, ProofState] = {}

    def keep(self, state: ProofState | None) -> None:
        """Count one more user of a state."""
        if state is not None:
            _, count = self._needed.get(id(state), (state, 0))
            self._needed[id(state)] = (state, count + 1)
            self._unused.pop(id(state), None)

    def drop(self, state: ProofState | None) -> None:
        """Count one user less; unknown states are ignored."""
        if state is None or id(state) not in self._needed:
            return
        _, count = self._needed[id(state)]
        if count > 1:
            self._needed[id(state)] = (state, count - 1)
        else:
            del self._needed[id(state)]
            self._unused[id(state)] = state

    def take_all(self) -> list[ProofState]:
        """Remove and return all states, those with users too."""
        states = [*(state for state, _ in self._needed.values()), *self._unused.values()]
        self._needed, self._unused = {}, {}
        return states

    def take_unused(self, at_least: int) -> list[ProofState]:
        """Remove and return the states without a user, once there are `at_least` of them."""
        if len(self._unused) < at_least:
            return []
        states, self._unused = list(self._unused.values()), {}
        return states


class ResultCache:
    """Results by theorem and by the path of tactics from its start state.

    The theorem is named by the number of its start state, which stands for its statement, context and imports;
    the options of a prover never change. Printed goals do not determine the terms behind them, so they are
    never the key.

    Args:
        size: Most results to keep, over all theorems; the theorem that was not used for longest loses its
            oldest first.
        ledger: Where the states of the results are kept.
    """

    def __init__(self, size: int, ledger: Ledger) -> None:
        self._size = size
        self._ledger = ledger
        self._theorems: OrderedDict[int, OrderedDict[Path, TacticResult]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def get(self, start: int, path: Path) -> TacticResult | None:
        """The result of the path's last tactic after the others; `None` when it is not known."""
        results = self._theorems.get(start)
        result = None if results is None else results.get(path)
        if results is not None and result is not None:
            results.move_to_end(path)
            self._theorems.move_to_end(start)
        return result

    def put(self, start: int, path: Path, result: TacticResult) -> None:
        """Keep a result that is not kept yet."""
        if self._size == 0:
            return
        self._theorems.setdefault(start, OrderedDict())[path] = result
        self._theorems.move_to_end(start)
        self._ledger.keep(result.state)
        self._count += 1
        if self._count > self._size:
            oldest, results = next(iter(self._theorems.items()))
            self._ledger.drop(results.popitem(last=False)[1].state)
            self._count -= 1
            if not results:
                del self._theorems[oldest]

    def forget(self, start: int) -> None:
        """Drop all results of a theorem."""
        results = self._theorems.pop(start, OrderedDict())
        self._count -= len(results)
        for result in results.values():
            self._ledger.drop(result.state)
