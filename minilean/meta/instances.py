"""Type-class resolution: depth-first search over local and global instances.

Source: Lean 4 `src/Lean/Meta/SynthInstance.lean` (4.34); without tabling, which only matters for classes that
branch widely: a goal that is its own premise is given up at once. Local instances go first, then global ones by
priority, the latest first.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from minilean.kernel.declaration import Inductive
from minilean.kernel.expr import (
    INST,
    BVar,
    Const,
    Expr,
    MVar,
    Pi,
    Sort,
    get_app,
    get_app_args,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
)
from minilean.kernel.instantiate import instantiate1
from minilean.kernel.level import ZERO, LMVar
from minilean.meta.context import LocalContext, LocalDecl
from minilean.meta.eta import eta_reduce
from minilean.meta.extension import INSTANCES
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import collect_mvars, has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_reducible

# The goals above the one that is searched for: class, local context and input arguments; `None` for a step that only
# changes the form of a goal.
_Above: TypeAlias = "tuple[tuple[Expr, LocalContext, list[Expr]] | None, ...]"

MAX_INSTANCE_DEPTH = 24
MAX_MEMO = 20_000

# Heads by which Lean's index of instances tells propositions apart, besides inductive types: an instance for one is
# not tried for another, also where the one unfolds to the other, as `a ∣ b` to `∃ c, b = a * c`.
_RIGID = frozenset(["Not", "LE.le", "LT.lt", "Dvd.dvd", "Membership.mem"])


def class_of(m: Meta, type_: Expr) -> str | None:
    """The class that `type_`, without its leading binders, is an application of; `None` if it is not of a class."""
    while type(type_) is Pi:
        type_ = type_.body
    fn = get_app_fn(type_)
    if type(fn) is Const:
        return fn.name if fn.name in m.env.classes else _class_of_reduced(m, type_)
    return None


def _class_of_reduced(m: Meta, type_: Expr) -> str | None:
    if type_.loose:
        return None
    fn = get_app_fn(type_)
    if type(fn) is Const and m.env.reducibility.get(fn.name) == 1:
        reduced = whnf_reducible(m, type_)
        if reduced is not type_:
            return class_of(m, reduced)
    return None


def local_instances(m: Meta) -> list[LocalDecl]:
    """The local variables that are instances, in context order."""
    return [d for d in m.lctx if not d.hidden and class_of(m, d.type) is not None]


def synth_instance(m: Meta, type_: Expr) -> Expr | None:
    """An instance of the class `type_`, or `None`. Metavariables of `type_` are not assigned, out-parameters are."""
    type_ = m.instantiate_mvars(type_)
    key = _question(m, type_)
    if key is not None:
        known = m.env.memo.get(key, m)
        if known is not m:
            return _answer(m, type_, known)  # type: ignore[arg-type]
    mark, postponed = m.mctx.mark(), len(m.mctx.postponed)
    with m.new_mctx_depth(), m.with_transparency(INSTANCES):
        goal = _open_out_params(m, type_)
        result = _resolve(m, goal, ())
        if result is not None:
            result = m.instantiate_mvars(result)
            if any(m.mvar_decl(mvar).depth >= m.mctx.depth for mvar in collect_mvars(result)):
                result = None  # the search left a metavariable of its own unassigned
            elif _takes_for_proposition(m, type_, postponed):
                result = None  # stuck until the argument is known
    if result is not None and (key is None or _is_open(result) or _has_unknown(key)):
        if goal is type_ or is_def_eq(m, m.instantiate_mvars(goal), type_):
            return result
        result = key = None
    # undo the search as if the answer had been cached: the numbers of metavariables must not depend on the cache
    m.mctx.rollback(mark)
    if key is not None:
        if len(m.env.memo) >= MAX_MEMO:
            m.env.memo.clear()
        m.env.memo[key] = result
    return _answer(m, type_, result)


def _takes_for_proposition(m: Meta, type_: Expr, first: int) -> bool:
    """Return whether an answer rests on an unknown argument being a proposition.

    For `Subsingleton ?α` with `?α : Sort ?u` the instance for propositions would make `?u` zero; in Lean the search is
    stuck until more is known.

    Args:
        m: The search has just ended there.
        type_: The class.
        first: The number of postponed universe problems before the search.
    """
    sorts = [m.instantiate_mvars(infer_type(m, arg)) for arg in get_app_args(type_) if type(arg) is MVar]
    unknown = {s.level for s in sorts if type(s) is Sort and type(s.level) is LMVar}
    problems = m.mctx.postponed[first:] if unknown else ()
    return any((a in unknown and b is ZERO) or (b in unknown and a is ZERO) for a, b in problems)


def _is_open(e: Expr) -> bool:
    return e.has_mvar or e.has_fvar


def _question(m: Meta, type_: Expr) -> tuple[object, ...] | None:
    """Return the key under which the answer for a class is cached: the class, its universes and its input arguments.

    `None` if a local instance could be the answer, or if an argument contains a metavariable. All universe
    metavariables count as equal: the search cannot assign them, and leaves their equations to the caller. The search
    cannot assign other metavariables either, so one that is a whole argument counts as its type and its position.
    """
    if type_.has_fvar or m.classical:
        return None
    fn, args = get_app(type_)
    if type(fn) is not Const or fn.name not in m.env.classes:
        return None if type_.has_mvar or local_instances(m) else ("inst", type_)
    out = m.env.classes[fn.name]
    inputs = [arg for i, arg in enumerate(args) if i not in out]
    parts = [_unknown(m, arg, inputs) if arg.has_mvar else arg for arg in inputs]
    if any([part is None for part in parts]):
        return None
    levels = [None if type(level) is LMVar else level for level in fn.levels]
    if any([level is not None and level.has_mvar for level in levels]) or local_instances(m):
        return None
    return ("inst", fn.name, len(args), *levels, *parts)


def _unknown(m: Meta, arg: Expr, inputs: list[Expr]) -> tuple[int, Expr | None] | None:
    """Return the key of an argument that is a metavariable: its first position, and its type unless that is a sort."""
    if type(arg) is not MVar:
        return None
    type_ = m.instantiate_mvars(m.mvar_decl(arg).type)
    if type_.has_fvar or (type_.has_mvar and type(type_) is not Sort):
        return None
    return inputs.index(arg), None if type_.has_mvar else type_


def _has_unknown(key: tuple[object, ...]) -> bool:
    return any(type(part) is tuple for part in key)


def _answer(m: Meta, type_: Expr, result: Expr | None) -> Expr | None:
    """Return the cached `result` after unifying its universes and out-parameters with those of `type_`."""
    fn = get_app_fn(type_)
    settled = not type_.has_mvar and not (type(fn) is Const and m.env.classes.get(fn.name))
    if result is None or settled or is_def_eq(m, infer_type(m, result), type_):
        return result
    return None


def _open_out_params(m: Meta, type_: Expr) -> Expr:
    fn, args = get_app(type_)
    if type(fn) is not Const:
        return type_
    out = m.env.classes.get(fn.name, ())
    if not out:
        return type_
    for i in out:
        if i < len(args):
            args[i] = m.new_mvar(infer_type(m, args[i]))
    return mk_apps(fn, args)


def _resolve(m: Meta, goal: Expr, above: _Above) -> Expr | None:
    m.budget.spend("typeclass")
    if len(above) > MAX_INSTANCE_DEPTH:
        return None
    if type(goal) is Pi:
        old = m.lctx
        try:
            fvar = m.push_local(goal.name, goal.type, goal.info)
            inner = _resolve(m, instantiate1(goal.body, fvar), (*above, None))
            return None if inner is None else eta_reduce(m.mk_lambda([fvar], inner))
        finally:
            m.lctx = old
    name = class_of(m, goal)
    if name is None:
        goal = whnf(m, goal)
        name = class_of(m, goal)
        if name is None:
            return None
    elif type(get_app_fn(goal)) is Const and get_app_fn(goal).name != name:  # type: ignore[attr-defined]
        goal = whnf_reducible(m, goal)
    if type(goal) is Pi:
        # an alias such as `DecidableEq α`
        return _resolve(m, goal, (*above, None))
    fn, args = get_app(goal)
    out = m.env.classes.get(name, ())
    this = (fn, m.lctx, [arg for i, arg in enumerate(args) if i not in out])
    if any(_is_same_goal(other, this) for other in above if other is not None):
        # An instance for it would be one for the goal above, without the detour.
        return None
    for candidate in _candidates(m, name, goal):
        mark = m.mctx.mark()
        result = _try(m, goal, candidate, (*above, this))
        if result is not None:
            return result
        m.mctx.rollback(mark)
    return None


def _is_same_goal(a: tuple[Expr, LocalContext, list[Expr]], b: tuple[Expr, LocalContext, list[Expr]]) -> bool:
    """Return whether two goals ask for the same class of the same inputs, with the same local instances."""
    same_class = type(a[0]) is Const and type(b[0]) is Const and a[0].name == b[0].name
    return same_class and a[1] is b[1] and len(a[2]) == len(b[2]) and all(map(operator.is_, a[2], b[2]))


def _candidates(m: Meta, name: str, goal: Expr) -> Iterator[Expr]:
    for decl in reversed(local_instances(m)):
        if class_of(m, decl.type) == name:
            yield decl.fvar
    goal_heads = [_goal_head(m, arg) for arg in get_app_args(goal)]
    for entry in reversed(m.env.instances.get(name, ())):
        if entry.name == "instSizeOfDefault" and _may_have_size(m, goal):
            continue
        if entry.name in m.env.hidden:
            continue
        if _may_fit(_instance_heads(m, entry.name), goal_heads):
            yield m.const(entry.name)
    if m.classical and name == "Decidable":
        # the last resort: `scoped instance (priority := low) propDecidable`
        yield m.const("Classical.propDecidable")


def _may_have_size(m: Meta, goal: Expr) -> bool:
    """Return whether the type in `SizeOf type` is an inductive type of data, or not known yet.

    In Lean each inductive type has an instance of its own, by which its size is not zero.
    """
    type_ = whnf_reducible(m, m.instantiate_mvars(get_app_args(goal)[-1]))
    if has_expr_mvar(type_):
        return True
    fn = get_app_fn(type_)
    return type(fn) is Const and type(m.env.find(fn.name)) is Inductive and not is_prop(m, type_)


# Summary of an argument of a class: in an instance the number of a bound variable, in a goal a metavariable that is
# frozen, or its application; in both the rigid heads, of an equation with its type: `("Eq", "Nat")`.
_Head: TypeAlias = "Expr | int | tuple[str | Expr, ...]"


def _rigid_heads(m: Meta, e: Expr) -> tuple[str | Expr, ...]:
    if type(e) is Pi:
        return ("∀",)
    fn, args = get_app(e)
    if type(fn) is Const and (fn.name in _RIGID or type(m.env.find(fn.name)) is Inductive):
        if fn.name != "Eq" or not args:
            return (fn.name,)
        return (fn.name, args[0]) if _is_frozen(m, args[0]) else (fn.name, *_rigid_heads(m, args[0]))
    return ()


def _is_frozen(m: Meta, e: Expr) -> bool:
    """Return whether `e` is a metavariable that the search cannot assign, or its application: `?i x` stays stuck."""
    fn = get_app_fn(e)
    return type(fn) is MVar and not m.is_assignable(fn) and fn.id not in m.mctx.delayed


def _goal_head(m: Meta, e: Expr) -> _Head:
    return e if _is_frozen(m, e) else _rigid_heads(m, e)


def _instance_heads(m: Meta, name: str) -> Sequence[_Head]:
    """The heads of an instance's class arguments, cached in the environment."""
    key = ("inst_heads", name)
    hit = m.env.memo.get(key)
    if hit is None:
        decl = m.env.find(name)
        assert decl is not None
        type_ = decl.type
        while type(type_) is Pi:
            type_ = type_.body
        fn, args = get_app(type_)
        if type(fn) is not Const or fn.name not in m.env.classes:
            # an alias does not show the arguments of the class; only the common `DecidableEq` is looked through
            known = is_app_of(type_, "DecidableEq", 1)
            hit = (("Eq", *_rigid_heads(m, whnf_reducible(m, args[0]))),) if known else ()
        else:
            hit = tuple([arg.idx if type(arg) is BVar else _rigid_heads(m, arg) for arg in args])
        m.env.memo[key] = hit
    return hit  # type: ignore[return-value]


def _may_fit(instance: Sequence[_Head], goal: Sequence[_Head]) -> bool:
    """Return whether an instance may unify with a goal, judged by their heads."""
    bound: dict[int, MVar] = {}
    for a, b in zip(instance, goal, strict=False):
        if type(b) is not tuple:
            # what is frozen has no rigid head
            if type(a) is tuple and a:
                return False
            # a frozen metavariable equals only itself, and a variable of the instance has one value
            if type(b) is MVar and type(a) is int and bound.setdefault(a, b) is not b:
                return False
        elif type(a) is tuple and any(x != y for x, y in zip(a, b, strict=False)):
            return False
    return True


def _try(m: Meta, goal: Expr, candidate: Expr, above: _Above) -> Expr | None:
    type_ = infer_type(m, candidate)
    subgoals: list[MVar] = []
    term = candidate
    while True:
        if type(type_) is not Pi:
            reduced = whnf_reducible(m, type_)
            if type(reduced) is not Pi:
                break
            type_ = reduced
        mvar = m.new_mvar(type_.type)
        if type_.info == INST:
            subgoals.append(mvar)
        term = mk_app(term, mvar)
        type_ = instantiate1(type_.body, mvar)
    if not is_def_eq(m, type_, goal):
        return None
    for mvar in subgoals:
        if m.mctx.is_assigned(mvar.id):
            continue
        goal_type = _open_out_params(m, m.instantiate_mvars(m.mvar_decl(mvar).type))
        value = _resolve(m, goal_type, above)
        if value is None or not is_def_eq(m, mvar, value):
            return None
    return term
