"""Core Lean's notations as data, for the printer: which constants print as what, and how tightly it binds.

Precedences are those of the parsers: a term printed where precedence `p` is required gets parentheses if its own is
smaller.

Source: Lean 4 `src/Init/Notation.lean`, `src/Init/Core.lean`, `src/Init/Coe.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

MAX_PREC: Final = 1024
ARG_PREC: Final = 1023
LEAD_PREC: Final = 1022
ARROW_PREC: Final = 25


@dataclass(frozen=True, slots=True)
class Infix:
    """A binary operator.

    Attributes:
        symbol: The operator without spaces.
        prec: How tightly the whole term binds.
        left: Precedence asked of the left operand.
        right: Precedence asked of the right operand.
        swapped: Whether the first explicit argument is the right operand.
    """

    symbol: str
    prec: int
    left: int
    right: int
    swapped: bool = False


@dataclass(frozen=True, slots=True)
class Prefix:
    """A unary operator in front of its operand, without a space."""

    symbol: str
    prec: int
    operand: int


def _infixl(symbol: str, prec: int) -> Infix:
    return Infix(symbol, prec, prec, prec + 1)


def _infixr(symbol: str, prec: int) -> Infix:
    return Infix(symbol, prec, prec + 1, prec)


def _infix(symbol: str, prec: int) -> Infix:
    return Infix(symbol, prec, prec + 1, prec + 1)


INFIX: Final = MappingProxyType(
    {
        "Function.comp": _infixr("∘", 90),
        "Prod": _infixr("×", 35),
        "PProd": _infixr("×'", 35),
        "Sum": _infixr("⊕", 30),
        "PSum": _infixr("⊕'", 30),
        "Dvd.dvd": _infix("∣", 50),
        "HOr.hOr": _infixl("|||", 55),
        "HXor.hXor": _infixl("^^^", 58),
        "HAnd.hAnd": _infixl("&&&", 60),
        "HAdd.hAdd": _infixl("+", 65),
        "HSub.hSub": _infixl("-", 65),
        "HAppend.hAppend": _infixl("++", 65),
        "HMul.hMul": _infixl("*", 70),
        "HDiv.hDiv": _infixl("/", 70),
        "HMod.hMod": _infixl("%", 70),
        "HSMul.hSMul": _infixr("•", 73),
        "HShiftLeft.hShiftLeft": _infixl("<<<", 75),
        "HShiftRight.hShiftRight": _infixl(">>>", 75),
        "HPow.hPow": _infixr("^", 80),
        "Functor.map": _infixr("<$>", 100),
        "Functor.mapRev": _infixr("<&>", 100),
        "Seq.seq": _infixl("<*>", 60),
        "SeqLeft.seqLeft": _infixl("<*", 60),
        "SeqRight.seqRight": _infixl("*>", 60),
        "Bind.bind": _infixl(">>=", 55),
        "Bind.bindLeft": _infixr("=<<", 55),
        "HOrElse.hOrElse": _infixr("<|>", 20),
        "LE.le": _infix("≤", 50),
        "LT.lt": _infix("<", 50),
        "GE.ge": _infix("≥", 50),
        "GT.gt": _infix(">", 50),
        "Eq": _infix("=", 50),
        "Ne": _infix("≠", 50),
        "HEq": _infix("≍", 50),
        "BEq.beq": _infix("==", 50),
        "bne": _infix("!=", 50),
        "HasEquiv.Equiv": _infix("≈", 50),
        "HasSubset.Subset": _infix("⊆", 50),
        "HasSSubset.SSubset": _infix("⊂", 50),
        "Membership.mem": Infix("∈", 50, 50, 50, swapped=True),
        "Union.union": _infixl("∪", 65),
        "Inter.inter": _infixl("∩", 70),
        "SDiff.sdiff": _infix("\\", 70),
        "And": _infixr("∧", 35),
        "Or": _infixr("∨", 30),
        "Iff": _infix("↔", 20),
        "Bool.and": _infixl("&&", 35),
        "Bool.or": _infixl("||", 30),
        "List.cons": _infixr("::", 67),
    }
)

PREFIX: Final = MappingProxyType(
    {
        "Not": Prefix("¬", MAX_PREC, 40),
        "Bool.not": Prefix("!", MAX_PREC, 40),
        "Neg.neg": Prefix("-", 75, 75),
        "Complement.complement": Prefix("~~~", 100, 100),
    }
)

# `h ▸ m` for `Eq.rec m h`
SUBST: Final = Infix("▸", 75, 0, 75, swapped=True)

CONSTANT: Final = MappingProxyType({"Unit.unit": "()", "EmptyCollection.emptyCollection": "∅"})

# Core's `export` commands: constants known by a shorter name everywhere.
EXPORTED: Final = MappingProxyType(
    {
        "Bool.true": "true",
        "Bool.false": "false",
        "Bool.and": "and",
        "Bool.or": "or",
        "Bool.not": "not",
        "Option.some": "some",
        "Option.none": "none",
        "Decidable.decide": "decide",
        "Decidable.isTrue": "isTrue",
        "Decidable.isFalse": "isFalse",
        "Inhabited.default": "default",
        "ToString.toString": "toString",
        "GetElem.getElem": "getElem",
        "SizeOf.sizeOf": "sizeOf",
        "GetElem?.getElem?": "getElem?",
        "GetElem?.getElem!": "getElem!",
        "LawfulGetElem.getElem?_def": "getElem?_def",
        "LawfulGetElem.getElem!_def": "getElem!_def",
        "Max.max": "max",
        "Min.min": "min",
        "Ord.compare": "compare",
        "Bind.bind": "bind",
        "Pure.pure": "pure",
        "Alternative.failure": "failure",
        "MonadExcept.throw": "throw",
        "MonadState.get": "get",
        "MonadState.modifyGet": "modifyGet",
        "MonadStateOf.set": "set",
        "MonadExcept.tryCatch": "tryCatch",
    }
)

# `@[coe]` functions and the position of the argument that `↑` shows.
COERCIONS: Final = MappingProxyType({"Fin.val": 1, "Subtype.val": 2, "Nat.cast": 2, "Int.cast": 2})

# `@[pp_using_anonymous_constructor]` structures.
ANONYMOUS_CONSTRUCTOR: Final = frozenset({"Sigma", "PSigma", "Subtype", "And", "Fin", "PProd", "MProd"})
