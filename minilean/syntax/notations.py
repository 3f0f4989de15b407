"""The user's notations: `notation`, `infixl` and similar commands, and the grammar that they extend.

The parser keeps only the shape of a notation; the elaborator replaces it by its meaning.

Source: Lean 4 `src/Lean/Elab/Notation.lean`, `Mixfix.lean`, `src/Lean/Parser/Syntax.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.syntax import blocks
from minilean.syntax.ast import (
    Ident,
    MacroTerm,
    Node,
    NotationCmd,
    NotationItem,
    NotationTerm,
    Num,
    Str,
    SyntaxCmd,
    Term,
)
from minilean.syntax.choices import (
    PRIORITY,
    Leading,
    LeadingChoice,
    Trailing,
    TrailingChoice,
    argument,
    operator,
)
from minilean.syntax.cursor import Cursor, Grammar
from minilean.syntax.lexer import IDENT, NUM, STR, tokenize
from minilean.syntax.notation import LEAD_PREC
from minilean.syntax.quoted import string
from minilean.syntax.terms import MAX_PREC, term

_PRIORITIES = {"default": PRIORITY, "low": 100, "mid": 500, "high": 10_000}
PRECEDENCES = {"max": MAX_PREC, "arg": 1023, "lead": 1022, "min": 10}


def precedence(p: Cursor, default: int) -> int:
    """`:65`, `:max`, or the default where none is written."""
    if not p.accept(":"):
        return default
    if p.kinds[p.i] is NUM:
        return p.natural()
    word = p.word()
    if word not in PRECEDENCES:
        p.fail("precedence")
    p.i += 1
    return PRECEDENCES[word]


def mixfix(p: Cursor, kind: str, start: int, scope: str) -> NotationCmd:
    """`infixl:65 " + " => f` after its keyword."""
    if p.kinds[p.i] != ":":
        p.fail("':'")
    prec = precedence(p, MAX_PREC)
    priority = priority_of(p)
    token = token_of(p)
    p.expect("=>")
    value = term(p)
    # names that no source can write, so that they do not clash with names in the definition of the operator
    left = NotationItem(name="✝left", prec=prec if kind in ("infixl", "postfix") else prec + 1)
    right = NotationItem(name="✝right", prec=prec if kind in ("infixr", "prefix") else prec + 1)
    items = {"prefix": (token, right), "postfix": (left, token)}.get(kind, (left, token, right))
    return NotationCmd(kind, prec, items, value, scope, priority, start=start, end=p.end())


def notation(p: Cursor, kind: str, start: int, scope: str) -> NotationCmd:
    """`notation:65 "‖" x:20 "‖" => f x` after its keyword."""
    prec = precedence(p, -1)
    priority = priority_of(p)
    items: list[NotationItem] = []
    while p.kinds[p.i] is STR or p.kinds[p.i] is IDENT:
        if p.kinds[p.i] is STR:
            items.append(token_of(p))
        else:
            name = p.name()
            items.append(NotationItem(name=name, prec=precedence(p, 0)))
    if not any(item.token for item in items):
        p.fail("string literal")
    p.expect("=>")
    value = term(p)
    if prec < 0:
        prec = MAX_PREC if items[0].token and items[-1].token else LEAD_PREC
    return NotationCmd(kind, prec, tuple(items), value, scope, priority, start=start, end=p.end())


def priority_of(p: Cursor) -> int:
    """The priority of `(name := n) (priority := p)`; the name is ignored."""
    found = PRIORITY
    while p.kinds[p.i] == "(":
        name, _, value = p.skip_group()[1:-1].partition(":=")
        if name.strip() == "priority":
            word = value.strip()
            if word not in _PRIORITIES and not (word.isdecimal() and len(word) < 10):
                raise p.unsupported(f"the priority `{word}`")
            found = _PRIORITIES[word] if word in _PRIORITIES else int(word)
    return found


def token_of(p: Cursor) -> NotationItem:
    """The token between the quotes, which must be one token."""
    at = p.error("invalid atom")
    spaced = string(p)
    word = spaced.strip()
    if not word or any(char.isspace() for char in word):
        raise at
    return NotationItem(word, spaced=spaced)


# --- the grammar ------------------------------------------------------------------------------------------------


def extended(grammar: Grammar, command: NotationCmd | SyntaxCmd, key: str) -> Grammar:
    """The grammar with a notation added, whose uses are marked with `key`."""
    items = command.items
    symbols = grammar.symbols | {item.token for item in items if item.token and not is_known(item.token)}
    kind = kind_of(items[0].token or items[1].token or "")
    if items[0].token is not None:
        reader = Leading(command.prec, command.priority, _leading(command, key))
        older = grammar.leading.get(kind)
        if isinstance(older, LeadingChoice):
            known = older.readers
        else:
            known = () if older is None else (Leading(None, PRIORITY, older),)
        arg_start = grammar.arg_start | {kind} if command.prec >= MAX_PREC - 1 else grammar.arg_start
        leading = dict(grammar.leading)
        leading[kind] = LeadingChoice((*known, reader))
        return grammar._replace(leading=leading, symbols=symbols, arg_start=arg_start)
    follower = Trailing(command.prec, items[0].prec, command.priority, _trailing(command, key))
    choice = grammar.trailing.get(kind)
    if isinstance(choice, TrailingChoice):
        readers = choice.readers
    else:
        readers = (operator(grammar.infix[kind], kind),) if kind in grammar.infix else ()
    trailing = dict(grammar.trailing)
    trailing[kind] = TrailingChoice((*readers, follower))
    return grammar._replace(symbols=symbols, trailing=trailing)


def is_known(token: str) -> bool:
    """Return whether a token is one of Lean's own."""
    tokens = tokenize(token)
    return len(tokens.kinds) == 2 and tokens.kinds[0] == token


def kind_of(token: str) -> str:
    """The kind that the lexer gives a token of this text."""
    return tokenize(token, frozenset({token})).kinds[0]


Argument = Node | tuple[Node, ...]


def arguments(p: Cursor, items: tuple[NotationItem, ...], args: list[Argument]) -> None:
    """Reads the remaining pieces of a notation."""
    for item in items:
        if item.token is not None:
            p.expect(kind_of(item.token))
        elif item.kind.startswith("term,"):
            args.append(_listed(p, item))
        else:
            args.append(_argument(p, item))


def _argument(p: Cursor, item: NotationItem) -> Node:
    if item.kind == "term":
        return argument(p, item.prec)
    start = p.starts[p.i]
    if item.kind == "tactic":
        return blocks.tactic(p)
    if p.kinds[p.i] is IDENT and (item.kind == "ident" or p.word().startswith("$")):
        name, _, kind = p.name().partition(":")
        if kind not in ("", item.kind):
            p.i -= 1
            p.fail(item.kind)
        if name.startswith("$"):
            name = f"{name}:{item.kind}"
        return Ident(name, start=start, end=p.end())
    if item.kind == "num":
        number = p.natural()
        return Num(number, start=start, end=p.end())
    if item.kind == "str":
        text = string(p)
        return Str(text, start=start, end=p.end())
    p.fail("identifier")


def _listed(p: Cursor, item: NotationItem) -> tuple[Node, ...]:
    """Terms between commas; no comma at the end."""
    found: list[Node] = []
    column = p.open()
    if item.kind == "term,+" or p.kinds[p.i] in p.leading:
        found.append(argument(p, item.prec))
        while p.accept(","):
            found.append(argument(p, item.prec))
    p.column = column
    p.brackets -= 1
    p.grow(len(found))
    return tuple(found)


def _use(command: NotationCmd | SyntaxCmd, key: str, args: list[Argument], start: int, end: int) -> Term:
    if isinstance(command, SyntaxCmd):
        return MacroTerm(key, tuple(args), start=start, end=end)
    return NotationTerm(key, tuple(arg for arg in args if isinstance(arg, Term)), start=start, end=end)


def _trailing(command: NotationCmd | SyntaxCmd, key: str) -> Callable[[Cursor, Term, int], Term]:
    def parse(p: Cursor, left: Term, start: int) -> Term:
        args: list[Argument] = [left]
        p.i += 1
        arguments(p, command.items[2:], args)
        p.grow(len(args))
        return _use(command, key, args, start, p.end())

    return parse


def _leading(command: NotationCmd | SyntaxCmd, key: str) -> Callable[[Cursor, int], Term]:
    def parse(p: Cursor, prec: int) -> Term:
        start = p.starts[p.i]
        p.i += 1
        args: list[Argument] = []
        p.enter()
        arguments(p, command.items[1:], args)
        p.leave()
        p.grow(len(args))
        return _use(command, key, args, start, p.end())

    return parse
