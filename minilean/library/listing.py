"""Listing of the library as a Markdown page, one line per declaration.

`make docs` writes the page to `docs/minilean/library.md`; `python -m minilean.library.listing` prints it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from minilean.commands.queries import signature_text
from minilean.elab.display import start_printing
from minilean.kernel.declaration import Definition, Inductive, TheoremDecl
from minilean.library import library
from minilean.library.load import library_files
from minilean.meta.extension import LeanEnv
from minilean.meta.meta_m import MetaM
from minilean.syntax import ast
from minilean.syntax.parser import parse_commands

_INTRODUCTION = """# The library

The declarations that every file and every theorem starts from: core Lean's names and statements, each proved from its
source in `minilean/library/`. `*` marks `@[simp]` lemmas. `make docs` makes this page.
"""


def declared_names(text: str) -> Iterator[str]:
    """Yield the full name of each declaration in the text of a library file, in order."""
    spaces: list[str] = []
    for command in parse_commands(text):
        while isinstance(command, ast.InCmd):
            command = command.second
        if isinstance(command, ast.ScopeCmd) and command.kind == "namespace":
            spaces.append(command.names[0])
        elif isinstance(command, ast.ScopeCmd) and command.kind == "end" and command.names and spaces:
            spaces.pop()
        elif isinstance(command, ast.Decl | ast.InductiveCmd | ast.StructureCmd) and command.name:
            name = command.name.removeprefix("_root_.")
            yield name if name != command.name else ".".join([*spaces, name])


def rows(env: LeanEnv, text: str) -> Iterator[str]:
    """Yield one line per declaration in the text of a library file."""
    m = MetaM(env)
    for name in declared_names(text):
        decl = env.find(name)
        if decl is None:
            continue
        start_printing(m)
        mark = "*" if name in env.simp_lemmas else " "
        word = {TheoremDecl: "theorem", Definition: "def", Inductive: "type"}.get(type(decl), "axiom")
        signature = re.sub(r"\s+", " ", signature_text(m, decl))
        yield f"{mark} {word:<7} {signature}"


def listing() -> str:
    """Return the whole page."""
    env = library()
    parts = [_INTRODUCTION]
    for path in library_files():
        text = path.read_text("utf-8")
        comment = re.match(r"/- (.*?)\n", text)
        title = comment[1].rstrip(" -/.") if comment else ""
        body = "\n".join(rows(env, text))
        parts.append(f"## {path.stem}\n\n{title}.\n\n```\n{body}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(listing())
