"""Definitions `T.noConfusionType` and `T.noConfusion`: what an equation between values of a type tells.

They are made when a command mentions them. They have Lean's types; an enumeration compares its values by `casesOn`,
where Lean compares the numbers of the constructors.

Source: Lean 4 `src/Lean/Meta/Constructions/NoConfusion.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from minilean.kernel.declaration import Constructor, Inductive
from minilean.kernel.expr import (
    IMPLICIT,
    Const,
    Expr,
    FVar,
    Pi,
    Sort,
    get_app,
    mk_app,
    mk_apps,
    mk_const,
    mk_pi,
    mk_sort,
)
from minilean.kernel.instantiate import abstract, beta_apply, instantiate1
from minilean.kernel.level import Level, is_zero, mk_param, mk_succ
from minilean.meta.extension import REDUCIBLE, LeanEnv
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.meta_m import MetaM
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf

WORDS = ("noConfusion", "noConfusionType")


def has_no_confusion(env: LeanEnv, name: str) -> bool:
    """Return whether Lean defines `T.noConfusion` for a type: it is not a proposition, and its values are shown."""
    decl = env.find(name)
    if not isinstance(decl, Inductive) or not decl.large_elim or f"{name}.rec" in env.hidden:
        return False
    _, sort = MetaM(env).intro_binders(decl.type)
    return isinstance(sort, Sort) and not is_zero(sort.level)


def add_no_confusion(env: LeanEnv, name: str) -> None:
    """Define `T.noConfusionType` and `T.noConfusion`, unless the type has none or they are there."""
    decl, cases_on = env.find(name), env.find(f"{name}.casesOn")
    made = env.find(f"{name}.noConfusion") is not None
    if isinstance(decl, Inductive) and cases_on is not None and not made and has_no_confusion(env, name):
        _Maker(env, decl, cases_on.level_params).define()


class _Maker:
    """Makes the definitions for one type. `self._goal` stands for the goal `P`."""

    def __init__(self, env: LeanEnv, decl: Inductive, level_params: Sequence[str]) -> None:
        self._env = env
        self._decl = decl
        self._names = tuple(level_params)
        self._level, *own = map(mk_param, level_params)
        self._own = tuple(own)
        self._m = MetaM(env)
        self._goal = self._m.push_local("P", mk_sort(self._level))
        self._is_enumeration = _is_enumeration(env, decl)

    def define(self) -> None:
        """Add both definitions; the kernel checks them."""
        m, name = self._m, self._decl.name
        self._equations = [self._equations_of(ctor) for ctor in self._decl.constructors]
        x, y = ("x", "y") if self._is_enumeration else ("t", "t'")
        left, right = self._values(x, ""), self._values(y, "'")
        self._add(
            f"{name}.noConfusionType", m.mk_lambda([self._goal, *left, *right], self._type(left, right))
        )
        given = (self._goal, *left, *right)
        m.lctx = m.lctx.replace_all([replace(d, info=IMPLICIT) if d.fvar in given else d for d in m.lctx])
        hypotheses = self._hypotheses(left, right)
        proof = self._transported(left, right, hypotheses)
        self._add(f"{name}.noConfusion", m.mk_lambda([*given, *hypotheses], proof))

    def _add(self, name: str, value: Expr) -> None:
        env = self._env
        env.kernel.add_definition(name, self._names, infer_type(self._m, value), value, abbrev=True)
        env.reducibility[name] = REDUCIBLE
        env.protected.add(name)

    # --- variables ------------------------------------------------------------------------------------------

    def _telescope(self, type_: Expr, count: int, mark: str, info: int | None = None) -> list[FVar]:
        """Introduce variables for the first binders of a type; `mark` is added to their names."""
        m = self._m
        found: list[FVar] = []
        for _ in range(count):
            type_ = whnf(m, type_)
            assert type(type_) is Pi
            name = f"{type_.name[:-1]}{mark}✝" if type_.name.endswith("✝") else type_.name + mark
            found.append(m.push_local(name, type_.type, info or type_.info))
            type_ = instantiate1(type_.body, found[-1])
        return found

    def _values(self, name: str, mark: str) -> list[FVar]:
        """Introduce parameters, indices and a value of the type."""
        params = self._telescope(infer_type(self._m, self._former()), self._decl.num_params, mark, IMPLICIT)
        return [*params, *self._targets(params, name, mark)]

    def _targets(self, params: Sequence[Expr], name: str, mark: str) -> list[FVar]:
        """Introduce indices and a value of the type at some parameters."""
        m, former = self._m, mk_apps(self._former(), params)
        indices = self._telescope(infer_type(m, former), self._decl.num_indices, mark, IMPLICIT)
        return [*indices, m.push_local(name, mk_apps(former, indices))]

    def _former(self) -> Expr:
        return mk_const(self._decl.name, self._own)

    def _fields(self, ctor: str, params: Sequence[Expr], mark: str) -> list[FVar]:
        decl = self._env.find(ctor)
        assert isinstance(decl, Constructor)
        return self._telescope(
            infer_type(self._m, mk_apps(mk_const(ctor, self._own), params)), decl.num_fields, mark
        )

    # --- equations ------------------------------------------------------------------------------------------

    def _equation(self, x: Expr, y: Expr) -> Expr:
        """Return `x = y`, or `x ≍ y` where their types differ."""
        m = self._m
        x_type, y_type = infer_type(m, x), infer_type(m, y)
        level = (sort_level(m, x_type),)
        if is_def_eq(m, x_type, y_type):
            return mk_apps(mk_const("Eq", level), (x_type, x, y))
        return mk_apps(mk_const("HEq", level), (x_type, x, y_type, y))

    def _hypotheses(self, left: Sequence[FVar], right: Sequence[FVar]) -> list[FVar]:
        """Introduce the equations between two lists of variables."""
        m = self._m
        word = "h" if self._is_enumeration else "eq"
        names = [word] if len(left) == 1 else [f"{word}_{i}" for i, _ in enumerate(left, 1)]
        equations = [self._equation(x, y) for x, y in zip(left, right, strict=True)]
        return [m.push_local(name, equation) for name, equation in zip(names, equations, strict=True)]

    def _equations_of(self, ctor: str) -> Expr:
        """Return `fun params xs params' ys => x = y → .. → P`, over the fields that are not proofs."""
        m = self._m
        old = m.lctx
        params = [
            self._telescope(infer_type(m, self._former()), self._decl.num_params, mark) for mark in ("", "'")
        ]
        xs, ys = (self._fields(ctor, own, mark) for own, mark in zip(params, ("", "'"), strict=True))
        out: Expr = self._goal
        for x, y in reversed(list(zip(xs, ys, strict=True))):
            if not is_prop(m, m.local(x).type):
                out = mk_pi(f"{m.local(x).name.rstrip('✝')}_eq", self._equation(x, y), out)
        closed = m.mk_lambda([*params[0], *xs, *params[1], *ys], out)
        m.lctx = old
        return closed

    # --- the type -------------------------------------------------------------------------------------------

    def _cases(self, level: Level, result: Callable[[list[Expr]], Expr], xs: Sequence[Expr]) -> Expr:
        """Return `casesOn` at a value, without its alternatives; `result` makes the type over other targets."""
        m, count = self._m, self._decl.num_params
        old = m.lctx
        targets = self._targets(xs[:count], "t", "")
        motive = m.mk_lambda(targets, result([*xs[:count], *targets]))
        m.lctx = old
        head = mk_const(f"{self._decl.name}.casesOn", (level, *self._own))
        return mk_apps(head, [*xs[:count], motive, *xs[count:]])

    def _type(self, left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
        """Return `(equations of the fields → P) → P` for equal constructors, and `P` for different ones."""
        m, count = self._m, self._decl.num_params
        old = m.lctx
        top = mk_succ(self._level)
        sort = mk_sort(self._level)
        rows = []
        for i, first in enumerate(self._decl.constructors):
            xs = self._fields(first, left[:count], "")
            outer = m.lctx
            cells = []
            for j, second in enumerate(self._decl.constructors):
                ys = self._fields(second, right[:count], "'")
                cell: Expr = self._goal
                if i == j:
                    arguments = [*left[:count], *xs, *right[:count], *ys]
                    cell = mk_pi("a✝", beta_apply(self._equations[i], arguments), cell)
                cells.append(m.mk_lambda(ys, cell))
                m.lctx = outer
            rows.append(m.mk_lambda(xs, mk_apps(self._cases(top, lambda _: sort, right), cells)))
            m.lctx = old
        return mk_apps(self._cases(top, lambda _: sort, left), rows)

    def _stated(self, left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
        head = mk_const(f"{self._decl.name}.noConfusionType", (self._level, *self._own))
        return mk_apps(head, [self._goal, *left, *right])

    # --- the proof ------------------------------------------------------------------------------------------

    def _reflexive(self, xs: Sequence[Expr]) -> Expr:
        """Prove the statement for a value and itself: the equations of the fields hold by reflexivity."""
        m, params = self._m, xs[: self._decl.num_params]
        old = m.lctx
        alternatives = []
        for ctor, equations in zip(self._decl.constructors, self._equations, strict=True):
            ys = self._fields(ctor, params, "")
            premise = beta_apply(equations, [*params, *ys, *params, *ys])
            k = m.push_local("k", premise)
            value: Expr = k
            while type(premise) is Pi:
                fn, args = get_app(premise.type)
                assert isinstance(fn, Const)
                value = mk_app(value, mk_apps(mk_const(f"{fn.name}.refl", fn.levels), args[:2]))
                premise = premise.body
            alternatives.append(m.mk_lambda([*ys, k], value))
            m.lctx = old
        return mk_apps(self._cases(self._level, lambda both: self._stated(both, both), xs), alternatives)

    def _transported(
        self, left: Sequence[FVar], right: Sequence[FVar], hypotheses: Sequence[FVar], done: int = 0
    ) -> Expr:
        """Prove the statement for `left` and `left[:done] + right` by the equations, one after another."""
        m = self._m
        if not right:
            return self._reflexive(left)
        x, y, h = left[done], right[0], hypotheses[0]
        later = [*right[1:], *hypotheses[1:]]
        fn, args = get_app(m.local(h).type)
        assert isinstance(fn, Const)
        equality: Expr = h
        if fn.name == "HEq":
            # the types agree where the earlier equations have been used
            equality = mk_apps(mk_const("eq_of_heq", fn.levels), (args[0], x, y, h))
        statement = m.mk_pi(later, self._stated(left, [*left[:done], *right]))
        old = m.lctx
        fresh, _ = m.intro_binders(instantiate1(abstract(statement, [y]), x), len(later))
        count = len(right) - 1
        case = m.mk_lambda(fresh, self._transported(left, fresh[:count], fresh[count:], done + 1))
        m.lctx = old
        levels = (sort_level(m, statement), *fn.levels)
        motive = m.mk_lambda([y], statement)
        return mk_apps(mk_const("Eq.ndrec", levels), [args[0], x, motive, case, y, equality, *later])


def _is_enumeration(env: LeanEnv, decl: Inductive) -> bool:
    """Return whether the type has neither parameters nor indices, and no constructor has fields."""
    constants = [env.find(ctor) for ctor in decl.constructors]
    plain = all(ctor is not None and type(ctor.type) is Const for ctor in constants)
    return plain and bool(constants) and type(decl.type) is Sort
