"""Steps of `rw` without the arguments that Lean finds itself: the same goals, and nothing left that can go."""

from __future__ import annotations

import random

import pytest

from lean_gym.backends import create_backend
from lean_gym.datasets.generators.algebra import ALGEBRA, laws
from lean_gym.datasets.generators.rewriting import (
    Scrambled,
    Term,
    fewest_arguments,
    parse,
    random_term,
    scramble,
    show,
)
from lean_gym.types import ProofBackend, Theorem

VARIABLES = ["a", "b", "c"]
OPERATIONS = {"semiring": ("add", "mul"), "lattice": ("meet", "join"), "medial": ("op",)}


@pytest.fixture(scope="module")
def backend() -> ProofBackend:
    return create_backend("minilean")


def chains(domain: str, number: int) -> list[Scrambled]:
    rng = random.Random(3)
    found: list[Scrambled] = []
    while len(found) < number:
        start = random_term(rng, OPERATIONS[domain], VARIABLES, 1, 4)
        chain = scramble(rng, start, laws(domain), 3, VARIABLES)
        if chain is not None:
            found.append(chain)
    return found


def arguments(step: str) -> list[Term]:
    application = parse(step.removeprefix("← "))
    return [] if isinstance(application, str) else list(application[1:])


@pytest.mark.parametrize("domain", sorted(OPERATIONS))
def test_the_goals_are_the_same_and_every_argument_is_needed(domain: str, backend: ProofBackend) -> None:
    context = next(each.context for each in ALGEBRA.iterate(0.12, 1) if each.domain == domain)
    left_out = kept = 0
    for number, chain in enumerate(chains(domain, 12)):
        left, right = map(show, chain.equation)
        binders = f"{{α : Type}} (A : {domain.capitalize()} α) ({' '.join(VARIABLES)} : α)"
        theorem = Theorem(f"t{number}", f"theorem t{number} {binders} : {left} = {right}", context)
        brief = fewest_arguments(chain.equation, chain.steps, laws(domain))
        assert len(brief) == len(chain.steps)
        state = backend.start(theorem)
        for step, whole in zip(brief, chain.steps, strict=True):
            reached = backend.apply(state, f"rw [{whole}]").state
            assert backend.apply(state, f"rw [{step}]").state == reached is not None, step
            if arguments(step):
                arrow = "← " if step.startswith("← ") else ""
                name, *rest = parse(step.removeprefix("← "))
                assert backend.apply(state, f"rw [{arrow}{show((name, *rest[:-1]))}]").state != reached, step
            left_out += len(arguments(whole)) - len(arguments(step))
            kept += len(arguments(step))
            state = reached
    assert left_out > kept > 0
