"""Key of a statement that is equal for renamings of one theorem.

`statement_key` parses a statement of the fragment that the sets are written in and forgets

- the theorem's name, the names of all variables, free or bound, and how binders are grouped;
- the types of variables;
- whether a variable or hypothesis stands before the colon or after it (`(h : p) : q`, `p → q`), in which
  order the variables are bound, and in which order the hypotheses follow each other;
- the notations `¬a` (`a → False`), `a ≠ b`, `a > b`, `a ≥ b`, `[a, b]` (`a :: b :: []`), `{x}` and parentheses;
- which side of a conclusion `a = b` or `a ↔ b` comes first.

It does not forget the order of operands elsewhere: commutativity is a theorem, not a notation. `xs.length` and
`List.length xs` have different keys, since only types tell that they are one term.
"""

from __future__ import annotations

import re
from itertools import permutations

_TOKEN = re.compile(
    r"\s*([A-Za-zα-ωΑ-Ω_][\w'.!?₀-₉]*|\d+|(?<=[)⟩\]])\.[\w'.!?]+|::|\+\+|[()\[\]{}⟨⟩,:]|=>|[∀∃λ→∧∨¬↔=≠+*^\-≤<≥>])"
)
# Lean's levels: own level, level asked of the right operand. `=` and its kin do not chain.
_INFIX = {
    "↔": (20, 21),
    "→": (25, 25),
    "∨": (30, 30),
    "∧": (35, 35),
    **dict.fromkeys("=≠≤<≥>", (50, 51)),
    **dict.fromkeys(["+", "-", "++"], (65, 66)),
    "::": (67, 67),
    "*": (70, 71),
    "^": (75, 75),
}
_BINDERS = {"∀": "all", "∃": "exists", "fun": "fun"}
_MAX_PERMUTED_HYPOTHESES = 5

# A variable, constant or numeral is a string, everything else a tuple that starts with its kind.
_Term = str | tuple[object, ...]


def statement_key(statement: str) -> str:
    """Return a text that two statements share if, and only if, they differ in the listed ways alone.

    Args:
        statement: `theorem name (binders) : proposition`, as in a row of a set.

    Raises:
        ValueError: The statement uses syntax beyond the sets' fragment.
    """
    parser = _Parser(statement)
    variables, hypotheses, conclusion = parser.statement()
    orders = permutations(hypotheses) if len(hypotheses) <= _MAX_PERMUTED_HYPOTHESES else [tuple(hypotheses)]
    conclusions = [conclusion]
    if isinstance(conclusion, tuple) and conclusion[0] in ("=", "↔"):
        conclusions.append((conclusion[0], conclusion[2], conclusion[1]))
    return min(_spell((*order, goal), variables) for order in orders for goal in conclusions)


def _spell(parts: tuple[_Term, ...], variables: set[str]) -> str:
    """Write the parts with the free variables numbered by first occurrence and the bound ones by depth."""
    numbers: dict[str, str] = {}

    def walk(term: _Term, bound: tuple[str, ...]) -> str:
        if isinstance(term, str):
            if term in bound:
                return f"#{len(bound) - 1 - bound[::-1].index(term)}"
            head, _, fields = term.partition(".")
            if fields and (head in bound or head in variables):
                return walk(_projection(head, fields), bound)
            return numbers.setdefault(term, f"v{len(numbers)}") if term in variables else term
        kind, *args = term
        if kind in _BINDERS.values():
            name, body = args
            return f"({kind} {walk(body, (*bound, name))})"  # type: ignore[arg-type]
        return f"({' '.join([str(kind), *(walk(arg, bound) for arg in args)])})"  # type: ignore[arg-type]

    return " ; ".join(walk(part, ()) for part in parts)


class _Parser:
    """A precedence parser for one statement."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = self._tokens()
        self.position = 0

    def statement(self) -> tuple[set[str], list[_Term], _Term]:
        """Parse the whole statement into variables, hypotheses and conclusion."""
        self._expect("theorem")
        self._next()
        variables: set[str] = set()
        hypotheses: list[_Term] = []
        while self._peek() in ("(", "{"):
            names, type_ = self._binder()
            rest = {token.partition(".")[0] for token in self.tokens[self.position :]}
            used = any(name in rest for name in names)
            if used or _is_type(type_):
                variables.update(names)
            else:
                hypotheses += [type_] * len(names)
        self._expect(":")
        goal = self._term(0)
        if self._peek():
            raise self._error("the end of the statement")
        goal = _without_outer_binders(goal, variables, hypotheses)
        return variables, hypotheses, goal

    def _tokens(self) -> list[str]:
        found, position = [], 0
        source = self.source.strip()
        while position < len(source):
            match = _TOKEN.match(source, position)
            if match is None:
                raise ValueError(f"statement: cannot read {source[position : position + 20]!r} in {source!r}")
            found.append(match.group(1))
            position = match.end()
        return found

    def _peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self.position += 1
        return token

    def _expect(self, token: str) -> None:
        if self._next() != token:
            self.position -= 1
            raise self._error(repr(token))

    def _error(self, expected: str) -> ValueError:
        got = self._peek() or "the end"
        return ValueError(f"statement: got {got!r}, expected {expected} in {self.source!r}")

    def _binder(self) -> tuple[list[str], _Term]:
        closing = {"(": ")", "{": "}"}[self._next()]
        names = []
        while self._peek() not in (":", ""):
            names.append(self._next())
        self._expect(":")
        type_ = self._term(0)
        self._expect(closing)
        return names, type_

    def _term(self, level: int) -> _Term:
        left = self._prefix()
        while (operator := self._peek()) in _INFIX and _INFIX[operator][0] >= level:
            self._next()
            left = _operation(operator, left, self._term(_INFIX[operator][1]))
        return left

    def _prefix(self) -> _Term:
        token = self._peek()
        if token in _BINDERS:
            return self._quantified(_BINDERS[self._next()])
        if token == "¬":
            self._next()
            return ("→", self._term(40), "False")
        return self._application()

    def _quantified(self, kind: str) -> _Term:
        names: list[str] = []
        while self._peek() not in (",", "=>", ":", ""):
            if self._peek() == "(":
                names += self._binder()[0]
            else:
                names.append(self._next())
        if self._peek() == ":":
            self._next()
            self._term(0)
        self._expect("=>" if kind == "fun" else ",")
        body = self._term(0)
        for name in reversed(names):
            body = (kind, name, body)
        return body

    def _application(self) -> _Term:
        parts = [self._atom()]
        while self._peek() in ("(", "[", "⟨") or _is_word(self._peek()):
            parts.append(self._atom())
        return parts[0] if len(parts) == 1 else ("app", *parts)

    def _atom(self) -> _Term:
        opening = self._peek()
        if opening not in ("(", "[", "⟨"):
            if not _is_word(opening):
                raise self._error("a term")
            return self._next()
        self._next()
        if opening == "(":
            inner = self._term(0)
            self._expect(")")
        elif opening == "[":
            inner = "[]"
            for member in reversed(self._members("]")):
                inner = ("::", member, inner)
        else:
            inner = ("⟨⟩", *self._members("⟩"))
        return _projection(inner, self._next()[1:]) if self._peek().startswith(".") else inner

    def _members(self, closing: str) -> list[_Term]:
        members: list[_Term] = []
        while self._peek() != closing:
            if members:
                self._expect(",")
            members.append(self._term(0))
        self._expect(closing)
        return members


def _is_word(token: str) -> bool:
    return bool(token) and token not in _BINDERS and (token[0].isalnum() or token[0] == "_")


def _projection(inner: _Term, fields: str) -> _Term:
    """Return the term `inner.a.b` for the fields `a.b`."""
    for field in fields.split("."):
        inner = (f".{field}", inner)
    return inner


def _is_type(term: _Term) -> bool:
    """Return whether a binder of this type is a variable even if nothing mentions it."""
    while isinstance(term, tuple) and term[0] == "→":
        term = term[2]  # type: ignore[assignment]
    return term in ("Prop", "Type", "Nat", "α", "β", "γ")


def _operation(operator: str, left: _Term, right: _Term) -> _Term:
    if operator == "≠":
        return ("→", ("=", left, right), "False")
    if operator in (">", "≥"):
        return ({">": "<", "≥": "≤"}[operator], right, left)
    return (operator, left, right)


def _without_outer_binders(goal: _Term, variables: set[str], hypotheses: list[_Term]) -> _Term:
    while isinstance(goal, tuple) and goal[0] in ("all", "→"):
        if goal[0] == "→":
            hypotheses.append(goal[1])  # type: ignore[arg-type]
        else:
            name = goal[1]
            if name in variables:
                raise ValueError(f"statement: the name {name!r} is bound twice; rename one of the variables")
            variables.add(str(name))
        goal = goal[2]  # type: ignore[assignment]
    return goal
