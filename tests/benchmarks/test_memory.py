from __future__ import annotations

import mmap

from benchmarks.memory import peak_mib, reset_peak, resident_mib

_PAGES = b"x" * (1 << 20)


def test_the_peak_is_that_since_the_reset() -> None:
    before = resident_mib()
    # Memory of an allocator may stay with the process after it is freed, a mapping does not.
    with mmap.mmap(-1, 64 << 20) as held:
        for _ in range(64):
            held.write(_PAGES)
        assert resident_mib() > before + 50
    assert peak_mib() > before + 50
    reset_peak()
    assert peak_mib() < before + 30
