"""`/v1/prove`: verified proofs, limits, streams, clients that go away, and statements that try to earn a proof."""

from __future__ import annotations

import errno
import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from lean_gym.errors import DataError
from lean_gym.pool.worker_handle import Worker
from lean_gym.types import Theorem
from minilean.check_command import check_text
from trainers.config.rollout import SamplingConfig
from trainers.proving.serving import environments
from trainers.proving.serving.asks import Ask, Sampled
from trainers.proving.serving.environments import Provers
from trainers.proving.serving.served import Served
from trainers.proving.serving.statements import theorem_of
from trainers.rollouts.env import opened_env

PROVE = "/v1/prove"
WORDS = ("intro h", "exact h", "constructor", "trivial", "rfl", "sorry", "exact sorry", "exact a")


class Listed:
    """Gives its tactics in turn, whatever the goals; waits where it is told to."""

    settings = SamplingConfig()
    is_chat = False
    tells_logprobs = True

    def __init__(self, words: Sequence[str] = WORDS) -> None:
        self.words = words
        self.given = 0
        self.batches: list[list[str]] = []
        self.go = threading.Event()
        self.go.set()

    def answer(self, batch: Sequence[Ask]) -> list[list[Sampled]]:
        self.batches.append([ask.text for ask in batch])
        assert self.go.wait(60)
        answers = []
        for ask in batch:
            words = [self.words[(self.given + at) % len(self.words)] for at in range(ask.count)]
            self.given += ask.count
            answers.append([Sampled(word, (word,), (-1.0,), True, 1, word, (-1.0,)) for word in words])
        return answers

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


@pytest.fixture(scope="module")
def source() -> Listed:
    return Listed()


@pytest.fixture(scope="module")
def prover(source: Listed) -> Iterator[httpx.Client]:
    from tests.trainers.proving.serving.conftest import _serving

    with _serving(source, backend="minilean", theorems="logic", search={"tactics": 64}) as client:
        yield client


def found(client: httpx.Client, theorem: str, **fields: Any) -> dict[str, Any]:
    answer = client.post(PROVE, json={"theorem": theorem, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_proof_is_source_that_the_checker_accepts(prover):
    answer = found(prover, "theorem t (p : Prop) : p → p")
    assert answer["proved"] is True
    assert answer["source"].startswith("theorem t (p : Prop) : p → p := by\n  ")
    assert check_text(answer["source"]) == []
    assert answer["tactics"] in (["intro h", "exact h"], ["intro h", "trivial"])
    assert answer["axioms"] == []
    assert set(answer["spent"]) == {"tactics", "model_calls", "seconds"}


def test_a_named_theorem_is_that_of_the_sets(prover):
    answer = found(prover, "prop_chain", tactics=2)
    assert answer["name"] == "prop_chain"
    assert answer["spent"]["tactics"] <= 2
    refused = prover.post(PROVE, json={"theorem": "prop_chian"})
    assert refused.status_code == 422
    assert "did you mean 'prop_chain'?" in refused.json()["error"]["message"]


def test_the_limits_of_the_server_stand_above_those_of_the_request(prover):
    answer = found(
        prover, "theorem t : False", tactics=10**6, samples=10**6, method="sample", model_calls=10**6
    )
    assert answer["proved"] is False
    assert answer["spent"]["tactics"] <= 64
    assert found(prover, "theorem t : False", model_calls=3)["spent"]["model_calls"] == 3


# Text that might earn a proof of something else, and the honest text beside it.
ATTACKS = [
    ({"theorem": "theorem t : False := by trivial"}, {"theorem": "theorem t : True"}),
    ({"theorem": "theorem t : False := sorry"}, {"theorem": "theorem t (p : Prop) (h : p) : p"}),
    ({"theorem": "theorem t : True := trivial"}, {"theorem": "theorem t : (fun n : Nat => n) 1 = 1"}),
    ({"theorem": "theorem t : 1 = 2 /-"}, {"theorem": "theorem t : 1 /- one -/ = 1"}),
    ({"theorem": "theorem t : 1 = 1 --"}, {"theorem": "theorem t : -- one\n  1 = 1"}),
    ({"theorem": "theorem t : True\ntheorem s : False"}, {"theorem": "theorem theorem_s : True"}),
    ({"theorem": "theorem t : True axiom a : False"}, {"theorem": "theorem axiom_a : True"}),
    (
        {"theorem": "theorem t : False", "context": "axiom a : False"},
        {"theorem": "theorem t (a : False) : False"},
    ),
    (
        {"theorem": "theorem t : False", "context": "theorem a : False := sorry"},
        {"theorem": "theorem t : True", "context": "theorem a : True := trivial"},
    ),
    (
        {"theorem": "theorem t : False", "context": 'notation "False" => True'},
        {"theorem": "theorem t : two = 2", "context": "def two : Nat := 2"},
    ),
    (
        {"theorem": "theorem t : False", "context": "namespace A\ndef False : Prop := True"},
        {"theorem": "theorem t : A.Fine", "context": "namespace A\ndef Fine : Prop := True\nend A"},
    ),
    (
        {"theorem": "theorem t : False", "context": "macro_rules | `(False) => `(True)"},
        {"theorem": "theorem t (p : Prop) : p → p", "context": "universe u"},
    ),
    (
        {"theorem": "theorem t : (1 : Nat) < 0", "context": "instance\n  : LT Nat := ⟨fun _ _ => True⟩"},
        {"theorem": "theorem t : P → P", "context": "variable (P : Prop)"},
    ),
    (
        {"theorem": "theorem t : False", "context": "set_option debug.skipKernelTC true"},
        {"theorem": "theorem t (maxRecDepth : Nat) : True"},
    ),
    (
        {"theorem": "theorem t : False", "context": "#eval 1"},
        {"theorem": "theorem t : True", "context": "open Nat"},
    ),
    (
        {"theorem": "theorem t : True", "context": "def x : Nat := by run_tac pure ()"},
        {"theorem": "theorem t : x = 1", "context": "def x : Nat := 1"},
    ),
    (
        {"theorem": "theorem t : True", "context": "@[implemented_by y] def x : Nat := 1"},
        {"theorem": "theorem t : x = 1", "context": "abbrev x : Nat := 1"},
    ),
    ({"theorem": "theorem t : 1 = \u202e1"}, {"theorem": "theorem t : 1\n= 1"}),
    (
        {"theorem": "theorem t : False", "context": "variable (False : Prop) (h : False)\ninclude h"},
        {"theorem": "theorem t : P → P", "context": "variable (P : Prop)\ninclude P"},
    ),
    (
        {"theorem": "theorem t : False", "context": "open A renaming B → False"},
        {"theorem": "theorem t : True", "context": "namespace A\nend A\nopen A"},
    ),
    (
        {"theorem": "theorem A.t : False", "context": "def A.False : Prop := True"},
        {"theorem": "theorem A.t : Fine", "context": "def A.Fine : Prop := True"},
    ),
    (
        {"theorem": "theorem Nat.t : Not True", "context": "def Nat.Not (p : Prop) : Prop := p"},
        {"theorem": "theorem Nat.t : two = 2", "context": "def Nat.two : Nat := 2"},
    ),
    (
        # no list of words knows this one; the prover does
        {"theorem": "theorem A.t : Nat.succ 1 = 5", "context": "def A.Nat.succ (n : Nat) : Nat := 5"},
        {"theorem": "theorem A.t : A.five 1 = 5", "context": "def A.five (n : Nat) : Nat := 5"},
    ),
    (
        {"theorem": "theorem t : 1 = 2", "context": "variable (h : False)\ninclude h"},
        {"theorem": "theorem t : h → h", "context": "variable (h : Prop)\ninclude h"},
    ),
    ({"theorem": "theorem t : eval% True"}, {"theorem": "theorem t (eval : Nat) : eval = eval"}),
    (
        {"theorem": "theorem t : True", "imports": ['A"\naxiom']},
        {"theorem": "theorem t : True", "imports": ["Init"]},
    ),
]


@pytest.mark.parametrize(("attack", "honest"), ATTACKS)
def test_nothing_but_a_proof_is_a_proof(prover, attack, honest):
    refused = prover.post(PROVE, json=attack)
    assert refused.status_code == 422, refused.text
    assert found(prover, **honest)["proved"] is True


@pytest.mark.filterwarnings("ignore:theorem 't'")
@pytest.mark.parametrize(
    ("theorem", "message"),
    [
        ("theorem t : 1 = (1 : Bool)", "failed to synthesize"),
        ("theorem t : x = 1", "nothing declares x"),
        ("theorem t : Nat", "type of theorem `t` is not a proposition Nat"),
        ("theorem t : (", ":"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_statement_that_does_not_elaborate_has_the_message(prover, theorem, message, stream):
    answer = prover.post(PROVE, json={"theorem": theorem, "stream": stream})
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert (error["code"], error["param"]) == ("does_not_elaborate", "theorem")
    assert message in error["message"]
    assert "\n" not in error["message"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("context", "axiom a : False"), ("imports", ["../Mathlib"]), ("theorem", "theorem t : sorry")],
)
def test_a_refusal_names_its_field(prover, field, value):
    answer = prover.post(PROVE, json={"theorem": "theorem t : True", field: value})
    assert (answer.status_code, answer.json()["error"]["param"]) == (422, field)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"theorem": ""},
        {"theorem": "t", "tactics": 0},
        {"theorem": "t", "seconds": -1},
        {"theorem": "t", "a": 1},
        {"theorem": "t " * 40_000},
        {"theorem": "theorem t : True", "context": " " * 70_000},
    ],
)
def test_a_wrong_body_is_refused(prover, body):
    assert prover.post(PROVE, json=body).status_code == 400


def test_a_stream_tells_the_progress_and_ends_with_the_result(prover):
    answer = prover.post(PROVE, json={"theorem": "theorem t (p : Prop) : p → p", "stream": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [part.split("\n") for part in answer.text.removesuffix("\n\n").split("\n\n")]
    assert {event[0] for event in events[:-1]} == {"event: progress"}
    first = json.loads(events[0][1].removeprefix("data: "))
    assert set(first) == {"tactics", "model_calls", "seconds", "states"}
    assert events[-1][0] == "event: result"
    assert json.loads(events[-1][1].removeprefix("data: "))["proved"] is True


def test_a_proof_that_its_replay_refuses_is_none(prover, monkeypatch):
    monkeypatch.setattr(Provers, "replay", lambda *_: None)
    answer = found(prover, "theorem t : True")
    assert (answer["proved"], answer["source"], answer["tactics"]) == (False, None, [])


def test_the_environment_of_replays_stays_open_for_equal_contexts(prover, monkeypatch):
    found(prover, "theorem t : True", context="universe v")
    opened: list[Sequence[Theorem]] = []

    def counted(theorems: Sequence[Theorem], *rest: Any, **options: Any) -> Any:
        opened.append(theorems)
        return opened_env(theorems, *rest, **options)

    monkeypatch.setattr(environments, "opened_env", counted)
    # Equal names are told apart.
    for statement in ("theorem t : True", "theorem t (p : Prop) (h : p) : p", "theorem t : True ∧ True"):
        assert found(prover, statement, context="universe u")["proved"] is True
    assert found(prover, "theorem t : False", context="universe u")["proved"] is False
    assert len(opened) == 1
    assert found(prover, "theorem t : True")["proved"] is True
    assert [theorems[0].context for theorems in opened] == ["universe u", ""]


def waits_for(client: httpx.Client, line: str) -> None:
    while f"{line}\n" not in client.get("/metrics").text:
        time.sleep(0.01)


@pytest.mark.parametrize("stream", [False, True])
def test_the_search_of_a_client_that_goes_away_ends(serving, stream):
    source = Listed()
    source.go.clear()
    with serving(source, backend="minilean", proofs=1, theorems="logic") as client:
        body = json.dumps({"theorem": "theorem t : False", "stream": stream}).encode()
        with socket.create_connection(("127.0.0.1", client.base_url.port)) as leaving:
            head = f"POST {PROVE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            leaving.sendall(head.encode() + body)
            while not source.batches:
                time.sleep(0.01)
        waits_for(client, 'lean_gym_searches_total{result="stopped"} 1')
        waits_for(client, "lean_gym_searches_running 0")
        source.go.set()
        # Its prover is free for the next one.
        assert found(client, "theorem t : True")["proved"] is True


def test_searches_run_side_by_side_and_their_requests_together(serving):
    source = Listed()
    source.go.clear()
    with (
        serving(source, backend="minilean", proofs=2, theorems="logic") as client,
        ThreadPoolExecutor(4) as pool,
    ):
        block = pool.submit(client.post, "/v1/completions", json={"prompt": "block"})
        while not source.batches:
            time.sleep(0.01)
        asked = [
            pool.submit(found, client, f"theorem t : {goal} ∨ {goal} → {goal} ∨ {goal}")
            for goal in ("True", "False")
        ]
        waits_for(client, "lean_gym_policy_waiting 2")
        third = pool.submit(found, client, "theorem t : True")
        waits_for(client, "lean_gym_searches_waiting 1")
        source.go.set()
        assert block.result().status_code == 200
        assert all(one.result()["proved"] for one in [*asked, third])
    assert len(source.batches[1]) == 2


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Served]:
    """The servers that a test starts."""
    made: list[Served] = []
    start = Served.__init__
    monkeypatch.setattr(Served, "__init__", lambda self, *rest: (made.append(self), start(self, *rest))[1])
    return made


def test_when_the_server_ends_a_search_gives_what_it_has(made, serving):
    source = Listed(["skip"])
    source.go.clear()
    with (
        serving(source, backend="minilean", proofs=1, theorems="logic") as client,
        ThreadPoolExecutor(1) as pool,
    ):
        asked = pool.submit(found, client, "theorem t : False")
        while not source.batches:
            time.sleep(0.01)
        made[0].end()
        answer = asked.result()
        assert (answer["proved"], answer["interrupted"]) == (False, True)
        source.go.set()


def refusal(answer: httpx.Response, stream: bool) -> tuple[str, str]:
    """Return code and message of a 503, or of the event that ends a stream which had begun."""
    if stream and answer.status_code == 200:
        name, data = answer.text.removesuffix("\n\n").split("\n\n")[-1].split("\n")
        assert name == "event: error"
        error = json.loads(data.removeprefix("data: "))
    else:
        assert answer.status_code == 503, answer.text
        error = answer.json()["error"]
        assert error["type"] == "server_error"
    assert "\n" not in error["message"]
    return error["code"], error["message"]


def test_a_search_that_loses_its_prover_gets_503_and_the_next_one_a_new_prover(serving, monkeypatch):
    def fail(_: Worker) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    class Last(Listed):
        def answer(self, batch: Sequence[Ask]) -> list[list[Sampled]]:
            if self.words == ["boom"]:
                monkeypatch.setattr(Worker, "start", fail)
            return super().answer(batch)

    source = Last(["boom"])
    env = {"backend_options": {"exit_on": ["boom"]}}
    with serving(source, backend="fake", proofs=1, theorems="logic", env=env) as client:
        body = {"theorem": "theorem t : True", "stream": True}
        code, message = refusal(client.post(PROVE, json=body), True)
        assert code == "prover_failed"
        assert message.startswith(
            "the prover failed: a worker process cannot be started: Too many open files"
        )
        waits_for(client, 'lean_gym_searches_total{result="failed"} 1')
        monkeypatch.undo()
        source.words = ["trivial"]
        assert found(client, "theorem t : True")["proved"] is True


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"backend": "pantograph", "env": {"backend_options": {"repl_command": ["/no/repl"]}}},
            "the REPL '/no/repl Init' did not start: ",
        ),
        (
            {"backend": "fake", "env": {"backend_options": {"speed": 2}}},
            "cannot open the environment: unknown option of backend 'fake': 'speed'",
        ),
    ],
)
def test_a_prover_that_does_not_start_is_a_503_in_one_line(serving, settings, message):
    with serving(Listed(), proofs=1, theorems="logic", **settings) as client:
        code, said = refusal(client.post(PROVE, json={"theorem": "theorem t : True"}), False)
        assert code == "prover_failed"
        assert message in said
        assert client.get("/health").status_code == 200


@pytest.mark.parametrize("stream", [False, True])
def test_a_search_that_waits_when_the_server_ends_gets_503(made, serving, stream):
    source = Listed(["skip"])
    source.go.clear()
    with (
        serving(source, backend="fake", proofs=1, theorems="logic") as client,
        ThreadPoolExecutor(2) as pool,
    ):
        first = pool.submit(found, client, "theorem t : False")
        while not source.batches:
            time.sleep(0.01)
        second = pool.submit(client.post, PROVE, json={"theorem": "theorem t : True", "stream": stream})
        waits_for(client, "lean_gym_searches_waiting 1")
        made[0].end()
        assert first.result()["interrupted"] is True
        assert refusal(second.result(), stream) == ("stopped", "the server ends")
        source.go.set()


def test_a_search_by_beam_asks_for_the_likeliest_tactics(serving):
    beams: list[bool] = []

    class Asked(Listed):
        def answer(self, batch: Sequence[Ask]) -> list[list[Sampled]]:
            beams.extend(ask.beam for ask in batch)
            return super().answer(batch)

    source = Asked(["skip"])
    search = {"decoding": "beam", "samples": 2, "patience": 8}
    with serving(source, backend="fake", proofs=1, theorems="logic", search=search) as client:
        answer = found(client, "theorem t : False", seed=1)
        # A beam is the same every time, so a state that gave nothing new is left alone whatever the patience.
        assert (set(beams), answer["spent"]["model_calls"]) == ({True}, 4)
        beams.clear()
        found(client, "theorem t : False", method="sample", tactics=2)
        assert set(beams) == {False}


def test_a_server_without_searches_has_no_route(serving):
    with serving(Listed(), proofs=0) as client:
        assert client.post(PROVE, json={"theorem": "t"}).status_code == 404
        assert client.get("/health").json()["prove"] is False


def test_a_known_theorem_has_its_own_context() -> None:
    known = {"a": Theorem("a", "theorem a : True")}
    assert theorem_of(" a ", "", (), known) is known["a"]
    with pytest.raises(DataError, match="goes with a statement"):
        theorem_of("a", "open Nat", (), known)
    context = "set_option autoImplicit false"
    assert theorem_of("theorem b : True", context, ["Mathlib.Logic"], known).context == context
