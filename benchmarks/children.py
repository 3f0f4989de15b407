"""Jobs in child processes, so that no measurement inherits memory, caches or threads of another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any


class ChildFailed(RuntimeError):
    """A job ended with an error; the text is the last lines of its standard error."""


def run_child(module: str, job: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Any:
    """Run `python -m module JOB` and read its answer.

    Args:
        module: A module whose main program takes a job as JSON and ends with a line from `answer`.
        job: The job, JSON-able.
        environment: Environment variables that differ from this process's.

    Returns:
        The answer.

    Raises:
        ChildFailed: The child ended with an error, or without an answer.
    """
    done = subprocess.run(
        [sys.executable, "-m", module, json.dumps(job)],
        capture_output=True,
        text=True,
        env=os.environ | dict(environment or {}),
    )
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        reason = "\n".join(done.stderr.splitlines()[-12:]) or "it said nothing"
        raise ChildFailed(f"{module} {json.dumps(job)} ended with exit code {done.returncode}:\n{reason}")
    return json.loads(lines[-1])


def answer(value: Any) -> None:
    """Print a job's answer, as the last line of its output."""
    print(json.dumps(value), flush=True)
