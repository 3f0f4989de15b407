"""`python -m benchmarks.retrieval` on few vectors."""

from __future__ import annotations

import re

import pytest

from benchmarks.retrieval import main


def test_each_search_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--vectors", "300", "--count", "5", "--widths", "8", "--accessible", "0.5", "--repeats", "2"]
    assert main(words) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading == "5 of 300 vectors, one core, ms"
    assert [line.split()[0] for line in lines] == ["torch", "faiss"]
    assert all(
        re.search(r"width +8  accessible +50%  one query +[\d.]+ \(CPU +[\d.]+\)", line) for line in lines
    )
