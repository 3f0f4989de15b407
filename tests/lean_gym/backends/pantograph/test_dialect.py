import pytest

from lean_gym.backends.pantograph.dialect import AxiomListing, probe, read_axioms, read_units, tracked
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
    "answer",
    [
        {},
        {"units": 3},
        {"units": [{}]},
        {"units": [{"boundary": [0], "messages": []}]},
        {"units": [{"boundary": [0, 1], "messages": [4]}]},
    ],
)
def test_unknown_units(answer):
    with pytest.raises(ProtocolError, match="this version of it is not known"):
        read_units(answer)


def test_track_answers():
    error = {"severity": "error", "data": "boom"}
    warning = {"severity": "warning", "data": "declaration uses `sorry`"}
    assert tracked({"srcMessages": [warning], "dstMessages": []}) is None
    assert tracked({"srcMessages": [], "dstMessages": [error]}) == "boom"
    assert tracked({"srcMessages": [error], "dstMessages": []}) == "boom"
    assert tracked({"failure": "type changed", "srcMessages": [], "dstMessages": []}) == "type changed"
    assert tracked({"error": "io", "desc": "interrupt"}) == "interrupt"
    assert tracked({}) is not None
    assert tracked({"goals": []}) is not None


def test_a_stranger_is_refused():
    with pytest.raises(ProtocolError, match=r"options.print: got {'hello': 1}, expected"):
        probe(lambda command, payload: {"hello": 1})
