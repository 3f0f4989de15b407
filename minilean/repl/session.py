"""What a REPL remembers between two commands: environment, scope, options and goal states."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from minilean.elab.names import Scope
from minilean.kernel.expr import Expr, MVar
from minilean.meta.budget import MAX_HEARTBEATS
from minilean.meta.extension import LeanEnv
from minilean.proof import Problem, State
from minilean.repl.wire import Fields, Json, Refusal

NO_DEADLINE_S = 1e9
LEAN_HEARTBEATS = 200_000
"""Lean's default for `maxHeartbeats`; minilean's own default stands for as much."""


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
        """These options with the fields of an `options.set` request applied."""
        new: dict[str, bool | int] = {}
        for name, value in asdict(self).items():
            given = fields.optional_flag(name) if isinstance(value, bool) else fields.optional_number(name)
            if given is not None:
                new[name] = given
        return replace(self, **new)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class GoalState:
    """One numbered state of a proof.

    Attributes:
        problem: The search it belongs to.
        state: Its goals and the terms behind them.
        root: What the search is for; `None` when it set out from several goals.
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
    """The state of one REPL. Every command either succeeds as a whole or leaves it as it was.

    Attributes:
        base: The environment after the imports.
        imports: The modules named at the start.
        env: The environment that commands see; `env.add` and `frontend.process` replace it.
        scope: Namespaces opened by files whose environment was inherited.
        heartbeats: What one tactic may spend, in minilean's steps.
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
        """Number a goal state."""
        state_id = self.next_id
        self.states[state_id] = state
        self.next_id += 1
        return state_id

    def state(self, state_id: int) -> GoalState:
        """The goal state of this number.

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
        """Wall clock that one command may take."""
        return self.options.timeout / 1000 if self.options.timeout else NO_DEADLINE_S

    def interrupt(self, started: float) -> Refusal | None:
        """What to answer for a command that failed after running into the `timeout` option.

        Args:
            started: `time.monotonic()` when the command began.

        Returns:
            Pantograph's `interrupt`, or `None` when there was time left.
        """
        if self.options.timeout and time.monotonic() - started >= self.seconds():
            return Refusal("io", "interrupt")
        return None


def heartbeats_of(lean_heartbeats: int) -> int:
    """The steps that stand for a value of Lean's `maxHeartbeats` option; 0 means no bound."""
    return MAX_HEARTBEATS * lean_heartbeats // LEAN_HEARTBEATS if lean_heartbeats else sys.maxsize


def stat(session: Session, fields: Fields) -> Json:
    """`stat`: how many goal states there are."""
    return {"nGoals": len(session.states)}


def reset(session: Session, fields: Fields) -> Json:
    """`reset`: drop all goal states; answers how many there were."""
    answer = stat(session, fields)
    session.reset()
    return answer


def options_set(session: Session, fields: Fields) -> Json:
    """`options.set`: change the options that are given."""
    session.options = session.options.changed(fields)
    return {}


def options_print(session: Session, fields: Fields) -> Json:
    """`options.print`: all options."""
    return asdict(session.options)
