import sys
from pathlib import Path

import pytest

from lean_gym.backends.pantograph import PantographBackend

OLDER = Path(__file__).with_name("older_repl.py")


@pytest.fixture
def older():
    """Makes backends over a REPL with the given traits of earlier versions."""
    backends = []

    def make(*traits, **options):
        command = [sys.executable, str(OLDER), *traits, "--"]
        backends.append(PantographBackend(command, sandbox="off", **options))
        return backends[-1]

    yield make
    for backend in backends:
        backend.close()
