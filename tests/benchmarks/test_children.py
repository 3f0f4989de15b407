from __future__ import annotations

import pytest

from benchmarks.children import ChildFailed, run_child

CHILD = """
import json, os, sys
from benchmarks.children import answer
job = json.loads(sys.argv[1])
print("a line that is no answer")
answer([job["n"] + 1, os.environ.get("A_VARIABLE")]) if job["n"] else sys.exit("nothing to add to")
"""


@pytest.fixture
def child(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "adding_child.py").write_text(CHILD)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    return "adding_child"


def test_the_answer_is_the_last_line(child: str) -> None:
    assert run_child(child, {"n": 2}, {"A_VARIABLE": "seen"}) == [3, "seen"]


def test_a_child_that_fails_says_why(child: str) -> None:
    with pytest.raises(ChildFailed, match=r"exit code 1:\nnothing to add to"):
        run_child(child, {"n": 0})
