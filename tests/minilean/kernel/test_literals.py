from __future__ import annotations

from dataclasses import replace

import pytest
from kernel_terms import (
    NAT,
    ZERO,
    add_arithmetic,
    add_data,
    app,
    arrow,
    const,
    eq,
    lam,
    pi,
    refl,
    succ,
)

from minilean.kernel.environment import Environment
from minilean.kernel.errors import KernelError, ValueTypeMismatch
from minilean.kernel.expr import TYPE, Expr, mk_lit
from minilean.kernel.fuel import DEFAULT_FUEL
from minilean.kernel.level import ONE
from minilean.kernel.literals import NAT_FUNCTIONS
from minilean.kernel.typechecker import TypeChecker


def call(name: str, *values: int) -> Expr:
    return app(const(name), *[mk_lit(value) for value in values])


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("Nat.add", (2**70, 1), 2**70 + 1),
        ("Nat.sub", (10**9, 1), 10**9 - 1),
        ("Nat.sub", (3, 10**9), 0),
        ("Nat.mul", (10**9, 10**9), 10**18),
        ("Nat.pow", (2, 100), 2**100),
        ("Nat.pow", (0, 0), 1),
        ("Nat.pow", (1, 2**24), 1),
        ("Nat.pred", (10**9,), 10**9 - 1),
        ("Nat.pred", (0,), 0),
        ("Nat.succ", (10**9,), 10**9 + 1),
    ],
)
def test_functions_compute_on_literals(
    env: Environment, name: str, args: tuple[int, ...], expected: int
) -> None:
    assert TypeChecker(env).whnf(call(name, *args)) is mk_lit(expected)


def test_comparisons_compute_on_literals(env: Environment) -> None:
    true, false = const("Bool.true"), const("Bool.false")
    tc = TypeChecker(env)
    assert tc.whnf(call("Nat.beq", 10**9, 10**9)) is true
    assert tc.whnf(call("Nat.beq", 10**9, 10**9 + 1)) is false
    assert tc.whnf(call("Nat.ble", 10**9, 10**9)) is true
    assert tc.whnf(call("Nat.ble", 10**9 + 1, 10**9)) is false


@pytest.mark.parametrize("name", sorted(set(NAT_FUNCTIONS) - {"Nat.shiftLeft", "Nat.shiftRight"}))
@pytest.mark.parametrize("args", [(0, 0), (0, 2), (2, 0), (2, 2), (2, 3), (3, 2)])
def test_computing_agrees_with_unfolding(env: Environment, name: str, args: tuple[int, int]) -> None:
    args = args[: NAT_FUNCTIONS[name]]
    unary = [succ_times(n) for n in args]
    hidden = Environment()
    add_data(hidden)
    add_arithmetic(hidden)
    hidden._computing.clear()
    fast, slow = TypeChecker(env), TypeChecker(hidden)
    value = fast.whnf(call(name, *args))
    assert slow.is_def_eq(app(const(name), *unary), value)
    assert not hidden.computes_on_literals(name)


def succ_times(n: int) -> Expr:
    e = ZERO
    for _ in range(n):
        e = succ(e)
    return e


def test_literals_are_their_unary_numbers(env: Environment) -> None:
    tc = TypeChecker(env)
    n = tc.new_local("n", NAT)
    assert tc.is_def_eq(mk_lit(0), ZERO)
    assert tc.is_def_eq(succ_times(5), mk_lit(5))
    assert tc.is_def_eq(mk_lit(5), succ(mk_lit(4)))
    assert not tc.is_def_eq(mk_lit(5), succ(mk_lit(5)))
    assert not tc.is_def_eq(mk_lit(0), succ(n))
    assert not tc.is_def_eq(mk_lit(3), n)
    assert not tc.is_def_eq(mk_lit(3), succ(succ(succ(succ(n)))))
    assert tc.is_def_eq(app(const("Nat.add"), n, mk_lit(3)), succ(succ(succ(n))))


def test_a_numeral_equation_is_a_proof_by_reflexivity(env: Environment) -> None:
    statement = eq(NAT, call("Nat.mul", 1234, 5678), mk_lit(7006652))
    assert env.check_proof((), statement, refl(NAT, mk_lit(7006652))) == ()
    with pytest.raises(ValueTypeMismatch):
        env.check_proof((), eq(NAT, call("Nat.mul", 1234, 5678), mk_lit(1)), refl(NAT, mk_lit(1)))


def test_another_function_of_the_name_does_not_compute() -> None:
    env = Environment()
    add_data(env)
    first = lam("n", NAT, lambda n: lam("m", NAT, lambda _: n))
    env.add_definition("Nat.add", (), arrow(NAT, NAT, NAT), first)
    assert not env.computes_on_literals("Nat.add")
    tc = TypeChecker(env)
    assert tc.whnf(call("Nat.add", 2, 3)) is mk_lit(2)
    assert not tc.is_def_eq(call("Nat.add", 2, 3), mk_lit(5))


def test_a_function_is_not_trusted_for_what_another_branch_declared() -> None:
    base = Environment()
    add_data(base)
    first = lam("n", NAT, lambda n: lam("m", NAT, lambda _: n))
    wrong = base.child()
    wrong.add_definition("Nat.add", (), arrow(NAT, NAT, NAT), first)
    add_arithmetic(base)  # after the child was made, which does not see it
    assert base.computes_on_literals("Nat.add")
    assert not wrong.computes_on_literals("Nat.add")
    assert TypeChecker(wrong).whnf(call("Nat.add", 2, 3)) is mk_lit(2)


def test_an_opaque_or_axiomatic_function_does_not_compute() -> None:
    for hide in ("opaque", "axiom"):
        env = Environment()
        add_data(env)
        type_ = arrow(NAT, NAT, NAT)
        if hide == "axiom":
            env.add_axiom("Nat.add", (), type_)
        else:
            right = Environment()
            add_data(right)
            add_arithmetic(right)
            env.add_definition("Nat.add", (), type_, right.get("Nat.add").value, opaque=True)
        assert not env.computes_on_literals("Nat.add")
        assert not TypeChecker(env).is_def_eq(call("Nat.add", 1, 1), mk_lit(2))


def test_equations_of_another_type_do_not_count() -> None:
    # Nat.beq into the naturals, which have constants with the names of the constructors of Bool
    env = Environment()
    env.add_inductive("Nat", (), 0, TYPE, [("Nat.zero", NAT), ("Nat.succ", pi("n", NAT, lambda _: NAT))])
    env.add_definition("Bool.true", (), NAT, ZERO)
    env.add_definition(
        "Nat.beq", (), arrow(NAT, NAT, NAT), lam("n", NAT, lambda _: lam("m", NAT, lambda _: ZERO))
    )
    assert not env.computes_on_literals("Nat.beq")


def test_no_literals_without_the_right_nat() -> None:
    env = Environment()
    env.add_inductive(
        "Nat", (), 0, TYPE, [("Nat.zero", NAT), ("Nat.one", NAT), ("Nat.succ", pi("n", NAT, lambda _: NAT))]
    )
    with pytest.raises(KernelError):
        env.add_definition("five", (), NAT, mk_lit(5))


def test_results_beyond_the_bound_are_not_computed(env: Environment) -> None:
    huge = call("Nat.pow", 2, 2**24)
    fuel = replace(DEFAULT_FUEL, max_steps=2000)
    with pytest.raises(KernelError):
        env.check_proof((), eq(NAT, huge, mk_lit(3), ONE), refl(NAT, mk_lit(3)), fuel=fuel)
    small = TypeChecker(env, replace(DEFAULT_FUEL, max_literal_bits=8))
    assert small.whnf(call("Nat.mul", 15, 15)) is mk_lit(225)
    assert small.whnf(call("Nat.mul", 16, 16)) is not mk_lit(256)
