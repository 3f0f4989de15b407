"""List the programs: python -m trainers."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lean_gym.command_line import Parser, unless_closed
from lean_gym_cli.verbs import programs
from trainers.config.names import ALGORITHMS


@unless_closed()
def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line per program and return the exit code."""
    Parser(prog="python -m trainers", description="List the programs.").parse_args(arguments)
    rows = [
        (twin.removeprefix("python -m "), purpose)
        for twin, purpose in programs().items()
        if twin.startswith("python -m trainers.")
    ]
    width = max(len(name) for name, _ in rows)
    print("python -m PROGRAM --help describes\n")
    for name, purpose in rows:
        print(f"  {name:<{width}}  {purpose}")
    print(f"\nalgorithms of trainers.grpo, as --algorithm NAME:\n  {', '.join(ALGORITHMS)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
