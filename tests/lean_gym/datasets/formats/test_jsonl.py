import pytest

from lean_gym.datasets import read_jsonl, write_jsonl
from lean_gym.errors import DataError
from lean_gym.types import Theorem

THEOREMS = [
    Theorem("a", "theorem a (p : Prop) : p → p", proof="intro h\nexact h", difficulty=0.0),
    Theorem("b", "theorem b : ∀ ℕ✝\u2028, True", context="open Nat\nvariable (p : Prop)", imports=("Init",)),
]


def test_round_trip(tmp_path):
    path = tmp_path / "set.jsonl"
    write_jsonl(path, THEOREMS)
    assert read_jsonl(path) == THEOREMS
    assert path.read_bytes().count(b"\n") == 2
    assert "∀ ℕ✝" in path.read_text(encoding="utf-8")


def test_blank_lines_and_a_byte_order_mark_are_skipped(tmp_path):
    path = tmp_path / "set.jsonl"
    write_jsonl(path, THEOREMS)
    path.write_bytes(b"\xef\xbb\xbf\n" + path.read_bytes().replace(b"\n", b"\r\n\n"))
    assert read_jsonl(path) == THEOREMS


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line 2: not JSON"),
        (b"[1]", "line 2: got list, expected a JSON object"),
        (b"\xff", "line 2: not UTF-8 text"),
        (b"[" * 100_000, "line 2: not JSON"),
        (b'{"name": "x", "difficulty": ' + b"9" * 5000 + b"}", "line 2: not JSON: Exceeds the limit"),
        (
            b'{"name": "x", "name": "x", "statement": "theorem x : p"}',
            "line 2: field 'name' is given more than once",
        ),
        (b'{"name": "x"}', "line 2: field 'statement' is missing"),
        (
            b'{"name": "a", "statement": "theorem a : p"}',
            "line 2: field 'name': 'a' is taken already by .*line 1",
        ),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    path = tmp_path / "set.jsonl"
    path.write_bytes(b'{"name": "a", "statement": "theorem a : p"}\n' + line + b"\n")
    with pytest.raises(DataError, match=rf"set\.jsonl, {message}"):
        read_jsonl(path)


def test_a_missing_and_an_empty_file(tmp_path):
    with pytest.raises(DataError, match=r"none\.jsonl: cannot be read: No such file"):
        read_jsonl(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(DataError, match=r"empty\.jsonl: holds no theorem"):
        read_jsonl(tmp_path / "empty.jsonl")


def test_a_path_that_no_file_has():
    with pytest.raises(DataError, match=r"'a\\x00b\.jsonl': cannot be read: embedded null byte"):
        read_jsonl("a\0b.jsonl")
