"""Wrong usage of a program is one line and exit code 2, by one shared parser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lean_gym.command_line import Parser
from minilean.command_line import Parser as OneLineParser

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("lean_gym", "lean_gym_verifiers", "minilean", "trainers", "envs_data", "benchmarks")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--bad"], "unknown flag --bad; see --help"),
        (["--sed=1"], "unknown flag --sed; did you mean --seed?"),
        (["--seed"], "argument --seed: expected one argument"),
        (["--seed", "x\ny"], "argument --seed: invalid int value: 'x\\ny'"),
        (["first", "second"], "unrecognized arguments: second"),
    ],
)
def test_wrong_usage_is_one_line(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = Parser(prog="python -m program", allow_abbrev=False)
    parser.add_argument("--seed", type=int)
    parser.add_argument("name", nargs="?")
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"error: python -m program: {line}\n"


def test_a_message_of_several_lines_is_put_on_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        OneLineParser(prog="python -m minilean check").error("first\n  second")
    assert capsys.readouterr().err == "error: python -m minilean check: first second\n"


def test_every_program_has_the_shared_parser() -> None:
    """The settings' own parser has the same form, see tests/trainers/config/test_cli.py."""
    shared = {"minilean/command_line.py"}
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    own = {
        path.relative_to(ROOT).as_posix()
        for path in paths
        if re.search(r"\bArgumentParser\(|\(argparse\.ArgumentParser\)", path.read_text(encoding="utf-8"))
    }
    assert own == shared
