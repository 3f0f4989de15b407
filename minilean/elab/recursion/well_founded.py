"""Well-founded recursion: functions whose calls decrease along a well-founded relation, compiled to `WellFounded.fix`.

    f = fun ps a b => WellFounded.fix wf (fun x => PSigma.rec (fun a b (F : ∀ y, y ≺ ⟨a, b⟩ → C y) => body) x) ⟨a, b⟩

where each call `f ps a' b'` in the body becomes `F ⟨a', b'⟩ h`, and tactics prove `h : ⟨a', b'⟩ ≺ ⟨a, b⟩`. A matcher
passes a refined `F` to its alternatives. An argument that is the same in every call is not packed.

Source: Lean 4 `src/Lean/Elab/PreDefinition/WF/Fix.lean`, `PackMutual.lean`, `Rel.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from minilean.elab.recursion.packing import Packing
from minilean.elab.recursion.recursive_calls import Plan, Rewriter, calls_of
from minilean.elab.recursion.relations import decreases
from minilean.elab.term import Elab
from minilean.kernel.expr import (
    DEFAULT,
    Const,
    Expr,
    FVar,
    Lam,
    Let,
    MVar,
    Pi,
    get_app,
    get_app_args,
    mk_apps,
    mk_bvar,
    mk_const,
    mk_lam,
    mk_let,
    mk_pi,
)
from minilean.kernel.instantiate import abstract, beta_apply, instantiate1
from minilean.kernel.traversal import subterms
from minilean.meta.context import Kind, LocalContext, LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq


@dataclass(slots=True)
class Call:
    """A recursive call: its arguments that vary, those of the function around it, and its goal.

    `around` is the context of the call, `lctx` the part that the goal needs, `kept` what is not in the context of the
    function.
    """

    values: list[Expr]
    current: list[Expr]
    around: LocalContext
    lctx: LocalContext
    goal: Expr
    proof: MVar
    kept: list[LocalDecl]


@dataclass(slots=True)
class Body:
    """A recursive function before compilation: variables for its arguments, and its body over them.

    `varying` are the positions of the arguments that differ in some call.
    """

    self_var: FVar
    args: list[FVar]
    body: Expr
    varying: list[int]

    @property
    def variables(self) -> list[FVar]:
        """The arguments that vary."""
        return [self.args[i] for i in self.varying]


@dataclass(slots=True)
class Measure:
    """Measure of a recursion: a term over the arguments that vary, of a type with a well-founded relation."""

    variables: list[FVar]
    value: Expr
    type: Expr
    instance: Expr

    def at(self, values: Sequence[Expr]) -> Expr:
        """Return the measure of these arguments."""
        return beta_apply(_lambdas(self.variables, self.value), values)


def _lambdas(xs: Sequence[FVar], e: Expr) -> Expr:
    """Abstract variables whose types do not matter: the function is applied at once."""
    out = abstract(e, xs)
    for _ in xs:
        out = mk_lam("x", mk_bvar(0), out, DEFAULT)
    return out


def open_body(m: Meta, name: str, self_var: FVar, value: Expr) -> Body:
    """Open the binders of a recursive function; they stay in the local context.

    Raises:
        MetaError: Every call has the same arguments.
    """
    args: list[FVar] = []
    inner = value
    while type(inner) is Lam:
        args.append(m.push_local(inner.name, inner.type, inner.info))
        inner = instantiate1(inner.body, args[-1])
    calls = calls_of(inner, self_var)
    same = [all(len(c) > i and c[i] is args[i] for c in calls) for i in range(len(args))]
    for i, x in enumerate(args):
        used = {s for s in subterms(m.instantiate_mvars(m.local(x).type)) if type(s) is FVar}
        same[i] = same[i] and all(same[k] for k in range(i) if args[k] in used)
    varying = [i for i in range(len(args)) if not same[i]]
    if not varying:
        raise MetaError(
            f"well-founded recursion cannot be used, `{name}` does not take any (non-fixed) arguments"
        )
    return Body(self_var, args, inner, varying)


def compile_with(m: Meta, body: Body, measure: Measure) -> tuple[Expr, list[Call]]:
    """Compile a function; return its value, in which metavariables stand for the proofs of the returned calls.

    Raises:
        MetaError: The types of the arguments do not fit together.
    """
    old = m.lctx
    try:
        packing = Packing(m, body.variables)
        result = m.instantiate_mvars(infer_type(m, body.body))
        motive = packing.family(result)
        at_value = packing.function(measure.value, measure.type)
        u, v = packing.level, sort_level(m, measure.type)
        relation = mk_apps(
            mk_const("invImage", (u, v)), (packing.type, measure.type, at_value, measure.instance)
        )
        rel = mk_apps(mk_const("WellFoundedRelation.rel", (u,)), (packing.type, relation))
        wf = mk_apps(mk_const("WellFoundedRelation.wf", (u,)), (packing.type, relation))
        calls: list[Call] = []
        base = m.lctx.without({body.self_var.id, *(x.id for x in body.variables)})

        def smaller(x: Expr) -> Expr:
            """Return `∀ y, rel y x → motive y`, the type of the function for smaller arguments."""
            y = m.push_local("y", packing.type)
            before = mk_pi("a✝", mk_apps(rel, (y, x)), beta_apply(motive, [y]))
            return m.mk_pi([y], before)

        def target(x: Expr) -> Expr:
            return mk_pi("F", smaller(x), beta_apply(motive, [x]))

        def leaf(values: list[FVar], whole: Expr) -> Expr:
            below = m.push_local("x✝", smaller(whole))
            new = [*body.args]
            for position, value in zip(body.varying, values, strict=True):
                new[position] = value
            inner = instantiate_all(body.body, body.variables, values)
            plan = Plan(0, 0, None, mk_const("WellFounded.fix"), [], [])  # type: ignore[arg-type]
            rewriter = WellFoundedRewriter(
                m, plan, body.self_var, motive, new, body, packing, measure, base, calls
            )
            return m.mk_lambda([below], rewriter.rewrite(inner, below))

        x = m.push_local(packing.name, packing.type)
        step = m.mk_lambda([x], packing.split(x, target, leaf))
        w = sort_level(m, result)
        fix = mk_apps(mk_const("WellFounded.fix", (u, w)), (packing.type, motive, rel, wf, step))
        whole = mk_apps(fix, [packing.pack(body.variables)])
        return m.mk_lambda(body.args, whole), calls
    finally:
        m.lctx = old


def instantiate_all(e: Expr, xs: Sequence[FVar], values: Sequence[Expr]) -> Expr:
    """Replace variables by values."""
    for x, value in zip(xs, values, strict=True):
        e = instantiate1(abstract(e, [x]), value)
    return e


@dataclass(slots=True)
class WellFoundedRewriter(Rewriter):
    """Replaces the recursive calls of one body by applications of `F`, here called `below`."""

    body: Body
    packing: Packing
    measure: Measure
    base: LocalContext
    calls: list[Call] = field(default_factory=list)

    @property
    def below_name(self) -> str:
        """Name of the variable for the function at smaller arguments."""
        return "x✝"

    def rewrite(self, e: Expr, below: FVar) -> Expr:
        """Return `e` with recursive calls replaced by applications of `below`."""
        m = self.m
        if not self._calls(e):
            return e
        if type(e) is Let and e.nondep:
            # the value of `have` is not seen below it
            type_, value = self.rewrite(e.type, below), self.rewrite(e.value, below)
            old = m.lctx
            try:
                x = m.push_local(e.name, type_)
                body = self.rewrite(instantiate1(e.body, x), below)
                return mk_let(e.name, type_, value, abstract(body, [x]), True)
            finally:
                m.lctx = old
        fn, args = get_app(e)
        if type(fn) is Const and fn.name == "ite" and len(args) >= 5:
            return Rewriter.rewrite(self, _with_hypothesis(fn, args), below)
        if self._is_call(fn) and len(args) < self._arity(fn):
            return self.rewrite(self._expanded(e, self._arity(fn) - len(args)), below)
        return Rewriter.rewrite(self, e, below)

    def _arity(self, fn: Expr) -> int:
        """Return the number of arguments of a function whose calls are replaced."""
        return len(self.args)

    def _expanded(self, e: Expr, missing: int) -> Expr:
        """Return a partial application as a function of the missing arguments."""
        m = self.m
        old = m.lctx
        try:
            xs, _ = m.intro_binders(m.whnf(infer_type(m, e)), missing)
            if len(xs) < missing:
                raise MetaError("a recursive call has too few arguments")
            return m.mk_lambda(xs, mk_apps(e, xs))
        finally:
            m.lctx = old

    def _recurses_on_part(self, e: Expr) -> bool:
        return True

    def _call(self, args: list[Expr], below: FVar) -> Expr:
        m = self.m
        body = self.body
        for i in range(len(body.args)):
            if i not in body.varying and not is_def_eq(m, args[i], self.args[i]):
                raise MetaError("a parameter changes in a recursive call")
        values = [args[i] for i in body.varying]
        packed = self.packing.pack(values)
        below_type = m.instantiate_mvars(m.local(below).type)
        assert type(below_type) is Pi and type(below_type.body) is Pi
        current = self.packing.unpack(get_app_args(below_type.body.type)[-1])
        if current is None:
            raise MetaError("the arguments of the function are not known at a recursive call")
        measure = self.measure
        goal = decreases(m, measure.type, measure.instance, measure.at(values), measure.at(current))
        proof = self.pose(goal, values, current)
        return mk_apps(below, [packed, proof, *args[len(body.args) :]])

    def pose(self, goal: Expr, values: list[Expr], current: list[Expr]) -> Expr:
        """Return a proof of `goal`, that the measure of `values` is below that of `current`, as a metavariable."""
        m = self.m
        around = m.lctx.without({decl.fvar.id for decl in m.lctx if self._is_call(decl.fvar)})
        lctx = relevant(m, around, goal)
        kept = [d for d in lctx if d.fvar.id not in self.base]
        with m.with_lctx(lctx):
            closed = m.mk_pi([d.fvar for d in kept], goal)
        with m.with_lctx(self.base):
            proof = m.new_mvar(closed, Kind.OPAQUE)
        assert type(proof) is MVar
        self.calls.append(Call(values, current, around, lctx, goal, proof, kept))
        return mk_apps(proof, [d.fvar for d in kept if d.value is None])


def _with_hypothesis(fn: Const, args: list[Expr]) -> Expr:
    """Return `if h : c then a else b` for `if c then a else b`: the condition is known in the branches."""
    type_, prop, instance, yes, no, *rest = args
    branches = (
        mk_lam("h✝", prop, yes, DEFAULT),
        mk_lam("h✝", mk_apps(mk_const("Not"), (prop,)), no, DEFAULT),
    )
    return mk_apps(mk_const("dite", fn.levels), (type_, prop, instance, *branches, *rest))


def relevant(m: Meta, lctx: LocalContext, goal: Expr) -> LocalContext:
    """Return a context without what a goal does not need: propositions about its variables stay.

    Source: Lean 4 `src/Lean/Meta/Tactic/Cleanup.lean` (4.34).
    """
    needed: set[int] = set()
    with m.with_lctx(lctx):
        props = [d for d in lctx if is_prop(m, d.type)]
    todo = [goal]
    while todo:
        found = _variables(m, todo.pop())
        for x in found - needed:
            if x in lctx.decls:
                decl = lctx.decls[x]
                needed.add(x)
                todo += [decl.type] if decl.value is None else [decl.type, decl.value]
        if not todo:
            new = [d for d in props if d.fvar.id not in needed and _variables(m, d.type) & needed]
            todo += [d.fvar for d in new]
    return lctx.replace_all([d for d in lctx if d.fvar.id in needed])


def _variables(m: Meta, e: Expr) -> set[int]:
    return {s.id for s in subterms(m.instantiate_mvars(e)) if type(s) is FVar}


Solver = Callable[[Elab, Sequence[MVar]], None]
"""Proves goals; raises `MetaError` where it cannot."""


def prove_calls(el: Elab, calls: Sequence[Call], solve: Solver) -> None:
    """Prove the goals of recursive calls and assign the proofs.

    Raises:
        MetaError: A goal is not proved.
    """
    m = el.m
    goals: list[MVar] = []
    for call in calls:
        with m.with_lctx(call.lctx):
            mvar = m.new_mvar(call.goal, Kind.OPAQUE)
        assert type(mvar) is MVar
        goals.append(mvar)
    if goals:
        solve(el, goals)
    for call, goal in zip(calls, goals, strict=True):
        with m.with_lctx(call.lctx):
            value = m.mk_lambda([d.fvar for d in call.kept], m.instantiate_mvars(goal))
        m.mctx.assign(call.proof.id, value)
