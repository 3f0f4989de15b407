"""Graph of the project's import statements, read from source with `ast`; no module is run.

`tests/test_layering.py` checks it; `draw_imports.py` draws it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (
    *("minilean", "lean_gym", "trainers", "envs_data", "lean_gym_cli", "lean_gym_verifiers"),
    *("examples", "benchmarks"),
)


def project_modules(root: Path = ROOT) -> dict[str, Path]:
    """Return dotted name -> file for every module of `PACKAGES`."""
    modules = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


@cache
def imported_modules(
    source: str, module: str, is_package: bool, known: frozenset[str]
) -> tuple[tuple[int, str], ...]:
    """Return `(line, dotted module)` for each import in `source`, relative ones resolved.

    Imports under `if TYPE_CHECKING` and inside functions count as well. `from a import b` counts as `a.b` where that
    is a module of the project, as `a` when no name of it is one.
    """
    return tuple(_imports(source, module if is_package else module.rpartition(".")[0], known))


def _imports(source: str, package: str, known: frozenset[str]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parent = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parent, base] if base else parent)
            full = {f"{base}.{alias.name}" for alias in node.names}
            found = sorted(full & known)
            yield from ((node.lineno, name) for name in found)
            if len(found) < len(full):
                yield node.lineno, base
        elif isinstance(node, ast.Call):
            match node.func, node.args:
                case (
                    ast.Name("import_module" | "__import__")
                    | ast.Attribute(attr="import_module" | "__import__"),
                    [ast.Constant(value=str(name)), *_],
                ):
                    yield node.lineno, name


def import_graph(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return module -> modules of the project that it imports."""
    known = frozenset(modules)
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        source = path.read_text(encoding="utf-8")
        found = imported_modules(source, module, path.name == "__init__.py", known)
        graph[module] = {target for _, target in found if target in known} - {module}
    return graph


def room(module: str, modules: Mapping[str, Path]) -> str:
    """Return the room of a module: its package's folder one level down, or itself at the top of a package."""
    first, *rest = module.split(".")
    if not rest:
        return first
    inside = len(rest) > 1 or modules[module].name == "__init__.py"
    return f"{first}.{rest[0]}" if inside else module


def room_graph(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return room -> rooms that its modules import."""
    rooms: dict[str, set[str]] = {room(module, modules): set() for module in modules}
    for module, targets in import_graph(modules).items():
        own = room(module, modules)
        rooms[own] |= {room(target, modules) for target in targets} - {own}
    return rooms


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components of more than one node, each sorted (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            at = stack.index(node)
            component = stack[at:]
            del stack[at:]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found
