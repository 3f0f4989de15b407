"""`python -m trainers.grpo` as a program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from trainers.grpo import main
from trainers.run.checkpoint import load_checkpoint

COMMAND = (sys.executable, "-m", "trainers.grpo")
GAME = (
    *("--backend", "fake", "--workers", "1", "--torch-threads", "1", "--hidden-size", "32", "--layers", "1"),
    *(
        "--attention-heads",
        "2",
        "--theorems-per-iteration",
        "4",
        "--warm-start-epochs",
        "2",
        "--max-steps",
        "6",
    ),
    "--no-automation",
)


@pytest.mark.parametrize(
    ("words", "message"),
    [(["--itertions", "3"], "unknown flag --itertions"), (["--theorems", "logik"], "did you mean 'logic'")],
)
def test_exit_code_of_a_mistake(words: list[str], message: str) -> None:
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_ctrl_c_leaves_a_run_that_goes_on(tmp_path: Path, theorem_file: Path) -> None:
    folder = tmp_path / "run"
    words = [*GAME, "--theorems", str(theorem_file), "--run-dir", str(folder), "--max-iterations", "100000"]
    # A session of its own: the signal goes to the whole group, as a terminal sends it.
    process = subprocess.Popen(
        [*COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("held out, after 0 iterations"):
            break
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT, errors
    assert f"interrupted by SIGINT; to resume: python -m trainers.grpo --resume {folder}" in output
    assert errors == ""
    iteration = load_checkpoint(folder / "checkpoint.pt")[0].iteration

    assert main(["--resume", str(folder), "--max-iterations", str(iteration + 1)]) == 0
    assert json.loads((folder / "summary.json").read_text())["new_proofs"] >= 0
