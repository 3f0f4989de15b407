from __future__ import annotations

from pathlib import Path

import pytest

from lean_gym import Theorem
from trainers.checkpoint import Interrupted
from trainers.config import ConfigError
from trainers.proving import checksum, load_sets, verify_proofs

THEOREMS = [Theorem("one", "theorem one : True"), Theorem("two", "theorem two : True ∧ (False ∨ True)")]


def test_only_proofs_pass() -> None:
    claims = [
        ("one", ("trivial",)),
        ("one", ("sorry",)),
        ("one", ("skip", "trivial")),
        ("one", ()),
        ("one", ("trivial", "trivial")),  # goes on after the end
        ("one", ("left", "trivial")),  # holds a refused tactic
        ("two", ("split", "trivial", "trivial")),
        ("three", ("trivial",)),
    ]
    verdicts = verify_proofs(THEOREMS, claims, "fake", 1)
    assert verdicts == [(), None, (), None, None, None, None, None]


def test_axioms_come_back() -> None:
    theorem = Theorem("em", "theorem em (p : Prop) : p ∨ ¬p")
    [axioms] = verify_proofs([theorem], [("em", ("exact Classical.em p",))], "minilean", 1)
    assert axioms is not None
    assert "Classical.choice" in axioms


@pytest.mark.parametrize("cheat", ["sorry", "admit", "exact sorryAx _", "native_decide", "axiom x : False"])
def test_cheats_are_no_proofs(cheat: str) -> None:
    theorem = Theorem("no", "theorem no : False")
    assert verify_proofs([theorem], [("no", (cheat,))], "minilean", 1) == [None]


def test_nothing_to_verify() -> None:
    assert verify_proofs(THEOREMS, [], "fake", 1) == []


def test_verifying_can_be_stopped() -> None:
    def stop() -> None:
        raise Interrupted(15)

    with pytest.raises(Interrupted):
        verify_proofs(THEOREMS, [("one", ("trivial",))], "fake", 1, stop)


def test_sets_are_joined() -> None:
    names = [theorem.name for theorem in load_sets("logic:test, nat:test")]
    assert len(names) == len(load_sets("logic:test")) + len(load_sets("nat:test"))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("logik", "did you mean 'logic'"),
        ("logic:tset", "did you mean 'test'"),
        (" , ", "expected a set name"),
        ("logic,logic:test", "occurs twice in 'logic,logic:test'"),
        ("missing.jsonl", "missing.jsonl: cannot be read"),
    ],
)
def test_unusable_sets(source: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_sets(source)


def test_the_checksum_sees_content(tmp_path: Path) -> None:
    assert checksum(THEOREMS) == checksum(list(THEOREMS))
    assert checksum(THEOREMS) != checksum(THEOREMS[:1])
