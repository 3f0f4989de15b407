"""Every example runs as its docstring says, and so does README's first program."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.timeout(300)  # on a busy machine
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
# A line that each example must print when it does what it is for.
PRINTS = {
    "01_prove_by_hand.py": r"proved: True",
    "02_random_agent.py": r"solved [1-9]\d* of 50 episodes",
    "03_vector_env.py": r"started [1-8] of 8 episodes again",
    "04_custom_reward.py": r"rfl: \+0\.95 = \{'proof': 1\.0, 'length': -0\.05, 'refused': 0\.0\}",
    "05_custom_theorems.py": r"self_eq: proved",
    "07_trl_grpo.py": r"mean reward: before (?P<before>\d\.\d\d), after (?P<after>\d\.\d\d)",
    "08_masked_ppo.py": r"after:  [1-9]\d* of 81 theorems",
    "09_ppo_in_one_file.py": r"1024 steps: proved [1-9]\d*%",
    "10_search_with_branches.py": r"found proofs of [1-9]\d* of 8 theorems",
    "06_tiny_training_run.py": r"pass@1: before (?P<before>[\d.]+)%, after (?P<after>[\d.]+)%",
}

# Examples that learn for minutes take the number of steps.
ARGUMENTS = {
    "08_masked_ppo.py": ["1024"],
    "09_ppo_in_one_file.py": ["1024"],
    "10_search_with_branches.py": ["8"],
}
SLOW = ("07_trl_grpo.py", "08_masked_ppo.py")
MOST_LINES = {"07_trl_grpo.py": 90, "09_ppo_in_one_file.py": 80}


def _run(program: Path, cwd: Path) -> str:
    # In a folder of its own, so that only the installed package can make it work.
    done = subprocess.run(
        [sys.executable, str(program), *ARGUMENTS.get(program.name, [])],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=280,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize(
    "example",
    [pytest.param(each, marks=pytest.mark.slow if each.name in SLOW else ()) for each in EXAMPLES],
    ids=lambda path: path.name,
)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    found = re.search(PRINTS[example.name], _run(example, tmp_path))
    assert found
    if found.groupdict():  # an example that learns
        assert float(found["after"]) > float(found["before"])


def test_the_examples_are_ten_in_a_row() -> None:
    assert [int(example.name[:2]) for example in EXAMPLES] == list(range(1, 11))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example_is_short(example: Path) -> None:
    assert len(example.read_text(encoding="utf-8").splitlines()) < MOST_LINES.get(example.name, 60)


def test_readme_program_prints_what_readme_says(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"^```python\n(.*?)^```\n.*?^```text\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert block is not None
    program = tmp_path / "program.py"
    program.write_text(block.group(1), encoding="utf-8")
    assert _run(program, tmp_path) == block.group(2)
