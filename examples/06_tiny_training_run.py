"""Train for half a minute, with the program of the main job: a tiny model sees some proofs, then GRPO goes on.

Printed is the share of attempts that prove a held-out theorem, before and after GRPO. It rises.

Run: python examples/06_tiny_training_run.py        (the real run: python -m trainers.grpo --env LeanProof-v0)
"""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

from lean_gym.datasets import write_jsonl
from lean_gym.datasets.generators.propositional_theorems import PROPOSITIONAL
from trainers.extras import naming_the_extra

with naming_the_extra():
    from trainers import grpo

TINY = {
    "--seed": "0",
    "--workers": "1",
    "--torch-threads": "1",
    "--proof-share": "0.2",
    "--warm-start-epochs": "10",
    "--max-iterations": "6",
    "--theorems-per-iteration": "24",
    "--max-steps": "5",
    "--max-tactic-tokens": "16",
    "--learning-rate": "3e-4",
    "--eval-every": "0",
}


def main() -> None:
    drawn = PROPOSITIONAL.generate(100, difficulty=0.05, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        theorems, run = Path(folder) / "theorems.jsonl", Path(folder) / "run"
        # Every fourth theorem is held out.
        write_jsonl(
            theorems,
            [replace(one, split="train" if number % 4 else "test") for number, one in enumerate(drawn)],
        )
        flags = {"--env": "LeanProof-v0", "--theorems": str(theorems), "--run-dir": str(run), **TINY}
        grpo.main([word for flag in flags.items() for word in flag] + ["--no-automation"])
        summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
        print("the run folder holds:", ", ".join(sorted(path.name for path in run.iterdir())))
    before, after = (summary["eval"][when]["pass@1"] for when in ("before", "after"))
    print(f"held-out theorems, pass@1: before {before:.1%}, after {after:.1%}")


if __name__ == "__main__":
    main()
