"""Text of a Lean file that gives Init's syntax back to a Lean without Init.

A parser that a Lean file adds by `syntax` or `notation` is a constant of type `ParserDescr`; compiled, it is an object
in Lean's library. Without Init's .olean files no environment knows it. The text declares each as an axiom with an
attribute `extern`, so that Lean's interpreter finds the object by its symbol, and registers it for its category:

    @[extern "x"] axiom «term_∧_» : Lean.TrailingParserDescr
    attribute [term_parser] «term_∧_»

Macros and unexpanders are functions in the library and come back likewise. The unexpanders name constants of the
library of theorems, so they are a text of their own, for after it.

Names, kinds and categories are read from the library. The category of a parser is in no object. Lean puts it at the
beginning of the names that it makes itself (`term_∧_`); for a parser that its author named it follows from the
namespace, with the exceptions in `_NAMED`.

Source: Lean 4 `src/Init/Notation.lean`, `src/Init/NotationExtra.lean`, `src/Lean/Parser/Extension.lean`,
`src/Lean/Elab/Syntax.lean`, `src/Lean/Compiler/IR/Interpreter` (4.35).
"""

from __future__ import annotations

import bisect
import ctypes
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lean_gym.lean.library import find_library
from lean_gym.lean.objects import Address, Lean
from lean_gym.lean.symbols import Symbols, defined_symbols, demangled

Name = tuple[str, ...]

# Number of the constructor and of its fields: `ParserDescr.node`, `.trailingNode`, `.nodeWithAntiquot`.
_NODE, _TRAILING, _PART = (3, 3), (4, 4), (9, 3)
_NAME: Final = frozenset({(1, 2), (2, 2)})
"""`Name.str`, `Name.num`."""
_SMALLEST: Final = 64
"""Bytes that have to be readable at an address before it is read."""

_LEFT_OUT: Final = re.compile(
    # Namespaces of what minilean's library has not, or of programs about Lean.
    r"Std\.|Lean\.(Json|Doc|Compiler|Server|Widget|Order|Linter|Meta|Option|PostprocessTraces|PrettyPrinter)\."
    r"|Lean\.Elab\.(?!Tactic\.Ext\.)|Lean\._root_|DerivingHelpers\.|(BitVec|Vector|Rat|String|_private)\."
    r"|Lean\.Parser\.Sym\.|Lean\.Parser\.Command\.(register|sym)|Lean\.Parser\.Tactic\.(m(?!od)|vc|bv|invariant|frame)"
    r"|Lean\.Parser\.Tactic\.Grind\.(bv|vcgen|sym)|Lean\.Parser\.command_|Lean\.Parser\.(cbvS|s)improcPattern"
    r"|Lean\.Parser\.(grindPropagator|discrTree|resetGrind)|Lean\.Parser\.(Term|Command)\.InternalSyntax"
    r"|Lean\.Grind\.|Lean\.(testExtern|termM!|termThrow|termRegister|doElemTrace|termMacro)"
    r"|Lean\.command|commandDeclare|Lean\.Parser\.Term\.quot$|termPrintln|Lean\.(infoTrees|setLibrary|run[CEM])"
    r"|Lean\.(builtin_)?command_code_action|Lean\.(byElab|includeStr)"
)
_CATEGORIES: Final = (
    "term",
    "tactic",
    "conv",
    "command",
    "attr",
    "prec",
    "prio",
    "stx",
    "doElem",
    "binderPred",
)
"""Categories that begin the names that Lean makes."""
_DECLARED: Final = (
    "rcasesPat",
    "rintroPat",
    "binderPred",
    "rawStx",
    "grind",
    "grind_filter",
    "grind_ref",
    "grind_mod",
)
"""Categories that Init declares, with Lean's own behavior of identifiers; `conv` is one more."""
_SPACES: Final = {
    "Lean.Parser.Tactic": "tactic", "Lean.Parser.Tactic.Conv": "conv", "Lean.Parser.Tactic.Grind": "grind",
    "Lean.Parser.Tactic.rcasesPat": "rcasesPat", "Lean.Parser.Tactic.rintroPat": "rintroPat",
    "Lean.Parser.Attr": "attr", "Lean.Attr": "attr", "Lean.Parser.Command": "command", "Lean.Parser": "command",
    "Lean.Elab.Tactic.Ext": "tactic",
}  # fmt: skip
_NAMED: Final = {
    "Lean.Parser.Tactic.Conv.conv": "tactic", "Lean.Parser.Tactic.showTermElab": "term",
    "Lean.Parser.Tactic.by?": "term",
    "Lean.Parser.Syntax.addPrec": "prec", "Lean.Parser.Syntax.subPrec": "prec", "Lean.Parser.Syntax.addPrio": "prio",
    "Lean.Parser.Syntax.subPrio": "prio", "Lean.Parser.Syntax.exact?": "term", "Lean.calc": "term",
    "Lean.calcTactic": "tactic", "Lean.solveTactic": "tactic", "Lean.cdot": "tactic", "Lean.deprecated": "attr",
    "Lean.deprecated_arg": "attr", "Lean.suggest_for": "attr", "Lean.univ_out_params": "attr",
    "Lean.guardMsgsCmd": "command", "Lean.guardPanicCmd": "command", "Lean.reduceCmd": "command",
    "Lean.Parser.Tactic.guardExprConv": "conv", "Lean.Parser.Tactic.guardHypConv": "conv",
    "Lean.Parser.Tactic.guardTargetConv": "conv",
    "Lean.modCast": "term", "Lean.withAnnotateTerm": "term", "rawNatLit": "term", "boolIfThenElse": "term",
    "coeNotation": "term", "coeFunNotation": "term", "coeSortNotation": "term",
}  # fmt: skip
ROOT: Final = "unexpanders"
"""Word by which this program writes the text for after the library."""
_NAME_MAKERS: Final = 8
BESIDE: Final = {
    # Patterns: `rfl` would be a variable there, and `x@p` stands for a term of this name.
    "Prelude.lean": "attribute [match_pattern] rfl HEq.rfl\n"
    "def namedPattern {α : Sort u} (x a : α) (h : x = a) : α := a\n",
    "Syntax.lean": "\n".join(
        [
            # Lean leaves a proof that fails open by it.
            "axiom sorryAx (α : Sort u) (synthetic : Bool) : α",
            # Lean makes the syntax of a default tactic by these. Axioms would count as such where they are used.
            '@[extern "x"] opaque String.toRawSubstring (s : String) : Substring.Raw := ⟨s, ⟨0⟩, ⟨0⟩⟩',
            '@[extern "x"] opaque Lean.mkAtom (s : String) : Lean.Syntax := .atom .none s',
            # Names have a hash, which the constructors of the library's type do not compute but these functions do.
            *(
                f'@[extern "x"] def Lean.Name.mkStr{n} ({" ".join(f"s{i}" for i in range(n))} : String) : Lean.Name := '
                + "".join("Lean.Name.str (" for _ in range(n - 1))
                + "Lean.Name.str Lean.Name.anonymous s0"
                + "".join(f") s{i}" for i in range(1, n))
                for n in range(1, _NAME_MAKERS + 1)
            ),
            "",
        ]
    ),
    # `by_cases` finds it as an instance; minilean takes it as a last resort where core's tactic opens the namespace.
    "Classical.lean": "namespace Classical\nattribute [scoped instance low] propDecidable\nend Classical\n",
    # As in core; minilean finds it without.
    "Control.lean": "export Alternative (failure)\n",
    # Recursion along a measure: a call below `if` knows the condition, and the relation of a goal is unfolded. The
    # instance of a marked condition is that of the condition.
    "WellFounded.lean": "attribute [reducible] Nat.lt_wfRel\nattribute [implicit_reducible] wfParam\n"
    "def binderNameHint {α : Sort u} {β : Sort v} {γ : Sort w} (v : α) (binder : β) (e : γ) : γ := e\n"
    "@[wf_preprocess] theorem ite_eq_dite {α : Sort u} {p : Prop} [Decidable p] (a b : α) : ite p a b ="
    " dite p (fun h => binderNameHint h () a) (fun h => binderNameHint h () b) := rfl\n",
    # The instance that Lean's `omega` searches for.
    "Omega.lean": "attribute [instance] Lean.Omega.Coeffs.instDecidableIsZero\n",
    # Lean's `ext` takes these steps by lemmas, minilean's without.
    "Simplify.lean": "attribute [ext] funext propext\n",
}
"""Text after a file of the library: declarations that Lean's elaborator names and minilean has no use for."""
_AUXILIARY: Final = re.compile(r"___(boxed|redArg|lam_|closed_|at_|regBuiltin)|_spec__")
_MACRO: Final = re.compile(r".*___macroRules_(.*)_\d+")
_UNEXPANDER: Final = re.compile(r".*___unexpand_(.*)_\d+")
_UNEXPANDERS: Final = {
    "Exists": ("unexpandExists",), "Sigma": ("unexpandSigma",), "PSigma": ("unexpandPSigma",),
    "Subtype": ("unexpandSubtype",), "ite": ("unexpandIte",), "Eq.ndrec": ("unexpandEqNDRec",),
    "Eq.rec": ("unexpandEqRec",), "List.nil": ("unexpandListNil",), "List.cons": ("unexpandListCons",),
    "List.toArray": ("unexpandListToArray",), "Prod.mk": ("unexpandProdMk",), "Unit.unit": ("unexpandUnit",),
    "GetElem.getElem": ("unexpandGetElem",), "GetElem?.getElem!": ("unexpandGetElem!",),
    "GetElem?.getElem?": ("unexpandGetElem?",), "Array.empty": ("unexpandArrayEmpty",),
    "Insert.insert": ("Lean", "insertUnexpander"), "Singleton.singleton": ("Lean", "singletonUnexpander"),
}  # fmt: skip
"""Unexpanders that have names of their own, for each constant."""


@dataclass(frozen=True, slots=True)
class Parser:
    """A parser that is an object of Lean's library.

    Args:
        name: The constant, which is the kind of the syntax too.
        trailing: It goes on after a term.
        category: Category of syntax; empty for a part of other parsers.
    """

    name: Name
    trailing: bool
    category: str


def syntax_text(lean: Lean, library: Path) -> str:
    """Return the text with the categories, the parsers and the macros.

    Args:
        lean: Lean's library in this process.
        library: Its file.
    """
    symbols = defined_symbols(library)
    parsers = [
        parser for parser in _parsers(lean, library, symbols) if not _LEFT_OUT.match(".".join(parser.name))
    ]
    lines = [*_HEAD]
    messages = [parser for parser in parsers if parser.name[-1].startswith("guardMsgs")]
    for group in (messages, [parser for parser in parsers if parser not in messages]):
        lines += [_declared(parser) for parser in group]
        lines += [
            f"attribute [{parser.category}_parser 1000] {identifier(parser.name)}"
            for parser in group
            if parser.category
        ]
        if group is messages:  # `declare_syntax_cat` makes a quotation, for which there are no types
            lines += [f"#guard_msgs (drop error) in declare_syntax_cat {each}" for each in _DECLARED]
            lines.append("#guard_msgs (drop error) in declare_syntax_cat conv (behavior := both)")
    kinds = {"_".join(parser.name): parser.name for parser in parsers}
    for name in _functions(symbols):
        found = _MACRO.fullmatch(name[-1])
        if found and found[1] in kinds:
            lines.append(f'@[extern "x"] axiom {identifier(name)} : Lean.Macro')
            lines.append(f"attribute [macro {identifier(kinds[found[1]])}] {identifier(name)}")
    return "\n".join(lines) + "\n"


_HEAD: Final = (
    "prelude",
    "set_option linter.all false",
    # Types of the compiler; it says that they are missing otherwise.
    "unsafe axiom lcErased : Type",
    "unsafe axiom lcAny : Type",
    "unsafe axiom lcVoid : Type",
    "axiom Lean.ParserDescr : Type",
    "axiom Lean.TrailingParserDescr : Type",
    "inductive Lean.Parser.Category : Type where | mk",
    # A macro takes the syntax and the context and the state of its monad.
    "axiom Bridge.Object : Type",
    *(
        f"@[reducible] def {name} : Type := Bridge.Object → Bridge.Object → Bridge.Object → Bridge.Object"
        for name in ("Lean.Macro", "Lean.PrettyPrinter.Unexpander")
    ),
)


def unexpander_text(library: Path) -> str:
    """Return the text with the unexpanders of constants; those of constants that are not there are passed over.

    Args:
        library: File of Lean's library.
    """
    functions = _functions(defined_symbols(library))
    of = []
    for name in functions:
        found = _UNEXPANDER.fullmatch(name[-1])
        if found and name[-1].startswith("_aux_Init_"):
            of.append((found[1].replace("_", "."), name))
    # Lean asks the last one first: `[a, b]` comes before `a :: b :: []`.
    of += [(constant, name) for constant, name in _UNEXPANDERS.items() if name in functions]
    lines = ["set_option linter.all false"]
    for constant, name in of:
        lines.append(f'@[extern "x"] axiom {identifier(name)} : Lean.PrettyPrinter.Unexpander')
        lines.append(f"#guard_msgs (drop error) in attribute [app_unexpander {constant}] {identifier(name)}")
    return "\n".join(lines) + "\n"


def identifier(name: Name) -> str:
    """Return a name as Lean's parser reads it back."""
    return ".".join(
        part if part.isascii() and part.isidentifier() and part[0].isupper() else f"«{part}»" for part in name
    )


def _declared(parser: Parser) -> str:
    type_ = "Lean.TrailingParserDescr" if parser.trailing else "Lean.ParserDescr"
    return f'@[extern "x"] axiom {identifier(parser.name)} : {type_}'


def _functions(symbols: Symbols) -> list[Name]:
    """Return the names of the macros and the unexpanders, in the order of their symbols."""
    return [
        demangled(symbol)
        for symbol in sorted(symbols.functions)
        if symbol.startswith("l_")
        and ("macroRules__" in symbol or "nexpand" in symbol)
        and not _AUXILIARY.search(symbol)
    ]


def _parsers(lean: Lean, library: Path, symbols: Symbols) -> Iterator[Parser]:
    """Yield the parsers, in the order of their symbols."""
    file = ctypes.CDLL(str(library))
    readable = _Readable()
    for symbol in sorted(symbols.data):
        if not symbol.startswith("l_") or "___closed" in symbol:
            continue
        value = ctypes.c_uint64.in_dll(file, symbol).value
        if value % 8 or value not in readable:
            continue
        shape = _shape(value)
        if shape not in (_NODE, _TRAILING, _PART):
            continue
        kind = lean.field(value, 1 if shape == _PART else 0)
        if kind % 8 or kind not in readable or _shape(kind) not in _NAME:
            continue
        name = tuple(map(str, lean.name(kind)))
        yield Parser(name, shape == _TRAILING, "" if shape == _PART else _category(name))


def _shape(value: Address) -> tuple[int, int]:
    return ctypes.c_uint8.from_address(value + 7).value, ctypes.c_uint8.from_address(value + 6).value


def _category(name: Name) -> str:
    text = ".".join(name)
    if text in _NAMED:
        return _NAMED[text]
    space, last = ".".join(name[:-1]), name[-1]
    made = next((each for each in ("grind_filter", "grind_ref", *_CATEGORIES) if last.startswith(each)), "")
    return made if re.match(r"(?![a-z])", last[len(made) :]) and made else _SPACES.get(space, made)


class _Readable:
    """Addresses of this process that can be read."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        with open("/proc/self/maps", encoding="utf-8") as maps:
            for line in maps:
                area, rights, *_ = line.split()
                if rights.startswith("r") and "[v" not in line:  # the kernel's own pages
                    start, end = area.split("-")
                    self._starts.append(int(start, 16))
                    self._ends.append(int(end, 16))

    def __contains__(self, address: int) -> bool:
        at = bisect.bisect_right(self._starts, address) - 1
        return at >= 0 and address + _SMALLEST <= self._ends[at]


if __name__ == "__main__":
    file = find_library(sys.argv[1] if len(sys.argv) > 1 else None)
    sys.stdout.write(unexpander_text(file) if sys.argv[2:] == [ROOT] else syntax_text(Lean(file), file))
