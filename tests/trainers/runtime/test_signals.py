from __future__ import annotations

import os
import signal

import pytest

from trainers.runtime.signals import Interrupted, StopRequest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_met_at_the_next_check(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with StopRequest() as stop:
        stop.check()
        os.kill(os.getpid(), number)
        # a second signal is no longer held back
        assert signal.getsignal(number) is before
        with pytest.raises(Interrupted, match=number.name) as caught:
            stop.check()
        assert caught.value.signal_number == number
    assert signal.getsignal(number) is before


def test_under_a_launcher_a_signal_passed_on_twice_is_one_signal() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with StopRequest(launched=True) as stop:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.signal_number == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before
