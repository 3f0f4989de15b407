"""The backend when its process goes wrong, and what never reaches it."""

import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from lean_gym.backends import create_backend
from lean_gym.backends.pantograph.client import PantographBackend, core_arguments, option_commands
from lean_gym.backends.pantograph.verdicts import root_problem
from lean_gym.errors import BackendCrashed, BackendTimeout, DataError, ProtocolError
from lean_gym.types import Theorem

TRIVIAL = Theorem("t", "theorem t (p : Prop) (h : p) : p")

FAULTS = (
    "answer",
    "crash",
    "die",
    "dies",
    "exit",
    "fault",
    "garbage",
    "hang",
    "interrupt",
    "killed",
    "sleep",
)
"""Tactics of the faulty REPL."""


@pytest.fixture(scope="module")
def backend():
    """One for all faults: what goes wrong is replaced at the next start."""
    command = [sys.executable, str(Path(__file__).with_name("older_repl.py")), "--"]
    made = PantographBackend(command, sandbox="off", allow_tactics=FAULTS)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("tactic", "deadline", "error", "text"),
    [
        ("die now", 20.0, BackendCrashed, "ended with exit status 137; .*out of memory"),
        ("hang now", 0.1, BackendTimeout, "no answer within .* s; it was killed"),
        ("answer twice", 20.0, ProtocolError, "answered goal.tactic more than once"),
        ("answer again", 20.0, ProtocolError, "answered with state .*, which it has given before"),
    ],
)
def test_a_broken_process_is_replaced_at_the_next_start(backend, tactic, deadline, error, text):
    state = backend.start(TRIVIAL)
    with pytest.raises(error, match=text):
        backend.apply(state, tactic, deadline)
    with pytest.raises(BackendCrashed, match="start the theorem again"):
        backend.apply(state, "exact h")
    backend.release([state])
    assert backend.apply(backend.start(TRIVIAL), "exact h").state.is_finished


def test_leans_own_time_limit_is_a_refusal(backend):
    state = backend.start(TRIVIAL)
    result = backend.apply(state, "interrupt now", 0.2)
    assert result.error == "the tactic was stopped after 0.2 s"
    assert backend.apply(state, "exact h").state.is_finished
    assert backend.apply(state, "exact h", 0.0).error == "no time is left for the tactic (deadline 0 s)"


def test_leans_time_limits_are_as_many_as_its_threads_can_sleep(older, monkeypatch):
    """Each sleeps in Lean's pool of threads to its end; past them there is the wall clock alone."""
    monkeypatch.setenv("LEAN_NUM_THREADS", "3")
    monkeypatch.setattr("lean_gym.backends.pantograph.repl.SLEEPERS", 5)
    repl = older("0.3.15").start(TRIVIAL).handle.repl
    assert psutil.Process(repl.process.pid).environ()["LEAN_NUM_THREADS"] == "8"

    def limit_of_next(seconds):
        repl.limited("stat", {}, seconds)
        return repl.ask("options.print", {}, 20)["timeout"]

    repl._limits_end.clear()
    now = 100.0
    monkeypatch.setattr("lean_gym.backends.pantograph.repl.time", SimpleNamespace(monotonic=lambda: now))
    assert [limit_of_next(20.0), limit_of_next(30.0), limit_of_next(30.0)] == [20000, 30000, 0]
    now = 121.0
    assert [limit_of_next(30.0), limit_of_next(30.0)] == [30000, 0]


@pytest.mark.parametrize(
    ("tactic", "text"),
    [
        ("#eval 1", "refused: `#eval` is a command"),
        ("", "no tactic: the text is empty"),
        ("  \n ", "no tactic: the text is empty"),
        ("-- later", "no tactic: the text is empty"),
        ("exact \udc80", "no valid Unicode"),
        ("sorry", "the tactic uses `sorry`, which proves nothing"),
    ],
)
def test_what_is_refused_on_our_side(backend, tactic, text):
    state = backend.start(TRIVIAL)
    assert text in backend.apply(state, tactic).error
    assert backend.apply(state, "exact h").state.is_finished


def test_states_are_freed(backend):
    state = backend.start(TRIVIAL)
    repl = state.handle.repl
    before = repl.ask("stat", {}, 20)["nGoals"]
    backend.apply(state, "sorry")
    after = backend.apply(state, "exact h").state
    assert repl.ask("stat", {}, 20)["nGoals"] == before + 1
    backend.release([state, after])
    assert repl.ask("stat", {}, 20)["nGoals"] == before - 1


def test_a_killed_judge_is_replaced(backend):
    assert backend.verify(TRIVIAL, ["exact h"]).proved
    os.kill(backend._fleet.judge(("Init",))._repl.process.pid, signal.SIGKILL)
    assert backend.verify(TRIVIAL, ["exact h"]).proved
    assert not backend.verify(TRIVIAL, ["#eval 1"]).proved
    assert not backend.verify(TRIVIAL, []).proved
    for opened in (['trace "', '-- "; run_tac x'], ["skip /-", "-- -/ run_tac x"]):
        assert "step 1: refused: a " in backend.verify(TRIVIAL, opened).reason


def test_a_name_that_the_context_opens_as_well(backend):
    """`#print axioms succ_ne_zero` would be ambiguous below `open Nat`."""
    clash = Theorem("succ_ne_zero", "theorem succ_ne_zero (n : Nat) : n = n", context="open Nat")
    assert backend.verify(clash, ["rfl"]).proved
    assert not backend.verify(clash, ["exact Nat.succ_ne_zero n"]).proved


def test_the_judge_is_recycled(backend, monkeypatch):
    assert backend.verify(TRIVIAL, ["exact h"]).proved
    first = backend._fleet.judge(("Init",))._repl.process.pid
    monkeypatch.setattr("lean_gym.backends.pantograph.verdicts._RECYCLE_AFTER", 1)
    assert backend.verify(TRIVIAL, ["exact h"]).proved
    assert backend._fleet.judge(("Init",))._repl.process.pid != first


def test_a_state_of_another_backend(backend):
    state = create_backend("minilean").start(TRIVIAL)
    with pytest.raises(ValueError, match="belongs to another backend"):
        backend.apply(state, "exact h")


UNBOUND = Theorem("u", "theorem u (x : α) : x = x")


@pytest.mark.parametrize("version", ["0.2.19", "0.3.4", "0.3.15"])
def test_core_options_hold_where_theorems_start_and_where_they_are_judged(older, version):
    """The arguments of the REPL do not reach what reads files: its `autoImplicit` is Lean's default."""
    strict = older(version, core_options={"autoImplicit": False, "maxHeartbeats": 400000})
    assert strict.verify(TRIVIAL, ["exact h"]).proved
    with pytest.raises(DataError, match="does not elaborate"):
        strict.start(UNBOUND)
    assert older(version).start(UNBOUND).goals


def test_core_options_as_commands():
    options = {"maxHeartbeats": 400000, "pp.unicode.fun": True, "autoImplicit": "false", "trace.x": 'a "b"'}
    assert option_commands(options) == (
        "set_option maxHeartbeats 400000\nset_option pp.unicode.fun true\nset_option autoImplicit false\n"
        'set_option trace.x "a \\"b\\""\n'
    )
    assert option_commands({}) == ""
    with pytest.raises(ValueError, match=r"'weak\.linter\.all'.*leave it out, or give 'linter\.all'"):
        option_commands({"weak.linter.all": True})
    with pytest.raises(ValueError, match="expected an option of Lean's core"):
        option_commands({"a true\naxiom": True})


def test_core_options():
    assert core_arguments({"maxHeartbeats": 400000, "pp.unicode.fun": True}) == (
        "--maxHeartbeats=400000",
        "--pp.unicode.fun=true",
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"verify": "none"}, "unknown verify 'none'"),
        ({"imports": "Mathlib"}, "expected a list of module names"),
    ],
)
def test_misuse(options, text):
    with pytest.raises(ValueError, match=text):
        PantographBackend(["/bin/true"], **options)


GOOD = {
    "root": {"pp": "h", "sexp": "(:c h)"},
    "rootHasMVar": False,
    "rootHasSorry": False,
    "rootHasUnsafe": False,
}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"root": None}, "the root goal is not assigned"),
        ({"rootHasMVar": True}, "the proof term has metavariables"),
        ({"rootHasSorry": True}, "the proof term has `sorry`"),
        ({"rootHasUnsafe": True}, "the proof term has unsafe constants"),
        ({"rootHasMVar": None}, "the proof term has metavariables"),
        # `as_aux_lemma => sorry`: the root is a lemma, and only the term that is shown has what stands in there.
        ({"root": {"sexp": "((:c sorryAx) (:c True) (:c Bool.true))"}}, "the proof term has `sorry`"),
    ],
)
def test_roots(change, problem):
    assert root_problem({**GOOD, **change}) == problem
    assert root_problem({}) == "the root goal is not assigned"
    with pytest.raises(ProtocolError, match=r"expected `root\.sexp`"):
        root_problem({**GOOD, "root": {"pp": "h"}})


def test_a_position_in_minileans_library_is_refused(backend):
    theorem = Theorem("t", TRIVIAL.statement, position="Logic.lean:id_eq")
    message = (
        "theorem 't' has the position 'Logic.lean:id_eq' in minilean's library.*use the backend 'minilean'"
    )
    with pytest.raises(DataError, match=message):
        backend.start(theorem)
    with pytest.raises(DataError, match=message):
        backend.verify(theorem, ["exact h"])
