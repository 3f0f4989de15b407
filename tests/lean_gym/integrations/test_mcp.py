"""The MCP server against the SDK's own client: in this process, over pipes, over HTTP, and hostile clients."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import Client, StdioServerParameters

from lean_gym.__main__ import main
from lean_gym.integrations.mcp import make_server
from lean_gym.integrations.mcp_lemmas import LemmaSearch
from lean_gym.integrations.mcp_proofs import Owner, Proofs
from lean_gym.integrations.shared_provers import SharedProvers
from lean_gym.types import Theorem
from lean_gym.verification.canaries import EXPLOITS, canary_theorems

ROOT = Path(__file__).resolve().parents[3]
SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
NAMED = Theorem("named", "theorem named : 1 = 1", proof="exact a_reference_proof")
BUDGET = 60
TOOLS = [
    *("start_theorem", "goals", "apply_tactic", "try_tactics", "undo", "branch", "goto", "submit"),
    "search_lemmas",
]


class Agent:
    """Calls tools and returns their answers; an error of a tool is an `Refused`."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: Any) -> Any:
        result = await self.client.call_tool(tool, arguments)
        text = "".join(part.text for part in result.content if part.type == "text")
        if result.is_error:
            raise Refused(text)
        answer = result.structured_content
        return answer["result"] if set(answer) == {"result"} else answer

    async def refused(self, tool: str, **arguments: Any) -> str:
        with pytest.raises(Refused) as caught:
            await self(tool, **arguments)
        assert "\n" not in str(caught.value)
        return str(caught.value)


class Refused(Exception):
    pass


@pytest.fixture(scope="module")
def provers() -> Iterator[SharedProvers]:
    with SharedProvers([NAMED], 1, backend="minilean", max_steps=BUDGET + 1) as shared:
        yield shared


@pytest.fixture
def play(provers: SharedProvers) -> Callable[[Callable[[Agent], Awaitable[None]]], None]:
    """Return a function that runs a scene with a client of a server in this process."""
    proofs = Proofs(provers, {"named": NAMED}, most_proofs=4, most_tactics=BUDGET)
    server = make_server(proofs, LemmaSearch())

    def played(scene: Callable[[Agent], Awaitable[None]]) -> None:
        async def connected() -> None:
            async with Client(server) as client:
                await scene(Agent(client))

        asyncio.run(connected())

    return played


async def proved_by_swapping(agent: Agent) -> None:
    start = await agent("start_theorem", theorem=SWAP)
    assert start["goals"] == "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    for tactic in ("constructor", "exact h.2", "exact h.1"):
        view = await agent("apply_tactic", proof=start["proof"], tactic=tactic)
    assert view["outcome"] == "proved"
    judgement = await agent("submit", proof=start["proof"])
    script = f"{SWAP} := by\n  constructor\n  exact h.2\n  exact h.1"
    assert judgement == {"proved": True, "reward": 1.0, "reason": None, "axioms": [], "script": script}


def test_a_proof_is_found_and_submitted(play):
    play(proved_by_swapping)


def test_tools_have_short_documents_with_an_example(play):
    async def scene(agent):
        tools = (await agent.client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        for tool in tools:
            assert f"Example: {tool.name}(" in tool.description
            assert len(tool.description) < 250
            assert set(tool.input_schema["required"]) <= set(tool.input_schema["properties"])

    play(scene)


def test_states_can_be_left_and_found_again(play):
    async def scene(agent):
        start = await agent("start_theorem", theorem=SWAP)
        proof = start["proof"]
        one = await agent("apply_tactic", proof=proof, tactic="constructor")
        await agent("apply_tactic", proof=proof, tactic="exact h.2")
        assert (await agent("undo", proof=proof))["state"] == one["state"]
        other = await agent("branch", proof=proof)
        assert other["proof"] != proof
        assert other["goals"] == one["goals"]
        await agent("goto", proof=proof, state=0)
        assert (await agent("goals", proof=proof))["goals"] == start["goals"]
        assert (await agent("goals", proof=other["proof"]))["goals"] == one["goals"]
        assert (await agent("goto", proof=proof, state=2))["tactics"] == ["constructor", "exact h.2"]
        assert "3 tactics can" not in await agent.refused("undo", proof=proof, count=3)
        assert "expected 0 to 2" in await agent.refused("goto", proof=proof, state=3)
        assert "expected 0 to 2" in await agent.refused("goto", proof=proof, state=-1)
        assert "can be taken back" in await agent.refused("undo", proof=proof, count=-1)

    play(scene)


@pytest.mark.parametrize("half", ["\ud800", "a\udfff", "\udc00\ud800"])
def test_text_that_cannot_be_sent_back_is_refused_by_every_tool(play, half):
    async def scene(agent):
        proof = (await agent("start_theorem", theorem=SWAP))["proof"]
        for tool, arguments in (
            ("start_theorem", {"theorem": f"theorem t : {half}"}),
            ("start_theorem", {"theorem": half}),
            ("start_theorem", {"theorem": SWAP, "context": half}),
            ("apply_tactic", {"proof": proof, "tactic": f"exact {half}"}),
            ("apply_tactic", {"proof": half, "tactic": "skip"}),
            ("try_tactics", {"proof": proof, "tactics": ["skip", half]}),
            ("search_lemmas", {"query": half}),
            ("goals", {"proof": proof, half: half}),
        ):
            assert "not valid Unicode text" in await agent.refused(tool, **arguments)
        view = await agent("apply_tactic", proof=proof, tactic="have h : 'a' = '\\uD800' := ?_")
        assert view["goals"].endswith("h : p ∧ q\n⊢ 'a' = '\\x00'")

    play(scene)


@pytest.mark.parametrize(
    ("theorem", "context", "word"),
    [
        ("theorem A.t : False", "def A.False : Prop := True", "False"),
        ("theorem Nat.t : Not True", "def Nat.Not (p : Prop) : Prop := p", "Not"),
        ("theorem t : False", 'notation "False" => True', "False"),
        ("theorem t : (1 : Nat) < 0", "instance x : LT Nat := ⟨fun _ _ => True⟩", "instance x"),
        ("theorem t : 1 = 2", "variable (h : False)\ninclude h", "variable h"),
    ],
)
def test_a_statement_that_does_not_say_what_it_shows_is_refused(play, theorem, context, word):
    async def scene(agent):
        message = await agent.refused("start_theorem", theorem=theorem, context=context)
        assert word in message
        assert message.endswith("another meaning; the statement would not say what it seems to")
        honest = await agent("start_theorem", theorem="theorem A.t : Fine", context="def A.Fine := True")
        assert honest["messages"] == []

    play(scene)


def test_tactics_that_are_tried_are_not_kept(play):
    async def scene(agent):
        start = await agent("start_theorem", theorem=SWAP)
        proof = start["proof"]
        tried = await agent(
            "try_tactics", proof=proof, tactics=["exact ⟨h.2, h.1⟩", "constructor", "omega", "sorry"]
        )
        outcomes = [one["outcome"] for one in tried]
        assert outcomes == ["proved", "running", "tactic_error", "tactic_error"]
        assert "`sorry` is refused" in tried[3]["error"]
        after = await agent("goals", proof=proof)
        assert after == {**start, "tactics_left": start["tactics_left"] - 4}
        # A proof that was seen in passing is none.
        assert not (await agent("submit", proof=proof))["proved"]

    play(scene)


def test_a_refused_tactic_tells_why_and_changes_nothing(play):
    async def scene(agent):
        start = await agent("start_theorem", theorem=SWAP)
        view = await agent("apply_tactic", proof=start["proof"], tactic="exact h.1")
        assert view["outcome"] == "tactic_error"
        assert "Type mismatch" in view["error"]
        assert (view["state"], view["goals"], view["tactics"]) == (0, start["goals"], [])

    play(scene)


def test_a_theorem_of_the_server_is_named_and_its_proof_is_not_told(play):
    async def scene(agent):
        start = await agent("start_theorem", theorem="named")
        view = await agent("apply_tactic", proof=start["proof"], tactic="rfl")
        shown = json.dumps([start, view, await agent("submit", proof=start["proof"])])
        assert view["outcome"] == "proved"
        assert "a_reference_proof" not in shown

    play(scene)


def test_names_that_nothing_declares_are_told(play):
    async def scene(agent):
        start = await agent("start_theorem", theorem="theorem t (h : x = y) : y = x")
        assert start["messages"] == ["Lean made variables of x, y, which nothing declares"]

    play(scene)


def test_lemmas_are_found_by_their_words(play):
    async def scene(agent):
        found = await agent("search_lemmas", query="nat ADD comm", limit=2)
        assert found[0] == "Nat.add_comm (n m : Nat) : n + m = m + n"
        assert len(found) == 2
        assert "Nat.add_zero (n : Nat) : n + 0 = n" in await agent("search_lemmas", query="n + 0 = n")
        assert await agent("search_lemmas", query="zzz_nothing") == []
        for query in ("", "  ", "a" * 1001):
            assert "query: got" in await agent.refused("search_lemmas", query=query)
        await agent.refused("search_lemmas", query="add", limit=51)

    play(scene)


# Hostile clients. Each attack stands beside an honest neighbour: the scenes above.


@pytest.mark.parametrize("exploit", EXPLOITS, ids=lambda one: one.name)
def test_no_trick_is_paid(play, exploit):
    theorem = canary_theorems()[0]

    async def scene(agent):
        proof = (await agent("start_theorem", theorem=theorem.statement))["proof"]
        for tactic in exploit.against(theorem):
            tried = await agent("try_tactics", proof=proof, tactics=[tactic])
            assert tried[0]["outcome"] != "proved"
            await agent("apply_tactic", proof=proof, tactic=tactic)
        judgement = await agent("submit", proof=proof)
        assert (judgement["proved"], judgement["reward"], judgement["axioms"]) == (False, 0.0, None)

    play(scene)


@pytest.mark.parametrize(
    "context",
    [
        "axiom cheat : False",
        "theorem cheat : False := by sorry",
        "theorem cheat : False := sorry",
        'macro "cheat" : tactic => `(tactic| sorry)',
        "end end end",
        'notation "False" => True',
        "theorem t : False := cheat",
        "/-",
        "\ud800",
    ],
)
def test_no_context_proves_a_false_theorem(play, context):
    async def scene(agent):
        try:
            proof = (await agent("start_theorem", theorem="theorem t : False", context=context))["proof"]
        except Refused:
            return
        for tactic in ("exact cheat", "cheat", "exact t", "trivial"):
            await agent("apply_tactic", proof=proof, tactic=tactic)
        judgement = await agent("submit", proof=proof)
        # A context that gives `False` another meaning makes another theorem, which its own script shows.
        assert not judgement["proved"] or judgement["script"].startswith(context)

    play(scene)


def test_what_is_no_tactic_is_refused(play):
    async def scene(agent):
        proof = (await agent("start_theorem", theorem="theorem t : False"))["proof"]
        for tactic in ("", "\0", "\ud800", "a" * 5000, "-- proved", "}", "done", "end t\ntheorem u : True"):
            try:
                view = await agent("apply_tactic", proof=proof, tactic=tactic)
            except (Refused, UnicodeEncodeError):
                continue
            assert view["outcome"] != "proved"
        for wrong in (None, 3, ["rfl"], {"tactic": "rfl"}):
            await agent.refused("apply_tactic", proof=proof, tactic=wrong)
        said = await agent.refused("apply_tactic", proof=proof)
        assert said == "apply_tactic: tactic: Field required"
        said = await agent.refused("goto", proof=proof, state="x" * 5000)
        assert said.startswith("goto: state: Input should be a valid integer")
        assert len(said) < 500
        await agent.refused("try_tactics", proof=proof, tactics=[])
        await agent.refused("try_tactics", proof=proof, tactics=["rfl"] * 33)
        await agent.refused("undo", proof=proof, count=10**30)
        await agent.refused("goto", proof=proof, state=10**30)
        assert not (await agent("submit", proof=proof))["proved"]

    play(scene)


def test_a_client_sets_no_reward_and_no_limit(play):
    async def scene(agent):
        proof = (await agent("start_theorem", theorem="theorem t : False"))["proof"]
        for extra in ({"reward": 1.0}, {"proved": True}, {"script": "trivial"}):
            judgement = await agent("submit", proof=proof, **extra)
            assert (judgement["proved"], judgement["reward"]) == (False, 0.0)
        view = await agent("apply_tactic", proof=proof, tactic="skip", max_steps=10**9, outcome="proved")
        assert view["tactics_left"] == BUDGET - 1

    play(scene)


def test_a_handle_must_be_one_that_was_given(play):
    async def scene(agent):
        for handle in ("", "proof-0", "../../etc/passwd", "proof-" + "0" * 16, "x" * 10_000):
            said = await agent.refused("submit", proof=handle)
            assert "is no open proof" in said
            assert len(said) < 500

    play(scene)


def test_what_is_no_theorem_is_refused_in_one_line(play):
    async def scene(agent):
        for theorem in (
            "",
            "logic",
            "/etc/passwd",
            "theorem t : False := by sorry",
            "theorem",
            "def f : Nat",
            "theorem t : Nat",
        ):
            said = await agent.refused("start_theorem", theorem=theorem)
            assert "Traceback" not in said
        assert "at most 65536" in await agent.refused("start_theorem", theorem="theorem t : " + "(" * 70_000)
        assert "leave it out" in await agent.refused("start_theorem", theorem="named", context="open Nat")

    play(scene)


def test_the_budget_of_tactics_is_shared_by_branches(play):
    async def scene(agent):
        proof = (await agent("start_theorem", theorem="theorem t : 1 = 2"))["proof"]
        other = (await agent("branch", proof=proof))["proof"]
        for _ in range(BUDGET // 30):
            await agent("try_tactics", proof=proof, tactics=["skip"] * 30)
        assert "budget" in await agent.refused("apply_tactic", proof=other, tactic="rfl")

    play(scene)


def test_the_oldest_proof_ends_when_there_are_too_many(play):
    async def scene(agent):
        proofs = [(await agent("start_theorem", theorem="named"))["proof"] for _ in range(4)]
        await agent("goals", proof=proofs[0])
        await agent("branch", proof=proofs[0])
        assert "no open proof" in await agent.refused("goals", proof=proofs[1])
        assert (await agent("goals", proof=proofs[0]))["outcome"] == "running"

    play(scene)


def test_many_proofs_of_one_client_end_none_of_another(provers):
    proofs = Proofs(provers, {"named": NAMED}, most_proofs=8)
    one, two, three = Owner("10.0.0.1"), Owner("10.0.0.2", "a"), Owner("10.0.0.2", "b")
    kept = [proofs.start("named", owner=two).name for _ in range(3)] + [
        proofs.start("named", owner=three).name
    ]
    many = [proofs.start("named", owner=one).name for _ in range(30)]
    for name in kept + many[-4:]:
        proofs.get(name)
    for name in many[:-4]:
        with pytest.raises(ValueError, match="no open proof"):
            proofs.get(name)
    # an address with many sessions takes no more than its share either
    for number in range(30):
        proofs.start("named", owner=Owner("10.0.0.2", str(number)))
    for name in many[-3:]:
        proofs.get(name)


def test_calls_at_once_on_one_proof_are_done_one_after_another(play):
    async def scene(agent):
        proof = (await agent("start_theorem", theorem=SWAP))["proof"]
        calls = [agent("apply_tactic", proof=proof, tactic="skip") for _ in range(6)]
        states = [view["state"] for view in await asyncio.gather(*calls)]
        assert sorted(states) == [1, 2, 3, 4, 5, 6]

    play(scene)


# Processes of their own.


def test_an_agent_starts_the_server_and_talks_over_its_pipes():
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "lean_gym", "mcp", "--processes", "1", "--theorems", "logic"],
        env={"PYTHONPATH": str(ROOT)},
    )

    async def scene() -> None:
        async with Client(server) as client:
            await proved_by_swapping(Agent(client))

    asyncio.run(scene())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["mcp", "--transport", "http", "--port", str(port), "--processes", "1", "--theorems", "logic"]
    command = [sys.executable, "-m", "lean_gym", *words]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
        try:
            while process.poll() is None:
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.1)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            provers = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            assert provers
            assert not psutil.wait_procs(provers, timeout=60)[1]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_clients_over_http_keep_their_proofs_between_requests(address, mode):
    """`legacy` is the handshake of the older protocol with a session; the newer one has none."""

    async def scene() -> None:
        async with Client(address, mode=mode) as one, Client(address, mode=mode) as other:
            await proved_by_swapping(Agent(one))
            start = await Agent(one)("start_theorem", theorem=SWAP)
            # A handle is all that a second client needs, and nothing tells it to one who was not given it.
            assert await Agent(other)("goals", proof=start["proof"]) == start

    asyncio.run(scene())


def test_another_client_starts_three_hundred_theorems(address):
    async def scene() -> None:
        async with Client(address) as client, Client(address) as other:
            proof = (await Agent(client)("start_theorem", theorem=SWAP))["proof"]
            for _ in range(300):
                await Agent(other)("start_theorem", theorem="theorem t : 1 = 1")
            assert (await Agent(client)("goals", proof=proof))["outcome"] == "running"

    asyncio.run(scene())


def test_a_page_of_another_site_cannot_drive_the_server(address):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    for foreign in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        request = urllib.request.Request(address, body, {**headers, **foreign})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=60)
        assert refused.value.code in (403, 421)
        refused.value.close()


def test_without_its_extra_it_says_what_to_install(monkeypatch, capsys):
    for name in [each for each in sys.modules if re.match(r"mcp(\.|$)|lean_gym\.integrations\.mcp$", each)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp"]) == 1
    expected = "error: needs the package mcp; install it with: pip install 'lean-gym[mcp]'\n"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    "words",
    [
        ["--theorems", "no_such_set"],
        ["--processes", "0"],
        ["--max-tactics", "0"],
        ["--transport", "http", "--port", "65536"],
        ["--transport", "http", "--host", "no host"],
    ],
)
def test_wrong_settings_are_one_line(words, capsys):
    assert main(["mcp", *words]) == 2
    assert re.fullmatch(r"error: [^\n]+\n", capsys.readouterr().err)
