"""Terms beyond the bounds: an error within the bounds, never a crash, a hang or a `RecursionError`."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import pytest
from kernel_terms import NAT, TRUE, ZERO, app, const, eq, lam, nat_rec, refl, rejected, succ

from minilean.kernel import expr
from minilean.kernel.environment import Environment
from minilean.kernel.errors import (
    ArgumentMismatch,
    DeadlineExceeded,
    DeepRecursion,
    DeterministicTimeout,
    ResourceLimit,
    TermTooLarge,
)
from minilean.kernel.expr import Expr, mk_app, mk_bvar, mk_lam, mk_let, mk_lit, mk_pi, mk_proj
from minilean.kernel.fuel import DEFAULT_FUEL

INTRO = const("True.intro")
DEEP = 100_000


def nested_applications() -> Expr:
    e = ZERO
    for _ in range(DEEP):
        e = succ(e)
    return e


def long_spine() -> Expr:
    e = const("Nat.add")
    for _ in range(DEEP):
        e = mk_app(e, ZERO)
    return e


def nested_lambdas() -> Expr:
    e = mk_bvar(0)
    for _ in range(DEEP):
        e = mk_lam("x", NAT, e)
    return e


def nested_domains() -> Expr:
    e: Expr = NAT
    for _ in range(DEEP):
        e = mk_pi("f", e, NAT)
    return e


def nested_lets() -> Expr:
    e = mk_bvar(0)
    for _ in range(DEEP):
        e = mk_let("x", NAT, ZERO, e)
    return e


def nested_projections() -> Expr:
    e: Expr = ZERO
    for _ in range(DEEP):
        e = mk_proj("Prod", 0, e)
    return e


@pytest.mark.parametrize(
    "build",
    [nested_applications, long_spine, nested_lambdas, nested_domains, nested_lets, nested_projections],
    ids=lambda build: build.__name__,
)
def test_deep_terms(env: Environment, build) -> None:
    limit = sys.getrecursionlimit()
    with rejected(DeepRecursion):
        env.check_proof((), TRUE, build())
    with rejected(DeepRecursion):
        env.add_axiom("a", (), build())
    with rejected(DeepRecursion):
        env.add_inductive("I", (), 0, build(), [])
    assert sys.getrecursionlimit() == limit


def test_terms_just_below_the_bound_on_nesting(env: Environment) -> None:
    depth = DEFAULT_FUEL.max_height - 10
    e: Expr = ZERO
    for _ in range(depth):
        e = succ(e)
    assert env.check_proof((), eq(NAT, e, mk_lit(depth)), refl(NAT, e)) == ()
    statement, proof = TRUE, INTRO
    for _ in range(depth // 2):
        statement, proof = mk_pi("h", TRUE, statement), mk_lam("h", TRUE, proof)
    assert env.check_proof((), statement, proof) == ()


def test_reduction_that_nests_deeply(env: Environment) -> None:
    # f n = succ (f (n - 1)) where the result is needed in full: each successor is a nested reduction
    step = lam("k", NAT, lambda _: lam("ih", NAT, lambda ih: app(const("Nat.pred"), succ(succ(ih)))))
    deep = nat_rec(lambda _: NAT, ZERO, step, mk_lit(10**6))
    with pytest.raises(ResourceLimit):
        env.check_proof((), eq(NAT, deep, ZERO), refl(NAT, ZERO))


def test_a_computation_that_takes_too_long(env: Environment) -> None:
    # 3 ^ (2 ^ 18), too large to be computed on literals, and long to unfold
    huge = app(const("Nat.pow"), mk_lit(3), mk_lit(2**18))
    with pytest.raises(ResourceLimit):
        env.check_proof((), eq(NAT, huge, ZERO), refl(NAT, ZERO))


def test_steps_are_bounded(env: Environment) -> None:
    fuel = replace(DEFAULT_FUEL, max_steps=200)
    unary: Expr = ZERO
    for _ in range(500):
        unary = succ(unary)
    doubled = nat_rec(lambda _: NAT, unary, lam("k", NAT, lambda _: const("Nat.succ")), unary)
    with rejected(DeterministicTimeout):
        env.check_proof((), eq(NAT, doubled, mk_lit(1000)), refl(NAT, doubled), fuel=fuel)
    assert env.check_proof((), eq(NAT, doubled, mk_lit(1000)), refl(NAT, doubled)) == ()


def test_depth_is_bounded(env: Environment) -> None:
    statement, proof = TRUE, INTRO
    for _ in range(100):
        statement = app(const("And"), statement, TRUE)
        proof = app(const("And.intro"), statement.fn.arg, TRUE, proof, INTRO)
    assert env.check_proof((), statement, proof) == ()
    with rejected(DeepRecursion):
        env.check_proof((), statement, proof, fuel=replace(DEFAULT_FUEL, max_depth=50))


def test_a_deadline_that_has_passed(env: Environment) -> None:
    fuel = replace(DEFAULT_FUEL, deadline=time.monotonic() - 1)
    unary: Expr = ZERO
    for _ in range(1000):
        unary = succ(unary)
    with rejected(DeadlineExceeded):
        env.check_proof((), eq(NAT, unary, unary), refl(NAT, unary), fuel=fuel)


def test_too_many_nodes(env: Environment) -> None:
    fuel = replace(DEFAULT_FUEL, max_nodes=1000)
    pairs = [mk_lit(i) for i in range(2048)]
    while len(pairs) > 1:
        pairs = [app(const("Nat.add"), a, b) for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
    with rejected(TermTooLarge):
        env.check_proof((), eq(NAT, pairs[0], pairs[0]), refl(NAT, pairs[0]), fuel=fuel)


def counting_from(start: Expr) -> Expr:
    """A false statement `start = 0` whose recursion makes every number below `start`."""
    step = lam("k", NAT, lambda _: lam("ih", NAT, lambda ih: ih))
    return eq(NAT, nat_rec(lambda _: NAT, succ(ZERO), step, start), ZERO)


def test_numbers_count_by_their_size(env: Environment) -> None:
    # each step of the recursion makes a number of 2^17 bits; a step each would let it fill the memory
    start = mk_lit(1 << (1 << 17))
    made = table_of_literals()
    with rejected(DeterministicTimeout):
        env.check_proof(
            (), counting_from(start), refl(NAT, ZERO), fuel=replace(DEFAULT_FUEL, max_steps=5_000)
        )
    assert table_of_literals() - made < 20


def table_of_literals() -> int:
    return len(expr.LITS)


def test_terms_made_by_checking_are_bounded(env: Environment) -> None:
    with rejected(TermTooLarge):
        fuel = replace(DEFAULT_FUEL, max_new_nodes=1000)
        env.check_proof((), counting_from(mk_lit(123_456_789)), refl(NAT, ZERO), fuel=fuel)


def test_a_small_graph_that_is_a_huge_tree(env: Environment) -> None:
    statement, proof = TRUE, INTRO
    for _ in range(60):
        statement, proof = (
            app(const("And"), statement, statement),
            app(const("And.intro"), statement, statement, proof, proof),
        )
    assert env.check_proof((), statement, proof) == ()


def test_two_huge_trees_that_differ_at_one_leaf(env: Environment) -> None:
    left: Expr = app(const("Nat.mul"), mk_lit(2), mk_lit(3))
    right: Expr = mk_lit(6)
    for _ in range(60):
        left, right = app(const("Prod"), left, left), app(const("Prod"), right, right)
    # ill-typed terms as well: refusing them must be as fast as accepting those above
    with rejected(ArgumentMismatch):
        env.check_proof((), eq(NAT, left, right), refl(NAT, left))
