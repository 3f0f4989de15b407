"""The stage that fills the `sorry`s of a repository: patches that apply, and proofs that may enter the store."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from lean_gym import Theorem
from minilean.check_command import check_file, check_text
from minilean.project.loading import Project
from trainers.config.env import EnvConfig
from trainers.config.lifelong import LifelongConfig
from trainers.corpora.lifelong.filling import fill_repository, patch_of
from trainers.corpora.lifelong.records import Repository, StoredTheorem, TracedTheorem
from trainers.corpora.lifelong.sources import read_source
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.tracing import tracer_of
from trainers.proving.editing import file_check
from trainers.proving.search import proving
from trainers.rollouts.env import opened_env

GOOD = """theorem first (p : Prop) (h : p) : p := by
  sorry

theorem second (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  sorry
  exact hq

theorem false_one : (1 : Nat) = 2 := by
  sorry
"""
BROKEN = "theorem third : True := by sorry\n\ntheorem wrong : 1 = 2 := rfl\n"


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Prove and check in this process, which is faster."""

    def checked(text: str, root: Path | None) -> list[tuple[int, str, str]]:
        if root is None or "import" not in text:
            return [(message.line, message.severity, message.text) for message in check_text(text)]
        path = tmp_path / "Checked.lean"
        path.write_text(text, encoding="utf-8")
        return [(each.line, each.severity, each.text) for each in check_file(path, Project(root))[0]]

    plain = gym.make_vec
    monkeypatch.setattr(gym, "make_vec", lambda name, **kw: plain(name, **{**kw, "num_workers": 0}))
    monkeypatch.setattr(file_check, "_messages", checked)
    monkeypatch.setattr(proving, "opened_env", partial(opened_env, num_workers=0))


def filled(
    config: LifelongConfig, repository: Repository, sources: Path, folder: Path
) -> tuple[Mapping[str, Any], Sequence[StoredTheorem], Path]:
    """Fill a repository; return what was found, its theorems in the store afterwards, and the folder of the patch."""
    out = folder / "filled"
    out.mkdir()
    with Store(folder / "theorems.db") as store:
        number = store.add(repository)
        parts = (config.to_prove("someone/model", "", ""), store, store.theorems(number), sources, out)
        found = fill_repository(*parts, on_step=lambda: None)
        return found, store.theorems(number), out


def row(file: str, name: str, says: str) -> TracedTheorem:
    statement = f"theorem {name} {says}"
    episode = Theorem(name, statement)
    return TracedTheorem(name, file, (1, 1), (1, 2), statement, status="sorry", episode=episode)


def test_sorries_are_filled_and_only_whole_proofs_are_kept(
    in_process: None, tmp_path: Path, tell: Callable[..., list[Any]]
) -> None:
    root = tmp_path / "project"
    (root / "Sub").mkdir(parents=True)
    (root / "Sub" / "Good.lean").write_text(GOOD, encoding="utf-8")
    (root / "Broken.lean").write_text(BROKEN, encoding="utf-8")
    theorems = [
        row("Sub/Good.lean", "first", "(p : Prop) (h : p) : p"),
        row("Sub/Good.lean", "second", "(p q : Prop) (hp : p) (hq : q) : p ∧ q"),
        row("Sub/Good.lean", "false_one", ": (1 : Nat) = 2"),
        row("Broken.lean", "third", ": True"),
        dataclasses.replace(row("Broken.lean", "wrong", ": 1 = 2"), status="proven"),
    ]
    loaded = tell("exact h", "exact hp", "trivial")
    config = LifelongConfig(backend="minilean", workers=1, prove={"tactics": 12, "samples": 3})
    repository = Repository("project", "", "project", theorems=theorems)
    found, stored, out = filled(config, repository, root, tmp_path)
    kept = {each.traced.name: (each.traced.status, each.proofs) for each in stored}
    assert (found["sorries"], found["filled"], found["proofs"]) == (4, 2, ["first"])
    assert "expected a file that checks" in found["failures"]["Broken.lean"]
    assert len(loaded) == 1  # once for all files
    assert kept["first"] == ("sorry_proved", (("exact h",),))
    # Its `sorry` is filled in the file, but the tactic alone is no proof of the theorem.
    assert kept["second"] == ("sorry", ())
    assert kept["false_one"] == ("sorry", ())

    # The sources are untouched; the patch applies to them, and what it gives checks.
    assert (root / "Sub" / "Good.lean").read_text(encoding="utf-8") == GOOD
    subprocess.run(["git", "apply", str(out / "proofs.patch")], cwd=root, check=True)
    after = (root / "Sub" / "Good.lean").read_text(encoding="utf-8")
    assert after.count("sorry") == 1
    assert [each for each in check_text(after) if each.severity == "error"] == []


BASE = """namespace Sums

def twice (n : Nat) : Nat := n + n

theorem twice_zero : twice 0 = 0 := rfl

theorem twice_eq (n : Nat) : twice n = 2 * n := by
  sorry

end Sums
"""
MAIN = """import Sums.Base

open Sums in
theorem four : twice 2 = 4 := by
  sorry

theorem by_a_gap (h : ∀ n, Sums.twice n = 2 * n → False) : False := by
  sorry
"""

ON_LEAN = {
    "Main.lean": """theorem first (p : Prop) (h : p) : p := by
  sorry

theorem false_one : (1 : Nat) = 2 := by
  sorry

theorem by_a_gap : (1 : Nat) = 2 := by
  sorry
""",
    "Other.lean": "theorem other (p q : Prop) (hp : p) (hq : q) : p ∧ q := by sorry\n",
}


def test_a_project_of_several_files(in_process: None, tmp_path: Path, tell: Callable[..., list[Any]]) -> None:
    """Traced, filled at the places of its theorems, checked as files of the project.

    The attack is a proof by a theorem of another file that holds a `sorry` itself.
    """
    root = tmp_path / "project"
    (root / "Sums").mkdir(parents=True)
    (root / "Sums" / "Base.lean").write_text(BASE, encoding="utf-8")
    (root / "Sums" / "Main.lean").write_text(MAIN, encoding="utf-8")
    tell("unfold twice", "omega", "rfl", "exact h 0 (Sums.twice_eq 0)")
    config = LifelongConfig(backend="minilean", workers=1, prove={"tactics": 24, "samples": 4})
    repository, _, sources = read_source(str(root), tmp_path / "traced", tracer_of("minilean", {}))
    assert sources == root
    assert {each.name: each.status for each in repository.theorems} == {
        "Sums.twice_zero": "proven",
        "Sums.twice_eq": "sorry",
        "four": "sorry",
        "by_a_gap": "sorry",
    }
    found, _, out = filled(config, repository, sources, tmp_path)
    assert found["failures"] == {}
    assert (found["filled"], found["proofs"]) == (2, ["Sums.twice_eq", "four"])
    subprocess.run(["git", "apply", str(out / "proofs.patch")], cwd=root, check=True)
    after = (root / "Sums" / "Main.lean").read_text(encoding="utf-8")
    assert after.count("sorry") == 1
    messages, _ = check_file(root / "Sums" / "Main.lean", Project(root))
    assert [each.text for each in messages if each.severity == "error"] == []


def test_the_sorries_of_a_project_on_the_backend_for_real_lean(
    in_process: None, tmp_path: Path, tell: Callable[..., list[Any]]
) -> None:
    """Traced, filled and proved again through the protocol of Lean's REPL, which `minilean repl` speaks.

    The attack is a proof by the theorem above, which holds a `sorry`; the honest neighbours are in both files.
    """
    root = tmp_path / "project"
    root.mkdir()
    for name, text in ON_LEAN.items():
        (root / name).write_text(text, encoding="utf-8")
    tell("exact h", "exact false_one", "exact ⟨hp, hq⟩")
    options = {"repl_command": [sys.executable, "-m", "minilean", "repl"], "sandbox": "off", "lean_path": ""}
    env = EnvConfig(backend_options=options)
    config = LifelongConfig(backend="pantograph", workers=1, env=env, prove={"tactics": 6, "samples": 3})
    tracer = tracer_of("pantograph", options)
    repository, _, sources = read_source(str(root), tmp_path / "traced", tracer)
    assert {each.status for each in repository.theorems} == {"sorry"}
    found, _, out = filled(config, repository, sources, tmp_path)
    assert found["failures"] == {}
    assert (found["filled"], found["proofs"]) == (2, ["first", "other"])
    subprocess.run(["git", "apply", str(out / "proofs.patch")], cwd=root, check=True)
    after = {name: (root / name).read_text(encoding="utf-8") for name in ON_LEAN}
    assert [text.count("sorry") for text in after.values()] == [2, 0]
    assert "exact h\n" in after["Main.lean"]
    assert "exact ⟨hp, hq⟩" in after["Other.lean"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc", "a\nB\nc"),
        ("a\nsorry", "a\ntrivial"),
        ("a\r\nsorry\r\n", "a\r\ntrivial\r\n"),
        ("a\x0bsorry\n", "a\x0btrivial\n"),
        ("", "x\n"),
    ],
)
def test_patches_apply(tmp_path: Path, before: str, after: str) -> None:
    (tmp_path / "F.lean").write_bytes(before.encode())
    (tmp_path / "p.patch").write_text(patch_of("F.lean", before.encode(), after.encode()), newline="")
    subprocess.run(["git", "apply", "p.patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "F.lean").read_bytes() == after.encode()
    assert patch_of("F.lean", before.encode(), before.encode()) == ""
