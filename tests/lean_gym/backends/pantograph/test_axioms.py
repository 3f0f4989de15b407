import pytest

from lean_gym.backends.pantograph.axioms import AxiomListing, AxiomWalk, Unseen, constants_of, read_axioms
from lean_gym.errors import ProtocolError


@pytest.mark.parametrize(
    ("text", "axioms"),
    [
        ("'t' does not depend on any axioms", ()),
        ("'t' depends on axioms: [propext]", ("propext",)),
        (
            "'t' depends on axioms: [propext,\n Classical.choice,\n Quot.sound]",
            ("Classical.choice", "Quot.sound", "propext"),
        ),
        ("<anonymous>:3:0: 't' depends on axioms: [sorryAx]", ("sorryAx",)),
        ("<anonymous>:3:0: info: 't' does not depend on any axioms\n", ()),
    ],
)
def test_listings(text, axioms):
    assert read_axioms([text], "t") == AxiomListing("t", axioms)


def test_names_in_listings():
    assert read_axioms(["'A.t'' does not depend on any axioms"], "t'") == AxiomListing("A.t'", ())
    assert read_axioms(["'«a b».t' does not depend on any axioms"], "_root_.«a b».t") is not None


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["'other' does not depend on any axioms"],
        ["'at' does not depend on any axioms"],
        ["'t' does not depend on any axioms", "'t' does not depend on any axioms"],
        ["'t' does not depend on any axioms, says who"],
        ["it is said that 't' does not depend on any axioms"],
        ["unknown constant 't'"],
        ["'t' depends on axioms: [propext"],
    ],
)
def test_no_listing(texts):
    assert read_axioms(texts, "t") is None


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("(:c True.intro)", {"True.intro"}),
        ("((:c Or.inl) (:fv _uniq.1) (:lambda p (:sort 0) (:c «term_∧_».x) :i))", {"Or.inl", "«term_∧_».x"}),
        ("(:c _private.Init.Foo.0.bar)", {"_private.Init.Foo.0.bar"}),
        ("(:c «a (b) c».d)", {"«a (b) c».d"}),
        ('(:c "«a b».c")', {"«a b».c"}),
        ("(:lit 3)", set()),
    ],
)
def test_constants(expression, names):
    assert constants_of(expression) == names


@pytest.mark.parametrize("literal", ["(:c ", "(:c «", "(:c (:c ", '\\"(:c \\"', ")(:c x", "(:c «a", "»"])
def test_no_literal_hides_a_constant(literal):
    """Written by the script, a string may look like any part of an expression."""
    assert "sorryAx" in constants_of(f'((:c f) (:lit "{literal}") (:c sorryAx))')


WORLD = {
    "T": {"type": "(:sort 0)", "inductInfo": {"ctors": ["T.mk"]}, "module": "Init"},
    "T.mk": {"type": "(:c T)", "constructorInfo": {"induct": "T"}, "module": "Init"},
    "T.rec": {
        "type": "((:c T))",
        "recursorInfo": {"all": ["T"], "rules": [{"rhs": {"sexp": "(:c propext)"}}]},
        "module": "Init",
    },
    "propext": {"type": "(:sort 0)", "module": "Init"},
    "Quot.mk": {"type": "(:c T)", "module": "Init"},
    "hidden": {"type": "(:c T)", "module": "Init"},
    "plain": {"type": "(:c T)", "value": "((:c T.mk) (:c Quot.mk))"},
    "by_rule": {"type": "(:c T)", "value": "(:c T.rec)"},
    "by_type": {"type": "(:c hidden)", "value": "(:c plain)"},
    "loop": {"type": "(:c T)", "value": "(:c loop)"},
    "lost": {"type": "(:c T)", "value": "(:c nowhere)"},
}


def inspected(name):
    row = WORLD.get(name)
    if row is None:
        return {"error": "index", "desc": f"Symbol not found {name}"}
    return {key: {"sexp": value} if key in ("type", "value") else value for key, value in row.items()}


@pytest.mark.parametrize(
    ("name", "axioms"),
    [
        ("plain", ()),
        ("by_rule", ("propext",)),
        ("by_type", ("hidden",)),
        ("loop", ()),
        ("propext", ("propext",)),
    ],
)
def test_a_walk(name, axioms):
    assert AxiomWalk().axioms_of(name, inspected) == axioms


def test_only_imported_constants_are_remembered():
    walk, asked = AxiomWalk(), []

    def inspect(name):
        asked.append(name)
        return inspected(name)

    for _ in range(2):
        assert walk.axioms_of("plain", inspect) == ()
    assert sorted(asked) == ["Quot.mk", "T", "T.mk", "plain", "plain"]


def test_what_cannot_be_seen_is_no_proof():
    with pytest.raises(Unseen, match="the constant nowhere cannot be looked at: Symbol not found nowhere"):
        AxiomWalk().axioms_of("lost", inspected)
    for answer in ({}, {"type": {"pp": "T"}}, {"type": {"sexp": "x"}, "inductInfo": {}}):
        with pytest.raises(ProtocolError, match="this version of it is not known"):
            AxiomWalk().axioms_of("x", lambda name, answer=answer: answer)
