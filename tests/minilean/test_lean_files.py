"""Lean files below `lean/` that check themselves: nothing is said but what their `#guard_msgs` expect.

Any Lean can run them: `lean FILE`. The first line of a file says whether Lean's own elaborator agrees; the names of the
others end in `_minilean`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_gym.backends.lean import repl_command
from lean_gym.backends.pantograph.discovery import FoundRepl
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.errors import BackendUnavailable
from lean_gym.lean.library import find_library
from minilean.check_command import check_text

FOLDER = Path(__file__).parent / "lean"
FILES = [file.relative_to(FOLDER).as_posix() for file in sorted(FOLDER.rglob("*.lean"))]
OWN = [name for name in FILES if name.endswith("_minilean.lean")]
CHECKED = "-- Checked with Lean 4.35.0."
SECONDS = 60.0


@pytest.fixture(scope="module")
def lean() -> Iterator[Repl]:
    """Lean's own elaborator on minilean's library; without it these tests are left out."""
    try:
        command = repl_command(str(find_library()))
    except BackendUnavailable as error:
        pytest.skip(str(error))
    repl = Repl(ReplSettings(FoundRepl(tuple(command), "test"), sandbox="off"), ("Init",)).ready()
    yield repl
    repl.close()


def text_of(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


@pytest.mark.parametrize("name", FILES)
def test_minilean_says_what_the_file_expects(name: str) -> None:
    found = [f"{m.line}:{m.column} {m.severity} {m.text}" for m in check_text(text_of(name))]
    assert found == []


@pytest.mark.parametrize("name", [name for name in FILES if name not in OWN])
def test_lean_says_what_the_file_expects(lean: Repl, name: str) -> None:
    text = text_of(name)
    answer = lean.ask("frontend.process", {"file": text, "readHeader": False, "inheritEnv": False}, SECONDS)
    assert "error" not in answer, answer
    units = answer["units"]
    found = [
        f"{m['pos']['line']}:{m['pos']['column']} {m['data']}" for unit in units for m in unit["messages"]
    ]
    assert found == []
    assert units[-1]["boundary"][1] == len(text.encode())


@pytest.mark.parametrize("name", FILES)
def test_the_first_line_says_who_agrees(name: str) -> None:
    first = text_of(name).partition("\n")[0]
    assert (first == CHECKED) is (name not in OWN)
    assert first.startswith("-- ")
    assert "/-!" in text_of(name)


def test_a_message_that_no_file_expects_is_found() -> None:
    assert [m.text for m in check_text(f"{CHECKED}\n\n#check 1\n")] == ["1 : Nat"]
    found = check_text("/-- info: 2 : Nat -/\n#guard_msgs in\n#check 1")
    assert [m.severity for m in found] == ["info", "error"]


def test_there_are_files_of_both_kinds() -> None:
    assert 0 < len(OWN) < len(FILES)
