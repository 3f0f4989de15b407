"""Canonical form of terms for `grind`: a term that is equal by definition, the same one for terms that differ in form.

Source: Lean 4 `src/Lean/Meta/Tactic/Grind/{Simp,Canon,Util}.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import (
    INST,
    App,
    Const,
    Expr,
    Lam,
    Let,
    Pi,
    Proj,
    get_app,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
    mk_pi,
    mk_proj,
)
from minilean.kernel.instantiate import abstract, beta_apply, instantiate1
from minilean.meta.extension import INSTANCES, REDUCIBLE
from minilean.meta.fun_info import binder_infos, maybe_proof
from minilean.meta.infer import infer_type, is_proof
from minilean.meta.metavars import Meta
from minilean.meta.numerals import mk_nat_add, mk_numeral, nat_literal
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import unfold_definition, whnf_core
from minilean.tactics.omega.ground import ground, ground_int
from minilean.tactics.omega.instances import domain, int_numeral

_KEPT = frozenset(["Not", "outParam", "optParam", "autoParam"])
_TURNED = {"GT.gt": "LT.lt", "GE.ge": "LE.le"}
_COMPUTED = frozenset(
    ["HAdd.hAdd", "HSub.hSub", "HMul.hMul", "HDiv.hDiv", "HMod.hMod", "HPow.hPow", "Neg.neg"]
)
_BINDER = "x"


class Canonical:
    """Canonical forms within one run.

    Equal binders get one name, reducible definitions are unfolded, beta redexes, projections and matches of
    constructors are reduced, arithmetic on numerals is computed, and of several equal instances the first is used.
    """

    def __init__(self, m: Meta) -> None:
        self.m = m
        self._seen: dict[Expr, Expr] = {}
        self._instances: dict[Expr, list[Expr]] = {}

    def of(self, e: Expr) -> Expr:
        """Return the canonical form of a term without loose variables."""
        hit = self._seen.get(e)
        if hit is None:
            self.m.budget.spend("grind")
            with self.m.nested("grind"):
                hit = self._seen[e] = self._of(e)
            self._seen[hit] = hit
        return hit

    def _of(self, e: Expr) -> Expr:
        kind = type(e)
        if kind is App:
            return self._app(e)
        if type(e) is Lam or type(e) is Pi:
            return self._binding(e)
        if kind is Let:
            return self.of(instantiate1(e.body, e.value))  # type: ignore[attr-defined]
        if kind is Proj:
            reduced = whnf_core(self.m, e)
            if reduced is not e:
                return self.of(reduced)
            return mk_proj(e.struct, e.idx, self.of(e.expr))  # type: ignore[attr-defined]
        if kind is Const and e.name == "Nat.zero":  # type: ignore[attr-defined]
            return mk_numeral(0)
        return e

    def _binding(self, e: Lam | Pi) -> Expr:
        m = self.m
        old = m.lctx
        try:
            x = m.push_local(_BINDER, e.type)
            body = self.of(instantiate1(e.body, x))
            make = mk_lam if type(e) is Lam else mk_pi
            return make(_BINDER, self.of(e.type), abstract(body, [x]), e.info)
        finally:
            m.lctx = old

    def _app(self, e: Expr) -> Expr:
        m = self.m
        fn, args = get_app(e)
        if type(fn) is Lam:
            return self.of(beta_apply(fn, args))
        if type(fn) is Const:
            if nat_literal(m, e) is not None:
                return mk_numeral(nat_literal(m, e) or 0)
            if fn.name == "Ne" and len(args) == 3:
                return self.of(mk_app(mk_const("Not"), mk_apps(mk_const("Eq", fn.levels), args)))
            if fn.name == "Nat.succ" and len(args) == 1:
                return self.of(mk_nat_add(args[0], 1))
            if fn.name == "bne" and len(args) == 4:
                test = mk_apps(mk_const("BEq.beq", fn.levels), args)
                return self.of(mk_app(mk_const("Bool.not"), test))
            if fn.name in _TURNED and len(args) == 4:
                alpha, inst, a, b = args
                return self.of(mk_apps(mk_const(_TURNED[fn.name], fn.levels), (alpha, inst, b, a)))
        reduced = self._reduced(e, fn, args)
        if reduced is not None:
            return self.of(reduced)
        infos = binder_infos(m, fn, len(args))
        new = [self._argument(a, i) for a, i in zip(args, infos, strict=False)]
        return self._computed(mk_apps(fn if type(fn) is not Proj else self.of(fn), new))

    def _argument(self, arg: Expr, info: int) -> Expr:
        if info == INST:
            return self._instance(arg)
        return arg if maybe_proof(self.m, arg) and is_proof(self.m, arg) else self.of(arg)

    def _reduced(self, e: Expr, fn: Expr, args: list[Expr]) -> Expr | None:
        m = self.m
        env = m.env
        if type(fn) is not Const:
            reduced = whnf_core(m, e)
            return None if reduced is e else reduced
        whole = self._of_fields(fn, args)
        if whole is not None:
            return whole
        with m.with_transparency(REDUCIBLE):
            if fn.name in env.matchers:
                reduced = whnf_core(m, e)
                return None if reduced is e else reduced
            if fn.name in env.projections:
                info = env.projections[fn.name]
                if info.is_class or len(args) <= info.num_params:
                    return None
                head, fields = get_app(whnf_core(m, args[info.num_params]))
                if type(head) is Const and head.name == env.structures[info.struct].constructor:
                    return beta_apply(fields[info.num_params + info.index], args[info.num_params + 1 :])
                return None
            if env.reducibility.get(fn.name) == REDUCIBLE and fn.name not in _KEPT:
                return unfold_definition(m, e)
        return None

    def _of_fields(self, fn: Const, args: list[Expr]) -> Expr | None:
        """Return `s` where the term is `⟨s.1, s.2, ..⟩`."""
        env = self.m.env
        decl = env.find(fn.name)
        if not isinstance(decl, Constructor) or decl.inductive not in env.structures or not decl.num_fields:
            return None
        fields = args[decl.num_params :]
        wholes = [self._whole(decl.inductive, i, field) for i, field in enumerate(fields)]
        same = (
            len(fields) == decl.num_fields and wholes[0] is not None and all(w is wholes[0] for w in wholes)
        )
        return wholes[0] if same else None

    def _whole(self, struct: str, index: int, field: Expr) -> Expr | None:
        """Return `s` where the term is its field number `index`."""
        if type(field) is Proj:
            return field.expr if field.struct == struct and field.idx == index else None
        fn, args = get_app(field)
        info = self.m.env.projections.get(fn.name) if type(fn) is Const else None
        exact = info is not None and info.struct == struct and info.index == index
        return args[-1] if info is not None and exact and len(args) == info.num_params + 1 else None

    def _computed(self, e: Expr) -> Expr:
        fn, args = get_app(e)
        if type(fn) is not Const or fn.name not in _COMPUTED or e.has_fvar or e.has_mvar:
            return e
        kind = domain(self.m, fn.name, args)
        if kind == "Nat":
            value = ground(self.m, e)
            return e if value is None else mk_numeral(value)
        if kind == "Int":
            value = ground_int(self.m, e)
            return e if value is None else int_numeral(value)
        return e

    def _instance(self, inst: Expr) -> Expr:
        """Return the first instance so far that equals `inst`, seen through reducible definitions and instances."""
        m = self.m
        hit = self._seen.get(inst)
        if hit is not None:
            return hit
        type_ = m.instantiate_mvars(infer_type(m, inst))
        known = self._instances.setdefault(type_, [])
        for other in known:
            with m.new_mctx_depth(), m.with_transparency(INSTANCES):
                if m.attempt(lambda o=other: is_def_eq(m, inst, o)):  # type: ignore[misc]
                    self._seen[inst] = other
                    return other
        known.append(inst)
        self._seen[inst] = inst
        return inst
