"""The environment before a theorem of a project, and the attacks on it: own name, later lemmas, importers, search."""

from __future__ import annotations

from pathlib import Path

import pytest

from minilean.library.prefix import PositionError
from minilean.project.positions import environment_at, in_project, project_position
from minilean.proof import Context, Problem

FILES = {
    "A.lean": "inductive Rare : Nat → Prop\n  | intro {n : Nat} (h : ∀ m, m < n → n < m → False) : Rare n\n"
    "theorem early (p : Prop) (hp : p) : p ∧ p := ⟨hp, hp⟩\n",
    "B.lean": """import A
namespace N
open Nat
variable (a b : Nat)
theorem mine : Rare (a + b) := by
  constructor
  omega
theorem later : Rare (a + b) := mine a b
end N
""",
    "C.lean": "import B\ntheorem from_above (a b : Nat) : Rare (a + b) := N.later a b\naxiom cheat : False\n",
}
PERMITTED = {"propext", "Classical.choice", "Quot.sound"}
STATEMENT = "theorem N.mine : Rare (a + b)"
HONEST = "exact .intro fun m h₁ h₂ => by omega"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("positions")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def problem_at(root: Path, file: str, name: str, statement: str) -> Problem:
    env, scope = environment_at(project_position(str(root), file, name))
    return Context(env, "", scope).problem(statement)


def test_the_statement_is_read_in_the_scope_of_the_file(root: Path) -> None:
    problem = problem_at(root, "B.lean", "N.mine", STATEMENT)
    state = problem.start()
    assert problem.goal_texts(state) == ["a b : Nat\n⊢ Rare (a + b)"]
    honest = problem.apply(state, HONEST)
    assert honest.state is not None and set(problem.check(honest.state)) <= PERMITTED


@pytest.mark.parametrize(
    "attack",
    [
        *("exact mine a b", "exact N.mine a b", "exact N.later a b", "exact from_above a b"),
        *("exact?", "apply?", "exact cheat.elim", "sorry", "simp [N.later]", "open N in exact later a b"),
        *("import B", "import C\nexact from_above a b", "grind [N.mine]", "exact _root_.N.mine a b"),
    ],
)
def test_no_proof_by_own_name_by_search_or_by_an_importer(root: Path, attack: str) -> None:
    problem = problem_at(root, "B.lean", "N.mine", STATEMENT)
    step = problem.apply(problem.start(), attack)
    assert step.state is None or step.state.goals


def test_the_axiom_of_sorry_shows(root: Path) -> None:
    problem = problem_at(root, "B.lean", "N.mine", STATEMENT)
    step = problem.apply(problem.start(), "exact sorryAx _ false")
    assert step.state is None or problem.check(step.state) == ("sorryAx",)


def test_a_later_theorem_may_use_earlier_ones_and_imports(root: Path) -> None:
    problem = problem_at(root, "B.lean", "N.later", STATEMENT.replace("mine", "later"))
    for proof in ("exact mine a b", "exact?"):
        step = problem.apply(problem.start(), proof)
        assert step.state is not None and set(problem.check(step.state)) <= PERMITTED
    step = problem.apply(problem.start(), "exact (early _ (mine a b)).1")
    assert step.state is not None and problem.check(step.state) == ()


@pytest.mark.parametrize(
    "position", ["{}//B.lean:N.other", "{}//Z.lean:N.mine", "{}//B.lean", "{}/none//B.lean:N.mine"]
)
def test_a_position_that_does_not_exist_is_refused(root: Path, position: str) -> None:
    text = position.format(root)
    assert in_project(text)
    with pytest.raises(PositionError):
        environment_at(text)


def test_a_position_of_the_library_is_as_before() -> None:
    env, scope = environment_at("NatBasic.lean:Nat.add_comm")
    assert scope is None and env.find("Nat.add_comm") is None and env.find("Nat.add") is not None
