"""Keep repositories and their theorems in a database: add, list, export, stats.

    python -m trainers.database add my_project database.json      projects, theorem sets, databases of LeanDojo-v2
    python -m trainers.database list --json                       a line per repository
    python -m trainers.database export out.json                   for LeanDojo-v2; theorems.jsonl to play, DIR to train
    python -m trainers.database stats                             theorems by difficulty, episodes, proofs

The file is `theorems.db` unless --database names another. It is SQLite; several programs may use it at once, and
opening erases nothing. A project, a folder or URL@COMMIT, is traced into the folder `traced` beside the file; a
folder that is traced already is read. Exit status: 0, or 2 for a file that cannot be used.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lean_gym.command_line import Parser, offer_completion
from trainers.config.cli import ending_in_one_line
from trainers.config.flags import fail


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.database") -> int:
    """Run the command line and return the exit code."""
    parser = Parser(
        prog=program,
        description=(__doc__ or "").replace("python -m trainers.database", program),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("action", choices=("add", "list", "export", "stats"))
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="what to add, or the file or folder to write"
    )
    parser.add_argument(
        "--database", default="theorems.db", metavar="FILE", help="the database [%(default)s]"
    )
    parser.add_argument(
        "--repos", nargs="+", default=[], metavar="REPO", help="names or addresses; all if left out"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    offer_completion(parser)
    with ending_in_one_line():
        given, unknown = parser.parse_known_args(arguments)
        if unknown:
            fail(f"{program}: unknown flag {unknown[0]}; see --help")
        from trainers.corpora.lifelong.keeping import ACTIONS
        from trainers.corpora.lifelong.store import Store

        ACTIONS[given.action].check(given.paths, Path(given.database))
        with Store(Path(given.database)) as store:
            print(ACTIONS[given.action].run(store, given.paths, given.repos, given.json))
    return 0


if __name__ == "__main__":
    sys.exit(main())
