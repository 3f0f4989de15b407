"""Instances: theorems that follow from another one by substitution."""

import random

import pytest

from envs_data.instances import find_instances, is_instance
from lean_gym.backends import create_backend
from lean_gym.datasets import load_theorems
from lean_gym.types import Theorem

BACKEND = create_backend("minilean")
CONTEXT = """def twice : Nat → Nat
  | 0 => 0
  | n + 1 => twice n + 2"""


def _theorem(name, rest, context=""):
    return Theorem(name=name, statement=f"theorem {name} {rest}", context=context)


GENERAL = _theorem("swap", "(a b : Nat) : a * b = b * a")


@pytest.mark.parametrize(
    "special",
    [
        "(m n : Nat) : m * n = n * m",
        "(n m : Nat) : m * n = n * m",
        "(a b c : Nat) : (a + b) * c = c * (a + b)",
        "(a : Nat) : 0 < a → 3 * a = a * 3",
    ],
)
def test_renamings_and_substitutions_are_found(special):
    assert find_instances(BACKEND, [GENERAL], [_theorem("special", special)]) == [("special", "swap")]


@pytest.mark.parametrize(
    "special", ["(a b : Nat) : a + b = b + a", "(a b c : Nat) : a * b * c = c * b * a", "(p : Prop) : p → p"]
)
def test_other_theorems_are_no_instances(special):
    assert find_instances(BACKEND, [GENERAL], [_theorem("special", special)]) == []


def test_the_premises_of_the_general_theorem_may_be_hypotheses_of_the_special_one():
    general = _theorem("trans", "(a b c : Nat) : a < b → b < c → a < c")
    assert is_instance(BACKEND, general, _theorem("t", "(x y z : Nat) : y * y < z → x < y * y → x < z"))
    assert not is_instance(BACKEND, general, _theorem("t", "(x y z : Nat) : x < y * y → x < z → y < z"))


def test_the_general_theorem_is_not_an_instance_of_its_instance():
    special = _theorem("three", "(a : Nat) : 3 * a = a * 3")
    assert find_instances(BACKEND, [special], [GENERAL]) == []


def test_theorems_about_definitions_are_compared_in_their_context():
    general = _theorem("twice_add", "(m n : Nat) : twice (m + n) = twice m + twice n", CONTEXT)
    special = _theorem("twice_self", "(k : Nat) : twice k + twice k = twice (k + k)", CONTEXT)
    assert find_instances(BACKEND, [general], [special]) == [("twice_self", "twice_add")]
    # the other definition has the same name and another meaning
    other = _theorem("twice_self", special.statement.split(" ", 2)[2], "def twice (n : Nat) : Nat := n + n")
    assert find_instances(BACKEND, [general], [other]) == []


@pytest.mark.timeout(600)
@pytest.mark.parametrize("every", [30, pytest.param(1, marks=pytest.mark.slow)])
def test_no_test_theorem_of_steps_is_an_instance_of_a_training_theorem(every):
    theorems = load_theorems("steps")
    for domain in {theorem.domain for theorem in theorems}:
        part = [theorem for theorem in theorems if theorem.domain == domain]
        train = [theorem for theorem in part if theorem.split == "train"]
        test = [theorem for theorem in part if theorem.split == "test"]
        assert find_instances(BACKEND, train, test[random.randrange(every) :: every]) == []
