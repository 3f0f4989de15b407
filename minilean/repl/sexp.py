"""Terms as S-expressions, for the option `printExprAST`.

Source: Pantograph `Pantograph/Delate.lean` (`serializeExpressionSexp`).
"""

from __future__ import annotations

import json

from minilean.kernel.expr import (
    App,
    BVar,
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
)
from minilean.kernel.level import IMax, Level, LMVar, Max, Param, Succ
from minilean.meta.metavars import Meta

_BINDERS = ("", " :i", " :si", " :ii")
"""By `Binding.info`: default, implicit, strict implicit, instance."""


def sexp(m: Meta, e: Expr) -> str:
    """Return the S-expression of an instantiated term."""
    kind = type(e)
    if kind is BVar:
        return str(e.idx)  # type: ignore[attr-defined]
    if kind is FVar:
        return f"(:fv _uniq.{e.id})"  # type: ignore[attr-defined]
    if kind is Sort:
        return f"(:sort {_level(e.level)})"  # type: ignore[attr-defined]
    if kind is Const:
        return f"(:c {_quoted(e.name)})"  # type: ignore[attr-defined]
    if kind is Lit:
        value = e.value  # type: ignore[attr-defined]
        return f"(:lit {value if isinstance(value, int) else json.dumps(value, ensure_ascii=False)})"
    if kind is Lam or kind is Pi:
        word = "lambda" if kind is Lam else "forall"
        head = f":{word} {e.name.rstrip('✝')} {sexp(m, e.type)} {sexp(m, e.body)}"  # type: ignore[attr-defined]
        return f"({head}{_BINDERS[e.info]})"  # type: ignore[attr-defined]
    if kind is Let:
        parts = (sexp(m, e.type), sexp(m, e.value), sexp(m, e.body))  # type: ignore[attr-defined]
        return f"(:let {e.name.rstrip('✝')} {' '.join(parts)})"  # type: ignore[attr-defined]
    if type(e) is Proj:
        return _projection(m, e)
    return _application(m, e)


def _quoted(name: str) -> str:
    return f'"{name}"' if "«" in name else name


def _application(m: Meta, e: Expr) -> str:
    fn, args = get_app(e)
    if type(fn) is MVar:
        delayed = m.mctx.delayed.get(fn.id)
        if delayed is not None and len(args) >= len(delayed[0]):
            return _substitution(m, delayed, args)
        head = f"(:mv _uniq.{fn.id})"
    else:
        head = sexp(m, fn)
    return f"({head} {' '.join(sexp(m, a) for a in args)})" if type(e) is App else head


def _substitution(m: Meta, delayed: tuple[tuple[Expr, ...], int], args: list[Expr]) -> str:
    """Return a goal under binders as `(:subst goal args..)`, with an argument for each variable of its context."""
    fvars, target = delayed
    given = dict(zip((x.id for x in fvars), args, strict=False))  # type: ignore[attr-defined]
    sites = [sexp(m, given.get(d.fvar.id, d.fvar)) for d in m.mctx.decls[target].lctx]
    out = f"(:subst (:mv _uniq.{target}) {' '.join(sites)})"
    tail = [sexp(m, a) for a in args[len(fvars) :]]
    return f"({out} {' '.join(tail)})" if tail else out


def _projection(m: Meta, e: Proj) -> str:
    info = m.env.structures.get(e.struct)
    if info is None:
        return f"(:proj {e.struct} {e.idx} {sexp(m, e.expr)})"
    blanks = " _" * info.num_params
    return f"((:c {e.struct}.{info.fields[e.idx]}){blanks} {sexp(m, e.expr)})"


def _level(level: Level) -> str:
    offset = 0
    while type(level) is Succ:
        level = level.of
        offset += 1
    if type(level) is Param:
        text = level.name
    elif type(level) is Max or type(level) is IMax:
        word = "max" if type(level) is Max else "imax"
        text = f"(:{word} {_level(level.left)} {_level(level.right)})"
    elif type(level) is LMVar:
        text = f"(:mv _uniq.{level.id})"
    else:
        return str(offset)
    return f"(+ {text} {offset})" if offset else text
