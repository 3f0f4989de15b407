"""Line breaking: documents with soft line breaks, laid out the way Lean's `Format` lays them out.

A document is a text, `LINE` (a space, or a line break where the text gets too wide), a tuple of documents one
after the other, a `Nest` or a `Group`. A newline inside a text is a hard line break.

A group is measured together with what follows it up to the next possible break. If that fits, all its lines
are spaces. If not, a plain group breaks at every line, a `fill` group only where the next piece does not fit.

Source: Lean 4 `src/Init/Data/Format/Basic.lean` (4.34); `align` and tags do not exist here.
"""

from __future__ import annotations

from typing import Final, TypeAlias, Union


class Line:
    """A soft line break. `LINE` is the only one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "LINE"


LINE: Final = Line()


class Nest:
    """`body` with `indent` (possibly negative) added to the indentation of its line breaks."""

    __slots__ = ("body", "indent")

    def __init__(self, indent: int, body: Doc) -> None:
        self.indent = indent
        self.body = body


class Group:
    """`body`, indented by `indent`, whose lines are decided together (or one by one, for `fill`).

    `length` is that of its text on one line; -1 if it is not known or the text has a hard line break.
    """

    __slots__ = ("body", "fill", "indent", "length")

    def __init__(self, body: Doc, fill: bool = False, indent: int = 0, length: int = -1) -> None:
        self.body = body
        self.fill = fill
        self.indent = indent
        self.length = length


Doc: TypeAlias = Union[str, Line, Nest, Group, "tuple[Doc, ...]"]

# linked lists: documents are pushed at the front, and tails are shared
_Items: TypeAlias = "tuple[Doc, int, _Items] | None"
# (whether lines are spaces, None outside of every group; fill; items; enclosing groups)
_Groups: TypeAlias = "tuple[bool | None, bool, _Items, _Groups] | None"


def render(doc: Doc, width: int, indent: int = 0, column: int = 0) -> str:
    """Lay a document out.

    Args:
        doc: The document.
        width: Columns a line should not exceed.
        indent: Indentation of line breaks outside of every `Nest`.
        column: Where the first line starts; the text before it is the caller's.

    Returns:
        The text, without anything in place of the first `column` columns.
    """
    out: list[str] = []
    groups: _Groups = (None, False, (doc, indent, None), None)
    while groups is not None:
        flat, fill, items, rest = groups
        if items is None:
            groups = rest
            continue
        head, level, tail = items
        kind = type(head)
        if kind is str:
            text, newline, after = head.partition("\n")  # type: ignore[union-attr]
            out.append(text)
            column += len(text)
            groups = (flat, fill, tail, rest)
            if newline:
                column = _break(out, level)
                tail = (after, level, tail)
                groups = (None, fill, tail, rest) if flat is None else _open(fill, tail, rest, width, column)
        elif kind is Line:
            # a fill group decides at each of its lines, a plain group once for all of them
            ahead = _open(True, tail, rest, width - 1, column) if fill and flat else None
            if ahead[0] if ahead is not None else flat and not fill:
                out.append(" ")
                column += 1
                groups = (flat, fill, tail, rest) if ahead is None else ahead
            else:
                column = _break(out, level)
                groups = _open(True, tail, rest, width, column) if fill else (flat, fill, tail, rest)
        elif kind is tuple:
            for part in reversed(head):  # type: ignore[arg-type]
                tail = (part, level, tail)
            groups = (flat, fill, tail, rest)
        elif kind is Nest or flat:
            # a group inside a flat one is flat
            groups = (flat, fill, (head.body, level + head.indent, tail), rest)  # type: ignore[union-attr]
        else:
            inner = (head.body, level + head.indent, None)  # type: ignore[union-attr]
            groups = _open(head.fill, inner, (flat, fill, tail, rest), width, column)  # type: ignore[union-attr]
    return "".join(out)


def _break(out: list[str], level: int) -> int:
    column = max(level, 0)
    out.append("\n" + " " * column)
    return column


def _open(
    fill: bool, items: _Items, rest: _Groups, width: int, column: int
) -> tuple[bool, bool, _Items, _Groups]:
    """Enter a group: it is flat if it fits, measured up to its own first line if it is a fill group."""
    return (_fits(items, not fill, rest, max(width - column, 0)), fill, items, rest)


def _fits(items: _Items, flat: bool, rest: _Groups, space: int) -> bool:
    """Return whether `items`, then `rest`, need at most `space` columns up to the next line break."""
    inside = True
    while True:
        while items is None:
            if rest is None:
                return True
            outer, _fill, items, rest = rest
            flat = bool(outer)
            inside = False
        head, _level, items = items
        stack = [(head, flat)]
        while stack:
            doc, spaces = stack.pop()
            kind = type(doc)
            if kind is str:
                cut = doc.find("\n")  # type: ignore[union-attr]
                if cut >= 0:
                    # a hard break cannot be made flat
                    return cut <= space and not (inside and spaces)
                space -= len(doc)  # type: ignore[arg-type]
            elif kind is Line:
                if not spaces:
                    return True
                space -= 1
            elif kind is tuple:
                stack.extend((part, spaces) for part in reversed(doc))  # type: ignore[arg-type]
                continue
            elif kind is Nest:
                stack.append((doc.body, spaces))  # type: ignore[union-attr]
                continue
            elif doc.length < 0:  # type: ignore[union-attr]
                stack.append((doc.body, True))  # type: ignore[union-attr]
                continue
            else:
                space -= doc.length  # type: ignore[union-attr]
            if space < 0:
                return False
