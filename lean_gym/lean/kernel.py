"""Lean's kernel as a judge: every declaration of an export goes through `lean_add_decl`.

The rows of lean4export's format become objects of Lean one by one. The reader shares nothing with minilean's. A file
is a stranger's: a row may refer to earlier rows only, so terms have no loops, and anything unexpected ends the reading.
What the kernel derives itself (constructors, recursors, their rules, quotients) must be what the file has.

Source: `format_ndjson.md` of leanprover/lean4export (3.1.0); Lean 4 `src/kernel/environment.cpp`,
`src/Lean/Declaration.lean`, `src/Lean/Environment.lean` (4.35).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from lean_gym.lean.objects import Address, Lean, box

MAX_BVAR: Final = 1 << 20
"""Lean's own bound of de Bruijn indices; it would panic."""
MAX_DIGITS: Final = 80_000
"""Greatest number of digits of a numeral, as for minilean's reader."""
_BINDERS: Final = {"default": 0, "implicit": 1, "strictImplicit": 2, "instImplicit": 3}
_AXIOM, _DEFINITION, _THEOREM, _OPAQUE, _QUOT = range(5)
"""Numbers of the constructors of `Lean.Declaration`."""
_ERROR: Final = 0
"""Number of `Except.error`."""
_SAFE: Final = 1
"""Number of `DefinitionSafety.safe`."""
_NO_LIMIT: Final = 0
_OTHER: Final = "other"
# Constructors of `Lean.Kernel.Exception`.
_REFUSALS: Final = (
    "unknown constant", "already declared", "declaration type mismatch", "metavariables", "free variables",
    "function expected", "type expected", "type mismatch of a let", "type mismatch of an expression",
    "type mismatch of an application", "invalid projection", "the type of a theorem is no proposition", _OTHER,
    "deterministic timeout", "excessive memory", "deep recursion", "interrupted",
)  # fmt: skip
_PLAIN_PART: Final = re.compile(r"[^\W\d][\w'!?]*")
_Part = TypeVar("_Part")


class ExportError(ValueError):
    """A file that is no export, with the number of the line."""


class Rejected(Exception):
    """A declaration that Lean's kernel refuses, or derives otherwise than the file has it."""


class LeanKernel:
    """An environment of Lean's kernel, which grows by the declarations of exports.

    Args:
        lean: The library.
        env: The environment to begin with, one reference to which it owns; `None` for an empty one.
    """

    def __init__(self, lean: Lean, env: Address | None = None) -> None:
        self._lean = lean
        if env is None:
            result = lean("l_Lean_mkEmptyEnvironment", 0, box(0))
            env = lean("lean_elab_environment_to_kernel_env", lean.field(result, 0))
        self._env = env
        self.declarations = 0
        self._start()

    @property
    def version(self) -> str:
        """The version of Lean."""
        return self._lean.version

    def _start(self) -> None:
        self._names: dict[int, Address] = {0: box(0)}
        self._levels: dict[int, Address] = {0: self._lean.zero}
        self._terms: dict[int, Address] = {}
        self._parts: dict[str, tuple[dict[int, Address], Callable[[str, Any], Address]]] = {
            "in": (self._names, self._new_name),
            "il": (self._levels, self._new_level),
            "ie": (self._terms, self._new_term),
        }

    def add(self, lines: Iterable[str]) -> None:
        """Check the declarations of a file and add them.

        Raises:
            ExportError: It is no export of version 3.1.
            Rejected: The kernel refuses a declaration.
        """
        self._start()
        number = 0
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                if number == 1:
                    _check_version(row)
                else:
                    self._row(row)
            except ExportError as error:
                raise ExportError(f"line {number}: {error}") from None
            except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
                said = " ".join(str(error).split())[:200]
                raise ExportError(
                    f"line {number}: no row of the format ({type(error).__name__}: {said})"
                ) from None
        if not number:
            raise ExportError("an empty file, expected the object `meta`")

    # --- rows -------------------------------------------------------------------------------------------------

    def _row(self, row: dict[str, Any]) -> None:
        tag = "ie" if "ie" in row else "in" if "in" in row else "il" if "il" in row else None
        rest = row.keys() - {tag}
        if len(rest) != 1:
            raise ExportError(f"got the keys {sorted(row)}, expected one kind of row")
        (kind,) = rest
        if tag is None:
            self._declare(kind, row[kind])
            return
        table, make = self._parts[tag]
        index = _count(row[tag])
        if index in table:
            raise ExportError(f"number {index} of `{tag}` is given twice")
        table[index] = make(kind, row[kind])

    def _new_name(self, kind: str, v: Any) -> Address:
        lean, prefix = self._lean, _known(self._names, v["pre"])
        if kind == "str":
            return lean.made("lean_name_mk_string", prefix, lean.string(_text(v["str"])))
        if kind == "num":
            return lean.made("lean_name_mk_numeral", prefix, box(_count(v["i"])))
        raise ExportError(f"unknown kind of name {kind!r}")

    def _new_level(self, kind: str, v: Any) -> Address:
        if kind == "succ":
            return self._lean.made("lean_level_mk_succ", _known(self._levels, v))
        if kind == "param":
            return self._lean.made("lean_level_mk_param", self._name(v))
        if kind not in ("max", "imax"):
            raise ExportError(f"unknown kind of level {kind!r}")
        left, right = (_known(self._levels, index) for index in _list(v))
        return self._lean.made(f"lean_level_mk_{kind}", left, right)

    def _new_term(self, kind: str, v: Any) -> Address:
        lean, term = self._lean, self._term
        if kind == "app":
            return lean.made("lean_expr_mk_app", term(v["fn"]), term(v["arg"]))
        if kind == "const":
            levels = lean.list([_known(self._levels, level) for level in _list(v["us"])])
            return lean.made("lean_expr_mk_const", self._name(v["name"]), levels)
        if kind in ("lam", "forallE"):
            function = "lean_expr_mk_lambda" if kind == "lam" else "lean_expr_mk_forall"
            binder = _BINDERS[v["binderInfo"]]
            return lean.made(function, self._name(v["name"]), term(v["type"]), term(v["body"]), binder)
        if kind == "bvar":
            return lean.made("lean_expr_mk_bvar", box(_count(v, MAX_BVAR - 2)))
        if kind == "sort":
            return lean.made("lean_expr_mk_sort", _known(self._levels, v))
        if kind == "letE":
            parts = (term(v["type"]), term(v["value"]), term(v["body"]))
            return lean.made("lean_expr_mk_let", self._name(v["name"]), *parts, 0)
        if kind == "proj":
            at = box(_count(v["idx"]))
            return lean.made("lean_expr_mk_proj", self._name(v["typeName"]), at, term(v["struct"]))
        if kind == "natVal":
            return lean.made("lean_expr_mk_lit", lean.constructor(0, lean.natural(_digits(v))))
        if kind == "strVal":
            return lean.made("lean_expr_mk_lit", lean.constructor(1, lean.string(_text(v))))
        if kind == "mdata":
            return term(v["expr"])
        raise ExportError(f"unknown kind of term {kind!r}")

    def _name(self, index: Any) -> Address:
        return _known(self._names, index)

    def _term(self, index: Any) -> Address:
        return _known(self._terms, index)

    def _all_names(self, indices: Any) -> list[Address]:
        return [self._name(index) for index in _list(indices)]

    # --- declarations -----------------------------------------------------------------------------------------

    def _declare(self, kind: str, v: Any) -> None:
        lean = self._lean
        if kind == "inductive":
            self._add_inductive(v)
            return
        name = self._name(v["name"])
        params, type_ = lean.list(self._all_names(v["levelParams"])), self._term(v["type"])
        if v.get("isUnsafe", False) is not False:
            raise ExportError(f"{shown_name(lean.name(name))} is unsafe")
        own = lean.list([name])
        if kind == "axiom":
            made = lean.constructor(_AXIOM, lean.made("lean_mk_axiom_val", name, params, type_, 0))
        elif kind == "thm":
            value = self._term(v["value"])
            made = lean.constructor(
                _THEOREM, lean.made("lean_mk_theorem_val", name, params, type_, value, own)
            )
        elif kind == "opaque":
            value = self._term(v["value"])
            made = lean.constructor(
                _OPAQUE, lean.made("lean_mk_opaque_val", name, params, type_, value, 0, own)
            )
        elif kind == "def":
            if v["safety"] != "safe":
                raise ExportError(
                    f"{shown_name(lean.name(name))} is {v['safety']!r}, expected a safe definition"
                )
            parts = (name, params, type_, self._term(v["value"]), self._hints(v["hints"]), _SAFE, own)
            made = lean.constructor(_DEFINITION, lean.made("lean_mk_definition_val", *parts))
        elif kind == "quot":
            if v["kind"] == "type":
                self._check(name, box(_QUOT))
            self._compare(name, v)
            return
        else:
            raise ExportError(f"unknown kind of declaration {kind!r}")
        self._check(name, made)

    def _hints(self, hints: Any) -> Address:
        if hints in ("opaque", "abbrev"):
            return box(0 if hints == "opaque" else 1)
        return self._lean.constructor(
            2, scalars=_count(hints["regular"], (1 << 32) - 1).to_bytes(4, "little")
        )

    def _check(self, name: Address, declaration: Address) -> None:
        """Have the kernel check a declaration; the environment is the new one from here on."""
        result = self._lean("lean_add_decl", self._env, _NO_LIMIT, _NO_LIMIT, declaration, box(0))
        if self._lean.tag(result) == _ERROR:
            raise Rejected(
                f"'{shown_name(self._lean.name(name))}': {self._reason(self._lean.field(result, 0))}"
            )
        self._env = self._lean.field(result, 0)
        self.declarations += 1

    def _reason(self, exception: Address) -> str:
        what = _REFUSALS[self._lean.tag(exception)]
        if what is _OTHER:
            return " ".join(self._lean.text(self._lean.field(exception, 0)).split())
        return what

    def _add_inductive(self, v: Any) -> None:
        lean, types = self._lean, _list(v["types"])
        if not types:
            raise ExportError("an inductive declaration without a type")
        first = types[0]
        if any(part.get("isUnsafe", False) is not False for part in types):
            raise ExportError("an unsafe inductive type")
        declared = [
            lean.constructor(
                0,
                self._name(type_["name"]),
                self._term(type_["type"]),
                lean.list(
                    [
                        lean.constructor(0, self._name(made["name"]), self._term(made["type"]))
                        for made in _list(v["ctors"])
                        if made["induct"] == type_["name"]
                    ]
                ),
            )
            for type_ in types
        ]
        params = lean.list(self._all_names(first["levelParams"]))
        count = box(_count(first["numParams"]))
        made = lean.made("lean_mk_inductive_decl", params, count, lean.list(declared), 0)
        self._check(self._name(first["name"]), made)
        for type_ in types:
            self._compare_type(type_)
        for constructor in _list(v["ctors"]):
            self._compare_constructor(constructor)
        for recursor in _list(v["recs"]):
            self._compare_recursor(recursor)
        derived = {each for type_ in types for each in self._derived(self._name(type_["name"]))}
        found = {lean.name(self._name(part["name"])) for key in ("ctors", "recs") for part in v[key]}
        if derived != found:
            raise Rejected(
                f"'{shown_name(lean.name(self._name(first['name'])))}': Lean derives other constructors and recursors"
            )

    # --- what the kernel derives --------------------------------------------------------------------------------

    def find(self, name: Address) -> Address | None:
        """Return the `ConstantInfo` of a name; `None` if there is no such constant."""
        found = self._lean("lean_environment_find", self._lean.given(self._env), self._lean.given(name))
        return None if found & 1 else self._lean.field(found, 0)

    def _compare(self, name: Address, v: Any) -> Address:
        """Compare type and universes of a derived constant with those of the file; return its value."""
        lean, info = self._lean, self.find(name)
        if info is None:
            raise Rejected(f"'{shown_name(lean.name(name))}': Lean derives no constant of this name")
        value = lean.field(info, 0)
        constant = lean.field(value, 0)
        params = [lean.name(param) for param in lean.items(lean.field(constant, 1))]
        stated = [lean.name(param) for param in self._all_names(v["levelParams"])]
        if params != stated:
            self._differs(name, "universe parameters")
        if not lean("lean_expr_eqv", lean.field(constant, 2), self._term(v["type"])):
            self._differs(name, "type")
        return value

    def _differs(self, name: Address, what: str) -> None:
        raise Rejected(
            f"'{shown_name(self._lean.name(name))}': Lean derives another {what} than the file has"
        )

    def _numbers(self, value: Address, fields: dict[str, int], v: Any, name: Address) -> None:
        for key, at in fields.items():
            if self._lean.number(self._lean.field(value, at)) != _count(v[key]):
                self._differs(name, key)

    def _flags(self, value: Address, flags: dict[str, int], v: Any, name: Address) -> None:
        for key, at in flags.items():
            if self._lean.flag(value, at) is not v[key]:
                self._differs(name, key)

    def _lists(self, value: Address, fields: dict[str, int], v: Any, name: Address) -> None:
        for key, at in fields.items():
            derived = [self._lean.name(each) for each in self._lean.items(self._lean.field(value, at))]
            if derived != [self._lean.name(each) for each in self._all_names(v[key])]:
                self._differs(name, key)

    def _compare_type(self, v: Any) -> None:
        name = self._name(v["name"])
        value = self._compare(name, v)
        self._numbers(value, {"numParams": 1, "numIndices": 2, "numNested": 5}, v, name)
        self._lists(value, {"all": 3, "ctors": 4}, v, name)
        self._flags(value, {"isRec": 0, "isReflexive": 2}, v, name)

    def _compare_constructor(self, v: Any) -> None:
        name = self._name(v["name"])
        value = self._compare(name, v)
        if self._lean.name(self._lean.field(value, 1)) != self._lean.name(self._name(v["induct"])):
            self._differs(name, "induct")
        self._numbers(value, {"cidx": 2, "numParams": 3, "numFields": 4}, v, name)

    def _compare_recursor(self, v: Any) -> None:
        lean, name = self._lean, self._name(v["name"])
        value = self._compare(name, v)
        counts = {"numParams": 2, "numIndices": 3, "numMotives": 4, "numMinors": 5}
        self._numbers(value, counts, v, name)
        self._lists(value, {"all": 1}, v, name)
        self._flags(value, {"k": 0}, v, name)
        derived, stated = list(lean.items(lean.field(value, 6))), _list(v["rules"])
        if len(derived) != len(stated):
            self._differs(name, "number of rules")
        for rule, row in zip(derived, stated, strict=True):
            if (
                lean.name(lean.field(rule, 0)) != lean.name(self._name(row["ctor"]))
                or lean.number(lean.field(rule, 1)) != _count(row["nfields"])
                or not lean("lean_expr_eqv", lean.field(rule, 2), self._term(row["rhs"]))
            ):
                self._differs(name, "rule")

    def _derived(self, name: Address) -> set[tuple[str | int, ...]]:
        """Return the names of the constructors and recursors that came with a type."""
        lean, info = self._lean, self.find(name)
        assert info is not None, "the kernel has just added it"
        value = lean.field(info, 0)
        group = [lean.name(each) for each in lean.items(lean.field(value, 3))]
        nested = lean.number(lean.field(value, 5))
        return {
            *(lean.name(each) for each in lean.items(lean.field(value, 4))),
            *((*each, "rec") for each in group),
            *((*group[0], f"rec_{number + 1}") for number in range(nested)),
        }


def _check_version(first: Any) -> None:
    try:
        meta = first["meta"]
        version = meta["format"]["version"] if "format" in meta else meta["exporter"]["version"]
    except (KeyError, TypeError):
        raise ExportError("expected the object `meta`") from None
    if type(version) is not str or not version.startswith("3.1"):
        raise ExportError(f"got version {version!r}, expected 3.1")


def _known(table: dict[int, _Part], index: Any) -> _Part:
    if type(index) is not int or index not in table:
        raise ExportError(f"unknown number {str(index)[:60]}; a row may refer to earlier rows only")
    return table[index]


def _count(value: Any, limit: int = (1 << 62) - 1) -> int:
    if type(value) is not int or not 0 <= value <= limit:
        raise ExportError(f"got {str(value)[:60]}, expected a number from 0 to {limit}")
    return value


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ExportError(f"got {str(value)[:60]}, expected a list")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise ExportError(f"got {str(value)[:60]}, expected a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ExportError(f"expected a text: {error.reason}") from None
    return value


def _digits(value: Any) -> str:
    digits = _text(value)
    if not digits.isascii() or not digits.isdecimal() or len(digits) > MAX_DIGITS:
        raise ExportError(f"got {digits[:60]!r}, expected a numeral of at most {MAX_DIGITS} digits")
    return digits


def shown_name(name: tuple[str | int, ...]) -> str:
    """Return a name as Lean writes it, so that two names are never shown alike."""
    return ".".join(
        part
        if isinstance(part, str) and _PLAIN_PART.fullmatch(part)
        else f"«{part}»"
        if isinstance(part, str)
        else str(part)
        for part in name
    )
