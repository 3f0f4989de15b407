"""Samples of what a policy does, as plain text of bounded size: proofs, and failed attempts with Lean's messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from lean_gym.types import Theorem
from trainers.rollouts.player import Trajectory
from trainers.run.monitor import Monitor

_SAMPLES: Final = 3
"""Most proofs and most failures that are shown."""
_STEPS: Final = 8
"""Most tactics of a sample."""
_PIECE: Final = 500
"""Longest statement, tactic, message or text of goals, in characters."""


def record_samples(
    monitor: Monitor,
    iteration: int,
    proofs: Sequence[Mapping[str, Any]],
    episodes: Sequence[Trajectory[Any]],
    theorems: Iterable[Theorem],
) -> None:
    """Record samples of a measurement.

    Args:
        monitor: Records them.
        iteration: Iterations done.
        proofs: Rows of `proofs.jsonl` since the last measurement.
        episodes: Episodes of this one.
        theorems: Those that are measured.
    """
    failures = failure_samples(episodes, {theorem.name: theorem.statement for theorem in theorems})
    for name, text in (("samples/proofs", proof_samples(proofs)), ("samples/failures", failures)):
        if text:
            monitor.text(name, text, iteration)


def proof_samples(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return some proofs as Lean's source, spread over the rows of `proofs.jsonl`; empty without rows."""
    shown = []
    for row in _spread(rows):
        tactics = [line for tactic in row["tactics"][:_STEPS] for line in _cut(tactic).split("\n")]
        left = len(row["tactics"]) - _STEPS
        more = [f"-- and {left} more"] if left > 0 else []
        lines = [
            f"-- {row.get('part', 'found')}, iteration {row['iteration']}",
            f"{_cut(row['statement'])} := by",
        ]
        shown.append("\n".join([*lines, *(f"  {line}" for line in [*tactics, *more])]))
    return "\n\n".join(shown)


def failure_samples(episodes: Iterable[Trajectory[Any]], statements: Mapping[str, str]) -> str:
    """Return failed attempts at some theorems of which no episode is a proof, spread over these; empty without one.

    Args:
        episodes: Those of a measurement.
        statements: Theorem -> its statement.
    """
    attempts: dict[str, list[Trajectory[Any]]] = {}
    for episode in episodes:
        attempts.setdefault(episode.theorem, []).append(episode)
    unsolved = [own for own in attempts.values() if not any(episode.proved for episode in own)]
    # Of each, the attempt that came furthest.
    furthest = [max(own, key=lambda episode: len(episode.tactics)) for own in unsolved]
    return "\n\n".join(_attempt(each, statements[each.theorem]) for each in _spread(furthest))


def _attempt(episode: Trajectory[Any], statement: str) -> str:
    lines, before = [f"-- {episode.outcome}, {len(episode.steps)} tactics tried", _cut(statement)], ""
    for step in episode.steps[:_STEPS]:
        if step.goals != before:
            lines += ["", _cut(step.goals)]
        before = step.goals
        lines.append(f"> {_cut(step.choice.text)}")
        if step.refused:
            lines += [f"  refused: {_cut(step.message)}"]
    if len(episode.steps) > _STEPS:
        lines.append(f"-- and {len(episode.steps) - _STEPS} more")
    return "\n".join(lines)


def _spread(items: Sequence[Any]) -> list[Any]:
    """Return the first, the last and those between at equal distances, at most `_SAMPLES`."""
    if len(items) <= _SAMPLES:
        return list(items)
    return [items[at * (len(items) - 1) // (_SAMPLES - 1)] for at in range(_SAMPLES)]


def _cut(text: str) -> str:
    return text if len(text) <= _PIECE else text[: _PIECE - 1] + "…"
