"""LeanProof-v0: one theorem at a time, one tactic a step."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import gymnasium as gym
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from lean_gym.backends.registry import BackendSource, backend_factory
from lean_gym.datasets import TheoremBook, TheoremSource, load_theorems
from lean_gym.envs.acceptance import Acceptance
from lean_gym.envs.arguments import (
    RENDER_MODES,
    check_render_mode,
    check_reset_options,
    check_tactic,
    refuse_copy,
)
from lean_gym.envs.episode import Episode
from lean_gym.envs.options import EpisodeOptions
from lean_gym.envs.picture import draw_text
from lean_gym.envs.spaces import GoalSpace, TacticSpace
from lean_gym.errors import excerpt
from lean_gym.execution import HeldState, Job, JobRunner
from lean_gym.rewards import RewardSource, create_reward
from lean_gym.types import ProofBackend, Theorem

_SLOT = 0
_BESIDE = 1
"""Slot of tactics that are tried beside the episode, whose state stays where it is."""


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Snapshot:
    """A saved point of an episode, made by `LeanProofEnv.save` and valid for that environment only."""

    _owner: object
    _episode: Episode
    _held: HeldState | None

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied.

        Raises:
            TypeError: Always; the text says what to do instead.
        """
        raise TypeError(
            "a saved point belongs to its environment and cannot be pickled or copied; keep info['tactics'], and step "
            "them again after reset(options={'theorem': name})"
        )


class LeanProofEnv(gym.Env[str, str]):
    """Prove a Lean 4 theorem, one tactic at a time.

    ## Action Space
    One tactic as text (`TacticSpace`). Text that is no tactic, or does not apply, is refused by the prover:
    the goals stay as they are and the step counts.

    With `actions="proof"` an action is an answer that holds a whole proof, read by `lean_gym.datasets.proof_in`: a
    tactic script, a `by` block or the theorem with its proof, also below thinking and in a fenced block. It is tried as
    one block; one that fails leaves nothing behind.

    ## Observation Space
    The open goals as Lean prints them (`GoalSpace`), cut at `max_observation_chars` with a last line saying
    so. With `actions="proof"` the theorem's context and its statement up to `:= by`; after a failed attempt the
    declaration as it was checked and Lean's errors with their positions in it and the goals there; a text that could
    not be read, below the statement, and the reason.

    ## Info
    `theorem` (name), `goals` (tuple of `Goal`, never cut), `outcome` (see `lean_gym.types.Outcome`), `error`,
    `messages`, `reward_terms` (term name -> value), `tactics` (accepted so far), `axioms` and
    `verification` (of a judged proof, else `None`), `steps`, `is_success`, `undeclared` (names that nothing
    declares, of which Lean made variables of the theorem: it is another one than was meant), `redefined` (words that
    the context gives another meaning than Lean's library: the statement does not say what it shows). With
    `actions="proof"` also `attempt` (the last declaration as it was checked, or the text that could not be read)
    and `errors` (tuple of `lean_gym.types.ScriptError`, positions relative to `attempt`).

    ## Rewards
    `"binary"`: 1 for a verified proof and 0 for everything else; another name of `docs/lean_gym/rewards.md`; a
    mixture such as `"novelty:0.3+efficiency:0.2"`; or a function of `lean_gym.rewards.Transition`.

    ## Starting State
    The theorem named by `reset(options={"theorem": name})`, otherwise one drawn uniformly with the
    environment's random generator.

    ## Episode End
    Terminated: no goals are left and the script, replayed from scratch, proves the statement (`"proved"`) or
    does not (`"rejected"`); or the theorem kills the prover and is given up (`"crashed"`). Truncated:
    `max_steps` or `max_seconds` is spent. Gymnasium's own `max_episode_steps` cuts from outside and sets no
    outcome; use `max_steps`. With `actions="proof"` an attempt that fails, also by verification, is `"tactic_error"`,
    and after `1 + max_repairs` of them the episode is truncated.

    Args:
        theorems: A set name (`"logic"`, `"logic:train"`), the path of a JSONL file, or a list of theorems,
            rows or statements.
        backend: A registered name, a function that makes a backend, or a backend (which the caller closes).
        reward: A registered name, a mixture, a `Reward`, or a function.
        render_mode: `"ansi"`: `render` returns text; `"human"`: every reset and step prints it; `"rgb_array"`:
            `render` returns a picture, for `RecordVideo` (`lean-gym[render]`).
        **options: `max_steps`, `max_seconds`, `tactic_seconds`, `forbid`, and the others of `EpisodeOptions`.

    ## Version History
    * v0: first version.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # type: ignore[misc]

    def __init__(
        self,
        theorems: TheoremSource = "logic",
        backend: BackendSource = "auto",
        reward: RewardSource = "binary",
        *,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        self._options = EpisodeOptions.create(options, type(self))
        self._theorems = TheoremBook(load_theorems(theorems))
        self._prover = JobRunner(_own_backend(backend, self._options), self._options.prover)
        self.action_space = TacticSpace(self._options.max_action_chars)
        self.observation_space = GoalSpace(self._options.max_observation_chars)
        self._acceptance = Acceptance(self._options)
        self._identity = object()
        self._episode: Episode | None = None
        self._closed = False
        self.set_reward(reward, **self._options.reward_options)

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """The theorems that episodes are drawn from."""
        return self._theorems.all

    @property
    def backend_name(self) -> str:
        """Name of the backend that proves, `"auto"` resolved."""
        return self._prover.open()

    def __getstate__(self) -> None:
        refuse_copy("LeanProofEnv")

    def set_reward(self, source: RewardSource, **options: Any) -> None:
        """Use another reward from the next step on, also within the present episode.

        What an episode has earned stays as it is.

        Args:
            source: As the argument `reward` of the environment.
            **options: Options of a reward given by name.

        Raises:
            ValueError: No such reward or option, or `source` is no reward; the reward stays as it is.
        """
        self._reward = create_reward(source, **options)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Seeds the draws of theorems, from this one on.
            options: `{"theorem": name}` to choose the theorem, or a `Theorem` to prove one that is in no set.

        Returns:
            The first observation and info.

        Raises:
            ValueError: An unknown option or theorem.
            DataError: The theorem's statement does not elaborate.
            BackendError: The prover cannot be started.
        """
        super().reset(seed=seed)
        self._check_open("reset")
        check_reset_options(options, ("theorem",))
        theorem = self._theorems.find((options or {}).get("theorem"))
        if theorem is None:
            theorem = self._theorems.draw(self.np_random)
        self._episode = None
        reply = self._prover.run(Job(_SLOT, theorem))
        if reply.failure is not None:
            raise reply.failure
        return self._show(Episode.start(theorem, reply, self._options.whole_proofs))

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Try one tactic on the main goal.

        Args:
            action: The tactic's text.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            TypeError: The action is no string.
            ResetNeeded: There is no episode, or it has ended.
        """
        episode = self._running("step")
        tactic = check_tactic(action)
        reply = episode.refuse(tactic, self._options)
        if reply is None:
            reply = self._prover.run(episode.job(_SLOT, tactic, self._options))
        if reply.failure is not None:
            raise reply.failure
        episode = episode.advance(tactic, reply, self._options, self._reward)
        observation, info = self._show(episode)
        return observation, episode.reward, episode.terminated, episode.truncated, info

    def accepts(self, tactics: Sequence[str]) -> tuple[bool, ...]:
        """Try tactics beside the episode, which stays as it is: no step is counted, no reward is computed.

        Each tactic costs as much as a step, a finished proof is verified, and the answers are kept by state. A step
        with a tactic that was tried is answered from the cache of tactic results. One that kills the prover counts
        against its theorem, as a step with it does.

        Args:
            tactics: `m` tactics.

        Returns:
            For each of them whether the present state accepts it; `m` times false once the episode has ended.

        Raises:
            TypeError: A tactic is no string.
            ResetNeeded: There is no episode.
        """
        self._check_open("accepts")
        if self._episode is None:
            raise ResetNeeded("accepts: there is no episode; call reset() first")
        asked = [check_tactic(tactic) for tactic in tactics]
        answers = self._acceptance.ask(
            {_BESIDE: self._episode}, asked, lambda jobs: [self._prover.run(job) for job in jobs]
        )
        return answers[_BESIDE]

    def save(self) -> Snapshot:
        """Save the present point of the episode, in constant time: states are immutable, nothing is copied.

        Raises:
            ResetNeeded: There is no episode.
        """
        if self._episode is None:
            raise ResetNeeded("save: there is no episode; call reset() first")
        held = self._prover.hold(_SLOT)
        snapshot = Snapshot(self._identity, self._episode, held)
        if held is not None:
            weakref.finalize(snapshot, self._prover.drop, held)
        return snapshot

    def restore(self, snapshot: object) -> tuple[str, dict[str, Any]]:
        """Go back to a saved point: goals, script, steps and budgets are exactly as they were.

        Args:
            snapshot: From `save` of this environment, for the theorem of the present episode.

        Returns:
            The observation and info of that point.

        Raises:
            ValueError: The snapshot is of another environment or another theorem.
        """
        self._check_open("restore")
        if not isinstance(snapshot, Snapshot) or snapshot._owner is not self._identity:
            raise ValueError(
                f"restore: got {excerpt(snapshot)}, expected a snapshot that this environment's save() made"
            )
        saved = snapshot._episode
        if self._episode is None or self._episode.theorem != saved.theorem:
            now = "no theorem" if self._episode is None else repr(self._episode.theorem.name)
            raise ValueError(
                f"restore: got a snapshot of theorem {saved.theorem.name!r}, but {now} is being proved; "
                f"call reset(options={{'theorem': {saved.theorem.name!r}}}) first"
            )
        self._prover.resume(_SLOT, saved.theorem, saved.tactics, snapshot._held)
        return self._show(saved)

    def render(self) -> Any:
        """Show the episode: returned as text in mode `"ansi"`, as a picture in `"rgb_array"`, printed in `"human"`.

        A picture is an array of 8-bit red, green and blue, (540, 960, 3).

        Raises:
            ResetNeeded: There is no episode.
        """
        if self.render_mode is None:
            return None
        if self._episode is None:
            raise ResetNeeded("render: there is no episode; call reset() first")
        text = self._episode.render(self._options)
        if self.render_mode == "ansi":
            return text
        if self.render_mode == "rgb_array":
            return draw_text(text)
        print(text, end="\n\n", flush=True)
        return None

    def close(self) -> None:
        """Close the prover; calling it twice is allowed."""
        self._closed = True
        self._prover.close()

    def _show(self, episode: Episode) -> tuple[str, dict[str, Any]]:
        self._episode = episode
        if self.render_mode == "human":
            self.render()
        return episode.observation(self._options), episode.info()

    def _running(self, method: str) -> Episode:
        self._check_open(method)
        if self._episode is None:
            raise ResetNeeded(f"{method}: there is no episode; call reset() first")
        if self._episode.ended:
            raise ResetNeeded(
                f"{method}: the episode has ended ({self._episode.outcome.value}); call reset() first"
            )
        return self._episode

    def _check_open(self, method: str) -> None:
        if self._closed:
            raise ClosedEnvironmentError(f"{method}: the environment is closed; make a new one")


def _own_backend(backend: BackendSource, options: EpisodeOptions) -> Any:
    if isinstance(backend, ProofBackend) and not callable(backend):
        return backend
    return backend_factory(backend, options.backend_options, options.verify, options.memory_mib)
