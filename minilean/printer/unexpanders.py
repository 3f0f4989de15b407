"""Notations that need more than an operator: numerals, lists, tuples, quantifiers, conditionals, coercions.

Each entry of `SPECIAL` gives a constant the number of arguments its notation shows and a function that prints
them, or returns `None` where the notation does not apply.

Source: Lean 4 `src/Init/NotationExtra.lean`, `src/Lean/PrettyPrinter/Delaborator/Builtins.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from minilean.kernel.expr import DEFAULT, Expr, Lam, Lit, is_app_of, mk_apps, mk_const
from minilean.printer import parenthesize as show
from minilean.printer.parenthesize import OMISSION, Fragment
from minilean.printer.scope import char_literal, string_literal, uses
from minilean.syntax.digits import decimal
from minilean.syntax.notation import COERCIONS, INFIX, SUBST
from minilean.syntax.text_literals import STRING_LITERAL, string_value


class Printer(Protocol):
    """The part of the delaborator that unexpanders use."""

    def term(self, e: Expr) -> Fragment:
        """Print a subterm."""

    def below(self, name: str, type_: Expr, body: Expr) -> Fragment:
        """Print `body` under a binder."""

    def name_for(self, name: str, body: Expr, avoid: Collection[str] = ()) -> str:
        """Return the shown name of a binder over `body`."""

    def actions(self, e: Expr) -> list[show.Action]:
        """The actions of a `do` block, from nested calls of `Bind.bind`."""

    def function(self, e: Lam) -> tuple[str, Fragment] | None:
        """Name and printed body of a function; `None` if the function is too deep to be shown."""


Args: TypeAlias = Sequence[Expr]
Unexpander: TypeAlias = Callable[[Printer, Args], Fragment | None]


def _numeral(p: Printer, args: Args) -> Fragment | None:
    value = args[1]
    return show.ident(decimal(value.value)) if type(value) is Lit and isinstance(value.value, int) else None


def _char(p: Printer, args: Args) -> Fragment | None:
    value = args[0]
    if type(value) is not Lit or not isinstance(value.value, int):
        return None
    return show.ident(char_literal(value.value))


def _string(p: Printer, args: Args) -> Fragment | None:
    text = string_value(args[0])
    return None if text is None else show.ident(string_literal(text))


def _nil(p: Printer, args: Args) -> Fragment:
    return show.list_literal([])


def _cons(p: Printer, args: Args) -> Fragment:
    head, tail = p.term(args[1]), p.term(args[2])
    if tail is OMISSION:
        return show.list_literal([head, tail])
    if tail.shape == "list":
        return show.list_literal([head, *tail.parts])
    return show.infix(INFIX["List.cons"], head, tail)


def _array(p: Printer, args: Args) -> Fragment | None:
    items = p.term(args[1])
    return show.array_literal(items.parts) if items.shape == "list" else None


def _pair(p: Printer, args: Args) -> Fragment:
    return show.tuple_literal(p.term(args[2]), p.term(args[3]))


def _anonymous_pair(name: str) -> Unexpander:
    def unexpand(p: Printer, args: Args) -> Fragment:
        first, second = p.term(args[2]), p.term(args[3])
        nested = is_app_of(args[3], name, 4) and second.shape == "pair"
        items = [first, *second.parts] if nested else [first, second]
        out = show.enclosed("⟨", items, "⟩")
        out.shape, out.parts = "pair", items
        return out

    return unexpand


def _exists(p: Printer, args: Args) -> Fragment | None:
    predicate = args[1]
    if type(predicate) is not Lam or predicate.info != DEFAULT:
        return None
    printed = p.function(predicate)
    return None if printed is None else show.exists(*printed)


def _subtype(p: Printer, args: Args) -> Fragment | None:
    predicate = args[1]
    if type(predicate) is not Lam or predicate.info != DEFAULT:
        return None
    printed = p.function(predicate)
    return None if printed is None else show.subtype(*printed)


def _sigma(op: str) -> Unexpander:
    def unexpand(p: Printer, args: Args) -> Fragment | None:
        family = args[1]
        if len(args) != 2 or type(family) is not Lam:
            return None
        domain = p.term(family.type)
        name = p.name_for(family.name, family.body)
        body = p.below(name, family.type, family.body)
        return show.dependent_pair(name if uses(family.body, 0) else "_", domain, body, op)

    return unexpand


def _ite(p: Printer, args: Args) -> Fragment:
    return show.if_then_else(p.term(args[1]), p.term(args[3]), p.term(args[4]))


def _dite(p: Printer, args: Args) -> Fragment | None:
    then, otherwise = args[3], args[4]
    if type(then) is not Lam or type(otherwise) is not Lam:
        return None
    condition = p.term(args[1])
    name = p.name_for(then.name, then.body)
    first = p.below(name, then.type, then.body)
    second = p.below(name, otherwise.type, otherwise.body)
    return show.if_then_else(condition, first, second, name)


def _cond(p: Printer, args: Args) -> Fragment:
    return show.if_then_else(p.term(args[1]), p.term(args[2]), p.term(args[3]), word="bif")


def _subst(p: Printer, args: Args) -> Fragment:
    value = p.term(args[3])
    return show.infix(SUBST, p.term(args[5]), value)


def _indexed(mark: str, place: int) -> Unexpander:
    def unexpand(p: Printer, args: Args) -> Fragment:
        return show.indexed(p.term(args[place]), p.term(args[place + 1]), mark)

    return unexpand


def _sorry(p: Printer, args: Args) -> Fragment:
    return show.symbol("sorry")


def _coercion(position: int) -> Unexpander:
    def unexpand(p: Printer, args: Args) -> Fragment:
        return show.coercion(p.term(args[position]))

    return unexpand


def _bind(p: Printer, args: Args) -> Fragment:
    """`do let x ← a; b` where `b` is written as a function, else `a >>= f`."""
    if type(args[5]) is not Lam:
        return show.infix(INFIX["Bind.bind"], p.term(args[4]), p.term(args[5]))
    return show.do_block(p.actions(mk_apps(mk_const("Bind.bind"), args)))


def _delayed(name: str) -> Unexpander:
    """The operator `name`, whose right operand is a function of `Unit`."""

    def show_operator(p: Printer, args: Args) -> Fragment | None:
        later = args[5]
        if type(later) is not Lam or uses(later.body, 0):
            return None
        return show.infix(INFIX[name], p.term(args[4]), p.below("_", later.type, later.body))

    return show_operator


SPECIAL: Final = MappingProxyType(
    {
        "Bind.bind": (6, _bind),
        "Seq.seq": (6, _delayed("Seq.seq")),
        "SeqLeft.seqLeft": (6, _delayed("SeqLeft.seqLeft")),
        "SeqRight.seqRight": (6, _delayed("SeqRight.seqRight")),
        "HOrElse.hOrElse": (6, _delayed("HOrElse.hOrElse")),
        "OfNat.ofNat": (3, _numeral),
        "Char.ofNat": (1, _char),
        STRING_LITERAL: (1, _string),
        "List.nil": (1, _nil),
        "List.cons": (3, _cons),
        "List.toArray": (2, _array),
        "Prod.mk": (4, _pair),
        "PProd.mk": (4, _anonymous_pair("PProd.mk")),
        "MProd.mk": (4, _anonymous_pair("MProd.mk")),
        "Exists": (2, _exists),
        "Subtype": (2, _subtype),
        "Sigma": (2, _sigma("×")),
        "PSigma": (2, _sigma("×'")),
        "ite": (5, _ite),
        "dite": (5, _dite),
        "cond": (4, _cond),
        "Eq.rec": (6, _subst),
        "Eq.ndrec": (6, _subst),
        "GetElem.getElem": (8, _indexed("", 5)),
        "GetElem?.getElem?": (7, _indexed("?", 5)),
        "GetElem?.getElem!": (8, _indexed("!", 6)),
        "sorryAx": (2, _sorry),
        **{name: (position + 1, _coercion(position)) for name, position in COERCIONS.items()},
    }
)
