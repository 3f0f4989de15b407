"""The (goals, tactic) pairs that a policy imitates before reinforcement learning."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from lean_gym.types import Theorem
from trainers.config.run import RunConfig
from trainers.curriculum.theorems import TheoremSplit
from trainers.rollouts.player import EpisodePlayer
from trainers.rollouts.random_play import play_at_random, tactics_by_context
from trainers.rollouts.replay import replay
from trainers.run.monitor import Monitor
from trainers.runtime.seeding import derive_seed

_NAMED: Final = 5
"""Most theorems that a message names."""


def shown_pairs(
    config: RunConfig,
    split: TheoremSplit,
    player: EpisodePlayer,
    theorems: Sequence[Theorem],
    monitor: Monitor,
) -> list[tuple[str, str]]:
    """Replay reference proofs, and play at random with their tactics if the settings ask for it.

    Args:
        config: The settings of the run.
        split: The theorems of the run; random play is on the training part.
        player: Plays the episodes.
        theorems: Those whose reference proof is shown.
        monitor: Told what is shown, and what the prover did not accept.

    Returns:
        (text shown, tactic) of the steps of the proofs, then of those that Lean accepted in random play.
    """
    with monitor.bar("replaying reference proofs", len(theorems)):
        replayed = replay(player, theorems)
    share = len(theorems) / len(split.train)
    monitor.say(
        f"warm start on {len(theorems)} of {len(split.train)} training proofs ({share:.0%}): "
        f"{len(replayed.pairs)} tactics replayed"
    )
    if replayed.failed:
        count, some = len(replayed.failed), ", ".join(replayed.failed[:_NAMED])
        more = f" and {count - _NAMED} more" if count > _NAMED else ""
        monitor.say(f"{count} proofs not accepted by the prover, shown up to there: {some}{more}")
    return [*replayed.pairs, *_accepted_at_random(config, split, player, theorems, monitor)]


def _accepted_at_random(
    config: RunConfig,
    split: TheoremSplit,
    player: EpisodePlayer,
    shown: Sequence[Theorem],
    monitor: Monitor,
) -> list[tuple[str, str]]:
    episodes = config.warm_start.random_episodes if shown else 0
    if episodes == 0:
        return []
    seed = derive_seed(config.seed, "random play", 0)
    drawn = random.Random(seed).choices(split.train, k=episodes)
    with monitor.bar("random play", episodes) as bar:
        found = play_at_random(
            player, drawn, tactics_by_context(shown), seed, lambda played: bar.show(played, "")
        )
    monitor.say(f"{len(found)} tactics accepted in {episodes} episodes of random play")
    return found
