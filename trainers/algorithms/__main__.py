"""Print the algorithms, or the settings of one.

python -m trainers.algorithms         all algorithms, each with its use case
python -m trainers.algorithms dapo    the settings of one, their defaults and the values they take
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lean_gym.command_line import unless_closed
from trainers.algorithms import ALGORITHMS, create_algorithm
from trainers.config.base import allowed_values


def table() -> str:
    """Return one line per algorithm: name, when to use it, arXiv id of its paper."""
    rows = [(name, kind.use_when, kind.paper) for name, kind in ALGORITHMS.items()]
    return _aligned([("algorithm", "use it when", "arXiv"), *rows])


def settings_table(name: str) -> str:
    """Return one line per setting of an algorithm: key, default, values.

    Raises:
        ValueError: The algorithm is unknown.
    """
    settings = create_algorithm(name).settings
    values = allowed_values(type(settings))
    rows = [(key, shown(getattr(settings, key)), text) for key, text in values.items()]
    return _aligned([("setting", "default", "values"), *rows])


def shown(value: object) -> str:
    """Return a value in JSON's notation, without quotes."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _aligned(rows: Sequence[tuple[str, str, str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    lines = [f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}" for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


@unless_closed()
def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.algorithms") -> int:
    """Print the table that was asked for and return the exit code."""
    names = sys.argv[1:] if arguments is None else arguments
    if "-h" in names or "--help" in names:
        print((__doc__ or "").replace("python -m trainers.algorithms", program))
        return 0
    try:
        print("\n\n".join(map(settings_table, names)) if names else table())
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not names:
        print("\nrun one:        python -m trainers.grpo --algorithm NAME --algo-config '{\"beta\": 0.0}'")
        print("its settings:   python -m trainers.algorithms NAME, explained in docs/trainers/algorithms.md")
        print("its equation:   trainers/algorithms/NAME.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
