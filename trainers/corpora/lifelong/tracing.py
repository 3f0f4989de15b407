"""Tracing of projects in a course and for the database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from lean_gym.backends.registry import resolve_name
from lean_gym.errors import LeanGymError
from lean_gym.tracing import trace
from trainers.corpora.lifelong.seams import Tracer
from trainers.errors import ConfigError
from trainers.runtime.terminal import warn

_TRACING: Final[tuple[str, ...]] = ("repl_command", "lean_path", "sandbox", "start_seconds")
"""Options of the backend for real Lean that the tracer takes."""


def tracer_of(chosen: str, given: Mapping[str, Any], on_file: Callable[[], None] = lambda: None) -> Tracer:
    """Return the tracer of projects for a backend, `auto` or by its name, with its options.

    Args:
        chosen: The backend.
        given: Its options.
        on_file: Called after each file; may raise to stop. Files that are traced are not traced again.
    """
    on_lean = resolve_name(chosen, given) == "pantograph"
    options = {name: given[name] for name in _TRACING if name in given} if on_lean else None

    def traced(source: str, out: Path) -> None:
        backend = "pantograph" if on_lean else "minilean"
        try:
            summary = trace(
                source,
                out,
                jsonl=True,
                backend=backend,
                backend_options=options,
                on_progress=lambda *_: on_file(),
            )
        except (ValueError, LeanGymError) as error:
            raise ConfigError(f"{source} cannot be traced: {error}") from None
        for file in summary.files:
            if file.reason:
                warn(f"{source}: {file.path}: {file.status}: {file.reason}")

    return traced
