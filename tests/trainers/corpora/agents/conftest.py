"""The page's program, run once on a git repository of three files; policies that say what they are told."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium as gym
import pytest

from lean_gym.tracing import sources
from minilean.check_command import check_file, check_text
from minilean.project.loading import Project
from trainers.corpora.agents import HFAgent
from trainers.proving.editing import file_check

PAGE = Path(__file__).resolve().parents[4] / "docs" / "trainers" / "leandojo.md"
PROJECT = Path(__file__).with_name("project")


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the git repository `sums`."""
    folder = tmp_path_factory.mktemp("agents")
    root = shutil.copytree(PROJECT, folder / "sums")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        own = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *own, *words], cwd=root, check=True)
    return folder


@contextmanager
def all_inside(folder: Path) -> Iterator[None]:
    """Do everything in this folder and in this process."""
    plain = gym.make_vec

    def make_vec(name: str, **options: Any) -> Any:
        return plain(name, **{**options, "num_workers": 0})

    def messages(text: str, root: Path | None) -> list[tuple[int, str, str]]:
        file = folder / "Checked.lean"
        file.write_text(text, encoding="utf-8")
        found = check_text(text) if root is None else check_file(file, Project(root))[0]
        return [(each.line, each.severity, each.text) for each in found]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gym, "make_vec", make_vec)
        patch.setattr(file_check, "_messages", messages)
        patch.setattr(sources, "_cache", lambda: folder / "cache")
        patch.chdir(folder)
        yield


@pytest.fixture(autouse=True)
def inside(place: Path) -> Iterator[None]:
    """Each test for itself: tests of other folders run in between."""
    with all_inside(place):
        yield


@pytest.fixture(scope="session")
def shown(place: Path) -> ModuleType:
    """The names of the page's program after it ran."""
    program = re.search(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert program is not None
    module = ModuleType("shown")
    with all_inside(place):
        exec(program[1], module.__dict__)
    return module


@pytest.fixture
def local(shown: ModuleType, tmp_path: Path) -> Callable[..., tuple[HFAgent, Path]]:
    """Sets a copy of the repository up, without git, for the policy of the quickstart."""

    def make(**more: str) -> tuple[HFAgent, Path]:
        root = shutil.copytree(PROJECT, tmp_path / "project")
        for name, text in more.items():
            (root / name).write_text(text, encoding="utf-8")
        database, budget = str(tmp_path / "theorems.db"), {"tactics": 64}
        agent = HFAgent(shown.trainer, database, budget, folder=str(tmp_path / "made"))
        agent.setup_local_repository(str(root))
        return agent, root

    return make
