"""State of a REPL between commands: environment, scope, options and goal states."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from minilean.elab.names import Scope
from minilean.kernel.expr import Expr, MVar
from minilean.meta.budget import MAX_HEARTBEATS
from minilean.meta.extension import LeanEnv
from minilean.proof import Problem, State
from minilean.repl.wire import Fields, Json, Refusal

NO_DEADLINE_S = 1e9
LEAN_HEARTBEATS = 200_000
"""Lean's default for `maxHeartbeats`, which corresponds to minilean's own default."""


@dataclass(frozen=True, slots=True)
class Options:
    """Pantograph's options, with its names and defaults. `timeout` is in milliseconds, 0 for none."""

    printJsonPretty: bool = False
    printExprPretty: bool = True
    printExprAST: bool = False
    printDependentMVars: bool = False
    noRepeat: bool = False
    printAuxDecls: bool = False
    printImplementationDetailHyps: bool = False
    automaticMode: bool = True
    timeout: int = 0

    def changed(self, fields: Fields) -> Options:
        """Return these options with the fields of an `options.set` request applied."""
        new: dict[str, Any] = {}
        for name, value in asdict(self).items():
            given = fields.optional_flag(name) if isinstance(value, bool) else fields.optional_number(name)
            if given is not None:
                new[name] = given
        return replace(self, **new)


@dataclass(frozen=True, slots=True)
class GoalState:
    """One numbered state of a proof.

    Attributes:
        problem: The statement that it belongs to.
        state: Its goals and the partial proof term.
        root: The goal that the search started from; `None` when there were several.
        parents: The goals that the last step closed.
        chains: The goals in calc mode, by id, each with the right-hand side of the step before it, if any.
    """

    problem: Problem
    state: State
    root: MVar | None
    parents: tuple[MVar, ...] = ()
    chains: Mapping[int, Expr | None] = field(default_factory=dict)


@dataclass
class Session:
    """The state of one REPL. A command that fails does not change it.

    Attributes:
        base: The environment after the imports.
        imports: The modules named at the start.
        env: The environment that commands see; `env.add` and `frontend.process` replace it.
        scope: Namespaces opened by files whose environment was inherited.
        heartbeats: Steps of minilean that one tactic may take.
    """

    base: LeanEnv
    imports: tuple[str, ...]
    env: LeanEnv
    scope: Scope = field(default_factory=Scope)
    options: Options = field(default_factory=Options)
    heartbeats: int = MAX_HEARTBEATS
    states: dict[int, GoalState] = field(default_factory=dict)
    next_id: int = 0

    def add_state(self, state: GoalState) -> int:
        """Store a goal state and return its number."""
        state_id = self.next_id
        self.states[state_id] = state
        self.next_id += 1
        return state_id

    def state(self, state_id: int) -> GoalState:
        """Return the goal state with this number.

        Raises:
            Refusal: There is none.
        """
        found = self.states.get(state_id)
        if found is None:
            raise Refusal("index", f"Invalid state index {state_id}")
        return found

    def reset(self) -> None:
        """Drop all goal states; numbers start at 0 again."""
        self.states.clear()
        self.next_id = 0

    def seconds(self) -> float:
        """Return the wall-clock seconds that one command may take."""
        return self.options.timeout / 1000 if self.options.timeout else NO_DEADLINE_S

    def interrupt(self, started: float) -> Refusal | None:
        """Return the answer for a command that failed at the limit of the `timeout` option.

        Args:
            started: `time.monotonic()` when the command began.

        Returns:
            Pantograph's `interrupt`, or `None` when there was time left.
        """
        if self.options.timeout and time.monotonic() - started >= self.seconds():
            return Refusal("io", "interrupt")
        return None


def heartbeats_of(lean_heartbeats: int) -> int:
    """Convert a value of Lean's `maxHeartbeats` option to steps of minilean; 0 means no bound."""
    return MAX_HEARTBEATS * lean_heartbeats // LEAN_HEARTBEATS if lean_heartbeats else sys.maxsize


def stat(session: Session, fields: Fields) -> Json:
    """`stat`: the number of goal states."""
    return {"nGoals": len(session.states)}


def reset(session: Session, fields: Fields) -> Json:
    """`reset`: drop all goal states; the answer is their number."""
    answer = stat(session, fields)
    session.reset()
    return answer


def options_set(session: Session, fields: Fields) -> Json:
    """`options.set`: set the given options."""
    session.options = session.options.changed(fields)
    return {}


def options_print(session: Session, fields: Fields) -> Json:
    """`options.print`: all options."""
    return asdict(session.options)
