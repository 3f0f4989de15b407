"""Proof of a statement step by step: immutable proof states, and the kernel's check of a finished proof.

    problem = Problem.from_source("theorem t (p : Prop) : p → p", library())
    state = problem.start()
    state = problem.apply(state, "intro h").state
    ...
    problem.check(state)        # the axioms used, or `ProofError` if the kernel refuses

States do not change, so a proof may branch at any of them. Any thread may use this module; one works at a time, and
a time limit does not count the wait for the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from weakref import WeakSet

import minilean.tactics.families  # noqa: F401  registers all tactics
from minilean.commands.command import CommandRunner
from minilean.commands.declarations import Signature, elab_signature
from minilean.elab.display import goal_parts, goal_text, start_printing
from minilean.elab.names import Scope
from minilean.elab.redefinitions import Before, redefined
from minilean.kernel.errors import DeepRecursion, KernelError, NotAProposition
from minilean.kernel.expr import Expr, MVar, mk_mvar
from minilean.kernel.fuel import ALONE, FuelConfig, deep_stack
from minilean.kernel.interning import growth, trim_tables
from minilean.kernel.level import forget_level_mvars
from minilean.meta.budget import MAX_HEARTBEATS, Budget
from minilean.meta.close_proof import closed_proof
from minilean.meta.context import Kind, LocalContext, MetavarContext
from minilean.meta.errors import RECURSION, MetaError
from minilean.meta.extension import LeanEnv
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.syntax.ast import Decl, TacSeq
from minilean.syntax.cursor import Grammar
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import CORE, FileParser, parse_statement, parse_tactics
from minilean.tactics.hypotheses import introduce
from minilean.tactics.state import Tactics, run_nested, settled_goal

MAX_TACTIC_CHARS = 100_000
MAX_CACHED = 200_000
MAX_REMEMBERED_CHARS = 200
"""Longest tactic whose syntax tree is cached."""
MAX_TERMS = 40_000
"""Greatest number of terms that the proofs since the last trimming may add: about 10 MB."""
MAX_ROWS = 20_000
"""Greatest number of goals and hypotheses of a state: printing a state prints all of them."""
PRINT_HEARTBEATS = 100_000
PRINT_SECONDS = 10.0
MAX_HEADERS = 1024
"""Greatest number of elaborated statements that a context keeps."""


class ProofError(Exception):
    """A statement that does not elaborate, or a script that does not prove its statement; the text is the reason."""


@dataclass(frozen=True, slots=True)
class State:
    """Open goals and the partial proof term, immutable."""

    goals: tuple[MVar, ...]
    mctx: MetavarContext = field(repr=False)


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The outcome of a tactic: a new state, or an error message."""

    state: State | None = None
    error: str | None = None
    messages: tuple[str, ...] = ()


class Problem:
    """One statement in its environment. Many states of it can exist at the same time."""

    def __init__(
        self, env: LeanEnv, scope: Scope, signature: Signature, redefined: tuple[str, ...] = ()
    ) -> None:
        self.env = env
        self.scope = scope
        self.signature = signature
        self.redefined = redefined
        """Words that the context gives another meaning than the library, see `minilean.elab.redefinitions`."""
        self._infer_cache: dict[Expr, Expr] = {}
        self._whnf_cache: dict[tuple[Expr, int], Expr] = {}
        self._root = 0
        self._start: State | None = None
        # proofs are checked with the declarations of this moment, without those that are added later
        self._kernel = env.kernel.child()
        with ALONE:
            _live.add(self)

    @staticmethod
    def from_source(statement: str, library: LeanEnv, context: str = "") -> Problem:
        """Elaborate `context` (commands) and `statement` (a theorem header).

        Raises:
            ProofError: One of them does not parse or elaborate.
        """
        return Context(library, context).problem(statement)

    def again(self) -> Problem:
        """Return a new problem with the same statement, to replay a script on.

        The two share the statement, a frozen value over immutable terms, and the declarations at the time of its
        elaboration, which no tactic can change. States, metavariables, partial proofs and caches are not shared.
        """
        fresh = Problem(self.env, self.scope, self.signature, self.redefined)
        fresh._kernel = self._kernel
        return fresh

    def _forget(self) -> None:
        self._whnf_cache.clear()
        self._infer_cache.clear()

    def _meta(self, mctx: MetavarContext, budget: Budget) -> Meta:
        if len(self._whnf_cache) > MAX_CACHED or len(self._infer_cache) > MAX_CACHED:
            self._forget()
        m = MetaM(self.env, mctx, LocalContext(), budget)
        m.infer_cache, m.whnf_cache = self._infer_cache, self._whnf_cache
        m.scope = self.scope
        start_printing(m)
        return m

    def start(self) -> State:
        """Return the state inside `by`, with the binders of the header introduced; each call returns the same state."""
        if self._start is None:
            with deep_stack():
                self._start = self._first_state()
        return self._start

    def _first_state(self) -> State:
        m = self._meta(MetavarContext(), Budget())
        root = m.new_mvar(self.signature.type, Kind.OPAQUE)
        self._root = root.id
        tactics = Tactics(m, [root], self.scope)
        names: list[str | None] = []
        type_ = self.signature.type
        for _ in range(self.signature.num_binders):
            names.append(type_.name)  # type: ignore[attr-defined]
            type_ = type_.body  # type: ignore[attr-defined]
        introduce(tactics, names)
        return State(tuple(tactics.goals), m.mctx)

    def apply(
        self, state: State, tactic: str, seconds: float = 10.0, heartbeats: int = MAX_HEARTBEATS
    ) -> StepOutcome:
        """Run a tactic block on a state; errors of any kind become a `StepOutcome` with a message."""
        if len(tactic) > MAX_TACTIC_CHARS:
            return StepOutcome(
                error=f"the tactic has {len(tactic)} characters, at most {MAX_TACTIC_CHARS} are read"
            )
        grammar = self.scope.grammar
        return self.act(state, lambda t: t.run_block(_parsed(tactic, grammar)), tactic, seconds, heartbeats)

    def act(
        self,
        state: State,
        action: Callable[[Tactics], None],
        source: str = "",
        seconds: float = 10.0,
        heartbeats: int = MAX_HEARTBEATS,
    ) -> StepOutcome:
        """Run `action` as a tactic on a state; exceptions become a `StepOutcome` with a message.

        Args:
            state: The state to start from.
            action: The function to run; it may also parse.
            source: The text that the syntax in `action` is parsed from.
            seconds: Limit of the wall-clock time.
            heartbeats: Limit of deterministic steps.
        """
        try:
            with deep_stack():
                limit_shared_terms()
                return self._run(state, action, source, Budget(heartbeats, seconds))
        except DeepRecursion:
            return StepOutcome(error=RECURSION)
        except (ParseError, MetaError, KernelError) as error:
            return StepOutcome(error=str(error))
        except Exception as error:
            # A defect of minilean, not of the tactic: it must not end an episode, nor look like a message of Lean.
            return StepOutcome(error=f"internal error of minilean: {type(error).__name__}: {error}")

    def _run(
        self, state: State, action: Callable[[Tactics], None], source: str, budget: Budget
    ) -> StepOutcome:
        m = self._meta(state.mctx.copy(), budget)
        tactics = Tactics(m, state.goals, self.scope, source)
        action(tactics)
        tactics.prune()
        rows = sum(1 + len(m.mvar_decl(goal).lctx) for goal in tactics.goals)
        if rows > MAX_ROWS:
            raise MetaError(
                f"unsupported: {len(tactics.goals)} goals with {rows} lines in all, at most {MAX_ROWS} are kept"
            )
        for goal in tactics.goals:
            m.mctx.decls[goal.id] = settled_goal(m, goal)
        return StepOutcome(
            State(tuple(tactics.goals), m.mctx.copy()), messages=tuple(text for _, text, _ in m.log)
        )

    @contextmanager
    def reading(self, state: State, seconds: float = PRINT_SECONDS) -> Iterator[Meta]:
        """Yield a `Meta` for printing; assignments made meanwhile are undone, so the state does not change."""
        with deep_stack():
            mark = state.mctx.mark()
            try:
                yield self._meta(state.mctx, Budget(PRINT_HEARTBEATS, seconds))
            finally:
                state.mctx.rollback(mark)

    def goal_texts(self, state: State, seconds: float = PRINT_SECONDS) -> list[str]:
        """Return every goal as Lean prints it.

        Raises:
            MetaError: It takes longer than `seconds`.
        """
        with self.reading(state, seconds) as m:
            return [goal_text(m, goal) for goal in _timed(m, state.goals)]

    def goal_rows(
        self, state: State, seconds: float = PRINT_SECONDS
    ) -> list[tuple[str, list[tuple[str, str, str | None]], str]]:
        """Return target, hypotheses (name, type, value) and case tag of every goal, as text.

        Raises:
            MetaError: It takes longer than `seconds`.
        """
        with self.reading(state, seconds) as m:
            goals = _timed(m, state.goals)
            return [(*goal_parts(m, goal), m.mvar_decl(goal).tag.rstrip("✝")) for goal in goals]

    def proof_term(self, state: State, seconds: float = 60.0) -> Expr:
        """Return the closed proof term of a finished state.

        Raises:
            ProofError: Goals or metavariables are left.
        """
        if state.goals:
            raise ProofError(f"{len(state.goals)} goals are left")
        try:
            with deep_stack():
                m = self._meta(state.mctx.copy(), Budget(20_000_000, seconds))
                return closed_proof(m, mk_mvar(self._root))
        except DeepRecursion:
            raise ProofError(RECURSION) from None
        except MetaError as error:
            raise ProofError(str(error)) from None

    def check(self, state: State, seconds: float = 60.0) -> tuple[str, ...]:
        """Let the kernel check a finished state against the statement; return the axioms used, sorted.

        Raises:
            ProofError: The state is not finished or the kernel refuses the term.
        """
        fuel = FuelConfig(deadline=time.monotonic() + seconds)
        term = self.proof_term(state, seconds)
        params, type_ = self.signature.level_params, self.signature.type
        try:
            return self._kernel.check_proof(params, type_, term, fuel=fuel)
        except NotAProposition:
            return self._check_data(type_, term, fuel)
        except KernelError as error:
            raise ProofError(f"(kernel) {type(error).__name__}: {error}") from None

    def _check_data(self, type_: Expr, term: Expr, fuel: FuelConfig) -> tuple[str, ...]:
        """Check a definition and return the axioms used: an `example` may have any type."""
        kernel = self._kernel.child()
        try:
            kernel.add_definition("_example", self.signature.level_params, type_, term, fuel=fuel)
        except KernelError as error:
            raise ProofError(f"(kernel) {type(error).__name__}: {error}") from None
        return tuple(sorted({*kernel.axioms_of(type_), *kernel.axioms_of(term)}))


class Context:
    """Commands that are run once, for all statements that follow them.

    Neither a statement nor a proof changes a context: all of them find the same declarations.

    Args:
        library: The environment that the commands extend.
        commands: Their source; with empty source, statements are elaborated in the library itself.
        scope: The scope in which they stand; an empty one by default.

    Raises:
        ProofError: They do not parse or are refused.
    """

    def __init__(self, library: LeanEnv, commands: str = "", scope: Scope | None = None) -> None:
        self._before = Before(library, scope or Scope())
        self._env = library.scope() if commands.strip() else library
        runner = CommandRunner(self._env, run_nested, scope=scope)
        with _as_proof_errors():
            _run_all(runner, commands)
        self._scopes = runner.scopes
        self._headers: dict[str, tuple[Scope, Signature, tuple[str, ...]]] = {}

    def problem(self, statement: str) -> Problem:
        """Return the problem of proving a statement (a theorem header), which is elaborated once.

        Raises:
            ProofError: It does not parse or elaborate.
        """
        known = self._headers.get(statement)
        if known is None:
            runner = CommandRunner(self._env, run_nested)
            runner.scopes = list(self._scopes)
            with _as_proof_errors():
                header = parse_statement(statement, runner.scope.grammar)
                known = self._elaborated(runner, header, statement)
            if len(self._headers) >= MAX_HEADERS:
                self._headers.pop(next(iter(self._headers)))
            self._headers[statement] = known
        return Problem(self._env, *known)

    def _elaborated(
        self, runner: CommandRunner, header: Decl, text: str
    ) -> tuple[Scope, Signature, tuple[str, ...]]:
        scope, signature = runner.scope_of(header), elab_signature(runner, header)
        if self._env is self._before.env:
            return scope, signature, ()
        here = Before(self._env, scope)
        words = redefined(self._before, here, text, header, signature.type, signature.num_binders)
        return scope, signature, words


@contextmanager
def _as_proof_errors() -> Iterator[None]:
    try:
        with deep_stack():
            yield
    except DeepRecursion:
        raise ProofError(RECURSION) from None
    except (ParseError, MetaError, KernelError) as error:
        raise ProofError(str(error)) from None


_live: WeakSet[Problem] = WeakSet()


def _timed(m: Meta, goals: Sequence[MVar]) -> Iterator[MVar]:
    """Yield the goals, and look at the clock before each."""
    for goal in goals:
        m.budget.charge(0, "printing")
        yield goal


def _run_all(runner: CommandRunner, context: str) -> None:
    parser = FileParser(context)
    while (command := parser.next()) is not None:
        runner.run(command, context)
        parser.use(runner.scope.grammar)


def _parsed(tactic: str, grammar: Grammar) -> TacSeq:
    """Return the syntax of a tactic block, cached for short texts in core's grammar."""
    if grammar is CORE and len(tactic) <= MAX_REMEMBERED_CHARS:
        return _parsed_short(tactic)
    return parse_tactics(tactic, grammar)


@lru_cache(maxsize=2048)
def _parsed_short(tactic: str) -> TacSeq:
    return parse_tactics(tactic)


def limit_shared_terms(*used: LeanEnv) -> None:
    """Drop caches and the shared terms that nothing references, if the tables grew too much.

    To be called between tactics or commands.

    Args:
        used: Environments that terms were made in, besides those of the problems.
    """
    if growth() <= MAX_TERMS:
        return
    for problem in _live:
        problem._forget()
    for env in {*used, *(problem.env for problem in _live)}:
        env.forget_terms()
    trim_tables()
    forget_level_mvars()


def prove(statement: str, tactics: Sequence[str], library: LeanEnv, context: str = "") -> tuple[str, ...]:
    """Replay a whole script from the statement and check the proof; return the axioms used.

    Raises:
        ProofError: The statement does not elaborate, a tactic fails, goals are left, or the kernel refuses.
    """
    problem = Problem.from_source(statement, library, context)
    return problem.check(replay(problem, tactics))


def replay(problem: Problem, tactics: Sequence[str]) -> State:
    """Run a whole script from the statement and return the state after it, in which goals may be left.

    Raises:
        ProofError: A tactic fails.
    """
    state = problem.start()
    for number, tactic in enumerate(tactics, 1):
        step = problem.apply(state, tactic)
        if step.state is None:
            raise ProofError(f"step {number} fails: {step.error}")
        state = step.state
    return state
