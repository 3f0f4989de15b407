"""Reference proofs of the shipped sets, exported by minilean, in Lean's kernel."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_gym.datasets import load_theorems, proof_steps
from lean_gym.types import Theorem
from lean_gym.verification.kernels import LeanKernelProcess
from minilean.export.judge_command import _rest
from minilean.export.produce import Source, base_environment, proof_export

SETS = ("algebra", "cancellation", "core", "invariants", "steps")
"""The sets besides `logic` and `nat`, of which `test_kernel.py` has every proof checked."""
MOST = 20
"""Proofs of a set that are checked over many runs, at equal distances."""
COUNT = 7
"""Those of them that are drawn in one run."""


@pytest.fixture(scope="module")
def kernel(lean_library: Path) -> Iterator[LeanKernelProcess]:
    made = LeanKernelProcess()
    yield made
    made.close()


def refusal(kernel: LeanKernelProcess, theorem: Theorem, folder: Path) -> str | None:
    """Return why Lean's kernel refuses the reference proof of a theorem; `None` if it accepts."""
    steps = tuple(proof_steps(theorem.proof))
    solution = proof_export(Source(theorem.statement, theorem.context, theorem.position, steps))
    files = [folder / "rest.ndjson", folder / "solution.ndjson"]
    for file, text in zip(
        files, (_rest(base_environment(theorem.position).kernel, solution), solution), strict=True
    ):
        file.write_text(text, "utf-8")
    answer = kernel.answer(list(map(str, files)), time.monotonic() + 100)
    return None if answer["accepted"] else f"{theorem.name}: {answer['reason']}"


@pytest.mark.parametrize("name", SETS)
def test_reference_proofs_are_accepted(kernel: LeanKernelProcess, tmp_path: Path, name: str) -> None:
    theorems = [theorem for theorem in load_theorems(name) if theorem.proof]
    chosen = theorems[:: -(-len(theorems) // MOST)]
    assert len(chosen) > MOST // 2
    chosen = random.sample(chosen, COUNT)
    assert [said for each in chosen if (said := refusal(kernel, each, tmp_path))] == []
