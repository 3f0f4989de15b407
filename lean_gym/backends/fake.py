"""Scripted backend: proofs without a prover, and every failure of a prover.

Use it to test an agent or a trainer offline, e.g. that it survives a crash:

    env = gym.make("LeanProof-v0", theorems=["theorem t : True ∧ True"], backend="fake",
                   backend_options={"crash_on": ["boom"]})

Goals are plain strings. Without `rules` they follow a tiny logic: `split` turns `A ∧ B` into two goals,
`left` and `right` choose a side of `A ∨ B`, `trivial` closes `True`, `skip` does nothing, everything else is
refused.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from lean_gym.backends.scripts import script_file, script_lines
from lean_gym.errors import BackendCrashed, BackendTimeout, DataError
from lean_gym.types import Goal, ProofState, ScriptError, TacticResult, Theorem, Verdict

Rules = Mapping[tuple[str, str], Sequence[str]] | Callable[[str, str], Sequence[str] | None]

_EXIT_STATUS: Final = 70


def toy_rules(goal: str, tactic: str) -> Sequence[str] | None:
    """The logic used without `rules`: conjunctions, disjunctions and `True`.

    Args:
        goal: The main goal's target.
        tactic: One tactic.

    Returns:
        The goals that replace it, or `None` when the tactic does not apply.
    """
    if tactic == "skip":
        return (goal,)
    if tactic == "trivial" and goal == "True":
        return ()
    for name, connective, side in (("left", " ∨ ", 0), ("right", " ∨ ", 1)):
        if tactic == name and connective in goal:
            return (goal.split(connective, 1)[side],)
    if tactic == "split" and " ∧ " in goal:
        return tuple(goal.split(" ∧ ", 1))
    return None


class FakeBackend:
    """Proofs by table.

    Args:
        rules: What a tactic does to the main goal: a mapping from (target, tactic) to the targets that
            replace it, or a function that returns them or `None` when the tactic is refused.
        starts: Initial targets by theorem name; by default the single target after the last ` : `.
        cheats: Tactics that close all goals although nothing is proved; `verify` rejects scripts with them.
        axioms: Axioms that `verify` reports for scripts containing a tactic.
        slow: Seconds that a tactic takes; past the deadline it is refused.
        crash_on: Tactics on which the backend raises `BackendCrashed` and is unusable from then on.
        timeout_on: Tactics on which it raises `BackendTimeout` and is unusable from then on.
        exit_on: Tactics that kill the whole process, as a segmentation fault would.
    """

    name = "fake"
    settings: ClassVar = frozenset[str]()

    def __init__(
        self,
        rules: Rules = toy_rules,
        *,
        starts: Mapping[str, Sequence[str]] | None = None,
        cheats: Collection[str] = ("sorry",),
        axioms: Mapping[str, Sequence[str]] | None = None,
        slow: Mapping[str, float] | None = None,
        crash_on: Collection[str] = (),
        timeout_on: Collection[str] = (),
        exit_on: Collection[str] = (),
    ) -> None:
        self._rules = rules
        self._starts = starts or {}
        self._cheats = cheats
        self._axioms = axioms or {}
        self._slow = slow or {}
        self._crash_on = crash_on
        self._timeout_on = timeout_on
        self._exit_on = exit_on
        self._broken = ""
        self.calls: list[tuple[str, str]] = []
        """Every call in order, as (method, theorem name or tactic): what a test may look at."""

    @staticmethod
    def sources_key(options: Mapping[str, Any]) -> str | None:
        """Return `None`: results depend on rules that may be functions."""
        return None

    def start(self, theorem: Theorem) -> ProofState:
        """Return the theorem's initial state.

        Raises:
            DataError: The statement has no ` : ` and the theorem is not in `starts`.
        """
        self._record("start", theorem.name)
        targets = self._starts.get(theorem.name)
        if targets is None:
            _, colon, target = theorem.statement.rpartition(" : ")
            if not colon or not target.strip():
                raise DataError(
                    f"theorem {theorem.name!r}: expected ' : ' and a target in {theorem.statement!r}"
                )
            targets = (target.strip(),)
        return _state(tuple(targets))

    def apply(self, state: ProofState, tactic: str, deadline_s: float = 10.0) -> TacticResult:
        """Run one tactic, or several separated by `;` or newlines, on the main goal."""
        self._record("apply", tactic)
        targets = _targets(state)
        for part in tactic.replace(";", "\n").split("\n"):
            result = self._run(targets, part.strip(), deadline_s)
            if isinstance(result, str):
                return TacticResult(error=result)
            targets = result
        return TacticResult(state=_state(targets))

    def verify(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float = 60.0) -> Verdict:
        """Replay the script from the start; cheats and leftovers are rejected."""
        self._record("verify", theorem.name)
        targets = _targets(self.start(theorem))
        axioms: set[str] = set()
        for tactic in (part.strip() for block in tactics for part in block.replace(";", "\n").split("\n")):
            if tactic in self._cheats:
                return Verdict(proved=False, reason=f"the script uses {tactic!r}")
            result = self._run(targets, tactic, deadline_s)
            if isinstance(result, str):
                return Verdict(proved=False, reason=result)
            targets = result
            axioms.update(self._axioms.get(tactic, ()))
        if targets:
            return Verdict(proved=False, reason=f"{len(targets)} goals are left")
        return Verdict(proved=True, axioms=tuple(sorted(axioms)))

    def script_errors(self, theorem: Theorem, script: str, deadline_s: float) -> tuple[ScriptError, ...]:
        """Return the first error of a script, one tactic a line."""
        self._record("script_errors", theorem.name)
        targets, first = _targets(self.start(theorem)), script_file(theorem, script).by_line + 1
        for row, line in enumerate(script_lines(script)):
            result = self._run(targets, line.strip(), deadline_s)
            if isinstance(result, str):
                return (ScriptError(first + row, 2, result, first + row, 2 + len(line)),)
            targets = result
        return ()

    def release(self, states: Iterable[ProofState]) -> None:
        """Record which states were given back."""
        for state in states:
            self._record("release", state.text)

    def close(self) -> None:
        """Refuse every later call."""
        self._broken = "the backend is closed"

    def _record(self, method: str, subject: str) -> None:
        if self._broken:
            raise BackendCrashed(f"fake backend: {self._broken}")
        self.calls.append((method, subject))

    def _run(self, targets: tuple[str, ...], tactic: str, deadline_s: float) -> tuple[str, ...] | str:
        self._fail_as_scripted(tactic)
        seconds = self._slow.get(tactic, 0.0)
        if seconds:
            time.sleep(min(seconds, deadline_s))
        if seconds > deadline_s:
            return f"deadline of {deadline_s} s exceeded"
        if not targets:
            return "no goals to be proved"
        if tactic in self._cheats:
            return ()
        main, *others = targets
        rules = self._rules
        replaced = rules(main, tactic) if callable(rules) else rules.get((main, tactic))
        return f"{tactic!r} does not apply to {main!r}" if replaced is None else (*replaced, *others)

    def _fail_as_scripted(self, tactic: str) -> None:
        if tactic in self._exit_on:
            os._exit(_EXIT_STATUS)
        if tactic in self._crash_on:
            self._broken = f"it crashed on {tactic!r}"
            raise BackendCrashed(f"fake backend: {self._broken}")
        if tactic in self._timeout_on:
            self._broken = f"it was stopped on {tactic!r}"
            raise BackendTimeout(f"fake backend: {self._broken}")


def _state(targets: tuple[str, ...]) -> ProofState:
    return ProofState(
        goals=tuple(Goal(text=f"⊢ {target}", target=target) for target in targets), handle=targets
    )


def _targets(state: ProofState) -> tuple[str, ...]:
    if not isinstance(state.handle, tuple):
        raise ValueError(
            f"state: got a state of another backend ({state.handle!r}), expected one made by FakeBackend"
        )
    return state.handle
