"""Layering: every import statement of the project is held against one table, and no imports go in a circle.

The checker reads source with `ast` and runs none of it. Imports under `if TYPE_CHECKING` and inside functions
count as well: a dependency is a dependency.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_spec = importlib.util.spec_from_file_location("import_graph", ROOT / "docs" / "import_graph.py")
assert _spec is not None and _spec.loader is not None
graph_of = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(graph_of)

PACKAGES: tuple[str, ...] = graph_of.PACKAGES
MODULES: dict[str, Path] = graph_of.project_modules()
# What any module of lean_gym and trainers may import.
BASICS = frozenset({"lean_gym.types", "lean_gym.errors", "lean_gym.cache_folder"})
GYMNASIUM = frozenset({"gymnasium", "numpy"})
ANY = None


@dataclass(frozen=True)
class Area:
    """Imports allowed to the modules under one dotted prefix, besides the standard library and themselves.

    `ours` lists prefixes of this project; `libraries` lists third-party top-level names, `None` for any.
    """

    ours: frozenset[str]
    libraries: frozenset[str] | None = frozenset()


def _minilean(*rooms: str) -> Area:
    """The standard library and these rooms of minilean."""
    return Area(frozenset(f"minilean.{room}" for room in rooms))


def _lean_gym(*rooms: str, libraries: frozenset[str] | None = frozenset()) -> Area:
    return Area(frozenset(f"lean_gym.{room}" for room in rooms) | BASICS, libraries)


def _trainers(*rooms: str, libraries: frozenset[str] | None = ANY) -> Area:
    ours = frozenset(f"trainers.{room}" for room in (*rooms, "errors", "extras")) | {"lean_gym"}
    return Area(ours, libraries)


_ELABORATED = ("kernel", "meta", "syntax", "printer", "elab")
_PROVERS = (*_ELABORATED, "commands", "tactics", "library")
_PLAYED = ("config", "runtime", "algorithms", "policies", "curriculum", "rollouts")
_LEARNED = (*_PLAYED, "distributed", "learning", "evaluation")
# The longest matching prefix decides.
AREAS: dict[str, Area] = {
    "minilean": _minilean(),
    "minilean.kernel": _minilean(),
    "minilean.meta": _minilean("kernel"),
    "minilean.syntax": _minilean("kernel"),
    "minilean.printer": _minilean("kernel", "syntax"),
    "minilean.elab": _minilean("kernel", "meta", "syntax", "printer"),
    "minilean.commands": _minilean(*_ELABORATED),
    "minilean.tactics": _minilean(*_ELABORATED),
    "minilean.library": _minilean(*_ELABORATED, "commands", "tactics"),
    "minilean.library.recheck": _minilean(*_ELABORATED, "command_line", "library"),
    "minilean.proof": _minilean(*_PROVERS),
    "minilean.project": _minilean(*_PROVERS, "proof"),
    "minilean.command_line": _minilean(),
    "minilean.check_command": _minilean(*_PROVERS, "command_line", "proof", "project"),
    "minilean.export": _minilean(*_PROVERS, "check_command", "command_line", "proof", "project"),
    "minilean.repl": _minilean(*_PROVERS, "proof", "check_command", "command_line", "project"),
    # The door for other packages.
    "minilean.api": _minilean(*_PROVERS, "export", "proof", "project", "repl"),
    "minilean.__main__": _minilean(*_PROVERS, "check_command", "command_line", "export", "repl"),
    "lean_gym.types": Area(frozenset()),
    "lean_gym.errors": Area(frozenset()),
    "lean_gym.atomic_files": Area(frozenset()),
    "lean_gym.cache_folder": Area(frozenset()),
    "lean_gym.checkout": _lean_gym(),
    "lean_gym.process_state": Area(frozenset(), frozenset({"psutil"})),
    "lean_gym.rewards": _lean_gym("rewards.llm_judge"),
    "lean_gym.rewards.llm_judge": _lean_gym("rewards.base", libraries=frozenset({"httpx"})),
    "lean_gym.lean": _lean_gym("command_line"),
    "lean_gym.verification": _lean_gym("lean.library"),
    "lean_gym.checkers": _lean_gym("command_line", "verification"),
    "lean_gym.backends": _lean_gym("backends.minilean", "lean", "verification", "process_state"),
    "lean_gym.backends.minilean": Area(
        BASICS
        | {
            "minilean.api",
            "lean_gym.verification",
            "lean_gym.backends.mathlib_header",
            "lean_gym.backends.sandbox",
            "lean_gym.backends.scripts",
            "lean_gym.backends.statement",
        }
    ),
    "lean_gym.datasets": _lean_gym(
        *(
            "atomic_files",
            "datasets.formats",
            "datasets.generators",
            "backends",
            "command_line",
            "verification",
        ),
        libraries=GYMNASIUM,
    ),
    "lean_gym.datasets.formats": _lean_gym("datasets.formats.hub", "datasets.splits"),
    "lean_gym.datasets.formats.hub": _lean_gym(libraries=frozenset({"datasets"})),
    "lean_gym.datasets.generators": _lean_gym(
        *("datasets.formats", "datasets.proofs", "backends", "verification")
    ),
    "lean_gym.tracing": _lean_gym("backends", "checkout", "command_line", "datasets", "tracing.minilean"),
    # The embedded Lean traces in this process.
    "lean_gym.tracing.minilean": Area(BASICS | {"lean_gym.tracing", "minilean.api"}),
    "lean_gym.execution": _lean_gym(
        "backends", "datasets.proofs", "verification", libraries=frozenset({"gymnasium"})
    ),
    "lean_gym.pool": _lean_gym(
        *("backends", "execution", "pool.ray_cluster", "process_state"), libraries=GYMNASIUM | {"psutil"}
    ),
    "lean_gym.pool.ray_cluster": _lean_gym("pool.ray_node", libraries=frozenset({"ray"})),
    "lean_gym.envs": _lean_gym(
        *("backends", "datasets", "envs.picture", "execution", "pool", "rewards", "verification"),
        libraries=GYMNASIUM,
    ),
    "lean_gym.envs.picture": _lean_gym(libraries=GYMNASIUM | {"PIL"}),
    "lean_gym.wrappers": _lean_gym("envs", libraries=GYMNASIUM),
    "lean_gym.integrations": Area(
        _lean_gym("backends", "command_line", "datasets", "envs", "pool", "verification").ours,
        GYMNASIUM,
    ),
    "lean_gym.integrations.http_border": _lean_gym(libraries=frozenset({"h11", "uvicorn"})),
    "lean_gym.integrations.serve": _lean_gym(
        "backends", "command_line", "integrations", "integrations.openenv", libraries=frozenset({"uvicorn"})
    ),
    # The version.
    "lean_gym.integrations.mcp": Area(
        _lean_gym("backends", "command_line", "integrations").ours | {"lean_gym"},
        frozenset({"gymnasium", "mcp", "pydantic", "starlette", "uvicorn"}),
    ),
    "lean_gym.integrations.verifiers": _lean_gym(
        *("datasets", "envs", "integrations"), libraries=frozenset({"pydantic", "verifiers"})
    ),
    "lean_gym.integrations.skyrl": _lean_gym(
        *("datasets", "integrations"), libraries=frozenset({"skyrl_gym"})
    ),
    "lean_gym.integrations.slime": _lean_gym(*("datasets", "integrations"), libraries=frozenset({"slime"})),
    # The version.
    "lean_gym.integrations.openenv": Area(
        BASICS | {"lean_gym.integrations", "lean_gym"},
        GYMNASIUM | {"fastapi", "openenv", "pydantic", "uvicorn"},
    ),
    "lean_gym": _lean_gym(
        *("backends", "datasets", "envs", "registration", "rewards"),
        *("check_command", "command_line", "doctor", "integrations.mcp", "play", "tracing", "verify_command"),
    ),
    # The table of the programs.
    "lean_gym.__main__": Area(
        _lean_gym("check_command", "command_line", "doctor", "integrations.mcp", "play", "tracing").ours
        | {"lean_gym", "lean_gym.verify_command", "lean_gym_cli.verbs"}
    ),
    "trainers.__main__": Area(_trainers("config").ours | {"lean_gym_cli.verbs"}),
    "lean_gym.play": _lean_gym(
        "backends", "command_line", "datasets", "integrations.listening", "verification"
    ),
    # All programs report wrong usage in one form.
    "lean_gym.command_line": Area(BASICS | {"minilean.command_line"}, frozenset({"argcomplete"})),
    "lean_gym.doctor": _lean_gym("backends", "lean", "verification.kernels"),
    "lean_gym.check_command": _lean_gym("command_line", "verification.kernels"),
    "lean_gym.verify_command": _lean_gym("backends", "command_line", "datasets", "verification"),
    "lean_gym.registration": Area(frozenset(), frozenset({"gymnasium"})),
    "envs_data": Area(frozenset({"lean_gym"})),
    # The set that is made from minilean's own library.
    "envs_data.core": Area(frozenset({"lean_gym", "minilean.api", "envs_data"})),
    "trainers.errors": Area(BASICS),
    "trainers.extras": Area(frozenset()),
    "trainers.algorithms": Area(
        BASICS | {"trainers.errors", "trainers.config.base", "trainers.config.names"},
        frozenset({"torch", "pydantic"}),
    ),
    "trainers.algorithms.__main__": Area(
        BASICS | {"lean_gym.command_line", "trainers.algorithms", "trainers.config.base"}
    ),
    "trainers.runtime": _trainers(),
    # All programs report wrong usage in one form; lean_gym's parser would load Gymnasium.
    "trainers.config": Area(_trainers().ours | {"minilean.command_line"}, ANY),
    "trainers.policies": _trainers("config", "runtime"),
    "trainers.curriculum": _trainers("config"),
    "trainers.rollouts": _trainers("config", "runtime", "algorithms", "policies", "curriculum"),
    "trainers.distributed": _trainers(*_PLAYED),
    "trainers.learning": _trainers(*_PLAYED, "distributed"),
    # The yardstick of its tables.
    "trainers.evaluation": Area(_trainers(*_PLAYED).ours | {"envs_data"}, ANY),
    "trainers.run": _trainers(*_LEARNED, "integrations.trl_vllm"),
    "trainers.imitation": _trainers(*_LEARNED, "run"),
    "trainers.integrations": _trainers(*_PLAYED),
    "trainers.integrations.rows": _trainers(*_PLAYED, "learning"),
    "trainers.integrations.trl_tactics": _trainers(*_PLAYED, "learning", "integrations"),
    # The wings, which nothing above imports. The automation scripts are what a search tries first.
    "trainers.proving": Area(_trainers(*_PLAYED, "reporting.lean_source").ours | {"envs_data"}, ANY),
    "trainers.corpora": _trainers(
        *_LEARNED, "run", "imitation", "integrations", "proving", "corpora.retrieval"
    ),
    "trainers.corpora.retrieval": _trainers("config", "runtime", "policies"),
    "trainers.reporting": _trainers("config", "runtime", "curriculum"),
    # The programs.
    "trainers": _trainers(*_LEARNED, "run", "imitation", "integrations", "proving", "corpora", "reporting"),
    # The command starts the programs of all packages by name.
    "lean_gym_verifiers": Area(frozenset({"lean_gym"})),
    "lean_gym_cli": Area(
        frozenset({"lean_gym", "trainers", "minilean.command_line"}), frozenset({"argcomplete"})
    ),
    "examples": Area(frozenset({"lean_gym", "trainers", "envs_data"}), ANY),
    "benchmarks": Area(frozenset({"lean_gym", "minilean", "trainers", "envs_data"}), ANY),
}
# TRL follows its own release cycle: it is imported in these places only.
TRL = ("trainers.integrations.trl", "trainers.imitation", "benchmarks", "examples")


def _covers(prefix: str, module: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def _area_name(module: str) -> str:
    return max((prefix for prefix in AREAS if _covers(prefix, module)), key=len)


def violations(source: str, module: str, known: frozenset[str], is_package: bool = False) -> list[str]:
    """Return one line per import of `module` that its area does not allow."""
    name = _area_name(module)
    area = AREAS[name]
    found = []
    for line, target in graph_of.imported_modules(source, module, is_package, known):
        top = target.partition(".")[0]
        if top in PACKAGES:
            # A module of its own area is fine; a narrower area nested in it is decided by the table.
            allowed = _area_name(target) == name or any(_covers(prefix, target) for prefix in area.ours)
        else:
            allowed = top in sys.stdlib_module_names or area.libraries is None or top in area.libraries
        if not allowed:
            found.append(f"{module}:{line} imports {target}, which {name} may not")
    return found


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


def test_the_wings_of_trainers_are_imported_by_programs_alone() -> None:
    wings = {"trainers.proving", "trainers.corpora", "trainers.reporting"}
    rooms = graph_of.room_graph(MODULES)
    for room, targets in rooms.items():
        is_program = room.count(".") == 1 and MODULES[room].name != "__init__.py"
        if room.startswith("trainers.") and room not in wings and not is_program:
            assert not targets & wings, room


@pytest.mark.parametrize("package", PACKAGES)
def test_the_walk_sees_the_package(package: str) -> None:
    assert any(_covers(package, module) for module in MODULES)


def test_no_rooms_import_each_other() -> None:
    rooms = graph_of.room_graph(MODULES)
    inner = {name: {t for t in targets if "." in t} for name, targets in rooms.items() if "." in name}
    assert graph_of.circles(inner) == []


def test_no_imports_go_in_a_circle() -> None:
    """Neither at import time nor hidden by an import inside a function or for types only."""
    assert graph_of.circles(graph_of.import_graph(MODULES)) == []


def test_trl_is_imported_in_its_places_only() -> None:
    found = [
        module
        for module, path in MODULES.items()
        for _, target in graph_of.imported_modules(
            path.read_text("utf-8"), module, path.name == "__init__.py", frozenset(MODULES)
        )
        if target.partition(".")[0] == "trl" and not module.startswith(TRL)
    ]
    assert found == []


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"e", "a"}}
    assert graph_of.circles(graph) == [["b", "c"]]


KNOWN = frozenset(
    {
        "lean_gym",
        "lean_gym.types",
        "lean_gym.envs",
        "lean_gym.envs.env",
        "minilean",
        "minilean.kernel",
        "minilean.meta",
        "minilean.kernel.expr",
        "minilean.elab",
    }
)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("minilean.kernel.expr", "import numpy"),
        ("minilean.kernel.expr", "from lean_gym.types import Goal"),
        ("minilean.kernel.expr", "from ..meta import context"),
        ("minilean.kernel.expr", "def f():\n    from minilean import meta"),
        ("minilean.meta.unify", "from minilean.printer import pretty"),
        ("minilean.syntax.parser", "from minilean.meta import context"),
        ("minilean.elab.terms", "from minilean.tactics import simp"),
        ("minilean.tactics.simp", "from minilean.repl import main"),
        ("minilean.repl", "import lean_gym.backends.minilean"),
        ("minilean.proof", "from lean_gym.errors import DataError"),
        ("lean_gym.envs.env", "from minilean.proof import Problem"),
        ("lean_gym.backends.minilean", "from lean_gym.pool import Pool"),
        ("lean_gym.backends.minilean", "from lean_gym import LeanProofEnv"),
        ("lean_gym.backends.minilean", "from minilean.proof import Problem"),
        ("lean_gym.pool", "from lean_gym.envs import env"),
        ("lean_gym.rewards.shaped", "import lean_gym.envs.env"),
        ("lean_gym.envs.env", "import trainers.config.run"),
        ("lean_gym.envs.env", "import torch"),
        ("lean_gym.envs.env", "import importlib\nimportlib.import_module('transformers')"),
        ("trainers.algorithms.grpo", "from trainers.rollouts.player import Trajectory"),
        ("trainers.algorithms.grpo", "from lean_gym.envs.env import LeanProofEnv"),
        ("trainers.algorithms.grpo", "import transformers"),
        ("trainers.policies.base", "from trainers.run.session import run"),
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
        ("minilean.kernel.typechecker", "import math\nfrom .expr import Expr\nfrom minilean import kernel"),
        ("minilean.meta.unify", "from ..kernel.expr import Expr"),
        (
            "minilean.tactics.simp",
            "from ..elab import terms\nfrom ..syntax import parser\nfrom .. import meta",
        ),
        ("lean_gym.backends.minilean", "import minilean.api\nfrom ..types import ProofBackend"),
        ("lean_gym.envs.env", "import gymnasium\nimport numpy as np\nfrom lean_gym.pool import Pool"),
        ("trainers.algorithms.grpo", "import torch\nfrom lean_gym.types import Outcome"),
        ("trainers.grpo", "import lean_gym\nimport yaml\nfrom trainers.algorithms.grpo import loss"),
    ],
)
def test_an_allowed_import_passes(module: str, source: str) -> None:
    assert violations(source, module, KNOWN | {"minilean.syntax"}) == []
