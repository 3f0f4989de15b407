"""minilean on the command line.

python -m minilean check FILE.lean ...                      print Lean's messages about files
python -m minilean repl [MODULE ...] [--OPTION=VALUE ...]   answer Pantograph's protocol on stdin and stdout
python -m minilean export FILE.lean ...                     write a finished proof for other checkers
python -m minilean export-proof                             write a statement and its script, given as JSON, for `judge`
python -m minilean judge CHALLENGE SOLUTION                 judge an exported proof without running its author's text
python -m minilean recheck-library                          prove the library anew, compare it with the loaded one

`minilean-repl` is short for `python -m minilean repl`. Each command has `--help`.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Sequence

from minilean.command_line import ending_in_want, unless_closed

_COMMANDS = ("check", "repl", "export", "export-proof", "judge", "recheck-library")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default that of the process.

    Returns:
        The exit status of the process: that of the command, 2 for an unknown one.
    """
    command, *arguments = (sys.argv[1:] if argv is None else argv) or [""]
    if command in ("-h", "--help"):
        print(__doc__)
        return 0
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    if command not in _COMMANDS:
        nearest = difflib.get_close_matches(command, _COMMANDS, n=1)
        hint = f"did you mean {nearest[0]}?" if nearest else f"expected one of {', '.join(_COMMANDS)}"
        print(f"python -m minilean: unknown command {command!r}; {hint}", file=sys.stderr)
        return 2
    with ending_in_want(), unless_closed():
        return _program(command)(arguments)


def repl() -> int:
    """Run the script `minilean-repl`: the REPL, with the command line of the process."""
    return main(["repl", *sys.argv[1:]])


def _program(command: str) -> Callable[[Sequence[str]], int]:
    # Each command loads only the modules that it needs: the REPL's start is part of every worker's start.
    if command == "check":
        from minilean.check_command import main as check

        return check
    if command == "export":
        from minilean.export.command import main as export

        return export
    if command == "export-proof":
        from minilean.export.produce import main as export_proof

        return export_proof
    if command == "judge":
        from minilean.export.judge_command import main as judge

        return judge
    if command == "recheck-library":
        from minilean.library.recheck import main as recheck

        return recheck
    from minilean.repl import main as serve

    return serve


if __name__ == "__main__":
    sys.exit(main())
