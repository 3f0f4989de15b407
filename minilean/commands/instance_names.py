"""Names of instances that the source does not name.

Source: Lean 4 `src/Lean/Elab/DeclNameGen.lean` (4.34).
"""

from __future__ import annotations

from minilean.commands.command_state import CommandState
from minilean.syntax import ast

_TYPE_OPERATORS = {"×": "Prod", "⊕": "Sum"}


def instance_name(state: CommandState, decl: ast.Decl) -> str:
    """Return the name of an instance without one, made of the names in its type."""
    parts: list[str] = []

    def words(t: ast.Term) -> None:
        if isinstance(t, ast.App):
            words(t.fn)
            for arg in t.args:
                if isinstance(arg, ast.Term):
                    words(arg)
        elif isinstance(t, ast.Ident) and t.name.removeprefix("_root_.")[0].isupper():
            if not f".{state.scope.namespace}".endswith(f".{t.name}"):  # the name begins with the namespace
                parts.append(t.name.rpartition(".")[2])
        elif isinstance(t, ast.Paren):
            words(t.term)
        elif isinstance(t, ast.BinOp) and t.op in _TYPE_OPERATORS:
            parts.append(_TYPE_OPERATORS[t.op])
            words(t.left)
            words(t.right)

    if decl.type is not None:
        words(decl.type)
    return state.full_name("inst" + "".join(parts))


def free_name(state: CommandState, name: str) -> str:
    """Return `name`, or the first free one of `name_1`, `name_2`, .."""
    count, found = 0, name
    while state.env.find(found) is not None:
        count += 1
        found = f"{name}_{count}"
    return found
