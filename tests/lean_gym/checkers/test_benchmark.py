"""The benchmark for checkers: its cases, its protocol, and the score of known checkers."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lean_gym.backends.minilean import MinileanBackend
from lean_gym.checkers.__main__ import main
from lean_gym.checkers.benchmark import Checker, outcome, run
from lean_gym.checkers.tricks import FORGED, HONEST, WRONG, Case, all_cases, exploit_class
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from lean_gym.verification.canaries import EXPLOITS
from lean_gym.verification.verify import verify_script
from minilean.export.judge import Refused, judge_exports
from minilean.export.reader import ReadError
from minilean.export.replay import ReplayError

CASES = all_cases()


def program(tmp_path: Path, body: str) -> list[str]:
    path = tmp_path / "checker.py"
    path.write_text(
        f"import json, os, sys, time\nfor line in sys.stdin:\n    request = json.loads(line)\n    {body}\n"
    )
    return [sys.executable, str(path)]


ALWAYS_YES = "print(json.dumps({'proved': True}), flush=True)"


def test_every_exploit_has_a_class_of_some_size() -> None:
    counts = Counter(exploit_class(exploit.tactics) for exploit in EXPLOITS)
    assert len(counts) == 8
    assert min(counts.values()) >= 3


def test_requests_are_json_with_numbers_of_their_own() -> None:
    assert [case.request["id"] for case in CASES] == list(range(1, len(CASES) + 1))
    for case in CASES:
        assert json.loads(json.dumps(case.request)) == case.request
    assert sum(case.is_proof for case in CASES) == sum(case.group == HONEST for case in CASES) >= 12


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.group in (HONEST, WRONG)], ids=lambda case: case.request["id"]
)
def test_the_right_answers_are_minileans(case: Case) -> None:
    if "challenge" in case.request:
        assert exports_judged(case.request)
        return
    request = case.request
    theorem = Theorem("t", request["statement"], context=request["context"])
    assert verify_script(MinileanBackend(), theorem, request["tactics"]).proved is case.is_proof


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.group == FORGED], ids=lambda case: case.request["name"]
)
def test_forged_exports_are_refused(case: Case) -> None:
    assert not exports_judged(case.request)


def exports_judged(request: dict[str, Any]) -> bool:
    try:
        judge_exports(request["challenge"], request["solution"], request["theorem"], ())
    except (Refused, ReadError, ReplayError):
        return False
    return True


def test_exploits_prove_nothing_in_minilean() -> None:
    backend = MinileanBackend()
    for case in CASES:
        if case.group in (HONEST, WRONG, FORGED):
            continue
        theorem = Theorem(case.request["name"], case.request["statement"])
        try:
            assert not verify_script(backend, theorem, case.request["tactics"]).proved, case
        except DataError:
            pytest.fail(f"the statement of {case} does not elaborate")


def test_a_checker_that_always_says_yes_has_the_score_of_the_honest_proofs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = program(tmp_path, ALWAYS_YES)
    assert main(["--checker", " ".join(command), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["classes"].pop(HONEST) == {"right": sum(case.is_proof for case in CASES)}
    assert all(counts.keys() == {"accepted"} for counts in report["classes"].values())


def test_the_table_has_a_row_for_each_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = program(tmp_path, ALWAYS_YES)
    assert main(["--checker", " ".join(command), "--class", HONEST]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["class", HONEST, "all"]
    assert main(["--checker", " ".join(command), "--class", WRONG]) == 1
    assert f"accepted: {WRONG}: " in capsys.readouterr().out


CASE = Case("group", {"name": "t", "statement": "theorem t : True", "tactics": []}, True)


@pytest.mark.parametrize(
    ("body", "outcomes"),
    [
        (ALWAYS_YES, ["right", "right"]),
        ("print('{\"proved\": false}', flush=True)", ["refused", "refused"]),
        ("print('{\"unsupported\": true}', flush=True)", ["unsupported", "unsupported"]),
        ("print('yes', flush=True)", ["no answer", "no answer"]),
        ("print('{\"proved\": 1}', flush=True)", ["no answer", "no answer"]),
        ("print('[' * 100000, flush=True)", ["no answer", "no answer"]),
        ("sys.exit(1)", ["no answer", "no answer"]),
        ("print('{\"proved\": true}', flush=True); sys.exit()", ["right", "right"]),
        ("os.close(1); time.sleep(600)", ["no answer", "no answer"]),
    ],
)
def test_answers(tmp_path: Path, body: str, outcomes: list[str]) -> None:
    checker = Checker(program(tmp_path, body), seconds=60.0)
    try:
        assert [outcome(CASE, checker.ask(CASE.request)) for _ in outcomes] == outcomes
    finally:
        checker.close()


def test_a_checker_that_hangs_is_started_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    first = f"not os.path.exists({str(mark)!r}) and not open({str(mark)!r}, 'w').close()"
    body = f"time.sleep(600) if {first} else {ALWAYS_YES}"
    checker = Checker(program(tmp_path, body), seconds=20.0)
    try:
        report = run(checker, [CASE, CASE])
    finally:
        checker.close()
    assert report.counts == {"group": {"no answer": 1, "right": 1}}
    assert not report.is_clean


def test_a_checker_that_does_not_read_blocks_nothing(tmp_path: Path) -> None:
    checker = Checker([sys.executable, "-c", "import time; time.sleep(600)"], seconds=2.0)
    try:
        assert checker.ask({"text": "a" * 1_000_000}) is None
    finally:
        checker.close()


def test_misuse_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, text in (
        (["--checker", "/no/such/program"], "--checker: '/no/such/program' cannot be started"),
        (["--checker", ""], "--checker: got nothing"),
        (["--checker", "true", "--class", "sory"], "did you mean 'sorry'?"),
    ):
        assert main(arguments) == 2
        out, err = capsys.readouterr()
        assert text in err
        assert (out, err.count("\n")) == ("", 1)
