"""The server over its wire: real HTTP, our own endpoint policy as client, wrong requests, load beyond its queue."""

from __future__ import annotations

import asyncio
import json
import math
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from trainers.config.endpoint import EndpointConfig
from trainers.config.rollout import RolloutConfig
from trainers.config.serve import ServeConfig
from trainers.policies.openai import OpenAIPolicy
from trainers.proving.serving.app import make_app
from trainers.proving.serving.asks import Ask
from trainers.proving.serving.sampler import Sampler
from trainers.proving.serving.served import Served

GOALS = "True ∧ (False ∨ True)"
COMPLETIONS, CHAT = "/v1/completions", "/v1/chat/completions"


def data_of(answer: httpx.Response) -> list[str]:
    """The data of server-sent events."""
    assert answer.headers["content-type"].startswith("text/event-stream")
    parts = answer.text.split("\n\n")
    assert parts.pop() == ""
    assert all(part.startswith("data: ") for part in parts)
    return [part.removeprefix("data: ") for part in parts]


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_our_own_endpoint_policy_gets_the_tactics_of_the_policy(client, policy, api):
    address = f"openai:mine@{client.base_url}/v1".replace("//v1", "/v1")
    asked = OpenAIPolicy(address, RolloutConfig(temperature=0.001), EndpointConfig(api=api))
    greedy = Sampler(policy).answer([Ask(GOALS, temperature=0.001)])[0][0].text
    assert greedy
    assert [one.text for one in asked.sample([GOALS] * 3)] == [greedy.strip()] * 3


def test_n_logprobs_and_seed(client):
    body = {"prompt": f"{GOALS}:::", "n": 4, "logprobs": 0, "seed": 7, "max_tokens": 5, "model": "mine"}
    answer = client.post(COMPLETIONS, json=body).json()
    assert [choice["index"] for choice in answer["choices"]] == [0, 1, 2, 3]
    for choice in answer["choices"]:
        shown = choice["logprobs"]
        assert len(shown["tokens"]) == len(shown["token_logprobs"]) == len(shown["text_offset"]) <= 5
        assert all(value <= 0 and math.isfinite(value) for value in shown["token_logprobs"])
        assert choice["finish_reason"] in ("stop", "length")
    again = client.post(COMPLETIONS, json=body).json()
    assert again["choices"] == answer["choices"]
    assert answer["usage"]["completion_tokens"] == sum(
        len(choice["logprobs"]["tokens"]) for choice in answer["choices"]
    )


def test_a_small_nucleus_holds_the_likeliest_token_alone(client):
    body = {"prompt": f"{GOALS}:::", "max_tokens": 5, "logprobs": 0, "temperature": 1}
    greedy = client.post(COMPLETIONS, json={**body, "temperature": 0}).json()["choices"][0]["text"]
    found = client.post(COMPLETIONS, json={**body, "n": 8, "top_p": 1e-6}).json()["choices"]
    assert [one["text"] for one in found] == [greedy] * 8
    assert {value for one in found for value in one["logprobs"]["token_logprobs"]} == {0.0}
    drawn = client.post(COMPLETIONS, json={**body, "n": 32, "top_p": 1}).json()["choices"]
    assert len({one["text"] for one in drawn}) > 1


def test_a_chat_gives_logprobs_a_token(client):
    body = {"messages": [{"role": "user", "content": GOALS}], "logprobs": True, "seed": 1}
    choice = client.post(CHAT, json=body).json()["choices"][0]
    content = choice["logprobs"]["content"]
    assert "".join(one["token"] for one in content) == choice["message"]["content"]


@pytest.mark.parametrize(
    "content",
    [
        f"{GOALS}:::",
        f"User: Please generate a tactic.\nFormal name: a\nSTATE:\n{GOALS}\nTACTIC:\n\nAssistant:",
        [{"type": "text", "text": GOALS}],
    ],
)
def test_goals_in_the_frame_of_a_prompt_are_the_goals(client, content):
    def asked(content: Any) -> str:
        body = {"messages": [{"role": "user", "content": content}], "temperature": 0}
        return client.post(CHAT, json=body).json()["choices"][0]["message"]["content"]

    assert asked(content) == asked(GOALS)


def test_a_stop_text_ends_an_answer_and_is_no_part_of_it(client):
    body: dict[str, Any] = {"prompt": f"{GOALS}:::", "temperature": 0}
    whole = client.post(COMPLETIONS, json=body).json()["choices"][0]["text"]
    cut = client.post(COMPLETIONS, json={**body, "stop": whole[1]}).json()["choices"][0]
    assert cut["text"] == whole[: whole.index(whole[1])]
    assert cut["finish_reason"] == "stop"


def test_a_streamed_chat_has_the_text_of_a_whole_one(client):
    body = {"messages": [{"role": "user", "content": GOALS}], "seed": 3, "n": 2}
    whole = client.post(CHAT, json=body).json()
    *parts, end = data_of(client.post(CHAT, json={**body, "stream": True}))
    chunks = [json.loads(part) for part in parts]
    assert end == "[DONE]"
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk["id"] for chunk in chunks}) == 1
    for choice in whole["choices"]:
        own = [one for chunk in chunks for one in chunk["choices"] if one["index"] == choice["index"]]
        assert "".join(one["delta"].get("content", "") for one in own) == choice["message"]["content"]
        assert [one["finish_reason"] for one in own] == [None, choice["finish_reason"]]
        assert own[0]["delta"]["role"] == "assistant"


def test_a_streamed_completion_ends_with_the_usage_if_asked_for(client):
    body = {"prompt": f"{GOALS}:::", "seed": 3, "logprobs": 1}
    whole = client.post(COMPLETIONS, json=body).json()
    streamed = {**body, "stream": True, "stream_options": {"include_usage": True}}
    *parts, usage, end = data_of(client.post(COMPLETIONS, json=streamed))
    assert end == "[DONE]"
    assert json.loads(usage)["usage"] == whole["usage"]
    choices = [json.loads(part)["choices"][0] for part in parts]
    assert "".join(choice["text"] for choice in choices) == whole["choices"][0]["text"]
    assert choices[0]["logprobs"] == whole["choices"][0]["logprobs"]


WRONG = [
    (COMPLETIONS, b""),
    (COMPLETIONS, b"{"),
    (COMPLETIONS, b"[]"),
    (COMPLETIONS, b"{}"),
    (COMPLETIONS, b"[" * 100_000),
    (COMPLETIONS, b'{"prompt": ""}'),
    (COMPLETIONS, b'{"prompt": 3}'),
    (COMPLETIONS, b'{"prompt": "\\ud800"}'),
    (COMPLETIONS, b'{"prompt": "a", "n": 0}'),
    (COMPLETIONS, b'{"prompt": "a", "n": 129}'),
    (COMPLETIONS, b'{"prompt": "a", "n": "2"}'),
    (COMPLETIONS, b'{"prompt": "a", "temperature": -1}'),
    (COMPLETIONS, b'{"prompt": "a", "temperature": NaN}'),
    (COMPLETIONS, b'{"prompt": "a", "top_p": 0}'),
    (COMPLETIONS, b'{"prompt": "a", "top_p": 1.01}'),
    (COMPLETIONS, b'{"prompt": "a", "stop": [""]}'),
    (COMPLETIONS, b'{"prompt": "a", "stop": [1]}'),
    (COMPLETIONS, b'{"prompt": "a", "stop": [%s"a"]}' % (b'"a", ' * 16)),
    (COMPLETIONS, b'{"prompt": "a", "n": 1e400}'),
    (COMPLETIONS, b'{"prompt": ["a", "b"]}'),
    (COMPLETIONS, b'{"prompt": "a", "max_tokens": 0}'),
    (COMPLETIONS, b'{"prompt": "a", "max_tokens": 1025}'),
    (CHAT, b'{"messages": []}'),
    (CHAT, b'{"messages": [{"role": "assistant", "content": "a"}]}'),
    (CHAT, b'{"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "a"}]}]}'),
    (CHAT, b'{"messages": [{"role": "user", "content": "a"}], "max_completion_tokens": 5000}'),
    ("/generate", b'{"name": "a", "input": "b"}'),
    ("/generate", b'{"name": "a", "input": 1, "prefix": null}'),
    ("/generate", b'{"name": "a", "input": "b", "prefix": null, "use_reward": true}'),
    ("/encode", b'{"name": "a"}'),
    ("/", b'{"tactic_state": "a"}'),
]


@pytest.mark.parametrize(("path", "body"), WRONG)
def test_a_wrong_body_is_one_line_and_the_server_goes_on(client, path, body):
    answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert not re.search(r"\n|Value error|\bstr\b", f"{error['message']}{error['param']}")
    assert len(error["message"]) < 400
    assert client.get("/health").json()["status"] == "ok"
    assert client.post(COMPLETIONS, json={"prompt": "a"}).status_code == 200


def test_what_is_null_counts_as_not_given(client):
    body = {"prompt": f"{GOALS}:::", "seed": 1, "temperature": 0}
    null = dict.fromkeys(("n", "stream", "stop", "max_tokens", "top_p"))
    plain, other = (client.post(COMPLETIONS, json=one).json() for one in (body, body | null))
    assert plain["choices"] == other["choices"]


def test_a_prompt_beyond_the_budget_is_refused_and_long_goals_are_cut(client):
    long = "True ∧ " * 400 + "True"
    answer = client.post(COMPLETIONS, json={"prompt": long})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "context_length_exceeded")
    # As in training: the policy's own layout keeps the end of the goals.
    assert client.post(CHAT, json={"messages": [{"role": "user", "content": long}]}).status_code == 200


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_too_large_is_refused_before_it_is_read(serving, gated, declared):
    with serving(gated, body_kib=1) as client:
        content = b'{"prompt": "' + b"a" * 2000 + b'"}'
        answer = client.post(
            COMPLETIONS, content=content if declared else iter([content[:900], content[900:]])
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "request_too_large")
    assert gated.batches == []


def test_a_body_that_does_not_come_is_given_up(serving, gated):
    with serving(gated, timeout=0.2) as client:
        with socket.create_connection(("127.0.0.1", client.base_url.port)) as slow:
            slow.sendall(
                f"POST {COMPLETIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n{{".encode()
            )
            slow.settimeout(60)
            # The server closes the connection, or the rest would be read as a request.
            got = b"".join(iter(lambda: slow.recv(1 << 16), b""))
        head, _, body = got.decode().partition("\r\n\r\n")
        assert head.startswith("HTTP/1.1 408 ")
        assert json.loads(body)["error"]["message"] == "the body was not complete within 0.2 seconds"
        assert client.get("/health").status_code == 200
    assert gated.batches == []


def test_unknown_routes_and_methods_have_the_form_of_an_error(client):
    for answer, status in (
        (client.get("/nothing"), 404),
        (client.get(COMPLETIONS), 405),
        (client.get("/docs"), 404),
        (client.get("/v1/models/"), 404),
    ):
        assert answer.status_code == status
        assert set(answer.json()["error"]) == {"message", "type", "param", "code"}


def test_the_key_is_asked_for(serving, policy):
    with serving(Sampler(policy), api_key="secret") as client:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer secre"}):
            for path in ("/metrics", "/v1/models"):
                assert client.get(path, headers=headers).status_code == 401
            for path in (COMPLETIONS, CHAT, "/generate", "/encode", "/"):
                answer = client.post(path, json={"prompt": "a"}, headers=headers)
                assert (answer.status_code, answer.json()["error"]["type"]) == (401, "authentication_error")
        assert client.get("/health").status_code == 200
        right = {"Authorization": "Bearer secret"}
        assert client.get("/v1/models", headers=right).json()["data"][0]["id"] == "runs/mine"


def test_web_pages_may_ask_only_if_permitted(serving, policy):
    page, other = {"Origin": "http://localhost:3000"}, {"Origin": "http://other.example"}
    body = {"prompt": "a"}
    with serving(Sampler(policy)) as client:
        answer = client.post(COMPLETIONS, json=body, headers=page)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
    with serving(Sampler(policy), cors_origins="http://localhost:3000") as client:
        answer = client.post(COMPLETIONS, json=body, headers=page)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, page["Origin"])
        assert client.post(COMPLETIONS, json=body, headers=other).status_code == 403
        asked = {**page, "Access-Control-Request-Method": "POST"}
        assert client.options(COMPLETIONS, headers=asked).status_code == 200


def test_what_waits_is_one_batch_and_what_is_too_much_is_refused(serving, gated):
    with serving(gated, queue=3) as client, ThreadPoolExecutor(5) as pool:

        def ask(text: str) -> httpx.Response:
            return client.post(COMPLETIONS, json={"prompt": text})

        asked = [pool.submit(ask, "first")]
        while not gated.batches:
            time.sleep(0.01)
        asked += [pool.submit(ask, text) for text in "abc"]
        while "lean_gym_policy_waiting 3\n" not in client.get("/metrics").text:
            time.sleep(0.01)
        refused = ask("d")
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert refused.json()["error"]["code"] == "queue_full"
        gated.go.set()
        assert [one.result().status_code for one in asked] == [200] * 4
        assert [sorted(batch) for batch in gated.batches] == [["first"], ["a", "b", "c"]]
        shown = client.get("/metrics").text
        assert "lean_gym_policy_answered_total 4\n" in shown
        assert "lean_gym_policy_refused_total 1\n" in shown
        assert 'lean_gym_requests_total{route="/v1/completions",status="200"} 4\n' in shown
        assert 'lean_gym_requests_total{route="/v1/completions",status="429"} 1\n' in shown


def test_a_request_that_waits_too_long_is_ended_and_not_computed(serving, gated):
    with serving(gated, timeout=0.2) as client, ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, COMPLETIONS, json={"prompt": "first"})
        while not gated.batches:
            time.sleep(0.01)
        assert client.post(COMPLETIONS, json={"prompt": "late"}).status_code == 504
        assert first.result().status_code == 504
        gated.go.set()
    assert gated.batches == [["first"]]


def test_the_request_of_a_client_that_goes_away_is_not_computed(serving, gated):
    with serving(gated) as client, ThreadPoolExecutor(2) as pool:
        first = pool.submit(client.post, COMPLETIONS, json={"prompt": "first"})
        while not gated.batches:
            time.sleep(0.01)
        with socket.create_connection(("127.0.0.1", client.base_url.port)) as leaving:
            body = b'{"prompt": "left"}'
            head = f"POST {COMPLETIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            leaving.sendall(head.encode() + body)
            while "lean_gym_policy_waiting 1\n" not in client.get("/metrics").text:
                time.sleep(0.01)
        while "lean_gym_policy_dropped_total 1\n" not in client.get("/metrics").text:
            time.sleep(0.01)
        last = pool.submit(client.post, COMPLETIONS, json={"prompt": "last"})
        gated.go.set()
        assert (first.result().status_code, last.result().status_code) == (200, 200)
    assert gated.batches == [["first"], ["last"]]


def test_one_request_that_fails_does_not_fail_those_of_its_batch(serving, gated, monkeypatch):
    answer = gated.answer

    def failing(batch):
        if len(gated.batches) and any(ask.text == "bad" for ask in batch):
            raise TypeError("cannot be encoded")
        return answer(batch)

    monkeypatch.setattr(gated, "answer", failing)
    prompts = ["a", "bad", "b", "c"]
    with serving(gated) as client, ThreadPoolExecutor(5) as pool:
        first = pool.submit(client.post, COMPLETIONS, json={"prompt": "first"})
        while not gated.batches:
            time.sleep(0.01)
        sent = [pool.submit(client.post, COMPLETIONS, json={"prompt": prompt}) for prompt in prompts]
        while "lean_gym_policy_waiting 4\n" not in client.get("/metrics").text:
            time.sleep(0.01)
        gated.go.set()
        assert first.result().status_code == 200
        assert [one.result().status_code for one in sent] == [200, 500, 200, 200]
        assert "lean_gym_policy_failed_total 1\n" in client.get("/metrics").text


def test_a_page_that_lets_its_name_point_here_is_refused(serving, gated):
    with serving(gated) as client:
        for path in ("/health", "/v1/models", "/metrics"):
            refused = client.get(path, headers={"Host": f"evil.example:{client.base_url.port}"})
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "unknown_host")
            assert client.get(path, headers={"Host": "localhost"}).status_code == 200
    with serving(gated, hosts="policy, evil.example") as client:
        assert client.get("/health", headers={"Host": "evil.example"}).status_code == 200


@pytest.mark.parametrize(
    ("policy", "shown"),
    [
        ("/home/somebody/runs/mine", "mine"),
        ("runs/mine", "mine"),
        ("owner/model", "model"),
        ("preset:llmstep", "preset:llmstep"),
        ("preset:llmstep=/home/somebody/model", "model"),
        ("openai:model@http://inner:8000/v1", "openai:model"),
    ],
)
def test_health_names_no_folder_and_no_address(gated, policy, shown):
    config = ServeConfig(policy=policy, progress_model="/home/somebody/steps")
    app = make_app(Served(config, gated))
    health = asyncio.run(next(route.endpoint for route in app.routes if route.path == "/health")())
    assert (health["model"], health["progress_model"]) == (shown, "steps")
    assert "somebody" not in json.dumps(health)


def test_a_failing_policy_is_a_status_and_the_server_goes_on(serving, gated, monkeypatch):
    def failing(_: object) -> None:
        raise KeyError("secret detail")

    monkeypatch.setattr(gated, "answer", failing)
    with serving(gated) as client:
        answer = client.post(COMPLETIONS, json={"prompt": "a"})
        assert answer.status_code == 500
        assert answer.json()["error"]["message"] == "the server failed: KeyError"
        assert client.get("/health").status_code == 200
