"""A text environment for SkyRL (skyrl-gym 0.4): `pip install 'lean-gym[skyrl]'`.

    register()                                          # once in each process that makes environments
    rows = dataset_rows("logic:train")                  # to parquet, SkyRL's training data

Each answer of the model is one tactic, read by `lean_gym.datasets.tactic_in`; the next user turn shows the goals that
are left, or Lean's message. Environments of a process share its worker processes, so many may be stepped from threads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from lean_gym.datasets import TheoremSource, load_theorems, tactic_in
from lean_gym.datasets.formats.rows import theorem_from_row
from lean_gym.errors import excerpt
from lean_gym.integrations.shared_provers import process_provers
from lean_gym.integrations.task_sets import public_row

ENV_ID: Final = "lean_gym"
INSTRUCTION: Final = (
    "Prove the theorem in Lean 4. Answer with one tactic at a time; after each answer you see the goals that are "
    "left."
)


def register() -> None:
    """Register `LeanTextEnv` under `ENV_ID`.

    Raises:
        skyrl_gym.error.RegistrationError: It is registered already.
    """
    skyrl_gym.register(ENV_ID, entry_point="lean_gym.integrations.skyrl:LeanTextEnv")


def dataset_rows(theorems: TheoremSource) -> list[dict[str, Any]]:
    """Return rows of SkyRL's training data: prompt, environment, and the theorem without its reference proof.

    Raises:
        DataError: The set cannot be read.
    """
    return [
        {
            "data_source": ENV_ID,
            "env_class": ENV_ID,
            "prompt": [{"role": "user", "content": f"{INSTRUCTION}\n\n{theorem.statement}"}],
            "theorem": public_row(theorem),
        }
        for theorem in load_theorems(theorems)
    ]


class LeanTextEnv(BaseTextEnv):  # type: ignore[misc]
    """One episode.

    Args:
        env_config: Options of the environment, the same for all of a process: `processes`, and those of
            `LeanProofVectorEnv`, such as `max_steps`, `reward` or `backend`.
        extras: The row of the data set, with `theorem`, and optionally `max_turns`.
    """

    def __init__(
        self, env_config: Mapping[str, Any] | None = None, extras: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__()
        row = (extras or {}).get("theorem")
        if not isinstance(row, Mapping):
            raise ValueError(
                f"extras['theorem']: got {excerpt(row)}, expected the one of a row of dataset_rows"
            )
        self._theorem = theorem_from_row(row, "extras['theorem']")
        self._session = process_provers(**(env_config or {})).session()
        self.max_turns = (extras or {}).get("max_turns")
        self._refused = 0

    def init(self, prompt: list[dict[str, str]]) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Start the episode and append its goals to the last message of the prompt.

        Raises:
            DataError: The statement does not elaborate.
            BackendError: The prover cannot be started.
        """
        turn = self._session.reset(self._theorem)
        self.turns = self._refused = 0
        last = {**prompt[-1], "content": f"{prompt[-1]['content']}\n\n{turn.goals}"}
        return [*prompt[:-1], last], {"theorem": self._theorem.name}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Try the tactic of an answer; an answer without one is refused as the empty tactic is.

        Raises:
            ResetNeeded: There is no episode, or it has ended.
            CanaryProved: A false theorem counts as proved.
            BackendError: The prover cannot be started.
        """
        answer = tactic_in(action)
        turn = self._session.step(answer.text)
        self.turns += 1
        error = answer.detail or turn.info["error"]
        self._refused += error is not None
        done = turn.done or (self.max_turns is not None and self.turns >= self.max_turns)
        shown = f"error: {error}\n\n{turn.goals}" if error is not None else turn.goals
        return BaseTextEnvStepOutput(
            observations=[] if done else [{"role": "user", "content": shown}],
            reward=turn.reward,
            done=done,
            metadata={"outcome": turn.info["outcome"], "tactics": list(turn.info["tactics"])},
        )

    def get_metrics(self) -> dict[str, float]:
        """Return whether the theorem is proved, and numbers of tactics."""
        turn = self._session.turn
        proved = turn is not None and bool(turn.info["is_success"])
        return {"proved": float(proved), "tactics": float(self.turns), "refused": float(self._refused)}
