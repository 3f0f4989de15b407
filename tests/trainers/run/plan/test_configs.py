"""Every file in configs/ is read by its own program, which prints its plan and what is missing here."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from trainers.algorithms import create_algorithm
from trainers.config.files import read_file
from trainers.config.names import ALGORITHMS
from trainers.config.run import RunConfig

FOLDER = Path(__file__).resolve().parents[4] / "configs"
FILES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.*"))
COMMAND = re.compile(r"-m (trainers\.\w+)(.*?)(?:configs/\S+|$)", re.MULTILINE)
# What this machine lacks for a file is told; a line that must be there.
LACKS = {
    "gpu_qlora.yaml": "a CUDA GPU: load_in_4bit",
    "minif2f_evaluation.yaml": "theorems: minif2f: './miniF2F-lean4' does not exist",
    "pantograph_mathlib.yaml": "the Lake project mathlib4: docs/lean_gym/pantograph.md says how to build one",
    "vllm_server.yaml": "an answer from the vLLM server at http://localhost:1: trl vllm-serve starts one",
}
FURTHER = {
    "minif2f_evaluation.yaml": ["--policy", "Some/Model-2B"],
    "vllm_server.yaml": ["--set", "vllm_server=http://localhost:1"],
    # Drawing its 500 theorems takes many seconds, and is tested beside the generator.
    "whole_proof_repair.yaml": ["--theorems", "generated:propositional?difficulty=0.1&size=20"],
}


def program_of(name: str) -> str:
    """Return the program that the first lines of a file name."""
    found = COMMAND.search((FOLDER / name).read_text(encoding="utf-8"))
    assert found is not None, f"configs/{name} names no program"
    return found[1]


@pytest.mark.parametrize("name", FILES)
def test_its_own_program_plans_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # nothing that lies in the checkout is found by chance
    words = ["--config", str(FOLDER / name), "--dry-run", *FURTHER.get(name, [])]
    status = import_module(program_of(name)).main(words)
    shown = capsys.readouterr().out
    assert f"plan of python -m {program_of(name)}; nothing is started" in shown
    assert "memory, an estimate: " in shown
    lacking = shown.partition("missing on this machine\n")[2]
    assert status == (1 if lacking else 0)
    assert LACKS.get(name, "") in lacking
    assert list(tmp_path.iterdir()) == []


def test_the_demo_lacks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert import_module("trainers.grpo").main(["--config", str(FOLDER / "cpu_demo.yaml"), "--dry-run"]) == 0
    assert "nothing is missing on this machine" in capsys.readouterr().out


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_has_a_file(name: str) -> None:
    assert RunConfig(**read_file(FOLDER / "algorithms" / f"{name}.yaml")).algo.algorithm == name


@pytest.mark.parametrize("name", [name for name in FILES if program_of(name) == "trainers.grpo"])
def test_no_file_keeps_a_second_copy_of_a_pretrained_model(name: str) -> None:
    config = RunConfig(**read_file(FOLDER / name))
    assert config != RunConfig()
    algorithm = create_algorithm(config.algo.algorithm, **config.algo.algo_config)
    # A tiny model; a term that compares with the start.
    needs = name in ("whole_proof_repair.yaml", "algorithms/dgpo.yaml")
    assert algorithm.needs_reference == needs


@pytest.mark.parametrize("name", [name for name in FILES if not name.startswith("pretrained")])
def test_its_first_lines_show_the_whole_command(name: str) -> None:
    assert f"--config configs/{name}" in (FOLDER / name).read_text(encoding="utf-8")
