"""`inductive`: parameters, universe and constructors of a type, and its auxiliary definitions.

Source: Lean 4 `src/Lean/Elab/Inductive.lean`, `MutualInductive.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.commands.attributes import add_attributes
from minilean.commands.command_state import CommandState
from minilean.commands.derived import derive_instances
from minilean.commands.inductive_checks import (
    check_parameters,
    check_universes,
    kernel_message,
    settle_universes,
)
from minilean.commands.section_variables import used_variables
from minilean.commands.universes import check_used, generalize_all
from minilean.elab.binders import push_binders
from minilean.elab.display import show
from minilean.elab.match.matchers import collect_level_mvars
from minilean.elab.pending import AutoBoundError
from minilean.elab.recursion.brec_on import add_injectivity, add_recursion
from minilean.elab.structures import add_auxiliary_recursors
from minilean.elab.term import Elab
from minilean.kernel.declaration import Inductive
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import (
    IMPLICIT,
    App,
    Const,
    Expr,
    FVar,
    Pi,
    Sort,
    get_app,
    get_app_args,
    get_app_fn,
    mk_apps,
    mk_const,
    mk_pi,
)
from minilean.kernel.instantiate import abstract, instantiate1
from minilean.kernel.level import ONE, Level, is_never_zero, is_zero, mk_max, mk_param, simplify
from minilean.kernel.traversal import alpha_eq, subterms
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.extension import REDUCIBLE, LeanEnv
from minilean.meta.infer import infer_type
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import collect_mvars
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import unfold_definition, whnf
from minilean.syntax import ast


def declare_inductive(state: CommandState, command: ast.InductiveCmd) -> None:
    """Declare an inductive type with its constructors, recursors and derived instances."""
    name = state.full_name(command.name)
    if state.env.find(name) is not None:
        raise MetaError(f"`{name}` has already been declared")
    el, variables, params, sort = elab_parameters(state, command)
    m = el.m
    type_ = m.new_sort_mvar() if sort is None else sort
    own_type = m.mk_pi(params, type_)
    alias = m.push_local(command.name, own_type)
    # `inductive A.T` may call itself `T` as well
    own = m.push_local(command.name.rpartition(".")[2], own_type) if "." in command.name else alias
    ctors: list[tuple[str, Expr]] = []
    for ctor in command.ctors:
        ctor_type = _ctor_type(el, ctor, own, alias, params)
        check_parameters(m, own, params, ctor_type)
        ctors.append((f"{name}.{ctor.name}", ctor_type))
    # in the constructors, the type is applied to the variables of the section
    terms = [m.instantiate_mvars(type_), *(ctor for _, ctor in ctors)]
    used = used_variables(state, m, variables, params, terms)
    params = [*used, *params]
    full_type = m.mk_pi(params, type_)
    self_var = m.push_local(command.name, full_type)
    applied = mk_apps(self_var, used)
    ctors = [(ctor, instantiate1(abstract(t, [own]), applied)) for ctor, t in ctors]
    if command.type is None:
        _assign_universe(state, m, type_, ctors)
    else:
        check_universe(state, m, type_)
    finish_inductive(state, el, name, params, full_type, self_var, ctors)
    check_used(command.level_params, state.env.kernel.get(name).level_params)
    add_injectivity(state.env, name)
    derive_instances(state, name, command.deriving)
    add_attributes(state, name, command.attrs)


def elab_parameters(
    state: CommandState, command: ast.InductiveCmd | ast.StructureCmd
) -> tuple[Elab, list[FVar], list[FVar], Expr | None]:
    """Return the elaborator, the section variables and the parameters of a type, and its sort if written."""
    auto: tuple[ast.Binder, ...] = ()
    indices: tuple[ast.Binder, ...] = ()
    while True:
        el = state.elaborator(command.level_params, auto_bound=not state.trusted)
        el.scope = el.m.scope = state.scope.of(state.full_name(command.name))
        params: list[FVar] | None = None
        try:
            variables = push_binders(el, state.scope.variables)
            params = push_binders(el, auto + command.binders)
            old = el.m.lctx
            unnamed = push_binders(el, indices)
            type_ = None if command.type is None else el.elab_type(command.type)
            el.synthesize()
            if type_ is not None and unnamed:
                type_ = el.m.mk_pi(unnamed, el.m.instantiate_mvars(type_))
                el.m.lctx = old
            return el, variables, params, type_
        except AutoBoundError as error:
            if len(auto) + len(indices) > 30:
                raise
            new = ast.Binder((error.name,), None, "implicit")
            if params is None:
                auto = (*auto, new)
            else:
                # a name that occurs only in the type of the type is an index
                indices = (*indices, new)


def check_universe(state: CommandState, m: Meta, type_: Expr) -> None:
    """Refuse a universe such as `Sort u`, which may or may not be `Prop`."""
    sort = m.instantiate_mvars(type_)
    while type(sort) is Pi:
        sort = sort.body
    if state.trusted or type(sort) is not Sort:
        return
    level = m.instantiate_level(sort.level)
    if not is_zero(level) and not is_never_zero(level):
        raise MetaError(
            "Invalid universe polymorphic resulting type: The resulting universe is not `Prop`, but it may "
            f"be `Prop` for some parameter values:\n  {show(m, sort, 2)}\n\nHint: A possible solution is to "
            "use levels of the form `max 1 _` or `_ + 1` to ensure the universe is of the form `Type _`"
        )


def _assign_universe(state: CommandState, m: Meta, type_: Expr, ctors: Sequence[tuple[str, Expr]]) -> None:
    """Assign the least universe of data that contains the fields of all constructors."""
    level: Level = ONE
    assert type(type_) is Sort
    for _, ctor in ctors:
        old = m.lctx
        fields, _ = m.intro_binders(m.instantiate_mvars(ctor))
        for x in fields:
            sort = whnf(m, infer_type(m, m.instantiate_mvars(m.local(x).type)))
            assert type(sort) is Sort
            own = m.instantiate_level(sort.level)
            found: dict[Level, str] = {}
            collect_level_mvars(own, found)
            if type_.level not in found:
                level = simplify(mk_max(level, own))
        m.lctx = old
    m.mctx.assign_level(type_.level.id, level)  # type: ignore[attr-defined]


def _ctor_type(el: Elab, ctor: ast.Ctor, self_var: FVar, alias: FVar, params: Sequence[FVar]) -> Expr:
    m = el.m
    old = m.lctx
    auto: tuple[ast.Binder, ...] = ()
    while True:
        pending, mark = list(el.pending), m.mctx.mark()
        try:
            fields = push_binders(el, auto + ctor.binders)
            result = mk_apps(self_var, params) if ctor.type is None else el.elab_type(ctor.type)
            _settle_parameters(m, result, self_var, params)
            el.synthesize()
            extra = _unknown_indices(m, self_var, [*(m.local(x).type for x in fields), result])
            made = m.instantiate_mvars(m.mk_pi([*extra, *fields], result))
            return instantiate1(abstract(made, [alias]), self_var)
        except AutoBoundError as error:
            # an undeclared name, as `n` in `cons : α → Vect α n → Vect α (n + 1)`
            if len(auto) > 30:
                raise
            m.mctx.rollback(mark)
            el.pending = pending
            auto = (*auto, ast.Binder((error.name,), None, "implicit"))
        finally:
            m.lctx = old


def _unknown_indices(m: Meta, self_var: FVar, types: Sequence[Expr]) -> list[FVar]:
    """Bind the metavariables of a constructor's type, as `α` in `nil : Pal []` where `Pal : List α → Prop`."""
    names: dict[Expr, str] = {}
    parts = [m.instantiate_mvars(type_) for type_ in types]
    for sub in (sub for part in parts for sub in subterms(part)):
        fn, args = get_app(sub)
        type_ = m.local(self_var).type if fn is self_var else None
        for arg in args:
            if type(type_) is not Pi:
                break
            names.setdefault(arg, type_.name)
            type_ = type_.body
    found = []
    for mvar in dict.fromkeys(mvar for part in parts for mvar in collect_mvars(part)):
        x = m.push_local(names.get(mvar, "x✝"), m.instantiate_mvars(m.mvar_decl(mvar).type), IMPLICIT)
        m.mctx.assign(mvar.id, x)
        found.append(x)
    return found


def _settle_parameters(m: Meta, result: Expr, self_var: FVar, params: Sequence[FVar]) -> None:
    """Unify the arguments of a constructor's result type with the type's parameters, which may be implicit.

    A failure is ignored here: the parameters are checked when the type of the constructor is complete.
    """
    result = m.instantiate_mvars(result)
    while type(result) is Pi:
        result = result.body
    fn, args = get_app(result)
    for param, arg in zip(params, args if fn is self_var else (), strict=False):
        if not arg.loose:
            m.attempt(lambda p=param, a=arg: is_def_eq(m, p, a))  # type: ignore[misc]


def finish_inductive(
    state: CommandState,
    el: Elab,
    name: str,
    params: Sequence[FVar],
    full_type: Expr,
    self_var: FVar,
    ctors: Sequence[tuple[str, Expr]],
) -> None:
    """Close the types, have the kernel check them, and add auxiliary recursors.

    Args:
        state: The state to which the type is added.
        el: The elaborator, with the parameters in its context.
        name: The full name of the type.
        params: Its parameters.
        full_type: Its type, a function of them.
        self_var: The variable that stands for the type in the constructors.
        ctors: Full names and types of the constructors over the parameters.
    """
    m = el.m
    closed: list[Expr] = [m.instantiate_mvars(full_type)]
    for _, ctor_type in ctors:
        _refuse_nested(state.env, m.instantiate_mvars(ctor_type), self_var)
        body = m.mk_pi(params, ctor_type)
        closed.append(abstract(body, [self_var]))
    settle_universes(m, _sort_of(m, full_type), ctors)
    names = state.scope.levels + el.level_names
    level_names, closed = generalize_all(m, names, closed)
    const = mk_const(name, tuple(mk_param(n) for n in level_names))

    ctor_types = [instantiate1(type_, const) for type_ in closed[1:]]
    num_params = len(params)
    while ctor_types and _is_fixed_index(state.env, name, closed[0], ctor_types, num_params):
        num_params += 1
    ctor_types = [implicit_params(type_, len(params)) for type_ in ctor_types]
    named = [(ctor, type_) for (ctor, _), type_ in zip(ctors, ctor_types, strict=True)]
    sort = _sort_of(m, full_type)
    if type(sort) is Sort:
        check_universes(m, sort.level, ctors, num_params - len(params))
    try:
        state.env.kernel.add_inductive(name, level_names, num_params, closed[0], named)
    except KernelError as error:
        text = kernel_message(error, num_params)
        if text is None:
            raise
        raise MetaError(text) from None
    state.env.memo.clear()
    state.env.add_namespace(name)
    add_auxiliary_recursors(state.env, name)
    add_recursion(state.env, name)


def _sort_of(m: Meta, type_: Expr) -> Expr:
    """Return the sort at the end of a type former's type."""
    type_ = m.instantiate_mvars(type_)
    while type(type_) is Pi:
        type_ = type_.body
    return type_


def _refuse_nested(env: LeanEnv, ctor: Expr, self_var: FVar) -> None:
    """Refuse nested inductive types: a field of another inductive type over the declared one, as `List Tree`."""
    while type(ctor) is Pi:
        field = ctor.type
        while type(field) is Pi:
            field = field.body
        fn = get_app_fn(field)
        inside = any(sub is self_var for arg in get_app_args(field) for sub in subterms(arg))
        while inside and type(fn) is Const and env.reducibility.get(fn.name) == REDUCIBLE:
            unfolded = unfold_definition(MetaM(env), field)
            if unfolded is None:
                break
            field, fn = unfolded, get_app_fn(unfolded)
        if inside and type(fn) is Const and (isinstance(env.find(fn.name), Inductive) or fn.name == "Quot"):
            raise UnsupportedError(f"nested inductive types (`{fn.name}` over the type that is declared)")
        ctor = ctor.body


def implicit_params(type_: Expr, count: int) -> Expr:
    """Make the first `count` binders implicit, as a constructor's parameters are."""
    if count == 0:
        return type_
    assert type(type_) is Pi
    info = type_.info if type_.info == 3 else IMPLICIT
    return mk_pi(type_.name, type_.type, implicit_params(type_.body, count - 1), info)


def _is_fixed_index(env: LeanEnv, name: str, type_: Expr, ctors: Sequence[Expr], position: int) -> bool:
    """Return whether argument `position` never varies and so is a parameter, as in `Eq : α → α → Prop`.

    Source: Lean 4 `src/Lean/Elab/Inductive.lean`, fixed indices to parameters.
    """
    m = MetaM(env)
    fvars, rest = m.intro_binders(type_, position)
    if type(rest) is not Pi:
        return False
    for ctor in ctors:
        body = ctor
        for x in fvars:
            if type(body) is not Pi:
                return False
            body = instantiate1(body.body, x)
        if type(body) is not Pi or not alpha_eq(body.type, rest.type):
            return False
        x = m.push_local(body.name, body.type)
        inner = instantiate1(body.body, x)
        applied = 0
        for sub in subterms(inner):
            if type(sub) is App and type(get_app_fn(sub)) is Const and get_app_fn(sub).name == name:  # type: ignore[attr-defined]
                args = get_app_args(sub)
                if len(args) > position:
                    if args[position] is not x:
                        return False
                    applied += 1
        if not applied:
            return False
    return True
