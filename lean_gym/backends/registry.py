"""Backends by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from lean_gym.backends.base import ProofBackend
from lean_gym.errors import BackendUnavailable
from lean_gym.suggest import call_with_options, unknown_name

BackendSource = str | ProofBackend | Callable[[], ProofBackend]


def _minilean() -> Callable[..., ProofBackend]:
    from lean_gym.backends.minilean import MinileanBackend

    return MinileanBackend


def _fake() -> Callable[..., ProofBackend]:
    from lean_gym.backends.fake import FakeBackend

    return FakeBackend


def _pantograph() -> Callable[..., ProofBackend]:
    raise BackendUnavailable(
        "backend 'pantograph': not in this version yet; use backend='minilean', the embedded Lean"
    )


# Each entry imports its class when asked, so that choosing one backend never loads another.
_LOADERS: Final[dict[str, Callable[[], Callable[..., ProofBackend]]]] = {
    "auto": _minilean,
    "fake": _fake,
    "minilean": _minilean,
    "pantograph": _pantograph,
}


def backend_names() -> tuple[str, ...]:
    """The registered names, sorted. `"auto"` stands for the embedded Lean."""
    return tuple(sorted(_LOADERS))


def create_backend(name: str, **options: Any) -> ProofBackend:
    """Make a backend by name.

    Args:
        name: One of `backend_names()`.
        **options: Keyword arguments of the backend's class.

    Returns:
        A backend, ready to start theorems; the caller closes it.

    Raises:
        ValueError: An unknown name or option.
        BackendUnavailable: The backend cannot be used here.
    """
    if name not in _LOADERS:
        raise ValueError(unknown_name("backend", name, _LOADERS))
    backend: ProofBackend = call_with_options(f"backend {name!r}", _LOADERS[name](), options)
    return backend


def backend_factory(source: BackendSource, options: Mapping[str, Any]) -> Callable[[], ProofBackend]:
    """A function that makes a fresh backend on each call.

    Args:
        source: A registered name or a function; a backend itself can be used by one environment in one
            process only and has no factory.
        options: Keyword arguments of a backend given by name.

    Returns:
        The factory.

    Raises:
        ValueError: An unknown name, or options for a function.
        TypeError: `source` is neither a name nor a function.
    """
    if isinstance(source, str):
        if source not in _LOADERS:
            raise ValueError(unknown_name("backend", source, _LOADERS))
        return _NamedBackend(source, dict(options))
    if options:
        raise ValueError(
            f"backend_options {sorted(options)}: only a backend given by name takes options, got {source!r}"
        )
    if not callable(source):
        raise TypeError(
            f"backend: got {source!r}, expected a name ({', '.join(backend_names())}) or a function"
        )
    return source


class _NamedBackend:
    """A factory that can be pickled and sent to a worker process."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self._name = name
        self._options = options

    def __call__(self) -> ProofBackend:
        return create_backend(self._name, **self._options)
