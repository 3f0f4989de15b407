"""Type check of terms with metavariables, where a tactic may build one that is not type correct.

Source: Lean 4 `src/Lean/Meta/Check.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import App, Expr, Lam, Let, Pi, Proj
from minilean.kernel.instantiate import instantiate, instantiate1
from minilean.meta.context import LocalContext
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf


class IllTyped(Exception):
    """An application whose argument has the wrong type.

    Attributes:
        fn: The function.
        arg: Its argument.
        arg_type: The type of the argument.
        expected: The type that the function expects.
        lctx: The local context of these terms.
    """

    def __init__(self, fn: Expr, arg: Expr, arg_type: Expr, expected: Expr, lctx: LocalContext) -> None:
        super().__init__("application type mismatch")
        self.fn, self.arg, self.arg_type, self.expected = fn, arg, arg_type, expected
        self.lctx = lctx


def check(m: Meta, e: Expr) -> None:
    """Raise `IllTyped` for the first application in `e` that does not type check."""
    _check(m, e, set())


def _check(m: Meta, t: Expr, seen: set[Expr]) -> None:
    kind = type(t)
    if kind not in (App, Lam, Pi, Let, Proj) or t in seen:
        return
    seen.add(t)
    if kind is App:
        _check(m, t.fn, seen)  # type: ignore[attr-defined]
        _check(m, t.arg, seen)  # type: ignore[attr-defined]
        fn_type = whnf(m, m.instantiate_mvars(infer_type(m, t.fn)))  # type: ignore[attr-defined]
        arg_type = infer_type(m, t.arg)  # type: ignore[attr-defined]
        if type(fn_type) is not Pi or not m.is_def_eq(fn_type.type, arg_type):
            expected = fn_type.type if type(fn_type) is Pi else fn_type
            raise IllTyped(t.fn, t.arg, arg_type, expected, m.lctx)  # type: ignore[attr-defined]
    elif kind is Let:
        _check(m, instantiate1(t.body, t.value), seen)  # type: ignore[attr-defined]
    elif kind is Proj:
        _check(m, t.expr, seen)  # type: ignore[attr-defined]
    else:
        old = m.lctx
        try:
            fvars: list[Expr] = []
            while type(t) in (Lam, Pi):
                domain = instantiate(t.type, fvars)  # type: ignore[attr-defined]
                _check(m, domain, seen)
                sort_level(m, domain)
                fvars.append(m.push_local(t.name, domain))  # type: ignore[attr-defined]
                t = t.body  # type: ignore[attr-defined]
            _check(m, instantiate(t, fvars), seen)
        finally:
            m.lctx = old
