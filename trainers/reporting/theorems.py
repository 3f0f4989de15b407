"""Rows of the table of theorems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lean_gym.types import Theorem
from trainers.reporting.episodes import Played
from trainers.reporting.evaluations import Evaluated
from trainers.reporting.rows import ProofRow

TRAINING: Final = "training"
HELD_OUT: Final = "held out"
NEW: Final = "new"
SOLVED: Final = "solved"
UNSOLVED: Final = "unsolved"
STATUSES: Final = {
    NEW: "proved, and its reference proof was never shown",
    SOLVED: "proved",
    UNSOLVED: "tried, never proved",
}
"""Status -> meaning, in the order of the filter."""


@dataclass(frozen=True, slots=True)
class TheoremLine:
    """One row.

    Attributes:
        name: The theorem.
        statement: Its statement, empty where neither the set nor a proof tells it.
        part: `TRAINING`, `HELD_OUT`, or empty.
        status: A key of `STATUSES`.
        before: Share of the attempts that proved it, of the policy at the start; `None` if not measured.
        after: The same at the end.
        measured: What the two are shares of.
        attempts: Number of attempts known; 0 for a theorem of which only a proof is stored.
        shortest: Accepted tactics of the shortest proof, `None` without any.
        context: Commands before the statement; `None` for a theorem that minilean's whole library does not state.
    """

    name: str
    statement: str
    part: str
    status: str
    before: float | None
    after: float | None
    measured: str
    attempts: int
    shortest: int | None
    context: str | None = None


def theorem_lines(
    theorems: Mapping[str, tuple[Theorem, str]],
    played: Mapping[str, Played],
    measured: Mapping[str, Played],
    proofs: Sequence[ProofRow],
    evaluations: Sequence[Evaluated],
    held_out_attempts: int,
) -> list[TheoremLine]:
    """Return a row for each theorem of which an attempt or a proof is known, in the order of the sets.

    Args:
        theorems: Name -> theorem and part, empty where the sets are not at hand.
        played: The stored episodes of training.
        measured: The episodes of the run's measurements; older runs store none.
        proofs: Proofs of theorems whose reference proof was not shown.
        evaluations: Evaluations of the run's policies.
        held_out_attempts: Episodes that the run played of each held-out theorem, where `measured` does not tell.
    """
    found = [*proofs, *(row for each in evaluations for row in each.proofs)]
    statements = {row.name: row.statement for row in found}
    new = {row.name: row.part or (HELD_OUT if row.split == "test" else "") for row in proofs}
    lengths = [(row.name, len(row.tactics)) for row in found]
    lengths += [
        (name, len(episode.tactics))
        for stored in (played, measured)
        for name, own in stored.items()
        for episode in own.proofs
    ]
    shortest: dict[str, int] = {}
    for name, length in lengths:
        shortest[name] = min(length, shortest.get(name, length))
    names = dict.fromkeys(
        [*theorems, *played, *measured, *shortest, *(n for e in evaluations for n in e.result.by_theorem)]
    )
    lines = []
    for name in names:
        theorem, part = theorems.get(name, (None, new.get(name, "")))
        own, tested = played.get(name, Played()), measured.get(name)
        before, after, source, evaluated = _shares(name, tested or own, evaluations)
        attempts = own.attempts + evaluated
        if tested is not None:
            attempts += tested.attempts
        elif part == HELD_OUT:
            attempts += held_out_attempts
        if name in new:
            status = NEW
        elif name in shortest:
            status = SOLVED
        elif attempts:
            status = UNSOLVED
        else:
            continue
        statement = theorem.statement if theorem is not None else statements.get(name, "")
        stated = theorem is not None and not theorem.position and not theorem.imports
        context = theorem.context if theorem is not None and stated else None
        rates = (before, after, source)
        lines.append(
            TheoremLine(name, statement, part, status, *rates, attempts, shortest.get(name), context)
        )
    return lines


def _shares(
    name: str, own: Played, evaluations: Sequence[Evaluated]
) -> tuple[float | None, float | None, str, int]:
    """Return the shares before and after, what they are measured on, and the attempts of evaluations."""
    measured: dict[bool, float] = {}
    attempts = 0
    for each in evaluations:
        if name in each.result.by_theorem:
            attempts += each.result.samples
            measured[each.before] = each.result.by_theorem[name] / each.result.samples
    if measured:
        return measured.get(True), measured.get(False), "evaluation", attempts
    if not own.by_iteration:
        return None, None, "", 0
    first, last = min(own.by_iteration), max(own.by_iteration)
    shares = {number: proofs / episodes for number, (episodes, proofs) in own.by_iteration.items()}
    if first == last:
        return shares[first], None, f"iteration {first}", 0
    return shares[first], shares[last], f"iterations {first} and {last}", 0
