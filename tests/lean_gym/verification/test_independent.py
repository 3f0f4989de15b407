"""`verify="independent"`: minilean's own proofs, and files of real Lean with stand-ins for its programs."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import lean_gym  # noqa: F401  registers the environments
from lean_gym.backends.pantograph import PantographBackend
from lean_gym.backends.registry import create_backend
from lean_gym.errors import BackendTimeout, BackendUnavailable, DataError
from lean_gym.lean import library
from lean_gym.lean.library import VARIABLE, find_library
from lean_gym.types import ProofBackend, Theorem, Verdict
from lean_gym.verification import kernels
from lean_gym.verification.independent import Files, IndependentJudge, Wrap, lean_files
from lean_gym.verification.kernels import KernelChoice
from lean_gym.verification.processes import run_program
from lean_gym.verification.verify import verify_script

STAND_IN = Path(__file__).with_name("lean_stand_in.py")
SWAP = Theorem("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p")
PROOF = ("exact ⟨h.2, h.1⟩",)
SECONDS = 240.0


def _kernels_of_lean() -> list[str]:
    try:
        find_library()
    except BackendUnavailable:
        return []
    return ["lean"]


LEAN = _kernels_of_lean()


@pytest.fixture(scope="module")
def backend() -> Iterator[ProofBackend]:
    made = create_backend("minilean", verify="independent", sandbox="off")
    yield made
    made.close()


def test_a_proof_is_judged_by_another_process(backend: ProofBackend) -> None:
    verdict = verify_script(backend, SWAP, PROOF, deadline_s=SECONDS, verify="independent")
    assert (verdict.proved, verdict.level, verdict.axioms) == (True, "independent", ())
    assert verdict.details == {"kernels": ["minilean", *LEAN], "deep": False}


def test_leans_kernel_has_to_answer_where_its_library_is_named(
    backend: ProofBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "libleanshared.so"
    file.write_bytes(b"no library")
    monkeypatch.setenv(VARIABLE, str(file))
    verdict = verify_script(backend, SWAP, PROOF, deadline_s=SECONDS, verify="independent")
    assert not verdict.proved
    assert verdict.reason.startswith("independent check: Lean's kernel: no answer: error: ")
    assert verdict.details["kernels"] == ["minilean", "lean"]


@pytest.mark.skipif(not LEAN, reason="Lean's library is not here")
@pytest.mark.parametrize(
    ("statement", "tactic"),
    [
        ("theorem t (a b : Nat) (h : a < b) : a + 1 ≤ b ∧ 2 ^ 70 > 3", "omega"),
        ("theorem t (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length", "simp [Nat.add_comm]"),
        ("theorem t : 'a' ≠ 'b' ∧ \"ab\" ≠ \"b\"", "decide"),
        ("theorem t {α : Type} (r : α → α → Prop) (f : α → Nat) (h : ∀ a b, r a b → f a = f b) (s : Quot r) : "
         "Quot.lift f h s = Quot.lift f h s ∨ False", "simp"),
    ],
)  # fmt: skip
def test_leans_kernel_accepts_on_what_the_judge_gives_it(
    backend: ProofBackend, statement: str, tactic: str
) -> None:
    theorem = Theorem("t", statement)
    verdict = verify_script(backend, theorem, (tactic,), deadline_s=SECONDS, verify="independent")
    assert (verdict.proved, verdict.reason) == (True, "")


def test_leans_kernel_is_not_asked_where_it_is_not(
    backend: ProofBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    monkeypatch.setenv("ELAN_HOME", "/none")
    monkeypatch.delenv(VARIABLE, raising=False)
    verdict = verify_script(backend, SWAP, PROOF, deadline_s=SECONDS, verify="independent")
    assert (verdict.proved, verdict.details["kernels"]) == (True, ["minilean"])


# --- the choice of kernels --------------------------------------------------------------------------------------


@pytest.mark.skipif(not LEAN, reason="Lean's library is not here")
@pytest.mark.parametrize(
    ("kernel", "asked"),
    [
        ("lean", ["lean"]),
        ("minilean", ["minilean"]),
        ("lean, minilean", ["minilean", "lean"]),
        (["lean"], ["lean"]),
    ],
)
def test_the_kernels_that_are_named_judge(kernel: KernelChoice, asked: list[str]) -> None:
    backend = create_backend("minilean", verify="independent", kernel=kernel, sandbox="off")
    try:
        verdict = verify_script(backend, SWAP, PROOF, deadline_s=SECONDS, verify="independent")
        assert (verdict.proved, verdict.details["kernels"], verdict.axioms) == (True, asked, ())
    finally:
        backend.close()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"kernel": "lan"}, "unknown kernel 'lan'; did you mean 'lean'? (known: lean, minilean, nanoda)"),
        ({"kernel": ""}, "unknown kernel ''"),
        ({"kernel": []}, "kernel: got [], expected names among minilean, nanoda, lean"),
        ({"kernel": 3}, "kernel: got 3, expected names among minilean, nanoda, lean"),
        ({"kernel": ["lean", 3]}, "unknown kernel '3'"),
        ({"kernel": "nanoda"}, "kernel 'nanoda' reads complete exports only: set the backend's option deep"),
        ({"kernel": "minilean", "verify": "full"}, "kernel: got 'minilean', which only verify='independent' asks"),
    ],
)  # fmt: skip
def test_a_kernel_that_cannot_be_asked_is_refused_at_once(options: dict[str, Any], line: str) -> None:
    with pytest.raises(ValueError, match=re.escape(line)):
        create_backend("minilean", **({"verify": "independent"} | options))


def test_a_kernel_that_is_not_installed_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels.shutil, "which", lambda name: None)
    with pytest.raises(BackendUnavailable, match="kernel 'nanoda': the program 'nanoda_bin' is not on PATH"):
        create_backend("minilean", verify="independent", kernel="nanoda", deep=True)
    monkeypatch.setenv(VARIABLE, "/no/library")
    with pytest.raises(BackendUnavailable, match="kernel 'lean': Lean's library: expected the file"):
        create_backend("minilean", verify="independent", kernel="minilean,lean")


@pytest.mark.slow
def test_axioms_are_listed_and_judged(backend: ProofBackend) -> None:
    em = Theorem("em", "theorem em (p : Prop) : p ∨ ¬p")
    script = ("exact Classical.em p",)
    verdict = verify_script(backend, em, script, deadline_s=SECONDS, verify="independent")
    assert verdict.axioms == ("Classical.choice", "Quot.sound", "propext")
    refused = verify_script(backend, em, script, ("propext",), SECONDS, "independent")
    assert refused.reason == "uses axioms that are not permitted: Classical.choice, Quot.sound"


@pytest.mark.slow
def test_a_context_and_a_position_reach_the_judge(backend: ProofBackend) -> None:
    theorem = Theorem("t", "theorem t : two = 2", context="def two : Nat := 2")
    assert verify_script(backend, theorem, ("rfl",), deadline_s=SECONDS, verify="independent").proved
    early = Theorem(
        "comm", "theorem Nat.add_comm (n m : Nat) : n + m = m + n", position="NatBasic.lean:Nat.add_comm"
    )
    refused = verify_script(
        backend, early, ("exact Nat.add_comm n m",), deadline_s=SECONDS, verify="independent"
    )
    assert not refused.proved


def test_a_forged_candidate_is_refused_by_the_judge(
    backend: ProofBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process with the candidate is taken over: it writes what it likes."""
    from lean_gym.backends import minilean
    from lean_gym.verification.processes import Finished

    genuine = minilean.export_with_minilean

    def forged(theorem: Theorem, *, tactics: tuple[str, ...] | None, **options: object) -> Finished:
        other = Theorem("t", "theorem t : True") if tactics is not None else theorem
        script = ("trivial",) if tactics is not None else None
        return genuine(other, script, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(minilean, "export_with_minilean", forged)
    verdict = verify_script(backend, SWAP, PROOF, deadline_s=SECONDS, verify="independent")
    assert verdict.reason == "independent check: 'exported_proof' states something else in the solution"


@pytest.mark.slow
@pytest.mark.parametrize("verify", ["full", "independent"])
def test_the_environment_verifies_at_the_level_of_its_option(verify: str) -> None:
    env = gym.make("LeanProof-v0", theorems=[SWAP], backend="minilean", verify=verify, verify_seconds=SECONDS)
    try:
        env.reset(seed=0)
        _, reward, terminated, _, info = env.step(PROOF[0])
        assert (reward, terminated, info["verification"]) == (1.0, True, verify)
    finally:
        env.close()


def judge_files(files: Files, wrap: Wrap = list, kernel: KernelChoice = None) -> Verdict:
    judge = IndependentJudge(kernel, wrap=wrap)
    try:
        return judge.judge(files, time.monotonic() + SECONDS)
    finally:
        judge.close()


def test_a_weaker_verdict_does_not_do() -> None:
    full = create_backend("minilean")
    refused = verify_script(full, SWAP, PROOF, verify="independent")
    assert refused.reason == "was checked by full alone; verify='full' accepts that"
    assert verify_script(full, SWAP, PROOF, verify="replay").proved


def test_a_judge_without_an_answer_proves_nothing() -> None:
    files = Files("", "", "t")
    verdict = judge_files(files, lambda command: [sys.executable, "-c", "import sys; sys.exit('gone')"])
    assert verdict.reason == "independent check: the judge gave no answer: gone"
    # an answer with another exit status is none either
    says = 'print(\'{"proved": true, "axioms": []}\'); raise SystemExit(1)'
    verdict = judge_files(files, lambda command: [sys.executable, "-c", says])
    assert not verdict.proved


# --- programs ---------------------------------------------------------------------------------------------------


def test_a_program_that_hangs_is_killed_with_its_children() -> None:
    began = time.monotonic()
    with pytest.raises(BackendTimeout, match="'sh' did not end within 1 s"):
        run_program(["sh", "-c", "sleep 600 & sleep 600"], "", 1.0)
    assert time.monotonic() - began < 60


def test_a_program_that_is_missing_is_named() -> None:
    with pytest.raises(BackendUnavailable, match="'/no/such/program' cannot be started"):
        run_program(["/no/such/program"], "", 1.0)


def test_a_child_that_keeps_the_output_open_is_not_waited_for() -> None:
    done = run_program(["sh", "-c", "sleep 600 & echo said"], "", 60.0)
    assert (done.status, done.output) == (0, "said\n")


# --- real Lean, with stand-ins ----------------------------------------------------------------------------------


@pytest.fixture
def lean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on PATH with `lean` and `lean4export`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("lean", "lean4export"):
        put_program(folder / name, f'exec {sys.executable} {STAND_IN} {name} "$@"')
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.delenv("LEAN_PATH", raising=False)
    return folder


def put_program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)


CHALLENGE = "import Init\ndef two : Nat := 2\ntheorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by sorry\n"
SOLUTION = CHALLENGE.replace("sorry", "exact ⟨h.2, h.1⟩")


def judged(
    solution: str,
    deep: bool = False,
    challenge: str = CHALLENGE,
    name: str = "swap",
    kernel: KernelChoice = None,
) -> Verdict:
    files = lean_files(challenge, solution, name, ("Init",), time.monotonic() + SECONDS, deep=deep)
    return files if isinstance(files, Verdict) else judge_files(files, kernel=kernel)


@pytest.mark.slow
@pytest.mark.parametrize("deep", [False, True])
def test_a_file_of_real_lean_is_judged(lean: Path, deep: bool) -> None:
    verdict = judged(SOLUTION, deep)
    assert (verdict.proved, verdict.axioms, verdict.details["deep"]) == (True, (), deep)


@pytest.mark.slow
def test_sorry_in_a_file_of_real_lean_is_refused(lean: Path) -> None:
    assert judged(CHALLENGE).reason == "independent check: the proof uses `sorry`"


REFUSED: dict[str, tuple[str, str]] = {
    "another statement": (
        SOLUTION.replace(": q ∧ p", ": p ∧ q").replace("⟨h.2, h.1⟩", "h"),
        "states something else",
    ),
    "a file with an error": (SOLUTION.replace("h.2, h.1", "h.1, h.2"), "does not compile"),
    "no theorem": ("theorem other : True := trivial\n", "the solution has no 'swap'"),
}


@pytest.mark.slow
@pytest.mark.parametrize("trick", REFUSED)
def test_what_is_no_proof_is_refused(lean: Path, trick: str) -> None:
    solution, reason = REFUSED[trick]
    verdict = judged(solution)
    assert not verdict.proved
    assert reason in verdict.reason


@pytest.mark.slow
def test_a_definition_beneath_the_statement_is_compared(lean: Path) -> None:
    challenge = "def two : Nat := 2\ntheorem t : two = two := by sorry\n"
    solution = "def two : Nat := 1\ntheorem t : two = two := by rfl\n"
    assert judged(challenge.replace("sorry", "rfl"), challenge=challenge, name="t").proved
    verdict = judged(solution, challenge=challenge, name="t")
    assert verdict.reason == "independent check: 'two' is another constant in the solution"


def test_a_challenge_that_does_not_compile_is_no_verdict(lean: Path) -> None:
    with pytest.raises(DataError, match="the challenge does not compile"):
        judged(SOLUTION, challenge="theorem swap : Nope := by sorry\n")


def test_lean_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackendUnavailable, match="'lean' is not on PATH"):
        judged(SOLUTION)


@pytest.mark.slow
@pytest.mark.parametrize("accepts", [True, False])
def test_nanoda_has_to_accept_where_it_is_installed(lean: Path, tmp_path: Path, accepts: bool) -> None:
    seen = tmp_path / "seen"
    put_program(
        lean / "nanoda_bin",
        f'cp "$1" {seen}; cat > {seen}.export; {"" if accepts else "echo no >&2; exit 3"}',
    )
    verdict = judged(SOLUTION)
    assert verdict.proved is accepts
    if accepts:
        assert verdict.details["kernels"] == ["minilean", "nanoda", *LEAN]
    else:
        assert verdict.reason == "independent check: nanoda: exit status 3: no"
    assert json.loads(seen.read_text("utf-8"))["unpermitted_axiom_hard_error"] is True
    assert '"thm"' in seen.with_suffix(".export").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("accepts", [True, False])
def test_nanoda_alone_decides(lean: Path, accepts: bool) -> None:
    put_program(lean / "nanoda_bin", f"cat > /dev/null; exit {0 if accepts else 3}")
    verdict = judged(SOLUTION, kernel="nanoda")
    assert (verdict.proved, verdict.details["kernels"]) == (accepts, ["nanoda"])
    # the statement is compared all the same
    other = judged(SOLUTION.replace(": q ∧ p", ": p ∧ q").replace("⟨h.2, h.1⟩", "h"), kernel="nanoda")
    assert "states something else" in other.reason


@pytest.mark.slow
@pytest.mark.skipif(not LEAN, reason="Lean's library is not here")
def test_leans_kernel_alone_decides_on_a_file_of_real_lean(lean: Path) -> None:
    verdict = judged(SOLUTION, kernel="lean")
    assert (verdict.proved, verdict.axioms, verdict.details["kernels"]) == (True, (), ["lean"])
    assert judged(CHALLENGE, kernel="lean").reason == "independent check: the proof uses `sorry`"


@pytest.mark.slow
def test_pantograph_judges_independently(lean: Path) -> None:
    make: Callable[[], PantographBackend] = lambda: PantographBackend(  # noqa: E731
        [sys.executable, "-m", "minilean", "repl", "Init"], verify="independent", sandbox="off"
    )
    backend = make()
    try:
        verdict = verify_script(backend, SWAP, PROOF, deadline_s=SECONDS, verify="independent")
        assert (verdict.proved, verdict.level, verdict.reason) == (True, "independent", "")
        inside = Theorem("t", "theorem t : two = 2", context="namespace A\ndef two : Nat := 2")
        assert verify_script(backend, inside, ("rfl",), deadline_s=SECONDS, verify="independent").proved
        wrong = verify_script(backend, SWAP, ("exact h",), deadline_s=SECONDS, verify="independent")
        assert not wrong.proved
    finally:
        backend.close()
    (lean / "lean4export").unlink()
    with pytest.raises(BackendUnavailable, match="'lean4export' is not on PATH"):
        make()
