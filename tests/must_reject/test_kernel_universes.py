"""Attempts to put a universe into itself."""

from __future__ import annotations

import pytest
from kernel_terms import NAT, SORT_U, TRUE, TYPE_U, ZERO, U, V, app, arrow, const, lam, pi, refl, rejected

from minilean.kernel.environment import Environment
from minilean.kernel.errors import (
    ArgumentMismatch,
    DuplicateLevelParam,
    ForgedNode,
    InvalidProjection,
    LevelTooComplex,
    Metavariable,
    UndeclaredLevelParam,
    UniverseTooBig,
    ValueTypeMismatch,
    WrongLevelCount,
)
from minilean.kernel.expr import PROP, TYPE, Expr, mk_const, mk_proj, mk_sort
from minilean.kernel.level import (
    ONE,
    Level,
    Param,
    mk_imax,
    mk_level_mvar,
    mk_max,
    mk_offset,
    mk_param,
    mk_succ,
)
from minilean.kernel.level import (
    ZERO as LEVEL_ZERO,
)


def test_type_in_type(env: Environment) -> None:
    with rejected(ValueTypeMismatch):
        env.add_definition("t", (), TYPE, TYPE)
    with rejected(ValueTypeMismatch):
        env.add_definition("t", ("u",), TYPE_U, TYPE_U)
    with rejected(ValueTypeMismatch):
        env.add_definition("t", ("u", "v"), mk_sort(mk_succ(V)), SORT_U)


@pytest.mark.parametrize(
    ("level", "claimed"),
    [
        (mk_max(ONE, mk_succ(U)), ONE),
        (mk_max(mk_succ(U), ONE), ONE),
        (mk_imax(U, V), mk_max(U, V)),
        (mk_imax(U, V), V),
        (mk_imax(ONE, U), ONE),
        (mk_imax(mk_succ(U), U), U),
        (mk_max(U, V), U),
    ],
)
def test_levels_that_are_not_equal(env: Environment, level: Level, claimed: Level) -> None:
    with rejected(ValueTypeMismatch):
        env.add_definition("t", ("u", "v"), mk_sort(mk_succ(claimed)), mk_sort(level))


def test_impredicativity_is_for_prop_alone(env: Environment) -> None:
    over_all_types = pi("α", TYPE, lambda a: pi("x", a, lambda _: a))
    with rejected(ValueTypeMismatch):
        env.add_definition("t", (), TYPE, over_all_types)
    env.add_definition("p", (), PROP, pi("p", PROP, lambda p: p))


def test_a_type_that_holds_its_own_universe(env: Environment) -> None:
    with rejected(UniverseTooBig):
        env.add_inductive("Small", (), 0, TYPE, [("Small.mk", arrow(TYPE, const("Small")))])
    small = mk_const("Small", (U,))
    with rejected(UniverseTooBig):
        env.add_inductive("Small", ("u",), 0, TYPE_U, [("Small.mk", arrow(TYPE_U, small))])
    with rejected(UniverseTooBig):
        # Sort (max 1 (u+1)) is Type u, which holds Type u no more than Type u does
        sort = mk_sort(mk_max(ONE, mk_succ(U)))
        env.add_inductive("Small", ("u",), 0, sort, [("Small.mk", arrow(TYPE_U, small))])


@pytest.mark.parametrize("level", [U, mk_imax(ONE, U), mk_imax(mk_succ(U), U), mk_max(U, U)])
def test_data_in_a_type_that_may_be_a_proposition(env: Environment, level: Level) -> None:
    with rejected(UniverseTooBig):
        env.add_inductive(
            "Maybe", ("u",), 0, mk_sort(level), [("Maybe.mk", arrow(NAT, mk_const("Maybe", (U,))))]
        )


@pytest.mark.parametrize("level", [mk_imax(ONE, LEVEL_ZERO), mk_max(LEVEL_ZERO, LEVEL_ZERO)])
def test_prop_in_disguise_has_no_data_to_take_out(env: Environment, level: Level) -> None:
    env.add_inductive(
        "Hidden", (), 0, mk_sort(level), [("Hidden.mk", pi("n", NAT, lambda _: const("Hidden")))]
    )
    assert not env.get("Hidden").large_elim
    hidden = app(const("Hidden.mk"), ZERO)
    with rejected(InvalidProjection):
        env.add_definition("n", (), NAT, mk_proj("Hidden", 0, hidden))


def test_universe_parameters_must_be_declared_once(env: Environment) -> None:
    with rejected(UndeclaredLevelParam):
        env.add_axiom("t", (), SORT_U)
    with rejected(UndeclaredLevelParam):
        env.add_axiom("t", ("v",), pi("α", SORT_U, lambda a: a))
    with rejected(UndeclaredLevelParam):
        env.check_proof((), TRUE, app(lam("α", TYPE_U, lambda _: const("True.intro")), SORT_U))
    with rejected(DuplicateLevelParam):
        env.add_axiom("t", ("u", "u"), SORT_U)


def test_universe_arguments_must_be_as_many_as_declared(env: Environment) -> None:
    for levels in ((), (ONE, ONE)):
        with rejected(WrongLevelCount):
            env.add_axiom("l", (), app(const("List", *levels), NAT))
    with rejected(WrongLevelCount):
        env.check_proof((), TRUE, mk_const("True.intro", (ONE,)))


def test_universe_metavariables(env: Environment) -> None:
    with rejected(Metavariable):
        env.add_axiom("t", (), mk_sort(mk_level_mvar(1)))
    with rejected(Metavariable):
        env.add_axiom("t", (), app(const("List", mk_max(ONE, mk_level_mvar(1))), NAT))


def test_universe_parameters_are_replaced_at_once(env: Environment) -> None:
    # one after the other, `{u := v, v := u}` would make both the same
    def choose(name_u: Level, name_v: Level) -> Expr:
        return pi("α", mk_sort(name_u), lambda a: pi("β", mk_sort(name_v), lambda b: a))

    env.add_axiom("k", ("u", "v"), choose(U, V))
    env.add_definition("k'", ("u", "v"), choose(V, U), const("k", V, U))
    for one, other in ((U, V), (U, U), (V, V)):
        with rejected(ValueTypeMismatch):
            env.add_definition("k''", ("u", "v"), choose(one, other), const("k", V, U))


def test_a_universe_parameter_that_hides(env: Environment) -> None:
    # instantiation skips nodes whose `has_param` is false
    hidden = Param()
    hidden.name, hidden.has_param, hidden.has_mvar = "u", False, False
    with rejected(ForgedNode):
        env.add_definition("t", ("u",), mk_sort(mk_succ(hidden)), mk_sort(hidden))


def test_a_level_of_an_unknown_class(env: Environment) -> None:
    class Anything(Level):
        __slots__ = ()

    level = Anything()
    level.has_param = level.has_mvar = False
    with rejected(ForgedNode):
        env.add_axiom("t", (), mk_sort(level))


def test_levels_too_large_to_compare(env: Environment) -> None:
    with rejected(LevelTooComplex):
        env.add_axiom("t", (), mk_sort(mk_offset(LEVEL_ZERO, 100_000)))
    right = LEVEL_ZERO
    names = [f"b{i}" for i in range(40)]
    for name in names:
        right = mk_max(right, mk_imax(U, mk_param(name)))
    # the normal forms differ; a case split on the parameters would not end
    with rejected(ValueTypeMismatch):
        env.add_definition("t", ("u", *names), mk_sort(mk_succ(right)), SORT_U)


def test_equal_levels_that_leans_kernel_takes_for_different(env: Environment) -> None:
    for left, right in [
        (mk_imax(V, ONE), mk_max(V, ONE)),
        (mk_imax(mk_max(ONE, V), V), V),
        (mk_imax(mk_imax(U, V), V), mk_imax(U, V)),
        (mk_imax(ONE, mk_succ(U)), mk_succ(U)),
    ]:
        with rejected(ValueTypeMismatch):
            env.add_definition("t", ("u", "v"), mk_sort(mk_succ(left)), mk_sort(right))


def test_cumulativity(env: Environment) -> None:
    # Lean has no cumulativity: a type of Type 0 is not a term of Type 1
    with rejected(ValueTypeMismatch):
        env.add_definition("t", (), mk_sort(mk_offset(ONE, 1)), NAT)
    with rejected(ValueTypeMismatch):
        env.add_definition("t", (), TYPE, TRUE)
    with rejected(ArgumentMismatch):
        env.check_proof((), TRUE, refl(TYPE, NAT, ONE))
