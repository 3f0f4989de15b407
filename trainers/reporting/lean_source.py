"""Proofs as Lean source: files of their own, and the files that a workspace of lean-eval has solvers fill."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from lean_gym.backends.statement import declared_name, file_with, tactic_body, without_comments
from lean_gym.datasets.traced import BETWEEN
from lean_gym.errors import DataError
from lean_gym.types import Theorem

_LONGEST_NAME: Final = 100
"""Longest name of a file without its ending, in characters."""
_HOLE: Final = re.compile(r":=\s*(?:by\s+)?sorry\s*(end\s+Submission)?\s*\Z")
_NAMED: Final = re.compile(r"(?:theorem|lemma)\s+(?:«[^»]*»|[^\s:({\[⦃«])+")
_STATEMENT: Final = re.compile(r"^(?:theorem|lemma)\s", re.MULTILINE)


def lean_file(theorem: Theorem, tactics: Sequence[str]) -> str:
    """Return a file with a proof, which Lean compiles with the theorem's imports alone.

    For a theorem of a traced project it is the file of the project up to the theorem, without what follows it. Its
    first line says which file that is.

    Args:
        theorem: The theorem.
        tactics: Its proof, as the environment accepted it.

    Raises:
        DataError: The theorem is one of minilean's library, which Lean has under its name; or its file does not take
            the proof.
    """
    if in_project(theorem):
        from lean_gym.backends.minilean import file_of_project  # loads the prover

        file = json.dumps(theorem.position.partition(BETWEEN)[2], ensure_ascii=False)
        return f"-- {file} of a traced project: the file up to there\n{file_of_project(theorem, tactics)}\n"
    if theorem.position:
        raise DataError(f"theorem {theorem.name!r} is a lemma of Lean's own library, where its name is taken")
    imports = "".join(f"import {module}\n" for module in theorem.imports)
    space = "\n" if imports else ""
    return f"{imports}{space}{file_with(theorem, tactic_body(tactics))}\n"


def in_project(theorem: Theorem) -> bool:
    """Return whether a theorem stands in a file of a traced project."""
    return BETWEEN in theorem.position


def submission(template: str, theorem: Theorem, tactics: Sequence[str]) -> str:
    """Return the `Submission.lean` of a lean-eval workspace with its `sorry` replaced by a proof.

    Args:
        template: The file as the benchmark has it: a statement in `namespace Submission`, proved by `sorry`.
        theorem: The theorem that was proved.
        tactics: Its proof.

    Raises:
        DataError: The file does not end with such a theorem, or states another one.
    """
    starts = [found.start() for found in _STATEMENT.finditer(template)]
    hole = _HOLE.search(template, starts[-1]) if starts else None
    if hole is None or hole[1] is None:
        raise DataError(f"theorem {theorem.name!r}: the file does not end with a theorem proved by `sorry`")
    stated = template[starts[-1] : hole.start()]
    if _signature(stated) != _signature(theorem.statement):
        raise DataError(
            f"theorem {theorem.name!r}: the file states another theorem than the one that was proved"
        )
    return f"{template[: hole.start()]}{tactic_body(tactics)}\n\nend Submission\n"


def file_stem(theorem: Theorem) -> str:
    """Return a name for the file of a theorem: letters, digits, `_`, `-` and dots inside."""
    try:
        name = declared_name(theorem)
    except DataError:
        name = theorem.name
    plain = re.sub(r"[^\w.-]+|\.(?=\.)", "_", name).strip(".")
    return plain[:_LONGEST_NAME] or "theorem"


def _signature(statement: str) -> list[str]:
    """Return the words of a statement behind its name, which the benchmark may have shortened."""
    source = without_comments(statement).strip()
    named = _NAMED.match(source)
    return source[named.end() :].split() if named else [source]
