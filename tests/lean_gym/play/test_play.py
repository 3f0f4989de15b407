"""`lean-gym play`: a proof by hand, driven through a pipe and through a terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lean_gym.__main__ import main
from lean_gym.backends.fake import FakeBackend
from lean_gym.backends.minilean import MinileanBackend
from lean_gym.play.hand_proof import HandProof, fresh_name
from lean_gym.play.program import Game
from lean_gym.play.words import candidates, completions, suggestions
from lean_gym.types import Goal, Hypothesis, Theorem

ROOT = Path(__file__).resolve().parents[3]
SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"


def play(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, *words: str
) -> tuple[int, str]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    status = main(["play", *words, "--backend", "minilean"])
    captured = capsys.readouterr()
    return status, captured.out + captured.err


def test_a_proof_by_hand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown = play(monkeypatch, capsys, "constructor\nexact h.1\nexact h.2\nexact h.1\n", SWAP)
    assert status == 0
    assert shown.startswith("p q : Prop\nh : p ∧ q\n⊢ q ∧ p\n")
    assert "-- refused: " in shown  # h.1 proves p, not q
    assert shown.endswith(f"proved; axioms: none\n\n{SWAP} := by\n  constructor\n  exact h.2\n  exact h.1\n")


def test_undo_history_and_restart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "constructor",
        "exact h.2",
        ":undo 5",
        ":history",
        "cases h",
        ":restart",
        ":history",
        ":goals",
        ":quit",
    ]
    status, shown = play(monkeypatch, capsys, "\n".join(lines) + "\n", SWAP)
    assert status == 1
    assert "-- 2 taken back" in shown
    assert shown.count(f"{SWAP} := by\n>") == 2  # nothing is left of the script, twice
    assert shown.endswith("no proof after 0 tactics\n")


def test_a_tactic_of_several_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "cases h with\\\n| intro a b => exact ⟨b, a⟩\n"
    status, shown = play(monkeypatch, capsys, text, SWAP)
    assert (status, "  cases h with\n  | intro a b => exact ⟨b, a⟩\n" in shown) == (0, True)


def test_tactics_that_apply(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown = play(monkeypatch, capsys, "?\n", SWAP)
    assert status == 1
    assert re.search(r"^  exact\? +closes it Try this: \[apply\] exact And.symm h$", shown, re.MULTILINE)
    assert re.search(r"^  constructor +leaves 2$", shown, re.MULTILINE)
    assert "  rfl" not in shown
    assert "-- refused" not in shown  # they are tried beside the proof


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sorry\n", "refused: "),
        ("exact sorryAx _\n", "refused: "),
        ("admit\n", "refused: "),
        ("constructor\nexact h.2\n", "no proof after 2 tactics"),
        ("", "no proof after 0 tactics"),
    ],
)
def test_nothing_but_a_proof_is_proved(
    text: str, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, shown = play(monkeypatch, capsys, text, SWAP)
    assert status == 1
    assert reason in shown
    assert "proved;" not in shown


def test_a_script_that_verification_refuses_is_no_proof(capsys: pytest.CaptureFixture[str]) -> None:
    """The scripted backend says that `magic` leaves no goals, and refuses it when the script is replayed."""
    proof = HandProof(FakeBackend(cheats=["magic"]), Theorem("t", "theorem t : p"))
    lines = iter(["magic", ":history"])
    assert Game(proof, lambda: next(lines, None)).play() == 1
    shown = capsys.readouterr().out
    assert "-- rejected: " in shown
    assert "proved;" not in shown
    assert proof.tactics == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["prop_identit"],
            "error: unknown theorem 'prop_identit'; did you mean 'prop_identity'?; looked in: ",
        ),
        (["t", "--theorems", "logik"], "error: unknown theorem set 'logik'; did you mean 'logic'?"),
        (["theorem t : nonsense x +"], "error: theorem 't' does not elaborate"),
        ([SWAP, "--backend-options", "{"], "error: "),
    ],
)
def test_wrong_usage_is_one_line(
    words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, shown = play(monkeypatch, capsys, "", *words)
    assert (status, shown.startswith(message)) == (2, True), shown


def test_an_unknown_command_is_no_tactic(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, shown = play(monkeypatch, capsys, ":udno\n:undo x\n", SWAP)
    assert "unknown command ':udno'; did you mean ':undo'?" in shown
    assert "unknown command ':undo x'" in shown


@pytest.mark.parametrize("line", ["undo", "undo 2", "history", "quit"])
def test_a_command_without_its_colon_is_a_tactic_with_a_hint(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, shown = play(monkeypatch, capsys, f"constructor\n{line}\nexact h.2\nexact h.1\n", SWAP)
    assert status == 0  # nothing was taken back, and the game went on
    (refused,) = [each for each in shown.splitlines() if each.startswith("-- refused: ")]
    assert refused.endswith(f"; did you mean :{line}?")


def test_other_refused_lines_have_no_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, shown = play(monkeypatch, capsys, "undo it\nundone\nrfl\n", SWAP)
    assert shown.count("-- refused: ") == 3
    assert "did you mean" not in shown


def test_an_accepted_tactic_that_is_called_as_a_command_has_no_hint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    proof = HandProof(FakeBackend({("p", "undo"): ["p"]}), Theorem("t", "theorem t : p"))
    lines = iter(["undo"])
    Game(proof, lambda: next(lines, None)).play()
    assert "did you mean" not in capsys.readouterr().out
    assert proof.tactics == ["undo"]


def test_a_theorem_by_its_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    status, shown = play(monkeypatch, capsys, ":history\n", "prop_identity", "--theorems", "logic")
    assert status == 1
    assert "theorem prop_identity" in shown


def test_candidates_follow_the_hypotheses() -> None:
    goal = Goal("", "p", (Hypothesis("h", "p"), Hypothesis("x✝", "q")))
    assert {"exact h", "rw [← h]", "intro h1"} <= set(candidates(goal))
    assert not any("✝" in tactic for tactic in candidates(goal))
    assert fresh_name({"a"}) == "h"
    assert fresh_name({"h", "h7", "hx"}) == "h8"


def test_suggestions_leave_the_proof_alone() -> None:
    backend = MinileanBackend()
    proof = HandProof(backend, Theorem("t", "theorem t (p : Prop) (h : p) : p"))
    before = proof.state
    assert {one.tactic: one.goals for one in suggestions(proof.state, proof.tried)}["exact h"] == 0
    assert proof.state is before
    assert proof.tactics == []


def test_completion() -> None:
    names = MinileanBackend.declarations(Theorem("t", "theorem t : 1 = 1"))
    assert completions("", "constr", ["h"], names) == ["constructor"]
    assert completions("exact ", "h", ["h", "hx", "p"], [])[:2] == ["h", "hx"]
    assert "Nat.add_comm" in completions("rw [", "Nat.add_c", [], names)
    assert completions("exact ", "", ["h"], names) == ["h"]
    assert not any("._" in name for name in names)


def test_a_terminal_completes_and_draws_the_goals_anew() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "lean_gym", "play", SWAP, "--backend", "minilean"]
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""

    def until(text: str) -> None:
        nonlocal shown
        while text.encode() not in shown:
            shown += os.read(ours, 65536)

    until("> ")
    os.write(ours, b"constr\t\nexact h.2\n")
    until("⊢ q")
    os.write(ours, b"exact h.1\n")
    until("proved;")
    assert process.wait(100) == 0
    os.close(ours)
    assert shown.count(b"\x1b[H\x1b[2J") == 3 + 1
