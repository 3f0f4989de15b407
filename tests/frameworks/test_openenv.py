"""The OpenEnv package against openenv itself: its validator, its clients, its wire format, hostile clients."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lean_gym.integrations.task_sets import SERVED, TaskSets

pytestmark = [
    pytest.mark.openenv,
    pytest.mark.timeout(900),  # openenv loads gradio and FastMCP
    pytest.mark.filterwarnings("ignore"),  # what openenv's libraries warn about
]
PACKAGE = Path(__file__).resolve().parents[2] / "lean_gym" / "integrations" / "openenv"
SWAP = {"split": "logic:test", "theorem": "prop_modus_ponens"}


def call(address: str, path: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class Socket:
    """The wire format, without a client of openenv's."""

    def __init__(self, address: str, query: str = "") -> None:
        from websockets.sync.client import connect

        self.raw = connect(address.replace("http", "ws") + "/ws" + query, open_timeout=120, max_size=None)

    def __enter__(self) -> Socket:
        return self

    def __exit__(self, *_: object) -> None:
        self.raw.close()

    def ask(self, message: Any) -> dict[str, Any]:
        self.raw.send(message if isinstance(message, str) else json.dumps(message))
        return self.answer()

    def answer(self) -> dict[str, Any]:
        return json.loads(self.raw.recv(timeout=120))

    def reset(self, **options: Any) -> dict[str, Any]:
        return self.ask({"type": "reset", "data": options})

    def step(self, tactic: Any) -> dict[str, Any]:
        return self.ask({"type": "step", "data": {"tactic": tactic}})


def test_openenv_validate_passes(server: str) -> None:
    from openenv.cli.__main__ import app
    from typer.testing import CliRunner

    runner = CliRunner()
    package = runner.invoke(app, ["validate", str(PACKAGE), "--level", "static"])
    assert (package.exit_code, "Verdict: PASS" in package.output) == (0, True), package.output
    running = runner.invoke(app, ["validate", "--url", server, "--timeout", "60"])
    assert (running.exit_code, "Verdict: PASS" in running.output) == (0, True), running.output
    assert "FAIL" not in package.output + running.output


def test_the_manifest_declares_the_sets_that_are_served() -> None:
    from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser

    manifest = OpenEnvYamlParser().parse(PACKAGE)
    counts = {split: len(tasks) for split, tasks in TaskSets(SERVED).splits.items()}
    assert manifest.capabilities.declared_task_count == counts
    assert manifest.capabilities.canaries and (PACKAGE / manifest.capabilities.canaries).is_file()


def test_openenvs_runtime_graders_pass(server: str, tmp_path: Path) -> None:
    """Its provider needs Docker; the collector and the graders are the same without."""
    import jsonschema
    from openenv.validation.graders import Subject
    from openenv.validation.graders.runtime import RewardWellFormedGrader, StateContractGrader
    from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
    from openenv.validation.runtime.collector import collect_runtime_evidence
    from openenv.validation.runtime.contracts import RuntimePlan, RuntimeReset

    actions = [{"tactic": "intro h"}, {"tactic": "no_tactic"}, {"tactic": "exact h"}]
    plan = RuntimePlan(
        plan_schema_version="1",
        reset=RuntimeReset(episode_id="one", seed=1, options=SWAP),
        actions=actions,
    )
    evidence = collect_runtime_evidence(server, plan, episode_timeout_s=300)
    assert evidence.failure_reason is None
    subject = Subject(PACKAGE, OpenEnvYamlParser().parse(PACKAGE), None, None, tmp_path, evidence)
    for grader in (RewardWellFormedGrader(), StateContractGrader()):
        result = grader.run(subject)
        assert result.status.value == "pass", result
    assert evidence.observation_schema_json is not None
    schema = json.loads(evidence.observation_schema_json)
    rewards = []
    for exchange in evidence.exchanges:
        if exchange.operation in ("reset", "step"):
            data = json.loads(exchange.response_json)["data"]
            shown = {"reward": data["reward"], "done": data["done"]}
            jsonschema.validate({**data["observation"], **shown}, schema)
            rewards.append(data["reward"])
    assert rewards == [0.0, 0.0, 0.0, 1.0]


def test_the_published_clients_prove(server: str) -> None:
    from openenv.core import GenericEnvClient

    from lean_gym.integrations.openenv import LeanAction, LeanEnv

    with GenericEnvClient(base_url=server).sync() as client:
        result = client.reset(**SWAP, seed=3, episode_id="mine")
        assert (result.reward, result.done) == (0.0, False)
        assert result.observation["goals"] == "p q : Prop\n⊢ (p → q) → p → q"
        refused = client.step({"tactic": "exact h"})
        assert (refused.reward, refused.observation["outcome"]) == (0.0, "tactic_error")
        client.step({"tactic": "intro h"})
        proved = client.step({"tactic": "exact h"})
        assert (proved.reward, proved.done, proved.observation["outcome"]) == (1.0, True, "proved")
        state = client.state()
        assert (state["episode_id"], state["step_count"]) == ("mine", 3)
        assert state["tactics"] == ["intro h", "exact h"]
        with pytest.raises(RuntimeError, match="the episode has ended"):
            client.step({"tactic": "rfl"})
    with LeanEnv(base_url=server).sync() as client:
        typed = client.reset(split="logic:test", theorem="prop_modus_ponens")
        assert typed.observation.task["statement"].startswith("theorem prop_modus_ponens")
        client.step(LeanAction(tactic="intro h"))
        assert client.step(LeanAction(tactic="exact h")).reward == 1.0
        assert client.state().outcome == "proved"


def test_sessions_are_apart_and_counted(server: str) -> None:
    with ExitStack() as stack:
        sockets = [stack.enter_context(Socket(server)) for _ in range(4)]
        for socket in sockets:
            socket.reset(**SWAP)
        assert [socket.step("intro h")["data"]["reward"] for socket in sockets] == [0.0] * 4
        with Socket(server) as fifth:
            refused = fifth.answer()["data"]
            assert (refused["code"], refused["max_sessions"]) == ("CAPACITY_REACHED", 4)
        assert [socket.step("exact h")["data"]["reward"] for socket in sockets] == [1.0] * 4


def test_a_server_of_nothing_does_not_start(capsys: pytest.CaptureFixture[str]) -> None:
    from lean_gym.integrations.serve import main

    assert main(["--theorems", "logik"]) == 2
    assert capsys.readouterr().err.startswith("error: unknown theorem set 'logik'; did you mean 'logic'?")
    assert main(["--processes", "0"]) == 2
    assert capsys.readouterr().err.startswith("error: processes: got 0, expected an integer >= 1")


def test_a_session_that_nobody_uses_gives_its_place_to_another() -> None:
    """OpenEnv lets a client open sessions by HTTP and leave them behind."""
    from fastapi.testclient import TestClient

    from lean_gym.integrations.openenv.server.app import make_app

    opening = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {}}
    with TestClient(make_app(["logic"], sessions=1, processes=1, idle_s=1.0)) as client:
        assert "session_id" in client.post("/mcp", json=opening).json()["result"]
        refused = client.post("/mcp", json=opening).json()["error"]
        assert refused["data"] == {"active_sessions": 1, "max_sessions": 1}
        while "result" not in client.post("/mcp", json=opening).json():
            time.sleep(0.5)


def test_a_connection_that_was_idle_goes_on() -> None:
    from fastapi.testclient import TestClient

    from lean_gym.integrations.openenv.server.app import make_app

    opening = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {}}
    with (
        TestClient(make_app(["logic"], sessions=1, processes=1, idle_s=1.0)) as client,
        client.websocket_connect("/ws") as socket,
    ):
        socket.send_json({"type": "reset", "data": {**SWAP, "injected_state": {"tactics": ["intro h"]}}})
        socket.receive_json()
        while "result" not in client.post("/mcp", json=opening).json():
            time.sleep(0.5)
        socket.send_json({"type": "step", "data": {"tactic": "exact h"}})
        assert socket.receive_json()["data"]["reward"] == 1.0


def test_a_seed_repeats_the_draw(server: str) -> None:
    with Socket(server) as socket:
        drawn = [socket.reset(seed=seed)["data"]["observation"]["task"]["id"] for seed in (5, 6, 5)]
    assert drawn[0] == drawn[2] != drawn[1]


def test_the_task_api_knows_everything_but_the_proofs(server: str) -> None:
    assert call(server, "/list_environments") == (200, ["lean_gym"])
    splits = call(server, "/lean_gym/splits")[1]
    assert [split["name"] for split in splits][-2:] == ["own", "canaries"]
    assert {split["name"]: split["type"] for split in splits}["logic:train"] == "train"
    assert call(server, "/lean_gym/num_tasks", {"split": "own"}) == (200, {"num_tasks": 1})
    task = call(server, "/lean_gym/task", {"split": "own", "index": 0})[1]["task"]
    assert (task["id"], task["statement"]) == ("own/secret", "theorem secret : 1 = 1")
    assert "my_proof" not in json.dumps(call(server, "/lean_gym/tasks", {"split": "own"}))
    some = call(server, "/lean_gym/task_range", {"split": "logic:train", "start": 2, "stop": 4})[1]["tasks"]
    assert [task["index"] for task in some] == [2, 3]


@pytest.mark.parametrize("split", ["/etc/passwd", "hidden.jsonl", "./hidden.jsonl", "own.jsonl", "../own"])
def test_a_client_reaches_no_file(server: str, split: str) -> None:
    status, answer = call(server, "/lean_gym/tasks", {"split": split})
    assert (status, answer["detail"].split(" (")[0].split(";")[0]) == (400, f"unknown split {split!r}")
    status, answer = call(server, "/reset", {"theorems": split})
    assert (status, answer["detail"].split(";")[0]) == (400, "unknown reset option 'theorems'")
    with Socket(server) as socket:
        for options in ({"split": split}, {"theorems": split}, {"theorem": split}):
            refused = socket.reset(**options)
            assert (refused["type"], refused["data"]["code"]) == ("error", "EXECUTION_ERROR")
            assert split in refused["data"]["message"] or "unknown reset option" in refused["data"]["message"]
            assert "reward" not in json.dumps(refused)


def test_the_oracle_earns_one_and_the_canaries_nothing(server: str) -> None:
    oracle = json.loads((PACKAGE / "validation" / "oracle.json").read_text())
    attempts = json.loads((PACKAGE / "validation" / "canaries.json").read_text())
    assert len({attempt["reset"]["theorem"] for attempt in attempts}) == 8
    with Socket(server) as socket:
        result = socket.reset(**oracle["reset"])["data"]
        assert (result["reward"], result["done"]) == (oracle["reward"], True) == (1.0, True)
        for attempt in attempts:
            assert socket.reset(**attempt["reset"])["data"]["reward"] == 0.0
            rewards = [socket.ask({"type": "step", "data": action}) for action in attempt["actions"]]
            assert [reward["data"]["reward"] for reward in rewards] == [attempt["reward"]] * len(rewards)


def test_a_state_is_set_by_replay(server: str) -> None:
    with Socket(server) as socket:
        middle = socket.reset(**SWAP, injected_state={"tactics": ["intro h"]})["data"]
        assert (middle["reward"], middle["done"], middle["observation"]["steps"]) == (0.0, False, 1)
        assert socket.step("exact h")["data"]["reward"] == 1.0
        for forged in (
            {"tactics": ["sorry"]},
            {"tactics": ["exact h"]},
            {"tactics": ["intro h"], "outcome": "proved"},
            {"tactics": "intro h"},
            {"tactics": [1]},
            {"reward": 1.0},
            [],
        ):
            refused = socket.reset(**SWAP, injected_state=forged)
            assert refused["data"]["code"] == "EXECUTION_ERROR", forged
            assert "tactics" in refused["data"]["message"]
        assert "there is no episode" in socket.step("exact h")["data"]["message"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("no JSON", "INVALID_JSON"),
        ({"type": "reward", "data": {"reward": 1}}, "UNKNOWN_TYPE"),
        ({"type": "step", "data": {}}, "VALIDATION_ERROR"),
        ({"type": "step", "data": {"tactic": 5}}, "VALIDATION_ERROR"),
        ({"type": "step", "data": {"tactic": ["intro h"]}}, "VALIDATION_ERROR"),
        ({"type": "step", "data": {"tactic": "intro h", "reward": 1.0}}, "VALIDATION_ERROR"),
        ({"type": "step", "data": "intro h"}, "VALIDATION_ERROR"),
        ({"type": "reset", "data": {"seed": "1"}}, "EXECUTION_ERROR"),
        ({"type": "reset", "data": {"seed": -1}}, "EXECUTION_ERROR"),
        ({"type": "reset", "data": {"episode_id": "e" * 1000}}, "EXECUTION_ERROR"),
        ({"type": "reset", "data": {"split": "canaries", "index": 10**12}}, "EXECUTION_ERROR"),
        ({"type": "reset", "data": {"reward": "shaped"}}, "EXECUTION_ERROR"),
    ],
)
def test_a_wrong_message_is_one_error(server: str, message: Any, code: str) -> None:
    """It earns nothing; its own session and another one go on."""
    with Socket(server) as hostile, Socket(server) as honest:
        honest.reset(**SWAP)
        refused = hostile.ask(message)
        assert (refused["type"], refused["data"]["code"]) == ("error", code)
        assert refused["data"]["message"]
        hostile.reset(**SWAP)
        for socket in (hostile, honest):
            socket.step("intro h")
            assert socket.step("exact h")["data"]["reward"] == 1.0


def test_huge_messages_and_unknown_sessions_end_their_connection_only(server: str) -> None:
    from websockets.exceptions import ConnectionClosed

    with Socket(server) as honest:
        honest.reset(**SWAP)
        with Socket(server) as hostile:
            hostile.reset(**SWAP)
            long = hostile.step("exact h" + " " * 5000)["data"]
            assert (long["reward"], long["observation"]["outcome"]) == (0.0, "tactic_error")
            assert "at most 4096 allowed" in long["observation"]["error"]
            with pytest.raises(ConnectionClosed) as closed:
                hostile.step("a" * (2 << 20))
            assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
        with Socket(server, "?session_id=another") as stranger:
            refused = stranger.answer()["data"]
            assert (refused["code"], refused["message"]) == ("SESSION_ERROR", "Unknown session_id: another")
        with Socket(server) as hostile:
            assert hostile.ask([1, 2])["data"]["code"] == "SESSION_ERROR"
        honest.step("intro h")
        assert honest.step("exact h")["data"]["reward"] == 1.0


def test_a_reset_during_a_step_waits_for_it(server: str) -> None:
    with Socket(server) as socket:
        socket.reset(**SWAP)
        for message in (
            {"type": "step", "data": {"tactic": "intro h"}},
            {"type": "reset", "data": SWAP},
            {"type": "step", "data": {"tactic": "exact h"}},
        ):
            socket.raw.send(json.dumps(message))
        step, reset, late = (socket.answer()["data"] for _ in range(3))
        assert step["observation"]["tactics"] == ["intro h"]
        assert (reset["observation"]["tactics"], reset["reward"]) == ([], 0.0)
        assert (late["observation"]["outcome"], late["reward"]) == ("tactic_error", 0.0)


def test_http_without_a_session_proves_nothing(server: str) -> None:
    status, answer = call(server, "/step", {"action": {"tactic": "exact h"}})
    assert (status, answer["detail"]) == (400, "step: there is no episode; reset first")
    assert call(server, "/step", {"action": {"tactic": 5}})[0] == 422
    assert call(server, "/reset", SWAP)[1]["reward"] == 0.0


def test_the_documented_program_prints_what_it_says(server: str, shown: Any, capsys: Any) -> None:
    [(program, printed)] = shown("OpenEnv")
    exec(compile(program.replace("http://localhost:8000", server), "integrations.md", "exec"), {})
    assert capsys.readouterr().out == printed
