"""Source text to tokens, after Lean 4's lexical rules.

A token is four parallel entries of `Tokens`: its kind, where it starts and ends, and its column. The kind of
a keyword or symbol is its canonical text (`->` gives `→`, `forall` gives `∀`); the other kinds are the
constants below. Text that is not a token becomes a last `BAD` token, so that an earlier syntax error comes first.

Source: Lean 4 `src/Lean/Parser/Basic.lean` (identifiers, literals, white space).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from minilean.syntax.digits import MAX_DIGITS

IDENT = "<identifier>"
NUM = "<numeral>"
STR = "<string>"
CHAR = "<character>"
ISTR = "<interpolated string>"  # `s!"..{` or `s!".."`
ISTR_REST = "<rest of an interpolated string>"  # `}..{` or `}.."`
FIELD = "<field index>"  # `.1`
DOT_IDENT = "<dot identifier>"  # `.succ`
HASH = "<hash>"  # `#check`
DOC = "<doc comment>"
EOF = "<end of input>"
BAD = "<bad>"

# Lean's letter-like characters: Latin-1 and Extended-A letters, Greek without λ Π Σ, polytonic Greek, Coptic,
# the letter-like block (ℕ, ℤ, ..) and script letters; then digits, the marks and the subscripts.
_LETTER = (
    "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f"
    "\u0391-\u039f\u03a1\u03a4-\u03a9\u03b1-\u03ba\u03bc-\u03fb"
    "\u1f00-\u1ffe\u2100-\u214f\U0001d49c-\U0001d59f"
)
_LATER = _LETTER + "0-9'!?\u2080-\u2089\u2090-\u209c\u1d62-\u1d6a\u2c7c"
_PART = rf"(?:[{_LETTER}][{_LATER}]*+|«[^«»\n]*»)"
_NAME_START = re.compile(f"[{_LETTER}]")
_NAME = rf"{_PART}(?:\.{_PART})*+"
_SYMBOL = (
    r"#\[|<\$>|<\*>|<\*|\*>|<\|>|<&>|>>=|=<<|<=<|>=>|\|\|\||&&&|\^\^\^|<<<|>>>|×'|\]'|⊕'|Σ'|[()\[\],;{}⟨⟩∧∨→↔≠≤≥∀∃¬λ·←×∘∈∉∣≍▸↑↓⊢↦‹›⦃⦄*%^$?⊕∪∩⊆⊂≈∅Σ`]"
    r"|:=[ₛₐ~]?|::|:[ₛₐ~]?|=>|==|=[ₛₐ~]?|<;>|<->|<\|>|<-|<\||<=|<|->|-|>=|>|\|>\.|\|>|\|\||\||!=|!|@\[|@"
    r"|\.\.|\.\{|\.|/\\|//|/|\\/|&&|\+\+|\+"
)


@cache
def _token(extra: tuple[str, ...]) -> re.Pattern[str]:
    """The expression for one token; `extra` are symbols that the user's notations brought."""
    symbol = "|".join([re.escape(word) for word in extra] + [_SYMBOL])
    # `my+` is longer than the name `my`, and the longer token wins.
    named = "|".join(re.escape(word) for word in extra if _NAME_START.match(word))
    unnamed = f"(?!{named})" if named else ""
    # White space and line comments come first, matched possessively, so that no match backtracks into them.
    return re.compile(
        r"(?:[ \n]+|\r\n|--[^\n]*)*+(?:"
        rf'(s!"(?:[^"\\{{]|\\.)*+["{{])|{unnamed}({_NAME})|(/-)|(\.[0-9]+)|\.({_NAME})|({symbol})'
        r"|(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|[0-9]+(?:_[0-9]+)*)"
        r'|("[^"\\]*(?:\\.[^"\\]*)*")|(\'(?:[^\'\\\n]|\\[^xu]|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4})\')'
        r"|#([a-z_]+)|(\Z)|(.))",
        re.DOTALL,
    )


(
    _G_ISTR, _G_NAME, _G_COMMENT, _G_FIELD, _G_DOT, _G_SYMBOL, _G_NUM, _G_STR, _G_CHAR, _G_HASH, _G_EOF, _G_BAD,
) = range(1, 13)  # fmt: skip
_GROUP_KINDS = {
    _G_ISTR: ISTR, _G_FIELD: FIELD, _G_DOT: DOT_IDENT, _G_NUM: NUM, _G_STR: STR, _G_CHAR: CHAR, _G_HASH: HASH,
}  # fmt: skip
_ISTR_REST = re.compile(r'\}(?:[^"\\{]|\\.)*+["{]', re.DOTALL)

# Words that Lean's own grammar makes tokens, so that they cannot be names. A word that only opens a tactic
# (`left`, `exact`) stays a name. `lemma` is Mathlib's.
_TERM_WORDS = """
    at bif by calc do else exists forall from fun generalizing have if in let match nat_lit nofun nomatch open
    set_option show sorry suffices then using where with Prop Type Sort decreasing_by deriving extends hiding renaming
    termination_by break catch continue finally for return try unless mut panic! unreachable!
"""
_COMMAND_WORDS = """
    abbrev attribute axiom class declare_syntax_cat def elab elab_rules end example export import include
    inductive infix infixl infixr init_quot instance lemma local macro macro_rules mutual namespace
    noncomputable nonrec notation omit opaque partial postfix prefix prelude private protected scoped section
    structure syntax theorem universe unsafe variable
"""
KEYWORDS = {word: word for word in (_TERM_WORDS + _COMMAND_WORDS).split()} | {"_": "_", "forall": "∀"}
_CANONICAL = {
    "->": "→", "<-": "←", "<->": "↔", "/\\": "∧", "\\/": "∨", "<=": "≤", ">=": "≥", "$": "<|", "λ": "fun",
}  # fmt: skip

_BAD_TEXTS = {
    "\t": "tabs are not allowed; please configure your editor to expand them",
    "\r": "isolated carriage returns are not allowed",
    '"': "unterminated string literal",
    "«": "unterminated identifier escape",
    "'": "missing end of character literal",
    "#": "unsupported: literals of bit vectors",
}
_BRACES = {"{": 1, ".{": 1, "}": -1}
_NAME_ONLY = re.compile(_NAME)
_QUOTED = re.compile(rf"«[{_LETTER}][{_LATER}]*»")
_DECIMALS = re.compile(rf"\.[0-9{_LETTER}]")
_COMMENT_MARK = re.compile(r"/-|-/")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class Tokens:
    """A token stream; entry `i` of each list belongs to token `i`, and the last one is `EOF` or `BAD`."""

    kinds: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    bad: str = ""
    """The message for the `BAD` token."""
    holes: list[int] = field(default_factory=list)
    """For each open interpolated string, the number of braces that are open in its hole."""


def tokenize(text: str, symbols: frozenset[str] = frozenset()) -> Tokens:
    """Splits `text` into tokens; never fails and takes time linear in its length.

    Half a surrogate pair anywhere in `text` makes it one `BAD` token: such a text cannot be encoded, nor could what
    is printed of it.

    Args:
        text: the source.
        symbols: tokens besides Lean's own; those that look like names become keywords.
    """
    if (half := _SURROGATE.search(text)) is not None:
        return _not_unicode(text, half.start())
    words = {word: word for word in symbols if _NAME_ONLY.fullmatch(word)}
    token = _token(tuple(sorted(symbols - words.keys(), key=lambda word: (-len(word), word))))
    keywords = {**KEYWORDS, **words} if words else KEYWORDS
    tokens = Tokens()
    position = 0
    while position >= 0:
        position = _scan(text, position, tokens, token, keywords)
    if "\n" in text:
        tokens.columns = _columns(text, tokens)
    else:
        tokens.columns = tokens.starts.copy()
    return tokens


def _not_unicode(text: str, position: int) -> Tokens:
    tokens = Tokens([BAD], [position], [position + 1])
    tokens.columns = _columns(text, tokens)
    tokens.bad = f"the text is not valid Unicode: U+{ord(text[position]):04X} is half a surrogate pair"
    return tokens


def _scan(text: str, position: int, tokens: Tokens, token: re.Pattern[str], keywords: dict[str, str]) -> int:
    """Reads up to a block comment or the end of a hole and returns the offset after it, or -1 at the end."""
    kinds, starts, ends = tokens.kinds, tokens.starts, tokens.ends
    for match in token.finditer(text, position):
        group = match.lastindex or _G_EOF
        start, end = match.span(group)
        if group == _G_NAME:
            kinds.append(keywords.get(match[group], IDENT))
        elif group == _G_SYMBOL:
            word = match[group]
            if tokens.holes and word == "}" and tokens.holes[-1] == 0:
                return _rest_of_string(text, start, tokens)
            if tokens.holes and word in _BRACES:
                tokens.holes[-1] += _BRACES[word]
            kinds.append(_CANONICAL.get(word, word))
        elif group == _G_COMMENT:
            return _comment(text, start, tokens)
        elif group == _G_EOF:
            kinds.append(EOF)
        else:
            kinds.append(_GROUP_KINDS.get(group, BAD))
            if group == _G_BAD:
                tokens.bad = _BAD_TEXTS.get(text[start], "expected token")
            elif group in (_G_DOT, _G_HASH):
                start -= 1
                if text[start : end + 1] == "#v[":
                    kinds[-1], tokens.bad = BAD, "unsupported: literals of vectors"
            elif group in (_G_NUM, _G_FIELD):
                _check_numeral(text, start, end, tokens)
            elif group == _G_ISTR and text[end - 1] == "{":
                tokens.holes.append(0)
        starts.append(start)
        ends.append(end)
        if kinds[-1] is EOF or kinds[-1] is BAD:
            return -1
    return -1


def _check_numeral(text: str, start: int, end: int, tokens: Tokens) -> None:
    if end - start > MAX_DIGITS:
        tokens.kinds[-1], tokens.bad = BAD, f"unsupported: numerals of more than {MAX_DIGITS} digits"
    elif tokens.kinds[-1] is NUM and _DECIMALS.match(text, end):
        tokens.kinds[-1], tokens.bad = BAD, "unsupported: decimal numerals"


def _rest_of_string(text: str, start: int, tokens: Tokens) -> int:
    """Reads the text after a hole of an interpolated string, from the brace at `start` on."""
    found = _ISTR_REST.match(text, start)
    end = len(text) if found is None else found.end()
    tokens.kinds.append(BAD if found is None else ISTR_REST)
    tokens.starts.append(start)
    tokens.ends.append(end)
    if found is None:
        tokens.bad = _BAD_TEXTS['"']
        return -1
    if text[end - 1] == '"':
        tokens.holes.pop()
    return end


def _comment(text: str, start: int, tokens: Tokens) -> int:
    """Skips the block comment at `start`, keeping a `DOC` token for a doc comment."""
    depth, position = 0, start
    while True:
        mark = _COMMENT_MARK.search(text, position)
        if mark is None:
            tokens.kinds.append(BAD)
            tokens.starts.append(start)
            tokens.ends.append(len(text))
            tokens.bad = "unterminated comment"
            return -1
        position = mark.end()
        depth += 1 if mark[0] == "/-" else -1
        if depth == 0:
            break
    if text.startswith(("/--", "/-!"), start) and position > start + len("/--/"):
        tokens.kinds.append(DOC)
        tokens.starts.append(start)
        tokens.ends.append(position)
    return position


def _columns(text: str, tokens: Tokens) -> list[int]:
    columns = []
    line_start = previous = 0
    for start in tokens.starts:
        newline = text.rfind("\n", previous, start)
        if newline >= 0:
            line_start = newline + 1
        columns.append(start - line_start)
        previous = start
    return columns


def plain_name(word: str) -> str:
    """A name as Lean's own values hold it: `«x»` is `x`; parts that need their marks keep them."""
    if "«" not in word:
        return word
    parts = split_name(word)
    return ".".join(part[1:-1] if _QUOTED.fullmatch(part) else part for part in parts)


def split_name(word: str) -> list[str]:
    """The components of a dotted name; a dot inside `«..»` does not split."""
    if "«" not in word:
        return word.split(".")
    parts, part_start, quoted = [], 0, False
    for i, char in enumerate(word):
        if char in "«»":
            quoted = char == "«"
        elif char == "." and not quoted:
            parts.append(word[part_start:i])
            part_start = i + 1
    return [*parts, word[part_start:]]
