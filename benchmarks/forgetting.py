"""Forgetting over the files of minilean's library, with replay, elastic weight consolidation, both or neither.

    python -m benchmarks.forgetting --out runs/forgetting --seeds 3
    python -m benchmarks.forgetting --out runs/forgetting --files Logic.lean Bool.lean --seeds 1

Each file is a repository: the theorems of the set `core` that stand in it, divided 60/20/20. For each variant and seed
one course of `python -m trainers.lifelong` runs in a folder of its own, and goes on there if it was interrupted. The
table has the mean and the standard deviation over the seeds.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import mean_and_deviation
from lean_gym.command_line import Parser
from lean_gym.datasets import load_theorems
from lean_gym.datasets.rows import row_from_theorem
from trainers.lifelong.__main__ import main as learn

VARIANTS: Final[dict[str, Sequence[str]]] = {
    "neither": (),
    "replay": ("--replay-share", "0.3"),
    "ewc": ("--ewc-weight", "1000"),
    "both": ("--replay-share", "0.3", "--ewc-weight", "1000"),
}
FILES: Final = ("Connectives.lean", "Bool.lean", "Option.lean", "NatBasic.lean", "ListParts.lean")
SFT: Final = {"learning_rate": 1e-3, "epochs": 25, "save_every": 0}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code of the first course that ended early, or 0."""
    parser = Parser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the courses")
    parser.add_argument(
        "--files", nargs="+", default=list(FILES), metavar="FILE", help="files of the library"
    )
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=list(VARIANTS))
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="courses for each variant")
    parser.add_argument(
        "--iterations", type=int, default=10, metavar="N", help="of reinforcement learning, a file"
    )
    given = parser.parse_args(arguments)
    repositories = write_sets(given.out / "sets", given.files)
    found: dict[str, list[Mapping[str, Any]]] = {}
    for variant in given.variants:
        for seed in range(given.seeds):
            folder = given.out / f"{variant}-seed{seed}"
            words = ["--repos", *repositories, "--run-dir", str(folder), "--seed", str(seed)]
            words += ["--order", "given", "--sft", json.dumps(SFT), *VARIANTS[variant]]
            words += ["--grpo", json.dumps({"max_iterations": given.iterations})]
            again = (folder / "config.yaml").is_file()
            if code := learn(["--resume", str(folder)] if again else words):
                return code
            found.setdefault(variant, []).append(json.loads((folder / "transfer.json").read_text("utf-8")))
    print(table(found))
    return 0


def write_sets(folder: Path, files: Sequence[str]) -> list[str]:
    """Write the theorems of each file as a set without a split, and return the paths.

    Raises:
        ValueError: A file has no theorem in the set `core`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    theorems = load_theorems("core")
    paths = []
    for file in files:
        own = [theorem for theorem in theorems if theorem.position.partition(":")[0] == file]
        if not own:
            raise ValueError(f"files: expected a file of minilean's library with theorems, got {file!r}")
        rows = [row_from_theorem(dataclasses.replace(theorem, split="")) for theorem in own]
        path = folder / f"{file.removesuffix('.lean')}.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        paths.append(str(path))
    return paths


def table(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return a Markdown table of the measures at the end of the courses, in percent.

    Args:
        found: By variant, the contents of `transfer.json` of each seed.
    """
    names = list(next(iter(found.values()))[0]["measures"][-1])
    lines = ["| | " + " | ".join(name.replace("_", " ") for name in names) + " |"]
    lines.append("|---" * (len(names) + 1) + "|")
    for variant, courses in found.items():
        cells = []
        for name in names:
            values = [each["measures"][-1][name] for each in courses]
            known = [value for value in values if value is not None]
            cells.append(mean_and_deviation(known, digits=1, factor=100.0))
        lines.append(f"| {variant} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
