"""Lean's own frontend: files command by command, and the goal inside `by` of a statement.

The state of a proof is taken where Lean itself has it. A statement is elaborated with `sorry` for its proof, and a
tactic elaborator that is computed here stands in for that `sorry`: Lean calls it with the contexts and references of
its tactic framework, as at the first tactic of the proof. `tactics.py` goes on from there.

Source: Lean 4 `src/Lean/Elab/Frontend.lean`, `src/Lean/Elab/Command.lean`, `src/Lean/Elab/Tactic/Basic.lean`,
`src/Lean/Parser/Module.lean` (4.35). Numbers of fields are those of the structures there.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lean_gym.errors import BackendUnavailable
from lean_gym.lean.objects import Address, box
from lean_gym.lean.values import WORLD, LeanError, Runtime, Value

FILE: Final = "<input>"
"""Name of a file in messages."""
SEVERITIES: Final = ("information", "warning", "error")
_MAX_PREFIXES: Final = 64
_EVERY: Final = 32
"""Commands after which a beginning is kept besides the one before the last command."""
_NEXT_WORD: Final = re.compile(r"\s*\S+")
_SORRY: Final = ("Lean", "Parser", "Tactic", "tacticSorry")
_END_OF_INPUT: Final = ("Lean", "Parser", "Command", "eoi")
_HOLE: Final = "LeanGym.hole"
_NODE: Final = 1
# Fields of `Command.State`, `Command.Scope`, `Frontend.State`, `Syntax.node`, `Message`.
_ENV, _MESSAGES, _SCOPES = 0, 1, 2
_OPTIONS, _NAMESPACE, _OPENED = 1, 2, 3
_COMMANDS: Final = 0
_NONCOMPUTABLE: Final = bytes([1, 0, 0, 0, 0, 0, 0, 0])
"""Flags of a `Command.Scope` in a `noncomputable section`: the modules have no code, so nothing that uses them has."""
_KIND, _CHILDREN = 1, 2
_POS, _END, _DATA = 1, 2, 4
_SEVERITY: Final = 1
_PRIVATE: Final = 2
"""`OLeanLevel.private`: all data of the modules."""
# Arguments of a tactic elaborator: the syntax, then a context and a reference to the state of each monad, outermost
# first (TacticM, TermElabM, MetaM, CoreM), then the world.
_ARITY: Final = 10


@dataclass(frozen=True, slots=True)
class Message:
    """A message of Lean.

    Attributes:
        severity: One of `SEVERITIES`.
        text: What it says.
        start: Line, from 1, and column.
        end: The same of its end, where it is known.
    """

    severity: str
    text: str
    start: tuple[int, int] = (1, 0)
    end: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """A command of a file.

    Attributes:
        start: Where the one before ends, in bytes.
        end: Where it ends.
        messages: What Lean said about it.
    """

    start: int
    end: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A file that was elaborated.

    Attributes:
        units: Its commands.
        before: The environment before its last command.
        env: The environment after it.
        whole: Whether the file ends there, and not by `#exit` before its end.
    """

    units: tuple[Unit, ...]
    before: Value
    env: Value
    whole: bool

    @property
    def errors(self) -> list[str]:
        """The texts of the errors."""
        return [m.text for unit in self.units for m in unit.messages if m.severity == "error"]


@dataclass(frozen=True, slots=True)
class Hole:
    """The place of a `sorry` in a proof, as Lean hands it to a tactic.

    Attributes:
        contexts: Those of TacticM, TermElabM, MetaM, CoreM.
        states: The states of the same monads.
    """

    contexts: tuple[Value, ...]
    states: tuple[Value, ...]


class StatementError(ValueError):
    """A statement that Lean does not elaborate to a goal; the text is Lean's."""


class _Frontend(Runtime):
    """The library with the tactic elaborator of holes, which can be registered only before modules are imported."""

    def prepare(self) -> None:
        super().prepare()
        self.holes: list[Hole] = []
        self._sorry_kind = self.name_of(".".join(_SORRY))
        self.hole_kind = self.name_of(_HOLE)
        self.run(
            "l_Lean_KeyedDeclsAttribute_addBuiltin___redArg",
            self.constant("l_Lean_Elab_Tactic_tacticElabAttribute"),
            self.hole_kind,
            self.hole_kind,
            self.native(self._met, _ARITY),
        )
        self.call("l_Lean_enableInitializersExecution", WORLD)

    def _met(self, *arguments: Address) -> Address:
        """Record the hole, and do what `sorry` does."""
        syntax, *monads, _ = (Value(self, at) for at in arguments)
        self.holes.append(Hole(tuple(monads[0::2]), tuple(map(self.content, monads[1::2]))))
        admitted = self.changed(syntax, {_KIND: self._sorry_kind})
        return self.call("l_Lean_Elab_Tactic_evalTactic", admitted, *monads, WORLD).give_away()


class Frontend:
    """Lean's frontend with the environment of some modules.

    Args:
        library: The file `libleanshared.so`.
        folders: Where the compiled modules are.
        modules: The modules to import.

    Raises:
        BackendUnavailable: The library or a module cannot be used.
    """

    def __init__(self, library: Path, folders: Sequence[str], modules: Sequence[str]) -> None:
        self.lean = lean = _Frontend(library)
        self._no_messages = lean.constant("l_Lean_MessageLog_empty")
        self._options = lean.constant("l_Lean_Options_empty")
        self._prefixes: OrderedDict[str, tuple[str, Value, Value, tuple[Unit, ...]]] = OrderedDict()
        try:
            paths = lean.list_of([lean.text_of(folder) for folder in folders])
            lean.run("l_Lean_initSearchPath", lean.text_of(""), paths)
            self.env = self._imported(modules)
        except LeanError as error:
            said = lean.string_in(lean.call("lean_io_error_to_string", error.value))
            raise BackendUnavailable(f"Lean imports {' '.join(modules)}: {' '.join(said.split())}") from None

    def _imported(self, modules: Sequence[str]) -> Value:
        lean = self.lean
        # Of an `Import`: importAll, isExported, isMeta.
        imports = [lean.made_of(0, lean.name_of(module), scalars=b"\0\1\0") for module in modules]
        trust, leak, load = box(0), box(1), box(1)
        no_plugins, no_artifacts = lean.array_of([]), box(1)
        return lean.run(
            "l_Lean_importModules",
            lean.array_of(imports),
            self._options,
            trust,
            no_plugins,
            leak,
            load,
            box(_PRIVATE),
            no_artifacts,
        )

    # --- files ------------------------------------------------------------------------------------------------

    def compile(self, text: str) -> Compiled:
        """Elaborate a file without imports.

        Raises:
            UnicodeEncodeError: Half a surrogate pair is no text.
        """
        return self._compile(text, None)

    def start(self, text: str) -> Hole:
        """Elaborate a file whose last command is a theorem with the tactic `sorry` for a proof.

        Returns:
            The last `sorry`.

        Raises:
            StatementError: There is an error, or no `sorry`.
            UnicodeEncodeError: Half a surrogate pair is no text.
        """
        self.lean.holes.clear()
        compiled = self._compile(text, self._with_hole)
        if compiled.errors:
            raise StatementError("\n".join(compiled.errors))
        if not self.lean.holes:
            raise StatementError("no goal to prove")
        hole = self.lean.holes.pop()
        self.lean.holes.clear()
        return hole

    def _compile(self, text: str, changed: Any) -> Compiled:
        lean = self.lean
        content = text.encode()
        source = lean.call(
            "l_Lean_Parser_mkInputContext",
            lean.text_of(text),
            lean.text_of(FILE),
            box(1),
            box(len(content)),
            box(0),
        )
        state, parser, units = self._resumed(text)
        before, last = lean.part(state, _ENV), None
        while True:
            scope = next(lean.each(lean.part(state, _SCOPES)))
            module = lean.made_of(
                0,
                lean.part(state, _ENV),
                *(lean.part(scope, at) for at in (_OPTIONS, _NAMESPACE, _OPENED)),
            )
            parsed = lean.call("l_Lean_Parser_parseCommand", source, module, parser, self._no_messages)
            syntax, rest = lean.part(parsed, 0), lean.part(parsed, 1)
            start = lean.number(lean.field(parser.at, 0))
            after, log = lean.part(rest, 0), lean.part(rest, 1)
            end = lean.number(lean.field(after.at, 0))
            if lean.call("l_Lean_Parser_isTerminalCommand", syntax).at == box(1):
                said = self.messages(log)
                if said or not units:
                    units.append(Unit(start, end, said))
                if last is not None:
                    self._remember(content, *last)
                whole = lean.name(lean.field(syntax.at, _KIND)) == _END_OF_INPUT
                return Compiled(tuple(units), before, lean.part(state, _ENV), whole)
            last = (start, state, parser, tuple(units)) if units else None
            if last is not None and len(units) % _EVERY == 0:
                self._remember(content, *last)
            before = lean.part(state, _ENV)
            syntax = syntax if changed is None else changed(syntax) or syntax
            # The frontend's function keeps no messages from before, so those of the parser are put in front here.
            state = self._elaborated(state, syntax, source, parser)
            said = (*self.messages(log), *self.messages(lean.part(state, _MESSAGES)))
            units.append(Unit(start, end, said))
            parser = after

    def _elaborated(self, state: Value, syntax: Value, source: Value, parser: Value) -> Value:
        """Return the state after a command."""
        lean = self.lean
        position = lean.part(parser, 0)
        reference = lean.reference_to(lean.made_of(0, state, parser, position, lean.array_of([])))
        lean.run("l_Lean_Elab_Frontend_elabCommandAtFrontend", syntax, source, reference)
        return lean.part(lean.content(reference), _COMMANDS)

    def _with_hole(self, syntax: Value) -> Value | None:
        """Return a syntax tree with a hole for its last tactic `sorry`; `None` if it has none."""
        lean = self.lean
        if syntax.is_small or syntax.tag != _NODE:
            return None
        if lean.name(lean.field(syntax.at, _KIND)) == _SORRY:
            return lean.changed(syntax, {_KIND: lean.hole_kind})
        children = lean.elements(lean.part(syntax, _CHILDREN))
        for number in reversed(range(len(children))):
            changed = self._with_hole(children[number])
            if changed is not None:
                children[number] = changed
                return lean.changed(syntax, {_CHILDREN: lean.array_of(children)})
        return None

    # --- beginnings of files, which the statements of a set share -----------------------------------------------

    def _resumed(self, text: str) -> tuple[Value, Value, list[Unit]]:
        """Return the state of commands, that of the parser, and the units of the longest beginning that is known."""
        lean = self.lean
        for prefix in sorted(self._prefixes, key=len, reverse=True):
            word, state, parser, units = self._prefixes[prefix]
            if text.startswith(prefix) and _next_word(text[len(prefix) :]) == word:
                self._prefixes.move_to_end(prefix)
                return state, parser, list(units)
        state = lean.call("l_Lean_Elab_Command_mkState", self.env, self._no_messages, self._options)
        scope = lean.changed(next(lean.each(lean.part(state, _SCOPES))), {}, scalars=_NONCOMPUTABLE)
        state = lean.changed(state, {_SCOPES: lean.list_of([scope])})
        return state, lean.made_of(0, box(0), scalars=b"\0"), []

    def _remember(
        self, content: bytes, end: int, state: Value, parser: Value, units: tuple[Unit, ...]
    ) -> None:
        prefix, rest = content[:end].decode(), content[end:].decode()
        word = _next_word(rest)
        # The parser looked one token ahead: behind another word, or one in another column, the last command of the
        # beginning may go on.
        if word:
            self._prefixes[prefix] = (word, state, parser, units)
            if len(self._prefixes) > _MAX_PREFIXES:
                self._prefixes.popitem(last=False)

    # --- messages ---------------------------------------------------------------------------------------------

    def messages(self, log: Value) -> tuple[Message, ...]:
        """Return the messages of a log, in order."""
        lean = self.lean
        return tuple(map(self._message, lean.each(lean.call("l_Lean_MessageLog_toList", log))))

    def _message(self, message: Value) -> Message:
        lean = self.lean
        end = lean.part(message, _END)
        return Message(
            SEVERITIES[lean.byte(message.at, _SEVERITY)],
            self.text_of_data(lean.part(message, _DATA)),
            self._position(lean.part(message, _POS)),
            None if end.is_small else self._position(lean.part(end, 0)),
        )

    def _position(self, value: Value) -> tuple[int, int]:
        lean = self.lean
        return lean.number(lean.field(value.at, 0)), lean.number(lean.field(value.at, 1))

    def text_of_data(self, data: Value) -> str:
        """Return the text of a `MessageData`."""
        lean = self.lean
        return lean.string_in(lean.call("l_Lean_MessageData_toString", data, WORLD))


def _next_word(text: str) -> str:
    """Return the first word with the white space before it."""
    found = _NEXT_WORD.match(text)
    return found[0] if found else ""


def has_constant(lean: Runtime, env: Value, name: Value) -> bool:
    """Return whether an environment of Lean's elaborator has a constant."""
    return not lean.call("l_Lean_Environment_find_x3f", env, name, box(0)).is_small
