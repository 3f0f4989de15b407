from __future__ import annotations

import json
from pathlib import Path

import pytest

from lean_gym import Theorem
from trainers.errors import ConfigError
from trainers.imitation.proof_pairs import collect, read_claims, reference_claims
from trainers.rollouts.player import EpisodePlayer


def write(path: Path, *rows: object) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_found_proofs_are_read_once_and_only_for_the_theorems_asked_for(
    tmp_path: Path, theorems: tuple[Theorem, ...]
) -> None:
    one = write(tmp_path / "one", {"name": "t0", "tactics": ["split"]}, {"name": "t0", "tactics": ["skip"]})
    two = write(
        tmp_path / "two", {"name": "t0", "tactics": ["split"]}, {"name": "held_out", "tactics": ["rfl"]}
    )
    claims, left_out = read_claims(f"{one},{two}", theorems)
    assert claims == [("t0", ("split",)), ("t0", ("skip",))]
    assert left_out == 1
    assert read_claims("", theorems) == ([], 0)


@pytest.mark.parametrize("row", [{"name": "t0"}, {"name": "t0", "tactics": [1]}, [1], {"tactics": ["a"]}])
def test_other_rows_are_refused(tmp_path: Path, theorems: tuple[Theorem, ...], row: object) -> None:
    path = write(tmp_path / "one", {"name": "t0", "tactics": ["split"]}, row)
    with pytest.raises(ConfigError, match="one, line 2: expected an object with name and tactics, got"):
        read_claims(path, theorems)


def test_blank_lines_are_passed_over(tmp_path: Path, theorems: tuple[Theorem, ...]) -> None:
    tactics = ["a", "b -- \u2028"]  # some readers treat it as the end of a line
    row = json.dumps({"name": "t0", "tactics": tactics}, ensure_ascii=False)
    (tmp_path / "found.jsonl").write_text(f"\n{row}\n\n")
    assert read_claims(str(tmp_path / "found.jsonl"), theorems) == ([("t0", tuple(tactics))], 0)


def test_a_missing_file_is_named(theorems: tuple[Theorem, ...]) -> None:
    with pytest.raises(ConfigError, match="proofs: cannot read missing"):
        read_claims("missing", theorems)


def test_only_accepted_proofs_teach(player: EpisodePlayer, theorems: tuple[Theorem, ...]) -> None:
    first = theorems[0]  # True ∧ True
    good = (first.name, ("split", "trivial", "trivial"))
    forged = [(first.name, ("sorry",)), (first.name, ("split", "trivial")), (first.name, ("left", *good[1]))]
    lessons = collect(player, [*forged, good])
    assert lessons.pairs == (
        ("⊢ True ∧ True", "split"),
        ("⊢ True\n\n⊢ True", "trivial"),
        ("⊢ True", "trivial"),
    )
    assert (lessons.proofs, lessons.refused) == (1, (first.name,))


def test_reference_proofs_are_whole(player: EpisodePlayer, theorems: tuple[Theorem, ...]) -> None:
    claims = reference_claims(theorems, 1.0, seed=0)
    assert len(claims) == len(theorems)
    assert collect(player, claims).proofs == len(theorems)
    assert len(reference_claims(theorems, 0.2, seed=0)) == 5
