"""Make the file of results that ships with the sets, so that a first run need not try all scripts.

    python -m envs_data.automation.shipped

Results of minilean with its default options are taken from the user's cache where they are known; without it, this
takes about half an hour on one core. A result with a script that ran out of time depends on the machine, so it is left
out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from envs_data.automation.cache import FAILED, PROVED, add_entries, read_entries
from envs_data.automation.measuring import SHIPPED, measure, results_of
from envs_data.progress import ProgressLine
from lean_gym.datasets import load_theorems
from lean_gym.types import Theorem

SETS: Final = ("algebra:test", "logic:test", "nat:test")
"""The sets on which runs are measured by default."""


def write(theorems: Sequence[Theorem], path: Path = SHIPPED) -> int:
    """Measure theorems and write the file anew; return how many theorems have a result in it."""
    # What is shipped so far may be of an earlier prover; only the cache may answer.
    path.unlink(missing_ok=True)
    progress = ProgressLine(", ".join(SETS), len(theorems), sys.stderr)
    measure(theorems, on_theorem=progress.show)
    kept = {key: found for key, found in results_of(theorems).items() if set(found) <= {PROVED, FAILED}}
    add_entries(path, kept)
    # A cache is for its owner alone, this file for everyone.
    path.chmod(0o644)
    return len(read_entries(path))


if __name__ == "__main__":
    print(
        f"{write([theorem for name in SETS for theorem in load_theorems(name)])} theorems in {SHIPPED.name}"
    )
