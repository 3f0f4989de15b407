"""Our side of a contest: the rollout and the learner of `trainers.grpo`, with its defaults."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks.contest.settings import LEARNING_RATE, Contest, Measurement, Phase, draw_names
from benchmarks.contest.start import Meter, load_model, opened_vector_env, recorded_batch
from benchmarks.flops import TRAINING_FACTOR, ModelShape, Work, continuing, packed
from trainers.algorithms import create_algorithm
from trainers.config.credit import CreditConfig
from trainers.config.run import LearnerConfig
from trainers.learning.learner import Learner
from trainers.learning.rows import assign_credit
from trainers.learning.samples import Sample
from trainers.policies.packing import pack_rows
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import EpisodePlayer, TrajectoryGroup


def measure_ours(contest: Contest, folder: Path, phase: Phase) -> Measurement:
    """Measure our side in this process.

    Args:
        contest: The settings.
        folder: Folder with the model and the batch of `prepare`.
        phase: Phase to measure.
    """
    side = _Side(contest, folder)
    if phase == "learning":
        batch = recorded_batch(folder)
        side.begin()
        for number in range(contest.total_updates):
            side.learn(batch, number)
    else:
        with opened_vector_env(contest) as env:
            player = EpisodePlayer(env)
            side.begin()
            for number, names in enumerate(draw_names(contest)[: contest.total_updates]):
                side.play_and_learn(player, names, number)
    return side.finish()


class _Side:
    def __init__(self, contest: Contest, folder: Path) -> None:
        self._contest = contest
        model, tokenizer = load_model(contest, folder)
        dtype = torch.bfloat16 if contest.device == "cuda" else None
        self._policy = TransformersPolicy(model, tokenizer, contest.rollout, compute_dtype=dtype)
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
        settings = CreditConfig(mask_truncated_completions=False)  # TRL's default
        credit = assign_credit(groups, self._learner.algorithm, settings, contest.max_steps)
        self._learner.update(
            credit.samples, 0.0, torch.Generator().manual_seed(number), rollout=credit.rollout
        )
        seconds = self._meter.now() - began
        if number < contest.warm_ups:
            return
        found.learning_s.append(seconds)
        found.learning_flops.append(self._training_flops(credit.samples))
        found.rows, found.dropped = len(credit.samples), credit.dropped_rows
        chosen = [step.choice for group in groups for one in group.trajectories for step in one.steps]
        found.tactics.append(len(chosen))
        found.tokens.append(sum(len(choice.token_ids) for choice in chosen))
        work = sum((continuing(len(one.prompt_ids), len(one.token_ids)) for one in chosen), Work())
        found.sampling_flops.append(self._shape.forward(work))

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

    def _training_flops(self, samples: Sequence[Sample]) -> float:
        pairs = list(dict.fromkeys((sample.prompt_ids, sample.token_ids) for sample in samples))
        work = packed(pack_rows(pairs, self._policy.shares_prompts))
        return TRAINING_FACTOR * self._shape.forward(work)
