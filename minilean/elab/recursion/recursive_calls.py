"""Recursive calls in the body of a function: each becomes a projection of `below`.

`below` holds the values at all known subterms of the argument. A `match` or a case distinction on the argument refines
it.

Source: Lean 4 `src/Lean/Elab/PreDefinition/Structural/BRecOn.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass

from minilean.elab.display import show
from minilean.kernel.declaration import Inductive, Recursor
from minilean.kernel.expr import (
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
from minilean.kernel.instantiate import abstract, beta_apply, instantiate1
from minilean.kernel.level import Level
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError
from minilean.meta.extension import MatcherInfo
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core


def mentions(e: Expr, x: FVar) -> bool:
    """Return whether the variable `x` occurs in `e`."""
    return e.has_fvar and any(sub is x for sub in subterms(e))


def calls_of(body: Expr, self_var: FVar) -> list[list[Expr]]:
    """Return the arguments of every occurrence of the function; loose bound variables stay loose."""
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


class NoDecrease(MetaError):
    """A recursive call is not on a part of the argument."""


@dataclass(slots=True)
class Plan:
    """Recursion on argument `position`, with the first `fixed` arguments the same in every call."""

    position: int
    fixed: int
    info: Inductive
    fn: Const
    params: list[Expr]
    index_positions: list[int]


@dataclass(slots=True)
class Rewriter:
    """Replaces the recursive calls of one body by projections of `below`."""

    m: Meta
    plan: Plan
    self_var: FVar
    motive: Expr
    args: list[FVar]

    @property
    def below_name(self) -> str:
        """Name of the variable for the values at smaller arguments."""
        return "below"

    def rewrite(self, e: Expr, below: FVar) -> Expr:
        """Return `e` with recursive calls replaced by projections of `below`."""
        if not self._calls(e):
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
        if self._is_call(fn):
            return self._call_of(fn, [self.rewrite(a, below) for a in args], below)
        info = m.env.matchers.get(fn.name) if type(fn) is Const else None
        if info is not None and len(args) >= info.arity and self._recurses_on_part(e):
            refined = self._matcher(fn, info, args, below)
            if refined is not None:
                return refined
        refined = self._cases(fn, args, below)
        if refined is not None:
            return refined
        return mk_apps(self.rewrite(fn, below), [self.rewrite(a, below) for a in args])

    def _calls(self, e: Expr) -> bool:
        """Return whether a function whose calls are replaced occurs in `e`."""
        return mentions(e, self.self_var)

    def _is_call(self, fn: Expr) -> bool:
        """Return whether `fn` is a function whose calls are replaced."""
        return fn is self.self_var

    def _call_of(self, fn: Expr, args: list[Expr], below: FVar) -> Expr:
        """Return the value of a call of `fn`."""
        return self._call(args, below)

    def _recurses_on_part(self, e: Expr) -> bool:
        """Return whether some call in `e` recurses on a variable that `e` binds; otherwise `below` is not refined.

        Source: Lean 4 `src/Lean/Elab/PreDefinition/Structural/BRecOn.lean`, recArgHasLooseBVarsAt (4.34).
        """
        position = self.plan.position
        return any(len(call) > position and call[position].loose for call in calls_of(e, self.self_var))

    def _matcher(self, fn: Expr, info: MatcherInfo, args: list[Expr], below: FVar) -> Expr | None:
        """Rewrite a matcher on whose discriminants `below` depends: each alternative gets a refined `below`."""
        m = self.m
        first = info.num_params + 1
        discrs = args[first : first + info.num_discrs]
        below_type = m.local(below).type
        if not any(type(d) is FVar and mentions(below_type, d) for d in discrs):
            return None
        if any(self._calls(d) for d in discrs):
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
            # the type of this alternative at the new motive starts with the fields and the refined `below`
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
            below = m.push_local(self.below_name, m.instantiate_mvars(own.type))
            return m.mk_lambda([*fields, below], self.rewrite(body, below))
        finally:
            m.lctx = old

    def _cases(self, fn: Expr, args: list[Expr], below: FVar) -> Expr | None:
        """Rewrite a case distinction by a recursor, as tactics make it: each case gets a refined `below`."""
        m = self.m
        rec = m.env.find(fn.name) if type(fn) is Const else None
        if type(fn) is not Const or not isinstance(rec, Recursor) or len(args) <= rec.major_index:
            return None
        first = rec.num_params
        motive, minors = args[first], args[first + 1 : first + 1 + rec.num_minors]
        own = args[first + 1 + rec.num_minors : rec.major_index + 1]
        below_type = m.local(below).type
        if type(own[-1]) is not FVar or not mentions(below_type, own[-1]):
            return None
        old = m.lctx
        try:
            xs, result = m.intro_binders(motive, len(own))
            if len(xs) != len(own):
                return None
            refined = below_type
            for d, x in zip(own, xs, strict=True):
                if type(d) is FVar:
                    refined = instantiate1(abstract(refined, [d]), x)
            goal = mk_pi("below", refined, result)
            new_motive = m.mk_lambda(xs, goal)
            large = len(fn.levels) > len(m.env.kernel.get(rec.inductive).level_params)
            levels = (m.instantiate_level(sort_level(m, goal)), *fn.levels[1:]) if large else fn.levels
        finally:
            m.lctx = old
        head = mk_const(fn.name, levels)
        type_ = whnf(m, infer_type(m, mk_apps(head, [*args[:first], new_motive])))
        new_minors: list[Expr] = []
        for minor, count in zip(minors, _minor_arities(rec), strict=True):
            assert type(type_) is Pi
            case = self._case(minor, count, type_.type)
            if case is None:
                return None
            new_minors.append(case)
            type_ = whnf(m, instantiate1(type_.body, case))
        extra = [self.rewrite(a, below) for a in args[rec.major_index + 1 :]]
        return mk_apps(head, [*args[:first], new_motive, *new_minors, *own, below, *extra])

    def _case(self, minor: Expr, count: tuple[int, int], wanted: Expr) -> Expr | None:
        """Rewrite one case; `None` where it uses an induction hypothesis: then it is not a case distinction."""
        m = self.m
        old = m.lctx
        fields, hypotheses = count
        try:
            xs: list[FVar] = []
            for _ in range(fields + hypotheses):
                assert type(wanted) is Pi
                xs.append(m.push_local(wanted.name, wanted.type, wanted.info))
                wanted = whnf_core(m, instantiate1(wanted.body, xs[-1]))
            body = beta_apply(minor, xs)
            if any(mentions(body, x) for x in xs[fields:]):
                return None
            assert type(wanted) is Pi
            below = m.push_local(self.below_name, m.instantiate_mvars(wanted.type))
            return m.mk_lambda([*xs, below], self.rewrite(body, below))
        finally:
            m.lctx = old

    def _call(self, args: list[Expr], below: FVar) -> Expr:
        """Find the value of a recursive call in `below`."""
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
            call = show(m, mk_apps(self.self_var, args), 4)
            raise NoDecrease(f"failed to eliminate recursive application\n    {call}")
        used = {*plan.index_positions, plan.position}
        rest = [args[i] for i in range(plan.fixed, len(args)) if i not in used]
        return mk_apps(found, rest)

    def _search(self, e: Expr, type_: Expr, wanted: list[Expr], depth: int) -> Expr | None:
        """Find the projection of `e : type_`, nested pairs, whose type is the motive at the wanted arguments."""
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
    """Return the universe level of the motive's values."""
    old = m.lctx
    try:
        _, body = m.intro_binders(motive, info.num_discrs)
        return m.instantiate_level(sort_level(m, body))
    finally:
        m.lctx = old


def _with_motive_level(m: Meta, fn: Expr, info: MatcherInfo, level: Level) -> tuple[Level, ...]:
    """Return the levels of a matcher with the motive's level changed."""
    decl = m.env.find(fn.name)  # type: ignore[attr-defined]
    assert decl is not None
    position = motive_level_position(m, fn.name)  # type: ignore[attr-defined]
    if position is None:
        return fn.levels  # type: ignore[attr-defined, no-any-return]
    levels = list(fn.levels)  # type: ignore[attr-defined]
    levels[position] = level
    return tuple(levels)


def motive_level_position(m: Meta, name: str) -> int | None:
    """Return the position of the universe parameter of a matcher's motive; `None` if the motive is a proposition."""
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


def _minor_arities(rec: Recursor) -> list[tuple[int, int]]:
    """Return the numbers of fields and of induction hypotheses of each case of a recursor."""
    type_ = rec.type
    for _ in range(rec.num_params + 1):
        assert type(type_) is Pi
        type_ = type_.body
    found = []
    for rule in rec.rules:
        assert type(type_) is Pi
        minor, count = type_.type, 0
        while type(minor) is Pi:
            minor, count = minor.body, count + 1
        found.append((rule.num_fields, count - rule.num_fields))
        type_ = type_.body
    return found
