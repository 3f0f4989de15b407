"""Mutual and nested inductive types: recursors of Lean's shape, which compute."""

from __future__ import annotations

from kernel_terms import NAT, ZERO, app, arrow, const, eq, lam, pi, refl, succ

from minilean.kernel.declaration import Inductive, InductiveType, Recursor
from minilean.kernel.environment import Environment
from minilean.kernel.expr import DEFAULT, IMPLICIT, PROP, TYPE, Expr, Pi, mk_pi
from minilean.kernel.level import ONE
from minilean.kernel.level import ZERO as LEVEL_ZERO

EVEN, ODD, TREE = const("Even"), const("Odd"), const("Tree")


def recursor(env: Environment, name: str) -> Recursor:
    declaration = env.get(name)
    assert type(declaration) is Recursor
    return declaration


def binders(e: Expr) -> list[tuple[str, int]]:
    found = []
    while type(e) is Pi:
        found.append((e.name, e.info))
        e = e.body
    return found


def list_of(a: Expr) -> Expr:
    return app(const("List", LEVEL_ZERO), a)


def add_tree(env: Environment) -> None:
    node = pi("n", NAT, lambda _: pi("ts", list_of(TREE), lambda _: TREE))
    env.add_inductive("Tree", (), 0, TYPE, [("Tree.node", node)])


def add_words(env: Environment) -> None:
    """Words of even and odd length; the second type comes without a constructor of its own kind first."""
    env.add_inductives(
        (),
        0,
        [
            InductiveType("Even", TYPE, (("Even.nil", EVEN), ("Even.cons", arrow(NAT, ODD, EVEN)))),
            InductiveType("Odd", TYPE, (("Odd.cons", pi("n", NAT, lambda _: pi("e", EVEN, lambda _: ODD))),)),
        ],
    )


def test_a_mutual_group_has_one_recursor_a_type_with_a_motive_for_each(env: Environment) -> None:
    add_words(env)
    rec = recursor(env, "Odd.rec")
    assert binders(rec.type) == [
        ("motive_1", IMPLICIT),
        ("motive_2", IMPLICIT),
        ("nil", DEFAULT),
        ("cons", DEFAULT),
        ("cons", DEFAULT),
        ("t", DEFAULT),
    ]
    assert (rec.num_motives, rec.num_minors, rec.major_index, rec.inductive) == (2, 3, 5, "Odd")
    assert rec.all == ("Even", "Odd")
    odd_cons = rec.type.body.body.body.body.type  # type: ignore[attr-defined]
    assert binders(odd_cons) == [("n", DEFAULT), ("e", DEFAULT), ("e_ih", DEFAULT)]
    assert rec.level_params == ("u",)


def test_mutual_recursors_compute_across_the_types(env: Environment) -> None:
    add_words(env)
    nat = lam("_", EVEN, lambda _: NAT)
    nat_odd = lam("_", ODD, lambda _: NAT)

    def step(own: Expr) -> Expr:
        return lam("n", NAT, lambda _: lam("w", own, lambda _: lam("ih", NAT, lambda ih: succ(ih))))

    length = app(const("Even.rec", ONE), nat, nat_odd, ZERO, step(ODD), step(EVEN))
    word = app(const("Even.cons"), ZERO, app(const("Odd.cons"), ZERO, const("Even.nil")))
    two = succ(succ(ZERO))
    env.add_theorem("length", (), eq(NAT, app(length, word), two), refl(NAT, two))


def test_an_empty_type_of_a_group_has_an_explicit_motive(env: Environment) -> None:
    env.add_inductives(
        (), 0, [InductiveType("A", TYPE, (("A.mk", const("A")),)), InductiveType("B", TYPE, ())]
    )
    assert binders(recursor(env, "B.rec").type)[:2] == [("motive_1", IMPLICIT), ("motive_2", DEFAULT)]


def test_a_mutual_group_in_prop_eliminates_into_prop(env: Environment) -> None:
    types = [
        InductiveType("P", PROP, (("P.mk", const("P")),)),
        InductiveType("Q", PROP, (("Q.mk", arrow(const("P"), const("Q"))),)),
    ]
    env.add_inductives((), 0, types)
    rec = recursor(env, "P.rec")
    assert rec.level_params == () and not rec.k
    # alone, `P` eliminates into every universe and has the K rule
    other = env.child()
    other.add_inductive("R", (), 0, PROP, [("R.mk", const("R"))])
    assert recursor(other, "R.rec").level_params == ("u",) and recursor(other, "R.rec").k


def test_a_nested_type_has_a_recursor_with_a_motive_for_the_container(env: Environment) -> None:
    add_tree(env)
    tree = env.get("Tree")
    assert type(tree) is Inductive
    assert (tree.num_nested, tree.recursors) == (1, ("Tree.rec", "Tree.rec_1"))
    rec = recursor(env, "Tree.rec_1")
    assert [name for name, _ in binders(rec.type)] == ["motive_1", "motive_2", "node", "nil", "cons", "t"]
    assert rec.inductive == "List" and rec.all == ("Tree",)
    motive_2 = rec.type.body.type  # type: ignore[attr-defined]
    assert motive_2.type is list_of(TREE)
    assert [(rule.constructor, rule.num_fields) for rule in rec.rules] == [("List.nil", 0), ("List.cons", 2)]
    assert not any(name.startswith("_nested") for name in env)


def test_nested_recursors_compute(env: Environment) -> None:
    add_tree(env)
    motives = [lam("_", TREE, lambda _: NAT), lam("_", list_of(TREE), lambda _: NAT)]
    node = lam("n", NAT, lambda _: lam("ts", list_of(TREE), lambda _: lam("ih", NAT, lambda ih: succ(ih))))
    head = lam(
        "x",
        TREE,
        lambda _: lam(
            "xs",
            list_of(TREE),
            lambda _: lam("a", NAT, lambda a: lam("b", NAT, lambda b: app(const("Nat.add"), a, b))),
        ),
    )
    size = app(const("Tree.rec", ONE), *motives, node, ZERO, head)
    nil = app(const("List.nil", LEVEL_ZERO), TREE)
    leaf = app(const("Tree.node"), ZERO, nil)
    pair = app(
        const("List.cons", LEVEL_ZERO), TREE, leaf, app(const("List.cons", LEVEL_ZERO), TREE, leaf, nil)
    )
    three = succ(succ(succ(ZERO)))
    statement = eq(NAT, app(size, app(const("Tree.node"), ZERO, pair)), three)
    env.add_theorem("three_nodes", (), statement, refl(NAT, three))


def test_nesting_in_a_container_with_nesting_of_its_own(env: Environment) -> None:
    rose = mk_pi("α", TYPE, TYPE)
    node = pi(
        "α",
        TYPE,
        lambda a: arrow_to(a, list_of(app(const("Rose"), a)), app(const("Rose"), a)),
        IMPLICIT,
    )
    env.add_inductive("Rose", (), 1, rose, [("Rose.node", node)])
    env.add_inductive(
        "Term", (), 0, TYPE, [("Term.app", arrow(app(const("Rose"), const("Term")), const("Term")))]
    )
    term = env.get("Term")
    assert type(term) is Inductive and term.recursors == ("Term.rec", "Term.rec_1", "Term.rec_2")
    assert [recursor(env, name).inductive for name in term.recursors] == ["Term", "Rose", "List"]


def arrow_to(*types: Expr) -> Expr:
    """`A -> B -> C`, of types with free variables."""
    *domains, result = types
    for domain in reversed(domains):
        result = pi("a", domain, lambda _, result=result: result)
    return result
