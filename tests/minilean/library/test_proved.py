"""The library proved from its source: on the three axioms only, as the cache holds it, and as exports hold it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lean_gym.lean.library import find_library
from minilean.export import produce
from minilean.export.format import export_ndjson
from minilean.export.judge import Refused, judge_exports
from minilean.export.produce import NAME, Source, proof_export
from minilean.kernel.declaration import Axiom, TheoremDecl
from minilean.kernel.fuel import deep_stack
from minilean.kernel.traversal import alpha_eq
from minilean.library import library
from minilean.library.encoding import decode, encode
from minilean.library.load import build_library
from minilean.meta.extension import TABLES, LeanEnv
from minilean.project.positions import project_position
from minilean.proof import ProofError

AXIOMS = {"propext", "Classical.choice", "Quot.sound"}
# It takes half a minute to prove, so all that needs the proofs stands here.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def proved() -> LeanEnv:
    return build_library()


def test_everything_is_proved_and_agrees_with_the_cache(proved: LeanEnv) -> None:
    built = proved
    cached = library()
    assert built.hidden == cached.hidden
    assert list(built.kernel) == list(cached.kernel)
    for name in built.kernel:
        declaration = built.kernel.get(name)
        if isinstance(declaration, Axiom):
            assert name in AXIOMS
        if isinstance(declaration, TheoremDecl):
            assert declaration.value is not None
            assert set(declaration.axioms) <= AXIOMS
        assert alpha_eq(cached.kernel.get(name).type, declaration.type)
    assert built.simp_lemmas == cached.simp_lemmas
    assert built.equations == cached.equations
    assert built.matchers == cached.matchers
    assert built.recursions.keys() == cached.recursions.keys()


def test_the_whole_library_comes_back_without_its_proofs(proved: LeanEnv) -> None:
    back = decode(encode(proved))
    assert list(back.kernel) == list(proved.kernel)
    for name in proved.kernel:
        before, after = proved.kernel.get(name), back.kernel.get(name)
        if isinstance(before, TheoremDecl):
            assert isinstance(after, TheoremDecl)
            assert after.value is None
            assert (after.level_params, after.type, after.axioms) == (
                before.level_params,
                before.type,
                before.axioms,
            )
        else:
            assert after == before
    for table in TABLES:
        assert getattr(back, table) == getattr(proved, table)
        assert type(getattr(back, table)) is type(getattr(proved, table))
    assert back.history == proved.history
    assert len(proved.history.sizes) > 2_500


def test_a_complete_export_holds_the_project_too(
    proved: LeanEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `--deep` all down to the axioms is written, and what Lean's kernel computes by name with its proofs."""
    monkeypatch.setattr(produce, "build_library", lambda: proved)
    both = "(p : Prop) (h : p) : Both p p"
    files = {
        "A.lean": "inductive Both (p q : Prop) : Prop\n  | mk : p → q → Both p q\n"
        f"theorem twice {both} := .mk h h\ntheorem gap {both} := by sorry\n",
        "B.lean": f"import A\ntheorem goal {both} := by sorry\ntheorem after {both} := goal p h\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    source = Source(f"theorem goal {both}", position=project_position(str(tmp_path), "B.lean", "goal"))

    def solution(tactic: str) -> str:
        return proof_export(replace(source, tactics=(tactic,)), deep=True)

    challenge = proof_export(source, deep=True)
    assert judge_exports(challenge, solution("exact twice p h"), NAME, AXIOMS) == ()
    with pytest.raises(Refused, match="sorryAx"):
        judge_exports(challenge, solution("exact gap p h"), NAME, AXIOMS)
    for attack in ("exact after p h", "exact goal p h"):
        with pytest.raises(ProofError):
            solution(attack)


def test_leans_kernel_accepts_it(proved: LeanEnv, tmp_path: Path) -> None:
    lean_library = find_library()
    file = tmp_path / "library.ndjson"
    with deep_stack():
        file.write_text(export_ndjson(proved.kernel, list(proved.kernel)), "utf-8")
    words = ["--library", str(lean_library), str(file)]
    done = subprocess.run([sys.executable, "-m", "lean_gym.lean", *words], capture_output=True, text=True)
    answer = json.loads(done.stdout)
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    declarations = [
        row
        for row in rows
        if not row.keys() & {"meta", "in", "il", "ie"} and row.get("quot", {}).get("kind", "type") == "type"
    ]
    assert (done.returncode, answer["accepted"]) == (0, True), answer
    assert answer["declarations"] == len(declarations) > 3000
