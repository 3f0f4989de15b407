"""The command `lean-gym`: its list, its verbs, exit codes, completion, and the line about a missing extra."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import lean_gym
from lean_gym.command_line import CLOSED
from lean_gym_cli.__main__ import main
from lean_gym_cli.verbs import VERBS
from trainers.extras import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PARSED = sorted(name for name, verb in VERBS.items() if not verb.alone)


def run(
    *words: str, module: str = "lean_gym_cli", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
    )


def test_the_console_script_is_this_program() -> None:
    assert PROJECT["scripts"]["lean-gym"] == f"{main.__module__}:{main.__name__}"


def test_the_list_of_verbs_is_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert shown.count("\n") < 32
    assert max(map(len, shown.splitlines())) <= 120
    for name, verb in VERBS.items():
        assert any(line.split()[:1] == [name] and line.endswith(verb.twin) for line in shown.splitlines())
    assert main(["--help"]) == 0
    assert capsys.readouterr().out == shown


def test_the_list_of_verbs_loads_no_library() -> None:
    code = "import sys; import lean_gym_cli.__main__ as command; command.main([]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=100)
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "lean_gym_cli" in loaded
    assert not loaded & {"lean_gym", "trainers", "minilean", "gymnasium", "numpy", "torch", "pydantic"}


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_is_a_program_of_its_own(name: str) -> None:
    words = VERBS[name].twin.split()
    assert words[:2] == ["python", "-m"]
    assert find_spec(words[2]) is not None


@pytest.mark.parametrize("name", PARSED)
def test_a_verb_shows_its_own_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main([name, "--help"])
    except SystemExit as ended:
        status = int(ended.code or 0)
    assert status == 0
    shown = capsys.readouterr().out
    assert f"lean-gym {name}" in shown
    assert VERBS[name].twin not in shown


@pytest.mark.parametrize("name", PARSED)
def test_the_twin_shows_its_own_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    verb = VERBS[name]
    try:
        import_module(verb.module).main([*verb.words, "--help"])
    except SystemExit as ended:
        assert ended.code == 0
    assert verb.twin in capsys.readouterr().out


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.lean", tmp_path / "bad.lean"
    good.write_text("theorem t : 1 = 1 := by rfl\n")
    bad.write_text("theorem t : 1 = 2 := by rfl\n")
    assert main(["check", str(good)]) == 0
    assert main(["check", str(bad)]) == 1
    capsys.readouterr()
    assert main(["trian"]) == 2
    assert capsys.readouterr().err.startswith("error: unknown verb 'trian'; did you mean 'train'? (known: ")
    with pytest.raises(SystemExit) as ended:
        main(["train", "--sead", "1"])
    assert ended.value.code == 2
    assert capsys.readouterr().err == "error: lean-gym train: unknown flag --sead; did you mean --seed?\n"


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"lean-gym {lean_gym.__version__}\n"


@pytest.mark.parametrize(
    "words",
    [
        ["lean_gym_cli"],
        ["minilean", "check", "checked.lean"],
        ["trainers"],
        ["trainers.algorithms"],
        ["trainers.retrieval"],
        ["trainers.prove", "theorem t : True", "--dry-run"],
        ["envs_data.validate", "--help"],
        ["envs_data.automation", "nat:test", "--json"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_reader_that_leaves_gets_no_traceback(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "checked.lean").write_text("#check Nat\n" * 10, encoding="utf-8")
    words = [str(tmp_path / "checked.lean") if word.endswith(".lean") else word for word in words]
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", *words]
    done = subprocess.run(
        command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=100, check=False
    )
    os.close(writing)
    # `argparse` writes a help that nobody reads without a word.
    assert (done.returncode, done.stderr) == (0 if "--help" in words else CLOSED, "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("lean-gym tr", {"trace", "train"}),
        ("lean-gym ex", {"expert-iteration", "export", "export-run"}),
        ("lean-gym train --group-s", {"--group-size"}),
        ("lean-gym train --algorithm gsp", {"gspo", "gspo_token"}),
        ("lean-gym sft --prompt-style c", {"chat"}),
        ("lean-gym doctor --proj", {"--project"}),
        ("lean-gym verify --verify inde", {"independent"}),
        ("lean-gym check Fi", set()),
        ("lean-gym nothing --x", set()),
    ],
)
def test_the_shell_completes(line: str, expected: set[str], tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n"}
    done = run(environment={**asked, "_ARGCOMPLETE_STDOUT_FILENAME": str(answer)})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert {word.strip() for word in answer.read_text().split("\n") if word} == expected if expected else True
    assert expected or not answer.exists() or not answer.read_text().strip()


def without(module: str, folder: Path) -> dict[str, str]:
    """Return the environment of a Python that does not find a module."""
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules[{module!r}] = None\n")
    return {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


@pytest.mark.parametrize(
    ("missing", "module", "words"),
    [
        ("jinja2", "lean_gym_cli", ("report", "runs/none")),
        ("jinja2", "trainers.report", ("runs/none",)),
        ("pydantic", "lean_gym_cli", ("train",)),
        ("torch", "lean_gym_cli", ("algorithms",)),
        ("pydantic", "trainers.grpo", ()),
        ("torch", "trainers.grpo", ("--help",)),
        ("torch", "trainers.algorithms", ()),
        ("trl", "trainers.sft", ("--model", "tiny")),
        ("bm25s", "trainers.retrieval", ("evaluate", "--data", "traced")),
    ],
)
def test_a_missing_extra_is_one_line(
    missing: str, module: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    done = run(*words, module=module, environment=without(missing, tmp_path))
    line = f"error: needs the package {missing}; install it with: pip install 'lean-gym[{EXTRAS[missing]}]'"
    lines = [each for each in done.stderr.splitlines() if not each.startswith("loading torch")]
    assert (done.returncode, lines) == (1, [line])
    assert "loading torch" not in done.stderr or missing in ("torch", "bm25s")


@pytest.mark.parametrize("example", ["06_tiny_training_run.py", "07_trl_grpo.py"])
def test_a_missing_extra_is_one_line_in_an_example(example: str, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / example)]
    environment = {**os.environ, **without("pydantic", tmp_path)}
    environment["PYTHONPATH"] += f"{os.pathsep}{ROOT}"
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert done.stderr.endswith("pip install 'lean-gym[train]'\n")
    assert done.stderr.count("\n") == 1


def test_what_needs_no_extra_works_without(tmp_path: Path) -> None:
    done = run(module="trainers", environment=without("torch", tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "trainers.grpo" in done.stdout


def test_every_package_of_the_extras_is_known() -> None:
    for extra in ("train", "quantized", "deepspeed", "vllm", "retrieval"):
        lines = PROJECT["optional-dependencies"][extra]
        names = [line.partition(">")[0] for line in lines if not line.startswith("lean-gym[")]
        assert {{"pyyaml": "yaml"}.get(name, name).replace("-", "_") for name in names} == {
            module for module, of in EXTRAS.items() if of == extra
        }


def test_proofs_of_a_file_and_of_a_run_are_exported_by_verbs_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.lean").write_text("theorem t : True := trivial\n")
    assert main(["export", str(tmp_path / "t.lean"), "--as", "script"]) == 0
    assert "theorem t : True" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["export-run", str(tmp_path), "--lean", str(tmp_path / "out")])
    assert "no run there (no config.yaml in that folder)" in capsys.readouterr().err
    for words in (["missing", "--lean", "out"], [f"--submission={tmp_path}", "missing"]):
        with pytest.raises(SystemExit):
            main(["export-run", *words])
        assert "missing: no such folder; expected the folder of a run" in capsys.readouterr().err
