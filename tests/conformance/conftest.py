"""The backends at hand: the embedded Lean, the same behind Pantograph's protocol, and real Lean where there is one."""

import sys

import pytest

from lean_gym.backends import create_backend
from lean_gym.backends.pantograph.discovery import search_repl

MINILEAN_REPL = [sys.executable, "-m", "minilean", "repl"]
_OPTIONS = {
    "minilean": {},
    "minilean-repl": {"repl_command": MINILEAN_REPL, "sandbox": "off"},
    "lean": {},
}


def backend_source(kind):
    """Name and options of a backend, as for `gym.make`."""
    if kind == "lean":
        search = search_repl()
        if search.found is None:
            pytest.skip(f"no Pantograph REPL: {'; '.join(search.notes)}")
    return ("minilean" if kind == "minilean" else "pantograph"), _OPTIONS[kind]


LEAN = pytest.param("lean", marks=pytest.mark.lean)


@pytest.fixture(params=["minilean", "minilean-repl", LEAN])
def source(request):
    return backend_source(request.param)


@pytest.fixture(params=["minilean-repl", LEAN])
def repl_source(request):
    return backend_source(request.param)


@pytest.fixture(scope="module", params=["minilean", "minilean-repl", LEAN])
def backend(request):
    name, options = backend_source(request.param)
    made = create_backend(name, **options)
    yield made
    made.close()


@pytest.fixture(scope="module", params=["minilean-repl", LEAN])
def repl_backend(request):
    name, options = backend_source(request.param)
    made = create_backend(name, **options)
    yield made
    made.close()
