"""Who may import whom: every import statement of the project is held against one table.

The checker reads source with `ast` and runs none of it. Imports under `if TYPE_CHECKING` and inside functions
count as well: a dependency is a dependency.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("lean_gym", "trainers", "envs_data", "examples", "benchmarks")
# What any module but the kernel may import: values, errors, and the wording of "did you mean".
BASICS = frozenset({"lean_gym.types", "lean_gym.errors", "lean_gym.suggest"})
MINILEAN = "lean_gym.minilean"
ENVIRONMENT_LIBRARIES = frozenset({"gymnasium", "numpy"})


@dataclass(frozen=True)
class Area:
    """What the modules under one dotted prefix may import, besides the standard library and themselves.

    `ours` lists prefixes of this project; `libraries` lists third-party top-level names, `None` for any.
    """

    ours: frozenset[str]
    libraries: frozenset[str] | None = frozenset()


def _area(*ours: str, libraries: frozenset[str] | None = frozenset()) -> Area:
    return Area(frozenset(ours) | BASICS, libraries)


KERNEL, META, SYNTAX, ELAB, TACTICS = (
    f"{MINILEAN}.{part}" for part in ("kernel", "meta", "syntax", "elab", "tactics")
)
# The longest matching prefix decides.
AREAS: dict[str, Area] = {
    "lean_gym.types": Area(frozenset()),
    # Runs at interpreter start, see its docstring; gymnasium is there by then.
    "lean_gym.registration": Area(frozenset(), frozenset({"gymnasium"})),
    "lean_gym.errors": Area(frozenset()),
    "lean_gym.suggest": Area(frozenset()),
    KERNEL: Area(frozenset()),
    META: _area(KERNEL),
    SYNTAX: _area(KERNEL),
    ELAB: _area(KERNEL, META, SYNTAX),
    TACTICS: _area(KERNEL, META, SYNTAX, ELAB),
    MINILEAN: _area(MINILEAN),
    "lean_gym.tactic_filter": _area(),
    "lean_gym.sandbox": _area(),
    "lean_gym.backends": _area(MINILEAN, "lean_gym.sandbox", "lean_gym.tactic_filter"),
    "lean_gym.spaces": _area(libraries=ENVIRONMENT_LIBRARIES),
    "lean_gym.rewards": _area(),
    "lean_gym.datasets": _area("lean_gym.datasets", libraries=ENVIRONMENT_LIBRARIES),
    "lean_gym.datasets.hub": _area(libraries=frozenset({"datasets"})),
    "lean_gym.datasets.convert": _area("lean_gym.datasets", "lean_gym.backends"),
    "lean_gym.verify": _area("lean_gym.backends"),
    "lean_gym.prover": _area("lean_gym.backends", "lean_gym.verify"),
    "lean_gym.wire": _area("lean_gym.prover"),
    "lean_gym.pool": _area(
        "lean_gym.backends", "lean_gym.prover", "lean_gym.wire", libraries=ENVIRONMENT_LIBRARIES
    ),
    "lean_gym.episode": _area("lean_gym.prover", "lean_gym.rewards", "lean_gym.spaces", "lean_gym.verify"),
    "lean_gym": _area("lean_gym", libraries=ENVIRONMENT_LIBRARIES),
    "envs_data": _area("lean_gym"),
    "trainers.algorithms": _area(libraries=frozenset({"torch"})),
    "trainers": _area("lean_gym", "envs_data", "trainers", libraries=None),
    "examples": _area("lean_gym", "trainers", "envs_data", libraries=None),
    "benchmarks": _area("lean_gym", "trainers", "envs_data", libraries=None),
}


def _covers(prefix: str, module: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def _area_name(module: str) -> str:
    return max((prefix for prefix in AREAS if _covers(prefix, module)), key=len)


def imported_modules(
    source: str, module: str, is_package: bool, known: frozenset[str]
) -> Iterator[tuple[int, str]]:
    """Yield `(line, dotted module)` for each import in `source`, relative ones resolved.

    `from a import b` counts as `a.b` where that is a module of the project, as `a` when no name of it is one.
    """
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parent, base] if base else parent)
            full = {f"{base}.{alias.name}" for alias in node.names}
            yield from ((node.lineno, name) for name in sorted(full & known) or [base])
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            match node.args:
                case [ast.Constant(value=str(name)), *_]:
                    yield node.lineno, name


def violations(source: str, module: str, known: frozenset[str], is_package: bool = False) -> list[str]:
    """Return one line per import of `module` that its area does not allow."""
    name = _area_name(module)
    area = AREAS[name]
    found = []
    for line, target in imported_modules(source, module, is_package, known):
        top = target.partition(".")[0]
        if top in PACKAGES:
            # A module of its own area is fine; a narrower area nested in it is decided by the table.
            allowed = _area_name(target) == name or any(_covers(prefix, target) for prefix in area.ours)
        else:
            allowed = top in sys.stdlib_module_names or area.libraries is None or top in area.libraries
        if not allowed:
            found.append(f"{module}:{line} imports {target}, which {name} may not")
    return found


def _project_modules() -> dict[str, Path]:
    modules = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


MODULES = _project_modules()


def test_every_import_follows_the_arrows() -> None:
    found = [
        line
        for module, path in MODULES.items()
        for line in violations(
            path.read_text(encoding="utf-8"),
            module,
            frozenset(MODULES),
            is_package=path.name == "__init__.py",
        )
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_walk_sees_the_package(package: str) -> None:
    assert any(_covers(package, module) for module in MODULES)


KNOWN = frozenset({"lean_gym", "lean_gym.types", "lean_gym.env", MINILEAN, KERNEL, META, f"{KERNEL}.expr"})


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (f"{KERNEL}.expr", "import numpy"),
        (f"{KERNEL}.expr", "from lean_gym.types import Goal"),
        (f"{KERNEL}.expr", "from ..meta import context"),
        (f"{KERNEL}.expr", "def f():\n    from lean_gym.minilean import meta"),
        (f"{META}.unify", "from lean_gym.minilean.syntax import pretty"),
        (f"{SYNTAX}.pretty", "from lean_gym.minilean.meta import context"),
        (f"{ELAB}.terms", "from lean_gym.minilean.tactics import simp"),
        (f"{TACTICS}.simp", "from lean_gym.minilean.repl import main"),
        (f"{MINILEAN}.repl", "import lean_gym.backends.minilean"),
        ("lean_gym.backends.minilean", "from lean_gym.pool import Pool"),
        ("lean_gym.backends.minilean", "from lean_gym import LeanProofEnv"),
        ("lean_gym.pool", "from lean_gym import env"),
        ("lean_gym.rewards.shaped", "import lean_gym.env"),
        ("lean_gym.env", "import trainers.config"),
        ("lean_gym.env", "import torch"),
        ("lean_gym.env", "import importlib\nimportlib.import_module('transformers')"),
        ("trainers.algorithms.grpo", "from trainers.rollout import Trajectory"),
        ("trainers.algorithms.grpo", "from lean_gym.env import LeanProofEnv"),
        ("trainers.algorithms.grpo", "import transformers"),
        ("trainers.grpo", "import examples.prove"),
    ],
)
def test_a_forbidden_import_is_found(module: str, source: str) -> None:
    found = violations(source, module, KNOWN)
    assert len(found) == 1
    assert found[0].startswith(f"{module}:")


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            f"{KERNEL}.typechecker",
            "import math\nfrom .expr import Expr\nfrom lean_gym.minilean import kernel",
        ),
        (
            f"{META}.unify",
            "from ..kernel.expr import Expr\nfrom lean_gym.errors import DataError",
        ),
        (
            f"{TACTICS}.simp",
            "from ..elab import terms\nfrom ..syntax import parser\nfrom .. import meta",
        ),
        (
            "lean_gym.backends.minilean",
            "from lean_gym import minilean\nfrom .base import ProofBackend",
        ),
        ("lean_gym.env", "import gymnasium\nimport numpy as np\nfrom lean_gym.pool import Pool"),
        ("trainers.algorithms.grpo", "import torch\nfrom lean_gym.types import Outcome"),
        ("trainers.grpo", "import lean_gym\nimport yaml\nfrom trainers.algorithms.grpo import loss"),
    ],
)
def test_an_allowed_import_passes(module: str, source: str) -> None:
    assert violations(source, module, KNOWN) == []
