"""Every dialect starts, steps and judges alike; what cannot be judged is refused at the start."""

import pytest

from lean_gym.errors import BackendUnavailable, DataError
from lean_gym.types import Theorem
from lean_gym.verification.canaries import EXPLOITS, canary_theorems

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


EM = Theorem(
    "em",
    "theorem em (p : Prop) [Decidable p] : yes ∧ (p ∨ ¬p)",
    context="def yes := True\nnamespace A\ntheorem sure : yes := trivial\nend A\nopen A",
)
PLAIN_EM = Theorem("plain", "theorem plain (p : Prop) [Decidable p] : p ∨ ¬p")


@pytest.mark.parametrize(
    ("version", "starter", "compared_by"),
    [
        ("0.2.14", "closed", "add"),
        ("0.2.17", "closed", "add"),
        ("0.2.18", "closed", "add"),
        ("0.2.19", "sorrys", "state"),
        ("0.2.25", "sorrys", "state"),
        ("0.3.0", "sorrys", "state"),
        ("0.3.1", "sorrys", "state"),
        ("0.3.2", "sorrys", "inherit"),
        ("0.3.4", "sorrys", "inherit"),
        ("0.3.15", "distil", "track"),
    ],
)
def test_versions(older, version, starter, compared_by):
    """Each starts, steps and judges; states of one theorem leave nothing behind for the next."""
    backend = older(version)
    assert (backend._dialect.starter, backend._dialect.compared_by) == (starter, compared_by)
    assert backend.start(SWAP).text == FIRST
    assert prove(backend, SWAP, PROOF).is_finished
    assert prove(backend, SWAP, ("constructor\nexact h.2\nexact h.1",)).is_finished
    refused = backend.apply(backend.start(SWAP), "exact h.1")
    assert refused.state is None
    assert refused.error
    verdict = backend.verify(SWAP, PROOF)
    assert (verdict.proved, verdict.axioms, verdict.level) == (True, (), "full")
    # Where a process judges one script only, it takes its time.
    for script in (("sorry",), (*PROOF, "exact h.1"), ("exact absurd h",))[
        : 1 if compared_by == "inherit" else 3
    ]:
        assert not backend.verify(SWAP, script).proved
    theorem, proof = (PLAIN_EM, ()) if starter == "closed" else (EM, ("constructor", "exact sure"))
    for _ in range(2):
        state = prove(backend, theorem, (*proof, "exact Decidable.em p"))
        assert state.is_finished
    verdict = backend.verify(theorem, (*proof, "exact Classical.em p"))
    assert verdict.proved
    assert verdict.axioms == ("Classical.choice", "Quot.sound", "propext")


def test_another_mixture(older):
    backend = older("no-track", "one-tactic", "remove")
    assert (backend._dialect.starter, backend._dialect.compared_by) == ("distil", "inherit")
    assert prove(backend, SWAP, PROOF).is_finished
    assert backend.verify(SWAP, PROOF).proved
    assert not backend.verify(SWAP, ("sorry",)).proved
    clash = Theorem("succ_ne_zero", "theorem succ_ne_zero (n : Nat) : n = n", context="open Nat")
    assert backend.verify(clash, ("rfl",)).proved


def test_distil_without_values_starts_with_binders_that_are_not_introduced(older):
    """So between 0.3.4 and 0.3.10; the closed statement is started instead, and its binders introduced."""
    backend = older("closed-distil", "no-sorrys", "no-track")
    assert (backend._dialect.starter, backend._dialect.compared_by) == ("closed", "inherit")
    assert backend.start(SWAP).text == FIRST
    assert backend.verify(SWAP, PROOF).proved
    assert older("closed-distil")._dialect.starter == "sorrys"


def test_a_context_that_no_proposition_can_hold(older):
    backend = older("0.2.18")
    with pytest.raises(DataError, match="the context has the command 'def', but this REPL reads no files"):
        backend.start(EM)
    assert (
        "cannot be stated by `env.add`"
        in backend.verify(Theorem("u", "theorem u.{v} (α : Type v) : α = α"), ("rfl",)).reason
    )
    # On the first goal alone, there.
    state = prove(backend, SWAP, ("constructor",))
    assert len(backend.apply(state, "all_goals exact h.2").state.goals) == 1
    finished = prove(backend, SWAP, PROOF)
    assert backend.apply(finished, "exact h").error == "no goals to be proved"


def test_goals_out_of_view_are_brought_back(older):
    """No version before 0.2.18 does so by itself."""
    backend = older("0.2.17")
    theorem = Theorem("three", "theorem three (p q r : Prop) (hp : p) (hq : q) (hr : r) : (p ∧ q) ∧ r")
    states = [backend.start(theorem)]
    for tactic in ("constructor", "constructor", "exact hp", "exact hq", "exact hr"):
        assert not states[-1].is_finished
        states.append(backend.apply(states[-1], tactic).state)
    shown = [[(goal.case, goal.target) for goal in state.goals] for state in states[1:]]
    assert shown == [
        [("left", "p ∧ q"), ("right", "r")],
        [("left.left", "p"), ("left.right", "q"), ("right", "r")],
        [("left.right", "q"), ("right", "r")],
        [("right", "r")],
        [],
    ]
    # an earlier state is as it was
    assert [goal.case for goal in backend.apply(states[1], "exact ⟨hp, hq⟩").state.goals] == ["right"]
    assert backend.apply(states[-1], "exact hp").error == "no goals to be proved"
    # what is closed on the way does not come back
    theorem = Theorem("two", "theorem two : ∃ n : Nat, n = 2")
    states.append(backend.apply(backend.start(theorem), "apply Exists.intro").state)
    assert [goal.case for goal in states[-1].goals] == ["h", "w"]
    assert backend.apply(states[-1], "rfl").state.is_finished
    repl = backend._repls["Init",]
    numbers = {state.handle.number for state in states}
    assert numbers & repl.waiting.keys()
    backend.release(states)
    assert not numbers & repl.waiting.keys()


def test_no_exploit_is_judged_a_proof(older):
    """Without the filter in front, and without files; other versions judge as the conformance suite has it."""
    backend = older("0.2.14")
    theorem = canary_theorems()[0]
    for exploit in EXPLOITS:
        script = exploit.against(theorem)
        assert not backend._judge._judge(theorem, script, ("Init",), 20.0).proved, exploit.name


@pytest.mark.parametrize("version", ["0.2.17", "0.2.18", "0.2.25"])
def test_replay_without_flags(older, version):
    backend = older(version, verify="replay")
    verdict = backend.verify(SWAP, PROOF)
    assert (verdict.proved, verdict.level) == (True, "replay")
    for script in (("sorry",), PROOF[:-1], (*PROOF, "exact h.1"), ("exact ⟨h.2, sorry⟩",)):
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
    assert backend.start(with_variables).text == "m n : Nat\n⊢ m + n = n + m"


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
        (("manual", "one-goal", "stuck"), "full", "no automatic mode .*does not bring goals back by name"),
        (
            ("no-frontend", "no-add"),
            "full",
            "has no `frontend.process` .*, and no `env.add`; use a later Pantograph, or verify='replay'",
        ),
        (("no-frontend", "no-add", "no-term"), "full", "and no `env.add`; use a later Pantograph$"),
        (
            ("no-track", "no-inherit"),
            "full",
            "has no `frontend.track`, and no `frontend.process` with `inheritEnv`",
        ),
        (("no-term",), "replay", "has no `goal.print` with the root's term"),
    ],
)
def test_too_little_for_the_verification_asked_for(older, traits, verify, text):
    with pytest.raises(BackendUnavailable, match=text):
        older(*traits, verify=verify)
