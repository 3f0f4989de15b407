"""The taskset for verifiers under its own `vf-eval`: tactics by tool calls, whole proofs, and an OpenEnv server."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.verifiers,
    pytest.mark.timeout(900),  # uv makes an environment for the harness
    pytest.mark.filterwarnings("ignore"),  # what verifiers' libraries warn about
]
_spec = importlib.util.spec_from_file_location(
    "scripted_model", Path(__file__).with_name("scripted_model.py")
)
assert _spec is not None and _spec.loader is not None
model = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(model)

Evaluate = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    """Return a function that runs `vf-eval` with a scripted model and returns the traces."""

    def run(answer: Any, *words: str) -> list[dict[str, Any]]:
        scripts = Path(sys.executable).parent
        with model.serving(answer) as address:
            command = [
                *(scripts / "vf-eval", *words, "--model", "scripted", "--client.base-url", address),
                *("--output-dir", tmp_path, "--run.name", "run", "--no-push", "--no-rich"),
            ]
            environment = {
                **os.environ,
                "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT),
            }
            done = subprocess.run(
                [str(word) for word in command], env=environment, cwd=tmp_path, capture_output=True, text=True
            )
        found = list(tmp_path.glob("**/traces.jsonl"))
        assert len(found) == 1, done.stdout + done.stderr
        rows = [json.loads(line) for line in found[0].read_text().splitlines()]
        traces = [trace for row in rows for trace in row.get("traces", [row])]
        assert traces, done.stdout + done.stderr
        assert not [error for trace in traces for error in trace.get("errors", [])], traces
        return traces

    return run


OURS = (
    "lean-gym-verifiers",
    "--env.taskset.theorems",
    "logic:test",
    "-n",
    "1",
    "--env.agent.harness.id",
    "null",
    "--env.agent.runtime.type",
    "subprocess",
)
PROOF = ["intro h", "exact h"]


def by_tools(tactics: list[str]) -> Any:
    def answer(messages: list[dict[str, Any]]) -> dict[str, Any]:
        done = sum(message["role"] == "tool" for message in messages)
        if done < len(tactics):
            return model.calls("apply_tactic", tactic=tactics[done])
        return model.says("The theorem is proved. Reward: 1")

    return answer


def rewards(traces: list[dict[str, Any]]) -> list[float]:
    return [
        sum(reward["score"] * reward["weight"] for reward in trace["rewards"].values()) for trace in traces
    ]


def test_tactics_by_tool_calls(evaluate: Evaluate) -> None:
    [trace] = evaluate(by_tools(PROOF), *OURS)
    assert rewards([trace]) == [1.0]
    shown = json.dumps(trace, ensure_ascii=False)
    assert "h : p → q" in shown and "The theorem is proved." in shown


@pytest.mark.parametrize("tactics", [["intro h"], ["sorry"], ["exact h"]])
def test_what_is_no_proof_earns_nothing(tactics: list[str], evaluate: Evaluate) -> None:
    assert rewards(evaluate(by_tools(tactics), *OURS)) == [0.0]


@pytest.mark.parametrize(
    ("answer", "reward"),
    [
        (
            "```lean\ntheorem prop_modus_ponens (p q : Prop) : (p → q) → p → q := by\n  intro h\n  exact h\n```",
            1.0,
        ),
        ("```lean\ntheorem prop_modus_ponens (p q : Prop) : p → p := by\n  intro h\n  exact h\n```", 0.0),
        ("```lean\ntheorem prop_modus_ponens (p q : Prop) : (p → q) → p → q := by\n  sorry\n```", 0.0),
        ("I am sure that it holds.", 0.0),
    ],
)
def test_whole_proofs(answer: str, reward: float, evaluate: Evaluate) -> None:
    words = (*OURS, "--env.taskset.task.mode", "proof")
    assert rewards(evaluate(lambda _: model.says(answer), *words)) == [reward]


def by_turns(tactics: list[str]) -> Any:
    def answer(messages: list[dict[str, Any]]) -> dict[str, Any]:
        return model.says(tactics[sum(message["role"] == "assistant" for message in messages)])

    return answer


@pytest.mark.parametrize(
    ("tactics", "reward"),
    [(PROOF, 1.0), (["exact h", '{"tactic": "intro h"}', "exact h"], 1.0), (["intro h", ""], 0.0)],
    ids=["raw", "JSON", "gives up"],
)
def test_verifiers_own_openenv_taskset_drives_our_server(
    server: str, tactics: list[str], reward: float, evaluate: Evaluate, tmp_path: Path
) -> None:
    document = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    settings = re.search(r"^```toml\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    assert settings is not None
    file = tmp_path / "openenv.toml"
    file.write_text(settings[1].replace("http://localhost:8000", server))
    traces = evaluate(by_turns(tactics), "@", str(file))
    assert rewards(traces) == [reward]


@pytest.mark.parametrize(
    ("tactics", "reward"),
    [(PROOF, 1.0), (["sorry"], 0.0), (["intro h"], 0.0), ([*PROOF, "rfl"], 0.0), ([], 0.0)],
)
def test_the_reward_is_a_replay_and_not_what_the_state_says(tactics: list[str], reward: float) -> None:
    from lean_gym.integrations.verifiers import LeanConfig, LeanState, LeanTaskset

    task = next(iter(LeanTaskset(LeanConfig(id="lean-gym-verifiers", theorems="logic:test"))))
    trace = SimpleNamespace(state=LeanState(tactics=tactics), last_reply="The theorem is proved.")
    assert asyncio.run(task.proved(trace)) == reward


def test_a_task_keeps_the_reference_proof_to_itself() -> None:
    from lean_gym.datasets import load_theorems
    from lean_gym.integrations.verifiers import LeanConfig, LeanTaskset

    tasks = list(LeanTaskset(LeanConfig(id="lean-gym-verifiers", theorems="nat:test")))
    theorems = load_theorems("nat:test")
    assert [task.key for task in tasks] == [theorem.name for theorem in theorems]
    for task, theorem in zip(tasks, theorems, strict=True):
        assert theorem.proof and theorem.proof not in task.data.model_dump_json()
        assert task.data.as_theorem().statement == theorem.statement


@pytest.mark.parametrize("theorems", ["core:test", "algebra:test"])
def test_a_task_keeps_what_a_proof_may_use(theorems: str) -> None:
    from lean_gym.datasets import load_theorems
    from lean_gym.integrations.verifiers import LeanConfig, LeanTaskset

    task = next(iter(LeanTaskset(LeanConfig(id="lean-gym-verifiers", theorems=theorems))))
    theorem = load_theorems(theorems)[0]
    kept = task.data.as_theorem()
    assert (kept.position, kept.permitted_axioms) == (theorem.position, theorem.permitted_axioms)


def test_the_documented_program_prints_what_it_says(shown: Any, capsys: Any) -> None:
    [(program, printed)] = shown("verifiers")
    exec(compile(program, "integrations.md", "exec"), {})
    assert capsys.readouterr().out == printed
