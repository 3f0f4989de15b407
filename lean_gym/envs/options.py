"""Keyword options of `LeanProof-v0`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from types import MappingProxyType
from typing import Any

from lean_gym.envs.arguments import check_count, check_options, check_seconds
from lean_gym.envs.attempts import ACTIONS
from lean_gym.errors import call_with_options, unknown_name
from lean_gym.execution import ProverOptions
from lean_gym.verification.forbidden import check_forbid
from lean_gym.verification.verify import PERMITTED_AXIOMS, check_level, check_permitted_axioms

_NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class EpisodeOptions:
    """The keyword options of `LeanProof-v0`, the same for one environment and for many."""

    actions: str = "tactic"
    """`"tactic"`: an action is one tactic; `"proof"`: it is a text that holds a whole proof, checked as one."""
    max_repairs: int = 0
    """With whole proofs: attempts after the first one, each of which is shown the errors of the one before."""
    max_answer_chars: int = 65536
    """With whole proofs: longest action, thinking included; a longer one is a failed attempt."""
    max_steps: int = 32
    """Tactics per episode, refused ones included; then the episode is truncated. Not used with whole proofs, whose
    episodes have `1 + max_repairs` attempts."""
    max_seconds: float | None = None
    """Wall-clock seconds of proving per episode; `None` for no limit. The agent's own time does not count."""
    tactic_seconds: float = 10.0
    """Wall-clock seconds for one tactic; then it is refused."""
    verify_seconds: float = 60.0
    """Wall-clock seconds for the replay of a finished proof; then the proof is rejected. Also those for trying a whole
    proof, errors included."""
    permitted_axioms: tuple[str, ...] = PERMITTED_AXIOMS
    """Axioms that a proof may depend on."""
    max_tactic_chars: int = 4096
    """Longest tactic; a longer one is refused without reaching the prover."""
    max_goal_chars: int | None = None
    """Longest text of all goals that a tactic may leave; one that leaves more is refused. `None` for no limit. Some
    tactics, such as `rw [← h]` with `h : f x x = x`, are never refused and make a goal larger every time. Not used with
    whole proofs."""
    forbid: tuple[str, ...] | str = ()
    """First words of tactics that are refused wherever they stand, inside combinators and terms too; `"automation"`
    names the list `lean_gym.verification.forbidden.AUTOMATION`. A dial of difficulty, no security."""
    max_observation_chars: int = 16384
    """Longest observation; longer goals are cut, with a last line saying so. `info["goals"]` is never cut."""
    verify: str = "full"
    """`"full"`: a proof is compiled from scratch and its axioms are listed; `"independent"`: it is exported, and a
    process that never saw the script checks it in another kernel; `"replay"` also accepts a prover that can only run
    the tactics again, see `info["verification"]`."""
    cache_size: int = 4096
    """Tactic results and verdicts to keep per prover; 0 for none."""
    memory_mib: int = 8192
    """Most memory of one process, MiB, pages of files not counted: of each worker, and of each process of real Lean. A
    tactic that needs more is stopped. The memory of this process itself is not watched."""
    recycle_after: int = 10_000
    """Theorems that a worker process starts before a fresh one takes its place."""
    backend_options: Mapping[str, Any] = field(default_factory=lambda: _NO_OPTIONS)
    """Keyword arguments of a backend given by name."""
    reward_options: Mapping[str, Any] = field(default_factory=lambda: _NO_OPTIONS)
    """Keyword arguments of a reward given by name."""

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ValueError: A limit that no episode could keep.
        """
        for name in ("max_steps", "max_tactic_chars", "max_answer_chars", "max_observation_chars"):
            check_count(name, getattr(self, name), 1)
        if self.max_goal_chars is not None:
            check_count("max_goal_chars", self.max_goal_chars, 1)
        for name in ("memory_mib", "recycle_after"):
            check_count(name, getattr(self, name), 1)
        for name in ("cache_size", "max_repairs"):
            check_count(name, getattr(self, name), 0)
        if self.actions not in ACTIONS:
            raise ValueError(unknown_name("actions", str(self.actions), ACTIONS))
        if self.max_repairs and not self.whole_proofs:
            raise ValueError(
                f"max_repairs: got {self.max_repairs}, and only whole proofs are repaired; expected actions='proof'"
            )
        for name in ("tactic_seconds", "verify_seconds"):
            check_seconds(name, getattr(self, name))
        if self.max_seconds is not None:
            check_seconds("max_seconds", self.max_seconds)
        for name in ("backend_options", "reward_options"):
            check_options(name, getattr(self, name))
        check_level(self.verify)
        object.__setattr__(self, "forbid", check_forbid(self.forbid))
        # A configuration file gives a list; options are hashed and sent to other processes.
        object.__setattr__(self, "permitted_axioms", check_permitted_axioms(self.permitted_axioms))

    @classmethod
    def create(cls, options: Mapping[str, Any], environment: type) -> EpisodeOptions:
        """Build from a user's keyword arguments.

        Args:
            options: Those that the environment's own signature does not name.
            environment: Class of the environment, whose other arguments may have been meant.

        Raises:
            ValueError: An unknown option (with a suggestion) or a value out of range.
        """
        named = {
            name for name, one in signature(environment).parameters.items() if one.kind is not one.VAR_KEYWORD
        }
        created: EpisodeOptions = call_with_options("LeanProof-v0", cls, options, beside=named)
        return created

    @property
    def whole_proofs(self) -> bool:
        """Return whether an action is a whole proof."""
        return self.actions == "proof"

    @property
    def most_steps(self) -> int:
        """Number of actions after which an episode is truncated."""
        return 1 + self.max_repairs if self.whole_proofs else self.max_steps

    @property
    def max_action_chars(self) -> int:
        """Longest action."""
        return self.max_answer_chars if self.whole_proofs else self.max_tactic_chars

    @property
    def prover(self) -> ProverOptions:
        """The part of the options that the prover needs."""
        return ProverOptions(
            self.permitted_axioms,
            self.verify_seconds,
            self.cache_size,
            self.verify,
            max_goal_chars=self.max_goal_chars,
        )
