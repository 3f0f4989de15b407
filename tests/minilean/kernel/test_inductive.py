"""Generated recursors have Lean's shape: argument order, names, kinds, universes, the K flag."""

from __future__ import annotations

import pytest
from kernel_terms import NAT, SORT_U, TRUE, U, app, arrow, const, imp, pi

from minilean.kernel.declaration import Constructor, Inductive, Recursor
from minilean.kernel.environment import Environment
from minilean.kernel.expr import DEFAULT, IMPLICIT, INST, PROP, TYPE, Expr, Pi, mk_sort
from minilean.kernel.level import ONE, mk_max, mk_param, mk_succ
from minilean.kernel.traversal import alpha_eq


def recursor(env: Environment, name: str) -> Recursor:
    declaration = env.get(f"{name}.rec")
    assert type(declaration) is Recursor
    return declaration


def inductive(env: Environment, name: str) -> Inductive:
    declaration = env.get(name)
    assert type(declaration) is Inductive
    return declaration


def binders(e: Expr) -> list[tuple[str, int]]:
    found = []
    while type(e) is Pi:
        found.append((e.name, e.info))
        e = e.body
    return found


def test_nat_rec_is_leans(env: Environment) -> None:
    rec = recursor(env, "Nat")

    def build(motive: Expr) -> Expr:
        step = pi(
            "n", NAT, lambda n: pi("n_ih", app(motive, n), lambda _: app(motive, app(const("Nat.succ"), n)))
        )
        return pi(
            "zero",
            app(motive, const("Nat.zero")),
            lambda _: pi("succ", step, lambda _: pi("t", NAT, lambda t: app(motive, t))),
        )

    assert alpha_eq(rec.type, imp("motive", pi("t", NAT, lambda _: SORT_U), build))
    assert binders(rec.type) == [("motive", IMPLICIT), ("zero", DEFAULT), ("succ", DEFAULT), ("t", DEFAULT)]
    succ_minor = rec.type.body.body.type
    assert binders(succ_minor) == [("n", DEFAULT), ("n_ih", DEFAULT)]
    assert (rec.level_params, rec.num_params, rec.num_indices, rec.num_minors, rec.k) == (
        ("u",),
        0,
        0,
        2,
        False,
    )
    assert [(rule.constructor, rule.num_fields) for rule in rec.rules] == [("Nat.zero", 0), ("Nat.succ", 1)]


def test_parameters_and_indices_of_a_recursor_are_implicit(env: Environment) -> None:
    assert binders(recursor(env, "Eq").type) == [
        ("α", IMPLICIT),
        ("a", IMPLICIT),
        ("motive", IMPLICIT),
        ("refl", DEFAULT),
        ("b", IMPLICIT),
        ("t", DEFAULT),
    ]
    assert binders(recursor(env, "List").type)[0] == ("α", IMPLICIT)
    assert recursor(env, "Acc").major_index == 5


def test_function_valued_recursive_fields_give_function_valued_hypotheses(env: Environment) -> None:
    intro = recursor(env, "Acc").type.body.body.body.type
    assert binders(intro) == [("x", DEFAULT), ("h", DEFAULT), ("h_ih", DEFAULT)]
    assert binders(intro.body.body.type) == [("y", DEFAULT), ("a", DEFAULT)]


def test_binder_kinds_of_fields_stay(env: Environment) -> None:
    mk = pi("n", NAT, lambda _: pi("inst", NAT, lambda _: const("Box"), INST), IMPLICIT)
    env.add_inductive("Box", (), 0, TYPE, [("Box.mk", mk)])
    assert binders(recursor(env, "Box").type.body.type) == [("n", IMPLICIT), ("inst", INST)]


@pytest.mark.parametrize(
    ("name", "large", "k", "levels"),
    [
        ("True", True, True, ("u",)),
        ("False", True, False, ("u",)),
        ("And", True, False, ("u",)),
        ("Or", False, False, ()),
        ("Eq", True, True, ("u_1", "u")),
        ("Exists", False, False, ("u",)),
        ("Acc", True, False, ("u_1", "u")),
        ("Nat", True, False, ("u",)),
        ("Unit", True, False, ("u",)),
        ("List", True, False, ("u_1", "u")),
    ],
)
def test_where_a_recursor_eliminates(
    env: Environment, name: str, large: bool, k: bool, levels: tuple[str, ...]
) -> None:
    rec = recursor(env, name)
    assert (inductive(env, name).large_elim, rec.k, rec.level_params) == (large, k, levels)


def test_the_universe_of_the_motive_avoids_the_names_taken(env: Environment) -> None:
    env.add_inductive("Up", ("u", "u_1"), 0, mk_sort(mk_succ(mk_max(U, mk_param("u_1")))), [])
    assert recursor(env, "Up").level_params == ("u_2", "u", "u_1")


def test_a_structure_that_may_be_a_proposition_eliminates_large_if_its_fields_allow(env: Environment) -> None:
    env.add_inductive("PUnit", ("u",), 0, SORT_U, [("PUnit.unit", const("PUnit", U))])
    assert inductive(env, "PUnit").large_elim
    assert not recursor(env, "PUnit").k  # not in Prop for every u

    def wrap(a: Expr) -> Expr:
        return app(const("Wrap", U), a)

    mk = imp("α", SORT_U, lambda a: pi("down", a, lambda _: wrap(a)))
    env.add_inductive("Wrap", ("u",), 1, pi("α", SORT_U, lambda _: SORT_U), [("Wrap.mk", mk)])
    assert not inductive(env, "Wrap").large_elim  # at u = 0 it would take data out of a proof


def test_data_that_the_indices_show_may_be_taken_out_of_a_proof(env: Environment) -> None:
    def even(n: Expr) -> Expr:
        return app(const("Is"), n)

    env.add_inductive("Is", (), 0, arrow(NAT, PROP), [("Is.mk", pi("n", NAT, even))])
    assert inductive(env, "Is").large_elim
    hidden = pi("n", NAT, lambda n: app(const("Was"), app(const("Nat.succ"), n)))
    env.add_inductive("Was", (), 0, arrow(NAT, PROP), [("Was.mk", hidden)])
    assert not inductive(env, "Was").large_elim


def test_constructors_know_their_place(env: Environment) -> None:
    cons = env.get("List.cons")
    assert type(cons) is Constructor
    assert (cons.inductive, cons.index, cons.num_params, cons.num_fields) == ("List", 1, 1, 2)


def test_what_is_like_a_structure(env: Environment) -> None:
    structures = [
        name
        for name in ("Prod", "Unit", "And", "Nat", "Eq", "Acc", "Bool")
        if inductive(env, name).is_structure_like
    ]
    assert structures == ["Prod", "Unit", "And"]
    env.add_inductive("Stream", (), 0, TYPE, [("Stream.cons", arrow(NAT, const("Stream"), const("Stream")))])
    assert not inductive(env, "Stream").is_structure_like
    assert inductive(env, "Nat").is_recursive
    assert not inductive(env, "Prod").is_recursive


def test_parameters_may_be_stated_up_to_unfolding(env: Environment) -> None:
    env.add_definition("N", (), TYPE, NAT)
    mk = pi("n", const("N"), lambda n: app(const("Tag"), n))
    env.add_inductive("Tag", (), 1, arrow(NAT, TYPE), [("Tag.mk", mk)])
    assert recursor(env, "Tag").num_params == 1


def test_large_fields_are_fine_in_a_proposition(env: Environment) -> None:
    env.add_inductive(
        "Some", (), 0, PROP, [("Some.mk", pi("α", mk_sort(mk_succ(ONE)), lambda _: const("Some")))]
    )
    assert not inductive(env, "Some").large_elim
    assert env.check_proof((), TRUE, const("True.intro")) == ()
