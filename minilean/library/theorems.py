"""The theorems of the library as they stand in its source, each with the commands that its text depends on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from minilean.library.load import library_files
from minilean.syntax import ast
from minilean.syntax.parser import parse_commands


@dataclass(frozen=True, slots=True)
class LibraryTheorem:
    """A theorem of the library.

    Attributes:
        name: Its full name.
        file: The file in which it stands, e.g. `"NatBasic.lean"`.
        statement: Its header under its full name, in one line, up to, and without, its proof.
        context: The `universe` and `variable` commands in force, one per line. The full name opens the namespaces.
        scripts: Ways to write its proof as a tactic script, the plainest first. Not all of them need to work: line
            breaks can decide how a term is read.
    """

    name: str
    file: str
    statement: str
    context: str
    scripts: tuple[str, ...]

    @property
    def position(self) -> str:
        """The theorem's own position, before which it is to be proved."""
        return f"{self.file}:{self.name}"


def library_theorems() -> Iterator[LibraryTheorem]:
    """Yield every theorem that a command of the library declares, in order."""
    for path in library_files():
        yield from _theorems(path.read_text("utf-8"), path.name)


def _theorems(text: str, file: str) -> Iterator[LibraryTheorem]:
    spaces: list[str] = []
    contexts: list[list[str]] = [[]]
    for command in parse_commands(text):
        if isinstance(command, ast.ScopeCmd):
            _follow(command, text, spaces, contexts)
        elif isinstance(command, ast.VariableCmd):
            contexts[-1].append(_one_line(text[command.start : command.end]))
        elif isinstance(command, ast.Decl) and command.kind == "theorem":
            assert command.type is not None
            header = text[command.start : command.type.end]
            rest = header.partition(f"theorem {command.name}")[2]
            name = ".".join([*filter(None, spaces), command.name])
            yield LibraryTheorem(
                name,
                file,
                _one_line(f"theorem {name}{rest}"),
                "\n".join(contexts[-1]),
                tuple(_scripts(command, text)),
            )


def _follow(command: ast.ScopeCmd, text: str, spaces: list[str], contexts: list[list[str]]) -> None:
    """Open or close the scopes of a command."""
    if command.kind in ("namespace", "section"):
        spaces.append(command.names[0] if command.kind == "namespace" else "")
        contexts.append(list(contexts[-1]))
    elif command.kind == "end":
        spaces.pop()
        contexts.pop()
    else:
        contexts[-1].append(_one_line(text[command.start : command.end]))


def _scripts(command: ast.Decl, text: str) -> Iterator[str]:
    value = command.value
    if isinstance(value, ast.By):
        yield "\n".join(_step(text, tactic) for tactic in value.tactics.tactics)
    elif isinstance(value, tuple):
        yield f"exact fun {_one_line(text[value[0].start : value[-1].end])}"
    elif value is not None:
        source = text[value.start : value.end]
        yield f"exact {_one_line(source)}"
        # the same columns as in the file
        yield f"exact\n{' ' * max(1, _column(text, value.start))}{source}"


def _step(text: str, tactic: ast.Tactic) -> str:
    """Return the text of a tactic, moved to the first column."""
    column = _column(text, tactic.start)
    return re.sub(rf"\n {{0,{column}}}", "\n", text[tactic.start : tactic.end])


def _column(text: str, offset: int) -> int:
    return offset - text.rfind("\n", 0, offset) - 1


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
