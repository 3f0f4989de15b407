"""Child process of a contest: one side, or the preparation.

python -m benchmarks.contest.child '{"side": "ours", "phase": "learning", "folder": "/tmp/x", "contest": {}}'
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from benchmarks.children import answer
from benchmarks.contest.settings import Contest, Side
from benchmarks.contest.start import prepare, set_threads


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Do a job and return its answer: a `Measurement`, or the result of `prepare`."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    contest, folder = Contest(**job["contest"]), Path(job["folder"])
    set_threads(contest)
    match job["side"]:
        case "preparation":
            return dict(prepare(contest, folder))
        case "stock" | "rows":
            from benchmarks.contest.stock import measure_rows, measure_stock

            measure = measure_stock if job["side"] == "stock" else measure_rows
            return asdict(measure(contest, folder, job["phase"]))
        case side if side in get_args(Side):
            from benchmarks.contest.ours import measure_ours

            return asdict(measure_ours(contest, folder, job["phase"], side))
        case side:
            raise ValueError(f"side: got {side!r}, expected preparation, {', '.join(get_args(Side))}")


if __name__ == "__main__":
    answer(run(json.loads(sys.argv[1])))
