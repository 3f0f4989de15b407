"""Syntax trees: plain values, one class a construct, made by `parser` and read by `elab` and `tactics`.

Every node has `start` and `end`, offsets into the source text it was parsed from.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A piece of source text."""

    start: int = 0
    end: int = 0


# --- terms --------------------------------------------------------------------------------------------------


class Term(Node):
    """Base of all term syntax."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Ident(Term):
    """A possibly dotted name, `Nat.add_comm` or `h.left`; `levels` for `f.{u, 0}`, else `None`."""

    name: str
    levels: tuple[LevelStx, ...] | None = None


@dataclass(frozen=True, slots=True)
class DotIdent(Term):
    """`.succ`: a name whose namespace comes from the expected type."""

    name: str


@dataclass(frozen=True, slots=True)
class Explicit(Term):
    """`@f`."""

    term: Term


@dataclass(frozen=True, slots=True)
class Hole(Term):
    """`_`."""


@dataclass(frozen=True, slots=True)
class NamedHole(Term):
    """`?_` (name `None`) or `?name`."""

    name: str | None


@dataclass(frozen=True, slots=True)
class RawNat(Term):
    """`nat_lit 2`: the number itself, where `2` is `OfNat.ofNat 2`."""

    value: int


@dataclass(frozen=True, slots=True)
class Num(Term):
    """A natural number literal."""

    value: int


@dataclass(frozen=True, slots=True)
class Str(Term):
    """A string literal."""

    value: str


@dataclass(frozen=True, slots=True)
class SortStx(Term):
    """`Prop`, `Type`, `Type u`, `Sort u`; `level` is `None` where none is written."""

    kind: str
    level: LevelStx | None = None


@dataclass(frozen=True, slots=True)
class NamedArg(Node):
    """`(name := value)` in an application."""

    name: str
    value: Term


@dataclass(frozen=True, slots=True)
class App(Term):
    """`fn a1 ... an`, or `fn a1 ... an ..` with holes for the arguments that are left."""

    fn: Term
    args: tuple[Term | NamedArg, ...]
    ellipsis: bool = False


@dataclass(frozen=True, slots=True)
class Proj(Term):
    """`e.1` (field 1-based, an int) or `e.name` where `e` is not a plain identifier."""

    term: Term
    field: str | int


@dataclass(frozen=True, slots=True)
class Binder(Node):
    """One binder group. `kind`: `default`, `implicit`, `strict`, `inst`. A name may be `_`.

    `type` is `None` where none is written. `pattern` is set instead of `names` for `fun ⟨x, y⟩ => ..`. An
    unnamed instance binder `[C a]` has no names. `relation` holds `("∈", term)` or `("<", term)` for binders
    such as `∀ x ∈ l, p` / `∃ x < n, p`.
    """

    names: tuple[str, ...]
    type: Term | None
    kind: str = "default"
    pattern: Term | None = None
    default: Term | None = None
    relation: tuple[str, Term] | None = None


@dataclass(frozen=True, slots=True)
class Fun(Term):
    """`fun binders => body`."""

    binders: tuple[Binder, ...]
    body: Term


@dataclass(frozen=True, slots=True)
class MatchAlt(Node):
    """`| p1, p2 => body`."""

    patterns: tuple[Term, ...]
    body: Term


@dataclass(frozen=True, slots=True)
class FunMatch(Term):
    """`fun | p => e | ...`; `explicit` where the patterns speak of implicit arguments too, as in definitions."""

    alts: tuple[MatchAlt, ...]
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Match(Term):
    """`match h : d1, d2 with | ...`; `discriminants` are (name or `None`, term).

    `motive` is what `(motive := ..)` says; `generalizing` is false after `(generalizing := false)`.
    """

    discriminants: tuple[tuple[str | None, Term], ...]
    alts: tuple[MatchAlt, ...]
    motive: Term | None = None
    generalizing: bool = True


@dataclass(frozen=True, slots=True)
class Forall(Term):
    """`∀ binders, body`."""

    binders: tuple[Binder, ...]
    body: Term


@dataclass(frozen=True, slots=True)
class Exists(Term):
    """`∃ binders, body`."""

    binders: tuple[Binder, ...]
    body: Term


@dataclass(frozen=True, slots=True)
class Arrow(Term):
    """`domain → codomain`."""

    domain: Term
    codomain: Term


@dataclass(frozen=True, slots=True)
class DepArrow(Term):
    """`(x : A) → B` with one binder group of any kind."""

    binder: Binder
    codomain: Term


@dataclass(frozen=True, slots=True)
class BinOp(Term):
    """An infix operator, `op` as written but canonical.

    One of `∧ ∨ ↔ = ≠ ≍ == != < ≤ > ≥ + - * / % ^ ++ :: ∈ ∉ ∣ × ∘ && || ▸ <| |>`.
    """

    op: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class UnOp(Term):
    """A prefix or postfix operator: `¬`, `-`, `!`, `↑`."""

    op: str
    arg: Term


@dataclass(frozen=True, slots=True)
class AnonCtor(Term):
    """`⟨a, b, ...⟩`."""

    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class StructInst(Term):
    """`{ field := value, ... }`, optionally `{ base, .. with ... }` and `{ ... : T }`.

    With `ellipsis`, written `..`, fields that are not given are left to be found.
    """

    fields: tuple[tuple[str, Term], ...]
    type: Term | None = None
    bases: tuple[Term, ...] = ()
    ellipsis: bool = False


@dataclass(frozen=True, slots=True)
class ListLit(Term):
    """`[a, b, ...]`."""

    items: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class TupleStx(Term):
    """`(a, b, ...)` with two or more items, or `()`."""

    items: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Paren(Term):
    """`(e)`; a `·` inside belongs to the nearest one."""

    term: Term


@dataclass(frozen=True, slots=True)
class CDot(Term):
    """`·` as an argument place, as in `(· + 1)`."""


@dataclass(frozen=True, slots=True)
class Ascription(Term):
    """`(e : type)`."""

    term: Term
    type: Term


@dataclass(frozen=True, slots=True)
class ShowTerm(Term):
    """`show type from value` or `show type by tactics` (then `value` is a `By`)."""

    type: Term
    value: Term


@dataclass(frozen=True, slots=True)
class HaveTerm(Term):
    """`have name binders : type := value; body`, or `suffices name : type from value; body`."""

    name: str | None
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term
    body: Term
    pattern: Term | None = None
    is_suffices: bool = False


@dataclass(frozen=True, slots=True)
class LetTerm(Term):
    """`let name binders : type := value; body`; `name` is `""` where a `pattern` is written instead."""

    name: str
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term
    body: Term
    pattern: Term | None = None


@dataclass(frozen=True, slots=True)
class If(Term):
    """`if c then a else b`, `if h : c then a else b`."""

    name: str | None
    cond: Term
    then: Term
    orelse: Term


@dataclass(frozen=True, slots=True)
class By(Term):
    """`by tactics`."""

    tactics: TacSeq


@dataclass(frozen=True, slots=True)
class CalcStep(Node):
    """`relation := proof`; in the first step of a tactic `calc` the proof may be missing (`None`)."""

    relation: Term
    proof: Term | None


@dataclass(frozen=True, slots=True)
class Calc(Term):
    """`calc steps`."""

    steps: tuple[CalcStep, ...]


@dataclass(frozen=True, slots=True)
class NoFun(Term):
    """`nofun`, or `nomatch e` with `term` set."""

    term: Term | None = None


@dataclass(frozen=True, slots=True)
class NamedPattern(Term):
    """`x@p` in a pattern."""

    name: str
    pattern: Term


@dataclass(frozen=True, slots=True)
class Inaccessible(Term):
    """`.(e)` in a pattern."""

    term: Term


@dataclass(frozen=True, slots=True)
class Quoted(Term):
    """A term that is elaborated already: `value` is a kernel term of the present context."""

    value: object


@dataclass(frozen=True, slots=True)
class Sorry(Term):
    """`sorry`."""


@dataclass(frozen=True, slots=True)
class NotationTerm(Term):
    """A use of the user's notation `key` with the terms in its argument places."""

    key: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Char(Term):
    """A character literal."""

    value: str


# --- levels -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LevelStx(Node):
    """A universe expression.

    `op`: `num` (with `value`), `name` (with `name`), `hole`, `succ` (`args[0]` plus `value`), `max`, `imax`.
    """

    op: str
    name: str = ""
    value: int = 0
    args: tuple[LevelStx, ...] = ()


# --- rcases patterns ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RPat(Node):
    """`kind`: `name` (`_`, `rfl` and `-` included), `tuple` (⟨..⟩), `alts` (p | q), `typed` (p : type)."""

    kind: str
    name: str = ""
    items: tuple[RPat, ...] = ()
    type: Term | None = None


# --- tactics ------------------------------------------------------------------------------------------------


class Tactic(Node):
    """Base of all tactic syntax."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TacSeq(Node):
    """A block: tactics separated by newlines or `;`."""

    tactics: tuple[Tactic, ...]


@dataclass(frozen=True, slots=True)
class Location(Node):
    """`at h1 h2 ⊢`, `at *`. Absent means the target."""

    hyps: tuple[str, ...] = ()
    target: bool = False
    wildcard: bool = False


@dataclass(frozen=True, slots=True)
class Simple(Tactic):
    """A tactic without arguments: `skip`, `done`, `rfl`, `left`, ...; `symm` may have a location."""

    name: str
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class NumTactic(Tactic):
    """A tactic with an optional number: `congr`, `congr 2`, `rotate_left`, `rotate_right 2`."""

    name: str
    num: int | None = None


@dataclass(frozen=True, slots=True)
class TermTactic(Tactic):
    """A tactic with one term: `exact apply refine refine' specialize show change`."""

    name: str
    term: Term
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class TermsTactic(Tactic):
    """A tactic with a comma-separated list of terms: `exists a, b`, `exacts [a, b]`."""

    name: str
    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class NamesTactic(Tactic):
    """A tactic with identifiers.

    `clear h`, `revert h`, `subst h`, `unfold f g (at ..)`, `rename_i x y`, `ext x y`, `funext x`, ..
    """

    name: str
    names: tuple[str, ...]
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Rename(Tactic):
    """`rename type => name`."""

    type: Term
    name: str


@dataclass(frozen=True, slots=True)
class Intro(Tactic):
    """`intro x _ ⟨a, b⟩ (h : p) rfl`: terms used as patterns (Ident, Hole, AnonCtor, Ascription)."""

    patterns: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class RIntro(Tactic):
    """`rintro p1 p2`."""

    patterns: tuple[RPat, ...]


@dataclass(frozen=True, slots=True)
class RCases(Tactic):
    """`rcases h : e with p` (pattern optional) and `obtain p : type := e`."""

    name: str
    eq_name: str | None
    term: Term | None
    pattern: RPat | None
    type: Term | None = None
    more: tuple[Term, ...] = ()
    """Further terms, in `rcases e, d with ..`."""


@dataclass(frozen=True, slots=True)
class CaseAlt(Node):
    """`| ctor x y => tactics`.

    `ctors` holds the heads and the names behind each, several for `| a | b => ..`; `explicit` is for `@ctor`.
    `body` is `None` without `=>`.
    """

    ctors: tuple[tuple[str, tuple[str, ...]], ...]
    body: TacSeq | None
    explicit: bool = False
    hole: str | None = None
    """`"?_"`/`"_"`-like body `=> ?_` is given as the hole's text and `body` is `None`."""


@dataclass(frozen=True, slots=True)
class Cases(Tactic):
    """`cases`/`induction` (the `kind`) `h : e` `using r` `generalizing xs` `with (tac)? alts`."""

    kind: str
    targets: tuple[tuple[str | None, Term], ...]
    using: Term | None = None
    generalizing: tuple[str, ...] = ()
    pre: Tactic | None = None
    alts: tuple[CaseAlt, ...] | None = None


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class RwRule(Node):
    """`← e` or `e`."""

    symm: bool
    term: Term


@dataclass(frozen=True, slots=True)
class Rw(Tactic):
    """`rw [rules] at loc`; `name`: `rw`, `rewrite`, `erw`, `rwa`."""

    name: str
    rules: tuple[RwRule, ...]
    location: Location | None = None
    config: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SimpArg(Node):
    """`e`, `← e`, `-e`, `*`, `↓ e`/`↑ e`. `term` is `None` for `*`."""

    term: Term | None
    symm: bool = False
    erase: bool = False
    post: bool = True


@dataclass(frozen=True, slots=True)
class Simp(Tactic):
    """`simp`, `simp_all`, `dsimp`, `simpa`, `simp?`, `simp_arith`, ..; `using` for `simpa using e`."""

    name: str
    only: bool
    args: tuple[SimpArg, ...]
    location: Location | None = None
    config: tuple[str, ...] = ()
    using: Term | None = None


@dataclass(frozen=True, slots=True)
class ByCases(Tactic):
    """`by_cases h : p`."""

    name: str | None
    prop: Term


@dataclass(frozen=True, slots=True)
class Generalize(Tactic):
    """`generalize h : e = x, ... at loc`."""

    args: tuple[tuple[str | None, Term, str], ...]
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Injection(Tactic):
    """`injection e with h1 h2`."""

    term: Term
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Split(Tactic):
    """`split`, `split at h`."""

    location: Location | None = None


@dataclass(frozen=True, slots=True)
class CalcTac(Tactic):
    """`calc steps`."""

    calc: Calc


@dataclass(frozen=True, slots=True)
class Seq1(Tactic):
    """`(tactics)`."""

    block: TacSeq


@dataclass(frozen=True, slots=True)
class Bullet(Tactic):
    """`· tactics` (or `.`)."""

    block: TacSeq


@dataclass(frozen=True, slots=True)
class AndThen(Tactic):
    """`t <;> s`."""

    first: Tactic
    second: Tactic


@dataclass(frozen=True, slots=True)
class Block(Tactic):
    """A combinator over a block.

    `try repeat repeat' repeat1' all_goals any_goals focus fail_if_success show_term`, `iterate` with `count`.
    """

    name: str
    block: TacSeq
    count: int | None = None


@dataclass(frozen=True, slots=True)
class First(Tactic):
    """`first | a | b`."""

    alts: tuple[TacSeq, ...]


@dataclass(frozen=True, slots=True)
class CaseTac(Tactic):
    """`case tag x y => tactics`, several tags with `|`; `next x => ..` has the tag `_`.

    `kind`: `case`, `case'` or `next`.
    """

    kind: str
    tags: tuple[tuple[str, tuple[str, ...]], ...]
    block: TacSeq


@dataclass(frozen=True, slots=True)
class MatchTac(Tactic):
    """`match d with | p => tactics`, `intro | p => tactics`; each body is a `By` or a term hole."""

    match: Match | FunMatch


@dataclass(frozen=True, slots=True)
class Omega(Tactic):
    """`decide` with options, `omega`: closing procedures that take a configuration."""

    name: str
    config: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Guard(Tactic):
    """`guard_hyp h : type := value`, `guard_target = type`: `how` is `~`, `ₛ`, `ₐ` or nothing."""

    hypothesis: str | None
    type: Term | None
    how: str
    value: Term | None = None
    how_value: str = ""


@dataclass(frozen=True, slots=True)
class Trace(Tactic):
    """`trace "text"`, or `trace_state` if `text` is `None`."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Fail(Tactic):
    """`fail` or `fail "message"`."""

    message: str | None


@dataclass(frozen=True, slots=True)
class Refused(Tactic):
    """A tactic that is known and not run: `sorry`, `admit`, `native_decide`, Mathlib's, ..."""

    name: str
    reason: str


# --- commands -----------------------------------------------------------------------------------------------


class Command(Node):
    """Base of all command syntax."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Decl(Command):
    """`theorem lemma example def abbrev instance axiom`; `name` is `""` for an example or unnamed instance.

    `value` is a term, or a tuple of `MatchAlt` for equations, or `None` (axiom; or a bare statement given to
    the environment). `attrs` are names such as `simp`, `instance`, `reducible`, with their argument or `""`.
    """

    kind: str
    name: str
    level_params: tuple[str, ...]
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term | tuple[MatchAlt, ...] | None
    attrs: tuple[tuple[str, str], ...] = ()
    modifiers: tuple[str, ...] = ()
    priority: int | None = None


@dataclass(frozen=True, slots=True)
class Ctor(Node):
    """`| name binders : type`."""

    name: str
    binders: tuple[Binder, ...]
    type: Term | None


@dataclass(frozen=True, slots=True)
class InductiveCmd(Command):
    """`inductive name binders : type where | ...`."""

    name: str
    level_params: tuple[str, ...]
    binders: tuple[Binder, ...]
    type: Term | None
    ctors: tuple[Ctor, ...]
    attrs: tuple[tuple[str, str], ...] = ()
    deriving: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StructureCmd(Command):
    """`structure`/`class` (the `kind`) `name binders extends ps : type where ctor :: fields`."""

    kind: str
    name: str
    level_params: tuple[str, ...]
    binders: tuple[Binder, ...]
    extends: tuple[Term, ...]
    type: Term | None
    ctor_name: str | None
    fields: tuple[Binder, ...]
    attrs: tuple[tuple[str, str], ...] = ()
    deriving: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VariableCmd(Command):
    """`variable binders`."""

    binders: tuple[Binder, ...]


@dataclass(frozen=True, slots=True)
class ScopeCmd(Command):
    """`namespace n`, `section n`, `end n`, `open a b`, `universe u v` by `kind`; `names` may be empty."""

    kind: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttributeCmd(Command):
    """`attribute [attrs] names`."""

    attrs: tuple[tuple[str, str], ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InitQuot(Command):
    """`init_quot`: declares `Quot` and its eliminators."""


@dataclass(frozen=True, slots=True)
class Hash(Command):
    """`#check e`, `#print n`, `#print axioms n`, `#eval e`; `kind` is the word(s) after `#`."""

    kind: str
    term: Term | None


@dataclass(frozen=True, slots=True)
class SetOption(Command):
    """`set_option name value`."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class OpenCmd(Command):
    """`open n`, `open n (a b)`, `open n hiding a`, `export n (a b)`; `only` and `hiding` are short names.

    `scoped` says that the names stay closed: `open scoped n` brings the attributes only.
    """

    namespaces: tuple[str, ...]
    only: tuple[str, ...] | None = None
    hiding: tuple[str, ...] = ()
    renaming: tuple[tuple[str, str], ...] = ()
    export: bool = False
    scoped: bool = False


@dataclass(frozen=True, slots=True)
class InCmd(Command):
    """`open n in c`, `set_option o v in c`, `variable (x) in c`: `first` holds for `second` only."""

    first: Command
    second: Command


@dataclass(frozen=True, slots=True)
class GuardMsgs(Command):
    """`#guard_msgs (filters, ..) in`, the first part of an `InCmd`; `filters` pairs what to do with what."""

    doc: str | None
    filters: tuple[tuple[str, str], ...]
    whitespace: str
    sorted: bool
    substring: bool


@dataclass(frozen=True, slots=True)
class NotationItem(Node):
    """One piece of a notation: a `token`, or the argument `name` parsed at `prec`."""

    token: str | None = None
    name: str | None = None
    prec: int = 0


@dataclass(frozen=True, slots=True)
class NotationCmd(Command):
    """`notation`, `infixl`, `infixr`, `infix`, `prefix`, `postfix`: `items` stand for `value`."""

    kind: str
    prec: int
    items: tuple[NotationItem, ...]
    value: Term
    local: bool = False

    @property
    def key(self) -> str:
        """What tells it from other notations: its pieces, a blank for each argument."""
        return " ".join(item.token or "_" for item in self.items)


@dataclass(frozen=True, slots=True)
class MacroCmd(Command):
    """`macro "word" : tactic => `(tactic| ..)`: a tactic that stands for others."""

    word: str
    block: TacSeq


@dataclass(frozen=True, slots=True)
class VarsCmd(Command):
    """`include x y` and `omit x y`."""

    kind: str
    names: tuple[str, ...]
