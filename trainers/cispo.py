"""Train with CISPO: bounded importance weights that silence no token.

    python -m trainers.cispo --env LeanProof-v0

This is `python -m trainers.grpo` with `--algorithm cispo` as the default; it takes the same flags.
Equation, defaults and differences from GRPO stand in trainers/algorithms/cispo.py.
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
    return grpo.main(words if resumes else ["--algorithm", "cispo", *words])


if __name__ == "__main__":
    sys.exit(main())
