from __future__ import annotations

from benchmarks.memory import peak_mib, reset_peak, resident_mib


def test_the_peak_is_that_since_the_reset() -> None:
    before = resident_mib()
    held = b"x" * (64 << 20)
    assert resident_mib() > before + 50
    del held
    assert peak_mib() > before + 50
    reset_peak()
    assert peak_mib() < before + 30
