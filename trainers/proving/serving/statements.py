"""Statements and contexts that a client of `/v1/prove` may send.

The environment's verdict is about the statement in its context, so a context cannot make a wrong proof pass. It could
make a statement say something else than it seems to, or run a program where real Lean reads it. So the commands of a
context are those of a list, none of which changes how later text is read, and a statement is one theorem without a
proof. Words are searched in comments as well: only Lean's own lexer can tell them from code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from lean_gym.datasets.formats.lean_source import without_comments
from lean_gym.datasets.formats.rows import theorem_from_statement
from lean_gym.datasets.redefinitions import misleading, redefined
from lean_gym.errors import DataError, unknown_name
from lean_gym.types import Theorem
from lean_gym.verification.tactic_filter import (
    COMMANDS,
    CONTEXT_COMMANDS,
    EVALUATORS,
    names_in,
    refused_commands,
)
from trainers.proving.search.drawing import hidden_characters

OPTIONS: Final = frozenset(["autoImplicit", "relaxedAutoImplicit", "maxHeartbeats", "maxRecDepth"])
"""Options that a context may set."""
_UNPROVED: Final = frozenset(["sorry", "admit", "sorryAx", "stop"])
_RUN: Final = re.compile(r"(?<![\w])#\w+|(?<![\w.])eval%")
_OPTION: Final = re.compile(r"(?<![\w'.])set_option\s+(\S+)")
_MODULE: Final = re.compile(r"[A-Za-z_][\w']*(?:\.[A-Za-z_][\w']*)*")


def theorem_of(
    text: str,
    context: str,
    imports: Sequence[str],
    known: Mapping[str, Theorem],
    evaluates: bool = False,
    allow_tactics: Sequence[str] = (),
) -> Theorem:
    """Return the theorem that a client names or states.

    Args:
        text: A statement, or the name of a known theorem.
        context: Commands before the statement.
        imports: Modules that it needs.
        known: Theorems that have a name here.
        evaluates: Whether the prover runs programs, as real Lean does; then tactics in the texts must be known.
        allow_tactics: Further tactics that are known.

    Raises:
        DataError: There is no such theorem, or the statement or the context may not be sent.
    """
    if len(text.split()) == 1:
        if text.strip() not in known:
            near = unknown_name("theorem", text.strip(), list(known)).partition(" (known:")[0]
            raise DataError(f"theorem: {near}; a statement is given as in 'theorem t : 1 = 1'")
        if context.strip() or imports:
            raise DataError("context: goes with a statement; a known theorem has its own")
        return known[text.strip()]
    for module in imports:
        if not _MODULE.fullmatch(module):
            raise DataError(
                f"imports: got {module!r}, expected names of modules such as 'Mathlib.Data.Nat.Basic'"
            )
    _check_plain("theorem", text)
    _check_plain("context", context)
    theorem = theorem_from_statement(text, 0, "theorem")
    if len(without_comments(theorem.statement).rstrip()) < len(theorem.statement.rstrip()):
        raise DataError("theorem: ends with a comment, expected the end of the statement")
    heads = [word for _, word in names_in(theorem.statement) if word in ("theorem", "lemma")]
    _check_words("theorem", theorem.statement, frozenset(["theorem", "lemma"]))
    if len(heads) != 1:
        raise DataError(f"theorem: expected one statement, got {len(heads)}")
    _check_words("context", context, CONTEXT_COMMANDS)
    for option in _OPTION.findall(context):
        if option not in OPTIONS:
            raise DataError(
                f"context: the option {option!r} may not be set, only {', '.join(sorted(OPTIONS))}"
            )
    if evaluates:
        for field, source in (("theorem", theorem.statement), ("context", context)):
            if refused := refused_commands(source, allow_tactics):
                raise DataError(f"{field}: {refused}")
    if words := redefined(context, theorem.name):
        raise DataError(f"context: {misleading(words)}")
    return replace(theorem, context=context.strip(), imports=tuple(imports))


def _check_plain(field: str, text: str) -> None:
    """Refuse characters that let a reader see another text than Lean does."""
    for char in hidden_characters(text):
        raise DataError(
            f"{field}: has the character U+{ord(char):04X}, expected no control or formatting characters"
        )


def _check_words(field: str, text: str, permitted: frozenset[str]) -> None:
    refused = (COMMANDS | EVALUATORS | _UNPROVED) - permitted
    found = [word for _, word in names_in(text) if word in refused] + _RUN.findall(text)
    if "@[" in text:
        found.append("@[")
    if found:
        raise DataError(f"{field}: `{found[0]}` may not stand here, in comments neither")
