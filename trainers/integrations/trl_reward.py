"""Reward function for a stock `trl.GRPOTrainer`: rewards of episodes, or whole proofs judged by the environment.

This module does not import TRL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from lean_gym import LeanProofVectorEnv
from lean_gym.datasets import proof_in
from lean_gym.types import Outcome, Theorem
from trainers.rollouts.env import Script, is_whole_proof
from trainers.rollouts.player import EpisodePlayer, Trajectory
from trainers.rollouts.replay import Scripted, play_scripts

_BUDGET = 64
"""Largest number of tactics of a script that is accepted."""


class LeanReward:
    """Reward function that `make_reward_func` makes.

    With `make_rollout_func`, it returns the reward of each episode. Without it, a completion is read by
    `lean_gym.datasets.proof_in`; the tactics in it are replayed, and it earns 1.0 if and only if all of them are a
    verified proof of the row's `theorem`, otherwise 0.0.

    Attributes:
        results: Number of whole proofs so far by result: `proved`, a value of `lean_gym.datasets.Refusal` for an
            answer without tactics to try, `unknown_theorem`, `tactic_error`, `goals_left`, or the `Outcome` of an
            episode that ended otherwise. TRL logs the shares as `answers/RESULT`.
        latest: (result, reason) of each completion of the last call, the reason in one line, `""` if there is none.
    """

    def __init__(self, theorems: Sequence[Theorem] | None, env_options: dict[str, Any]) -> None:
        self.__name__ = "lean_reward"  # TRL names the reward by it
        self.results: Counter[str] = Counter()
        self.latest: list[tuple[str, str]] = []
        self._theorems = None if theorems is None else {theorem.name: theorem for theorem in theorems}
        self._options: dict[str, Any] = {"max_steps": _BUDGET, "reward": "binary"} | env_options
        self._player: EpisodePlayer | None = None

    def close(self) -> None:
        """Stop the provers; otherwise they end with the program."""
        if self._player is not None:
            self._player.env.close()
            self._player = None

    def __call__(
        self,
        completions: Sequence[Any],
        episode_reward: Sequence[float] | None = None,
        theorem: Sequence[str] | None = None,
        log_metric: Callable[[str, float], None] | None = None,
        **_: Any,
    ) -> list[float]:
        """Return one reward per completion.

        Raises:
            ValueError: There are neither episodes nor theorems.
        """
        if episode_reward is not None:
            return [float(value) for value in episode_reward]
        if self._theorems is None or theorem is None:
            raise ValueError(
                "lean_reward: got completions without episodes; add rollout_func=make_rollout_func(...), or give "
                "make_reward_func the theorems and the data set a column 'theorem'"
            )
        self.latest = self._judged(self._theorems, theorem, [_text(completion) for completion in completions])
        counts = Counter(result for result, _ in self.latest)
        self.results.update(counts)
        # TRL averages what it gets, so a result that was seen once is reported every time.
        if log_metric is not None:
            for result in self.results:
                log_metric(f"answers/{result}", counts[result] / len(self.latest))
        return [float(result == Outcome.PROVED.value) for result, _ in self.latest]

    def _judged(
        self, theorems: dict[str, Theorem], names: Sequence[str], texts: Sequence[str]
    ) -> list[tuple[str, str]]:
        """Return result and reason of each answer."""
        found = [("unknown_theorem", f"theorem: got {name!r}, which is not in the set") for name in names]
        scripts: dict[int, Script] = {}
        for at, (name, text) in enumerate(zip(names, texts, strict=True)):
            if name in theorems:
                answer = proof_in(text, theorems[name])
                if answer.refusal is None:
                    scripts[at] = answer.tactics
                else:
                    found[at] = (answer.refusal.value, answer.detail)
        if not scripts:
            return found
        if self._player is None:
            self._player = EpisodePlayer(
                LeanProofVectorEnv(len(names), list(theorems.values()), **self._options)
            )
        episodes = play_scripts(self._player, [(names[at], script) for at, script in scripts.items()])
        for (at, script), episode in zip(scripts.items(), episodes, strict=True):
            found[at] = _result(episode, script)
        return found


def _result(episode: Trajectory[Scripted], script: Script) -> tuple[str, str]:
    """Return result and reason of an episode that played an answer."""
    if is_whole_proof(episode, script):
        return Outcome.PROVED.value, ""
    refused = next((step for step in episode.steps[: len(script)] if step.refused), None)
    if refused is not None:
        return Outcome.TACTIC_ERROR.value, f"refused: {refused.choice.text}"
    if episode.outcome is Outcome.STEP_LIMIT and len(script) < len(episode.steps):
        return "goals_left", f"goals are left after all {len(script)} tactics"
    if episode.proved:
        return Outcome.TACTIC_ERROR.value, "tactics are left after the end of the proof"
    return episode.outcome.value, ""


def _text(completion: Any) -> str:
    return completion if isinstance(completion, str) else str(completion[-1]["content"])
