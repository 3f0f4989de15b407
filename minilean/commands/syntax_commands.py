"""Syntax of the user: `notation`, `infixl` and its like, `syntax`, `macro` and `macro_rules`.

Source: Lean 4 `src/Lean/Elab/Syntax.lean`, `Macro.lean`, `MacroRules.lean`, `Mixfix.lean`, `Notation.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.commands.command_state import CommandState, runs
from minilean.elab.macros import Rule, own_pattern, rule
from minilean.elab.names import Scope
from minilean.elab.user_notation import expansion, unexpansion
from minilean.kernel.interning import fresh_id
from minilean.meta.errors import MetaError
from minilean.syntax import ast


@runs(ast.NotationCmd)
def run_notation(state: CommandState, command: ast.NotationCmd) -> None:
    """Add a notation with its meaning."""
    meaning = expansion(state.env, state.scope, command)
    shown = unexpansion(state.env, state.scope, command)
    key = f"{command.name} {fresh_id()}"
    _add_syntax(state, command.scope, lambda s: s.with_notation(command, key, meaning, shown))


@runs(ast.SyntaxCmd)
def run_syntax(state: CommandState, command: ast.SyntaxCmd) -> None:
    """Add syntax without a meaning."""
    key = f"{command.name} {fresh_id()}"
    _add_syntax(state, command.scope, lambda s: s.with_syntax(command, key))


@runs(ast.MacroCmd)
def run_macro(state: CommandState, command: ast.MacroCmd) -> None:
    """Add syntax with the rule for it."""
    syntax, template, where = command.syntax, command.template, command.scope
    pattern = own_pattern(syntax)
    if not pattern and isinstance(template, ast.TacSeq):
        _add_syntax(state, where, lambda s: s.with_block(syntax, template))
        return
    key = f"{syntax.name} {fresh_id()}"
    rules = {key: (rule(state.env, state.scope, pattern, template, where == "local"),)}
    _add_syntax(state, where, lambda s: s.with_syntax(syntax, key).with_macro_rules(rules))


@runs(ast.MacroRules)
def run_macro_rules(state: CommandState, command: ast.MacroRules) -> None:
    """Add rules for syntax that there is."""
    rules: dict[str, tuple[Rule, ...]] = {}
    for pattern, template in command.rules:
        found = rule(state.env, state.scope, pattern.args, template, command.scope == "local")
        rules[pattern.key] = (*rules.get(pattern.key, ()), found)
    _add_syntax(state, command.scope, lambda s: s.with_macro_rules(rules))


def _add_syntax(state: CommandState, where: str, change: Callable[[Scope], Scope]) -> None:
    """Add a notation or macro: everywhere, in this scope (`local`) or where its namespace is open (`scoped`)."""
    space = state.scope.namespace
    if where != "scoped":
        state.change_scopes(change, all_=not where)
    elif not space:
        raise MetaError("scoped attributes must be used inside namespaces")
    else:
        state.env.notations[space] = (*state.env.notations.get(space, ()), change)
        state.scopes[:] = [
            change(s) if f"{s.namespace}.".startswith(f"{space}.") else s for s in state.scopes
        ]
