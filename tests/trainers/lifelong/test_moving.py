"""Run folders that were moved: theorems are proved at their places, which lie in them; and names of repositories."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from trainers.config.lifelong import LifelongConfig
from trainers.errors import ConfigError
from trainers.lifelong.course import Course
from trainers.lifelong.stage_log import StageLog
from trainers.lifelong.store import Store
from trainers.runtime.signals import Interrupted


def trace(source: str, out: Path) -> None:
    """Write what a tracer writes for a project with one theorem."""
    row = {
        "url": "the_address",
        "commit": "1",
        "file_path": "Main.lean",
        "full_name": "t",
        "theorem_statement": "theorem t : True",
        "start": [1, 1],
        "end": [1, 9],
        "traced_tactics": [],
    }
    episode = {"name": "t", "statement": "theorem t : True", "context": "", "imports": [], "split": "train"}
    episode |= {"domain": "Main", "position": "sources/copy//Main.lean:t"}
    (out / "random").mkdir(parents=True)
    (out / "metadata.json").write_text(json.dumps({"backend": "minilean"}))
    (out / "random" / "train.json").write_text(json.dumps([row]))
    (out / "corpus.jsonl").write_text("")
    (out / "theorems.jsonl").write_text(json.dumps(episode) + "\n")


@pytest.fixture
def go_on(tmp_path: Path) -> Callable[[Path, list[str], int], list[str]]:
    """Carries out some stages of a course in a folder, and returns the positions of the theorems in the store."""

    def carried_out(folder: Path, repos: list[str], stages: int) -> list[str]:
        left = [stages]

        def check() -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Interrupted(15)

        config = LifelongConfig(repos=repos, model="someone/model", backend="fake")
        stop: Any = SimpleNamespace(check=check)
        folder.mkdir(exist_ok=True)
        with Store(folder / "theorems.db") as store:
            with pytest.raises(Interrupted):
                Course(config, folder, store, stop, Console(quiet=True), trace).run()
            found = [each.traced.episode for row in store.repositories() for each in store.theorems(row.id)]
        return [one.position for one in found if one is not None]

    return carried_out


def test_the_places_of_theorems_follow_the_folder(
    go_on: Callable[[Path, list[str], int], list[str]], tmp_path: Path
) -> None:
    (tmp_path / "project").mkdir()
    repos = [str(tmp_path / "project")]
    before = tmp_path / "before"
    (position,) = go_on(before, repos, 1)
    assert position == f"{before}/1-project/traced/sources/copy//Main.lean:t"
    after = before.rename(tmp_path / "after")
    (position,) = go_on(after, repos, 0)
    assert position == f"{after}/1-project/traced/sources/copy//Main.lean:t"
    done = StageLog(after / "stages.json").result(f"trace {repos[0]}")
    assert done is not None
    assert done["traced"] == after / "1-project" / "traced"
    assert done["sources"] == tmp_path / "project"  # no part of the run


def test_two_names_of_one_repository_are_refused(
    go_on: Callable[[Path, list[str], int], list[str]], tmp_path: Path
) -> None:
    repos = [str(tmp_path / name) for name in ("one", "other")]
    for name in repos:
        Path(name).mkdir()
    with pytest.raises(
        ConfigError, match=r"other is the same repository as .*one, address the_address and commit 1"
    ):
        go_on(tmp_path / "run", repos, 9)
