"""`/v1/prove` with policies that give whole proofs: attempts, repairs, attacks, presets in a process of their own."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
import torch

from lean_gym import Theorem
from lean_gym.envs.episode import Episode
from minilean.check_command import check_text
from tests.trainers.policies.presets.test_end_to_end import made
from tests.trainers.proving.serving.conftest import _serving
from tests.trainers.proving.serving.test_program import started
from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig, SamplingConfig
from trainers.config.run import Imitation, LearnerConfig
from trainers.learning.learner import Learner
from trainers.policies.presets.catalogue import PRESETS
from trainers.policies.prompts import Dialogue
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.views import create_view
from trainers.proving.serving.asks import Ask, Sampled
from trainers.proving.serving.sampler import Sampler

PROVE = "/v1/prove"
SWAP = "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p"
FILE = f"Of course.\n```lean4\n{SWAP} := by\n  have k : q := h.2\n  exact ⟨k, h.1⟩\n```"
REPAIRED = "exact ⟨h.2, h.1⟩"


class Writer:
    """Writes listed proofs in turn, and other ones where it is shown errors."""

    settings = SamplingConfig(actions="proof", max_repairs=1)
    is_chat = True
    tells_logprobs = True

    def __init__(self) -> None:
        self.first: Sequence[str] = ("exact a",)
        self.repairs: Mapping[str, str] = {}
        self.shown: list[str] = []
        self._lock = threading.Lock()

    def answer(self, batch: Sequence[Ask]) -> list[list[Sampled]]:
        return [self._answers(ask) for ask in batch]

    def _answers(self, ask: Ask) -> list[Sampled]:
        with self._lock:
            self.shown.append(ask.text)
        words = [self.first[at % len(self.first)] for at in range(ask.count)]
        if isinstance(ask.text, Dialogue):
            words = [self.repairs.get(ask.text.messages[-2]["content"], "exact b")] * ask.count
        return [Sampled(word, (word,), (-1.0,), True, 1, word, (-1.0,)) for word in words]

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


@pytest.fixture(scope="module")
def writer() -> Writer:
    return Writer()


@pytest.fixture(scope="module")
def prover(writer: Writer) -> Iterator[httpx.Client]:
    search = {"samples": 2, "repairs": 1, "tactics": 8, "patience": 1}
    with _serving(
        writer, backend="minilean", theorems="logic", proofs=1, rollout=writer.settings, search=search
    ) as client:
        yield client


def found(client: httpx.Client, **fields: Any) -> dict[str, Any]:
    answer = client.post(PROVE, json={"theorem": SWAP, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("method", [None, "whole_proof"])
def test_a_whole_proof_is_served(prover: httpx.Client, writer: Writer, method: str | None) -> None:
    writer.first = ("exact a", FILE)
    answer = found(prover, **({} if method is None else {"method": method}))
    assert (answer["proved"], answer["method"]) == (True, "whole_proof")
    assert answer["source"] == f"{SWAP} := by\n  have k : q := h.2\n  exact ⟨k, h.1⟩\n"
    assert check_text(answer["source"]) == []
    assert (answer["spent"]["tactics"], answer["spent"]["model_calls"]) == (2, 2)


def test_a_failed_attempt_is_repaired_with_its_errors(prover: httpx.Client, writer: Writer) -> None:
    writer.first, writer.repairs, writer.shown = ("exact a",), {"exact a": REPAIRED}, []
    answer = found(prover)
    assert (answer["proved"], answer["tactics"]) == (True, [REPAIRED])
    assert (answer["spent"]["tactics"], answer["spent"]["model_calls"]) == (2, 3)
    first, repair = writer.shown
    assert first == f"{SWAP} := by"
    assert "error at line 2, column 8:\nUnknown identifier `a`" in repair


@pytest.mark.parametrize(
    "attack",
    [
        "sorry",
        f"{SWAP} := by\n  sorry",
        "theorem t : True := by\n  trivial",
        f"axiom cheat : False\n\n{SWAP} := cheat.elim",
        f"{SWAP} := by\n  exact t p q h",
    ],
)
def test_an_attack_is_no_proof_and_its_repair_is_one(
    prover: httpx.Client, writer: Writer, attack: str
) -> None:
    writer.first, writer.repairs = (attack,), {attack: attack}
    answer = found(prover)
    assert (answer["proved"], answer["source"], answer["tactics"]) == (False, None, [])
    writer.repairs = {attack: REPAIRED}
    assert found(prover)["proved"] is True


@pytest.mark.parametrize("method", ["best_first", "beam", "mcts", "sample"])
def test_a_method_of_tactics_is_refused_in_one_line(prover: httpx.Client, method: str) -> None:
    refused = prover.post(PROVE, json={"theorem": SWAP, "method": method})
    error = refused.json()["error"]
    assert (refused.status_code, error["param"]) == (400, "method")
    assert (
        error["message"] == f"method: got '{method}', which does not go with a policy that gives whole proofs"
    )


def test_routes_of_tactics_are_refused_in_one_line(prover: httpx.Client) -> None:
    assert prover.get("/health").json()["actions"] == "proof"
    bodies = {
        "/generate": {"name": "a", "input": "⊢ True", "prefix": None},
        "/": {"tactic_state": "⊢ True", "prefix": ""},
    }
    for route, body in bodies.items():
        refused = prover.post(route, json=body)
        message = refused.json()["error"]["message"]
        assert refused.status_code == 501
        assert message == "the policy gives whole proofs, expected one of tactics; see /v1/prove"


def test_a_server_of_tactics_has_no_whole_proofs(serving: Any) -> None:
    source = Writer()
    source.settings = SamplingConfig()
    with serving(source, backend="minilean", theorems="logic") as client:
        refused = client.post(PROVE, json={"theorem": SWAP, "method": "whole_proof"})
    assert refused.status_code == 400
    assert refused.json()["error"]["message"].endswith("which does not go with a policy that gives tactics")


def test_a_long_repair_prompt_is_cut_and_a_dialogue_of_the_client_is_refused() -> None:
    model, tokenizer = made("qwen3")
    settings = SamplingConfig(actions="proof", max_repairs=1, max_prompt_tokens=250, max_tactic_tokens=4)
    sampler = Sampler(TransformersPolicy(model, tokenizer, settings))
    long = Dialogue([{"role": "user", "content": "theorem t : True " * 60}])
    cut, refused = sampler.answer([Ask(long, seed=1), Ask(long, raw=True, seed=1)])
    assert not isinstance(cut, Exception)
    assert cut[0].prompt_tokens <= 250
    assert isinstance(refused, Exception)
    assert "expected at most 250" in str(refused)


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that has learnt one proof in the format of Goedel-Prover-V2."""
    settings = RolloutConfig(**PRESETS["goedel-v2"].rollout())
    policy = TransformersPolicy(*made("qwen3"), settings)
    shown = create_view(settings)("", Episode(Theorem("t", "theorem t (p : Prop) (h : p) : p"), ()))
    learner = Learner(policy, create_algorithm("grpo"), LearnerConfig())
    pairs = [(policy.encode_prompt(shown), policy.encode_tactic("exact h"))]
    for step in range(70):
        learner.imitate(pairs, Imitation(70, 1e-2, 1), step, torch.Generator())
    path = tmp_path_factory.mktemp("taught") / "model"
    policy.save(path)
    return path


@pytest.mark.slow
def test_a_preset_of_whole_proofs_runs_as_a_process(taught: Path) -> None:
    words = ["--policy", f"preset:goedel-v2={taught}", "--backend", "minilean", "--theorems", "logic"]
    words += ["--proofs", "1", "--max-tactic-tokens", "80", "--temperature", "0.3", "--samples", "2"]
    with started(*words) as (_, client):
        health = client.get("/health").json()
        assert (health["actions"], health["prove"]) == ("proof", True)
        statement = "theorem t (p : Prop) (h : p) : p"
        answer = client.post(PROVE, json={"theorem": statement}).json()
        assert answer["source"] == f"{statement} := by\n  exact h\n"
        assert (answer["proved"], answer["method"]) == (True, "whole_proof")
