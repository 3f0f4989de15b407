from __future__ import annotations

import pytest
from kernel_proofs import PROOFS, add_proofs, zero_add
from kernel_terms import (
    FALSE,
    NAT,
    SORT_U,
    TRUE,
    ZERO,
    app,
    const,
    eq,
    lam,
    pi,
    refl,
    standard,
    succ,
)

from minilean.kernel.declaration import ABBREV_HEIGHT, OPAQUE_HEIGHT, Definition, TheoremDecl
from minilean.kernel.environment import Environment
from minilean.kernel.errors import UnknownConstant, ValueTypeMismatch
from minilean.kernel.expr import PROP, TYPE
from minilean.kernel.level import ONE
from minilean.kernel.traversal import alpha_eq


@pytest.mark.parametrize("build", PROOFS, ids=lambda build: build.__name__)
def test_proofs_written_by_hand_are_accepted(library: Environment, build) -> None:
    env = library.child()
    add_proofs(env)
    _, level_params, statement, value = build()
    assert env.check_proof(level_params, statement, value) == ()


def test_a_theorem_keeps_statement_and_proof(env: Environment) -> None:
    name, level_params, statement, value = zero_add()
    theorem = env.add_theorem(name, level_params, statement, value)
    assert env.get("zero_add") is theorem
    assert theorem == TheoremDecl("zero_add", (), statement, value, ())


def test_a_child_sees_its_parent_and_not_the_other_way_round() -> None:
    parent = Environment()
    parent.add_axiom("A", (), PROP)
    child, sibling = parent.child(), parent.child()
    child.add_axiom("a", (), const("A"))
    sibling.add_definition("a", (), TYPE, PROP)
    assert list(child) == ["A", "a"]
    assert list(parent) == ["A"]
    assert "a" not in parent
    assert alpha_eq(child.get("a").type, const("A"))
    assert alpha_eq(sibling.get("a").type, TYPE)


def test_siblings_may_define_one_polymorphic_name_differently(env: Environment) -> None:
    # types and values at given universes are cached for parents and children together
    one, two = env.child(), env.child()
    one.add_definition("f", ("u",), pi("α", SORT_U, lambda _: SORT_U), lam("α", SORT_U, lambda a: a))
    two.add_definition("f", ("u",), pi("α", SORT_U, lambda _: PROP), lam("α", SORT_U, lambda _: TRUE))
    at_nat = app(const("f", ONE), NAT)
    for _ in range(2):
        one.child().add_definition("x", (), at_nat, ZERO)
        two.child().add_definition("x", (), at_nat, const("True.intro"))
        with pytest.raises(ValueTypeMismatch):
            one.child().add_definition("x", (), at_nat, const("True.intro"))
        with pytest.raises(ValueTypeMismatch):
            two.child().add_definition("x", (), at_nat, ZERO)


def test_get_names_what_is_missing() -> None:
    with pytest.raises(UnknownConstant, match=r"^unknown constant 'Nat\.foo'$"):
        standard().get("Nat.foo")


def test_heights_count_definitions_below(env: Environment) -> None:
    def height(name: str) -> int:
        declaration = env.get(name)
        assert type(declaration) is Definition
        return declaration.height

    env.add_definition("one", (), NAT, succ(ZERO))
    env.add_definition("two", (), NAT, succ(const("one")))
    env.add_definition("shown", (), NAT, const("two"), abbrev=True)
    env.add_definition("three", (), NAT, succ(const("shown")))
    env.add_definition("hidden", (), NAT, const("two"), opaque=True)
    assert [height(name) for name in ("one", "two", "three")] == [1, 2, 1]
    assert height("shown") == ABBREV_HEIGHT
    assert height("hidden") == OPAQUE_HEIGHT


def test_axioms_are_collected_through_types_definitions_theorems_and_constructors(env: Environment) -> None:
    env.add_axiom("P", (), PROP)
    env.add_axiom("p", (), const("P"))
    env.add_axiom("unused", (), const("P"))
    env.add_definition("q", (), const("P"), const("p"), opaque=True)
    box = pi("h", const("P"), lambda _: const("Box"))
    env.add_inductive("Box", (), 0, TYPE, [("Box.mk", box)])
    theorem = env.add_theorem("r", (), const("P"), const("q"))
    assert theorem.axioms == ("P", "p")
    assert env.axioms_of(const("q")) == ("P", "p")
    assert env.axioms_of(const("Box")) == ("P",)
    assert env.axioms_of(const("Box.rec", ONE)) == ("P",)
    assert env.check_proof((), TRUE, const("True.intro")) == ()
    again = env.child()
    assert again.add_theorem("s", (), const("P"), const("r")).axioms == ("P", "p")


def test_a_proof_of_false_from_a_false_axiom_names_it(env: Environment) -> None:
    env.add_axiom("absurdity", (), FALSE)
    assert env.check_proof((), FALSE, const("absurdity")) == ("absurdity",)


def test_an_opaque_definition_does_not_unfold(env: Environment) -> None:
    env.add_definition("one", (), NAT, succ(ZERO))
    env.add_definition("uno", (), NAT, succ(ZERO), opaque=True)
    env.check_proof((), eq(NAT, const("one"), succ(ZERO)), refl(NAT, succ(ZERO)))
    with pytest.raises(ValueTypeMismatch):
        env.check_proof((), eq(NAT, const("uno"), succ(ZERO)), refl(NAT, succ(ZERO)))


def test_trusted_declarations_work_as_checked_ones() -> None:
    source = standard()
    add_proofs(source)
    copy = Environment()
    for name in source:
        copy.load_trusted(source.get(name))
    assert list(copy) == list(source)
    assert copy.computes_on_literals("Nat.mul")
    for build in PROOFS:
        _, level_params, statement, value = build()
        assert copy.check_proof(level_params, statement, value) == ()


def test_a_long_chain_of_definitions_has_its_axioms_found() -> None:
    env = Environment()
    env.add_axiom("P", (), PROP)
    env.add_axiom("d0", (), const("P"))
    for i in range(3000):
        env.load_trusted(Definition(f"d{i + 1}", (), const("P"), const(f"d{i}"), i + 1))
    assert env.axioms_of(const("d3000")) == ("P", "d0")
