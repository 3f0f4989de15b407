"""The theorems of a traced project as episodes, and what must not prove them."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import pytest

import lean_gym  # noqa: F401  registers LeanProof-v0
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems
from lean_gym.errors import DataError
from lean_gym.verification.verify import verify_script


def test_every_theorem_is_an_episode(traced: Path) -> None:
    theorems = load_theorems(str(traced))
    backend = create_backend("minilean")
    assert len(theorems) == 9 and {theorem.split for theorem in theorems} <= {"train", "valid", "test"}
    for theorem in theorems:
        assert backend.start(theorem).goals
        if theorem.proof:
            proved = verify_script(backend, theorem, [theorem.proof]).proved
            assert proved == (theorem.name != "three"), theorem.name


def test_a_gap_is_closed_in_an_episode(traced: Path) -> None:
    env = gym.make("LeanProof-v0", theorems=str(traced))
    goals, _ = env.reset(options={"theorem": "Sample.double_inj"})
    assert goals == "m n : Nat\n⊢ ⟪m⟫ = ⟪n⟫ → m = n"
    env.step("intro h")
    env.step("rw [double_eq, double_eq] at h")
    _, reward, terminated, _, info = env.step("omega")
    assert (reward, terminated, info["outcome"]) == (1.0, True, "proved")
    env.close()


@pytest.mark.parametrize(
    "attack",
    [
        "exact fun h => double_inj m n h",
        "exact?",
        "exact fun h => three m h",
        "import Sample\nexact fun h => three m h",
        "sorry",
        "exact sorryAx _ false",
    ],
)
def test_a_gap_is_not_closed_by_itself_or_its_importers(traced: Path, attack: str) -> None:
    [gap] = [theorem for theorem in load_theorems(str(traced)) if theorem.name == "Sample.double_inj"]
    assert not verify_script(create_backend("minilean"), gap, [attack]).proved


def test_a_proof_by_a_gap_above_is_refused(traced: Path) -> None:
    [three] = [theorem for theorem in load_theorems(str(traced)) if theorem.name == "three"]
    backend = create_backend("minilean")
    verdict = verify_script(backend, three, ["exact Sample.double_inj m 3 h"])
    assert not verdict.proved and verdict.axioms == ("sorryAx",)
    honest = ["rw [Sample.double_eq, Sample.double_eq] at h", "omega"]
    assert verify_script(backend, three, honest).proved


def test_the_independent_judge_reads_the_project_too(traced: Path) -> None:
    [three] = [theorem for theorem in load_theorems(str(traced)) if theorem.name == "three"]
    backend = create_backend("minilean", verify="independent", sandbox="off")
    honest = ["rw [Sample.double_eq, Sample.double_eq] at h", "omega"]
    try:
        assert verify_script(backend, three, honest, verify="independent").proved
        assert not verify_script(
            backend, three, ["exact Sample.double_inj m 3 h"], verify="independent"
        ).proved
    finally:
        backend.close()


def test_a_trace_without_episodes_says_how_to_get_them(tmp_path: Path, traced: Path) -> None:
    for name in ("metadata.json", "corpus.jsonl"):
        (tmp_path / name).write_bytes((traced / name).read_bytes())
    with pytest.raises(DataError, match="trace it again with --jsonl"):
        load_theorems(str(tmp_path))


def test_the_file_of_theorems_names_the_same_set(traced: Path) -> None:
    assert load_theorems(traced / "theorems.jsonl") == load_theorems(traced)
    assert load_theorems(f"{traced}/theorems.jsonl:train") == load_theorems(f"{traced}:train")


def test_a_part_of_the_theorems(traced: Path) -> None:
    every = load_theorems(str(traced))
    parts = [load_theorems(f"{traced}:{part}") for part in {theorem.split for theorem in every}]
    assert sorted(theorem.name for part in parts for theorem in part) == sorted(
        theorem.name for theorem in every
    )
