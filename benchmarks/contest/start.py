"""Common start of both sides of a contest: the model, the recorded batch, the environment, the clock."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from benchmarks import memory
from benchmarks.big_models import build_big_model
from benchmarks.contest.settings import LONG, WHOLE, Batch, Contest, draw_names
from lean_gym import LeanProofVectorEnv
from trainers.algorithms import create_algorithm
from trainers.config.run import LearnerConfig, RunConfig, WarmStartConfig
from trainers.learning.learner import Learner
from trainers.policies.base import Completion
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.rollouts.player import EpisodePlayer, Trajectory, TrajectoryGroup
from trainers.rollouts.replay import choose_proofs, replay
from trainers.run.models import make_tiny
from trainers.run.session import opened_env


def prepare(contest: Contest, folder: Path) -> dict[str, float]:
    """Make the model and the batch of both sides.

    Args:
        contest: The settings.
        folder: Folder for both.

    Returns:
        Size and solve rate of the batch.
    """
    settings = WarmStartConfig(warm_start_epochs=contest.warm_start_epochs)
    config = RunConfig(
        theorems=contest.theorems,
        backend=contest.backend,
        workers=contest.workers,
        seed=contest.seed,
        warm_start=settings,
        rollout=contest.rollout,
    )
    split = contest.split
    with opened_env(config, split) as env:
        player = EpisodePlayer(env)
        policy = TransformersPolicy(*make_tiny(config, player, split), contest.rollout)
        shown = replay(
            player, choose_proofs(split.train, settings.share_of(len(split.train)), contest.seed)
        ).pairs
        pairs = policy.encode_pairs(shown)
        learner = Learner(policy, create_algorithm("grpo"), LearnerConfig())
        for epoch in range(contest.warm_start_epochs):
            learner.imitate(pairs, settings.imitation, epoch, torch.Generator().manual_seed(epoch))
        names = draw_names(contest)[-1]
        with policy.seeded(contest.seed):
            groups = player.sample_groups(names, [contest.group_size] * len(names), policy)
    policy.save(folder / "policy")
    (folder / "batch.pickle").write_bytes(pickle.dumps(groups))
    episodes = [episode for group in groups for episode in group.trajectories]
    return {
        "episodes": len(episodes),
        "tactics": sum(len(episode.steps) for episode in episodes),
        "tokens": sum(len(step.choice.token_ids) for episode in episodes for step in episode.steps),
        "solve_rate": sum(episode.proved for episode in episodes) / len(episodes),
    }


def batch_of(contest: Contest, folder: Path) -> list[TrajectoryGroup]:
    """Return the batch of `prepare`, changed as the contest's `batch` says; its rewards stay."""
    groups: list[TrajectoryGroup] = pickle.loads((folder / "batch.pickle").read_bytes())
    if contest.batch == "recorded":
        return groups
    draw = np.random.default_rng(contest.seed)
    return [
        replace(group, trajectories=tuple(_changed(one, contest.batch, draw) for one in group.trajectories))
        for group in groups
    ]


def _changed(
    episode: Trajectory[Completion], batch: Batch, draw: np.random.Generator
) -> Trajectory[Completion]:
    """Return an episode with other tokens, drawn among those of its tactics."""
    known = sorted({token for step in episode.steps for token in step.choice.token_ids})
    steps = episode.steps
    if batch == "proofs":  # one step has all that the episode earned
        steps = [replace(steps[-1], reward=episode.total_reward, choice=steps[0].choice)]
    wanted = {"distinct": 0, "long": LONG, "proofs": WHOLE}[batch]
    changed = []
    for step in steps:
        prompt, tactic, logprobs = step.choice.prompt_ids, step.choice.token_ids, step.choice.logprobs
        if batch == "distinct":
            prompt = tuple(draw.choice(known, len(prompt)).tolist())
        missing = max(0, wanted - len(tactic))
        tactic = (*draw.choice(known, missing).tolist(), *tactic)
        choice = replace(
            step.choice, prompt_ids=prompt, token_ids=tactic, logprobs=(*[-1.0] * missing, *logprobs)
        )
        changed.append(replace(step, choice=choice))
    return replace(episode, steps=changed)


def load_model(contest: Contest, folder: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Return the model of a contest on its device, with the prepared tokenizer."""
    device = torch.device(contest.device)
    small, tokenizer = load_pretrained(str(folder / "policy"))
    if not contest.size:
        return small.to(device), tokenizer  # type: ignore[arg-type]
    return build_big_model(contest.size, int(tokenizer.eos_token_id), device, contest.seed), tokenizer


@contextmanager
def opened_vector_env(contest: Contest) -> Iterator[LeanProofVectorEnv]:
    """Open the environment of a contest, with a sub-environment for each episode of an update."""
    with LeanProofVectorEnv(contest.episodes, list(contest.split.train), **env_options(contest)) as env:
        yield env


def env_options(contest: Contest) -> dict[str, Any]:
    """Return the options of the environment, the same for both sides."""
    workers = {"num_workers": contest.workers} if contest.workers else {}
    return {
        "backend": contest.backend,
        "max_steps": contest.max_steps,
        "reward": contest.rollout.reward,
    } | workers


class Meter:
    """Meter of time and memory on the device of a contest."""

    def __init__(self, device: str) -> None:
        self._cuda = device == "cuda"

    def now(self) -> float:
        """Return the time in seconds, after waiting for the device."""
        if self._cuda:
            torch.cuda.synchronize()
        return time.perf_counter()

    def start(self) -> float:
        """Reset the peak and return the MiB in use."""
        if self._cuda:
            torch.cuda.reset_peak_memory_stats()
            return torch.cuda.memory_allocated() / 2**20
        memory.reset_peak()
        return memory.resident_mib()

    def peak(self) -> float:
        """Return the peak of the MiB in use since `start`."""
        return torch.cuda.max_memory_allocated() / 2**20 if self._cuda else memory.peak_mib()


def set_threads(contest: Contest) -> None:
    """Set the number of torch's threads."""
    if contest.threads:
        torch.set_num_threads(contest.threads)
