"""Printed terms: the text on one line, the document to lay out, and the precedences that decide about parentheses.

Lean's parenthesizer walks the syntax right to left and looks at three numbers of each term, kept here:

    prec    precedence of the term; parentheses if it is smaller than the required one
    trail   precedence of the term at its right end (`40` in `¬p`), which would swallow what follows
    cont    how tightly its left end binds to a term in front of it without any token in between

Source: Lean 4 `src/Lean/PrettyPrinter/Parenthesizer.lean`, `Formatter.lean`, `src/Lean/Parser/Term.lean`
(4.34).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

from minilean.printer.layout import LINE, Doc, Group, Nest
from minilean.syntax.notation import (
    ARG_PREC,
    ARROW_PREC,
    LEAD_PREC,
    MAX_PREC,
    Infix,
    Prefix,
)

INDENT: Final = 2
CLOSED: Final = 1 << 16
"""The `trail` of a term that ends in a token, so that no following token can become a part of it."""


class Fragment(Group):
    """A printed term; as a document, a `fill` group indented by 2.

    Attributes:
        flat: Its text on one line (with a newline in it if it has none).
        doc: The document to embed it as.
        shape: The kind of a term that an enclosing term may merge with: `forall`, `list`, ...; else `""`.
        parts: The parts that the enclosing term takes over when it merges.
    """

    __slots__ = ("cont", "doc", "flat", "parts", "prec", "shape", "trail")

    def __init__(self, flat: str, body: Doc, prec: int, trail: int = CLOSED, cont: int = ARG_PREC) -> None:
        super().__init__(body, True, INDENT, -1 if "\n" in flat else len(flat))
        self.flat = flat
        self.doc: Doc = self
        self.prec = prec
        self.trail = trail
        self.cont = cont
        self.shape = ""
        self.parts: Any = None


def ident(text: str) -> Fragment:
    """A name, a number or a string."""
    return Fragment(text, text, MAX_PREC, CLOSED, MAX_PREC)


def symbol(text: str, prec: int = MAX_PREC) -> Fragment:
    """A term that is one keyword, or a text that never breaks."""
    return Fragment(text, text, prec)


OMISSION: Final = symbol("⋯")


def parenthesized(term: Fragment) -> Fragment:
    """`(term)`."""
    inner: Doc = Nest(-INDENT, term) if term.doc is term else term.body
    return Fragment(f"({term.flat})", ("(", inner, ")"), MAX_PREC, CLOSED, MAX_PREC)


def infix(op: Infix, left: Fragment, right: Fragment) -> Fragment:
    """`left op right`."""
    if op.left > left.prec or left.trail <= op.prec:
        left = parenthesized(left)
    if op.right > right.prec:
        right = parenthesized(right)
    flat = f"{left.flat} {op.symbol} {right.flat}"
    body = (left.doc, " " + op.symbol, LINE, right.doc)
    return Fragment(flat, body, op.prec, min(right.trail, op.right), left.cont)


ARROW: Final = Infix("→", ARROW_PREC, 0, ARROW_PREC)


def prefix(op: Prefix, operand: Fragment) -> Fragment:
    """`op operand`."""
    if op.operand > operand.prec:
        operand = parenthesized(operand)
    trail, cont = min(operand.trail, op.operand), min(ARG_PREC, op.prec)
    if op.symbol == "-" and operand.flat.startswith("-"):
        # `--` would be a comment
        return Fragment(f"- {operand.flat}", ("-", LINE, operand.doc), op.prec, trail, cont)
    return Fragment(op.symbol + operand.flat, (op.symbol, operand.doc), op.prec, trail, cont)


def coercion(operand: Fragment) -> Fragment:
    """`↑operand`."""
    if operand.prec < MAX_PREC:
        operand = parenthesized(operand)
    return Fragment("↑" + operand.flat, ("↑", operand.doc), MAX_PREC, min(operand.trail, MAX_PREC))


def explicit(head: Fragment) -> Fragment:
    """`@head`."""
    return Fragment("@" + head.flat, ("@", head.doc), MAX_PREC, MAX_PREC)


def application(head: Fragment, args: Sequence[Fragment]) -> Fragment:
    """`head args`."""
    if not args:
        return head
    function = head
    shown: list[Fragment] = []
    following = -1
    for arg in reversed(args):
        if arg.prec < ARG_PREC or arg.trail <= following:
            arg = parenthesized(arg)
        following = arg.cont
        shown.append(arg)
    shown.reverse()
    if head.prec < MAX_PREC or head.trail <= min(LEAD_PREC, following):
        head = parenthesized(head)
    body: list[Doc] = [head.doc]
    for arg in shown:
        body.append(LINE)
        body.append(arg.doc)
    flat = " ".join([head.flat, *[arg.flat for arg in shown]])
    out = Fragment(flat, tuple(body), LEAD_PREC, min(shown[-1].trail, ARG_PREC), head.cont)
    out.shape, out.parts = "application", (function, args)
    return out


def named_argument(name: str, value: Fragment) -> Fragment:
    """`(name := value)` as an argument."""
    body = (f"({name} :=", LINE, value.doc, ")")
    return Fragment(f"({name} := {value.flat})", body, MAX_PREC)


def field(obj: Fragment, name: str) -> Fragment:
    """`obj.name`."""
    if obj.trail <= MAX_PREC:
        obj = parenthesized(obj)
    return Fragment(f"{obj.flat}.{name}", (obj.doc, "." + name), MAX_PREC, CLOSED, obj.cont)


def indexed(collection: Fragment, index: Fragment, mark: str) -> Fragment:
    """`xs[i]`, `xs[i]?`, `xs[i]!`."""
    if collection.trail <= MAX_PREC:
        collection = parenthesized(collection)
    flat = f"{collection.flat}[{index.flat}]{mark}"
    return Fragment(flat, (collection.doc, "[", index.doc, "]" + mark), MAX_PREC, CLOSED, collection.cont)


def enclosed(left: str, items: Sequence[Fragment], right: str) -> Fragment:
    """`[a, b]`, `(a, b)` or `⟨a, b⟩`."""
    body: list[Doc] = [left]
    for i, item in enumerate(items):
        if i:
            body.append(",")
            body.append(LINE)
        body.append(item.doc)
    body.append(right)
    return Fragment(left + ", ".join([item.flat for item in items]) + right, tuple(body), MAX_PREC)


def list_literal(items: Sequence[Fragment]) -> Fragment:
    """`[a, b, c]`."""
    out = enclosed("[", items, "]")
    out.shape, out.parts = "list", items
    return out


def array_literal(items: Sequence[Fragment]) -> Fragment:
    """`#[a, b, c]`."""
    return enclosed("#[", items, "]")


def tuple_literal(first: Fragment, second: Fragment) -> Fragment:
    """`(a, b)`, or `(a, b, c)` for a pair whose second part is a pair."""
    items = [first, *second.parts] if second.shape == "tuple" else [first, second]
    out = enclosed("(", items, ")")
    out.shape, out.parts = "tuple", items
    return out


def structure_instance(fields: Iterable[tuple[str, Fragment]]) -> Fragment:
    """`{ a := x, b := y }`."""
    body: list[Doc] = ["{"]
    texts: list[str] = []
    for name, value in fields:
        if texts:
            body.append(",")
        body.append(LINE)
        assignment = Nest(-INDENT, Group((" :=", LINE, value.doc), True, INDENT))
        body.append(Group((name, assignment), True, INDENT))
        texts.append(f"{name} := {value.flat}")
    body.append(" }")
    flat = "{ " + ", ".join(texts) + " }" if texts else "{ }"
    return Fragment(flat, tuple(body), MAX_PREC)


_BRACKETS: Final = ("()", "{}", "⦃⦄", "[]")


class Binder(Group):
    """A binder group like `(x y : T)`, or bare names without brackets (`fun x y`, `∃ x y`)."""

    __slots__ = ("flat",)

    def __init__(self, names: Sequence[str], type_: Fragment | None, info: int, bare: bool = False) -> None:
        body: list[Doc] = []
        for name in names:
            if body:
                body.append(LINE)
            body.append(name)
        flat = " ".join(names)
        if type_ is not None:
            if body:
                body.append(" :")
                body.append(LINE)
                flat += " : "
            body.append(type_.doc)
            flat += type_.flat
        left, right = ("", "") if bare else _BRACKETS[info]
        self.flat = left + flat + right
        length = -1 if "\n" in flat else len(self.flat)
        super().__init__((left, *body, right), not bare, 0 if bare else INDENT, length)


def _with_binders(word: str, binders: Sequence[Binder]) -> tuple[str, list[Doc]]:
    body: list[Doc] = [word] if word else []
    for binder in binders:
        body.append(LINE)
        body.append(binder if binder.fill else binder.body)
    return " ".join([word, *[binder.flat for binder in binders]]), body


def forall(binder: Binder, body: Fragment) -> Fragment:
    """`∀ binder, body`, merged with a `∀` in `body`."""
    binders = [binder]
    if body.shape == "forall":
        inner, body = body.parts
        binders += inner
    text, parts = _with_binders("∀", binders)
    out = Fragment(f"{text}, {body.flat}", (*parts, ",", LINE, body.doc), LEAD_PREC, 0, LEAD_PREC)
    out.shape, out.parts = "forall", (binders, body)
    return out


def exists(name: str, body: Fragment) -> Fragment:
    """`∃ name, body`, merged with an `∃` in `body`."""
    names = [name]
    if body.shape == "exists":
        inner, body = body.parts
        names += inner
    text, parts = _with_binders("∃", [Binder([each], None, 0, bare=True) for each in names])
    out = Fragment(f"{text}, {body.flat}", (*parts, ",", LINE, body.doc), LEAD_PREC, 0, LEAD_PREC)
    out.shape, out.parts = "exists", (names, body)
    return out


def dependent_arrow(binder: Binder, body: Fragment) -> Fragment:
    """`(x : T) → body`."""
    return Fragment(f"{binder.flat} → {body.flat}", (binder, " →", LINE, body.doc), ARROW_PREC, 0, ARROW_PREC)


def dependent_pair(name: str, domain: Fragment, body: Fragment, op: str) -> Fragment:
    """`(x : T) × body`."""
    prec = 35
    if body.prec < prec:
        body = parenthesized(body)
    flat = f"({name} : {domain.flat}) {op} {body.flat}"
    binder = (f"({name}", LINE, ":", LINE, domain.doc, ")")
    return Fragment(flat, (binder, " " + op, LINE, body.doc), prec, min(body.trail, prec), prec)


def fun(binders: Sequence[Binder], body: Fragment) -> Fragment:
    """`fun binders => body`. Embedded without a group of its own, so that it may start on the line before."""
    text, parts = _with_binders("", binders)
    head = Group((*parts, " =>"), True, INDENT)
    out = Fragment(f"fun{text} => {body.flat}", ("fun", head, LINE, body.doc), MAX_PREC, 0, ARG_PREC)
    out.doc = out.body
    return out


def if_then_else(
    condition: Fragment, then: Fragment, otherwise: Fragment, name: str = "", word: str = "if"
) -> Fragment:
    """`if c then a else b`, `if name : c then a else b` or `bif c then a else b`."""
    named: tuple[Doc, ...] = (name, " :", LINE) if name else ()
    label = f"{name} : " if name else ""
    head = Nest(INDENT, (word, LINE, *named, condition.doc, " then"))
    body = Group(
        (
            Group((head, LINE, then.doc), True),
            Nest(-INDENT, LINE),
            Group(("else", LINE, otherwise.doc), True),
        )
    )
    flat = f"{word} {label}{condition.flat} then {then.flat} else {otherwise.flat}"
    return Fragment(flat, body, LEAD_PREC, 0, LEAD_PREC)


def let(word: str, name: str, value: Fragment, body: Fragment) -> Fragment:
    """`let name := value;`, then `body` on its own line."""
    rest = Nest(-INDENT, (";", "\n", body.doc))
    flat = f"{word} {name} := {value.flat};\n{body.flat}"
    return Fragment(flat, (word, LINE, name, " :=", LINE, value.doc, rest), LEAD_PREC, 0, LEAD_PREC)


Action: TypeAlias = "tuple[str, Fragment | None, Fragment]"
"""What stands before the arrow or the `:=` (`let x`; empty for an action without a name), a type, and the action."""


def do_block(actions: Sequence[Action]) -> Fragment:
    """`do`, and one action a line. Embedded without a group of its own, as `fun` is."""
    body: list[Doc] = ["do"]
    flat = "do"
    for word, type_, value in actions:
        if not word:
            row: tuple[Doc, ...] = (value.doc,)
            text = value.flat
        elif type_ is None:
            row, text = (word, " ←", LINE, value.doc), f"{word} ← {value.flat}"
        else:
            row = (word, " :", LINE, type_.doc, " :=", LINE, value.doc)
            text = f"{word} : {type_.flat} := {value.flat}"
        body += ["\n", Group(row, True, INDENT)]
        flat += "\n" + text
    out = Fragment(flat, tuple(body), LEAD_PREC, 0, LEAD_PREC)
    out.doc = out.body
    return out


def subtype(name: str, body: Fragment) -> Fragment:
    """`{ name // body }`."""
    return Fragment(f"{{ {name} // {body.flat} }}", ("{", LINE, name, " //", LINE, body.doc, " }"), MAX_PREC)


def match(
    discriminants: Sequence[Fragment], alternatives: Sequence[tuple[Sequence[Fragment], Fragment]]
) -> Fragment:
    """`match d with` and one alternative a line."""
    body: list[Doc] = ["match "]
    for i, discriminant in enumerate(discriminants):
        body += [",", LINE] if i else []
        body.append(discriminant.doc)
    body.append(" with")
    flat = "match " + ", ".join([d.flat for d in discriminants]) + " with"
    for patterns, right in alternatives:
        line: list[Doc] = ["| "]
        for i, pattern in enumerate(patterns):
            line += [",", LINE] if i else []
            line.append(pattern.doc)
        row = Group((*line, " =>", LINE, right.doc), True, INDENT)
        body.append(Nest(-INDENT, ("\n", row)))
        flat += "\n| " + ", ".join([p.flat for p in patterns]) + " => " + right.flat
    return Fragment(flat, tuple(body), LEAD_PREC, 0, LEAD_PREC)
