"""One theorem from one row: the fields, their types, and the messages for rows that cannot be used."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lean_gym.datasets.formats.lean_source import declared_name, mask, renamed, without_scopes
from lean_gym.errors import DataError, unknown_name
from lean_gym.types import Theorem

_FIELDS: Final = tuple(field.name for field in dataclasses.fields(Theorem))
_NOT_TEXTS: Final = ("imports", "difficulty", "automation", "permitted_axioms")
_KEYWORD: Final = re.compile(r"(theorem|lemma|example)(?=[\s({\[⦃:]|$)")
_DECLARED: Final = re.compile(
    r"(?:theorem|lemma)\s+((?:«[^»]*»|[^\s«»(){}\[\]⦃⦄:.]+)(?:\.(?:«[^»]*»|[^\s«»(){}\[\]⦃⦄:.]+))*)"
)
PUBLISHED_STATEMENTS: Final = (
    "formal_statement",
    "formal_stmt",
    "lean4_statement",
    "lean4_formalization",
    "formal_theorem",
    "theorem_statement",
    "lean4_code",
    "full_proof",
)
"""Fields in which published benchmarks and data sets have their statements."""
_READER: Final = (
    "; this is a row of a published benchmark: load 'minif2f:FILE' in place of FILE, which reads the rows of miniF2F, "
    "Goedel, ProofNet, PutnamBench, Lean-Workbook, NuminaMath and Kimina"
)
_PROOF: Final = re.compile(r":=\s*(by\b|sorry\b|$)")


def theorem_from_row(row: Mapping[str, Any], where: str) -> Theorem:
    """Build a theorem from a decoded JSON object.

    Args:
        row: `name` and `statement` are required; the other fields of `Theorem` are optional.
        where: Where the row is, for messages, e.g. `"logic.jsonl, line 3"`.

    Returns:
        The theorem.

    Raises:
        DataError: A field is missing, unknown, or has a value that cannot be used; the text names it.
    """
    for key in row:
        if key not in _FIELDS:
            problem = f"{where}: {unknown_name('field', str(key), _FIELDS)}"
            raise DataError(problem + (_READER if is_published(row) else ""))
    for key in ("name", "statement"):
        if key not in row:
            raise DataError(f"{where}: field {key!r} is missing")
    values: dict[str, Any] = {key: _text(row, key, where) for key in row if key not in _NOT_TEXTS}
    if "imports" in row:
        values["imports"] = _imports(row["imports"], where)
    if row.get("difficulty") is not None:
        values["difficulty"] = _difficulty(row["difficulty"], where)
    if row.get("automation") is not None:
        values["automation"] = _flag(row, "automation", where)
    if row.get("permitted_axioms") is not None:
        values["permitted_axioms"] = _axioms(row["permitted_axioms"], where)
    theorem = Theorem(**values)
    if not theorem.name.strip():
        raise _bad(where, "name", theorem.name, "a name")
    _check_statement(theorem, where)
    return theorem


def theorem_from_statement(statement: str, index: int, where: str) -> Theorem:
    """Build a theorem from Lean source alone.

    Args:
        statement: `theorem name ... : ...`, an `example ... : ...`, or a bare proposition. Comments, attributes and
            modifiers in front are dropped; commands that end in `in` (`open Nat in`) become the context.
        index: Position in its list; statements without a name become `statement_<index>`.
        where: Where the statement is, for messages.

    Returns:
        The theorem.

    Raises:
        DataError: The statement is empty, or carries its proof.
    """
    scopes, rest = without_scopes(_begun(statement))
    source = _bare(rest.strip())
    keyword = _KEYWORD.match(source)
    declared = _DECLARED.match(source)
    context = {"context": "\n".join(scopes)}
    if declared is not None:
        return theorem_from_row({"name": declared.group(1), "statement": source, **context}, where)
    name = f"statement_{index}"
    if keyword is not None and keyword.group(1) == "example":
        source = f"theorem {name}{source[len('example') :]}"
    elif keyword is None and source:
        source = f"theorem {name} : {source}"
    return theorem_from_row({"name": name, "statement": source, **context}, where)


def _begun(source: str) -> str:
    """A text from its first word on, without the comments in front of it."""
    masked = mask(source)
    return source[len(masked) - len(masked.lstrip()) :].strip()


def _bare(source: str) -> str:
    """A theorem or example without the comments, attributes and modifiers in front of it; anything else as it is."""
    begun = _begun(source)
    name = declared_name(begun)
    if name is not None:
        return renamed(begun, name)
    return begun if _KEYWORD.match(begun) else source


def is_published(row: Mapping[str, Any]) -> bool:
    """Return whether a row has the fields of a published benchmark, or a statement with imports or a `sorry`."""
    statement = row.get("statement")
    file = isinstance(statement, str) and bool(
        re.search(r"^import\b|:=\s*(?:by\s+)?sorry\s*\Z", statement, re.M)
    )
    return file or any(key in row for key in PUBLISHED_STATEMENTS)


def row_from_theorem(theorem: Theorem) -> dict[str, Any]:
    """The row of a theorem: the four standing fields, then those optional ones that are set."""
    row: dict[str, Any] = {
        "name": theorem.name,
        "statement": theorem.statement,
        "context": theorem.context,
        "imports": list(theorem.imports),
    }
    optional = {
        "split": theorem.split,
        "domain": theorem.domain,
        "difficulty": theorem.difficulty,
        "proof": theorem.proof,
        "automation": theorem.automation,
        "source": theorem.source,
        "lean_version": theorem.lean_version,
        "mathlib_revision": theorem.mathlib_revision,
        "position": theorem.position,
        "permitted_axioms": None if theorem.permitted_axioms is None else list(theorem.permitted_axioms),
    }
    row.update({key: value for key, value in optional.items() if value is not None and value != ""})
    return row


def check_unique(theorems: Sequence[Theorem], places: Sequence[str]) -> None:
    """Refuse a set in which two theorems share a name.

    Args:
        theorems: The set.
        places: Where each theorem came from, for the message.

    Raises:
        DataError: A name occurs twice.
    """
    seen: dict[str, str] = {}
    for theorem, place in zip(theorems, places, strict=True):
        if theorem.name in seen:
            raise DataError(
                f"{place}: field 'name': {theorem.name!r} is taken already by {seen[theorem.name]}"
            )
        seen[theorem.name] = place


def _check_statement(theorem: Theorem, where: str) -> None:
    statement = theorem.statement.strip()
    declared = _DECLARED.match(statement)
    if declared is None:
        raise _bad(where, "statement", statement, "Lean source starting with 'theorem <name>'")
    if declared.group(1) != theorem.name:
        raise DataError(
            f"{where}: field 'name': got {theorem.name!r}, but the statement declares {declared.group(1)!r}; "
            "use the same name in both"
        )
    if _PROOF.search(statement):
        raise _bad(where, "statement", statement, "the source up to, and without, ':='")


def _text(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row[key]
    if not isinstance(value, str):
        raise _bad(where, key, value, "a string")
    return value


def _imports(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(module, str) for module in value):
        raise _bad(where, "imports", value, "a list of module names")
    return tuple(value)


def _axioms(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise _bad(where, "permitted_axioms", value, "a list of names of axioms, [] for none")
    return tuple(value)


def _difficulty(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise _bad(where, "difficulty", value, "a number from 0 to 1, or null")
    return float(value)


def _flag(row: Mapping[str, Any], key: str, where: str) -> bool:
    value = row[key]
    if not isinstance(value, bool):
        raise _bad(where, key, value, "true, false or null")
    return value


def _bad(where: str, field: str, got: object, expected: str) -> DataError:
    shown = repr(got)
    shown = shown if len(shown) <= 120 else shown[:117] + "..."
    return DataError(f"{where}: field {field!r}: got {shown}, expected {expected}")
