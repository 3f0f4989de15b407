"""minilean on the command line: the REPL, and the commands that read and write Lean files.

python -m minilean [MODULE ...] [--OPTION=VALUE ...]   answers Pantograph's protocol on stdin/stdout
python -m minilean check FILE.lean                     prints Lean's messages about a file
python -m minilean export ...                          writes a finished proof for other checkers
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default that of the process.

    Returns:
        The exit status of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    # Each command loads what it needs and nothing else: the REPL's start is part of every worker's start.
    if arguments[:1] == ["check"]:
        from minilean.check_command import main as check

        return check(arguments[1:])
    if arguments[:1] == ["export"]:
        from minilean.export.command import main as export

        return export(arguments[1:])
    from minilean.repl import main as repl

    return repl(arguments)


if __name__ == "__main__":
    sys.exit(main())
