"""Every dialect starts, steps and judges alike; what cannot be judged is refused at the start."""

import re

import pytest

from lean_gym.errors import BackendOutdated, BackendUnavailable
from lean_gym.types import Theorem
from lean_gym.verification.canaries import EXPLOITS, canary_theorems
from lean_gym.verification.verify import judge, verify_script

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


@pytest.mark.parametrize(
    ("version", "starter", "compared_by"),
    [
        ("0.2.19", "sorrys", "state"),
        pytest.param("0.2.25", "sorrys", "state", marks=pytest.mark.slow),
        pytest.param("0.3.0", "sorrys", "state", marks=pytest.mark.slow),
        ("0.3.1", "sorrys", "state"),
        pytest.param("0.3.2", "sorrys", "inherit", marks=pytest.mark.slow),
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
        assert not verify_script(backend, SWAP, script).proved
    proof = ("constructor", "exact sure")
    for _ in range(2):
        assert prove(backend, EM, (*proof, "exact Decidable.em p")).is_finished
    verdict = backend.verify(EM, (*proof, "exact Classical.em p"))
    assert verdict.proved
    assert verdict.axioms == ("Classical.choice", "Quot.sound", "propext")


def test_another_mixture(older):
    backend = older("no-track", "one-tactic")
    assert (backend._dialect.starter, backend._dialect.compared_by) == ("distil", "inherit")
    assert prove(backend, SWAP, PROOF).is_finished
    assert backend.verify(SWAP, PROOF).proved
    assert not verify_script(backend, SWAP, ("sorry",)).proved
    clash = Theorem("succ_ne_zero", "theorem succ_ne_zero (n : Nat) : n = n", context="open Nat")
    assert backend.verify(clash, ("rfl",)).proved


def test_distil_without_values_shows_no_hypotheses(older):
    """So in some builds between 0.3.4 and 0.3.10, which have `sorrys` as well."""
    assert older("closed-distil")._dialect.starter == "sorrys"
    with pytest.raises(
        BackendUnavailable, match=r"neither `frontend\.distil` nor .* starts a theorem with its hyp"
    ):
        older("closed-distil", "no-sorrys")


def test_a_tactic_of_an_earlier_version_sees_the_first_goal_only(older):
    backend = older("0.2.19")
    state = prove(backend, SWAP, ("constructor",))
    assert len(backend.apply(state, "all_goals exact h.2").state.goals) == 1
    assert backend.apply(prove(backend, SWAP, PROOF), "exact h").error == "no goals to be proved"


@pytest.mark.timeout(600)
def test_no_exploit_is_judged_a_proof(older):
    """Without the filter in front, where types are compared by `env.inspect`; the conformance suite has the rest."""
    backend = older("0.2.19")
    theorem = canary_theorems()[0]
    for exploit in EXPLOITS:
        script = exploit.against(theorem)
        verdict = backend._fleet.judge(("Init",))._judge(theorem, script, 20.0)
        assert not judge(verdict).proved, exploit.name


@pytest.mark.parametrize("version", ["0.2.19", "0.3.2"])
def test_where_types_are_compared_sorry_is_among_the_axioms(older, version):
    backend = older(version)
    reported = backend.verify(SWAP, ("sorry",))
    assert reported.axioms == ("sorryAx",)
    judged = verify_script(backend, SWAP, ("sorry",), ("propext", "sorryAx"), verify="replay")
    assert (judged.proved, judged.reason) == (False, "the proof uses `sorry`")


@pytest.mark.parametrize("verify", ["full", "replay"])
@pytest.mark.parametrize(
    ("version", "feature"),
    [("0.2.17", "no automatic mode"), ("0.2.18", r"no `frontend\.process` \(Unknown command")],
)
def test_a_version_before_0_2_19_is_refused_in_one_line(older, version, feature, verify):
    with pytest.raises(BackendOutdated) as caught:
        older(version, verify=verify)
    assert re.fullmatch(
        f"the REPL .* cannot be used: it has {feature}.*, expected Pantograph 0.2.19 or later "
        r"\(which is for Lean 4.12 or later\); build a later one with pip install .*",
        str(caught.value),
    )


@pytest.mark.parametrize("version", ["0.2.19", "0.2.25", "0.3.0"])
def test_replay_without_flags(older, version):
    backend = older(version, verify="replay")
    verdict = backend.verify(SWAP, PROOF)
    assert (verdict.proved, verdict.level) == (True, "replay")
    for script in (("sorry",), PROOF[:-1], (*PROOF, "exact h.1"), ("exact ⟨h.2, sorry⟩",)):
        assert not backend.verify(SWAP, script).proved


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
        (
            ("no-listing",),
            "full",
            "has no `frontend.process` with the messages of each command; use a later Pantograph, or verify='replay'",
        ),
        (("no-listing", "no-term"), "full", "the messages of each command; use a later Pantograph$"),
        (("no-delete",), "full", "it cannot delete states by `goal.delete`: Unknown command"),
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
