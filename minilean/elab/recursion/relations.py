"""Goals of well-founded recursion: `a ≺ b` with the standard relations unfolded, as `a < b` for numbers.

Source: Lean 4 `src/Lean/Elab/PreDefinition/WF/Fix.lean`, `src/Init/WFTactics.lean` (`clean_wf`, 4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import Const, Expr, get_app, is_app_of, mk_apps, mk_const
from minilean.kernel.instantiate import beta_apply
from minilean.kernel.level import ZERO
from minilean.meta.infer import sort_level
from minilean.meta.metavars import Meta

_NAT = mk_const("Nat")


def less(a: Expr, b: Expr) -> Expr:
    """Return `a < b` for natural numbers."""
    return mk_apps(mk_const("LT.lt", (ZERO,)), (_NAT, mk_const("instLTNat"), a, b))


def decreases(m: Meta, type_: Expr, instance: Expr, a: Expr, b: Expr) -> Expr:
    """Return the proposition that `a` is below `b` in a well-founded relation on `type_`."""
    return beta_apply(_relation(m, type_, instance), [a, b])


def _relation(m: Meta, type_: Expr, instance: Expr) -> Expr:
    if is_app_of(instance, "Prod.instWellFoundedRelation", 4) or is_app_of(instance, "Prod.lex", 4):
        fn, (first, second, left, right) = get_app(instance)
        parts = _relation(m, first, left), _relation(m, second, right)
        return mk_apps(mk_const("Prod.Lex", fn.levels), (first, second, *parts))  # type: ignore[attr-defined]
    if is_app_of(instance, "instWellFoundedRelationOfSizeOf", 2) or is_app_of(instance, "sizeOfWFRel", 2):
        size = get_app(instance)[1][1]
        return _comparison(m, type_, lambda x: size_of(m, type_, size, x))
    if is_app_of(instance, "measure", 2):
        function = get_app(instance)[1][1]
        return _comparison(m, type_, lambda x: beta_apply(function, [x]))
    if is_app_of(instance, "invImage", 4):
        _, (_, other, function, inner) = get_app(instance)
        relation = _relation(m, other, inner)
        return _binary(
            m,
            type_,
            lambda x, y: beta_apply(relation, [beta_apply(function, [x]), beta_apply(function, [y])]),
        )
    if type(instance) is Const and instance.name == "Nat.lt_wfRel":
        return _comparison(m, type_, lambda x: x)
    return mk_apps(mk_const("WellFoundedRelation.rel", (sort_level(m, type_),)), (type_, instance))


def size_of(m: Meta, type_: Expr, instance: Expr, x: Expr) -> Expr:
    """Return `sizeOf x`; for a number the number itself."""
    if type(instance) is Const and instance.name == "instSizeOfNat":
        return x
    return mk_apps(mk_const("SizeOf.sizeOf", (sort_level(m, type_),)), (type_, instance, x))


def _comparison(m: Meta, type_: Expr, value: Callable[[Expr], Expr]) -> Expr:
    return _binary(m, type_, lambda x, y: less(value(x), value(y)))


def _binary(m: Meta, type_: Expr, body: Callable[[Expr, Expr], Expr]) -> Expr:
    """Return `fun a₁ a₂ => body a₁ a₂`."""
    old = m.lctx
    try:
        x, y = (m.push_local(name, type_) for name in ("a₁", "a₂"))
        return m.mk_lambda([x, y], body(x, y))
    finally:
        m.lctx = old
