"""The folder of files that a web server hands out: the page, Pyodide, minilean, theorem sets.

It is built once for each state of the sources and kept in the cache folder. Pyodide and the table of abbreviations of
Lean's editors come from npm, packages of a fixed version and content; Node.js, which npm needs anyway, runs Pyodide to
compile minilean.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lean_gym.backends.minilean import encoded_library
from lean_gym.cache_folder import cache_folder
from lean_gym.datasets import load_theorems
from lean_gym.errors import LeanGymError
from lean_gym.play.web.packing import ENCODED

ROOT: Final = Path(__file__).resolve().parents[3]
"""The folder of the packages."""
HERE: Final = Path(__file__).parent
SETS: Final = ("course", "logic", "nat")
"""Theorem sets that the page offers."""
_SESSION: Final = "lean_gym.play.web.session"
_DATA: Final = ("minilean/elab/core_names.txt",)
_RUNTIME: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
_NOTICE: Final = """\
Parts of this page by others:

Pyodide {pyodide} (folder pyodide/): Mozilla Public License 2.0, https://github.com/pyodide/pyodide;
with CPython and its standard library: PSF License, https://docs.python.org/3/license.html
Abbreviations of Lean's editors (abbreviations.json, @leanprover/unicode-input {abbreviations}):
Apache License 2.0, text in abbreviations-LICENSE.txt, https://github.com/leanprover/vscode-lean4

All else belongs to lean-gym: MIT License.
"""


class BundleError(LeanGymError):
    """The folder cannot be built; the text is one line with the remedy."""


class _Failed(BundleError):
    """A command that ends with an exit status other than 0."""


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """A package of npm.

    Attributes:
        name: Its name.
        version: Its version.
        sha512: Digest of its archive, in base 64.
    """

    name: str
    version: str
    sha512: str


PYODIDE: Final = NpmPackage(
    "pyodide",
    "314.0.7",
    "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A==",
)
ABBREVIATIONS: Final = NpmPackage(
    "@leanprover/unicode-input",
    "0.1.9",
    "NTd56YpI8iAb2aLLHEOCAIJM+T7pWJLS0PSn9sIOS21HwAgnhlgoHsoioey9hkUCdV0kDfeh0lsX2Yx3mbF0dg==",
)


def bundle(say: Callable[[str], None] = lambda line: None) -> Path:
    """Return the folder, which is built if this state of the sources has none yet.

    Args:
        say: Is told that a build begins.

    Raises:
        BundleError: It cannot be built.
    """
    content = own_files()
    folder = cache_folder() / "web" / _version(content)
    if not folder.exists():
        say("building the page by npm and Node.js, once for this version: about half a minute")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as work:
            made = Path(work) / "made"
            _build(made, Path(work), content, folder.name)
            made.rename(folder)
    return folder


def own_files() -> dict[str, bytes]:
    """Return the files of this project that decide what the folder holds, by their path in it or among the sources."""
    files = {f"page/{path.name}": path.read_bytes() for path in sorted((HERE / "page").iterdir())}
    files |= {f"sources/{name}": path.read_bytes() for name, path in session_sources().items()}
    files |= {f"make/{name}": (HERE / name).read_bytes() for name in ("make.mjs", "packing.py", "bundle.py")}
    return files | {"page/theorems.json": _theorems()}


def session_sources() -> dict[str, Path]:
    """Return the files that the session imports, itself included, by their path below the folder of the packages.

    `__init__.py` of `lean_gym` and its rooms are left out: they import what a browser does not have.
    """
    found: dict[str, Path] = {name: ROOT / name for name in _DATA}
    waiting = [_SESSION]
    while waiting:
        module = waiting.pop()
        for path in _files(module):
            name = path.relative_to(ROOT).as_posix()
            if name not in found:
                found[name] = path
                waiting.extend(_imports(path))
    return dict(sorted(found.items()))


def _files(module: str) -> Iterator[Path]:
    """Yield the file of a module of ours and the files of the packages that it is in; none for other names."""
    parts = module.split(".")
    if parts[0] not in ("lean_gym", "minilean"):
        return
    for end in range(1, len(parts) + 1):
        path = ROOT.joinpath(*parts[:end])
        package = path / "__init__.py"
        if package.is_file() and parts[0] == "minilean":
            yield package
        elif path.with_suffix(".py").is_file():
            yield path.with_suffix(".py")


def _imports(path: Path) -> Iterator[str]:
    """Yield the modules that a file may import, and names in them that may be modules. Imports are absolute here."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _theorems() -> bytes:
    rows = {
        name: [[each.name, each.statement, each.context] for each in load_theorems(name)] for name in SETS
    }
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()


def _version(content: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256(f"{PYODIDE} {ABBREVIATIONS}".encode())
    for name, data in sorted(content.items()):
        digest.update(f"\0{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()[:24]


def _build(folder: Path, work: Path, content: Mapping[str, bytes], version: str) -> None:
    (folder / "pyodide").mkdir(parents=True)
    for name, data in content.items():
        if name.startswith("page/"):
            (folder / name.removeprefix("page/")).write_bytes(data)
    pyodide, abbreviations = _package(PYODIDE, work), _package(ABBREVIATIONS, work)
    for name in _RUNTIME:
        shutil.copy(pyodide / name, folder / "pyodide")
    lock = json.loads((pyodide / "pyodide-lock.json").read_bytes())
    # The page uses none of Pyodide's packages.
    (folder / "pyodide/pyodide-lock.json").write_text(json.dumps({"info": lock["info"], "packages": {}}))
    shutil.copy(abbreviations / "dist/abbreviations.json", folder)
    shutil.copy(abbreviations / "LICENSE", folder / "abbreviations-LICENSE.txt")
    notice = _NOTICE.format(pyodide=PYODIDE.version, abbreviations=ABBREVIATIONS.version)
    (folder / "NOTICE.txt").write_text(notice, encoding="utf-8")
    sources = work / "sources.zip"
    with zipfile.ZipFile(sources, "w") as archive:
        for name, data in content.items():
            if name.startswith("sources/"):
                archive.writestr(name.removeprefix("sources/"), data)
        archive.writestr(ENCODED, encoded_library())
        archive.writestr("minilean/library/order.txt", "")  # the Lean files are proved, and stay here
    _run("node", str(HERE / "make.mjs"), str(pyodide), str(sources), str(HERE / "packing.py"), str(folder))
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    listed = json.dumps({"version": version, "files": names})
    (folder / "files.js").write_text(f"self.BUNDLE = {listed};\n", encoding="utf-8")


def _package(package: NpmPackage, work: Path) -> Path:
    """Return the folder of an unpacked package of npm.

    Raises:
        BundleError: npm does not deliver it, or something else than expected.
    """
    folder = work / package.name.rpartition("/")[2]
    folder.mkdir()
    source = f"{package.name}@{package.version}"
    try:
        printed = _run("npm", "pack", "--silent", "--pack-destination", str(folder), source)
    except _Failed as error:
        raise BundleError(f"{error}; npm has to reach its registry for {source}") from None
    archive = folder / printed.split()[-1]
    content = archive.read_bytes()
    digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
    if digest != package.sha512:
        raise BundleError(f"npm's package {source} has SHA-512 {digest}, expected {package.sha512}")
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        tar.extractall(folder, filter="data")
    return folder / "package"


def _run(*command: str) -> str:
    """Return what a command prints.

    Raises:
        BundleError: It is not installed, or it fails.
    """
    try:
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    except FileNotFoundError:
        raise BundleError(
            f"the page is built by npm and Node.js, and {command[0]!r} is not installed: install Node.js 20 or newer"
        ) from None
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise _Failed(f"{command[0]} failed with exit status {done.returncode}: {last[:300]}")
    return done.stdout
