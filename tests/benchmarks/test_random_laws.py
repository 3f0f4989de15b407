"""The baseline that rewrites at random."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from benchmarks.chance import count_proofs
from benchmarks.random_laws import main, menu, random_laws
from lean_gym.datasets import write_jsonl
from lean_gym.types import Theorem

CONTEXT = "structure S (α : Type) where\n  op : α → α → α\n  op_comm : ∀ x y, op x y = op y x"
HOLDS = Theorem("holds", "theorem holds {α : Type} (A : S α) (a b : α) : A.op a b = A.op b a", CONTEXT)
FAILS = Theorem("fails", "theorem fails {α : Type} (A : S α) (a b : α) : A.op a a = A.op b b", CONTEXT)
PLAIN = Theorem("plain", "theorem plain (a : Nat) : a = a")


def test_the_menu_holds_each_law_in_both_directions() -> None:
    assert menu(HOLDS) == ["rw [S.op_comm]", "rw [← S.op_comm]"]
    assert menu(PLAIN) == []


def test_only_what_the_laws_prove_is_proved() -> None:
    assert count_proofs(random_laws, [HOLDS, FAILS, PLAIN], attempts=8, steps=2, seed=0) == [8, 0, 0]


def test_remembered_refusals_are_not_drawn_again() -> None:
    context = f"{CONTEXT}\n  c : α\n  d : α\n  c_eq : c = d"
    theorem = Theorem("holds", HOLDS.statement, context)
    proofs = [
        count_proofs(policy, [theorem], attempts=32, steps=3, seed=0)
        for policy in (partial(random_laws, remember=True), random_laws)
    ]
    assert proofs[0] == [32]
    assert proofs[1] != [32]


def test_the_command_prints_the_rates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.jsonl"
    write_jsonl(path, [HOLDS, FAILS])
    assert main([str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "pass@1 50.0%",
        "pass@8 50.0%",
        "2 theorems, 8 episodes each, at most 12 tactics",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["algebra:test", "--attempts", "3"], "--attempts: got 3, expected at least 8"),
        (["algebra:test", "--steps", "0"], "--steps: got 0, expected at least 1"),
        (["algebar"], "unknown theorem set 'algebar'"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
