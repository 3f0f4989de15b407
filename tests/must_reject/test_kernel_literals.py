"""A function that computes on literals must satisfy its equations, and so must those that its equations mention."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kernel_terms import (
    FALSE,
    NAT,
    TRUE,
    ZERO,
    add_arithmetic,
    add_data,
    add_logic,
    app,
    arrow,
    const,
    eq,
    lam,
    nat_rec,
    pi,
    refl,
    rejected,
    succ,
)

from minilean.kernel.environment import Environment
from minilean.kernel.errors import ValueTypeMismatch
from minilean.kernel.expr import PROP, Expr, mk_lit
from minilean.kernel.level import ONE
from minilean.kernel.level import ZERO as LEVEL_ZERO
from minilean.kernel.typechecker import TypeChecker

IDENTITY = lam("n", NAT, lambda n: n)
FIRST = lam("n", NAT, lambda n: lam("m", NAT, lambda _: n))
TO_NAT = arrow(NAT, NAT)
Make = Callable[[Expr], Expr]

# a function, one that its equations rest on and a wrong version of it, its value at 0, its step, and 3 ∘ 2
ON_SAND: list[tuple[str, str, Expr, Make, Callable[[Expr, Expr], Expr], int]] = [
    ("Nat.sub", "Nat.pred", IDENTITY, lambda n: n, lambda n, ih: app(const("Nat.pred"), ih), 3),
    ("Nat.mul", "Nat.add", FIRST, lambda n: ZERO, lambda n, ih: app(const("Nat.add"), ih, n), 0),
    ("Nat.pow", "Nat.mul", FIRST, lambda n: succ(ZERO), lambda n, ih: app(const("Nat.mul"), ih, n), 1),
]


def on_second(at_zero: Make, step: Callable[[Expr, Expr], Expr]) -> Expr:
    """`fun n m => rec (at_zero n) (fun _ ih => step n ih) m`."""

    def body(n: Expr, m: Expr) -> Expr:
        return nat_rec(
            lambda _: NAT, at_zero(n), lam("k", NAT, lambda _: lam("ih", NAT, lambda ih: step(n, ih))), m
        )

    return lam("n", NAT, lambda n: lam("m", NAT, lambda m: body(n, m)))


def with_wrong_predecessor() -> Environment:
    """Subtraction as Lean defines it, on top of a `Nat.pred` that is the identity."""
    env = Environment()
    add_logic(env)
    add_data(env)
    env.add_definition("Nat.pred", (), TO_NAT, IDENTITY)
    value = on_second(lambda n: n, lambda _, ih: app(const("Nat.pred"), ih))
    env.add_definition("Nat.sub", (), arrow(NAT, NAT, NAT), value)
    return env


@pytest.mark.parametrize(("name", "below", "wrong", "at_zero", "step", "value"), ON_SAND)
def test_a_function_on_top_of_a_wrong_one_does_not_compute(
    name: str, below: str, wrong: Expr, at_zero: Make, step: Callable[[Expr, Expr], Expr], value: int
) -> None:
    env = Environment()
    add_data(env)
    env.add_definition(below, (), TO_NAT if below == "Nat.pred" else arrow(NAT, NAT, NAT), wrong)
    env.add_definition(name, (), arrow(NAT, NAT, NAT), on_second(at_zero, step))
    assert not env.computes_on_literals(name)
    assert TypeChecker(env).is_def_eq(app(const(name), mk_lit(3), mk_lit(2)), mk_lit(value))


def test_no_proof_of_false_by_computing_what_is_not_so() -> None:
    env = with_wrong_predecessor()

    def stays(n: Expr, m: Expr) -> Expr:
        return eq(NAT, app(const("Nat.sub"), n, m), n)

    def by_induction(n: Expr, m: Expr) -> Expr:
        step = lam("k", NAT, lambda k: lam("ih", stays(n, k), lambda ih: ih))
        return nat_rec(lambda k: stays(n, k), refl(NAT, n), step, m, LEVEL_ZERO)

    statement = pi("n", NAT, lambda n: pi("m", NAT, lambda m: stays(n, m)))
    env.add_theorem(
        "stays", (), statement, lam("n", NAT, lambda n: lam("m", NAT, lambda m: by_induction(n, m)))
    )
    one_less_one_is_one = app(const("stays"), mk_lit(1), mk_lit(1))
    # were 1 - 1 computed, this would be `0 = 1`, and so
    with rejected(ValueTypeMismatch):
        env.add_theorem("zero_is_one", (), eq(NAT, mk_lit(0), mk_lit(1)), one_less_one_is_one)

    def holds_at_zero(n: Expr) -> Expr:
        step = lam("k", NAT, lambda _: lam("ih", PROP, lambda _: FALSE))
        return nat_rec(lambda _: PROP, TRUE, step, n)

    motive = lam("n", NAT, lambda n: lam("h", eq(NAT, mk_lit(0), n), lambda _: holds_at_zero(n)))
    proof = app(
        const("Eq.rec", LEVEL_ZERO, ONE),
        NAT,
        mk_lit(0),
        motive,
        const("True.intro"),
        mk_lit(1),
        one_less_one_is_one,
    )
    with pytest.raises(Exception, match="type mismatch"):
        env.check_proof((), FALSE, proof)


def test_the_right_functions_compute_in_the_order_in_which_they_are_declared() -> None:
    env = Environment()
    add_data(env)
    add_arithmetic(env)
    assert all(env.computes_on_literals(name) for name, *_ in ON_SAND)
