"""Evaluations of a run: results of `trainers.evaluate` that lie beside its folder or in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trainers.config.files import read_file
from trainers.errors import ConfigError
from trainers.reporting.rows import Lines, ProofRow, RateRow, ResultRow, read_object
from trainers.reporting.run_folder import RunRecord


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One evaluation.

    Attributes:
        name: Name of its folder.
        before: The policy was the run's at the start, after the warm start.
        result: Its `result.json`.
        proofs: The distinct proofs that it found.
    """

    name: str
    before: bool
    result: ResultRow
    proofs: tuple[ProofRow, ...]

    @property
    def rates(self) -> dict[str, RateRow]:
        """Return the overall rates, by `pass@k`."""
        return {name: rate for name, rate in self.result.overall.items() if isinstance(rate, RateRow)}


def find_evaluations(run: RunRecord) -> list[Evaluated]:
    """Return the evaluations of a run's policies, by name; one that cannot be read becomes a note of the run."""
    found = []
    for folder in sorted({path.parent for path in _results(run.path)}):
        try:
            policy = read_file(folder / "settings.yaml").get("policy")
            if not isinstance(policy, str) or (before := _is_start(policy, folder, run.path)) is None:
                continue
            result = read_object(folder / "result.json", ResultRow)
        except ConfigError as error:
            run.notes.append(str(error))
            continue
        proofs = Lines(folder / "proofs.jsonl", ProofRow)
        rows = tuple(proofs) if (folder / "proofs.jsonl").is_file() else ()
        found.append(Evaluated(folder.name, before, result, rows))
        if proofs.problem:
            run.notes.append(f"{folder.name}: {proofs.problem}")
    return found


def _results(run: Path) -> Iterator[Path]:
    for parent in (run.resolve().parent, run.resolve()):
        for path in parent.glob("*/result.json"):
            if path.is_file() and (path.parent / "settings.yaml").is_file():
                yield path


def _is_start(policy: str, folder: Path, run: Path) -> bool | None:
    """Return whether a policy is that of the run's start, `None` for a policy that is not of the run.

    A relative path was meant from where the evaluation was started: here, or above the folder of its results.
    """
    if "\0" in policy:
        return None
    home = run.resolve()
    places = {(start / policy).resolve() for start in (Path(), *folder.resolve().parents)}
    if home / "start_policy" in places:
        return True
    return False if places & {home, home / "policy"} else None
