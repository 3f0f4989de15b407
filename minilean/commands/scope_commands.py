"""`namespace`, `section`, `end`, `universe`, `open`, `set_option`, and commands `in` a scope of their own.

Source: Lean 4 `src/Lean/Elab/BuiltinCommand.lean`, `src/Lean/Elab/Open.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import replace

from minilean.commands.attributes import activate
from minilean.commands.command_state import NONCOMPUTABLE, CommandState, runs
from minilean.commands.guard_msgs import run_guarded
from minilean.commands.scope_ends import scopes_to_end
from minilean.commands.universes import with_levels
from minilean.elab.missing_names import unknown
from minilean.elab.names import Scope
from minilean.elab.options import is_unknown, warning_about
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.syntax import ast


@runs(ast.ScopeCmd)
def run_scope(state: CommandState, command: ast.ScopeCmd) -> None:
    """Open or close scopes, or declare universes."""
    names = command.names
    if command.kind == "namespace":
        for part in names[0].split("."):
            outer = state.scope.namespace
            full = f"{outer}.{part}" if outer else part
            state.env.add_namespace(full)
            state.push_scope(namespace=full, label=part)
            activate(state, full)
    elif command.kind == "section":
        for part in names[0].split(".") if names else ("",):
            state.push_scope(label=part)
    elif command.kind == NONCOMPUTABLE:
        options = (*state.scope.options, (NONCOMPUTABLE, "true"))
        state.push_scope(label=names[0] if names else "", options=options)
    elif command.kind == "end":
        state.pop_scopes(scopes_to_end(state.scopes, names[0] if names else None))
    elif command.kind == "universe":
        state.scopes[-1] = replace(state.scope, levels=with_levels(state.scope.levels, names))
    else:
        raise UnsupportedError(f"`{command.kind}`")


@runs(ast.OpenCmd)
def run_open(state: CommandState, command: ast.OpenCmd) -> None:
    """Open or export namespaces: all names, some names, or renamed ones."""
    spaces: list[str] = []
    for name in command.namespaces:
        found = _namespaces(state, name, spaces)
        if not found:
            error = unknown(state.env, state.scope, name)
            raise error if isinstance(error, UnsupportedError) else MetaError(f"unknown namespace `{name}`")
        if len(found) > 1 and (command.hiding or command.renaming):
            shown = ", ".join(found)
            raise MetaError(f"ambiguous namespace `{name}`, possible interpretations: `[{shown}]`")
        spaces += found
    here = f"{state.scope.namespace}." if command.export and state.scope.namespace else ""
    aliases = [(f"{here}{short}", f"{space}.{short}") for space in spaces for short in command.only or ()]
    aliases += [(new, f"{space}.{old}") for space in spaces for old, new in command.renaming]
    hidden = [f"{space}.{name}" for space in spaces for name in command.hiding]
    for full in (*(full for _, full in aliases), *hidden):
        if state.env.find(full) is None:
            raise unknown(state.env, Scope(), full, f"Unknown constant `{full}`")
    closed = set(hidden) | {f"{space}.{old}" for space in spaces for old, _ in command.renaming}

    def change(scope: Scope) -> Scope:
        if command.only is None:
            scope = scope.opening(tuple(spaces))
        return replace(scope, aliases=(*scope.aliases, *aliases), closed=scope.closed | closed)

    def classical(scope: Scope) -> Scope:
        return replace(scope, classical=scope.classical or "Classical" in spaces)

    if not command.scoped:
        state.change_scopes(change, all_=command.export)
    if command.only is None and not command.renaming:
        state.change_scopes(classical, all_=command.export)
        for space in spaces:
            activate(state, space)


@runs(ast.SetOption)
def run_set_option(state: CommandState, command: ast.SetOption) -> None:
    """Set an option, for the rest of the scope."""
    warning = warning_about(command.name, command.value, by_command=True)
    if warning is not None:
        if state.report is None and is_unknown(command.name):
            raise MetaError(warning)  # outside of a file there is no report for a warning
        state.say("warning", warning)
    options = (*state.scope.options, (command.name, command.value))
    state.scopes[-1] = replace(state.scope, options=options)


@runs(ast.InCmd)
def run_in(state: CommandState, command: ast.InCmd) -> None:
    """Run `c in d`: the effect of `c` ends after `d`."""
    if isinstance(command.first, ast.GuardMsgs):
        run_guarded(state, command.first, command.second)
        return
    depth = len(state.scopes)
    state.push_scope()
    try:
        state.run(command.first)
        state.run(command.second)
    finally:
        state.pop_scopes(len(state.scopes) - depth)


def _namespaces(state: CommandState, name: str, before: list[str]) -> list[str]:
    """Return the namespaces that `name` refers to: the one in the innermost scope, and those inside open namespaces.

    `before` are the namespaces that the same command has opened already.
    """
    known = state.env.namespaces
    outer = state.scope.namespace
    found: list[str] = []
    while outer and not found:
        if f"{outer}.{name}" in known:
            found.append(f"{outer}.{name}")
        outer = outer.rpartition(".")[0]
    if not found and name in known:
        found.append(name)
    opened = (f"{space}.{name}" for space in reversed((*state.scope.opened, *before)))
    return list(dict.fromkeys([*found, *(full for full in opened if full in known)]))
