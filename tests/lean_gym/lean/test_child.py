"""Judgements in children: limits, crashes, and that nothing of them reaches their parent."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from lean_gym.lean.child import ChildError, in_child

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Lean's library is for Linux")
Work = Callable[[], dict[str, Any]]


def ended_by(number: int) -> Work:
    def work() -> dict[str, Any]:
        faulthandler.disable()  # its report would look like one of pytest
        os.kill(os.getpid(), number)
        return {}

    return work


def endless() -> dict[str, Any]:
    while True:
        pass


def failing() -> dict[str, Any]:
    raise LookupError("a fault")


def leaving() -> dict[str, Any]:
    os._exit(3)


def test_a_result_comes_back_and_nothing_else() -> None:
    changed = [1]

    def work() -> dict[str, Any]:
        changed.append(2)
        return {"long": "x" * 1_000_000, "seen": len(changed)}

    for _ in range(2):
        assert in_child(work) == {"long": "x" * 1_000_000, "seen": 2}
    assert changed == [1]


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (ended_by(signal.SIGKILL), "no judgement: it was ended by SIGKILL"),
        (ended_by(signal.SIGSEGV), "no judgement: it crashed by SIGSEGV"),
        (ended_by(signal.SIGABRT), "no judgement: it aborted, as Lean does without stack or memory"),
        (leaving, "no judgement: it ended with exit status 3"),
        (failing, "no judgement: it ended with exit status 1"),
    ],
)
def test_a_child_without_a_result_is_one_line(work: Work, reason: str) -> None:
    with pytest.raises(ChildError) as caught:
        in_child(work)
    assert str(caught.value) == reason
    assert in_child(lambda: {"next": 1}) == {"next": 1}


def test_processor_time_is_bounded() -> None:
    with pytest.raises(ChildError, match="no judgement: its processor time was up"):
        in_child(endless, seconds=1)


def test_memory_is_bounded_in_the_child_alone() -> None:
    import resource

    def work() -> dict[str, Any]:
        try:
            bytearray(8 << 30)
        except MemoryError:
            return {"fits": False, "limit": resource.getrlimit(resource.RLIMIT_AS)[0]}
        return {"fits": True}

    before = resource.getrlimit(resource.RLIMIT_AS)
    assert in_child(work, memory_mib=4096) == {"fits": False, "limit": 4096 << 20}
    assert resource.getrlimit(resource.RLIMIT_AS) == before
