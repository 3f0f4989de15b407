import pytest

from lean_gym.backends.pantograph.goals import read_goals
from lean_gym.errors import ProtocolError


def variable(name, kind, value=None):
    row = {"name": "_uniq.1", "userName": name, "isInaccessible": "✝" in name, "type": {"pp": kind}}
    return row if value is None else {**row, "value": {"pp": value}}


def goal(target, *variables, **more):
    return {"name": "_uniq.2", "target": {"pp": target}, "vars": list(variables), **more}


def test_neighbours_of_one_type_share_a_line():
    (shown,) = read_goals(
        [
            goal(
                "q ∧ p",
                variable("p", "Prop"),
                variable("q", "Prop"),
                variable("h✝", "p"),
                variable("x", "Nat", "0"),
                variable("y", "Nat"),
                variable("z", "Nat"),
                userName="inl",
                fragment="tactic",
            )
        ]
    )
    assert shown.text == "case inl\np q : Prop\nh✝ : p\nx : Nat := 0\ny z : Nat\n⊢ q ∧ p"
    assert (shown.case, shown.target) == ("inl", "q ∧ p")
    assert [(one.name, one.type, one.value) for one in shown.hypotheses][3:5] == [
        ("x", "Nat", "0"),
        ("y", "Nat", None),
    ]


def test_names_in_every_version():
    for name in ("«a b»", '"«a b»"'):
        (shown,) = read_goals([goal("p", variable(name, "q"), userName=name)])
        assert shown.text == "case «a b»\n«a b» : q\n⊢ p"
    for tag, case in (("inl._@.Init.Core._hyg.12", "inl"), ("[anonymous]", None), ("", None), (None, None)):
        assert read_goals([goal("p", userName=tag)])[0].case == case


def test_the_first_goal_has_no_case():
    (shown,) = read_goals([goal("True", userName="t")], case_tags=False)
    assert (shown.text, shown.case) == ("⊢ True", None)


def test_conversion_mode_and_long_types():
    assert read_goals([goal("a + b", fragment="conv")])[0].text == "| a + b"
    assert read_goals([goal("a + b", isConversion=True)])[0].text == "| a + b"
    assert read_goals([goal("a\n  b", variable("h", "c\nd"))])[0].text == "h : c\n  d\n⊢ a\n    b"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {},
        "goals",
        [7],
        [{}],
        [{"target": "True", "vars": []}],
        [{"target": {"pp": None}, "vars": []}],
        [{"target": {"pp": "True"}, "vars": [{"userName": "h"}]}],
        [{"target": {"pp": "True"}, "vars": [{"userName": 1, "type": {"pp": "p"}}]}],
        [{"target": {"pp": "True"}, "vars": [], "fragment": "poem"}],
        [{"target": {"pp": "True"}, "vars": [], "userName": 3}],
    ],
)
def test_unknown_shapes_are_refused_with_what_came(answer):
    with pytest.raises(ProtocolError, match=r"got .*, expected .*; this version of it is not known"):
        read_goals(answer)
