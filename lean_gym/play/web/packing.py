"""minilean and the session as the page loads them: bytecode of Pyodide's Python, and the proved library.

`make.mjs` runs this file in Pyodide when the page is built. Modules come as bytecode, since a browser would take
seconds to compile their sources. Docstrings are left out, assertions stay.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import io
import json
import lzma
import marshal
import shutil
import sys
import tarfile
import traceback
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

ENCODED: Final = "minilean/library/encoded.bin"
"""The library in the folder of sources, which are not yet those that decide about its seal."""
PROVED: Final = "minilean/library/proved.bin"
"""The file in which minilean looks for its library."""
_STANDARD_LIBRARY: Final = Path(f"/lib/python{sys.version_info[0]}{sys.version_info[1]}.zip")
_UNCHECKED: Final = 0b01
"""Flags of bytecode that is never compared with a source."""
_TRIED: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("start", {}),
    ("apply", {"tactic": "constructor"}),
    ("apply", {"tactic": "exact nonsense"}),
    ("suggest", {}),
    ("complete", {"line": "exact Nat.add_c"}),
    ("apply", {"tactics": ["constructor", "exact h.2"], "tactic": "exact h.1"}),
)
"""Requests that load the modules which a session needs; the last one proves."""


def pack(folder: Path, out: Path) -> None:
    """Write `lean.tar.xz`, the modules of `folder`, and `stdlib.zip`, the part of the standard library that they need.

    Args:
        folder: Sources, of which bytecode is made in place.
        out: An existing folder.

    Raises:
        RuntimeError: The packed session does not prove.
    """
    needed: set[str] = set()
    for path in sorted(folder.rglob("*.py")):
        needed |= imported(path.read_bytes())
        name = path.relative_to(folder).as_posix()
        path.with_suffix(".pyc").write_bytes(bytecode(path.read_bytes(), name))
        path.unlink()
    sys.path.insert(0, str(folder))
    from lean_gym.backends.minilean import sealed_library

    (folder / PROVED).write_bytes(sealed_library((folder / ENCODED).read_bytes()))
    (folder / ENCODED).unlink()
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                entry.size = path.stat().st_size
                tar.addfile(entry, io.BytesIO(path.read_bytes()))
    packed = out / "lean.tar.xz"
    packed.write_bytes(lzma.compress(archive.getvalue(), preset=9))
    try_out(packed)
    for name in sorted(needed):
        with suppress(ImportError):  # a browser's Python lacks some
            importlib.import_module(name)
    (out / "stdlib.zip").write_bytes(standard_library())


def imported(source: bytes) -> set[str]:
    """Return the modules of the standard library that a source imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return {name for name in found if name.partition(".")[0] in sys.stdlib_module_names}


def bytecode(source: bytes, name: str) -> bytes:
    """Return the content of a `.pyc` file without docstrings."""
    tree = ast.parse(source, name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                # Imports of `__future__` have to stand first; other bodies must not be empty.
                node.body[:1] = [] if isinstance(node, ast.Module) else [ast.copy_location(ast.Pass(), first)]
    code = compile(tree, name, "exec", dont_inherit=True, optimize=0)
    head = importlib.util.MAGIC_NUMBER + _UNCHECKED.to_bytes(4, "little") + bytes(8)
    return head + marshal.dumps(code)


def try_out(packed: Path) -> None:
    """Unpack the archive as the page does, and use it.

    Raises:
        RuntimeError: It does not prove.
    """
    shutil.unpack_archive(packed, "/tried", "xztar")
    from lean_gym.play.web.session import Session

    session = Session()
    theorem = {"statement": "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"}
    for ask, more in _TRIED:
        answer = session.answer(json.dumps({"ask": ask, **theorem, **more}))
    if not json.loads(answer).get("verdict", {}).get("proved"):
        raise RuntimeError(f"the packed session does not prove: {answer}")
    try:
        session.answer("{}")
    except KeyError:
        traceback.format_exc()  # loads what the page needs to show a defect


def standard_library() -> bytes:
    """Return an archive, as bytecode, of the modules that this process loaded of Pyodide's standard library."""
    content = io.BytesIO()
    home = f"{_STANDARD_LIBRARY}/"
    origins = [getattr(module.__spec__, "origin", None) or "" for module in list(sys.modules.values())]
    names = sorted({origin.removeprefix(home) for origin in origins if origin.startswith(home)})
    with zipfile.ZipFile(_STANDARD_LIBRARY) as whole, zipfile.ZipFile(content, "w") as part:
        for name in names:
            entry = zipfile.ZipInfo(f"{name}c")  # of the first day that an archive knows
            part.writestr(entry, bytecode(whole.read(name), name), zipfile.ZIP_DEFLATED, 9)
    return content.getvalue()
