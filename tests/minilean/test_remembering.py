"""Caches of the library are used in contexts of theorems, and declarations of a context do not stay in them."""

from __future__ import annotations

from typing import Final

import pytest

from minilean.check_command import check_text
from minilean.kernel.declaration import Declaration
from minilean.library import library
from minilean.meta import extension
from minilean.meta.metavars import Meta
from minilean.proof import Problem, ProofError
from minilean.tactics.simp import lemmas
from minilean.tactics.simp.rules import Rule

SIMP: Final = "theorem t (n : Nat) : n + 0 = n"


def _simp(statement: str, context: str = "") -> str | None:
    problem = Problem.from_source(statement, library(), context)
    return problem.apply(problem.start(), "simp").error


def _goal(statement: str, context: str) -> str:
    problem = Problem.from_source(statement, library(), context)
    (text,) = problem.goal_texts(problem.start())
    return text


@pytest.mark.parametrize(
    "context", ["open Nat", "variable (p : Prop)", "set_option maxRecDepth 100 in open Nat"]
)
def test_a_context_that_declares_nothing_has_the_rules_of_the_library(context: str) -> None:
    assert _simp(SIMP) is None
    rules = library().memo["simp_rules"]
    problem = Problem.from_source(SIMP, library(), "open Nat")
    assert problem.apply(problem.start(), "simp").error is None
    assert problem.env.memo["simp_rules"] is rules


def test_a_context_that_declares_something_makes_its_own_rules_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _simp(SIMP) is None
    made: list[str] = []
    make = lemmas.constant_rules

    def noted(m: Meta, decl: Declaration, symm: bool = False) -> list[Rule]:
        made.append(decl.name)
        return make(m, decl, symm)

    monkeypatch.setattr(lemmas, "constant_rules", noted)
    own = "def P (n : Nat) : Prop := n = n\n@[simp] theorem P_all (n : Nat) : P n := rfl"
    assert _simp("theorem t (n : Nat) : P (n + 0)", own) is None
    assert set(made) == {"P_all"}
    # The left side of a lemma may be another one where what it mentions unfolds.
    assert _simp(SIMP, f"{own}\nattribute [reducible] List.append") is None
    assert len(set(made)) > 100


def test_a_lemma_of_the_context_is_used_there_alone() -> None:
    plain = "def P (n : Nat) : Prop := n = n"
    marked = f"{plain}\n@[simp] theorem P_all (n : Nat) : P n := rfl"
    assert _simp(SIMP) is None
    assert _simp("theorem t : P 5", marked) is None
    assert _simp("theorem t : P 5", plain) is not None


def test_attributes_of_the_context_take_back_what_was_known() -> None:
    statement = "theorem t (l : List Nat) : l.reverse.reverse = l"
    assert _simp(statement) is None
    assert _simp(statement, "attribute [-simp] List.reverse_reverse") is not None
    assert _simp(statement) is None


def test_what_an_attribute_unfolds_is_found_afterwards() -> None:
    """The first theorem caches that there is no instance; the attribute has to drop that."""
    context = "def N := Nat\ntheorem s : True := by first | exact (fun (_ : Add N) => trivial) inferInstance | trivial"
    statement = "theorem t (a : N) : a + a = a + a"
    with pytest.raises(ProofError):
        Problem.from_source(statement, library(), context)
    assert _simp(statement, f"{context}\nattribute [reducible] N") is None


def test_a_name_of_two_contexts_is_printed_as_each_declares_it() -> None:
    assert _goal("theorem t : f 1 = 1", "def f (n : Nat) : Nat := n") == "⊢ f 1 = 1"
    assert _goal("theorem t : f (n := 1) = 1", "def f {n : Nat} : Nat := n") == "⊢ f = 1"
    assert _goal("theorem t : f 1 = 1", "def f (n : Nat) : Nat := n") == "⊢ f 1 = 1"


def test_a_name_of_two_contexts_is_one_type_and_another() -> None:
    """Two constructors of a type differ; values of definitions may be equal."""
    apart = "inductive T where | a | b\nopen T"
    alike = "def a : Nat := 1\ndef b : Nat := 1"
    for _ in range(2):
        problem = Problem.from_source("theorem t : a = b", library(), alike)
        assert problem.apply(problem.start(), "rfl").error is None
        problem = Problem.from_source("theorem t : a ≠ b", library(), apart)
        assert problem.apply(problem.start(), "simp").error is None


def test_a_theorem_in_between_is_found_and_hides_names() -> None:
    """Declaring a theorem keeps most caches, but not those of lemmas and of printed names."""
    text = (
        "opaque Q : Nat → Prop\naxiom hyp (n : Nat) : Q n\nnamespace A\nopaque x : Nat\nend A\nopen A\n"
        "theorem one : x = x := by exact?\ntheorem goal : x = 4 := by skip\n"
        "theorem q (n : Nat) : Q n := hyp n\ntheorem x : True := trivial\n"
        "theorem two : Q 3 := by exact?\ntheorem goal2 : A.x = 4 := by skip\n"
    )
    assert [message.text.split("\n")[-1].strip() for message in check_text(text)] == [
        "[apply] exact Eq.refl x", "⊢ x = 4", "[apply] exact q 3", "⊢ A.x = 4"
    ]  # fmt: skip


def test_what_grows_is_not_shared() -> None:
    env = library()
    assert _simp(SIMP) is None
    scope = env.scope()
    shared = {key for key, known in scope.memo.items() if known is env.memo[key]}
    assert extension.PRINT_CACHE not in scope.memo
    assert not any(isinstance(env.memo[key], dict) for key in shared)
