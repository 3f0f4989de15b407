"""`python -m benchmarks.retrieval` on few vectors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.premises import write_training_part
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


def test_an_encoder_learns_from_other_files_than_the_test(tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    (data / "random").mkdir(parents=True)
    (data / "corpus.jsonl").write_text("{}\n")
    names = ["lib/Nat.lean", "lib/Int.lean", "lib/Late.lean"]
    for part, name in zip(("train", "val", "test"), names, strict=True):
        (data / "random" / f"{part}.json").write_text(json.dumps([{"file_path": name}]))
    write_training_part(data, out, {"Nat.lean", "Late.lean"})
    found = {part: json.loads((out / "random" / f"{part}.json").read_text()) for part in ("train", "test")}
    assert [row["file_path"] for row in found["train"]] == ["lib/Nat.lean", "lib/Late.lean"]
    assert [row["file_path"] for row in found["test"]] == ["lib/Int.lean"]
    assert (out / "corpus.jsonl").read_text() == "{}\n"
