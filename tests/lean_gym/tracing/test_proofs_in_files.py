"""Proofs of a project's theorems as text: errors with positions, and the file up to the theorem with the proof."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lean_gym.backends.minilean import MinileanBackend, file_of_project
from lean_gym.datasets import load_theorems
from lean_gym.datasets.traced import BETWEEN
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from minilean.check_command import check_file
from minilean.project.loading import Project
from trainers.proving.search.proving import source_of
from trainers.reporting.lean_source import lean_file

PROOF = ["intro h", "rw [double_eq, double_eq] at h", "omega"]


@pytest.fixture
def gap(traced: Path) -> Theorem:
    """A theorem in a namespace, over section variables, with the notation of an import."""
    [found] = [theorem for theorem in load_theorems(str(traced)) if theorem.name == "Sample.double_inj"]
    return found


def errors(text: str, theorem: Theorem, folder: Path) -> list[str]:
    file = folder / "Proof.lean"
    file.write_text(text, "utf-8")
    messages, _ = check_file(file, Project(Path(theorem.position.partition(BETWEEN)[0])))
    return [message.text for message in messages if message.severity == "error"]


def test_the_file_with_the_proof_is_accepted(gap: Theorem, tmp_path: Path) -> None:
    text = lean_file(gap, PROOF)
    assert text == source_of(gap, tuple(PROOF))
    first, _, rest = text.partition("\n")
    assert first == '-- "Sample/More.lean:Sample.double_inj" of a traced project: the file up to there'
    assert rest.startswith("import Sample.Basic\n\nnamespace Sample\n\nvariable (m n : Nat)\n")
    assert rest.endswith(
        "theorem double_inj : ⟪m⟫ = ⟪n⟫ → m = n := by\n  intro h\n  rw [double_eq, double_eq] at h\n  omega\n"
    )
    assert errors(text, gap, tmp_path) == []
    assert errors(text.replace("omega\n", "exact h\n"), gap, tmp_path) != []  # the check can fail


def test_every_traced_proof_is_a_file(traced: Path, tmp_path: Path) -> None:
    proved = [theorem for theorem in load_theorems(str(traced)) if theorem.proof and theorem.name != "three"]
    assert {theorem.name for theorem in proved} >= {"Sample.both", "Sample.length_map_id", "right"}
    for theorem in proved:
        assert errors(lean_file(theorem, [theorem.proof]), theorem, tmp_path) == [], theorem.name


@pytest.mark.parametrize(
    "script", [["omega"], ["sorry"], ["exact both"], ["intro h", "exact double_inj m n h"]]
)
def test_what_is_no_proof_is_not_written(gap: Theorem, script: list[str]) -> None:
    with pytest.raises(DataError, match=r"double_inj.*: the tactics are no proof"):
        file_of_project(gap, script)


def test_a_proof_of_another_statement_is_not_written(gap: Theorem) -> None:
    other = replace(gap, statement="theorem Sample.double_inj : m + n = n + m")
    with pytest.raises(DataError, match=r"its file does not take the proof"):
        file_of_project(other, ["omega"])
    easier = replace(gap, statement="theorem Sample.double_inj : ⟪m⟫ = ⟪n⟫ → ⟪m⟫ = ⟪n⟫")
    assert source_of(easier, ("exact fun h => h",)).startswith(
        "-- theorem 'Sample.double_inj': its file does not"
    )


def test_an_axiom_more_is_not_written(gap: Theorem, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof that is printed rests on no axiom that the judged proof does not rest on."""
    judged = MinileanBackend.verify
    monkeypatch.setattr(MinileanBackend, "verify", lambda *args: replace(judged(*args), axioms=()))
    with pytest.raises(DataError, match="it proves something else there"):
        file_of_project(gap, ["have e : True = True := propext Iff.rfl", *PROOF])
    assert file_of_project(gap, PROOF)


def test_errors_of_a_script_have_positions(gap: Theorem) -> None:
    backend = MinileanBackend()
    assert backend.script_errors(gap, "\n".join(PROOF), 10.0) == ()
    [error] = backend.script_errors(gap, "intro h\nrw [double_eq] at h\nexact h", 10.0)
    assert (error.line, error.column) == (4, 2) and "Type mismatch" in error.message
    [unknown] = backend.script_errors(gap, "exact later m n", 10.0)
    assert (unknown.line, unknown.column) == (2, 8) and "later" in unknown.message
