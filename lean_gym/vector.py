"""Many episodes of LeanProof-v0 at once, over few processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import CloudpickleWrapper, batch_space

from lean_gym.backends.registry import BackendSource, backend_factory
from lean_gym.datasets import TheoremBook, TheoremSource, load_theorems
from lean_gym.env import RENDER_MODES, check_render_mode, check_reset_options, check_tactic
from lean_gym.episode import Episode, EpisodeOptions
from lean_gym.pool import LocalPool, Pool, ProcessPool
from lean_gym.prover import Job, Reply
from lean_gym.rewards import RewardSource, create_reward
from lean_gym.spaces import GoalSpace, TacticSpace
from lean_gym.types import Theorem

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
StepResult = tuple[tuple[str, ...], Floats, Bools, Bools, dict[str, Any]]


class LeanProofVectorEnv(VectorEnv[tuple[str, ...], Sequence[str], npt.NDArray[Any]]):
    """`num_envs` episodes stepped together; what `gymnasium.make_vec("LeanProof-v0", num_envs=...)` gives.

    Observations are a tuple of strings, actions a sequence of strings, one per episode. Everything else is as
    in `LeanProofEnv`: episode `i` after `reset(seed=s)` is the episode of one environment after `reset(seed=s
    + i)`, whatever the number of workers. Rewards are computed in this process; workers only prove.

    By default episodes are not reset by themselves (`AutoresetMode.DISABLED`): a finished one stays as it is,
    with its last observation, reward 0 and its flags standing, costs nothing in later steps, and is absent
    from `infos` (`infos["_outcome"][i]` is False) until `reset(options={"reset_mask": mask})` includes it.

    Args:
        num_envs: How many episodes.
        theorems: As for `LeanProofEnv`.
        backend: A registered name, or a function that makes a backend; a worker that is not in this process
            receives it by cloudpickle.
        reward: As for `LeanProofEnv`; a function need not be picklable.
        num_workers: How many processes; `None` for one per core (at most one per episode), 0 for this
            process.
        autoreset_mode: `DISABLED`, `NEXT_STEP` or `SAME_STEP`, as Gymnasium defines them.
        context: How processes are started, `"spawn"`, `"forkserver"` or `"fork"`; see `lean_gym.pool`.
        render_mode: As for `LeanProofEnv`.
        **options: The others of `lean_gym.episode.EpisodeOptions`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        theorems: TheoremSource = "logic",
        backend: BackendSource = "auto",
        reward: RewardSource = "shaped",
        *,
        num_workers: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.DISABLED,
        context: str = "spawn",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs: got {num_envs!r}, expected at least 1")
        self.num_envs = num_envs
        self.render_mode = check_render_mode(render_mode)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": list(RENDER_MODES), "autoreset_mode": self.autoreset_mode}
        self._options = EpisodeOptions.create(options)
        self._theorems = TheoremBook(load_theorems(theorems))
        self._reward = create_reward(reward, **self._options.reward_options)
        self.single_action_space = TacticSpace(self._options.max_tactic_chars)
        self.single_observation_space = GoalSpace(self._options.max_observation_chars)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._rngs: list[np.random.Generator | None] = [None] * num_envs
        self._episodes: list[Episode | None] = [None] * num_envs
        self._texts = [""] * num_envs
        self._pool = _make_pool(backend, self._options, num_envs, num_workers, context)

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """The theorems that episodes are drawn from."""
        return self._theorems.all

    @property
    def backend_name(self) -> str:
        """Name of the backend that proves, `"auto"` resolved; waits until it has started."""
        return self._pool.backend_name

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Start all episodes, or those of a mask.

        Args:
            seed: Seeds episode `i` with `seed + i`, or each with its own of a list; `None` goes on with the
                random generators as they are.
            options: `reset_mask`: a Boolean array of shape `(num_envs,)`, the episodes to start. `theorem`:
                one name (or `Theorem`) for all of them, or a list of length `num_envs`, in which `None` means
                drawn.

        Returns:
            All observations, and the infos of the episodes that were started.

        Raises:
            ValueError: An unknown option, theorem or mask.
            DataError: A statement does not elaborate; the episodes of other theorems are started all the
                same.
        """
        self._check_open("reset")
        check_reset_options(options, ("reset_mask", "theorem"))
        slots = self._masked("options['reset_mask']", (options or {}).get("reset_mask"))
        wanted = self._wanted((options or {}).get("theorem"))
        self._seed(seed, slots)
        self._start(slots, wanted)
        infos = self._infos({slot: self._get(slot).info() for slot in slots})
        return tuple(self._texts), infos

    def step(self, actions: Sequence[str], mask: npt.ArrayLike | None = None) -> StepResult:
        """Try one tactic in every episode that is not finished.

        Args:
            actions: `num_envs` tactics; those of finished or masked episodes are ignored.
            mask: A Boolean array of shape `(num_envs,)`: the episodes that move; the others stay as they are,
                at no cost. `None` for all.

        Returns:
            Observations (tuple of strings), rewards, terminated, truncated (arrays of shape `(num_envs,)`),
            infos of the episodes that moved.

        Raises:
            ResetNeeded: An episode that should move was never started.
            ValueError: The wrong number of actions.
        """
        self._check_open("step")
        if len(actions) != self.num_envs:
            raise ValueError(
                f"actions: got {len(actions)}, expected one for each of {self.num_envs} episodes"
            )
        moving = self._masked("mask", mask)
        finished = [slot for slot in moving if self._get(slot).ended]
        live = [slot for slot in moving if not self._get(slot).ended]
        self._advance({slot: check_tactic(actions[slot]) for slot in live})
        rewards = np.zeros(self.num_envs)
        infos = {}
        for slot in live:
            rewards[slot] = self._get(slot).reward
            infos[slot] = self._get(slot).info()
        terminated = np.array([episode is not None and episode.terminated for episode in self._episodes])
        truncated = np.array([episode is not None and episode.truncated for episode in self._episodes])
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and finished:
            terminated[finished] = truncated[finished] = False
            self._start(finished)
            infos.update({slot: self._get(slot).info() for slot in finished})
        elif self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos.update(self._start_again([slot for slot in live if self._get(slot).ended], infos))
        if self.render_mode == "human":
            self.render()
        return tuple(self._texts), rewards, terminated, truncated, self._infos(infos)

    def render(self) -> tuple[str, ...] | None:
        """Show all episodes: as the returned texts in mode `"ansi"`, printed in mode `"human"`."""
        if self.render_mode is None:
            return None
        texts = tuple(
            "not started" if episode is None else episode.render(self._options) for episode in self._episodes
        )
        if self.render_mode == "ansi":
            return texts
        for slot, text in enumerate(texts):
            print(f"[{slot}] {text}", end="\n\n", flush=True)
        return None

    def stats(self) -> dict[str, float]:
        """Counts since the start: those of `lean_gym.prover.COUNTERS`, `workers`, `worker_restarts`."""
        return self._pool.stats()

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the workers; `close` calls this once."""
        self._pool.close()

    def __enter__(self) -> LeanProofVectorEnv:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _start(self, slots: Sequence[int], wanted: Sequence[Theorem | None] | None = None) -> None:
        jobs = []
        for slot in slots:
            theorem = None if wanted is None else wanted[slot]
            self._episodes[slot] = None
            jobs.append(Job(slot, theorem if theorem is not None else self._theorems.draw(self._rng(slot))))
        failure = None
        for job, reply in zip(jobs, self._pool.run(jobs), strict=True):
            failure = failure or reply.failure
            if reply.goals is not None:
                self._set(job.slot, Episode(job.theorem, reply.goals))
        if failure is not None:
            raise failure

    def _advance(self, tactics: dict[int, str]) -> None:
        replies: dict[int, Reply] = {}
        jobs = []
        for slot, tactic in tactics.items():
            refused = self._get(slot).refuse(tactic, self._options)
            if refused is None:
                jobs.append(self._get(slot).job(slot, tactic, self._options))
            else:
                replies[slot] = refused
        if jobs:
            replies.update(zip((job.slot for job in jobs), self._pool.run(jobs), strict=True))
        failure = None
        for slot, tactic in tactics.items():
            failure = failure or replies[slot].failure
            if replies[slot].failure is None:
                self._set(slot, self._get(slot).advance(tactic, replies[slot], self._options, self._reward))
        if failure is not None:
            raise failure

    def _start_again(
        self, ended: Sequence[int], infos: dict[int, dict[str, Any]]
    ) -> dict[int, dict[str, Any]]:
        """Same-step autoreset: new episodes, whose infos carry the last observation and info of the old."""
        finals = {slot: {"final_obs": self._texts[slot], "final_info": infos[slot]} for slot in ended}
        if ended:
            self._start(ended)
        return {slot: {**final, **self._get(slot).info()} for slot, final in finals.items()}

    def _infos(self, infos: dict[int, dict[str, Any]]) -> dict[str, Any]:
        vector: dict[str, Any] = {}
        for slot in sorted(infos):
            vector = self._add_info(vector, infos[slot], slot)
        return vector

    def _set(self, slot: int, episode: Episode) -> None:
        self._episodes[slot] = episode
        self._texts[slot] = episode.observation(self._options)

    def _get(self, slot: int) -> Episode:
        episode = self._episodes[slot]
        if episode is None:
            raise ResetNeeded(
                f"step: episode {slot} was never started; call reset(), or leave it out by the mask"
            )
        return episode

    def _masked(self, name: str, mask: npt.ArrayLike | None) -> list[int]:
        if mask is None:
            return list(range(self.num_envs))
        array = np.asarray(mask)
        if array.dtype != np.bool_ or array.shape != (self.num_envs,):
            raise ValueError(
                f"{name}: got an array of dtype {array.dtype} and shape {array.shape}, expected bool and "
                f"({self.num_envs},)"
            )
        return [int(slot) for slot in np.flatnonzero(array)]

    def _wanted(self, theorem: object) -> list[Theorem | None]:
        if theorem is None or isinstance(theorem, str | Theorem):
            return [self._theorems.find(theorem)] * self.num_envs
        if not isinstance(theorem, list | tuple) or len(theorem) != self.num_envs:
            raise ValueError(
                f"options['theorem']: got {theorem!r}, expected a name, or a list with one for each of "
                f"{self.num_envs} episodes"
            )
        return [self._theorems.find(one) for one in theorem]

    def _seed(self, seed: int | Sequence[int | None] | None, slots: Sequence[int]) -> None:
        if seed is None:
            return
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seed = [int(seed) + slot for slot in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(
                f"seed: got {len(seed)} seeds, expected one for each of {self.num_envs} episodes"
            )
        for slot in slots:
            if seed[slot] is not None:
                self._rngs[slot] = seeding.np_random(seed[slot])[0]

    def _rng(self, slot: int) -> np.random.Generator:
        rng = self._rngs[slot]
        if rng is None:
            rng = self._rngs[slot] = seeding.np_random()[0]
        return rng

    def _check_open(self, method: str) -> None:
        if self.closed:
            raise ClosedEnvironmentError(f"{method}: the environment is closed; make a new one")


def _make_pool(
    backend: BackendSource, options: EpisodeOptions, num_envs: int, num_workers: int | None, context: str
) -> Pool:
    factory = backend_factory(backend, options.backend_options)
    if num_workers is None:
        num_workers = min(num_envs, _cores())
    if num_workers < 0:
        raise ValueError(f"num_workers: got {num_workers!r}, expected 0 (this process) or more")
    if num_workers == 0:
        return LocalPool(factory, options.prover)
    # By value where it comes from the program's main module, which workers do not import.
    portable = CloudpickleWrapper(factory)  # type: ignore[type-var]
    return ProcessPool(portable, options.prover, num_workers, context)


def _cores() -> int:
    # The cores this process may use, where the system tells; containers often grant fewer than exist.
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
