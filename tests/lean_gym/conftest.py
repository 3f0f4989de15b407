"""Programs that the tests of processes start."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.fixture
def start():
    """Starts Python programs that end with the test."""
    started = []

    def run(program, **environment):
        child = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **environment},
        )
        started.append(child)
        child.stdout.readline()
        return child

    yield run
    for child in started:
        child.kill()
        child.communicate()
