"""Random play: tactics of known proofs tried in any state, for what Lean accepts whether it proves or not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from lean_gym.datasets import proof_steps
from lean_gym.types import Theorem
from trainers.rollouts.player import EpisodePlayer
from trainers.rollouts.replay import Scripted


def tactics_by_context(proved: Iterable[Theorem]) -> dict[str, list[str]]:
    """Return context of a theorem -> the different steps of the reference proofs given with that context."""
    found: dict[str, dict[str, None]] = {}
    for theorem in proved:
        found.setdefault(theorem.context, {}).update(dict.fromkeys(proof_steps(theorem.proof)))
    return {context: list(tactics) for context, tactics in found.items()}


def play_at_random(
    player: EpisodePlayer,
    theorems: Sequence[Theorem],
    tactics: Mapping[str, Sequence[str]],
    seed: int,
    on_wave: Callable[[int], None] = lambda played: None,
) -> list[tuple[str, str]]:
    """Play an episode of each theorem with tactics drawn at random, none twice in the same state.

    Args:
        player: Plays the episodes; its environment limits their steps.
        theorems: The theorems, repeated as often as wanted; those whose context has no tactics are left out.
        tactics: Context -> tactics to draw from.
        seed: Seed of the draws.
        on_wave: Called with the number of episodes played so far.

    Returns:
        (text shown, tactic) of the tactics that Lean accepted, in the order of the episodes. Whether an episode ended
        with a proof makes no difference.
    """
    playable = [theorem for theorem in theorems if tactics.get(theorem.context)]
    accepted: list[tuple[str, str]] = []
    width = player.env.num_envs
    for first in range(0, len(playable), width):
        wave = playable[first : first + width]
        draws = [_Draws(tactics[each.context], f"{seed} {first + at}") for at, each in enumerate(wave)]
        choose = partial(_choose, draws)
        for trajectory in player.play([theorem.name for theorem in wave], choose):
            accepted += [(step.goals, step.choice.text) for step in trajectory.steps if not step.refused]
        on_wave(first + len(wave))
    return accepted


def _choose(draws: Sequence[_Draws], episodes: Sequence[int], shown: Sequence[str]) -> list[Scripted]:
    return [Scripted(draws[episode].next(text)) for episode, text in zip(episodes, shown, strict=True)]


class _Draws:
    """Draws of one episode: all tactics in random order, again for each new state."""

    def __init__(self, tactics: Sequence[str], seed: str) -> None:
        self._tactics = tactics
        self._rng = random.Random(seed)
        self._shown: str | None = None
        self._untried: list[str] = []

    def next(self, shown: str) -> str:
        """Return the next tactic to try in the state with this text."""
        if shown != self._shown or not self._untried:
            self._shown, self._untried = shown, list(self._tactics)
            self._rng.shuffle(self._untried)
        return self._untried.pop()
