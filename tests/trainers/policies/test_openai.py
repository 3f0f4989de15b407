"""The endpoint policy against a server in this process."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from trainers.config.endpoint import EndpointConfig
from trainers.config.rollout import RolloutConfig
from trainers.errors import PolicyError
from trainers.evaluate import main as evaluate
from trainers.policies import openai
from trainers.policies.openai import OpenAIPolicy, split_address
from trainers.policies.transformers import TransformersPolicy
from trainers.runtime.signals import Interrupted

Reply = tuple[int, dict[str, str], bytes]


def chat(text: str | None) -> Reply:
    return 200, {}, json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


class Server:
    """Server that answers by a function of (number of the request, its body), and records the requests."""

    def __init__(self, answer: Callable[[int, dict[str, Any]], Reply]) -> None:
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        lock = threading.Lock()
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    asked.append((self.path, dict(self.headers), body))
                    number = len(asked)
                status, headers, content = answer(number, body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def asking(
    answer: Callable[[int, dict[str, Any]], Reply], rollout: RolloutConfig | None = None, **settings: Any
) -> Iterator[tuple[Server, OpenAIPolicy]]:
    with Server(answer) as server:
        endpoint = EndpointConfig(**settings)
        yield server, OpenAIPolicy(f"openai:m@{server.url}", rollout or RolloutConfig(), endpoint)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(openai, "_pause", lambda attempt, asked_s: 0.0)


def last_goal(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"])


def test_an_answer_with_a_whole_proof_is_not_cut_down() -> None:
    text = "<think>split?</think>\n```lean\ntheorem t : True := trivial\n```"
    for actions, expected in (("proof", text), ("tactic", "theorem t : True := trivial")):
        with asking(lambda *_: chat(text), RolloutConfig(actions=actions)) as (server, policy):  # type: ignore[arg-type]
            (answer,) = policy.sample(["theorem t : True := by"])
        assert answer.text == expected
        assert ("whole theorem" in server.asked[0][2]["messages"][0]["content"]) == (actions == "proof")


def test_answers_come_in_the_order_of_the_goals() -> None:
    barrier = threading.Barrier(4)

    def answer(_: int, body: dict[str, Any]) -> Reply:
        barrier.wait(timeout=10)  # passes only when four requests are in flight at once
        return chat(f"exact {last_goal(body)}")

    with asking(answer, concurrency=4) as (_, policy):
        completions = policy.sample([f"g{number}" for number in range(8)])
    assert [completion.text for completion in completions] == [f"exact g{number}" for number in range(8)]
    assert {(c.prompt_ids, c.token_ids, c.logprobs) for c in completions} == {((), (), ())}


def test_what_a_chat_request_holds() -> None:
    rollout = RolloutConfig(temperature=0.7, max_tactic_tokens=9, prompt_goals=1, instruction="Prove.")
    options = {"max_tokens": None, "max_completion_tokens": 9}
    with asking(lambda *_: chat("simp"), rollout, request_options=options) as (server, policy):
        policy.sample(["⊢ a\n\n⊢ b"])
    path, headers, body = server.asked[0]
    assert path == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert body == {
        "model": "m",
        "temperature": 0.7,
        "max_completion_tokens": 9,
        "messages": [{"role": "system", "content": "Prove."}, {"role": "user", "content": "⊢ a"}],
    }


@pytest.mark.parametrize("top_p", [1.0, 0.9])
def test_a_nucleus_is_asked_for_where_it_is_set(top_p: float) -> None:
    with asking(lambda *_: chat("simp"), RolloutConfig(top_p=top_p)) as (server, policy):
        policy.sample(["⊢ a"])
    assert server.asked[0][2].get("top_p", 1.0) == top_p
    assert ("top_p" in server.asked[0][2]) == (top_p < 1.0)


def test_what_a_plain_request_holds() -> None:
    content = json.dumps({"choices": [{"text": " rfl\n"}]}).encode()
    with asking(lambda *_: (200, {}, content), api="completions") as (server, policy):
        assert policy.sample(["⊢ a"])[0].text == "rfl"
    assert server.asked[0][0] == "/v1/completions"
    assert server.asked[0][2]["prompt"] == "⊢ a:::"


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_stop_texts_are_sent_and_are_no_part_of_the_tactic(api: str) -> None:
    text = "<think>a</think>simp\n-- closes it"
    reply = (
        chat(text) if api == "chat" else (200, {}, json.dumps({"choices": [{"text": "simp\n--"}]}).encode())
    )
    rollout = RolloutConfig(stop=["--", "\n\n"])
    with asking(lambda *_: reply, rollout, api=api) as (server, policy):
        assert policy.sample(["⊢ a"])[0].text == "simp"
    assert server.asked[0][2]["stop"] == ["--", "\n\n"]


def test_seeds_repeat_within_the_block_and_are_absent_outside() -> None:
    with asking(lambda *_: chat("simp"), concurrency=1) as (server, policy):
        for _ in range(2):
            with policy.seeded(5):
                policy.sample(["a", "b"])
        policy.sample(["a"])
    seeds = [body.get("seed") for _, _, body in server.asked]
    assert seeds[:2] == seeds[2:4]
    assert seeds[0] != seeds[1]
    assert seeds[4] is None


def test_the_key_comes_from_the_named_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret-1")
    with asking(lambda *_: chat("simp"), api_key_variable="MY_KEY") as (server, policy):
        policy.sample(["a"])
    assert server.asked[0][1]["Authorization"] == "Bearer secret-1"


@pytest.mark.parametrize("failure", [(429, b"{}"), (500, b"oops"), (503, b""), (200, b"<html>")])
def test_failures_that_may_pass_are_tried_again(failure: tuple[int, bytes]) -> None:
    def answer(number: int, _: dict[str, Any]) -> Reply:
        return chat("simp") if number == 3 else (failure[0], {}, failure[1])

    with asking(answer) as (server, policy):
        assert policy.sample(["a"])[0].text == "simp"
    assert len(server.asked) == 3


def test_a_time_out_is_tried_again() -> None:
    released = threading.Event()

    def answer(number: int, _: dict[str, Any]) -> Reply:
        if number == 1:
            released.wait(10)
        return chat("simp")

    with asking(answer, request_timeout_s=0.2) as (server, policy):
        try:
            assert policy.sample(["a"])[0].text == "simp"
        finally:
            released.set()
    assert len(server.asked) == 2


def test_it_gives_up_after_the_last_retry() -> None:
    content = json.dumps({"error": {"message": "slow\ndown"}}).encode()
    with (
        asking(lambda *_: (429, {}, content), max_retries=2) as (server, policy),
        pytest.raises(PolicyError, match=r"gave up after 3 tries, last: HTTP 429: slow down$"),
    ):
        policy.sample(["a"])
    assert len(server.asked) == 3


def test_no_server_is_a_clear_line() -> None:
    with Server(lambda *_: chat("")) as server:
        url = server.url
    policy = OpenAIPolicy(f"openai:m@{url}", RolloutConfig(), EndpointConfig(max_retries=1))
    with pytest.raises(PolicyError, match=r"gave up after 2 tries, last: no connection: .*refused"):
        policy.sample(["a"])


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ((400, {}, b'{"error": {"message": "no such field"}}'), r"model 'm': HTTP 400: no such field$"),
        ((404, {}, b'{"message": "no model m"}'), "HTTP 404: no model m"),
        ((401, {}, b""), "HTTP 401: Unauthorized .*variable OPENAI_API_KEY, which is not set"),
        ((307, {"Location": "http://elsewhere/"}, b""), "redirects are not followed.*http://elsewhere/"),
        ((200, {}, b'{"choices": []}'), r"expected choices of the chat API, got \{"),
    ],
)
def test_final_failures_are_not_tried_again(reply: Reply, message: str) -> None:
    with asking(lambda *_: reply) as (server, policy), pytest.raises(PolicyError, match=message) as caught:
        policy.sample(["a"])
    assert len(server.asked) == 1
    assert "\n" not in str(caught.value)


def test_a_redirect_does_not_carry_the_key_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    with Server(lambda *_: chat("simp")) as thief:
        reply = (302, {"Location": thief.url + "/chat/completions"}, b"")
        with asking(lambda *_: reply) as (_, policy), pytest.raises(PolicyError) as caught:
            policy.sample(["a"])
    assert thief.asked == []
    assert "secret" not in str(caught.value)


def test_an_empty_answer_is_an_empty_tactic() -> None:
    with asking(lambda *_: chat(None)) as (_, policy):
        assert policy.sample(["a"])[0].text == ""


def test_half_a_surrogate_pair_in_an_answer_becomes_a_question_mark() -> None:
    with asking(lambda *_: (200, {}, b'{"choices": [{"message": {"content": "exact \\ud800\\u03b1"}}]}')) as (
        _,
        policy,
    ):
        assert policy.sample(["a"])[0].text == "exact ?α"


def test_waiting_can_be_stopped() -> None:
    released = threading.Event()

    def answer(_: int, __: dict[str, Any]) -> Reply:
        released.wait(10)
        return chat("simp")

    def stop() -> None:
        released.set()
        raise Interrupted(2)

    with Server(answer) as server:
        policy = OpenAIPolicy(f"openai:m@{server.url}", RolloutConfig(), EndpointConfig(concurrency=1), stop)
        with pytest.raises(Interrupted):
            policy.sample(["a", "b", "c", "d"])


def test_nothing_to_ask() -> None:
    policy = OpenAIPolicy("openai:m@http://127.0.0.1:1/v1", RolloutConfig(), EndpointConfig())
    assert policy.sample([]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("openai:m@http://h:1/v1", ("m", "http://h:1/v1")),
        ("openai:org/m:7b@https://h/v1/", ("org/m:7b", "https://h/v1")),
        ("openai:a@b@http://h/v1", ("a@b", "http://h/v1")),
    ],
)
def test_addresses(text: str, expected: tuple[str, str]) -> None:
    assert split_address(text) == expected


@pytest.mark.parametrize(
    "text",
    ["openai:m", "openai:@http://h/v1", "openai:m@h:1/v1", "openai:m@ftp://h/v1", "openai:m@http://", "m"],
)
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(PolicyError, match="expected openai:MODEL@http://host:port/v1, got"):
        split_address(text)


def test_pauses_grow_and_follow_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert [openai._pause(3, asked) for asked in (0.0, 7.0, 1e9)] == [0.0, 7.0, openai.LONGEST_WAIT_S]
    for attempt, longest in ((0, 0.5), (3, 4.0), (30, openai.LONGEST_WAIT_S)):
        assert longest / 2 <= openai._pause(attempt, None) <= longest
    assert [openai._seconds(text) for text in ("3", "Wed, 21 Oct 2026 07:28:00 GMT", None)] == [
        3.0,
        None,
        None,
    ]


@pytest.fixture
def served(trained: TransformersPolicy, tmp_path: Path) -> Iterator[str]:
    """The address of `trained` behind `transformers serve`."""
    trained.save(tmp_path / "model")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    serve = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(tmp_path / "model")]
    log = (tmp_path / "server.log").open("w")
    process = subprocess.Popen([*serve, "--host", "127.0.0.1", "--port", str(port)], stdout=log, stderr=log)
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, (tmp_path / "server.log").read_text()[-2000:]
                time.sleep(0.5)
        yield f"openai:{tmp_path / 'model'}@http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)
        log.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_real_server_proves_theorems(served: str, theorem_file: Path, tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    words = ["--policy", served, "--api", "completions", "--theorems", f"{theorem_file}:train"]
    words += [
        "--backend",
        "fake",
        "--workers",
        "1",
        "--k",
        "1,4",
        "--max-steps",
        "8",
        "--max-tactic-tokens",
        "6",
    ]
    assert evaluate([*words, "--concurrency", "4", "--out-dir", str(tmp_path / "out")]) == 0
    found = json.loads((tmp_path / "out" / "result.json").read_text())
    # The model proves some of these locally, so it must behind a server that gets the same prompts.
    assert found["overall"]["pass@4"]["value"] > 0.0
    assert found["not_verified"] == 0


@pytest.mark.parametrize(
    "address", ["openai:m@http://[::1", "openai:m@http://h\udcff/v1", "openai:m@http://h\0/v1"]
)
def test_an_address_that_no_host_can_have_is_one_line(address: str) -> None:
    with pytest.raises(PolicyError, match="endpoint: expected openai:MODEL@http"):
        split_address(address)
