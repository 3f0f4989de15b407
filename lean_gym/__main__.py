"""The command line of the environment library.

python -m lean_gym doctor                                        what there is to prove with
python -m lean_gym doctor --project ~/mathlib4 --import Mathlib  the same, with a Lake project's modules
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from lean_gym.doctor import Checkup, examine


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default that of the process.

    Returns:
        The exit status: 0 when all is well, 1 when the report names something to run.
    """
    parser = argparse.ArgumentParser(
        prog="python -m lean_gym", description="Lean 4 as a Gymnasium environment."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser(
        "doctor", help="say what there is to prove with, and what to run if it is missing"
    )
    doctor.add_argument(
        "--repl-command", help="the REPL, as one shell word list; by default it is looked for"
    )
    doctor.add_argument("--project", help="folder of a built Lake project, e.g. one that depends on Mathlib")
    doctor.add_argument(
        "--import", dest="imports", action="append", help="module to import; repeat for more (Init)"
    )
    doctor.add_argument("--start-seconds", type=float, default=300.0, help="how long a start may take (300)")
    given = parser.parse_args(argv)
    checkup = Checkup(
        given.repl_command, given.project, tuple(given.imports or ("Init",)), given.start_seconds
    )
    well = True
    for line in examine(checkup):
        # What a REPL says about itself may have many lines.
        print(f"{line.subject + ':':<16}{' '.join(line.text.split())}", flush=True)
        if line.remedy:
            well = False
            print(f"{'':<16}-> {line.remedy}", flush=True)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
