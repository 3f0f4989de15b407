import pytest

from lean_gym.backends.pantograph.axioms import AxiomListing, constants_of, read_axioms


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
