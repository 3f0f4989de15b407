"""Search for theorems that follow from another theorem by substitution alone.

    leaks = find_instances(create_backend("minilean"), general=train, special=test)

A theorem counts as an instance of another one if the other one, taken as a hypothesis, proves it in one step: by
`exact` with all arguments left to unification, or by `apply` where the hypotheses at hand close what is left, with the
sides of an equation swapped if need be. So a renaming of a theorem is an instance of it, in both directions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from lean_gym.types import ProofBackend, Theorem

SECONDS: Final = 5.0
"""Limit for one trial."""

_DEFINED = re.compile(r"^(?:def|inductive|structure) (\S+)|^\s+\| (\w+) :", flags=re.MULTILINE)
_WORD = re.compile(r"[^\W\d][\w.']*")


def find_instances(
    backend: ProofBackend, general: Iterable[Theorem], special: Iterable[Theorem]
) -> list[tuple[str, str]]:
    """Return the names of all pairs (theorem of `special`, theorem of `general` that it is an instance of).

    Only pairs in which the general theorem uses no definition of its context that the special one does not use, and
    whose contexts are such that the lines of the general one are among those of the special one, are tried.

    Raises:
        DataError: A theorem does not elaborate.
    """
    by_context: dict[str, list[Theorem]] = defaultdict(list)
    for theorem in general:
        by_context[theorem.context].append(theorem)
    pairs = []
    for theorem in special:
        lines = set(theorem.context.split("\n")) | {""}
        for context, group in by_context.items():
            if not set(context.split("\n")) <= lines:
                continue
            candidates = [other for other in group if _definitions(other) <= _definitions(theorem)]
            pairs += [
                (theorem.name, other.name) for other in candidates if is_instance(backend, other, theorem)
            ]
    return pairs


def is_instance(backend: ProofBackend, general: Theorem, special: Theorem) -> bool:
    """Return whether `special` follows from `general` in one step, see above.

    Args:
        backend: Any prover.
        general: A theorem; its context must be part of that of `special`.
        special: The theorem that may be an instance.

    Raises:
        DataError: The theorems do not elaborate in the context of the special one.
    """
    name, binders, conclusion = _parts(special)
    hypothesis = f"(the_general_one : {_proposition(general)})"
    statement = f"theorem {name} {hypothesis} {binders} : {conclusion}"
    start = backend.start(Theorem(name=name, statement=statement, context=special.context))
    use = "first | exact the_general_one .. | (apply the_general_one <;> assumption)"
    for script in (f"intros; {use}", f"intros; apply Eq.symm; {use}"):
        state = backend.apply(start, script, SECONDS).state
        if state is not None and state.is_finished:
            return True
    return False


def _proposition(theorem: Theorem) -> str:
    _, binders, conclusion = _parts(theorem)
    return f"∀ {binders}, {conclusion}" if binders else conclusion


def _parts(theorem: Theorem) -> tuple[str, str, str]:
    """Split a statement into name, binders and conclusion.

    Raises:
        ValueError: It has no colon outside of brackets.
    """
    _, name, rest = theorem.statement.split(maxsplit=2)
    depth = 0
    for position, character in enumerate(rest):
        depth += (character in "([{⦃") - (character in ")]}⦄")
        if character == ":" and depth == 0:
            return name, rest[:position].strip(), rest[position + 1 :].strip()
    raise ValueError(
        f"{theorem.name}: statement: got {theorem.statement!r}, expected a ':' before the conclusion"
    )


def _definitions(theorem: Theorem) -> set[str]:
    """Return the definitions and constructors of the context that the statement mentions."""
    defined = {name for pair in _DEFINED.findall(theorem.context) for name in pair if name}
    return defined & {part for word in _WORD.findall(theorem.statement) for part in word.split(".")}
