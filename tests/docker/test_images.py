"""docker/: the images pass their linter and schema, have the files that they install, and start programs that exist.

Docker is not needed: their commands run with the interpreter of the tests, or are compared with a program's help.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml

from lean_gym_cli.verbs import VERBS
from trainers.config.programs import PROGRAMS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(300)  # on a busy machine
IMAGES = sorted((ROOT / "docker").glob("Dockerfile.*"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
COMPOSE = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8"))
INSTALLED = "/opt/lean-gym/"
"""Folder of the sources in the images."""


def instructions(image: Path) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile with their arguments, continued lines joined."""
    lines = [line for line in image.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    text = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(line.split()[0], line.partition(" ")[2]) for line in text.splitlines() if line]


def last_stage(image: Path) -> list[tuple[str, str]]:
    found = instructions(image)
    start = max(number for number, (name, _) in enumerate(found) if name == "FROM")
    return found[start:]


def copied(image: Path) -> list[str]:
    """Return the paths of the checkout that the last stage copies."""
    return [
        source
        for name, words in last_stage(image)
        if name == "COPY" and "--from=" not in words
        for source in words.split()[:-1]
    ]


def lint(image: Path) -> str:
    program = Path(sys.executable).parent / "hadolint"
    command = [program, "--no-color", "--config", ROOT / "docker" / "hadolint.yaml", image]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr


def call(words: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of an image with the programs and the files of this checkout."""
    if words[0] == "lean-gym":
        words = ["python", "-m", "lean_gym_cli", *words[1:]]
    assert words[0] == "python"
    words = [sys.executable, *(word.replace(INSTALLED, f"{ROOT}/") for word in words[1:])]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=280)


def default_command(image: Path) -> list[str]:
    (words,) = (words for name, words in last_stage(image) if name == "CMD")
    command: list[str] = json.loads(words)
    return command


COMMANDS = {image.name: default_command(image) for image in IMAGES}
COMMANDS |= {name: one["command"] for name, one in COMPOSE["services"].items() if "command" in one}


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.name)
def test_the_linter_has_nothing_to_say(image: Path, tmp_path: Path) -> None:
    assert lint(image) == ""
    (tmp_path / "Dockerfile").write_text(image.read_text(encoding="utf-8") + "RUN cd /tmp && sudo ls\n")
    assert "DL3004" in lint(tmp_path / "Dockerfile")


def test_the_compose_file_fits_its_schema() -> None:
    command = [
        "check_jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        str(ROOT / "docker" / "compose.yaml"),
    ]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    for service in COMPOSE["services"].values():
        assert (ROOT / "docker" / service["build"]["context"] / service["build"]["dockerfile"]).is_file()


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.name)
def test_an_image_has_what_the_package_is_built_of(image: Path) -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}
    needed |= {*wheel["packages"], wheel["hooks"]["custom"]["path"]}
    sources = set(copied(image))
    assert needed <= sources
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{source}" for source in sources} <= set(ignored)
    assert all((ROOT / source).exists() for source in sources)


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.name)
def test_an_image_installs_extras_that_exist(image: Path) -> None:
    (command,) = (words for name, words in last_stage(image) if name == "RUN" and words.startswith("pip"))
    (requirement,) = (word for word in shlex.split(command) if word.startswith("."))
    extras = set(requirement.strip(".[]").split(","))
    assert {"train"} <= extras <= set(PROJECT["project"]["optional-dependencies"])


def test_the_demo_proves_a_theorem(tmp_path: Path) -> None:
    done = call(COMMANDS["Dockerfile.cpu"], tmp_path)
    assert "proved: True" in done.stdout


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_programs_take_their_flags(name: str, tmp_path: Path) -> None:
    command = COMMANDS[name]
    for word in command:
        if word.startswith(INSTALLED):
            assert (ROOT / word.removeprefix(INSTALLED)).is_file()
    if command[0] == "lean-gym":
        assert command[1] in VERBS
        option = "--help-all" if VERBS[command[1]].twin in PROGRAMS else "--help"
        shown = call([*command[:2], option], tmp_path).stdout
        flags = [word for word in command if word.startswith("--")]
        assert [flag for flag in flags if not re.search(rf"{flag}(?![\w-])", shown)] == []
    elif command[0] != "python":
        assert command[0] in entry_points(group="console_scripts").names


def test_the_small_training_run_has_a_plan(tmp_path: Path) -> None:
    command = [word for word in COMMANDS["train"] if word not in ("--run-dir", "/runs/first")]
    done = call([*command, "--dry-run"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_toolchain_and_mathlib_have_one_version() -> None:
    text = (ROOT / "docker" / "Dockerfile.lean").read_text(encoding="utf-8")
    (version,) = re.findall(r"^ARG LEAN=(\S+)$", text, re.MULTILINE)
    lakefile = tomllib.loads((ROOT / "docker" / "lakefile.toml").read_text(encoding="utf-8"))
    assert [package["rev"] for package in lakefile["require"]] == [version]
    assert text.count("leanprover/lean4:$LEAN") == 3
