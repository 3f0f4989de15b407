"""Our side of a contest: the rollout and the learner of `trainers.grpo`, with its defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from benchmarks.contest.settings import CREDIT, LEARNING_RATE, Contest, Measurement, Phase, Side, draw_names
from benchmarks.contest.start import Meter, batch_of, load_model, opened_vector_env
from benchmarks.flops import TRAINING_FACTOR, ModelShape, Work, continuing, packed
from trainers.algorithms import create_algorithm
from trainers.config.run import LearnerConfig
from trainers.learning.learner import Learner
from trainers.learning.rows import assign_credit
from trainers.learning.samples import Sample
from trainers.policies.packing import pack_rows
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import EpisodePlayer, TrajectoryGroup


class _Alone(tuple[int, ...]):
    """Tokens of a row that is equal to no other row."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def measure_ours(contest: Contest, folder: Path, phase: Phase, side: Side = "ours") -> Measurement:
    """Measure our side in this process.

    Args:
        contest: The settings.
        folder: Folder with the model and the batch of `prepare`.
        phase: Phase to measure.
        side: Ours, or ours without savings.
    """
    measured = _Side(contest, folder, side)
    if phase == "learning":
        batch = batch_of(contest, folder)
        measured.begin()
        for number in range(contest.total_updates):
            measured.learn(batch, number)
    else:
        with opened_vector_env(contest) as env:
            player = EpisodePlayer(env)
            measured.begin()
            for number, names in enumerate(draw_names(contest)[: contest.total_updates]):
                measured.play_and_learn(player, names, number)
    return measured.finish()


class _Side:
    def __init__(self, contest: Contest, folder: Path, side: Side) -> None:
        self._contest, self._alone = contest, side in ("each", "all")
        model, tokenizer = load_model(contest, folder)
        dtype = torch.bfloat16 if contest.device == "cuda" else None
        self._policy = TransformersPolicy(model, tokenizer, contest.rollout, compute_dtype=dtype)
        self._policy.shares_prompts = self._policy.shares_prompts and side == "ours"
        # A KL term would keep the rows that teach nothing.
        self._rule = create_algorithm("grpo", group_size=contest.group_size, beta=float(side == "all"))
        # Without the KL term, which a stock trainer does not have by default.
        algorithm = create_algorithm("grpo", group_size=contest.group_size, beta=0.0)
        settings = LearnerConfig(learning_rate=LEARNING_RATE, minibatches=contest.optimizer_steps)
        self._learner = Learner(self._policy, algorithm, settings)
        self._shape = ModelShape.of(model.config)
        self._meter = Meter(contest.device)
        self._found = Measurement()

    def begin(self) -> None:
        self._found.loaded_mib = self._meter.start()

    def finish(self) -> Measurement:
        self._found.peak_mib = self._meter.peak()
        return self._found

    def learn(self, groups: Sequence[TrajectoryGroup], number: int) -> None:
        contest, found = self._contest, self._found
        began = self._meter.now()
        credit = assign_credit(groups, self._rule, CREDIT, contest.max_steps)
        rows = list(credit.samples)
        if self._alone:
            rows = [replace(row, token_ids=_Alone(row.token_ids)) for row in rows]
        self._learner.update(rows, 0.0, torch.Generator().manual_seed(number), rollout=credit.rollout)
        seconds = self._meter.now() - began
        if number < contest.warm_ups:
            return
        found.learning_s.append(seconds)
        work = self._work(rows)
        found.learning_flops.append(TRAINING_FACTOR * self._shape.forward(work))
        found.passed.append(work.tokens)
        found.rows, found.dropped = len(rows), credit.dropped_rows
        chosen = [step.choice for group in groups for one in group.trajectories for step in one.steps]
        found.tactics.append(len(chosen))
        found.tokens.append(sum(len(choice.token_ids) for choice in chosen))
        drawn = sum((continuing(len(one.prompt_ids), len(one.token_ids)) for one in chosen), Work())
        found.sampling_flops.append(self._shape.forward(drawn))

    def play_and_learn(self, player: EpisodePlayer, names: Sequence[str], number: int) -> None:
        contest, found = self._contest, self._found
        before = player.env.stats()
        began = self._meter.now()
        with self._policy.seeded(number):
            groups = player.sample_groups(names, [contest.group_size] * len(names), self._policy)
        seconds = self._meter.now() - began
        if number >= contest.warm_ups:
            found.rollout_s.append(seconds)
            stats = player.env.stats()
            found.tried += stats["tactics"] - before["tactics"]
            found.hits += stats["tactic_hits"] - before["tactic_hits"]
        self.learn(groups, number)

    def _work(self, samples: Sequence[Sample]) -> Work:
        pairs = list(dict.fromkeys((sample.prompt_ids, sample.token_ids) for sample in samples))
        return packed(pack_rows(pairs, self._policy.shares_prompts))
