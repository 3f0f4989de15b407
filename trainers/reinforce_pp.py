"""Train with REINFORCE++: advantages standardised over the batch.

    python -m trainers.reinforce_pp --env LeanProof-v0

This is `python -m trainers.grpo` with `--algorithm reinforce_pp` as the default; it takes the same flags.
Equation, defaults and differences from GRPO stand in trainers/algorithms/reinforce_pp.py.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trainers import grpo


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    # A run that goes on has its algorithm already.
    resumes = any(word.partition("=")[0] == "--resume" for word in words)
    return grpo.main(words if resumes else ["--algorithm", "reinforce_pp", *words])


if __name__ == "__main__":
    sys.exit(main())
