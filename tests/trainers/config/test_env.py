"""The section `env`: the options of the environment, from files and flags to the provers of every program."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
import yaml

from lean_gym import Theorem
from lean_gym.envs.options import EpisodeOptions
from trainers import evaluate, grpo, sft
from trainers.config.cli import read_flags
from trainers.config.env import EnvConfig
from trainers.config.programs import PROGRAMS
from trainers.config.run import ProgramConfig, RunConfig
from trainers.config.tasks import EvaluateConfig
from trainers.errors import ConfigError
from trainers.policies.source import PolicySource
from trainers.rollouts.env import check_backend, opened_env, verify_proofs

# These stand in the section `rollout`.
ELSEWHERE = {"actions", "max_repairs", "max_steps", "max_goal_chars", "reward_options", "forbid"}
REPL = [sys.executable, "-m", "minilean", "repl"]
OTHER_VALUES: dict[str, Any] = {
    "backend_options": {},
    "tactic_seconds": 1.5,
    "verify_seconds": 7.0,
    "max_seconds": 30.0,
    "verify": "replay",
    "permitted_axioms": ["propext"],
    "max_tactic_chars": 12,
    "max_answer_chars": 200,
    "max_observation_chars": 99,
    "cache_size": 3,
    "memory_mib": 900,
    "recycle_after": 5,
}


def test_every_option_of_the_environment_has_a_setting_with_the_same_default() -> None:
    options = {field.name for field in dataclasses.fields(EpisodeOptions)} - ELSEWHERE
    assert set(EnvConfig.model_fields) - {"id", "ignore_imports", "pool"} == options
    assert options == set(OTHER_VALUES)
    usual, ours = EpisodeOptions(), EnvConfig()
    for name in options:
        there, here = getattr(usual, name), getattr(ours, name)
        assert here == (None if name == "permitted_axioms" else there), (
            name
        )  # null: the environment's own list


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_every_setting_reaches_the_environment(name: str) -> None:
    settings = EnvConfig(**{name: OTHER_VALUES[name]})
    with opened_env([Theorem("t", "theorem t : True")], 1, "fake", 1, settings) as env:
        found = getattr(env._options, name)
    expected = OTHER_VALUES[name]
    assert found == (tuple(expected) if name == "permitted_axioms" else expected)


def test_the_place_of_the_workers_reaches_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lean_gym.pool.create.find_spec", lambda name: None)
    theorems = [Theorem("t", "theorem t : True")]
    with (
        pytest.raises(ConfigError, match=r"pip install 'lean-gym\[ray\]'"),
        opened_env(theorems, 1, "fake", 1, EnvConfig(pool="ray")),
    ):
        pass
    claims = [("t", ("trivial",))]
    with pytest.raises(ConfigError, match="needs the package ray"):
        verify_proofs(theorems, claims, "fake", 1, settings=EnvConfig(pool="ray"))


def test_a_plan_names_the_place_of_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "first:6379")
    shown = {
        workers: ProgramConfig(workers=workers, env=EnvConfig(pool="ray")).prover(2) for workers in (0, 3)
    }
    assert shown[0] == "auto, a process per free CPU on the nodes of Ray at first:6379, verify full"
    assert shown[3] == "auto, 6 processes on the nodes of Ray at first:6379, verify full"
    assert ProgramConfig(workers=3).prover(2) == "auto, 6 processes, verify full"


def test_options_of_a_backend_reach_it() -> None:
    settings = EnvConfig(backend_options={"repl_command": REPL, "sandbox": "off"})
    theorem = Theorem("t", "theorem t (p : Prop) (h : p) : p")
    with opened_env([theorem], 1, "auto", 1, settings) as env:
        assert env.backend_name == "pantograph"
    claims = [("t", ("exact h",)), ("t", ("exact p",))]
    assert verify_proofs([theorem], claims, "auto", 1, settings=settings) == [(), None]


@pytest.mark.parametrize("text", ["env: LeanProof-v0", "env: {id: LeanProof-v0}", "env: {}", ""])
def test_an_id_alone_stands_for_the_section(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"seed: 1\n{text}\n")
    words = ["--config", str(tmp_path / "a.yaml"), "--tactic-seconds", "2"]
    given = read_flags(RunConfig, words, "prog", "Does it.")
    assert given.settings() == RunConfig(seed=1, env=EnvConfig(tactic_seconds=2.0))


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_has_the_flags(program: str) -> None:
    words = ["--env", "x:Y-v0", "--backend-options", '{"repl_command": ["r"]}', "--permitted-axioms", "[]"]
    words += ["--max-seconds", "9", "--ignore-imports"]
    given = read_flags(PROGRAMS[program], words, program, "Does it.")
    section = EnvConfig(**given.flags["env"])
    assert section.id == "x:Y-v0"
    assert section.options == {
        "backend_options": {"repl_command": ["r"], "ignore_imports": True},
        "permitted_axioms": [],
        "max_seconds": 9.0,
    }


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"env": 3}, "env: expected settings under this section, got 3"),
        ({"env": "a:b:c-v0"}, "env.id: expected a name such as LeanProof-v0 or package.module:Name-v0, got"),
        (
            {"env": {"permitted_axioms": "propext"}},
            "env.permitted_axioms: expected a list of texts, or null, got",
        ),
        (
            {"env": {"permitted_axioms": ["a", 3]}},
            "env.permitted_axioms: expected a list of texts, or null, got 3",
        ),
        ({"env": {"tactic_seconds": 0}}, "env.tactic_seconds: expected a number above 0, got 0"),
        ({"env": {"backend_options": {3: 4}}}, "env.backend_options: expected texts as keys, got 3"),
        ({"env": {"max_steps": 4}}, "unknown setting env.max_steps; it belongs under the section 'rollout'"),
    ],
)
def test_wrong_values(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RunConfig(**values)
    assert str(caught.value).startswith(message)


def test_a_missing_repl_is_answered_with_settings_that_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    words = ["--backend", "pantograph", "--workers", "1", "--run-dir", str(tmp_path / "run")]
    with pytest.raises(SystemExit) as caught:
        grpo.main(words)
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    flag = """--backend-options '{"repl_command": ["PROGRAM"]}'"""
    assert flag in error
    section = "env: {backend_options: {repl_command: [PROGRAM]}}"
    assert section in error
    # Both can be given.
    given = read_flags(RunConfig, ["--backend-options", flag.split("'")[1]], "prog", "Does it.").settings()
    assert given == RunConfig(**yaml.safe_load(section))
    assert given.env.backend_options == {"repl_command": ["PROGRAM"]}


def test_imports_are_ignored_on_request_only(capsys: pytest.CaptureFixture[str]) -> None:
    theorem = Theorem("t", "theorem t (p : Prop) (h : p) : p", imports=("Mathlib", "Init.Core"))
    claim = ("t", ("exact h",))
    with pytest.raises(ConfigError, match=r"imports \['Mathlib', 'Init.Core'\].*ignore_imports"):
        verify_proofs([theorem], [claim], "minilean", 1)
    config = EvaluateConfig(policy="p", backend="minilean", env=EnvConfig(ignore_imports=True))
    check_backend(config, [theorem, theorem])
    assert capsys.readouterr().err == (
        "warning: imports of the theorems are ignored: Mathlib; without them a statement may mean something else\n"
    )
    assert verify_proofs([theorem], [claim], "minilean", 1, settings=config.env) == [()]
    with pytest.raises(
        ConfigError, match="ignore_imports: expected the backend 'minilean', got 'pantograph'"
    ):
        check_backend(config.model_copy(update={"backend": "pantograph"}), [theorem])


TINY = "tiny: {hidden_size: 32, layers: 1, attention_heads: 2, vocabulary: 320}\n"
SECTION = f"""
workers: 1
torch_threads: 1
backend: pantograph
env:
  tactic_seconds: 1
  backend_options: {{repl_command: {json.dumps(REPL)}, sandbox: "off"}}
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # TRL and transformers warn of each other
@pytest.mark.timeout(300)
def test_a_file_sets_the_prover_of_every_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Training, fine-tuning and evaluation on a REPL that a file names, one second a tactic."""
    rows = [
        {"name": name, "statement": f"theorem {name} {statement}", "proof": proof, "split": split}
        for name, statement, proof, split in (
            ("a", "(p : Prop) (h : p) : p", "exact h", "train"),
            ("b", "(p q : Prop) (h : p ∧ q) : p", "exact h.1", "train"),
            ("c", "(p q : Prop) (h : p ∧ q) : q", "exact h.2", "test"),
        )
    ]
    sets = tmp_path / "sets.jsonl"
    sets.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    opened: list[dict[str, Any]] = []
    make = gym.make_vec

    def recorded(*arguments: Any, **options: Any) -> Any:
        opened.append(options)
        return make(*arguments, **options)

    monkeypatch.setattr(gym, "make_vec", recorded)
    common = f"theorems: {sets}\n{SECTION}"
    files = {
        "grpo": f"{common}{TINY}max_iterations: 1\nrun_dir: {tmp_path / 'rl'}\n"
        "rollout: {group_size: 2, theorems_per_iteration: 2, max_steps: 2, max_tactic_tokens: 8}\n"
        "warm_start: {warm_start_epochs: 2, proof_share: 1.0}\n",
        "sft": f"{common}{TINY}epochs: 1\nrun_dir: {tmp_path / 'sft'}\n",
        "evaluate": f"{common}policy: {tmp_path / 'sft'}\nk: '1'\nout_dir: {tmp_path / 'measured'}\n"
        "rollout: {max_steps: 2, max_tactic_tokens: 8}\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    for program in (grpo, sft, evaluate):
        opened.clear()
        name = program.__name__.rpartition(".")[2]
        assert program.main(["--config", str(tmp_path / f"{name}.yaml")]) == 0
        assert opened
        for options in opened:
            assert options["tactic_seconds"] == 1.0
            assert options["backend_options"]["repl_command"] == REPL
    for folder, file in ((tmp_path / "rl", "summary.json"), (tmp_path / "measured", "result.json")):
        assert json.loads((folder / file).read_text())["backend"] == "pantograph"
    assert json.loads((tmp_path / "sft" / "summary.json").read_text())["proofs"] == 2
    # A run on real Lean without a sandbox says so once, and in its summary.
    assert json.loads((tmp_path / "rl" / "summary.json").read_text())["sandbox"] == "none: sandbox='off'"
    assert capsys.readouterr().out.count("without a sandbox") == 1
    # An evaluation takes over the section of the run that it measures.
    source = PolicySource.find(str(tmp_path / "rl"))
    for backend in (None, "pantograph"):
        assert source.defaults_for(backend, EvaluateConfig)["env"]["backend_options"]["repl_command"] == REPL
    other = source.defaults_for("minilean", EvaluateConfig)["env"]
    assert other["tactic_seconds"] == 1.0
    assert "backend_options" not in other
