"""Facts about applications of a constant that its type alone gives, cached in the environment.

Source: Lean 4 `src/Lean/Meta/FunInfo.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.expr import DEFAULT, Const, Expr, FVar, Lam, MVar, Pi, Proj, Sort, get_app_fn
from minilean.kernel.level import is_never_zero, simplify
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta


def maybe_proof(m: Meta, e: Expr) -> bool:
    """Return whether `e` can be a proof, judged by its head."""
    head = get_app_fn(e)
    kind = type(head)
    if kind is Const:
        return not const_never_proof(m, head.name)  # type: ignore[attr-defined]
    return kind is FVar or kind is MVar or kind is Proj or kind is Lam


def const_never_proof(m: Meta, name: str) -> bool:
    """Return whether no application of this constant can be a proof, judged by its type alone."""
    memo = m.env.memo
    key = ("never_proof", name)
    hit = memo.get(key)
    if hit is None:
        decl = m.env.find(name)
        hit = False
        if decl is not None:
            with m.with_lctx(m.lctx):
                try:
                    _, codomain = m.intro_binders(decl.type)
                    sort = m.whnf(infer_type(m, codomain))
                    hit = type(sort) is Sort and is_never_zero(simplify(sort.level))
                except MetaError:
                    hit = False
            memo[key] = hit
    return bool(hit)


def binder_infos(m: Meta, fn: Expr, count: int) -> Sequence[int]:
    """The binder kinds of the first `count` parameters of `fn` (DEFAULT where the type does not show them)."""
    if type(fn) is Const:
        key = ("infos", fn.name)
        hit = m.env.memo.get(key)
        if hit is None:
            decl = m.env.find(fn.name)
            hit = () if decl is None else m.env.memo.setdefault(key, _pi_infos(decl.type))
        infos: tuple[int, ...] = hit  # type: ignore[assignment]
    elif type(fn) is FVar:
        infos = _pi_infos(m.local(fn).type)
    else:
        infos = ()
    return infos if len(infos) >= count else (*infos, *([DEFAULT] * (count - len(infos))))


def _pi_infos(type_: Expr) -> tuple[int, ...]:
    infos = []
    while type(type_) is Pi:
        infos.append(type_.info)
        type_ = type_.body
    return tuple(infos)
