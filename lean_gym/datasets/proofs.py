"""Reference proofs as the steps that an episode would take."""

from __future__ import annotations

import re

# A line that starts so goes on with the tactic above it: an alternative, a combinator, a closing bracket, a step of
# `calc`; and so does every line after `open A in` and after a combinator.
_GOES_ON = re.compile(r"[\s|)\]}⟩]|<;>|_(?!\w)")
_LEFT_OPEN = re.compile(r"(?:^(?:open|set_option)\s.*\sin|<;>)\Z")


def proof_steps(proof: str) -> list[str]:
    """Cut a tactic script into its top-level steps, one tactic each.

    Every line is a step; a line that is indented, starts with `|`, `<;>`, `_` or a closing bracket, or follows
    `open A in` or `<;>` at the end of a line, belongs to the step before it (the body of a bullet, an alternative, a
    step of `calc`).

    Args:
        proof: A script as in `Theorem.proof`.

    Returns:
        The steps in order; none for an empty script.
    """
    steps: list[str] = []
    for line in filter(str.strip, proof.splitlines()):
        if steps and (_GOES_ON.match(line) or _LEFT_OPEN.search(steps[-1].rpartition("\n")[2])):
            steps[-1] += "\n" + line.rstrip()
        else:
            steps.append(line.rstrip())
    return steps
