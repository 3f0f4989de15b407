"""Names in printed terms: binders that must not capture, constants by their shortest name, levels, literals.

Source: Lean 4 `src/Lean/PrettyPrinter/Delaborator/Basic.lean` (getUnusedName), `src/Lean/ResolveName.lean`
(unresolveNameGlobal), `src/Lean/Level.lean` (Level.quote), `src/Init/Data/Repr.lean` (String.quote) (4.34).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from minilean.kernel.declaration import Declaration
from minilean.kernel.expr import App, BVar, Expr, FVar, Lam, Let, Pi, Proj
from minilean.kernel.level import (
    ONE,
    ZERO,
    IMax,
    Level,
    LMVar,
    Max,
    Param,
    Succ,
    Zero,
    mk_max,
    to_offset,
)
from minilean.printer.parenthesize import Fragment, symbol
from minilean.syntax.notation import EXPORTED, LEAD_PREC
from minilean.syntax.text_literals import char_of_code

DAGGER = "✝"


class _Constants(Protocol):
    @property
    def view(self) -> tuple[str, ...]: ...

    def meanings(self, name: str) -> list[str]: ...

    def find(self, name: str) -> Declaration | None: ...


class Bound:
    """The names under which the binders around a subterm are shown, outermost first."""

    __slots__ = ("_counts", "names")

    def __init__(self) -> None:
        self.names: list[str] = []
        self._counts: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._counts

    def push(self, name: str) -> None:
        """Pass a binder."""
        self.names.append(name)
        self._counts[name] = self._counts.get(name, 0) + 1

    def pop(self) -> None:
        """Return from the last binder."""
        name = self.names.pop()
        if self._counts[name] == 1:
            del self._counts[name]
        else:
            self._counts[name] -= 1


class Scope:
    """The names of the local variables around a term.

    Attributes:
        taken: All names of local variables.
        ids: The local variables that occur in the term, by name.
        roots: First components of the constants printed so far.
        clashed: Whether some name had to be changed because of another.
    """

    __slots__ = ("clashed", "ids", "roots", "taken")

    def __init__(self, names: Mapping[int, str], taken: Iterable[str] = ()) -> None:
        self.ids: dict[str, set[int]] = {}
        for fvar_id, name in names.items():
            self.ids.setdefault(name, set()).add(fvar_id)
        self.taken = {*taken, *self.ids}
        self.roots: set[str] = set()
        self.clashed = False

    def unused(self, name: str, body: Expr, bound: Bound, avoid: Collection[str] = ()) -> str:
        """Return the shown name of a binder `name` over `body`, inside the binders `bound`.

        A binder keeps its name even if it hides another variable, unless `body` mentions that variable.
        """
        base = name.partition(DAGGER)[0] or "a"
        if base == "_":
            base = "x"
        if base not in avoid and not self._means_another(base, body, bound):
            return base
        self.clashed = True
        index = 1
        while (fresh := f"{base}_{index}") in self.taken or fresh in bound or fresh in avoid:
            index += 1
        return fresh

    def _means_another(self, name: str, body: Expr, bound: Bound) -> bool:
        if name in bound:
            # variable `distance` of the body is that many binders out; none beyond `body.loose` occurs
            for distance in range(1, min(body.loose, len(bound.names) + 1)):
                if bound.names[-distance] == name and uses(body, distance):
                    return True
        return body.has_fvar and name in self.ids and _mentions(body, self.ids[name])

    def constant(self, name: str, ctx: _Constants, bound: Bound) -> str:
        """The shortest name that means this constant here."""
        for candidate in _candidates(name, ctx):
            root = candidate.partition(".")[0]
            if root not in self.taken and root not in bound:
                self.roots.add(root)
                return candidate
            self.clashed = True
        return "_root_." + name


def _candidates(name: str, ctx: _Constants) -> Iterable[str]:
    short = EXPORTED.get(name)
    if short is not None and ctx.find(short) is None:
        yield short
    if ctx.view:
        parts = name.split(".")
        for start in range(len(parts) - 1, 0, -1):
            candidate = ".".join(parts[start:])
            if ctx.meanings(candidate) == [name]:
                yield candidate
        if ctx.find(name) is not None and ctx.meanings(name) != [name]:
            return
    yield name


def uses(e: Expr, index: int) -> bool:
    """Return whether loose variable `index` occurs in `e`."""
    if e.loose <= index:
        return False
    seen: set[tuple[Expr, int]] = set()
    stack = [(e, index)]
    while stack:
        node, i = entry = stack.pop()
        if node.loose <= i or entry in seen:
            continue
        kind = type(node)
        if kind is BVar:
            if node.idx == i:  # type: ignore[attr-defined]
                return True
            continue
        seen.add(entry)
        if kind is App:
            stack += ((node.fn, i), (node.arg, i))  # type: ignore[attr-defined]
        elif kind is Lam or kind is Pi:
            stack += ((node.type, i), (node.body, i + 1))  # type: ignore[attr-defined]
        elif kind is Let:
            stack += ((node.type, i), (node.value, i), (node.body, i + 1))  # type: ignore[attr-defined]
        elif kind is Proj:
            stack.append((node.expr, i))  # type: ignore[attr-defined]
    return False


def local_variables(e: Expr) -> list[int]:
    """The ids of the free variables of `e`, each once."""
    found: dict[int, None] = {}
    seen: set[Expr] = set()
    stack = [e]
    while stack:
        node = stack.pop()
        if not node.has_fvar or node in seen:
            continue
        if type(node) is FVar:
            found[node.id] = None
            continue
        seen.add(node)
        stack += _children(node)
    return list(found)


def _mentions(e: Expr, ids: set[int]) -> bool:
    return not ids.isdisjoint(local_variables(e))


def _children(e: Expr) -> tuple[Expr, ...]:
    kind = type(e)
    if kind is App:
        return (e.fn, e.arg)  # type: ignore[attr-defined]
    if kind is Lam or kind is Pi:
        return (e.type, e.body)  # type: ignore[attr-defined]
    if kind is Let:
        return (e.type, e.value, e.body)  # type: ignore[attr-defined]
    return (e.expr,) if kind is Proj else ()  # type: ignore[attr-defined]


def is_shallow(e: Expr, limit: int) -> bool:
    """Return whether no path into `e` is longer than `limit`."""
    level = [e]
    for _ in range(limit + 1):
        level = list(dict.fromkeys(child for node in level for child in _children(node)))
        if not level:
            return True
    return False


def format_sort(level: Level) -> Fragment:
    """`Prop`, `Type`, `Type u`, `Sort u`."""
    if level is ZERO:
        return symbol("Prop")
    if level is ONE:
        return symbol("Type")
    below = _predecessor(level)
    if below is None:
        return symbol(f"Sort {_format_level(level, True)}", LEAD_PREC)
    return symbol(f"Type {_format_level(below, True)}", LEAD_PREC)


def _predecessor(level: Level) -> Level | None:
    """`l` for `l + 1`, also through `max` and `imax`."""
    kind = type(level)
    if kind is Succ:
        return level.of  # type: ignore[attr-defined, no-any-return]
    if kind is Max or kind is IMax:
        left = _predecessor(level.left)  # type: ignore[attr-defined]
        right = _predecessor(level.right)  # type: ignore[attr-defined]
        return None if left is None or right is None else mk_max(left, right)
    return None


def _format_level(level: Level, nested: bool) -> str:
    base, offset = to_offset(level)
    kind = type(base)
    if kind is Zero:
        return str(offset)
    if kind is Param or kind is LMVar:
        text = base.name if kind is Param else f"?u.{base.id}"  # type: ignore[attr-defined]
        if not offset:
            return str(text)
    else:
        args = []
        while type(base) is kind:
            args.append(base.left)  # type: ignore[attr-defined]
            base = base.right  # type: ignore[attr-defined]
        args.append(base)
        word = "max" if kind is Max else "imax"
        text = " ".join([word, *[_format_level(arg, True) for arg in args]])
        if offset:
            text = f"({text})"
    if offset:
        text = f"{text} + {offset}"
    return f"({text})" if nested else str(text)


_ESCAPES = {"\n": "\\n", "\t": "\\t", "\\": "\\\\"}


def _escape(char: str, quote: str) -> str:
    if char == quote:
        return "\\" + char
    if char in _ESCAPES:
        return _ESCAPES[char]
    return f"\\x{ord(char):02x}" if ord(char) < 32 or ord(char) == 127 else char


def string_literal(value: str) -> str:
    """`"text"`, with escapes."""
    return '"' + "".join([_escape(char, '"') for char in value]) + '"'


def char_literal(code: int) -> str:
    """`'c'`, with escapes; the character 0 for a number that is none, as Lean prints it."""
    return "'" + _escape(char_of_code(code), "'") + "'"
