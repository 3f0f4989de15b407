"""`python compared_types.py FOLDER EXPORT`: compare the types of an export with those of the module `Init` in a folder.

Each line of the output is a JSON list: the name of a constant, and `missing`, or what differs. Terms are compared with
the kinds of their binders; levels by their values, as Lean simplifies the levels that it is given.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import sys
from typing import Any

from lean_gym.lean.compiled_library import MODULE
from lean_gym.lean.kernel import LeanKernel
from lean_gym.lean.library import find_library
from lean_gym.lean.objects import Address, Lean, box

PRIVATE_LEVEL = 2
"""`OLeanLevel.private`: the whole module is read."""
BVAR, SORT, CONST, APP, LAMBDA, PI, LET, LITERAL, METADATA, PROJECTION = 0, 3, 4, 5, 6, 7, 8, 9, 10, 11
ZERO, SUCC, MAX, IMAX = range(4)
BINDER_INFO = 8 + 3 * 8 + 8
"""Place of the binder's kind: behind the header, three fields and the 8 bytes that Lean keeps in every term."""
VALUES = range(4)
"""Values of universe parameters that levels are compared for."""


class Comparison(LeanKernel):
    """Compares declarations, instead of adding them, with those of an imported module."""

    def __init__(self, lean: Lean, env: Address) -> None:
        super().__init__(lean)
        self._env = env
        self._equal: set[tuple[Address, Address]] = set()

    def _declare(self, kind: str, v: Any) -> None:
        lean = self._lean
        for row in [*v["types"], *v["ctors"], *v["recs"]] if kind == "inductive" else [v]:
            name = self._name(row["name"])
            info = self.find(name)
            said = "missing" if info is None else self._difference(lean.field(lean.field(info, 0), 0), row)
            if said:
                print(json.dumps([".".join(map(str, lean.name(name))), said]))

    def _difference(self, constant: Address, row: Any) -> str:
        lean = self._lean
        params = [lean.name(param) for param in lean.items(lean.field(constant, 1))]
        if params != [lean.name(param) for param in self._all_names(row["levelParams"])]:
            return f"universe parameters {params}"
        return "" if self._same(lean.field(constant, 2), self._term(row["type"])) else "type"

    def _same(self, a: Address, b: Address) -> bool:
        lean = self._lean
        while lean.tag(a) == METADATA:
            a = lean.field(a, 1)
        if a == b or (a, b) in self._equal:
            return True
        kind = lean.tag(a)
        if kind != lean.tag(b) or not self._same_parts(kind, a, b):
            return False
        self._equal.add((a, b))
        return True

    def _same_parts(self, kind: int, a: Address, b: Address) -> bool:
        lean = self._lean
        if kind == SORT:
            return self._same_level(lean.field(a, 0), lean.field(b, 0))
        if kind == CONST:
            left, right = (list(lean.items(lean.field(term, 1))) for term in (a, b))
            return (
                lean.name(lean.field(a, 0)) == lean.name(lean.field(b, 0))
                and len(left) == len(right)
                and all(map(self._same_level, left, right))
            )
        if kind in (LAMBDA, PI) and binder(a) != binder(b):
            return False
        parts = {APP: (0, 1), LAMBDA: (1, 2), PI: (1, 2), LET: (1, 2, 3)}.get(kind)
        if parts is None:
            return bool(lean("lean_expr_eqv", a, b))
        return all(self._same(lean.field(a, part), lean.field(b, part)) for part in parts)

    def _same_level(self, a: Address, b: Address) -> bool:
        params = sorted(self._params(a) | self._params(b))
        return all(
            self._value(a, dict(zip(params, values, strict=True)))
            == self._value(b, dict(zip(params, values, strict=True)))
            for values in itertools.product(VALUES, repeat=len(params))
        )

    def _params(self, level: Address) -> set[Any]:
        lean, kind = self._lean, self._lean.tag(level)
        if kind == ZERO:
            return set()
        if kind in (SUCC, MAX, IMAX):
            return set().union(
                *(self._params(lean.field(level, at)) for at in range(1 if kind == SUCC else 2))
            )
        return {lean.name(lean.field(level, 0))}

    def _value(self, level: Address, values: dict[Any, int]) -> int:
        lean, kind = self._lean, self._lean.tag(level)
        if kind == ZERO:
            return 0
        if kind == SUCC:
            return 1 + self._value(lean.field(level, 0), values)
        if kind not in (MAX, IMAX):
            return values[lean.name(lean.field(level, 0))]
        left, right = (self._value(lean.field(level, at), values) for at in (0, 1))
        return max(left, right) if kind == MAX or right else 0


def binder(term: Address) -> int:
    """Return the kind of a binder."""
    return ctypes.c_uint8.from_address(term + BINDER_INFO).value


def imported(lean: Lean, folder: str) -> Address:
    """Return the kernel's environment with the module of a folder."""
    library = ctypes.CDLL(str(find_library()))

    def function(name: str, *kinds: Any) -> Any:
        found = getattr(library, name)
        found.restype, found.argtypes = ctypes.c_void_p, kinds
        return found

    o, b = ctypes.c_void_p, ctypes.c_uint8
    array = function("lean_array_mk", o)
    path = lean.list([lean.string(folder)])
    function("l_Lean_initSearchPath", o, o, o)(lean.string("none"), path, box(0))
    name = lean.made("lean_name_mk_string", box(0), lean.string(MODULE))
    asked = lean.constructor(0, name, scalars=bytes([0, 1, 0]))
    options = ctypes.c_uint64.in_dll(library, "l_Lean_Options_empty").value
    result = function("l_Lean_importModules", o, o, ctypes.c_uint32, o, b, b, b, o, o)(
        array(lean.list([asked])), options, 0, array(box(0)), 0, 0, PRIVATE_LEVEL, box(1), box(0)
    )
    return lean("lean_elab_environment_to_kernel_env", lean.field(result, 0))


if __name__ == "__main__":
    lean = Lean(find_library())
    with open(sys.argv[2], encoding="utf-8") as lines:
        Comparison(lean, imported(lean, sys.argv[1])).add(lines)
