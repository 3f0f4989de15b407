"""Theorem sets as splits: names, draws, and what a client of a server may not learn or reach."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lean_gym.integrations.task_sets import CANARIES, TaskSets

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> TaskSets:
    path = tmp_path_factory.mktemp("sets") / "mine.jsonl"
    rows = [
        {"name": "one", "statement": "theorem one : 1 = 1", "proof": "exact rfl_of_the_owner"},
        {"name": "two", "statement": "theorem two : 2 = 2", "proof": "rfl"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return TaskSets(["logic", str(path)])


def test_splits_are_called_by_set_and_split(tasks: TaskSets) -> None:
    assert list(tasks.splits) == ["logic:train", "logic:test", "mine", CANARIES]
    assert [task.index for task in tasks.tasks("mine")] == [0, 1]
    assert list(TaskSets(["logic:test"]).splits) == ["logic:test", CANARIES]


def test_a_task_keeps_the_reference_proof_to_itself(tasks: TaskSets) -> None:
    shown = json.dumps([task.describe() for members in tasks.splits.values() for task in members])
    assert "theorem one : 1 = 1" in shown
    assert "rfl_of_the_owner" not in shown
    assert "proof" not in tasks.task("mine", 0).describe()


def test_a_task_is_chosen_by_number_by_name_or_drawn(tasks: TaskSets) -> None:
    assert tasks.chosen({"split": "mine", "index": 1}, RNG).theorem.name == "two"
    assert tasks.chosen({"split": "mine", "theorem": "one"}, RNG).theorem.name == "one"
    drawn = [
        [tasks.chosen({}, rng).theorem.name for _ in range(5)]
        for rng in (np.random.default_rng(seed) for seed in (1, 1, 2))
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert tasks.chosen({}, RNG).split == "logic:train"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "/etc/passwd"}, "unknown split '/etc/passwd'"),
        ({"split": "../mine"}, "unknown split '../mine'"),
        ({"split": "mine.jsonl"}, "unknown split 'mine.jsonl' (known: "),
        ({"split": "generated:algebra?size=9"}, "unknown split 'generated:algebra"),
        ({"split": ["mine"]}, "split: got ['mine'], expected one of"),
        ({"theorems": "/etc/passwd"}, "unknown reset option 'theorems'; did you mean 'theorem'?"),
        ({"theorem": "/etc/passwd"}, "theorem: got '/etc/passwd', expected the name"),
        ({"theorem": {"name": "t", "statement": "theorem t : True"}}, "theorem: got {'name': 't'"),
        ({"split": "mine", "index": "0"}, "index: got '0', expected an integer"),
        ({"split": "mine", "index": True}, "index: got True, expected an integer"),
        ({"split": "mine", "index": 0, "theorem": "one"}, "index and theorem: got both"),
    ],
)
def test_what_a_client_asks_for_is_no_place(tasks: TaskSets, options: dict, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        tasks.chosen(options, RNG)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("index", [-1, 2, 10**30])
def test_a_number_out_of_range_is_an_index_error(tasks: TaskSets, index: int) -> None:
    with pytest.raises(IndexError, match="expected 0 to 1 in 'mine'"):
        tasks.task("mine", index)


def test_two_sets_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="got the split 'logic:train' twice"):
        TaskSets(["logic", "logic:train"])
    with pytest.raises(ValueError, match="got no set"):
        TaskSets([])
