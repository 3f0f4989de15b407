"""Functions that compute on literals once their equations are theorems: `div mod gcd log2 land lor xor` and shifts.

The plain definitions are the functions of the library in an environment where nothing but `+ - * < =` computes.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from kernel_terms import NAT, app, arrow, const, eq, lam, refl, standard

from minilean.kernel.declaration import Definition, TheoremDecl
from minilean.kernel.environment import Environment
from minilean.kernel.errors import DeterministicTimeout, KernelError
from minilean.kernel.expr import Expr, mk_lit
from minilean.kernel.fuel import DEFAULT_FUEL
from minilean.kernel.proved_equations import EQUATIONS
from minilean.kernel.typechecker import TypeChecker
from minilean.library import library

SHIFTS = ("Nat.shiftLeft", "Nat.shiftRight")
FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "Nat.div": lambda a, b: a // b if b else 0,
    "Nat.mod": lambda a, b: a % b if b else a,
    "Nat.gcd": math.gcd,
    "Nat.log2": lambda a, _: a.bit_length() - 1 if a else 0,
    "Nat.land": lambda a, b: a & b,
    "Nat.lor": lambda a, b: a | b,
    "Nat.xor": lambda a, b: a ^ b,
    "Nat.shiftLeft": lambda a, b: a << b,
    "Nat.shiftRight": lambda a, b: a >> b,
}


def call(name: str, *values: int) -> Expr:
    return app(const(name), *[mk_lit(value) for value in values[: 1 if name == "Nat.log2" else 2]])


def copied(names: list[str], without: frozenset[str] = frozenset()) -> Environment:
    """The declarations of the library that `names` rest on, in an environment of their own."""
    source = library().kernel
    env = Environment()
    needed: set[str] = set(names)
    for name in source:
        if name in needed and name not in without:
            env.load_trusted(source.get(name))
    return env


@pytest.fixture(scope="module")
def plain() -> Environment:
    """The library, where none of these functions computes."""
    source = library().kernel
    env = Environment()
    theorems = {name for equations in EQUATIONS.values() for name in equations.statements}
    for name in source:
        if name not in theorems:
            env.load_trusted(source.get(name))
        if name == "Nat.shiftRight":
            break
    return env


@pytest.mark.parametrize("name", FUNCTIONS)
def test_computing_agrees_with_the_definition(name: str, plain: Environment) -> None:
    assert library().kernel.computes_on_literals(name)
    assert plain.computes_on_literals(name) is (name == "Nat.shiftLeft")
    draw = random.Random(name)
    pairs = [(a, b) for a in range(3) for b in range(3)]
    pairs += [(draw.randrange(40), draw.randrange(7 if name in SHIFTS else 12)) for _ in range(6)]
    fast, slow = TypeChecker(library().kernel), TypeChecker(plain)
    for a, b in pairs:
        value = fast.whnf(call(name, a, b))
        assert value is mk_lit(FUNCTIONS[name](a, b))
        assert slow.is_def_eq(call(name, a, b), value)
        assert not slow.is_def_eq(call(name, a, b), mk_lit(FUNCTIONS[name](a, b) + 1))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_large_numbers(name: str) -> None:
    draw = random.Random(name)
    for _ in range(20):
        a, b = draw.getrandbits(draw.randrange(1, 900)), draw.getrandbits(draw.randrange(1, 400))
        b = b % 300 if name in SHIFTS else b
        assert TypeChecker(library().kernel).whnf(call(name, a, b)) is mk_lit(FUNCTIONS[name](a, b))


@pytest.mark.parametrize("name", EQUATIONS)
def test_every_equation_is_needed(name: str) -> None:
    source = library().kernel
    for missing in (*EQUATIONS[name].statements, *EQUATIONS[name].rests_on):
        env = Environment()
        for other in source:
            if other != missing:
                env.load_trusted(source.get(other))
            if other == EQUATIONS[name].last:
                break
        assert not env.computes_on_literals(name), missing


def division(statement: Expr | None = None, axioms: tuple[str, ...] = ()) -> Environment:
    """The library up to `Nat.div`, with another last equation."""
    source = library().kernel
    env = Environment()
    last = EQUATIONS["Nat.div"].last
    for name in source:
        declaration = source.get(name)
        if name == last:
            assert isinstance(declaration, TheoremDecl)
            type_ = declaration.type if statement is None else statement
            env.load_trusted(replace(declaration, type=type_, axioms=axioms))
            return env
        env.load_trusted(declaration)
    raise AssertionError(last)


def test_the_equations_are_these_statements_without_axioms() -> None:
    assert division().computes_on_literals("Nat.div")
    assert not division(statement=eq(NAT, call("Nat.div", 0, 0), mk_lit(0))).computes_on_literals("Nat.div")
    assert not division(axioms=("wrong",)).computes_on_literals("Nat.div")
    assert not division(axioms=("propext",)).computes_on_literals("Nat.div")


def test_another_function_of_the_name_does_not_compute() -> None:
    env = standard()
    first = lam("n", NAT, lambda n: lam("m", NAT, lambda _: n))
    env.add_definition("Nat.div", (), arrow(NAT, NAT, NAT), first)
    for name, statement in EQUATIONS["Nat.div"].statements.items():
        with pytest.raises(KernelError):  # it has no proof
            env.add_theorem(name, (), statement, lam("x", NAT, lambda x: refl(NAT, x)))
    assert TypeChecker(env).whnf(call("Nat.div", 7, 2)) is mk_lit(7)


def test_equations_that_are_assumed_do_not_count() -> None:
    env = standard()
    first = lam("n", NAT, lambda n: lam("m", NAT, lambda _: n))
    env.add_definition("Nat.div", (), arrow(NAT, NAT, NAT), first)
    names = list(EQUATIONS["Nat.div"].statements)
    for name in names[:-1]:
        env.add_axiom(name, (), EQUATIONS["Nat.div"].statements[name])
    env.add_axiom("assumed", (), EQUATIONS["Nat.div"].statements[names[-1]])
    env.add_theorem(names[-1], (), EQUATIONS["Nat.div"].statements[names[-1]], const("assumed"))
    assert not env.computes_on_literals("Nat.div")
    with pytest.raises(KernelError):
        env.check_proof((), eq(NAT, call("Nat.div", 7, 2), mk_lit(3)), refl(NAT, mk_lit(3)))


def test_equations_in_another_branch_do_not_count() -> None:
    source = library().kernel
    base = Environment()
    last = EQUATIONS["Nat.div"].last
    for name in source:
        if name == last:
            break
        base.load_trusted(source.get(name))
    one, other = base.child(), base.child()
    one.load_trusted(source.get(last))
    assert one.computes_on_literals("Nat.div")
    assert not base.computes_on_literals("Nat.div")
    assert not other.computes_on_literals("Nat.div")
    base.adopt(one)
    assert base.computes_on_literals("Nat.div")
    assert not other.computes_on_literals("Nat.div")


def test_an_opaque_division_does_not_compute() -> None:
    source = library().kernel
    env = Environment()
    for name in source:
        declaration = source.get(name)
        if name == "Nat.div":
            assert isinstance(declaration, Definition)
            env.add_axiom(name, (), declaration.type)
            break
        env.load_trusted(declaration)
    assert not env.computes_on_literals("Nat.div")
    assert not TypeChecker(env).is_def_eq(call("Nat.div", 7, 2), mk_lit(3))


def test_results_beyond_the_bound_are_not_computed() -> None:
    small = TypeChecker(library().kernel, replace(DEFAULT_FUEL, max_literal_bits=8))
    assert small.whnf(call("Nat.shiftLeft", 1, 7)) is mk_lit(128)
    for shift in (8, 10**9, 2**70):
        fuel = replace(DEFAULT_FUEL, max_literal_bits=8, max_steps=500, max_depth=200)
        with pytest.raises(KernelError):
            TypeChecker(library().kernel, fuel).is_def_eq(call("Nat.shiftLeft", 1, shift), mk_lit(3))
    assert small.whnf(call("Nat.shiftRight", 255, 2**70)) is mk_lit(0)


def test_divisions_of_large_numbers_are_counted() -> None:
    value = (1 << (1 << 18)) - 1
    tc = TypeChecker(library().kernel, replace(DEFAULT_FUEL, max_steps=20_000))
    started = time.perf_counter()
    with pytest.raises(DeterministicTimeout):
        for i in range(1, 1000):
            tc.whnf(call("Nat.mod", value, (value >> (1 << 17)) - i))
    assert time.perf_counter() - started < 20
