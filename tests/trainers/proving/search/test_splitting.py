"""Goals searched apart on minilean: fewer tactics, shared metavariables, and scripts that only pass apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest

from lean_gym import LeanProofVectorEnv, Theorem
from trainers.config.search import SearchConfig
from trainers.errors import ConfigError
from trainers.policies.base import Completion
from trainers.proving.search import tree as tree_module
from trainers.proving.search.best_first import BestFirst
from trainers.proving.search.budget import Budget
from trainers.proving.search.drawing import draw_tree
from trainers.proving.search.independence import are_independent
from trainers.proving.search.mcts import Mcts
from trainers.proving.search.puct import Puct
from trainers.proving.search.rules import Rule
from trainers.proving.search.scores import create_score
from trainers.proving.search.searcher import Search, Searcher

TWICE = "theorem t (a b : Prop) (ha : a) (hb : b) : (a ∧ b) ∧ (a ∧ b)"
WORDS = ("constructor", "exact ha", "exact hb")
Run = Callable[..., Search]


class Told:
    """Gives tactics in turn: those of the first goal's target, or else the usual ones."""

    def __init__(self, usual: Sequence[str], by_target: Mapping[str, Sequence[str]] | None = None) -> None:
        self.usual = usual
        self.by_target = by_target or {}
        self.shown: list[str] = []
        self._given: dict[str, int] = {}

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        self.shown += goals
        found = []
        for text in goals:
            target = text.partition("\n\n")[0].rpartition("⊢ ")[2]
            words = self.by_target.get(target, self.usual)
            number = self._given.get(text, 0)
            self._given[text] = number + 1
            found.append(Completion((), (0,), (-1.0,), words[number % len(words)]))
        return found


@pytest.fixture
def search() -> Iterator[Run]:
    """Search for a proof of a statement with a rule."""

    def run(
        statement: str,
        policy: Told,
        split: bool = True,
        rule: Callable[[], Rule] | None = None,
        **limits: int,
    ) -> Search:
        count = len(policy.usual)
        rule = rule or (lambda: BestFirst(create_score("sum"), count))
        with LeanProofVectorEnv(1, [Theorem("t", statement)], "minilean", num_workers=0) as env:
            (found,) = Searcher(env, policy, rule, Budget(**limits), split_goals=split).search(["t"])
        return found

    yield run


def test_equal_goals_are_solved_once(search: Run) -> None:
    whole, apart = search(TWICE, Told(WORDS), split=False), search(TWICE, Told(WORDS))
    script = ("constructor", "constructor", "exact ha", "exact hb")
    assert whole.proof is not None
    assert apart.proof is not None
    assert whole.proof.tactics == apart.proof.tactics == (*script, *script[1:])
    # Seven states of three tactics each, and four: the start, `a ∧ b`, `a` and `b`.
    assert (whole.spent.tactics, apart.spent.tactics) == (21, 12)
    assert apart.tree is not None
    assert len(apart.tree.nodes) == 4
    assert draw_tree(apart.tree) == [
        "state 0: ⊢ (a ∧ b) ∧ a ∧ b",
        "├─ constructor  apart: states 1, 1",
        "│  state 1: ⊢ a ∧ b",
        "│  ├─ constructor  apart: states 2, 3",
        "│  │  state 2: ⊢ a",
        "│  │  ├─ exact ha  solved",
        "│  │  └─ (2 refused)",
        "│  │  state 3: ⊢ b",
        "│  │  ├─ exact hb  solved",
        "│  │  └─ (2 refused)",
        "│  └─ (2 refused)",
        "└─ (2 refused)",
    ]


def test_monte_carlo_search_splits_goals_too(search: Run) -> None:
    found = search(TWICE, Told(WORDS), rule=lambda: Mcts(Puct(), 3, lambda texts: [1.0] * len(texts)))
    assert found.proof is not None
    assert found.spent.tactics == 12
    rolled = search(TWICE, Told(WORDS), rule=lambda: Mcts(Puct(), 3, None, 4))
    assert rolled.proof is not None


def test_a_policy_is_shown_one_goal(search: Run) -> None:
    policy = Told(WORDS)
    search(TWICE, policy)
    assert {text.count("⊢") for text in policy.shown} == {1}


@pytest.mark.parametrize("tactics", [1, 4, 10, 11])
def test_the_budget_is_kept_exactly(search: Run, tactics: int) -> None:
    found = search(TWICE, Told(WORDS), tactics=tactics)
    assert (found.spent.tactics, found.proof) == (tactics, None)


def test_a_hopeless_goal_takes_no_turns_from_a_proof_elsewhere(search: Run) -> None:
    # Behind `constructor` only `a` can be proved; the other way needs the two goals together.
    statement = "theorem t (a c : Prop) (ha : a) (h : a → a ∧ c) : a ∧ c"
    found = search(statement, Told(("constructor", "exact ha", "exact h ha")))
    assert found.proof is not None
    assert found.proof.tactics == ("exact h ha",)


def test_shared_metavariables_keep_goals_together(search: Run) -> None:
    statement = "theorem t : ∃ n : Nat, n = 2 ∧ n = 2"
    policy = Told(("exact 5", "exact 2", "rfl"), {"∃ n, n = 2 ∧ n = 2": ("refine ⟨?_, ?_, ?_⟩",) * 3})
    found = search(statement, policy)
    assert found.proof is not None
    assert found.proof.tactics == ("refine ⟨?_, ?_, ?_⟩", "exact 2", "rfl", "rfl")
    assert found.tree is not None
    (edge,) = found.tree.root.edges.values()
    (child,) = edge.children
    assert len(child.goals) == 3
    # Behind `exact 5` and `exact 2` nothing is shared any more, and the two equations are searched apart.
    assert [len(each.children) for each in child.edges.values() if each.children] == [2, 2]


def test_a_test_that_misses_metavariables_makes_no_proof(
    search: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_module, "are_independent", lambda goals: True)
    words = ("exact 2", "exact 3", "rfl")
    policy = Told(words, {"∃ n, n = 2 ∧ n = 3": ("refine ⟨?_, ?_, ?_⟩",) * 3})
    found = search("theorem t : ∃ n : Nat, n = 2 ∧ n = 3", policy)
    assert found.proof is None
    assert found.tree is not None
    assert "it changes goals that are searched apart" in {
        edge.error for node in found.tree.nodes.values() for edge in node.edges.values()
    }


@pytest.mark.parametrize("honest", [True, False])
def test_a_joined_script_that_fails_is_no_proof(search: Run, honest: bool) -> None:
    # `case left` solves the goal where it stands first, and fails where the same goal has another tag.
    words = ("constructor", "case left => exact ⟨ha, hb⟩", "exact ⟨ha, hb⟩" if honest else "exact ha")
    found = search(TWICE, Told(words, {"a": ("fail",) * 3, "b": ("fail",) * 3}))
    assert (found.proof is not None) == honest
    if found.proof is not None:
        assert found.proof.tactics == ("constructor", *words[2:], *words[2:])


@pytest.mark.parametrize(
    "attack",
    [
        "sorry",
        "all_goals sorry",
        "rotate_left",
        "<;> skip",
        "swap",
        "exact ha\nexact sorry",
        "trivial\n\ntheorem x : False := sorry",
    ],
)
def test_no_tactic_solves_a_goal_that_is_searched_apart_without_a_proof(search: Run, attack: str) -> None:
    statement = "theorem t (a c : Prop) (ha : a) : a ∧ c ∧ False"
    found = search(statement, Told(("constructor", "exact ha", attack)), tactics=40)
    assert found.proof is None
    assert found.tree is not None
    assert found.tree.root.proof is None
    honest = search(TWICE, Told((*WORDS, attack)))
    assert honest.proof is not None


def test_metavariables_in_goals() -> None:
    assert are_independent(["case h\np : Prop\n⊢ p ∧ q", "n : Nat\n⊢ n = 2"])
    for goal in (
        "⊢ ?w = 2",
        "case a\n⊢ ?m.12 = 1",
        "h : ?_uniq.3\n⊢ True",
        "⊢ P ⋯",
        "α : Type ?u.4\n⊢ α = α",
    ):
        assert not are_independent(["⊢ True", goal])
    # A mark of an access that may fail is no metavariable.
    assert are_independent(["⊢ l[0]? = none", "⊢ l.head? = some 1"])


@pytest.mark.parametrize("method", ["beam", "sample"])
def test_other_rules_do_not_split(method: str) -> None:
    for wrong in ({"split_goals": True}, {"value": "runs/p"}):
        with pytest.raises(ConfigError, match="with best_first or mcts"):
            SearchConfig(**{"method": method} | wrong)
