"""Traces through Pantograph's protocol, here answered by minilean; and a REPL that tells less."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems
from lean_gym.datasets.formats.leandojo_steps import TracedTheorem, read_traced_theorems
from lean_gym.errors import BackendUnavailable
from lean_gym.tracing import trace
from lean_gym.tracing.pantograph import ReplFiles
from lean_gym.tracing.planning import PlannedFile
from lean_gym.verification.verify import verify_script

SAMPLE = Path(__file__).parent / "sample"
REPL = [sys.executable, "-m", "minilean", "repl"]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("repl") / "sample"
    trace(SAMPLE, out, jsonl=True, backend="pantograph", backend_options={"repl_command": REPL})
    return out


def by_name(folder: Path) -> dict[str, TracedTheorem]:
    return {theorem.full_name: theorem for theorem in read_traced_theorems(folder)}


def test_a_repl_tells_the_same_theorems_and_goals(told: Path, traced: Path) -> None:
    ours, theirs = by_name(traced), by_name(told)
    assert set(ours) == set(theirs)
    for name, theorem in ours.items():
        other = theirs[name]
        assert (other.file_path, other.has_sorry) == (theorem.file_path, theorem.has_sorry)
        # the range of a command begins at its `open .. in`
        assert other.start[0] in (theorem.start[0], theorem.start[0] - 1) and other.end == theorem.end
        assert [step.tactic.split("\n")[0] for step in other.steps] == [
            step.tactic.split("\n")[0] for step in theorem.steps
        ]
        assert [step.state for step in other.steps] == [step.state for step in theorem.steps]


def test_premises_are_those_in_the_term(told: Path) -> None:
    theorems = by_name(told)
    rewrite = theorems["Sample.double_add"].steps[0]
    assert [premise.full_name for premise in rewrite.premises] == ["Sample.double_eq"]
    assert "Nat.zero_add" in theorems["right"].steps[0].used
    # what only an unfolding uses is not in the term
    assert theorems["Sample.double_eq"].steps[0].premises == ()


def test_a_theorem_is_an_episode_after_its_file(told: Path) -> None:
    theorems = {theorem.name: theorem for theorem in load_theorems(str(told))}
    gap = theorems["double_inj"]
    assert gap.imports == ("Sample.Basic",) and gap.position == ""
    assert "double_add" in gap.context and "double_inj" not in gap.context
    backend = create_backend(
        "pantograph", repl_command=REPL, project_path=str(SAMPLE), lean_path="", sandbox="off"
    )
    try:
        assert backend.start(gap).text == "m n : Nat\n⊢ ⟪m⟫ = ⟪n⟫ → m = n"
        honest = ["intro h", "rw [double_eq, double_eq] at h", "omega"]
        assert verify_script(backend, gap, honest).proved
        for attack in ("exact double_inj m n", "exact Sample.double_inj m n", "sorry"):
            assert not verify_script(backend, gap, [attack]).proved
    finally:
        backend.close()


class Answers:
    """A REPL with fixed answers."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer

    def ready(self) -> Answers:
        return self

    def ask(self, command: str, payload: dict[str, Any], seconds: float) -> dict[str, Any]:
        return self.answer if command == "frontend.process" else {"error": "index"}

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("unit", "missing", "tactics"),
    [
        ({}, "tactics: the REPL has no invocations", 0),
        (
            {"invocations": [{"goalBefore": "⊢ 1 = 1", "goalAfter": "", "tactic": "rfl"}]},
            "premises: the REPL's invocations have no usedConstants",
            1,
        ),
        (
            {
                "invocations": [
                    {"goalBefore": "⊢ 1 = 1", "goalAfter": "", "tactic": "rfl", "usedConstants": ["rfl"]}
                ]
            },
            None,
            1,
        ),
    ],
)
def test_what_a_repl_does_not_tell_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: dict[str, Any], missing: str | None, tactics: int
) -> None:
    text = "theorem t : 1 = 1 := by rfl\n"
    (tmp_path / "A.lean").write_text(text)
    answer = {"units": [{"boundary": [0, len(text)], "messages": [], "newConstants": ["t"], **unit}]}
    monkeypatch.setattr("lean_gym.tracing.pantograph.Repl", lambda *_: Answers(answer))
    record = ReplFiles(tmp_path, ["A"], REPL).trace(PlannedFile("A.lean", "A", (), "key"))
    assert record.missing == (() if missing is None else (missing,))
    assert len(record.theorems[0].tactics) == tactics


def test_a_file_that_the_repl_refuses_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "A.lean").write_text("import Nowhere\n")
    answer = {"error": "io", "desc": "unknown module prefix 'Nowhere'"}
    monkeypatch.setattr("lean_gym.tracing.pantograph.Repl", lambda *_: Answers(answer))
    record = ReplFiles(tmp_path, ["A"], REPL).trace(PlannedFile("A.lean", "A", (), "key"))
    assert [str(error) for error in record.errors] == ["unknown module prefix 'Nowhere'"]


def test_a_missing_repl_is_told_before_any_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="repl_comand"):
        trace(SAMPLE, tmp_path / "a", backend="pantograph", backend_options={"repl_comand": ["x"]})
    with pytest.raises(ValueError, match="backend"):
        trace(SAMPLE, tmp_path / "b", backend="lean5")
    with pytest.raises(BackendUnavailable, match="no Pantograph REPL"):
        trace(SAMPLE, tmp_path / "c", backend="pantograph", backend_options={"repl_command": []})


def test_metadata_names_the_prover(told: Path) -> None:
    metadata = json.loads((told / "metadata.json").read_text())
    assert (metadata["backend"], metadata["missing"]) == ("pantograph", [])
