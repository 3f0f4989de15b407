"""Tactic macros of the user, by `macro` or by `syntax` and `macro_rules`, with hygienic names.

A name in a macro is resolved where the macro is declared: it does not refer to hypotheses of the goal where the macro
is used, and hypotheses that the macro names are inaccessible there. A block without arguments runs while the hypotheses
around it have other names; one with arguments gives its
hypotheses new names at each use, so that its arguments see those around.

Source: Lean 4 `src/Lean/Hygiene.lean`, `src/Lean/Elab/Quotation.lean` (4.34).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from minilean.elab.macros import Rule, expansions, filled_in
from minilean.kernel.interning import fresh_id
from minilean.meta.context import LocalDecl
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.syntax import ast
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics

_AWAY = "✝✝"
"""Suffix of the names that a macro cannot refer to; every name that ends in `✝` is inaccessible."""
_NUMBERED = re.compile("✝[0-9]+✝")
_UNKNOWN = re.compile(r"\AUnknown identifier `([^`✝]+)`")


@runs(ast.Expansion)
def tac_expansion(t: Tactics, stx: ast.Expansion) -> None:
    """Run the block that a macro stands for."""
    error = t.attempt(lambda: _run(t, stx))
    if error is None:
        return
    t.run_block(stx.block)  # fails again in most cases, with a message that shows the names of hypotheses
    raise MetaError(_UNKNOWN.sub(r"Unknown identifier `\1✝`", str(error)))


def _run(t: Tactics, stx: ast.Expansion) -> None:
    _rename(t, _away)
    with t.m.with_lctx(t.m.mvar_decl(t.goals[0]).lctx if t.goals else t.m.lctx):
        t.run_block(stx.block)
    t.prune()
    _rename(t, _back)


def _away(name: str) -> str:
    return name if name.endswith("✝") else name + _AWAY


def _back(name: str) -> str:
    """Restore the names from outside the macro, and make those that the macro gave inaccessible."""
    if name.endswith(_AWAY):
        return name.removesuffix(_AWAY)
    return name if name.endswith("✝") else name + "✝"


def _rename(t: Tactics, new_name: Callable[[str], str]) -> None:
    """Rename the hypotheses of all goals."""
    for goal in t.goals:
        decl = t.m.mvar_decl(goal)
        renamed: list[LocalDecl] = [
            x if x.hidden or (name := new_name(x.name)) == x.name else replace(x, name=name)
            for x in decl.lctx
        ]
        t.m.mctx.declare(replace(decl, lctx=decl.lctx.replace_all(renamed)))


@runs(ast.MacroUse)
def tac_macro_use(t: Tactics, stx: ast.MacroUse) -> None:
    """Run the expansions of a tactic of the command `syntax`, the latest first, until one succeeds.

    Source: Lean 4 `src/Lean/Elab/Tactic/Basic.lean` (`evalTactic`, 4.34): the error of the first one is reported.
    """
    errors: list[MetaError] = []
    for rule, found in expansions(t.scope, stx):
        error = t.attempt(lambda rule=rule, found=found: _run_rule(t, stx, rule, found))  # type: ignore[misc]
        if error is None:
            return
        errors.append(error)
    if not errors:
        raise MetaError(f"Tactic `{stx.word}` has not been implemented")
    # a rule may use the tactic itself, so that running it again for the names in its message may take long
    raise MetaError(_NUMBERED.sub("✝", str(errors[0])).replace(_AWAY, ""))


def _run_rule(t: Tactics, stx: ast.MacroUse, rule: Rule, found: dict[str, Any]) -> None:
    if not rule.pattern:
        _run(t, ast.Expansion(rule.template, start=stx.start, end=stx.end))
        return
    if rule.variables:
        raise UnsupportedError("a tactic macro with arguments that mentions variables of the section")
    number = fresh_id()
    with t.m.nested("tactic"):
        t.run_block(filled_in(rule, found, number))
    t.prune()
    own = f"✝{number}✝"
    _rename(t, lambda name: name.removesuffix(own) + "✝" if name.endswith(own) else name)
