"""Reference proofs as the steps that an episode would take."""

from __future__ import annotations


def proof_steps(proof: str) -> list[str]:
    """Cut a tactic script into its top-level steps, one tactic each.

    Every line is a step; a line that is indented or starts with `|` belongs to the step before it (the body of a
    bullet, an alternative, a step of `calc`).

    Args:
        proof: A script as in `Theorem.proof`.

    Returns:
        The steps in order; none for an empty script.
    """
    steps: list[str] = []
    for line in filter(str.strip, proof.splitlines()):
        if steps and (line[0].isspace() or line[0] == "|"):
            steps[-1] += "\n" + line.rstrip()
        else:
            steps.append(line.rstrip())
    return steps
