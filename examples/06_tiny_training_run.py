"""Train for two iterations through the main job's own entry point, small enough to watch.

Run: python examples/06_tiny_training_run.py        (the real run: python -m trainers.grpo --env LeanProof-v0)
"""

import json
import tempfile
from pathlib import Path

from trainers import grpo

TINY = {
    "--theorems": "logic",
    "--seed": "0",
    "--workers": "1",
    "--hidden-size": "32",
    "--layers": "2",
    "--warm-start-epochs": "2",
    "--max-iterations": "2",
    "--theorems-per-iteration": "4",
    "--max-steps": "4",
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "tiny"
        flags = [
            word for flag in {"--env": "LeanProof-v0", "--run-dir": str(run), **TINY}.items() for word in flag
        ]
        grpo.main(flags)
        summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
        print("the run folder holds:", ", ".join(sorted(path.name for path in run.iterdir())))
    print(f"held-out solve rates before: {summary['eval']['before']}, after: {summary['eval']['after']}")


if __name__ == "__main__":
    main()
