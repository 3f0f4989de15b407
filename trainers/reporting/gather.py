"""All that the page says about one run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

from lean_gym.types import Theorem
from trainers.curriculum.theorems import select_theorems
from trainers.errors import ConfigError
from trainers.reporting.curves import Curves, automation_of, read_curves
from trainers.reporting.episodes import PROOFS_SHOWN, Failures, Played, count_episodes, count_measured
from trainers.reporting.evaluations import Evaluated, find_evaluations
from trainers.reporting.replay import REPLAYABLE, ErrorGroup, Replayer, group_errors
from trainers.reporting.rows import EpisodeRow, MeasurementRow, ProofRow, TacticRow
from trainers.reporting.run_folder import RUNNING, RunRecord
from trainers.reporting.theorems import HELD_OUT, TRAINING, TheoremLine, theorem_lines


@dataclass(frozen=True, slots=True)
class RunReport:
    """One run.

    Attributes:
        record: Its folder.
        curves: Its scalars.
        automation: Shares of the held-out theorems that automation proves, by `best` and `any`.
        evaluations: Evaluations of its policies.
        lines: The table of theorems.
        unlisted: Number of the theorems of the run's sets that are not in it, as no attempt at them is known.
        proofs: Theorem -> proofs to show; one without steps is a script whose goals are not known.
        failed: Theorem -> failed attempts to show.
        failures: Counts over all stored episodes.
        errors: Refused tactics by message; those whose message is neither stored nor found by a replay are left out.
        explained: Refused tactics that these groups stand for.
        sampled: The failures are those of the episodes that measurements kept, as training stored none.
    """

    record: RunRecord
    curves: Curves
    automation: Mapping[str, float]
    evaluations: list[Evaluated]
    lines: list[TheoremLine]
    unlisted: int
    proofs: dict[str, list[EpisodeRow]]
    failed: dict[str, list[EpisodeRow]]
    failures: Failures
    errors: list[ErrorGroup]
    explained: int
    sampled: bool

    @property
    def stores_episodes(self) -> bool:
        """Return whether the run stored episodes, of its training or of measurements."""
        return bool(self.failures.outcomes)


def gather(record: RunRecord) -> RunReport:
    """Read the rest of a run, and replay in minilean what it did not store; adds to the notes of `record`."""
    theorems = theorems_of(record)
    curves, broken = read_curves(record.path)
    # A program that writes to the file may have written half of a record.
    for name in broken if record.state != RUNNING else ():
        record.notes.append(f"{name}: a record is broken; the curves end there")
    if record.plays and not any(tag.startswith("eval/") for tag in curves):
        record.notes.append("no evaluation is recorded: there are no rates on held-out theorems")
    measured = record.summary.automation if record.summary else None
    evaluations = find_evaluations(record)
    played, failures = count_episodes(record.episodes())
    measured_episodes, measured_failures = count_measured(record.rows("measurements.jsonl", MeasurementRow))
    if record.plays and not played:
        known = "failures are those of measurements" if measured_episodes else "failures are not known"
        record.notes.append(
            "no episode is stored (trainers.grpo --save-trajectories stores them): attempts at training theorems are "
            f"not known, {known}"
        )
        failures = measured_failures
    each = record.settings.get("evaluation.eval_samples")
    held_out = (each if isinstance(each, int) else 0) * len(curves.get("eval/pass_at_1", ()))
    lines = theorem_lines(theorems, played, measured_episodes, record.proofs, evaluations, held_out)
    shown = measured_episodes | played
    proofs = _scripts(record, shown, evaluations)
    replays = record.facts.backend == REPLAYABLE and bool(theorems)
    if replays and (_lack_goals(proofs) or failures.refusals.keys() - failures.messages.keys()):
        with closing(Replayer({name: theorem for name, (theorem, _) in theorems.items()})) as replayer:
            _add_goals(proofs, replayer)
            errors, explained = group_errors(failures.refusals, failures.messages, replayer)
    else:
        errors, explained = group_errors(failures.refusals, failures.messages, None)
    return RunReport(
        record,
        curves,
        automation_of(curves, measured),
        evaluations,
        lines,
        len(theorems.keys() - {line.name for line in lines}),
        proofs,
        {name: list(own.failed) for name, own in shown.items()},
        failures,
        errors,
        explained,
        sampled=not played,
    )


def theorems_of(record: RunRecord) -> dict[str, tuple[Theorem, str]]:
    """Return theorem and part by name; none, with a note, where the sets are not those of the run any more."""
    if not record.plays:
        return {}
    source, held_out = record.settings.get("theorems"), record.settings["evaluation.held_out"]
    if not isinstance(source, str):
        record.notes.append(f"config.yaml: theorems: expected a text, got {source!r}")
        return {}
    try:
        split = select_theorems(source, str(held_out))
    except ConfigError as error:
        record.notes.append(f"only theorems with a record are listed: {error}")
        return {}
    if record.facts.theorems_sha256 not in (None, split.checksum):
        record.notes.append(f"only theorems with a record are listed: {source} has changed since the run")
        return {}
    parts = {theorem.name: (theorem, TRAINING) for theorem in split.train}
    held = {theorem.name: (theorem, HELD_OUT) for theorem in split.held_out}
    return parts | held if split.separate else parts


def _scripts(
    record: RunRecord, played: Mapping[str, Played], evaluations: list[Evaluated]
) -> dict[str, list[EpisodeRow]]:
    """Return the shortest distinct proofs of each theorem; those of no stored episode have no steps."""
    found = {name: list(own.proofs) for name, own in played.items()}
    for row in (*record.proofs, *(row for each in evaluations for row in each.proofs)):
        known = found.setdefault(row.name, [])
        if all(row.tactics != episode.tactics for episode in known):
            known.append(
                EpisodeRow(
                    iteration=row.iteration,
                    theorem=row.name,
                    outcome="proved",
                    tactics=row.tactics,
                    steps=_steps(row),
                )
            )
    return {
        name: sorted(own, key=lambda each: len(each.tactics))[:PROOFS_SHOWN] for name, own in found.items()
    }


def _steps(row: ProofRow) -> tuple[TacticRow, ...]:
    """Return the steps of a proof whose goals are stored; none otherwise."""
    goals = row.goals or ()
    if len(goals) != len(row.tactics):
        return ()
    pairs = zip(goals, row.tactics, strict=True)
    return tuple(TacticRow(shown=shown, tactic=tactic, refused=False) for shown, tactic in pairs)


def _lack_goals(proofs: Mapping[str, list[EpisodeRow]]) -> bool:
    return any(not episode.steps for episodes in proofs.values() for episode in episodes)


def _add_goals(proofs: dict[str, list[EpisodeRow]], replayer: Replayer) -> None:
    for name, episodes in proofs.items():
        for at, episode in enumerate(episodes):
            if not episode.steps and not replayer.out_of_time:
                episodes[at] = replayer.proof(name, episode.tactics, episode.iteration) or episode
