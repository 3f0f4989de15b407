from __future__ import annotations

import pytest
from kernel_terms import NAT, SORT_U, TYPE_U, ZERO, U, app, arrow, const, eq, imp, lam, pi, succ

from minilean.kernel.environment import Environment
from minilean.kernel.errors import AlreadyDeclared, InvalidQuotient
from minilean.kernel.expr import PROP, TYPE, Expr, mk_lit
from minilean.kernel.level import ONE
from minilean.kernel.traversal import alpha_eq
from minilean.kernel.typechecker import TypeChecker

RELATION = pi("a", NAT, lambda _: pi("b", NAT, lambda _: PROP))


@pytest.fixture
def tc(env: Environment) -> TypeChecker:
    env.add_quot()
    return TypeChecker(env)


def test_the_four_types_check_and_are_leans(tc: TypeChecker) -> None:
    env = tc.env
    for name in ("Quot", "Quot.mk", "Quot.ind", "Quot.lift"):
        tc.check_type(env.get(name).type)
    assert [env.get(n).level_params for n in ("Quot", "Quot.lift")] == [("u",), ("u", "v")]

    def relation(a: Expr) -> Expr:
        return pi("a", a, lambda _: pi("b", a, lambda _: PROP))

    expected = imp(
        "α",
        SORT_U,
        lambda a: pi("r", relation(a), lambda r: pi("a", a, lambda _: app(const("Quot", U), a, r))),
    )
    assert alpha_eq(env.get("Quot.mk").type, expected)


def test_lift_and_ind_compute_at_mk(tc: TypeChecker) -> None:
    r = tc.new_local("r", RELATION)
    point = app(const("Quot.mk", ONE), NAT, r, mk_lit(6))
    f = tc.new_local("f", arrow(NAT, NAT))
    respects = pi(
        "a",
        NAT,
        lambda a: pi("b", NAT, lambda b: pi("h", app(r, a, b), lambda _: eq(NAT, app(f, a), app(f, b)))),
    )
    h = tc.new_local("h", respects)
    lifted = app(const("Quot.lift", ONE, ONE), NAT, r, NAT, f, h)
    assert tc.check(app(lifted, point)) is NAT
    assert tc.whnf(app(lifted, point)) is app(f, mk_lit(6))
    quotient = app(const("Quot", ONE), NAT, r)
    stuck = app(lifted, tc.new_local("q", quotient))
    assert tc.whnf(stuck) is stuck
    motive = lam("q", quotient, lambda q: eq(quotient, q, q))
    p = tc.new_local("p", pi("a", NAT, lambda a: app(motive, app(const("Quot.mk", ONE), NAT, r, a))))
    proof = app(const("Quot.ind", ONE), NAT, r, motive, p, point)
    assert tc.check(proof)
    assert tc.whnf(proof) is app(p, mk_lit(6))


def test_quot_can_be_added_once(env: Environment) -> None:
    env.add_quot()
    with pytest.raises(AlreadyDeclared):
        env.add_quot()
    with pytest.raises(AlreadyDeclared):
        env.child().add_quot()


def test_quot_needs_leans_equality() -> None:
    with pytest.raises(InvalidQuotient):
        Environment().add_quot()
    # `Eq` into Type, or with every two terms equal, would make `lift` unsound
    everything = Environment()
    eq_type = imp("α", SORT_U, lambda A: pi("a", A, lambda _: pi("b", A, lambda _: PROP)))
    all_equal = imp("α", SORT_U, lambda A: pi("a", A, lambda a: pi("b", A, lambda b: eq(A, a, b, U))))
    everything.add_inductive("Eq", ("u",), 3, eq_type, [("Eq.refl", all_equal)])
    with pytest.raises(InvalidQuotient):
        everything.add_quot()
    one_sided = Environment()
    one_sided.add_inductive("Eq", ("u",), 2, eq_type, [("Eq.refl", all_equal)])
    with pytest.raises(InvalidQuotient):
        one_sided.add_quot()
    axiom = Environment()
    axiom.add_axiom("Eq", ("u",), eq_type)
    with pytest.raises(InvalidQuotient):
        axiom.add_quot()


def test_a_type_of_ones_own_named_quot_does_not_reduce(env: Environment) -> None:
    own = env.child()
    own.add_inductive("Quot", (), 0, TYPE, [("Quot.mk", arrow(NAT, const("Quot")))])
    own.add_axiom("Quot.lift", (), arrow(NAT, NAT, NAT, NAT, NAT, const("Quot"), NAT))
    stuck = app(
        const("Quot.lift"), ZERO, ZERO, ZERO, const("Nat.succ"), ZERO, app(const("Quot.mk"), succ(ZERO))
    )
    assert TypeChecker(own).whnf(stuck) is stuck
    assert TYPE_U is not SORT_U
