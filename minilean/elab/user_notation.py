"""User notations: hygienic expansion, and the patterns under which applications are printed.

Names of constants are made absolute and bound names are marked with a dagger, which source text cannot write. So a
notation cannot capture the variables of its arguments, and variables around its use cannot capture its names.

Source: Lean 4 `src/Lean/Elab/Notation.lean`, hygiene of `src/Lean/Elab/Quotation.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from minilean.elab.names import Scope, resolve_global
from minilean.elab.overloads import elab_overloaded
from minilean.elab.term import Elab, elaborates
from minilean.kernel.expr import Expr
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import LeanEnv
from minilean.printer.shown_notations import Applied, Pattern, Piece, Place, ShownNotation, Word
from minilean.syntax import ast

_MARK = "✝"
# tactics that neither name hypotheses nor bind names
_PLAIN_TACTICS = (ast.AndThen, ast.Block, ast.First, ast.Omega, ast.Seq1, ast.Simple, ast.TermTactic)


@dataclass(frozen=True, slots=True)
class Expansion:
    """Expansion of a notation: `body`, in which `params` are the places of the arguments."""

    params: tuple[str, ...]
    body: ast.Term
    variables: tuple[str, ...] = ()
    """The section's variables that occur in the body."""


def expansion(env: LeanEnv, scope: Scope, command: ast.NotationCmd) -> Expansion:
    """Return the hygienic expansion of a notation command."""
    params = tuple(item.name for item in command.items if item.name is not None)
    value = command.value
    if command.kind != "notation":
        value = ast.App(value, tuple(ast.Ident(name) for name in params))
    hygiene = _Hygiene(env, scope, frozenset(params), command.scope == "local")
    body = hygiene.visit(value, frozenset())
    return Expansion(params, body, tuple(hygiene.variables))


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
        return Place(params.index(stx.name)) if stx.name in params else Word(stx.name)
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
    return [pattern.index] if isinstance(pattern, Place) else []


class _Hygiene:
    """Makes the constants of a notation's right side absolute and marks the names that it binds.

    Readings of ambiguous text share their parts, so each part is gone through once for what is bound around it.
    """

    def __init__(self, env: LeanEnv, scope: Scope, params: frozenset[str], local: bool) -> None:
        self.env = env
        self.scope = scope
        self.params = params
        self.known = (
            frozenset(x for binder in scope.variables for x in binder.names) if local else frozenset()
        )
        self.variables: dict[str, None] = {}
        self.done: dict[tuple[int, frozenset[str]], Any] = {}

    def visit(self, node: Any, bound: frozenset[str]) -> Any:
        """Return `node` with hygienic names; `bound` are the names that the right side binds around it.

        Raises:
            MetaError: A name is unknown, or the syntax is not supported in notations.
        """
        if isinstance(node, tuple):
            return tuple(self.visit(item, bound) for item in node)
        if not is_dataclass(node):
            return node
        key = id(node), bound
        if key not in self.done:
            self.done[key] = self._visit(node, bound)
        return self.done[key]

    def _visit(self, node: Any, bound: frozenset[str]) -> Any:
        if isinstance(node, ast.Ident):
            return self._name(node, bound)
        if isinstance(node, ast.Tactic) and not (isinstance(node, _PLAIN_TACTICS) and _is_plain(node)):
            raise UnsupportedError("a notation that stands for a tactic block which names hypotheses")
        if isinstance(node, ast.Fun | ast.Forall | ast.Exists | ast.DepArrow | ast.HaveTerm | ast.LetTerm):
            names = _bound_names(node)
            if names & self.params:
                raise MetaError("unsupported: a notation whose argument is the name of a binder")
            bound = bound | names
        elif isinstance(node, ast.Match | ast.FunMatch | ast.If):
            raise MetaError(f"unsupported: a notation that stands for a `{type(node).__name__.lower()}` term")
        changes = {}
        for item in fields(node):
            value = getattr(node, item.name)
            if isinstance(value, tuple | ast.Node):
                changes[item.name] = self.visit(value, bound)
        if isinstance(node, ast.Binder):
            changes["names"] = tuple(name if name == "_" else name + _MARK for name in node.names)
        if isinstance(node, ast.HaveTerm | ast.LetTerm) and node.name:
            changes["name"] = node.name + _MARK
        return replace(node, **changes)

    def _name(self, node: ast.Ident, bound: frozenset[str]) -> ast.Ident:
        head, _, rest = node.name.partition(".")
        if head in bound:
            return replace(node, name=f"{head}{_MARK}" + (f".{rest}" if rest else ""))
        if head in self.params:
            return node
        if head in self.known:
            self.variables[head] = None
            return node
        found = resolve_global(self.env, self.scope, node.name)
        if found is None and self.scope.option("hygiene", "true") == "false":
            return node  # resolved where the notation is used
        if found is None and self.scope.option("quotPrecheck", "true") == "false":
            return replace(node, name=node.name + _MARK)  # unknown where the notation is used
        if found is None:
            raise MetaError(
                f"Unknown identifier `{node.name}` at quotation precheck\n\n"
                "Note: You can use `set_option quotPrecheck false` to disable this check."
            )
        return replace(node, name=".".join(("_root_", found[0], *found[1])))


def _is_plain(node: ast.Tactic) -> bool:
    """Return whether a tactic of one of the plain kinds works on the goal only."""
    return not (isinstance(node, ast.Simple | ast.TermTactic) and node.location is not None) and not (
        isinstance(node, ast.TermTactic) and node.name == "specialize"
    )


def _bound_names(node: Any) -> frozenset[str]:
    if isinstance(node, ast.DepArrow):
        return frozenset(node.binder.names)
    if isinstance(node, ast.HaveTerm | ast.LetTerm):
        if node.pattern is not None:
            raise MetaError("unsupported: a notation that stands for a pattern")
        return frozenset((node.name or "this", *(name for b in node.binders for name in b.names)))
    if any(binder.pattern is not None for binder in node.binders):
        raise MetaError("unsupported: a notation that stands for a pattern")
    return frozenset(name for binder in node.binders for name in binder.names)


def _filled(node: Any, values: Mapping[str, ast.Term], done: dict[int, Any]) -> Any:
    """Substitute terms for the parameters in `node`; `done` holds shared parts that were filled already."""
    if isinstance(node, tuple):
        return tuple(_filled(item, values, done) for item in node)
    if not is_dataclass(node):
        return node
    if id(node) not in done:
        done[id(node)] = _with_parts_filled(node, values, done)
    return done[id(node)]


def _with_parts_filled(node: Any, values: Mapping[str, ast.Term], done: dict[int, Any]) -> Any:
    if isinstance(node, ast.Ident):
        value = values.get(node.name)
        if value is not None:
            return value
        head, _, rest = node.name.partition(".")
        if head in values:
            out = values[head]
            for part in rest.split("."):
                out = ast.Proj(out, part)
            return out
        return node
    changes = {}
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, tuple | ast.Node):
            changes[item.name] = _filled(value, values, done)
    return replace(node, **changes)


def expanded(el: Elab, stx: ast.NotationTerm) -> ast.Term:
    """Return the term that a use of a notation expands to."""
    meaning = el.scope.notations[stx.key]
    body = _filled(meaning.body, dict(zip(meaning.params, stx.args, strict=True)), {})
    assert isinstance(body, ast.Term)
    return replace(body, start=stx.start, end=stx.end)


@elaborates(ast.NotationTerm)
def elab_notation(el: Elab, stx: ast.NotationTerm, expected: Expr | None) -> Expr:
    """A use of a notation."""
    for name in el.scope.notations[stx.key].variables:
        named = [decl.fvar for decl in el.m.lctx if decl.name == name]
        if len(named) > 1:
            raise UnsupportedError(
                f"a notation that mentions the variable `{name}` where a later one shadows it"
            )
    return el.elab(expanded(el, stx), expected)


@elaborates(ast.Choice)
def elab_choice(el: Elab, stx: ast.Choice, expected: Expr | None) -> Expr:
    """Text that several notations can parse: the reading that elaborates is taken."""
    return elab_overloaded(el, stx, stx.alternatives, lambda reading: el.elab(reading, expected), expected)
