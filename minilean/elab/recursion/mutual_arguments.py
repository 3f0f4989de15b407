"""Functions that call each other: their arguments, the fixed ones, and those on which they recurse.

Source: Lean 4 `src/Lean/Elab/PreDefinition/Structural/FindRecArg.lean`, `Basic.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from minilean.elab.recursion.brec_on import auxiliary_name
from minilean.elab.recursion.preprocess import StructuralError, beta_reduced
from minilean.elab.recursion.recursive_calls import Plan, calls_of, mentions
from minilean.kernel.declaration import Inductive, Recursor
from minilean.kernel.expr import Const, Expr, FVar, Lam, Pi, get_app, mk_apps, mk_const
from minilean.kernel.instantiate import abstract, instantiate, instantiate1
from minilean.kernel.level import ZERO
from minilean.kernel.traversal import alpha_eq, subterms
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf


@dataclass(slots=True)
class Function:
    """A function of the group: its variable in the bodies, its arguments as variables, and its body over them."""

    name: str
    self_var: FVar
    args: list[FVar]
    body: Expr


@dataclass(slots=True)
class Chosen:
    """A function with the argument on which it recurses; `motive` is the number of that argument's type."""

    function: Function
    plan: Plan
    motive: int

    @property
    def own(self) -> list[FVar]:
        """The indices and the recursive argument."""
        args = self.function.args
        return [*(args[i] for i in self.plan.index_positions), args[self.plan.position]]

    @property
    def others(self) -> list[FVar]:
        """The arguments that change besides."""
        return [x for x in self.function.args[self.plan.fixed :] if x not in self.own]


def open_functions(m: Meta, functions: Sequence[tuple[str, FVar, Expr]]) -> list[Function]:
    """Return the functions with their arguments as variables of the local context."""
    opened = []
    for name, self_var, value in functions:
        for _, other, _ in functions:
            value = beta_reduced(value, other)
        args, body = m.intro_binders(value)
        opened.append(Function(name, self_var, args, body))
    return opened


def shared_prefix(m: Meta, functions: Sequence[Function], self_vars: Sequence[FVar]) -> int:
    """Return how many leading arguments all the functions pass to each other unchanged."""
    fixed = min(len(f.args) for f in functions)
    for f in functions:
        for self_var in self_vars:
            for call in calls_of(f.body, self_var):
                if not call:
                    raise StructuralError(
                        f"unexpected occurrence of `{m.local(self_var).name}` without arguments"
                    )
                same = [a is b for a, b in zip(call, f.args, strict=False)]
                fixed = min(fixed, same.index(False) if False in same else len(same))
    first = functions[0]
    for f in functions[1:]:
        for i in range(fixed):
            type_ = instantiate(abstract(m.local(f.args[i]).type, f.args[:i]), first.args[:i])
            if not alpha_eq(type_, m.local(first.args[i]).type):
                fixed = i
                break
    return fixed


def with_shared_prefix(m: Meta, functions: Sequence[Function], fixed: int) -> list[Function]:
    """Return the functions with the fixed arguments of the first one in all of them."""
    shared = functions[0].args[:fixed]
    found = [functions[0]]
    for f in functions[1:]:
        value = m.mk_lambda(f.args, f.body)
        for x in shared:
            assert type(value) is Lam
            value = instantiate1(value.body, x)
        args, body = m.intro_binders(value, len(f.args) - fixed)
        found.append(Function(f.name, f.self_var, [*shared, *args], body))
    return found


def choose(m: Meta, functions: Sequence[Function], positions: Sequence[int], fixed: int) -> list[Chosen]:
    """Return the functions with their recursive arguments, whose types are of one group at the same parameters.

    Raises:
        MetaError: They are not, or parameters or indices are not what recursion needs.
    """
    group = _group_of(m, functions, positions)
    found: list[Chosen] = []
    recs = []
    for name in group.info.recursors:
        rec = m.env.find(name)
        assert isinstance(rec, Recursor)
        recs.append(rec)
    for f, position in zip(functions, positions, strict=True):
        type_ = whnf(m, m.instantiate_mvars(m.local(f.args[position]).type))
        motive, indices = _motive_of(m, group, recs, type_)
        if any(type(i) is not FVar or i not in f.args[:position] for i in indices):
            raise MetaError("its type is an inductive family whose indices are not variables of the function")
        index_positions = [f.args.index(i) for i in indices if type(i) is FVar]
        if min([position, *index_positions]) < fixed:
            raise MetaError("it is unchanged in the recursive calls")
        found.append(
            Chosen(f, Plan(position, fixed, group.info, group.fn, group.params, index_positions), motive)
        )
        if any(mentions(m.local(x).type, y) for x in found[-1].own for y in found[-1].others):
            raise MetaError("its type depends on arguments that change")
    bound = {x for f in functions for x in f.args[fixed:]}
    if any(type(s) is FVar and s in bound for param in group.params for s in subterms(param)):
        raise MetaError("its type is an inductive datatype whose parameters depend on what changes")
    return found


@dataclass(slots=True)
class _Group:
    """A group of inductive types at some parameters."""

    info: Inductive
    fn: Const
    params: list[Expr]


def _group_of(m: Meta, functions: Sequence[Function], positions: Sequence[int]) -> _Group:
    """Return the group of the recursive arguments: that of a type which is not only a container of others."""
    found: list[_Group] = []
    for f, position in zip(functions, positions, strict=True):
        fn, args = get_app(whnf(m, m.instantiate_mvars(m.local(f.args[position]).type)))
        info = m.env.find(fn.name) if type(fn) is Const else None
        if not isinstance(info, Inductive) or type(fn) is not Const:
            raise MetaError("its type is not an inductive type")
        first = m.env.find(info.all[0])
        assert isinstance(first, Inductive)
        if m.env.find(auxiliary_name(f"{info.name}.rec", "brecOn")) is None:
            raise MetaError(f"its type {info.name} does not have a recursor")
        found.append(_Group(first, fn, args[: info.num_params]))
    # `List Tree` and `Tree` are in the group of `Tree`
    return max(found, key=lambda group: len(group.info.recursors))


def _motive_of(m: Meta, group: _Group, recs: Sequence[Recursor], type_: Expr) -> tuple[int, list[Expr]]:
    """Return the number of the motive of a type of the group, and the indices."""
    fn, args = get_app(type_)
    for number, rec in enumerate(recs):
        if type(fn) is not Const or rec.inductive != fn.name:
            continue
        head = mk_const(group.info.name, group.fn.levels)
        elim = (ZERO,) if len(rec.level_params) > len(group.info.level_params) else ()
        rec_type = infer_type(m, mk_apps(mk_const(rec.name, (*elim, *head.levels)), group.params))
        for _ in range(number):
            assert type(rec_type) is Pi
            rec_type = rec_type.body
        assert type(rec_type) is Pi
        domain = rec_type.type
        for index in args[len(args) - rec.num_indices :]:
            assert type(domain) is Pi
            domain = instantiate1(domain.body, index)
        assert type(domain) is Pi
        if m.attempt(lambda d=domain.type: is_def_eq(m, d, type_)):  # type: ignore[misc]
            return number, args[len(args) - rec.num_indices :]
    raise MetaError("its type is not in the group of the others")
