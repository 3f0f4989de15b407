"""`PantographBackend`: real Lean 4 behind the `ProofBackend` protocol."""

from __future__ import annotations

import json
import re
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lean_gym.backends.pantograph.discovery import find_repl, project_lean_path
from lean_gym.backends.pantograph.independent import verify_independently
from lean_gym.backends.pantograph.process import MAX_LINE_BYTES
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.backends.pantograph.statement import scope_prefix
from lean_gym.backends.pantograph.steps import run_tactic, start_state
from lean_gym.backends.pantograph.verdicts import Judge
from lean_gym.errors import BackendCrashed, BackendUnavailable, DataError
from lean_gym.types import ProofState, TacticResult, Theorem, Verdict
from lean_gym.verification.independent import LEVEL, require_lean
from lean_gym.verification.verify import check_level

DEFAULT_IMPORTS: Final = ("Init",)
MAX_REPLS: Final = 2
"""Processes with different imports that are kept at a time."""
_OPTION: Final = re.compile(r"[A-Za-z_][\w']*(?:\.[A-Za-z_][\w']*)*")


@dataclass(frozen=True, slots=True)
class _Handle:
    """Reference to a state: its process, its number there, and the scope prefix of its theorem."""

    repl: Repl
    number: int
    prefix: str


class PantographBackend:
    """`ProofBackend` over any REPL that speaks Pantograph's JSON protocol.

    The process starts with the backend, since importing Mathlib takes time. A process that dies or answers out of
    turn is replaced at the next `start`; its states are lost, which `apply` reports as
    `BackendCrashed`.

    Args:
        repl_command: Program and arguments of the REPL; `None` searches for one, see `discovery`.
        imports: Modules for theorems that name none of their own; they should contain `Init`.
        project_path: A built Lake project whose modules can be imported; `None` for none.
        lean_path: `LEAN_PATH` itself, where `lake` should not be asked for the project's.
        core_options: Options of Lean's core, e.g. `{"maxHeartbeats": 400000}`: arguments of the REPL, and
            `set_option` commands above each theorem, since the commands on files ignore the arguments.
        verify: `"full"`: a finished script is compiled as a file in a process of its own; `"independent"`: it is then
            compiled once more, exported and judged by another kernel; `"replay"`: it is run again as tactics and the
            root is inspected, which is weaker, and every verdict says so.
        sandbox: `"auto"`, `"bwrap"` or `"off"`, see `lean_gym.backends.pantograph.sandbox`.
        start_seconds: Wall-clock seconds until a process must be ready, imports included.
        max_line_bytes: Longest answer to read.

    Raises:
        BackendUnavailable: No REPL, one that does not start, or one that cannot do what `verify` asks for.
        ValueError: An unknown value.
    """

    name = "pantograph"

    def __init__(
        self,
        repl_command: Sequence[str] | str | None = None,
        *,
        imports: Sequence[str] = DEFAULT_IMPORTS,
        project_path: str | None = None,
        lean_path: str | None = None,
        core_options: Mapping[str, object] | None = None,
        verify: str = "full",
        sandbox: str = "auto",
        start_seconds: float = 300.0,
        max_line_bytes: int = MAX_LINE_BYTES,
    ) -> None:
        self._independent = check_level(verify) == LEVEL
        if self._independent:
            require_lean()
            verify = "full"
        if isinstance(imports, str):
            raise ValueError(f"imports: got {imports!r}, expected a list of module names")
        found = find_repl(repl_command)
        if lean_path is None and project_path is not None:
            lean_path = project_lean_path(project_path)
        self._settings = ReplSettings(
            found,
            core_arguments(core_options or {}),
            lean_path,
            project_path,
            sandbox,
            start_seconds,
            max_line_bytes,
        )
        self._imports = tuple(imports)
        self._options = option_commands(core_options or {})
        self._repls: OrderedDict[tuple[str, ...], Repl] = OrderedDict()
        # Both start at once, so that the judge has its imports before the first proof is finished.
        first = self._repls[self._imports] = Repl(self._settings, self._imports)
        self._judge = Judge(self._settings, verify, self._imports)
        try:
            self._dialect = first.ready().dialect
        except BackendUnavailable:
            self.close()
            raise
        missing = self._dialect.lacks_for_full if verify == "full" else self._dialect.lacks_for_replay
        if missing is not None:
            self.close()
            weaker = verify == "full" and self._dialect.lacks_for_replay is None
            raise BackendUnavailable(
                f"verify={verify!r}: the REPL {' '.join(found.command)!r} has no {missing}; use a later Pantograph"
                + (", or verify='replay', which asks for less" if weaker else "")
            )

    def start(self, theorem: Theorem) -> ProofState:
        """Elaborate the statement and introduce its binders. See `ProofBackend.start`."""
        repl = self._repl(self._imports_for(theorem))
        theorem = self._with_options(theorem)
        number, goals = start_state(repl, theorem)
        prefix = "" if repl.dialect.keeps_scope else scope_prefix(theorem.context)
        return ProofState(goals, _Handle(repl, number, prefix))

    def apply(self, state: ProofState, tactic: str, deadline_s: float = 10.0) -> TacticResult:
        """Run one tactic block on the main goal. See `ProofBackend.apply`."""
        handle = state.handle
        if not isinstance(handle, _Handle):
            raise ValueError(
                "this proof state belongs to another backend; pass one that this backend returned"
            )
        if not handle.repl.alive:
            raise BackendCrashed("the REPL of this state has ended; start the theorem again")
        step = run_tactic(handle.repl, handle.number, tactic, handle.prefix, deadline_s)
        if step.number is None:
            return TacticResult(error=step.error, messages=step.messages)
        after = ProofState(step.goals, _Handle(handle.repl, step.number, handle.prefix))
        return TacticResult(state=after, messages=step.messages)

    def verify(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float = 60.0) -> Verdict:
        """Judge a finished script in a process that no episode uses. See `ProofBackend.verify`."""
        theorem, imports = self._with_options(theorem), self._imports_for(theorem)
        until = time.monotonic() + deadline_s
        verdict = self._judge.verify(theorem, tactics, imports, deadline_s)
        if not (verdict.proved and self._independent):
            return verdict
        return verify_independently(self._settings, theorem, tactics, imports, until - time.monotonic())

    def release(self, states: Iterable[ProofState]) -> None:
        """Delete these states in the REPL."""
        numbers: dict[int, tuple[Repl, list[int]]] = {}
        for state in states:
            handle = state.handle
            if isinstance(handle, _Handle) and handle.repl.alive:
                numbers.setdefault(id(handle.repl), (handle.repl, []))[1].append(handle.number)
        for repl, group in numbers.values():
            repl.free(group)

    def close(self) -> None:
        """End all processes; calling it twice is allowed."""
        for repl in self._repls.values():
            repl.close()
        self._repls.clear()
        self._judge.close()

    def _with_options(self, theorem: Theorem) -> Theorem:
        """Return the theorem with the commands for the core options above its context."""
        return replace(theorem, context=self._options + theorem.context) if self._options else theorem

    def _imports_for(self, theorem: Theorem) -> tuple[str, ...]:
        """Return the modules of the REPL for a theorem.

        Raises:
            DataError: The theorem has a position in minilean's library.
        """
        if theorem.position:
            raise DataError(
                f"theorem {theorem.name!r} has the position {theorem.position!r} in minilean's library: a REPL has "
                "all of core, where the theorem is proved by its own name; use the backend 'minilean'"
            )
        return self._imports if set(theorem.imports) <= set(self._imports) else theorem.imports

    def _repl(self, imports: tuple[str, ...]) -> Repl:
        repl = self._repls.get(imports)
        if repl is not None and repl.alive:
            self._repls.move_to_end(imports)
            return repl.ready()
        if repl is None and len(self._repls) >= MAX_REPLS:
            self._repls.popitem(last=False)[1].close()
        repl = Repl(self._settings, imports, self._dialect)
        self._repls[imports] = repl
        return repl.ready()


def core_arguments(options: Mapping[str, object]) -> tuple[str, ...]:
    """Lean's core options as arguments of the REPL: `--maxHeartbeats=400000`."""
    return tuple(f"--{name}={_value(value)}" for name, value in options.items())


def option_commands(options: Mapping[str, object]) -> str:
    """Lean's core options as commands, one a line: `set_option maxHeartbeats 400000`.

    Raises:
        ValueError: Not the name of an option, or one with Lake's prefix `weak.`, which only Lake understands.
    """
    for name in options:
        if not _OPTION.fullmatch(name) or name.startswith("weak."):
            raise ValueError(
                f"core_options: got the name {name!r}, expected an option of Lean's core such as 'autoImplicit'"
                + (f"; leave it out, or give {name[5:]!r}" if name.startswith("weak.") else "")
            )
    return "".join(f"set_option {name} {_literal(value)}\n" for name, value in options.items())


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _literal(value: object) -> str:
    """An option's value as Lean source: `true`, `false`, a number, or a string in quotation marks."""
    text = _value(value)
    return text if text in ("true", "false") or text.isdecimal() else json.dumps(text, ensure_ascii=False)
