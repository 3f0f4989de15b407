"""Progress of unfinished proofs: what counts, and what an attacker tries in vain."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lean_gym.envs.env import LeanProofEnv
from lean_gym.envs.progress import ProofProgress
from lean_gym.envs.vector import LeanProofVectorEnv
from lean_gym.rewards import FunctionReward
from lean_gym.types import Goal, Hypothesis, Theorem

# Automation closes none of these; 36, 49 and 64 are squares, 50 is not.
SQUARE = {number: f"∃ k : Nat, k * k = {number}" for number in (36, 49, 50, 64)}
FALSE = f"theorem t (n : Nat) (p q : Prop) (h : p ∨ q) : {SQUARE[50]}"
HALF = f"theorem t (n : Nat) (p q : Prop) (h : p ∨ q) : ({SQUARE[49]}) ∧ ({SQUARE[50]})"
SUM = "theorem t (n : Nat) : ∃ k : Nat, k * k = 50 + n"
JUNK = SQUARE[64]
NO_SQUARE = "∀ k : Nat, k * k ≠ 49"
CLOSE_JUNK = "exact ⟨8, rfl⟩"
# Automation closes this at once, and what `forbid="automation"` leaves of it does not.
EASY = "True ∧ True"
CLOSE_EASY = "exact ⟨True.intro, True.intro⟩"


def reads_progress(transition):
    return {"progress": transition.progress, "before": transition.progress_before}


READS = FunctionReward(reads_progress, needs_progress=True)


def make_env(forbid):
    # The prover keeps its cache over all plays of this module.
    made = LeanProofEnv([FALSE.replace("t (", "x (")], "minilean", READS, max_steps=1000, forbid=forbid)
    made.reset()
    return made


@pytest.fixture(scope="module")
def env():
    made = make_env(())
    yield made
    made.close()


@pytest.fixture(scope="module")
def bare_env():
    """The same without automation, for the agent and for the probe."""
    made = make_env("automation")
    yield made
    made.close()


@pytest.fixture(params=["env", "bare_env"])
def either_env(request):
    return request.getfixturevalue(request.param)


def theorem(statement):
    return Theorem(f"t{abs(hash(statement))}", statement)


def play(env, statement, *tactics):
    """Return the progress after each tactic that must be accepted."""
    env.reset(options={"theorem": theorem(statement)})
    values = []
    for tactic in tactics:
        *_, info = env.step(tactic)
        assert info["error"] is None, (tactic, info["error"])
        values.append(info["reward_terms"]["progress"])
    return values


def test_two_of_three_hard_conjuncts(env):
    statement = f"theorem t : ({SQUARE[49]}) ∧ ({SQUARE[64]}) ∧ ({SQUARE[50]})"
    tactics = ("refine ⟨?_, ?_, ?_⟩", "exact ⟨7, rfl⟩", "exact ⟨8, rfl⟩")
    assert play(env, statement, *tactics) == pytest.approx([0, 1 / 3, 2 / 3])
    # By nested pairs: half for the first, and half of the other half for the second.
    tactics = ("constructor", "exact ⟨7, rfl⟩", "constructor", "exact ⟨8, rfl⟩")
    assert play(env, statement, *tactics) == pytest.approx([0, 0.5, 0.5, 0.75])


def test_a_proof_is_all_of_it(env):
    assert play(env, f"theorem t : {SQUARE[49]}", "exact ⟨7, rfl⟩") == [1.0]


def test_before_and_after_are_told(env):
    env.reset(options={"theorem": theorem(HALF)})
    terms = [env.step(tactic)[4]["reward_terms"] for tactic in ("constructor", "exact ⟨7, rfl⟩", "skip", "x")]
    assert [one["progress"] for one in terms] == [0.0, 0.5, 0.5, 0.5]
    assert [one["before"] for one in terms] == [0.0, 0.0, 0.5, 0.5]


def test_what_automation_closes_at_once_has_no_weight(env):
    statement = f"theorem t (n : Nat) : n + 0 = n ∧ (True ∧ True) ∧ ({SQUARE[49]}) ∧ ({SQUARE[50]})"
    tactics = ("refine ⟨?_, ?_, ?_, ?_⟩", "rfl", "exact ⟨trivial, trivial⟩", "exact ⟨7, rfl⟩")
    assert play(env, statement, *tactics) == pytest.approx([0, 0, 0, 0.5])


def test_an_easy_base_case_has_no_weight_and_a_hard_one_has(env):
    easy = "theorem t (n : Nat) : n < 2 ∨ ∃ k : Nat, k * k = n + 50"
    assert play(env, easy, "induction n", "exact Or.inl (by decide)") == pytest.approx([0, 0])
    hard = "theorem t (n : Nat) : ∃ k : Nat, k * k = 49 + n"
    assert play(env, hard, "induction n", "exact ⟨7, rfl⟩") == pytest.approx([0, 0.5])


def test_cases_on_the_theorems_own_disjunction_have_shares_once(env):
    own = f"theorem t (p q : Prop) (h : p ∨ q) (a : ∀ n : Nat, n * n = 49 → q → False) : {SQUARE[50]}"
    first = ("rcases h with h | h", "rotate_left", "exact absurd h (a 7 rfl)")
    assert play(env, own, *first) == pytest.approx([0, 0, 0.5])
    again = ("rcases h with h | h", "have h2 : p ∨ q := Or.inl h", "rcases h2 with h2 | h2", "rotate_left")
    assert play(env, own, *again, "exact absurd h2 (a 7 rfl)")[-1] == 0.0


@pytest.mark.parametrize(
    "tactics",
    [
        (f"have hj : {JUNK} := ⟨8, rfl⟩", "have : True := True.intro", "skip"),
        (f"suffices hs : ({SQUARE[50]}) ∧ ({EASY}) from hs.1", "constructor", "rotate_left", CLOSE_EASY),
        (f"apply And.left (b := {EASY})", "constructor", "rotate_left", CLOSE_EASY),
        (f"by_cases hc : {EASY}", "rotate_left", "exact absurd ⟨True.intro, True.intro⟩ hc"),
        (f"refine (?_ : ({EASY}) → {SQUARE[50]}) ?_", "rotate_left", CLOSE_EASY),
        ("exfalso", f"apply absurd (a := {EASY})", CLOSE_EASY),
        (f"obtain ⟨x, hx⟩ : {JUNK}", CLOSE_JUNK),
        (f"refine (?_ : ({JUNK}) → {SQUARE[50]}) ?_", "rotate_left", CLOSE_JUNK),
        (f"suffices hs : ({SQUARE[50]}) ∧ ({JUNK}) from hs.1", "constructor", "rotate_left", CLOSE_JUNK),
        (f"apply And.left (b := {JUNK})", "constructor", "rotate_left", CLOSE_JUNK),
        (f"apply And.left (b := {JUNK})", "refine ⟨?_, ⟨8, rfl⟩⟩", "skip"),
        (f"by_cases hc : {JUNK}", "rotate_left", "exact absurd ⟨8, rfl⟩ hc"),
        (f"rcases Classical.em ({JUNK}) with hc | hc", "rotate_left", "exact absurd ⟨8, rfl⟩ hc"),
        (f"apply Or.elim (Classical.em ({JUNK}))", "rotate_left", "intro hc\nexact absurd ⟨8, rfl⟩ hc"),
        (f"by_cases hc : {JUNK} <;> clear h", "rotate_left", "exact absurd ⟨8, rfl⟩ hc"),
        ("exfalso", f"apply absurd (a := {JUNK})", CLOSE_JUNK),
        ("exfalso", f"refine (?_ : ({JUNK}) → False) ?_", "rotate_left", CLOSE_JUNK),
        ("revert n", "intro n", "revert n", "intro n"),
        ("have hn : 0 ≤ n := Nat.zero_le n", "induction n"),
        ("refine (?_ : False → _) ?_", "intro hf\nexact hf.elim"),
        # A false side goal closes the other one, and stays open.
        (f"refine (?_ : ({NO_SQUARE}) → {SQUARE[50]}) ?_", "intro hf\nexact absurd rfl (hf 7)"),
        (
            f"have hd : ({NO_SQUARE}) ∨ ({JUNK}) := Or.inr ⟨8, rfl⟩",
            "rcases hd with hd | hd",
            "exact absurd rfl (hd 7)",
        ),
        (f"refine (?_ : ({SQUARE[50]}) ∧ ({JUNK})).1\nconstructor\nrotate_left\nexact ⟨8, rfl⟩",),
    ],
)
def test_detours_of_a_false_theorem_earn_nothing(either_env, tactics):
    assert set(play(either_env, FALSE, *tactics)) == {0.0}


def test_coming_back_to_the_statement_takes_back_what_stands_below_it(env):
    cut = f"suffices hs : ({SQUARE[64]}) ∧ ({SQUARE[36]}) ∧ ({SQUARE[50]}) from hs.2.2"
    values = play(env, FALSE, cut, "refine ⟨?_, ?_, ?_⟩", "exact ⟨8, rfl⟩", "exact ⟨6, rfl⟩")
    assert values == [0.0] * 4


def test_the_gain_that_the_documentation_names(env):
    """The statement in other words, beside an assertion that is proved by hand, earns a share below 1."""
    other = "¬¬∃ k : Nat, k * k = 50"
    cut = f"suffices hs : ({other}) ∧ ({JUNK}) from Classical.byContradiction hs.1"
    values = play(env, FALSE, cut, "constructor", "rotate_left", CLOSE_JUNK)
    assert values[-1] == 0.5


RESTATED = f"({SQUARE[50]}) ∧ True"
RESTATE = f"refine Iff.mp (a := {RESTATED}) ?_ ?_"
BRIDGE = "exact Iff.intro (fun h => h.1) (fun h => ⟨h, True.intro⟩)"


@pytest.mark.parametrize(
    "tactics",
    [
        (RESTATE, BRIDGE),
        (
            f"refine Iff.mpr (b := {RESTATED}) ?_ ?_",
            "exact Iff.intro (fun h => ⟨h, True.intro⟩) (fun h => h.1)",
        ),
        (
            f"refine Eq.mp (α := {RESTATED}) ?_ ?_",
            "exact propext (Iff.intro (fun h => h.1) (fun h => ⟨h, True.intro⟩))",
        ),
        (
            f"refine cast (α := {RESTATED}) ?_ ?_",
            "exact propext (Iff.intro (fun h => h.1) (fun h => ⟨h, True.intro⟩))",
        ),
    ],
)
def test_a_goal_in_other_words_beside_the_proof_that_it_is_one_gains_nothing(bare_env, tactics):
    assert play(bare_env, FALSE, *tactics) == [0, 0]


def test_a_restated_goal_counts_as_the_goal_itself(bare_env):
    restated = f"refine Iff.mp (a := ({SQUARE[49]}) ∧ True) ?_ ?_"
    tactics = (restated, BRIDGE, "constructor", "exact ⟨7, rfl⟩", "exact True.intro")
    values = play(bare_env, f"theorem t : {SQUARE[49]}", *tactics)
    assert values[:2] == [0, 0]
    assert 0 < values[3] <= values[4] == 1
    # An equivalence that is the theorem's own has its share.
    statement = f"theorem t : (True ∧ True ↔ True) ∧ ({SQUARE[50]})"
    tactics = ("constructor", "exact Iff.intro (fun h => h.1) (fun h => ⟨h, h⟩)")
    assert play(bare_env, statement, *tactics) == [0, 0.5]


def test_forbidden_automation_makes_that_gain_easier(env, bare_env):
    other = "¬¬∃ k : Nat, k * k = 50"
    cut = f"suffices hs : ({other}) ∧ ({EASY}) from Classical.byContradiction hs.1"
    script = (cut, "constructor", "rotate_left", CLOSE_EASY)
    assert play(env, FALSE, *script)[-1] == 0.0
    assert play(bare_env, FALSE, *script)[-1] == 0.5


ATTACKS = (
    "have : True := trivial",
    f"have hj : {SQUARE[36]} := ⟨6, rfl⟩",
    "have hd : p ∨ ¬p := Classical.em p",
    f"suffices hs : ({SQUARE[50]}) ∧ ({JUNK}) from hs.1",
    f"by_cases hc : {JUNK}",
    "by_cases hz : n = 0",
    f"by_cases hc : {JUNK} <;> clear h",
    "refine ⟨?_, ?_⟩",
    f"obtain ⟨x, hx⟩ : {JUNK}",
    f"rcases Classical.em ({JUNK}) with hr | hr",
    "rcases Classical.em p with hr | hr",
    "rcases hd with hd | hd",
    "rcases h with h | h",
    "have h : p ∨ q := Or.inl h",
    "cases hc",
    "exfalso",
    f"apply absurd (a := {JUNK})",
    f"apply Or.elim (Classical.em ({JUNK}))",
    f"apply And.left (b := {JUNK})",
    f"refine (?_ : ({JUNK}) → {SQUARE[50]}) ?_",
    "revert n",
    "intro n",
    "intro hc",
    "constructor",
    "trivial",
    "induction n",
    "cases n",
    "rotate_left",
    "rotate_right",
    "case inr => skip",
    "case right => exact ⟨8, rfl⟩",
    "all_goals skip",
    "all_goals (have : True := trivial)",
    "all_goals try exact ⟨8, rfl⟩",
    "any_goals exact ⟨7, rfl⟩",
    "by_contra hn",
    "apply hn",
    "clear h",
    "exact ⟨8, rfl⟩",
    "exact ⟨7, rfl⟩",
    "exact absurd ⟨8, rfl⟩ hc",
    "exact absurd ⟨8, rfl⟩ hr",
    "exact hd.elim",
    "rotate_left\ntrivial",
    "have : True := True.intro",
    f"suffices hs : ({SQUARE[50]}) ∧ ({EASY}) from hs.1",
    f"by_cases hc : {EASY}",
    f"apply absurd (a := {EASY})",
    f"refine (?_ : ({EASY}) → {SQUARE[50]}) ?_",
    CLOSE_EASY,
    "exact absurd ⟨True.intro, True.intro⟩ hc",
    "case right => exact ⟨True.intro, True.intro⟩",
    "constructor\nrotate_left\nexact ⟨8, rfl⟩",
)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(script=st.lists(st.sampled_from(ATTACKS), min_size=4, max_size=14))
@pytest.mark.parametrize(("statement", "bound"), [(FALSE, 0.0), (HALF, 0.5), (SUM, 0.0)])
def test_no_policy_gains_more_than_what_it_closed_of_the_theorem(either_env, statement, bound, script):
    """FALSE and SUM are not provable, and of HALF one half is: whatever else a policy closes must not count."""
    either_env.reset(options={"theorem": theorem(statement)})
    for tactic in script:
        _, _, terminated, _, info = either_env.step(tactic)
        if terminated:
            break
        assert info["reward_terms"]["progress"] <= bound, (info["tactics"], info["goals"])


def goal(target, *hypotheses, case=None):
    entries = tuple(Hypothesis(*one.split(" : ")) for one in hypotheses)
    text = "\n".join([*([f"case {case}"] if case else []), *hypotheses, f"⊢ {target}"])
    return Goal(text, target, entries, case)


def step(progress, before, after, tactic="x", easy=None):
    return progress.step(before, after, tactic, [False] * len(after) if easy is None else easy)


def test_a_step_that_changes_several_goals_counts_when_all_is_closed():
    a, b, c, d = (goal(name) for name in "ABCD")
    start = ProofProgress.start([goal("A ∧ B ∧ C")])
    split = step(start, [goal("A ∧ B ∧ C")], [a, b, c])
    mixed = step(split, [a, b, c], [d, c], "all_goals x")
    assert mixed.value == 0.0
    assert step(mixed, [d, c], [c]).value == pytest.approx(2 / 3)
    assert step(split, [a, b, c], [b, c]).value == pytest.approx(1 / 3)


def test_the_order_of_goals_does_not_matter():
    a, b = goal("A"), goal("B")
    split = step(ProofProgress.start([goal("A ∧ B")]), [goal("A ∧ B")], [a, b], easy=[True, False])
    for order in itertools.permutations([a, b]):
        turned = step(split, [a, b], list(order), "rotate_left")
        assert turned.value == 0.0
        assert step(turned, list(order), [b]).value == 0.0
        assert step(turned, list(order), [a]).value == 1.0


def test_goals_closed_without_a_proof_bank_nothing():
    a, b = goal("A"), goal("B")
    split = step(ProofProgress.start([goal("A ∧ B")]), [goal("A ∧ B")], [a, b])
    assert step(split, [a, b], [b], "exact proof_of_a").value == 0.5
    for tactic in ("sorry", "exact sorryAx _", "admit", "native_decide", "first | exact foo | sorry"):
        assert step(split, [a, b], [b], tactic).value == 0.0


def test_a_witness_has_no_weight_and_its_solution_keeps_the_other_goals():
    start, open_ = goal("∃ k, P k ∧ Q k"), [goal("P ?w ∧ Q ?w", case="h"), goal("Nat", case="w")]
    chosen = step(ProofProgress.start([start]), [start], open_)
    parts = [goal("P ?w", case="h.left"), goal("Q ?w", case="h.right"), open_[1]]
    split = step(chosen, open_, parts)
    solved = step(split, parts, [goal("Q 5", case="h.right")])
    assert solved.value == 0.5
    assert step(solved, [goal("Q 5", case="h.right")], []).value == 1.0


def test_a_division_that_was_not_probed_counts_when_it_is_closed():
    a, b = goal("A"), goal("B")
    split = ProofProgress.start([goal("A ∧ B")]).step([goal("A ∧ B")], [a, b], "constructor", None)
    assert step(split, [a, b], [b]).value == 0.0


def test_single_vector_workers_and_branches_agree():
    script = ["constructor", "exact ⟨7, rfl⟩", f"by_cases hc : {JUNK}", "rotate_left", CLOSE_JUNK]
    expected = None
    for workers in (0, 2):
        with LeanProofVectorEnv(2, [HALF], "minilean", READS, num_workers=workers) as vec:
            vec.reset()
            found = [vec.step([tactic] * 2)[1].tolist() for tactic in script]
            points = vec.save([0])
            vec.step(["skip", "skip"])
            vec.restore({1: points[0]})
            found.append(vec.step(["skip", "skip"])[1].tolist())
            expected = expected or found
            assert found == expected
    single = LeanProofEnv([HALF], "minilean", READS)
    single.reset()
    for tactic, both in zip(script[:2], expected, strict=False):
        assert [single.step(tactic)[1]] * 2 == both
    point = single.save()
    direct = [single.step(tactic)[1] for tactic in script[2:]]
    single.restore(point)
    assert [single.step(tactic)[1] for tactic in script[2:]] == direct == [both[0] for both in expected[2:5]]
    single.close()
