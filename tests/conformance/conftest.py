"""The backends at hand: minilean, the same behind Pantograph's protocol, Lean's library, and a REPL of Pantograph's."""

import sys

import pytest

from lean_gym.backends import create_backend
from lean_gym.backends.pantograph.discovery import search_repl

MINILEAN_REPL = [sys.executable, "-m", "minilean", "repl"]
_OPTIONS = {
    "minilean": {},
    "minilean-repl": {"repl_command": MINILEAN_REPL, "sandbox": "off"},
    "lean": {"sandbox": "off"},
    "pantograph": {},
}


def backend_source(kind):
    """Name and options of a backend, as for `gym.make`."""
    if kind == "pantograph":
        search = search_repl()
        if search.found is None:
            pytest.skip(f"no Pantograph REPL: {'; '.join(search.notes)}")
    return ("pantograph" if kind == "minilean-repl" else kind), _OPTIONS[kind]


PANTOGRAPH = pytest.param("pantograph", marks=pytest.mark.lean)


@pytest.fixture(params=["minilean", "minilean-repl", "lean", PANTOGRAPH])
def source(request):
    return backend_source(request.param)


@pytest.fixture(params=["minilean-repl", "lean", PANTOGRAPH])
def repl_source(request):
    return backend_source(request.param)


@pytest.fixture(scope="module", params=["minilean", "minilean-repl", "lean", PANTOGRAPH])
def backend(request):
    name, options = backend_source(request.param)
    made = create_backend(name, **options)
    yield made
    made.close()


@pytest.fixture(scope="module", params=["minilean-repl", "lean", PANTOGRAPH])
def repl_backend(request):
    name, options = backend_source(request.param)
    made = create_backend(name, **options)
    yield made
    made.close()
