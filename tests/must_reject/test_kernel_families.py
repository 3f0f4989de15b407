"""Environments that share a parent must not share names: a theorem about one type must not pass for another type."""

from __future__ import annotations

from kernel_terms import FALSE, NAT, ZERO, app, arrow, const, eq, lam, refl, rejected

from minilean.kernel.environment import Environment
from minilean.kernel.errors import NonPositiveOccurrence, UnknownConstant, ValueTypeMismatch
from minilean.kernel.expr import PROP, TYPE, mk_lit
from minilean.kernel.level import ZERO as LEVEL_ZERO

E = const("E")


def test_a_proof_that_the_parent_gains_later_is_not_one_of_the_childs_type(env: Environment) -> None:
    child = env.child()
    child.add_inductive("E", (), 0, PROP, [])
    env.add_inductive("E", (), 0, PROP, [("E.mk", E)])
    env.add_theorem("e", (), E, const("E.mk"))
    proof = app(const("E.rec", LEVEL_ZERO), lam("x", E, lambda _: FALSE), const("e"))
    with rejected(UnknownConstant):
        child.check_proof((), FALSE, proof)
    grandchild = child.child()
    with rejected(UnknownConstant):
        grandchild.check_proof((), E, const("E.mk"))
    assert "e" not in child
    assert "e" in env
    assert env.child().check_proof((), E, const("e")) == ()


def test_a_definition_that_the_parent_gains_later_is_not_the_childs(env: Environment) -> None:
    child = env.child()
    env.add_definition("two", (), NAT, mk_lit(2))
    child.add_definition("two", (), NAT, mk_lit(3))
    with rejected(ValueTypeMismatch):
        child.check_proof((), eq(NAT, const("two"), mk_lit(2)), refl(NAT, mk_lit(2)))
    with rejected(ValueTypeMismatch):
        env.check_proof((), eq(NAT, const("two"), mk_lit(3)), refl(NAT, mk_lit(3)))
    assert [name for name in child if name == "two"] == ["two"]


def test_an_axiom_that_the_parent_gains_later_hides_behind_no_name(env: Environment) -> None:
    child = env.child()
    child.add_definition("f", (), arrow(NAT, NAT), lam("n", NAT, lambda n: n))
    assert child.axioms_of(const("f")) == ()
    env.add_axiom("f", (), arrow(NAT, NAT))
    assert child.axioms_of(const("f")) == ()
    assert env.axioms_of(const("f")) == ("f",)
    late = env.child()
    statement = eq(NAT, app(const("f"), ZERO), app(const("f"), ZERO))
    assert late.check_proof((), statement, refl(NAT, app(const("f"), ZERO))) == ("f",)


def test_a_failed_inductive_type_leaves_nothing_behind(env: Environment) -> None:
    before = list(env)
    bad = arrow(arrow(const("T"), NAT), const("T"))
    for _ in range(2):
        with rejected(NonPositiveOccurrence):
            env.add_inductive("T", (), 0, TYPE, [("T.mk", bad)])
        assert list(env) == before
