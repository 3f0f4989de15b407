"""Corpora of several projects: each theorem has the premises of its own file, and a shared library is there once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lean_gym.datasets.formats.leandojo_steps import corpus_file
from lean_gym.types import Theorem
from trainers.config.lifelong import LifelongConfig
from trainers.config.tasks import ProveConfig
from trainers.corpora.lifelong import filling, premise_indexes
from trainers.corpora.lifelong.filling import fill_repository
from trainers.corpora.lifelong.joined_corpus import JoinedCorpus, rows_of
from trainers.corpora.lifelong.member import TRAINING, Indexes, Member, Replayed
from trainers.corpora.lifelong.premise_indexes import PremiseIndexes
from trainers.corpora.lifelong.records import PremiseFile, Repository, StoredTheorem, TracedTheorem
from trainers.corpora.lifelong.sources import read_source
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.theorem_parts import parts_of
from trainers.corpora.lifelong.traced import read_traced
from trainers.corpora.lifelong.tracing import tracer_of
from trainers.corpora.retrieval.corpus import Corpus, Position, read_corpus
from trainers.corpora.retrieval.examples import read_examples
from trainers.corpora.retrieval.retriever import load_retriever
from trainers.policies.source import PolicySource
from trainers.proving.editing.filling import InProject


def law(name: str, line: int) -> dict[str, Any]:
    code = f"theorem {name} : {name} = same"
    return {"full_name": name, "code": code, "start": [line, 1], "end": [line, 20], "kind": "theorem"}


def file_of(path: str, names: Sequence[str], *imports: str) -> PremiseFile:
    return PremiseFile(path, imports, tuple(law(name, at) for at, name in enumerate(names, start=1)))


def traced(path: str, name: str, line: int, used: tuple[str, str] | None = None) -> TracedTheorem:
    """A theorem as a trace of real Lean has it: without a position, in the domain of its file."""
    statement = law(name, line)["code"]
    short = name.rpartition(".")[2]
    place = {"def_pos": [1, 1], "def_end_pos": [1, 20]}
    uses = [] if used is None else [{"full_name": used[1], "def_path": used[0], **place}]
    tactic = {"tactic": "t", "annotated_tactic": ["t", uses], "state_before": f"⊢ {name}", "state_after": ""}
    said = statement.replace(f"theorem {name}", f"theorem {short}")
    episode = Theorem(short, said, split="train", domain=path.removesuffix(".lean"), proof="t")
    return TracedTheorem(name, path, (line, 1), (line, 20), statement, (tactic,), episode=episode)


LIBRARY = (file_of("std/Core.lean", ["core"]), file_of("std/List.lean", ["map", "fold"], "std/Core.lean"))


def project(word: str, *library: PremiseFile, imports: Sequence[str] = ("std/List.lean",)) -> Repository:
    """A project: files and names are those of all others, but for one lemma that has a `word`."""
    base = file_of("Base.lean", [f"{word}_lemma", "swap"], *imports)
    main = file_of("Main.lean", ["first", f"{word}_second", "third"], "Base.lean")
    theorems = [
        traced("Base.lean", "swap", 2, ("std/List.lean", "map")),
        traced("Main.lean", "third", 3, ("Base.lean", f"{word}_lemma")),
    ]
    return Repository(word, "1", word, theorems=theorems, premise_files=[*library, base, main])


def own_premises(repository: Repository, theorem: TracedTheorem) -> list[str]:
    """Return the names of the premises that are accessible to a theorem in the corpus of its repository."""
    corpus = Corpus([corpus_file(row) for row in rows_of(repository)])
    mask = corpus.accessible(Position(theorem.file, theorem.start))
    return sorted(one.name for one, is_in in zip(corpus.premises, mask, strict=True) if is_in)


def check_joined(repositories: dict[str, Repository]) -> Corpus:
    """Check that each theorem has in the joined corpus the premises that it has in its own, and return the corpus."""
    joined = JoinedCorpus(repositories)
    corpus = Corpus([corpus_file(row) for row in joined.rows])
    for name, repository in repositories.items():
        for theorem in repository.theorems:
            path = joined.file(name, theorem.file)
            assert path is not None
            mask = corpus.accessible(Position(path, theorem.start))
            found = sorted(one.name for one, is_in in zip(corpus.premises, mask, strict=True) if is_in)
            assert found == own_premises(repository, theorem), (name, theorem.name)
    return corpus


def count(corpus: Corpus, name: str) -> int:
    return sum(one.name == name for one in corpus.premises)


def test_a_library_that_all_have_is_there_once() -> None:
    corpus = check_joined(
        {f"{at}-{word}": project(word, *LIBRARY) for at, word in enumerate(("a", "b", "c"))}
    )
    assert [count(corpus, name) for name in ("core", "map", "fold")] == [1, 1, 1]
    assert count(corpus, "swap") == 3  # of the projects themselves


def test_parts_of_a_library_are_there_once_and_each_project_has_its_own() -> None:
    """Traces of real Lean have the premises that were used, and each file imports the one before it."""
    some = (file_of("aux/Z.lean", ["zorn"]), file_of("std/List.lean", ["map", "fold"], "aux/Z.lean"))
    less = (file_of("std/List.lean", ["map"]),)
    changed = (PremiseFile("std/List.lean", (), ({**law("map", 1), "code": "theorem map : other"},)),)
    corpus = check_joined(
        {
            "1-a": project("a", *some),
            "2-b": project("b", *less),
            "3-c": project("c", *LIBRARY),
            "4-d": project("d", *changed),
        }
    )
    assert [count(corpus, name) for name in ("core", "zorn", "fold")] == [1, 1, 1]
    assert count(corpus, "map") == 2  # one of them says something else


@pytest.mark.parametrize("turned", [False, True])
def test_a_library_that_is_learned_itself_is_there_once(turned: bool) -> None:
    known = [traced("std/List.lean", "fold", 2), traced("std/Core.lean", "core", 1)]
    library = Repository("std", "1", "std", theorems=known, premise_files=LIBRARY)
    parts = {"1-std": library, "2-a": project("a", *LIBRARY)}
    corpus = check_joined(dict(reversed(parts.items())) if turned else parts)
    assert [count(corpus, name) for name in ("core", "map", "fold")] == [1, 1, 1]


def test_files_that_import_by_module_or_in_a_circle() -> None:
    package = file_of(".lake/packages/std/Std/List.lean", ["map"])
    circle = (file_of("X.lean", ["x"], "Y.lean"), file_of("Y.lean", ["y"], "X.lean", "Y.lean"))
    words = ("a", "b")
    corpus = check_joined(
        {word: project(word, package, *circle, imports=("Std.List", "Y", "Mathlib.Absent")) for word in words}
    )
    assert [count(corpus, name) for name in ("map", "x", "y")] == [1, 1, 1]


@pytest.fixture
def indexes(tmp_path: Path) -> Callable[..., tuple[PremiseIndexes, list[Repository]]]:
    """Makes the indexes of a course over repositories."""

    def made(
        repositories: list[Repository], retriever: str = "bm25"
    ) -> tuple[PremiseIndexes, list[Repository]]:
        config = LifelongConfig(
            repos=["x"],
            retriever=retriever,
            retrieval={"buckets": 64, "width": 8, "training": {"epochs": 1}},
        )
        members = [
            Member(f"{at}-{one.name}", tmp_path / f"{at}-{one.name}", at, tmp_path, tmp_path)
            for at, one in enumerate(repositories, start=1)
        ]
        for member in members:
            member.folder.mkdir()
        parts = parts_of(repositories)
        return PremiseIndexes(config, members, repositories, parts, lambda: None), repositories

    return made


Made = Callable[..., tuple[PremiseIndexes, list[Repository]]]


def shown(index: Path, theorem: Theorem | None) -> list[str]:
    """Return the names of all premises that the retriever of an index may show for a theorem."""
    assert theorem is not None
    (found,) = load_retriever(str(index))(["lemma"], 1000, [theorem])
    return sorted(one.name for one in found)


def plain(name: str) -> Repository:
    """A theorem set with a theorem of a name."""
    one = Theorem(name, f"theorem {name} : 1 = 1", split="train", proof="rfl")
    return Repository(
        "set", "", "set", theorems=[TracedTheorem(name, "set", (0, 0), (0, 0), None, episode=one)]
    )


def test_theorems_are_found_by_their_file_and_repository(indexes: Made, tmp_path: Path) -> None:
    """Every name that is replayed is in the own repository, too, and in the most recent other one."""
    made, repositories = indexes([plain("third"), *(project(word, *LIBRARY) for word in ("a", "b", "c"))])
    started = Indexes.read(made.start(tmp_path / "start"))
    for number in (1, 2, 3):
        for each in repositories[number].theorems:
            index = started.folders[f"{number + 1}-{repositories[number].name}"]
            assert shown(index, each.episode) == own_premises(repositories[number], each)
    replayed, again = repositories[1].theorems[0], repositories[0].theorems[0]
    assert replayed.episode is not None and again.episode is not None
    drawn = [Replayed(replayed.episode, 1), Replayed(again.episode, 0)]
    index = made.after(3, started, drawn)["indexes"][TRAINING]
    assert shown(index, replayed.episode) == own_premises(repositories[1], replayed)
    assert shown(index, again.episode) == []  # of a theorem set
    own = repositories[3].theorems[1]
    assert shown(index, own.episode) == own_premises(repositories[3], own)


def test_replayed_theorems_have_premises_where_a_theorem_set_is_learned(
    indexes: Made, tmp_path: Path
) -> None:
    made, repositories = indexes([project("a", *LIBRARY), plain("third")])
    replayed, own = repositories[0].theorems[1], repositories[1].theorems[0]
    assert replayed.episode is not None
    started = Indexes.read(made.start(tmp_path / "start"))
    index = made.after(1, started, [Replayed(replayed.episode, 0)])["indexes"][TRAINING]
    assert shown(index, replayed.episode) == own_premises(repositories[0], replayed)
    assert shown(index, own.episode) == []


def test_the_encoder_learns_from_premises_of_a_shared_library(indexes: Made, tmp_path: Path) -> None:
    made, repositories = indexes([project(word, *LIBRARY) for word in ("a", "b")], "encoder")
    started = Indexes.read(made.start(tmp_path / "start"))
    made.after(1, started, [])
    data = tmp_path / "2-b" / "premises" / "data"
    corpus = read_corpus(data)
    assert count(corpus, "map") == 1
    examples = read_examples(data, "random", "train", corpus)
    trained = [one.name for part in parts_of(repositories) for one in part.train]
    assert (len(examples.rows), examples.unknown) == (len(trained), 0)
    used = {corpus.premises[number].name for row in examples.rows for number in row.used}
    assert used == {"map", "a_lemma", "b_lemma"}


def test_a_signal_is_looked_at_between_parts_of_an_index(
    indexes: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    whole = premise_indexes.encode

    def encode(encoder: Any, texts: Sequence[str]) -> Any:
        asked.append(len(texts))
        return whole(encoder, texts)

    monkeypatch.setattr(premise_indexes, "encode", encode)
    monkeypatch.setattr(premise_indexes, "ENCODED_AT_ONCE", 5)
    made, repositories = indexes([project("a", *LIBRARY)], "encoder")
    index = made.after(0, Indexes.read(made.start(tmp_path / "start")), [])["indexes"]["1-a"]
    assert asked == [5, 3]
    theorem = repositories[0].theorems[1]
    assert shown(index, theorem.episode) == own_premises(repositories[0], theorem)


def test_theorems_of_one_short_name_have_their_own_episodes(tmp_path: Path) -> None:
    """Real Lean knows theorems by the name inside their namespaces; of equal ones the later ones have numbers."""
    facts = [("A.lean", "X.t", "p"), ("A.lean", "Y.t", "q"), ("B.lean", "t", "p"), ("B.lean", "Z.t", "p")]
    rows = [
        {
            "file_path": path,
            "full_name": name,
            "theorem_statement": f"theorem t : {said}",
            "start": [line, 1],
            "end": [line, 9],
            "traced_tactics": [],
        }
        for line, (path, name, said) in enumerate(facts, start=1)
    ]
    not_played = {**rows[0], "full_name": "W.t", "theorem_statement": "theorem t : r", "start": [9, 1]}
    episodes = [
        {"name": name, "statement": f"theorem {name} : {said}", "domain": path.removesuffix(".lean")}
        for name, (path, _, said) in zip(("t", "t_2", "t_3", "t_4"), facts, strict=True)
    ]
    (tmp_path / "random").mkdir()
    (tmp_path / "metadata.json").write_text("{}")
    (tmp_path / "random" / "train.json").write_text(json.dumps([not_played, *reversed(rows)]))
    (tmp_path / "theorems.jsonl").write_text("".join(json.dumps(row) + "\n" for row in episodes))
    found = {each.name: each.episode and each.episode.name for each in read_traced(tmp_path).theorems}
    assert found == {"X.t": "t", "Y.t": "t_2", "W.t": None, "t": "t_3", "Z.t": "t_4"}


ON_LEAN = {
    "Base.lean": "namespace X\ntheorem t (p : Prop) (h : p) : p := by\n  exact h\nend X\n"
    "namespace Y\ntheorem t (p q : Prop) (hp : p) (hq : q) : q := by\n  exact hq\nend Y\n",
    "Main.lean": "import Base\ntheorem t (p : Prop) (h : p) : p := by\n  exact X.t p h\n",
}


def test_a_project_of_real_lean(indexes: Made, tmp_path: Path) -> None:
    """Traced through the protocol of Lean's REPL: all theorems have one short name, in two files."""
    root = tmp_path / "project"
    root.mkdir()
    for name, text in ON_LEAN.items():
        (root / name).write_text(text)
    repl = {"repl_command": [sys.executable, "-m", "minilean", "repl"], "sandbox": "off", "lean_path": ""}
    repository, _, _ = read_source(str(root), tmp_path / "traced", tracer_of("pantograph", repl))
    made, _ = indexes([repository])
    folders = Indexes.read(made.start(tmp_path / "start")).folders
    (index,) = folders.values()
    assert {each.name: shown(index, each.episode) for each in repository.theorems} == {
        "X.t": [],
        "Y.t": ["X.t"],
        "t": ["X.t", "Y.t"],
    }


def test_a_search_tells_the_file_of_a_sorry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a position the theorem is read from the file, and a retriever has to find that file."""
    text = "theorem third : p := by\n  sorry\n"
    (tmp_path / "Sub").mkdir()
    (tmp_path / "Sub" / "Main.lean").write_text(text)
    told: list[str] = []

    def fill(settings: ProveConfig, source: PolicySource, project: InProject) -> list[dict[str, Any]]:
        told.append(project.domain)
        Path(settings.out or "").write_text(text)
        return []

    monkeypatch.setattr(filling, "_fill", fill)
    monkeypatch.setattr(PolicySource, "find", lambda name: PolicySource(name, "model", name, {}))
    monkeypatch.setattr(PolicySource, "load", lambda *_: None)
    gap = TracedTheorem("third", "Sub/Main.lean", (1, 1), (2, 8), None, status="sorry")
    (tmp_path / "out").mkdir()
    with Store(tmp_path / "x.db") as store:
        stored = [StoredTheorem(1, 1, gap, 0, 0, ())]
        fill_repository(ProveConfig(policy="x"), store, stored, tmp_path, tmp_path / "out", lambda: None)
    assert told == ["Sub/Main"]
