"""Theorem sets as a taskset for verifiers (0.4, its API v1): `pip install 'lean-gym[verifiers]'`.

    vf-eval lean-gym-verifiers --env.taskset.theorems logic:test --env.agent.harness.id null
    vf-eval lean-gym-verifiers --env.taskset.task.mode proof ...

With the mode `tactics` the model calls the tool `apply_tactic`, which runs in a process of its own for each rollout;
with `proof` it answers with a whole proof. Both earn the verdict on the tactics, which this process replays from the
bare statement after the rollout: what the tool's process or the model says about them counts for nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Literal

import verifiers.v1 as vf
from pydantic import Field
from verifiers.v1.mcp import Toolset, ToolsetConfig

from lean_gym.datasets import load_theorems, proof_in
from lean_gym.envs.env import LeanProofEnv
from lean_gym.errors import DataError
from lean_gym.integrations.shared_provers import process_provers
from lean_gym.types import Theorem

INSTRUCTIONS = {
    "tactics": "Prove the theorem in Lean 4 with the tool apply_tactic, one tactic per call. After each call you see "
    "the goals that are left. Stop when the theorem is proved.",
    "proof": "Prove the theorem in Lean 4. Answer with the theorem and its whole proof in one ```lean block.",
}
_MOST_STEPS = 64
"""Tactics of a proof, and calls of the tool."""


class LeanData(vf.TaskData):  # type: ignore[misc]
    """A theorem as verifiers stores it, without its reference proof."""

    theorem: str
    statement: str
    context: str
    imports: tuple[str, ...]
    domain: str
    position: str
    permitted_axioms: tuple[str, ...] | None

    def as_theorem(self) -> Theorem:
        """Return the theorem."""
        return Theorem(
            self.theorem,
            self.statement,
            self.context,
            self.imports,
            domain=self.domain,
            position=self.position,
            permitted_axioms=self.permitted_axioms,
        )


class LeanState(vf.State):  # type: ignore[misc]
    """The accepted tactics, from the tool to the scoring."""

    tactics: list[str] = Field(default_factory=list)


class LeanTools(Toolset[ToolsetConfig, LeanState]):  # type: ignore[misc]
    """Tool of one rollout, in a process of its own."""

    TOOL_PREFIX = None

    async def setup_task(self, task: LeanData) -> None:
        """Start the episode."""
        theorem = task.as_theorem()
        self._env = LeanProofEnv([theorem], max_steps=_MOST_STEPS)
        self._env.reset()
        self._over = ""

    @vf.tool  # type: ignore[untyped-decorator]
    def apply_tactic(self, tactic: str) -> str:
        """Apply one Lean 4 tactic, without `by`, to the first goal; returns the goals that are left, or an error."""
        if self._over:
            return f"no tactic can be applied: {self._over}"
        goals, _, terminated, truncated, info = self._env.step(tactic)
        self.state.tactics = list(info["tactics"])
        if terminated or truncated:
            self._over = f"the attempt has ended ({info['outcome']})"
        if info["is_success"]:
            return "The theorem is proved."
        return f"error: {info['error']}\n\n{goals}" if info["error"] is not None else goals


class LeanTaskConfig(vf.TaskConfig):  # type: ignore[misc]
    """Settings of a task."""

    mode: Literal["tactics", "proof"] = "tactics"
    """`tactics`: by tool calls; `proof`: the whole proof in the last answer."""
    tools: ToolsetConfig = ToolsetConfig()
    """Place of the tool's process."""


class LeanTask(vf.Task[LeanData, LeanState, LeanTaskConfig]):  # type: ignore[misc]
    """Proof of one theorem."""

    @property
    def key(self) -> str:
        """Name of the theorem, which is unique in its set."""
        return str(self.data.theorem)

    @classmethod
    def toolsets(cls, config: LeanTaskConfig) -> list[Toolset]:
        """Return the tool, for the mode `tactics`."""
        return [LeanTools(config.tools)] if config.mode == "tactics" else []

    @vf.reward(weight=1.0)  # type: ignore[untyped-decorator]
    async def proved(self, trace: vf.Trace) -> float:
        """Return 1 for a verified proof, else 0.

        Raises:
            CanaryProved: A false theorem counts as proved.
            BackendError: The prover cannot be started.
        """
        theorem = self.data.as_theorem()
        if self.config.mode == "proof":
            tactics = proof_in(trace.last_reply, theorem).tactics
        else:
            tactics = tuple(trace.state.tactics)
        return float(await asyncio.to_thread(_is_proof, theorem, tactics))


class LeanConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Settings of the taskset."""

    theorems: str = "logic:train"
    """A theorem set as `LeanProof-v0` takes it: a name, `logic:test`, or a path."""
    task: LeanTaskConfig = LeanTaskConfig()


class LeanTaskset(vf.Taskset[LeanTask, LeanConfig]):  # type: ignore[misc]
    """The theorems of a set."""

    def load(self) -> Iterator[LeanTask]:
        """Yield a task for each theorem.

        Raises:
            DataError: The set cannot be read.
        """
        instruction = INSTRUCTIONS[self.config.task.mode]
        for theorem in load_theorems(self.config.theorems):
            data = LeanData(
                name=theorem.name,
                prompt="\n\n".join(filter(None, [instruction, theorem.context, theorem.statement])),
                theorem=theorem.name,
                statement=theorem.statement,
                context=theorem.context,
                imports=theorem.imports,
                domain=theorem.domain,
                position=theorem.position,
                permitted_axioms=theorem.permitted_axioms,
            )
            yield LeanTask(data, self.config.task)


def _is_proof(theorem: Theorem, tactics: tuple[str, ...]) -> bool:
    """Return whether these tactics, replayed from the bare statement, are a verified proof."""
    if not tactics:
        return False
    try:
        turn = process_provers(max_steps=_MOST_STEPS).session().reset(theorem, tactics)
    except DataError:
        raise
    except ValueError:  # a tactic is refused, or follows after the end
        return False
    return bool(turn.info["is_success"])


if __name__ == "__main__":  # verifiers starts the tool's process so
    LeanTools.run()
