"""Asynchronous stepping of many episodes on the vector environment; a free sub-environment takes the next one."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
from gymnasium.error import NoAsyncCallError

from lean_gym import LeanProofVectorEnv
from lean_gym.envs.vector import Point
from lean_gym.errors import DataError
from lean_gym.types import Outcome, Theorem
from trainers.policies.base import AtOnce, Completion, Key, Policy, Stream, at_once, stream_of
from trainers.policies.premises import Retriever
from trainers.policies.views import ONLY_GOALS, View, show_all, with_retriever

LONGEST_MESSAGE: Final = 1000
"""Longest message of a refused tactic that a step keeps, in characters."""

_POLL_S: Final = 0.01


class Choice(Protocol):
    """An object with the text of a tactic."""

    @property
    def text(self) -> str:
        """Return the tactic."""


C = TypeVar("C", bound=Choice)


@dataclass(frozen=True, slots=True)
class Step(Generic[C]):
    """One tactic tried: the text shown, the choice, the reward, and whether Lean refused the tactic."""

    goals: str
    choice: C
    reward: float
    refused: bool
    point: Point | None = field(default=None, repr=False, compare=False)
    """State of the episode before the tactic, if the player keeps points."""
    open_goals: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """All goals before the tactic as Lean prints them, also those that are not shown."""
    message: str = field(default="", repr=False, compare=False)
    """Lean's message about a refused tactic, cut to `LONGEST_MESSAGE` characters."""


@dataclass(slots=True)
class Trajectory(Generic[C]):
    """One episode.

    Attributes:
        theorem: Name of the theorem.
        steps: All steps, refused tactics included.
        outcome: Outcome of the episode.
        tactics: The accepted tactics, a proof if `outcome` is `Outcome.PROVED`.
        axioms: Axioms of the verified proof; `None` if the environment reported none.
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
        """Return the undiscounted return."""
        return sum(step.reward for step in self.steps)

    @property
    def proved(self) -> bool:
        """Return whether the episode ended with a verified proof."""
        return self.outcome is Outcome.PROVED


@dataclass(frozen=True, slots=True)
class TrajectoryGroup:
    """Episodes of one theorem that are compared with each other."""

    theorem: str
    trajectories: tuple[Trajectory[Completion], ...]

    @property
    def returns(self) -> list[float]:
        """Return the undiscounted return of each episode."""
        return [trajectory.total_reward for trajectory in self.trajectories]

    @property
    def solve_rate(self) -> float:
        """Return the share of the episodes that ended with a verified proof."""
        return sum(trajectory.proved for trajectory in self.trajectories) / len(self.trajectories)


@dataclass(slots=True)
class Timing:
    """Sums of seconds spent."""

    generate_s: float = 0.0
    env_s: float = 0.0

    def reset(self) -> None:
        """Set the sums to 0."""
        self.generate_s = self.env_s = 0.0


Choose = Callable[[Sequence[int], Sequence[str]], Sequence[C]]
"""(episode numbers, texts shown to them) -> one choice each."""


@dataclass(frozen=True, slots=True)
class Start:
    """Start of an episode: its number, its theorem, and the point to go on from, `None` for the theorem's start."""

    number: int
    theorem: str
    point: Point | None = None


class Supply(Protocol[C]):
    """Source of the episodes to play."""

    @property
    def more(self) -> bool:
        """Return whether further episodes may come."""

    def take(self, most: int) -> Sequence[Start]:
        """Return at most so many episodes to start now; it may wait for some if none is being played."""

    def ended(self, number: int, episode: Trajectory[C]) -> None:
        """Take an episode that has ended."""


class _Draws:
    """Stream of a policy's tactics for episodes, other than those tried; see `EpisodePlayer.sample`.

    Where answers come one by one, so do the draws, and none is made after the one that is sent. The choice is the same.
    """

    def __init__(self, stream: Stream[Key, Completion], redraws: int) -> None:
        self.together = stream.together
        self._stream = stream
        self._redraws = redraws
        self._shown: dict[int, str] = {}
        self._drawn: dict[int, dict[int, Completion]] = {}
        """Episode -> what was drawn for its present state, the first draw as number 0."""
        self._steps: Counter[int] = Counter()
        self._tried: dict[tuple[int, str], set[str]] = {}

    def ask(self, number: int, shown: str) -> None:
        self._shown[number], self._drawn[number] = shown, {}
        self._stream.ask((number, self._steps[number], 0), shown)

    def answers(self) -> list[tuple[int, Completion]]:
        found: list[tuple[int, Completion]] = []
        for (number, step, draw), drawn in self._stream.answers():
            draws, shown = self._drawn[number], self._shown[number]
            draws[draw] = drawn
            known = self._tried.setdefault((number, shown), set())
            repeated = self._redraws > 0 and draws[0].text in known
            if repeated and self.together:  # all in one call
                for again in range(1, self._redraws + 1) if draw == 0 else ():
                    self._stream.ask((number, step, again), shown)
                if len(draws) <= self._redraws:
                    continue
            elif repeated and drawn.text in known and draw < self._redraws:
                self._stream.ask((number, step, draw + 1), shown)
                continue
            fresh = (draws[at] for at in range(1, len(draws)) if draws[at].text not in known)
            choice = next(fresh, draws[0]) if repeated else drawn
            found.append((number, replace(choice, redraws=self._redraws if known else 0)))
            known.add(choice.text)
            self._steps[number] += 1
            del self._shown[number], self._drawn[number]
        return found

    def __len__(self) -> int:
        return len(self._shown)


class EpisodePlayer:
    """Player of episodes on a vector environment whose autoreset is disabled."""

    def __init__(
        self,
        env: LeanProofVectorEnv,
        on_step: Callable[[], None] = lambda: None,
        view: View = ONLY_GOALS,
        cohorts: int = 1,
        keep_points: bool = False,
        given: Sequence[Theorem] = (),
        retriever: Retriever | None = None,
        redraws: int = 0,
    ) -> None:
        """Keep an environment, which the caller closes.

        Args:
            env: Observations are goals as text, actions are tactics; autoreset is disabled.
            on_step: Called before each step of the environment; may raise to stop.
            view: What is shown in a state.
            cohorts: Number of parts of the sub-environments. While the tactics of one part are tried, those of the next
                are chosen. The grouping does not depend on timing, so a run can be repeated to the last bit. 0 asks and
                sends as things are ready, where the policy opens streams: nobody waits for a slow tactic, and the same
                tactics are drawn, up to the rounding of sums.
            keep_points: Whether steps keep their `point`, so that other episodes can start from there.
            given: Theorems that can be played beside those of the environment.
            retriever: Finds premises for the goals of a state, which are shown above them; `None` for those of `view`.
            redraws: Tactics that `sample` draws at most, in place of one that its episode has tried where the same was
                shown; the first one that it has not tried is sent.
        """
        self.env = env
        self.timing = Timing()
        self._on_step = on_step
        self._view = with_retriever(view, retriever)
        self._keep_points = keep_points
        self._redraws = redraws
        self._on_end: Callable[[], None] = lambda: None
        self._as_ready = cohorts == 0
        size = -(-env.num_envs // max(1, min(cohorts, env.num_envs)))
        self._cohorts = [
            range(first, min(first + size, env.num_envs)) for first in range(0, env.num_envs, size)
        ]
        self._given: dict[str | None, Theorem] = {theorem.name: theorem for theorem in given}
        self._goals: list[str] = [""] * env.num_envs
        self._under_way: set[int] = set()

    @property
    def known(self) -> set[str]:
        """Return the names of the theorems that can be played."""
        return {theorem.name for theorem in (*self.env.theorems, *self._given.values())}

    @contextmanager
    def counting(self, on_end: Callable[[], None]) -> Iterator[None]:
        """Call a function at the end of each episode that this process plays while the block runs."""
        self._on_end = on_end
        try:
            yield
        finally:
            self._on_end = lambda: None

    def play(
        self,
        theorems: Sequence[str],
        choose: Choose[C] | Stream[int, C],
        points: Sequence[Point | None] | None = None,
        ends: Callable[[C], bool] | None = None,
        max_steps: int = 1,
    ) -> list[Trajectory[C]]:
        """Play one episode per entry of `theorems`, one at a time in each sub-environment.

        Args:
            theorems: Names, repeated as often as wanted.
            choose: Picks the tactics.
            points: Start of each episode, `None` for the start of its theorem. The steps of an episode are those after
                its point; its tactics are the whole script.
            ends: Says of a choice that its episode ends with it, at the step limit unless it is a proof; `None` for
                episodes that end by themselves.
            max_steps: The environment's step limit; read with `ends`.

        Returns:
            The episodes in the order of `theorems`.
        """
        asked = enumerate(zip(theorems, points or [None] * len(theorems), strict=True))
        listed = _Listed[C]([Start(number, name, point) for number, (name, point) in asked])
        chooser = AtOnce(choose) if callable(choose) else choose
        self._play(_Game(listed, ends, max_steps), chooser)
        return [listed.found[number] for number in range(len(theorems))]

    def play_on(self, supply: Supply[Completion], stream: Stream[Key, Completion]) -> None:
        """Play the episodes that a supply has, until it has no more, with tactics of a stream; see `sample`."""
        self._play(_Game(supply), _Draws(stream, self._redraws))

    def _play(self, game: _Game[C], chooser: Stream[int, C]) -> None:
        try:
            while game.playing or game.supply.more:
                for cohort in self._cohorts:
                    self._receive(game, cohort, chooser)
                    self._start_waiting(game, cohort)
                    self._ask(game, cohort, chooser)
                    self._send(game, chooser)
                    while chooser.together and len(chooser):
                        self._send(game, chooser)
        except BaseException:
            self._drain()
            raise

    def first_goals(self, theorems: Sequence[str]) -> list[str]:
        """Return the initial goals of each theorem."""
        found: list[str] = []
        for at in range(0, len(theorems), self.env.num_envs):
            wave = dict(enumerate(theorems[at : at + self.env.num_envs]))
            self._on_step()
            self._start(wave)
            found += [self._goals[slot] for slot in wave]
        return found

    def failed_starts(self, theorems: Sequence[str]) -> dict[str, str]:
        """Start each theorem once and return those that do not elaborate, with the prover's messages."""
        failed: dict[str, str] = {}
        size = self.env.num_envs
        for at in range(0, len(theorems), size):
            wave = theorems[at : at + size]
            self._on_step()
            try:
                self._start(dict(enumerate(wave)))
            except DataError:  # the message of one of them; the others have started
                for name in wave:
                    try:
                        self._start({0: name})
                    except DataError as error:
                        failed[name] = str(error)
        return failed

    def sample(
        self, theorems: Sequence[str], policy: Policy, points: Sequence[Point | None] | None = None
    ) -> list[Trajectory[Completion]]:
        """Play episodes with tactics drawn from a policy; see `play`.

        If an episode repeats a tactic in the same state, the result is known: it is refused again or enters the same
        loop, so it is replaced by the first of `redraws` others that the episode has not. As far as these reach,
        tactics are drawn from the policy's distribution without those tried. The log-probabilities of a choice are
        those of the whole distribution; `trainers.learning.redraws` has those of the tactic as it was sent.
        """
        stream = stream_of(policy) if self._as_ready else at_once(policy)
        return self.play(theorems, _Draws(stream, self._redraws), points)

    def sample_groups(
        self,
        theorems: Sequence[str],
        sizes: Sequence[int],
        policy: Policy,
        points: Sequence[Point | None] | None = None,
    ) -> list[TrajectoryGroup]:
        """Play a group of episodes of each theorem, all in parallel.

        Args:
            theorems: Names.
            sizes: Number of episodes of each.
            policy: Proposes tactics.
            points: Start of each group's episodes, `None` for the start of its theorem.
        """
        owners = [number for number, size in enumerate(sizes) for _ in range(size)]
        begin = None if points is None else [points[number] for number in owners]
        episodes = self.sample([theorems[number] for number in owners], policy, begin)
        members: list[list[Trajectory[Completion]]] = [[] for _ in theorems]
        for number, episode in zip(owners, episodes, strict=True):
            members[number].append(episode)
        return [TrajectoryGroup(name, tuple(m)) for name, m in zip(theorems, members, strict=True)]

    def _start_waiting(self, game: _Game[C], cohort: range) -> None:
        free = [slot for slot in cohort if slot not in game.playing]
        if not free:
            return
        starting = dict(zip(free, game.supply.take(len(free)), strict=False))
        if starting:
            game.playing |= {slot: start.number for slot, start in starting.items()}
            game.episodes |= {start.number: Trajectory(start.theorem) for start in starting.values()}
            self._start({slot: start.theorem for slot, start in starting.items() if start.point is None})
            self._go_on({slot: start.point for slot, start in starting.items() if start.point is not None})

    def _go_on(self, points: Mapping[int, Point]) -> None:
        observations, _ = self.env.restore(points)
        for slot in points:
            self._goals[slot] = observations[slot]

    def _start(self, theorems: Mapping[int, str]) -> None:
        if not theorems:
            return
        count = self.env.num_envs
        began = time.perf_counter()
        mask = np.array([slot in theorems for slot in range(count)])
        names = [self._given.get(name, name) for name in map(theorems.get, range(count))]
        observations, _ = self.env.reset(options={"reset_mask": mask, "theorem": names})
        for slot in theorems:
            self._goals[slot] = observations[slot]
        self.timing.env_s += time.perf_counter() - began

    def _ask(self, game: _Game[C], cohort: range, chooser: Stream[int, C]) -> None:
        """Ask for the tactics of the episodes of a cohort that have none."""
        slots = [s for s in cohort if s in game.playing and s not in self._under_way and s not in game.shown]
        if not slots:
            return
        saved = self.env.save(slots)
        began = time.perf_counter()
        shown = show_all(self._view, [self._goals[slot] for slot in slots], [each.episode for each in saved])
        for slot, text, point in zip(slots, shown, saved, strict=True):
            game.shown[slot] = (text, point)
            chooser.ask(game.playing[slot], text)
        self.timing.generate_s += time.perf_counter() - began

    def _send(self, game: _Game[C], chooser: Stream[int, C]) -> None:
        """Send the tactics that are ready."""
        if not len(chooser):
            return
        began = time.perf_counter()
        answers = chooser.answers()
        self.timing.generate_s += time.perf_counter() - began
        if not answers:
            return
        self._on_step()
        began = time.perf_counter()
        places = {number: slot for slot, number in game.playing.items()}
        chosen = {places[number]: choice for number, choice in answers}
        asked = {slot: (*game.shown.pop(slot), choice) for slot, choice in chosen.items()}
        if game.ends is not None:
            last = {
                slot: Point(replace(point.episode, steps=game.max_steps - 1))
                for slot, (_, point, choice) in asked.items()
                if game.ends(choice)
            }
            self.env.restore(last)
        self.env.step_async([choice.text for choice in chosen.values()], list(chosen))
        self.timing.env_s += time.perf_counter() - began
        self._under_way |= set(chosen)
        game.asked |= asked

    def _receive(self, game: _Game[C], cohort: range, chooser: Stream[int, C]) -> None:
        """Take the results of a cohort, and store results of other cohorts that are ready.

        It waits for all of them, if the next answers depend on what is asked together, otherwise for one if there is
        nothing else to do, and for a moment if only the supply might have something.
        """
        began = time.perf_counter()
        while missing := sum(slot in self._under_way for slot in cohort):
            # A free sub-environment may get an episode before a tactic ends.
            waits = not len(chooser) and not (len(game.playing) < self.env.num_envs and game.supply.more)
            ready = self.env.recv(missing if chooser.together else int(waits))
            if not len(ready.env_ids) and not len(chooser):
                time.sleep(_POLL_S)
            for at, slot in enumerate(ready.env_ids.tolist()):
                self._under_way.discard(slot)
                over = bool(ready.terminated[at] or ready.truncated[at])
                game.results[slot] = _Result(
                    ready.observations[at], float(ready.rewards[at]), over, ready.infos[at]
                )
            if not chooser.together:
                break
        self.timing.env_s += time.perf_counter() - began
        for slot in cohort:
            if slot in game.results:
                self._record(game, slot, game.results.pop(slot))

    def _record(self, game: _Game[C], slot: int, result: _Result) -> None:
        number, info = game.playing[slot], result.info
        episode = game.episodes[number]
        shown, saved, choice = game.asked.pop(slot)
        goals = tuple(goal.text for goal in saved.episode.goals)
        point = saved if self._keep_points else None
        error = info.get("error")
        message = "" if error is None else str(error)[:LONGEST_MESSAGE]
        episode.steps.append(Step(shown, choice, result.reward, error is not None, point, goals, message))
        for name, value in info.get("reward_terms", {}).items():
            episode.reward_terms[name] = episode.reward_terms.get(name, 0.0) + float(value)
        self._goals[slot] = result.goals
        if result.over:
            episode.outcome = Outcome(info["outcome"])
            episode.tactics = tuple(info["tactics"])
            axioms = info.get("axioms")
            episode.axioms = None if axioms is None else tuple(axioms)
            del game.playing[slot], game.episodes[number]
            game.supply.ended(number, episode)
            self._on_end()

    def _drain(self) -> None:
        """Receive the pending results, so that the environment can be used again."""
        with suppress(NoAsyncCallError):  # a failed call is no longer pending
            while self._under_way:
                self._under_way -= set(self.env.recv(len(self._under_way)).env_ids.tolist())
        self._under_way.clear()


@dataclass(frozen=True, slots=True)
class _Result:
    """Result of one tactic."""

    goals: str
    reward: float
    over: bool
    info: Mapping[str, Any]


class _Listed(Generic[C]):
    """Supply of given episodes."""

    def __init__(self, starts: Sequence[Start]) -> None:
        self._waiting = deque(starts)
        self.found: dict[int, Trajectory[C]] = {}

    @property
    def more(self) -> bool:
        return bool(self._waiting)

    def take(self, most: int) -> list[Start]:
        return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]

    def ended(self, number: int, episode: Trajectory[C]) -> None:
        self.found[number] = episode


@dataclass(slots=True)
class _Game(Generic[C]):
    """Episodes being played, and their pending tactics."""

    supply: Supply[C]
    ends: Callable[[C], bool] | None = None
    max_steps: int = 1
    playing: dict[int, int] = field(default_factory=dict)
    """Sub-environment -> episode number."""
    episodes: dict[int, Trajectory[C]] = field(default_factory=dict)
    """Episode number -> the episode so far, while it is played."""
    shown: dict[int, tuple[str, Point]] = field(default_factory=dict)
    """Sub-environment -> text shown to its episode, which has no answer yet, and point of the question."""
    asked: dict[int, tuple[str, Point, C]] = field(default_factory=dict)
    """Sub-environment -> text shown to its episode, point of the choice, and choice made."""
    results: dict[int, _Result] = field(default_factory=dict)
    """Sub-environment -> result received before its cohort's turn."""
