"""Congruence of `simp` for arguments that other arguments depend on.

`decide p` and `if p then a else b` take an instance of `Decidable p`, and `f i h` may take a proof about `i`. When `p`
becomes `q` the instance is synthesized again, and the proof is transported. The discriminants of a `match` whose
result type does not depend on them are rewritten too.

Source: Lean 4 `src/Lean/Meta/CongrTheorems.lean` (`mkCongrSimp?`), `src/Lean/Meta/Tactic/Simp/Types.lean`
(`tryAutoCongrTheorem?`), `Simp/Rewrite.lean` (`simpMatchDiscrs?`) (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from minilean.kernel.expr import (
    INST,
    Const,
    Expr,
    FVar,
    Lam,
    Pi,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
)
from minilean.kernel.instantiate import instantiate, instantiate1
from minilean.kernel.level import ONE, ZERO, Level
from minilean.meta.eta import mentions_bound
from minilean.meta.extension import REDUCIBLE, MatcherInfo
from minilean.meta.fun_info import binder_infos
from minilean.meta.infer import infer_type, is_proof, is_prop, sort_level
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.tactics.simp.result import Result

Dependents: TypeAlias = tuple[tuple[int, ...] | None, ...]
Simplify: TypeAlias = Callable[[Expr], Result]


def rewrite_dependent(m: Meta, simp: Simplify, fn: Expr, args: list[Expr]) -> Result | None:
    """Rewrite the first argument that instances or proofs depend on and that can be simplified.

    Args:
        m: The metavariable context.
        simp: Simplifies an argument.
        fn: The head of an application.
        args: Its arguments.

    Returns:
        The application with that argument changed; `None` when there is none.
    """
    if type(fn) is not Const:
        return None
    infos = binder_infos(m, fn, len(args))
    for i, later in enumerate(dependents(m, fn, len(args))):
        if not later or infos[i] == INST or not may_be_simplified(m, args[i]):
            continue
        dite = fn.name == "dite" and i == 1 and len(args) == 5
        if not dite and not may_carry(m, fn, args, i):
            continue
        result = simp(args[i])
        if result.expr is args[i]:
            continue
        found = rewritten_dite(m, args, result) if dite else carried(m, fn, args, i, result)
        if found is not None:
            return Result(mk_apps(fn, found[0]), found[1])
    return None


def rewrite_discriminant(m: Meta, simp: Simplify, e: Expr) -> Result | None:
    """Simplify a discriminant of a `match` that no type in the `match` depends on.

    Args:
        m: The metavariable context.
        simp: Simplifies a discriminant.
        e: Any term.

    Returns:
        The `match` with one discriminant changed; `None` when there is none.
    """
    fn, args = get_app(e)
    info = m.env.matchers.get(fn.name) if type(fn) is Const else None
    if info is None or len(args) < info.arity:
        return None
    for i in range(info.num_params + 1, info.num_params + 1 + info.num_discrs):
        if not is_independent(m, fn, args, info, i):
            continue
        result = simp(args[i])
        if result.expr is not args[i]:
            return Result(*with_discriminant(m, fn, args, i, result))
    return None


def may_be_simplified(m: Meta, arg: Expr) -> bool:
    """Return whether `simp` simplifies an argument: proofs stay as they are."""
    if type(arg) in (Const, FVar) and not is_app_of(arg, "Nat.zero", 0):
        type_ = infer_type(m, arg)
        return not is_prop(m, type_) if type(arg) is FVar else True
    return not is_proof(m, arg)


def dependents(m: Meta, fn: Expr, count: int) -> Dependents:
    """Return, for each of the first `count` arguments of `fn`, the later arguments whose types mention it.

    Args:
        m: The metavariable context.
        fn: The head of an application.
        count: The number of its arguments.

    Returns:
        One entry an argument; `None` where the type of the application mentions the argument, or is unknown.
    """
    if type(fn) is not Const:
        return (None,) * count
    table = m.env.memo.setdefault("dependents", {})
    assert isinstance(table, dict)
    key = (fn.name, count)
    if key not in table:
        table[key] = _find_dependents(infer_type(m, fn), count)
    found: Dependents = table[key]
    return found


def _find_dependents(type_: Expr, count: int) -> Dependents:
    binders: list[Expr] = []
    while type(type_) is Pi and len(binders) < count:
        binders.append(type_.type)
        type_ = type_.body
    if len(binders) < count:
        return (None,) * count
    out: list[tuple[int, ...] | None] = []
    for i in range(count):
        later = tuple(j for j in range(i + 1, count) if _mentions(binders[j], j - 1 - i))
        out.append(None if _mentions(type_, count - 1 - i) else later)
    return tuple(out)


def _mentions(e: Expr, index: int) -> bool:
    """Return whether the loose variable `index` occurs."""
    if e.loose <= index:
        return False
    return mentions_bound(e, index + 1) and (
        index == 0 or mentions_bound(instantiate(e, [mk_const("True")] * index), 1)
    )


def may_carry(m: Meta, fn: Expr, args: Sequence[Expr], i: int) -> bool:
    """Return whether only proofs and one instance depend on argument `i`, and nothing depends on those."""
    deps = dependents(m, fn, len(args))
    later = deps[i]
    if not later or any(deps[j] != () for j in later):
        return False
    infos = binder_infos(m, fn, len(args))
    others = [j for j in later if infos[j] != INST]
    return len(later) - len(others) <= 1 and all(is_proof(m, args[j]) for j in others)


def carried(
    m: Meta, fn: Expr, args: Sequence[Expr], i: int, new: Result
) -> tuple[list[Expr], Expr | None] | None:
    """Replace argument `i`, and the arguments that depend on it.

    Args:
        m: The metavariable context.
        fn: A constant.
        args: Its arguments.
        i: Position of the argument, for which `may_carry` holds.
        new: The new argument, with a proof that it equals the old one.

    Returns:
        The new arguments and a proof of `fn args = fn new_args` (`None` when that holds by definition); `None` when
        the instance is not one of `Decidable`, or no new one is found.
    """
    later = dependents(m, fn, len(args))[i]
    assert later is not None
    infos = binder_infos(m, fn, len(args))
    instances = [j for j in later if infos[j] == INST]
    types = {j: _type_of_argument(m, fn, args, i, j) for j in later}
    out = [*args]
    out[i] = new.expr
    for j in instances:
        wanted = types[j](new.expr)
        if not is_app_of(wanted, "Decidable", 1):
            return None
        with m.with_transparency(REDUCIBLE):
            same = is_def_eq(m, infer_type(m, args[j]), wanted)
        if not same:
            instance = synth_instance(m, wanted)
            if instance is None:
                return None
            out[j] = instance
    if new.proof is None and all(out[j] is args[j] for j in instances):
        return out, None
    return _with_proof(m, fn, args, out, i, new, instances, types)


def _type_of_argument(m: Meta, fn: Expr, args: Sequence[Expr], i: int, j: int) -> Callable[[Expr], Expr]:
    """Return the type of argument `j` as a function of argument `i`."""

    def at(value: Expr) -> Expr:
        type_ = infer_type(m, fn)
        for k in range(j):
            assert type(type_) is Pi
            type_ = instantiate1(type_.body, value if k == i else args[k])
        assert type(type_) is Pi
        return type_.type

    return at


def _with_proof(
    m: Meta,
    fn: Expr,
    args: Sequence[Expr],
    out: list[Expr],
    i: int,
    new: Result,
    instances: list[int],
    types: dict[int, Callable[[Expr], Expr]],
) -> tuple[list[Expr], Expr]:
    """Prove `fn args = fn out` by recursion on `args[i] = out[i]`, for any instance on the right side."""
    old = args[i]
    alpha = infer_type(m, old)
    level = sort_level(m, alpha)
    e = mk_apps(fn, args)
    result = infer_type(m, e)
    result_level = sort_level(m, result)
    equation = mk_const("Eq", (level,))
    given = mk_apps(mk_const("Eq.refl", (level,)), (alpha, old)) if new.proof is None else new.proof
    saved = m.lctx
    try:
        x = m.push_local("x", alpha)
        h = m.push_local("h", mk_apps(equation, (alpha, old, x)))

        def transported(value: Expr, why: Expr) -> list[Expr]:
            moved = [*args]
            moved[i] = value
            for j in types.keys() - instances:
                motive = m.mk_lambda([x, h], types[j](x))
                moved[j] = mk_apps(
                    mk_const("Eq.rec", (ZERO, level)), (alpha, old, motive, args[j], value, why)
                )
            return moved

        def equal(right: list[Expr]) -> Expr:
            return mk_apps(mk_const("Eq", (result_level,)), (result, e, mk_apps(fn, right)))

        general = transported(x, h)
        if instances:
            (k,) = instances
            inst = m.push_local("inst", types[k](x))
            general[k] = inst
            motive = m.mk_lambda([x, h], m.mk_pi([inst], equal(general)))
            base = _same_but_instance(m, fn, args, k, result, result_level)
        else:
            motive = m.mk_lambda([x, h], equal(general))
            base = mk_apps(mk_const("Eq.refl", (result_level,)), (result, e))
        proof = mk_apps(mk_const("Eq.rec", (ZERO, level)), (alpha, old, motive, base, new.expr, given))
        final = transported(new.expr, given)
        for k in instances:
            final[k] = out[k]
            proof = mk_app(proof, out[k])
        return final, proof
    finally:
        m.lctx = saved


def _same_but_instance(m: Meta, fn: Expr, args: Sequence[Expr], k: int, result: Expr, level: Level) -> Expr:
    """Prove `fn args = fn args with inst` for every `inst`: instances of one `Decidable` are equal."""
    cls = infer_type(m, args[k])
    (prop,) = get_app(cls)[1]
    inst = m.push_local("inst", cls)
    moved = [*args]
    moved[k] = inst
    same = mk_apps(
        mk_const("Subsingleton.elim", (ONE,)),
        (cls, mk_app(mk_const("instSubsingletonDecidable"), prop), args[k], inst),
    )
    function = m.mk_lambda([inst], mk_apps(fn, moved))
    proof = mk_apps(mk_const("congrArg", (ONE, level)), (cls, result, args[k], inst, function, same))
    return m.mk_lambda([inst], proof)


def rewritten_dite(m: Meta, args: Sequence[Expr], cond: Result) -> tuple[list[Expr], Expr] | None:
    """Replace the condition of `if h : c then t h else e h`; the branches derive the old proof from the new one.

    Args:
        m: The metavariable context.
        args: The arguments of `dite`.
        cond: The new condition, with a proof that it equals the old one.

    Returns:
        The new arguments and a proof that both are equal; `None` when the condition does not have an instance
        of `Decidable`.
    """
    alpha, old, inst, then, other = args
    new = synth_instance(m, mk_app(mk_const("Decidable"), cond.expr))
    if new is None or cond.proof is None:
        return None
    level = sort_level(m, alpha)
    saved = m.lctx
    try:
        branches, reflexive = [], []
        for lemma, branch, premise in (
            ("Eq.mpr_prop", then, cond.expr),
            ("Eq.mpr_not", other, mk_app(mk_const("Not"), cond.expr)),
        ):
            h = m.push_local("h", premise)
            back = mk_apps(mk_const(lemma), (old, cond.expr, cond.proof, h))
            value = instantiate1(branch.body, back) if type(branch) is Lam else mk_app(branch, back)
            branches.append(m.mk_lambda([h], value))
            reflexive.append(m.mk_lambda([h], mk_apps(mk_const("Eq.refl", (level,)), (alpha, value))))
        proof = mk_apps(
            mk_const("dite_congr", (level,)),
            (old, cond.expr, alpha, inst, new, then, branches[0], other, branches[1], cond.proof, *reflexive),
        )
        return [alpha, cond.expr, new, *branches], proof
    finally:
        m.lctx = saved


def is_independent(m: Meta, fn: Expr, args: Sequence[Expr], info: MatcherInfo, i: int) -> bool:
    """Return whether neither the type of a `match` nor that of another argument depends on its discriminant `i`."""
    motive = args[info.num_params]
    for _ in range(info.num_discrs):
        if type(motive) is not Lam:
            return False
        motive = motive.body
    if motive.loose:
        return False
    type_ = infer_type(m, fn)
    for k in range(info.arity):
        assert type(type_) is Pi
        if k > i and _mentions(type_.type, k - 1 - i):
            return False
        type_ = type_.body
    return True


def with_discriminant(
    m: Meta, fn: Expr, args: Sequence[Expr], i: int, new: Result
) -> tuple[Expr, Expr | None]:
    """Replace a discriminant of a `match`.

    Args:
        m: The metavariable context.
        fn: The matcher.
        args: Its arguments.
        i: Position of the discriminant, for which `is_independent` holds.
        new: The new discriminant, with a proof that it equals the old one.

    Returns:
        The new term and a proof that it equals the old one, `None` when both are equal by definition.
    """
    out = [*args]
    out[i] = new.expr
    if new.proof is None:
        return mk_apps(fn, out), None
    alpha = infer_type(m, args[i])
    e = mk_apps(fn, args)
    result = infer_type(m, e)
    saved = m.lctx
    try:
        x = m.push_local("x", alpha)
        function = m.mk_lambda([x], mk_apps(fn, [*args[:i], x, *args[i + 1 :]]))
    finally:
        m.lctx = saved
    levels = (sort_level(m, alpha), sort_level(m, result))
    proof = mk_apps(mk_const("congrArg", levels), (alpha, result, args[i], new.expr, function, new.proof))
    return mk_apps(fn, out), proof
