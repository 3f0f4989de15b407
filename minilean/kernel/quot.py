"""Quotients: the types of `Quot`, `Quot.mk`, `Quot.ind`, `Quot.lift`, and how the last two compute.

Source: Lean 4 `src/kernel/quot.cpp`.
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.declaration import Constructor, Declaration, Inductive, QuotDecl
from minilean.kernel.expr import (
    IMPLICIT,
    PROP,
    Const,
    Expr,
    get_app,
    mk_app,
    mk_apps,
    mk_arrow,
    mk_bvar,
    mk_const,
    mk_pi,
    mk_sort,
)
from minilean.kernel.level import mk_param
from minilean.kernel.traversal import alpha_eq


def is_standard_eq(find: Callable[[str], Declaration | None]) -> bool:
    """Return whether `Eq` is Lean's inductive type, which the type of `Quot.lift` mentions."""
    eq, refl = find("Eq"), find("Eq.refl")
    if type(eq) is not Inductive or eq.constructors != ("Eq.refl",) or len(eq.level_params) != 1:
        return False
    if type(refl) is not Constructor or refl.level_params != eq.level_params or eq.num_params != 2:
        return False
    u = mk_param(eq.level_params[0])
    sort, a = mk_sort(u), mk_bvar(0)
    former = mk_pi("α", sort, mk_arrow(a, mk_arrow(mk_bvar(1), PROP)))
    result = mk_apps(mk_const("Eq", (u,)), (mk_bvar(1), a, a))
    return alpha_eq(eq.type, former) and alpha_eq(refl.type, mk_pi("α", sort, mk_pi("a", a, result)))


def quot_declarations() -> tuple[QuotDecl, ...]:
    """The four constants, in the order in which they are added."""
    u, v = mk_param("u"), mk_param("v")
    sort_u, sort_v = mk_sort(u), mk_sort(v)
    b = mk_bvar
    relation = mk_pi("a", b(0), mk_pi("a", b(1), PROP))  # under α

    def quot(alpha: int, r: int) -> Expr:
        return mk_apps(mk_const("Quot", (u,)), (b(alpha), b(r)))

    def quot_mk(alpha: int, r: int, a: Expr) -> Expr:
        return mk_apps(mk_const("Quot.mk", (u,)), (b(alpha), b(r), a))

    def over(r_info: int, body: Expr) -> Expr:
        return mk_pi("α", sort_u, mk_pi("r", relation, body, r_info), IMPLICIT)

    mk_type = over(0, mk_pi("a", b(1), quot(2, 1)))
    # under α r β: the motive of `ind` and the codomain of `lift`
    ind_minor = mk_pi("a", b(2), mk_app(b(1), quot_mk(3, 2, b(0))))
    ind_body = mk_pi("mk", ind_minor, mk_pi("q", quot(3, 2), mk_app(b(2), b(0))))
    ind_type = over(IMPLICIT, mk_pi("β", mk_pi("a", quot(1, 0), PROP), ind_body, IMPLICIT))
    # under α r β f a b
    equal = mk_apps(mk_const("Eq", (v,)), (b(4), mk_app(b(3), b(2)), mk_app(b(3), b(1))))
    related = mk_pi("a", mk_apps(b(4), (b(1), b(0))), equal)
    respects = mk_pi("a", b(3), mk_pi("b", b(4), related))
    lift_body = mk_pi("f", mk_pi("a", b(2), b(1)), mk_pi("a", respects, mk_pi("a", quot(4, 3), b(3))))
    lift_type = over(IMPLICIT, mk_pi("β", sort_v, lift_body, IMPLICIT))
    return (
        QuotDecl("Quot", ("u",), over(0, sort_u)),
        QuotDecl("Quot.mk", ("u",), mk_type),
        QuotDecl("Quot.ind", ("u",), ind_type),
        QuotDecl("Quot.lift", ("u", "v"), lift_type),
    )


def reduce_quot(
    name: str, args: list[Expr], whnf: Callable[[Expr], Expr], find: Callable[[str], Declaration | None]
) -> Expr | None:
    """`Quot.lift f h (Quot.mk r a) ~> f a` and `Quot.ind p (Quot.mk r a) ~> p a`; `None` if stuck.

    Args:
        name: The constant at the head, known to be a `QuotDecl`.
        args: All its arguments; the result is applied to those after the quotient.
        whnf: Weak head normal form.
        find: Looks up declarations.
    """
    if name == "Quot.lift":
        major = 5
    elif name == "Quot.ind":
        major = 4
    else:
        return None
    if len(args) <= major:
        return None
    fn, mk_args = get_app(whnf(args[major]))
    if (
        type(fn) is not Const
        or fn.name != "Quot.mk"
        or len(mk_args) != 3
        or type(find(fn.name)) is not QuotDecl
    ):
        return None
    return mk_apps(mk_app(args[3], mk_args[2]), args[major + 1 :])
