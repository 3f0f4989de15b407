"""Structural recursion: functions that call themselves on parts of an argument, compiled to `brecOn`.

    f = fun ys x zs => T.brecOn x (fun x (below : T.below x) zs => body) zs

where each call `f ys x' zs'` in the body becomes a projection of `below`. `below` grows with the argument: each
matcher over it hands its alternatives a finer one. What is no structural recursion is refused.

Source: Lean 4 `src/Lean/Elab/PreDefinition/Structural/` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lean_gym.minilean.kernel.declaration import Inductive
from lean_gym.minilean.kernel.expr import (
    App,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Pi,
    Proj,
    get_app,
    get_app_fn,
    mk_apps,
    mk_const,
    mk_lam,
    mk_let,
    mk_pi,
    mk_proj,
)
from lean_gym.minilean.kernel.instantiate import abstract, instantiate1
from lean_gym.minilean.kernel.level import Level
from lean_gym.minilean.kernel.traversal import subterms
from lean_gym.minilean.meta.errors import BudgetError, MetaError, UnsupportedError
from lean_gym.minilean.meta.extension import MatcherInfo
from lean_gym.minilean.meta.infer import infer_type, sort_level
from lean_gym.minilean.meta.metavars import Meta
from lean_gym.minilean.meta.unify import is_def_eq
from lean_gym.minilean.meta.whnf import whnf

_HINT = "structural recursion cannot be used"


def mentions(e: Expr, x: FVar) -> bool:
    """Whether the variable occurs."""
    return e.has_fvar and any(sub is x for sub in subterms(e))


@dataclass(slots=True)
class _Plan:
    """One way to recurse: on argument `position`, with the first `fixed` arguments the same in every call."""

    position: int
    fixed: int
    info: Inductive
    fn: Const
    params: list[Expr]
    index_positions: list[int]


def compile_structural(m: Meta, name: str, self_var: FVar, value: Expr) -> Expr:
    """The value of a recursive function without `self_var`.

    Args:
        m: In whose local context `self_var` lives.
        name: For messages.
        self_var: The function itself, in `value`.
        value: `fun args => body`, fully instantiated.

    Raises:
        MetaError: No argument serves.
    """
    old = m.lctx
    errors: list[str] = []
    try:
        args, body = m.intro_binders(value)
        calls = _calls(body, self_var)
        if any(len(call) == 0 for call in calls):
            raise MetaError(f"fail to show termination for `{name}`: {_HINT}: it is used without arguments")
        fixed = _fixed_prefix(args, calls, m)
        for position in range(len(args)):
            mark = m.mctx.mark()
            context = m.lctx
            try:
                plan = _plan(m, args, position, fixed, calls)
                return _compile(m, plan, self_var, args, body)
            except BudgetError:
                raise
            except MetaError as error:
                errors.append(f"Not considering parameter {_nth(position)} of {name}:\n  {error}")
                m.mctx.rollback(mark)
                m.lctx = context
    finally:
        m.lctx = old
    raise UnsupportedError(f"well-founded recursion\n{_HINT}:\n\n" + "\n".join(errors))


def _nth(position: int) -> str:
    return f"#{position + 1}"


def _calls(body: Expr, self_var: FVar) -> list[list[Expr]]:
    """The arguments of every occurrence of the function; loose variables in them stay loose."""
    out: list[list[Expr]] = []
    seen: set[Expr] = set()
    todo = [body]
    while todo:
        e = todo.pop()
        if not e.has_fvar or e in seen:
            continue
        seen.add(e)
        kind = type(e)
        if kind is App:
            fn, args = get_app(e)
            if fn is self_var:
                out.append(args)
            else:
                todo.append(fn)
            todo.extend(args)
        elif e is self_var:
            out.append([])
        elif kind is Lam or kind is Pi:
            todo += (e.type, e.body)  # type: ignore[attr-defined]
        elif kind is Let:
            todo += (e.type, e.value, e.body)  # type: ignore[attr-defined]
        elif kind is Proj:
            todo.append(e.expr)  # type: ignore[attr-defined]
    return out


def _fixed_prefix(args: Sequence[FVar], calls: Sequence[list[Expr]], m: Meta) -> int:
    count = 0
    while count < len(args) and all(len(c) > count and c[count] is args[count] for c in calls):
        count += 1
    return count


def _plan(m: Meta, args: list[FVar], position: int, fixed: int, calls: Sequence[list[Expr]]) -> _Plan:
    type_ = whnf(m, m.local(args[position]).type)
    fn, type_args = get_app(type_)
    info = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(info, Inductive) or type(fn) is not Const:
        raise MetaError("its type is not an inductive type")
    if m.env.find(f"{info.name}.brecOn") is None:
        raise MetaError(f"its type {info.name} does not have a recursor")
    if any(len(c) <= position for c in calls):
        raise MetaError("it is missing in a recursive call")
    indices = type_args[info.num_params :]
    index_positions = []
    for index in indices:
        if type(index) is not FVar or index not in args[:position]:
            raise MetaError("its type is an inductive family whose indices are not variables of the function")
        index_positions.append(args.index(index))
    fixed = min([fixed, position, *index_positions])
    bound = set(args[fixed:])
    for param in type_args[: info.num_params]:
        if any(type(s) is FVar and s in bound for s in subterms(param)):
            raise MetaError("its type is an inductive datatype whose parameters depend on what changes")
    return _Plan(position, fixed, info, fn, type_args[: info.num_params], index_positions)


def _compile(m: Meta, plan: _Plan, self_var: FVar, args: list[FVar], body: Expr) -> Expr:
    major = args[plan.position]
    indices = [args[i] for i in plan.index_positions]
    own = [*indices, major]
    others = [x for x in args[plan.fixed :] if x not in own]
    if any(mentions(m.local(x).type, y) for x in own for y in others):
        raise MetaError("its type depends on arguments that change")
    result = m.instantiate_mvars(infer_type(m, body))
    rest = m.mk_pi(others, result)
    motive = m.mk_lambda(own, rest)
    level = sort_level(m, rest)
    levels = (level, *plan.fn.levels)
    # a name for the motive: where it is not unfolded, values at different arguments have different types
    named = m.push_local("C", infer_type(m, motive), value=motive)
    below_type = mk_apps(mk_const(f"{plan.info.name}.below", levels), [*plan.params, named, *own])
    below = m.push_local("below", below_type)
    rewriter = _Rewriter(m, plan, self_var, named, args)
    new_body = rewriter.rewrite(body, below)
    if mentions(new_body, self_var):
        raise MetaError("unexpected occurrence of recursive application")
    step = m.mk_lambda([*own, below, *others], new_body)
    call = mk_apps(
        mk_const(f"{plan.info.name}.brecOn", levels), [*plan.params, motive, *indices, major, step]
    )
    whole = mk_apps(instantiate1(abstract(call, [named]), motive), others)
    return m.mk_lambda(args, whole)


@dataclass(slots=True)
class _Rewriter:
    m: Meta
    plan: _Plan
    self_var: FVar
    motive: Expr
    args: list[FVar]

    def rewrite(self, e: Expr, below: FVar) -> Expr:
        """`e` with recursive calls taken from `below`."""
        if not mentions(e, self.self_var):
            return e
        m = self.m
        m.budget.spend("structural recursion")
        kind = type(e)
        if kind is Lam or kind is Pi:
            type_ = self.rewrite(e.type, below)  # type: ignore[attr-defined]
            old = m.lctx
            try:
                x = m.push_local(e.name, type_, e.info)  # type: ignore[attr-defined]
                body = self.rewrite(instantiate1(e.body, x), below)  # type: ignore[attr-defined]
                make = mk_lam if kind is Lam else mk_pi
                return make(e.name, type_, abstract(body, [x]), e.info)  # type: ignore[attr-defined]
            finally:
                m.lctx = old
        if kind is Let:
            type_ = self.rewrite(e.type, below)  # type: ignore[attr-defined]
            value = self.rewrite(e.value, below)  # type: ignore[attr-defined]
            old = m.lctx
            try:
                x = m.push_local(e.name, type_, value=value)  # type: ignore[attr-defined]
                body = self.rewrite(instantiate1(e.body, x), below)  # type: ignore[attr-defined]
                return mk_let(e.name, type_, value, abstract(body, [x]), e.nondep)  # type: ignore[attr-defined]
            finally:
                m.lctx = old
        if kind is Proj:
            return mk_proj(e.struct, e.idx, self.rewrite(e.expr, below))  # type: ignore[attr-defined]
        fn, args = get_app(e)
        if fn is self.self_var:
            return self._call([self.rewrite(a, below) for a in args], below)
        if type(fn) is Lam:
            # `have` and `show`: what is bound is not refined, so the argument comes first
            return mk_apps(self.rewrite(fn, below), [self.rewrite(a, below) for a in args])
        info = m.env.matchers.get(fn.name) if type(fn) is Const else None
        if info is not None and len(args) >= info.arity:
            refined = self._matcher(fn, info, args, below)
            if refined is not None:
                return refined
        return mk_apps(self.rewrite(fn, below), [self.rewrite(a, below) for a in args])

    def _matcher(self, fn: Expr, info: MatcherInfo, args: list[Expr], below: FVar) -> Expr | None:
        """A matcher whose discriminants `below` depends on: its alternatives get a finer `below` each."""
        m = self.m
        first = info.num_params + 1
        discrs = args[first : first + info.num_discrs]
        below_type = m.local(below).type
        if not any(type(d) is FVar and mentions(below_type, d) for d in discrs):
            return None
        if any(mentions(d, self.self_var) for d in discrs):
            discrs = [self.rewrite(d, below) for d in discrs]
        motive, alts = args[info.num_params], args[first + info.num_discrs : info.arity]
        old = m.lctx
        try:
            xs, result = m.intro_binders(motive, info.num_discrs)
            if len(xs) != info.num_discrs:
                return None
            refined = below_type
            for d, x in zip(discrs, xs, strict=True):
                if type(d) is FVar:
                    refined = instantiate1(abstract(refined, [d]), x)
            new_motive = m.mk_lambda(xs, mk_pi("below", refined, result))
        finally:
            m.lctx = old
        new_alts: list[Expr] = []
        for alt, count in zip(alts, info.alt_arities, strict=True):
            alternative = self._alternative(fn, info, args, new_motive, alt, count, len(new_alts))
            if alternative is None:
                return None
            new_alts.append(alternative)
        level = sort_level_of_motive(m, new_motive, info)
        levels = _with_motive_level(m, fn, info, level)
        head = mk_const(fn.name, levels)  # type: ignore[attr-defined]
        extra = [self.rewrite(a, below) for a in args[info.arity :]]
        return mk_apps(head, [*args[: info.num_params], new_motive, *discrs, *new_alts, below, *extra])

    def _alternative(
        self, fn: Expr, info: MatcherInfo, args: list[Expr], motive: Expr, alt: Expr, count: int, index: int
    ) -> Expr | None:
        m = self.m
        old = m.lctx
        try:
            fields, body = m.intro_binders(alt, count)
            if len(fields) != count:
                return None
            # the type of this alternative at the new motive starts with the fields and the finer `below`
            level = sort_level_of_motive(m, motive, info)
            head = mk_const(fn.name, _with_motive_level(m, fn, info, level))  # type: ignore[attr-defined]
            first = info.num_params + 1
            partial = mk_apps(
                head, [*args[: info.num_params], motive, *args[first : first + info.num_discrs]]
            )
            type_ = whnf(m, infer_type(m, partial))
            for _ in range(index):
                assert type(type_) is Pi
                type_ = whnf(m, instantiate1(type_.body, type_))
            assert type(type_) is Pi
            own = type_.type
            for x in fields:
                own = whnf(m, own)
                assert type(own) is Pi
                own = instantiate1(own.body, x)
            own = whnf(m, own)
            assert type(own) is Pi
            below = m.push_local("below", m.instantiate_mvars(own.type))
            return m.mk_lambda([*fields, below], self.rewrite(body, below))
        finally:
            m.lctx = old

    def _call(self, args: list[Expr], below: FVar) -> Expr:
        """The value of a recursive call, found in `below`."""
        m = self.m
        plan = self.plan
        for i in range(plan.fixed):
            if not is_def_eq(m, args[i], self.args[i]):
                raise MetaError("a parameter changes in a recursive call")
        wanted = [*(args[i] for i in plan.index_positions), args[plan.position]]
        m.zeta_delta = False
        try:
            found = self._search(below, m.local(below).type, wanted, 0)
        finally:
            m.zeta_delta = True
        if found is None:
            raise MetaError("failed to eliminate recursive application")
        used = {*plan.index_positions, plan.position}
        rest = [args[i] for i in range(plan.fixed, len(args)) if i not in used]
        return mk_apps(found, rest)

    def _search(self, e: Expr, type_: Expr, wanted: list[Expr], depth: int) -> Expr | None:
        """A part of `e : type_`, a nest of pairs, whose type is the motive at the wanted arguments."""
        m = self.m
        m.budget.spend("structural recursion")
        if depth > 64:
            return None
        reduced = whnf(m, type_)
        fn, args = get_app(reduced)
        if type(fn) is not Const or fn.name != "PProd":
            return None
        goal = mk_apps(self.motive, wanted)
        first, second = (mk_proj("PProd", i, e) for i in (0, 1))
        if get_app_fn(args[0]) is self.motive:
            return first if is_def_eq(m, args[0], goal) else self._search(second, args[1], wanted, depth + 1)
        return self._search(first, args[0], wanted, depth + 1) or self._search(
            second, args[1], wanted, depth + 1
        )


def sort_level_of_motive(m: Meta, motive: Expr, info: MatcherInfo) -> Level:
    """The universe that the motive's values live in."""
    old = m.lctx
    try:
        _, body = m.intro_binders(motive, info.num_discrs)
        return m.instantiate_level(sort_level(m, body))
    finally:
        m.lctx = old


def _with_motive_level(m: Meta, fn: Expr, info: MatcherInfo, level: Level) -> tuple[Level, ...]:
    """The levels of a matcher with that of its motive's universe changed."""
    decl = m.env.find(fn.name)  # type: ignore[attr-defined]
    assert decl is not None
    position = motive_level_position(m, fn.name)  # type: ignore[attr-defined]
    if position is None:
        return fn.levels  # type: ignore[attr-defined, no-any-return]
    levels = list(fn.levels)  # type: ignore[attr-defined]
    levels[position] = level
    return tuple(levels)


def motive_level_position(m: Meta, name: str) -> int | None:
    """Which universe parameter of a matcher is that of its motive; `None` if it only proves."""
    info = m.env.matchers[name]
    decl = m.env.find(name)
    assert decl is not None
    type_ = decl.type
    for _ in range(info.num_params):
        type_ = type_.body  # type: ignore[attr-defined]
    sort = type_.type  # type: ignore[attr-defined]
    while type(sort) is Pi:
        sort = sort.body
    for i, param in enumerate(decl.level_params):
        if getattr(sort.level, "name", None) == param:
            return i
    return None
