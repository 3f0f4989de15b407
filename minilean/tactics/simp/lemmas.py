"""Rewrite rules of `simp` from lemmas, hypotheses and definitions.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/SimpTheorems.lean` (4.34): equations and equivalences rewrite left to
right, `¬p` rewrites `p` to `False`, `a ≠ b` rewrites `a = b` to `False`, any other proposition rewrites to `True`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import replace

from minilean.elab.display import inline
from minilean.kernel.declaration import Declaration, Definition
from minilean.kernel.expr import (
    DEFAULT,
    INST,
    PROP,
    App,
    Expr,
    FVar,
    Lam,
    MVar,
    Pi,
    Sort,
    get_app,
    get_app_fn,
    is_app_of,
    mk_apps,
    mk_const,
    mk_proj,
)
from minilean.kernel.instantiate import abstract
from minilean.kernel.level import ONE, mk_param
from minilean.kernel.traversal import alpha_eq
from minilean.meta.budget import Budget
from minilean.meta.errors import MetaError
from minilean.meta.extension import DEFAULT_PRIORITY, LeanEnv
from minilean.meta.fun_info import binder_infos
from minilean.meta.infer import infer_type, is_proof, is_prop, sort_level
from minilean.meta.meta_m import MetaM
from minilean.meta.metavars import Meta
from minilean.meta.numerals import nat_literal, nat_offset
from minilean.meta.whnf import whnf_core, whnf_reducible
from minilean.tactics.simp.rules import Rule, RuleSet, argument_head, head_key

# Core Lean's `@[defeq]` lemmas in this library: both sides are equal when instances are unfolded.
_BY_DEFINITION = frozenset(
    ["ne_eq"]
    + [f"Nat.{name}" for name in ("add_zero", "add_succ", "add_one", "succ_eq_add_one", "zero_eq", "add_eq")]
    + [f"Nat.{name}" for name in ("mul_eq", "sub_eq", "lt_eq", "le_eq")]
)


def _path(m: Meta, e: Expr, variables: set[int], root: bool = True) -> list[int]:
    """Return the path of a left side in a discrimination tree: 0 for a wildcard, 1 for a symbol.

    Source: Lean 4 `src/Lean/Meta/DiscrTree.lean` (4.34): instances, proofs, implicit arguments that are not
    types, and `n + k` below the root are wildcards.
    """
    m.budget.spend("simp")
    fn, args = get_app(e)
    kind = type(fn)
    if kind is MVar or (kind is FVar and fn.id in variables):  # type: ignore[attr-defined]
        return [0]
    if nat_literal(m, e) is not None or not args:
        return [1]
    if not root and nat_offset(m, e) is not None:
        return [0]
    out = [1]
    for info, arg in zip(binder_infos(m, fn, len(args)), args, strict=False):
        hidden = info == INST or is_proof(m, arg)
        if hidden or (info != DEFAULT and type(whnf_reducible(m, infer_type(m, arg))) is not Sort):
            out.append(0)
        else:
            out += _path(m, arg, variables, False)
    return out


def rules_of(m: Meta, name: str, proof: Expr, levels: tuple[str, ...], symm: bool = False) -> list[Rule]:
    """Return the rules that a proof gives: none when its type is not a proposition."""
    old = m.lctx
    out: list[Rule] = []
    todo: list[tuple[list[FVar], Expr, Expr]] = [([], m.instantiate_mvars(infer_type(m, proof)), proof)]
    try:
        while todo:
            m.budget.spend("simp")
            before, type_, proof = todo.pop()
            more, body = _open(m, type_)
            fvars, proof = [*before, *more], mk_apps(proof, more)
            if is_app_of(body, "And", 2):
                _, (a, b) = get_app(body)
                todo += [(fvars, b, mk_proj("And", 1, proof)), (fvars, a, mk_proj("And", 0, proof))]
                continue
            for statement, term in _equation(m, body, proof, symm):
                rule = _rule(m, name, levels, fvars, statement, term)
                if rule is not None:
                    out.append(rule)
        return out
    finally:
        m.lctx = old


def _rule(
    m: Meta, name: str, levels: tuple[str, ...], fvars: list[FVar], statement: Expr, term: Expr
) -> Rule | None:
    """Return the rule of an equation over variables; `None` where its left side matches anything."""
    _, args = get_app(statement)
    left, right = args[-2], args[-1]
    if type(get_app_fn(left)) is MVar or alpha_eq(left, right):
        return None
    return Rule(
        name,
        levels,
        m.mk_pi(fvars, statement),
        m.mk_lambda(fvars, term),
        abstract(left, fvars),
        head_key(left),
        _is_permutation(left, right, fvars),
        tuple(argument_head(a) for a in get_app(left)[1]),
        (-DEFAULT_PRIORITY, *_path(m, left, {x.id for x in fvars})),
        name in _BY_DEFINITION,
    )


def constant_rules(m: Meta, decl: Declaration, symm: bool = False) -> list[Rule]:
    """Return the rules of a lemma, usable at every universe."""
    const = mk_const(decl.name, tuple(mk_param(p) for p in decl.level_params))
    return rules_of(m, decl.name, const, decl.level_params, symm)


def _open(m: Meta, type_: Expr) -> tuple[list[FVar], Expr]:
    fvars: list[FVar] = []
    while True:
        more, type_ = m.intro_binders(type_)
        fvars += more
        if is_app_of(type_, "Not", 1) or is_app_of(type_, "Ne", 3):
            return fvars, type_
        reduced = whnf_core(m, whnf_reducible(m, type_))
        if type(reduced) is not Pi:
            return fvars, type_ if _is_relation(type_) else reduced
        type_ = reduced


def _is_relation(e: Expr) -> bool:
    return is_app_of(e, "Eq", 3) or is_app_of(e, "Iff", 2)


def _equation(m: Meta, body: Expr, proof: Expr, symm: bool) -> Iterator[tuple[Expr, Expr]]:
    """Yield the equation of a proposition and its proof; with `symm` from right to left.

    Raises:
        MetaError: `symm` for a proposition that is rewritten to `True` or `False`.
    """
    if is_app_of(body, "Eq", 3):
        fn, (alpha, a, b) = get_app(body)
        if symm:
            yield mk_apps(fn, (alpha, b, a)), mk_apps(mk_const("Eq.symm", fn.levels), (alpha, a, b, proof))  # type: ignore[attr-defined]
        else:
            yield body, proof
    elif is_app_of(body, "Iff", 2):
        _, (a, b) = get_app(body)
        eq = mk_apps(mk_const("propext"), (a, b, proof))
        if symm:
            yield _eq_prop(b, a), mk_apps(mk_const("Eq.symm", (ONE,)), (PROP, a, b, eq))
        else:
            yield _eq_prop(a, b), eq
    elif is_app_of(body, "Not", 1):
        prop = body.arg  # type: ignore[attr-defined]
        _only_forward(m, prop, "simp theorems of the form `¬ P`", "False", symm)
        yield _eq_prop(prop, mk_const("False")), mk_apps(mk_const("eq_false"), (prop, proof))
    elif is_app_of(body, "Ne", 3):
        fn, args = get_app(body)
        prop = mk_apps(mk_const("Eq", fn.levels), args)  # type: ignore[attr-defined]
        _only_forward(m, prop, "simp theorems of the form `¬ P`", "False", symm)
        yield _eq_prop(prop, mk_const("False")), mk_apps(mk_const("eq_false"), (prop, proof))
    elif is_prop(m, body) and not is_app_of(body, "True", 0):
        _only_forward(m, body, "a rule that rewrites to `True`", "True", symm)
        yield _eq_prop(body, mk_const("True")), mk_apps(mk_const("eq_true"), (body, proof))


def _only_forward(m: Meta, prop: Expr, what: str, value: str, symm: bool) -> None:
    if symm:
        raise MetaError(
            f"Invalid `←` modifier: Cannot be applied to {what}\n\nNote: This simp theorem will rewrite"
            f"{inline(m, prop)}to `{value}`, which should not be applied in the reverse direction"
        )


def _eq_prop(a: Expr, b: Expr) -> Expr:
    return mk_apps(mk_const("Eq", (ONE,)), (PROP, a, b))


def _is_permutation(left: Expr, right: Expr, fvars: list[FVar]) -> bool:
    """Return whether both sides are equal up to renaming the variables of the rule, as in commutativity."""
    names: dict[int, int] = {}
    ids = {x.id for x in fvars}

    def go(a: Expr, b: Expr) -> bool:
        if type(a) is not type(b):
            return False
        if type(a) is FVar and a.id in ids:
            return b.id in ids and names.setdefault(a.id, b.id) == b.id  # type: ignore[attr-defined]
        if type(a) is App:
            return go(a.fn, b.fn) and go(a.arg, b.arg)  # type: ignore[attr-defined]
        if type(a) in (Lam, Pi):
            return go(a.type, b.type) and go(a.body, b.body)  # type: ignore[attr-defined]
        return alpha_eq(a, b)

    return not alpha_eq(left, right) and go(left, right)


def definition_rule(m: Meta, decl: Definition) -> list[Rule]:
    """Return the unfolding equation of a definition at full application, true by `rfl`."""
    const = mk_const(decl.name, tuple(mk_param(p) for p in decl.level_params))
    old = m.lctx
    try:
        fvars: list[FVar] = []
        value: Expr = decl.value
        while type(value) is Lam:
            more, value = m.intro_binders(value, 1)
            fvars += more
        left = mk_apps(const, fvars)
        type_ = infer_type(m, left)
        levels = (sort_level(m, type_),)
        statement = mk_apps(mk_const("Eq", levels), (type_, left, value))
        proof = mk_apps(mk_const("Eq.refl", levels), (type_, left))
        return [
            Rule(
                decl.name,
                decl.level_params,
                m.mk_pi(fvars, statement),
                m.mk_lambda(fvars, proof),
                abstract(left, fvars),
                head_key(left),
                False,
                order=(-DEFAULT_PRIORITY, *_path(m, left, {x.id for x in fvars})),
                by_definition=True,
                unfolds=True,
            )
        ]
    finally:
        m.lctx = old


def unfolding_rules(m: Meta, decl: Definition, rules: RuleSet) -> list[Rule]:
    """Return the equations of a recursive function, or the unfolding equation of another definition."""
    if not m.env.is_recursive(decl.name):
        return definition_rule(m, decl)
    rules.unfolds.add(decl.name)
    lemmas = (m.env.find(name) for name in m.env.equations.get(decl.name, ()))
    return [rule for lemma in lemmas if lemma is not None for rule in constant_rules(m, lemma)]


def default_rules(env: LeanEnv, m: Meta) -> RuleSet:
    """Return the rules of all `@[simp]` lemmas, which are built once per environment."""
    hit = env.memo.get("simp_rules")
    if hit is None:
        if env is env.root:
            hit = _rules_by_lemma(env)[0]
        else:
            known = _rules_by_lemma(env.root) if _unfolds_as_root(env) else (RuleSet(), {})
            hit = _make_rules(env, m, *known)[0]
        env.memo["simp_rules"] = hit
    return hit  # type: ignore[return-value]


def _make_rules(
    env: LeanEnv, m: Meta, of_root: RuleSet, known: dict[str, list[Rule]]
) -> tuple[RuleSet, dict[str, list[Rule]]]:
    """Return the rules of all lemmas of an environment, and those of each lemma; rules that are known are not made."""
    made, by_lemma = RuleSet(), {}
    for name, priority in env.simp_lemmas.items():
        rules = known.get(name)
        if rules is None:
            decl = env.find(name)
            assert decl is not None
            if isinstance(decl, Definition) and not decl.is_opaque and not is_prop(m, decl.type):
                rules = unfolding_rules(m, decl, made)
            else:
                rules = constant_rules(m, decl)
        elif of_root.unfolding(name):
            made.unfolds.add(name)
        by_lemma[name] = rules
        if priority != DEFAULT_PRIORITY:
            rules = [replace(rule, order=(-priority, *rule.order[1:])) for rule in rules]
        made.add(rules)
    return made, by_lemma


def _rules_by_lemma(root: LeanEnv) -> tuple[RuleSet, dict[str, list[Rule]]]:
    """Return the rules of all lemmas of a library, and those of each lemma: its scopes share them."""
    hit = root.memo.get("rules_by_lemma")
    if hit is None:
        # No tactic pays for them: what a tactic may do must not depend on the proofs before it.
        m = MetaM(root, budget=Budget(sys.maxsize, math.inf))
        hit = root.memo["rules_by_lemma"] = _make_rules(root, m, RuleSet(), {})
    return hit  # type: ignore[return-value]


def _unfolds_as_root(env: LeanEnv) -> bool:
    """Return whether the constants of the library unfold in this scope of it as they do there."""
    known = env.root.reducibility
    changed = (name for name, how in env.reducibility.items() if known.get(name) != how)
    return known.keys() <= env.reducibility.keys() and all(env.root.find(name) is None for name in changed)
