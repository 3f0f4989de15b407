"""The corpus: premises that are accessible, and files that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lean_gym.datasets.formats.leandojo_steps import corpus_file
from lean_gym.types import Theorem
from trainers.corpora.retrieval.corpus import Corpus, Mask, Position, key_of, read_corpus
from trainers.corpora.retrieval.examples import read_examples
from trainers.errors import ConfigError

LAWS = 16


def names(corpus: Corpus, mask: Mask) -> list[str]:
    return [premise.name for premise, is_in in zip(corpus.premises, mask, strict=True) if is_in]


def test_imports_are_accessible_also_indirect_ones_and_nothing_else_is(corpus: Corpus) -> None:
    found = names(corpus, corpus.accessible(Position("Last.lean", (1, 1))))
    assert len(found) == LAWS + 2
    assert "Ops.flip_self" in found
    assert "More.second" in found
    assert "flip_apart" not in found  # in a file that nothing imports
    assert "Last.end" not in found  # which stands there itself
    assert names(corpus, corpus.accessible(Position("Apart.lean", (9, 0)))) == ["flip_apart"]


@pytest.mark.parametrize(
    ("line", "expected"), [(1, []), (4, ["More.first"]), (7, ["More.first", "More.second"])]
)
def test_of_the_own_file_only_what_ends_before(corpus: Corpus, line: int, expected: list[str]) -> None:
    found = names(corpus, corpus.accessible(Position("More.lean", (line, 1))))
    assert [name for name in found if name.startswith("More.")] == expected


def test_a_premise_that_begins_before_and_ends_behind_is_not_accessible(corpus: Corpus) -> None:
    assert "More.first" not in names(corpus, corpus.accessible(Position("More.lean", (2, 19))))
    assert "More.first" in names(corpus, corpus.accessible(Position("More.lean", (2, 20))))


@pytest.mark.parametrize(
    ("theorem", "count", "own"),
    [
        # By its place in the library that `core` is made of, whatever its name.
        (Theorem("other", "theorem other : p", position="More.lean:More.second"), LAWS + 1, "More.second"),
        (Theorem("More.second", "theorem x : p"), LAWS + 1, "More.second"),
        (Theorem("mine", "theorem mine : p", imports=("More",)), LAWS + 2, "Last.end"),
        (Theorem("mine", "theorem mine : p", imports=("Apart", "Ops")), LAWS + 1, "More.first"),
    ],
)
def test_a_theorem_may_use_what_stands_before_it(
    corpus: Corpus, theorem: Theorem, count: int, own: str
) -> None:
    found = names(corpus, corpus.accessible_to(theorem))
    assert len(found) == count
    assert own not in found


def test_all_is_accessible_to_a_theorem_of_elsewhere(corpus: Corpus) -> None:
    for theorem in (None, Theorem("mine", "theorem mine : p", imports=("Unknown",))):
        assert corpus.accessible_to(theorem).all()


def test_examples_have_premises_that_are_accessible(corpus: Corpus, tmp_path: Path) -> None:
    use = {"full_name": "Ops.flip_self", "def_path": "Ops.lean", "def_pos": [1, 1], "def_end_pos": [2, 20]}
    renamed = use | {"full_name": "flip_self'", "def_pos": [1, 5]}  # found by its place
    itself = {"full_name": "More.second", "def_path": "More.lean", "def_pos": [5, 1], "def_end_pos": [6, 20]}
    absent = use | {"full_name": "Nat.rec", "def_path": "Init.lean"}
    steps = [("a", [use, itself]), ("b", [renamed, use]), ("c", [absent]), ("no goals", [use]), ("d", [])]
    tactics = [
        {"tactic": "", "annotated_tactic": ["", premises], "state_before": state, "state_after": ""}
        for state, premises in steps
    ]
    place = {"file_path": "More.lean", "start": [5, 1], "end": [6, 20]}
    row = {"full_name": "More.second", **place, "traced_tactics": tactics}
    (tmp_path / "random").mkdir()
    (tmp_path / "random" / "test.json").write_text(json.dumps([row]))
    found = read_examples(tmp_path, "random", "test", corpus)
    number = corpus.find("Ops.lean", "Ops.flip_self")
    assert [(one.state, one.used) for one in found.rows] == [("a", (number,)), ("b", (number,))]
    assert (found.without, found.unknown) == (2, 2)


def write(folder: Path, *rows: Any) -> Path:
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    return folder


PLACE = {"start": [1, 1], "end": [1, 9]}
GOOD = {"full_name": "a", "code": "theorem a : p", **PLACE}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["{"], "corpus.jsonl, line 1: no JSON object"),
        ([3], "corpus.jsonl, line 1: expected a JSON object, got int"),
        ([{"path": "A.lean", "premises": []}], "line 1: expected an object with .*KeyError: 'imports'"),
        ([{"path": "A.lean", "imports": [], "premises": []}], "no premise with code in it"),
        (
            [{"path": "A.lean", "imports": [], "premises": [{"full_name": "a", **PLACE}]}],
            "line 1: expected an object with .*KeyError: 'code'",
        ),
        (
            [{"path": "A.lean", "imports": [], "premises": [GOOD | {"end": "x"}]}],
            "line 1: expected an object with .*ValueError",
        ),
        ([{"path": "A.lean", "imports": [], "premises": [GOOD]}] * 2, "the file A.lean is listed twice"),
    ],
)
def test_a_corpus_that_cannot_be_read_is_one_line(rows: list[Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        read_corpus(write(tmp_path, *rows))
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_corpus_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no corpus\.jsonl in it; expected a folder that"):
        read_corpus(tmp_path)


def test_premises_with_empty_code_are_left_out(tmp_path: Path) -> None:
    empty = {"full_name": "b", "code": " ", **PLACE}
    corpus = read_corpus(
        write(tmp_path, {"path": "A.lean", "imports": ["A.lean"], "premises": [empty, GOOD]})
    )
    assert [premise.name for premise in corpus.premises] == ["a"]
    assert corpus.left_out == ["b"]
    assert corpus.accessible(Position("A.lean", (2, 0))).tolist() == [True]


def test_modules_of_packages_are_found_by_their_names(tmp_path: Path) -> None:
    inner = {"path": ".lake/packages/std/Std/Data.lean", "imports": [], "premises": [GOOD]}
    outer = {"path": "Mine/B.lean", "imports": ["Std.Data"], "premises": [GOOD | {"full_name": "b"}]}
    corpus = read_corpus(write(tmp_path, inner, outer))
    assert names(corpus, corpus.accessible(Position("Mine/B.lean", (0, 0)))) == ["a"]
    assert names(corpus, corpus.accessible_to(Theorem("t", "theorem t : p", imports=("Std.Data",)))) == ["a"]


def file_of(path: str, *laws: str, imports: tuple[str, ...] = ()) -> dict[str, Any]:
    """A file with laws that are named and stated as given, a line each."""
    rows = [
        {"full_name": law.partition(" ")[0], "code": f"theorem {law}", "start": [at, 1], "end": [at, 9]}
        for at, law in enumerate(laws, start=1)
    ]
    return {"path": path, "imports": list(imports), "premises": rows}


@pytest.fixture
def equal_names(tmp_path: Path) -> Corpus:
    """Files that have the same names: one in the root, one in a folder, one behind both."""
    first = file_of("A.lean", "a : p", "b : p")
    second = file_of("Sub/A.lean", "c : p", "a : p", "b : p")
    last = file_of("B.lean", "X.t : p", "Y.t : q", "t : r", "Z.t : p", imports=("Sub/A.lean",))
    return read_corpus(write(tmp_path, first, second, last))


@pytest.mark.parametrize(
    ("position", "place"),
    [
        ("/traced/x/sources/0123//Sub/A.lean:a", Position("Sub/A.lean", (2, 1))),
        ("/traced/x/sources/0123//A.lean:a", Position("A.lean", (1, 1))),
        # A trace knows its file, and another file has the name.
        ("/traced/x/sources/0123//B.lean:a", Position("B.lean", (0, 0))),
    ],
)
def test_the_place_in_a_project_decides_between_equal_names(
    equal_names: Corpus, position: str, place: Position
) -> None:
    assert equal_names.positions_of(Theorem("a", "theorem a : p", position=position)) == (place,)


@pytest.mark.parametrize(
    ("name", "said", "domain", "place"),
    [
        ("b", "p", "A", Position("A.lean", (2, 1))),
        ("b", "p", "Sub/A", Position("Sub/A.lean", (3, 1))),
        # Traces of real Lean have the name inside the namespaces, numbered where it is taken.
        ("t", "p", "B", Position("B.lean", (1, 1))),
        ("t_2", "q", "B", Position("B.lean", (2, 1))),
        ("t_3", "r", "B", Position("B.lean", (3, 1))),
        ("t_9", "s", "B", Position("B.lean", (1, 1))),  # not told apart, so nothing of the file
        ("a", "p", "B", Position("B.lean", (0, 0))),  # which two other files have
    ],
)
def test_the_file_of_a_trace_decides_between_equal_names(
    equal_names: Corpus, name: str, said: str, domain: str, place: Position
) -> None:
    theorem = Theorem(name, f"theorem {name} : {said}", domain=domain)
    assert equal_names.positions_of(theorem) == (place,)


def test_a_name_of_several_files_without_a_file_has_what_is_accessible_at_all_its_places(
    equal_names: Corpus,
) -> None:
    assert not equal_names.accessible_to(Theorem("b", "theorem b : p", domain="algebra")).any()
    assert names(equal_names, equal_names.accessible_to(Theorem("c", "theorem c : p"))) == []
    found = equal_names.accessible_to(Theorem("Y.t", "theorem Y.t : q"))
    assert names(equal_names, found) == ["c", "a", "b", "X.t"]


def test_known_places_are_taken_as_they_are() -> None:
    theorem, apart = Theorem("a", "theorem a : p"), Theorem("a", "theorem a : q")
    places = {key_of(theorem): Position("B.lean", (1, 9)), key_of(apart): None}
    files = [corpus_file(file_of("A.lean", "a : p")), corpus_file(file_of("B.lean", "b : p", "a : p"))]
    corpus = Corpus(files, places)
    assert names(corpus, corpus.accessible_to(theorem)) == ["b"]
    assert not corpus.accessible_to(apart).any()
    with pytest.raises(ValueError, match=r"theorems stand in C\.lean, which is not listed"):
        Corpus(files, {key_of(theorem): Position("C.lean", (1, 1))})
