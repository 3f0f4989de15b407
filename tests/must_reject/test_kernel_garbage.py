"""Random terms: the kernel answers each with a verdict or a `KernelError`, and never proves `False`."""

from __future__ import annotations

import random

import pytest
from kernel_terms import FALSE, NAT, TRUE, app, const, lam, rejected

from minilean.kernel.environment import Environment
from minilean.kernel.errors import KernelError, ValueTypeMismatch
from minilean.kernel.expr import (
    PROP,
    TYPE,
    Expr,
    mk_app,
    mk_apps,
    mk_bvar,
    mk_const,
    mk_fvar,
    mk_lam,
    mk_let,
    mk_lit,
    mk_mvar,
    mk_pi,
    mk_proj,
)
from minilean.kernel.level import ONE, Level, mk_imax, mk_level_mvar, mk_max, mk_param, mk_succ
from minilean.kernel.level import ZERO as LEVEL_ZERO


def random_level(rng: random.Random) -> Level:
    atoms = (LEVEL_ZERO, ONE, ONE, mk_param("u"), mk_param("v"))
    kind = rng.randrange(12)
    if kind == 0:
        return mk_succ(random_level(rng))
    if kind == 1:
        return rng.choice((mk_max, mk_imax))(random_level(rng), random_level(rng))
    return mk_level_mvar(3) if rng.random() < 0.01 else rng.choice(atoms)


def random_term(rng: random.Random, env: Environment, names: list[str], depth: int, binders: int) -> Expr:
    def go(more_binders: int = 0) -> Expr:
        return random_term(rng, env, names, depth - 1, binders + more_binders)

    kind = rng.randrange(14)
    if depth == 0 or kind == 0:
        if rng.random() < 0.02:
            return rng.choice((mk_fvar(-1), mk_mvar(1), mk_bvar(binders), mk_lit("x")))
        if binders and rng.random() < 0.5:
            return mk_bvar(rng.randrange(binders))
        return rng.choice((NAT, TRUE, FALSE, PROP, TYPE, mk_lit(rng.randrange(4))))
    if kind < 8:
        name = rng.choice(names)
        levels = tuple(random_level(rng) for _ in env.get(name).level_params)
        return mk_apps(mk_const(name, levels), [go() for _ in range(rng.randrange(6))])
    if kind < 10:
        return mk_lam("x", go(), go(1), rng.randrange(4))
    if kind == 10:
        return mk_pi("x", go(), go(1))
    if kind == 11:
        return mk_let("x", go(), go(), go(1))
    if kind == 12:
        return mk_proj(rng.choice(names), rng.randrange(3), go())
    return mk_app(go(), go())


@pytest.mark.parametrize("seed", range(4))
def test_random_terms(env: Environment, seed: int) -> None:
    rng = random.Random(seed)
    names = list(env)
    accepted, errors = 0, set()
    for i in range(1500):
        statement, value = (random_term(rng, env, names, 4, 0) for _ in range(2))
        try:
            if i % 3 == 0:
                env.check_proof(("u", "v"), FALSE, value)
                pytest.fail(f"a proof of False: {value}")
            if i % 3 == 1:
                env.child().add_axiom("a", ("u", "v"), statement)
            else:
                env.child().add_inductive("I", ("u", "v"), 0, statement, [("I.mk", value)])
            accepted += 1
        except KernelError as error:
            errors.add(type(error))
    assert accepted > 20
    assert len(errors) > 8


def test_random_terms_of_a_known_type(env: Environment) -> None:
    """Arithmetic at random: the value computed is the value Python computes, and no other is provable."""
    rng = random.Random(0)
    functions = {
        "Nat.add": lambda a, b: a + b,
        "Nat.sub": lambda a, b: max(a - b, 0),
        "Nat.mul": lambda a, b: a * b,
    }

    def build(depth: int) -> tuple[Expr, int]:
        if depth == 0:
            n = rng.randrange(10)
            return mk_lit(n), n
        name = rng.choice(list(functions))
        (a, x), (b, y) = build(depth - 1), build(depth - 1)
        if rng.random() < 0.3:
            # inside a redex and a projection
            a = app(lam("x", NAT, lambda e: e), mk_proj("Prod", 1, app(const("Prod.mk"), NAT, NAT, b, a)))
        return app(const(name), a, b), functions[name](x, y)

    for _ in range(60):
        e, n = build(4)
        equal = app(const("Eq", ONE), NAT, e, mk_lit(n))
        assert env.check_proof((), equal, app(const("Eq.refl", ONE), NAT, mk_lit(n))) == ()
        wrong = app(const("Eq", ONE), NAT, e, mk_lit(n + 1))
        with rejected(ValueTypeMismatch):
            env.check_proof((), wrong, app(const("Eq.refl", ONE), NAT, e))
