"""Tactics and `rcases` patterns: one class a construct."""

from __future__ import annotations

from minilean.syntax.ast.base import Node, TacSeq, Tactic, Term, node
from minilean.syntax.ast.terms import Binder, Calc, FunMatch, Match, Termination


@node(frozen=True)
class RPat(Node):
    """`kind`: `name` (`_`, `rfl` and `-` included), `tuple` (⟨..⟩), `alts` (p | q), `typed` (p : type)."""

    kind: str
    name: str = ""
    items: tuple[RPat, ...] = ()
    type: Term | None = None


@node(frozen=True)
class Location(Node):
    """`at h1 h2 ⊢`, `at *`. Absent means the target."""

    hyps: tuple[str, ...] = ()
    target: bool = False
    wildcard: bool = False


@node(frozen=True)
class Simple(Tactic):
    """A tactic without arguments: `skip`, `done`, `rfl`, `left`, ...; `symm` may have a location."""

    name: str
    location: Location | None = None


@node(frozen=True)
class NumTactic(Tactic):
    """A tactic with an optional number: `congr`, `congr 2`, `rotate_left`, `rotate_right 2`."""

    name: str
    num: int | None = None


@node(frozen=True)
class TermTactic(Tactic):
    """A tactic with one term: `exact apply refine refine' specialize show change`."""

    name: str
    term: Term
    location: Location | None = None


@node(frozen=True)
class TermsTactic(Tactic):
    """A tactic with a comma-separated list of terms: `exists a, b`, `exacts [a, b]`."""

    name: str
    terms: tuple[Term, ...]


@node(frozen=True)
class NamesTactic(Tactic):
    """A tactic with identifiers.

    `clear h`, `revert h`, `subst h`, `unfold f g (at ..)`, `rename_i x y`, `ext x y`, `funext x`, ..
    """

    name: str
    names: tuple[str, ...]
    location: Location | None = None


@node(frozen=True)
class Rename(Tactic):
    """`rename type => name`."""

    type: Term
    name: str


@node(frozen=True)
class Intro(Tactic):
    """`intro x _ ⟨a, b⟩ (h : p) rfl`: terms used as patterns (Ident, Hole, AnonCtor, Ascription)."""

    patterns: tuple[Term, ...]


@node(frozen=True)
class RIntro(Tactic):
    """`rintro p1 p2`."""

    patterns: tuple[RPat, ...]


@node(frozen=True)
class Ext(Tactic):
    """`ext p1 p2 : depth`."""

    patterns: tuple[RPat, ...]
    depth: int


@node(frozen=True)
class RCases(Tactic):
    """`rcases h : e with p` (pattern optional) and `obtain p : type := e`."""

    name: str
    eq_name: str | None
    term: Term | None
    pattern: RPat | None
    type: Term | None = None
    more: tuple[Term, ...] = ()
    """Further terms, in `rcases e, d with ..`."""


@node(frozen=True)
class CaseAlt(Node):
    """`| ctor x y => tactics`.

    `ctors` holds the heads and the names after each, several for `| a | b => ..`; `explicit` is for `@ctor`.
    `body` is `None` without `=>`.
    """

    ctors: tuple[tuple[str, tuple[str, ...]], ...]
    body: TacSeq | None
    explicit: bool = False
    hole: str | None = None
    """`"?_"`/`"_"`-like body `=> ?_` is given as the hole's text and `body` is `None`."""


@node(frozen=True)
class Cases(Tactic):
    """`cases`/`induction` (the `kind`) `h : e` `using r` `generalizing xs` `with (tac)? alts`."""

    kind: str
    targets: tuple[tuple[str | None, Term], ...]
    using: Term | None = None
    generalizing: tuple[str, ...] = ()
    pre: Tactic | None = None
    alts: tuple[CaseAlt, ...] | None = None


@node(frozen=True)
class HaveTac(Tactic):
    """`have name binders : type := value`; `kind`: `have`, `let`, `suffices`, `replace`.

    Core Lean always wants a value, so the parser never leaves it `None`; a `suffices` has its justification.
    """

    kind: str
    name: str | None
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term | None
    pattern: RPat | None = None


@node(frozen=True)
class RwRule(Node):
    """`← e` or `e`."""

    symm: bool
    term: Term


@node(frozen=True)
class Rw(Tactic):
    """`rw [rules] at loc`; `name`: `rw`, `rewrite`, `erw`, `rwa`."""

    name: str
    rules: tuple[RwRule, ...]
    location: Location | None = None
    config: tuple[str, ...] = ()


@node(frozen=True)
class SimpArg(Node):
    """`e`, `← e`, `-e`, `*`, `↓ e`/`↑ e`. `term` is `None` for `*`."""

    term: Term | None
    symm: bool = False
    erase: bool = False
    post: bool = True


@node(frozen=True)
class Simp(Tactic):
    """`simp`, `simp_all`, `dsimp`, `simpa`, `simp?`, `simp_arith`, ..; `using` for `simpa using e`."""

    name: str
    only: bool
    args: tuple[SimpArg, ...]
    location: Location | None = None
    config: tuple[str, ...] = ()
    using: Term | None = None


@node(frozen=True)
class ByCases(Tactic):
    """`by_cases h : p`."""

    name: str | None
    prop: Term


@node(frozen=True)
class Generalize(Tactic):
    """`generalize h : e = x, ... at loc`."""

    args: tuple[tuple[str | None, Term, str], ...]
    location: Location | None = None


@node(frozen=True)
class Injection(Tactic):
    """`injection e with h1 h2`."""

    term: Term
    names: tuple[str, ...]


@node(frozen=True)
class Split(Tactic):
    """`split`, `split at h`."""

    location: Location | None = None


@node(frozen=True)
class CalcTac(Tactic):
    """`calc steps`."""

    calc: Calc


@node(frozen=True)
class Seq1(Tactic):
    """`(tactics)`."""

    block: TacSeq


@node(frozen=True)
class WithOption(Tactic):
    """`set_option name value in tactics`."""

    name: str
    value: str
    block: TacSeq


@node(frozen=True)
class Expansion(Tactic):
    """The tactics that a macro of the user expands to."""

    block: TacSeq


@node(frozen=True)
class MacroUse(Tactic):
    """A tactic of the command `syntax`, whose first word is `word`; `macro_rules` say what it expands to."""

    word: str
    key: str
    args: tuple[Node | tuple[Node, ...], ...] = ()


@node(frozen=True)
class TacticPlace(Tactic):
    """`$t` in the place of a tactic, in the pattern or template of a macro."""

    name: str


@node(frozen=True)
class LetRecTac(Tactic):
    """`let rec name binders : type := value` in a proof."""

    name: str
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term
    termination: Termination | None = None


@node(frozen=True)
class Bullet(Tactic):
    """`· tactics` (or `.`)."""

    block: TacSeq


@node(frozen=True)
class AndThen(Tactic):
    """`t <;> s`."""

    first: Tactic
    second: Tactic


@node(frozen=True)
class Block(Tactic):
    """A combinator over a block.

    `try repeat repeat' repeat1' all_goals any_goals focus fail_if_success show_term`, `iterate` with `count`.
    """

    name: str
    block: TacSeq
    count: int | None = None


@node(frozen=True)
class First(Tactic):
    """`first | a | b`."""

    alts: tuple[TacSeq, ...]


@node(frozen=True)
class CaseTac(Tactic):
    """`case tag x y => tactics`, several tags with `|`; `next x => ..` has the tag `_`.

    `kind`: `case`, `case'` or `next`.
    """

    kind: str
    tags: tuple[tuple[str, tuple[str, ...]], ...]
    block: TacSeq


@node(frozen=True)
class IfTac(Tactic):
    """`if h : c then tactics else tactics`; a branch is a block, `_` or `?name`."""

    name: str | None
    cond: Term
    then: TacSeq | Term
    orelse: TacSeq | Term


@node(frozen=True)
class MatchTac(Tactic):
    """`match d with | p => tactics`, `intro | p => tactics`; each body is a `By` or a term hole."""

    match: Match | FunMatch


@node(frozen=True)
class Omega(Tactic):
    """`decide` with options, `omega`: closing procedures that take a configuration."""

    name: str
    config: tuple[str, ...] = ()


@node(frozen=True)
class GrindArg(Node):
    """An argument of `grind`: `thm`, `= thm`, `→ thm`, `-thm`; `modifier` is the text in front of the term."""

    term: Term
    modifier: str = ""
    erase: bool = False


@node(frozen=True)
class Grind(Tactic):
    """`grind`, `grind only`, with options and arguments."""

    only: bool
    args: tuple[GrindArg, ...]
    config: tuple[str, ...] = ()


@node(frozen=True)
class Guard(Tactic):
    """`guard_hyp h : type := value`, `guard_target = type`: `how` is `~`, `ₛ`, `ₐ` or `""`."""

    hypothesis: str | None
    type: Term | None
    how: str
    value: Term | None = None
    how_value: str = ""


@node(frozen=True)
class Trace(Tactic):
    """`trace "text"`, or `trace_state` if `text` is `None`."""

    text: str | None


@node(frozen=True)
class Fail(Tactic):
    """`fail` or `fail "message"`."""

    message: str | None


@node(frozen=True)
class Refused(Tactic):
    """A tactic that is known but refused: `sorry`, `admit`, `native_decide`, Mathlib's, ..."""

    name: str
    reason: str
