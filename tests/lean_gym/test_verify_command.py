"""`python -m lean_gym verify`: one verdict a line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from lean_gym.__main__ import main
from lean_gym.types import Verdict
from lean_gym.verification.independent import Files, IndependentJudge

GOOD = {"statement": "theorem t (p : Prop) : p ∨ ¬p", "tactics": ["exact Classical.em p"]}


def run(
    lines: list[str],
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> tuple[int, list[dict[str, Any]]]:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    status = main(["verify", *arguments])
    return status, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_line_gets_a_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = {**GOOD, "tactics": ["sorry"]}
    status, answers = run([json.dumps(GOOD), "", json.dumps(bad)], [], monkeypatch, capsys)
    assert status == 1
    assert answers[0] == {
        "proved": True, "reason": "", "axioms": ["Classical.choice", "Quot.sound", "propext"], "level": "full",
        "redefined": [],
    }  # fmt: skip
    assert not answers[1]["proved"]
    assert run([json.dumps(GOOD)], [], monkeypatch, capsys)[0] == 0


def test_words_with_another_meaning_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {
        "name": "A.t",
        "statement": "theorem A.t : Nat.succ 1 = 5",
        "context": "def A.Nat.succ (n : Nat) : Nat := 5",
        "tactics": ["rfl"],
    }
    _, [answer] = run([json.dumps(row)], [], monkeypatch, capsys)
    assert (answer["proved"], answer["redefined"]) == (True, ["Nat.succ"])


def test_axioms_are_permitted_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, [answer] = run([json.dumps(GOOD)], ["--permit", "propext"], monkeypatch, capsys)
    assert answer["reason"] == "uses axioms that are not permitted: Classical.choice, Quot.sound"
    assert main(["verify", "--permit", "sorryAx"]) == 2


def test_a_level_that_the_prover_does_not_reach_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = json.dumps({"statement": "theorem t : True", "tactics": ["trivial"]})
    arguments = ["--backend", "fake", "--verify", "independent"]
    _, [answer] = run([line], arguments, monkeypatch, capsys)
    assert not answer["proved"]


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"statement": 1}',
        '{"statement": "t", "tactics": [1]}',
        '{"state": ""}',
        "[" * 100_000,
    ],
)
def test_a_line_of_another_form_is_answered(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, [answer] = run([line], [], monkeypatch, capsys)
    assert (status, answer["proved"]) == (1, False)
    assert answer["reason"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--verify", "independent", "--kernel", "len"], "unknown kernel 'len'; did you mean 'lean'?"),
        (["--kernel", "minilean"], "kernel: got 'minilean', which only verify='independent' asks, not verify='full'"),
        (["--verify", "independent", "--kernel", "minilean", "--backend", "fake"], "unknown option of backend 'fake'"),
    ],
)  # fmt: skip
def test_kernels_that_cannot_be_asked_are_one_line(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith(line)
    assert said.count("\n") == 1


def test_the_kernels_are_chosen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[object] = []

    def judged(self: IndependentJudge, files: Files, deadline: float) -> Verdict:
        asked.append(self._kernels)
        return Verdict(True, level="independent")

    monkeypatch.setattr(IndependentJudge, "judge", judged)
    exports = json.dumps({"challenge": "", "solution": "", "theorem": "t"})
    arguments = ["--verify", "independent", "--kernel", "minilean"]
    status, answers = run([exports], arguments, monkeypatch, capsys)
    assert (status, answers[0]["proved"], asked) == (0, True, [("minilean",)])
