"""Search by several sources of tactics: their turns, what they propose, and attacks on it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from lean_gym import LeanProofEnv
from lean_gym.datasets import load_theorems
from lean_gym.types import Goal, Hypothesis, Theorem
from lean_gym.verification.canaries import canary_theorems
from trainers.config.files import write_file
from trainers.config.rollout import SamplingConfig
from trainers.config.run import RunConfig, TinyConfig
from trainers.config.search import SearchConfig
from trainers.config.tasks import ProveConfig
from trainers.policies.base import Completion
from trainers.policies.premises import Premise
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.prove import main
from trainers.proving.search.portfolio import Portfolio
from trainers.proving.search.proposals import LemmasByShape, conclusion_of, core_lemmas, menu_of, tactics_with
from trainers.proving.search.proving import search_with
from trainers.proving.search.rules import Expansion
from trainers.proving.search.searcher import Search
from trainers.proving.search.tree import Edge, Tree

README = Path(__file__).parents[4] / "README.md"


def searched(statement: str, sources: str, tactics: int = 64, **theorem: str) -> Search:
    config = ProveConfig(
        tactics_from=sources, backend="minilean", workers=1, search=SearchConfig(tactics=tactics)
    )
    (found,) = search_with(config, [Theorem("t", statement, **theorem)], None, lambda: None)  # type: ignore[arg-type]
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a run that learned nothing."""
    folder = tmp_path_factory.mktemp("run")
    tiny = TinyConfig(hidden_size=32, layers=1, attention_heads=2, vocabulary=320)
    tokenizer = train_tokenizer(["⊢ p"], tiny.vocabulary)
    TransformersPolicy(build_model(tiny, tokenizer, 0), tokenizer, SamplingConfig()).save(folder / "policy")
    write_file(RunConfig(), folder / "config.yaml")
    return folder


def test_the_lines_of_the_readme(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        line for line in README.read_text(encoding="utf-8").splitlines() if line.startswith("lean-gym prove ")
    ]
    assert {"--policy" in line for line in lines} == {True, False}
    for line in lines:
        words = shlex.split(line, comments=True)[2:]
        statement = words[0]
        assert main([str(run) if word == "runs/RUN" else word for word in words]) == 0
        printed = capsys.readouterr().out
        assert printed.startswith(f"{statement} := by\n")
        assert re.search(r"^-- t: proved by \w+", printed, re.M)


@pytest.mark.parametrize("sources", ["automation", "menu", "lemmas", "automation,menu,lemmas"])
def test_each_source_proves_and_is_named(sources: str) -> None:
    found = searched("theorem t (a b c : Nat) : a + b + c = a + (b + c)", sources)
    assert found.proof is not None
    assert set(found.proof.sources) <= set(sources.split(","))
    assert found.spent.model_calls == 0


def test_one_proof_may_come_from_several_sources() -> None:
    statement = "theorem t (p q : Prop) (xs ys : List Nat) : p → (xs ++ ys).length = xs.length + ys.length"
    config = ProveConfig(
        policy="p",
        tactics_from="policy,lemmas",
        backend="minilean",
        workers=1,
        search=SearchConfig(samples=1),
    )
    (found,) = search_with(config, [Theorem("t", statement)], Saying("intro h"), lambda: None)
    assert found.proof is not None
    assert found.proof.tactics[0] == "intro h"
    assert found.proof.sources == ("policy", "lemmas")


def test_a_policy_that_is_no_source_is_not_asked() -> None:
    config = ProveConfig(policy="p", tactics_from="menu", backend="minilean", workers=1)
    theorem = Theorem("t", "theorem t (p : Prop) : p")
    (found,) = search_with(config, [theorem], Saying("intro h"), lambda: None)
    assert (found.spent.model_calls, found.proof) == (0, None)


class Saying:
    """Policy that has one tactic."""

    def __init__(self, tactic: str) -> None:
        self.completion = Completion((), (0,), (-1.0,), tactic)

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        return [self.completion] * len(goals)

    def seeded(self, seed: int) -> AbstractContextManager[None]:
        return nullcontext()


class Asked:
    """Rule of a policy that gives one refused tactic at a time, and counts what it is told."""

    def __init__(self) -> None:
        self.chosen = self.told = 0

    def choose(self, tree: Tree) -> Sequence[Expansion]:
        self.chosen += 1
        return [Expansion(tree.root, 1)]

    def learn(self, tree: Tree, done: Sequence[tuple[Expansion, Sequence[Edge]]]) -> None:
        self.told += len(done)


def test_sources_take_turns_and_the_policy_hears_of_its_own_only(open_false: Tree) -> None:
    asked = Asked()
    rule = Portfolio(asked, ("automation", "policy", "menu", "lemmas"), 3, 5, core_lemmas())
    turns = []
    for _ in range(17):
        (expansion,) = rule.choose(open_false)
        turns.append((expansion.source, len(expansion.given)))
        rule.learn(open_false, [(expansion, [])])
    assert turns == [
        ("automation", 5),
        *[*[("policy", 0)] * 3, ("menu", 3), *[("policy", 0)] * 3, ("lemmas", 3)] * 2,
    ]
    assert (asked.chosen, asked.told) == (12, 12)


def test_a_source_that_has_nothing_left_is_passed_over(open_false: Tree) -> None:
    rule = Portfolio(None, ("menu",), 8, 0, core_lemmas())
    seen: list[str] = []
    while found := rule.choose(open_false):
        (expansion,) = found
        seen += expansion.given
    assert len(seen) == len(set(seen)) > 8
    assert set(seen) == set(menu_of(open_false.root.episode.goals[0], open_false.root.episode.theorem))


@pytest.fixture
def open_false() -> Tree:
    """Tree of a goal that nothing is known about."""
    tree = searched("theorem t (p : Nat → Prop) (n : Nat) : p n", "menu", tactics=1).tree
    assert tree is not None
    tree.root.edges.clear()
    return tree


@pytest.mark.parametrize("theorem", canary_theorems(), ids=lambda theorem: theorem.name)
def test_no_source_proves_a_false_theorem(theorem: Theorem) -> None:
    config = ProveConfig(backend="minilean", workers=1, search=SearchConfig(tactics=96))
    (found,) = search_with(config, [theorem], None, lambda: None)
    assert found.tree is not None and found.proof is None


def test_a_lemma_is_found_by_the_shape_of_its_conclusion() -> None:
    lemmas = core_lemmas()
    expected = {
        "⊢ x * (y + z) = x * y + x * z": "Nat.mul_add",
        "⊢ (l₁ ++ l₂).length = l₁.length + l₂.length": "List.length_append",
        "⊢ q ∨ p ↔ p ∨ q": "or_comm",
    }
    for goal, name in expected.items():
        (found,) = lemmas([goal], 12)
        assert name in [premise.name for premise in found]


def test_a_theorem_is_no_lemma_for_itself() -> None:
    own = next(each for each in load_theorems("core") if each.name == "or_comm")
    (found,) = core_lemmas()(["⊢ a ∨ b ↔ b ∨ a"], 5, [own])
    assert len(found) == 5 and "or_comm" not in [premise.name for premise in found]


@pytest.mark.parametrize(
    ("statement", "conclusion"),
    [
        ("theorem t (n : Nat) : n = n", "n = n"),
        ("theorem t {p : Nat → Prop} (h : ∀ x, p x) : (∃ x, p x → p 1) → p 0", "p 0"),
        ("theorem t : ∀ x : Nat, x = x", "∀ x : Nat, x = x"),
        ("theorem t", "theorem t"),
    ],
)
def test_the_conclusion_of_a_statement(statement: str, conclusion: str) -> None:
    assert conclusion_of(statement).strip() == conclusion


def test_the_menu_follows_the_goal() -> None:
    goal = Goal(
        "", "p ∧ q", (Hypothesis("h", "q ∨ p"), Hypothesis("n m", "Nat"), Hypothesis("x✝", "r")), None
    )
    menu = menu_of(goal, Theorem("t", "theorem t : True", context="theorem law : p = q := foo"))
    assert {"constructor", "rcases h with h | h", "induction n", "cases m", "rw [law]", "rw [← law]"} <= set(
        menu
    )
    assert not any("✝" in tactic for tactic in menu)
    assert len(menu) == len(set(menu))


def test_names_that_are_introduced_are_new() -> None:
    goal = Goal("", "p → q", (Hypothesis("h h1", "p"),), None)
    assert "intro h2" in menu_of(goal, Theorem("t", "theorem t : True"))


def test_the_tactics_of_every_core_lemma_are_read(tmp_path: Path) -> None:
    """A tactic made of a lemma may fail, but not for its syntax."""
    env = LeanProofEnv([Theorem("t", "theorem t (p : Prop) (a b : Nat) : p ∨ a = b")], "minilean")
    env.reset()
    for theorem in load_theorems("core")[::40]:
        for tactic in tactics_with(Premise(theorem.name, theorem.statement)):
            env.reset()
            _, _, _, _, info = env.step(tactic)
            assert "expected" not in (info["error"] or "").split("\n")[0], tactic
    env.close()


def test_lemmas_of_an_empty_list() -> None:
    assert LemmasByShape([])(["⊢ True"], 3) == [[]]


@pytest.mark.parametrize("split_goals", [False, True])
@pytest.mark.parametrize(
    ("statement", "tactic", "written"),
    [
        ("theorem t (a b : Nat) (h : a ∣ b) : a ∣ b * 3", "exact?", "exact Nat.dvd_mul_right_of_dvd h 3"),
        ("theorem t (a b : Nat) : a + b = b + a", "skip; exact?", "skip; exact Nat.add_comm a b"),
        ("theorem t (p : Prop) : p → p ∧ True", "simp? ; done", "simp? ; done"),
        ("theorem t (a : Nat) : a + 0 = a", "simp?", "simp only [Nat.add_zero]"),
        # The found term names what `intros` named, which cannot be written.
        ("theorem t : ∀ a b : Nat, a + b = b + a", "intros; exact?", "intros; exact?"),
    ],
)
def test_a_printed_proof_says_what_a_searching_tactic_found(
    statement: str, tactic: str, written: str, split_goals: bool
) -> None:
    config = ProveConfig(
        policy="p",
        tactics_from="policy",
        backend="minilean",
        workers=1,
        search=SearchConfig(tactics=4, split_goals=split_goals),
    )
    (found,) = search_with(config, [Theorem("t", statement)], Saying(tactic), lambda: None)
    assert found.proof is not None
    assert found.proof.tactics == (written,)
    assert found.spent.tactics == 1
