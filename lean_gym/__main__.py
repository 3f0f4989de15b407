"""Command line of the environment library.

python -m lean_gym                                               lists the programs
python -m lean_gym doctor                                        reports which provers are usable
python -m lean_gym doctor --project ~/mathlib4 --import Mathlib  the same, with a Lake project's modules
python -m lean_gym verify < proofs.jsonl                         judges finished scripts
python -m lean_gym check --kernel lean F.lean                    has Lean's own kernel check a file of proofs
python -m lean_gym play "theorem t (p : Prop) (h : p) : p"       proves by hand in the terminal
python -m lean_gym play --web                                    the same on a page, Lean runs in the browser
python -m lean_gym mcp                                           serves proofs as tools to coding agents
python -m lean_gym trace my_project --out traced/my_project      makes a data set of a Lean project
python -m lean_gym --version                                     prints the version
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Final

from lean_gym import __version__
from lean_gym.command_line import Parser, ending_in_want, offer_completion, unless_closed
from lean_gym.errors import unknown_name
from lean_gym_cli.verbs import programs

PROGRAMS: Final = {
    **{twin: purpose for twin, purpose in programs().items() if not twin.startswith("python -m trainers")},
    "python -m trainers": "list the programs that train and measure policies",
}
"""Programs of the project with their purpose, but for those of the trainers."""


def main(argv: Sequence[str] | None = None, program: str = "python -m lean_gym") -> int:
    """Run the command line `argv`, by default that of the process.

    Args:
        argv: Words after the program's name.
        program: How the program was started, for messages.

    Returns:
        The exit status: 0 when all that is here or was asked for works, 1 when the report names a remedy for something
        that does not. Wrong usage exits with 2, and a closed output as `lean_gym.command_line` says.
    """
    parser = Parser(
        prog=program,
        description="Lean 4 as a Gymnasium environment.",
        epilog=_programs(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lean-gym {__version__}")
    commands = parser.add_subparsers(dest="command")
    doctor = commands.add_parser("doctor", help=PROGRAMS["python -m lean_gym doctor"])
    doctor.add_argument(
        "--repl-command", help="the REPL, as one shell word list; by default it is looked for"
    )
    doctor.add_argument("--project", help="folder of a built Lake project, e.g. one that depends on Mathlib")
    doctor.add_argument(
        "--import", dest="imports", action="append", help="module to import; repeat for more (Init)"
    )
    doctor.add_argument("--start-seconds", type=float, default=300.0, help="how long a start may take (300)")
    for name in ("verify", "check", "play", "mcp", "trace"):
        commands.add_parser(name, help=PROGRAMS[f"python -m lean_gym {name}"], add_help=False)
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and (run := _program(arguments[0])) is not None:
        return run(arguments[1:], f"{program} {arguments[0]}")
    offer_completion(parser)
    if arguments and not arguments[0].startswith("-") and arguments[0] not in commands.choices:
        print(f"error: {unknown_name('command', arguments[0], commands.choices)}", file=sys.stderr)
        return 2
    given = parser.parse_args(arguments)
    with unless_closed():
        return _show(given)


def _program(name: str) -> Callable[[Sequence[str], str], int] | None:
    """Return the program of a command that reads its own flags; `None` for the others."""
    # Each loads only what it needs: the embedded Lean takes as long as all the rest.
    if name == "verify":
        from lean_gym.verify_command import main as verify

        return verify
    if name == "check":
        from lean_gym.check_command import main as check

        return check
    if name == "play":
        from lean_gym.play.program import main as play

        return play
    if name == "trace":
        from lean_gym.tracing.program import main as trace

        return trace
    return _mcp if name == "mcp" else None


def _show(given: argparse.Namespace) -> int:
    """Print what was asked for and return the exit status."""
    if given.command is None:
        print(f"lean-gym {__version__}: Lean 4 as a Gymnasium environment\n\n{_programs()}")
        return 0
    from lean_gym.doctor import Checkup, examine

    checkup = Checkup(
        given.repl_command, given.project, tuple(given.imports or ("Init",)), given.start_seconds
    )
    complete = True
    for line in examine(checkup):
        # What a REPL says about itself may have many lines.
        print(f"{line.subject + ':':<16}{' '.join(line.text.split())}", flush=True)
        if line.remedy:
            complete = complete and line.optional
            print(f"{'':<16}-> {'(optional) ' if line.optional else ''}{line.remedy}", flush=True)
    return 0 if complete else 1


def _mcp(arguments: Sequence[str], program: str) -> int:
    """Run the MCP server, whose packages are an extra; return the exit status."""
    try:
        from lean_gym.integrations.mcp import main as serve
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("mcp", "pydantic"):
            raise
        missing = f"error: needs the package {package}; install it with: pip install 'lean-gym[mcp]'"
        print(missing, file=sys.stderr)
        return 1
    return serve(arguments, program)


def _programs() -> str:
    """Return the list of programs, one a line."""
    lines = [f"  {command:<42}{purpose}" for command, purpose in PROGRAMS.items()]
    return "\n".join(["Programs, each with --help:", *lines])


if __name__ == "__main__":
    with ending_in_want():
        sys.exit(main())
