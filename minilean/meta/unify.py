"""Definitional equality with assignment: the unifier.

Source: Lean 4 `src/Lean/Meta/ExprDefEq.lean` (4.34). A success assigns metavariables of the present depth; a failure
leaves no assignment behind.
"""

from __future__ import annotations

from minilean.kernel.declaration import ABBREV_HEIGHT, Constructor, Definition, Inductive
from minilean.kernel.expr import (
    DEFAULT,
    INST,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Lit,
    MVar,
    Pi,
    Proj,
    Sort,
    get_app,
    get_app_fn,
    mk_app,
    mk_apps,
    mk_bvar,
    mk_lam,
    mk_proj,
)
from minilean.kernel.instantiate import instantiate
from minilean.kernel.traversal import alpha_eq
from minilean.meta.assignment import assign_either, assign_flex, equate_all
from minilean.meta.extension import INSTANCES, REDUCIBLE
from minilean.meta.fun_info import binder_infos, maybe_proof
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.level_unify import is_level_def_eq
from minilean.meta.metavars import Meta
from minilean.meta.numerals import eval_nat, literal_to_constructor, mk_nat_add, mk_numeral, nat_offset
from minilean.meta.whnf import can_unfold, reduce_nat, unfold_definition, whnf, whnf_core


def is_def_eq(m: Meta, t: Expr, s: Expr) -> bool:
    """Return whether `t` and `s` are definitionally equal, assigning metavariables to make them so."""
    if t is s:
        return True
    mark = m.mctx.mark()
    if equate(m, t, s):
        return True
    m.mctx.rollback(mark)
    return False


def equate(m: Meta, t: Expr, s: Expr) -> bool:
    """`is_def_eq` that may leave assignments behind on failure; the caller rolls back."""
    if t is s:
        return True
    t = m.head_instantiated(t) if t.has_mvar else t
    s = m.head_instantiated(s) if s.has_mvar else s
    if t is s:
        return True
    m.budget.spend("isDefEq")
    quick = _quick(m, t, s)
    if quick is not None:
        return quick
    rigid = not t.has_mvar and not s.has_mvar
    if rigid and alpha_eq(t, s):
        return True
    if maybe_proof(m, t) and maybe_proof(m, s):
        irrelevant = _proof_irrelevance(m, t, s)
        if irrelevant is not None:
            return irrelevant
    t2, s2 = whnf_core(m, t), whnf_core(m, s)
    if t2 is not t or s2 is not s:
        return equate(m, t2, s2)
    t, s = m.instantiate_mvars(t), m.instantiate_mvars(s)
    if t.has_mvar or s.has_mvar or not m.zeta_delta:
        return _equate_heads(m, t, s)
    # Arguments are compared, then both sides unfold, and the same arguments are compared again: without this, 2^k
    # times for `n + 1 - k` and `n - k`. Source: Lean 4 `src/Lean/Meta/ExprDefEq.lean`, isExprDefEqAuxImpl (4.35).
    key = (t, s, m.transparency)
    if key in m.different:
        return False
    same = _equate_heads(m, t, s)
    if not same:
        m.different.add(key)
    return same


def _equate_heads(m: Meta, t: Expr, s: Expr) -> bool:
    offset = _eq_offset(m, t, s)
    if offset is not None:
        return offset
    return _lazy_delta(m, t, s)


def _quick(m: Meta, t: Expr, s: Expr) -> bool | None:
    kt, ks = type(t), type(s)
    if kt is ks:
        if kt is Sort:
            return is_level_def_eq(m, t.level, s.level)  # type: ignore[attr-defined]
        if kt is Lam or kt is Pi:
            return _eq_binding(m, t, s)
        if kt is Lit:
            return bool(t.value == s.value)  # type: ignore[attr-defined]
    t_head, s_head = get_app_fn(t), get_app_fn(s)
    if type(t_head) is not MVar and type(s_head) is not MVar:
        return None
    if t_head is s_head and type(t_head) is MVar:
        same = _eq_same_mvar(m, t, s)
        if same:
            return True
    t_ok = type(t_head) is MVar and m.is_assignable(t_head)
    s_ok = type(s_head) is MVar and m.is_assignable(s_head)
    if t_ok and s_ok:
        return assign_either(m, t, s, t_head, s_head)
    if t_ok:
        return True if assign_flex(m, t, s) else None
    if s_ok:
        return True if assign_flex(m, s, t) else None
    return None


def _eq_same_mvar(m: Meta, t: Expr, s: Expr) -> bool:
    _, targs = get_app(t)
    _, sargs = get_app(s)
    if len(targs) != len(sargs):
        return False
    mark = m.mctx.mark()
    if equate_all(m, targs, sargs):
        return True
    m.mctx.rollback(mark)
    return False


def _eq_binding(m: Meta, t: Expr, s: Expr) -> bool:
    old = m.lctx
    fvars: list[Expr] = []
    kind = type(t)
    try:
        while type(t) is kind and type(s) is kind:
            t_type = instantiate(t.type, fvars)  # type: ignore[attr-defined]
            s_type = instantiate(s.type, fvars)  # type: ignore[attr-defined]
            if not equate(m, t_type, s_type):
                return False
            fvars.append(m.push_local(t.name, t_type, t.info))  # type: ignore[attr-defined]
            t, s = t.body, s.body  # type: ignore[attr-defined]
        return equate(m, instantiate(t, fvars), instantiate(s, fvars))
    finally:
        m.lctx = old


def _proof_irrelevance(m: Meta, t: Expr, s: Expr) -> bool | None:
    t_type = infer_type(m, t)
    if not is_prop(m, t_type):
        return None
    mark = m.mctx.mark()
    if equate(m, t_type, infer_type(m, s)):
        return True
    m.mctx.rollback(mark)
    return None


def _eq_offset(m: Meta, t: Expr, s: Expr) -> bool | None:
    t_off, s_off = nat_offset(m, t), nat_offset(m, s)
    if t_off is not None and s_off is not None:
        k = min(t_off[1], s_off[1])
        return equate(m, mk_nat_add(t_off[0], t_off[1] - k), mk_nat_add(s_off[0], s_off[1] - k))
    if t_off is not None or s_off is not None:
        base, k = t_off or s_off  # type: ignore[misc]
        value = eval_nat(m, s if t_off is not None else t)
        if value is not None:
            if value < k:
                return False
            rest = mk_numeral(value - k)
            return equate(m, base, rest)
        return None
    t_value, s_value = eval_nat(m, t), eval_nat(m, s)
    if t_value is not None and s_value is not None:
        return t_value == s_value
    return None


def _lazy_delta(m: Meta, t: Expr, s: Expr) -> bool:
    t_fn, s_fn = get_app_fn(t), get_app_fn(s)
    t_height, s_height = _height(m, t, t_fn), _height(m, s, s_fn)
    if t_height is None and s_height is None:
        return _eq_rigid(m, t, s)
    if t_height is not None and s_height is not None:
        if t_fn is s_fn or (type(t_fn) is Const and type(s_fn) is Const and t_fn.name == s_fn.name):
            mark = m.mctx.mark()
            if _eq_app_args(m, t, s):
                return True
            m.mctx.rollback(mark)
            return _unfold_and_eq(m, t, s, True, True)
        t_proj = type(t_fn) is Const and t_fn.name in m.env.projections
        s_proj = type(s_fn) is Const and s_fn.name in m.env.projections
        if t_proj != s_proj:
            return _unfold_and_eq(m, t, s, not t_proj, t_proj)
        if t_height == s_height:
            return _unfold_and_eq(m, t, s, True, True)
        return _unfold_and_eq(m, t, s, t_height > s_height, s_height > t_height)
    return _unfold_and_eq(m, t, s, t_height is not None, s_height is not None)


def _height(m: Meta, e: Expr, fn: Expr) -> int | None:
    """The definitional height of the head of `e`, higher ones unfold first; `None` if it does not unfold."""
    if type(fn) is not Const:
        return None
    if fn.name in m.env.projections:
        return ABBREV_HEIGHT - 1
    decl = m.env.find(fn.name)
    if type(decl) is Definition and can_unfold(m, fn.name, e):
        return ABBREV_HEIGHT if m.env.reducibility.get(fn.name) == REDUCIBLE else decl.height
    return None


def _unfold_and_eq(m: Meta, t: Expr, s: Expr, left: bool, right: bool) -> bool:
    new_t = _delta(m, t) if left else None
    new_s = _delta(m, s) if right else None
    if new_t is None and new_s is None:
        # the chosen side is stuck: try the other side
        new_t = None if left else _delta(m, t)
        new_s = None if right else _delta(m, s)
        if new_t is None and new_s is None:
            return _eq_rigid(m, t, s)
    return equate(m, t if new_t is None else new_t, s if new_s is None else new_s)


def _delta(m: Meta, e: Expr) -> Expr | None:
    literal = reduce_nat(m, e)
    if literal is not None:
        return literal
    new = unfold_definition(m, e)
    return None if new is None else whnf_core(m, new)


def _eq_rigid(m: Meta, t: Expr, s: Expr) -> bool:
    """Unify two terms neither of which unfolds any more."""
    kt, ks = type(t), type(s)
    if kt is Lam or ks is Lam:
        lam, other = (t, s) if kt is Lam else (s, t)
        return _eq_eta(m, lam, other)
    literal = reduce_nat(m, t) or reduce_nat(m, s)
    if literal is not None:
        return equate(m, reduce_nat(m, t) or t, reduce_nat(m, s) or s)
    if kt is Lit or ks is Lit:
        t2, s2 = literal_to_constructor(t), literal_to_constructor(s)
        if (t2 is not t or s2 is not s) and _is_nat_constructor(s if kt is Lit else t):
            return equate(m, t2, s2)
    t_fn, s_fn = get_app_fn(t), get_app_fn(s)
    mark = m.mctx.mark()
    if _heads_match(m, t_fn, s_fn) and _eq_app_args(m, t, s):
        return True
    m.mctx.rollback(mark)
    if (type(t_fn) is Proj) != (type(s_fn) is Proj):
        # `p.fst x` may apply the projection function or the projection itself
        t2, s2 = _as_projection(m, t), _as_projection(m, s)
        if t2 is not t or s2 is not s:
            return equate(m, t2, s2)
    if _eq_eta_struct(m, t, s) or _eq_eta_struct(m, s, t):
        return True
    m.mctx.rollback(mark)
    if _eq_unit_like(m, t, s):
        return True
    m.mctx.rollback(mark)
    return False


def _as_projection(m: Meta, e: Expr) -> Expr:
    """The application of a projection function as the projection that it stands for; other terms as they are."""
    fn, args = get_app(e)
    info = m.env.projections.get(fn.name) if type(fn) is Const else None
    if info is None or len(args) <= info.num_params:
        return e
    return mk_apps(mk_proj(info.struct, info.index, args[info.num_params]), args[info.num_params + 1 :])


def _eq_unit_like(m: Meta, t: Expr, s: Expr) -> bool:
    """Two terms of a type with one constructor and no fields are equal."""
    type_ = whnf(m, m.instantiate_mvars(infer_type(m, t)))
    fn = get_app_fn(type_)
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Inductive) or not decl.is_structure_like:
        return False
    ctor = m.env.find(decl.constructors[0])
    if not isinstance(ctor, Constructor) or ctor.num_fields:
        return False
    return equate(m, type_, infer_type(m, s))


def _is_nat_constructor(e: Expr) -> bool:
    fn = get_app_fn(e)
    return type(fn) is Const and fn.name in ("Nat.succ", "Nat.zero")


def _heads_match(m: Meta, t_fn: Expr, s_fn: Expr) -> bool:
    kt = type(t_fn)
    if kt is not type(s_fn):
        return False
    if kt is Const:
        return bool(t_fn.name == s_fn.name)  # type: ignore[attr-defined]
    if kt is Proj:
        return (
            t_fn.struct == s_fn.struct  # type: ignore[attr-defined]
            and t_fn.idx == s_fn.idx  # type: ignore[attr-defined]
            and equate(m, t_fn.expr, s_fn.expr)  # type: ignore[attr-defined]
        )
    if kt is Let:
        return False
    return t_fn is s_fn or (kt in (FVar, MVar) and t_fn.id == s_fn.id)  # type: ignore[attr-defined]


def _eq_app_args(m: Meta, t: Expr, s: Expr) -> bool:
    """Heads are known to agree by name: unify explicit arguments, then the others, then universe arguments.

    Source: Lean 4 `src/Lean/Meta/ExprDefEq.lean` (`isDefEqApp`) (4.34): arguments may determine universes that
    could not be read off `imax u v`.
    """
    t_fn, t_args = get_app(t)
    s_fn, s_args = get_app(s)
    if len(t_args) != len(s_args):
        return False
    infos = binder_infos(m, t_fn, len(t_args))
    later = []
    for i, (a, b) in enumerate(zip(t_args, s_args, strict=True)):
        if a is b:
            continue
        if infos[i] == DEFAULT:
            if not equate(m, a, b):
                return False
        else:
            later.append(i)
    for i in later:
        if infos[i] == INST and m.transparency < INSTANCES:
            with m.with_transparency(INSTANCES):
                same = equate(m, t_args[i], s_args[i])
        else:
            same = equate(m, t_args[i], s_args[i])
        if not same:
            return False
    return t_fn is s_fn or type(t_fn) is not Const or _eq_levels(m, t_fn, s_fn)  # type: ignore[arg-type]


def _eq_levels(m: Meta, a: Const, b: Const) -> bool:
    if len(a.levels) != len(b.levels):
        return False
    return all(is_level_def_eq(m, u, v) for u, v in zip(a.levels, b.levels, strict=True))


def _eq_eta(m: Meta, lam: Expr, other: Expr) -> bool:
    """`fun x => b =?= f` by comparing `b` with `f x`."""
    type_ = whnf(m, infer_type(m, other))
    if type(type_) is not Pi:
        return False
    expanded = mk_lam(lam.name, type_.type, mk_app(other, mk_bvar(0)), type_.info)  # type: ignore[attr-defined]
    return _eq_binding(m, lam, expanded)


def _eq_eta_struct(m: Meta, ctor_app: Expr, other: Expr) -> bool:
    """`⟨a, b⟩ =?= s` field by field."""
    fn, args = get_app(ctor_app)
    if type(fn) is not Const:
        return False
    ctor = m.env.find(fn.name)
    if type(ctor) is not Constructor or len(args) != ctor.num_params + ctor.num_fields:
        return False
    inductive = m.env.find(ctor.inductive)
    # a recursive structure has no eta
    if (
        ctor.inductive not in m.env.structures
        or not isinstance(inductive, Inductive)
        or inductive.is_recursive
    ):
        return False
    other_fn = get_app_fn(other)
    if type(other_fn) is Const and type(m.env.find(other_fn.name)) is Constructor:
        return False
    type_ = infer_type(m, ctor_app)
    if is_prop(m, type_) or not equate(m, type_, infer_type(m, other)):
        return False
    for i in range(ctor.num_fields):
        field = whnf_core(m, mk_proj(ctor.inductive, i, other))
        if not equate(m, args[ctor.num_params + i], field):
            return False
    return True
