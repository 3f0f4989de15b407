"""Tests of definitional equality, type inference and reduction."""

from __future__ import annotations

import pytest
from kernel_terms import (
    FALSE,
    NAT,
    SORT_U,
    TRUE,
    TYPE_U,
    ZERO,
    U,
    V,
    app,
    arrow,
    const,
    eq,
    lam,
    nat_rec,
    pi,
    refl,
    succ,
)

from minilean.kernel.declaration import Recursor
from minilean.kernel.environment import Environment
from minilean.kernel.errors import ArgumentMismatch
from minilean.kernel.expr import (
    PROP,
    TYPE,
    App,
    Expr,
    Pi,
    mk_apps,
    mk_bvar,
    mk_const,
    mk_let,
    mk_lit,
    mk_proj,
    mk_sort,
)
from minilean.kernel.instantiate import beta_apply, instantiate1
from minilean.kernel.level import ONE, mk_imax, mk_max, mk_param, mk_succ
from minilean.kernel.level import ZERO as LEVEL_ZERO
from minilean.kernel.traversal import alpha_eq
from minilean.kernel.typechecker import TypeChecker


@pytest.fixture
def tc(env: Environment) -> TypeChecker:
    return TypeChecker(env)


def pair(a: Expr, b: Expr) -> Expr:
    return app(const("Prod.mk"), NAT, NAT, a, b)


NAT_PAIR = app(const("Prod"), NAT, NAT)
RELATION = pi("a", NAT, lambda _: pi("b", NAT, lambda _: PROP))


class TestInference:
    def test_universe_of_a_function_type_is_imax(self, tc: TypeChecker) -> None:
        polymorphic = pi("α", SORT_U, lambda a: pi("x", a, lambda _: a))
        assert tc.check(polymorphic) is mk_sort(mk_imax(mk_succ(U), U))
        assert tc.check(pi("x", NAT, lambda _: TRUE)) is PROP
        assert tc.check(pi("h", TRUE, lambda _: NAT)) is TYPE

    def test_statements_about_large_types_are_propositions(self, tc: TypeChecker) -> None:
        assert tc.check(pi("α", TYPE_U, lambda _: pi("h", TRUE, lambda _: FALSE))) is PROP

    def test_lambda_gets_a_dependent_function_type(self, tc: TypeChecker) -> None:
        identity = lam("α", SORT_U, lambda a: lam("x", a, lambda x: x))
        assert alpha_eq(tc.check(identity), pi("α", SORT_U, lambda a: pi("x", a, lambda _: a)))

    def test_application_puts_arguments_into_the_result_type(self, tc: TypeChecker) -> None:
        assert alpha_eq(tc.check(refl(NAT, ZERO)), eq(NAT, ZERO, ZERO))

    def test_application_through_a_defined_function_type(self, env: Environment) -> None:
        env.add_definition("Endo", (), TYPE, arrow(NAT, NAT))
        env.add_definition("next", (), const("Endo"), const("Nat.succ"))
        assert TypeChecker(env).check(app(const("next"), ZERO)) is NAT

    def test_a_type_that_was_only_inferred_is_not_a_checked_one(self, tc: TypeChecker) -> None:
        bad = app(const("Nat.succ"), const("True.intro"))
        assert tc.infer_type(bad) is NAT
        with pytest.raises(ArgumentMismatch):
            tc.check(bad)

    def test_let_puts_the_value_into_the_body(self, tc: TypeChecker) -> None:
        # let α := Nat; let x : α := 0; x
        inner = mk_let("x", mk_bvar(0), ZERO, mk_bvar(0))
        assert tc.check(mk_let("α", TYPE, NAT, inner)) is NAT

    def test_projections_of_a_pair(self, tc: TypeChecker) -> None:
        assert tc.check(mk_proj("Prod", 1, pair(ZERO, succ(ZERO)))) is NAT

    def test_projections_of_a_conjunction_are_proofs(self, tc: TypeChecker) -> None:
        both = app(const("And.intro"), TRUE, eq(NAT, ZERO, ZERO), const("True.intro"), refl(NAT, ZERO))
        assert alpha_eq(tc.check(mk_proj("And", 1, both)), eq(NAT, ZERO, ZERO))

    def test_levels_are_put_into_the_type_of_a_constant(self, tc: TypeChecker) -> None:
        got = tc.check(mk_const("List", (mk_max(U, V),)))
        sort = mk_sort(mk_succ(mk_max(U, V)))
        assert alpha_eq(got, pi("α", sort, lambda _: sort))


class TestReduction:
    def test_recursion_over_constructors_and_literals(self, tc: TypeChecker) -> None:
        def double(n: Expr) -> Expr:
            step = lam("k", NAT, lambda _: lam("ih", NAT, lambda ih: succ(succ(ih))))
            return nat_rec(lambda _: NAT, ZERO, step, n)

        assert tc.is_def_eq(double(succ(succ(ZERO))), mk_lit(4))
        assert tc.is_def_eq(double(mk_lit(3)), mk_lit(6))
        assert not tc.is_def_eq(double(mk_lit(3)), mk_lit(5))

    def test_recursion_over_a_list(self, tc: TypeChecker) -> None:
        def cons(n: int, tail: Expr) -> Expr:
            return app(const("List.cons", LEVEL_ZERO), NAT, mk_lit(n), tail)

        list_nat = app(const("List", LEVEL_ZERO), NAT)
        nil = app(const("List.nil", LEVEL_ZERO), NAT)
        total = lam(
            "head",
            NAT,
            lambda n: lam(
                "tail", list_nat, lambda _: lam("ih", NAT, lambda ih: app(const("Nat.add"), n, ih))
            ),
        )
        motive = lam("t", list_nat, lambda _: NAT)
        major = cons(20, cons(22, nil))
        assert tc.whnf(app(const("List.rec", ONE, LEVEL_ZERO), NAT, motive, ZERO, total, major)) is mk_lit(42)

    def test_arguments_after_the_major_premise_stay(self, tc: TypeChecker) -> None:
        arrow_type = arrow(NAT, NAT)
        step = lam("k", NAT, lambda _: lam("ih", arrow_type, lambda ih: ih))
        chosen = nat_rec(lambda _: arrow_type, const("Nat.succ"), step, mk_lit(2))
        assert tc.whnf(app(chosen, mk_lit(8))) is mk_lit(9)

    def test_recursion_over_a_pair_that_is_a_variable_uses_its_projections(self, tc: TypeChecker) -> None:
        p = tc.new_local("p", NAT_PAIR)
        minor = lam("a", NAT, lambda a: lam("b", NAT, lambda b: b))
        motive = lam("t", NAT_PAIR, lambda _: NAT)
        second = app(const("Prod.rec", ONE), NAT, NAT, motive, minor, p)
        assert tc.whnf(second) is mk_proj("Prod", 1, p)

    def test_k_replaces_a_proof_of_a_reflexive_equation(self, tc: TypeChecker) -> None:
        h = tc.new_local("h", eq(NAT, ZERO, ZERO))
        motive = lam("x", NAT, lambda x: lam("h", eq(NAT, ZERO, x), lambda _: NAT))
        cast = app(const("Eq.rec", ONE, ONE), NAT, ZERO, motive, mk_lit(7), ZERO, h)
        assert tc.whnf(cast) is mk_lit(7)

    def test_k_leaves_a_proof_of_another_equation_alone(self, tc: TypeChecker) -> None:
        n = tc.new_local("n", NAT)
        h = tc.new_local("h", eq(NAT, ZERO, n))
        motive = lam("x", NAT, lambda x: lam("h", eq(NAT, ZERO, x), lambda _: NAT))
        cast = app(const("Eq.rec", ONE, ONE), NAT, ZERO, motive, mk_lit(7), n, h)
        assert tc.whnf(cast) is cast

    def test_or_has_no_k(self, tc: TypeChecker) -> None:
        h = tc.new_local("h", app(const("Or"), TRUE, TRUE))
        motive = lam("t", app(const("Or"), TRUE, TRUE), lambda _: TRUE)
        branch = lam("x", TRUE, lambda x: x)
        stuck = app(const("Or.rec"), TRUE, TRUE, motive, branch, branch, h)
        assert tc.whnf(stuck) is stuck

    def test_acc_recursion_unfolds_at_intro(self, tc: TypeChecker) -> None:
        r = tc.new_local("r", RELATION)
        everywhere = pi(
            "y",
            NAT,
            lambda y: pi("a", app(r, y, ZERO), lambda _: app(const("Acc", ONE), NAT, r, y)),
        )
        below = tc.new_local("h", everywhere)
        intro = app(const("Acc.intro", ONE), NAT, r, ZERO, below)
        motive = lam("x", NAT, lambda x: lam("t", app(const("Acc", ONE), NAT, r, x), lambda _: NAT))
        minor = _acc_minor(r, lambda x: succ(x))
        value = app(const("Acc.rec", ONE, ONE), NAT, r, motive, minor, ZERO, intro)
        tc.check(value)
        assert tc.is_def_eq(value, mk_lit(1))

    def test_projection_of_a_let_bound_pair(self, tc: TypeChecker) -> None:
        bound = mk_let("p", NAT_PAIR, pair(mk_lit(3), mk_lit(4)), mk_proj("Prod", 0, mk_bvar(0)))
        assert tc.whnf(bound) is mk_lit(3)


def _acc_minor(r: Expr, result) -> Expr:
    def smaller(x: Expr, conclusion) -> Expr:
        return pi("y", NAT, lambda y: pi("a", app(r, y, x), lambda _: conclusion(y)))

    def accessible(y: Expr) -> Expr:
        return app(const("Acc", ONE), NAT, r, y)

    return lam(
        "x",
        NAT,
        lambda x: lam(
            "h", smaller(x, accessible), lambda _: lam("ih", smaller(x, lambda _: NAT), lambda _: result(x))
        ),
    )


class TestDefinitionalEquality:
    def test_eta_for_functions(self, tc: TypeChecker) -> None:
        f = tc.new_local("f", arrow(NAT, NAT))
        assert tc.is_def_eq(lam("x", NAT, lambda x: app(f, x)), f)
        assert tc.is_def_eq(f, lam("x", NAT, lambda x: app(f, x)))
        assert not tc.is_def_eq(f, lam("x", NAT, lambda x: app(f, ZERO)))

    def test_eta_for_structures(self, tc: TypeChecker) -> None:
        p = tc.new_local("p", NAT_PAIR)
        rebuilt = pair(mk_proj("Prod", 0, p), mk_proj("Prod", 1, p))
        swapped = pair(mk_proj("Prod", 1, p), mk_proj("Prod", 0, p))
        assert tc.is_def_eq(rebuilt, p)
        assert tc.is_def_eq(p, rebuilt)
        assert not tc.is_def_eq(p, swapped)

    def test_all_terms_of_a_structure_without_fields_are_equal(self, tc: TypeChecker) -> None:
        a, b = tc.new_local("a", const("Unit")), tc.new_local("b", const("Unit"))
        assert tc.is_def_eq(a, b)
        n, m = tc.new_local("n", NAT), tc.new_local("m", NAT)
        assert not tc.is_def_eq(n, m)

    def test_proofs_of_one_proposition_are_equal(self, tc: TypeChecker) -> None:
        h, k = tc.new_local("h", FALSE), tc.new_local("k", FALSE)
        other = tc.new_local("t", TRUE)
        assert tc.is_def_eq(h, k)
        assert not tc.is_def_eq(h, other)

    def test_terms_of_a_type_that_may_be_a_proposition_are_not_equal(self, tc: TypeChecker) -> None:
        a = tc.new_local("α", SORT_U)
        assert not tc.is_def_eq(tc.new_local("x", a), tc.new_local("y", a))

    def test_binder_names_and_kinds_do_not_count(self, tc: TypeChecker) -> None:
        assert tc.is_def_eq(pi("x", NAT, lambda _: NAT, 1), pi("y", NAT, lambda _: NAT))
        assert not tc.is_def_eq(pi("x", NAT, lambda _: NAT), pi("x", const("Bool"), lambda _: NAT))
        assert not tc.is_def_eq(pi("x", NAT, lambda _: NAT), lam("x", NAT, lambda _: NAT))

    def test_sorts_are_compared_by_value(self, tc: TypeChecker) -> None:
        assert tc.is_def_eq(mk_sort(mk_imax(U, mk_succ(V))), mk_sort(mk_max(mk_succ(V), U)))
        assert not tc.is_def_eq(SORT_U, mk_sort(V))
        assert not tc.is_def_eq(PROP, TYPE)

    def test_definitions_unfold_from_the_highest(self, env: Environment) -> None:
        env.add_definition("one", (), NAT, succ(ZERO))
        env.add_definition("two", (), NAT, succ(const("one")))
        env.add_definition("zwei", (), NAT, succ(succ(ZERO)))
        tc = TypeChecker(env)
        assert tc.is_def_eq(const("two"), const("zwei"))
        assert not tc.is_def_eq(const("two"), const("one"))

    def test_one_definition_at_equal_arguments_is_not_unfolded(self, env: Environment) -> None:
        # `big` at a variable gets stuck when unfolded: the comparison of arguments has to decide
        tc = TypeChecker(env)
        n = tc.new_local("n", NAT)
        left = app(const("Nat.mul"), n, app(const("Nat.add"), ZERO, mk_lit(3)))
        assert tc.is_def_eq(left, app(const("Nat.mul"), n, mk_lit(3)))

    def test_one_definition_at_different_universes_is_unfolded(self, env: Environment) -> None:
        env.add_definition(
            "Level", ("u",), arrow(NAT, mk_sort(mk_succ(mk_succ(U)))), lam("n", NAT, lambda _: TYPE_U)
        )
        tc = TypeChecker(env)
        assert not tc.is_def_eq(app(const("Level", LEVEL_ZERO), ZERO), app(const("Level", ONE), ZERO))
        assert tc.is_def_eq(app(const("Level", ONE), ZERO), app(const("Level", ONE), succ(ZERO)))

    def test_names_alone_do_not_make_constants_equal(self) -> None:
        env = Environment()
        env.add_axiom("Bool.true", ("u",), mk_sort(mk_succ(U)))
        tc = TypeChecker(env)
        assert not tc.is_def_eq(const("Bool.true", LEVEL_ZERO), const("Bool.true", ONE))

    def test_constants_of_different_universes_differ(self, tc: TypeChecker) -> None:
        assert not tc.is_def_eq(const("List", LEVEL_ZERO), const("List", ONE))
        assert tc.is_def_eq(const("List", mk_max(U, V)), const("List", mk_max(V, U)))


class TestRecursors:
    """The generated types and rules are themselves well typed, and both sides of each rule have one type."""

    @pytest.mark.parametrize(
        "name", ["True", "False", "And", "Or", "Eq", "Exists", "Bool", "Nat", "List", "Prod", "Acc", "Unit"]
    )
    def test_recursor_checks(self, env: Environment, name: str) -> None:
        recursor = env.get(f"{name}.rec")
        assert type(recursor) is Recursor
        tc = TypeChecker(env)
        tc.check_type(recursor.type)
        levels = tuple(mk_param(param) for param in recursor.level_params)
        for rule in recursor.rules:
            rhs_type = tc.check(rule.rhs)
            fvars = []
            while len(fvars) < recursor.num_params + 1 + recursor.num_minors + rule.num_fields:
                assert type(rhs_type) is Pi
                fvars.append(tc.new_local(rhs_type.name, rhs_type.type))
                rhs_type = instantiate1(rhs_type.body, fvars[-1])
            first = recursor.num_params + 1 + recursor.num_minors
            own = levels[len(levels) - len(env.get(name).level_params) :]
            built = mk_apps(mk_const(rule.constructor, own), fvars[: recursor.num_params] + fvars[first:])
            built_type = tc.whnf(tc.check(built))
            indices: list[Expr] = []
            while type(built_type) is App and len(indices) < recursor.num_indices:
                indices.insert(0, built_type.arg)
                built_type = built_type.fn
            lhs = mk_apps(mk_const(recursor.name, levels), [*fvars[:first], *indices, built])
            assert tc.is_def_eq(tc.check(lhs), rhs_type)
            assert alpha_eq(tc.whnf_core(lhs), tc.whnf_core(beta_apply(rule.rhs, fvars)))
