"""Monte Carlo tree search with visits and values known by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import pytest

from lean_gym import LeanProofVectorEnv, Theorem
from trainers.policies.base import Completion
from trainers.proving.search.budget import Budget
from trainers.proving.search.mcts import Mcts
from trainers.proving.search.puct import Puct
from trainers.proving.search.searcher import Search, Searcher

MOVES = {("A", "b"): ("B",), ("A", "c"): ("C",), ("C", "d"): ("D",), ("D", "a"): ("A",), ("D", "done"): ()}
PLAIN = Puct(c_base=1e15, c_init=1.0, discount=0.5, prior_temperature=1.0, resample_factor=0.0)
"""An exploration of 1 in all states, and values in powers of 1/2."""


class Policy:
    """Gives the tactics of a goal in turn."""

    def __init__(self, table: Mapping[str, Sequence[tuple[str, float]]]) -> None:
        self.table = table
        self.asked: list[str] = []
        self._given: dict[str, int] = {}

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        found = []
        for text in goals:
            goal = text.partition("\n\n")[0].rpartition("⊢ ")[2]
            number = self._given.get(goal, 0)
            self._given[goal] = number + 1
            self.asked.append(goal)
            tactic, probability = self.table[goal][number % len(self.table[goal])]
            found.append(Completion((), (0,), (math.log(probability),), tactic))
        return found


class Left:
    """Knows the tactics left by the first goal, and records what it was asked."""

    def __init__(self, left: dict[str, float]) -> None:
        self.left = left
        self.asked: list[str] = []

    def __call__(self, goal_texts: Sequence[str]) -> list[float]:
        self.asked += [text.rpartition("⊢ ")[2] for text in goal_texts]
        return [self.left[text.rpartition("⊢ ")[2]] for text in goal_texts]


@pytest.fixture
def game() -> Iterator[LeanProofVectorEnv]:
    """Open the game of the moves, with A to be solved."""
    options = {"rules": MOVES}
    theorems = [Theorem("t", "theorem t : A")]
    with LeanProofVectorEnv(2, theorems, "fake", num_workers=0, max_steps=8, backend_options=options) as env:
        yield env


def run(env: LeanProofVectorEnv, policy: Policy, rule: Mcts, **options: object) -> Search:
    budget = Budget(options.pop("tactics", 256))  # type: ignore[arg-type]
    (found,) = Searcher(env, policy, lambda: rule, budget, **options).search(["t"])  # type: ignore[arg-type]
    return found


def test_scores_by_hand() -> None:
    puct = Puct(c_base=3.0, c_init=0.5, discount=0.5, prior_temperature=2.0)
    assert puct.priors([0.0, 2 * math.log(3)]) == pytest.approx([0.25, 0.75])
    assert puct.priors([-800.0, -800.0]) == [0.5, 0.5]
    assert (puct.worth(None), puct.worth(-1.0), puct.worth(-4.0)) == (0.0, 1.0, 0.125)
    # 0.125 + (0.5 + log(8 / 3)) * 0.25 * 2 / 3
    expected = 0.125 + (0.5 + math.log(8 / 3)) * 0.25 * 2 / 3
    assert puct.score(0.25, -4.0, visits=2, total=4) == pytest.approx(expected)
    # 2154.43... ** 0.6 is 100.
    assert [Puct().asks_again(1, visits) for visits in (2154, 2155)] == [False, True]


def test_visits_by_hand(game: LeanProofVectorEnv) -> None:
    policy = Policy({"A": [("b", 0.75), ("c", 0.25)], "B": [("no", 1.0)], "C": [("no", 1.0)]})
    left = Left({"A": 3.0, "B": 5.0, "C": 1.0})
    rule = Mcts(PLAIN, 2, left)
    found = run(game, policy, rule)
    # 1: A. 2: b 0.75, c 0.25. 3: b 1/32 + 0.75 * sqrt(2) / 2, c 0.25 * sqrt(2): B has no tactic and is asked again.
    # 4: b comes first still, and leads nowhere any more, so c. 5: C is asked again. 6: nothing is left.
    assert policy.asked == [*"AA", *"BB", *"BB", *"CC", *"CC"]
    assert left.asked == ["A", "B", "B", "C", "C"]
    assert (found.ended, found.proof, found.spent.tactics) == (True, None, 4)
    shown = {number: (visits.count, visits.total, visits.asked) for number, visits in rule.visits.items()}
    assert shown == {0: (5, -3.0 - 6 - 6 - 2 - 2, 1), 1: (2, -10.0, 2), 2: (2, -2.0, 2)}
    assert {edge.tactic: taken for edge, taken in rule.taken.items()} == {"b": 2, "c": 2}


def test_a_better_value_wins_over_a_better_prior(game: LeanProofVectorEnv) -> None:
    table = {
        "A": [("b", 0.6), ("c", 0.4)],
        "B": [("no", 0.5), ("not", 0.5)],
        "C": [("d", 0.9), ("no", 0.1)],
        "D": [("a", 0.9), ("done", 0.1)],
    }
    policy = Policy(table)
    found = run(game, policy, Mcts(PLAIN, 2, Left({"A": 3.0, "B": 9.0, "C": 2.0, "D": 1.0})))
    # After A and B: b 2 ** -9 + 0.6 * 1.41 / 2, c 0.4 * 1.41.
    assert policy.asked == [*"AA", *"BB", *"CC", *"DD"]
    assert found.proof is not None
    assert found.proof.tactics == ("c", "d", "done")


def test_states_in_a_circle_end_no_visit(game: LeanProofVectorEnv) -> None:
    policy = Policy({"A": [("c", 1.0)], "C": [("d", 1.0)], "D": [("a", 1.0)]})
    found = run(game, policy, Mcts(PLAIN, 1, Left(dict.fromkeys("ACD", 1.0))))
    # Each state has a tactic, and no visit goes round.
    assert (found.ended, policy.asked) == (True, ["A", "C", "D"])


def test_a_state_is_asked_again_after_enough_visits(game: LeanProofVectorEnv) -> None:
    often = Puct(c_base=1e15, c_init=1.0, discount=0.5, resample_factor=1.0, resample_exponent=0.5)
    policy = Policy(
        {"A": [("c", 1.0), ("b", 1.0)], "C": [("d", 1.0)], "D": [("done", 1.0)], "B": [("no", 1.0)]}
    )
    assert run(game, policy, Mcts(often, 1, Left(dict.fromkeys("ABCD", 1.0)))).proof is not None
    # 1 <= sqrt(1): A is asked again after its first visit. 2 <= sqrt(2) is false.
    assert policy.asked[:3] == ["A", "A", "C"]


def test_rollouts_count_the_tactics_of_the_policy(game: LeanProofVectorEnv) -> None:
    policy = Policy({"A": [("c", 1.0), ("no", 1.0)], "C": [("no", 1.0)]})
    rule = Mcts(PLAIN, 1, None, rollout_tactics=2)
    found = run(game, policy, rule, tactics=6)
    # A is expanded; its rollout tries `no` and `c`. C is expanded with `no`; its rollout tries it twice more.
    assert policy.asked == ["A", "A", "A", "C", "C", "C"]
    assert found.spent.tactics == 6
    assert rule.visits[0].total == -2.0


@pytest.mark.parametrize("tactics", [1, 2, 5, 8])
@pytest.mark.parametrize("valued", [True, False])
def test_the_budget_is_kept_exactly(game: LeanProofVectorEnv, tactics: int, valued: bool) -> None:
    names = [(f"no {number}", 0.5) for number in range(50)]
    policy = Policy({"A": [("b", 0.9), *names], "B": names})
    value = Left({"A": 1.0, "B": 1.0}) if valued else None
    found = run(game, policy, Mcts(PLAIN, 3, value), tactics=tactics)
    assert (found.spent.tactics, found.proof) == (tactics, None)


def test_the_minimum_over_goals_is_passed_up() -> None:
    statement = "theorem t (a b : Prop) (ha : a) (hb : b) : a ∧ b"
    table = {
        "a ∧ b": [("constructor", 1.0)],
        "a": [("nope", 1.0), ("exact ha", 1.0)],
        "b": [("nope", 1.0), ("exact hb", 1.0)],
    }
    policy = Policy(table)
    rule = Mcts(Puct(), 1, Left({"a ∧ b": 4.0, "a": 3.0, "b": 1.0}))
    with LeanProofVectorEnv(1, [Theorem("t", statement)], "minilean", num_workers=0) as env:
        found = run(env, policy, rule, split_goals=True)
    # Goals without a visit come first; then `a`, which has the lower value.
    assert policy.asked == ["a ∧ b", "a", "b", "a", "b"]
    assert found.proof is not None
    assert found.proof.tactics == ("constructor", "exact ha", "exact hb")
    # -4; -3 - 1; min(-3, -1) - 1; and -1 - 1 once `a` is solved.
    assert (rule.visits[0].count, rule.visits[0].total) == (4, -14.0)
