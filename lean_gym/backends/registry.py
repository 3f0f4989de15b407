"""Backends by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from lean_gym.errors import call_with_options, unknown_name
from lean_gym.types import ProofBackend, RegisteredBackend

BackendFactory = Callable[[], ProofBackend]
BackendSource = str | ProofBackend | BackendFactory


def _minilean() -> type[RegisteredBackend]:
    from lean_gym.backends.minilean import MinileanBackend

    return MinileanBackend


def _fake() -> type[RegisteredBackend]:
    from lean_gym.backends.fake import FakeBackend

    return FakeBackend


def _lean() -> type[RegisteredBackend]:
    from lean_gym.backends.lean import LeanBackend

    return LeanBackend


def _pantograph() -> type[RegisteredBackend]:
    from lean_gym.backends.pantograph import PantographBackend

    return PantographBackend


# Each entry imports its class when asked, so that choosing one backend never loads another.
_LOADERS: Final[dict[str, Callable[[], type[RegisteredBackend]]]] = {
    "fake": _fake,
    "lean": _lean,
    "minilean": _minilean,
    "pantograph": _pantograph,
}
_AUTO: Final = "auto"
_IN_PROCESSES: Final = frozenset(["lean", "pantograph"])
"""Backends whose tactics run, and are judged, in processes of their own, with the options `role` and `sandbox`.

It is no attribute of the classes: a process that leaves the proving to workers asks, and need not load minilean."""
_PRELOADS: Final = {"minilean": "lean_gym.backends.preloaded"}
_ROLES: Final = ("episodes", "judge")
_A_LEAN: Final = re.compile("lean|mathlib|repl|elan|lake", re.IGNORECASE)
"""Begins of names that mean some Lean."""


def backend_names() -> tuple[str, ...]:
    """The registered names, sorted. `"auto"` is real Lean where a REPL is found, else the embedded one."""
    return tuple(sorted([_AUTO, *_LOADERS]))


def resolve_name(name: str, options: Mapping[str, Any]) -> str:
    """Return the backend that a name stands for: `"auto"` depends on this machine.

    Args:
        name: One of `backend_names()`.
        options: The backend's options; with a `repl_command` among them `"auto"` is real Lean.

    Raises:
        ValueError: An unknown name.
    """
    if name == _AUTO:
        from lean_gym.backends.pantograph.discovery import search_repl

        asked_for = options.get("repl_command") is not None
        return "pantograph" if asked_for or search_repl().found is not None else "minilean"
    if name not in _LOADERS:
        raise ValueError(_unknown(name))
    return name


def _unknown(name: str) -> str:
    """Say that there is no backend of a name; who writes `lean4` has to choose between the Leans."""
    message = unknown_name("backend", name, backend_names())
    slip = name.lower().startswith("lean") and "did you mean" in message
    if slip or not _A_LEAN.match(name):
        return message
    choice = "did you mean 'lean' or 'pantograph', which are Lean itself, or 'minilean', the embedded one?"
    return re.sub(r"(; did you mean '\w+'\?)? \(known: ", f"; {choice} (known: ", message)


def results_key(name: str, options: Mapping[str, Any]) -> str | None:
    """Return a text that changes wherever the results of a backend may, to keep results by.

    Args:
        name: One of `backend_names()`.
        options: The backend's options.

    Returns:
        `None` where this process cannot tell, see `RegisteredBackend.sources_key`.

    Raises:
        ValueError: An unknown name.
    """
    name = resolve_name(name, options)
    sources = _LOADERS[name]().sources_key(options)
    return None if sources is None else f"{name} {sources} {sorted(options.items())}"


def isolation_of(name: str, options: Mapping[str, Any]) -> str | None:
    """Return how the programs of a backend are isolated: `"bwrap"`, or `"none: "` and the reason.

    Args:
        name: The name of a backend; `"auto"` has been resolved.
        options: The backend's options.

    Returns:
        `None` for a backend that executes no program.
    """
    if name not in _IN_PROCESSES:
        return None
    from lean_gym.backends.sandbox import isolation

    return isolation(str(options.get("sandbox", "auto")))


def unisolated(isolation: str) -> str:
    """Return the warning about real Lean without a sandbox, for an answer of `isolation_of`."""
    return (
        f"WARNING: real Lean runs without a sandbox ({isolation}): what a tactic executes may do what you may do; "
        "see docs/lean_gym/pantograph.md"
    )


def create_backend(
    name: str, verify: str = "full", most_memory_mib: float | None = None, **options: Any
) -> ProofBackend:
    """Make a backend by name.

    Args:
        name: One of `backend_names()`.
        verify: `"full"`, `"independent"` or `"replay"`, for the backends that know levels.
        most_memory_mib: The option `memory_mib` of backends that start processes, unless it is among the options.
        **options: Keyword arguments of the backend's class.

    Returns:
        A backend, ready to start theorems; the caller closes it.

    Raises:
        ValueError: An unknown name or option.
        BackendUnavailable: The backend cannot be used here.
    """
    name = resolve_name(name, options)
    made = _LOADERS[name]()
    given = {"verify": verify, "memory_mib": most_memory_mib}
    options = {each: value for each, value in given.items() if each in made.settings} | options
    backend: ProofBackend = call_with_options(f"backend {name!r}", made, options)
    return backend


def backend_factory(
    source: BackendSource,
    options: Mapping[str, Any],
    verify: str = "full",
    most_memory_mib: float | None = None,
) -> Callable[[], ProofBackend]:
    """Return a function that makes a fresh backend on each call.

    Args:
        source: A registered name or a function; a backend itself can be used by one environment in one
            process only and has no factory.
        options: Keyword arguments of a backend given by name.
        verify: As for `create_backend`, for a backend given by name.
        most_memory_mib: The same.

    Returns:
        The factory.

    Raises:
        ValueError: An unknown name, options for a function, or `source` is neither a name nor a function.
    """
    if isinstance(source, str):
        if source not in backend_names():
            raise ValueError(_unknown(source))
        return _NamedBackend(source, {"verify": verify, "most_memory_mib": most_memory_mib, **options})
    if options:
        raise ValueError(
            f"backend_options {sorted(options)}: only a backend given by name takes options, got {source!r}"
        )
    if not callable(source):
        raise ValueError(
            f"backend: got {source!r}, expected a name ({', '.join(backend_names())}) or a function"
        )
    return source


def judge_apart(factory: BackendFactory) -> tuple[BackendFactory, BackendFactory] | None:
    """Return factories for processes that play episodes and for processes that judge finished scripts.

    Args:
        factory: From `backend_factory`.

    Returns:
        `None` where one process had better do both: for a backend that judges without a process of its own, and where
        the option `role` says who does what.
    """
    return factory.apart() if isinstance(factory, _NamedBackend) else None


def preload_of(factory: BackendFactory) -> str | None:
    """Return the module that a fork server imports before it starts workers with this factory, `None` for none."""
    return factory.preload() if isinstance(factory, _NamedBackend) else None


class _NamedBackend:
    """A factory that can be pickled and sent to a worker process."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self._name = name
        self._options = options

    def __call__(self) -> ProofBackend:
        return create_backend(self._name, **self._options)

    def preload(self) -> str | None:
        """See `preload_of`."""
        return _PRELOADS.get(resolve_name(self._name, self._options))

    def apart(self) -> tuple[_NamedBackend, _NamedBackend] | None:
        """See `judge_apart`."""
        if "role" in self._options or resolve_name(self._name, self._options) not in _IN_PROCESSES:
            return None
        episodes, judge = (_NamedBackend(self._name, {**self._options, "role": role}) for role in _ROLES)
        return episodes, judge
