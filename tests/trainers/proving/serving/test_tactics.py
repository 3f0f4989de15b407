"""LeanCopilot, LeanDojo-v2, llmstep and reap over their wire: the bytes that their clients send, in a process apart."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator, Sequence

import httpx
import pytest
import torch

from tests.trainers.policies.presets.test_end_to_end import made
from trainers.config.names import Reads
from trainers.config.rollout import SamplingConfig
from trainers.errors import PolicyError
from trainers.policies.presets.catalogue import PRESETS
from trainers.policies.transformers import TransformersPolicy
from trainers.proving.serving.asks import Ask, Refused, Sampled, answer_in_groups
from trainers.proving.serving.sampler import Sampler
from trainers.proving.serving.tactic_api import suggestions_of

GOALS = "⊢ True ∧ (False ∨ True)"
CLIENT = """\
import json, sys, urllib.request
path, content_type = sys.argv[1:]
request = urllib.request.Request(path, sys.stdin.buffer.read(), {"accept": "application/json"})
if content_type:
    request.add_header("Content-Type", content_type)
with urllib.request.urlopen(request) as answer:
    sys.stdout.buffer.write(answer.read())
"""


class Steps:
    """A model of the tactics left: a quarter of the length of the goals."""

    reads: Reads = "goals"

    def tactics_left(self, goal_texts: Sequence[str]) -> list[float]:
        return [len(text) / 4 for text in goal_texts]

    def steps_after(self, texts: Sequence[str]) -> list[float]:
        """Return the length of the candidate, and check the words around it."""
        around = f"Goal:\n{GOALS}\n\nPrefix:\n\n\nCandidate tactic:\n"
        assert all(text.startswith(around) for text in texts)
        return [float(len(text) - len(around)) for text in texts]


@pytest.fixture
def valued(serving, policy: TransformersPolicy) -> Iterator[httpx.Client]:
    with serving(Sampler(policy), Steps(), suggestions=32, progress_model="steps") as client:
        yield client


def asked(client: httpx.Client, path: str, body: str, content_type: str = "application/json") -> dict:
    """Send bytes from a process of their own, as curl does, and read the answer."""
    command = [sys.executable, "-c", CLIENT, f"{client.base_url}".rstrip("/") + path, content_type]
    ended = subprocess.run(command, input=body.encode(), capture_output=True, check=True, timeout=60)
    return json.loads(ended.stdout)


def test_lean_copilot_gets_distinct_tactics_with_the_prefix_best_first(valued):
    # As `(toJson req).pretty` writes the structure GeneratorRequest.
    body = '{"prefix": "%s",\n "name": "myModel",\n "input": "⊢ True ∧ (False ∨ True)"}'
    for prefix in ("", "spl"):
        answer = asked(valued, "/generate", body % prefix)
        assert set(answer) == {"outputs"}
        outputs = answer["outputs"]
        assert all(set(one) == {"output", "score"} for one in outputs)
        texts, scores = [one["output"] for one in outputs], [one["score"] for one in outputs]
        assert len(texts) == len(set(texts)) > 1
        assert all(text.startswith(prefix) and text.strip() for text in texts)
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 1 for score in scores)


def test_the_total_is_the_log_probability_of_tactic_and_end(policy):
    prompt = policy.encode_prompt(GOALS)
    draws = Sampler(policy).answer([Ask(GOALS, count=32, seed=1)])[0]
    assert not isinstance(draws, Exception)
    checked = 0
    for one in draws:
        tokens = policy.encode_tactic(one.text)
        if one.finished and len(tokens) == len(one.tokens) + 1:  # drawn in the tokens that it is learnt in
            with torch.no_grad():
                logits = policy.model(torch.tensor([[*prompt, *tokens]])).logits[0, len(prompt) - 1 : -1]
            chosen = logits.log_softmax(dim=1)[torch.arange(len(tokens)), torch.tensor(tokens)]
            assert one.total == pytest.approx(float(chosen.sum()), abs=1e-3)
            checked += 1
    assert checked > 1


def test_lean_dojo_gets_the_steps_remaining(valued):
    body = json.dumps({"name": "deepseek", "input": GOALS, "prefix": "", "use_reward": True})
    outputs = asked(valued, "/generate", body)["outputs"]
    assert outputs
    for one in outputs:
        assert set(one) == {"output", "score", "model_score", "steps_remaining", "reward"}
        assert one["score"] == one["reward"] == -one["steps_remaining"] == -len(GOALS) / 4
        assert 0 < one["model_score"] <= 1


def test_a_model_that_reads_candidates_tells_the_steps_after_each(serving, policy):
    steps = Steps()
    steps.reads = "tactic"
    with serving(Sampler(policy), steps, suggestions=32, progress_model="steps", queue=1) as client:
        body = {"name": "a", "input": GOALS, "prefix": None, "use_reward": True}
        outputs = client.post("/generate", json=body).json()["outputs"]
        assert [one["steps_remaining"] for one in outputs] == sorted(len(one["output"]) for one in outputs)
        assert len({one["steps_remaining"] for one in outputs}) > 1
        assert all(one["score"] == one["reward"] == -len(one["output"]) for one in outputs)
        # The value of a state needs one that reads goals.
        ask = {"messages": [{"role": "user", "content": GOALS}]}
        assert client.post("/value/v1/chat/completions", json=ask).status_code == 404


def test_an_encoding_is_a_vector_of_length_one_of_the_text(valued, policy):
    first, again, other = (
        asked(valued, "/encode", json.dumps({"name": "a", "input": text}))["outputs"]
        for text in (GOALS, GOALS, "⊢ False")
    )
    assert len(first) == policy.model.config.hidden_size
    assert first == again != other
    assert sum(value * value for value in first) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("content_type", ["application/json", ""])
@pytest.mark.parametrize("extra", [{}, {"context": "import Mathlib\n"}])
def test_llmstep_gets_suggestions(valued, content_type, extra):
    body = json.dumps({"tactic_state": GOALS, "prefix": "tri", **extra})
    answer = asked(valued, "/", body, content_type)
    assert set(answer) == {"suggestions"}
    assert len(answer["suggestions"]) == len(set(answer["suggestions"])) > 0
    assert all(text.startswith("tri") for text in answer["suggestions"])


def test_reap_gets_a_value_as_the_content_of_a_chat(valued):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": GOALS}], "n": 1})
    answer = asked(valued, "/value/v1/chat/completions", body)
    assert json.loads(answer["choices"][0]["message"]["content"]) == {"score": len(GOALS) / 4}
    assert valued.get("/health").json()["progress_model"] == "steps"
    assert "lean_gym_values_answered_total 1\n" in valued.get("/metrics").text


def test_without_a_progress_model_there_is_no_value(client):
    body = {"messages": [{"role": "user", "content": GOALS}]}
    assert client.post("/value/v1/chat/completions", json=body).status_code == 404


def test_suggestions_are_merged_ordered_and_begin_with_the_prefix():
    def drawn(tactic: str, total: float | None) -> Sampled:
        return Sampled(tactic, (), (), True, 1, tactic, None if total is None else (total,))

    likely, rare = math.log(0.5), math.log(0.25)
    found = suggestions_of(
        [drawn("simp [h]", rare), drawn("simp", likely), drawn("simp\n", rare), drawn("rfl", 0.0)], "simp"
    )
    assert [(one.tactic, one.score) for one in found] == [("simp", 0.5), ("simp [h]", 0.25)]
    shares = suggestions_of([drawn("a", None), drawn("b", None), drawn("b", None), drawn("", None)], "")
    assert [(one.tactic, one.score) for one in shares] == [("b", 0.5), ("a", 0.25)]


def test_a_prefix_that_is_no_part_of_a_tactic_is_refused(client):
    answer = client.post("/generate", json={"name": "a", "input": GOALS, "prefix": "and " * 50})
    assert answer.status_code == 400
    assert "prefix: got " in answer.json()["error"]["message"]


def test_requests_of_equal_settings_are_answered_together_and_a_failing_group_alone() -> None:
    groups: list[list[str]] = []

    def prepared(ask: Ask) -> str:
        if ask.prefix:
            raise Refused("prefix")
        return ask.text.upper()

    def sampled(asks: Sequence[tuple[Ask, str]]) -> list[Sampled]:
        groups.append([text for _, text in asks])
        if "D" in groups[-1]:
            raise PolicyError("no numbers")
        return [
            Sampled(text, (), (), True, 1, f"{text}{at}", None)
            for ask, text in asks
            for at in range(ask.count)
        ]

    batch = [
        Ask("a", count=2),
        Ask("b", temperature=0.5),
        Ask("c", prefix="x"),
        Ask("d", raw=True),
        Ask("e"),
        Ask("f", seed=1),
        Ask("g", seed=1),
        Ask("h", raw=True),
    ]
    answers = answer_in_groups(batch, prepared, sampled, kind=lambda ask: ask.raw)
    assert groups == [["A", "E"], ["B"], ["D", "H"], ["F"], ["G"]]
    shown = [str(one) if isinstance(one, Exception) else [each.tactic for each in one] for one in answers]
    assert shown == [["A0", "A1"], ["B0"], "prefix", "no numbers", ["E0"], ["F0"], ["G0"], "no numbers"]


@pytest.mark.parametrize("prefix", ["", "tri"])
def test_a_beam_gives_the_likeliest_tactics_every_time(serving, policy, prefix: str) -> None:
    with serving(Sampler(policy), search={"decoding": "beam"}, suggestions=8) as client:
        body = {"name": "a", "input": GOALS, "prefix": prefix}
        first, again = (client.post("/generate", json=body).json()["outputs"] for _ in range(2))
        steps = client.post("/", json={"tactic_state": GOALS, "prefix": prefix}).json()["suggestions"]
    assert first == again
    assert steps == [one["output"] for one in first]
    if prefix:
        assert steps and all(text.startswith(prefix) for text in steps)
        return
    best = policy.best(GOALS, 8)
    expected = {one.text.rstrip(): math.exp(sum(one.logprobs)) for one in reversed(best) if one.text.strip()}
    assert {one["output"]: one["score"] for one in first} == pytest.approx(expected, rel=1e-4)


def test_an_encoder_decoder_model_encodes_by_its_encoder_and_refuses_a_prefix() -> None:
    model, tokenizer = made("t5")
    settings = SamplingConfig(**PRESETS["reprover"].rollout() | {"max_tactic_tokens": 6})
    sampler = Sampler(TransformersPolicy(model, tokenizer, settings))
    (vector,) = sampler.encode([GOALS])
    ids = torch.tensor([tokenizer.encode(GOALS)])
    with torch.no_grad():
        mean = model.get_encoder()(input_ids=ids).last_hidden_state[0].mean(dim=0)
    assert vector == pytest.approx(torch.nn.functional.normalize(mean, dim=0).tolist(), abs=1e-5)
    found, refused = sampler.answer([Ask(GOALS, count=2, beam=True), Ask(GOALS, prefix="tri")])
    assert not isinstance(found, Exception)
    assert len(found) == 2
    assert str(refused).startswith("prefix: the policy is an encoder-decoder model")
