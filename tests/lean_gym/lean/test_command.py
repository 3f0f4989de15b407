"""`python -m lean_gym.lean` on files that are no exports, too large, or crash Lean: a line each, and nothing lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

META = '{"meta":{"exporter":{"name":"x","version":"3.1.0"},"format":{"version":"3.1.0"}}}'
GOOD = [
    META,
    '{"in":1,"str":{"pre":0,"str":"a"}}',
    '{"ie":0,"sort":0}',
    '{"axiom":{"name":1,"levelParams":[],"type":0}}',
]
FIELDS = 100_000


def run(lean_library: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "lean_gym.lean", "--library", str(lean_library), *words]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def answers(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    assert b"Traceback" not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def good(tmp_path: Path) -> str:
    file = tmp_path / "good.ndjson"
    file.write_text("\n".join(GOOD) + "\n", "utf-8")
    return str(file)


@pytest.fixture
def crashing(tmp_path: Path) -> str:
    """A type whose constructor has so many fields that Lean's kernel has no stack left and aborts."""
    rows = [
        META,
        '{"in":1,"str":{"pre":0,"str":"a"}}',
        '{"in":2,"str":{"pre":1,"str":"c"}}',
        '{"il":1,"succ":0}',
    ]
    rows += ['{"ie":0,"sort":0}', '{"ie":1,"sort":1}', '{"ie":2,"const":{"name":1,"us":[]}}']
    for number in range(FIELDS):
        field = {"name": 2, "type": 0, "body": number + 2, "binderInfo": "default"}
        rows.append(json.dumps({"ie": number + 3, "forallE": field}))
    own: dict[str, Any] = {"levelParams": [], "numParams": 0, "isUnsafe": False}
    facts = {"numIndices": 0, "numNested": 0, "isRec": False, "isReflexive": False}
    types = [{"name": 1, "type": 1, "all": [1], "ctors": [2], **own, **facts}]
    ctors = [{"name": 2, "type": FIELDS + 2, "induct": 1, "cidx": 0, "numFields": FIELDS, **own}]
    rows.append(json.dumps({"inductive": {"types": types, "ctors": ctors, "recs": []}}))
    file = tmp_path / "crashing.ndjson"
    file.write_text("\n".join(rows) + "\n", "utf-8")
    return str(file)


def test_a_crash_costs_one_file(lean_library: Path, good: str, crashing: str) -> None:
    done = run(lean_library, good, crashing, good)
    assert [answer["accepted"] for answer in answers(done)] == [True, False, True]
    assert answers(done)[1]["reason"].startswith("no judgement: it ")
    assert done.returncode == 1


def test_a_crash_on_what_the_files_rest_on_is_one_line(lean_library: Path, good: str, crashing: str) -> None:
    done = run(lean_library, "--on", crashing, good)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.splitlines()[-1].startswith(b"error: no judgement: it ")


def test_a_file_that_is_cut_off(lean_library: Path, tmp_path: Path, good: str) -> None:
    file = tmp_path / "cut.ndjson"
    text = "\n".join(GOOD)
    file.write_text(text[:-20], "utf-8")
    cut, whole = answers(run(lean_library, str(file), good))
    assert cut["reason"].startswith("line 4: no row of the format (JSONDecodeError")
    assert whole["accepted"]


def test_a_gigabyte_in_one_line(lean_library: Path, tmp_path: Path, good: str) -> None:
    file = tmp_path / "long.ndjson"
    with file.open("wb") as writing:
        writing.truncate(1 << 30)
    long, whole = answers(run(lean_library, str(file), good))
    assert long["reason"] == "line 1: expected at most 16777216 characters"
    assert whole["accepted"]


def test_names_that_no_file_has(lean_library: Path, tmp_path: Path, good: str) -> None:
    names = [b"/dev/zero", str(tmp_path).encode(), b"a\0b", b"\xff\xfe", b"", good.encode()]
    found = answers(run(lean_library, "-", stdin=b"\n".join(names) + b"\n"))
    assert [answer["accepted"] for answer in found] == [False] * 5 + [True]
    reasons = [
        "expected a regular file",
        "expected a regular file",
        "embedded null byte",
        "No such file",
        "No such",
    ]
    assert all(reason in answer["reason"] for reason, answer in zip(reasons, found, strict=False))


def test_files_on_a_line_rest_on_each_other(lean_library: Path, tmp_path: Path, good: str) -> None:
    above = tmp_path / "above.ndjson"
    rows = [*GOOD[:2], '{"in":2,"str":{"pre":0,"str":"b"}}', '{"ie":0,"const":{"name":1,"us":[]}}']
    above.write_text("\n".join([*rows, '{"axiom":{"name":2,"levelParams":[],"type":0}}']) + "\n", "utf-8")
    lines = [f"{good}\t{above}", str(above), f"{above}\t{good}", f"{good}\t{good}"]
    found = answers(run(lean_library, "-", stdin="\n".join(lines).encode()))
    assert [answer["accepted"] for answer in found] == [True, False, False, False]
    assert found[0] == {"file": str(above), "lean": found[0]["lean"], "accepted": True, "declarations": 1}
    assert found[3]["reason"] == "'a': already declared"


@pytest.mark.parametrize("limit", ["0", "-1", "two", "1.5"])
def test_limits_are_whole_numbers(lean_library: Path, good: str, limit: str) -> None:
    done = run(lean_library, "--seconds", limit, good)
    assert done.returncode == 2
    assert f"got '{limit}', expected a whole number from 1".encode() in done.stderr


def test_limits_leave_room_for_a_file(lean_library: Path, good: str) -> None:
    assert run(lean_library, "--seconds", "60", "--memory-mib", "8192", good).returncode == 0
