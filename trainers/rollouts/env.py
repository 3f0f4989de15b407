"""What the entry points around training need of the environment: theorem sets, episodes side by side, re-checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import gymnasium as gym

from lean_gym import LeanProofVectorEnv
from lean_gym.backends.registry import backend_factory
from lean_gym.errors import BackendUnavailable, DataError, LeanGymError, RewardError
from lean_gym.types import Theorem
from trainers.errors import ConfigError
from trainers.rollouts.player import EpisodePlayer, Trajectory
from trainers.rollouts.replay import Scripted, play_scripts

Script = tuple[str, ...]
Claim = tuple[str, Script]
"""(theorem name, tactics)."""
SIDE_BY_SIDE = 64
"""Scripts replayed at once."""


def check_backend(name: str) -> None:
    """Refuse a prover that does not exist, before anything is started.

    Raises:
        ConfigError: Unknown name.
    """
    try:
        backend_factory(name, {})
    except ValueError as error:
        raise ConfigError(str(error)) from None


@contextmanager
def opened_env(
    theorems: Sequence[Theorem],
    num_envs: int,
    backend: str,
    workers: int,
    env_id: str = "LeanProof-v0",
    **options: Any,
) -> Iterator[LeanProofVectorEnv]:
    """Open the vector environment over some theorems.

    Args:
        theorems: What can be played.
        num_envs: Episodes side by side.
        backend: Name of the prover.
        workers: Prover processes; 0 means one per CPU core.
        env_id: Its Gymnasium id.
        **options: Others of the environment, e.g. `max_steps`.

    Raises:
        ConfigError: The environment, the backend, the reward or a theorem cannot be used.
    """
    if workers:
        options["num_workers"] = workers
    try:
        env = gym.make_vec(env_id, num_envs=num_envs, theorems=list(theorems), backend=backend, **options)
        if not isinstance(env, LeanProofVectorEnv):
            raise TypeError(f"got a {type(env).__name__}, expected a LeanProofVectorEnv")
    except (gym.error.Error, LeanGymError, ValueError, TypeError) as error:
        raise ConfigError(f"cannot open the environment {env_id!r}: {error}") from error
    try:
        yield env
    except (DataError, RewardError, BackendUnavailable) as error:
        raise ConfigError(f"{env_id}: {error}") from error
    finally:
        env.close()


def verify_proofs(
    theorems: Sequence[Theorem],
    proofs: Sequence[Claim],
    backend: str,
    workers: int,
    on_step: Callable[[], None] = lambda: None,
) -> list[tuple[str, ...] | None]:
    """Play proofs again from their text, on an environment that remembers nothing.

    Args:
        theorems: The statements.
        proofs: What is claimed; none of it is believed.
        backend: Name of the prover.
        workers: Prover processes; 0 means one per CPU core.
        on_step: Called before each step; may raise to stop.

    Returns:
        For each proof the axioms it uses, or `None` where it is no proof.

    Raises:
        ConfigError: The backend or a theorem cannot be used.
    """
    if not proofs:
        return []
    side_by_side = min(len(proofs), SIDE_BY_SIDE)
    budget = max(1, *(len(script) for _, script in proofs))
    options: dict[str, Any] = {"max_steps": budget, "reward": "binary", "cache_size": 0}
    with opened_env(theorems, side_by_side, backend, workers, **options) as env:
        return replay_proofs(EpisodePlayer(env, on_step), proofs)


def replay_proofs(player: EpisodePlayer, proofs: Sequence[Claim]) -> list[tuple[str, ...] | None]:
    """Play claimed proofs on an environment that is open: axioms, or `None`, as for `verify_proofs`."""
    episodes = replay_scripts(player, proofs)
    return [None if episode is None else episode.axioms or () for episode in episodes]


def replay_scripts(player: EpisodePlayer, proofs: Sequence[Claim]) -> list[Trajectory[Scripted] | None]:
    """Play claimed proofs on an environment that is open.

    Args:
        player: Its environment's step budget is the longest script that can pass.
        proofs: What is claimed.

    Returns:
        For each proof its episode, or `None` where it is no proof: the theorem is unknown, a tactic was refused,
        goals were left, the kernel objected, or the proof was over before the script.
    """
    known = {theorem.name for theorem in player.env.theorems}
    at = [index for index, (name, script) in enumerate(proofs) if name in known and script]
    found: list[Trajectory[Scripted] | None] = [None] * len(proofs)
    episodes = play_scripts(player, [proofs[index] for index in at])
    for index, episode in zip(at, episodes, strict=True):
        script = proofs[index][1]
        if episode.proved and episode.tactics == script and len(episode.steps) == len(script):
            found[index] = episode
    return found
