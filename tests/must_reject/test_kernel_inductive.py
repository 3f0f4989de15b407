"""Inductive types that would let one prove `False`, or that Lean refuses for other reasons."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from kernel_terms import (
    FALSE,
    NAT,
    SORT_U,
    TYPE_U,
    ZERO,
    U,
    V,
    app,
    arrow,
    const,
    imp,
    lam,
    pi,
    rejected,
    succ,
)

from minilean.kernel.declaration import InductiveType
from minilean.kernel.environment import Environment
from minilean.kernel.errors import (
    AlreadyDeclared,
    ArgumentMismatch,
    FunctionExpected,
    InvalidConstructorResult,
    InvalidGroup,
    InvalidOccurrence,
    NonPositiveOccurrence,
    NotAType,
    ParameterMismatch,
    SortExpected,
    UndeclaredLevelParam,
    UniverseTooBig,
    UnknownConstant,
)
from minilean.kernel.expr import PROP, TYPE, Expr
from minilean.kernel.level import ONE, mk_succ
from minilean.kernel.level import ZERO as LEVEL_ZERO
from minilean.kernel.traversal import alpha_eq

BAD = const("Bad")


def add_bad(env: Environment, *fields: Expr, result: Expr = BAD) -> None:
    """`inductive Bad : Type | mk : fields -> result`; the environment must not change."""
    before = list(env)
    try:
        env.add_inductive("Bad", (), 0, TYPE, [("Bad.mk", arrow(*fields, result))])
    finally:
        assert list(env) == before


class TestPositivity:
    @pytest.mark.parametrize(
        "field",
        [
            arrow(BAD, FALSE),
            arrow(arrow(BAD, NAT), BAD),
            arrow(NAT, arrow(BAD, NAT), NAT),
            arrow(arrow(arrow(BAD, NAT), NAT), BAD),
            arrow(BAD, BAD),
            pi("n", app(const("List", LEVEL_ZERO), BAD), lambda _: NAT),
        ],
        ids=str,
    )
    def test_left_of_an_arrow(self, env: Environment, field: Expr) -> None:
        with rejected(NonPositiveOccurrence):
            add_bad(env, NAT, field)

    def test_left_of_an_arrow_behind_a_definition(self, env: Environment) -> None:
        refuting = lam("α", TYPE, lambda a: pi("x", a, lambda _: FALSE))
        env.add_definition("Refuting", (), pi("α", TYPE, lambda _: PROP), refuting)
        with rejected(NonPositiveOccurrence):
            add_bad(env, app(const("Refuting"), BAD))

    def test_inside_another_inductive_type(self, env: Environment) -> None:
        # a field of `List Bad` is honest, an argument of that type is not
        with rejected(NonPositiveOccurrence):
            add_bad(env.child(), arrow(app(const("List", LEVEL_ZERO), BAD), NAT))
        mk = arrow(arrow(NAT, app(const("Prod"), NAT, BAD)), BAD)
        env.add_inductive("Bad", (), 0, TYPE, [("Bad.mk", mk)])

    def test_inside_an_unknown_type_former(self, env: Environment) -> None:
        env.add_axiom("F", (), arrow(TYPE, TYPE))
        with rejected(InvalidOccurrence):
            add_bad(env, app(const("F"), BAD))
        f = pi("F", arrow(TYPE, TYPE), lambda f: pi("x", app(f, BAD), lambda _: BAD))
        with rejected(UniverseTooBig):
            env.add_inductive("Bad", (), 0, TYPE, [("Bad.mk", f)])

    def test_in_a_term_inside_a_type(self, env: Environment) -> None:
        # `Eq Type Bad Bad` mentions `Bad`, but it is a proposition and `Bad` is not
        with rejected(InvalidGroup):
            add_bad(env, app(const("Eq", mk_succ(ONE)), TYPE, BAD, BAD))

    def test_with_other_parameters(self, env: Environment) -> None:
        def nested(a: Expr) -> Expr:
            return app(const("Nest", U), a)

        def twice(a: Expr) -> Expr:
            return nested(nested(a))

        for field in (twice, lambda a: nested(app(const("List", U), a))):
            mk = imp("α", TYPE_U, lambda a, field=field: pi("x", field(a), lambda _: nested(a)))
            with rejected(InvalidOccurrence):
                env.add_inductive("Nest", ("u",), 1, pi("α", TYPE_U, lambda _: TYPE_U), [("Nest.mk", mk)])

    def test_at_other_universes(self, env: Environment) -> None:
        mk = pi("x", const("Swap", V, U), lambda _: const("Swap", U, V))
        with rejected(InvalidOccurrence):
            env.add_inductive("Swap", ("u", "v"), 0, TYPE, [("Swap.mk", mk)])

    def test_in_its_own_index(self, env: Environment) -> None:
        def at(e: Expr) -> Expr:
            return app(const("In"), e)

        mk = pi("x", at(at(NAT)), lambda _: at(NAT))
        type_ = pi("α", TYPE, lambda _: TYPE)
        with rejected(InvalidOccurrence):
            env.add_inductive("In", (), 0, type_, [("In.mk", mk)])
        with rejected(InvalidConstructorResult):
            env.add_inductive("In", (), 0, type_, [("In.mk", at(at(NAT)))])


class TestShape:
    @pytest.mark.parametrize("result", [NAT, TYPE, arrow(NAT, NAT), const("List", LEVEL_ZERO)], ids=str)
    def test_constructors_must_build_the_type(self, env: Environment, result: Expr) -> None:
        with pytest.raises((InvalidConstructorResult, SortExpected)) as caught:
            add_bad(env, NAT, result=result)
        # Equal terms need not be one object: the interning tables may have been trimmed since collection.
        unapplied = alpha_eq(result, const("List", LEVEL_ZERO))
        expected = SortExpected if unapplied else InvalidConstructorResult
        assert type(caught.value) is expected

    def test_constructors_build_it_from_the_parameters_as_they_are(self, env: Environment) -> None:
        former = pi("α", TYPE, lambda _: TYPE)
        for result in (
            lambda a: app(const("P"), NAT),
            lambda a: app(const("P"), app(const("List", LEVEL_ZERO), a)),
        ):
            with rejected(InvalidConstructorResult):
                env.add_inductive("P", (), 1, former, [("P.mk", pi("α", TYPE, result))])

    def test_constructors_take_all_parameters(self, env: Environment) -> None:
        former = pi("α", TYPE, lambda _: TYPE)
        with rejected(ParameterMismatch):
            env.add_inductive("P", (), 1, former, [("P.mk", app(const("P"), NAT))])
        with rejected(ParameterMismatch):
            env.add_inductive("P", (), 1, former, [("P.mk", pi("n", NAT, lambda _: app(const("P"), NAT)))])

    @pytest.mark.parametrize("num_params", [-1, 2, 10**9, True, None])
    def test_no_more_parameters_than_arguments(self, env: Environment, num_params: int) -> None:
        with rejected(ParameterMismatch):
            env.add_inductive("P", (), num_params, pi("α", TYPE, lambda _: TYPE), [])

    def test_the_type_must_end_in_a_sort(self, env: Environment) -> None:
        with rejected(NotAType):
            env.add_inductive("P", (), 0, ZERO, [])
        for type_ in (NAT, arrow(NAT, NAT)):
            with rejected(NotAType):
                env.add_inductive("P", (), 0, type_, [])

    def test_constructors_must_type_check(self, env: Environment) -> None:
        with rejected(SortExpected):
            add_bad(env, ZERO)
        with rejected(FunctionExpected):
            add_bad(env, app(NAT, NAT))
        with rejected(ArgumentMismatch):
            add_bad(env, app(const("Eq", ONE), NAT, NAT, NAT))
        with rejected(UnknownConstant):
            add_bad(env, const("Nope"))
        with rejected(UndeclaredLevelParam):
            add_bad(env, SORT_U)

    def test_constructors_cannot_speak_of_each_other_or_the_recursor(self, env: Environment) -> None:
        for name in ("Bad.mk", "Bad.rec"):
            with rejected(UnknownConstant):
                add_bad(env, app(const("Eq", ONE), BAD, const(name), const(name)))


class TestNames:
    def names(self, env: Environment, constructors: Sequence[str], name: str = "N") -> None:
        env.add_inductive(name, (), 0, TYPE, [(c, const(name)) for c in constructors])

    def test_taken_names(self, env: Environment) -> None:
        for constructors in (("N",), ("N.a", "N.a"), ("N.rec",), ("Nat.zero",), ("True",)):
            before = list(env)
            with rejected(AlreadyDeclared):
                self.names(env, constructors)
            assert list(env) == before

    def test_a_taken_recursor(self, env: Environment) -> None:
        env.add_axiom("N.rec", (), NAT)
        with rejected(AlreadyDeclared):
            self.names(env, ("N.a",))

    def test_declaring_it_again(self, env: Environment) -> None:
        with rejected(AlreadyDeclared):
            self.names(env, ("Nat.zero", "Nat.succ"), "Nat")
        with rejected(AlreadyDeclared):
            self.names(env, (), "False")


class TestElimination:
    def test_the_only_constructor_of_a_false_type_is_still_needed(self, env: Environment) -> None:
        # a recursor without the minor premise of `succ`
        motive = lam("n", NAT, lambda n: app(const("Eq", ONE), NAT, n, ZERO))
        short = app(const("Nat.rec", LEVEL_ZERO), motive, app(const("Eq.refl", ONE), NAT, ZERO), succ(ZERO))
        with rejected(ArgumentMismatch):
            env.check_proof((), app(const("Eq", ONE), NAT, succ(ZERO), ZERO), short)

    def test_an_induction_step_of_another_motive(self, env: Environment) -> None:
        motive = lam("n", NAT, lambda n: app(const("Eq", ONE), NAT, n, ZERO))
        base = app(const("Eq.refl", ONE), NAT, ZERO)
        step = lam("n", NAT, lambda n: lam("ih", app(motive, n), lambda ih: ih))
        proof = lam("n", NAT, lambda n: app(const("Nat.rec", LEVEL_ZERO), motive, base, step, n))
        with rejected(ArgumentMismatch):
            env.check_proof((), pi("n", NAT, lambda n: app(motive, n)), proof)

    def test_a_motive_over_another_type(self, env: Environment) -> None:
        motive = lam("b", const("Bool"), lambda _: FALSE)
        with rejected(ArgumentMismatch):
            env.check_proof((), FALSE, app(const("Nat.rec", LEVEL_ZERO), motive))

    def test_data_out_of_a_disjunction(self, env: Environment) -> None:
        either = app(const("Or"), FALSE, const("True"))
        motive = lam("t", either, lambda _: NAT)
        value = lam(
            "h",
            either,
            lambda h: app(
                const("Or.rec"),
                FALSE,
                const("True"),
                motive,
                lam("x", FALSE, lambda _: ZERO),
                lam("y", const("True"), lambda _: succ(ZERO)),
                h,
            ),
        )
        with rejected(ArgumentMismatch):
            env.add_definition("which", (), pi("h", either, lambda _: NAT), value)

    def test_data_out_of_an_existence_proof(self, env: Environment) -> None:
        predicate = lam("n", NAT, lambda _: const("True"))
        some = app(const("Exists", ONE), NAT, predicate)
        motive = lam("t", some, lambda _: NAT)
        minor = lam("w", NAT, lambda w: lam("h", app(predicate, w), lambda _: w))
        value = lam("h", some, lambda h: app(const("Exists.rec", ONE), NAT, predicate, motive, minor, h))
        with rejected(ArgumentMismatch):
            env.add_definition("witness", (), pi("h", some, lambda _: NAT), value)


@pytest.mark.parametrize("name", ["_nested", "_nested.A.mk"])
def test_the_prefix_of_types_that_stand_for_nested_ones_is_reserved(env: Environment, name: str) -> None:
    type_ = InductiveType("A", TYPE, ((name, const("A")),))
    with rejected(InvalidGroup):
        env.add_inductives((), 0, [type_])
    env.add_inductives((), 0, [InductiveType("A", TYPE, (("A._nested", const("A")),))])
