"""Computability check: a definition that Lean's compiler refuses needs `noncomputable`.

Nothing is compiled here. Types and proofs have no code and are skipped. The rest may use no axiom, no definition marked
`noncomputable` and no course-of-values recursion; recursors have code.

Source: Lean 4 `src/Lean/Compiler/LCNF/ToLCNF.lean` (`checkComputable`, 4.34).
"""

from __future__ import annotations

from minilean.elab.display import show
from minilean.kernel.declaration import Axiom
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import App, Const, Expr, Lam, Let, Pi, Proj, Sort, get_app
from minilean.kernel.instantiate import instantiate1
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type, is_proof
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf


def check_code(m: Meta, value: Expr) -> None:
    """Refuse a definition whose value has no code.

    Raises:
        MetaError: Lean's message.
    """
    old = m.lctx
    try:
        _visit(m, value, set())
    finally:
        m.lctx = old


def _visit(m: Meta, e: Expr, seen: set[Expr]) -> None:
    if e in seen or not isinstance(e, Const | App | Lam | Let | Proj) or _has_no_code(m, e):
        return
    seen.add(e)
    if isinstance(e, Lam | Let):
        if isinstance(e, Let):
            _visit(m, e.value, seen)
        value = e.value if isinstance(e, Let) else None
        outer = m.lctx
        x = m.push_local(e.name, e.type, value=value)
        _visit(m, instantiate1(e.body, x), seen)
        m.lctx = outer
        return
    if isinstance(e, Proj):
        _visit(m, e.expr, seen)
        return
    fn, args = get_app(e)
    if isinstance(fn, Const):
        _check_constant(m, fn)
    else:
        _visit(m, fn, seen)
    for arg in args:
        _visit(m, arg, seen)


def _has_no_code(m: Meta, e: Expr) -> bool:
    """Return whether `e` is a proof, a type or a function to types."""
    try:
        if is_proof(m, e):
            return True
        type_ = whnf(m, infer_type(m, e))
        while type(type_) is Pi:
            type_ = type_.body
        return type(type_) is Sort
    except (MetaError, KernelError):
        return False


def _check_constant(m: Meta, fn: Const) -> None:
    if fn.name in m.env.uncompiled or fn.name.endswith((".brecOn", ".binductionOn")):
        raise MetaError(
            "failed to compile definition, consider marking it as 'noncomputable' because it depends on "
            f"'{show(m, fn).lstrip('@')}', which is 'noncomputable'"
        )
    decl = m.env.find(fn.name)
    if isinstance(decl, Axiom):
        raise MetaError(
            f"`{fn.name}` not supported by code generator; consider marking definition as `noncomputable`"
        )
