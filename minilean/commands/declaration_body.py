"""Body of a declaration: its value, which may call the declaration itself and others of its `mutual` block.

Source: Lean 4 `src/Lean/Elab/MutualDef.lean` (elabFunValues) (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minilean.commands.declaration_header import Header, Task, check_binder_types, fix_levels
from minilean.commands.local_functions import push_local_functions, without_local_functions
from minilean.elab.default_arguments import marked_type
from minilean.elab.display import inline, show
from minilean.elab.holes import check_no_holes
from minilean.elab.recursion.call_places import NotDecreasing, place_of
from minilean.elab.recursion.recursion import compile_recursion
from minilean.elab.recursion.recursive_calls import mentions
from minilean.kernel.expr import Expr, FVar, Pi, get_app_args, is_app_of
from minilean.kernel.instantiate import beta_apply, instantiate1
from minilean.meta.errors import MetaError, together
from minilean.meta.extension import ALL
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast


@dataclass(frozen=True, slots=True)
class Functions:
    """Local variables for the functions that are being declared, which a body may call.

    Attributes:
        own: The declaration itself; `None` if it may not call itself.
        result: The unknown type after the parameters, if the body determines it.
        group: The functions of the `mutual` block.
    """

    own: FVar | None = None
    result: Expr | None = None
    group: Sequence[FVar] = ()


@dataclass(frozen=True, slots=True)
class Body:
    """Elaborated value, in the context of section variables and parameters.

    Attributes:
        type: The type after the parameters.
        value: The value after the parameters; `None` for a declaration without a body.
        written: For a recursive function, the function as it was written.
        position: The argument that gets smaller structurally; `None` for well-founded recursion.
    """

    type: Expr
    value: Expr | None = None
    written: Expr | None = None
    position: int | None = None


def push_functions(task: Task, header: Header) -> Functions:
    """Add the functions that are being declared to the context."""
    decl, m, type_ = task.decl, header.el.m, header.type
    if type_ is None:
        if not task.full or decl.kind not in ("def", "abbrev"):
            return Functions()
        # the body determines the type, which may not depend on the arguments
        with m.with_lctx(m.lctx.without({x.id for x in header.binders})):
            result = m.new_mvar(m.new_sort_mvar())
        self_type = m.mk_pi(header.binders, result)
        return Functions(m.push_local(task.full, self_type, hidden=True), result)
    if task.group is not None:
        types = [(name, instantiate_pis(of, header.variables)) for name, of in task.group.items()]
        return Functions(group=[m.push_local(name, of, hidden=True) for name, of in types])
    if task.is_called and decl.value is not None:
        self_type = marked_type(m, header.binders, type_, header.defaults, task.full, task.state.source)
        return Functions(m.push_local(task.full, self_type, hidden=True))
    return Functions()


def elab_body(task: Task, header: Header, functions: Functions) -> Body:
    """Elaborate the value, if there is one, and compile its recursion."""
    decl, el = task.decl, header.el
    if decl.value is None:
        assert header.type is not None
        return Body(header.type)
    m = el.m
    stx = decl.value if isinstance(decl.value, ast.Term) else ast.FunMatch(decl.value, explicit=True)
    pushed = push_local_functions(el, task.local)
    if header.type is None:
        value, type_ = _value_and_type(task, header, functions, stx)
    else:
        value, type_ = _value(task, header, stx, header.type), header.type
    value = without_local_functions(el, check_no_holes(el, value), pushed)
    if decl.kind != "instance" and functions.own is not None:
        fix_levels(el, header.fvars, type_)
    if functions.result is not None and has_expr_mvar(m.instantiate_mvars(type_)):
        raise MetaError(f"Failed to infer type of definition `{decl.name}`")
    check_binder_types(m, header.binders)
    if functions.own is None or not mentions(value, functions.own):
        return Body(type_, value)
    written = m.mk_lambda(header.binders, value)
    try:
        compiled = compile_recursion(
            el, task.full, functions.own, written, decl.termination, len(header.binders)
        )
    except NotDecreasing as error:
        error.position = place_of(error, decl.value, task.full)
        raise
    return Body(type_, beta_apply(compiled.value, header.binders), compiled.written, compiled.position)


def _value_and_type(task: Task, header: Header, functions: Functions, stx: ast.Term) -> tuple[Expr, Expr]:
    """Elaborate a value that determines the type of the declaration."""
    el = header.el
    m = el.m
    value = el.elab_closed(stx)
    type_ = m.instantiate_mvars(infer_type(m, value))
    recursive = functions.own is not None and mentions(value, functions.own)
    if recursive and functions.result is not None and not is_def_eq(m, functions.result, type_):
        raise MetaError(f"`{task.full}` is recursive: its type must be given")
    return value, type_


def _value(task: Task, header: Header, stx: ast.Term, type_: Expr) -> Expr:
    try:
        return header.el.elab_closed(stx, type_)
    except MetaError as error:
        by_rfl = task.decl.kind == "theorem" and isinstance(stx, ast.Ident) and stx.name == "rfl"
        refuted = _not_definitional(header.el.m, type_) if by_rfl else None
        raise error if refuted is None else together([error, refuted]) from None


def _not_definitional(m: Meta, type_: Expr) -> MetaError | None:
    """Return Lean's second error for a theorem `:= rfl` that does not hold by definition.

    Source: Lean 4 `src/Lean/DefEqAttrib.lean`, validateDefEqAttr (4.35).
    """
    with m.with_lctx(m.lctx), m.with_transparency(ALL):
        _, body = m.intro_binders(type_)
        body = whnf(m, body)
        if not is_app_of(body, "Eq", 3):
            what = inline(m, body)
            return MetaError(
                f"Not a definitional equality: the conclusion should be an equality, but is{what}"
            )
        _, left, right = get_app_args(body)
        if is_def_eq(m, left, right):
            return None
        return MetaError(
            f"Not a definitional equality: the left-hand side\n  {show(m, left, 2)}\n"
            f"is not definitionally equal to the right-hand side\n  {show(m, right, 2)}"
        )


def instantiate_pis(type_: Expr, values: Sequence[Expr]) -> Expr:
    """Return the type of a function of type `type_` applied to the values."""
    for value in values:
        assert type(type_) is Pi
        type_ = instantiate1(type_.body, value)
    return type_
