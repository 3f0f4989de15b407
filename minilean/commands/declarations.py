"""`theorem`, `def`, `abbrev`, `opaque`, `axiom`, `instance` and `example`: elaborated, then checked by the kernel.

Source: Lean 4 `src/Lean/Elab/Declaration.lean`, `MutualDef.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from minilean.commands.attributes import add_attributes
from minilean.commands.command_state import NONCOMPUTABLE, CommandState
from minilean.commands.local_functions import (
    LocalFunction,
    declaration_of,
    inside,
    push_local_functions,
    with_local_functions,
    without_local_functions,
)
from minilean.commands.noncomputable import check_code
from minilean.commands.section_variables import (
    add_variables,
    bind_unknown_types,
    tell_unused,
    used_variables,
)
from minilean.commands.universes import check_used, generalize_all, header_levels
from minilean.elab.binders import push_binders
from minilean.elab.default_arguments import elab_defaults, marked_type, values_of
from minilean.elab.display import show
from minilean.elab.holes import check_no_holes, hole_error, open_holes
from minilean.elab.pending import AutoBoundError
from minilean.elab.recursion.equations import add_equations
from minilean.elab.recursion.recursion import compile_recursion
from minilean.elab.recursion.recursive_calls import mentions
from minilean.elab.sorry import USES_SORRY, mentions_sorry, name_place
from minilean.kernel.expr import Expr, FVar, Lam, mk_apps, mk_const
from minilean.kernel.instantiate import beta_apply
from minilean.kernel.level import mk_param
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from minilean.meta.extension import ALL, NEVER, REDUCIBLE, LeanEnv, Recursion
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast

_TYPE_OPERATORS = {"×": "Prod", "⊕": "Sum"}


@dataclass(frozen=True, slots=True)
class Signature:
    """Elaborated header. `type` is closed; its first `num_binders` binders are variables and binders of the source."""

    level_params: tuple[str, ...]
    type: Expr
    num_binders: int


@dataclass(frozen=True, slots=True)
class _Elaborated:
    """Declaration for the kernel: `type` and `value` are closed; `written` is a recursive body before compilation."""

    level_params: tuple[str, ...]
    type: Expr
    value: Expr | None
    num_binders: int
    written: Recursion | None
    variables: tuple[str, ...] = ()
    """Names of the section variables that it takes."""


def declare(state: CommandState, decl: ast.Decl) -> None:
    """Elaborate a declaration and have the kernel check it, after the functions inside it.

    Raises:
        MetaError: The declaration is refused; the environment may hold a part of it.
    """
    decl = with_local_functions(decl)
    _declare(state, decl, _declare_local(state, decl) if decl.local else ())


def _declare_local(state: CommandState, decl: ast.Decl) -> tuple[LocalFunction, ...]:
    """Declare the functions inside a definition; its parameters are their section variables."""
    found: list[LocalFunction] = []
    state.scopes.append(inside(state.scope, decl))
    try:
        add_variables(state, decl.binders)
        for function in decl.local:
            made = _declare(state, declaration_of(decl, function), found)
            full = state.full_name(f"{decl.name}.{function.name}")
            # instances and unnamed parameters are found again by unification
            named = tuple(name for name in made.variables if "✝" not in name)
            found.append(LocalFunction(function.name, full, named))
    finally:
        state.scopes.pop()
    return tuple(found)


def _declare(state: CommandState, decl: ast.Decl, local: Sequence[LocalFunction]) -> _Elaborated:
    """Declare `decl`; the functions inside it are declared already."""
    _check_modifiers(decl)
    if decl.kind == "axiom" and not state.trusted and state.report is None:
        raise UnsupportedError(
            "new axioms are refused: a proof may use propext, Classical.choice, Quot.sound"
        )
    full = state.full_name(decl.name) if decl.name else "_example"
    if decl.kind == "instance" and not decl.name:
        full = _instance_name(state, decl)
        # a file may have several instances of one name; the context of a statement may not
        full = full if state.report is None else _fresh(state, full)
    if state.env.find(full) is not None and decl.kind != "example":
        raise MetaError(f"`{full}` has already been declared")
    if decl.kind == "opaque" and decl.value is None:
        made = _inhabited(state, decl, full)
    else:
        made = _elaborate(state, decl, full, local)
    params, type_, value = made.level_params, made.type, made.value
    if decl.termination is not None and made.written is None:
        state.say(
            "warning",
            f"unused {_hint_name(decl.termination)}, function is not recursive",
            decl.termination.start,
        )
    if decl.kind in ("theorem", "lemma"):
        _check_proposition(state, decl.name, type_)
    if decl.kind == "axiom":
        state.env.kernel.add_axiom(full, params, type_)
    elif decl.kind == "example":
        assert value is not None
        state.env.kernel.add_definition(full, params, type_, value)
        _tell_sorry(state, decl, type_, value)
        _check_code(state, decl, full, made)
        return made
    elif decl.kind in ("theorem", "lemma"):
        assert value is not None
        state.env.kernel.add_theorem(full, params, type_, value)
    else:
        assert value is not None
        opaque = decl.kind == "opaque"
        state.env.kernel.add_definition(
            full, params, type_, value, abbrev=decl.kind == "abbrev", opaque=opaque
        )
        if opaque:
            state.env.reducibility[full] = NEVER
    _tell_sorry(state, decl, type_, value)
    if decl.kind in ("theorem", "lemma"):
        state.env.theorem_added()
    else:
        state.env.memo.clear()
    _check_code(state, decl, full, made)
    if made.written is not None and decl.kind not in ("theorem", "lemma", "opaque"):
        state.env.recursions[full] = made.written
        if made.written.position is None:
            state.env.reducibility[full] = ALL
    if decl.kind in ("def", "abbrev"):
        add_equations(state.elaborator((), auto_bound=False), full)
    if "." in full:
        state.env.add_namespace(full.rpartition(".")[0])
    if "protected" in decl.modifiers:
        state.env.protected.add(full)
    if decl.kind == "abbrev":
        state.env.reducibility[full] = REDUCIBLE
    if decl.kind == "instance":
        kinds = [word for word in decl.modifiers if word in ("local", "scoped")]
        priority = "" if decl.priority is None else str(decl.priority)
        add_attributes(state, full, [("instance", " ".join([*kinds, priority]).strip())])
    add_attributes(state, full, decl.attrs)
    return made


def _check_modifiers(decl: ast.Decl) -> None:
    """Refuse modifiers that Lean refuses on a declaration of this kind, and those that are not supported."""
    for word in ("partial", "unsafe"):
        if word in decl.modifiers:
            raise UnsupportedError(f"`{word}` of `{decl.name}`: only definitions that terminate are accepted")
    if "noncomputable" in decl.modifiers and decl.kind in ("theorem", "lemma"):
        raise MetaError(f"'{decl.kind}' subsumes 'noncomputable'")


def _hint_name(hints: ast.Termination) -> str:
    if hints.measure is not None and hints.decreasing is not None:
        return "termination hints"
    return "`decreasing_by`" if hints.measure is None else "`termination_by`"


def _check_code(state: CommandState, decl: ast.Decl, full: str, made: _Elaborated) -> None:
    """Refuse a definition without code unless it is marked `noncomputable`; its users then need the mark too."""
    if made.value is None or decl.kind not in ("def", "abbrev", "instance", "example"):
        return
    m = MetaM(state.env)
    m.scope = state.scope
    if is_prop(m, made.type):
        return
    if "noncomputable" in decl.modifiers:
        state.env.uncompiled[full] = True
    elif not state.trusted and not mentions_sorry([made.value]):
        written = made.value if made.written is None else made.written.value
        try:
            check_code(m, written)
        except MetaError:
            if not state.scope.option(NONCOMPUTABLE, ""):
                raise
            state.env.uncompiled[full] = True


def _instance_name(state: CommandState, decl: ast.Decl) -> str:
    parts: list[str] = []

    def words(t: ast.Term) -> None:
        if isinstance(t, ast.App):
            words(t.fn)
            for arg in t.args:
                if isinstance(arg, ast.Term):
                    words(arg)
        elif isinstance(t, ast.Ident) and t.name.removeprefix("_root_.")[0].isupper():
            parts.append(t.name.rpartition(".")[2])
        elif isinstance(t, ast.Paren):
            words(t.term)
        elif isinstance(t, ast.BinOp) and t.op in _TYPE_OPERATORS:
            parts.append(_TYPE_OPERATORS[t.op])
            words(t.left)
            words(t.right)

    if decl.type is not None:
        words(decl.type)
    return state.full_name("inst" + "".join(parts))


def _fresh(state: CommandState, name: str) -> str:
    """Return `name`, or the first free one of `name_1`, `name_2`, .."""
    count, found = 0, name
    while state.env.find(found) is not None:
        count += 1
        found = f"{name}_{count}"
    return found


def _inhabited(state: CommandState, decl: ast.Decl, full: str) -> _Elaborated:
    """Elaborate an opaque constant without a value: its type must be `Inhabited` or `Nonempty`.

    Raises:
        MetaError: There is no such instance.
    """
    for witness in ("Inhabited.default", "Classical.choice inferInstance"):
        fn, *args = (ast.Ident(f"_root_.{name}") for name in witness.split())
        value: ast.Term = ast.App(fn, tuple(args)) if args else fn
        kept = state.env
        state.env = kept.child()
        try:
            found = _elaborate(state, replace(decl, value=value), full)
            kept.adopt(state.env)
            return found
        except BudgetError:
            raise
        except MetaError:
            continue
        finally:
            state.env = kept
    type_ = _elaborate(state, decl, full).type
    raise MetaError(
        f"failed to synthesize `Inhabited` or `Nonempty` instance for\n  {show(MetaM(state.env), type_, 2)}\n\n"
        "If this type is defined using the `structure` or `inductive` command, you can try adding a "
        "`deriving Nonempty` clause to the command."
    )


def _tell_sorry(state: CommandState, decl: ast.Decl, type_: Expr, value: Expr | None) -> None:
    if state.report is not None and mentions_sorry([type_] if value is None else [type_, value]):
        state.log.append(("warning", USES_SORRY, name_place(decl, state.source)[0]))


def elab_signature(state: CommandState, decl: ast.Decl) -> Signature:
    """Elaborate the header of a statement to prove.

    Raises:
        MetaError: It is not a theorem, its name is taken, it is not a proposition, or Lean would refuse its modifiers
            or attributes.
    """
    if decl.kind not in ("theorem", "lemma", "example"):
        raise MetaError(f"a statement to prove starts with `theorem`, got `{decl.kind}`")
    if decl.type is None:
        raise MetaError("the statement has no type: expected `theorem name binders : proposition`")
    full = state.full_name(decl.name) if decl.name and decl.kind != "example" else None
    _check_modifiers(decl)
    # With a name that is taken, the older declaration of this name could prove the statement.
    if full is not None and state.env.find(full) is not None:
        raise MetaError(f"`{full}` has already been declared")
    made = _elaborate(state, replace(decl, value=None))
    if decl.kind != "example":
        _check_proposition(state, decl.name, made.type)
    if decl.attrs:
        _check_attributes(state, decl, full or "_example", made)
    return Signature(made.level_params, made.type, made.num_binders)


def _check_attributes(state: CommandState, decl: ast.Decl, full: str, made: _Elaborated) -> None:
    """Refuse attributes that the proved theorem could not have; nothing of the trial remains.

    Raises:
        MetaError: From `add_attributes`.
    """
    kept, scopes = state.env, list(state.scopes)
    state.env = kept.child()
    try:
        # The proof is missing, and no attribute reads it.
        state.env.kernel.add_axiom(full, made.level_params, made.type)
        add_attributes(state, full, decl.attrs)
    finally:
        state.env = kept
        state.scopes[:] = scopes


def _check_proposition(state: CommandState, theorem: str, type_: Expr) -> None:
    m = MetaM(state.env)
    if not is_prop(m, type_):
        name = f"`{theorem}` " if theorem else ""
        raise MetaError(f"type of theorem {name}is not a proposition\n  {show(m, type_, 2)}")


def _elaborate(
    state: CommandState, decl: ast.Decl, full: str = "", local: Sequence[LocalFunction] = ()
) -> _Elaborated:
    """Elaborate header and body; `full` is the name by which the body may call itself."""
    auto: tuple[ast.Binder, ...] = ()
    while True:
        el = state.elaborator(decl.level_params, auto_bound=not state.trusted)
        if state.report is not None or state.trusted or decl.value is not None:
            # auxiliary declarations for compiled terms; a bare statement must not add any
            el.m.auxiliary_prefix = full or state.full_name(decl.name) or "_example"
        el.scope = el.m.scope = state.scope_of(decl)
        try:
            variables = push_binders(el, state.scope.variables)
            defaults = elab_defaults(el, state.scope.variables, variables)
            binders = push_binders(el, auto + decl.binders)
            defaults.update(elab_defaults(el, auto + decl.binders, binders))
            if decl.type is None:
                type_: Expr | None = None
            else:
                type_ = el.elab_type(decl.type)
                el.synthesize()
            break
        except AutoBoundError as error:
            if len(auto) > 30:
                raise
            auto = (*auto, ast.Binder((error.name,), None, "implicit"))
    m = el.m
    el.auto_bound = False
    if not full or decl.kind == "example":
        defaults = {}  # a declaration without a name is never called
    binders = [*bind_unknown_types(el, binders[: len(auto)]), *binders]
    self_var: FVar | None = None
    if type_ is not None:
        check_no_holes(el, m.mk_pi([*variables, *binders], type_))
        if decl.value is not None and decl.kind in ("theorem", "lemma"):
            used = used_variables(state, m, variables, binders, [type_], theorem=True)
            m.lctx = m.lctx.without({x.id for x in variables if x not in used})
        if decl.value is not None and decl.kind != "instance":
            header_levels(el, [m.local(x).type for x in (*variables, *binders) if x.id in m.lctx] + [type_])
        if full and decl.kind != "example" and decl.value is not None:
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
            value = el.elab_closed(stx, type_)
        value = without_local_functions(el, check_no_holes(el, value), pushed)
        _check_binder_types(m, binders)
        if self_var is not None and mentions(value, self_var):
            written = m.mk_lambda(binders, value)
            compiled = compile_recursion(el, full, self_var, written, decl.termination, len(binders))
            written, position = compiled.written, compiled.position
            value = beta_apply(compiled.value, binders)
    if holes := open_holes(el):
        raise hole_error(el, holes)
    assert type_ is not None
    type_ = m.instantiate_mvars(type_)
    if decl.kind not in ("theorem", "lemma") or decl.value is None:
        theorem = decl.kind in ("theorem", "lemma")
        shown = [type_] if theorem or decl.kind == "axiom" or value is None else [type_, value]
        shown += values_of(defaults)
        used = used_variables(state, m, variables, binders, shown, theorem=theorem)
    if decl.kind in ("theorem", "lemma") and value is not None:
        tell_unused(state, m, decl, used, binders, [type_, value])
    fvars = [*used, *binders]
    _check_binder_types(m, used)
    closed_type = marked_type(m, fvars, type_, defaults, full, state.source)
    closed_value = None if value is None else m.mk_lambda(fvars, value)
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
    return _Elaborated(level_names, done[0], final_value, len(fvars), as_written, taken)


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


def _check_binder_types(m: Meta, binders: Sequence[FVar]) -> None:
    """Refuse binders whose type is undetermined."""
    for x in binders:
        if x.id in m.lctx and has_expr_mvar(m.instantiate_mvars(m.local(x).type)):
            raise MetaError(f"Failed to infer type of binder `{m.local(x).name}`")
