"""Requests of the page to the embedded Lean, and its answers, as JSON.

The page sends the theorem and the tactics so far with each request. The session keeps the states that it knows, and
replays what it does not know, so it may be ended at any time.

A request is an object with `ask` and the arguments of the method of that name. An answer has `error`, or what the
method says.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from lean_gym.backends.minilean import MinileanBackend
from lean_gym.backends.statement import file_with, tactic_body
from lean_gym.datasets.formats.rows import theorem_from_statement
from lean_gym.errors import DataError
from lean_gym.play.words import NO_WORD, completions, suggestions
from lean_gym.types import ProofState, TacticResult, Theorem
from lean_gym.verification.verify import verify_script

MOST_STATES: Final = 500
MOST_GOAL_CHARS: Final = 20_000
"""Longest text of a goal that is shown whole."""
MOST_COMPLETIONS: Final = 12
_SUGGESTION_SECONDS: Final = 1.0
"""Wall-clock seconds for one tactic that is tried unasked."""

Json = dict[str, Any]
Path = tuple[str, ...]


class Session:
    """Proofs of theorems by hand, on the embedded Lean.

    Args:
        seconds: Wall-clock seconds for one request.
    """

    def __init__(self, seconds: float = 10.0) -> None:
        self._seconds = seconds
        self._backend = MinileanBackend()
        self._theorem = Theorem("", "")
        self._states: dict[Path, ProofState] = {}
        self._names: list[str] = []
        self._asked: dict[str, Callable[..., Json]] = {
            "start": self.start,
            "apply": self.apply,
            "suggest": self.suggest,
            "complete": self.complete,
        }

    def answer(self, request: str) -> str:
        """Answer a request in JSON. A theorem or a tactic that cannot be used is an answer with `error`.

        Args:
            request: An object with `ask`, `statement`, `context`, `tactics`, `seconds`, and what that method takes.
        """
        given = json.loads(request)
        self._seconds = float(given.pop("seconds", self._seconds))
        asked = self._asked[given.pop("ask")]
        try:
            self._take(given.pop("statement"), given.pop("context", ""))
            found = asked(tactics=tuple(given.pop("tactics", ())), **given)
        except DataError as error:
            found = {"error": str(error)}
        return json.dumps(found, ensure_ascii=False)

    def start(self, tactics: Path) -> Json:
        """Return the goals after `tactics`, and the proof so far."""
        return self._shown(tactics, self._state(tactics))

    def apply(self, tactics: Path, tactic: str) -> Json:
        """Run a tactic after `tactics`; where it leaves no goals, the kernel checks the whole proof.

        Returns:
            `goals` as Lean prints them, `messages`, `source`; `verdict` where no goals are left; or `error`.
        """
        before = time.monotonic()
        result = self._backend.apply(self._state(tactics), tactic, self._seconds)
        if result.state is None:
            return {"error": result.error}
        after = (*tactics, tactic)
        self._keep(after, result.state)
        answer = self._shown(after, result.state) | {"messages": list(result.messages)}
        if result.state.is_finished:
            left = max(1.0, self._seconds - (time.monotonic() - before))
            verdict = verify_script(self._backend, self._theorem, after, deadline_s=left)
            answer["verdict"] = {
                "proved": verdict.proved,
                "reason": verdict.reason,
                "axioms": list(verdict.axioms),
            }
        return answer

    def suggest(self, tactics: Path) -> Json:
        """Return `suggestions`: the usual tactics that apply after `tactics`, each with the number of goals left."""
        state = self._state(tactics)
        end = time.monotonic() + self._seconds - _SUGGESTION_SECONDS

        def tried(tactic: str) -> TacticResult:
            if time.monotonic() > end:
                return TacticResult(error="no time is left")
            return self._backend.apply(state, tactic, _SUGGESTION_SECONDS)

        found = suggestions(state, tried) if state.goals else []
        return {"suggestions": [asdict(one) for one in found], "before": len(state.goals)}

    def complete(self, tactics: Path, line: str) -> Json:
        """Return what the last word of a line may become after `tactics`: `words`, and the `length` of that word."""
        start = max((line.rfind(end) for end in NO_WORD), default=-1) + 1
        word = line[start:]
        goals = self._state(tactics).goals[:1]
        hypotheses = [one.name for goal in goals for one in goal.hypotheses if "✝" not in one.name]
        words = completions(line[:start], word, hypotheses, self._declarations())
        return {"words": words[:MOST_COMPLETIONS], "length": len(word)}

    def _take(self, statement: str, context: str) -> None:
        """Turn to a theorem; the states of another one are forgotten.

        Raises:
            DataError: The statement cannot be read.
        """
        theorem = theorem_from_statement(statement, 0, "theorem")
        theorem = replace(theorem, context="\n".join(filter(None, [context.strip(), theorem.context])))
        if theorem != self._theorem:
            self._theorem = theorem
            self._states.clear()
            self._names = []

    def _state(self, tactics: Path) -> ProofState:
        """Return the state after `tactics`, replayed from the last state that is known.

        Raises:
            DataError: The statement does not elaborate, or a tactic fails.
        """
        known = next((n for n in range(len(tactics), -1, -1) if tactics[:n] in self._states), -1)
        if known < 0:
            self._keep((), self._backend.start(self._theorem))
            known = 0
        state = self._states[tactics[:known]]
        for number in range(known, len(tactics)):
            result = self._backend.apply(state, tactics[number], self._seconds)
            if result.state is None:
                raise DataError(f"tactic {number + 1}, {tactics[number]!r}: {result.error}")
            state = result.state
            self._keep(tactics[: number + 1], state)
        return state

    def _keep(self, tactics: Path, state: ProofState) -> None:
        if len(self._states) >= MOST_STATES:
            self._states.pop(next(iter(self._states)))
        self._states[tactics] = state

    def _shown(self, tactics: Sequence[str], state: ProofState) -> Json:
        goals = [_shortened(goal.text) for goal in state.goals]
        body = tactic_body(tactics) if tactics else ":= by"
        return {"goals": goals, "source": file_with(self._theorem, body)}

    def _declarations(self) -> list[str]:
        if not self._names:
            self._names = self._backend.declarations(self._theorem)
        return self._names


def _shortened(goal: str) -> str:
    left = len(goal) - MOST_GOAL_CHARS
    return goal if left <= 0 else f"{goal[:MOST_GOAL_CHARS]} ... and {left} more characters"
