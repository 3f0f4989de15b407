"""The embedded Lean as a backend: in process, no toolchain, deterministic.

Threads may have backends of their own; one thread at a time works, and a deadline does not count the wait for others.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from lean_gym.backends.mathlib_header import without_unknown
from lean_gym.backends.sandbox import wrap
from lean_gym.backends.scripts import script_file
from lean_gym.backends.statement import file_with, tactic_body
from lean_gym.errors import DataError, mathlib_hint
from lean_gym.types import Goal, Hypothesis, ProofState, ScriptError, TacticResult, Theorem, Verdict
from lean_gym.verification.independent import (
    LEVEL,
    Files,
    IndependentJudge,
    export_with_minilean,
    independent_judge,
)
from lean_gym.verification.kernels import KernelChoice
from lean_gym.verification.verify import verify_script
from minilean.api import (
    ALONE,
    EXPORTED_NAME,
    PRINT_SECONDS,
    Compiled,
    Context,
    Json,
    LeanEnv,
    MetaError,
    MetaM,
    Options,
    PositionError,
    Problem,
    ProofError,
    Refusal,
    Scope,
    Session,
    State,
    TheoremDecl,
    compile_text,
    encode,
    environment_at,
    library,
    library_files,
    library_key,
    limit_shared_terms,
    sealed,
    signature_text,
    start_printing,
    with_sorry,
    written_at,
)

MAX_PROBLEMS = 64
MAX_CONTEXTS = 16


class MinileanBackend:
    """`ProofBackend` over `minilean`.

    Args:
        ignore_imports: Start theorems that import other modules than `Init` without them, instead of refusing them.
            A statement that needs them does not elaborate, or means something else. Options and namespaces of the
            context that only they know are left out, with a warning.
        verify: `"full"`, also with `"replay"`: the kernel checks a finished proof in this process; `"independent"`: a
            process that never saw the script does so too, see `lean_gym.verification.independent`.
        kernel: With `"independent"`, the kernels that have to accept: names among `"minilean"`, `"lean"` and
            `"nanoda"`, with commas between or as a list; `None` for all that are installed.
        deep: With `"independent"`, prove the library anew for each proof and replay it, which takes a minute.
        sandbox: With `"independent"`, the sandbox of the processes: `"auto"`, `"bwrap"` or `"off"`.

    Raises:
        ValueError: An unknown level or kernel.
        BackendUnavailable: A kernel is not installed.
    """

    name = "minilean"
    settings: ClassVar = frozenset(["verify"])

    def __init__(
        self,
        ignore_imports: bool = False,
        *,
        verify: str = "full",
        kernel: KernelChoice = None,
        deep: bool = False,
        sandbox: str = "auto",
    ) -> None:
        self._ignore_imports = ignore_imports
        self._deep = deep
        self._wrap = partial(wrap, mode=sandbox)
        self._judge = independent_judge(verify, kernel, complete=deep, wrap=self._wrap)
        self._challenges: dict[tuple[str, str, str], str] = {}
        self._problems: dict[tuple[str, str, str], Problem] = {}
        self._contexts: dict[tuple[str, str], Context] = {}
        self._shortened: dict[str, str] = {}

    @staticmethod
    def sources_key(options: Mapping[str, Any]) -> str:
        """Return the hash of the library and of all code that decides what a tactic does."""
        return library_key(library_files())

    def start(self, theorem: Theorem) -> ProofState:
        """Elaborate the statement and introduce its binders. See `ProofBackend.start`."""
        with ALONE:
            problem = self._problem(self._without_imports(theorem))
            return replace(_state(problem, problem.start()), redefined=problem.redefined)

    def _without_imports(self, theorem: Theorem) -> Theorem:
        """Return a theorem without imports that are to be ignored, and without what only they know of its context.

        Raises:
            DataError: It has imports that are not to be ignored.
        """
        if all(name.startswith("Init") for name in theorem.imports):
            return theorem
        if not self._ignore_imports:
            raise DataError(
                f"theorem {theorem.name!r} imports {list(theorem.imports)}: minilean has its own library only; "
                "to start it without them, set its option ignore_imports"
            )
        context = self._shortened.get(theorem.context)
        if context is None:
            env, scope = environment_at(theorem.position)

            def runs(commands: str) -> bool:
                try:
                    Context(env, commands, scope)
                except ProofError:
                    return False
                return True

            context, left_out = without_unknown(theorem.context, runs)
            if left_out:
                lines = "; ".join(left_out)
                warnings.warn(f"contexts are started without what needs Mathlib: {lines}", stacklevel=2)
            if len(self._shortened) >= MAX_CONTEXTS:
                self._shortened.pop(next(iter(self._shortened)))
            self._shortened[theorem.context] = context
        return replace(theorem, context=context, imports=())

    def _problem(self, theorem: Theorem) -> Problem:
        """Elaborate the statement, once for all its starts and verifications.

        The results of tactics are kept for fewer statements than the statements themselves.
        """
        key = (theorem.position, theorem.context, theorem.statement)
        problem = self._problems.pop(key, None)
        if problem is None:
            try:
                problem = self._context(theorem.position, theorem.context).problem(theorem.statement)
            except ProofError as error:
                hint = mathlib_hint(theorem.statement)
                hint = f" ({hint})" if hint else ""
                raise DataError(f"theorem {theorem.name!r} does not elaborate{hint}: {error}") from None
            except PositionError as error:
                raise DataError(f"theorem {theorem.name!r}: {error}") from None
            if len(self._problems) >= MAX_PROBLEMS:
                self._problems.pop(next(iter(self._problems)))
        self._problems[key] = problem
        return problem

    def _context(self, position: str, commands: str) -> Context:
        key = (position, commands)
        context = self._contexts.pop(key, None)
        if context is None:
            env, scope = environment_at(position)
            context = Context(env, commands, scope)
        if len(self._contexts) >= MAX_CONTEXTS:
            self._contexts.pop(next(iter(self._contexts)))
        self._contexts[key] = context
        return context

    def apply(self, state: ProofState, tactic: str, deadline_s: float = 10.0) -> TacticResult:
        """Run one tactic block on the main goal. See `ProofBackend.apply`."""
        problem, inner = _unwrap(state)
        with ALONE:
            deadline = time.monotonic() + deadline_s
            step = problem.apply(inner, tactic, deadline_s)
            if step.state is None:
                return TacticResult(error=step.error)
            try:
                after = _state(problem, step.state, deadline)
            except MetaError as error:
                return TacticResult(error=str(error))
            return TacticResult(state=after, messages=step.messages)

    def verify(self, theorem: Theorem, tactics: Sequence[str], deadline_s: float = 60.0) -> Verdict:
        """Replay from the bare statement and have the kernel check the term. See `ProofBackend.verify`.

        The statement is that of `theorem`, elaborated before any tactic of an episode ran; no state of an episode
        takes part.
        """
        deadline = time.monotonic() + deadline_s
        with ALONE:
            theorem = self._without_imports(theorem)
            verdict = self._verify(theorem, tactics, deadline)
        if self._judge is None or not verdict.proved:
            return verdict
        return self._verify_independently(self._judge, theorem, tactics, deadline)

    def _verify(self, theorem: Theorem, tactics: Sequence[str], deadline: float) -> Verdict:
        problem = self._problem(theorem).again()
        state = problem.start()
        for number, tactic in enumerate(tactics, 1):
            step = problem.apply(state, tactic, deadline - time.monotonic())
            if step.state is None:
                return Verdict(False, f"step {number} fails on replay: {step.error}")
            state = step.state
        try:
            axioms = problem.check(state, deadline - time.monotonic())
        except ProofError as error:
            return Verdict(False, str(error))
        return Verdict(True, axioms=axioms)

    def _verify_independently(
        self, judge: IndependentJudge, theorem: Theorem, tactics: Sequence[str], deadline: float
    ) -> Verdict:
        export = partial(export_with_minilean, theorem, deadline=deadline, deep=self._deep, wrap=self._wrap)
        key = (theorem.position, theorem.context, theorem.statement)
        if key not in self._challenges:
            stated = export(tactics=None)
            if stated.status != 0:
                raise DataError(f"theorem {theorem.name!r} cannot be exported: {stated.last_line}")
            if len(self._challenges) >= MAX_CONTEXTS:
                self._challenges.pop(next(iter(self._challenges)))
            self._challenges[key] = stated.output
        solved = export(tactics=tactics)
        if solved.status != 0:
            return Verdict(False, f"independent check: {solved.last_line}", level=LEVEL)
        files = Files(
            self._challenges[key], solved.output, EXPORTED_NAME, position=theorem.position, deep=self._deep
        )
        return judge.judge(files, deadline)

    def script_errors(self, theorem: Theorem, script: str, deadline_s: float) -> tuple[ScriptError, ...]:
        """Check the theorem with a script as a file. See `ScriptChecker.script_errors`."""
        with ALONE:
            file = script_file(self._without_imports(theorem), script)
            limit_shared_terms()
            env, scope = environment_at(theorem.position)
            try:
                found = _compiled(env, scope, file.text, deadline_s).errors
            except Refusal:
                return ()  # the time is up, or the file too large
        return file.errors(_script_error(message) for message in found)

    @staticmethod
    def declarations(theorem: Theorem) -> list[str]:
        """Return the names of the library that a proof of a theorem may use. See `LibraryLister`."""
        with ALONE:
            known = environment_at(theorem.position)[0]
            return sorted(name for name in known.kernel if "._" not in name and not name.startswith("_"))

    def release(self, states: Iterable[ProofState]) -> None:
        """Nothing to do: states are plain values."""

    def close(self) -> None:
        """Forget the elaborated statements, and end the judge's process."""
        with ALONE:
            self._problems.clear()
            self._contexts.clear()
            self._shortened.clear()
            self._challenges.clear()
        if self._judge is not None:
            self._judge.close()


def load_library() -> None:
    """Load the library, which the first theorem needs."""
    with ALONE:
        library()


def encoded_library() -> bytes:
    """Return the library as bytes, for an installation that gets no sources."""
    with ALONE:
        return encode(library())


def sealed_library(encoded: bytes) -> bytes:
    """Return the file with the proved library that this installation accepts; the seal has the key of its sources."""
    return sealed(library_key(library_files()), encoded)


def given_names(theorem: Theorem) -> list[str]:
    """Return the names of all constants of the library that stand before a theorem."""
    with ALONE:
        return list(environment_at(theorem.position)[0].kernel)


def signatures() -> dict[str, str]:
    """Return what `#check` prints of each declaration of the library, in one line, by name; takes some seconds."""
    with ALONE:
        meta = MetaM(library())
        found = {}
        for name in MinileanBackend.declarations(Theorem("all", "")):
            declaration = meta.env.find(name)
            if declaration is not None:
                start_printing(meta)
                found[name] = " ".join(signature_text(meta, declaration).split())
        return found


def file_of_project(theorem: Theorem, tactics: Sequence[str], deadline_s: float = 60.0) -> str:
    """Return the file of a project up to a theorem in it, with a proof of the theorem.

    The declaration is checked as the file writes it, in the namespace and with the attributes there: names in the proof
    may mean something else than in an episode, where the theorem is stated under its full name.

    Args:
        theorem: The theorem; its position is in a project.
        tactics: Its proof.
        deadline_s: Time for each check.

    Raises:
        DataError: There is no such position, the tactics are no proof by Lean's own axioms, or not one where the file
            has the theorem.
    """
    backend = MinileanBackend()
    verdict = verify_script(backend, theorem, tactics, deadline_s=deadline_s)
    if not verdict.proved:
        raise DataError(f"theorem {theorem.name!r}: the tactics are no proof: {verdict.reason}")
    with ALONE:
        written = written_at(theorem.position)
        file = replace(theorem, statement=written.header, context=written.before)
        try:
            alone = file_with(replace(file, context=""), tactic_body(tactics))
            compiled = _compiled(written.env, written.scope, alone, deadline_s)
        except Refusal as error:
            raise DataError(f"theorem {theorem.name!r}: its file does not take the proof: {error}") from None
        found, signature = compiled.env.find(written.name), backend._problem(theorem).signature
        same = (
            isinstance(found, TheoremDecl)
            and (found.type, found.level_params) == (signature.type, signature.level_params)
            and set(found.axioms) <= set(verdict.axioms)
        )
    if compiled.errors or len(compiled.units) != 1 or not same:
        reason = compiled.errors[0]["data"] if compiled.errors else "it proves something else there"
        raise DataError(
            f"theorem {theorem.name!r}: its file does not take the proof: {' '.join(reason.split())}"
        )
    return file_with(file, tactic_body(tactics))


def _compiled(env: LeanEnv, scope: Scope | None, text: str, deadline_s: float) -> Compiled:
    """Run commands as a file does, where `sorry` is a warning that hides no error.

    Raises:
        Refusal: The time is up, or the text too large.
    """
    env = with_sorry(env)
    session = Session(env, (), env, options=Options(timeout=max(1, round(1000 * deadline_s))))
    return compile_text(session, text, scope=scope)


def _script_error(message: Json) -> ScriptError:
    begin, end = message["pos"], message["endPos"] or {"line": None, "column": None}
    return ScriptError(begin["line"], begin["column"], message["data"], end["line"], end["column"])


def _unwrap(state: ProofState) -> tuple[Problem, State]:
    handle = state.handle
    if not (isinstance(handle, tuple) and len(handle) == 2 and isinstance(handle[0], Problem)):
        raise ValueError("this proof state belongs to another backend; pass one that this backend returned")
    return handle


def _state(problem: Problem, inner: State, deadline: float | None = None) -> ProofState:
    """Print the goals of a state, until `time.monotonic()` reaches the deadline."""
    if deadline is None:
        deadline = time.monotonic() + PRINT_SECONDS
    texts = problem.goal_texts(inner, deadline - time.monotonic())
    rows = problem.goal_rows(inner, deadline - time.monotonic())
    goals = tuple(
        Goal(text, target, tuple(Hypothesis(*row) for row in hypotheses), tag or None)
        for text, (target, hypotheses, tag) in zip(texts, rows, strict=True)
    )
    return ProofState(goals, (problem, inner))
