"""One session of the OpenEnv server."""

from __future__ import annotations

import uuid
from typing import Any

import numpy as np
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from lean_gym.errors import excerpt
from lean_gym.integrations.openenv.models import LeanAction, LeanObservation, LeanState
from lean_gym.integrations.shared_provers import SharedProvers, Turn
from lean_gym.integrations.task_sets import Task, TaskSets

_MOST_ID_CHARS = 128


class LeanEnvironment(Environment[LeanAction, LeanObservation, LeanState]):  # type: ignore[misc]
    """Proves one theorem after another for one client.

    Args:
        tasks: Tasks of the server.
        provers: Processes that all sessions of the server share.
        version: Version of the server, for its metadata.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, tasks: TaskSets, provers: SharedProvers, version: str) -> None:
        super().__init__()
        self._tasks = tasks
        self._version = version
        self._session = provers.session()
        self._rng = np.random.default_rng()
        self._task: Task | None = None
        self._episode_id: str | None = None

    def reset(self, seed: object = None, episode_id: object = None, **options: Any) -> LeanObservation:
        """Start an episode.

        Args:
            seed: An integer >= 0 that seeds the draws of theorems, from this one on; `None` goes on drawing.
            episode_id: Name of the episode in the state, a text; `None` makes one.
            **options: `split`, `index` and `theorem` choose the task, see `TaskSets.chosen`. `injected_state`,
                `{"tactics": [...]}`, replays tactics; they count as steps, and the reward is the sum of theirs.

        Raises:
            ValueError: An option that is unknown or has no such value; a replayed tactic is refused.
            IndexError: No task of that number.
            DataError: The statement does not elaborate.
            BackendError: The prover cannot be started.
        """
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise ValueError(f"seed: got {excerpt(seed)}, expected an integer >= 0")
        if episode_id is not None and not (isinstance(episode_id, str) and len(episode_id) <= _MOST_ID_CHARS):
            raise ValueError(
                f"episode_id: got {excerpt(episode_id)}, expected at most {_MOST_ID_CHARS} characters"
            )
        tactics = _injected(options.pop("injected_state", None))
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        task = self._tasks.chosen(options, self._rng)
        self._task = None
        turn = self._session.reset(task.theorem, tactics)
        self._task, self._episode_id = task, episode_id or str(uuid.uuid4())
        return self._observed(turn, task)

    def step(self, action: LeanAction, timeout_s: float | None = None, **_: Any) -> LeanObservation:
        """Try one tactic.

        Args:
            action: The tactic.
            timeout_s: Has no effect: the owner of the server limits the time of a tactic.

        Raises:
            ResetNeeded: There is no episode, or it has ended.
            CanaryProved: A false theorem counts as proved.
            BackendError: The prover cannot be started.
        """
        turn = self._session.step(action.tactic)
        if self._task is None:
            raise RuntimeError("the session has a turn without a task")
        return self._observed(turn, self._task)

    @property
    def state(self) -> LeanState:
        """The state of the session."""
        turn, task = self._session.turn, self._task
        if turn is None or task is None:
            return LeanState(episode_id=None)
        return LeanState(
            episode_id=self._episode_id,
            step_count=turn.info["steps"],
            outcome=turn.info["outcome"],
            tactics=list(turn.info["tactics"]),
            task=task.describe(),
        )

    def get_metadata(self) -> EnvironmentMetadata:
        """Return name, version and purpose."""
        return EnvironmentMetadata(
            name="lean_gym",
            description="Prove Lean 4 theorems tactic by tactic; a reward of 1 is a proof that a kernel re-checked.",
            version=self._version,
        )

    def list_splits(self) -> list[dict[str, str]]:
        """Return the splits with OpenEnv's types of them."""
        types = {"train": "train", "test": "test"}
        return [
            {"name": split, "type": types.get(split.rpartition(":")[2], "validation")}
            for split in self._tasks.splits
        ]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return the tasks of a split.

        Raises:
            ValueError: No such split.
        """
        return [task.describe() for task in self._tasks.tasks(split)]

    def num_tasks(self, split: str) -> int:
        """Return the number of tasks of a split.

        Raises:
            ValueError: No such split.
        """
        return len(self._tasks.tasks(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return a task.

        Raises:
            ValueError: No such split.
            IndexError: No task of that number.
        """
        return self._tasks.task(split, index).describe()

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """Return the tasks of a slice of a split.

        Raises:
            ValueError: No such split.
        """
        return [task.describe() for task in self._tasks.tasks(split)[start:stop]]

    def _observed(self, turn: Turn, task: Task) -> LeanObservation:
        info = turn.info
        return LeanObservation(
            done=turn.done,
            reward=turn.reward,
            goals=turn.goals,
            outcome=info["outcome"],
            error=info["error"],
            messages=list(info["messages"]),
            tactics=list(info["tactics"]),
            steps=info["steps"],
            task=task.describe(),
        )


def _injected(state: object) -> list[str]:
    """Return the tactics of an `injected_state`.

    Raises:
        ValueError: It is something else.
    """
    if state is None:
        return []
    tactics = state.get("tactics") if isinstance(state, dict) and len(state) == 1 else None
    if not isinstance(tactics, list) or not all(isinstance(tactic, str) for tactic in tactics):
        raise ValueError(f"injected_state: got {excerpt(state)}, expected {{'tactics': [...]}} with texts")
    return tactics
