"""Episodes on the vector environment: many at once, each sub-environment taking the next one when it is free."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from lean_gym import LeanProofVectorEnv
from lean_gym.types import Outcome
from trainers.policies.base import Completion, Policy


class Choice(Protocol):
    """Anything with the text of a tactic."""

    @property
    def text(self) -> str:
        """The tactic."""


C = TypeVar("C", bound=Choice)


@dataclass(frozen=True, slots=True)
class Step(Generic[C]):
    """One tactic tried: the goals it was chosen for, the choice, what it earned, and whether Lean refused it."""

    goals: str
    choice: C
    reward: float
    refused: bool


@dataclass(slots=True)
class Trajectory(Generic[C]):
    """One episode.

    Attributes:
        theorem: Name of the theorem.
        steps: All steps, refused tactics included.
        outcome: How the episode ended.
        tactics: The accepted tactics, a proof if `outcome` is `Outcome.PROVED`.
        axioms: Axioms the verified proof uses; `None` when the environment did not say.
        reward_terms: Sum of each named reward term over the episode.
    """

    theorem: str
    steps: list[Step[C]] = field(default_factory=list)
    outcome: Outcome = Outcome.RUNNING
    tactics: tuple[str, ...] = ()
    axioms: tuple[str, ...] | None = None
    reward_terms: dict[str, float] = field(default_factory=dict)

    @property
    def total_reward(self) -> float:
        """Undiscounted return."""
        return sum(step.reward for step in self.steps)

    @property
    def proved(self) -> bool:
        """Whether the episode ended with a verified proof."""
        return self.outcome is Outcome.PROVED


@dataclass(frozen=True, slots=True)
class TrajectoryGroup:
    """The episodes of one theorem that are compared with each other."""

    theorem: str
    trajectories: tuple[Trajectory[Completion], ...]

    @property
    def returns(self) -> list[float]:
        """Undiscounted return of each episode."""
        return [trajectory.total_reward for trajectory in self.trajectories]

    @property
    def solve_rate(self) -> float:
        """Share of the episodes that ended with a verified proof."""
        return sum(trajectory.proved for trajectory in self.trajectories) / len(self.trajectories)


@dataclass(slots=True)
class Timing:
    """Seconds spent, added up."""

    generate_s: float = 0.0
    env_s: float = 0.0

    def reset(self) -> None:
        """Start again from 0."""
        self.generate_s = self.env_s = 0.0


Choose = Callable[[Sequence[int], Sequence[str]], Sequence[C]]
"""(episode numbers, their goals) -> one choice each."""


class EpisodePlayer:
    """Plays episodes on a vector environment whose autoreset is disabled."""

    def __init__(self, env: LeanProofVectorEnv, on_step: Callable[[], None] = lambda: None) -> None:
        """Take over an environment.

        Args:
            env: Observations are goals as text, actions are tactics; autoreset is disabled.
            on_step: Called before each step of the environment; may raise to stop.
        """
        self.env = env
        self.timing = Timing()
        self._on_step = on_step
        self._goals: list[str] = [""] * env.num_envs

    def play(self, theorems: Sequence[str], choose: Choose[C]) -> list[Trajectory[C]]:
        """Play one episode per entry of `theorems`, as many at a time as there are sub-environments.

        Args:
            theorems: Names, repeated as often as wanted.
            choose: Picks the tactics.

        Returns:
            The episodes in the order of `theorems`.
        """
        episodes = [Trajectory[C](name) for name in theorems]
        playing: dict[int, int] = {}  # sub-environment -> episode
        waiting = 0
        while playing or waiting < len(episodes):
            free = [slot for slot in range(self.env.num_envs) if slot not in playing]
            starting = dict(zip(free, range(waiting, len(episodes)), strict=False))
            if starting:
                waiting += len(starting)
                playing |= starting
                self._start({slot: theorems[number] for slot, number in starting.items()})
            slots = sorted(playing)
            began = time.perf_counter()
            choices = choose([playing[slot] for slot in slots], [self._goals[slot] for slot in slots])
            self.timing.generate_s += time.perf_counter() - began
            self._on_step()
            ended = self._step(
                dict(zip(slots, choices, strict=True)), {s: episodes[playing[s]] for s in slots}
            )
            for slot in ended:
                del playing[slot]
        return episodes

    def first_goals(self, theorems: Sequence[str]) -> list[str]:
        """The goals that each theorem starts with."""
        found: list[str] = []
        for at in range(0, len(theorems), self.env.num_envs):
            wave = dict(enumerate(theorems[at : at + self.env.num_envs]))
            self._on_step()
            self._start(wave)
            found += [self._goals[slot] for slot in wave]
        return found

    def sample(self, theorems: Sequence[str], policy: Policy) -> list[Trajectory[Completion]]:
        """Play episodes with tactics drawn from a policy."""
        return self.play(theorems, lambda _, goals: policy.sample(goals))

    def sample_groups(
        self, theorems: Sequence[str], group_size: int, policy: Policy
    ) -> list[TrajectoryGroup]:
        """Play `group_size` episodes of each theorem side by side."""
        repeated = [name for name in theorems for _ in range(group_size)]
        episodes = self.sample(repeated, policy)
        return [
            TrajectoryGroup(name, tuple(episodes[at * group_size : (at + 1) * group_size]))
            for at, name in enumerate(theorems)
        ]

    def _start(self, theorems: Mapping[int, str]) -> None:
        count = self.env.num_envs
        began = time.perf_counter()
        mask = np.array([slot in theorems for slot in range(count)])
        names = [theorems.get(slot) for slot in range(count)]
        observations, _ = self.env.reset(options={"reset_mask": mask, "theorem": names})
        for slot in theorems:
            self._goals[slot] = observations[slot]
        self.timing.env_s += time.perf_counter() - began

    def _step(self, choices: Mapping[int, C], episodes: Mapping[int, Trajectory[C]]) -> list[int]:
        began = time.perf_counter()
        actions = [choices[slot].text if slot in choices else "" for slot in range(self.env.num_envs)]
        # A sub-environment that was never started must not be asked to move.
        mask = np.array([slot in choices for slot in range(self.env.num_envs)])
        observations, rewards, terminated, truncated, infos = self.env.step(actions, mask)
        self.timing.env_s += time.perf_counter() - began
        ended = []
        for slot, episode in episodes.items():
            info = _info_of(infos, slot)
            refused = info.get("error") is not None
            episode.steps.append(Step(self._goals[slot], choices[slot], float(rewards[slot]), refused))
            for name, value in info.get("reward_terms", {}).items():
                episode.reward_terms[name] = episode.reward_terms.get(name, 0.0) + float(value)
            self._goals[slot] = observations[slot]
            if terminated[slot] or truncated[slot]:
                episode.outcome = Outcome(info["outcome"])
                episode.tactics = tuple(info["tactics"])
                axioms = info.get("axioms")
                episode.axioms = None if axioms is None else tuple(axioms)
                ended.append(slot)
        return ended


def _info_of(infos: Mapping[str, Any], slot: int) -> dict[str, Any]:
    """One sub-environment's entries of a vector environment's infos."""
    found = {}
    for key, values in infos.items():
        if key.startswith("_"):
            continue
        present = infos.get(f"_{key}")
        if present is not None and not present[slot]:
            continue
        found[key] = _info_of(values, slot) if isinstance(values, Mapping) else values[slot]
    return found
