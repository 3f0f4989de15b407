"""Character and string literals as terms.

`'a'` is `Char.ofNat 97`, as in Lean. `"ab"` is `String.literal ['a', 'b']`, where Lean has a literal of the kernel;
sources cannot name `String.literal`, and an application of it is printed as the literal.

Source: Lean 4 `src/Lean/Elab/BuiltinTerm.lean`, `elabStrLit` and `elabCharLit` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import Expr, Lit, get_app, is_app_of, mk_app, mk_apps, mk_const, mk_lit
from minilean.kernel.level import ZERO

STRING_LITERAL = "String.literal"
CHAR = mk_const("Char")
_NIL = mk_app(mk_const("List.nil", (ZERO,)), CHAR)
_CONS = mk_app(mk_const("List.cons", (ZERO,)), CHAR)


def char_of_code(code: int) -> str:
    """The character of a number as Lean's `Char.ofNat` makes it: 0 for a surrogate and for what is too large.

    Texts from here can always be encoded; no other place makes characters of the numbers of a source.
    """
    return chr(code) if _is_char(code) else "\0"


def mk_char(char: str) -> Expr:
    """The literal of one character."""
    return mk_app(mk_const("Char.ofNat"), mk_lit(ord(char)))


def mk_string(text: str) -> Expr:
    """The literal of a text; the term is as long as the text."""
    chars: Expr = _NIL
    for char in reversed(text):
        chars = mk_apps(_CONS, (mk_char(char), chars))
    return mk_app(mk_const(STRING_LITERAL), chars)


def text_value(e: Expr) -> str | None:
    """The text of a character or string literal, `None` for other terms."""
    if is_app_of(e, "Char.ofNat", 1):
        return _char_value(e)
    return string_value(get_app(e)[1][0]) if is_app_of(e, STRING_LITERAL, 1) else None


def string_value(chars: Expr) -> str | None:
    """The text of a list of character literals."""
    out: list[str] = []
    rest = chars
    while is_app_of(rest, "List.cons", 3):
        _, (_, head, rest) = get_app(rest)
        char = _char_value(head)
        if char is None:
            return None
        out.append(char)
    return "".join(out) if is_app_of(rest, "List.nil", 1) else None


def _char_value(e: Expr) -> str | None:
    if not is_app_of(e, "Char.ofNat", 1):
        return None
    code = get_app(e)[1][0]
    if type(code) is not Lit or type(code.value) is not int:
        return None
    return char_of_code(code.value) if _is_char(code.value) else None


def _is_char(code: int) -> bool:
    return code < 0xD800 or 0xDFFF < code < 0x110000
