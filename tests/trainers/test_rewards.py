"""`lean-gym rewards`: every reward and every rule of step credit, from their registries."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from lean_gym.rewards import create_reward, reward_names
from trainers.config.credit import CreditConfig
from trainers.rewards import credit_lines, described, main, reward_lines

ROOT = Path(__file__).resolve().parents[2]
RULES = get_args(CreditConfig.model_fields["credit"].annotation)


def run(
    *words: str, module: str = "lean_gym_cli", environment: dict[str, str] | None = None
) -> tuple[int, str, str]:
    command = [sys.executable, "-m", module, *words]
    env = {**os.environ, **(environment or {})}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout, done.stderr


def test_the_lists_are_those_of_the_registries() -> None:
    assert tuple(reward_lines()) == reward_names()
    assert tuple(credit_lines()) == RULES
    assert not set(RULES) & set(reward_names())  # --show has one name for both
    assert all(line and ";" not in line for line in credit_lines().values())


def test_the_list_is_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 130
    for name in (*reward_names(), *RULES):
        assert sum(line.split()[:1] == [name] for line in lines) == 1


def test_a_reward_is_shown_with_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", "novelty"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "novelty (reward)\n\n  weight: float = 0.1\n  decay: float = 0.8\n  scale: float = 1.0\n\nA verified proof"
    )
    assert "changes which policy is best by less than `weight`" in shown.replace("\n", " ")


def test_the_defaults_that_are_shown_are_the_defaults() -> None:
    for name in reward_names():
        parameters = described(name)["parameters"]
        if all(each["default"] is not None for each in parameters):
            options = {each["name"]: eval(each["default"]) for each in parameters}
            assert create_reward(name, **options) == create_reward(name)


def test_a_rule_of_credit_is_shown_with_its_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", "td"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("td (step credit)\n\n  gamma: a number above 0 and at most 1 = 1.0\n")
    assert "  td_lambda: a number from 0 to 1 = 0.9\n" in shown
    assert max(map(len, shown.splitlines())) <= 120
    defaults = {each["name"]: json.loads(each["default"]) for each in described("td")["parameters"]}
    assert CreditConfig(**defaults) == CreditConfig()
    assert set(defaults) == set(CreditConfig.model_fields) - {"credit"}


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"rewards": reward_lines(), "step_credit": credit_lines()}
    assert main(["--show", "judge", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["kind"], shown["parameters"][0]) == (
        "reward",
        {"name": "url", "type": "str", "default": None},
    )


def test_a_wrong_name_is_one_line() -> None:
    status, out, error = run("rewards", "--show", "gigop")
    assert (status, out) == (2, "")
    assert error.startswith("error: unknown reward or step credit 'gigop'; did you mean 'gigpo'? (known: ")
    assert error.count("\n") == 1


def test_the_twin_prints_the_same() -> None:
    status, out, error = run("rewards")
    assert (status, error) == (0, "")
    assert run(module="trainers.rewards") == (status, out, error)


def test_without_the_extra_the_rewards_are_there(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfor name in ('pydantic', 'torch'): sys.modules[name] = None\n"
    )
    environment = {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    status, out, error = run("rewards", environment=environment)
    assert (status, error) == (0, "")
    assert "\n  novelty " in out
    assert out.endswith("\nstep credit: part of the trainers; pip install 'lean-gym[train]'\n")
