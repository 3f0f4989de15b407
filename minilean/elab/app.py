"""Applications and what stands at their head: identifiers, `@f`, `e.x`, `.x`.

Source: Lean 4 `src/Lean/Elab/App.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import replace as replace_fields

from minilean.elab.argument_list import Arguments, Given
from minilean.elab.arguments import apply_args
from minilean.elab.display import show
from minilean.elab.fields import elab_field
from minilean.elab.identifiers import own_function, resolve_ident
from minilean.elab.missing_names import unknown
from minilean.elab.names import Scope, overloads
from minilean.elab.overloads import elab_overloaded
from minilean.elab.term import Elab, elaborates
from minilean.kernel.expr import Const, Expr, MVar, Pi, get_app_fn
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.whnf import unfold_definition, whnf_core
from minilean.syntax import ast


@elaborates(ast.App)
def elab_app(el: Elab, stx: ast.App, expected: Expr | None) -> Expr:
    """`f a b (n := c)`."""
    arguments = Arguments()
    for arg in stx.args:
        if isinstance(arg, ast.NamedArg):
            if arg.name in arguments.named:
                raise MetaError(f"Argument `{arg.name}` was already set")
            arguments.named[arg.name] = Given(stx=arg.value)
        else:
            arguments.positional.append(Given(stx=arg))
    arguments.ellipsis = stx.ellipsis
    return elab_head(el, stx.fn, arguments, expected)


@elaborates(ast.Ident, ast.Explicit, ast.Proj, ast.DotIdent)
def elab_atom(el: Elab, stx: ast.Term, expected: Expr | None) -> Expr:
    """An identifier, `@f`, `e.x` or `.x` without arguments."""
    return elab_head(el, stx, Arguments(), expected)


def elab_head(el: Elab, fn: ast.Term, arguments: Arguments, expected: Expr | None) -> Expr:
    """Elaborate the function part and apply it."""
    while isinstance(fn, ast.Paren) and isinstance(fn.term, (ast.Explicit, ast.Ident)):
        fn = fn.term
    if isinstance(fn, ast.Explicit):
        arguments.explicit = True
        fn = fn.term
    if isinstance(fn, ast.Ident):
        if found := overloads(el.m, el.scope, fn):

            def with_meaning(choice: ast.Ident) -> Expr:
                named = dict(arguments.named)
                return elab_head(el, choice, replace_fields(arguments, named=named), expected)

            return elab_overloaded(el, fn, found, with_meaning, expected)
        head, fields = resolve_ident(el, fn)
    elif isinstance(fn, ast.Proj):
        names: list[str | int] = []
        inner: ast.Term = fn
        while isinstance(inner, ast.Proj):
            names.append(inner.field)
            inner = inner.term
        head = el.elab(inner, None)
        fields = tuple(reversed(names))
        if isinstance(inner, ast.Ident):
            # `h.left.1` arrives as a projection of an identifier
            head, more = resolve_ident(el, inner)
            fields = (*more, *fields)
    elif isinstance(fn, ast.DotIdent):
        return _elab_dot_ident(el, fn, arguments, expected)
    elif isinstance(fn, ast.App):
        head, fields = el.elab(fn, None), ()
    else:
        head, fields = el.elab(fn, None), ()
    for i, name in enumerate(fields):
        last = i == len(fields) - 1
        given = arguments if last else Arguments()
        head = elab_field(el, head, name, given, expected if last else None)
    if fields:
        return head
    return apply_args(el, head, arguments, expected)


def _elab_dot_ident(el: Elab, fn: ast.DotIdent, arguments: Arguments, expected: Expr | None) -> Expr:
    m = el.m
    if expected is None:
        el.postpone_or_fail()
        raise MetaError(f"invalid dotted identifier notation, expected type must be known: `.{fn.name}`")
    type_ = m.instantiate_mvars(expected)
    while type(whnf_core(m, type_)) is Pi:
        type_ = whnf_core(m, type_).body  # type: ignore[attr-defined]
    head = get_app_fn(type_)
    if type(head) is MVar:
        el.postpone_or_fail()
    while True:
        if type(head) is Const:
            full = f"{head.name}.{fn.name}"
            own = own_function(m, full)
            if own is not None or m.env.find(full) is not None:
                return apply_args(el, m.const(full) if own is None else own, arguments, expected)
        unfolded = None if type_.loose else unfold_definition(m, whnf_core(m, type_))
        if unfolded is None:
            if type(head) is Const:
                raise unknown(m.env, Scope(), full, f"Unknown constant `{full}`")
            if type(head) is MVar:
                raise MetaError(
                    f"Invalid dotted identifier notation: The expected type of `.{fn.name}` could not be determined"
                )
            raise MetaError(
                f"Invalid dotted identifier notation: The expected type of `.{fn.name}`\n  {show(m, expected, 2)}\n"
                "is not of the form `C ...` or `... → C ...` where C is a constant"
            )
        type_ = unfolded
        head = get_app_fn(type_)


@elaborates(ast.Sorry)
def elab_refused(el: Elab, stx: ast.Term, expected: Expr | None) -> Expr:
    """`sorry` proves nothing and is refused."""
    raise UnsupportedError("`sorry` is refused: it proves nothing")
