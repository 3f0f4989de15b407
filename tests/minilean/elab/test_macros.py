"""Macros of the context of a statement; steps declare none."""

from __future__ import annotations

import pytest

from minilean.elab.names import Scope
from minilean.library import library
from minilean.proof import Problem


@pytest.mark.parametrize(
    ("macro", "step"),
    [
        ('macro "win" x:term : tactic => `(tactic| sorry)', "win 1"),
        ('macro "win" x:term : tactic => `(tactic| exact sorry)', "win 1"),
        ('macro "win" x:term : term => `(sorry)', "exact win 1"),
        ('macro "win" x:term : tactic => `(tactic| exact $x)', "win sorry"),
        ('macro "win" t:tactic : tactic => `(tactic| $t)', "win sorry"),
        ('macro "win" t:tactic : tactic => `(tactic| first | $t | native_decide)', "win admit"),
        (
            'syntax "win" term,* : term\nmacro_rules | `(win $x, $xs,*) => `(win $xs,*) | `(win) => `(sorry)',
            "exact win 1",
        ),
        ('macro "win" x:term : tactic => `(tactic| exact $x)', "win False.elim"),
        ('macro "False" : term => `(True)', "trivial"),
    ],
)
def test_a_macro_of_the_context_proves_nothing_by_itself(macro: str, step: str) -> None:
    statement = "theorem t : 1 = 2"
    problem = Problem.from_source(statement, library(), macro)
    after = problem.apply(problem.start(), step)
    assert after.state is None or problem.check(after.state) != ()


@pytest.mark.parametrize(
    "tactic",
    [
        'macro "m" x:term : tactic => `(tactic| exact $x)',
        'syntax "m" term : term',
        "macro_rules | `(tactic| m) => `(tactic| sorry)",
        "exact `(m)",
        "exact $x",
    ],
)
def test_tactics_declare_no_macros(tactic: str) -> None:
    problem = Problem.from_source("theorem t : 2 = 3", library(), 'syntax "m" : tactic')
    assert problem.apply(problem.start(), tactic).state is None


def test_other_problems_know_nothing_of_a_macro() -> None:
    Problem.from_source("theorem t : 2 = 2", library(), 'macro "two" x:term : term => `(2)')
    problem = Problem.from_source("theorem t : ∃ n, n = 2", library())
    assert problem.apply(problem.start(), "exact ⟨two 1, rfl⟩").state is None
    assert Scope().macros == {}
