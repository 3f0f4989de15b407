"""Reads core terms: every argument written out, implicit or not, as in `Eq Nat n (+ n 1)`.

Universe arguments are `c.{u,v}`, or else 1 for the constants in `AT_ONE` and 0 for all others. `1` is the
numeral as users write it, `raw 1` the literal alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from minilean.kernel.environment import Environment
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    STRICT,
    Expr,
    mk_app,
    mk_apps,
    mk_bvar,
    mk_const,
    mk_lam,
    mk_let,
    mk_lit,
    mk_pi,
    mk_proj,
    mk_sort,
)
from minilean.kernel.level import (
    ONE,
    ZERO,
    Level,
    mk_level_mvar,
    mk_max,
    mk_offset,
    mk_param,
    mk_succ,
)

BRACKETS = {"(": (")", DEFAULT), "{": ("}", IMPLICIT), "⦃": ("⦄", STRICT), "[": ("]", INST)}
TOKEN = re.compile(r"\s*(:=|=>|→|⦃|⦄|[(){}\[\]:;,]|[^\s(){}\[\]:;,⦃⦄]+)")
ARITHMETIC = {"+": "HAdd.hAdd", "-": "HSub.hSub", "*": "HMul.hMul", "^": "HPow.hPow", "%": "HMod.hMod"}
ORDER = {"≤": "LE.le", "<": "LT.lt", ">": "GT.gt", "≥": "GE.ge"}
ENDS = ("", ")", "}", "]", "⦄", "→", ":=", ";", ",", ":", "=>")
AT_ONE = ("Eq", "Ne", "Exists", "Subtype", "ite", "dite", "rfl", "id")
NAT = mk_const("Nat")


def read(text: str, env: Environment, locals_: Mapping[str, Expr], mvars: Mapping[str, Expr]) -> Expr:
    """Read a core term over an environment, local variables and metavariables."""
    reader = Reader(TOKEN.findall(text), env, locals_, mvars)
    e = reader.term([])
    assert reader.at == len(reader.tokens), f"rest of {text!r}: {reader.tokens[reader.at :]}"
    return e


class Reader:
    def __init__(
        self, tokens: list[str], env: Environment, locals_: Mapping[str, Expr], mvars: Mapping[str, Expr]
    ) -> None:
        self.tokens = tokens
        self.env = env
        self.locals = locals_
        self.mvars = mvars
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        assert expected is None or token == expected, f"{expected!r} expected, {self.tokens[self.at :]}"
        self.at += 1
        return token

    def is_binder(self) -> bool:
        rest = self.tokens[self.at + 1 :]
        if self.peek() not in BRACKETS or rest[:1] in (["let"], ["have"], ["fun"]):
            return False
        end = next((i for i, t in enumerate(rest) if t in ":()[]{}→=>"), len(rest))
        return 0 < end < len(rest) and rest[end] == ":"

    def binders(self, bound: list[str]) -> Iterator[tuple[str, Expr, int]]:
        closing, info = BRACKETS[self.take()]
        names = []
        while self.peek() != ":":
            names.append(self.take())
        self.take(":")
        start = self.at
        for i, name in enumerate(names):
            self.at = start
            yield name, self.term([*bound, *names[:i]]), info
        self.take(closing)

    def term(self, bound: list[str]) -> Expr:
        word = self.peek()
        if word == "fun":
            self.take()
            return self.quantified(bound, mk_lam, "=>")
        if word in ("let", "have"):
            return self.let(bound)
        if self.is_binder():
            return self.quantified(bound, mk_pi, "→")
        left = self.application(bound)
        if self.peek() != "→":
            return left
        self.take()
        return mk_pi("a✝", left, self.term([*bound, "-"]))

    def quantified(self, bound: list[str], make: Callable[[str, Expr, Expr, int], Expr], end: str) -> Expr:
        groups = list(self.binders(bound))
        inner = [*bound, *[name for name, _type, _info in groups]]
        if self.is_binder():
            body = self.quantified(inner, make, end)
        else:
            self.take(end)
            body = self.term(inner)
        for name, type_, info in reversed(groups):
            body = make(name, type_, body, info)
        return body

    def let(self, bound: list[str]) -> Expr:
        word = self.take()
        name = self.take()
        self.take(":")
        type_ = self.term(bound)
        self.take(":=")
        value = self.term(bound)
        self.take(";")
        return mk_let(name, type_, value, self.term([*bound, name]), word == "have")

    def application(self, bound: list[str]) -> Expr:
        head = self.peek()
        if head in ARITHMETIC or head in ORDER:
            self.take()
            fn = self.arithmetic(ARITHMETIC[head]) if head in ARITHMETIC else self.order(head)
        else:
            fn = self.atom(bound)
        while self.peek() not in ENDS and not self.is_binder():
            fn = mk_app(fn, self.atom(bound))
        return fn

    @staticmethod
    def arithmetic(op: str) -> Expr:
        instance = mk_const("inst" + op.partition(".")[0])
        return mk_apps(mk_const(op, (ZERO, ZERO, ZERO)), [NAT, NAT, NAT, instance])

    @staticmethod
    def order(symbol: str) -> Expr:
        instance = mk_const("instLENat" if symbol in "≤≥" else "instLTNat")
        return mk_apps(mk_const(ORDER[symbol], (ZERO,)), [NAT, instance])

    def atom(self, bound: list[str]) -> Expr:
        token = self.take()
        if token == "(":
            e = self.term(bound)
            self.take(")")
            return e
        if token in ("Type", "Sort"):
            return mk_sort(mk_succ(self.sort_level()) if token == "Type" else self.sort_level())
        if token == "Prop":
            return mk_sort(ZERO)
        if token == "raw":
            return mk_lit(int(self.take()))
        if token == "proj":
            return mk_proj(self.take(), int(self.take()), self.atom(bound))
        if token.isdigit():
            n = mk_lit(int(token))
            instance = mk_app(mk_const("instOfNatNat"), n)
            return mk_apps(mk_const("OfNat.ofNat", (ZERO,)), [NAT, n, instance])
        if token.startswith("?"):
            return self.mvars[token[1:]]
        return self.name(token, bound)

    def name(self, token: str, bound: list[str]) -> Expr:
        for i, name in enumerate(reversed(bound)):
            if name == token:
                return mk_bvar(i)
        if token in self.locals:
            return self.locals[token]
        if token.endswith("."):
            self.take("{")
            levels = [level(self.take())]
            while self.take() == ",":
                levels.append(level(self.take()))
            return mk_const(token[:-1], tuple(levels))
        decl = self.env.find(token)
        count = len(decl.level_params) if decl is not None else 0
        return mk_const(token, (ONE if token.partition(".")[0] in AT_ONE else ZERO,) * count)

    def sort_level(self) -> Level:
        if self.peek() == "(":
            self.take()
            out = self.level_term()
            self.take(")")
            return out
        return level(self.take()) if re.fullmatch(r"u\d?|[vw]|\?u", self.peek()) else ZERO

    def level_term(self) -> Level:
        if self.peek() == "(":
            return self.sort_level()
        token = self.take()
        if token == "max":
            return mk_max(self.level_term(), self.level_term())
        out = level(token)
        if self.peek() == "+":
            self.take()
            out = mk_offset(out, int(self.take()))
        return out


def level(token: str) -> Level:
    if token == "?u":
        return mk_level_mvar(7)
    return mk_offset(ZERO, int(token)) if token.isdigit() else mk_param(token)
