"""Recursors of inductive types: one a type, with a motive for each type and a minor premise for each constructor.

Source: Lean 4 `src/kernel/inductive.cpp`, whose binder names and kinds the recursors have.
"""

from __future__ import annotations

from minilean.kernel.declaration import Recursor, RecursorRule
from minilean.kernel.errors import ValueTypeMismatch
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    Const,
    Expr,
    get_app,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
    mk_sort,
)
from minilean.kernel.fuel import FuelConfig
from minilean.kernel.inductive import Case, Former, Group, Target
from minilean.kernel.judgements import Declarations
from minilean.kernel.level import ZERO, Level, is_zero, mk_param
from minilean.kernel.telescope import Local, close, hidden, new_local, open_pis
from minilean.kernel.traversal import subterms
from minilean.kernel.typechecker import TypeChecker


def recursors(group: Group) -> list[Recursor]:
    """Return `T.rec` with its computation rules for each type of a group."""
    return _Builder(group).build()


def check_recursor(env: Declarations, recursor: Recursor, fuel: FuelConfig) -> None:
    """Check that a recursor and its rules are well typed: a second check of those that were translated.

    Args:
        env: An environment with the recursors of the group and all that they mention.
        recursor: One of them.
        fuel: Bounds.

    Raises:
        KernelError: It is not well typed, or a rule has another type than the application that it rewrites.
    """
    checker = TypeChecker(env, fuel)
    checker.check_type(recursor.type)
    rec = mk_const(recursor.name, tuple(mk_param(param) for param in recursor.level_params))
    for rule in recursor.rules:
        telescope, result = open_pis(checker, checker.check(rule.rhs))
        _, (*indices, major) = get_app(result)
        shared = [local.fvar for local in telescope[: recursor.first_minor + recursor.num_minors]]
        got = checker.check(mk_apps(rec, [*shared, *indices, major]))
        head, args = get_app(major)
        built = type(head) is Const and head.name == rule.constructor
        fields = [local.fvar for local in telescope[len(shared) :]][: rule.num_fields]
        if not built or args[len(args) - rule.num_fields :] != fields or not checker.is_def_eq(got, result):
            raise ValueTypeMismatch(got, result)


class _Builder:
    def __init__(self, group: Group) -> None:
        self._group = group
        self._levels = group.level_params
        self._elim: Level = ZERO
        if group.large:
            fresh = _fresh_level_param(group.level_params)
            self._elim = mk_param(fresh)
            self._levels = (fresh, *group.level_params)
        several = len(group.formers) > 1
        self._majors = [self._major(former) for former in group.formers]
        self._motives = [
            self._motive(former, major, f"motive_{i + 1}" if several else "motive")
            for i, (former, major) in enumerate(zip(group.formers, self._majors, strict=True))
        ]
        self._minors = [[self._minor(i, case) for case in cases] for i, cases in enumerate(group.cases)]
        # the minor premises determine a motive; one that none of them mentions has to be given
        known = {node for minors in self._minors for minor in minors for node in subterms(minor.type)}
        self._motives = [
            motive._replace(info=IMPLICIT) if motive.fvar in known else motive for motive in self._motives
        ]

    def build(self) -> list[Recursor]:
        return [self._recursor(i) for i in range(len(self._group.formers))]

    def _recursor(self, i: int) -> Recursor:
        group = self._group
        former, major, motive = group.formers[i], self._majors[i], self._motives[i]
        all_minors = [minor for minors in self._minors for minor in minors]
        params = [hidden(param) for param in group.params]
        indices = [hidden(index) for index in former.indices]
        result = mk_app(mk_apps(motive.fvar, [index.fvar for index in indices]), major.fvar)
        type_ = close(mk_pi, [*params, *self._motives, *all_minors, *indices, major], result)
        rules = tuple(
            RecursorRule(case.name, len(case.fields), self._rule(case, minor))
            for case, minor in zip(group.cases[i], self._minors[i], strict=True)
        )
        k = (
            len(group.formers) == 1
            and is_zero(group.level)
            and [len(case.fields) for case in group.cases[i]] == [0]
        )
        names = tuple(one.name for one in group.formers)
        return Recursor(
            f"{former.name}.rec", self._levels, type_, former.name, names, len(params), len(indices),
            len(names), len(all_minors), rules, k,
        )  # fmt: skip

    def _major(self, former: Former) -> Local:
        args = [local.fvar for local in [*self._group.params, *former.indices]]
        return new_local(self._group.checker, "t", mk_apps(former.const, args))

    def _motive(self, former: Former, major: Local, name: str) -> Local:
        type_ = close(mk_pi, [*former.indices, major], mk_sort(self._elim))
        return new_local(self._group.checker, name, type_)

    def _minor(self, i: int, case: Case) -> Local:
        """Return the minor premise of the recursors for a constructor of type number `i`."""
        checker = self._group.checker
        hypotheses = []
        for field in case.fields:
            if field.target is not None:
                own, binders, indices = field.target
                value = mk_apps(field.local.fvar, [binder.fvar for binder in binders])
                type_ = mk_app(mk_apps(self._motives[own].fvar, indices), value)
                hypotheses.append(new_local(checker, f"{field.local.name}_ih", close(mk_pi, binders, type_)))
        locals_ = [field.local for field in case.fields]
        former = self._group.formers[i]
        built = mk_apps(
            mk_const(case.name, former.const.levels),  # type: ignore[attr-defined]
            [local.fvar for local in self._group.params + locals_],
        )
        result = mk_app(mk_apps(self._motives[i].fvar, case.indices), built)
        short = case.name.removeprefix(f"{former.name}.")
        return new_local(checker, short, close(mk_pi, locals_ + hypotheses, result))

    def _rule(self, case: Case, minor: Local) -> Expr:
        """`fun params motives minors fields => minor fields (recursive calls)`."""
        motives = [motive._replace(info=DEFAULT) for motive in self._motives]
        shared = [*self._group.params, *motives, *(minor for minors in self._minors for minor in minors)]
        locals_ = [field.local for field in case.fields]
        result = mk_apps(minor.fvar, [local.fvar for local in locals_])
        for field in case.fields:
            if field.target is not None:
                result = mk_app(result, self._call(field.local, field.target, shared))
        return close(mk_lam, shared + locals_, result)

    def _call(self, field: Local, target: Target, shared: list[Local]) -> Expr:
        """`fun binders => rec shared indices (field binders)`, with the recursor of the field's type."""
        name = f"{self._group.formers[target.former].name}.rec"
        call = mk_apps(
            mk_const(name, tuple(mk_param(param) for param in self._levels)), [local.fvar for local in shared]
        )
        value = mk_apps(field.fvar, [binder.fvar for binder in target.binders])
        return close(mk_lam, target.binders, mk_app(mk_apps(call, target.indices), value))


def _fresh_level_param(taken: tuple[str, ...]) -> str:
    """`u`, or the first of `u_1`, `u_2`, ... that is not taken."""
    name, i = "u", 0
    while name in taken:
        i += 1
        name = f"u_{i}"
    return name
