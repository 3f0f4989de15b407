"""`apart` may only claim what the unifier, tried on every rule in turn, confirms."""

from __future__ import annotations

import pytest

from lean_gym.datasets import load_theorems
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr, Pi, get_app
from minilean.kernel.instantiate import instantiate1, instantiate_level_params
from minilean.kernel.level import Level
from minilean.library import library
from minilean.meta.context import LocalContext, MetavarContext
from minilean.meta.discr import apart
from minilean.meta.extension import REDUCIBLE
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.proof import Problem
from minilean.syntax.parser import parse_term
from minilean.tactics.simp import simplifier
from minilean.tactics.simp.lemmas import constant_rules
from minilean.tactics.simp.rules import Rule
from minilean.tactics.state import run_nested


def _meta() -> Meta:
    return MetaM(library(), MetavarContext(), LocalContext())


def _rule(m: Meta, name: str) -> Rule:
    decl = m.env.find(name)
    assert decl is not None
    (rule,) = constant_rules(m, decl)
    return rule


def _term(m: Meta, text: str) -> Expr:
    from minilean.elab.names import Scope

    el = Elab(m, Scope(), run_nested, source=text)
    e = el.elab(parse_term(text), None)
    el.synthesize()
    return m.instantiate_mvars(e)


@pytest.mark.parametrize(
    ("lemma", "text", "expected"),
    [
        # a numeral and a variable
        ("Nat.add_zero", "fun x y : Nat => x + y", True),
        ("Nat.add_zero", "fun x : Nat => x + 0", False),
        # `Nat.zero` is 0 as well, and `x + (0 + 0)` might compute
        ("Nat.add_zero", "fun x : Nat => x + Nat.zero", False),
        ("Nat.add_zero", "fun x : Nat => x + (0 + 0)", False),
        # 2 * 3 and 1 * 6 are the same number
        ("Nat.mul_one", "fun x : Nat => x * 6", True),
        ("Nat.mul_one", "(1 * 6 : Nat)", False),
        # a variable takes any term, but not one that depends on a binder inside the pattern
        ("forall_const", "∀ x : Nat, x = x", True),
        ("forall_const", "∀ x : Nat, 1 = 1", False),
        ("implies_true", "∀ x : Nat, x = x", True),
        ("implies_true", "∀ x : Nat, True", False),
        # a function with the binder may take it
        ("forall_eq", "∀ x : Nat, x = 2 → x = 3", False),
        ("forall_eq", "∀ x : Nat, x < 2 → x = 3", True),
        # `a ≠ b` unfolds to `¬ a = b`
        ("Classical.not_not", "fun p q : Prop => ¬ (p ∧ q)", True),
        ("Classical.not_not", "fun a b : Nat => ¬ (a ≠ b)", False),
    ],
)
def test_what_is_apart(lemma: str, text: str, expected: bool) -> None:
    m = _meta()
    _, e = m.intro_binders(_term(m, text)) if text.startswith("fun") else ([], _term(m, text))
    assert apart(m, _rule(m, lemma).left, e) is expected


@pytest.mark.parametrize("name", ["logic", "nat"])
def test_every_rule_that_is_left_out_would_fail(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    left_out = tried = 0

    def checked(m: Meta, pattern: Expr, e: Expr) -> bool:
        nonlocal left_out, tried
        tried += 1
        claim = apart(m, pattern, e)
        if claim:
            left_out += 1
            rule = next(one for one in rules if one.left is pattern)
            levels = [m.new_level_mvar() for _ in rule.levels]
            mark = m.mctx.mark()
            with m.new_mctx_depth(), m.with_transparency(REDUCIBLE):
                assert not is_def_eq(m, _opened(m, rule, levels), e), rule.name
            m.mctx.rollback(mark)
        return claim

    rules: list[Rule] = []
    matching = simplifier.RuleSet.matching

    def noted(self: simplifier.RuleSet, e: Expr) -> list[Rule]:
        found = matching(self, e)
        rules[:] = [*found, *rules[:200]]
        return found

    monkeypatch.setattr(simplifier, "apart", checked)
    monkeypatch.setattr(simplifier.RuleSet, "matching", noted)
    for theorem in load_theorems(name)[::8]:
        problem = Problem.from_source(theorem.statement, library(), theorem.context)
        problem.apply(problem.start(), "simp_all")
    assert 2 * left_out > tried > 500


def _opened(m: Meta, rule: Rule, levels: list[Level]) -> Expr:
    """The left side of a rule with a metavariable for each variable, as `simp` opens it."""

    type_ = instantiate_level_params(rule.type, rule.levels, levels)
    while type(type_) is Pi:
        type_ = instantiate1(type_.body, m.new_mvar(type_.type))
    return get_app(type_)[1][-2]
