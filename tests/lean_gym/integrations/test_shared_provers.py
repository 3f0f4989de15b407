"""Sessions that share worker processes: interleaved episodes, replays, misuse, and false theorems."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from lean_gym import Theorem
from lean_gym.integrations.shared_provers import SharedProvers
from lean_gym.verification.canaries import CanaryProved, canary_theorems

SWAP = Theorem("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p")
CHAIN = Theorem("chain", "theorem chain (p q : Prop) (h : p → q) (hp : p) : q")
PROOFS = {SWAP: ["constructor", "exact h.2", "exact h.1"], CHAIN: ["apply h", "exact hp"]}


@pytest.fixture(scope="module")
def provers() -> Iterator[SharedProvers]:
    with SharedProvers([SWAP], processes=1, backend="minilean", max_steps=6) as shared:
        yield shared


def test_episodes_of_several_sessions_do_not_meet(provers: SharedProvers) -> None:
    """One process serves all of them, so each step finds the state of another session there."""
    theorems = [SWAP, CHAIN, SWAP]
    sessions = [provers.session() for _ in theorems]
    for session, theorem in zip(sessions, theorems, strict=True):
        session.reset(theorem)
    rewards: list[list[float]] = [[] for _ in theorems]
    for at in range(3):
        for number, (session, theorem) in enumerate(zip(sessions, theorems, strict=True)):
            if at < len(PROOFS[theorem]):
                rewards[number].append(session.step(PROOFS[theorem][at]).reward)
    assert rewards == [[0.0, 0.0, 1.0], [0.0, 1.0], [0.0, 0.0, 1.0]]
    assert all(session.turn is not None and session.turn.done for session in sessions)


def test_threads_wait_for_each_other(provers: SharedProvers) -> None:
    def prove(_: int) -> float:
        session = provers.session()
        session.reset(SWAP)
        return [session.step(tactic) for tactic in PROOFS[SWAP]][-1].reward

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(prove, range(4))) == [1.0] * 4


def test_a_replayed_state_goes_on(provers: SharedProvers) -> None:
    session = provers.session()
    turn = session.reset(SWAP, PROOFS[SWAP][:2])
    assert (turn.reward, turn.done, turn.info["steps"]) == (0.0, False, 2)
    assert session.step("exact h.1").reward == 1.0


def test_a_replayed_proof_is_judged(provers: SharedProvers) -> None:
    turn = provers.session().reset(SWAP, PROOFS[SWAP])
    assert (turn.reward, turn.done, turn.info["outcome"]) == (1.0, True, "proved")


@pytest.mark.parametrize(
    ("tactics", "message"),
    [
        (["constructor", "exact h.1"], r"tactics\[1\]: "),
        (["sorry"], r"tactics\[0\]: "),
        ([*PROOFS[SWAP], "rfl"], "got 4, but the episode ends after 3"),
    ],
)
def test_a_replay_that_fails_leaves_no_episode(
    provers: SharedProvers, tactics: list[str], message: str
) -> None:
    session = provers.session()
    session.reset(SWAP)
    with pytest.raises(ValueError, match=message):
        session.reset(SWAP, tactics)
    assert session.turn is None
    with pytest.raises(ResetNeeded, match="there is no episode"):
        session.step("constructor")


def test_misuse_earns_nothing_and_changes_nothing(provers: SharedProvers) -> None:
    session = provers.session()
    with pytest.raises(ResetNeeded, match="there is no episode"):
        session.step("constructor")
    session.reset(CHAIN)
    wrong: Any = 5
    with pytest.raises(TypeError, match="expected one tactic as a string"):
        session.step(wrong)
    long = session.step("exact h" + " " * 5000)
    assert (long.reward, long.done) == (0.0, False)
    assert "at most 4096 allowed" in long.info["error"]
    assert [session.step(tactic).reward for tactic in PROOFS[CHAIN]] == [0.0, 1.0]
    with pytest.raises(ResetNeeded, match=r"the episode has ended \(proved\)"):
        session.step("exact hp")


def test_a_session_serves_one_request_at_a_time(provers: SharedProvers) -> None:
    session = provers.session()
    session.reset(CHAIN)
    with ThreadPoolExecutor(1) as thread:
        with provers.lent(object()):  # the only process, so the step has to wait
            step = thread.submit(session.step, "apply h")
            while not session._busy.locked():
                time.sleep(0.01)
            for request in (lambda: session.reset(SWAP), lambda: session.step("exact hp")):
                with pytest.raises(RuntimeError, match="busy with another reset or step"):
                    request()
        assert step.result().info["tactics"] == ("apply h",)
    assert session.step("exact hp").reward == 1.0


def test_a_tactic_that_kills_its_process_costs_others_nothing() -> None:
    theorems = [Theorem("a", "theorem a : True ∧ True"), Theorem("b", "theorem b : True")]
    options = {"exit_on": ["boom"]}
    with SharedProvers(theorems, processes=1, backend="fake", backend_options=options) as provers:
        hostile, honest = provers.session(), provers.session()
        hostile.reset(theorems[0])
        honest.reset(theorems[1])
        killed = hostile.step("boom")
        assert (killed.reward, killed.info["outcome"]) == (0.0, "crashed")
        assert honest.step("trivial").reward == 1.0


def test_a_proved_canary_ends_the_episode_without_a_reward() -> None:
    canary, theorem = canary_theorems()[0], Theorem("t", "theorem t : False ")
    options = {"rules": {("False", "believe"): ()}}
    with SharedProvers([canary], processes=1, backend="fake", backend_options=options) as provers:
        session = provers.session()
        session.reset(canary)
        with pytest.raises(CanaryProved, match="'canary_false' was accepted"):
            session.step("believe")
        assert session.turn is None
        with pytest.raises(CanaryProved):
            session.reset(canary, ["believe"])
        assert session.turn is None
        session.reset(theorem)  # the same backend on a theorem that is no canary
        assert session.step("believe").reward == 1.0


def test_closed_provers_say_so() -> None:
    provers = SharedProvers([SWAP], processes=1, backend="fake")
    session = provers.session()
    provers.close()
    with pytest.raises(ClosedEnvironmentError, match="the provers are closed"):
        session.reset(SWAP)
    with pytest.raises(ValueError, match="processes: got 0"):
        SharedProvers([SWAP], processes=0)
