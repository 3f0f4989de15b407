"""Terms written by hand, and a small library built from them through the kernel's own `add_*` methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from minilean.kernel.environment import Environment
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    PROP,
    Expr,
    mk_app,
    mk_apps,
    mk_const,
    mk_fvar,
    mk_lam,
    mk_pi,
    mk_sort,
)
from minilean.kernel.instantiate import abstract
from minilean.kernel.interning import fresh_id
from minilean.kernel.level import ONE, Level, mk_param, mk_succ

U, V = mk_param("u"), mk_param("v")
SORT_U, SORT_V, TYPE_U = mk_sort(U), mk_sort(V), mk_sort(mk_succ(U))
NAT = mk_const("Nat")
ZERO = mk_const("Nat.zero")
SUCC = mk_const("Nat.succ")
FALSE = mk_const("False")
TRUE = mk_const("True")


def const(name: str, *levels: Level) -> Expr:
    return mk_const(name, levels)


def app(fn: Expr, *args: Expr) -> Expr:
    return mk_apps(fn, args)


def lam(name: str, type_: Expr, body: Callable[[Expr], Expr], info: int = DEFAULT) -> Expr:
    x = mk_fvar(fresh_id())
    return mk_lam(name, type_, abstract(body(x), (x,)), info)


def pi(name: str, type_: Expr, body: Callable[[Expr], Expr], info: int = DEFAULT) -> Expr:
    x = mk_fvar(fresh_id())
    return mk_pi(name, type_, abstract(body(x), (x,)), info)


def imp(name: str, type_: Expr, body: Callable[[Expr], Expr]) -> Expr:
    return pi(name, type_, body, IMPLICIT)


def arrow(*types: Expr) -> Expr:
    """`A -> B -> C`, of closed types."""
    *domains, result = types
    for domain in reversed(domains):
        result = mk_pi("a", domain, result)
    return result


def succ(e: Expr) -> Expr:
    return mk_app(SUCC, e)


def eq(type_: Expr, a: Expr, b: Expr, level: Level = ONE) -> Expr:
    return app(const("Eq", level), type_, a, b)


def refl(type_: Expr, a: Expr, level: Level = ONE) -> Expr:
    return app(const("Eq.refl", level), type_, a)


def nat_rec(motive: Callable[[Expr], Expr], zero: Expr, step: Expr, major: Expr, level: Level = ONE) -> Expr:
    return app(const("Nat.rec", level), lam("x", NAT, motive), zero, step, major)


def add_logic(env: Environment) -> None:
    """`True False And Or Eq Exists`, as in Lean's `Prelude`."""
    env.add_inductive("True", (), 0, PROP, [("True.intro", TRUE)])
    env.add_inductive("False", (), 0, PROP, [])
    connective = arrow(PROP, PROP, PROP)

    def over_props(build: Callable[[Expr, Expr], Expr]) -> Expr:
        return imp("a", PROP, lambda a: imp("b", PROP, lambda b: build(a, b)))

    def conj(a: Expr, b: Expr) -> Expr:
        return app(const("And"), a, b)

    def disj(a: Expr, b: Expr) -> Expr:
        return app(const("Or"), a, b)

    intro = over_props(lambda a, b: pi("left", a, lambda _: pi("right", b, lambda _: conj(a, b))))
    env.add_inductive("And", (), 2, connective, [("And.intro", intro)])
    inl = over_props(lambda a, b: pi("h", a, lambda _: disj(a, b)))
    inr = over_props(lambda a, b: pi("h", b, lambda _: disj(a, b)))
    env.add_inductive("Or", (), 2, connective, [("Or.inl", inl), ("Or.inr", inr)])
    eq_type = imp("α", SORT_U, lambda A: pi("a", A, lambda a: pi("b", A, lambda b: PROP)))
    eq_refl = imp("α", SORT_U, lambda A: pi("a", A, lambda a: eq(A, a, a, U)))
    env.add_inductive("Eq", ("u",), 2, eq_type, [("Eq.refl", eq_refl)])

    def exists_of(A: Expr, p: Expr) -> Expr:
        return app(const("Exists", U), A, p)

    def exists_over(body: Callable[[Expr, Expr], Expr]) -> Expr:
        return imp("α", SORT_U, lambda A: pi("p", pi("a", A, lambda _: PROP), lambda p: body(A, p)))

    exists_intro = exists_over(
        lambda A, p: pi("w", A, lambda w: pi("h", app(p, w), lambda _: exists_of(A, p)))
    )
    env.add_inductive("Exists", ("u",), 2, exists_over(lambda A, p: PROP), [("Exists.intro", exists_intro)])


def add_data(env: Environment) -> None:
    """`Bool Nat List Prod Unit Acc`, as in Lean's `Prelude`."""
    type_ = mk_sort(ONE)
    env.add_inductive("Bool", (), 0, type_, [(f"Bool.{b}", const("Bool")) for b in ("false", "true")])
    env.add_inductive("Unit", (), 0, type_, [("Unit.unit", const("Unit"))])
    env.add_inductive("Nat", (), 0, type_, [("Nat.zero", NAT), ("Nat.succ", pi("n", NAT, lambda _: NAT))])

    def list_of(A: Expr) -> Expr:
        return app(const("List", U), A)

    nil = imp("α", TYPE_U, list_of)
    cons = imp("α", TYPE_U, lambda A: pi("head", A, lambda _: pi("tail", list_of(A), lambda _: list_of(A))))
    list_type = pi("α", TYPE_U, lambda _: TYPE_U)
    env.add_inductive("List", ("u",), 1, list_type, [("List.nil", nil), ("List.cons", cons)])

    def prod(A: Expr, B: Expr) -> Expr:
        return app(const("Prod"), A, B)

    prod_type = pi("α", type_, lambda _: pi("β", type_, lambda _: type_))
    prod_mk = imp(
        "α",
        type_,
        lambda A: imp("β", type_, lambda B: pi("fst", A, lambda _: pi("snd", B, lambda _: prod(A, B)))),
    )
    env.add_inductive("Prod", (), 2, prod_type, [("Prod.mk", prod_mk)])

    def relation(A: Expr) -> Expr:
        return pi("a", A, lambda _: pi("b", A, lambda _: PROP))

    def acc(A: Expr, r: Expr, x: Expr) -> Expr:
        return app(const("Acc", U), A, r, x)

    acc_type = imp("α", SORT_U, lambda A: pi("r", relation(A), lambda r: pi("a", A, lambda _: PROP)))
    acc_intro = imp(
        "α",
        SORT_U,
        lambda A: imp(
            "r",
            relation(A),
            lambda r: pi(
                "x",
                A,
                lambda x: pi(
                    "h",
                    pi("y", A, lambda y: pi("a", app(r, y, x), lambda _: acc(A, r, y))),
                    lambda _: acc(A, r, x),
                ),
            ),
        ),
    )
    env.add_inductive("Acc", ("u",), 2, acc_type, [("Acc.intro", acc_intro)])


def add_arithmetic(env: Environment) -> None:
    """`Nat.pred add sub mul pow beq ble` by the recursor."""

    def constantly(result: Expr) -> Callable[[Expr], Expr]:
        return lambda _: result

    def define(name: str, value: Expr, result: Expr = NAT, arity: int = 2) -> None:
        env.add_definition(name, (), arrow(*[NAT] * arity, result), value)

    def on_second(zero: Callable[[Expr], Expr], step: Callable[[Expr, Expr], Expr]) -> Expr:
        """`fun n m => rec (zero n) (fun _ ih => step n ih) m`."""

        def body(n: Expr, m: Expr) -> Expr:
            minor = lam("k", NAT, lambda _: lam("ih", NAT, lambda ih: step(n, ih)))
            return nat_rec(constantly(NAT), zero(n), minor, m)

        return lam("n", NAT, lambda n: lam("m", NAT, lambda m: body(n, m)))

    pred_minor = lam("k", NAT, lambda k: lam("ih", NAT, lambda _: k))
    define("Nat.pred", lam("n", NAT, lambda n: nat_rec(constantly(NAT), ZERO, pred_minor, n)), arity=1)
    define("Nat.add", on_second(lambda n: n, lambda n, ih: succ(ih)))
    define("Nat.sub", on_second(lambda n: n, lambda n, ih: app(const("Nat.pred"), ih)))
    define("Nat.mul", on_second(lambda n: ZERO, lambda n, ih: app(const("Nat.add"), ih, n)))
    define("Nat.pow", on_second(lambda n: succ(ZERO), lambda n, ih: app(const("Nat.mul"), ih, n)))
    boolean, nat_to_bool = const("Bool"), arrow(NAT, const("Bool"))
    true, false = const("Bool.true"), const("Bool.false")

    def on_both(zero_succ: Expr) -> Expr:
        """The comparison with `f 0 0 = true`, `f 0 (m+1) = zero_succ`, `f (n+1) 0 = false`, else below."""

        def case(zero: Expr, successor: Callable[[Expr], Expr]) -> Expr:
            minor = lam("k", NAT, lambda k: lam("ih", boolean, lambda _: successor(k)))
            return lam("m", NAT, lambda m: nat_rec(constantly(boolean), zero, minor, m))

        step = lam("k", NAT, lambda _: lam("ih", nat_to_bool, lambda ih: case(false, lambda k: app(ih, k))))
        zero_case = case(true, lambda _: zero_succ)
        return lam("n", NAT, lambda n: nat_rec(constantly(nat_to_bool), zero_case, step, n))

    define("Nat.beq", on_both(false), boolean)
    define("Nat.ble", on_both(true), boolean)


def standard() -> Environment:
    """Logic, data and arithmetic."""
    env = Environment()
    add_logic(env)
    add_data(env)
    add_arithmetic(env)
    return env


@contextmanager
def rejected(error: type[KernelError]) -> Iterator[None]:
    """Expect exactly this class of error; acceptance fails, and so does another error."""
    with pytest.raises(KernelError) as caught:
        yield
    assert type(caught.value) is error, repr(caught.value)
