"""User notations: their expansion, and the patterns under which applications are printed.

Source: Lean 4 `src/Lean/Elab/Notation.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from minilean.elab.hygiene import Hygiene, filled, require_apart
from minilean.elab.names import Scope, resolve_global
from minilean.elab.overloads import elab_overloaded
from minilean.elab.term import Elab, elaborates
from minilean.kernel.expr import Expr
from minilean.meta.errors import UnsupportedError
from minilean.meta.extension import LeanEnv
from minilean.printer.shown_notations import Applied, Argument, Pattern, Piece, ShownNotation, Word
from minilean.syntax import ast


@dataclass(frozen=True, slots=True)
class Expansion:
    """Expansion of a notation: `body`, in which `params` are the places of the arguments."""

    params: tuple[str, ...]
    body: ast.Term
    variables: tuple[str, ...] = ()
    """The section's variables that occur in the body."""
    bound: frozenset[str] = frozenset()
    """The names that the body binds."""


def expansion(env: LeanEnv, scope: Scope, command: ast.NotationCmd) -> Expansion:
    """Return the hygienic expansion of a notation command."""
    params = tuple(item.name for item in command.items if item.name is not None)
    value = command.value
    if command.kind != "notation":
        value = ast.App(value, tuple(ast.Ident(name) for name in params))
    hygiene = Hygiene(env, scope, dict.fromkeys(params, "term"), command.scope == "local")
    body = hygiene.visit(value, frozenset())
    return Expansion(params, body, tuple(hygiene.variables), frozenset(hygiene.marked))


def unexpansion(env: LeanEnv, scope: Scope, command: ast.NotationCmd) -> tuple[str, ShownNotation] | None:
    """Return the constant whose applications a notation prints, and the pattern; `None` if it prints none.

    Args:
        env: The environment with the constants.
        scope: The scope in which the notation is declared.
        command: The notation; its right side has been checked.
    """
    params = [item.name for item in command.items if item.name is not None]
    value = command.value
    if command.kind != "notation":
        value = ast.App(value, tuple(ast.Ident(name) for name in params))
    head, args = (value.fn, value.args) if isinstance(value, ast.App) else (value, ())
    if (
        not isinstance(head, ast.Ident)
        or head.name in params
        or (isinstance(value, ast.App) and value.ellipsis)
    ):
        return None
    found = resolve_global(env, scope, head.name)
    patterns = [_pattern(arg, params) for arg in args]
    known = [pattern for pattern in patterns if pattern is not None]
    places = [place for pattern in known for place in _places(pattern)]
    if found is None or found[1] or len(known) < len(patterns) or sorted(places) != [*range(len(params))]:
        return None
    pieces = tuple(
        Piece(item.spaced if item.token is not None else None, item.prec) for item in command.items
    )
    return found[0], ShownNotation(command.prec, pieces, tuple(known))


def _pattern(stx: ast.Term | ast.NamedArg, params: list[str]) -> Pattern | None:
    """Return the pattern of a printed argument; `None` for syntax that is not compared here."""
    if isinstance(stx, ast.Paren):
        return _pattern(stx.term, params)
    if isinstance(stx, ast.Ident):
        return Argument(params.index(stx.name)) if stx.name in params else Word(stx.name)
    if isinstance(stx, ast.Num):
        return Word(str(stx.value))
    if not isinstance(stx, ast.App) or stx.ellipsis:
        return None
    parts = [_pattern(part, params) for part in (stx.fn, *stx.args)]
    known = [part for part in parts if part is not None]
    return Applied(known[0], tuple(known[1:])) if len(known) == len(parts) else None


def _places(pattern: Pattern) -> list[int]:
    if isinstance(pattern, Applied):
        return [place for part in (pattern.head, *pattern.args) for place in _places(part)]
    return [pattern.index] if isinstance(pattern, Argument) else []


def expanded(el: Elab, stx: ast.NotationTerm) -> ast.Term:
    """Return the term that a use of a notation expands to."""
    meaning = el.scope.notations[stx.key]
    require_apart(meaning.bound, stx.args)
    body = filled(meaning.body, dict(zip(meaning.params, stx.args, strict=True)))
    assert isinstance(body, ast.Term)
    return replace(body, start=stx.start, end=stx.end)


def require_unshadowed(el: Elab, variables: tuple[str, ...]) -> None:
    """Refuse a notation that mentions section variables where other variables have their names."""
    for name in variables:
        named = [decl.fvar for decl in el.m.lctx if decl.name == name]
        if len(named) > 1:
            raise UnsupportedError(
                f"a notation that mentions the variable `{name}` where a later one shadows it"
            )


@elaborates(ast.NotationTerm)
def elab_notation(el: Elab, stx: ast.NotationTerm, expected: Expr | None) -> Expr:
    """A use of a notation."""
    require_unshadowed(el, el.scope.notations[stx.key].variables)
    return el.elab(expanded(el, stx), expected)


@elaborates(ast.Choice)
def elab_choice(el: Elab, stx: ast.Choice, expected: Expr | None) -> Expr:
    """Text that several notations can parse: the reading that elaborates is taken."""
    return elab_overloaded(el, stx, stx.alternatives, lambda reading: el.elab(reading, expected), expected)
