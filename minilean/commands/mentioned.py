"""Declarations that are made when a command first mentions them: `f.induct`, `f.fun_cases`, `T.noConfusion`, sizes.

Source: Lean 4 `src/Lean/Meta/Tactic/FunInd.lean`, `src/Lean/ReservedNameAction.lean` (4.34).
"""

from __future__ import annotations

from minilean.commands.command_state import CommandState
from minilean.elab.names import resolve_exact
from minilean.elab.no_confusion import WORDS, add_no_confusion
from minilean.elab.recursion.functional_induction import principle_named
from minilean.elab.recursion.sizes import ensure_sizes
from minilean.kernel.declaration import Inductive
from minilean.kernel.expr import mk_const
from minilean.syntax import ast
from minilean.syntax.names_of import identifiers


def add_mentioned(state: CommandState, command: ast.Command) -> None:
    """Add what a command mentions; the kernel checks it.

    Raises:
        UnsupportedError: A theorem such as `f.induct` is of a form that is not supported.
    """
    text = state.source[command.start : command.end]
    if "sizeOf" in text or "SizeOf" in text:
        names = [name for name in state.env.kernel if isinstance(state.env.find(name), Inductive)]
        ensure_sizes(state.env, [mk_const(name) for name in names])
    if "noConfusion" in text:
        for name in dict.fromkeys(identifiers(command)):
            base, _, word = name.rpartition(".")
            full = resolve_exact(state.env, state.scope, base) if word in WORDS and base else None
            if full is not None and isinstance(state.env.find(full), Inductive):
                add_no_confusion(state.env, full)
    if "induct" not in text and "fun_cases" not in text:
        return
    for name in dict.fromkeys(identifiers(command)):
        found = principle_named(state.elaborator((), auto_bound=False), name)
        if found is not None:
            full, made = found
            state.env.kernel.add_theorem(full, made.level_params, made.type, made.value)
            state.env.theorem_added()
