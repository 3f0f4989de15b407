"""`simp`: rewriting to a normal form, inside out, with a proof of every step.

Terms are visited bottom up; at each one the rules whose left side matches up to reducible unfolding are tried until
nothing changes.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/Main.lean`, `Rewrite.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import replace

from minilean.kernel.expr import (
    INST,
    App,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    Pi,
    Proj,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
)
from minilean.kernel.instantiate import (
    abstract,
    beta_apply,
    head_beta,
    instantiate1,
)
from minilean.kernel.level import ZERO
from minilean.kernel.traversal import alpha_eq
from minilean.meta.discr import apart
from minilean.meta.errors import RECURSION, MetaError
from minilean.meta.extension import DEFAULT_TRANSPARENCY, INSTANCES, REDUCIBLE
from minilean.meta.fun_info import binder_infos
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import unfold_definition, whnf, whnf_core
from minilean.tactics.simp.arith import normalize
from minilean.tactics.simp.conditions import Decision, chosen_branch, decided_by_hypothesis
from minilean.tactics.simp.congr import may_be_simplified, rewrite_dependent, rewrite_discriminant
from minilean.tactics.simp.lemmas import rules_of
from minilean.tactics.simp.procedures import (
    clashing_constructors,
    compute_bounded,
    compute_integers,
    compute_naturals,
    decide_literally,
    without_differences,
)
from minilean.tactics.simp.result import FALSE, TRUE, Result, congr, proof_of, trans
from minilean.tactics.simp.rewriting import apply_rule, unfolded_by
from minilean.tactics.simp.rules import RuleSet
from minilean.tactics.state import Tactics

MAX_STEPS = 4_000
MAX_DISCHARGE_DEPTH = 2


class Simplifier:
    """One run of `simp` on the main goal of `t`."""

    def __init__(self, t: Tactics, rules: RuleSet) -> None:
        self.t = t
        self.m: Meta = t.m
        self.rules = rules
        self.options = rules.options
        self.cache: dict[Expr, Result] = {}
        self.steps = 0
        self.discharge_depth = 0

    def simp(self, e: Expr) -> Result:
        """Simplify `e` to its normal form."""
        hit = self.cache.get(e)
        if hit is not None:
            return hit
        m = self.m
        m.budget.spend("simp")
        with m.nested("simp"):
            result = self._loop(e)
        self.cache[e] = result
        return result

    def _loop(self, e: Expr) -> Result:
        total = Result(e)
        while True:
            before = total.expr
            total = trans(self.m, e, total, self._reduce(total.expr))
            if total.expr is not before:
                self._step()
                continue
            known = None
            if not self.options.definitional:
                known = rewrite_discriminant(self.m, self.simp, total.expr)
            if known is not None:
                total = trans(self.m, e, total, known)
                continue
            visited = self._visit(total.expr)
            if visited.expr is not total.expr:
                total = trans(self.m, e, total, visited)
                if self._is_decided(visited.expr):
                    continue
            step = self._post(total.expr)
            if step is None:
                return total
            self._step()
            total = trans(self.m, e, total, step)
            hit = self.cache.get(total.expr)
            if hit is not None:
                return trans(self.m, e, total, hit)
            if total.expr is before and step.proof is None:
                return total

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise MetaError(f"Tactic `simp` failed with a nested error:\n{RECURSION}")

    def _is_decided(self, e: Expr) -> bool:
        """Return whether `e` is a `match` whose alternative is known, or a projection of a known structure."""
        fn = get_app_fn(e)
        if type(fn) is not Const:
            return False
        env = self.m.env
        return (fn.name in env.matchers or fn.name in env.projections) and self._reduce(e).expr is not e

    def _reduce(self, e: Expr) -> Result:
        """Reduce `e` at its head: beta, projections and `match` of constructors, `let`."""
        if type(e) is Let:
            return Result(instantiate1(e.body, e.value))
        new = head_beta(e)
        fn = get_app_fn(new)
        if type(fn) is FVar and fn.id in self.rules.values:
            value = self.m.local(fn).value
            assert value is not None
            new = beta_apply(self.m.instantiate_mvars(value), get_app(new)[1])
        elif type(fn) is Proj:
            new = whnf_core(self.m, new)
        elif type(fn) is Const and fn.name in self.m.env.matchers:
            with self.m.with_transparency(REDUCIBLE):
                new = whnf_core(self.m, new)
        elif type(fn) is Const and fn.name in self.m.env.projections:
            info = self.m.env.projections[fn.name]
            _, args = get_app(new)
            if not info.is_class and len(args) > info.num_params:
                with self.m.with_transparency(REDUCIBLE):
                    head, fields = get_app(whnf_core(self.m, args[info.num_params]))
                if type(head) is Const and head.name == self.m.env.structures[info.struct].constructor:
                    new = beta_apply(fields[info.num_params + info.index], args[info.num_params + 1 :])
            elif info.is_class and self.rules.definition(fn.name) is not None:
                with self.m.with_transparency(INSTANCES):
                    unfolded = unfold_definition(self.m, new)
                if unfolded is not None:
                    self.rules.used[fn.name] = None
                    new = unfolded
        elif type(fn) is Const and self.rules.unfolding(fn.name):
            with self.m.with_transparency(DEFAULT_TRANSPARENCY):
                unfolded = unfold_definition(self.m, new)
            if unfolded is not None:
                self.rules.used[fn.name] = None
                new = unfolded
        elif type(fn) is Const and (rule := self.rules.definition(fn.name)) is not None:
            body = unfolded_by(new, rule)
            if body is not None:
                self.rules.used[fn.name] = None
                new = body
        return Result(new)

    def _visit(self, e: Expr) -> Result:
        kind = type(e)
        if kind is App:
            conditional = is_app_of(e, "ite", 5) or is_app_of(e, "dite", 5)
            conditional = conditional and not self.options.definitional
            if conditional and self.rules.runs("reduceIte", "reduceDIte"):
                special = self._if(e)
                if special is not None:
                    return trans(self.m, e, special, self.simp(special.expr))
            return self._app(e)
        if kind is Lam:
            return self._lambda(e)
        if kind is Pi:
            return self._pi(e)
        return Result(e)

    def _app(self, e: Expr) -> Result:
        """Simplify the arguments that others do not depend on, and chain congruence proofs."""
        m = self.m
        fn, args = get_app(e)
        infos = binder_infos(m, fn, len(args))
        if not self.options.definitional:
            moved = rewrite_dependent(m, self.simp, fn, args)
            if moved is not None:
                return trans(m, e, moved, self._app(moved.expr))
        fn_type = m.instantiate_mvars(infer_type(m, fn))
        current = Result(fn)
        left = fn
        for i, arg in enumerate(args):
            if type(fn_type) is not Pi:
                fn_type = whnf(m, fn_type)
            assert type(fn_type) is Pi
            result = Result(arg)
            free = self.options.definitional or not fn_type.body.loose
            if infos[i] != INST and free and may_be_simplified(m, arg):
                result = self.simp(arg)
            current = congr(self.m, left, current, arg, result)
            left = mk_app(left, arg)
            fn_type = instantiate1(fn_type.body, arg)
        return current

    def _lambda(self, e: Expr) -> Result:
        m = self.m
        assert type(e) is Lam
        old = m.lctx
        try:
            x = m.push_local(e.name, e.type, e.info)
            body = instantiate1(e.body, x)
            result = self.simp(body)
            new = mk_lam(e.name, e.type, abstract(result.expr, [x]), e.info)
            if result.proof is None:
                return Result(new)
            beta_type = infer_type(m, body)
            beta = m.mk_lambda([x], beta_type)
            levels = (sort_level(m, e.type), sort_level(m, beta_type))
            proof = mk_apps(
                mk_const("funext", levels), (e.type, beta, e, new, m.mk_lambda([x], result.proof))
            )
            return Result(new, proof)
        finally:
            m.lctx = old

    def _pi(self, e: Expr) -> Result:
        m = self.m
        assert type(e) is Pi
        if not is_prop(m, e):
            return Result(e)
        if not e.body.loose and is_prop(m, e.type):
            p = self.simp(e.type)
            if self.options.contextual:
                return self._implication(e, p)
            q = self.simp(e.body)
            new = mk_pi(e.name, p.expr, q.expr, e.info)
            if p.proof is None and q.proof is None:
                return Result(new)
            proof = mk_apps(
                mk_const("implies_congr", (ZERO, ZERO)),
                (e.type, p.expr, e.body, q.expr, proof_of(self.m, e.type, p), proof_of(self.m, e.body, q)),
            )
            return Result(new, proof)
        old = m.lctx
        try:
            x = m.push_local(e.name, e.type, e.info)
            body = instantiate1(e.body, x)
            result = self.simp(body)
            new = mk_pi(e.name, e.type, abstract(result.expr, [x]), e.info)
            if result.proof is None:
                return Result(new)
            level = sort_level(m, e.type)
            proof = mk_apps(
                mk_const("forall_congr", (level,)),
                (
                    e.type,
                    m.mk_lambda([x], body),
                    m.mk_lambda([x], result.expr),
                    m.mk_lambda([x], result.proof),
                ),
            )
            return Result(new, proof)
        finally:
            m.lctx = old

    def _implication(self, e: Pi, p: Result) -> Result:
        """Simplify `p → q`, with the simplified `p` as a rule for `q`."""
        m = self.m
        old = m.lctx
        try:
            h = m.push_local("h✝", p.expr)
            rules = replace(self.rules, by_key={k: list(v) for k, v in self.rules.by_key.items()})
            rules.add(rules_of(m, f"_hyp{h.id}", h, ()))
            inner = Simplifier(self.t, rules)
            inner.steps = self.steps
            q = inner.simp(e.body)
            self.steps = inner.steps
            new = mk_pi(e.name, p.expr, q.expr, e.info)
            if p.proof is None and q.proof is None:
                return Result(new)
            under = m.mk_lambda([h], proof_of(self.m, e.body, q))
            args = (e.type, p.expr, e.body, q.expr, proof_of(self.m, e.type, p), under)
            return Result(new, mk_apps(mk_const("implies_congr_ctx"), args))
        finally:
            m.lctx = old

    def _if(self, e: Expr) -> Result | None:
        """Reduce `if c then a else b` where `c` is decided by simplification or, in `split`, by a hypothesis."""
        cond = get_app(e)[1][1]
        decided = (
            decided_by_hypothesis(self.m, cond) if self.options.splitting else self._by_simplifying(cond)
        )
        return None if decided is None else chosen_branch(self.m, e, decided)

    def _by_simplifying(self, cond: Expr) -> Decision | None:
        result = self.simp(cond)
        for holds, outcome, lemma in ((True, TRUE, "of_eq_true"), (False, FALSE, "of_eq_false")):
            if alpha_eq(result.expr, outcome):
                return Decision(holds, mk_apps(mk_const(lemma), (cond, proof_of(self.m, cond, result))))
        return None

    def _post(self, e: Expr) -> Result | None:
        if type(e) not in (App, Const, Pi, FVar):
            return None
        t, rules = self.t, self.rules
        literal = (
            compute_naturals(t, rules, e) or compute_integers(t, rules, e) or compute_bounded(t, rules, e)
        )
        if literal is not None:
            return literal
        rewritten = self._by_rules(e) or self._by_rules_of_functions(e)
        if rewritten is not None:
            return rewritten
        if self.options.definitional:
            return None
        return without_differences(t, rules, e) or clashing_constructors(t, rules, e) or self._by_option(e)

    def _by_rules(self, e: Expr) -> Result | None:
        for rule in self.rules.matching(e):
            self.m.budget.spend("simp")
            if apart(self.m, rule.left, e):
                continue
            result = apply_rule(self.m, e, rule, self.options.definitional, self._discharge)
            if result is not None:
                self.rules.used[rule.name] = None
                return result
        return None

    def _by_rules_of_functions(self, e: Expr) -> Result | None:
        """Rewrite `e` by rules for its function with fewer arguments, the rules with the most arguments first.

        Source: Lean 4 `src/Lean/Meta/Tactic/Simp/Rewrite.lean` (`tryTheoremWithExtraArgs?`) (4.34).
        """
        fn, args = get_app(e)
        for n in self.rules.arities(fn, len(args)):
            left = mk_apps(fn, args[:n])
            result = self._by_rules(left)
            if result is None:
                continue
            for arg in args[n:]:
                result = congr(self.m, left, result, arg, Result(arg))
                left = mk_app(left, arg)
            return Result(head_beta(result.expr), result.proof)
        return None

    def _by_option(self, e: Expr) -> Result | None:
        """Rewrite `e` by `+arith` or `+decide`."""
        if self.options.arith:
            result = normalize(self.t, e)
            if result is not None:
                return Result(*result)
        if self.options.decide and not e.has_fvar and not e.has_mvar and is_prop(self.m, e):
            return None if alpha_eq(e, TRUE) or alpha_eq(e, FALSE) else decide_literally(self.m, e)
        return None

    def _discharge(self, prop: Expr) -> Expr | None:
        """Return a proof of a premise of a rule, found by simplifying the premise to `True`."""
        m = self.m
        if self.discharge_depth >= MAX_DISCHARGE_DEPTH or not is_prop(m, prop) or has_expr_mvar(prop):
            return None
        excluding = _excluding_hypothesis(m, prop)
        if excluding is not None:
            return excluding
        self.discharge_depth += 1
        try:
            result = self.simp(prop)
        finally:
            self.discharge_depth -= 1
        if not alpha_eq(result.expr, TRUE):
            return None
        return mk_apps(mk_const("of_eq_true"), (prop, proof_of(self.m, prop, result)))


def _excluding_hypothesis(m: Meta, prop: Expr) -> Expr | None:
    """Return a hypothesis that states an overlap assumption `∀ ys, a = b → .. → False` of an equation.

    Source: Lean 4 `src/Lean/Meta/Tactic/Simp/Rewrite.lean` (`dischargeUsingAssumption?`) (4.34).
    """
    end = prop
    while type(end) is Pi:
        if not is_app_of(end.type, "Eq", 3) and not is_app_of(end.type, "HEq", 4) and not end.body.loose:
            return None
        end = end.body
    if end is prop or not is_app_of(end, "False", 0):
        return None
    for decl in reversed(list(m.lctx)):
        if not decl.hidden and m.attempt(lambda d=decl: is_def_eq(m, d.type, prop)):  # type: ignore[misc]
            return decl.fvar
    return None
