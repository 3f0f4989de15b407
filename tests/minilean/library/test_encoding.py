"""The library as bytes: equal libraries give equal bytes, damage is an error."""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from typing import Any

import pytest

from minilean.kernel.expr import TYPE, mk_mvar
from minilean.kernel.interning import table_size
from minilean.library import library
from minilean.library.encoding import EncodingError, decode, encode, joined, separated
from minilean.meta.extension import LeanEnv, StructureInfo


def test_what_is_encoded_again_is_the_same() -> None:
    payload = encode(library())
    assert encode(decode(payload)) == payload


def test_sets_and_keys_of_several_parts_have_one_encoding() -> None:
    env, other = LeanEnv(), LeanEnv()
    env.namespaces = {"B", "A", "C"}
    other.namespaces = {"C", "B", "A"}
    for each in (env, other):
        each.hidden = frozenset(["x", "y"])
        each.eliminators[("induction", "Nat")] = "Nat.recAux"
        each.structures["P"] = StructureInfo("P", "P.mk", ("q", "x"), 0, False, (("q", "Q"),))
    assert encode(env) == encode(other)
    back = decode(encode(env))
    assert back.eliminators == {("induction", "Nat"): "Nat.recAux"}
    assert back.structures == env.structures
    assert back.hidden == env.hidden


def test_the_content_is_json_that_every_python_reads() -> None:
    data, numbers = separated(encode(library()))
    assert data.keys() == {"declarations", "computing", "tables", "history", "levels", "values"}
    assert len(numbers) % 5 == 0


def test_a_table_that_json_would_change_is_refused() -> None:
    env = LeanEnv()
    env.field_defaults["S.f"] = object()
    with pytest.raises(EncodingError, match=r"a library table holds a object"):
        encode(env)


def test_a_metavariable_is_refused() -> None:
    env = LeanEnv()
    env.kernel.add_axiom("A", (), TYPE)
    object.__setattr__(env.kernel.get("A"), "type", mk_mvar(1))
    with pytest.raises(EncodingError, match="a library term holds a MVar"):
        encode(env)


def file(text: bytes) -> bytes:
    return len(text).to_bytes(8, "little") + text


def with_rows(declarations: list[Any], levels: Sequence[Any] = ()) -> bytes:
    """The bytes of a library with these declarations and one term, a variable."""
    data, _ = separated(encode(LeanEnv()))
    return joined(data | {"declarations": declarations, "levels": levels}, array("I", (4, 0, 0, 0, 0)))


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xff",
        file(b"[]"),
        file(b"{}"),
        file(b"\xff"),
        file(b"[" * 100_000),
        encode(LeanEnv())[:-1],
        encode(LeanEnv()) + b"\0",
        encode(LeanEnv()) + b"\0" * 4,
        with_rows([], levels=[["p", 5]]),
        with_rows([[0]]),
        with_rows([[0, 5, [], 0]]),
        with_rows([[0, "A", [], 0], [0, "A", [], 0]]),
    ],
)
def test_bytes_that_are_no_library(payload: bytes) -> None:
    with pytest.raises(EncodingError):
        decode(payload)


@pytest.mark.parametrize(
    ("row", "numbers"),
    [
        ('[0, "", [], 0]', (4, 0, 0, 0, 0)),  # no name
        ('[0, "A", ["u", "u"], 0]', (4, 0, 0, 0, 0)),
        ('[0, "A", [""], 0]', (4, 0, 0, 0, 0)),
        ('[0, "A", [], 0]', ()),  # no such term
        ('[0, "A", [], 0, 1, 2, 3]', (4, 0, 0, 0, 0)),  # an axiom has no more fields
        ('[99, "A", [], 0]', (4, 0, 0, 0, 0)),
        ('[0, "A", [], 0]', (0, 0, 0, 0, 0)),  # an application of itself
        ('[0, "A", [], 0]', (0, 7, 7, 0, 0)),
        ('[0, "A", [], 0]', (15, 0, 0, 0, 0)),  # no such kind
        ('[0, "A", [], 0]', (3, 5, 5, 0, 0)),
    ],
)
def test_a_declaration_that_is_none_is_told_when_it_is_read(row: str, numbers: tuple[int, ...]) -> None:
    data, _ = separated(encode(LeanEnv()))
    data["declarations"] = [json.loads(row)]
    env = decode(joined(data, array("I", numbers)))
    [name] = env.kernel
    with pytest.raises(EncodingError):
        env.kernel.get(name)


def test_only_what_is_looked_up_is_read() -> None:
    env = decode(encode(library()))
    before = table_size()
    env.kernel.get("And.left")
    assert table_size() - before < 50


def test_what_a_loaded_library_declares_is_what_was_proved() -> None:
    env = decode(encode(library()))
    assert list(env.kernel) == list(library().kernel)
    assert env.kernel.computing == library().kernel.computing != frozenset()
    for name in library().kernel:
        assert env.kernel.position(name) == library().kernel.position(name)
        assert env.kernel.get(name) == library().kernel.get(name)
