import os
import sys
import uuid
from pathlib import Path

import pytest

from lean_gym.backends.pantograph import PantographBackend

OLDER = Path(__file__).with_name("older_repl.py")
COUNTED = Path(__file__).with_name("counted_repl.py")


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


class Counted:
    """Makes backends whose starts are counted."""

    def __init__(self, log, mark):
        # The mark is an option that the program ignores: with a new one, nothing is known of the REPL.
        self.options = {"repl_command": [sys.executable, str(COUNTED), f"--mark={mark}"], "sandbox": "off"}
        self.options["allow_tactics"] = ["die", "take"]
        self._log = log
        self._made = []

    def backend(self, **options):
        self._made.append(PantographBackend(**self.options, **options))
        return self._made[-1]

    def starts(self):
        return self._log.read_text().split("\n")[:-1] if self._log.exists() else []

    def forget(self):
        """Count from here."""
        self._log.unlink(missing_ok=True)

    def commands(self):
        return self._log.with_suffix(".commands").read_text().split()

    def close(self):
        for backend in self._made:
            backend.close()


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTED_LOG", str(tmp_path / "starts"))
    return tmp_path / "starts"


@pytest.fixture
def counted(log):
    """On a machine on which the REPL has never run."""
    made = Counted(log, uuid.uuid4().hex)
    yield made
    made.close()


@pytest.fixture
def known(log):
    """On a machine on which the REPL has run before."""
    made = Counted(log, f"known-{os.getpid()}")
    made.backend().close()
    made.forget()
    yield made
    made.close()
