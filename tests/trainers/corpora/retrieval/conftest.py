"""A traced project of four files: `Ops`, `More` that imports it, `Last` that imports `More`, and one apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trainers.corpora.retrieval.corpus import Corpus, read_corpus
from trainers.corpora.retrieval.index import write_index

WORDS = ("flip", "double", "halve", "shift", "merge", "drop", "turn", "twist")


def premise(name: str, code: str, line: int) -> dict[str, Any]:
    return {"full_name": name, "code": code, "start": [line, 1], "end": [line + 1, 20], "kind": "theorem"}


def law(word: str, side: str, line: int) -> dict[str, Any]:
    right = f"{word} x" if side == "self" else f"{word} ({word} x)"
    return premise(f"Ops.{word}_{side}", f"theorem {word}_{side} (x : Nat) : {right} = x", line)


def files() -> list[dict[str, Any]]:
    return [
        {
            "path": "Ops.lean",
            "imports": [],
            "premises": [
                each
                for at, word in enumerate(WORDS)
                for each in (law(word, "self", 10 * at + 1), law(word, "twice", 10 * at + 5))
            ],
        },
        {
            "path": "More.lean",
            "imports": ["Ops.lean"],
            "premises": [
                premise("More.first", "theorem More.first (x : Nat) : flip x = double x", 1),
                premise("More.second", "theorem More.second (x : Nat) : merge x = turn x", 5),
            ],
        },
        {
            "path": "Apart.lean",
            "imports": [],
            "premises": [premise("flip_apart", "theorem flip_apart (x : Nat) : flip x = x", 1)],
        },
        {
            "path": "Last.lean",
            "imports": ["More.lean"],
            "premises": [premise("Last.end", "theorem Last.end : flip x = x", 1)],
        },
    ]


def used(name: str, path: str = "Ops.lean") -> dict[str, Any]:
    rows = {row["path"]: {each["full_name"]: each for each in row["premises"]} for row in files()}
    place = rows[path][name]
    return {"full_name": name, "def_path": path, "def_pos": place["start"], "def_end_pos": place["end"]}


def theorem(name: str, path: str, line: int, *steps: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    tactics = [
        {
            "tactic": "simp",
            "annotated_tactic": ["simp", premises],
            "state_before": state,
            "state_after": "no goals",
        }
        for state, premises in steps
    ]
    place = {"start": [line, 1], "end": [line + 3, 1]}
    return {"file_path": path, "full_name": name, **place, "traced_tactics": tactics}


def rows(side: str) -> list[dict[str, Any]]:
    """Theorems of `Last`, each of which uses one law."""
    shapes = {"self": "y : Nat\n⊢ {0} y = y", "twice": "y : Nat\n⊢ {0} ({0} y) = y"}
    return [
        theorem(f"t.{word}", "Last.lean", 10, (shapes[side].format(word), [used(f"Ops.{word}_{side}")]))
        for word in WORDS
    ]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the project, in LeanDojo's layout."""
    folder = tmp_path_factory.mktemp("traced")
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in files())
    (folder / "corpus.jsonl").write_text("".join(lines), encoding="utf-8")
    for split in ("random", "novel_premises"):
        (folder / split).mkdir()
        for part, side in (("train", "twice"), ("val", "self"), ("test", "twice")):
            (folder / split / f"{part}.json").write_text(json.dumps(rows(side)), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def corpus(data: Path) -> Corpus:
    return read_corpus(data)


@pytest.fixture(scope="session")
def bm25_index(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index without an encoder."""
    folder = tmp_path_factory.mktemp("indexes") / "bm25"
    write_index(folder, corpus)
    return folder
