"""Lean's kernel in a process of its own, on minilean's library."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lean_gym.errors import BackendUnavailable
from lean_gym.lean.library import find_library
from minilean.export.format import export_ndjson
from minilean.kernel.fuel import deep_stack
from minilean.library import library
from minilean.meta.extension import LeanEnv

Judge = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="session")
def lean_library() -> Path:
    """Lean's library; without it these tests are left out."""
    try:
        return find_library()
    except BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def known() -> LeanEnv:
    """minilean's library."""
    return library()


@pytest.fixture(scope="session")
def library_export(known: LeanEnv, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """minilean's library as an export, without its proofs: theorems are axioms."""
    file = tmp_path_factory.mktemp("export") / "library.ndjson"
    with deep_stack():
        file.write_text(export_ndjson(known.kernel, list(known.kernel), stated=known.kernel), "utf-8")
    return file


@pytest.fixture(scope="session")
def judge(
    lean_library: Path, library_export: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Judge]:
    """Have Lean's kernel check an export on top of the library, whose theorems are axioms for it."""
    folder = tmp_path_factory.mktemp("judged")
    words = ["--library", str(lean_library), "--on", str(library_export), "-"]
    with subprocess.Popen(
        [sys.executable, "-m", "lean_gym.lean", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def judged(text: str) -> dict[str, Any]:
            file = folder / "case.ndjson"
            file.write_text(text, "utf-8", errors="surrogatepass")
            process.stdin.write(f"{file}\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            answer: dict[str, Any] = json.loads(process.stdout.readline())  # type: ignore[union-attr]
            return answer

        yield judged
        process.stdin.close()
