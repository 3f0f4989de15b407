"""Errors of whole proofs with their positions, from every dialect of the REPL."""

import pytest

from lean_gym.errors import BackendCrashed, BackendTimeout
from lean_gym.execution import Job, JobRunner, ProverOptions
from lean_gym.types import ScriptError, Theorem

SWAP = Theorem(
    "swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p", context="open Nat\nvariable (z : Nat)"
)
WRONG = "constructor\n· exact h.1\n· exact h.2"
RIGHT = "constructor\n· exact h.2\n· exact h.1"
VERSIONS = ("0.2.19", "0.2.25", "0.3.0", "0.3.1", "0.3.2", "0.3.4", "0.3.15")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_tells_positions(older, version):
    """Positions count from the declaration, below whatever context; the process goes on with its episodes."""
    backend = older(version, core_options={"maxRecDepth": 400})
    errors = backend.script_errors(SWAP, WRONG, 10.0)
    assert [(one.line, one.column) for one in errors] == [(3, 4), (4, 4)]
    assert errors[0].message.startswith("Type mismatch\n  h.left\nhas type\n  p")
    assert backend.script_errors(SWAP, RIGHT, 10.0) == ()
    state = backend.apply(backend.start(SWAP), "constructor").state
    assert backend.script_errors(SWAP, "exact h", 10.0)
    assert len(backend.apply(state, "exact h.2").state.goals) == 1
    assert backend.verify(SWAP, (RIGHT,)).proved
    # A script that compiled as a file is no declaration that a later proof could use.
    assert backend.apply(backend.start(SWAP), "exact swap 0 p q h").state is None


def test_a_script_with_a_command_is_not_compiled(older):
    backend = older("0.3.15")
    assert backend.script_errors(SWAP, "exact h\nend X\ntheorem u : False := sorry", 10.0) == ()
    assert backend.script_errors(SWAP, "exact h", 0.0) == ()


def test_without_messages_the_failing_step_tells_the_place(older):
    backend = older("no-listing", "no-track", verify="replay")
    assert backend.script_errors(SWAP, WRONG, 10.0) == ()
    reply = JobRunner(backend, ProverOptions(verify="replay")).run(Job(0, SWAP, (), WRONG, 30.0, whole=True))
    (error,) = reply.errors
    assert isinstance(error, ScriptError)
    assert (error.line, error.column, error.end_line, error.end_column) == (3, 2, 3, 13)
    assert error.goals.startswith("case left\np q : Prop\nh : p ∧ q\n⊢ q")


@pytest.mark.parametrize(
    ("script", "error"), [("exact hang_in_a_file", BackendTimeout), ("exact die_in_a_file", BackendCrashed)]
)
def test_a_process_that_is_lost_over_a_file(older, script, error):
    """The attempt has failed all the same, and its message is that of the tactic."""
    backend = older("0.3.15")
    with pytest.raises(error):
        backend.script_errors(SWAP, script, 0.5)
    prover = JobRunner(backend, ProverOptions())
    (shown,) = prover.run(Job(0, SWAP, (), script, 1.0, whole=True)).errors
    assert "_in_a_file" in shown.message
    assert prover.run(Job(0, SWAP, (), RIGHT, 10.0, whole=True)).verdict.proved
