"""`python -m trainers.retrieval`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainers.corpora.retrieval import index
from trainers.corpora.retrieval.program import RECORD
from trainers.corpora.retrieval.retriever import IndexRetriever, load_retriever
from trainers.retrieval import main
from trainers.runtime.signals import Interrupted, StopRequest

SMALL = ("--buckets", "512", "--width", "16", "--epochs", "6", "--batch-size", "4", "--torch-threads", "1")


def test_from_the_data_to_a_retriever(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder, folder = tmp_path / "new" / "encoder", tmp_path / "new" / "index"
    assert main(["train", "--data", str(data), "--out-dir", str(encoder), *SMALL]) == 0
    record = json.loads((encoder / RECORD).read_text())
    assert (record["split"], len(record["losses"]), record["epochs"]) == ("random", 6, 6)
    words = ["--data", str(data), "--encoder", str(encoder)]
    capsys.readouterr()
    assert main(["evaluate", *words, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    assert [row["retriever"] for row in rows] == ["bm25", "encoder", "hybrid"]
    assert all(row["states"] == 8 and row["split"] == "random" for row in rows)
    assert rows[1]["R@1"] == 1.0  # the states that it was trained on
    assert main(["index", *words, "--out-dir", str(folder)]) == 0
    assert main(["index", *words, "--out-dir", str(folder)]) == 0  # replaces it
    found = load_retriever(str(folder))
    assert isinstance(found, IndexRetriever)
    assert found(["y : Nat\n⊢ halve (halve y) = y"], 1)[0][0].name == "Ops.halve_twice"
    # Without FAISS the same.
    monkeypatch.setattr(index, "find_spec", lambda _: None)
    plain = IndexRetriever(*index.read_index(folder))
    states = ["⊢ flip x = x", "⊢ twist (twist x) = merge x"]
    assert plain(states, 20) == found(states, 20)


def test_an_encoder_of_the_other_split_is_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--split", "novel_premises", "--epochs", "1", "--buckets", "64", "--width", "4"]
    assert main(["train", "--data", str(data), "--out-dir", str(tmp_path / "e"), *words]) == 0
    capsys.readouterr()
    both = ["--data", str(data), "--encoder", str(tmp_path / "e")]
    assert main(["evaluate", *both]) == 0
    printed = capsys.readouterr()
    assert "novel_premises, test: 8 states with a premise" in printed.out
    assert "R@10    R@32     MRR" in printed.out
    assert main(["evaluate", *both, "--split", "random"]) == 0
    assert "warning: the encoder was trained on novel_premises" in capsys.readouterr().err


def test_a_plan_writes_nothing(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("train", "index"):
        out = tmp_path / command
        assert main([command, "--data", str(data), "--out-dir", str(out), "--dry-run"]) == 0
        assert f"corpus: 20 premises of {data}" in capsys.readouterr().out
        assert not out.exists()


def test_an_interruption_writes_nothing(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(self: StopRequest) -> None:
        raise Interrupted(15)

    monkeypatch.setattr(StopRequest, "check", check)
    assert main(["train", "--data", str(data), "--out-dir", str(tmp_path / "e"), *SMALL]) == 143
    assert "interrupted; nothing is written" in capsys.readouterr().err
    assert not (tmp_path / "e").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fit"], "expected one of train, index, evaluate, got 'fit'"),
        (["train"], "data: expected a folder in LeanDojo's layout, got ''"),
        (["train", "--data", "{tmp}"], "{tmp}: no corpus.jsonl in it"),
        (["index", "--data", "{data}", "--hybrid"], "hybrid: expected an encoder beside it, got none"),
        (["index", "--data", "{data}", "--encoder", "./none"], "encoder: there is no folder ./none"),
        (["evaluate", "--data", "{data}", "--split", "other"], "--split: expected one of"),
        (["train", "--data", "{data}", "--out-dir", "{data}"], "holds files that are no trained encoder"),
        (
            ["train", "--data", "{data}", "--epochs", "0"],
            "--epochs: expected a whole number at least 1, got 0",
        ),
    ],
)
def test_mistakes_are_one_line(
    words: list[str], message: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([word.format(tmp=tmp_path, data=data) for word in words])
    assert caught.value.code == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("warning")]
    assert len(lines) == 1
    assert message.format(tmp=tmp_path) in lines[0]


def test_a_part_without_premises_is_one_line(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "corpus.jsonl").write_text((data / "corpus.jsonl").read_text())
    for text, message in (
        ("[]", "no tactic of random/test.json uses a premise"),
        ("{", "random/test.json: cannot be read"),
    ):
        (tmp_path / "random").mkdir(exist_ok=True)
        (tmp_path / "random" / "test.json").write_text(text)
        with pytest.raises(SystemExit):
            main(["evaluate", "--data", str(tmp_path)])
        assert message in capsys.readouterr().err


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == main(["--help"]) == 0
    assert "trainers.retrieval index" in capsys.readouterr().out
    with pytest.raises(SystemExit) as caught:
        main(["index", "--help"])
    assert caught.value.code == 0
    assert "usage: python -m trainers.retrieval index" in capsys.readouterr().out
