import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path

import pytest

import lean_gym
from lean_gym.__main__ import PROGRAMS, main

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_without_arguments_the_programs_are_listed_on_one_screen(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) < 24
    assert max(map(len, shown)) <= 110
    for command in PROGRAMS:
        assert any(line.startswith(f"  {command} ") for line in shown)


@pytest.mark.parametrize("command", PROGRAMS)
def test_every_program_exists(command):
    _, _, module, *_ = command.split()
    assert find_spec(module) is not None


def test_help_lists_the_programs_too(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "python -m lean_gym.datasets.convert" in capsys.readouterr().out


def test_an_unknown_command_is_one_line(capsys):
    assert main(["doctr"]) == 2
    error = capsys.readouterr().err
    assert (
        error
        == "error: unknown command 'doctr'; did you mean 'doctor'? (known: check, doctor, mcp, play, trace, verify)\n"
    )


def test_the_version():
    run = [sys.executable, "-m", "lean_gym", "--version"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (0, f"lean-gym {lean_gym.__version__}\n")
    assert lean_gym.__version__ in (PROJECT["version"], "0+uninstalled")


def test_the_version_of_a_source_tree_that_is_not_installed(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    monkeypatch.delitem(vars(lean_gym), "__version__", raising=False)
    assert lean_gym.__version__ == "0+uninstalled"
    monkeypatch.delitem(vars(lean_gym), "__version__")
