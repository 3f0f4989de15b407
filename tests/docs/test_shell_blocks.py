"""Shell blocks of the documents run; one that is marked `not run` gives its reason, and its programs take its flags."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from lean_gym_cli.verbs import VERBS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(300)  # on a busy machine
BLOCK = re.compile(
    r"(?:^<!-- not run: ([^\n]+) -->\n)?^```(?:sh|shell|bash|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "docker").rglob("*.md")),
]
FOUND = [
    pytest.param(reason, script, id=f"{path.relative_to(ROOT).as_posix()}-{number}")
    for path in DOCUMENTS
    for number, (reason, script) in enumerate(BLOCK.findall(path.read_text(encoding="utf-8")))
]
RUN = [found for found in FOUND if not found.values[0]]
NOT_RUN = [found for found in FOUND if found.values[0]]
OURS = re.compile(
    r"(?:^|\s)(lean-gym \S+|(?:python )?-m (?:lean_gym|trainers|minilean|envs_data|benchmarks)\S*)(.*)"
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `python` and `lean-gym` of the interpreter that runs the tests."""
    folder = tmp_path_factory.mktemp("bin")
    for name, words in {"python": "", "lean-gym": "-m lean_gym_cli "}.items():
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words}"$@"\n')
        program.chmod(0o755)
    return folder


def shell(script: str, programs: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
    }
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
    )


def calls(script: str) -> list[tuple[list[str], list[str]]]:
    """Return the programs of this project in a script, as words after `python`, with the flags that they get."""
    found = []
    for line in script.replace("\\\n", " ").splitlines():
        match = OURS.search(line.partition(" #")[0])
        if match is None:
            continue
        program = match[1].removeprefix("python ").split()
        flags = re.findall(r"(?<!\S)--[a-z][\w-]*", match[2])
        if program[0] == "lean-gym":
            program = VERBS[program[1]].twin.split()[1:]
        found.append((program, flags))
    return found


@pytest.fixture(scope="module")
def help_of(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Returns all flags of a program as its help shows them, given its words after `python`; each is asked once."""
    folder = tmp_path_factory.mktemp("help")
    return cache(
        lambda program: (
            shell(f"python {program} --help-all || python {program} --help", programs, folder).stdout
        )
    )


@pytest.mark.parametrize(("reason", "script"), RUN)
def test_the_block_runs(reason: str, script: str, programs: Path, tmp_path: Path) -> None:
    done = shell(script, programs, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize(("reason", "script"), NOT_RUN)
def test_a_block_that_is_not_run_is_well_formed(
    reason: str, script: str, help_of: Callable[[str], str]
) -> None:
    assert len(reason.split()) >= 2
    assert subprocess.run(["bash", "-n", "-c", script]).returncode == 0
    for name in re.findall(r"\bconfigs/[\w/.]+", script):
        assert (ROOT / name).is_file()
    for program, flags in calls(script):
        if flags:
            help_text = help_of(" ".join(program))
            assert [flag for flag in flags if not re.search(rf"{flag}(?![\w-])", help_text)] == []


def test_calls_and_flags_are_found() -> None:
    assert len(RUN) >= 4
    script = "A=1 lean-gym train --config x.yaml  # --not\nrun --use_fsdp -m trainers.grpo \\\n  --seed 1\n"
    assert calls(script) == [(["-m", "trainers.grpo"], ["--config"]), (["-m", "trainers.grpo"], ["--seed"])]
