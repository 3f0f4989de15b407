"""Header and body of a declaration as terms, before the kernel sees them.

Source: Lean 4 `src/Lean/Elab/Declaration.lean`, `MutualDef.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from minilean.commands.command_state import CommandState
from minilean.commands.local_functions import LocalFunction, push_local_functions, without_local_functions
from minilean.commands.section_variables import bind_unknown_types, tell_unused, used_variables
from minilean.commands.universes import check_used, generalize_all, header_levels
from minilean.elab.binders import push_binders
from minilean.elab.default_arguments import elab_defaults, marked_type, values_of
from minilean.elab.display import inline, show
from minilean.elab.holes import check_no_holes, hole_error, open_holes
from minilean.elab.pending import AutoBoundError
from minilean.elab.recursion.call_places import NotDecreasing, place_of
from minilean.elab.recursion.recursion import compile_recursion
from minilean.elab.recursion.recursive_calls import mentions
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr, FVar, Lam, Pi, get_app_args, is_app_of, mk_apps, mk_const
from minilean.kernel.instantiate import beta_apply, instantiate1
from minilean.kernel.level import mk_param
from minilean.meta.errors import MetaError, together
from minilean.meta.extension import ALL, LeanEnv, Recursion
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast


@dataclass(frozen=True, slots=True)
class Elaborated:
    """Declaration for the kernel: `type` and `value` are closed; `written` is a recursive body before compilation."""

    level_params: tuple[str, ...]
    type: Expr
    value: Expr | None
    num_binders: int
    written: Recursion | None
    variables: tuple[str, ...] = ()
    """Names of the section variables that it takes."""


def elaborate(
    state: CommandState,
    decl: ast.Decl,
    full: str = "",
    local: Sequence[LocalFunction] = (),
    group: Mapping[str, Expr] | None = None,
) -> Elaborated:
    """Elaborate header and body.

    Args:
        state: The state, which is not changed.
        decl: The declaration; a bare statement has no value.
        full: The name by which the body may call itself.
        local: The functions inside it.
        group: For a member of a `mutual` block, the types of its functions by name. Type and value then abstract over
            all section variables, the value next over the functions; the types in `group` abstract over them too.
    """
    auto: tuple[ast.Binder, ...] = ()
    while True:
        el = state.elaborator(decl.level_params, auto_bound=not state.trusted)
        if state.report is not None or state.trusted or decl.value is not None:
            # auxiliary declarations for compiled terms; a bare statement must not add any
            el.m.auxiliary_prefix = full or state.full_name(decl.name) or "_example"
        el.scope = el.m.scope = state.scope_of(decl)
        el.unbound = []
        try:
            variables = push_binders(el, state.scope.variables)
            defaults = elab_defaults(el, state.scope.variables, variables)
            binders = push_binders(el, auto + decl.binders)
            if auto:
                el.synthesize()  # no more will be known of a variable that is bound by itself
            defaults.update(elab_defaults(el, auto + decl.binders, binders))
            if decl.type is None:
                type_: Expr | None = None
            else:
                type_ = el.elab_type(decl.type)
                el.synthesize()
            if not el.unbound:
                break
            raise together(el.unbound)
        except AutoBoundError as error:
            if len(auto) > 30:
                raise
            auto = (*auto, ast.Binder((error.name,), None, "implicit"))
        except MetaError as error:
            raise (together(el.unbound) if el.unbound else error) from None
    m = el.m
    el.auto_bound = False
    if not full or decl.kind == "example":
        defaults = {}  # a declaration without a name is never called
    binders = [*bind_unknown_types(el, binders[: len(auto)]), *binders]
    self_var: FVar | None = None
    functions: list[FVar] = []
    if type_ is not None:
        _check_binder_types(m, binders, _header_note(decl.kind))
        check_no_holes(el, m.mk_pi([*variables, *binders], type_))
        if decl.value is not None and decl.kind in ("theorem", "lemma") and group is None:
            used = used_variables(state, m, variables, binders, [type_], theorem=True)
            m.lctx = m.lctx.without({x.id for x in variables if x not in used})
            m.matcher_word = "match_1"  # Lean elaborates a proof beside the file, with a numbering of its own
        if _fixes_levels_early(m, decl, m.mk_pi(binders, type_)) or (group and decl.kind != "instance"):
            _fix_levels(el, [*variables, *binders], type_)
        if group is not None:
            own_types = [(name, instantiate_pis(function, variables)) for name, function in group.items()]
            functions = [m.push_local(name, function, hidden=True) for name, function in own_types]
        elif full and decl.kind != "example" and decl.value is not None:
            self_type = marked_type(m, binders, type_, defaults, full, state.source)
            self_var = m.push_local(full, self_type, hidden=True)
    result: Expr | None = None
    if type_ is None and full and decl.kind in ("def", "abbrev"):
        # the body determines the type, which may not depend on the arguments
        with m.with_lctx(m.lctx.without({x.id for x in binders})):
            result = m.new_mvar(m.new_sort_mvar())
        self_var = m.push_local(full, m.mk_pi(binders, result), hidden=True)
    value: Expr | None = None
    written: Expr | None = None
    position: int | None = None
    if decl.value is not None:
        stx = decl.value if isinstance(decl.value, ast.Term) else ast.FunMatch(decl.value, explicit=True)
        pushed = push_local_functions(el, local)
        if type_ is None:
            value = el.elab_closed(stx)
            type_ = m.instantiate_mvars(infer_type(m, value))
            recursive = self_var is not None and mentions(value, self_var)
            if recursive and result is not None and not is_def_eq(m, result, type_):
                raise MetaError(f"`{full}` is recursive: its type must be given")
        else:
            try:
                value = el.elab_closed(stx, type_)
            except MetaError as error:
                by_rfl = decl.kind == "theorem" and isinstance(stx, ast.Ident) and stx.name == "rfl"
                refuted = _not_definitional(m, type_) if by_rfl else None
                raise error if refuted is None else together([error, refuted]) from None
        value = without_local_functions(el, check_no_holes(el, value), pushed)
        if decl.kind != "instance" and self_var is not None:
            _fix_levels(el, [*variables, *binders], type_)
        if result is not None and has_expr_mvar(m.instantiate_mvars(type_)):
            raise MetaError(f"Failed to infer type of definition `{decl.name}`")
        _check_binder_types(m, binders)
        if self_var is not None and mentions(value, self_var):
            written = m.mk_lambda(binders, value)
            try:
                compiled = compile_recursion(el, full, self_var, written, decl.termination, len(binders))
            except NotDecreasing as error:
                error.position = place_of(error, decl.value, full)
                raise
            written, position = compiled.written, compiled.position
            value = beta_apply(compiled.value, binders)
    if holes := open_holes(el):
        raise hole_error(el, holes)
    assert type_ is not None
    type_ = m.instantiate_mvars(type_)
    if group is not None:
        used = variables
    elif decl.kind not in ("theorem", "lemma") or decl.value is None:
        theorem = decl.kind in ("theorem", "lemma")
        shown = [type_] if theorem or decl.kind == "axiom" or value is None else [type_, value]
        shown += values_of(defaults)
        used = used_variables(state, m, variables, binders, shown, theorem=theorem)
    if decl.kind in ("theorem", "lemma") and value is not None and group is None:
        tell_unused(state, m, decl, used, binders, [type_, value])
    fvars = [*used, *binders]
    _check_binder_types(m, used)
    closed_type = marked_type(m, fvars, type_, defaults, full, state.source)
    closed_value = None if value is None else m.mk_lambda([*used, *functions, *binders], value)
    names = state.scope.levels + el.level_names
    terms = [closed_type] if closed_value is None else [closed_type, closed_value]
    if written is not None and self_var is not None:
        terms.append(m.mk_lambda([*used, self_var], written))
    level_names, done = generalize_all(m, names, terms)
    if decl.value is not None or decl.kind == "axiom":
        check_used(decl.level_params, level_names)
    if any(has_expr_mvar(t) for t in done):
        raise MetaError("don't know how to synthesize placeholder")
    as_written = None
    if written is not None:
        hints = None
        if decl.termination is not None and not state.trusted:  # the library's cache has no place for syntax
            hints = (decl.termination, len(used) + len(binders))
        as_written = _as_written(state.env, full, level_names, done[2], len(used), position, hints)
    final_value = done[1] if closed_value is not None else None
    taken = tuple(m.local(x).name for x in used)
    return Elaborated(level_names, done[0], final_value, len(fvars), as_written, taken)


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


def _fixes_levels_early(m: Meta, decl: ast.Decl, type_: Expr) -> bool:
    """Return whether the universes of a header are those of the header alone.

    The body of a definition may determine them further, a proof may not; goals of a block of tactics show parameters.
    """
    if decl.value is None or decl.kind == "instance":
        return False
    return decl.kind in ("theorem", "lemma") or isinstance(decl.value, ast.By) or is_prop(m, type_)


def _fix_levels(el: Elab, xs: Sequence[FVar], type_: Expr) -> None:
    """Turn the undetermined universes of a header into parameters."""
    m = el.m
    header_levels(el, [m.local(x).type for x in xs if x.id in m.lctx] + [type_])


def _as_written(
    env: LeanEnv,
    full: str,
    params: tuple[str, ...],
    closed: Expr,
    used: int,
    position: int | None,
    hints: tuple[object, int] | None,
) -> Recursion:
    """Return a recursive body with calls to the constant; `closed` binds section variables and the function."""
    m = MetaM(env)
    xs, rest = m.intro_binders(closed, used)
    const = mk_const(full, tuple(mk_param(p) for p in params))
    body = beta_apply(rest, [mk_apps(const, xs)])
    arity = used
    inner = body
    while type(inner) is Lam:
        arity += 1
        inner = inner.body
    with m.with_lctx(m.lctx):
        return Recursion(
            params, m.mk_lambda(xs, body), arity, None if position is None else used + position, hints
        )


def instantiate_pis(type_: Expr, values: Sequence[Expr]) -> Expr:
    """Return the type of a function of type `type_` applied to the values."""
    for value in values:
        assert type(type_) is Pi
        type_ = instantiate1(type_.body, value)
    return type_


def _header_note(kind: str) -> str:
    """Return Lean's note for a header that leaves something open although it says the type."""
    if kind == "axiom":
        return ""
    if kind in ("theorem", "lemma"):
        return (
            "\n\nNote: All parameter types and holes (e.g., `_`) in the header of a theorem are resolved before the "
            "proof is processed; information from the proof cannot be used to infer what these values should be"
        )
    rule = "all parameter types and holes (e.g., `_`) in its header are resolved before its body is processed"
    return (
        f"\n\nNote: Because this declaration's type has been explicitly provided, {rule}; information from the "
        "declaration body cannot be used to infer what these values should be"
    )


def _check_binder_types(m: Meta, binders: Sequence[FVar], note: str = "") -> None:
    """Refuse binders whose type is undetermined."""
    for x in binders:
        if x.id in m.lctx and has_expr_mvar(m.instantiate_mvars(m.local(x).type)):
            raise MetaError(f"Failed to infer type of binder `{m.local(x).name}`{note}")
