"""Proof terms written by hand: name, universe parameters, statement, proof."""

from __future__ import annotations

from collections.abc import Callable

from kernel_terms import (
    NAT,
    SORT_U,
    ZERO,
    U,
    app,
    const,
    eq,
    lam,
    nat_rec,
    pi,
    refl,
    succ,
)

from minilean.kernel.environment import Environment
from minilean.kernel.expr import PROP, Expr
from minilean.kernel.level import ONE
from minilean.kernel.level import ZERO as LEVEL_ZERO

Proof = tuple[str, tuple[str, ...], Expr, Expr]


def conj(a: Expr, b: Expr) -> Expr:
    return app(const("And"), a, b)


def disj(a: Expr, b: Expr) -> Expr:
    return app(const("Or"), a, b)


def add(n: Expr, m: Expr) -> Expr:
    return app(const("Nat.add"), n, m)


def congr_succ(a: Expr, b: Expr, h: Expr) -> Expr:
    """`h : a = b` gives `succ a = succ b`, by `Eq.rec`."""
    motive = lam("x", NAT, lambda x: lam("h", eq(NAT, a, x), lambda _: eq(NAT, succ(a), succ(x))))
    return app(const("Eq.rec", LEVEL_ZERO, ONE), NAT, a, motive, refl(NAT, succ(a)), b, h)


def and_comm() -> Proof:
    statement = pi("p", PROP, lambda p: pi("q", PROP, lambda q: pi("h", conj(p, q), lambda _: conj(q, p))))

    def proof(p: Expr, q: Expr, h: Expr) -> Expr:
        motive = lam("t", conj(p, q), lambda _: conj(q, p))
        swap = lam("l", p, lambda x: lam("r", q, lambda y: app(const("And.intro"), q, p, y, x)))
        return app(const("And.rec", LEVEL_ZERO), p, q, motive, swap, h)

    value = lam("p", PROP, lambda p: lam("q", PROP, lambda q: lam("h", conj(p, q), lambda h: proof(p, q, h))))
    return "and_comm", (), statement, value


def or_comm() -> Proof:
    statement = pi("p", PROP, lambda p: pi("q", PROP, lambda q: pi("h", disj(p, q), lambda _: disj(q, p))))

    def proof(p: Expr, q: Expr, h: Expr) -> Expr:
        motive = lam("t", disj(p, q), lambda _: disj(q, p))
        left = lam("x", p, lambda x: app(const("Or.inr"), q, p, x))
        right = lam("y", q, lambda y: app(const("Or.inl"), q, p, y))
        return app(const("Or.rec"), p, q, motive, left, right, h)

    value = lam("p", PROP, lambda p: lam("q", PROP, lambda q: lam("h", disj(p, q), lambda h: proof(p, q, h))))
    return "or_comm", (), statement, value


def eq_symm() -> Proof:
    def over(binder: Callable[..., Expr], leaf: Callable[[Expr, Expr, Expr, Expr], Expr]) -> Expr:
        return binder(
            "α",
            SORT_U,
            lambda A: binder(
                "a",
                A,
                lambda a: binder("b", A, lambda b: binder("h", eq(A, a, b, U), lambda h: leaf(A, a, b, h))),
            ),
        )

    def proof(A: Expr, a: Expr, b: Expr, h: Expr) -> Expr:
        motive = lam("x", A, lambda x: lam("h", eq(A, a, x, U), lambda _: eq(A, x, a, U)))
        return app(const("Eq.rec", LEVEL_ZERO, U), A, a, motive, refl(A, a, U), b, h)

    return "eq_symm", ("u",), over(pi, lambda A, a, b, h: eq(A, b, a, U)), over(lam, proof)


def zero_add() -> Proof:
    """`0 + n = n`, by induction."""

    def claim(n: Expr) -> Expr:
        return eq(NAT, add(ZERO, n), n)

    step = lam("k", NAT, lambda k: lam("ih", claim(k), lambda ih: congr_succ(add(ZERO, k), k, ih)))
    value = lam("n", NAT, lambda n: nat_rec(claim, refl(NAT, ZERO), step, n, LEVEL_ZERO))
    return "zero_add", (), pi("n", NAT, claim), value


def succ_add() -> Proof:
    """`n + 1 + m = n + m + 1`, by induction on `m`."""

    def claim(n: Expr, m: Expr) -> Expr:
        return eq(NAT, add(succ(n), m), succ(add(n, m)))

    def by_induction(n: Expr, m: Expr) -> Expr:
        step = lam(
            "k",
            NAT,
            lambda k: lam("ih", claim(n, k), lambda ih: congr_succ(add(succ(n), k), succ(add(n, k)), ih)),
        )
        return nat_rec(lambda x: claim(n, x), refl(NAT, succ(n)), step, m, LEVEL_ZERO)

    value = lam("n", NAT, lambda n: lam("m", NAT, lambda m: by_induction(n, m)))
    return "succ_add", (), pi("n", NAT, lambda n: pi("m", NAT, lambda m: claim(n, m))), value


def add_comm() -> Proof:
    """`n + m = m + n`, from `zero_add`, `succ_add` and `eq_symm`."""

    def claim(n: Expr, m: Expr) -> Expr:
        return eq(NAT, add(n, m), add(m, n))

    def step(n: Expr, k: Expr, ih: Expr) -> Expr:
        # n + (k+1) is (n + k) + 1; rewrite with ih, then with succ_add backwards
        up = congr_succ(add(n, k), add(k, n), ih)
        back = app(const("eq_symm", ONE), NAT, add(succ(k), n), succ(add(k, n)), app(const("succ_add"), k, n))
        motive = lam(
            "x",
            NAT,
            lambda x: lam("h", eq(NAT, succ(add(k, n)), x), lambda _: eq(NAT, succ(add(n, k)), x)),
        )
        rewrite = const("Eq.rec", LEVEL_ZERO, ONE)
        return app(rewrite, NAT, succ(add(k, n)), motive, up, add(succ(k), n), back)

    def by_induction(n: Expr, m: Expr) -> Expr:
        base = app(const("eq_symm", ONE), NAT, add(ZERO, n), n, app(const("zero_add"), n))
        minor = lam("k", NAT, lambda k: lam("ih", claim(n, k), lambda ih: step(n, k, ih)))
        return nat_rec(lambda x: claim(n, x), base, minor, m, LEVEL_ZERO)

    value = lam("n", NAT, lambda n: lam("m", NAT, lambda m: by_induction(n, m)))
    return "add_comm", (), pi("n", NAT, lambda n: pi("m", NAT, lambda m: claim(n, m))), value


def exists_elim() -> Proof:
    """`(∃ x, p x) -> (∀ x, p x -> q) -> q`."""

    def over(binder: Callable[..., Expr], leaf: Callable[..., Expr]) -> Expr:
        def some(A: Expr, p: Expr) -> Expr:
            return app(const("Exists", U), A, p)

        def every(A: Expr, p: Expr, q: Expr) -> Expr:
            return pi("x", A, lambda x: pi("h", app(p, x), lambda _: q))

        def hypotheses(A: Expr, p: Expr, q: Expr) -> Expr:
            return binder(
                "h", some(A, p), lambda h: binder("k", every(A, p, q), lambda k: leaf(A, p, q, h, k))
            )

        def predicates(A: Expr) -> Expr:
            return binder(
                "p", pi("x", A, lambda _: PROP), lambda p: binder("q", PROP, lambda q: hypotheses(A, p, q))
            )

        return binder("α", SORT_U, predicates)

    def proof(A: Expr, p: Expr, q: Expr, h: Expr, k: Expr) -> Expr:
        motive = lam("t", app(const("Exists", U), A, p), lambda _: q)
        return app(const("Exists.rec", U), A, p, motive, k, h)

    return "exists_elim", ("u",), over(pi, lambda A, p, q, h, k: q), over(lam, proof)


PROOFS = (and_comm, or_comm, eq_symm, zero_add, succ_add, add_comm, exists_elim)


def add_proofs(env: Environment) -> None:
    """Add all of `PROOFS`, in order."""
    for build in PROOFS:
        name, level_params, statement, value = build()
        env.add_theorem(name, level_params, statement, value)
