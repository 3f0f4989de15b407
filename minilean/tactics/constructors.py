"""Constructors of inductive types: the one at the head of a term, their injectivity and their disjointness.

Source: Lean 4 `src/Lean/Meta/Tactic/Injection.lean`, `src/Lean/Meta/Constructions/NoConfusion.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from minilean.kernel.declaration import Constructor, Inductive, Recursor
from minilean.kernel.expr import (
    DEFAULT,
    PROP,
    Const,
    Expr,
    FVar,
    Lit,
    Pi,
    Sort,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
)
from minilean.kernel.instantiate import (
    head_beta,
    instantiate1,
)
from minilean.kernel.level import ONE, ZERO, Succ
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.numerals import literal_to_constructor, mk_nat_add, mk_numeral, nat_literal, nat_offset
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import unfold_definition, whnf, whnf_core
from minilean.tactics.state import Tactics


@dataclass(frozen=True, slots=True)
class Major:
    """The inductive type that a hypothesis belongs to."""

    decl: Inductive
    fn: Const
    params: list[Expr]
    indices: list[Expr]


def major_of(t: Tactics, type_: Expr, tactic: str) -> Major:
    """Return `type_` as an application of an inductive type, definitions unfolded."""
    m = t.m
    reduced = m.instantiate_mvars(type_)
    while True:
        reduced = whnf_core(m, reduced)
        fn, args = get_app(reduced)
        decl = m.env.find(fn.name) if type(fn) is Const else None
        if isinstance(decl, Inductive):
            assert isinstance(fn, Const)
            m.env.require_shown(decl.name)
            return Major(decl, fn, args[: decl.num_params], args[decl.num_params :])
        new = unfold_definition(m, reduced)
        if new is None:
            raise not_inductive(t, reduced, tactic)
        reduced = new


def not_inductive(t: Tactics, type_: Expr, tactic: str) -> MetaError:
    """Return Lean's message for a target that cannot be split."""
    extra = ""
    if type_ is PROP:
        extra = "\n\nConsider using the 'by_cases' tactic, which does true/false reasoning for propositions."
    elif type(type_) is Sort and type(type_.level) is Succ:
        extra = (
            "\n\nType universes are not inductive types, and type-constructor-based reasoning is not possible. This "
            "is a strong limitation. According to Lean's underlying theory, the only provable distinguishing feature "
            "of types is their cardinalities."
        )
    return t.failed(
        tactic,
        f"major premise type is not an inductive type\n  {t.show(type_)}\n\nExplanation: the `{tactic}` tactic is "
        f"for constructor-based reasoning as well as for applying custom {tactic} principles with a 'using' clause "
        f"or a registered '@[{tactic}_eliminator]' theorem. The above type neither is an inductive type nor has a "
        f"registered theorem.{extra}",
    )


def explicit_fields(ctor: Constructor) -> list[bool]:
    """Return a flag for each field of a constructor: whether it is an explicit argument."""
    flags = []
    type_ = ctor.type
    for i in range(ctor.num_params + ctor.num_fields):
        assert type(type_) is Pi
        if i >= ctor.num_params:
            flags.append(type_.info == DEFAULT)
        type_ = type_.body
    return flags


def constructor_form(t: Tactics, e: Expr) -> Expr | None:
    """Return `e` as a constructor application or `None`; literals and `n + k` become `Nat.zero` or `Nat.succ _`."""
    m = t.m
    e = m.instantiate_mvars(e)
    value = nat_literal(m, e)
    if value is not None:
        if value == 0:
            return mk_const("Nat.zero")
        return mk_app(mk_const("Nat.succ"), mk_numeral(value - 1))
    offset = nat_offset(m, e)
    if offset is not None:
        return mk_app(mk_const("Nat.succ"), mk_nat_add(offset[0], offset[1] - 1))
    e = literal_to_constructor(e) if type(e) is Lit else whnf_core(m, e)
    fn = get_app_fn(e)
    if type(fn) is Const and isinstance(m.env.find(fn.name), Constructor):
        return e
    return None


def constructor_name(e: Expr) -> str:
    """Return the constructor at the head of a constructor application."""
    fn = get_app_fn(e)
    assert isinstance(fn, Const)
    return fn.name


def _recursor_into(
    t: Tactics, alpha: Expr, result: Expr, minor_of: Callable[[str, list[FVar]], Expr]
) -> Expr:
    """Return `fun x : alpha => I.rec (fun _ => result) minors x`; the body of a minor is `minor_of(ctor, binders)`."""
    m = t.m
    info = major_of(t, alpha, "injection")
    if info.indices:
        raise UnsupportedError("injectivity of constructors of an indexed family")
    rec = m.env.find(f"{info.decl.name}.rec")
    assert isinstance(rec, Recursor)
    old = m.lctx
    try:
        x = m.push_local("x", alpha)
        motive = mk_lam("x", alpha, result)
        levels = (sort_level(m, result), *info.fn.levels)
        several = rec.num_motives > 1
        head = mk_apps(
            mk_const(f"{info.decl.name}.casesOn" if several else rec.name, levels), [*info.params, motive]
        )
        type_ = infer_type(m, mk_app(head, x) if several else head)
        minors = []
        for ctor in info.decl.constructors:
            assert type(type_) is Pi
            minor = type_.type
            inner = m.lctx
            binders = []
            while type(minor) is Pi:
                binders.append(m.push_local(minor.name, head_beta(minor.type)))
                minor = instantiate1(minor.body, binders[-1])
            body = minor_of(ctor, binders)
            minors.append(m.mk_lambda(binders, body))
            m.lctx = inner
            type_ = type_.body
        return m.mk_lambda([x], mk_apps(head, [x, *minors] if several else [*minors, x]))
    finally:
        m.lctx = old


def no_confusion(t: Tactics, h: Expr, alpha: Expr, left: Expr) -> Expr:
    """Return a proof of `False` from `h : left = right` with different constructors.

    Raises:
        MetaError: The sides are proofs; any two proofs of a proposition are equal.
    """
    m = t.m
    if is_prop(m, alpha):
        raise MetaError(
            f"(kernel) unknown constant '{major_of(t, alpha, 'injection').decl.name}.noConfusion'"
        )
    name = constructor_name(left)
    true, false = mk_const("True"), mk_const("False")
    test = _recursor_into(t, alpha, PROP, lambda ctor, _: true if ctor == name else false)
    _, (_, a, b) = get_app(whnf(m, t.infer(h)))
    level = sort_level(m, alpha)
    # congrArg test h : test a = test b, where test a reduces to True and test b to False
    eq = mk_apps(mk_const("congrArg", (level, ONE)), (alpha, PROP, a, b, test, h))
    return mk_apps(mk_const("Eq.mp", (ZERO,)), (mk_app(test, a), mk_app(test, b), eq, mk_const("True.intro")))


def close_with_false(t: Tactics, proof: Expr) -> None:
    """Close the main goal with a proof of `False`."""
    target = t.target
    t.close(mk_apps(mk_const("False.elim", (sort_level(t.m, target),)), (target, proof)))


def close_by_no_confusion(t: Tactics, h: FVar) -> bool:
    """Close the main goal if `h` equates applications of different constructors.

    Source: Lean 4 `src/Lean/Meta/MatchUtil.lean` (4.34): both sides are evaluated. Arguments of equal constructors are
    not compared: `n + 2 = 1` is left to `cases`.
    """
    m = t.m
    type_ = whnf_core(m, m.instantiate_mvars(m.local(h).type))
    if not is_app_of(type_, "Eq", 3):
        return False
    _, (alpha, a, b) = get_app(type_)
    left = constructor_form(t, a) or constructor_form(t, whnf(m, a))
    right = constructor_form(t, b) or constructor_form(t, whnf(m, b))
    if left is None or right is None or constructor_name(left) == constructor_name(right):
        return False
    close_with_false(t, no_confusion(t, h, alpha, left))
    return True


def clash(t: Tactics, h: Expr, alpha: Expr, a: Expr, b: Expr) -> Expr | None:
    """Return a proof of `False` from `h : a = b` if constructors differ, at the head or below equal ones."""
    for _ in range(64):
        left, right = constructor_form(t, a), constructor_form(t, b)
        if left is None or right is None:
            return None
        if constructor_name(left) != constructor_name(right):
            return no_confusion(t, h, alpha, left)
        if constructor_name(left) != "Nat.succ":
            return None
        (h, equality, _), *_ = injection_equations(t, h, alpha, left, right)
        _, (alpha, a, b) = get_app(equality)
    return None


def injection_equations(
    t: Tactics, h: Expr, alpha: Expr, left: Expr, right: Expr
) -> list[tuple[Expr, Expr, str]]:
    """Return (proof, `x = y`, name) for each field of `h : c xs = c ys` that is not a proof.

    Raises:
        MetaError: The sides are proofs: fields of equal proofs need not be equal.
    """
    m = t.m
    if is_prop(m, alpha):
        raise MetaError(f"Unknown constant `{major_of(t, alpha, 'injection').decl.name}.noConfusion`")
    ctor = m.env.find(constructor_name(left))
    assert isinstance(ctor, Constructor)
    _, xs = get_app(left)
    _, ys = get_app(right)
    level = sort_level(m, alpha)
    out = []
    _, (_, a, b) = get_app(whnf(m, t.infer(h)))
    for i in range(ctor.num_params, len(xs)):
        x, y = xs[i], ys[i]
        x_type = m.instantiate_mvars(infer_type(m, x))
        ctor_type = ctor.type
        for _ in range(i):
            ctor_type = ctor_type.body if type(ctor_type) is Pi else ctor_type
        if is_prop(m, x_type):
            continue
        y_type = m.instantiate_mvars(infer_type(m, y))
        if not is_def_eq(m, x_type, y_type):
            raise UnsupportedError("injectivity of a constructor with dependent fields")

        def minor(name: str, binders: list[FVar], i: int = i, x: Expr = x) -> Expr:
            return binders[i - ctor.num_params] if name == ctor.name else x

        field = _recursor_into(t, alpha, x_type, minor)
        field_level = sort_level(m, x_type)
        proof = mk_apps(mk_const("congrArg", (level, field_level)), (alpha, x_type, a, b, field, h))
        equation = mk_apps(mk_const("Eq", (field_level,)), (x_type, x, y))
        out.append((proof, equation, ctor_type.name if type(ctor_type) is Pi else "a"))
    return out
