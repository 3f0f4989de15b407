import pytest

from lean_gym.backends.pantograph.dialect import is_error, probe, read_units, tracked
from lean_gym.errors import ProtocolError


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


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"severity": "error", "data": "boom"}, True),
        ({"severity": "warning", "data": "error"}, False),
        ("<anonymous>:1:8: error: unknown identifier 'x'\n", True),
        ("<anonymous>:1:8: error(lean.unknownIdentifier): Unknown identifier `x`", True),
        ("<anonymous>:1:8: warning: declaration uses 'sorry'\n", False),
        ("'t' does not depend on any axioms\n", False),
    ],
)
def test_errors(message, error):
    assert is_error(message) is error


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
        probe(lambda command, payload: {"hello": 1}, 0)
