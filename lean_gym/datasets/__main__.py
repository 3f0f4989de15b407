"""List the theorem sets and generators, or show one.

python -m lean_gym.datasets                            every set and generator, one line each
python -m lean_gym.datasets --show logic               the card of a set, and a sample theorem
python -m lean_gym.datasets --show generated:algebra   the same of a generator
python -m lean_gym.datasets --json                     the same as JSON, also with --show

Each name is a source of theorems: `--theorems NAME` of the trainers, `theorems="NAME"` of the environment. Under
`automation` stands the share that the scripts of `python -m envs_data.automation` prove, of the splits that were
measured in full. Exit status: 0, or 2 for a name that does not exist.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from lean_gym.command_line import Parser, offer_completion, unless_closed
from lean_gym.datasets.formats.rows import row_from_theorem
from lean_gym.datasets.generators.procedural import GENERATED_PREFIX, generator_names
from lean_gym.datasets.overview import (
    SetOverview,
    card,
    generator_purpose,
    sample,
    set_overview,
    source_names,
)
from lean_gym.errors import DataError, unknown_name

_MOST_DOMAINS: Final = 5


def main(argv: Sequence[str] | None = None, program: str = "python -m lean_gym.datasets") -> int:
    """Run the command line `argv`, by default that of the process, and return the exit status."""
    parser = Parser(
        prog=program,
        description=(__doc__ or "").replace("python -m lean_gym.datasets", program),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--show", metavar="NAME", help="show one set or generator")
    parser.add_argument("--json", action="store_true", help="print JSON")
    offer_completion(parser)
    given = parser.parse_args(argv)
    try:
        found = _listed() if given.show is None else _shown(given.show)
    except (DataError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with unless_closed():
        if given.json:
            print(json.dumps(found, ensure_ascii=False, indent=1))
        else:
            print(_table(program) if given.show is None else _page(found))
    return 0


def _listed() -> dict[str, Any]:
    sets = [asdict(set_overview(name)) for name in _sets()]
    return {"sets": sets, "generators": {name: generator_purpose(name) for name in _generators()}}


def _shown(name: str) -> dict[str, Any]:
    source = GENERATED_PREFIX + name if name in generator_names() and name not in source_names() else name
    if source.partition("?")[0] not in source_names():
        raise DataError(unknown_name("theorem set or generator", name, {*source_names(), *generator_names()}))
    generated = source.startswith(GENERATED_PREFIX)
    figures = {"name": source} if generated else asdict(set_overview(source))
    return {**figures, "card": card(source), "sample": row_from_theorem(sample(source))}


def _sets() -> list[str]:
    return [name for name in source_names() if not name.startswith(GENERATED_PREFIX)]


def _generators() -> list[str]:
    return [name for name in source_names() if name.startswith(GENERATED_PREFIX)]


def _table(program: str) -> str:
    rows = [("set", "theorems", "automation", "domains"), *(_row(set_overview(name)) for name in _sets())]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = ["  ".join([*(f"{row[at]:<{widths[at]}}" for at in range(3)), row[3]]) for row in rows]
    width = max(map(len, _generators()))
    drawn = [f"{name:<{width}}  {generator_purpose(name)}" for name in _generators()]
    head = f"{'generator':<{width}}  theorems without end; settings: generated:NAME?size=500&difficulty=0.3&seed=0"
    return "\n".join([*lines, "", head, *drawn, "", f"one of them:  {program} --show NAME"])


def _row(one: SetOverview) -> tuple[str, str, str, str]:
    counts = ", ".join(f"{split} {count}" for split, count in one.theorems.items())
    measured = [(split, share) for split, share in one.automation.items() if share is not None]
    shares = ", ".join(f"{split} {100 * share:.0f}%" for split, share in measured)
    more = len(one.domains) - _MOST_DOMAINS
    domains = ", ".join(one.domains[:_MOST_DOMAINS]) + (f" and {more} more" if more > 0 else "")
    return one.name, counts, shares, domains


def _page(found: dict[str, Any]) -> str:
    """Return the text of `--show`."""
    row = found["sample"]
    context = [row["context"], ""] if row["context"] else []
    proof = [f"  {line}" for line in row.get("proof", "").splitlines()]
    return "\n".join([found["card"], "", "## Sample", "", *context, f"{row['statement']} := by", *proof])


if __name__ == "__main__":
    sys.exit(main())
