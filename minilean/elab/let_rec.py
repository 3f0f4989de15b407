"""`let rec g x : t := v; b` anywhere in a definition `f`: the function `f.g`, which takes the variables it mentions.

In `b` the name `g` is a local variable, which is replaced by `f.g` at these variables.

Source: Lean 4 `src/Lean/Elab/LetRec.lean`, `src/Lean/Elab/MutualDef.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minilean.elab.binders import push_binders
from minilean.elab.recursion.equations import add_equations
from minilean.elab.recursion.recursion import Compiled, compile_recursion
from minilean.elab.recursion.recursive_calls import mentions
from minilean.elab.term import Elab, elaborates
from minilean.kernel.declaration import Definition, TheoremDecl
from minilean.kernel.expr import Const, Expr, FVar, Lam, Sort, mk_apps, mk_const
from minilean.kernel.instantiate import abstract, instantiate1
from minilean.kernel.level import level_params, mk_param
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import ALL, Recursion
from minilean.meta.infer import is_prop
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.syntax import ast


@elaborates(ast.LetRec)
def elab_let_rec(el: Elab, stx: ast.LetRec, expected: Expr | None) -> Expr:
    """`let rec` inside a definition; the outermost ones of a definition are declarations before it."""
    m = el.m
    old = m.lctx
    try:
        type_, call = declared(el, stx.name, stx.binders, stx.type, stx.value, stx.termination)
        x = m.push_local(stx.name, type_, value=call)
        body = el.elab(stx.body, expected)
        if expected is not None:
            body = el.ensure_has_type(body, expected)
        el.synthesize()
        return instantiate1(abstract(m.instantiate_mvars(body), [x]), call)
    finally:
        m.lctx = old


def declared(
    el: Elab,
    name: str,
    written: Sequence[ast.Binder],
    result: ast.Term | None,
    body: ast.Term,
    hints: ast.Termination | None = None,
) -> tuple[Expr, Expr]:
    """Declare the function of a `let rec`.

    Args:
        el: The elaborator; its local context stays as it is.
        name: The name inside the definition.
        written: The binders before the colon.
        result: The type after the colon; without it the value determines it, and it may not depend on the binders.
        body: The value.
        hints: Why it terminates.

    Returns:
        The type of the function and the function: the constant, applied to the local variables that it takes.

    Raises:
        MetaError: The function is refused; `UnsupportedError` where a step of a proof cannot add a declaration.
    """
    m = el.m
    if m.auxiliary_prefix is None or m.auxiliary_prefix == "_example":
        raise UnsupportedError("`let rec` in a declaration without a name, or in a step of a proof")
    old = m.lctx
    try:
        binders = push_binders(el, written)
        if result is None:
            with m.with_lctx(old):
                type_: Expr = m.new_mvar(m.new_sort_mvar())
        else:
            type_ = el.elab_type(result)
        el.synthesize()
        type_ = m.instantiate_mvars(m.mk_pi(binders, type_))
        m.lctx = old
        self_var = m.push_local(name, type_, hidden=True)
        inside = m.lctx
        xs, type_of_body = m.intro_binders(type_, len(binders))
        value = el.elab_ensuring(body, type_of_body)
        el.synthesize()
        value = m.instantiate_mvars(m.mk_lambda(xs, m.instantiate_mvars(value)))
        type_ = m.instantiate_mvars(type_)
        m.lctx = inside.replace_all([*old, replace(inside.get(self_var), type=type_)])
        type_, value = (_without_local_values(m, e) for e in (type_, value))
        return type_, _declared(el, name, self_var, type_, value, len(xs), hints)
    finally:
        m.lctx = old


def _without_local_values(m: Meta, e: Expr) -> Expr:
    """Replace variables of `let` by their values."""
    for decl in reversed(list(m.lctx)):
        if decl.value is not None:
            e = instantiate1(abstract(e, [decl.fvar]), m.instantiate_mvars(decl.value))
    return e


def _declared(
    el: Elab, name: str, self_var: FVar, type_: Expr, value: Expr, arity: int, hints: ast.Termination | None
) -> Expr:
    """Declare the function and return it, applied to the variables that it takes."""
    m = el.m
    env = m.env
    full = f"{m.auxiliary_prefix}.{name}"
    if has_expr_mvar(type_) or has_expr_mvar(value) or type_.has_mvar or value.has_mvar:
        raise UnsupportedError(f"`let rec {name}` whose type or value is not determined where it is written")
    closure = _closure(m, self_var, [type_, value])
    compiled = Compiled(value, value, None)
    recursive = mentions(value, self_var)
    if recursive:
        compiled = compile_recursion(el, full, self_var, value, hints, arity)
    closed_type = m.mk_pi(closure, type_)
    closed_value = m.instantiate_mvars(m.mk_lambda(closure, m.instantiate_mvars(compiled.value)))
    params = _params(el, [closed_type, closed_value])
    call = mk_apps(mk_const(full, tuple(mk_param(param) for param in params)), closure)
    known = env.find(full)
    if known is not None:
        # this term was elaborated before, in an attempt that was given up
        if (
            isinstance(known, Definition | TheoremDecl)
            and known.type is closed_type
            and known.value is closed_value
        ):
            return call
        raise MetaError(f"`{full}` has already been declared")
    if is_prop(m, closed_type):
        env.kernel.add_theorem(full, params, closed_type, closed_value)
        env.theorem_added()
        return call
    env.kernel.add_definition(full, params, closed_type, closed_value)
    env.memo.clear()
    if recursive:
        written = m.mk_lambda(closure, instantiate1(abstract(compiled.written, [self_var]), call))
        count, inner = 0, written
        while type(inner) is Lam:
            count, inner = count + 1, inner.body
        position = None if compiled.position is None else len(closure) + compiled.position
        env.recursions[full] = Recursion(params, written, count, position)
        if position is None:
            env.reducibility[full] = ALL
    with m.with_lctx(m.lctx.replace_all([])):
        add_equations(el, full)
    return call


def _closure(m: Meta, self_var: FVar, terms: Sequence[Expr]) -> list[FVar]:
    """Return the variables that terms mention, and those in the types of these, in the order of the context."""
    needed: set[int] = set()
    todo = list(terms)
    while todo:
        for sub in subterms(todo.pop()):
            if type(sub) is FVar and sub is not self_var and sub.id not in needed:
                needed.add(sub.id)
                decl = m.local(sub)
                if decl.hidden:
                    raise UnsupportedError(
                        f"mutual recursion of `{m.local(self_var).name}` with the definition around it"
                    )
                todo.append(_without_local_values(m, m.instantiate_mvars(decl.type)))
    return [decl.fvar for decl in m.lctx if decl.fvar.id in needed]


def _params(el: Elab, terms: Sequence[Expr]) -> tuple[str, ...]:
    """Return the universe parameters of terms, in the order of their declaration."""
    used: set[str] = set()
    for sub in (sub for term in terms for sub in subterms(term)):
        for level in sub.levels if type(sub) is Const else (sub.level,) if type(sub) is Sort else ():
            level_params(level, used)
    known = [name for name in dict.fromkeys((*el.scope.levels, *el.level_names)) if name in used]
    return (*known, *sorted(used.difference(known)))
