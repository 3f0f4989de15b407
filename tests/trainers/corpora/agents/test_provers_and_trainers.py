"""Provers return verified proofs alone; trainers and the other two agents; mistakes are one line."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import peft
import pytest
import uvicorn

from lean_gym import Theorem
from lean_gym.datasets import read_jsonl
from minilean.check_command import check_text
from trainers.config.rollout import RolloutConfig
from trainers.config.serve import ServeConfig
from trainers.corpora.agents import (
    ExternalAgent,
    ExternalProver,
    GRPOTrainer,
    HFAgent,
    HFProver,
    LeanAgent,
    ProgressTrainer,
    RetrievalTrainer,
    SFTTrainer,
)
from trainers.corpora.agents.settings import adapter_words
from trainers.errors import ConfigError, PolicyError
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.proving.serving.app import make_app
from trainers.proving.serving.sampler import Sampler
from trainers.proving.serving.served import Served

pytestmark = pytest.mark.filterwarnings("default")  # TRL and transformers warn of each other


def test_a_search_returns_verified_proofs_alone(shown: ModuleType, tell: Callable[..., None]) -> None:
    prover = HFProver("outputs", tactics=64)
    result, tactics = prover.search(goal="2 + 2 = 4", verbose=False)
    assert (result.success, tactics, result.axioms) == (True, ["rfl"], ())
    assert [each for each in check_text(result.source) if each.severity != "info"] == []
    assert prover.search(theorem="theorem t : 2 + 2 = 5 := by")[1] is None
    assert prover.search(theorem=Theorem("t", "theorem t : 3 = 3"))[0].success
    assert shown.agent.prove_theorem("theorem t : 3 = 3")

    told = HFProver("outputs", tactics=16)
    tell("exact t p", "exact @t", "apply t", "exact sorryAx _", "trivial")
    result, tactics = told.search(theorem="theorem t (p : Prop) : p")
    assert (result.success, result.source, tactics) == (False, "", None)
    assert told.search(goal="∀ (p : Prop), p")[1] is None
    assert told.search(goal="True")[1] == ["trivial"]


def test_whole_proofs_are_verified(shown: ModuleType, tell: Callable[..., None]) -> None:
    prover = HFProver("outputs", tactics=8)
    tell("theorem t : 1 = 2 := by trivial", "theorem other : 1 = 1 := by rfl", "by rfl")
    assert prover.generate_whole_proof("theorem t : 1 = 2 := by") is None
    source = prover.generate_whole_proof("theorem t : 1 = 1 := by")
    assert source is not None
    assert source.startswith("theorem t : 1 = 1 := by")
    assert not shown.agent.prove_theorem("theorem t : 1 = 2", whole_proof=True)


@pytest.mark.parametrize(
    "goal", ["True := trivial", "True := by sorry", "True\n\ntheorem goal2 : False", "True) ∧ (True", "sorry"]
)
def test_a_goal_is_a_type_and_nothing_else(shown: ModuleType, goal: str, tell: Callable[..., None]) -> None:
    prover = HFProver("outputs", tactics=4)
    tell("trivial", "exact trivial")
    try:
        result, tactics = prover.search(goal=goal)
    except ConfigError as refused:
        assert "goal: expected a type" in str(refused)
    else:
        assert (result.success, tactics) == (False, None)
        assert result.failure


def test_held_out_theorems_are_measured_and_not_trained_on(shown: ModuleType) -> None:
    (project,) = shown.agent.repos.values()
    train, test = ({each.name for each in read_jsonl(path)} for path in (project.train, project.test))
    assert (len(train), len(test)) == (7, 2)
    assert not train & test
    learned = {each.name for each in read_jsonl(Path("outputs", "theorems.jsonl"))}
    assert learned == train
    (rate,) = shown.agent.evaluate().values()
    assert 0.0 <= rate <= 1.0


def test_a_policy_behind_an_endpoint(shown: ModuleType, tmp_path: Path) -> None:
    """Our own server is the endpoint."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "One.lean").write_text("theorem one : 2 + 3 = 5 := by\n  sorry\n", encoding="utf-8")
    policy = TransformersPolicy(*load_pretrained("outputs/policy"), RolloutConfig())
    app = make_app(Served(ServeConfig(policy="outputs", proofs=0), Sampler(policy), None))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/v1"
        prover = ExternalProver("ours", url, api="completions", tactics=16)
        assert prover.search(goal="2 + 2 = 4")[1] == ["rfl"]
        settings = {"api": "completions", "tactics": 16}
        agent = ExternalAgent(
            "ours", url, str(tmp_path / "theorems.db"), settings, folder=str(tmp_path / "made")
        )
        agent.setup_local_repository(str(root))
        (filled,) = agent.prove()
    finally:
        server.should_exit = True
        thread.join()
    assert [each.tactics for each in filled.filled] == [("rfl",)]
    assert (root / "One.lean").read_text(encoding="utf-8").endswith(":= by\n  rfl\n")
    with pytest.raises(ConfigError, match="the model ours is behind an endpoint and cannot be trained"):
        agent.train()


def test_premises_are_retrieved_trained_and_used(place: Path, tmp_path: Path) -> None:
    generator = SFTTrainer(
        "tiny",
        str(tmp_path / "outputs"),
        epochs_per_repo=1,
        batch_size=8,
        lr=1e-3,
        hidden_size=32,
        premises=2,
    )
    agent = LeanAgent(
        str(tmp_path / "theorems.db"),
        {"epochs": 1, "buckets": 256, "width": 16},
        {"tactics": 4},
        generator=generator,
        output_dir=str(tmp_path / "retriever"),
        folder=str(tmp_path / "made"),
    )
    agent.setup_github_repository("sums", "main")
    agent.train()
    prover = agent.setup_prover()
    assert prover.config.rollout.retriever == agent.trainer.index
    assert prover.config.rollout.premises == 2  # that of the generator's run
    assert prover.search(goal="2 + 2 = 5")[1] is None
    scores = agent.trainer.evaluate(agent.data_path, part="val")
    assert set(scores) == {"bm25", "encoder", "hybrid"}
    assert all(0.0 <= row["MRR"] <= 1.0 for row in scores.values())
    assert set(agent.evaluate()) == set(scores)  # the test part


def test_reinforcement_learning_goes_on_from_the_run(shown: ModuleType, tmp_path: Path) -> None:
    trainer = GRPOTrainer(
        "outputs",
        None,
        str(tmp_path / "grpo"),
        batch_size=2,
        rollout=RolloutConfig(max_steps=2, max_tactic_tokens=8),
        config_options={"max_completion_length": 60, "max_steps": 1, "disable_tqdm": True},
        num_workers=0,
    )
    agent = HFAgent(trainer, str(tmp_path / "theorems.db"), {"tactics": 64}, folder=str(tmp_path / "made"))
    agent.setup_github_repository("sums", "main")
    agent.train()
    assert agent.setup_prover().search(goal="2 + 2 = 4")[0].success
    tiny = GRPOTrainer(
        "tiny", None, str(tmp_path / "tiny"), batch_size=2, rollout=RolloutConfig(max_steps=1, max_tactic_tokens=4),
        config_options={"max_completion_length": 60, "max_steps": 1, "disable_tqdm": True}, num_workers=0,
    )  # fmt: skip
    tiny.train([[Theorem("t", "theorem t : True", proof="trivial")]])
    load_pretrained(str(tmp_path / "tiny"))


def test_a_progress_model(theorem_file: Path, tmp_path: Path) -> None:
    row = {"goal": "⊢ True ∧ True", "prefix": "", "tactic": "split", "steps_remaining": 3}
    steps = tmp_path / "steps.jsonl"
    steps.write_text(json.dumps(row) + "\n")
    out = tmp_path / "progress"
    settings: dict[str, Any] = {
        "theorems": str(theorem_file),
        "backend": "fake",
        "hidden_size": 32,
        "longest": 8,
    }
    ProgressTrainer(str(steps), output_dir=str(out), epochs=1, **settings).train()
    assert json.loads((out / "result.json").read_text())["policy"] == "tiny"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: SFTTrainer("tiny", warmup=1),
            "SFTTrainer: unknown argument warmup; did you mean 'warmup_steps'",
        ),
        (
            lambda: SFTTrainer("tiny", lr=-1.0),
            "SFTTrainer: learning_rate: expected a number above 0, got -1.0",
        ),
        (lambda: SFTTrainer("tiny", theorems="nat"), "SFTTrainer: unknown argument theorems"),
        (lambda: SFTTrainer("./none"), "./none is neither a run"),
        (lambda: SFTTrainer("tiny", lora_config=4), "expected a peft.LoraConfig, got int"),
        (lambda: HFProver("outputs", tactic=3), "HFProver: unknown argument tactic; did you mean 'tactics'"),
        (lambda: ExternalProver("m", "here"), "expected openai:MODEL@http://host:port/v1"),
        (lambda: RetrievalTrainer({"epoch": 1}), "RetrievalTrainer: unknown argument epoch"),
        (lambda: ProgressTrainer("x", eval_ratio=0.2), "ProgressTrainer: unknown argument eval_ratio"),
        (lambda: ExternalAgent().prove(), "no repository is set up"),
        (
            lambda: ExternalAgent().setup_local_repository("nowhere"),
            "path: expected the folder of a repository",
        ),
        (lambda: ExternalAgent().setup_github_repository("nowhere", "v1"), "cannot be traced"),
        (
            lambda: ExternalAgent().setup_github_repository("logic"),
            "expected a project of Lean files, got logic",
        ),
        (lambda: HFProver("someone/none").search(goal="True"), "cannot load the model 'someone/none'"),
        (
            lambda: HFProver("preset:leandojo-v2=outputs").generate_whole_proof("theorem t : 1 = 1"),
            "whole proofs: expected a model that writes them",
        ),
        (lambda: HFProver("outputs").search(), "expected either a goal or a theorem"),
        (lambda: HFProver("outputs").search(theorem="swap"), "theorem: expected a statement such as"),
    ],
)
def test_mistakes_are_one_line(shown: ModuleType, make: Callable[[], Any], message: str) -> None:
    with pytest.raises((ConfigError, PolicyError)) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_trained_model_is_not_overwritten(shown: ModuleType) -> None:
    with pytest.raises(ConfigError, match="outputs holds a trained model already"):
        shown.agent.train()


def test_adapters_become_settings() -> None:
    assert adapter_words(None) == ""
    given = peft.LoraConfig(r=16, lora_alpha=32, lora_dropout=0.1, target_modules=["v_proj", "q_proj"])
    assert adapter_words(given) == "r=16,alpha=32,dropout=0.1,targets=q_proj+v_proj"
    with pytest.raises(ConfigError, match="lora_config: got use_rslora=True, expected none but r,"):
        adapter_words(peft.LoraConfig(use_rslora=True))
