"""`inductive`: parameters, universe and constructors of a type, and its auxiliary definitions.

Source: Lean 4 `src/Lean/Elab/Inductive.lean`, `MutualInductive.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minilean.commands.attributes import add_attributes
from minilean.commands.command_state import CommandState, runs
from minilean.commands.derived import derive_instances
from minilean.commands.inductive_checks import (
    check_determined,
    check_parameters,
    check_result,
    check_universes,
    kernel_message,
    settle_universes,
)
from minilean.commands.inductive_headers import (
    check_universe,
    elab_headers,
    instantiate_vars,
    sort_of,
)
from minilean.commands.section_variables import used_variables
from minilean.commands.universes import check_used, generalize_all
from minilean.elab.binders import push_binders
from minilean.elab.injectivity import add_injectivity
from minilean.elab.match.matchers import collect_level_mvars
from minilean.elab.pending import AutoBoundError
from minilean.elab.recursion.brec_on import add_recursion
from minilean.elab.structures import add_auxiliary_recursors
from minilean.elab.term import Elab
from minilean.kernel.declaration import InductiveType
from minilean.kernel.errors import KernelError
from minilean.kernel.expr import (
    IMPLICIT,
    App,
    Const,
    Expr,
    FVar,
    MVar,
    Pi,
    Sort,
    get_app,
    get_app_args,
    get_app_fn,
    mk_apps,
    mk_const,
    mk_pi,
)
from minilean.kernel.instantiate import abstract, instantiate, instantiate1
from minilean.kernel.level import (
    ONE,
    Level,
    LMVar,
    mk_max,
    mk_param,
    mk_succ,
    simplify,
    to_offset,
)
from minilean.kernel.traversal import alpha_eq, subterms
from minilean.meta.errors import MetaError
from minilean.meta.extension import LeanEnv
from minilean.meta.infer import infer_type
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import collect_mvars
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast


@dataclass(slots=True)
class DeclaredType:
    """A type to be declared, over the parameters of its group.

    Attributes:
        name: Its full name.
        type: Its type, a function of the parameters.
        self_var: The variable that stands for it in the constructors.
        ctors: Full names and types of its constructors.
        structure: It is one.
    """

    name: str
    type: Expr
    self_var: FVar
    ctors: list[tuple[str, Expr]]
    structure: bool = False


@runs(ast.InductiveCmd)
def declare_inductive(state: CommandState, command: ast.InductiveCmd) -> None:
    """`inductive`: a type that is no member of a `mutual` block."""
    declare_inductives(state, [command])


def declare_inductives(state: CommandState, commands: Sequence[ast.InductiveCmd]) -> None:
    """Declare inductive types that may mention each other, with constructors, recursors and derived instances."""
    names = [state.full_name(command.name) for command in commands]
    for i, name in enumerate(names):
        if state.env.find(name) is not None or name in names[:i]:
            raise MetaError(f"`{name}` has already been declared")
    el, variables, params, sorts = elab_headers(state, commands)
    m = el.m
    own_vars: list[FVar] = []
    aliases: list[FVar] = []
    for command, sort in zip(commands, sorts, strict=True):
        own_type = m.mk_pi(params, sort)
        aliases.append(m.push_local(command.name, own_type))
        # `inductive A.T` may call itself `T` as well
        short = command.name.rpartition(".")[2]
        own_vars.append(m.push_local(short, own_type) if "." in command.name else aliases[-1])
    ctors: list[list[tuple[str, Expr]]] = []
    for name, command, own, alias in zip(names, commands, own_vars, aliases, strict=True):
        ctors.append([])
        for ctor in command.ctors:
            ctor_type = instantiate_vars(_ctor_type(el, ctor, own, alias, params), aliases, own_vars)
            check_result(m, own, f"{name}.{ctor.name}", ctor_type)
            for other in own_vars:
                check_parameters(m, other, params, ctor_type)
            ctors[-1].append((f"{name}.{ctor.name}", ctor_type))
    # in the constructors, the types are applied to the variables of the section
    terms = [m.instantiate_mvars(sort) for sort in sorts]
    terms += [ctor for found in ctors for _, ctor in found]
    used = used_variables(state, m, variables, params, terms)
    params = [*used, *params]
    types = [
        DeclaredType(
            name, full := m.mk_pi(params, sort), m.push_local(command.name, full), [], command.structure
        )
        for name, command, sort in zip(names, commands, sorts, strict=True)
    ]
    applied = [mk_apps(type_.self_var, used) for type_ in types]
    for type_, found in zip(types, ctors, strict=True):
        type_.ctors = [(ctor, instantiate_vars(t, own_vars, applied)) for ctor, t in found]
    if any(command.type is None and not command.structure for command in commands):
        check_determined(m, sorts, [ctor for type_ in types for ctor in type_.ctors], of_sorts=True)
    for command, sort in zip(commands, sorts, strict=True):
        if command.type is None:
            _assign_universe(m, sort, [ctor for type_ in types for ctor in type_.ctors])
        else:
            check_universe(state, m, sort)
    finish_inductives(state, el, params, types)
    for command in commands:
        check_used(command.level_params, state.env.kernel.get(names[0]).level_params)
    for name in names:
        add_injectivity(state.env, name)
    for name, command in zip(names, commands, strict=True):
        derive_instances(state, name, command.deriving)
        add_attributes(state, name, command.attrs)


def _assign_universe(m: Meta, sort: Expr, ctors: Sequence[tuple[str, Expr]]) -> None:
    """Assign the least universe of data that contains the fields of all constructors."""
    level: Level = ONE
    assert type(sort) is Sort
    # the universe is `u + 1` already where `List T` is a field
    unknown, height = to_offset(m.instantiate_level(sort.level))
    if type(unknown) is not LMVar:
        return
    for _, ctor in ctors:
        old = m.lctx
        fields, _ = m.intro_binders(m.instantiate_mvars(ctor))
        for x in fields:
            sort = whnf(m, infer_type(m, m.instantiate_mvars(m.local(x).type)))
            assert type(sort) is Sort
            own = m.instantiate_level(sort.level)
            found: dict[Level, str] = {}
            collect_level_mvars(own, found)
            if unknown not in found:
                level = simplify(mk_max(level, own))
        m.lctx = old
    base, offset = to_offset(level)
    value = base
    for _ in range(max(0, offset - height)):
        value = mk_succ(value)
    m.mctx.assign_level(unknown.id, value)


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
            for x in fields[len(auto) :]:
                if type(m.instantiate_mvars(m.local(x).type)) is MVar:
                    raise MetaError(f"Failed to infer type of binder `{m.local(x).name}`")
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


def finish_inductives(
    state: CommandState, el: Elab, params: Sequence[FVar], types: Sequence[DeclaredType]
) -> None:
    """Close the types, have the kernel check them, and add auxiliary recursors.

    Args:
        state: The state to which the types are added.
        el: The elaborator, with the parameters in its context.
        params: The parameters.
        types: The types.
    """
    m = el.m
    ctors = [ctor for type_ in types for ctor in type_.ctors]
    own_vars = [type_.self_var for type_ in types]
    closed = [m.instantiate_mvars(type_.type) for type_ in types]
    closed += [abstract(m.mk_pi(params, m.instantiate_mvars(ctor)), own_vars) for _, ctor in ctors]
    settle_universes(m, [type_.type for type_ in types], ctors)
    check_determined(m, [type_.type for type_ in types], ctors)
    names = state.scope.levels + el.level_names
    level_names, closed = generalize_all(m, names, closed)
    consts = [mk_const(type_.name, tuple(mk_param(n) for n in level_names)) for type_ in types]
    formers = closed[: len(types)]
    ctor_types = [instantiate(type_, consts) for type_ in closed[len(types) :]]
    num_params = len(params)
    while len(types) == 1 and _is_fixed_index(state.env, types[0].name, formers[0], ctor_types, num_params):
        num_params += 1
    ctor_types = [implicit_params(type_, len(params)) for type_ in ctor_types]
    if type(sort := sort_of(m, types[0].type)) is Sort:
        for type_ in types:
            check_universes(m, sort.level, type_.ctors, num_params - len(params), type_.structure)
    closed_ctors = iter(ctor_types)
    group = [
        InductiveType(type_.name, former, tuple((ctor, next(closed_ctors)) for ctor, _ in type_.ctors))
        for type_, former in zip(types, formers, strict=True)
    ]
    try:
        state.env.kernel.add_inductives(level_names, num_params, group)
    except KernelError as error:
        text = kernel_message(error, num_params)
        if text is None:
            raise
        raise MetaError(text) from None
    state.env.memo.clear()
    for type_ in types:
        state.env.add_namespace(type_.name)
        add_auxiliary_recursors(state.env, type_.name)
    add_recursion(state.env, types[0].name)


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
