"""The user's notations: `notation`, `infixl` and similar commands, `macro`, and the grammar that they extend.

The parser keeps only the shape of a notation; the elaborator replaces it by its meaning.

Source: Lean 4 `src/Lean/Elab/Notation.lean`, `Mixfix.lean`, `src/Lean/Parser/Syntax.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.syntax import blocks
from minilean.syntax.ast import (
    Expansion,
    MacroCmd,
    MacroRules,
    MacroUse,
    NotationCmd,
    NotationItem,
    NotationTerm,
    SyntaxCmd,
    TacSeq,
    Tactic,
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
_PRECEDENCES = {"max": MAX_PREC, "arg": 1023, "lead": 1022, "min": 10}


def precedence(p: Cursor, default: int) -> int:
    """`:65`, `:max`, or the default where none is written."""
    if not p.accept(":"):
        return default
    if p.kinds[p.i] is NUM:
        return p.natural()
    word = p.word()
    if word not in _PRECEDENCES:
        p.fail("precedence")
    p.i += 1
    return _PRECEDENCES[word]


def mixfix(p: Cursor, kind: str, start: int, scope: str) -> NotationCmd:
    """`infixl:65 " + " => f` after its keyword."""
    if p.kinds[p.i] != ":":
        p.fail("':'")
    prec = precedence(p, MAX_PREC)
    priority = _priority(p)
    token = _token(p)
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
    priority = _priority(p)
    items: list[NotationItem] = []
    while p.kinds[p.i] is STR or p.kinds[p.i] is IDENT:
        if p.kinds[p.i] is STR:
            items.append(_token(p))
        else:
            name = p.name()
            items.append(NotationItem(name=name, prec=precedence(p, 0)))
    if not any(item.token for item in items):
        p.fail("string literal")
    p.expect("=>")
    value = term(p)
    if prec < 0:
        prec = MAX_PREC if len(items) == 1 else LEAD_PREC
    return NotationCmd(kind, prec, tuple(items), value, scope, priority, start=start, end=p.end())


def macro(p: Cursor, kind: str, start: int, scope: str) -> MacroCmd:
    """`macro "word" : tactic => `(tactic| tactics)` after its keyword: tactics without arguments only."""
    if p.kinds[p.i] is not STR or p.kinds[p.i + 1] != ":":
        raise p.unsupported('macros other than `macro "word" : tactic => `(tactic| ..)`')
    word = string(p).strip()
    p.expect(":")
    if not p.at_word("tactic"):
        raise p.unsupported("macros other than those of tactics")
    p.i += 1
    p.expect("=>")
    block = _expansion(p)
    return MacroCmd(word, block, scope, start=start, end=p.end())


def syntax(p: Cursor, kind: str, start: int, scope: str) -> SyntaxCmd:
    """`syntax "word" : tactic` after its keyword: tactics without arguments only."""
    if p.kinds[p.i] is not STR or p.kinds[p.i + 1] != ":":
        raise p.unsupported('`syntax` other than `syntax "word" : tactic`')
    word = string(p).strip()
    p.expect(":")
    if not p.at_word("tactic"):
        raise p.unsupported("`syntax` other than that of tactics")
    p.i += 1
    return SyntaxCmd(word, scope, start=start, end=p.end())


def macro_rules(p: Cursor, kind: str, start: int, scope: str) -> MacroRules:
    """``macro_rules | `(tactic| word) => `(tactic| ..)`` after its keyword, with one or more rules."""
    rules: list[tuple[str, TacSeq]] = []
    if p.kinds[p.i] != "|":
        p.fail("'|'")
    while p.accept("|"):
        _quotation(p)
        word = p.word()
        p.i += 1
        if p.kinds[p.i] != ")":
            raise p.unsupported("`macro_rules` of syntax with arguments")
        p.i += 1
        p.expect("=>")
        rules.append((word, _expansion(p)))
    return MacroRules(tuple(rules), scope, start=start, end=p.end())


def _expansion(p: Cursor) -> TacSeq:
    """`` `(tactic| tactics) `` on the right side of a macro."""
    _quotation(p)
    column = p.open()
    block = blocks.block(p)
    p.close(")", column)
    return block


def _quotation(p: Cursor) -> None:
    """The beginning `` `(tactic| `` of a quotation."""
    if p.kinds[p.i] != "`":
        raise p.unsupported("macros whose value is computed")
    p.i += 1
    p.expect("(")
    if not p.at_word("tactic"):
        raise p.unsupported("macros other than those of tactics")
    p.i += 1
    p.expect("|")


def _priority(p: Cursor) -> int:
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


def _token(p: Cursor) -> NotationItem:
    """The token between the quotes, which must be one token."""
    at = p.error("invalid atom")
    spaced = string(p)
    word = spaced.strip()
    if not word or any(char.isspace() for char in word):
        raise at
    return NotationItem(word, spaced=spaced)


# --- the grammar ------------------------------------------------------------------------------------------------


def extended(grammar: Grammar, command: NotationCmd, key: str) -> Grammar:
    """The grammar with a notation added, whose uses are marked with `key`."""
    items = command.items
    symbols = grammar.symbols | {item.token for item in items if item.token and not _is_known(item.token)}
    kind = _kind(items[0].token or items[1].token or "")
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


def with_tactic(grammar: Grammar, word: str, block: TacSeq) -> Grammar:
    """The grammar with a tactic that expands to a block."""

    def parse(p: Cursor, name: str, start: int) -> Tactic:
        return Expansion(block, start=start, end=p.end())

    return grammar._replace(tactics={**grammar.tactics, word: parse})


def with_tactic_word(grammar: Grammar, word: str) -> Grammar:
    """The grammar with a tactic whose expansions are found where it runs."""

    def parse(p: Cursor, name: str, start: int) -> Tactic:
        return MacroUse(word, start=start, end=p.end())

    return grammar._replace(tactics={**grammar.tactics, word: parse})


def _is_known(token: str) -> bool:
    tokens = tokenize(token)
    return len(tokens.kinds) == 2 and tokens.kinds[0] == token


def _kind(token: str) -> str:
    """The kind that the lexer gives a token of this text."""
    return tokenize(token, frozenset({token})).kinds[0]


def _rest(p: Cursor, items: tuple[NotationItem, ...], args: list[Term]) -> None:
    """Reads the remaining pieces of a notation."""
    for item in items:
        if item.token is not None:
            p.expect(_kind(item.token))
        else:
            args.append(argument(p, item.prec))


def _trailing(command: NotationCmd, key: str) -> Callable[[Cursor, Term, int], Term]:
    def parse(p: Cursor, left: Term, start: int) -> Term:
        args = [left]
        p.i += 1
        _rest(p, command.items[2:], args)
        p.grow(len(args))
        return NotationTerm(key, tuple(args), start=start, end=p.end())

    return parse


def _leading(command: NotationCmd, key: str) -> Callable[[Cursor, int], Term]:
    def parse(p: Cursor, prec: int) -> Term:
        start = p.starts[p.i]
        p.i += 1
        args: list[Term] = []
        p.enter()
        _rest(p, command.items[1:], args)
        p.leave()
        p.grow(len(args))
        return NotationTerm(key, tuple(args), start=start, end=p.end())

    return parse
