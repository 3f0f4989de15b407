"""Implicit lambdas: leading implicit binders of an expected type are introduced without being written.

Source: Lean 4 `src/Lean/Elab/Term/TermElabM.lean`, `useImplicitLambda` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.kernel.expr import IMPLICIT, INST, Expr, Pi
from minilean.kernel.instantiate import instantiate1
from minilean.meta.metavars import Meta
from minilean.meta.whnf import whnf_core
from minilean.syntax import ast

# `⦃x⦄` is not introduced
_AUTO_BOUND = (IMPLICIT, INST)


def implicit_lambda(
    m: Meta, stx: ast.Term, expected: Expr, elab_ensuring: Callable[[ast.Term, Expr], Expr]
) -> Expr | None:
    """Introduce leading implicit binders of the expected type unless `stx` writes them itself.

    Args:
        m: The local context in which `stx` is elaborated.
        stx: The term.
        expected: The type of the term.
        elab_ensuring: Elaborates `stx` at the type that remains.

    Returns:
        The function of the implicit binders, or `None` where there is nothing to introduce.
    """
    pi = whnf_core(m, expected)
    if type(pi) is not Pi or pi.info not in _AUTO_BOUND or _writes_implicit(stx):
        return None
    old = m.lctx
    try:
        fvars = []
        while type(pi) is Pi and pi.info in _AUTO_BOUND:
            name = pi.name if pi.info == INST else pi.name + "✝"
            fvars.append(m.push_local(name, pi.type, pi.info))
            pi = whnf_core(m, instantiate1(pi.body, fvars[-1]))
        body = elab_ensuring(stx, pi)
        return m.mk_lambda(fvars, body)
    finally:
        m.lctx = old


def _writes_implicit(stx: ast.Term) -> bool:
    """Return whether `stx` handles implicit binders of its type itself.

    Source: Lean 4 `src/Lean/Elab/Term/TermElabM.lean`, `blockImplicitLambda` (4.34).
    """
    while type(stx) is ast.Paren:
        stx = stx.term
    if type(stx) is ast.Fun:
        return any(b.kind != "default" for b in stx.binders)
    if type(stx) is ast.FunMatch:
        return stx.explicit
    head = stx.fn if type(stx) is ast.App else stx
    return type(head) is ast.Explicit or type(stx) in (ast.Hole, ast.NamedHole, ast.By, ast.Ascription)
