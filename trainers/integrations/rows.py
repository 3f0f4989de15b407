"""Step credit for other trainers: a row per tactic, with the advantage that our own learner gives it.

From episodes in memory, or from a run's `trajectories.jsonl`:

    for row in stored_rows("runs/RUN/trajectories.jsonl", algorithm, CreditConfig(credit="gigpo"), max_steps=32):
        print(json.dumps(asdict(row)))

Another trainer takes prompt, completion and advantage as they are. It must not normalise advantages again, nor share
one among the rows of an episode.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from lean_gym.errors import DataError
from lean_gym.types import Outcome
from trainers.algorithms import Algorithm
from trainers.config.credit import CreditConfig
from trainers.learning.rows import weigh_steps
from trainers.learning.values import ValueSource
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory, TrajectoryGroup

Encode = Callable[[str], Sequence[int]]
"""Goals -> tokens of their prompt, such as `TransformersPolicy.encode_prompt`."""


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One tactic of an episode.

    Attributes:
        theorem: Name of the theorem.
        outcome: Outcome of the episode, a value of `lean_gym.types.Outcome`.
        group: Number of the group of episodes that are compared, counted from 0 in an iteration.
        episode: Number of the episode, counted from 0 over all groups of an iteration.
        turn: Number of the tactic in its episode, from 0.
        prompt: The goals that were shown, before a chat template.
        completion: The tactic.
        prompt_ids: Tokens of the prompt; `None` where they are not known.
        completion_ids: Sampled tokens; `None` where they are not known.
        logprobs: Their log-probabilities under the sampling distribution; `None` where they are not known.
        reward: Reward of the step, without the charges of the credit settings.
        refused: Whether Lean refused the tactic.
        advantage: Weight of the tactic's tokens in the policy loss.
    """

    theorem: str
    outcome: str
    group: int
    episode: int
    turn: int
    prompt: str
    completion: str
    prompt_ids: tuple[int, ...] | None
    completion_ids: tuple[int, ...] | None
    logprobs: tuple[float, ...] | None
    reward: float
    refused: bool
    advantage: float


def turn_rows(
    groups: Sequence[TrajectoryGroup],
    algorithm: Algorithm,
    settings: CreditConfig,
    max_steps: int,
    value: ValueSource | None = None,
    vines: Sequence[TrajectoryGroup] = (),
) -> list[TurnRow]:
    """Return a row for each tactic of an iteration, those with advantage 0 included.

    Args:
        groups: Episodes of one theorem each.
        algorithm: As for `trainers.learning.rows.weigh_steps`, like the others.
        settings: The rule of credit.
        max_steps: Largest number of tactics of an episode.
        value: Potential of states for the rule `td`.
        vines: Further episodes for the rule `vine`.
    """
    weighed = weigh_steps(groups, algorithm, settings, max_steps, value, vines)
    rows: list[TurnRow] = []
    episode = 0
    for number, (group, weights) in enumerate(zip(groups, weighed.weights, strict=True)):
        for trajectory, own in zip(group.trajectories, weights, strict=True):
            for turn, (step, weight) in enumerate(zip(trajectory.steps, own, strict=True)):
                chosen = step.choice
                rows.append(
                    TurnRow(
                        theorem=group.theorem,
                        outcome=trajectory.outcome.value,
                        group=number,
                        episode=episode,
                        turn=turn,
                        prompt=step.goals,
                        completion=chosen.text,
                        prompt_ids=chosen.prompt_ids or None,
                        completion_ids=chosen.token_ids or None,
                        logprobs=chosen.logprobs or None,
                        reward=step.reward,
                        refused=step.refused,
                        advantage=weight,
                    )
                )
            episode += 1
    return rows


def stored_rows(
    path: str | os.PathLike[str],
    algorithm: Algorithm,
    settings: CreditConfig,
    max_steps: int,
    encode: Encode | None = None,
) -> Iterator[TurnRow]:
    """Yield the rows of the episodes that a run with `--save-trajectories` learnt from.

    Args:
        path: `trajectories.jsonl` of a run folder.
        algorithm: The algorithm of the run, new; it sees the iterations in their order, as in the run.
        settings: The rule of credit: that of the run, or another one.
        max_steps: Largest number of tactics of an episode in the run.
        encode: Makes prompt tokens of goals; those of dialogues, such as repairs of whole proofs, and of presets are
            stored. Without it rows have none, and two states are one if their goals are equal. In the run they are one
            if their prompts are, which may be cut or show the main goal only.

    Raises:
        DataError: A line cannot be read, or its episode began in the middle of another one.
        ValueError: The rule needs more than the file holds: the goals that were not shown (`td`), or further episodes
            (`vine`).
    """
    if settings.credit in ("td", "vine"):
        raise ValueError(
            f"credit: got {settings.credit!r}, expected a rule for which stored episodes are enough: 'episode', "
            "'gigpo', 'state' or 'graph'; turn_rows takes the others from episodes in memory"
        )
    numbers: dict[str, int] = {}

    def numbered(step: Mapping[str, Any]) -> Sequence[int]:
        return (numbers.setdefault(step["shown"], len(numbers)),)

    def encoded(step: Mapping[str, Any]) -> Sequence[int]:
        assert encode is not None
        return step["prompt_ids"] if "prompt_ids" in step else encode(step["shown"])

    for _, lines in groupby(_lines(Path(path)), key=lambda line: line["iteration"]):
        members: dict[int, list[Trajectory[Completion]]] = {}
        for line in lines:
            if line["learnt"]:
                members.setdefault(line["group"], []).append(
                    _trajectory(line, encoded if encode is not None else numbered)
                )
        groups = [TrajectoryGroup(episodes[0].theorem, tuple(episodes)) for episodes in members.values()]
        for row in turn_rows(groups, algorithm, settings, max_steps):
            yield row if encode is not None else replace(row, prompt_ids=None)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, start=1):
            if not text.endswith("\n"):
                return  # the run is writing it, or was killed
            try:
                line = json.loads(text)
                _check(line)
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(f"{path}:{number}: {error}") from error
            yield line


def _check(line: Mapping[str, Any]) -> None:
    """Refuse an episode whose beginning is not in its steps."""
    accepted = sum(not step["refused"] for step in line["steps"]) + (line["outcome"] == Outcome.REJECTED)
    if accepted != len(line["tactics"]):
        raise ValueError(
            f"the episode has {accepted} accepted steps and {len(line['tactics'])} tactics, expected as many: it began "
            "in the middle of another one (rollout tree)"
        )


def _trajectory(
    line: Mapping[str, Any], prompt: Callable[[Mapping[str, Any]], Sequence[int]]
) -> Trajectory[Completion]:
    steps = [
        Step(
            step["shown"],
            Completion(
                tuple(prompt(step)),
                tuple(step["token_ids"]),
                tuple(step["logprobs"]),
                step["tactic"],
                step.get("truncated", False),
            ),
            step["reward"],
            step["refused"],
        )
        for step in line["steps"]
    ]
    return Trajectory(line["theorem"], steps, Outcome(line["outcome"]), tuple(line["tactics"]))
