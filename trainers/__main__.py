"""List the programs: python -m trainers."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from lean_gym.command_line import Parser, unless_closed
from trainers.config.names import ALGORITHM_NAMES


def programs() -> Iterator[tuple[str, str]]:
    """Yield module and first line of the docstring for every program of this package, without importing any."""
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body):
            yield f"trainers.{path.stem}", (ast.get_docstring(tree) or "").partition("\n")[0]


@unless_closed()
def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line per program and return the exit code."""
    Parser(prog="python -m trainers", description="List the programs.").parse_args(arguments)
    rows = [
        *programs(),
        ("trainers.algorithms", "List the algorithms and their settings."),
        (
            "trainers.lifelong",
            "Learn repositories one after another, and measure what is kept of the earlier ones.",
        ),
        ("trainers.retrieval", "Train, index or evaluate a retriever of premises."),
        ("trainers.report", "Write a report on one or several runs, one HTML file."),
    ]
    width = max(len(name) for name, _ in rows)
    print("python -m PROGRAM --help describes\n")
    for name, purpose in rows:
        print(f"  {name:<{width}}  {purpose}")
    others = ", ".join(name for name in ALGORITHM_NAMES if name != "grpo")
    print(f"\ntrainers.NAME is trainers.grpo with --algorithm NAME:\n  {others}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
