"""States with the number of tactics left from there, out of replayed proofs and of sampled episodes."""

from __future__ import annotations

from collections.abc import Sequence

from lean_gym.types import Outcome
from trainers.policies.base import SeededPolicy
from trainers.rollouts.env import SIDE_BY_SIDE, Claim, replay_scripts
from trainers.rollouts.player import C, EpisodePlayer, Trajectory
from trainers.rollouts.step_rows import LabelledState
from trainers.runtime.seeding import derive_seed


def states_of(episode: Trajectory[C]) -> list[LabelledState]:
    """Return the states of an episode, each once.

    A state that was met again counts with its last visit, from where the fewest tactics were left. An episode that
    ended because its prover crashed says nothing about its states.
    """
    if episode.outcome is Outcome.CRASHED:
        return []
    found: dict[tuple[str, ...], LabelledState] = {}
    prefix = [step.choice.text for step in episode.steps if not step.refused]
    left = 0
    for step in reversed(episode.steps):
        left += not step.refused
        before = tuple(prefix[: len(prefix) - left])
        # Tactics refused in this state come after the accepted one in reversed order, so they change nothing.
        state = LabelledState(
            episode.theorem, step.open_goals, left if episode.proved else None, before, step.choice.text
        )
        found.setdefault(step.open_goals, state)
    return list(reversed(found.values()))


def replayed_states(player: EpisodePlayer, claims: Sequence[Claim]) -> tuple[list[LabelledState], list[str]]:
    """Replay proofs.

    Args:
        player: The step budget of its environment is the length of the longest script that can pass.
        claims: The proofs; all are checked.

    Returns:
        The states of the accepted ones, and the names of theorems with a proof that was not accepted.
    """
    states: list[LabelledState] = []
    refused: list[str] = []
    for (name, _), episode in zip(claims, replay_scripts(player, claims), strict=True):
        if episode is None:
            refused.append(name)
        else:
            states += states_of(episode)
    return states, list(dict.fromkeys(refused))


def waves_of(theorems: Sequence[str], episodes: int) -> list[list[str]]:
    """Return the theorem of each episode to sample, in parts that are played one after another."""
    names = [name for name in theorems for _ in range(episodes)]
    return [names[at : at + SIDE_BY_SIDE] for at in range(0, len(names), SIDE_BY_SIDE)]


def sampled_states(
    player: EpisodePlayer, policy: SeededPolicy, wave: Sequence[str], seed: int, number: int
) -> list[LabelledState]:
    """Sample one episode for each theorem of a wave, and return the states of all, also of those that fail."""
    with policy.seeded(derive_seed(seed, "progress episodes", number)):
        episodes = player.sample(wave, policy)
    return [state for episode in episodes for state in states_of(episode)]
