"""`python compared_types.py FOLDER EXPORT`: compare the types of an export with those of the module `Init` in a folder.

Each line of the output is a JSON list: a name, and `missing`, or what differs.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any

from lean_gym.lean.compiled_library import MODULE
from lean_gym.lean.kernel import LeanKernel, Rejected
from lean_gym.lean.library import find_library
from lean_gym.lean.objects import Address, Lean, box

_PRIVATE_LEVEL = 2
"""`OLeanLevel.private`: the whole module is read."""


class Comparison(LeanKernel):
    """Compares declarations, instead of adding them, with those of an imported module."""

    def __init__(self, lean: Lean, env: Address) -> None:
        super().__init__(lean)
        self._env = env

    def _declare(self, kind: str, v: Any) -> None:
        for row in [*v["types"], *v["ctors"], *v["recs"]] if kind == "inductive" else [v]:
            name = self._name(row["name"])
            said = "missing"
            if self._find(name) is not None:
                try:
                    self._compare(name, row)
                    continue
                except Rejected as error:
                    said = str(error)
            print(json.dumps([".".join(map(str, self._lean.name(name))), said]))


def imported(lean: Lean, folder: str) -> Address:
    """Return the kernel's environment with the module of a folder."""
    library = ctypes.CDLL(str(find_library()))

    def function(name: str, *kinds: Any) -> Any:
        found = getattr(library, name)
        found.restype, found.argtypes = ctypes.c_void_p, kinds
        return found

    o, b = ctypes.c_void_p, ctypes.c_uint8
    array = function("lean_array_mk", o)
    function("l_Lean_initSearchPath", o, o, o)(lean.string("none"), lean.list([lean.string(folder)]), box(0))
    name = lean.made("lean_name_mk_string", box(0), lean.string(MODULE))
    asked = lean.constructor(0, name, scalars=bytes([0, 1, 0]))
    options = ctypes.c_uint64.in_dll(library, "l_Lean_Options_empty").value
    result = function("l_Lean_importModules", o, o, ctypes.c_uint32, o, b, b, b, o, o)(
        array(lean.list([asked])), options, 0, array(box(0)), 0, 0, _PRIVATE_LEVEL, box(1), box(0)
    )
    return lean("lean_elab_environment_to_kernel_env", lean.field(result, 0))


if __name__ == "__main__":
    lean = Lean(find_library())
    with open(sys.argv[2], encoding="utf-8") as lines:
        Comparison(lean, imported(lean, sys.argv[1])).add(lines)
