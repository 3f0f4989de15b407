"""Commands: one class a construct."""

from __future__ import annotations

from minilean.syntax.ast.base import Command, Node, TacSeq, Term, node
from minilean.syntax.ast.tactics import MacroUse
from minilean.syntax.ast.terms import Binder, MacroTerm, MatchAlt, Termination


@node(frozen=True)
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
    local: tuple[Decl, ...] = ()
    """The functions after `where`."""
    termination: Termination | None = None


@node(frozen=True)
class Ctor(Node):
    """`| name binders : type`."""

    name: str
    binders: tuple[Binder, ...]
    type: Term | None


@node(frozen=True)
class InductiveCmd(Command):
    """`inductive name binders : type where | ...`; also a `structure` that is declared as one."""

    name: str
    level_params: tuple[str, ...]
    binders: tuple[Binder, ...]
    type: Term | None
    ctors: tuple[Ctor, ...]
    attrs: tuple[tuple[str, str], ...] = ()
    deriving: tuple[str, ...] = ()
    structure: bool = False


@node(frozen=True)
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


@node(frozen=True)
class MutualCmd(Command):
    """`mutual commands end`: inductive types, or declarations with values, that may mention each other."""

    commands: tuple[Command, ...]


@node(frozen=True)
class VariableCmd(Command):
    """`variable binders`."""

    binders: tuple[Binder, ...]


@node(frozen=True)
class ScopeCmd(Command):
    """`namespace n`, `section n`, `end n`, `open a b`, `universe u v` by `kind`; `names` may be empty."""

    kind: str
    names: tuple[str, ...]


@node(frozen=True)
class AttributeCmd(Command):
    """`attribute [attrs] names`."""

    attrs: tuple[tuple[str, str], ...]
    names: tuple[str, ...]


@node(frozen=True)
class DerivingCmd(Command):
    """`deriving instance C, D for T, U`."""

    classes: tuple[str, ...]
    types: tuple[str, ...]


@node(frozen=True)
class InitQuot(Command):
    """`init_quot`: declares `Quot` and its eliminators."""


@node(frozen=True)
class Hash(Command):
    """`#check e`, `#print n`, `#print axioms n`, `#eval e`; `kind` is the word(s) after `#`."""

    kind: str
    term: Term | None


@node(frozen=True)
class SetOption(Command):
    """`set_option name value`."""

    name: str
    value: str


@node(frozen=True)
class OpenCmd(Command):
    """`open n`, `open n (a b)`, `open n hiding a`, `export n (a b)`; `only` and `hiding` are short names.

    With `scoped` the names stay closed: `open scoped n` activates only the attributes.
    """

    namespaces: tuple[str, ...]
    only: tuple[str, ...] | None = None
    hiding: tuple[str, ...] = ()
    renaming: tuple[tuple[str, str], ...] = ()
    export: bool = False
    scoped: bool = False


@node(frozen=True)
class InCmd(Command):
    """`open n in c`, `set_option o v in c`, `variable (x) in c`: `first` holds for `second` only."""

    first: Command
    second: Command


@node(frozen=True)
class GuardMsgs(Command):
    """`#guard_msgs (filters, ..) in`, the first part of an `InCmd`; `filters` are pairs (action, severity)."""

    doc: str | None
    filters: tuple[tuple[str, str], ...]
    whitespace: str
    sorted: bool
    substring: bool


@node(frozen=True)
class NotationItem(Node):
    """One piece of a notation: a `token`, or the argument `name` parsed at `prec`.

    `spaced` is the token with the spaces that it is shown with. `kind` is the kind of the argument: `term`, `ident`,
    `num`, `str`, `tactic`, or `term,*` and `term,+` for terms between commas.
    """

    token: str | None = None
    name: str | None = None
    prec: int = 0
    spaced: str = ""
    kind: str = "term"


@node(frozen=True)
class NotationCmd(Command):
    """`notation`, `infixl`, `infixr`, `infix`, `prefix`, `postfix`: `items` stand for `value`."""

    kind: str
    prec: int
    items: tuple[NotationItem, ...]
    value: Term
    scope: str = ""
    """`local`: to the end of the section; `scoped`: where the namespace is open."""
    priority: int = 1000

    @property
    def name(self) -> str:
        """Its pieces, a blank for each argument."""
        return " ".join(item.token or "_" for item in self.items)


@node(frozen=True)
class SyntaxCmd(Command):
    """`syntax items : category`: a term or tactic whose meaning `macro_rules` give."""

    category: str
    prec: int
    items: tuple[NotationItem, ...]
    scope: str = ""
    priority: int = 1000

    @property
    def name(self) -> str:
        """Its pieces, a blank for each argument."""
        return " ".join(item.token or "_" for item in self.items)


@node(frozen=True)
class MacroCmd(Command):
    """`macro items : category => template`: syntax and the only rule for it."""

    syntax: SyntaxCmd
    template: Term | TacSeq
    scope: str = ""


@node(frozen=True)
class MacroRules(Command):
    """`macro_rules | pattern => template ..`: more expansions of syntax of the user."""

    rules: tuple[tuple[MacroTerm | MacroUse, Term | TacSeq], ...]
    scope: str = ""


@node(frozen=True)
class VarsCmd(Command):
    """`include x y` and `omit x [C a]`: names, and for `omit` instance binders as well."""

    kind: str
    names: tuple[str | Binder, ...]
