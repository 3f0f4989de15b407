"""Steps of definitional equality, in the kernel's order of attempts.

Source: Lean 4 `src/kernel/type_checker.cpp`, `is_def_eq_core` and what it calls.
"""

from __future__ import annotations

from minilean.kernel.declaration import ABBREV_HEIGHT, Constructor, Definition, Inductive
from minilean.kernel.expr import (
    App,
    Const,
    Expr,
    Lam,
    Lit,
    Pi,
    Proj,
    Sort,
    get_app,
    get_app_fn,
    mk_app,
    mk_bvar,
    mk_lam,
    mk_proj,
)
from minilean.kernel.instantiate import instantiate
from minilean.kernel.judgements import Checker
from minilean.kernel.level_order import all_equivalent, is_equivalent
from minilean.kernel.literals import literal_value, predecessor
from minilean.kernel.reduction import delta, reduce_nat, unfold_to
from minilean.kernel.traversal import alpha_eq


def quick_is_def_eq(tc: Checker, t: Expr, s: Expr) -> bool | None:
    """Decide by the outermost node if that is possible."""
    kind = type(t)
    if kind is type(s):
        if kind is Lam or kind is Pi:
            return _is_def_eq_binding(tc, t, s)
        if kind is Sort:
            return is_equivalent(t.level, s.level)  # type: ignore[attr-defined]
        if kind is Lit:
            return bool(t.value == s.value)  # type: ignore[attr-defined]
        if t.hash == s.hash and alpha_eq(t, s):
            return True
    return None


def is_def_eq_core(tc: Checker, t: Expr, s: Expr) -> bool:
    """Decide what `quick_is_def_eq` leaves open."""
    if type(s) is Const and s.name == "Bool.true" and not t.has_fvar:
        # a goal that `decide` leaves: evaluate instead of unfolding both sides step by step
        value = tc.whnf(t)
        if type(value) is Const and value.name == s.name and value.levels == s.levels:
            return True
    t_core, s_core = tc.whnf_core(t, True), tc.whnf_core(s, True)
    if t_core is not t or s_core is not s:
        if t_core is s_core:
            return True
        quick = quick_is_def_eq(tc, t_core, s_core)
        if quick is not None:
            return quick
    t, s = t_core, s_core
    irrelevant = _is_def_eq_proof_irrel(tc, t, s)
    if irrelevant is not None:
        return irrelevant
    result, t, s = _lazy_delta_reduction(tc, t, s)
    if result is not None:
        return result
    if type(t) is Const and type(s) is Const and t.name == s.name and _same_levels(t, s):
        return True
    if type(t) is Proj and type(s) is Proj and _is_def_eq_proj(tc, t, s):
        return True
    t_core, s_core = tc.whnf_core(t), tc.whnf_core(s)
    if t_core is not t or s_core is not s:
        return tc.is_def_eq(t_core, s_core)
    return (
        _is_def_eq_app(tc, t, s)
        or _try_eta(tc, t, s)
        or _try_eta(tc, s, t)
        or _try_eta_struct(tc, t, s)
        or _try_eta_struct(tc, s, t)
        or _is_def_eq_unit_like(tc, t, s)
    )


def _is_def_eq_binding(tc: Checker, t: Expr, s: Expr) -> bool:
    kind = type(t)
    fvars: list[Expr] = []
    while type(t) is kind and type(s) is kind:
        t_type, s_type = t.type, s.type  # type: ignore[attr-defined]
        domain = instantiate(t_type, fvars)
        if t_type is not s_type and not tc.is_def_eq(domain, instantiate(s_type, fvars)):
            return False
        fvars.append(tc.new_local(t.name, domain))  # type: ignore[attr-defined]
        t, s = t.body, s.body  # type: ignore[attr-defined]
    return tc.is_def_eq(instantiate(t, fvars), instantiate(s, fvars))


def _is_def_eq_proof_irrel(tc: Checker, t: Expr, s: Expr) -> bool | None:
    """Proofs of equal propositions are equal; `None` if `t` is not a proof."""
    kind = type(t)
    if kind is Sort or kind is Pi or kind is Lit:
        return None
    t_type = tc.infer(t, True)
    if not tc.is_prop(t_type):
        return None
    return tc.is_def_eq(t_type, tc.infer(s, True))


def _lazy_delta_reduction(tc: Checker, t: Expr, s: Expr) -> tuple[bool | None, Expr, Expr]:
    """Unfold the higher definition first; ends with a decision, or with both sides stuck."""
    while True:
        tc.tick()
        decided = _is_def_eq_offset_nat(tc, t, s)
        if decided is not None:
            return decided, t, s
        value = reduce_nat(tc, t)
        if value is not None:
            return tc.is_def_eq(value, s), t, s
        value = reduce_nat(tc, s)
        if value is not None:
            return tc.is_def_eq(t, value), t, s
        t_def, s_def = delta(tc, t), delta(tc, s)
        if t_def is None and s_def is None:
            return None, t, s
        if t_def is not None and t_def is s_def and _same_head(tc, t_def, t, s):
            return True, t, s
        t, s = _lazy_delta_step(tc, t, t_def, s, s_def)
        if t is s:
            return True, t, s
        decided = quick_is_def_eq(tc, t, s)
        if decided is not None:
            return decided, t, s


def _lazy_delta_step(
    tc: Checker, t: Expr, t_def: Definition | None, s: Expr, s_def: Definition | None
) -> tuple[Expr, Expr]:
    """Unfold one side, or both if they are equally high."""
    t_height = -1 if t_def is None else t_def.height
    s_height = -1 if s_def is None else s_def.height
    if s_def is None or t_def is None:
        # first try to reduce a stuck projection on the other side
        other = s if s_def is None else t
        reduced = tc.whnf_core(other) if type(get_app_fn(other)) is Proj else other
        if reduced is not other:
            return (t, reduced) if s_def is None else (reduced, s)
    if t_def is not None and t_height >= s_height:
        t = tc.whnf_core(unfold_to(tc, t, t_def), True)
    if s_def is not None and s_height >= t_height:
        s = tc.whnf_core(unfold_to(tc, s, s_def), True)
    return t, s


def _is_def_eq_offset_nat(tc: Checker, t: Expr, s: Expr) -> bool | None:
    """Compare literals and successors by value; `None` if that decides nothing."""
    t_value, s_value = literal_value(t), literal_value(s)
    if (t_value is None and predecessor(t) is None) or (s_value is None and predecessor(s) is None):
        return None
    if not tc.nat_is_standard():
        return None
    while True:
        tc.tick_number(t_value or s_value or 0)
        if t_value is not None and s_value is not None:
            return t_value == s_value
        t_pred, s_pred = predecessor(t), predecessor(s)
        if t_pred is None or s_pred is None:
            break
        t, s = t_pred, s_pred
        if t is s:
            return True
        t_value, s_value = literal_value(t), literal_value(s)
    # different constructors, or at least one side is neither a literal nor a constructor
    if (t_value == 0 and s_pred is not None) or (s_value == 0 and t_pred is not None):
        return False
    return tc.is_def_eq(t, s)


def _same_head(tc: Checker, definition: Definition, t: Expr, s: Expr) -> bool:
    """Return whether two applications of one definition are equal argument by argument."""
    if definition.height == ABBREV_HEIGHT or type(t) is not App or type(s) is not App:
        return False
    return _same_levels(get_app_fn(t), get_app_fn(s)) and _is_def_eq_args(tc, t, s)


def _is_def_eq_args(tc: Checker, t: Expr, s: Expr) -> bool:
    t_args, s_args = get_app(t)[1], get_app(s)[1]
    if len(t_args) != len(s_args):
        return False
    for a, b in zip(t_args, s_args, strict=True):  # noqa: SIM110 - `all` would recurse on the C stack
        if a is not b and not tc.is_def_eq(a, b):
            return False
    return True


def _is_def_eq_proj(tc: Checker, t: Proj, s: Proj) -> bool:
    return t.idx == s.idx and t.struct == s.struct and tc.is_def_eq(t.expr, s.expr)


def _is_def_eq_app(tc: Checker, t: Expr, s: Expr) -> bool:
    if type(t) is not App or type(s) is not App:
        return False
    return tc.is_def_eq(get_app_fn(t), get_app_fn(s)) and _is_def_eq_args(tc, t, s)


def _try_eta(tc: Checker, t: Expr, s: Expr) -> bool:
    """`fun x => b` against `s`: compare with `fun x => s x`."""
    if type(t) is not Lam or type(s) is Lam:
        return False
    s_type = tc.whnf(tc.infer(s, True))
    if type(s_type) is not Pi:
        return False
    return tc.is_def_eq(t, mk_lam(s_type.name, s_type.type, mk_app(s, mk_bvar(0)), s_type.info))


def _try_eta_struct(tc: Checker, t: Expr, s: Expr) -> bool:
    """`t` against `mk a1 ... an` of a structure: compare each `t.i` with `ai`."""
    head, args = get_app(s)
    constructor = tc.find(head.name) if type(head) is Const else None
    if type(constructor) is not Constructor or len(args) != constructor.num_params + constructor.num_fields:
        return False
    inductive = tc.find(constructor.inductive)
    if type(inductive) is not Inductive or not inductive.is_structure_like:
        return False
    if not tc.is_def_eq(tc.infer(t, True), tc.infer(s, True)):
        return False
    for i, field in enumerate(args[constructor.num_params :]):
        if not tc.is_def_eq(mk_proj(inductive.name, i, t), field):
            return False
    return True


def _is_def_eq_unit_like(tc: Checker, t: Expr, s: Expr) -> bool:
    """Terms of a structure without fields are equal."""
    t_type = tc.whnf(tc.infer(t, True))
    head = get_app_fn(t_type)
    inductive = tc.find(head.name) if type(head) is Const else None
    if type(inductive) is not Inductive or not inductive.is_structure_like:
        return False
    constructor = tc.find(inductive.constructors[0])
    if type(constructor) is not Constructor or constructor.num_fields:
        return False
    return tc.is_def_eq(t_type, tc.infer(s, True))


def _same_levels(t: Expr, s: Expr) -> bool:
    """Return whether two constants have equal universe arguments."""
    if type(t) is not Const or type(s) is not Const or len(t.levels) != len(s.levels):
        return False
    return t.levels == s.levels or all_equivalent(t.levels, s.levels)
