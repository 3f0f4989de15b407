"""Settings of the environment and of the prover behind it, in the section `env` of every program.

    env:
      tactic_seconds: 1.0
      backend_options: {repl_command: [minilean-repl]}

`env: LeanProof-v0` in a file is the same as `env: {id: LeanProof-v0}`; the flag of `id` is `--env`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, model_validator

from trainers.config.base import Count, CountOrZero, Positive, Settings, shortened

_ID: Final = re.compile(r"(?:[\w.-]+:)?(?:[\w-]+/)?[\w.-]+")
"""`Name-v0`, with a namespace `space/Name-v0` and a module to import before `module:Name-v0`."""


def _check_id(name: str) -> str:
    if not _ID.fullmatch(name):
        raise ValueError(
            f"expected a name such as LeanProof-v0 or package.module:Name-v0, got {shortened(name)}"
        )
    return name


class EnvConfig(Settings):
    """The environment and the prover behind it; the options of `LeanProof-v0` that no other section has."""

    id: Annotated[str, AfterValidator(_check_id)] = "LeanProof-v0"
    """Gymnasium id of the vector environment."""
    backend_options: dict[str, Any] = Field(default_factory=dict)
    """Options of the backend, e.g. `{"repl_command": ["pantograph-repl"], "project_path": "FOLDER"}`; JSON on the
    command line; see docs/lean_gym/pantograph.md."""
    tactic_seconds: Positive = 10.0
    """Wall-clock seconds for one tactic; then it is refused."""
    verify_seconds: Positive = 60.0
    """Wall-clock seconds for the replay of a finished proof; then the proof is rejected. Also those for trying a whole
    proof."""
    max_seconds: Positive | None = None
    """Wall-clock seconds of proving per episode; null sets no limit. Sampling does not count."""
    verify: Literal["full", "replay", "independent"] = "full"
    """`full`: a proof is compiled from scratch and its axioms are listed; `independent`: it is exported, and a process
    that never saw the script checks it in another kernel; `replay` also accepts a prover that can only run the tactics
    again. See docs/lean_gym/verification.md."""
    permitted_axioms: list[str] | None = None
    """Axioms that a proof may depend on, JSON on the command line; null permits the three of Lean."""
    max_tactic_chars: Count = 4096
    """Longest tactic, in characters; a longer one is refused without reaching the prover."""
    max_answer_chars: Count = 65536
    """Longest answer with a whole proof, in characters, thinking included; a longer one is a failed attempt."""
    max_observation_chars: Count = 16384
    """Longest text of the goals, in characters; the rest is cut off."""
    cache_size: CountOrZero = 4096
    """Tactic results and verdicts kept per prover; 0 keeps none. The last replay of found proofs keeps none anyway."""
    memory_mib: Count = 8192
    """Memory of one prover process, MiB; a tactic that needs more is stopped."""
    recycle_after: Count = 10_000
    """Theorems that a prover process starts before a fresh one takes its place."""
    pool: Literal["processes", "ray"] = "processes"
    """`processes`: prover processes on this machine; `ray`: on the nodes of the Ray cluster at RAY_ADDRESS, or of one
    that is started here. Then `workers` counts those of all nodes, and 0 means one per free CPU. See
    docs/lean_gym/ray.md."""
    ignore_imports: bool = False
    """Let minilean, which has its own library only, start theorems that import other modules, e.g. Mathlib, without
    them. A statement that needs them then does not elaborate, or means something else."""

    @model_validator(mode="before")
    @classmethod
    def _from_id(cls, values: Any) -> Any:
        return in_full(values)

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of the environment: those that differ from its own defaults."""
        usual = EnvConfig()
        changed = {name: value for name, value in self if value != getattr(usual, name)}
        changed.pop("id", None)
        if changed.pop("ignore_imports", False):
            changed["backend_options"] = {**self.backend_options, "ignore_imports": True}
        return changed


def in_full(section: Any) -> Any:
    """Return the section `env` of a file as a mapping, where it is the id alone; anything else as it is."""
    return {"id": section} if isinstance(section, str) else section


def with_full_env(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a file with the section `env` as a mapping, to which flags can be added."""
    return {name: in_full(value) if name == "env" else value for name, value in values.items()}
