"""`python -m trainers.lifelong` on the game of conftest.py, two theorem sets as repositories."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from trainers.corpora.lifelong.stage_log import Result, StageLog
from trainers.corpora.lifelong.store import Store
from trainers.lifelong import main, with_list

SETTINGS = {
    "sft": {"epochs": 20, "learning_rate": 5e-3, "batch_size": 8, "save_every": 0},
    "grpo": {
        "max_iterations": 1,
        "report_to": "none",
        "rollout": {"theorems_per_iteration": 4, "group_size": 4, "max_steps": 8, "max_tactic_tokens": 8},
    },
}
WORDS = (
    *("--backend", "fake", "--workers", "1", "--torch-threads", "1", "--hidden-size", "32", "--layers", "2"),
    *("--attention-heads", "2", "--vocabulary", "320", "--samples", "2", "--replay-share", "0.3"),
    *("--ewc-weight", "100", "--sft", json.dumps(SETTINGS["sft"]), "--grpo", json.dumps(SETTINGS["grpo"])),
)


@pytest.fixture(scope="module")
def sets(theorem_file: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The game in two parts, the second without its test split; harder theorems come first."""
    rows = [json.loads(line) for line in theorem_file.read_text().splitlines()]
    rows.sort(key=lambda row: -row["proof"].count("\n"))
    folder = tmp_path_factory.mktemp("repositories")
    for name, part in (("hard", rows[:12]), ("easy", rows[12:])):
        if name == "easy":
            part = [{**row, "split": ""} for row in part]
        (folder / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in part), encoding="utf-8"
        )
    return [str(folder / f"{name}.jsonl") for name in ("hard", "easy")]


@pytest.fixture(scope="module", autouse=True)
def in_process() -> Iterator[None]:
    """Prove in this process: a course opens many environments, and each would start a worker."""
    plain = gym.make_vec

    def make_vec(name: str, **options: Any) -> Any:
        return plain(name, **{**options, "num_workers": 0})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gym, "make_vec", make_vec)
        yield


def course(sets: list[str], folder: Path) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # TRL and transformers warn of each other
        return main(["--repos", *sets, "--run-dir", str(folder), *WORDS])


@pytest.fixture(scope="module")
def whole(sets: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course that nothing interrupted."""
    folder = tmp_path_factory.mktemp("course") / "run"
    assert course(sets, folder) == 0
    return folder


def stages(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "stages.json").read_text())
    return found


def test_the_course(whole: Path) -> None:
    done = stages(whole)
    assert done["order"] == {"order": [1, 0]}  # the set with more easy theorems comes first
    names = ["2-easy", "1-hard"]
    expected = [f"measure {name} after 0" for name in names]
    for number, name in enumerate(names, start=1):
        expected += [f"{name}: {stage}" for stage in ("set", "sft", "grpo", "prove", "consolidate")]
        expected += [f"measure {each} after {number}" for each in names]
    assert list(done)[5:] == expected

    report = json.loads((whole / "transfer.json").read_text())
    rates = report["rates"]
    assert [len(row) for row in rates] == [2, 2, 2]
    assert rates[1][0] > rates[0][0]  # it learns
    measures = report["measures"][-1]
    assert measures["backward_transfer"] == pytest.approx(rates[2][0] - rates[1][0])
    assert measures["forward_transfer"] == pytest.approx(rates[1][1] - rates[0][1])
    events = EventAccumulator(str(whole))
    events.Reload()
    assert [each.step for each in events.Scalars("solve_rate/2-easy")] == [0, 1, 2]
    assert events.Scalars("lifelong/backward_transfer")[-1].value == pytest.approx(
        measures["backward_transfer"]
    )


def test_replay_joins_the_training_part_alone(whole: Path, sets: list[str]) -> None:
    first, second = (
        [json.loads(line) for line in (whole / name / "set.jsonl").read_text().splitlines()]
        for name in ("2-easy", "1-hard")
    )
    own = {json.loads(line)["name"] for line in Path(sets[0]).read_text().splitlines()}
    again = [row for row in second if row["name"] not in own]
    assert stages(whole)["1-hard: set"]["replayed"] == [row["name"] for row in again]
    assert len(again) == round(0.3 * len(own))
    assert {row["split"] for row in again} == {"train"}
    trained = {row["name"] for row in first if row["split"] == "train"}
    assert {row["name"] for row in again} <= trained  # nothing that is held out there


def tries(store: Store) -> set[int]:
    """The numbers of attempts of theorems that were tried."""
    return {each.tries for row in store.repositories() for each in store.theorems(row.id) if each.tries}


def test_attempts_and_difficulties_are_in_the_store(whole: Path) -> None:
    with Store(whole / "theorems.db") as store:
        rows = store.repositories()
        assert [row.name for row in rows] == ["hard", "easy"]
        assert tries(store) == {3 * 2}  # three measurements of two episodes
        assert all(each.traced.rating for row in rows for each in store.theorems(row.id))


def test_a_finished_course_does_nothing_again(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {
        path: path.stat().st_mtime_ns
        for path in whole.rglob("*")
        if path.suffix in (".safetensors", ".jsonl")
    }
    monkeypatch.setattr(StageLog, "finish", lambda *_: pytest.fail("a stage was done again"))
    assert main(["--resume", str(whole)]) == 0
    after = {path: path.stat().st_mtime_ns for path in before}
    assert {path.name for path in before if before[path] != after[path]} <= {"held_out.jsonl"}


class Killed(BaseException):
    """Ends the process as a kill does: nothing of ours handles it."""


@pytest.fixture
def moved(whole: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the course, which is not in its old place meanwhile."""
    folder, hidden = tmp_path / "run", whole.with_name("hidden")
    shutil.copytree(whole, folder)
    whole.rename(hidden)
    yield folder
    hidden.rename(whole)


def test_a_kill_loses_at_most_a_stage_and_a_folder_may_be_moved(
    moved: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the work of a stage and before it is noted; the course goes on and ends as the other one did."""
    folder = moved
    expected = json.loads((folder / "transfer.json").read_text())
    kept = stages(folder)
    assert str(whole) not in json.dumps({**kept, "folder": None})
    lost = [name for name in kept if name.startswith("1-hard") or name.endswith("after 2")]
    text = json.dumps({name: result for name, result in kept.items() if name not in lost})
    (folder / "stages.json").write_text(text)
    finished: list[str] = []
    plain = StageLog.finish

    def finish(self: StageLog, stage: str, result: Result) -> None:
        if stage == "1-hard: grpo" and stage not in finished:
            finished.append(stage)
            raise Killed
        finished.append(stage)
        plain(self, stage, result)

    monkeypatch.setattr(StageLog, "finish", finish)
    for name in ("1-hard/sft", "1-hard/measured/2", "2-easy/measured/2"):
        shutil.rmtree(folder / name)
    # A measurement that was interrupted names the old place in its log.
    shutil.copytree(folder / "1-hard" / "measured" / "1", folder / "1-hard" / "measured" / "2")
    (folder / "1-hard" / "measured" / "2" / "result.json").unlink()
    (folder / "1-hard" / "grpo" / "checkpoint.pt").unlink()  # a run that cannot go on is begun anew
    with pytest.raises(Killed):
        main(["--resume", str(folder)])
    assert main(["--resume", str(folder)]) == 0
    assert finished == ["folder", *lost[:3], "1-hard: grpo", *lost[3:]]
    assert json.loads((folder / "transfer.json").read_text()) == expected
    with Store(folder / "theorems.db") as store:
        assert tries(store) == {3 * 2}  # the repeated measurements count once


def test_repos_may_be_given_as_words() -> None:
    assert with_list(["--seed", "1", "--repos", "a", "b", "--samples", "2"]) == [
        *("--seed", "1", "--repos", '["a", "b"]', "--samples", "2")
    ]
    assert with_list(["--repos", '["a"]']) == ["--repos", '["a"]']
    assert with_list(["--seed", "1"]) == ["--seed", "1"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--repos: expected repositories, got none"),
        (["--repos", "logic", "logic"], "expected each repository once"),
        (["--repos", "logik"], "did you mean 'logic'"),
        (
            ["--repos", "logic", "--sft", '{"epocs": 1}'],
            "--sft: unknown setting epocs; did you mean 'epochs'?",
        ),
        (
            ["--repos", "logic", "--grpo", '{"model": "x"}'],
            "none of the settings that the course itself decides",
        ),
        (["--repos", "logic", "--ewc-weight", "1", "--sft", '{"lora": "r=4"}'], "0 with a lora in a stage"),
        (["--repos", "./missing@v1"], "./missing@v1 cannot be traced"),
    ],
)
def test_mistakes_end_with_one_line(
    tmp_path: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*words, "--run-dir", str(tmp_path / "run")])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
