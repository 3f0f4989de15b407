"""Private declarations of a file: plain names in it, none for the files that import it, and the attacks on that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from minilean.check_command import check_file
from minilean.elab.sorry import SORRY
from minilean.kernel.expr import Const, mk_const
from minilean.kernel.traversal import subterms
from minilean.project.loading import Project
from minilean.project.positions import environment_at, project_position
from minilean.proof import Context

FILES = {
    "A.lean": """inductive Rare : Nat → Prop
  | intro {n : Nat} (h : ∀ m, m < n → n < m → False) : Rare n
namespace N
private def two : Nat := 2
private theorem two_eq : two = 2 := rfl
@[simp] private theorem add_two (n : Nat) : n + two = n + 2 := by rw [two_eq]
private theorem rare (n : Nat) : Rare n := .intro fun m h₁ h₂ => by omega
private structure Point where
  x : Nat
  y : Nat := 7
private inductive Tree
  | leaf
  | node (l r : Tree)
private def size : Tree → Nat
  | .leaf => 1
  | .node l r => size l + size r
@[reducible] private def Tree.half : Tree := .leaf
def tree : Tree := .node .leaf .leaf
theorem size_tree : size tree = two := rfl
private class Marked (α : Type) where
  mark : α
private instance instMarked : Marked Nat := ⟨9⟩
def mark (α : Type) [Marked α] : α := Marked.mark
private theorem gap : 1 = 2 := by sorry
theorem uses_gap : 1 = 2 := gap
def point : Point := { x := 1 }
def Point.swap (p : Point) : Point := ⟨p.y, p.x⟩
end N
""",
    "B.lean": "private theorem N.rare : 1 = 1 := rfl\nprivate def N.two : Nat := 3\ntheorem b : N.two = 3 := rfl\n",
    "C.lean": "import A\nimport B\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose two files have private declarations of the same names, and a file that imports both."""
    root = tmp_path_factory.mktemp("privacy")
    for name, text in FILES.items():
        (root / name).write_text(text, "utf-8")
    return Project(root)


def errors(project: Project, text: str, imports: str = "import C\n") -> list[str]:
    file = project.root / "Other.lean"
    file.write_text(imports + text, "utf-8")
    return [message.text for message in check_file(file, project)[0] if message.severity == "error"]


def test_the_file_itself_uses_plain_names(project: Project) -> None:
    for name in ("A.lean", "B.lean"):
        assert [m.text for m in check_file(project.root / name, project)[0] if m.severity == "error"] == []
    assert project.load("A").env.find("N.two_eq") is not None


@pytest.mark.parametrize(
    "text",
    [
        "theorem t : Rare 3 := N.rare 3",
        "open N in\ntheorem t : Rare 3 := rare 3",
        "open N (rare) in\ntheorem t : Rare 3 := rare 3",
        "namespace N\ntheorem t : Rare 3 := rare 3",
        "theorem t : Rare 3 := by exact?",
        "theorem t : Rare 3 := by apply N.rare",
        "theorem t : Rare 3 := _private.A.0.N.rare 3",
        "theorem t : Rare 3 := «_private».A.«0».N.rare 3",
        "open _private.A.0.N in\ntheorem t : Rare 3 := rare 3",
        "theorem t : Rare 3 := by simp [N.rare]",
        "theorem t : Rare 3 := by grind [N.rare]",
        "attribute [simp] N.rare",
        "export N (rare)\ntheorem t : Rare 3 := rare 3",
        "example : N.two = 2 := rfl",
        "example : N.Tree := .leaf",
        "example : N.Point := ⟨1, 2⟩",
        "example : Nat := N.size N.tree",
        "example : N.tree ≠ N.Tree.leaf := nofun",
        "example := N.Tree.half",
    ],
)
def test_another_file_cannot_name_them(project: Project, text: str) -> None:
    assert errors(project, text) != []


@pytest.mark.parametrize(
    "text",
    [
        "theorem t (n : Nat) : Rare n := .intro fun m h₁ h₂ => by omega",
        # what is public may be made of what is private, and computes as before
        "example : N.mark Nat = 9 := rfl",
        "example : N.point.x + N.point.y = 8 := rfl",
        "example : (N.Point.swap N.point).x = 7 := rfl",
        "example : ∃ n, N.mark Nat = n := ⟨9, rfl⟩",
        "example : N.point.x = 1 := by simp [N.point]",
        "example := N.size_tree",
        # its names are free
        "def N.two : Nat := 5\nexample : N.two = 5 := rfl",
        "private def N.two : Nat := 6\nexample : N.two = 6 := by unfold N.two; rfl",
        "inductive N.Tree | only\nexample (t : N.Tree) : t = .only := by cases t; rfl",
    ],
)
def test_what_is_public_goes_on(project: Project, text: str) -> None:
    assert errors(project, text) == []


def test_a_private_simp_lemma_goes_on(tmp_path: Path) -> None:
    files = {
        "A.lean": "def f (n : Nat) : Nat := n + 5\n@[simp] private theorem fz : f 0 = 5 := rfl\n",
        "B.lean": "import A\ndef fz : Nat := 1\nexample : f 0 = fz + 4 := by simp [fz]\n",
    }
    assert messages(tmp_path, files, "B.lean") == []
    assert messages(tmp_path, {"B.lean": files["B.lean"].replace("f 0", "f 1")}, "B.lean") != []


def test_axioms_show_under_any_name(project: Project) -> None:
    env, _ = project.environment(["C"])
    assert env.kernel.axioms_of(mk_const("N.uses_gap")) == (SORRY,)
    assert env.kernel.axioms_of(mk_const("_private.A.0.N.gap")) == (SORRY,)


def test_a_private_axiom_shows_under_its_private_name(tmp_path: Path) -> None:
    files = {"A.lean": "private axiom cheat : False\ntheorem no : False := cheat\n", "B.lean": "import A\n"}
    messages(tmp_path, files, "B.lean")
    env, _ = Project(tmp_path).environment(["A"])
    assert env.kernel.axioms_of(mk_const("no")) == ("_private.A.0.cheat",)


def test_no_term_has_an_old_name(project: Project) -> None:
    """Each constant that a module mentions is declared, so that nothing of another file takes its place."""
    env, _ = project.environment(["C"])
    own = project.load("A").added.declarations
    assert sum(declaration.name.startswith("_private.A.0.N.") for declaration in own) > 20
    for declaration in own:
        for term in (declaration.type, getattr(declaration, "value", None) or declaration.type):
            assert all(env.find(part.name) for part in subterms(term) if type(part) is Const), (
                declaration.name
            )
    assert env.find("N.two") is None and env.find("N.Tree.rec") is None


def test_an_episode_sees_the_private_names_of_its_own_file_before_it(tmp_path: Path) -> None:
    files = {
        "A.lean": FILES["A.lean"],
        "B.lean": "import A\nprivate theorem before (n : Nat) : n + 0 = n := rfl\n"
        "theorem goal (n : Nat) : Rare n := by sorry\nprivate theorem after (n : Nat) : Rare n := goal n\n",
    }
    messages(tmp_path, files, "B.lean")
    env, scope = environment_at(project_position(str(tmp_path), "B.lean", "goal"))
    problem = Context(env, "", scope).problem("theorem goal (n : Nat) : Rare n")
    for attack in ("exact N.rare n", "exact after n", "exact?", "open N in exact rare n", "simp [N.rare]"):
        step = problem.apply(problem.start(), attack)
        assert step.state is None or step.state.goals, attack
    honest = problem.apply(problem.start(), "rw [← before n]\nexact .intro fun m h₁ h₂ => by omega")
    assert honest.state is not None and SORRY not in problem.check(honest.state)


def messages(folder: Path, files: Mapping[str, str], name: str) -> list[str]:
    for file, text in files.items():
        (folder / file).write_text(text, "utf-8")
    found, _ = check_file(folder / name, Project(folder))
    return [message.text for message in found if message.severity == "error"]
