"""Exported symbols of Lean's library, and the names of Lean constants that they stand for.

Source: ELF-64 object file format, System V ABI (generic and x86-64); Lean 4
`src/Lean/Compiler/NameMangling.lean` (4.35).
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lean_gym.errors import BackendUnavailable

_FILE_HEADER: Final = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_DYNAMIC_SYMBOLS: Final = 11
_OBJECT: Final = 1
"""Type of a symbol that names data."""
_PREFIX: Final = "l_"
_ESCAPE: Final = re.compile(r"x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})")


@dataclass(frozen=True, slots=True)
class Symbols:
    """Names of the symbols that a library defines.

    Args:
        data: Those of variables.
        functions: Those of functions.
    """

    data: frozenset[str]
    functions: frozenset[str]


def defined_symbols(path: Path) -> Symbols:
    """Return the symbols that a shared library for x86-64 defines.

    Raises:
        BackendUnavailable: It is no such file.
    """
    content = path.read_bytes()
    try:
        header = _FILE_HEADER.unpack_from(content)
        if header[0][:6] != b"\x7fELF\x02\x01":
            raise ValueError("expected an ELF file of 64 bits")
        first, size, count = header[6], header[11], header[12]
        sections = [_SECTION.unpack_from(content, first + size * at) for at in range(count)]
        table = next(section for section in sections if section[1] == _DYNAMIC_SYMBOLS)
        names = sections[table[6]][4]
        data: set[str] = set()
        functions: set[str] = set()
        for name, info, _, section, _, _ in _SYMBOL.iter_unpack(content[table[4] : table[4] + table[5]]):
            if section:  # else the library asks for it
                start = names + name
                text = content[start : content.index(b"\0", start)].decode("ascii")
                (data if info & 15 == _OBJECT else functions).add(text)
    except (struct.error, ValueError, IndexError, StopIteration) as error:
        raise BackendUnavailable(f"{path}: expected a shared library for x86-64 ({error})") from None
    return Symbols(frozenset(data), frozenset(functions))


def demangled(symbol: str) -> tuple[str, ...]:
    """Return the name of the Lean constant of a symbol that begins by `l_`."""
    parts = [""]
    at, end = len(_PREFIX), len(symbol)
    while at < end:
        if symbol[at] != "_":
            parts[-1] += symbol[at]
            at += 1
            continue
        start = at
        while at < end and symbol[at] == "_":
            at += 1
        doubled, single = divmod(at - start, 2)
        escape = _ESCAPE.match(symbol, at) if single else None
        if escape:
            parts[-1] += "_" * doubled + chr(int(escape[escape.lastindex or 0], 16))
            at = escape.end()
        elif single:
            parts.append("_" * doubled)
        else:
            parts[-1] += "_" * doubled
    return tuple(parts)
