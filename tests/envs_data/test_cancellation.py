"""The set `cancellation`: its steps, and no training theorem has a test theorem as its instance."""

from __future__ import annotations

from envs_data.cancellation import equations_of, is_instance
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems
from lean_gym.types import Theorem


def test_a_step_with_another_argument_is_refused() -> None:
    backend = create_backend("minilean")
    theorem = Theorem(
        name="t",
        statement="theorem t {α : Type} (A : Loop α) (a b c d : α) (h : A.mul a b = A.mul a c) : b = c",
        context=next(each.context for each in load_theorems("cancellation") if each.domain == "loop"),
    )
    start = backend.start(theorem)
    for step, refused in (
        ("replace h := congrArg (A.ldiv d) h; simp only [A.ldiv_mul] at h", True),
        ("replace h := congrArg (A.rdiv b) h; simp only [A.ldiv_mul] at h", True),
        ("replace h := congrArg (A.ldiv a) h; simp only [A.ldiv_mul] at h", False),
    ):
        assert (backend.apply(start, step).state is None) == refused, step


def _theorem(binders: str, goal: str, context: str = "structure S") -> Theorem:
    return Theorem(
        name="t",
        statement=f"theorem t {{α : Type}} (A : S α) (a b c d : α) {binders} : {goal}",
        context=context,
    )


def test_instances_are_found() -> None:
    general = _theorem("(h : A.mul a b = A.mul a c)", "b = c")
    assert equations_of(general) == ((("A.mul", "a", "b"), ("A.mul", "a", "c")), ("b", "c"))
    assert is_instance(_theorem("(h : A.mul d (A.inv a) = A.mul d b)", "A.inv a = b"), general)
    assert is_instance(_theorem("(h : A.mul a c = A.mul a b)", "c = b"), general)
    assert not is_instance(_theorem("(h : A.mul b a = A.mul c a)", "b = c"), general)
    assert not is_instance(general, _theorem("(h : A.mul d (A.inv a) = A.mul d b)", "A.inv a = b"))
    assert not is_instance(_theorem("(h : A.mul a b = A.mul a c)", "b = c", "structure T"), general)
    two = _theorem("(h : A.inv a = A.inv b) (h1 : A.inv (A.inv b) = A.inv c)", "a = b ∧ A.inv b = c")
    assert len(equations_of(two)) == 4
    assert not is_instance(two, general)


def test_no_training_theorem_has_a_test_theorem_as_its_instance() -> None:
    theorems = load_theorems("cancellation")
    test = [each for each in theorems if each.split == "test"]
    train = [each for each in theorems if each.split == "train"]
    assert not [each.name for each in train if any(is_instance(special, each) for special in test)]
