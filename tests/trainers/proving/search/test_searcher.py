"""Searches on a game with a known tree, and attacks on the prover."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import pytest

from lean_gym import LeanProofVectorEnv, Theorem
from lean_gym.types import Outcome
from trainers.policies.base import Completion
from trainers.policies.premises import Premise
from trainers.proving.search.beam import Beam
from trainers.proving.search.best_first import BestFirst
from trainers.proving.search.budget import Budget
from trainers.proving.search.drawing import draw_tree
from trainers.proving.search.sample import Sample
from trainers.proving.search.scores import PathLikelihood, create_score
from trainers.proving.search.searcher import Search, Searcher
from trainers.runtime.signals import Interrupted

# (state, tactic) -> states after it
MOVES = {
    ("A", "b"): ("B",),
    ("A", "c"): ("C",),
    ("B", "d"): ("D",),
    ("B", "c"): ("C",),
    ("C", "e"): ("E",),
    ("D", "b"): ("B",),
    ("E", "done"): (),
}
Table = Mapping[str, Sequence[tuple[str, float]]]
TABLE: Table = {
    "⊢ A": [("b", -0.5), ("c", -1.0), ("no", -0.1)],
    "⊢ B": [("d", -0.25), ("c", -0.25), ("b", -3.0)],
    "⊢ C": [("e", -0.1), ("e", -0.1), ("no", -2.0)],
    "⊢ D": [("b", -0.1), ("no", -0.3), ("no", -0.3)],
    "⊢ E": [("no", -0.2), ("done", -0.4), ("d", -5.0)],
}
SUM = create_score("sum")
Open = Callable[..., LeanProofVectorEnv]


class TablePolicy:
    """Gives the tactics of a state in turn, and records the states it was asked about."""

    def __init__(self, table: Table = TABLE) -> None:
        self.table = table
        self.asked: list[list[str]] = []
        self._given: dict[str, Iterator[int]] = {}

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        self.asked.append([text[-1] for text in goals])
        rows = [self.table[text] for text in goals]
        numbers = [next(self._given.setdefault(text, count())) for text in goals]
        chosen = [row[number % len(row)] for row, number in zip(rows, numbers, strict=True)]
        return [Completion((), (0,), (logprob,), tactic) for tactic, logprob in chosen]


@pytest.fixture
def open_game() -> Iterator[Open]:
    """Open environments over the game, one theorem for each start state."""
    opened: list[LeanProofVectorEnv] = []

    def open_env(
        starts: str = "A", num_envs: int = 4, num_workers: int = 0, **options: Any
    ) -> LeanProofVectorEnv:
        theorems = [Theorem(f"t{n}", f"theorem t{n} : {start}") for n, start in enumerate(starts)]
        options = {"rules": MOVES} | options
        opened.append(
            LeanProofVectorEnv(
                num_envs, theorems, "fake", num_workers=num_workers, max_steps=8, backend_options=options
            )
        )
        return opened[-1]

    yield open_env
    for env in opened:
        env.close()


def best_first() -> BestFirst:
    return BestFirst(SUM, samples=3)


def search_one(env: LeanProofVectorEnv, policy: TablePolicy, rule: Any = best_first, **limits: Any) -> Search:
    (found,) = Searcher(env, policy, rule, Budget(**limits)).search(["t0"])
    return found


def test_best_first_in_the_order_known_by_hand(open_game: Open) -> None:
    policy = TablePolicy()
    found = search_one(open_game(), policy)
    # B -0.5 before C -1; C is reached again through B with -0.75 and comes before D, -0.75, found later; E has -0.85.
    assert policy.asked == [["A"] * 3, ["B"] * 3, ["C"] * 3, ["D"] * 3, ["E"] * 3]
    assert found.proof is not None and found.tree is not None
    assert found.proof.tactics == ("b", "c", "e", "done")
    assert (found.spent.tactics, found.spent.model_calls) == (13, 15)
    assert (found.tree.merged, found.tree.repeated, found.tree.refused) == (2, 2, 6)
    assert len(found.tree.nodes) == 5


def test_predicted_tactics_left_have_a_part_in_the_score(open_game: Open) -> None:
    policy = TablePolicy()
    asked: list[str] = []

    def left(texts: Sequence[str]) -> list[float]:
        asked.extend(texts)
        return [{"A": 4.0, "B": 9.0, "C": 2.0, "D": 9.0, "E": 1.0}[text[-1]] for text in texts]

    found = search_one(open_game(), policy, lambda: BestFirst(SUM, 3, left, 0.25))
    # B 0.75 * -0.5 - 0.25 * 9 = -2.625, C 0.75 * -1 - 0.25 * 2 = -1.25, E 0.75 * -1.1 - 0.25 = -1.075
    assert policy.asked == [["A"] * 3, ["C"] * 3, ["E"] * 3]
    assert found.proof is not None
    assert found.proof.tactics == ("c", "e", "done")
    # Each state is predicted once.
    assert asked == ["⊢ A", "⊢ B", "⊢ C", "⊢ E"]


def test_a_weight_of_0_leaves_the_score_alone(open_game: Open) -> None:
    plain, weighted = TablePolicy(), TablePolicy()
    search_one(open_game(), plain)
    search_one(open_game(), weighted, lambda: BestFirst(SUM, 3, lambda texts: [7.0] * len(texts), 0.0))
    assert plain.asked == weighted.asked


def test_premises_are_shown_with_the_goals(open_game: Open) -> None:
    asked: list[list[str]] = []

    def retriever(
        texts: Sequence[str], count: int, theorems: Sequence[Theorem | None] = (), /
    ) -> list[list[Premise]]:
        assert [each and each.name for each in theorems] == ["t0"] * len(texts)
        asked.append(list(texts))
        return [[Premise("best", f"for\n  {text[-1]}"), Premise("next", "True")] for text in texts]

    class Shown(TablePolicy):
        def sample(self, goals: Sequence[str]) -> list[Completion]:
            for text in goals:
                above, _, goal = text.rpartition("\n")
                assert above == f"-- next : True\n-- best : for {goal[-1]}"
            return super().sample([text.rpartition("\n")[2] for text in goals])

    env = open_game()
    searcher = Searcher(env, Shown(), lambda: Beam(SUM, 3, 2), Budget(), retriever=retriever)
    (found,) = searcher.search(["t0"])
    assert found.proof is not None
    # Each state of a round is asked about once.
    assert asked == [["⊢ A"], ["⊢ B", "⊢ C"], ["⊢ D", "⊢ E"]]


def test_tactics_behind_a_proof_are_not_tried(open_game: Open) -> None:
    found = search_one(open_game(num_envs=1), TablePolicy())
    assert found.proof is not None
    assert found.spent.tactics == 12


def test_equal_searches_side_by_side_do_not_disturb_each_other(open_game: Open) -> None:
    env = open_game("AAZ", num_envs=2)
    table = dict(TABLE) | {"⊢ Z": [("no", -1.0)]}
    searches = Searcher(env, TablePolicy(table), lambda: BestFirst(SUM, 6), Budget()).search(
        ["t0", "t1", "t2"]
    )
    assert [None if s.proof is None else len(s.proof.tactics) for s in searches] == [4, 4, None]
    # Z has one tactic, so it is left alone after its second expansion.
    assert (searches[2].ended, searches[2].spent.tactics, searches[2].spent.model_calls) == (True, 1, 12)


@pytest.mark.parametrize("tactics", [1, 2, 7, 12])
@pytest.mark.parametrize("num_envs", [1, 3])
def test_the_budget_of_tactics_is_kept_exactly(open_game: Open, tactics: int, num_envs: int) -> None:
    env = open_game(num_envs=num_envs)
    found = search_one(env, TablePolicy(), tactics=tactics)
    assert found.spent.tactics == tactics
    assert (found.proof is not None) == (tactics == 12)
    # What the prover was asked is what is counted.
    assert env.stats()["tactics"] + env.stats().get("cache_hits", 0) >= tactics


@pytest.mark.parametrize("calls", [1, 4, 13])
def test_the_budget_of_model_calls_is_kept_exactly(open_game: Open, calls: int) -> None:
    policy = TablePolicy()
    found = search_one(open_game(), policy, model_calls=calls)
    assert sum(map(len, policy.asked)) == found.spent.model_calls == calls
    assert found.proof is None


def test_no_tactic_is_sent_after_the_last_second(open_game: Open) -> None:
    ticks = count()
    policy = TablePolicy()
    searcher = Searcher(open_game(), policy, best_first, Budget(seconds=5), clock=lambda: float(next(ticks)))
    (found,) = searcher.search(["t0"])
    # The clock is read at the start, and in a round at its plan, before its tactics and at its end.
    assert (policy.asked, found.spent.tactics, found.ended) == ([["A"] * 3, ["B"] * 3], 3, True)


def test_beam_keeps_the_best_of_each_depth(open_game: Open) -> None:
    narrow, wide = TablePolicy(), TablePolicy()
    assert search_one(open_game(), narrow, lambda: Beam(SUM, 3, 1), model_calls=9).proof is None
    assert narrow.asked == [["A"] * 3, ["B"] * 3, ["D"] * 3]
    found = search_one(open_game(), wide, lambda: Beam(SUM, 3, 2))
    assert wide.asked == [["A"] * 3, [*"BBB", *"CCC"], [*"DDD", *"EEE"]]
    assert found.proof is not None
    assert found.proof.tactics == ("c", "e", "done")


def test_beam_begins_again_with_twice_the_width(open_game: Open) -> None:
    policy = TablePolicy()
    found = search_one(open_game(), policy, lambda: Beam(SUM, 3, 1))
    # The first pass keeps B and then D, the second one has room for C, from which E is reached.
    first = [["A"] * 3, ["B"] * 3, ["D"] * 3]
    assert policy.asked == [*first, ["A"] * 3, [*"BBB", *"CCC"], [*"DDD", *"EEE"]]
    assert found.proof is not None
    # Three tactics in A and B, two in D and C; E's second one is the proof, its third is under way beside it.
    assert (found.spent.tactics, found.spent.model_calls) == (13, 24)


def test_beam_ends_when_nothing_is_new_and_nothing_was_cut_off(open_game: Open) -> None:
    policy = TablePolicy({"⊢ A": [("b", -1.0)], "⊢ B": [("no", -1.0)]})
    found = search_one(open_game(), policy, lambda: Beam(SUM, 1, 1))
    # New tactics in the first pass, none in the second.
    assert policy.asked == [["A"], ["B"], ["A"], ["B"]]
    assert (found.ended, found.proof, found.spent.tactics) == (True, None, 2)


def test_sample_plays_episodes_that_pay_for_every_tactic(open_game: Open) -> None:
    policy = TablePolicy(dict(TABLE) | {"⊢ A": [("b", -1.0)], "⊢ B": [("no", -1.0)]})
    found = search_one(open_game(), policy, lambda: Sample(1, max_steps=3), tactics=7)
    assert policy.asked == [[state] for state in "ABBABBA"]
    assert found.spent.tactics == 7
    assert found.tree is not None
    assert (found.tree.repeated, found.tree.refused) == (5, 1)


def test_scores_by_hand() -> None:
    path = PathLikelihood().then((-1.0, -2.0)).then((-4.0,))
    assert create_score("sum")(path) == -7.0
    assert create_score("mean")(path) == -1.5 - 4.0
    assert create_score("length_scaled")(path) == -5.5 / 4
    assert create_score("length_scaled", 0.5)(path) == pytest.approx(-5.5 / math.sqrt(2))
    assert create_score("length_scaled")(PathLikelihood()) == 0.0


def test_a_theorem_that_does_not_elaborate_stops_no_other(open_game: Open) -> None:
    env = LeanProofVectorEnv(
        2,
        [Theorem("bad", "nonsense"), Theorem("good", "theorem good : E")],
        "fake",
        num_workers=0,
        backend_options={"rules": MOVES},
    )
    with env:
        bad, good = Searcher(env, TablePolicy(), best_first, Budget()).search(["bad", "good"])
    assert "bad" in bad.failure
    assert bad.tree is None
    assert bad.proof is None
    assert good.proof is not None


def test_an_interruption_leaves_what_was_found(open_game: Open) -> None:
    calls = count()

    def stop() -> None:
        if next(calls) == 5:  # two starts and one round of two calls come before
            raise Interrupted(2)

    searcher = Searcher(open_game("EA"), TablePolicy(), best_first, Budget(), on_step=stop)
    with pytest.raises(Interrupted):
        searcher.search(["t0", "t1"])
    assert searcher.searches[0].proof is not None
    assert searcher.searches[1].proof is None


@pytest.mark.parametrize(
    "attack",
    ["sorry", "\x1b[2Jdone", "done\u202e", "done\x00", "\ud800", "done\n\ntheorem x", "", "a" * 5000],
)
def test_hostile_text_earns_no_proof(open_game: Open, attack: str) -> None:
    env = open_game("E")
    table = {"⊢ E": [(attack, -0.01)]}
    assert search_one(env, TablePolicy(table)).proof is None
    honest = {"⊢ E": [(attack, -0.01), ("done", -9.0)]}
    found = search_one(open_game("E"), TablePolicy(honest))
    assert found.proof is not None
    assert found.proof.tactics == ("done",)


def test_a_cheat_is_rejected_by_the_verdict_and_counted(open_game: Open) -> None:
    found = search_one(open_game("E"), TablePolicy({"⊢ E": [("sorry", -0.01), ("no", -1.0)]}))
    assert found.tree is not None
    assert found.tree.root.edges["sorry"].outcome is Outcome.REJECTED
    assert found.tree.root.edges["sorry"].error is not None
    assert found.proof is None


def test_a_tactic_that_kills_its_worker_earns_nothing_and_stops_nothing(open_game: Open) -> None:
    env = open_game("AE", num_workers=1, exit_on=["boom"])
    table = dict(TABLE) | {"⊢ A": [("boom", -0.1), *TABLE["⊢ A"]]}
    searcher = Searcher(env, TablePolicy(table), lambda: BestFirst(SUM, 4), Budget())
    killed, beside = searcher.search(["t0", "t1"])
    assert killed.tree is not None
    assert killed.tree.root.edges["boom"].outcome is Outcome.CRASHED
    assert killed.proof is not None
    assert beside.proof is not None


def test_minilean_accepts_a_proof_and_none_of_the_tricks() -> None:
    tricks = ["sorry", "exact sorry", "admit", "native_decide", "exact (by sorry)", "exact False.elim sorry"]
    table = {"⊢ False": [(trick, -1.0) for trick in tricks], "⊢ True": [("sorry", -0.1), ("trivial", -3.0)]}
    theorems = [Theorem("no", "theorem no : False"), Theorem("yes", "theorem yes : True")]
    with LeanProofVectorEnv(2, theorems, "minilean", num_workers=0) as env:
        searcher = Searcher(env, TablePolicy(table), lambda: BestFirst(SUM, len(tricks)), Budget())
        no, yes = searcher.search(["no", "yes"])
    assert no.proof is None
    assert no.spent.tactics == len(tricks)
    assert yes.proof is not None
    assert (yes.proof.tactics, yes.proof.axioms) == (("trivial",), ())


def test_the_drawing_shows_states_once_and_no_control_characters(open_game: Open) -> None:
    table = dict(TABLE) | {"⊢ A": [("b", -0.5), ("c", -1.0), ("x\x1b[2J", -0.1)]}
    found = search_one(open_game(), TablePolicy(table))
    assert found.tree is not None
    assert draw_tree(found.tree) == [
        "state 0: ⊢ A",
        "├─ b  state 1: ⊢ B",
        "│  ├─ d  state 3: ⊢ D",
        "│  │  ├─ b  as state 1",
        "│  │  └─ (1 refused)",
        "│  ├─ c  state 2: ⊢ C",
        "│  │  ├─ e  state 4: ⊢ E",
        "│  │  │  ├─ done  proved",
        "│  │  │  └─ (2 refused)",
        "│  │  └─ (1 refused)",
        "│  └─ (1 refused)",
        "├─ c  as state 2",
        "└─ (1 refused)",
    ]


@pytest.mark.parametrize("limits", [{"tactics": 0}, {"model_calls": 0}, {"seconds": -1.0}])
def test_a_budget_must_be_positive(limits: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(limits))}: got .*, expected a positive number"):
        Budget(**limits)
