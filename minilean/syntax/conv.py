"""`conv` blocks: tactics that go to one place of a term and rewrite it.

Source: Lean 4 `src/Init/Conv.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.syntax.ast import Node, Rw, Simp, TacSeq, Tactic, Term
from minilean.syntax.ast.base import node
from minilean.syntax.blocks import block
from minilean.syntax.cursor import Cursor
from minilean.syntax.lexer import NUM
from minilean.syntax.tactics import TACTICS as TERM_TACTICS
from minilean.syntax.tactics import TacticParser, names
from minilean.syntax.terms import term


@node(frozen=True)
class ConvStep(Node):
    """One conv tactic: its name and whatever it takes.

    Attributes:
        name: `lhs`, `arg`, `enter`, `rw`, ...
        number: Of `arg n`; `arg -n` counts from the end.
        implicit: Whether it was `arg @n`.
        names: Of `ext x y`, `unfold f`.
        term: Of `change t`, `pattern t`.
        tactic: The `rw` or `simp` that is run at the place.
        blocks: Conv blocks inside.
        tactics: The block of `tactic => ..`.
        steps: What `enter [..]` lists.
    """

    name: str
    number: int = 0
    implicit: bool = False
    names: tuple[str, ...] = ()
    term: Term | None = None
    tactic: Rw | Simp | None = None
    blocks: tuple[Sequence, ...] = ()
    tactics: TacSeq | None = None
    steps: tuple[ConvStep, ...] = ()


@node(frozen=True)
class Sequence(Node):
    """Conv tactics, run one after another."""

    steps: tuple[ConvStep, ...]


@node(frozen=True)
class Conv(Tactic):
    """`conv at h in pattern => steps`."""

    hypothesis: str | None
    pattern: Term | None
    body: Sequence


def _conv(p: Cursor, name: str, start: int) -> Tactic:
    hypothesis = None
    if p.accept("at"):
        hypothesis = p.name()
    pattern = None
    if p.accept("in"):
        pattern = _pattern(p)
    p.expect("=>")
    body = _sequence(p)
    return Conv(hypothesis, pattern, body, start=start, end=p.end())


def _pattern(p: Cursor) -> Term:
    if p.kinds[p.i] == "(" and p.text[p.starts[p.i + 1] : p.ends[p.i + 1]] == "occs":
        raise p.unsupported("`in (occs := ..)`")
    return term(p)


def _sequence(p: Cursor) -> Sequence:
    """Steps in one column; several on one line are separated by `;`."""
    p.enter()
    start, column = p.starts[p.i], p.columns[p.i]
    saved, p.column = p.column, column
    steps = [_step(p)]
    while True:
        separated = p.accept(";")
        distance = p.columns[p.i] - column
        if distance < 0 or (distance > 0 and not separated) or not _at_step(p):
            break
        steps.append(_step(p))
    p.column = saved
    p.leave()
    return Sequence(tuple(steps), start=start, end=p.end())


def _at_step(p: Cursor) -> bool:
    return p.word() in _STEPS or p.word() in _UNSUPPORTED


def _step(p: Cursor) -> ConvStep:
    first = _one(p)
    while p.accept("<;>"):
        second = _one(p)
        blocks = (Sequence((first,)), Sequence((second,)))
        first = ConvStep("<;>", blocks=blocks, start=first.start, end=p.end())
    return first


def _one(p: Cursor) -> ConvStep:
    start = p.starts[p.i]
    name = p.text[start : p.ends[p.i]]
    parse = _STEPS.get(name)
    if parse is None:
        if name in _UNSUPPORTED:
            raise p.unsupported(f"the conv tactic `{name}`")
        p.fail("'{' or conv")
    p.i += 1
    return parse(p, name, start)


def _plain(p: Cursor, name: str, start: int) -> ConvStep:
    return ConvStep(name, start=start, end=p.end())


def _argument(p: Cursor, name: str, start: int) -> ConvStep:
    implicit = p.accept("@")
    sign = -1 if p.accept("-") else 1
    number = sign * p.natural()
    return ConvStep("arg", number, implicit, start=start, end=p.end())


def _binders(p: Cursor, name: str, start: int) -> ConvStep:
    found = names(p)
    return ConvStep("ext", names=found, start=start, end=p.end())


def _constants(p: Cursor, name: str, start: int) -> ConvStep:
    found = names(p)
    if not found:
        p.fail("identifier")
    return ConvStep(name, names=found, start=start, end=p.end())


def _enter(p: Cursor, name: str, start: int) -> ConvStep:
    p.expect("[")
    column = p.open()
    steps = []
    while p.kinds[p.i] != "]":
        steps.append(_entered(p))
        if not p.accept(","):
            break
    p.close("]", column)
    return ConvStep(name, steps=tuple(steps), start=start, end=p.end())


def _entered(p: Cursor) -> ConvStep:
    start = p.starts[p.i]
    if p.accept("in"):
        found = _pattern(p)
        return ConvStep("pattern", term=found, start=start, end=p.end())
    if p.kinds[p.i] in ("@", "-") or p.kinds[p.i] is NUM:
        return _argument(p, "arg", start)
    x = p.binder_name()
    return ConvStep("ext", names=(x,), start=start, end=p.end())


def _with_term(p: Cursor, name: str, start: int) -> ConvStep:
    found = term(p)
    return ConvStep(name, term=found, start=start, end=p.end())


def _at_place(p: Cursor, name: str, start: int) -> ConvStep:
    """`rw [..]`, `simp ..`: parsed as the tactics are, without a location."""
    tactic = TERM_TACTICS[name](p, name, start)
    assert isinstance(tactic, Rw | Simp)
    if tactic.location is not None:
        raise p.unsupported(f"`{name} .. at ..` inside `conv`")
    return ConvStep(name, tactic=tactic, start=start, end=p.end())


def _tactic_block(p: Cursor, name: str, start: int) -> ConvStep:
    p.expect("=>")
    body = block(p)
    return ConvStep(name, tactics=body, start=start, end=p.end())


def _equals(p: Cursor, name: str, start: int) -> ConvStep:
    found = term(p)
    p.expect("=>")
    body = block(p)
    return ConvStep(name, term=found, tactics=body, start=start, end=p.end())


def _nested(p: Cursor, name: str, start: int) -> ConvStep:
    if name == "conv":
        p.expect("=>")
    body = _sequence(p)
    return ConvStep(name, blocks=(body,), start=start, end=p.end())


def _group(p: Cursor, name: str, start: int) -> ConvStep:
    close = ")" if name == "(" else "}"
    column = p.open()
    body = _sequence(p)
    p.close(close, column)
    return ConvStep("(" if name == "(" else "·", blocks=(body,), start=start, end=p.end())


def _first(p: Cursor, name: str, start: int) -> ConvStep:
    blocks = []
    while p.accept("|"):
        blocks.append(_sequence(p))
    if not blocks:
        p.fail("'|'")
    return ConvStep(name, blocks=tuple(blocks), start=start, end=p.end())


_BY_PARSER: dict[Callable[[Cursor, str, int], ConvStep], str] = {
    _plain: "lhs rhs fun args congr rfl skip done whnf reduce zeta left right trace_state",
    _argument: "arg",
    _binders: "ext intro funext",
    _constants: "unfold delta",
    _enter: "enter",
    _with_term: "apply change pattern",
    _equals: "equals",
    _at_place: "rw rewrite erw simp dsimp",
    _tactic_block: "tactic",
    _nested: "· . conv try repeat all_goals any_goals",
    _group: "( {",
    _first: "first",
}
_STEPS = {name: parse for parse, listed in _BY_PARSER.items() for name in listed.split()}
_UNSUPPORTED = frozenset([
    "case", "case'", "cbv", "clear_value", "decide", "dsimp?", "extract_lets", "fail_if_success", "find", "lift_lets",
    "next", "norm_cast", "norm_num", "push_cast", "ring", "ring_nf", "simp?", "simp_match", "simproc", "split",
])  # fmt: skip
TACTICS: dict[str, TacticParser] = {"conv": _conv}
