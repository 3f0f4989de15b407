"""The yardstick of a results table: what a fixed list of automation scripts proves on the same theorems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from envs_data.automation import measure
from lean_gym.backends.registry import results_key
from lean_gym.types import Theorem
from lean_gym.verification.forbidden import uses_automation
from trainers.config.run import ProgramConfig
from trainers.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Shares that automation proves, from 0 to 1, one attempt a script.

    Attributes:
        best: Share that the best single script proves.
        any: Share that at least one script proves.
        script: The best single script; empty if the rows say that none proves anything.
    """

    best: float
    any: float
    script: str

    @property
    def line(self) -> str:
        """Return the shares as a text."""
        script = f" (`{self.script}`)" if self.script else ""
        return f"automation: best single script {self.best:.1%}{script}, any script {self.any:.1%}"

    @property
    def plain(self) -> dict[str, Any]:
        """Return the shares as plain data."""
        return asdict(self)


def measure_automation(
    theorems: Sequence[Theorem], config: ProgramConfig, on_theorem: Callable[[int], None]
) -> Yardstick:
    """Try the scripts of `envs_data.automation` on theorems; on minilean, results are cached from run to run.

    The scripts are tried without the environment's option `forbid`. On minilean, a theorem whose row says
    `automation: false` counts as tried: no script proves it.

    Args:
        theorems: At least one.
        config: Names the prover, its options and the number of its processes.
        on_theorem: Told the number of theorems that are done; may raise to stop.

    Raises:
        ConfigError: Unknown backend, or options that it does not take.
        BackendError: The prover cannot be used.
    """
    options = config.env.options.get("backend_options")
    try:
        flags_hold = results_key(config.backend, options or {}) is not None
        unknown = [each for each in theorems if not (flags_hold and each.automation is False)]
        if not unknown:
            return Yardstick(0.0, 0.0, "")
        measured = measure(
            unknown,
            config.backend,
            config.workers or None,
            on_theorem=on_theorem,
            backend_options=options,
        )
    except (ValueError, TypeError) as error:
        raise ConfigError(str(error)) from None
    share = len(unknown) / len(theorems)
    return Yardstick(share * measured.best, share * measured.any, measured.best_script)


def automation_share(proofs: Iterable[Mapping[str, Any]]) -> float | None:
    """Return the share of proofs (rows of `proofs.jsonl`) that use automation anywhere; `None` without proofs."""
    using = [uses_automation(row["tactics"]) for row in proofs]
    return sum(using) / len(using) if using else None
