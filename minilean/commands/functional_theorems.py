"""`f.induct` and `f.fun_cases`: theorems about a function, proved when a command first mentions them.

Source: Lean 4 `src/Lean/Meta/Tactic/FunInd.lean`, `src/Lean/ReservedNameAction.lean` (4.34).
"""

from __future__ import annotations

from minilean.commands.command_state import CommandState
from minilean.elab.recursion.functional_induction import principle_named
from minilean.syntax import ast
from minilean.syntax.names_of import identifiers


def add_mentioned_principles(state: CommandState, command: ast.Command) -> None:
    """Add the theorems `f.induct` and `f.fun_cases` that a command mentions; the kernel checks them.

    Raises:
        UnsupportedError: Such a theorem is of a form that is not supported.
    """
    text = state.source[command.start : command.end]
    if "induct" not in text and "fun_cases" not in text:
        return
    for name in dict.fromkeys(identifiers(command)):
        found = principle_named(state.elaborator((), auto_bound=False), name)
        if found is not None:
            full, made = found
            state.env.kernel.add_theorem(full, made.level_params, made.type, made.value)
            state.env.theorem_added()
