"""A file run with a record of its declarations, theorems and tactics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from minilean.commands.declarations import Signature
from minilean.elab.names import Scope
from minilean.elab.sorry import declared_with_sorry
from minilean.meta.extension import LeanEnv
from minilean.project.declared import THEOREMS, Declared, declared_by, statement_of
from minilean.project.recording import Again, TacticStep, recording
from minilean.project.running import FileRunner, Report
from minilean.proof import Context, ProofError
from minilean.syntax import ast


@dataclass(frozen=True, slots=True)
class TracedTheorem:
    """A theorem of a file.

    Attributes:
        name: Its full name.
        start: Offset of its first character.
        end: Offset after its last one.
        statement: Its header under its full name.
        has_sorry: Its statement or proof contains `sorry`.
        script: Offsets of start and end of the block of tactics that proves it; `None` for a proof by terms.
        steps: The tactics of its proof in the order of the text, an outer one before those inside it.
        stands_alone: The statement, read where the theorem stands, is what the theorem states.
    """

    name: str
    start: int
    end: int
    statement: str
    has_sorry: bool
    script: tuple[int, int] | None
    steps: tuple[TacticStep, ...]
    stands_alone: bool


@dataclass(slots=True)
class Trace:
    """The record of a file: what it declares, and its theorems, in order."""

    declared: list[Declared] = field(default_factory=list)
    theorems: list[TracedTheorem] = field(default_factory=list)


class TracingRunner(FileRunner):
    """Runs the commands of one file and records them. A command that is refused leaves no record.

    Args:
        env: The environment that gets the declarations.
        text: The file.
        on_again: Gets each step of a theorem with a function that runs scripts where the step was run.
        options: Those of `CommandRunner`.
    """

    def __init__(
        self,
        env: LeanEnv,
        text: str,
        on_again: Callable[[TacticStep, Again], None] | None = None,
        *,
        trusted: bool = False,
        scope: Scope | None = None,
        seconds: float = 60.0,
        report: Report | None = None,
    ) -> None:
        self.trace = Trace()
        self._text = text
        self._steps: list[TacticStep] = []
        self._on_again = on_again
        run_tactics = recording(text, self._found, on_again is not None)
        super().__init__(env, run_tactics, trusted, scope, seconds, report)

    def run(self, command: ast.Command, source: str = "") -> None:
        """Run one command as a whole and record it."""
        declared, theorems = len(self.trace.declared), len(self.trace.theorems)
        self._steps = []
        rows = list(declared_by(command, self._text, self.full_name))
        alone = self._read_alone(command)
        try:
            super().run(command, source)
        except BaseException:
            del self.trace.declared[declared:], self.trace.theorems[theorems:]
            raise
        self.trace.declared += rows
        names = iter([row.name for row in rows if row.kind in THEOREMS])
        for decl in _theorems(command):
            self.trace.theorems.append(self._theorem(decl, next(names), alone))

    def _read_alone(self, command: ast.Command) -> Signature | None:
        """Return what the header of a theorem states under its full name, or `None` for all else."""
        if not isinstance(command, ast.Decl) or command not in _theorems(command):
            return None
        statement = statement_of(command, self.full_name(command.name), self._text)
        try:
            return Context(self.env, scope=theorem_scope(self.scope)).problem(statement).signature
        except ProofError:
            return None

    def _theorem(self, decl: ast.Decl, name: str, alone: Signature | None) -> TracedTheorem:
        steps = {
            (step.start, -step.end, step.before): step
            for step in self._steps
            if decl.start <= step.start < decl.end
        }
        script = None
        if isinstance(decl.value, ast.By):
            script = decl.value.tactics.tactics[0].start, decl.value.tactics.tactics[-1].end
        declaration = self.env.find(name)
        stands_alone = (
            declaration is not None
            and alone is not None
            and (alone.type, alone.level_params) == (declaration.type, declaration.level_params)
        )
        return TracedTheorem(
            name,
            decl.start,
            decl.end,
            statement_of(decl, name, self._text),
            declaration is not None and declared_with_sorry(declaration),
            script,
            tuple(sorted(steps.values(), key=lambda step: (step.start, -step.end))),
            stands_alone,
        )

    def _found(self, step: TacticStep, again: Again | None) -> None:
        self._steps.append(step)
        if self._on_again is not None and again is not None:
            self._on_again(step, again)


def _theorems(command: ast.Command) -> Iterator[ast.Decl]:
    if isinstance(command, ast.MutualCmd):
        for inner in command.commands:
            yield from _theorems(inner)
    elif isinstance(command, ast.Decl) and command.kind in THEOREMS and command.name:
        yield command


def theorem_scope(scope: Scope) -> Scope:
    """Return the scope in which a theorem is stated under its full name, which opens its namespaces itself."""
    return replace(scope, namespace="")
