"""One request, one answer; whatever goes wrong ends the process and says so."""

import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from lean_gym.backends.pantograph.process import ReplProcess
from lean_gym.errors import BackendCrashed, BackendTimeout, BackendUnavailable, ProtocolError

FAULTY = Path(__file__).with_name("faulty_repl.py")


def start(fault, ready_seconds=30.0, **options):
    process = ReplProcess([sys.executable, str(FAULTY), fault], **options)
    process.await_ready(ready_seconds)
    return process


def is_gone(pid):
    with suppress(psutil.NoSuchProcess):
        # A child that was killed and not yet reaped is gone, too.
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    return True


def test_requests_and_answers():
    with closing(start("none")) as process:
        for number in range(20):
            assert process.request(f"hello{number}", {"text": "∀ α\n"}, 30) == {"echo": f"hello{number}"}
        assert process.alive
    assert not process.alive
    with pytest.raises(BackendCrashed, match="the REPL has ended"):
        process.request("hello", {}, 30)


@pytest.mark.parametrize(
    ("fault", "error", "text"),
    [
        (
            "dies",
            BackendCrashed,
            "ended with exit status 3; its standard error ends with: uncaught exception: stack",
        ),
        ("killed", BackendCrashed, "was killed by signal 9"),
        ("garbage", ProtocolError, "answered 'segmentation fault .*', expected one line with a JSON object"),
        ("list", ProtocolError, r"answered '\[1, 2\]', expected one line with a JSON object"),
        ("half-a-pair", ProtocolError, "expected one line with a JSON object"),
        ("not-utf8", ProtocolError, "expected one line with a JSON object"),
        ("twice", ProtocolError, "answered fault more than once: .*forged"),
        ("long", ProtocolError, "the answer has more than 1000000 bytes"),
    ],
)
def test_faults(fault, error, text):
    with closing(start(fault, max_line_bytes=1_000_000)) as process:
        assert process.request("hello", {}, 30) == {"echo": "hello"}
        with pytest.raises(error, match=text):
            process.request("fault", {}, 30)
        assert not process.alive
        assert is_gone(process.pid)


def test_a_late_second_answer_is_not_taken_for_the_next():
    with closing(start("late-second")) as process:
        assert process.request("fault", {}, 30) == {"first": 1}
        time.sleep(0.5)
        with pytest.raises(ProtocolError, match=r"spoke unasked: .*forged"):
            process.request("hello", {}, 30)


@pytest.mark.parametrize("fault", ["hangs", "ignores-sigterm"])
def test_a_deadline_kills(fault):
    with closing(start(fault)) as process:
        with pytest.raises(BackendTimeout, match=r"fault: no answer within 0.2 s; it was killed"):
            process.request("fault", {}, 0.2)
        assert is_gone(process.pid)


def test_long_lines_and_a_flood_on_stderr_pass():
    with closing(start("long")) as process:
        assert len(process.request("fault", {"text": "y" * 3_000_000}, 30)["text"]) == 3_000_000
    with closing(start("floods-stderr")) as process:
        assert process.request("fault", {}, 30) == {"echo": "fault"}
        assert process.request("hello", {}, 30) == {"echo": "hello"}
        assert len(process.stderr_tail) <= 2000


def test_children_die_with_it():
    process = start("has-child")
    child = process.request("fault", {}, 30)["child"]
    assert not is_gone(child)
    process.close()
    process.close()
    until = time.monotonic() + 10
    while not is_gone(child) and time.monotonic() < until:
        time.sleep(0.01)
    assert is_gone(child)


@pytest.mark.parametrize(
    ("fault", "seconds", "text"),
    [
        ("never-ready", 1.0, "did not start: not ready within 1 s; it was killed"),
        ("wrong-greeting", 30.0, "began with 'hello', expected 'ready.'"),
        (
            "no-module",
            30.0,
            "did not start: .*status 1; its standard error .*unknown module prefix 'Mathlib'",
        ),
    ],
)
def test_a_bad_start(fault, seconds, text):
    with pytest.raises(BackendUnavailable, match=text):
        start(fault, seconds)


def test_no_such_program():
    with pytest.raises(BackendUnavailable, match=r"'/nowhere/repl' did not start: .*No such file"):
        ReplProcess(["/nowhere/repl"]).await_ready(30.0)
    with pytest.raises(BackendUnavailable, match=r"'/nowhere/repl' cannot be started: .*No such file"):
        ReplProcess(["/nowhere/repl"], cwd="/nowhere")


def test_text_that_is_no_unicode():
    with closing(start("none")) as process:
        with pytest.raises(ValueError, match="surrogates not allowed"):
            process.request("hello", {"text": "\udc80"}, 30)
        assert process.request("hello", {}, 30) == {"echo": "hello"}
