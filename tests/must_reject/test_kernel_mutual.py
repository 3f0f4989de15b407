"""Attacks by mutual and nested inductive types; each has an honest neighbour that is accepted."""

from __future__ import annotations

import pytest
from kernel_terms import FALSE, NAT, ZERO, app, arrow, const, imp, lam, pi, rejected

from minilean.kernel.declaration import InductiveType
from minilean.kernel.environment import Environment
from minilean.kernel.errors import (
    AlreadyDeclared,
    ArgumentMismatch,
    DeepRecursion,
    InvalidConstructorResult,
    InvalidGroup,
    InvalidOccurrence,
    NestedWithLocals,
    NonPositiveOccurrence,
    ParameterMismatch,
    UniverseTooBig,
    UnknownConstant,
)
from minilean.kernel.expr import PROP, TYPE, Expr, mk_sort
from minilean.kernel.level import ONE, mk_succ
from minilean.kernel.level import ZERO as LEVEL_ZERO

A, B = const("A"), const("B")
TYPE_1 = mk_sort(mk_succ(ONE))


def add_pair(env: Environment, a: Expr, b: Expr, sort: Expr = TYPE, b_sort: Expr | None = None) -> None:
    """Declare `A` and `B` together, each with one constructor of this type."""
    types = [
        InductiveType("A", sort, (("A.mk", a),)),
        InductiveType("B", sort if b_sort is None else b_sort, (("B.mk", b),)),
    ]
    env.add_inductives((), 0, types)


def list_of(a: Expr) -> Expr:
    return app(const("List", LEVEL_ZERO), a)


class TestPositivity:
    def test_through_the_second_type(self, env: Environment) -> None:
        with rejected(NonPositiveOccurrence):
            add_pair(env.child(), arrow(B, A), arrow(arrow(A, FALSE), B))
        with rejected(NonPositiveOccurrence):
            add_pair(env.child(), arrow(arrow(B, FALSE), A), arrow(A, B))
        add_pair(env, arrow(B, A), arrow(arrow(NAT, A), B))

    def test_in_a_container_whose_parameter_is_not_positive(self, env: Environment) -> None:
        # structure Refute (α : Type) where no : α → False
        refute = app(const("Refute"), const("Bad"))
        mk = pi("α", TYPE, lambda a: pi("no", pi("x", a, lambda _: FALSE), lambda _: app(const("Refute"), a)))
        env.add_inductive("Refute", (), 1, arrow(TYPE, TYPE), [("Refute.mk", mk)])
        with rejected(NonPositiveOccurrence):
            env.child().add_inductive("Bad", (), 0, TYPE, [("Bad.mk", arrow(refute, const("Bad")))])
        env.add_inductive("Good", (), 0, TYPE, [("Good.mk", arrow(list_of(const("Good")), const("Good")))])

    def test_in_a_container_that_is_a_definition(self, env: Environment) -> None:
        env.add_definition("Fn", (), arrow(TYPE, TYPE), lam("α", TYPE, lambda a: pi("x", a, lambda _: NAT)))
        env.add_definition("Seq", (), arrow(TYPE, TYPE), lam("α", TYPE, lambda a: pi("x", NAT, lambda _: a)))
        bad = const("Bad")
        with rejected(NonPositiveOccurrence):
            env.child().add_inductive("Bad", (), 0, TYPE, [("Bad.mk", arrow(app(const("Fn"), bad), bad))])
        # with values in the type it is an honest field: the definition unfolds to a function
        env.add_inductive("Bad", (), 0, TYPE, [("Bad.mk", arrow(app(const("Seq"), bad), bad))])

    def test_in_a_container_hidden_by_a_definition(self, env: Environment) -> None:
        env.add_definition("MyList", (), arrow(TYPE, TYPE), const("List", LEVEL_ZERO))
        bad = const("Bad")
        with rejected(InvalidOccurrence):
            env.add_inductive("Bad", (), 0, TYPE, [("Bad.mk", arrow(app(const("MyList"), bad), bad))])

    def test_in_a_container_that_is_an_axiom(self, env: Environment) -> None:
        env.add_axiom("Box", (), arrow(TYPE, TYPE))
        with rejected(InvalidOccurrence):
            add_pair(env, arrow(app(const("Box"), B), A), arrow(A, B))

    def test_left_of_an_arrow_inside_a_container(self, env: Environment) -> None:
        bad = const("Bad")
        with rejected(NonPositiveOccurrence):
            field = list_of(arrow(bad, NAT))
            env.add_inductive("Bad", (), 0, TYPE, [("Bad.mk", arrow(field, bad))])

    def test_in_an_index_of_a_container(self, env: Environment) -> None:
        # inductive Is : Type → Type 1, with a field `Is Bad`
        env.add_inductive("Is", (), 0, arrow(TYPE, TYPE_1), [("Is.nat", app(const("Is"), NAT))])
        bad = const("Bad")

        def add(where: Environment, of: Expr) -> None:
            mk = arrow(app(const("Is"), of), bad)
            where.add_inductive("Bad", (), 0, TYPE_1, [("Bad.mk", mk)])

        with rejected(ArgumentMismatch):  # `Bad` is too large to be an index of `Is`
            add(env.child(), bad)
        # inductive Has : Type 1 → Type 1
        env.add_inductive("Has", (), 0, arrow(TYPE_1, TYPE_1), [("Has.type", app(const("Has"), TYPE))])
        with rejected(InvalidOccurrence):
            mk = arrow(app(const("Has"), bad), bad)
            env.child().add_inductive("Bad", (), 0, TYPE_1, [("Bad.mk", mk)])
        add(env, NAT)


class TestNestedParameters:
    def test_with_local_variables(self, env: Environment) -> None:
        # inductive Vec (n : Nat) (α : Type) : Type
        vec = arrow(NAT, TYPE, TYPE)
        nil = pi("n", NAT, lambda n: pi("α", TYPE, lambda a: app(const("Vec"), n, a)))
        env.add_inductive("Vec", (), 2, vec, [("Vec.nil", nil)])
        t = const("T")
        with rejected(NestedWithLocals):
            mk = pi("n", NAT, lambda n: pi("x", app(const("Vec"), n, t), lambda _: t))
            env.child().add_inductive("T", (), 0, TYPE, [("T.mk", mk)])
        env.add_inductive("T", (), 0, TYPE, [("T.mk", arrow(app(const("Vec"), ZERO, t), t))])

    def test_ill_typed_parameters_that_the_translation_drops(self, env: Environment) -> None:
        # structure Tagged (α : Type) (n : Nat) : Type, whose constructor does not mention `n`
        mk = pi("α", TYPE, lambda a: pi("n", NAT, lambda n: app(const("Tagged"), a, n)))
        env.add_inductive("Tagged", (), 2, arrow(TYPE, NAT, TYPE), [("Tagged.mk", mk)])
        t = const("T")
        for wrong in (NAT, t, const("Unit.unit")):
            with rejected(ArgumentMismatch):
                field = app(const("Tagged"), t, wrong)
                env.child().add_inductive("T", (), 0, TYPE, [("T.mk", arrow(field, t))])
        env.add_inductive("T", (), 0, TYPE, [("T.mk", arrow(app(const("Tagged"), t, ZERO), t))])

    def test_ever_larger_parameters(self, env: Environment) -> None:
        # nested in `Id`, the parameter of `Grow` would grow with each type of the translation
        mk = pi("α", TYPE, lambda a: pi("x", a, lambda _: app(const("Id"), a)))
        env.add_inductive("Id", (), 1, arrow(TYPE, TYPE), [("Id.mk", mk)])

        def grow(a: Expr) -> Expr:
            return app(const("Grow"), a)

        def field(a: Expr) -> Expr:
            return app(const("Id"), grow(app(const("Id"), a)))

        mk = imp("α", TYPE, lambda a: pi("x", field(a), lambda _: grow(a)))
        with rejected(InvalidOccurrence):
            env.add_inductive("Grow", (), 1, arrow(TYPE, TYPE), [("Grow.mk", mk)])

    def test_a_container_in_another_universe(self, env: Environment) -> None:
        up = imp("α", TYPE, lambda a: pi("x", a, lambda _: app(const("Up"), a)))
        env.add_inductive("Up", (), 1, arrow(TYPE, mk_sort(mk_succ(ONE))), [("Up.mk", up)])
        t = const("T")
        with rejected(InvalidGroup):
            env.add_inductive("T", (), 0, TYPE, [("T.mk", arrow(app(const("Up"), t), t))])


class TestUniverses:
    def test_a_field_too_big_in_one_type(self, env: Environment) -> None:
        with rejected(UniverseTooBig):
            add_pair(env.child(), arrow(B, A), arrow(TYPE, B))
        add_pair(env, arrow(B, A), arrow(TYPE, B), mk_sort(mk_succ(ONE)))

    def test_types_of_different_universes(self, env: Environment) -> None:
        with rejected(InvalidGroup):
            add_pair(env.child(), A, B, TYPE, mk_sort(mk_succ(ONE)))
        with rejected(InvalidGroup):
            add_pair(env.child(), A, B, PROP, TYPE)

    def test_a_proposition_of_a_group_does_not_eliminate_large(self, env: Environment) -> None:
        # `A.mk : Nat → A` would give `Nat.zero = Nat.succ Nat.zero` with proof irrelevance
        add_pair(env, arrow(NAT, A), arrow(A, B), PROP)
        assert env.get("A.rec").level_params == env.get("B.rec").level_params == ()


class TestGroups:
    def test_parameters_that_differ(self, env: Environment) -> None:
        a = pi("α", TYPE, lambda x: app(A, x))
        honest = pi("α", TYPE, lambda x: pi("a", app(A, x), lambda _: app(B, x)))
        former = arrow(TYPE, TYPE)
        first = InductiveType("A", former, (("A.mk", a),))
        with rejected(InvalidGroup):
            wrong = pi("n", NAT, lambda n: app(B, n))
            env.child().add_inductives(
                (), 1, [first, InductiveType("B", arrow(NAT, TYPE), (("B.mk", wrong),))]
            )
        with rejected(ParameterMismatch):
            env.child().add_inductives((), 1, [first, InductiveType("B", TYPE, (("B.mk", B),))])
        env.add_inductives((), 1, [first, InductiveType("B", former, (("B.mk", honest),))])

    def test_the_other_type_at_other_parameters(self, env: Environment) -> None:
        former = arrow(TYPE, TYPE)
        a = pi("α", TYPE, lambda x: pi("b", app(B, NAT), lambda _: app(A, x)))
        b = pi("α", TYPE, lambda x: app(B, x))
        with rejected(InvalidOccurrence):
            env.add_inductives(
                (),
                1,
                [InductiveType("A", former, (("A.mk", a),)), InductiveType("B", former, (("B.mk", b),))],
            )

    def test_a_constructor_of_the_other_type(self, env: Environment) -> None:
        with rejected(InvalidConstructorResult):
            add_pair(env, B, A)

    def test_constructors_do_not_know_each_other(self, env: Environment) -> None:
        of_a = app(const("Eq", ONE), A, const("A.mk"), const("A.mk"))
        with rejected(UnknownConstant):
            add_pair(env, A, arrow(of_a, B))

    @pytest.mark.parametrize("name", ["A", "A.mk", "A.rec", "Nat"])
    def test_a_name_twice(self, env: Environment, name: str) -> None:
        own = const(name) if name != "Nat" else NAT
        with rejected(AlreadyDeclared):
            env.add_inductives(
                (), 0, [InductiveType("A", TYPE, (("A.mk", A),)), InductiveType(name, TYPE, (("B.mk", own),))]
            )

    def test_the_name_of_a_nested_recursor(self, env: Environment) -> None:
        tree = const("Tree")
        env.add_axiom("Tree.rec_1", (), NAT)
        with rejected(AlreadyDeclared):
            env.add_inductive("Tree", (), 0, TYPE, [("Tree.node", arrow(list_of(tree), tree))])

    def test_a_group_without_types(self, env: Environment) -> None:
        with rejected(InvalidGroup):
            env.add_inductives((), 0, [])

    def test_more_nested_types_than_the_bound(self, env: Environment) -> None:
        field = const("T")
        for _ in range(250):
            field = list_of(field)
        with rejected(DeepRecursion):
            env.add_inductive("T", (), 0, TYPE, [("T.mk", arrow(field, const("T")))])
