"""Objects of Lean's runtime, built and read through ctypes.

An object begins with a header of 8 bytes: reference count (i32), size (u16), number of fields (u8), tag (u8). The
fields of a constructor follow, a machine word each, then its scalars. Small numbers and constructors without fields
are no objects: `2 n + 1`. A count of 0 marks an object that is never freed; all that is built here is marked so, as
its process ends soon.

Source: Lean 4 `src/include/lean/lean.h`, `src/Lean/Declaration.lean`, `src/Lean/Environment.lean` (4.35).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_char_p, c_int32, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, ClassVar, Final

from lean_gym.errors import BackendUnavailable
from lean_gym.lean.library import TESTED

_HEADER: Final = 8
_WORD: Final = 8
_STRING_DATA: Final = 32

# The arguments and results of the functions: o object, s size, c text, b byte, w 32 bits, v nothing.
_KINDS: Final = {
    "o": c_void_p, "s": c_size_t, "c": c_char_p, "b": c_uint8, "w": c_uint32, "v": None,
}  # fmt: skip
_SIGNATURES: Final = {
    "lean_initialize_runtime_module": "v",
    "lean_initialize": "v",
    "lean_io_mark_end_initialization": "v",
    "lean_alloc_object": "os",
    "lean_mark_persistent": "vo",
    "lean_mark_mt": "vo",
    "lean_inc_ref_huge_n": "vos",
    "lean_dec_ref_cold": "vo",
    "lean_mk_string_from_bytes": "ocs",
    "lean_cstr_to_nat": "oc",
    "lean_name_mk_string": "ooo",
    "lean_name_mk_numeral": "ooo",
    "lean_level_mk_zero": "oo",
    "lean_level_mk_succ": "oo",
    "lean_level_mk_max": "ooo",
    "lean_level_mk_imax": "ooo",
    "lean_level_mk_param": "oo",
    "lean_expr_mk_bvar": "oo",
    "lean_expr_mk_sort": "oo",
    "lean_expr_mk_const": "ooo",
    "lean_expr_mk_app": "ooo",
    "lean_expr_mk_lambda": "oooob",
    "lean_expr_mk_forall": "oooob",
    "lean_expr_mk_let": "ooooob",
    "lean_expr_mk_lit": "oo",
    "lean_expr_mk_proj": "oooo",
    "lean_expr_eqv": "boo",
    "lean_mk_axiom_val": "oooob",
    "lean_mk_definition_val": "oooooobo",
    "lean_mk_theorem_val": "oooooo",
    "lean_mk_opaque_val": "ooooobo",
    "lean_mk_inductive_decl": "oooob",
    "lean_add_decl": "oossoo",
    "lean_environment_find": "ooo",
    "lean_elab_environment_to_kernel_env": "oo",
    "l_Lean_mkEmptyEnvironment": "owo",
    "l_IO_CancelToken_set": "oo",
}

Address = int
"""An object, or a small value."""


def box(number: int) -> Address:
    """Return a small number, or a constructor without fields by its number."""
    return 2 * number + 1


class Lean:
    """Lean's library, loaded into this process.

    Args:
        path: The file.

    Raises:
        BackendUnavailable: It is no library of Lean, or one of a version that was not tested.
    """

    ABORTS: ClassVar = True
    """Whether a panic ends the process; Lean itself goes on with a default value."""

    def __init__(self, path: Path) -> None:
        if self.ABORTS:
            os.environ["LEAN_ABORT_ON_PANIC"] = "1"
        try:
            self.library = ctypes.CDLL(str(path), mode=os.RTLD_LAZY | os.RTLD_GLOBAL)
            self._call = {name: _function(self.library, name) for name in _SIGNATURES}
            stated = c_void_p.in_dll(self.library, "l_Lean_versionString")
        except (OSError, AttributeError, ValueError) as error:
            line = " ".join(str(error).split())
            raise BackendUnavailable(f"{path} is no library of Lean {' or '.join(TESTED)}: {line}") from None
        self._call["lean_initialize_runtime_module"]()
        self._call["lean_initialize"]()
        self.prepare()
        self._call["lean_io_mark_end_initialization"]()
        self.version = self.text(stated.value or 0).partition("-")[0]
        if self.version not in TESTED:
            raise BackendUnavailable(
                f"{path} is Lean {self.version}, expected {' or '.join(TESTED)}: the interface of the library changes "
                "with each version"
            )
        self.zero = self.made("lean_level_mk_zero", box(0))

    def prepare(self) -> None:
        """Do what can be done only before the end of the initialization: nothing here."""

    def __call__(self, name: str, *arguments: Any) -> int:
        """Call a function of the library."""
        return self._call[name](*arguments)  # type: ignore[no-any-return]

    # --- built ------------------------------------------------------------------------------------------------

    def given(self, value: Address) -> Address:
        """Count one reference more to an object, and return it."""
        if not value & 1:
            count = c_int32.from_address(value)
            if count.value > 0:
                count.value += 1
            elif count.value < 0:  # other threads have it too: only Lean's atomic operation will do
                self._call["lean_inc_ref_huge_n"](value, 1)
        return value

    def made(self, name: str, *arguments: Any) -> Address:
        """Call a function that makes an object, which is kept forever."""
        return self._kept(self(name, *arguments))

    def _kept(self, made: Address) -> Address:
        if not made & 1:
            self._call["lean_mark_persistent"](made)
        return made

    def constructor(self, tag: int, *fields: Address, scalars: bytes = b"") -> Address:
        """Make a constructor with fields and the bytes of its scalars."""
        size = _HEADER + _WORD * len(fields) + -(-len(scalars) // _WORD) * _WORD
        made = self("lean_alloc_object", size)
        c_int32.from_address(made).value = 0
        c_uint16.from_address(made + 4).value = size
        c_uint8.from_address(made + 6).value = len(fields)
        c_uint8.from_address(made + 7).value = tag
        for at, field in enumerate(fields):
            c_uint64.from_address(made + _HEADER + _WORD * at).value = field
        start = made + _HEADER + _WORD * len(fields)
        ctypes.memmove(start, scalars.ljust(made + size - start, b"\0"), made + size - start)
        return made

    def list(self, values: Sequence[Address]) -> Address:
        """Make a `List`."""
        made = box(0)
        for value in reversed(values):
            made = self.constructor(1, value, made)
        return made

    def string(self, text: str) -> Address:
        """Make a `String`."""
        content = text.encode()
        return self.made("lean_mk_string_from_bytes", content, len(content))

    def natural(self, digits: str) -> Address:
        """Make a `Nat` of its decimal digits."""
        if len(digits) < 19:
            return box(int(digits))
        return self.made("lean_cstr_to_nat", digits.encode())

    # --- read -------------------------------------------------------------------------------------------------

    def tag(self, value: Address) -> int:
        """Return the number of a constructor."""
        return value >> 1 if value & 1 else c_uint8.from_address(value + 7).value

    def field(self, value: Address, at: int) -> Address:
        """Return a field of a constructor."""
        return c_uint64.from_address(value + _HEADER + _WORD * at).value

    def flag(self, value: Address, at: int) -> bool:
        """Return a scalar of one byte of a constructor."""
        return bool(self.byte(value, at))

    def byte(self, value: Address, at: int) -> int:
        """Return the same as a number."""
        count = c_uint8.from_address(value + 6).value
        return c_uint8.from_address(value + _HEADER + _WORD * count + at).value

    def items(self, value: Address) -> Iterator[Address]:
        """Yield the elements of a `List`."""
        while not value & 1:
            yield self.field(value, 0)
            value = self.field(value, 1)

    def number(self, value: Address) -> int:
        """Return a small `Nat`; -1 for a large one."""
        return value >> 1 if value & 1 else -1

    def text(self, value: Address) -> str:
        """Return a `String`."""
        size = c_size_t.from_address(value + _HEADER).value
        return ctypes.string_at(value + _STRING_DATA, size - 1).decode()

    def name(self, value: Address) -> tuple[str | int, ...]:
        """Return the components of a `Name`."""
        parts: list[str | int] = []
        while not value & 1:
            part = self.field(value, 1)
            parts.append(self.text(part) if self.tag(value) == 1 else self.number(part))
            value = self.field(value, 0)
        return tuple(reversed(parts))


def _function(library: ctypes.CDLL, name: str) -> Callable[..., Any]:
    found = getattr(library, name)
    signature = _SIGNATURES[name]
    found.restype = _KINDS[signature[0]]
    found.argtypes = [_KINDS[kind] for kind in signature[1:]]
    return found  # type: ignore[no-any-return]
