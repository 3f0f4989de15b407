"""Train with GSPO: probability ratios of whole tactics.

    python -m trainers.gspo --env LeanProof-v0

This is `python -m trainers.grpo` with `--algorithm gspo` as the default; it takes the same flags.
The token variant is `--algorithm gspo_token`.
Equation, defaults and differences from GRPO stand in trainers/algorithms/gspo.py.
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
    return grpo.main(words if resumes else ["--algorithm", "gspo", *words])


if __name__ == "__main__":
    sys.exit(main())
