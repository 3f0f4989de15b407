"""Train for two iterations on a few generated theorems, with the program of the main job.

The run is too short to learn anything; it shows the input and the output files of a run.

Run: python examples/06_tiny_training_run.py        (the real run: python -m trainers.grpo --env LeanProof-v0)
"""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

from lean_gym.datasets import write_jsonl
from lean_gym.datasets.propositional_theorems import PROPOSITIONAL
from trainers.extras import naming_the_extra

with naming_the_extra():
    from trainers import grpo

TINY = {
    "--seed": "0",
    "--workers": "1",
    "--hidden-size": "32",
    "--layers": "2",
    "--warm-start-epochs": "4",
    "--max-iterations": "2",
    "--theorems-per-iteration": "4",
    "--max-steps": "4",
    "--max-tactic-tokens": "16",
}


def main() -> None:
    drawn = PROPOSITIONAL.generate(16, difficulty=0.1, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        theorems, run = Path(folder) / "theorems.jsonl", Path(folder) / "run"
        # Every fourth theorem is held out.
        write_jsonl(
            theorems,
            [replace(one, split="train" if number % 4 else "test") for number, one in enumerate(drawn)],
        )
        flags = {"--env": "LeanProof-v0", "--theorems": str(theorems), "--run-dir": str(run), **TINY}
        grpo.main([word for flag in flags.items() for word in flag])
        summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
        print("the run folder holds:", ", ".join(sorted(path.name for path in run.iterdir())))
    print(f"held-out solve rates before: {summary['eval']['before']}, after: {summary['eval']['after']}")


if __name__ == "__main__":
    main()
