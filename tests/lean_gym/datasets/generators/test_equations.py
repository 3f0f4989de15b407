"""The generator of equations, and the chains of rewriting steps that its proofs consist of."""

import random

import pytest

from envs_data.statement_key import statement_key
from lean_gym.backends import create_backend
from lean_gym.datasets.generators.base import TOLERANCE, measure_difficulty
from lean_gym.datasets.generators.equations import EQUATIONS
from lean_gym.datasets.generators.rewriting import (
    Rule,
    proved_by_chance,
    proved_by_repetition,
    proved_by_simplification,
    replace_all,
    scramble,
    show,
)
from lean_gym.datasets.proofs import proof_steps
from lean_gym.verification.verify import verify_script

COMM = Rule("comm", ("x", "y"), ("f", "x", "y"), ("f", "y", "x"))
ASSOC = Rule("assoc", ("x", "y", "z"), ("f", ("f", "x", "y"), "z"), ("f", "x", ("f", "y", "z")))
FACT = Rule("h", (), ("f", "a", "b"), "c")
FACT2 = Rule("h1", (), ("f", "b", "d"), "d")


def _content(theorem):
    """Return a theorem without its name."""
    return theorem.context, theorem.statement.split(" ", 2)[2]


@pytest.mark.parametrize("difficulty", [0.1, 0.3, 0.6, 0.9])
def test_every_proof_is_verified_and_as_hard_as_asked_for(difficulty):
    backend = create_backend("minilean")
    theorems = EQUATIONS.generate(12, difficulty, seed=3)
    assert len({theorem.name for theorem in theorems}) == 12
    for theorem in theorems:
        steps = proof_steps(theorem.proof)
        assert verify_script(backend, theorem, steps).proved, theorem
        assert not verify_script(backend, theorem, steps[:-1]).proved
        assert theorem.difficulty == measure_difficulty(theorem.proof)
        assert abs(theorem.difficulty - difficulty) <= TOLERANCE


def test_the_same_arguments_give_the_same_theorems_and_another_seed_gives_others():
    first = EQUATIONS.generate(8, 0.3, seed=0)
    assert EQUATIONS.generate(12, 0.3, seed=0)[:8] == first
    other = EQUATIONS.generate(8, 0.3, seed=1)
    assert {_content(theorem) for theorem in first}.isdisjoint(map(_content, other))


def test_no_two_theorems_are_equal_up_to_renaming():
    theorems = [theorem for theorem in EQUATIONS.generate(60, 0.3) if not theorem.context]
    assert len({statement_key(theorem.statement) for theorem in theorems}) == len(theorems)


def test_every_kind_of_theorem_is_drawn():
    domains = {theorem.domain for theorem in EQUATIONS.generate(30, 0.5)}
    assert domains == {"rewriting", "semiring", "accumulator"}


def test_arguments_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"difficulty must lie in \[0.05, 1.0\], got 2"):
        EQUATIONS.iterate(2.0)
    with pytest.raises(ValueError, match="count must be 0 or more, got -1"):
        EQUATIONS.generate(-1)


def test_a_chain_read_forwards_makes_both_sides_equal():
    rng = random.Random(0)
    found = [scramble(rng, ("f", "a", ("f", "b", "c")), [FACT], 1, ["a"]) for _ in range(20)]
    for scrambled in filter(None, found):
        (step,) = scrambled.steps
        sides = scrambled.equation
        assert step in ("h", "← h")
        old, new = (FACT.left, FACT.right) if step == "h" else (FACT.right, FACT.left)
        left, right = (replace_all(side, old, new) for side in sides)
        assert sides[0] != sides[1]
        assert left == right


def test_terms_have_the_parentheses_that_lean_needs():
    assert show(("*", ("+", "a", "b"), ("*", "c", "d"))) == "(a + b) * (c * d)"
    assert show(("f", ("f", "a", "b"), "c")) == "f (f a b) c"
    assert show(("+", ("f", "a", "b"), "c")) == "f a b + c"


def test_simplification_uses_the_rules_from_left_to_right():
    assert proved_by_simplification((("f", ("f", "a", "b"), "a"), ("f", "c", "a")), [FACT])
    assert proved_by_simplification((("f", "a", "b"), ("f", "b", "a")), [COMM])
    # f a (f b d) is f c d by associativity backwards; forwards both sides are in normal form
    critical = (("f", "a", "d"), ("f", "c", "d"))
    assert not proved_by_simplification(critical, [ASSOC, FACT, FACT2])


def test_simplification_ends_on_rules_that_loop():
    growing = Rule("h", ("x",), ("f", "x", "x"), ("f", ("f", "x", "x"), ("f", "x", "x")))
    assert not proved_by_simplification((("f", "a", "a"), "b"), [growing])


def test_repetition_takes_the_first_rule_that_fits():
    sides = (("f", ("f", "a", "b"), "a"), ("f", "a", "c"))
    assert not proved_by_repetition(sides, [FACT])
    assert proved_by_repetition(sides, [FACT, COMM])
    # commutativity always fits, so nothing behind it is ever used
    assert not proved_by_repetition((("f", "a", "b"), "c"), [COMM, FACT])
    assert proved_by_repetition(("a", "a"), [])


def test_chance_draws_rules_in_both_directions():
    associativity = (("f", ("f", "a", "b"), "c"), ("f", "a", ("f", "b", "c")))
    backwards = Rule("back", ASSOC.variables, ASSOC.right, ASSOC.left)
    for rule in (ASSOC, backwards):
        assert proved_by_chance(random.Random(0), associativity, [rule, COMM], attempts=50, steps=4)
    assert not proved_by_chance(random.Random(0), associativity, [COMM], attempts=50, steps=4)


def test_chance_has_a_number_of_steps():
    two_steps = (("f", "d", ("f", "b", "a")), ("f", "d", "c"))
    assert proved_by_chance(random.Random(0), (("f", "a", "b"), "c"), [FACT, COMM], attempts=50, steps=1)
    assert not proved_by_chance(random.Random(0), two_steps, [FACT, COMM], attempts=50, steps=1)
