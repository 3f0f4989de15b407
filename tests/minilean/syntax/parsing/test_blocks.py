"""Layout: the block of each tactic, and the end of each term. Trees show the classes alone."""

from __future__ import annotations

from textwrap import dedent

import pytest

from minilean.syntax import ast
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_tactics, parse_term


def outline(node: object) -> str:
    """Every tactic by its first word, with its blocks in braces."""
    match node:
        case ast.TacSeq(tactics=tactics):
            return "{" + " ".join(outline(tactic) for tactic in tactics) + "}"
        case ast.Bullet(block=block):
            return "·" + outline(block)
        case ast.Seq1(block=block):
            return "()" + outline(block)
        case ast.Block(name=name, block=block):
            return name + outline(block)
        case ast.First(alts=alts):
            return "first" + "".join(outline(alt) for alt in alts)
        case ast.AndThen(first=first, second=second):
            return f"({outline(first)} <;> {outline(second)})"
        case ast.CaseTac(kind=kind, block=block):
            return kind + outline(block)
        case ast.Cases(kind=kind, alts=alts):
            return kind + "".join(outline(alt.body) for alt in alts or ())
        case ast.HaveTac(kind=kind, value=value):
            return kind + outline(value)
        case ast.TermTactic(name=name, term=term):
            return name + outline(term)
        case ast.CalcTac(calc=ast.Calc(steps=steps)):
            return "calc" + "".join(outline(step.proof) for step in steps)
        case ast.MatchTac(match=ast.Match(alts=alts)):
            return "match" + "".join(outline(alt.body) for alt in alts)
        case ast.By(tactics=tactics):
            return outline(tactics)
        case ast.App(args=args):
            return "/" + str(len(args)) + "".join(outline(arg) for arg in args)
        case ast.AnonCtor(args=args):
            return "⟨" + ", ".join(outline(arg) for arg in args) + "⟩"
        case ast.Simple(name=name) | ast.Simp(name=name) | ast.Rw(name=name):
            return name
        case ast.Intro():
            return "intro"
    return ""


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("intro h\nexact h", "{intro exact}"),
        ("intro h; exact h", "{intro exact}"),
        ("intro h; exact h; skip\nrfl", "{intro exact skip rfl}"),
        ("intro h;\nexact h", "{intro exact}"),
        ("skip;", "{skip}"),
        ("\n\n    intro h\n    exact h\n\n", "{intro exact}"),
        ("-- a\nskip -- b\n/- c -/\nrfl", "{skip rfl}"),
        ("exact f a\n  b\n  c\nskip", "{exact/3 skip}"),
        ("exact f a\nskip", "{exact/1 skip}"),
        ("exact a\n+ b\nskip", "{exact skip}"),
        ("constructor\n· skip\n  rfl\n· exact h", "{constructor ·{skip rfl} ·{exact}}"),
        ("constructor\n·\n  skip\n  rfl\nskip", "{constructor ·{skip rfl} skip}"),
        ("· · skip\n    rfl\n  skip", "{·{·{skip rfl} skip}}"),
        ("case a => skip\ncase b =>\n  skip\n  rfl\nskip", "{case{skip} case{skip rfl} skip}"),
        ("try skip\nrfl", "{try{skip} rfl}"),
        ("try\n  skip\n  rfl\nrfl", "{try{skip rfl} rfl}"),
        ("try (skip; rfl)\nrfl", "{try{(){skip rfl}} rfl}"),
        ("(skip\n rfl); rfl", "{(){skip rfl} rfl}"),
        ("(\n  skip\n  rfl\n)\nrfl", "{(){skip rfl} rfl}"),
        ("constructor <;>\n  skip\nrfl", "{(constructor <;> skip) rfl}"),
        ("constructor\n  <;> skip\nrfl", "{(constructor <;> skip) rfl}"),
        ("constructor\n<;> skip\nrfl", "{(constructor <;> skip) rfl}"),
        ("constructor <;> (skip; rfl)", "{(constructor <;> (){skip rfl})}"),
        ("first | skip | rfl\nskip", "{first{skip}{rfl} skip}"),
        ("first\n  | skip\n    rfl\n  | rfl\nskip", "{first{skip rfl}{rfl} skip}"),
        ("first\n| skip\n| rfl\nskip", "{first{skip}{rfl} skip}"),
        ("first | first | skip | rfl | skip", "{first{first{skip}{rfl}{skip}}}"),
        ("cases h with\n| inl a => skip\n| inr b =>\n  skip\n  rfl\nskip", "{cases{skip}{skip rfl} skip}"),
        ("cases h with\n  | a => cases g with\n    | b => skip\n    | c => rfl\n  | d => rfl",
         "{cases{cases{skip}{rfl}}{rfl}}"),
        ("have h : p := by\n  skip\n  rfl\nexact h", "{have{skip rfl} exact}"),
        ("have h : p := by skip\nexact h", "{have{skip} exact}"),
        ("have h : p := by\nskip\nexact h", "{have{} skip exact}"),
        ("·\nskip\n· skip", "{·{} skip ·{skip}}"),
        ("· ·\n  skip", "{·{·{} skip}}"),
        ("have h : p :=\n  f a\n    b\nexact h", "{have/2 exact}"),
        ("exact ⟨by\n  skip\n  rfl, by skip⟩\nskip", "{exact⟨{skip rfl}, {skip}⟩ skip}"),
        ("exact ⟨\n by skip,\n by rfl\n⟩", "{exact⟨{skip}, {rfl}⟩}"),
        ("calc a = b := by skip\n  _ = c := by\n    skip\n    rfl\nskip", "{calc{skip}{skip rfl} skip}"),
        ("calc\n  a = b := by skip\n  _ = c := by rfl\nskip", "{calc{skip}{rfl} skip}"),
        ("calc a = b := by skip\n_ = c := by rfl\nskip", "{calc{skip}{rfl} skip}"),
        ("calc a = b := by skip\nskip", "{calc{skip} skip}"),
        ("match x with\n| 0 => skip\n| n + 1 =>\n  skip\n  rfl\nskip", "{match{skip}{skip rfl} skip}"),
        ("exact by {\n skip\n rfl }\nskip", "{exact{skip rfl} skip}"),
        ("intro h\n  exact\nskip", "{intro skip}"),
        ("{ skip }\n{ rfl }", "{·{skip} ·{rfl}}"),
    ],
)  # fmt: skip
def test_blocks(script: str, expected: str) -> None:
    assert outline(parse_tactics(script)) == expected


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("  skip\nrfl", "<input>:2:0: expected end of input"),
        ("skip\n  rfl", "<input>:2:2: expected end of input"),
        ("skip rfl", "<input>:1:5: expected end of input"),
        ("· skip\n   rfl", "<input>:2:3: expected end of input"),
        ("constructor\n · skip", "<input>:2:1: expected end of input"),
        ("(skip", "<input>:1:5: unexpected end of input; expected ')'"),
        ("skip;; skip", "<input>:1:5: expected end of input"),
        ("rw [h] at\nh", "<input>:2:0: expected '*' or checkColGt"),
    ],
)  # fmt: skip
def test_what_is_out_of_place(script: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_tactics(script)
    assert str(caught.value) == message


def test_the_bodies_of_have_and_let_may_follow_a_line_break() -> None:
    term = parse_term(
        dedent("""\
        have h : p := f a
          b
        let x := g
        h x""")
    )
    assert isinstance(term, ast.HaveTerm)
    assert isinstance(term.value, ast.App)
    assert len(term.value.args) == 2
    assert isinstance(term.body, ast.LetTerm)
    assert isinstance(term.body.body, ast.App)
