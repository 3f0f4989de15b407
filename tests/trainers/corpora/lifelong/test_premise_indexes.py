"""Premises in a course: its stages show those of the theorem's own repository, and none where there is no retriever."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from lean_gym.datasets import load_theorems
from lean_gym.types import Theorem
from trainers.config.cli import Command
from trainers.config.lifelong import LifelongConfig
from trainers.config.rollout import PromptConfig
from trainers.config.tasks import EvaluateConfig, SftConfig
from trainers.corpora.lifelong import course as course_module
from trainers.corpora.lifelong import filling, measuring
from trainers.corpora.lifelong.course import Course
from trainers.corpora.lifelong.store import Store
from trainers.corpora.retrieval.retriever import load_retriever, retriever_of
from trainers.errors import ConfigError
from trainers.policies.source import PolicySource
from trainers.policies.views import create_view
from trainers.runtime.signals import Stop

TRAINED, HELD_OUT = ("one", "two", "three", "open"), "held"


def write_traced(folder: Path, word: str) -> Path:
    """A traced project; all theorems of all such projects have the same names and files, the premise has a `word`."""
    premise = f"{word}_lemma"
    used = {"full_name": premise, "def_path": "Base.lean", "def_pos": [1, 1], "def_end_pos": [1, 9]}
    rows, episodes = [], []
    for line, name in enumerate((*TRAINED, HELD_OUT), start=5):
        gap = name == "open"
        statement = f"theorem {name} (n : Nat) : n + {line} = n + {line}"
        step = {
            "tactic": "sorry" if gap else f"exact {premise} n",
            "annotated_tactic": ["", [] if gap else [used]],
            "state_before": f"n : Nat\n⊢ {name} n = n",
            "state_after": "no goals",
        }
        rows.append(
            {
                "url": word,
                "commit": "1",
                "file_path": "Main.lean",
                "full_name": name,
                "theorem_statement": statement,
                "start": [line, 1],
                "end": [line, 20],
                "traced_tactics": [step],
            }
        )
        episode = {"name": name, "statement": statement, "context": "", "imports": []}
        split = "test" if name == HELD_OUT else "train"
        proof = {} if gap else {"proof": step["tactic"]}
        episodes.append({**episode, "split": split, "domain": "Main", **proof})
    premises = [
        {
            "full_name": premise,
            "code": f"theorem {premise} : one two three open held n = n",
            "start": [1, 1],
            "end": [1, 9],
            "kind": "theorem",
        }
    ]
    own = [
        {
            "full_name": row["full_name"],
            "code": row["theorem_statement"],
            "start": row["start"],
            "end": row["end"],
        }
        for row in rows
    ]
    corpus = [
        {"path": "Base.lean", "imports": [], "premises": premises},
        {
            "path": "Main.lean",
            "imports": ["Base.lean"],
            "premises": [{**one, "kind": "theorem"} for one in own],
        },
    ]
    (folder / "random").mkdir(parents=True)
    (folder / "sources" / "copy").mkdir(parents=True)
    (folder / "sources" / "copy" / "Main.lean").write_text("theorem open (n : Nat) : n = n := by sorry\n")
    (folder / "metadata.json").write_text(json.dumps({"from_repo": {"url": word, "commit": "1"}}))
    (folder / "random" / "train.json").write_text(json.dumps(rows))
    for name, content in (("corpus.jsonl", corpus), ("theorems.jsonl", episodes)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in content))
    return folder


Shown = dict[str, list[str]]
"""By stage, what the policy is shown in it, in the order of its theorems."""


@pytest.fixture
def learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Shown]:
    """Runs a course whose stages only tell what they would show the policy."""
    shown: Shown = {}

    def note(stage: str, rollout: PromptConfig, theorems: list[Theorem]) -> None:
        view: Any = create_view(rollout, retriever_of(rollout))
        episodes: list[Any] = [SimpleNamespace(theorem=one, tactics=()) for one in theorems]
        texts = [str(view(f"⊢ {one.name} n = n", at)) for one, at in zip(theorems, episodes, strict=True)]
        shown.setdefault(stage, []).extend(texts)

    def fine_tune(config: SftConfig, *_: Any) -> int:
        note("sft", config.rollout, [one for one in load_theorems(config.theorems) if one.split == "train"])
        return 0

    def train(command: Command, **_: Any) -> int:
        theorems = load_theorems(command.config.theorems)
        note("grpo", command.config.rollout, [one for one in theorems if one.split == "train"])
        return 0

    def measure(config: EvaluateConfig, *_: Any) -> int:
        theorems = load_theorems(config.theorems)
        note("measure", config.rollout, theorems)
        counts = {one.name: 0 for one in theorems}
        content = {"overall": {"pass@1": {"value": 0.0}}, "by_theorem": counts}
        folder = Path(config.out_dir or "")
        folder.mkdir()
        (folder / "result.json").write_text(json.dumps(content))
        return 0

    def fill(settings: Any, *_: Any) -> list[dict[str, Any]]:
        note("prove", settings.rollout, [Theorem("open", "theorem open (n : Nat) : n = n")])
        Path(settings.out).write_bytes(Path(settings.file).read_bytes())
        return []

    monkeypatch.setattr(course_module, "fine_tune", fine_tune)
    monkeypatch.setattr(course_module, "train", train)
    monkeypatch.setattr(measuring, "measure", measure)
    monkeypatch.setattr(filling, "_fill", fill)
    monkeypatch.setattr(PolicySource, "find", lambda name: PolicySource(name, "model", name, {}))
    monkeypatch.setattr(PolicySource, "load", lambda *_: None)

    def learnt(retriever: str, sources: list[Path | str], **settings: Any) -> Shown:
        shown.clear()
        config = LifelongConfig(
            repos=list(map(str, sources)),
            order="given",
            model="someone/model",
            backend="fake",
            retriever=retriever,
            premises=1,
            retrieval={"buckets": 64, "width": 8, "training": {"epochs": 1}},
            **settings,
        )
        folder = tmp_path / f"run-{retriever}"
        folder.mkdir()
        tracer: Any = None
        stop: Any = SimpleNamespace(check=lambda: None)
        with Store(folder / "theorems.db") as store:
            asked: Stop = stop
            Course(config, folder, store, asked, Console(quiet=True), tracer).run()
        load_retriever.cache_clear()
        return dict(shown)

    return learnt


@pytest.fixture
def projects(tmp_path: Path) -> list[Path | str]:
    """Two traced projects with equal names of files and theorems, and a theorem set."""
    made: list[Path | str] = [write_traced(tmp_path / word, word) for word in ("apple", "pear")]
    path = tmp_path / "plain.jsonl"
    rows = [
        {
            "name": f"plain{at}",
            "statement": f"theorem plain{at} : {at} = {at}",
            "context": "",
            "imports": [],
            "split": "train" if at else "test",
            "proof": "rfl",
        }
        for at in range(4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [*made, str(path)]


@pytest.mark.parametrize("retriever", ["bm25", "encoder"])
def test_every_stage_shows_the_premises_of_the_own_repository(
    learn: Callable[..., Shown], projects: list[Path | str], retriever: str, tmp_path: Path
) -> None:
    without = learn("none", projects)
    found = learn(retriever, projects)
    assert all("lemma" not in text for texts in without.values() for text in texts)
    assert {stage: len(texts) for stage, texts in found.items()} == {
        stage: len(texts) for stage, texts in without.items()
    }
    for stage in ("sft", "grpo", "measure", "prove"):
        told = [text.partition("\n")[0] for text in found[stage]]
        apples = [line for line in told if line.startswith("-- apple_lemma")]
        pears = [line for line in told if line.startswith("-- pear_lemma")]
        plain = [text for text in found[stage] if "plain" in text]
        assert len(apples) == len(pears) > 0, stage
        assert plain == [text for text in without[stage] if "plain" in text], stage
    rows = (tmp_path / f"run-{retriever}").glob("*/premises/data/random/train.json")
    trained = [{row["full_name"] for row in json.loads(path.read_text())} for path in rows]
    # What is held out teaches no encoder.
    assert trained == ([] if retriever == "bm25" else [set(TRAINED) - {"open"}] * 3)


def test_replayed_theorems_find_the_premises_of_their_own_repository(
    learn: Callable[..., Shown], projects: list[Path | str], tmp_path: Path
) -> None:
    other = write_traced(tmp_path / "plum", "plum")
    for name in ("theorems.jsonl", "corpus.jsonl", "random/train.json"):
        text = (other / name).read_text()
        for word in (*TRAINED, HELD_OUT):
            text = text.replace(f'"{word}"', f'"plum_{word}"').replace(
                f"theorem {word} ", f"theorem plum_{word} "
            )
        (other / name).write_text(text)
    found = learn("bm25", [projects[2], projects[0], other], replay_share=1.0)
    # The last repository trains on its own three theorems, and on four of the set and of the other project.
    texts = {text.rpartition("⊢ ")[2].partition(" ")[0]: text for text in found["sft"][-7:]}
    assert len(texts) == 7
    kinds = set()
    for name, text in texts.items():
        word = "plum" if name.startswith("plum") else "" if name.startswith("plain") else "apple"
        kinds.add(word)
        assert text.startswith(f"-- {word}_lemma" if word else "⊢ plain"), text
    assert kinds == {"plum", "apple", ""}


def test_a_course_of_theorem_sets_has_no_premises(
    learn: Callable[..., Shown], projects: list[Path | str]
) -> None:
    with pytest.raises(ConfigError, match="expected a repository with premises, got theorem sets only"):
        learn("bm25", projects[2:])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sft": {"rollout": {"retriever": "x"}}}, "no retriever beside that of the course"),
        ({"retrieval": {"data": "x"}}, "none of the settings that the course itself decides"),
        ({"retrieval": {"epochs": 1}}, "retrieval: unknown setting epochs; it belongs under the section"),
    ],
)
def test_settings_of_the_retriever(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        LifelongConfig(repos=["logic"], retriever="bm25", **settings)


def test_a_repository_without_proofs_teaches_nothing_and_is_searched(
    learn: Callable[..., Shown], projects: list[Path | str], tmp_path: Path
) -> None:
    path = Path(projects[0]) / "random" / "train.json"
    path.write_text(json.dumps([row for row in json.loads(path.read_text()) if row["full_name"] == "open"]))
    found = learn("encoder", projects[:1], ewc_weight=1.0, replay_share=1.0)
    assert sorted(found) == ["prove"]
    assert found["prove"][0].startswith("-- apple_lemma")
    report = json.loads((tmp_path / "run-encoder" / "transfer.json").read_text())
    assert report["rates"] == [[None], [None]]
    assert set(report["measures"][-1].values()) == {None}
