"""Lean's own tactics, one step at a time.

A proof state is what Lean's tactic framework keeps between two tactics: the states of its four monads. They are values
without identity, so that a state can be kept, and gone on from, any number of times. A step gives copies of them
to Lean's evaluation of the parsed tactics; nothing is elaborated twice.

Source: Lean 4 `src/Lean/Elab/Tactic/Basic.lean` (`evalTactic`), `src/Lean/Elab/Term/TermElabM.lean` (`runTactic`),
`src/Lean/Parser/Extension.lean` (`runParserCategory`), `src/Lean/Meta/PPGoal.lean` (4.35).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lean_gym.lean.frontend import FILE, Frontend, Hole, Message
from lean_gym.lean.objects import Address, box
from lean_gym.lean.values import WORLD, LeanError, Runtime, Value

WIDTH: Final = 120
"""Columns of a goal, Lean's `format.width`."""
# Fields of `Core.Context` and of the part of it that holds most of them; of `Core.State` and `ParserState`.
_BASE: Final = 0
_OPTIONS, _NAMESPACE, _OPENED, _HEARTBEATS, _CANCEL = 2, 4, 5, 6, 10
_ENV, _TRACES, _MESSAGES, _INFO = 0, 4, 6, 7
_STACK, _POSITION, _ERROR = 0, 2, 4
_FUNCTION: Final = 1
_TICK_SECONDS: Final = 0.02
"""How exactly a limit of time is kept; a timer for each step would take longer than many a step."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A state of a proof.

    Attributes:
        hole: Where it began.
        states: The states of TacticM, TermElabM, MetaM, CoreM.
    """

    hole: Hole
    states: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class StepResult:
    """Result of a step.

    Attributes:
        proof: The state after it; `None` if it failed.
        messages: What Lean said, errors among it.
        parse_error: What Lean's parser said; then it is all there is.
        stopped: Whether the limit of time stopped it.
    """

    proof: Proof | None
    messages: tuple[Message, ...] = ()
    parse_error: str | None = None
    stopped: bool = False


class Stepper:
    """Runs tactics.

    Args:
        frontend: Lean with its environment.
    """

    def __init__(self, frontend: Frontend) -> None:
        self._frontend = frontend
        self._lean = lean = frontend.lean
        self._sequence = lean.part(lean.constant("l_Lean_Parser_Tactic_tacticSeq"), _FUNCTION)
        self._no_messages = lean.constant("l_Lean_MessageLog_empty")
        self._watchdog = _Watchdog(lean)

    def start(self, text: str) -> Proof:
        """Return the state inside the last `sorry` of a file.

        Raises:
            StatementError: See `Frontend.start`.
        """
        hole = self._frontend.start(text)
        lean, core = self._lean, hole.states[3]
        # Lean's trees of information for editors would be a third of what a kept state holds.
        trees = lean.changed(lean.part(core, _INFO), {}, scalars=b"\0")
        return Proof(hole, (*hole.states[:3], lean.changed(core, {_INFO: trees})))

    def run(self, proof: Proof, text: str, seconds: float | None = None) -> StepResult:
        """Run a block of tactics.

        Args:
            proof: The state to go on from, which stays as it is.
            text: The tactics, as behind `by`.
            seconds: Wall-clock seconds; `None` for no limit but Lean's heartbeats.
        """
        lean = self._lean
        tactic, term, meta, core = proof.states
        base = lean.part(proof.hole.contexts[3], _BASE)
        syntax = self._parsed(text, lean.part(core, _ENV), base)
        if isinstance(syntax, str):
            return StepResult(None, parse_error=syntax)
        token = lean.call("l_IO_CancelToken_new", WORLD)
        lean("lean_mark_mt", token.at)
        references = [lean.reference_to(state) for state in (tactic, term, meta, core)]
        arguments = self._arguments(proof.hole, base, token, references)
        lean.call("lean_io_set_heartbeats", lean.part(base, _HEARTBEATS))
        self._watchdog.watch(token, seconds)
        try:
            lean.run("l_Lean_Elab_Tactic_evalTactic", syntax, *arguments)
            lean.run("l_Lean_Elab_Term_synthesizeSyntheticMVarsNoPostponing", box(0), *arguments[2:])
            lean.run("l_Lean_Elab_Tactic_pruneSolvedGoals", *arguments)
            thrown = None
        except LeanError as error:
            thrown = error.value
        stopped = self._watchdog.end()
        states = [lean.content(reference) for reference in references]
        messages = (
            *self._frontend.messages(lean.part(states[3], _MESSAGES)),
            *self._traces(lean.part(states[3], _TRACES)),
        )
        if thrown is not None:
            messages = (*messages, Message("error", self._text_of(thrown)))
        if thrown is not None or any(message.severity == "error" for message in messages):
            return StepResult(None, messages, stopped=stopped)
        states[3] = lean.changed(states[3], {_MESSAGES: self._no_messages, _TRACES: lean.part(core, _TRACES)})
        return StepResult(Proof(proof.hole, tuple(states)), messages)

    def goals(self, proof: Proof) -> Iterator[Value]:
        """Yield the goals, the main one first."""
        return self._lean.each(proof.states[0])

    def shown(self, proof: Proof) -> list[str]:
        """Return the goals as Lean prints them."""
        lean = self._lean
        references = [lean.reference_to(state) for state in proof.states]
        arguments = _interleaved(proof.hole.contexts, references)[4:]
        texts = []
        for goal in self.goals(proof):
            layout = lean.run("l_Lean_Meta_ppGoal", goal, *arguments)
            text = lean.call("l_Std_Format_pretty", layout, box(WIDTH), box(0), box(0))
            texts.append(lean.string_in(text))
        return texts

    def uses_sorry(self, before: Proof, after: Proof) -> bool:
        """Return whether what a step has made of the goals before it contains `sorry`."""
        lean = self._lean
        context = lean.part(after.states[2], 0)
        still = {lean.name(goal.at) for goal in self.goals(after)}
        for goal in self.goals(before):
            if lean.name(goal.at) not in still:
                term = lean.call("lean_expr_mk_mvar", goal)
                made = lean.call("lean_instantiate_expr_mvars", context, term)
                context = lean.part(made, 0)
                if lean.call("l_Lean_Expr_hasSorry", lean.part(made, 1)).at == box(1):
                    return True
        return False

    def _arguments(self, hole: Hole, base: Value, token: Value, references: list[Value]) -> list[Value]:
        """Return contexts and references in the order of a tactic's arguments, with a token that stops it."""
        lean = self._lean
        base = lean.changed(base, {_CANCEL: lean.made_of(1, token)})
        core = lean.changed(hole.contexts[3], {_BASE: base})
        return _interleaved((*hole.contexts[:3], core), references)

    def _parsed(self, text: str, env: Value, base: Value) -> Value | str:
        """Return the syntax tree of a block of tactics, or what Lean's parser says."""
        lean = self._lean
        content, size = lean.text_of(text), len(text.encode())
        source = lean.call(
            "l_Lean_Parser_mkInputContext", content, lean.text_of(FILE), box(1), box(size), box(0)
        )
        options, namespace, opened = (lean.part(base, at) for at in (_OPTIONS, _NAMESPACE, _OPENED))
        module = lean.made_of(0, env, options, namespace, opened)
        tokens = lean.call("l_Lean_Parser_getTokenTable", env)
        state = lean.call("l_Lean_Parser_mkParserState", content)
        state = lean.call("l_Lean_Parser_ParserFn_run", self._sequence, source, module, tokens, state)
        if lean.part(state, _ERROR).is_small and lean.number(lean.field(state.at, _POSITION)) < size:
            state = lean.call("l_Lean_Parser_ParserState_mkError", state, lean.text_of("end of input"))
        if not lean.part(state, _ERROR).is_small:
            said = lean.call("l_Lean_Parser_ParserState_toErrorMsg", source, state)
            return lean.string_in(said).rstrip("\n")
        stack = lean.part(lean.part(state, _STACK), 0)
        return lean.elements(stack)[-1]

    def _traces(self, state: Value) -> Iterator[Message]:
        """Yield what `trace_state` and the options `trace.*` show, which Lean logs at the end of a command."""
        lean = self._lean
        for element in lean.each(lean.call("l_Lean_PersistentArray_toList___redArg", lean.part(state, 0))):
            yield Message("information", self._frontend.text_of_data(lean.part(element, 1)))

    def _text_of(self, exception: Value) -> str:
        data = self._lean.call("l_Lean_Exception_toMessageData", exception)
        return self._frontend.text_of_data(data)


def _interleaved(contexts: tuple[Value, ...], references: list[Value]) -> list[Value]:
    return [part for pair in zip(contexts, references, strict=True) for part in pair]


class _Watchdog:
    """Sets a cancellation token of Lean's when the time for a step is up, from a thread of its own.

    Args:
        lean: The library.
    """

    def __init__(self, lean: Runtime) -> None:
        self._lean = lean
        self._lock = threading.Lock()
        self._token: Address | None = None
        self._until = 0.0
        self._stopped = False
        self._thread: threading.Thread | None = None

    def watch(self, token: Value, seconds: float | None) -> None:
        """Begin to watch a step; the caller keeps its token, which is shared with this thread, until the end."""
        with self._lock:
            self._stopped = False
            self._token = None if seconds is None else token.at
            self._until = time.monotonic() + (seconds or 0.0)
        if self._thread is None and seconds is not None:
            self._thread = threading.Thread(target=self._run, name="time limit of tactics", daemon=True)
            self._thread.start()

    def end(self) -> bool:
        """End the watch; return whether the step was stopped."""
        with self._lock:
            self._token = None
            return self._stopped

    def _run(self) -> None:
        self._lean.library.lean_initialize_thread()
        while True:
            time.sleep(_TICK_SECONDS)
            with self._lock:
                if self._token is not None and time.monotonic() >= self._until:
                    self._stopped = True
                    self._lean("l_IO_CancelToken_set", self._token)
                    self._token = None
