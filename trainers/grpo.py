"""Train a policy to prove theorems with GRPO.

    python -m trainers.grpo --env LeanProof-v0                    the main job, two CPU cores, minutes
    python -m trainers.grpo --max-iterations 2 --eval-samples 8   a short try
    python -m trainers.grpo --model PATH --config configs/pretrained.yaml

One iteration: groups of episodes of some theorems are stepped together through the vector environment; returns become
group-relative advantages; every tactic is one training row. Before that the policy sees a stated share of the
reference proofs. Held-out theorems are measured before and after.

A wrong setting ends with one line and exit code 2. Ctrl-C and SIGTERM leave a checkpoint; `--resume RUN` goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trainers.config.cli import ending_in_one_line
from trainers.config.command_line import parse


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    with ending_in_one_line():
        command = parse(arguments, "python -m trainers.grpo", (__doc__ or "").partition("\n")[0])
        from trainers.curriculum.theorems import load_sets

        load_sets(
            command.config.theorems
        )  # a wrong name should be known before torch is loaded, which takes seconds
        from trainers.run.session import train

        return train(command)


if __name__ == "__main__":
    sys.exit(main())
