"""The process of Lean's kernel that a judge keeps: it is replaced when it dies, and killed when it does not answer."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from lean_gym.errors import BackendCrashed, BackendTimeout, BackendUnavailable
from lean_gym.lean.library import VARIABLE, find_library
from lean_gym.verification.kernels import LeanKernelProcess, Wrap
from lean_gym.verification.processes import LineProgram

META = '{"meta":{"exporter":{"name":"x","version":"3.1.0"},"format":{"version":"3.1.0"}}}\n'
AXIOM = (
    '{"in":1,"str":{"pre":0,"str":"a"}}\n{"ie":0,"sort":0}\n{"axiom":{"name":1,"levelParams":[],"type":0}}\n'
)
# a name that no file before has declared
ON_IT = '{"in":1,"str":{"pre":0,"str":"a"}}\n{"in":2,"str":{"pre":0,"str":"b"}}\n{"ie":0,"const":{"name":1,"us":[]}}\n'
ON_IT += '{"axiom":{"name":2,"levelParams":[],"type":0}}\n'
SECONDS = 100.0
Made = Callable[[Wrap], LeanKernelProcess]


def later() -> float:
    return time.monotonic() + SECONDS


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "below.ndjson", tmp_path / "proof.ndjson"]
    paths[0].write_text(META + AXIOM, "utf-8")
    paths[1].write_text(META + ON_IT, "utf-8")
    return list(map(str, paths))


class Recorder:
    """A sandbox that notes what is started, and may start something else first."""

    def __init__(self, *first: Sequence[str]) -> None:
        self.started = 0
        self._first = list(first)

    def __call__(self, command: Sequence[str]) -> list[str]:
        self.started += 1
        return list(self._first.pop(0) if self._first else command)


@pytest.fixture
def process() -> Iterator[Made]:
    made = []

    def make(wrap: Wrap = list) -> LeanKernelProcess:
        made.append(LeanKernelProcess(wrap))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library, for programs that stand in for Lean's kernel."""
    file = tmp_path / "libleanshared.so"
    file.touch()
    monkeypatch.setenv(VARIABLE, str(file))


def program(text: str) -> list[str]:
    return [sys.executable, "-c", text]


DIES = program("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
ACCEPTS = program(
    "import json, sys\nfor line in sys.stdin:\n"
    "    print(json.dumps({'file': line.rstrip('\\n').split('\\t')[-1], 'accepted': True}), flush=True)"
)


@pytest.mark.usefixtures("stand_in")
def test_a_process_that_is_killed_while_it_loads_is_replaced(process: Made) -> None:
    wrap = Recorder(DIES, ACCEPTS)
    assert process(wrap).answer(["x"], later())["accepted"]
    assert wrap.started == 2


@pytest.mark.usefixtures("stand_in")
def test_a_process_that_dies_each_time_is_one_line(process: Made) -> None:
    wrap = Recorder(DIES, DIES, ACCEPTS)
    kernel = process(wrap)
    with pytest.raises(BackendCrashed, match="no answer: exit status -9"):
        kernel.answer(["x"], later())
    assert wrap.started == 2
    assert kernel.answer(["x"], later())["accepted"]


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    "answer", ["{}", "no json", '{"file": "y", "accepted": true}', '{"file": "x", "accepted": 1}']
)
def test_an_answer_to_something_else_is_none(process: Made, answer: str) -> None:
    says = program(f"import sys\nfor line in sys.stdin: print({answer!r}, flush=True)")
    with pytest.raises(BackendCrashed, match="no answer"):
        process(lambda command: says).answer(["x"], later())


@pytest.mark.usefixtures("stand_in")
def test_a_process_that_says_nothing_is_killed_at_the_deadline(process: Made) -> None:
    wrap = Recorder(program("import time; time.sleep(600)"), ACCEPTS)
    kernel = process(wrap)
    with pytest.raises(BackendTimeout, match="did not answer within"):
        kernel.answer(["x"], time.monotonic() + 0.5)
    assert kernel.answer(["x"], later())["accepted"]


@pytest.mark.usefixtures("stand_in")
def test_a_forked_process_starts_its_own(process: Made) -> None:
    """Two processes on one pipe would take each other's answers."""
    wrap = Recorder(ACCEPTS, ACCEPTS)
    kernel = process(wrap)
    assert kernel.answer(["x"], later())["accepted"]
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if kernel.answer(["y"], later())["file"] == "y" and wrap.started == 2 else 1
            kernel.close()
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
    assert kernel.answer(["z"], later())["file"] == "z"
    assert wrap.started == 1


def test_an_endless_answer_is_refused() -> None:
    talker = LineProgram(program("import sys\nwhile True: sys.stdout.write('x' * 4096)"))
    with pytest.raises(BackendCrashed):
        talker.ask("x", SECONDS)


# --- with Lean's library ----------------------------------------------------------------------------------------


@pytest.fixture
def lean_here() -> None:
    try:
        find_library()
    except BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("lean_here")
def test_a_file_rests_on_those_before_it_and_on_no_other_judgement(process: Made, files: list[str]) -> None:
    wrap = Recorder()
    kernel = process(wrap)
    for _ in range(3):
        assert kernel.answer(files, later()) == {
            "file": files[1], "accepted": True, "declarations": 1, "lean": kernel.answer(files, later())["lean"]
        }  # fmt: skip
        alone = kernel.answer(files[1:], later())
        assert (alone["accepted"], alone["reason"]) == (False, "'b': unknown constant")
    assert wrap.started == 1


@pytest.mark.usefixtures("lean_here")
def test_a_process_that_is_stopped_or_killed_loses_one_judgement_at_most(
    process: Made, files: list[str]
) -> None:
    started = []

    class Noted(Recorder):
        def __call__(self, command: Sequence[str]) -> list[str]:
            return ["sh", "-c", 'echo $$ > "$0"; exec "$@"', f"{files[0]}.pid", *super().__call__(command)]

    kernel = process(Noted())
    assert kernel.answer(files, later())["accepted"]
    started.append(int(Path(f"{files[0]}.pid").read_text()))
    os.kill(started[-1], signal.SIGSTOP)
    with pytest.raises(BackendTimeout):
        kernel.answer(files, time.monotonic() + 0.5)
    assert kernel.answer(files, later())["accepted"]
    started.append(int(Path(f"{files[0]}.pid").read_text()))
    os.kill(started[-1], signal.SIGKILL)
    assert kernel.answer(files, later())["accepted"]
    assert len({*started, int(Path(f"{files[0]}.pid").read_text())}) == 3


@pytest.mark.usefixtures("lean_here")
def test_two_at_once_keep_their_answers_apart(process: Made, files: list[str]) -> None:
    both = [process(list), process(list)]
    for _ in range(3):
        assert both[0].answer(files, later())["accepted"]
        assert not both[1].answer(files[1:], later())["accepted"]


@pytest.mark.usefixtures("lean_here")
def test_the_answer_is_that_of_the_program(process: Made, files: list[str]) -> None:
    Path(files[0]).write_text("no export", "utf-8")
    answer = process(list).answer(files, later())
    assert not answer["accepted"]
    assert "line 1: no row of the format" in json.dumps(answer)
