"""Every dialect starts, steps and judges alike; what cannot be judged is refused at the start."""

import pytest

from lean_gym.errors import BackendUnavailable, DataError
from lean_gym.types import Theorem

SWAP = Theorem("swap", "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p")
FIRST = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
PROOF = ("constructor", "exact h.2", "exact h.1")


def prove(backend, theorem, script):
    state = backend.start(theorem)
    for tactic in script:
        result = backend.apply(state, tactic)
        assert result.state is not None, result.error
        state = result.state
    return state


@pytest.mark.parametrize(
    ("traits", "starter"),
    [
        (("no-track",), "distil"),
        (("no-track", "no-distil", "one-tactic", "remove"), "sorrys"),
        (("no-track", "no-distil", "tactic-errors", "text-messages", "no-flags", "forgets-scope"), "sorrys"),
    ],
)
def test_full_verification_in_earlier_versions(older, traits, starter):
    backend = older(*traits)
    assert backend.start(SWAP).text == FIRST
    assert backend._dialect.starter == starter
    assert prove(backend, SWAP, PROOF).is_finished
    assert prove(backend, SWAP, ("constructor\nexact h.2\nexact h.1",)).is_finished
    refused = backend.apply(backend.start(SWAP), "exact h.1")
    assert refused.state is None
    assert refused.error
    verdict = backend.verify(SWAP, PROOF)
    assert verdict.proved
    assert verdict.axioms == ()
    assert verdict.level == "full"
    for script in (("sorry",), (*PROOF, "exact h.1")):
        assert not backend.verify(SWAP, script).proved


def test_replay_without_files(older):
    backend = older("no-frontend", verify="replay")
    assert backend._dialect.starter == "closed"
    assert backend.start(SWAP).text == FIRST
    verdict = backend.verify(SWAP, PROOF)
    assert verdict.proved
    assert verdict.level == "replay"
    for script in (("sorry",), PROOF[:-1], (*PROOF, "exact h.1"), ("exact h",), ()):
        verdict = backend.verify(SWAP, script)
        assert not verdict.proved
        assert verdict.reason
        assert verdict.level == "replay"
    with pytest.raises(DataError, match="theorem 'bad' does not elaborate"):
        backend.start(Theorem("bad", "theorem bad : nowhere ∧ True"))
    with pytest.raises(DataError, match="the context has the command 'def'"):
        backend.start(Theorem("d", "theorem d : True", context="def x := 1"))
    with_variables = Theorem(
        "o", "theorem o : m + n = n + m", context="variable (m k : Nat)\nvariable {n : Nat}"
    )
    assert backend.start(with_variables).text == "m k n : Nat\n⊢ m + n = n + m"


def test_what_was_opened_is_said_again(older):
    backend = older("no-track", "forgets-scope")
    theorem = Theorem(
        "reopened",
        "theorem reopened : True",
        context="namespace LeanGymProbe\ntheorem inner : True := trivial\nend LeanGymProbe\nopen LeanGymProbe",
    )
    assert prove(backend, theorem, ("exact inner",)).is_finished
    assert backend.verify(theorem, ("exact inner",)).proved


@pytest.mark.parametrize(
    ("traits", "verify", "text"),
    [
        (("manual",), "full", "no automatic mode"),
        (
            ("no-frontend",),
            "full",
            "has no `frontend.process` .*; use a later Pantograph, or verify='replay'",
        ),
        (("no-frontend", "no-flags"), "full", "has no `frontend.process` .*; use a later Pantograph$"),
        (
            ("no-track", "no-inherit"),
            "full",
            "has no `frontend.track`, and no `frontend.process` with `inheritEnv`",
        ),
        (("no-flags",), "replay", "has no `goal.print` with `rootHasMVar`"),
    ],
)
def test_too_little_for_the_verification_asked_for(older, traits, verify, text):
    with pytest.raises(BackendUnavailable, match=text):
        older(*traits, verify=verify)
