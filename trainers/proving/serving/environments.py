"""Prover processes of searches: each search is lent one, and one more in which its proof is replayed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Self

from lean_gym import LeanProofVectorEnv
from lean_gym.errors import BackendError
from lean_gym.types import Theorem
from trainers.config.serve import ServeConfig
from trainers.errors import ConfigError
from trainers.rollouts.env import Script, opened_env, replay_proofs
from trainers.rollouts.player import EpisodePlayer


class Provers:
    """Environment of a search, and the one of its replays.

    The second never sees a tactic of a search. It keeps no results, and stays open only as long as theorems have the
    same context and imports: what one client sends before its statement is not there when the proof of another is
    replayed.

    Args:
        config: The settings.

    Raises:
        ConfigError: The settings cannot be used.
        BackendError: The prover does not start.
    """

    def __init__(self, config: ServeConfig) -> None:
        self._config = config
        self._replays = ExitStack()
        self._replayed: LeanProofVectorEnv | None = None
        self._key: tuple[str, tuple[str, ...]] | None = None
        options = config.env.options | config.rollout.env_options
        theorems = [Theorem("warm", "theorem warm : True")]
        env: LeanProofVectorEnv | None = None
        try:
            env = LeanProofVectorEnv(
                config.search.samples, theorems, config.backend, num_workers=1, **options
            )
            env.backend_name  # noqa: B018 (waits for the process, which checks the options of the backend)
        except BaseException as error:
            if env is not None:
                env.close()
            if isinstance(error, ValueError | TypeError):
                raise ConfigError(f"cannot open the environment: {error}") from None
            raise
        self.env = env

    def replay(self, theorem: Theorem, script: Script) -> tuple[str, ...] | None:
        """Replay a proof from its text; returns its axioms, or `None` if it is no proof.

        Raises:
            ConfigError: The environment cannot be opened.
            BackendError: The prover failed.
        """
        key = (theorem.context, theorem.imports)
        if self._replayed is None or key != self._key:
            self._replays.close()
            config = self._config
            options: dict[str, Any] = {
                "max_steps": config.rollout.max_steps,
                "reward": "binary",
                "cache_size": 0,
                # A proof that was found whole is one tactic of many lines.
                "max_tactic_chars": max(config.env.max_tactic_chars, config.env.max_answer_chars),
            }
            opened = opened_env([theorem], 1, config.backend, 1, config.env, **options)
            self._replayed, self._key = self._replays.enter_context(opened), key
        player = EpisodePlayer(self._replayed, given=[theorem])
        return replay_proofs(player, [(theorem.name, script)])[0]

    def close(self) -> None:
        """Stop the processes."""
        self.env.close()
        self._replays.close()


class Pool:
    """Provers of searches side by side, made when they are first needed.

    Leaving the block of a pool stops the processes.
    """

    def __init__(self, config: ServeConfig) -> None:
        self._config = config
        self._lock = threading.Lock()
        self._free: list[Provers] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Make the provers of the first search, so that settings that cannot be used show before it.

        Raises:
            ConfigError: The settings cannot be used, or the prover does not start.
        """
        try:
            with self.lent():
                pass
        except BackendError as error:
            raise ConfigError(f"/v1/prove has no prover: {error}; --proofs 0 leaves the route out") from None

    @contextmanager
    def lent(self) -> Iterator[Provers]:
        """Lend provers; those with which something failed are not lent again.

        Raises:
            ConfigError: The settings cannot be used.
            BackendError: The prover does not start.
        """
        with self._lock:
            provers = self._free.pop() if self._free else None
        provers = provers or Provers(self._config)
        try:
            yield provers
        except BaseException:
            provers.close()
            raise
        with self._lock:
            self._free.append(provers)

    def close(self) -> None:
        """Stop the processes."""
        with self._lock:
            free, self._free = self._free, []
        for provers in free:
            provers.close()
