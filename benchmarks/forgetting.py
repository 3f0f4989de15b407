"""Forgetting over repositories with different proofs, with replay, elastic weight consolidation, both or neither.

    python -m benchmarks.forgetting --out runs/forgetting --seeds 3
    python -m benchmarks.forgetting --out runs/weights --variants ewc --draw 1 --ewc-weight 1000 --seeds 1

The repositories are drawn by generators: propositional logic, a relation with laws, inductively defined predicates.
They share hardly a tactic. Each is divided 60/20/20, and the course trains on the first two parts. For each variant and
seed one course of `python -m trainers.lifelong` runs in a folder of its own, and goes on there if it was interrupted.
The table has the mean and the standard deviation over the seeds, in percent.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import mean_and_deviation
from lean_gym.command_line import Parser
from trainers.lifelong import main as learn

GENERATORS: Final = (("propositional", 0.1), ("relations", 0.2), ("inductive_predicates", 0.15))
"""Generators with their difficulties, in the order of the course; all proofs have at most `STEPS` tactics."""
STEPS: Final = 6
SFT: Final = {"learning_rate": 2e-3, "epochs": 20, "save_every": 0}
COURSE: Final = ("--order", "given", "--samples", "4", "--workers", "1", "--torch-threads", "1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code of the first course that ended early, or 0."""
    parser = Parser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the courses")
    names = list(variants(0.0, 0.0))
    parser.add_argument("--variants", nargs="+", default=names, choices=names)
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="courses for each variant")
    parser.add_argument("--draw", type=int, default=0, metavar="SEED", help="seed of the generators")
    parser.add_argument("--size", type=int, default=120, metavar="N", help="theorems of each repository")
    parser.add_argument("--replay-share", type=float, default=0.3, metavar="SHARE")
    parser.add_argument("--ewc-weight", type=float, default=1e5, metavar="WEIGHT")
    parser.add_argument(
        "--iterations", type=int, default=0, metavar="N", help="of reinforcement learning, a repository"
    )
    given = parser.parse_args(arguments)
    found: dict[str, list[Mapping[str, Any]]] = {}
    for seed in range(given.seeds):
        for variant in given.variants:
            folder = given.out / f"{variant}-seed{seed}"
            grpo = {"max_iterations": given.iterations, "rollout": {"max_steps": STEPS}}
            words = ["--repos", *repositories(given.size, given.draw), "--run-dir", str(folder), *COURSE]
            words += ["--seed", str(seed), "--sft", json.dumps(SFT), "--grpo", json.dumps(grpo)]
            words += variants(given.replay_share, given.ewc_weight)[variant]
            again = (folder / "config.yaml").is_file()
            if code := learn(["--resume", str(folder)] if again else words):
                return code
            found.setdefault(variant, []).append(json.loads((folder / "transfer.json").read_text("utf-8")))
    print(table(found))
    return 0


def repositories(size: int, draw: int) -> list[str]:
    """Return the sources of the repositories.

    Args:
        size: Theorems of each.
        draw: Seed of the generators; another one draws other theorems.
    """
    return [
        f"generated:{name}?size={size}&difficulty={difficulty}&seed={draw}" for name, difficulty in GENERATORS
    ]


def variants(replay_share: float, ewc_weight: float) -> dict[str, list[str]]:
    """Return the flags of each variant."""
    replay, ewc = ["--replay-share", str(replay_share)], ["--ewc-weight", str(ewc_weight)]
    return {"neither": [], "replay": replay, "ewc": ewc, "both": [*replay, *ewc]}


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
