"""Proofs of a run as Lean files: they hold up in the checker of files, and nothing else is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lean_gym.errors import DataError
from lean_gym.types import Theorem
from minilean.check_command import check_text
from trainers.export import main
from trainers.reporting.lean_source import file_stem, lean_file, submission

KEEP = "theorem keep (p : Prop) (h : p) : p"
SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
HEADER = "import Mathlib\nimport Submission.Helpers\n\nopen Nat\n\nnamespace Submission\n\n"
WORKSPACE = f"{HEADER}{KEEP} := by\n  sorry\n\nend Submission\n"


def messages(source: str) -> list[str]:
    return [str(message) for message in check_text(source)]


@pytest.fixture
def run(write_run: Any) -> Path:
    """A run with a proof of each of two theorems, and a false proof of a third."""
    proofs = [
        {
            "name": "swap",
            "statement": SWAP,
            "tactics": ["constructor", "exact h.2", "  exact h.1 -- the other"],
        },
        {"name": "hard", "statement": "", "tactics": ["exact trivial"]},
    ]
    return Path(write_run(proofs=proofs))


def test_each_proof_is_a_file_that_compiles_alone(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(run), "--lean", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr()
    assert shown.out == f"2 of 2 proofs: {tmp_path / 'out'}\n"
    assert shown.err == "left out: hard: the prover does not accept its proof\n"
    files = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert set(files) == {"swap.lean", "keep.lean"}
    assert files["keep.lean"] == f"{KEEP} := by\n  exact h\n"
    for source in files.values():
        assert messages(source) == []
    assert messages(files["keep.lean"].replace("exact h", "exact p")) != []  # the check can fail


def test_imports_and_context_come_first() -> None:
    theorem = Theorem("t", "theorem t : two = 2", context="def two : Nat := 2", imports=("Mathlib", "Aesop"))
    assert lean_file(theorem, ["rfl"]) == (
        "import Mathlib\nimport Aesop\n\ndef two : Nat := 2\n\ntheorem t : two = 2 := by\n  rfl\n"
    )
    with pytest.raises(DataError, match="Lean's own library"):
        lean_file(Theorem("t", "theorem t : True", position="Prelude.lean:t"), ["trivial"])


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Nat.add_comm", "Nat.add_comm"),
        ("../../etc/passwd", "_.__etc_passwd"),
        ("«a b/c»", "_a_b_c_"),
        ("..", "theorem"),
        ("x" * 300, "x" * 100),
    ],
)
def test_names_of_files_stay_in_the_folder(name: str, stem: str, tmp_path: Path) -> None:
    found = file_stem(Theorem(name, f"theorem {name} : True"))
    assert (tmp_path / f"{found}.lean").resolve().parent == tmp_path.resolve()
    assert "/" not in found
    if name != "../../etc/passwd":
        assert found == stem


def test_a_workspace_of_lean_eval_is_filled(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generated = tmp_path / "generated"
    (generated / "keep").mkdir(parents=True)
    (generated / "keep" / "Submission.lean").write_text(WORKSPACE)
    (generated / "keep" / "Challenge.lean").write_text("fixed")
    assert main([str(run), "--submission", str(generated)]) == 0
    assert (generated / "keep" / "Submission.lean").read_text() == WORKSPACE.replace("sorry", "exact h")
    assert (generated / "keep" / "Challenge.lean").read_text() == "fixed"
    assert "left out: theorem 'swap': no workspace" in capsys.readouterr().err


@pytest.mark.parametrize(
    "template",
    [
        WORKSPACE.replace("(h : p) : p", "(h : p) : ¬p"),
        WORKSPACE.replace("keep (p", "keep(q : Prop) (p"),
        WORKSPACE.replace("sorry", "exact h"),
        WORKSPACE.replace("end Submission", "end Other"),
        "",
    ],
)
def test_another_theorem_stays_as_it_is(template: str) -> None:
    with pytest.raises(DataError, match=r"another theorem|does not end with a theorem"):
        submission(template, Theorem("keep", KEEP), ["exact h"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "expected --lean DIR"),
        (["--submission", "missing"], "no such folder"),
        (["--leen", "x"], "unknown flag --leen"),
    ],
)
def test_mistakes_are_one_line(
    run: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(run), *words])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


def test_a_set_that_has_changed_exports_nothing(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "run.json").write_text(json.dumps({"backend": "minilean", "theorems_sha256": "other"}))
    with pytest.raises(SystemExit):
        main([str(run), "--lean", str(run / "out")])
    assert "has changed since the run" in capsys.readouterr().err
    assert not (run / "out").exists()
