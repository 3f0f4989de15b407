"""The library as bytes: equal libraries give equal bytes, damage is an error."""

from __future__ import annotations

import json

import pytest

from minilean.kernel.expr import TYPE, mk_mvar
from minilean.library import library
from minilean.library.encoding import EncodingError, decode, encode
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
    data = json.loads(encode(library()).decode("utf-8"))
    assert data.keys() == {"declarations", "tables", "history", "levels", "terms"}


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


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"[" * 100_000,
        b'{"levels": [], "terms": [0, 1], "declarations": [], "tables": {}}',
        b'{"levels": [], "terms": [0], "declarations": [], "tables": {}}',
        b'{"levels": [["p", 5]], "terms": [], "declarations": [], "tables": {}}',
        b'{"levels": [], "terms": [], "declarations": [[0, "A"]], "tables": {}}',
        b'{"levels": [], "terms": [4, 0], "declarations": [[0, "A", [], 0], [0, "A", [], 0]], "tables": {}}',
    ],
)
def test_bytes_that_are_no_library(payload: bytes) -> None:
    with pytest.raises(EncodingError):
        decode(payload)
