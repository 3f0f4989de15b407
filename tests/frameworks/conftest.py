"""A server of the environment for the clients of other frameworks.

The tests of this folder run in an environment of their own, see `make test-openenv`, since what they test against
conflicts with the packages of the trainers. Each imports its framework inside of its functions, so that it can be
collected without.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def server_python() -> str:
    """The interpreter that has `openenv`: that of `LEAN_GYM_OPENENV_PYTHON`, by default this one."""
    return os.environ.get("LEAN_GYM_OPENENV_PYTHON", sys.executable)


@pytest.fixture(scope="session")
def server(server_python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start `python -m lean_gym.integrations.serve` on the default sets and one file; yield its address."""
    folder = tmp_path_factory.mktemp("sets")
    own = folder / "own.jsonl"
    own.write_text('{"name": "secret", "statement": "theorem secret : 1 = 1", "proof": "exact my_proof"}\n')
    (folder / "hidden.jsonl").write_text('{"name": "hidden", "statement": "theorem hidden : 1 = 1"}\n')
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["--port", str(port), "--sessions", "4", "--processes", "2", "--max-steps", "8"]
    for theorems in ("logic", "nat", "algebra", str(own)):
        words += ["--theorems", theorems]
    command = [server_python, "-m", "lean_gym.integrations.serve", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=folder, env=environment) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            _wait(address, process)
            yield address
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def shown() -> Callable[[str], list[tuple[str, str | None]]]:
    """Return a function: heading of docs/integrations.md -> its programs, with what each prints if that is shown."""
    text = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    block = re.compile(
        r"^```python\n(.*?)^```\n(?:\nprints\n\n```text\n(.*?)^```)?", re.MULTILINE | re.DOTALL
    )

    def blocks(heading: str) -> list[tuple[str, str | None]]:
        section = re.search(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert section is not None, heading
        found = [(match[1], match[2]) for match in block.finditer(section[0])]
        assert found, heading
        return found

    return blocks


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=10):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the server ended with status {process.returncode}")
