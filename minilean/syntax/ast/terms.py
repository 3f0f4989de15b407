"""Terms: one class a construct."""

from __future__ import annotations

from minilean.syntax.ast.base import LevelStx, Node, TacSeq, Term, node


@node(frozen=True)
class Ident(Term):
    """A possibly dotted name, `Nat.add_comm` or `h.left`; `levels` for `f.{u, 0}`, else `None`."""

    name: str
    levels: tuple[LevelStx, ...] | None = None


@node(frozen=True)
class DotIdent(Term):
    """`.succ`: a name whose namespace comes from the expected type."""

    name: str


@node(frozen=True)
class Explicit(Term):
    """`@f`."""

    term: Term


@node(frozen=True)
class Hole(Term):
    """`_`."""


@node(frozen=True)
class NamedHole(Term):
    """`?_` (name `None`) or `?name`."""

    name: str | None


@node(frozen=True)
class RawNat(Term):
    """`nat_lit 2`: the number itself, where `2` is `OfNat.ofNat 2`."""

    value: int


@node(frozen=True)
class Panic(Term):
    """`panic! message`; `unreachable!` is one with a message of its own."""

    message: Term


@node(frozen=True)
class Num(Term):
    """A natural number literal."""

    value: int


@node(frozen=True)
class Str(Term):
    """A string literal."""

    value: str


@node(frozen=True)
class SortStx(Term):
    """`Prop`, `Type`, `Type u`, `Sort u`; `level` is `None` where none is written."""

    kind: str
    level: LevelStx | None = None


@node(frozen=True)
class NamedArg(Node):
    """`(name := value)` in an application."""

    name: str
    value: Term


@node(frozen=True)
class App(Term):
    """`fn a1 ... an`, or `fn a1 ... an ..` with holes for the arguments that are left."""

    fn: Term
    args: tuple[Term | NamedArg, ...]
    ellipsis: bool = False


@node(frozen=True)
class Proj(Term):
    """`e.1` (field 1-based, an int) or `e.name` where `e` is not a plain identifier."""

    term: Term
    field: str | int


@node(frozen=True)
class Indexed(Term):
    """`xs[i]`, `xs[i]?`, `xs[i]!` and `xs[i]'h`; `mark` is what follows the bracket, `proof` the `h`."""

    collection: Term
    index: Term
    mark: str = ""
    proof: Term | None = None


@node(frozen=True)
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


@node(frozen=True)
class Fun(Term):
    """`fun binders => body`."""

    binders: tuple[Binder, ...]
    body: Term


@node(frozen=True)
class MatchAlt(Node):
    """`| p1, p2 => body`."""

    patterns: tuple[Term, ...]
    body: Term


@node(frozen=True)
class FunMatch(Term):
    """`fun | p => e | ...`; `explicit` if the patterns include the implicit arguments, as in definitions."""

    alts: tuple[MatchAlt, ...]
    explicit: bool = False


@node(frozen=True)
class Match(Term):
    """`match h : d1, d2 with | ...`; `discriminants` are (name or `None`, term).

    `motive` is the term of `(motive := ..)`; `generalizing` is false after `(generalizing := false)`. `cleared` are
    variables that the alternatives do not see: those that a function by patterns gives to its `match`.
    """

    discriminants: tuple[tuple[str | None, Term], ...]
    alts: tuple[MatchAlt, ...]
    motive: Term | None = None
    generalizing: bool = True
    cleared: tuple[object, ...] = ()


@node(frozen=True)
class Forall(Term):
    """`∀ binders, body`."""

    binders: tuple[Binder, ...]
    body: Term


@node(frozen=True)
class Exists(Term):
    """`∃ binders, body`."""

    binders: tuple[Binder, ...]
    body: Term


@node(frozen=True)
class Arrow(Term):
    """`domain → codomain`."""

    domain: Term
    codomain: Term


@node(frozen=True)
class DepArrow(Term):
    """`(x : A) → B` with one binder group of any kind."""

    binder: Binder
    codomain: Term


@node(frozen=True)
class BinOp(Term):
    """An infix operator, `op` as written but canonical.

    One of `∧ ∨ ↔ = ≠ ≍ == != < ≤ > ≥ + - * / % ^ ++ :: ∈ ∉ ∣ × ∘ && || ▸ <| |>`.
    """

    op: str
    left: Term
    right: Term


@node(frozen=True)
class UnOp(Term):
    """A prefix or postfix operator: `¬`, `-`, `!`, `↑`."""

    op: str
    arg: Term


@node(frozen=True)
class AnonCtor(Term):
    """`⟨a, b, ...⟩`."""

    args: tuple[Term, ...]


@node(frozen=True)
class StructInst(Term):
    """`{ field := value, ... }`, optionally `{ base, .. with ... }` and `{ ... : T }`.

    With `ellipsis`, written `..`, fields that are not given are left to be found.
    """

    fields: tuple[tuple[str, Term], ...]
    type: Term | None = None
    bases: tuple[Term, ...] = ()
    ellipsis: bool = False


@node(frozen=True)
class ListLit(Term):
    """`[a, b, ...]`."""

    items: tuple[Term, ...]


@node(frozen=True)
class TupleStx(Term):
    """`(a, b, ...)` with two or more items, or `()`."""

    items: tuple[Term, ...]


@node(frozen=True)
class Paren(Term):
    """`(e)`; a `·` inside belongs to the nearest one."""

    term: Term


@node(frozen=True)
class CDot(Term):
    """`·` as an argument place, as in `(· + 1)`."""


@node(frozen=True)
class Ascription(Term):
    """`(e : type)`."""

    term: Term
    type: Term


@node(frozen=True)
class ShowTerm(Term):
    """`show type from value` or `show type by tactics` (then `value` is a `By`)."""

    type: Term
    value: Term


@node(frozen=True)
class HaveTerm(Term):
    """`have name binders : type := value; body`, or `suffices name : type from value; body`."""

    name: str | None
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term
    body: Term
    pattern: Term | None = None
    is_suffices: bool = False


@node(frozen=True)
class LetTerm(Term):
    """`let name binders : type := value; body`; `name` is `""` where a `pattern` is written instead."""

    name: str
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term
    body: Term
    pattern: Term | None = None


@node(frozen=True)
class Termination(Node):
    """`termination_by names => measure` and `decreasing_by tactics`, why a recursive function terminates.

    `names` are the arguments after the colon of the declaration; with `structural`, `measure` is the argument that
    gets smaller.
    """

    names: tuple[str, ...] = ()
    measure: Term | None = None
    structural: bool = False
    decreasing: TacSeq | None = None


@node(frozen=True)
class LetRec(Term):
    """`let rec name binders : type := value; body`."""

    name: str
    binders: tuple[Binder, ...]
    type: Term | None
    value: Term
    body: Term
    termination: Termination | None = None


@node(frozen=True)
class If(Term):
    """`if c then a else b`, `if h : c then a else b`."""

    name: str | None
    cond: Term
    then: Term
    orelse: Term


@node(frozen=True)
class Do(Term):
    """`do actions`, whose actions are written with `Bind.bind` in `body`."""

    body: Term


@node(frozen=True)
class By(Term):
    """`by tactics`."""

    tactics: TacSeq


@node(frozen=True)
class CalcStep(Node):
    """`relation := proof`; in the first step of a tactic `calc` the proof may be missing (`None`)."""

    relation: Term
    proof: Term | None


@node(frozen=True)
class Calc(Term):
    """`calc steps`."""

    steps: tuple[CalcStep, ...]


@node(frozen=True)
class NoFun(Term):
    """`nofun`, or `nomatch e` with `term` set."""

    term: Term | None = None


@node(frozen=True)
class NamedPattern(Term):
    """`x@p` in a pattern."""

    name: str
    pattern: Term


@node(frozen=True)
class Inaccessible(Term):
    """`.(e)` in a pattern."""

    term: Term


@node(frozen=True)
class Quoted(Term):
    """A term that is elaborated already: `value` is a kernel term of the present context."""

    value: object


@node(frozen=True)
class Sorry(Term):
    """`sorry`."""


@node(frozen=True)
class NotationTerm(Term):
    """A use of the user's notation `key` with the terms in its argument places."""

    key: str
    args: tuple[Term, ...]


@node(frozen=True)
class MacroTerm(Term):
    """A use of the user's syntax `key`; a list of terms is one argument.

    In the patterns and templates of macros `$x`, `$x:kind` and `$xs,*` are identifiers of these names.
    """

    key: str
    args: tuple[Node | tuple[Node, ...], ...]


@node(frozen=True)
class Choice(Term):
    """Text that several notations read, each in its own way."""

    alternatives: tuple[Term, ...]


@node(frozen=True)
class Char(Term):
    """A character literal."""

    value: str
