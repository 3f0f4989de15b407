"""Execution of whole files: messages, new constants and tactic invocations of each command.

Source: Pantograph `Pantograph/Frontend/Basic.lean` (`mapCompilationSteps`), 0.3.15.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from minilean.commands.command import CommandRunner
from minilean.elab.names import Scope
from minilean.elab.sorry import (
    USES_SORRY,
    declared_with_sorry,
    name_place,
    sorry_as_term,
    sorry_places,
    with_sorry,
)
from minilean.kernel.declaration import Declaration
from minilean.kernel.fuel import deep_stack
from minilean.library import library
from minilean.meta.errors import messages_of
from minilean.meta.extension import LeanEnv
from minilean.project.header import is_core, skip_blank, split_header, without_header
from minilean.project.loading import Project
from minilean.project.modules import ProjectError
from minilean.repl.invocations import Invocation, recording
from minilean.repl.session import Session
from minilean.repl.show import message
from minilean.repl.wire import Json, Refusal
from minilean.syntax import ast
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import FileParser
from minilean.tactics.state import run_nested

ANONYMOUS = "<anonymous>"
MAX_FILE_CHARS = 2_000_000
_SEVERITIES = {"info": "information", "trace": "information"}


@dataclass(slots=True)
class Unit:
    """One command of a file.

    Attributes:
        start: Offset of its first character; it reaches to the start of the next unit.
        end: Offset after its last character.
        before: The environment before it, when its text contains `sorry`.
        scope: The scope in which it is run.
        constants: The declarations that it added.
        main: The declaration that it names, if it is a single one; the others are auxiliary.
        with_sorry: Its declarations, or its example, that contain `sorry`.
        sorry_places: Offsets of start and end of each `sorry`.
    """

    start: int
    end: int = 0
    messages: list[Json] = field(default_factory=list)
    before: LeanEnv | None = None
    scope: Scope = field(default_factory=Scope)
    constants: list[Declaration] = field(default_factory=list)
    main: Declaration | None = None
    with_sorry: list[Declaration] = field(default_factory=list)
    sorry_places: list[tuple[int, int]] = field(default_factory=list)
    invocations: list[Invocation] = field(default_factory=list)


@dataclass(slots=True)
class Compiled:
    """A file all of whose commands were run.

    Attributes:
        units: Its commands, including those that failed.
        env: The environment after the file.
        scope: The innermost scope that is open at the end of the file.
    """

    text: str
    units: list[Unit]
    env: LeanEnv
    scope: Scope

    @property
    def messages(self) -> list[Json]:
        """All messages, in order."""
        return [entry for unit in self.units for entry in unit.messages]

    @property
    def errors(self) -> list[Json]:
        """The messages that are errors."""
        return [entry for entry in self.messages if entry["severity"] == "error"]

    def constants(self) -> dict[str, Declaration]:
        """Return all declarations of the file, by name."""
        return {decl.name: decl for unit in self.units for decl in unit.constants}

    def named(self) -> dict[str, Declaration]:
        """Return the declarations of the file without the auxiliary ones of definitions and theorems."""
        named = [
            unit.constants if unit.main is None else [unit.main] for unit in self.units if unit.constants
        ]
        return {decl.name: decl for declarations in named for decl in declarations}


def compile_text(
    session: Session,
    text: str,
    file_name: str = ANONYMOUS,
    header: bool = False,
    record: bool = False,
    scope: Scope | None = None,
) -> Compiled:
    """Run every command of a file in a scope of its own on top of the session's environment.

    Args:
        session: The session whose environment the file starts from; every file has its own scope, as in Lean.
        text: The file.
        file_name: Its name in messages.
        header: The file begins with imports, and starts from the environment after them.
        record: Collect tactic invocations.
        scope: The scope in which the text stands; by default that of a file, with the session's notations.

    Raises:
        Refusal: The file is too large, imports an unknown module, or the time is up.
    """
    if len(text) > MAX_FILE_CHARS:
        raise Refusal("io", f"the file has {len(text)} characters, at most {MAX_FILE_CHARS} are read")
    env, start = session.env, 0
    scope = session.scope.inherited if scope is None else scope
    if header:
        imports, start = split_header(text)
        env, scope = imported(imports)
        text = without_header(text, start)
    compiler = _Compiler(session, text, file_name, env.scope(), scope, record)
    return compiler.run(start)


class _Compiler:
    def __init__(
        self, session: Session, text: str, file_name: str, env: LeanEnv, scope: Scope, record: bool
    ) -> None:
        self.session = session
        self.text = text
        self.file_name = file_name
        self.started = time.monotonic()
        self.parser = FileParser(text, scope.grammar)
        self.units: list[Unit] = []
        self.at: ast.Node | None = None
        run_tactics = recording(text, self._invocation) if record else run_nested
        seconds = session.seconds()
        self.runner = CommandRunner(
            env, run_tactics, scope=scope, seconds=seconds, report=lambda *args: self._report(*args)
        )

    def run(self, start: int) -> Compiled:
        """Run the commands of the text from `start` to its end."""
        skipped = False
        while True:
            unit = Unit(start)
            self.units.append(unit)
            try:
                command = self.parser.next()
            except ParseError as error:
                if skipped:
                    unit.start = error.offset
                self._say("error", error.message, error.offset, error.offset)
                skipped = True
                continue
            if command is None:
                self.units.pop()
                break
            if skipped:
                unit.start, skipped = command.start, False
            start = skip_blank(self.text, command.end)
            self._command(unit, command)
        self._finish_boundaries()
        return Compiled(self.text, self.units, self.runner.env, self.runner.scope)

    def _finish_boundaries(self) -> None:
        """Extend each unit to the start of the next one, the last one to the end of the file."""
        end = len(self.text)
        for unit in reversed(self.units):
            unit.end = end
            end = unit.start

    def _command(self, unit: Unit, command: ast.Command) -> None:
        command = sorry_as_term(command, self.text)
        self.at = command
        runner, outer = self.runner, self.runner.env
        command, is_example = _named_example(command)
        unit.scope = runner.scope
        if is_example or sorry_places(command):
            unit.before = outer
            unit.sorry_places = sorry_places(command)
            runner.env = outer.scope()
        known = len(list(runner.env.kernel))
        self._guarded(lambda: runner.run(command, self.text))
        fresh = list(runner.env.kernel)[known:]
        declared = [decl for name in fresh if (decl := runner.env.find(name)) is not None]
        if declared and isinstance(inner_command(command), ast.Decl):
            # The names of matchers and equations begin with the name of their declaration.
            unit.main = min(declared, key=lambda decl: len(decl.name))
        unit.with_sorry = [decl for decl in declared if declared_with_sorry(decl)]
        if is_example:
            runner.env = outer
        else:
            unit.constants = declared
        self._guarded(lambda: self.parser.use(runner.scope.grammar))

    def _guarded(self, action: Callable[[], None]) -> None:
        try:
            with deep_stack():
                action()
        except Refusal:
            raise
        except Exception as error:
            if (interrupt := self.session.interrupt(self.started)) is not None:
                raise interrupt from None
            for message in messages_of(error):
                self._report("error", *message)

    # --- messages ----------------------------------------------------------------------------------------

    def _report(self, severity: str, text: str, offset: int | None = None, end: int | None = None) -> None:
        node = self.at
        if text == USES_SORRY and isinstance(node, ast.Command):
            self._say(severity, text, *name_place(inner_command(node), self.text), "hasSorry")
            return
        start = offset if offset is not None else node.start if node is not None else 0
        end = node.end if node is not None and offset is None else end
        self._say(severity, text, start, end)

    def _say(self, severity: str, text: str, start: int, end: int | None, kind: str = "[anonymous]") -> None:
        place = None if end is None else self._position(end)
        severity = _SEVERITIES.get(severity, severity)
        self.units[-1].messages.append(
            message(text, severity, self._position(start), place, kind, self.file_name)
        )

    def _position(self, offset: int) -> tuple[int, int]:
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start

    def _invocation(self, invocation: Invocation) -> None:
        self.units[-1].invocations.append(invocation)


def inner_command(command: ast.Command) -> ast.Command:
    """Return the command without the commands that `.. in` puts before it."""
    while isinstance(command, ast.InCmd):
        command = command.second
    return command


def _named_example(command: ast.Command) -> tuple[ast.Command, bool]:
    """Turn an example into a definition that is dropped later, as Lean does; return also whether it was an example."""
    if isinstance(command, ast.InCmd):
        second, is_example = _named_example(command.second)
        return (replace(command, second=second), True) if is_example else (command, False)
    if isinstance(command, ast.Decl) and command.kind == "example":
        return replace(command, kind="def", name="_example"), True
    return command, False


def imported(modules: Sequence[str]) -> tuple[LeanEnv, Scope]:
    """Return the environment and the initial scope after imports.

    Args:
        modules: The modules. `Init`, `Std` and `Lean` are minilean's one library; others are files below the working
            directory.

    Raises:
        Refusal: There is no file of a module, or it cannot be imported.
    """
    if all(map(is_core, modules)):
        return with_sorry(library()), Scope()
    root = Path.cwd()
    try:
        return _project(root).environment(modules)
    except ProjectError as error:
        raise Refusal("io", str(error)) from None


@lru_cache(maxsize=1)
def _project(root: Path) -> Project:
    return Project(root)
