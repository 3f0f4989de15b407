"""Run folders that were moved: theorems are proved at their places, which lie in them; and names of repositories."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from trainers.config.lifelong import LifelongConfig
from trainers.corpora.lifelong import course as course_module
from trainers.corpora.lifelong import program
from trainers.corpora.lifelong.course import Course
from trainers.corpora.lifelong.member import Member
from trainers.corpora.lifelong.stage_log import StageLog
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.tracing import tracer_of
from trainers.errors import ConfigError
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


def test_a_moved_trace_is_told_at_once(
    go_on: Callable[[Path, list[str], int], list[str]], tmp_path: Path
) -> None:
    """Its theorems are proved at their places in it: without it all of them would fail, one after another."""
    place = tmp_path / "traced"
    trace("", place)
    assert len(go_on(tmp_path / "run", [str(place)], 2)) == 1
    place.rename(tmp_path / "elsewhere")
    with pytest.raises(
        ConfigError, match=rf"repos: got no folder {place}, expected the trace of .* in it"
    ) as caught:
        go_on(tmp_path / "run", [str(place)], 0)
    assert "\n" not in str(caught.value)
    (tmp_path / "elsewhere").rename(place)
    assert len(go_on(tmp_path / "run", [str(place)], 0)) == 1


def test_sorries_of_a_moved_project_are_searched_in_the_copy_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_copy(source: str, out: Path) -> None:
        trace(source, out)
        (out / "sources" / "copy").mkdir(parents=True)

    config = LifelongConfig(repos=[str(tmp_path / "project")], model="someone/model", backend="fake")
    Path(config.repos[0]).mkdir()
    (tmp_path / "run").mkdir()
    stop: Any = SimpleNamespace(check=lambda: None)
    roots: list[Path] = []

    class Reached(Exception):
        pass

    def reach(_: Any, members: list[Any], *__: Any) -> None:
        roots.append(members[0].sources)
        raise Reached

    monkeypatch.setattr(Course, "_start", reach)
    with Store(tmp_path / "theorems.db") as store:
        for _ in range(2):
            course = Course(config, tmp_path / "run", store, stop, Console(quiet=True), with_copy)
            with pytest.raises(Reached):
                course.run()
            if len(roots) == 1:
                Path(config.repos[0]).rename(tmp_path / "moved")
    assert roots == [tmp_path / "project", tmp_path / "run" / "1-project" / "traced" / "sources" / "copy"]


def test_two_courses_with_one_database_keep_their_own_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second course traces the project while the first one trains; each proves the theorems of its own trace."""
    config = LifelongConfig(repos=[str(tmp_path / "project")], model="someone/model", backend="fake")
    for name in ("project", "first", "second"):
        (tmp_path / name).mkdir()
    found: dict[str, list[str]] = {}

    class Reached(Exception):
        pass

    def course(name: str) -> Course:
        stop: Any = SimpleNamespace(check=lambda: None)
        return Course(config, tmp_path / name, store, stop, Console(quiet=True), trace)

    def reinforce(self: Course, *_: Any) -> dict[str, Any]:
        if self._folder.name == "first":
            with pytest.raises(Reached):
                course("second").run()
        return {"policy": "someone/model"}

    def fill(_: Any, __: Any, theorems: list[Any], ___: Any, folder: Path, *____: Any) -> None:
        found[folder.parents[1].name] = [each.traced.episode.position for each in theorems]
        raise Reached

    monkeypatch.setattr(course_module.Measurements, "take", lambda *_: None)
    monkeypatch.setattr(Course, "_reinforce", reinforce)
    monkeypatch.setattr(course_module, "fill_repository", fill)
    with Store(tmp_path / "theorems.db") as store, pytest.raises(Reached):
        course("first").run()
    assert found == {
        name: [f"{tmp_path / name}/1-project/traced/sources/copy//Main.lean:t"]
        for name in ("second", "first")
    }


def test_files_that_cannot_be_filled_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {"sorries": 1, "filled": 0, "proofs": [], "failures": {"A.lean": "it is gone"}, "rows": []}
    monkeypatch.setattr(course_module, "fill_repository", lambda *_: dict(found))
    config = LifelongConfig(repos=["logic"], model="someone/model", backend="fake")
    stop: Any = SimpleNamespace(check=lambda: None)
    with Store(tmp_path / "theorems.db") as store:
        course = Course(config, tmp_path, store, stop, Console(quiet=True), trace)
        member = Member("1-a", tmp_path, 1, tmp_path, tmp_path)
        course._prove(member, "policy", "")
    assert capsys.readouterr().err == "warning: 1-a: the sorries of A.lean are left: it is gone\n"


def test_a_signal_that_comes_while_a_file_is_traced_ends_the_course_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tracer(_: str, __: Any, on_file: Callable[[], None]) -> Callable[[str, Path], None]:
        def traced(source: str, out: Path) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            on_file()

        return traced

    monkeypatch.setattr(program, "tracer_of", tracer)
    (tmp_path / "project").mkdir()
    config = LifelongConfig(
        repos=[str(tmp_path / "project")], backend="fake", run_dir=str(tmp_path / "run"), torch_threads=1
    )
    assert program.learn(config, None, "a course") == 128 + signal.SIGTERM


def test_a_signal_ends_tracing_after_a_file_which_is_kept(tmp_path: Path) -> None:
    project, out = tmp_path / "project", tmp_path / "traced"
    project.mkdir()
    for name in ("A", "B"):
        (project / f"{name}.lean").write_text(f"theorem {name} : True := by\n  trivial\n")

    def stop() -> None:
        raise Interrupted(2)

    with pytest.raises(Interrupted):
        tracer_of("minilean", {}, stop)(str(project), out)
    assert sorted(path.name for path in (out / ".files").iterdir()) == ["A.lean.json"]
    calls: list[None] = []
    tracer_of("minilean", {}, lambda: calls.append(None))(str(project), out)
    assert len(calls) == 1  # the other file
    assert len((out / "theorems.jsonl").read_text().splitlines()) == 2
