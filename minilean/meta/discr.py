"""Fast test that a pattern cannot unify with a term, without running the unifier.

A simp set holds hundreds of rules, and all but a few of those with the right head fail on a given term. `apart`
compares symbols, as Lean's discrimination trees do, but claims only that `is_def_eq` fails at `reducible`
transparency: symbols that could unfold, compute, be eta-expanded, or be equal as proofs decide nothing.
"""

from __future__ import annotations

from minilean.kernel.declaration import Constructor, Definition, Inductive, Recursor
from minilean.kernel.expr import (
    INST,
    BVar,
    Const,
    Expr,
    FVar,
    Lit,
    Pi,
    Sort,
    get_app,
    get_app_fn,
)
from minilean.meta.eta import mentions_bound
from minilean.meta.extension import REDUCIBLE
from minilean.meta.fun_info import binder_infos, const_never_proof
from minilean.meta.metavars import Meta

_OPERATIONS = frozenset(["Nat.succ", "HAdd.hAdd", "HMul.hMul", "HSub.hSub"])
# The unifier treats these as arithmetic: two such terms may be equal though their heads differ.
_ARITHMETIC = _OPERATIONS | {"Nat.zero", "OfNat.ofNat"}
# Computed on literals at every transparency.
_COMPUTED = frozenset(f"Nat.{name}" for name in ("add", "sub", "mul", "pow", "beq", "ble"))
_PLAIN = -1
_MOVABLE = -2
_STRUCTURE = -3


def apart(m: Meta, pattern: Expr, e: Expr, depth: int = 0) -> bool:
    """Return whether no instance of `pattern` unifies with `e` at `reducible` transparency.

    Args:
        m: The context of both terms.
        pattern: A term whose loose bound variables from `depth` on match any term.
        e: A term below the same `depth` binders. Only heads may be assigned metavariables.
        depth: Number of binders, of equal types, that both are below.

    Returns:
        True if unification is sure to fail, or if the pattern has the constructor of a structure where `e` has a
        rigid term: these can be equal by eta only, which Lean's index of rules does not use. False decides nothing.
    """
    fn, args = get_app(pattern)
    kind = type(fn)
    if kind is BVar and fn.idx >= depth:  # type: ignore[attr-defined]
        return False
    e_fn, e_args = get_app(e)
    e_kind = type(e_fn)
    if kind is Pi:
        if e_kind is Pi:
            if depth == 0 and _leaks(m, fn, e_fn):  # type: ignore[arg-type]
                return True
            return apart(m, fn.type, e_fn.type, depth) or apart(m, fn.body, e_fn.body, depth + 1)  # type: ignore[attr-defined]
        plain = e_kind is Const and _rigidity(m, e_fn.name) == _PLAIN  # type: ignore[attr-defined]
        return plain or e_kind is Sort or _is_variable(m, e_fn)
    if kind is Const:
        return _apart_from_constant(m, fn, args, e_fn, e_args, depth)  # type: ignore[arg-type]
    if kind is Lit and e_kind is Lit:
        return type(fn.value) is type(e_fn.value) and fn.value != e_fn.value  # type: ignore[attr-defined]
    if e_kind is Const and e_fn.name not in _ARITHMETIC and _rigidity(m, e_fn.name) == _PLAIN:  # type: ignore[attr-defined]
        return kind is Lit or kind is Sort or _is_variable(m, fn)
    return False


def _apart_from_constant(
    m: Meta, fn: Const, args: list[Expr], e_fn: Expr, e_args: list[Expr], depth: int
) -> bool:
    rigidity = _rigidity(m, fn.name)
    if rigidity == _MOVABLE:
        return False
    if type(e_fn) is not Const:
        # eta for functions aside, only a constant of the same name can be equal
        if rigidity == _STRUCTURE:
            return _is_variable(m, e_fn)
        if not (rigidity == _PLAIN or _has_many(m, args, rigidity)):
            return False
        if type(e_fn) is Lit:
            return fn.name not in _ARITHMETIC
        return type(e_fn) in (Pi, Sort) or _is_variable(m, e_fn)
    if fn.name != e_fn.name:
        if fn.name in _ARITHMETIC and e_fn.name in _ARITHMETIC:
            return False
        if rigidity == _STRUCTURE:
            return _rigidity(m, e_fn.name) == _PLAIN
        return _rigidity(m, e_fn.name) not in (_MOVABLE, _STRUCTURE) and (
            rigidity == _PLAIN or _has_many(m, args, rigidity)
        )
    if rigidity >= 0 and not _has_many(m, e_args, rigidity):
        return False
    if len(args) != len(e_args):
        return True
    if fn.name in _OPERATIONS and _is_closed(e_args):
        return False
    if fn.name in ("Nat.succ", "HAdd.hAdd") and _may_be_offset(args) and _may_be_offset(e_args):
        return False
    infos = binder_infos(m, fn, len(args))
    for info, arg, e_arg in zip(infos, args, e_args, strict=False):
        if info != INST and apart(m, arg, e_arg, depth):
            return True
    return False


def _leaks(m: Meta, pattern: Pi, e: Pi) -> bool:
    """Return whether `pattern` is `α → b` for any `α` and `b`, but the body of `e` depends on its variable."""
    domain, body = pattern.type, pattern.body
    if type(domain) is not BVar or type(body) is not BVar or body.idx in (0, domain.idx + 1):
        return False
    fn = get_app_fn(e.body)
    rigid = type(fn) is Pi or (type(fn) is Const and _rigidity(m, fn.name) == _PLAIN)
    return rigid and mentions_bound(e.body, 1)


def _is_variable(m: Meta, e: Expr) -> bool:
    """Return whether `e` is a variable without a value."""
    if type(e) is BVar:
        return True
    if type(e) is not FVar:
        return False
    decl = m.lctx.decls.get(e.id)
    return decl is not None and decl.value is None


def _may_be_offset(args: list[Expr]) -> bool:
    """Return whether these may be the arguments of `t + k` or `succ t` for a number `k`."""
    fn = get_app_fn(args[-1])
    return len(args) == 1 or type(fn) in (Lit, BVar) or (type(fn) is Const and fn.name in _ARITHMETIC)


def _is_closed(args: list[Expr]) -> bool:
    """Return whether these arguments have no variables, so that arithmetic on them may compute."""
    return not any([arg.has_fvar or arg.loose for arg in args])


def _has_many(m: Meta, args: list[Expr], position: int) -> bool:
    """Return whether the type argument at `position` is an inductive type that is not a unit type."""
    if position >= len(args):
        return False
    fn = get_app_fn(args[position])
    return type(fn) is Const and type(m.env.find(fn.name)) is Inductive and not _is_unit(m, fn.name)


def _is_unit(m: Meta, name: str) -> bool:
    decl = m.env.find(name)
    if not isinstance(decl, Inductive) or not decl.is_structure_like:
        return False
    ctor = m.env.find(decl.constructors[0])
    return not isinstance(ctor, Constructor) or not ctor.num_fields


def _rigidity(m: Meta, name: str) -> int:
    """Classify whether applications of a constant equal only applications of the same constant to equal arguments.

    Returns:
        `_PLAIN` for yes; a position if this depends on the type that is the argument there; `_STRUCTURE` for the
        constructor of a structure, which is equal by eta to other terms as well; `_MOVABLE` for no.
    """
    table = m.env.memo.get("rigidity")
    if table is None:
        table = m.env.memo["rigidity"] = {}
    assert isinstance(table, dict)
    known = table.get(name)
    if known is None:
        known = table[name] = _find_rigidity(m, name)
    return int(known)


def _find_rigidity(m: Meta, name: str) -> int:
    env = m.env
    decl = env.find(name)
    projection = env.projections.get(name)
    if decl is None or name in _COMPUTED or name.startswith("Quot.") or type(decl) is Recursor:
        return _MOVABLE
    if name in env.matchers or (projection is not None and not projection.is_class):
        return _MOVABLE
    if projection is None and type(decl) is Definition and env.reducibility.get(name, 3) <= REDUCIBLE:
        return _MOVABLE
    type_ = decl.type
    binders = 0
    while type(type_) is Pi:
        type_ = type_.body
        binders += 1
    fn = get_app_fn(type_)
    if type(fn) is Const and (type(env.find(fn.name)) is not Inductive or _is_unit(m, fn.name)):
        return _MOVABLE
    if type(fn) not in (Const, Sort, BVar) or not const_never_proof(m, name):
        return _MOVABLE
    if type(decl) is Constructor and decl.inductive in env.structures:
        return _STRUCTURE
    return binders - 1 - fn.idx if type(fn) is BVar else _PLAIN
