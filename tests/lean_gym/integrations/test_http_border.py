"""Names under which a server answers, and connections without a complete request."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import uvicorn

from lean_gym.integrations import http_border
from lean_gym.integrations.http_border import HeadsInTime, KnownHosts, Message, Receive, Send


async def echo(scope: Message, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        return
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.mark.parametrize(
    ("host", "names", "good", "bad"),
    [
        (
            "127.0.0.1",
            (),
            ["127.0.0.1", "127.0.0.1:80", "localhost", "LocalHost.:80", "a.localhost:1", "[::1]:80", "10.0.0.7:1"],
            ["", "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "[evil]"],
        ),
        ("box.lan", (), ["box.lan:80", "BOX.lan"], ["box.lan.evil.example", "lan"]),
        ("0.0.0.0", ("policy",), [socket.gethostname(), "policy:8010"], ["evil.example"]),
        ("127.0.0.1", ("*",), ["anything.example", ""], []),
    ],
)  # fmt: skip
def test_names_that_a_server_answers_to(
    host: str, names: tuple[str, ...], good: list[str], bad: list[str]
) -> None:
    known = KnownHosts(echo, host, names)
    assert [name for name in good if not known.knows(name)] == []
    assert [name for name in bad if known.knows(name)] == []


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("hosts", [[], [b"evil.example"], [b"127.0.0.1", b"evil.example"], [b"\xff"]])
def test_other_requests_do_not_reach_the_application(kind: str, hosts: list[bytes]) -> None:
    sent: list[Message] = []

    async def reached(scope: Message, receive: Receive, send: Send) -> None:
        raise AssertionError

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": kind, "headers": [(b"host", host) for host in hosts]}
    asyncio.run(KnownHosts(reached, "127.0.0.1")(scope, receive, send))
    if kind == "websocket":
        assert sent == [{"type": "websocket.close", "code": 1008}]
    else:
        assert sent[0]["status"] == 403
        assert json.loads(sent[1]["body"])["error"]["code"] == "unknown_host"


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(http_border, "HEAD_S", 0.5)
    server = uvicorn.Server(uvicorn.Config(echo, http=HeadsInTime, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


HEAD = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"


def answer(connection: socket.socket) -> bytes:
    found = b""
    while not found.endswith(b"ok"):
        part = connection.recv(1000)
        if not part:
            return b""
        found += part
    return found


@pytest.mark.parametrize("begun", [b"", b"G", HEAD[:-2], b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_connections_without_a_complete_head_are_closed(port: int, begun: bytes) -> None:
    with ExitStack() as opened:
        many = [opened.enter_context(socket.create_connection(("127.0.0.1", port), 60)) for _ in range(50)]
        for each in many:
            each.sendall(begun)
        assert [each.recv(1000) for each in many] == [b""] * 50


def test_bytes_that_trickle_in_do_not_prolong_the_time(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 0.1) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\n")
        for number in range(10_000):
            try:
                slow.sendall(f"X-{number}: 1\r\n".encode())
                if slow.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            raise AssertionError("the connection stays open")


def test_a_slow_body_and_a_second_request_are_answered(port: int) -> None:
    with (
        socket.create_connection(("127.0.0.1", port), 60) as good,
        socket.create_connection(("127.0.0.1", port)) as dead,
    ):
        dead.settimeout(60)
        for _ in range(2):
            good.sendall(HEAD)
            # its time for a head ends meanwhile
            assert dead.recv(1) == b""
            good.sendall(b"abcd")
            assert answer(good).startswith(b"HTTP/1.1 200")
        good.sendall(b"POST / HT")
        assert good.recv(1) == b""
