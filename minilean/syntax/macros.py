"""The user's macros: `syntax`, `macro_rules` and `macro`, with plain templates, and the grammar that they extend.

In a quotation `$x`, `$x:kind` and `$xs,*` are read as identifiers of these names, which no other text can write.

Source: Lean 4 `src/Lean/Elab/Syntax.lean`, `Macro.lean`, `MacroRules.lean`, `src/Lean/Parser/Term.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from minilean.syntax import blocks
from minilean.syntax.ast import (
    Choice,
    MacroCmd,
    MacroRules,
    MacroTerm,
    MacroUse,
    NotationItem,
    SyntaxCmd,
    TacSeq,
    Tactic,
    Term,
)
from minilean.syntax.choices import longest
from minilean.syntax.cursor import Cursor, Grammar
from minilean.syntax.lexer import EOF, IDENT, NUM, STR, tokenize
from minilean.syntax.notation import LEAD_PREC
from minilean.syntax.notations import (
    PRECEDENCES,
    Argument,
    arguments,
    is_known,
    precedence,
    priority_of,
    token_of,
)
from minilean.syntax.terms import MAX_PREC, term

KINDS = ("term", "ident", "num", "str", "tactic")
_READ_BY_LEAN = ("#v[",)
"""Beginnings of Lean's own terms that only Lean reads, so that syntax that begins with them is ambiguous there."""
_CATEGORIES = ("term", "tactic")


# --- commands -------------------------------------------------------------------------------------------------


def syntax(p: Cursor, kind: str, start: int, scope: str) -> SyntaxCmd:
    """`syntax:65 term:65 " ⊕⊕ " term:66 : term` after its keyword."""
    return _syntax(p, start, scope, named=False)


def macro(p: Cursor, kind: str, start: int, scope: str) -> MacroCmd:
    """`macro "word" x:term : tactic => `(tactic| exact $x)` after its keyword."""
    command = _syntax(p, start, scope, named=True)
    p.expect("=>")
    template = _template(p, command.category)
    return MacroCmd(command, template, scope, start=start, end=p.end())


def macro_rules(p: Cursor, kind: str, start: int, scope: str) -> MacroRules:
    """``macro_rules | `(pattern) => `(template)`` after its keyword, with one or more rules."""
    rules: list[tuple[MacroTerm | MacroUse, Term | TacSeq]] = []
    if p.kinds[p.i] == "(":
        raise p.unsupported("`macro_rules` for a kind")
    if p.kinds[p.i] != "|":
        p.fail("'|'")
    while p.accept("|"):
        pattern = _pattern(p)
        p.expect("=>")
        rules.append((pattern, _template(p, "term" if isinstance(pattern, MacroTerm) else "tactic")))
    return MacroRules(tuple(rules), scope, start=start, end=p.end())


def _syntax(p: Cursor, start: int, scope: str, named: bool) -> SyntaxCmd:
    prec = precedence(p, -1)
    priority = priority_of(p)
    items: list[NotationItem] = []
    while p.kinds[p.i] != ":":
        items.append(_item(p, named))
    p.expect(":")
    category = p.name()
    if category not in _CATEGORIES:
        p.i -= 1
        raise p.unsupported(f"syntax of the category `{category}`")
    if not items or (items[0].token is None and category == "tactic"):
        raise p.unsupported("syntax that does not start with a token")
    if items[0].token is None and (items[0].kind != "term" or len(items) < 2 or items[1].token is None):
        raise p.unsupported("syntax that does not start with a token, or with a term and a token")
    if prec < 0:
        prec = MAX_PREC if items[0].token and items[-1].token else LEAD_PREC
    return SyntaxCmd(category, prec, tuple(items), scope, priority, start=start, end=p.end())


def _item(p: Cursor, named: bool) -> NotationItem:
    """A token, or an argument: `term:65` in `syntax`, `x:term:65` in `macro`."""
    if p.kinds[p.i] is STR:
        return token_of(p)
    if p.kinds[p.i] is not IDENT:
        raise p.unsupported("syntax with groups of tokens and arguments")
    name = ""
    if named:
        name = p.name()
        if p.kinds[p.i] != ":" or not p.adjacent():
            raise p.unsupported(f"the argument `{name}` of a macro without a name and a kind, as in `x:term`")
        p.i += 1
    if p.word() not in KINDS:
        raise p.unsupported(f"arguments of the kind `{p.word()}`")
    kind = p.name()
    if kind == "term" and p.kinds[p.i] == "," and p.adjacent():
        mark = p.text[p.starts[p.i] : p.starts[p.i] + 3]
        if mark[1:2] not in ("*", "+") or mark[2:] == ",":
            raise p.unsupported("lists of arguments other than `term,*` and `term,+`")
        p.i += 2
        return NotationItem(name=name, kind=f"term{mark[:2]}")
    written = p.kinds[p.i + 1] is NUM or p.text[p.starts[p.i + 1] : p.ends[p.i + 1]] in PRECEDENCES
    prec = precedence(p, 0) if p.kinds[p.i] == ":" and written else 0
    if p.kinds[p.i] in ("?", "*", "+") and p.adjacent():
        raise p.unsupported("arguments that may be absent or repeated, other than `term,*` and `term,+`")
    return NotationItem(name=name, prec=prec, kind=kind)


# --- quotations -----------------------------------------------------------------------------------------------


def _pattern(p: Cursor) -> MacroTerm | MacroUse:
    category, column = _quotation(p), p.open()
    start = p.i
    found = term(p) if category == "term" else blocks.tactic(p)
    if isinstance(found, Choice) or p.text.startswith(_READ_BY_LEAN, p.starts[start]):
        p.i = start
        raise p.error(
            "invalid macro_rules alternative, multiple interpretations for pattern (solution: specify node kind using "
            "`macro_rules (kind := <kind>) ...`)"
        )
    if not isinstance(found, MacroTerm | MacroUse):
        p.i = start
        raise p.unsupported("`macro_rules` for syntax which `syntax` has not declared")
    p.close(")", column)
    return found


def _template(p: Cursor, category: str) -> Term | TacSeq:
    if _quotation(p) != category:
        raise p.unsupported(f"a macro of the category {category} with a template of another category")
    column = p.open()
    found = term(p) if category == "term" else blocks.block(p)
    p.close(")", column)
    return found


def _quotation(p: Cursor) -> str:
    """The beginning `` `( ``, `` `(term| `` or `` `(tactic| `` of a quotation, and its category."""
    if p.kinds[p.i] != "`":
        raise p.unsupported("macros whose value is computed")
    p.i += 1
    p.expect("(")
    _join_places(p)
    if p.kinds[p.i] is not IDENT or p.kinds[p.i + 1] != "|":
        return "term"
    category = p.name()
    if category not in _CATEGORIES:
        p.i -= 1
        raise p.unsupported(f"quotations of the category `{category}`")
    p.i += 1
    return category


def _join_places(p: Cursor) -> None:
    """Make identifiers of `$x`, `$x:kind` and `$xs,*` up to the end of the quotation."""
    depth, i = 1, p.i
    while depth and p.kinds[i] is not EOF:
        word = p.text[p.starts[i] : p.ends[i]]
        depth += word.endswith("(") - word.startswith(")")
        if word == "$" and p.starts[i + 1] == p.ends[i]:
            _join_place(p, i)
        i += 1
    p.memo.clear()  # it knows tokens by their numbers


def _join_place(p: Cursor, i: int) -> None:
    """Join the tokens of one place, from its `$` on."""

    def follows(at: int) -> bool:
        return p.starts[at] == p.ends[at - 1]

    if p.kinds[i + 1] is not IDENT:
        _refuse(p, i, "antiquotations other than `$x`, `$x:kind` and `$xs,*`")
    last = i + 1
    if "." in p.text[p.starts[last] : p.ends[last]]:
        _refuse(p, i, "`$x.f` in a quotation; write `($x).f`")
    if p.kinds[last + 1] == ":" and follows(last + 1) and p.kinds[last + 2] is IDENT and follows(last + 2):
        last += 2
        kind = p.text[p.starts[last] : p.ends[last]]
        if kind not in KINDS:
            _refuse(p, i, f"antiquotations of the kind `{kind}`")
        if p.kinds[last + 1] == "," and follows(last + 1) and p.text.startswith("*", p.ends[last + 1]):
            _refuse(p, i, f"`$x:{kind},*` in a quotation; write `$x,*`")
    elif p.kinds[last + 1] == "," and follows(last + 1) and p.text.startswith("*", p.ends[last + 1]):
        last += 2
    elif p.kinds[last + 1] in ("*", "?", "+") and follows(last + 1):
        _refuse(p, i, "antiquotations other than `$x`, `$x:kind` and `$xs,*`")
    p.kinds[i : last + 1] = [IDENT]
    p.ends[i : last + 1] = [p.ends[last]]
    del p.starts[i + 1 : last + 1]
    del p.columns[i + 1 : last + 1]


def _refuse(p: Cursor, i: int, what: str) -> NoReturn:
    p.i = i
    raise p.unsupported(what)


# --- the grammar ----------------------------------------------------------------------------------------------


def with_tactic(
    grammar: Grammar, command: SyntaxCmd, make: Callable[[tuple[Argument, ...], int, int], Tactic]
) -> Grammar:
    """The grammar with a tactic of the user, which `make` makes of its arguments, start and end.

    Of several tactics with one first word the longest parse is taken; of two of one length, the latest.
    """
    first, *rest = command.items
    word = first.token or ""
    older = grammar.tactics.get(word)

    def read(p: Cursor, start: int) -> Tactic:
        args: list[Argument] = []
        p.enter()
        arguments(p, tuple(rest), args)
        p.leave()
        return make(tuple(args), start, p.end())

    def parse(p: Cursor, name: str, start: int) -> Tactic:
        if older is None:
            return read(p, start)
        return longest(p, [(0, lambda: older(p, name, start)), (1, lambda: read(p, start))])[0]

    tokens = {item.token for item in rest if item.token and not is_known(item.token)}
    # the first word of a tactic stays a name
    if tokenize(word).kinds[0] is not IDENT and not is_known(word):
        tokens.add(word)
    return grammar._replace(tactics={**grammar.tactics, word: parse}, symbols=grammar.symbols | tokens)
