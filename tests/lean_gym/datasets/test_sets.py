import numpy as np
import pytest

from lean_gym.datasets import TheoremBook, filter_theorems, load_theorems, write_jsonl
from lean_gym.errors import DataError
from lean_gym.types import Theorem

THEOREMS = [
    Theorem("a", "theorem a : p", split="train", domain="logic", difficulty=0.1, automation=True),
    Theorem("b", "theorem b : p", split="test", domain="logic", difficulty=0.9, automation=False),
    Theorem("c", "theorem c : p", split="train", domain="nat"),
]


@pytest.fixture
def data_package(tmp_path, monkeypatch):
    """A data package with one set, in place of the one that ships."""
    package = tmp_path / "some_data"
    package.mkdir()
    (package / "__init__.py").touch()
    write_jsonl(package / "logic.jsonl", THEOREMS)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("lean_gym.datasets.sets.DATA_PACKAGE", "some_data")


def test_a_set_by_name_and_split(data_package):
    assert load_theorems("logic") == THEOREMS
    assert [theorem.name for theorem in load_theorems("logic:train")] == ["a", "c"]
    assert [theorem.name for theorem in load_theorems("logic:test")] == ["b"]


def test_unknown_sets_and_splits_suggest(data_package):
    with pytest.raises(
        DataError, match=r"unknown theorem set 'logik'; did you mean 'logic'\? \(known: logic\)"
    ):
        load_theorems("logik")
    with pytest.raises(
        DataError, match=r"logic: unknown split 'tset'; did you mean 'test'\? \(known: test, train\)"
    ):
        load_theorems("logic:tset")


def test_a_path_with_and_without_split(tmp_path):
    path = tmp_path / "mine.jsonl"
    write_jsonl(path, THEOREMS)
    assert load_theorems(path) == THEOREMS
    assert load_theorems(str(path)) == THEOREMS
    assert [theorem.name for theorem in load_theorems(f"{path}:test")] == ["b"]


def test_a_file_named_like_a_set_is_pointed_to(data_package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").touch()
    with pytest.raises(DataError, match="for the file of that name write 'mine' with its directory"):
        load_theorems("mine")


def test_a_list_may_mix_theorems_rows_and_statements():
    row = {"name": "r", "statement": "theorem r : p"}
    names = [theorem.name for theorem in load_theorems([THEOREMS[0], row, "theorem s : p", "p → p"])]
    assert names == ["a", "r", "s", "statement_3"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], "got an empty list"),
        ([3], r"theorems\[0\]: got int, expected a Theorem, a row or a statement"),
        (
            ["theorem s : p", "theorem s : q"],
            r"theorems\[1\]: field 'name': 's' is taken already by theorems\[0\]",
        ),
        ([{"name": "x"}], r"theorems\[0\]: field 'statement' is missing"),
        (THEOREMS[0], "got one Theorem, expected a set name, a path or a list"),
        ({"name": "x"}, "got one dict, expected a set name, a path or a list"),
    ],
)
def test_unusable_lists(source, message):
    with pytest.raises(DataError, match=message):
        load_theorems(source)


def test_filter():
    def names(**conditions):
        return [theorem.name for theorem in filter_theorems(THEOREMS, **conditions)]

    assert names() == ["a", "b", "c"]
    assert names(split="train") == ["a", "c"]
    assert names(domain="logic", max_difficulty=0.5) == ["a"]
    assert names(max_difficulty=1.0) == ["a", "b"]
    assert names(names={"c", "b"}) == ["b", "c"]
    assert names(automation=True) == ["a"]
    assert names(automation=False) == ["b"]
    assert names(keep=lambda theorem: theorem.name != "a") == ["b", "c"]
    assert names(split="nope") == []


def test_book_finds_and_draws():
    book = TheoremBook(THEOREMS)
    assert book.find("b") is THEOREMS[1]
    assert book.find(None) is None
    other = Theorem("z", "theorem z : p")
    assert book.find(other) is other
    rng = np.random.default_rng(0)
    assert {book.draw(rng).name for _ in range(50)} == {"a", "b", "c"}


def test_book_says_what_it_does_not_hold():
    with pytest.raises(ValueError, match=r"unknown theorem 'aa'; did you mean 'a'\? \(known: a, b, c\)"):
        TheoremBook(THEOREMS).find("aa")
    with pytest.raises(ValueError, match=r"options\['theorem'\]: got 3"):
        TheoremBook(THEOREMS).find(3)
    many = TheoremBook(Theorem(f"t{index}", f"theorem t{index} : p") for index in range(100))
    with pytest.raises(ValueError, match=r"unknown theorem 't100'; did you mean 't10'\?$"):
        many.find("t100")


@pytest.mark.parametrize("source", [None, 3, float("nan"), b"logic"])
def test_what_is_no_source_of_theorems(source):
    with pytest.raises(
        DataError, match=rf"theorems: got one {type(source).__name__}, expected a set name, a path"
    ):
        load_theorems(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "theorem t (p : Prop) : p → p",
            "theorems: got one statement, 'theorem t (p : Prop) : p → p', expected a list",
        ),
        ("minif2f", "theorems: 'minif2f' is a benchmark that is read from a place: 'minif2f:FOLDER', or "),
        (
            "some-owner/minif2f",
            "some-owner/minif2f: cannot be read: No such file; a data set of the Hugging Face hub ",
        ),
    ],
)
def test_what_is_not_yet_a_source_says_how_to_make_it_one(source, message):
    with pytest.raises(DataError) as caught:
        load_theorems(source)
    assert str(caught.value).startswith(message)


def test_a_name_that_is_too_long_for_a_file_is_an_unknown_set():
    with pytest.raises(DataError, match="unknown theorem set 'xxx") as caught:
        load_theorems("x" * 10_000)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("source", ["nat", "generated:propositional?size=2"])
def test_a_list_that_was_changed_is_not_the_next_one(source):
    first = load_theorems(source)
    kept = list(first)
    first.clear()
    assert load_theorems(source) == kept
