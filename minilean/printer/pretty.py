"""Terms and goals as Lean 4.34 prints them, letter for letter.

The steps are Lean's own: `delaborator` turns a term into notation, `parenthesize` decides about parentheses,
`layout` breaks lines. Differences that are known are listed in `docs/minilean/divergences.md`.

Source: Lean 4 `src/Lean/PrettyPrinter.lean`, `src/Lean/Meta/PPGoal.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from minilean.kernel.expr import Expr
from minilean.kernel.traversal import alpha_eq
from minilean.printer.delaborator import Delaborator
from minilean.printer.layout import LINE, Doc, Group, Nest, render
from minilean.printer.parenthesize import INDENT, OMISSION, Fragment
from minilean.printer.pp_context import PPContext
from minilean.printer.quick_types import Signature
from minilean.printer.scope import Scope, is_shallow, local_variables
from minilean.printer.shown_notations import Notations

__all__ = ["WIDTH", "PPContext", "PrintCache", "format_explicit", "format_expr", "format_goal"]

WIDTH: Final = 120
MAX_VALUE_DEPTH: Final = 254
MAX_TEXT: Final = 100_000

Row: TypeAlias = "tuple[str, Expr, Expr | None]"
_View: TypeAlias = tuple[tuple[str, ...], Notations]


class PrintCache:
    """Cache of printed terms, for one environment and its children.

    Printed terms are kept by identity, with the names they were printed under: hypotheses that a tactic did not
    change are not printed again. Pass one cache to all calls; it is emptied when it holds `limit` terms.

    Attributes:
        room: Characters that may still be printed; beyond them every term is `⋯`. Set it before each run.
    """

    __slots__ = ("_printed", "limit", "room", "signatures")

    def __init__(self, limit: int = 20_000) -> None:
        self.limit = limit
        self.room = MAX_TEXT
        self.signatures: dict[str, Signature] = {}
        self._printed: dict[Expr, tuple[Fragment, dict[int, str], _View, set[str]]] = {}

    def find(self, e: Expr, ctx: PPContext, taken: set[str]) -> Fragment | None:
        """The printed form of `e`, if every name in it still prints the same."""
        hit = self._printed.get(e)
        if hit is None:
            return None
        fragment, names, opened, roots = hit
        if opened[0] != ctx.view or opened[1] is not ctx.notations or not roots.isdisjoint(taken):
            return None
        for fvar_id, name in names.items():
            if ctx.fvar_name(fvar_id) != name:
                return None
        return fragment

    def store(self, e: Expr, fragment: Fragment, names: dict[int, str], ctx: PPContext, scope: Scope) -> None:
        """Store a printed form, unless it depends on more than the names in it."""
        if e.has_mvar or scope.clashed:
            return
        if len(self._printed) >= self.limit:
            self._printed.clear()
        self._printed[e] = (fragment, names, (ctx.view, ctx.notations), scope.roots)


def format_expr(
    e: Expr, ctx: PPContext, width: int = WIDTH, indent: int = 0, *, cache: PrintCache | None = None
) -> str:
    """Print a term.

    Args:
        e: The term, metavariables instantiated, without loose bound variables.
        ctx: Source of names and types.
        width: Columns a line should not exceed.
        indent: Column the text will start at, and indentation of its further lines.
        cache: The results of earlier calls.

    Returns:
        The text, without indentation of its first line.
    """
    fragment = _print(e, ctx, set(), PrintCache() if cache is None else cache)
    return _lay_out(fragment.flat, Group(fragment, True), width, indent, indent)


def format_explicit(e: Expr, ctx: PPContext, width: int = WIDTH, indent: int = 0) -> str:
    """Print an application as `@f a b`, its implicit arguments included; otherwise as `format_expr` does."""
    names = {fvar_id: ctx.fvar_name(fvar_id) for fvar_id in local_variables(e)}
    fragment = Delaborator(ctx, {}, Scope(names, set())).explicit(e)
    return _lay_out(fragment.flat, Group(fragment, True), width, indent, indent)


def format_goal(
    target: Expr,
    decls: Sequence[Row],
    ctx: PPContext,
    tag: str | None,
    width: int = WIDTH,
    *,
    cache: PrintCache | None = None,
) -> str:
    """Print a goal: `case` line, hypotheses, target.

    Args:
        target: The statement to prove, metavariables instantiated.
        decls: Shown name, type and value (`None` but for `let` variables) of each hypothesis, in order.
        ctx: Source of names and types.
        tag: Name of the goal; empty or `None` for no `case` line.
        width: Columns a line should not exceed.
        cache: The results of earlier calls.

    Returns:
        The lines of the goal, without a final newline.
    """
    if cache is None:
        cache = PrintCache()
    taken = {name for name, _type, _value in decls}
    fragment = _print(target, ctx, taken, cache)
    lines = [f"case {tag}"] if tag else []
    for names, type_, value in _groups(decls):
        lines.append(_hypothesis(names, type_, value, ctx, taken, width, cache))
    lines.append("⊢ " + _lay_out(fragment.flat, Group(fragment, True), width, INDENT, len("⊢ ")))
    return "\n".join(lines)


def _groups(decls: Iterable[Row]) -> list[tuple[list[str], Expr, Expr | None]]:
    """Group neighbouring hypotheses of one type, which share a line; a `let` variable has its own line."""
    groups: list[tuple[list[str], Expr, Expr | None]] = []
    for name, type_, value in decls:
        if value is None and groups:
            names, last, last_value = groups[-1]
            if last_value is None and alpha_eq(last, type_):
                names.append(name)
                continue
        groups.append(([name], type_, value))
    return groups


def _hypothesis(
    names: list[str],
    type_: Expr,
    value: Expr | None,
    ctx: PPContext,
    taken: set[str],
    width: int,
    cache: PrintCache,
) -> str:
    label = " ".join(names)
    printed = _print(type_, ctx, taken, cache)
    if value is None:
        doc = Group((label + " :", Nest(INDENT, (LINE, Group(printed, True)))))
        return _lay_out(f"{label} : {printed.flat}", doc, width, 0, 0)
    shown = _print(value, ctx, taken, cache) if is_shallow(value, MAX_VALUE_DEPTH) else OMISSION
    doc = Group((label + " : ", Group(printed, True), " :=", Nest(INDENT, (LINE, Group(shown, True)))))
    return _lay_out(f"{label} : {printed.flat} := {shown.flat}", doc, width, 0, 0)


def _print(e: Expr, ctx: PPContext, taken: set[str], cache: PrintCache) -> Fragment:
    if cache.room <= 0:
        return OMISSION
    fragment = cache.find(e, ctx, taken)
    if fragment is None:
        names = {fvar_id: ctx.fvar_name(fvar_id) for fvar_id in local_variables(e)}
        scope = Scope(names, taken)
        fragment = Delaborator(ctx, cache.signatures, scope).root(e)
        cache.store(e, fragment, names, ctx, scope)
    cache.room -= len(fragment.flat)
    return fragment


def _lay_out(flat: str, doc: Doc, width: int, indent: int, column: int) -> str:
    """Return `flat`, the text of `doc` on one line, if it fits; else lay `doc` out."""
    if column + len(flat) <= width and "\n" not in flat:
        return flat
    return render(doc, width, indent, column)
