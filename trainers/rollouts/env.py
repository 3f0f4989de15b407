"""Opening the vector environment over theorem sets, and replaying claimed proofs on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import gymnasium as gym

from lean_gym import LeanProofVectorEnv
from lean_gym.backends.registry import backend_factory, resolve_name
from lean_gym.errors import BackendUnavailable, DataError, LeanGymError, RewardError
from lean_gym.types import Theorem
from trainers.config.env import EnvConfig
from trainers.config.run import ProgramConfig
from trainers.errors import ConfigError
from trainers.rollouts.player import EpisodePlayer, Trajectory
from trainers.rollouts.replay import Scripted, play_scripts
from trainers.runtime.terminal import warn

Script = tuple[str, ...]
Claim = tuple[str, Script]
"""(theorem name, tactics)."""
SIDE_BY_SIDE = 64
"""Number of scripts replayed at once."""


def check_backend(config: ProgramConfig, theorems: Sequence[Theorem]) -> None:
    """Check that a prover exists and suits the theorems, before anything is started; warn about ignored imports.

    Raises:
        ConfigError: Unknown name, or `ignore_imports` with a prover that loads imports.
    """
    options = config.env.backend_options
    try:
        backend_factory(config.backend, {})
        name = resolve_name(config.backend, options)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if not config.env.ignore_imports:
        return
    if name != "minilean":
        raise ConfigError(
            f"ignore_imports: expected the backend 'minilean', got {name!r}, which loads imports"
        )
    modules = {module for theorem in theorems for module in theorem.imports if not module.startswith("Init")}
    if modules:
        shown = ", ".join(sorted(modules)[:4]) + (", ..." if len(modules) > 4 else "")
        warn(
            f"imports of the theorems are ignored: {shown}; without them a statement may mean something else"
        )


@contextmanager
def opened_env(
    theorems: Sequence[Theorem],
    num_envs: int,
    backend: str,
    workers: int,
    settings: EnvConfig | None = None,
    **options: Any,
) -> Iterator[LeanProofVectorEnv]:
    """Open the vector environment over some theorems.

    Args:
        theorems: The theorems that can be played.
        num_envs: Number of parallel episodes.
        backend: Name of the prover.
        workers: Prover processes; 0 means one per CPU core.
        settings: Id and options of the environment; the defaults if left out.
        **options: Further options of the environment, e.g. `max_steps`; they override those of the settings.

    Raises:
        ConfigError: The environment, the backend, the reward or a theorem cannot be used.
    """
    settings = settings or EnvConfig()
    options = settings.options | options
    if workers:
        options["num_workers"] = workers
    try:
        env = gym.make_vec(
            settings.id, num_envs=num_envs, theorems=list(theorems), backend=backend, **options
        )
        if not isinstance(env, LeanProofVectorEnv):
            raise TypeError(f"got a {type(env).__name__}, expected a LeanProofVectorEnv")
    except (gym.error.Error, LeanGymError, ValueError, TypeError) as error:
        raise ConfigError(f"cannot open the environment {settings.id!r}: {_advised(error)}") from error
    try:
        yield env
    except (DataError, RewardError, BackendUnavailable) as error:
        raise ConfigError(f"{settings.id}: {_advised(error)}") from error
    finally:
        env.close()


def _advised(error: Exception) -> str:
    """Return the text of an error, with the setting that names a REPL where the prover is not available."""
    if not isinstance(error, BackendUnavailable) or "REPL" not in str(error):
        return str(error)
    return (
        f'{error}. Options of a backend are given as --backend-options \'{{"repl_command": ["PROGRAM"]}}\', or in a '
        "file as env: {backend_options: {repl_command: [PROGRAM]}}"
    )


def verify_proofs(
    theorems: Sequence[Theorem],
    proofs: Sequence[Claim],
    backend: str,
    workers: int,
    on_step: Callable[[], None] = lambda: None,
    settings: EnvConfig | None = None,
    on_end: Callable[[], None] = lambda: None,
) -> list[tuple[str, ...] | None]:
    """Replay proofs from their text, on a new environment without caches.

    Args:
        theorems: The statements.
        proofs: The claimed proofs; all are checked.
        backend: Name of the prover.
        workers: Prover processes; 0 means one per CPU core.
        on_step: Called before each step; may raise to stop.
        settings: Id and options of the environment; the defaults if left out.
        on_end: Called at the end of each replay.

    Returns:
        For each claim the axioms of the proof, or `None` if it is not a proof.

    Raises:
        ConfigError: The backend or a theorem cannot be used.
    """
    if not proofs:
        return []
    side_by_side = min(len(proofs), SIDE_BY_SIDE)
    budget = max(1, *(len(script) for _, script in proofs))
    options: dict[str, Any] = {"max_steps": budget, "reward": "binary", "cache_size": 0}
    # A proof that was found whole is one tactic of many lines.
    settings = settings or EnvConfig()
    longest = max((len(tactic) for _, script in proofs for tactic in script), default=1)
    options["max_tactic_chars"] = max(longest, settings.max_tactic_chars)
    with opened_env(theorems, side_by_side, backend, workers, settings, **options) as env:
        player = EpisodePlayer(env, on_step)
        with player.counting(on_end):
            return replay_proofs(player, proofs)


def replay_proofs(player: EpisodePlayer, proofs: Sequence[Claim]) -> list[tuple[str, ...] | None]:
    """Replay claimed proofs on an open environment; returns axioms or `None`, as `verify_proofs` does."""
    episodes = replay_scripts(player, proofs)
    return [None if episode is None else episode.axioms or () for episode in episodes]


def replay_scripts(player: EpisodePlayer, proofs: Sequence[Claim]) -> list[Trajectory[Scripted] | None]:
    """Replay claimed proofs on an open environment.

    Args:
        player: The step budget of its environment is the length of the longest script that can pass.
        proofs: The claimed proofs.

    Returns:
        For each claim its episode, or `None` if it is not a proof: the theorem is unknown, a tactic was refused, goals
        were left, the kernel rejected it, or tactics were left after the end of the proof.
    """
    known = player.known
    at = [index for index, (name, script) in enumerate(proofs) if name in known and script]
    found: list[Trajectory[Scripted] | None] = [None] * len(proofs)
    episodes = play_scripts(player, [proofs[index] for index in at])
    for index, episode in zip(at, episodes, strict=True):
        if player.env.whole_proofs:
            accepted = episode.proved and len(episode.steps) == 1  # an action of several lines is one script
        else:
            accepted = is_whole_proof(episode, proofs[index][1])
        if accepted:
            found[index] = episode
    return found


def is_whole_proof(episode: Trajectory[Scripted], script: Script) -> bool:
    """Return whether an episode that played a script was proved by exactly that script."""
    return episode.proved and episode.tactics == script and len(episode.steps) == len(script)
