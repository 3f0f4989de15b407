"""Make the set `core` from the source of minilean's library.

    python -m envs_data.core            write envs_data/core.jsonl
    python -m envs_data.core --check    compare it with what would be written; exit status 1 if they differ

A theorem of the library becomes a row if its header, read at its position, states exactly what the library declares,
and if its proof, written as a tactic script, is verified there. The others are left out and counted. Each row says
whether a script of `envs_data.automation` proves it at its position; what the cache of that program knows is not tried
again.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from envs_data.automation import measure
from envs_data.making import run
from envs_data.progress import ProgressLine
from lean_gym.backends.minilean import MinileanBackend
from lean_gym.datasets.formats.rows import theorem_from_row
from lean_gym.datasets.generators.base import measure_difficulty
from lean_gym.datasets.proofs import proof_steps
from lean_gym.errors import DataError
from lean_gym.verification.verify import verify_script
from minilean.api import (
    Context,
    LibraryTheorem,
    ProofError,
    library,
    library_before,
    library_files,
    library_theorems,
)

PATH: Final = Path(__file__).with_name("core.jsonl")
FIRST_TEST_FILE: Final = "NatDivMore.lean"
"""The theorems of this file of the library and of the later ones are the test part."""
STATEMENT: Final = "the statement alone does not give the library's declaration"
TRUE: Final = "the statement is `True`"
PROOF: Final = "the proof is no tactic script"


def row_of(theorem: LibraryTheorem, script: str) -> dict[str, Any]:
    """Return the row of a theorem with one of its scripts."""
    files = [path.name for path in library_files()]
    held_out = files.index(theorem.file) >= files.index(FIRST_TEST_FILE)
    return {
        "name": theorem.name,
        "statement": theorem.statement,
        "context": theorem.context,
        "imports": [],
        "split": "test" if held_out else "train",
        "domain": theorem.file.removesuffix(".lean"),
        "difficulty": measure_difficulty(script),
        "proof": script,
        "position": theorem.position,
    }


def states_the_same(theorem: LibraryTheorem) -> bool:
    """Return whether the statement, read at the theorem's position, is the type that the library declares."""
    declaration = library().kernel.get(theorem.name)
    try:
        problem = Context(library_before(theorem.position), theorem.context).problem(theorem.statement)
    except ProofError:
        return False
    signature = problem.signature
    return signature.type is declaration.type and signature.level_params == declaration.level_params


def proved_row(theorem: LibraryTheorem, backend: MinileanBackend) -> dict[str, Any] | None:
    """Return the row with the first script that is verified, or `None` if none is."""
    for script in theorem.scripts:
        row = row_of(theorem, script)
        try:
            candidate = theorem_from_row(row, theorem.position)
        except DataError:
            return None
        if verify_script(backend, candidate, proof_steps(script)).proved:
            return row
    return None


def rows(left_out: Counter[str], theorems: Iterable[LibraryTheorem]) -> Iterator[dict[str, Any]]:
    """Yield the rows of theorems of the library, in their order; those left out are counted by reason."""
    backend = MinileanBackend()
    for theorem in theorems:
        if theorem.statement.endswith(": True"):
            left_out[TRUE] += 1
        elif not states_the_same(theorem):
            left_out[STATEMENT] += 1
        elif (row := proved_row(theorem, backend)) is None:
            left_out[PROOF] += 1
        else:
            yield row


def flagged(found: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows with the flag `automation`; the first comes when all are measured, half an hour of one core."""
    found = list(found)
    theorems = [theorem_from_row(row, row["name"]) for row in found]
    proved = measure(
        theorems, on_theorem=ProgressLine("automation", len(theorems), sys.stderr).show
    ).proved_by_any
    for row in found:
        after = {"position": row.pop("position")}
        yield row | {"automation": row["name"] in proved} | after


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    left_out: Counter[str] = Counter()
    status = run(PATH, lambda: flagged(rows(left_out, library_theorems())), arguments)
    print(f"left out: {dict(left_out)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
