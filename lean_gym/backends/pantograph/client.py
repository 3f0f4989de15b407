"""`PantographBackend`: real Lean 4 behind the `ProofBackend` protocol."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, ClassVar, Final

from lean_gym.backends.pantograph import dialect as dialects
from lean_gym.backends.pantograph.dialect import Dialect
from lean_gym.backends.pantograph.discovery import find_repl, known_lean_path
from lean_gym.backends.pantograph.facts import shared, stamps
from lean_gym.backends.pantograph.file_errors import file_errors
from lean_gym.backends.pantograph.fleet import CONTROL, ROLES, Fleet, Member
from lean_gym.backends.pantograph.independent import verify_independently
from lean_gym.backends.pantograph.process import MAX_LINE_BYTES
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.backends.pantograph.steps import run_tactic, start_state
from lean_gym.backends.sandbox import wrap
from lean_gym.backends.statement import scope_prefix
from lean_gym.errors import BackendError, BackendUnavailable, DataError, StateLost, unknown_name
from lean_gym.types import ProofState, ScriptError, TacticResult, Theorem, Verdict
from lean_gym.verification.independent import independent_judge, require_lean
from lean_gym.verification.kernels import KernelChoice

MAX_PROCESSES: Final = 8
_LEAST_PROCESSES: Final = 2
_PROBE_SECONDS: Final = 60.0
_OPTION: Final = re.compile(r"[A-Za-z_][\w']*(?:\.[A-Za-z_][\w']*)*")


@dataclass(frozen=True, slots=True)
class _Handle:
    """Reference to a state.

    Attributes:
        member: The process and its episodes.
        repl: That process; the member's own may be its successor.
        number: The state's number there.
        first: The number of the state that its episode began with.
        prefix: The scope prefix of its theorem.
    """

    member: Member
    repl: Repl
    number: int
    first: int
    prefix: str


class PantographBackend:
    """`ProofBackend` over any REPL that speaks Pantograph's JSON protocol.

    Each set of imports has a process for episodes and one that judges; see `fleet`. In an environment with several
    workers these belong to different backends (`lean_gym.pool.judging`). A process that dies or answers out
    of turn is replaced when it is needed next, and the others go on; its states are lost, which `apply` reports as
    `StateLost`.

    Args:
        repl_command: Program and arguments of the REPL; `None` searches for one, see `discovery`.
        imports: Modules for theorems that name none of their own; they should contain `Init`. Their process starts with
            the backend, since importing Mathlib takes time. `None` is `Init`, imported when a theorem needs it.
        project_path: A built Lake project whose modules can be imported; `None` for none.
        lean_path: `LEAN_PATH` itself, where `lake` should not be asked for the project's.
        core_options: Options of Lean's core, e.g. `{"maxHeartbeats": 400000}`: arguments of the REPL, and
            `set_option` commands above each theorem, since the commands on files ignore the arguments.
        verify: `"full"`: a finished script is compiled as a file in a process of its own; `"independent"`: it is then
            compiled once more, exported and judged by another kernel; `"replay"`: it is run again as tactics and the
            root is inspected, which is weaker, and every verdict says so.
        kernel: With `"independent"`, the kernels that have to accept the export: names among `"minilean"`, `"lean"` and
            `"nanoda"`, with commas between or as a list; `None` for all that are installed.
        sandbox: `"auto"`, `"bwrap"` or `"off"`, see `lean_gym.backends.sandbox`.
        start_seconds: Wall-clock seconds from the start of a process until it must be ready, imports included.
        max_line_bytes: Longest answer to read.
        memory_mib: Most memory of one process, MiB, pages of files not counted: a tactic that needs more is refused,
            and costs that process alone. `None` for no limit; an environment passes its own `memory_mib`.
        max_processes: Most processes to keep, judges included; at least 2. With more sets of imports than fit,
            processes end and start again.
        role: `"both"`; in a vector environment with several workers `"episodes"` for those that play and `"judge"` for
            those that judge. Either does the other's work when asked, but starts no process for it before.
        allow_tactics: First words of tactics that may be used besides those that the filter knows, see
            `lean_gym.verification.tactic_vocabulary`: tactics of your own that run nothing that a text says. Their
            arguments are read as terms.

    Raises:
        BackendUnavailable: No REPL, one that does not start, or one that cannot do what `verify` asks for; a kernel
            that is not installed.
        ValueError: An unknown value.
    """

    name = "pantograph"
    settings: ClassVar = frozenset(["verify", "memory_mib"])

    def __init__(
        self,
        repl_command: Sequence[str] | str | None = None,
        *,
        imports: Sequence[str] | None = None,
        project_path: str | None = None,
        lean_path: str | None = None,
        core_options: Mapping[str, object] | None = None,
        verify: str = "full",
        kernel: KernelChoice = None,
        sandbox: str = "auto",
        start_seconds: float = 300.0,
        max_line_bytes: int = MAX_LINE_BYTES,
        memory_mib: float | None = None,
        max_processes: int = MAX_PROCESSES,
        role: str = "both",
        allow_tactics: Sequence[str] = (),
    ) -> None:
        judge_wrap = partial(wrap, mode=sandbox)
        self._judge = independent_judge(verify, kernel, complete=True, wrap=judge_wrap)
        if self._judge is not None:
            require_lean()
            verify = "full"
        if isinstance(imports, str):
            raise ValueError(f"imports: got {imports!r}, expected a list of module names")
        if isinstance(allow_tactics, str) or not all(isinstance(head, str) for head in allow_tactics):
            raise ValueError(
                f"allow_tactics: got {allow_tactics!r}, expected a list of tactic names, e.g. ['my_tactic']"
            )
        if max_processes < _LEAST_PROCESSES:
            raise ValueError(
                f"max_processes: got {max_processes!r}, expected at least {_LEAST_PROCESSES}: for episodes and a judge"
            )
        if role not in ROLES:
            raise ValueError(unknown_name("role", str(role), ROLES))
        found = find_repl(repl_command)
        if lean_path is None and project_path is not None:
            lean_path = known_lean_path(project_path)
        self._settings = ReplSettings(
            found,
            core_arguments(core_options or {}),
            lean_path,
            project_path,
            sandbox,
            start_seconds,
            max_line_bytes,
            memory_mib,
            tuple(allow_tactics),
        )
        self._imports = CONTROL if imports is None else tuple(imports)
        self._options = option_commands(core_options or {})
        self._fleet = Fleet(self._settings, verify, max_processes, role)
        try:
            self._dialect = self._known_dialect(spare=imports is None)
            self._require_abilities(verify)
            if role == "judge":
                self._fleet.end_members()
            if imports is not None:
                self._fleet.begin(self._imports)
        except BackendUnavailable:
            self.close()
            raise

    @staticmethod
    def sources_key(options: Mapping[str, Any]) -> str | None:
        """Return `None`: results depend on the version of Lean and on the modules that it imports."""
        return None

    def _known_dialect(self, spare: bool) -> Dialect:
        """Return the abilities of the REPL. The first process on this machine finds them, alone; the others wait."""

        def find() -> dict[str, Any]:
            return asdict(self._fleet.start(self._imports, spare).repl.dialect)

        key = (*self._settings.program, stamps([dialects.__file__]))
        patience = self._settings.start_seconds + _PROBE_SECONDS
        self._fleet.dialect = Dialect(**shared("dialect", key, find, patience))
        return self._fleet.dialect

    def _require_abilities(self, verify: str) -> None:
        """Raises: BackendUnavailable: The REPL cannot do what `verify` asks for."""
        dialect = self._dialect
        missing = dialect.lacks_for_full if verify == "full" else dialect.lacks_for_replay
        if missing is not None:
            weaker = verify == "full" and dialect.lacks_for_replay is None
            raise BackendUnavailable(
                f"verify={verify!r}: the REPL {' '.join(self._settings.found.command)!r} has no {missing}; use a later "
                "Pantograph" + (", or verify='replay', which asks for less" if weaker else "")
            )

    def start(self, theorem: Theorem) -> ProofState:
        """Elaborate the statement and introduce its binders. See `ProofBackend.start`."""
        with _usable_after():
            member = self._fleet.member(self._imports_for(theorem), theorem.name)
            theorem = self._with_options(theorem)
            number, goals = start_state(member.repl, theorem)
        member.open_episodes.add(number)
        prefix = "" if member.repl.dialect.keeps_scope else scope_prefix(theorem.context)
        return ProofState(goals, _Handle(member, member.repl, number, number, prefix))

    def apply(self, state: ProofState, tactic: str, deadline_s: float = 10.0) -> TacticResult:
        """Run one tactic block on the main goal. See `ProofBackend.apply`."""
        handle = state.handle
        if not isinstance(handle, _Handle):
            raise ValueError(
                "this proof state belongs to another backend; pass one that this backend returned"
            )
        with _usable_after():
            if not handle.repl.alive:
                raise StateLost("the REPL of this state has ended; start the theorem again")
            step = run_tactic(handle.repl, handle.number, tactic, handle.prefix, deadline_s)
        self._fleet.touch(handle.member)
        if step.number is None:
            return TacticResult(error=step.error, messages=step.messages)
        (handle.member.open_episodes.add if step.goals else handle.member.open_episodes.discard)(handle.first)
        after = ProofState(step.goals, replace(handle, number=step.number))
        return TacticResult(state=after, messages=step.messages)

    def verify(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float = 60.0) -> Verdict:
        """Judge a finished script in a process that no episode uses. See `ProofBackend.verify`.

        An empty script is refused, and has that process start.
        """
        theorem, imports = self._with_options(theorem), self._imports_for(theorem)
        until = time.monotonic() + deadline_s
        judge = self._fleet.judge(imports)
        with _usable_after():
            verdict = judge.verify(theorem, tactics, deadline_s)
            if self._judge is None or not verdict.proved:
                return verdict
            left = until - time.monotonic()
            return verify_independently(self._judge, self._settings, theorem, tactics, imports, left)

    def exports(
        self, theorem: Theorem, tactics: Sequence[str], name: str, given: Sequence[str], deadline_s: float
    ) -> tuple[str, str]:
        """Export a statement and a script that was judged before. See `verdicts.Judge.exports`."""
        theorem, imports = self._with_options(theorem), self._imports_for(theorem)
        with _usable_after():
            return self._fleet.judge(imports).exports(theorem, tactics, name, given, deadline_s)

    def script_errors(self, theorem: Theorem, script: str, deadline_s: float) -> tuple[ScriptError, ...]:
        """Check the theorem with a script as a file, in the process of its episodes. See `ScriptChecker`."""
        with _usable_after():
            member = self._fleet.member(self._imports_for(theorem), theorem.name)
            return file_errors(member.repl, self._with_options(theorem), script, deadline_s)

    def release(self, states: Iterable[ProofState]) -> None:
        """Delete these states in their processes."""
        numbers: dict[int, tuple[Repl, list[int]]] = {}
        for state in states:
            handle = state.handle
            if isinstance(handle, _Handle) and handle.repl.alive:
                numbers.setdefault(id(handle.repl), (handle.repl, []))[1].append(handle.number)
                if handle.number == handle.first:
                    handle.member.open_episodes.discard(handle.first)
        with _usable_after():
            for repl, group in numbers.values():
                repl.free(group)

    def close(self) -> None:
        """End all processes; calling it twice is allowed."""
        self._fleet.close()
        if self._judge is not None:
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


@contextmanager
def _usable_after() -> Iterator[None]:
    """Mark failures: what was lost is replaced when it is needed next."""
    try:
        yield
    except BackendError as error:
        error.backend_usable = True
        raise


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
