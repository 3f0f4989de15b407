"""Many episodes of LeanProof-v0 at once, over few processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.error import (
    ClosedEnvironmentError,
    NoAsyncCallError,
    ResetNeeded,
)
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from lean_gym.backends.registry import BackendSource, backend_factory
from lean_gym.datasets import TheoremBook, TheoremSource, load_theorems
from lean_gym.envs.arguments import (
    RENDER_MODES,
    check_actions,
    check_autoreset_mode,
    check_count,
    check_env_ids,
    check_mask,
    check_points,
    check_render_mode,
    check_tactic,
    refuse_copy,
)
from lean_gym.envs.batch import EpisodeBatch, Ready
from lean_gym.envs.episode import Episode
from lean_gym.envs.options import EpisodeOptions
from lean_gym.envs.picture import draw_text
from lean_gym.envs.spaces import GoalSpace, TacticSpace
from lean_gym.envs.theorem_draws import Draws
from lean_gym.pool import PoolOptions, check_episodes, create_pool, default_workers
from lean_gym.rewards import RewardSource, create_reward
from lean_gym.types import Theorem

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
StepResult = tuple[tuple[str, ...], Floats, Bools, Bools, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Point:
    """A saved point of an episode, made by `LeanProofVectorEnv.save`."""

    episode: Episode


class LeanProofVectorEnv(VectorEnv[tuple[str, ...], Sequence[str], npt.NDArray[Any]]):
    """`num_envs` episodes stepped together, made by `gymnasium.make_vec("LeanProof-v0", num_envs=...)`.

    Observations are a tuple of strings, actions a sequence of strings, one per episode. Everything else is as
    in `LeanProofEnv`: episode `i` after `reset(seed=s)` is the episode of one environment after
    `reset(seed=lean_gym.envs.theorem_draws.seed_of(s, i))`, whatever the number of workers. Rewards are computed in
    this process; workers only prove.

    By default episodes are not reset by themselves (`AutoresetMode.DISABLED`): a finished one stays as it is,
    with its last observation, reward 0 and unchanged flags, costs nothing in later steps, and is absent
    from `infos` (`infos["_outcome"][i]` is False) until `reset(options={"reset_mask": mask})` includes it.

    `step` waits for the slowest tactic, and `reset` for the slowest theorem. To step episodes independently, send
    tactics with `step_async`, start episodes with `reset_async`, and take the finished steps with `recv`; episodes that
    are not under way can be stepped meanwhile.

    Args:
        num_envs: How many episodes.
        theorems: As for `LeanProofEnv`.
        backend: A registered name, or a function that makes a backend; a worker that is not in this process
            receives it by cloudpickle.
        reward: As for `LeanProofEnv`; a function need not be picklable.
        num_workers: How many processes; `None` for one per core (at most one per episode), 0 for this
            process.
        autoreset_mode: `DISABLED`, `NEXT_STEP` or `SAME_STEP`, as Gymnasium defines them.
        context: How processes are started, `"spawn"`, `"forkserver"` or `"fork"`; see `lean_gym.pool`. With
            `"forkserver"`, workers of minilean share the memory of its library.
        pool: `"processes"`: the workers are processes of this machine; `"ray"`: they are on the nodes of the Ray
            cluster at `RAY_ADDRESS`, or of one that is started here, and `num_workers=None` means one per free CPU.
        render_mode: As for `LeanProofEnv`.
        **options: The others of `lean_gym.envs.options.EpisodeOptions`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        theorems: TheoremSource = "logic",
        backend: BackendSource = "auto",
        reward: RewardSource = "binary",
        *,
        num_workers: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.DISABLED,
        context: str = "spawn",
        pool: str = "processes",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.num_envs = check_count("num_envs", num_envs, 1)
        check_episodes(self.num_envs)
        self.render_mode = check_render_mode(render_mode)
        self.autoreset_mode = check_autoreset_mode(autoreset_mode)
        self.metadata = {"render_modes": list(RENDER_MODES), "autoreset_mode": self.autoreset_mode}
        self._options = EpisodeOptions.create(options, type(self))
        self._theorems = TheoremBook(load_theorems(theorems))
        self.single_action_space = TacticSpace(self._options.max_action_chars)
        self.single_observation_space = GoalSpace(self._options.max_observation_chars)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._draws = Draws(self._theorems, num_envs)
        rule = create_reward(reward, **self._options.reward_options)
        self._pool = create_pool(
            backend_factory(
                backend, self._options.backend_options, self._options.verify, self._options.memory_mib
            ),
            self._options.prover,
            PoolOptions(self._options.memory_mib, self._options.recycle_after),
            num_workers=default_workers(pool, num_envs) if num_workers is None else num_workers,
            context=context,
            theorems=self.theorems,
            pool=pool,
        )
        self._batch = EpisodeBatch(
            num_envs,
            self._pool,
            self._options,
            rule,
            draw=self._draws.draw,
            same_step=self.autoreset_mode is AutoresetMode.SAME_STEP,
        )

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """The theorems that episodes are drawn from."""
        return self._theorems.all

    @property
    def whole_proofs(self) -> bool:
        """Return whether an action is a whole proof."""
        return self._options.whole_proofs

    @property
    def backend_name(self) -> str:
        """Name of the backend that proves, `"auto"` resolved; waits until it has started."""
        return self._pool.backend_name

    def __getstate__(self) -> None:
        refuse_copy("LeanProofVectorEnv")

    def set_reward(self, source: RewardSource, **options: Any) -> None:
        """Use another reward from the next step on, tactics under way included; see `LeanProofEnv.set_reward`.

        Raises:
            ValueError: No such reward or option; the reward stays as it is.
        """
        self._batch.set_reward(create_reward(source, **options))

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Start all episodes, or those of a mask.

        Args:
            seed: Seeds episode `i` with `seed_of(seed, i)`, or each with its own of a list; `None` goes on with the
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
        wanted = self._to_start("reset", seed, options)
        self._batch.start(wanted)
        infos = self._infos({slot: self._batch.get(slot).info() for slot in wanted})
        return tuple(self._batch.texts), infos

    def reset_async(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Start episodes without waiting; `recv` returns each once it has started, with reward 0 and 0 steps.

        Args:
            seed: As for `reset`.
            options: As for `reset`.

        Raises:
            ValueError: An unknown option, theorem or mask.
        """
        self._batch.send_starts(self._to_start("reset_async", seed, options))

    def step(self, actions: Sequence[str], mask: npt.ArrayLike | None = None) -> StepResult:
        """Try one tactic in every episode that is not finished.

        Args:
            actions: `num_envs` tactics; those of finished or masked episodes are ignored.
            mask: A Boolean array of shape `(num_envs,)`: the episodes to step; the others stay as they are,
                at no cost. `None` for all.

        Returns:
            Observations (tuple of strings), rewards, terminated, truncated (arrays of shape `(num_envs,)`),
            infos of the episodes that moved.

        Raises:
            ResetNeeded: An episode that should move was never started.
            AlreadyPendingCallError: An episode that should move is under way since `step_async` or `reset_async`.
            ValueError: The wrong number of actions.
        """
        self._check_open("step")
        actions = check_actions(actions, self.num_envs)
        moving = check_mask("mask", mask, self.num_envs)
        finished = [slot for slot in moving if self._batch.settled("step", slot).ended]
        again = finished if self.autoreset_mode is AutoresetMode.NEXT_STEP else []
        tactics = {slot: check_tactic(actions[slot]) for slot in moving if slot not in finished}
        asked = {**tactics, **dict.fromkeys(again)}
        self._batch.send(asked)
        try:
            self._batch.collect(len(asked), asked.keys())
        except BaseException:
            self._batch.forget(asked)
            raise
        rewards = np.zeros(self.num_envs)
        terminated = np.array(
            [episode is not None and episode.terminated for episode in self._batch.episodes]
        )
        truncated = np.array([episode is not None and episode.truncated for episode in self._batch.episodes])
        infos = {}
        for slot in asked:
            row = self._batch.rows.pop(slot)
            rewards[slot], terminated[slot], truncated[slot] = row.reward, row.terminated, row.truncated
            infos[slot] = row.info
        if self.render_mode == "human":
            self.render()
        return tuple(self._batch.texts), rewards, terminated, truncated, self._infos(infos)

    def step_async(self, actions: Sequence[str], env_ids: Sequence[int] | None = None) -> None:
        """Send tactics without waiting for their results.

        Args:
            actions: One tactic for each of `env_ids`.
            env_ids: Which episodes; `None` for all. None of them may be under way, or finished unless the
                autoreset mode is `NEXT_STEP`.

        Raises:
            AlreadyPendingCallError: An episode is under way.
            ResetNeeded: An episode was never started, or has ended.
            ValueError: The wrong number of actions, an episode that does not exist or is named twice.
        """
        self._check_open("step_async")
        slots = list(range(self.num_envs)) if env_ids is None else check_env_ids(env_ids, self.num_envs)
        actions = check_actions(actions, len(slots))
        asked: dict[int, str | None] = {}
        for slot, action in zip(slots, actions, strict=True):
            ended = self._batch.settled("step_async", slot).ended
            if ended and self.autoreset_mode is not AutoresetMode.NEXT_STEP:
                raise ResetNeeded(
                    f"step_async: episode {slot} has ended; reset it, or leave it out of env_ids"
                )
            asked[slot] = None if ended else check_tactic(action)
        self._batch.send(asked)

    def recv(self, min_ready: int = 1) -> Ready:
        """Take the episodes that are ready, waiting until there are enough.

        Args:
            min_ready: How many to wait for, 0 for none; never waits for more than are under way.

        Returns:
            All that are ready. Their order and grouping depend on time; what happened in each does not.

        Raises:
            DataError: A statement does not elaborate; its episode is not started, the others are not affected.
            NoAsyncCallError: Nothing is under way.
            ValueError: `min_ready` below 0.
        """
        self._check_open("recv")
        check_count("min_ready", min_ready, 0)
        if not self._batch.pending and not self._batch.rows:
            raise NoAsyncCallError("recv: nothing is under way; call step_async or reset_async first", "recv")
        self._batch.collect(min_ready, range(self.num_envs))
        ready = self._batch.take()
        if self.render_mode == "human":
            self.render()
        return ready

    def accepts(
        self, tactics: Sequence[str], env_ids: Sequence[int] | None = None
    ) -> tuple[tuple[bool, ...], ...]:
        """Try tactics beside episodes, all episodes with one tactic at a time; see `LeanProofEnv.accepts`.

        Args:
            tactics: `m` tactics.
            env_ids: Which episodes, none of them under way; `None` for all.

        Returns:
            For each episode `m` answers.

        Raises:
            TypeError: A tactic is no string.
            ResetNeeded: An episode was never started.
            AlreadyPendingCallError: An episode is under way.
        """
        self._check_open("accepts")
        slots = list(range(self.num_envs)) if env_ids is None else check_env_ids(env_ids, self.num_envs)
        return tuple(self._batch.accepts(slots, [check_tactic(tactic) for tactic in tactics]))

    def save(self, env_ids: Sequence[int]) -> tuple[Point, ...]:
        """Save the present points of episodes, in constant time.

        Args:
            env_ids: Which episodes; none of them under way.

        Raises:
            ResetNeeded: An episode was never started.
            AlreadyPendingCallError: An episode is under way.
        """
        self._check_open("save")
        return tuple(
            Point(self._batch.settled("save", slot)) for slot in check_env_ids(env_ids, self.num_envs)
        )

    def restore(self, points: Mapping[int, Point]) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Continue episodes from saved points: goals, script, steps and budgets are exactly as they were.

        Any episode can continue from a point, and many at once. The prover restores its state from the cache of tactic
        results, or by running the script again.

        Args:
            points: By episode number, from `save` of this environment.

        Returns:
            Observations of all episodes, and infos of those restored, as `reset` gives them.

        Raises:
            ValueError: An episode that does not exist.
            AlreadyPendingCallError: An episode is under way.
        """
        self._check_open("restore")
        check_points(points, Point, self.num_envs)
        for slot, point in points.items():
            self._batch.put(slot, point.episode)
        return tuple(self._batch.texts), self._infos({slot: self._batch.get(slot).info() for slot in points})

    def render(self) -> tuple[Any, ...] | None:
        """Show all episodes: as the returned texts or pictures in mode `"ansi"` or `"rgb_array"`, or printed."""
        if self.render_mode is None:
            return None
        texts = tuple(
            "not started" if episode is None else episode.render(self._options)
            for episode in self._batch.episodes
        )
        if self.render_mode != "human":
            return texts if self.render_mode == "ansi" else tuple(map(draw_text, texts))
        for slot, text in enumerate(texts):
            print(f"[{slot}] {text}", end="\n\n", flush=True)
        return None

    def stats(self) -> dict[str, float]:
        """Counts since the start: those of `lean_gym.execution.COUNTERS` and `lean_gym.pool.POOL_COUNTERS`."""
        return self._pool.stats()

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the workers; `close` calls this once."""
        self._pool.close()

    def __enter__(self) -> LeanProofVectorEnv:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _infos(self, infos: dict[int, dict[str, Any]]) -> dict[str, Any]:
        vector: dict[str, Any] = {}
        for slot in sorted(infos):
            vector = self._add_info(vector, infos[slot], slot)
        return vector

    def _to_start(
        self, method: str, seed: int | Sequence[int | None] | None, options: dict[str, Any] | None
    ) -> dict[int, Theorem | None]:
        """Seed the draws, cancel pending requests, and return the episodes to start with the theorems asked for."""
        self._check_open(method)
        wanted = self._draws.read(seed, options)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        self._batch.forget(wanted)
        return wanted

    def _check_open(self, method: str) -> None:
        if self.closed:
            raise ClosedEnvironmentError(f"{method}: the environment is closed; make a new one")
