"""Verdicts on finished scripts, from processes that run no episode."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from lean_gym.backends.pantograph.admission import fits
from lean_gym.backends.pantograph.axioms import constants_of
from lean_gym.backends.pantograph.dialect import Dialect
from lean_gym.backends.pantograph.goals import unknown_shape
from lean_gym.backends.pantograph.process import Json
from lean_gym.backends.pantograph.recompile import Layout, layout_of, recompile
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.backends.pantograph.steps import run_tactic, start_state
from lean_gym.backends.statement import file_with, scope_prefix, tactic_body
from lean_gym.errors import BackendCrashed, BackendTimeout, BackendUnavailable, DataError, ProtocolError
from lean_gym.types import Theorem, Verdict
from lean_gym.verification.tactic_filter import refused_text

_MAX_LAYOUTS: Final = 1024
_RECYCLE_AFTER: Final = 64
"""Verifications after which a process is replaced, which bounds the lifetime of anything that a script left in it."""
_TERMS_RECYCLE_AFTER: Final = 1024
"""The same for the process that judges terms: no script reaches it, but it keeps what it was given."""
_SORRY_BODY: Final = ":= sorry"
_WITH_TERMS: Final = {"printExprAST": True}
_TRIES: Final = 2


class Judge:
    """Judges finished scripts of theorems with the same imports.

    Attributes:
        used: Number of its last use, for its owner.

    Args:
        settings: How to run a REPL; the judge runs its own.
        mode: `"full"` or `"replay"`, see `PantographBackend`.
        imports: The modules to judge with.
        dialect: Abilities of the REPL; `None` to find out.
    """

    def __init__(
        self, settings: ReplSettings, mode: str, imports: tuple[str, ...], dialect: Dialect | None = None
    ) -> None:
        self.used = 0
        self._settings = settings
        self._mode = mode
        self._imports = imports
        self._dialect = dialect
        self._repl: Repl | None = None
        self._next: Repl | None = None
        self._terms: TermJudge | None = None
        self._served = 0
        self._layouts: OrderedDict[Theorem, Layout] = OrderedDict()

    @property
    def processes(self) -> int:
        """Number of its processes: one, that which judges terms, the successor of one; as far as they run."""
        own = sum(repl is not None and repl.alive for repl in (self._repl, self._next))
        return own + (self._terms is not None and self._terms.alive)

    def start_ahead(self) -> None:
        """Start the process without waiting for it, so that it has its imports before the first proof is finished."""
        if self._repl is None:
            self._repl = self._launched()

    def verify(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float) -> Verdict:
        """Judge a script. An empty one is refused, and has the process start without waiting for it.

        Args:
            theorem: The statement, as the environment holds it.
            tactics: The script.
            deadline_s: Wall-clock seconds, the start of a process not counted.

        Raises:
            BackendTimeout: It did not answer in time.
            BackendCrashed: The process was lost twice.
            ProtocolError: It answered in an unknown shape, twice.
        """
        for number, tactic in enumerate(tactics, 1):
            refused = refused_text(tactic, self._settings.allow_tactics)
            if refused is not None:
                return self._marked(Verdict(False, f"step {number}: {refused}"))
        if not tactics:
            self.start_ahead()
            return self._marked(Verdict(False, "the script is empty"))
        for attempt in range(1, _TRIES + 1):
            try:
                return self._marked(self._judge(theorem, tactics, deadline_s))
            except DataError as error:
                return self._marked(Verdict(False, str(error)))
            except BackendTimeout:
                # The process may hang or be slow. The caller may try again, so that a hung judge costs no proof.
                self._end()
                raise
            except (BackendCrashed, ProtocolError):
                self._end()
                if attempt == _TRIES:
                    raise
        raise AssertionError("the last try returns or raises")

    def exports(
        self, theorem: Theorem, tactics: Sequence[str], name: str, given: Sequence[str], deadline_s: float
    ) -> tuple[str, str]:
        """Export a statement, and a script that was judged before, by a REPL that judges terms.

        Args:
            theorem: The statement, as the environment holds it.
            tactics: The script.
            name: The full name of the theorem.
            given: Names of the constants that the exports leave out.
            deadline_s: Wall-clock seconds for both.

        Returns:
            The challenge, by the process that sees statements only, and the solution.

        Raises:
            DataError: One of them does not compile any more.
            BackendTimeout: A process did not answer in time.
            BackendCrashed: A process is gone.
            ProtocolError: One answered in an unknown shape.
        """
        until = time.monotonic() + deadline_s
        solving = self._open()
        if self._terms is None:
            self._terms = TermJudge(self._settings, self._imports, self._dialect)
        stating = self._terms.opened()
        texts = []
        for repl, body in ((stating, _SORRY_BODY), (solving, tactic_body(tactics))):
            payload = {"file": file_with(theorem, body), "theorem": name, "given": list(given)}
            try:
                texts.append(_exported(repl, payload, until))
            except _NotExported as error:
                raise DataError(f"theorem {theorem.name!r} cannot be exported: {error}") from None
        return texts[0], texts[1]

    def close(self) -> None:
        """End its processes; calling it twice is allowed."""
        self._end()
        self._end()
        if self._terms is not None:
            self._terms.close()

    def _end(self) -> None:
        """End the process; its successor, if it has been started, takes its place."""
        if self._repl is not None:
            self._repl.close()
        self._repl, self._next, self._served = self._next, None, 0

    def _marked(self, verdict: Verdict) -> Verdict:
        return Verdict(verdict.proved, verdict.reason, verdict.axioms, verdict.details, self._mode)

    def _judge(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float) -> Verdict:
        repl = self._open()
        until = time.monotonic() + deadline_s
        if self._mode == "replay":
            return replay(repl, theorem, tactics, until)
        if repl.dialect.judges_terms:
            if self._terms is None:
                self._terms = TermJudge(self._settings, self._imports, self._dialect)
            return self._terms.judge_script(repl, theorem, tactics, until)
        layout = self._layouts.get(theorem)
        if layout is None:
            layout = layout_of(repl, theorem, until - time.monotonic())
            self._layouts[theorem] = layout
            if len(self._layouts) > _MAX_LAYOUTS:
                self._layouts.popitem(last=False)
            repl = self._open()
        return recompile(repl, theorem, tactics, layout, until - time.monotonic())

    def _open(self) -> Repl:
        """Return the process to judge with; where declarations stay in it, a fresh one for each script."""
        if self._repl is not None and (not self._repl.alive or self._used_up):
            self._end()
        repl = self._repl
        if repl is not None and not repl.is_ready:
            try:
                repl.ready()
            except BackendUnavailable:
                # It was started some time ago; a fresh one tells whether there is a reason that lasts.
                self.close()
                repl = None
        if repl is None:
            repl = self._repl = Repl(self._settings, self._imports, self._dialect, _WITH_TERMS)
        self._dialect = repl.ready().dialect
        self._served += 1
        if self._used_up and self._next is None:
            self._next = self._launched()
        return repl

    @property
    def _used_up(self) -> bool:
        """Return whether the process has judged as many scripts as it may."""
        alone = self._mode == "full" and self._dialect is not None and not self._dialect.judges_many
        return self._served >= (1 if alone else _RECYCLE_AFTER)

    def _launched(self) -> Repl | None:
        """Start a process without waiting for it; `None` where that fails, which shows again when it is needed.

        It is not needed yet, so it is not started either where the memory that is left does not hold it.
        """
        if fits(self._settings.kind(self._imports)) == 0:
            return None
        with suppress(BackendUnavailable):
            return Repl(self._settings, self._imports, self._dialect, _WITH_TERMS)
        return None


class _NotExported(Exception):
    """A file that does not compile to constants that can be written; the reason."""


def _exported(repl: Repl, payload: Json, until: float) -> str:
    """Return what a REPL that judges terms exports of a file."""
    made = repl.ask("frontend.export", payload, max(until - time.monotonic(), 0.001))
    match made:
        case {"problem": None, "rows": str(rows)}:
            return rows
        case {"problem": str(problem)} | {"error": str(), "desc": str(problem)}:
            raise _NotExported(problem)
        case _:
            unknown_shape("frontend.export", made, "`problem` and `rows`")


class TermJudge:
    """Judges what scripts declare, in a process of its own that sees statements and terms only.

    Args:
        settings: How to run a REPL.
        imports: The modules to judge with.
        dialect: Abilities of the REPL.
    """

    def __init__(self, settings: ReplSettings, imports: tuple[str, ...], dialect: Dialect | None) -> None:
        self._settings = settings
        self._imports = imports
        self._dialect = dialect
        self._repl: Repl | None = None
        self._served = 0

    @property
    def alive(self) -> bool:
        """Return whether its process runs."""
        return self._repl is not None and self._repl.alive

    def judge_script(self, repl: Repl, theorem: Theorem, tactics: Sequence[str], until: float) -> Verdict:
        """Judge a script.

        Args:
            repl: A process that ran no tactic of any episode, to compile the script.
            theorem: The statement, as the environment holds it.
            tactics: The script.
            until: `time.monotonic()` at which time is up.

        Raises:
            DataError: The statement does not compile.
            BackendTimeout: A process did not answer in time.
            BackendCrashed: A process is gone.
            ProtocolError: One answered in an unknown shape.
        """
        solution = file_with(theorem, tactic_body(tactics))
        try:
            rows = _exported(repl, {"file": solution}, until)
        except _NotExported as error:
            return Verdict(False, f"recompiled as a file: {error}")
        payload = {"statement": file_with(theorem, _SORRY_BODY), "rows": rows}
        answer = self.opened().ask("frontend.judge", payload, max(until - time.monotonic(), 0.001))
        match answer:
            case {"problem": None, "axioms": [*axioms]}:
                return Verdict(True, axioms=tuple(map(str, axioms)))
            case {"problem": str(problem)}:
                return Verdict(False, f"judged by its terms: {problem}")
            case {"error": str(), "desc": str(problem)}:
                raise DataError(f"theorem {theorem.name!r} does not compile as a file: {problem}")
            case _:
                unknown_shape("frontend.judge", answer, "`problem` and `axioms`")

    def close(self) -> None:
        """End its process; calling it twice is allowed."""
        if self._repl is not None:
            self._repl.close()
        self._repl = None

    def opened(self) -> Repl:
        """Return its process, which starts where there is none."""
        if self._repl is None or not self._repl.alive or self._served >= _TERMS_RECYCLE_AFTER:
            self.close()
            self._repl, self._served = Repl(self._settings, self._imports, self._dialect), 0
        self._served += 1
        return self._repl.ready()


def replay(repl: Repl, theorem: Theorem, tactics: Sequence[str], until: float) -> Verdict:
    """Run a script again from the statement and inspect the root.

    The root must be assigned, without metavariables, `sorry` and unsafe constants. The axioms stay unknown, and
    declarations that tactics added are not inspected.
    """
    number, _ = start_state(repl, theorem, max(until - time.monotonic(), 0.001))
    prefix = "" if repl.dialect.keeps_scope else scope_prefix(theorem.context)
    states = [number]
    try:
        goals_left = 1
        for position, tactic in enumerate(tactics, 1):
            step = run_tactic(repl, states[-1], tactic, prefix, until - time.monotonic())
            if step.number is None:
                return Verdict(False, f"step {position} fails on replay: {step.error}")
            states.append(step.number)
            goals_left = len(step.goals)
        if goals_left:
            return Verdict(False, f"{goals_left} goals are left")
        answer = repl.limited(
            "goal.print", {"stateId": states[-1], "rootExpr": True}, max(until - time.monotonic(), 0.001)
        )
        problem = root_problem(answer) if repl.dialect.root_flags else term_problem(repl, answer, until)
        repl.sync()
        return Verdict(problem is None, problem or "")
    finally:
        if repl.alive:
            repl.free(states)


def root_problem(answer: Json) -> str | None:
    """Return why the root of a finished state is no proof; `None` when there is no objection."""
    if answer.get("root") is None:
        return "the root goal is not assigned"
    for flag, what in (
        ("rootHasMVar", "metavariables"),
        ("rootHasSorry", "`sorry`"),
        ("rootHasUnsafe", "unsafe constants"),
    ):
        if answer.get(flag) is not False:
            return f"the proof term has {what}"
    # The flags are about the root alone; the printed term also contains the auxiliary lemmas of tactics, unfolded.
    return "the proof term has `sorry`" if "sorryAx" in constants_of(_term(answer)) else None


def term_problem(repl: Repl, answer: Json, until: float) -> str | None:
    """Return the same as `root_problem` from the proof term itself, for versions of Pantograph without flags.

    These versions show no term while it has metavariables.
    """
    if answer.get("root") is None:
        return "the root goal is not assigned, or has metavariables"
    text = _term(answer)
    if any(mark in text for mark in ("(:mv ", "(:mvd ", "(:subst ")):
        return "the proof term has metavariables"
    for name in sorted(constants_of(text)):
        if name == "sorryAx":
            return "the proof term has `sorry`"
        found = repl.ask("env.inspect", {"name": name}, max(until - time.monotonic(), 0.001))
        if found.get("isUnsafe") is not False:
            return f"the proof term has the constant {name}, which is unsafe or cannot be inspected"
    return None


def _term(answer: Json) -> str:
    """Return the root's term as an S-expression.

    Raises:
        ProtocolError: The answer has none.
    """
    term = answer["root"]
    text = term.get("sexp") if isinstance(term, dict) else None
    if not isinstance(text, str):
        unknown_shape("goal.print", answer, "`root.sexp`")
    return text
