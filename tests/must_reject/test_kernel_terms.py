"""Malformed terms, and proofs of another statement."""

from __future__ import annotations

import pytest
from kernel_terms import (
    FALSE,
    NAT,
    SORT_U,
    SUCC,
    TRUE,
    ZERO,
    U,
    app,
    arrow,
    const,
    eq,
    lam,
    pi,
    refl,
    rejected,
    succ,
)

from minilean.kernel.declaration import Definition
from minilean.kernel.environment import Environment
from minilean.kernel.errors import (
    AlreadyDeclared,
    ArgumentMismatch,
    BadLiteral,
    ForgedNode,
    FreeVariable,
    FunctionExpected,
    InvalidName,
    InvalidProjection,
    LetMismatch,
    LooseBoundVariable,
    Metavariable,
    NotAProposition,
    NotAType,
    SortExpected,
    TermTooLarge,
    UnknownConstant,
    Unsupported,
    ValueTypeMismatch,
)
from minilean.kernel.expr import (
    DEFAULT,
    PROP,
    TYPE,
    App,
    BVar,
    Const,
    Expr,
    Lam,
    Lit,
    Proj,
    mk_app,
    mk_bvar,
    mk_fvar,
    mk_lam,
    mk_let,
    mk_lit,
    mk_mvar,
    mk_pi,
    mk_proj,
)
from minilean.kernel.interning import fresh_id
from minilean.kernel.level import ONE
from minilean.kernel.level import ZERO as LEVEL_ZERO
from minilean.kernel.traversal import alpha_eq

INTRO = const("True.intro")


def prove(env: Environment, value: Expr, statement: Expr = TRUE) -> None:
    env.check_proof((), statement, value)


def proving_true_with(e: Expr) -> Expr:
    """A proof of `True` that contains `e` at a place where any well-typed term is allowed."""
    return mk_let("x", NAT, e, INTRO)


class TestFalseProofs:
    def test_a_proof_of_something_else(self, env: Environment) -> None:
        with rejected(ValueTypeMismatch):
            prove(env, INTRO, FALSE)
        with rejected(ValueTypeMismatch):
            prove(env, lam("h", FALSE, lambda h: h), FALSE)
        with rejected(ValueTypeMismatch):
            prove(env, refl(NAT, ZERO), eq(NAT, ZERO, succ(ZERO)))

    def test_a_proof_by_itself(self, env: Environment) -> None:
        with rejected(UnknownConstant):
            env.add_theorem("oops", (), FALSE, const("oops"))
        with rejected(UnknownConstant):
            env.add_definition("loop", (), FALSE, const("loop"))

    def test_ex_falso_without_falsity(self, env: Environment) -> None:
        motive = lam("h", FALSE, lambda _: FALSE)
        with rejected(ArgumentMismatch):
            prove(env, app(const("False.rec", LEVEL_ZERO), motive, INTRO), FALSE)

    def test_a_theorem_outside_prop(self, env: Environment) -> None:
        with rejected(NotAProposition):
            env.add_theorem("n", (), NAT, ZERO)
        with rejected(NotAProposition):
            env.add_theorem("n", ("u",), pi("α", SORT_U, lambda _: SORT_U), lam("α", SORT_U, lambda a: a))
        with rejected(NotAType):
            env.add_theorem("n", (), ZERO, ZERO)

    def test_two_numbers_are_no_two_proofs(self, env: Environment) -> None:
        all_equal = pi("n", NAT, lambda n: pi("m", NAT, lambda m: eq(NAT, n, m)))
        with rejected(ValueTypeMismatch):
            prove(env, lam("n", NAT, lambda n: lam("m", NAT, lambda _: refl(NAT, n))), all_equal)

    def test_proof_irrelevance_is_for_prop_alone(self, env: Environment) -> None:
        def over(binder, leaf):
            return binder(
                "α", SORT_U, lambda a: binder("x", a, lambda x: binder("y", a, lambda y: leaf(a, x, y)))
            )

        with rejected(ValueTypeMismatch):
            env.check_proof(
                ("u",),
                over(pi, lambda a, x, y: eq(a, x, y, U)),
                over(lam, lambda a, x, y: refl(a, x, U)),
            )

    def test_an_index_keeps_a_type_from_being_unit_like(self, env: Environment) -> None:
        env.add_inductive("IsZero", (), 0, arrow(NAT, TYPE), [("IsZero.mk", app(const("IsZero"), ZERO))])

        def over(binder, leaf):
            def pair(n: Expr) -> Expr:
                is_zero = app(const("IsZero"), n)
                return binder("x", is_zero, lambda x: binder("y", is_zero, lambda y: leaf(is_zero, x, y)))

            return binder("n", NAT, pair)

        with rejected(ValueTypeMismatch):
            prove(env, over(lam, lambda t, x, _: refl(t, x)), over(pi, eq))

    def test_k_needs_equal_sides(self, env: Environment) -> None:
        # if K reduced here, a cast along `0 = 1` would return its argument unchanged
        one = succ(ZERO)

        def cast(h: Expr) -> Expr:
            motive = lam("x", NAT, lambda x: lam("h", eq(NAT, ZERO, x), lambda _: NAT))
            return app(const("Eq.rec", ONE, ONE), NAT, ZERO, motive, mk_lit(7), one, h)

        statement = pi("h", eq(NAT, ZERO, one), lambda h: eq(NAT, cast(h), mk_lit(7)))
        with rejected(ValueTypeMismatch):
            prove(env, lam("h", eq(NAT, ZERO, one), lambda _: refl(NAT, mk_lit(7))), statement)

    def test_eta_is_not_for_types_with_two_constructors(self, env: Environment) -> None:
        statement = pi("b", const("Bool"), lambda b: eq(const("Bool"), b, const("Bool.true")))
        with rejected(ValueTypeMismatch):
            prove(env, lam("b", const("Bool"), lambda b: refl(const("Bool"), b)), statement)


class TestTyping:
    def test_wrong_arguments(self, env: Environment) -> None:
        with rejected(ArgumentMismatch):
            prove(env, app(const("Nat.succ"), INTRO))
        with rejected(FunctionExpected):
            prove(env, app(INTRO, INTRO))
        with rejected(FunctionExpected):
            prove(env, app(const("Nat.succ"), ZERO, ZERO))

    def test_binders_over_terms(self, env: Environment) -> None:
        with rejected(SortExpected):
            prove(env, lam("x", ZERO, lambda _: INTRO))
        with rejected(SortExpected):
            prove(env, mk_let("x", ZERO, ZERO, INTRO))
        with rejected(SortExpected):
            env.add_axiom("a", (), pi("x", NAT, lambda x: x))

    def test_a_let_of_another_type(self, env: Environment) -> None:
        with rejected(LetMismatch):
            prove(env, mk_let("h", FALSE, INTRO, mk_bvar(0)), FALSE)

    def test_a_mistake_in_a_part_that_is_thrown_away(self, env: Environment) -> None:
        with rejected(LetMismatch):
            prove(env, mk_let("h", NAT, INTRO, INTRO))
        with rejected(ArgumentMismatch):
            prove(env, app(lam("x", NAT, lambda _: INTRO), app(const("Nat.succ"), INTRO)))

    def test_a_mistake_that_reduction_hides(self, env: Environment) -> None:
        bad = app(const("Nat.add"), ZERO, INTRO)
        with rejected(ArgumentMismatch):
            prove(env, app(lam("x", NAT, lambda _: INTRO), bad))

    def test_a_mistake_seen_before_in_a_term_that_was_only_inferred(self, env: Environment) -> None:
        # inferring a type without checking must not count as having checked
        bad = app(const("Nat.succ"), INTRO)
        twice = app(const("And.intro"), eq(NAT, bad, bad), eq(NAT, bad, bad), refl(NAT, bad), refl(NAT, bad))
        with rejected(ArgumentMismatch):
            prove(env, twice, app(const("And"), eq(NAT, bad, bad), eq(NAT, bad, bad)))


class TestProjections:
    def test_data_out_of_a_proof(self, env: Environment) -> None:
        predicate = lam("n", NAT, lambda n: eq(NAT, n, n))
        some = app(const("Exists", ONE), NAT, predicate)
        for idx, type_ in ((0, NAT), (1, eq(NAT, ZERO, ZERO))):
            value = mk_lam("h", some, mk_proj("Exists", idx, mk_bvar(0)))
            with rejected(InvalidProjection):
                env.add_definition("out", (), pi("h", some, lambda _, type_=type_: type_), value)

    def test_not_a_structure(self, env: Environment) -> None:
        either = app(const("Or.inr"), FALSE, TRUE, INTRO)
        with rejected(InvalidProjection):
            prove(env, mk_proj("Or", 0, either), FALSE)
        with rejected(InvalidProjection):
            prove(env, proving_true_with(mk_proj("Nat", 0, succ(ZERO))))
        with rejected(InvalidProjection):
            prove(env, mk_proj("False", 0, INTRO), FALSE)

    def test_another_structure(self, env: Environment) -> None:
        pair = app(const("Prod.mk"), NAT, NAT, ZERO, ZERO)
        with rejected(InvalidProjection):
            prove(env, mk_proj("And", 0, pair))
        with rejected(InvalidProjection):
            prove(env, mk_proj("Prod", 0, INTRO))

    def test_no_such_field(self, env: Environment) -> None:
        pair = app(const("Prod.mk"), NAT, NAT, ZERO, ZERO)
        with rejected(InvalidProjection):
            prove(env, proving_true_with(mk_proj("Prod", 2, pair)))
        for idx in (-1, True, "0", None, 1.0):
            with rejected(ForgedNode):
                prove(env, proving_true_with(_raw_proj("Prod", idx, pair)))
        with rejected(UnknownConstant):
            prove(env, mk_proj("Nope", 0, pair))

    def test_a_constructor_without_its_structure(self, env: Environment) -> None:
        with rejected(InvalidProjection):
            prove(env, mk_proj("Prod", 0, const("Prod.mk")))


class TestOpenTerms:
    def test_loose_bound_variables(self, env: Environment) -> None:
        for e in (mk_bvar(0), mk_lam("x", NAT, mk_bvar(1)), mk_app(const("Nat.succ"), mk_bvar(7))):
            with rejected(LooseBoundVariable):
                prove(env, e)
        with rejected(LooseBoundVariable):
            env.add_axiom("a", (), mk_pi("x", NAT, mk_bvar(1)))

    def test_free_variables(self, env: Environment) -> None:
        for fvar_id in (fresh_id(), -1, -2, 0):
            with rejected(FreeVariable):
                prove(env, mk_fvar(fvar_id))
            with rejected(FreeVariable):
                # the id that the checker itself gives to `x`
                prove(env, mk_lam("x", TRUE, mk_fvar(fvar_id)), arrow(TRUE, TRUE))

    def test_metavariables(self, env: Environment) -> None:
        with rejected(Metavariable):
            prove(env, mk_mvar(fresh_id()))
        with rejected(Metavariable):
            env.add_axiom("a", (), mk_pi("x", mk_mvar(1), PROP))

    def test_unknown_constants(self, env: Environment) -> None:
        with rejected(UnknownConstant):
            prove(env, const("Nope"))
        other = env.child()
        other.add_axiom("elsewhere", (), FALSE)
        with rejected(UnknownConstant):
            prove(env, const("elsewhere"), FALSE)


class TestNames:
    def test_redeclaration(self, env: Environment) -> None:
        env.add_axiom("a", (), PROP)
        for target in (env, env.child(), env.child().child()):
            with rejected(AlreadyDeclared):
                target.add_axiom("a", (), FALSE)
            with rejected(AlreadyDeclared):
                target.add_definition("False", (), PROP, TRUE)
            with rejected(AlreadyDeclared):
                target.add_theorem("Nat.rec", (), TRUE, INTRO)
            with rejected(AlreadyDeclared):
                target.load_trusted(Definition("True", (), PROP, FALSE, 1))

    @pytest.mark.parametrize("name", ["", None, 3, b"a", type("Name", (str,), {})("a")])
    def test_names_that_are_none(self, env: Environment, name: str) -> None:
        with rejected(InvalidName):
            env.add_axiom(name, (), PROP)
        with rejected(InvalidName):
            env.add_axiom("a", (name,), PROP)


def _raw(kind: type[Expr], like: Expr, **fields: object) -> Expr:
    """A node built without `mk_*`, with the cached facts of `like`."""
    node = kind()
    facts = {name: getattr(like, name) for name in ("hash", "loose", "has_fvar", "has_mvar", "has_param")}
    for name, value in {**facts, **fields}.items():
        setattr(node, name, value)
    return node


def _raw_proj(struct: object, idx: object, expr: Expr) -> Expr:
    like = mk_proj("Prod", 0, expr)
    return _raw(Proj, like, struct=struct, idx=idx, expr=expr, hash=hash((11, struct, idx, expr.hash)))


class TestForgery:
    """Nodes with wrong cached facts; substitution or comparison would go wrong if it relied on them."""

    def test_literals(self, env: Environment) -> None:
        for value in (-1, True, False, 1.0, None, b"x", (1,), type("Int", (int,), {})(3)):
            forged = _raw(Lit, mk_lit(0), value=value, hash=hash((10, value)))
            with rejected(BadLiteral):
                prove(env, proving_true_with(forged))
        with rejected(Unsupported):
            prove(env, proving_true_with(mk_lit("x")))
        with rejected(TermTooLarge):
            prove(env, proving_true_with(mk_lit(1 << (1 << 19))))

    def test_mk_lit_keeps_true_and_one_apart(self, env: Environment) -> None:
        assert mk_lit(True).value is True
        assert type(mk_lit(1).value) is int
        with rejected(BadLiteral):
            prove(env, proving_true_with(mk_lit(True)))

    def test_a_subclass(self, env: Environment) -> None:
        class Trick(Const):
            __slots__ = ()

        with rejected(ForgedNode):
            prove(env, _raw(Trick, INTRO, name="True.intro", levels=()))

    def test_a_node_that_is_no_term(self, env: Environment) -> None:
        for e in (None, 3, "True.intro", [INTRO], App()):
            with rejected(ForgedNode):
                prove(env, e)
        for arg in (None, 3, [], {}):
            with rejected(ForgedNode):
                prove(env, _raw(App, INTRO, fn=INTRO, arg=arg))

    def test_an_open_term_that_says_it_is_closed(self, env: Environment) -> None:
        # substitution would skip the node, and the bound variable would then belong to the next binder
        open_ = mk_app(const("Nat.succ"), mk_bvar(0))
        closed = _raw(App, open_, fn=open_.fn, arg=open_.arg, loose=0)
        with rejected(ForgedNode):
            prove(env, proving_true_with(mk_app(lam("x", NAT, lambda x: x), closed)))

    def test_a_bound_variable_that_says_it_is_closed(self, env: Environment) -> None:
        with rejected(ForgedNode):
            prove(env, mk_lam("h", FALSE, _raw(BVar, mk_bvar(0), idx=0, loose=0)))

    @pytest.mark.parametrize("fact", ["has_fvar", "has_mvar", "has_param"])
    @pytest.mark.parametrize("value", [True, 0, None])
    def test_wrong_facts(self, env: Environment, fact: str, value: object) -> None:
        forged = _raw(Const, INTRO, name="True.intro", levels=(), **{fact: value})
        with rejected(ForgedNode):
            prove(env, forged)

    def test_a_universe_parameter_that_is_not_mentioned(self, env: Environment) -> None:
        refl_u = const("Eq.refl", U)
        with rejected(ForgedNode):
            env.check_proof(("u",), TRUE, _raw(Const, refl_u, name="Eq.refl", levels=(U,), has_param=False))

    def test_a_borrowed_hash(self, env: Environment) -> None:
        one, two = mk_lit(1), mk_lit(2)
        twin = _raw(Lit, one, value=2)
        assert twin.hash == one.hash
        assert not alpha_eq(one, twin)
        assert not alpha_eq(_raw(App, one, fn=SUCC, arg=one), _raw(App, one, fn=SUCC, arg=two))
        with rejected(ForgedNode):
            prove(env, proving_true_with(twin))

    def test_broken_fields(self, env: Environment) -> None:
        identity = mk_lam("x", TRUE, mk_bvar(0))
        parts = {"name": "x", "type": TRUE, "body": mk_bvar(0), "info": DEFAULT}
        for broken in ({"name": 3}, {"info": 4}, {"info": True}, {"info": None}, {"type": None}):
            with rejected(ForgedNode):
                prove(env, app(_raw(Lam, identity, **{**parts, **broken}), INTRO))
        own_str = type("Name", (str,), {})("Eq")
        for broken in ({"name": 3}, {"name": own_str}, {"levels": [ONE]}, {"levels": (3,)}):
            with rejected(ForgedNode):
                prove(env, _raw(Const, INTRO, **{"name": "Eq", "levels": (ONE,), **broken}))

    def test_a_term_inside_itself(self, env: Environment) -> None:
        knot = _raw(App, INTRO, fn=INTRO, arg=INTRO)
        knot.arg = knot
        with rejected(TermTooLarge):
            prove(env, knot)
