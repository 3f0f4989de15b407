"""The declarations that a command writes down, with their places in the text: what a proof can name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from minilean.syntax import ast
from minilean.syntax.parser import parse_commands

_DOC = re.compile(r"/--(?:(?!-/)[\s\S])*-/\s*")
THEOREMS = ("theorem", "lemma")


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration as it is written.

    Attributes:
        name: Its full name.
        kind: Its keyword; `constructor` or `field` for a part of a type.
        start: Offset of its first character.
        end: Offset after its last one.
        code: Its text without comment in front, and for a theorem without its proof.
    """

    name: str
    kind: str
    start: int
    end: int
    code: str


def declared_by(command: ast.Command, text: str, full_name: Callable[[str], str]) -> Iterator[Declared]:
    """Yield the declarations of a command that is no `.. in ..`; unnamed instances and examples are left out.

    Args:
        command: Its syntax.
        text: The file.
        full_name: Gives the full name of a declaration of this name in the current namespace.
    """
    if isinstance(command, ast.MutualCmd):
        for inner in command.commands:
            yield from declared_by(inner, text, full_name)
    elif isinstance(command, ast.Decl) and command.name and command.kind != "example":
        theorem = command.kind in THEOREMS and command.type is not None
        end = command.type.end if theorem and command.type is not None else command.end
        yield _row(full_name(command.name), command.kind, command, text, end)
        for function in command.local:
            yield _row(full_name(f"{command.name}.{function.name}"), "def", function, text)
    elif isinstance(command, ast.InductiveCmd):
        full = full_name(command.name)
        yield _row(full, "inductive", command, text)
        for constructor in command.ctors:
            yield _row(f"{full}.{constructor.name}", "constructor", constructor, text)
    elif isinstance(command, ast.StructureCmd):
        full = full_name(command.name)
        yield _row(full, command.kind, command, text)
        yield _row(f"{full}.{command.ctor_name or 'mk'}", "constructor", command, text)
        for field in command.fields:
            for name in field.names:
                yield _row(f"{full}.{name}", "field", field, text)


def _row(name: str, kind: str, node: ast.Node, text: str, code_end: int | None = None) -> Declared:
    code = text[node.start : node.end if code_end is None else code_end]
    return Declared(
        name, kind, node.start, node.end, _DOC.sub("", code, count=1) if kind != "field" else code
    )


def statement_of(command: ast.Decl, full: str, text: str) -> str:
    """Return the header of a theorem under its full name, without attributes, modifiers and proof."""
    assert command.type is not None
    header = text[command.start : command.type.end]
    keyword = re.search(rf"\b{command.kind}\s+{re.escape(command.name)}(?![\w'!?.])", header)
    rest = header if keyword is None else header[keyword.end() :]
    if "--" not in rest and '"' not in rest:
        rest = re.sub(r"\s+", " ", rest)
    return f"{command.kind} {full}{rest}"


def declarations(text: str) -> Iterator[Declared]:
    """Yield the declarations of a file of the library, which is not run."""
    spaces: list[str] = []

    def full_name(name: str) -> str:
        return ".".join([*filter(None, spaces), name])

    for command in parse_commands(text):
        while isinstance(command, ast.InCmd):
            command = command.second
        if isinstance(command, ast.ScopeCmd) and command.kind in ("namespace", "section"):
            spaces.append(command.names[0] if command.kind == "namespace" else "")
        elif isinstance(command, ast.ScopeCmd) and command.kind == "end":
            spaces.pop()
        else:
            yield from declared_by(command, text, full_name)
