import pytest

from lean_gym.rewards import DomainReward, Transition
from lean_gym.rewards.subjects import SUBJECTS, subject_of
from lean_gym.types import Outcome, Theorem


@pytest.mark.parametrize(
    ("statement", "context", "subject"),
    [
        ("theorem t (p q : Prop) (h : p ∧ q) : q ∧ p", "", "logic"),
        ("theorem add_list (p : Prop) : p → ¬¬p", "", "logic"),
        ("theorem t (n : Nat) : n + 0 = n", "", "arithmetic"),
        ("theorem t (a b : Int) (h : a = b) : b = a", "", "arithmetic"),
        ("theorem t (a b c : Nat) (h : a ≤ b) : a ≤ b + c", "", "order"),
        ("theorem t (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length", "", "lists"),
        ("theorem t (f : Nat → Nat) : (fun x => f x) = f", "", "functions"),
        ("theorem t (f g : α → β) (h : ∀ x, f x = g x) : f = g", "", "functions"),
        ("theorem t (P : Nat → Prop) (h : ∀ n, P n) : P a", "", "arithmetic"),
        ("theorem t (n : Nat) (h : Even n) : Even (n + 2)", "inductive Even : Nat → Prop", "induction"),
        ("theorem t (n : Nat) : f n = n", "def f : Nat → Nat\n  | 0 => 0\n  | n + 1 => f n + 1", "induction"),
    ],
)
def test_by_the_symbols(statement, context, subject):
    assert subject_of(Theorem("t", statement, context)) == subject
    assert subject in SUBJECTS


def earned(theorem, **options):
    proved = Transition(theorem, "x", (), (), Outcome.PROVED, terminated=True)
    return sum(DomainReward(**options)(proved).values())


def test_the_rule_reads_the_statement_when_the_row_has_no_domain():
    lists = Theorem("t", "theorem t (xs : List Nat) : xs ++ [] = xs")
    named = Theorem("t", lists.statement, domain="puzzles")
    weights = {"lists": 2.0, "puzzles": 5.0}
    assert earned(lists) == earned(named) == 1.0
    assert earned(lists, weights=weights) == 2.0
    assert earned(named, weights=weights) == 5.0
