"""Choice of the measure of a well-founded recursion, and the tactics that prove that it decreases.

Without `termination_by`, the sizes of the arguments and differences from conditions are tried, alone and in
lexicographic order.

Source: Lean 4 `src/Lean/Elab/PreDefinition/WF/GuessLex.lean`, `Main.lean`, `src/Init/WFTactics.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from minilean.elab.display import show
from minilean.elab.recursion.call_places import NotDecreasing
from minilean.elab.recursion.decreasing import DECREASING
from minilean.elab.recursion.relations import less, size_of
from minilean.elab.recursion.sizes import ensure_sizes
from minilean.elab.recursion.well_founded import (
    Body,
    Call,
    Measure,
    Solver,
    compile_with,
    instantiate_all,
    open_body,
    prove_calls,
    relevant,
)
from minilean.elab.term import Elab
from minilean.kernel.expr import Const, Expr, FVar, MVar, get_app, is_app_of, mk_apps, mk_const
from minilean.kernel.level import ONE, ZERO
from minilean.kernel.traversal import subterms
from minilean.meta.context import Kind
from minilean.meta.errors import BudgetError, MetaError
from minilean.meta.infer import infer_type, is_prop, is_type, sort_level
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast
from minilean.syntax.parser import parse_tactics

_NAT = mk_const("Nat")
_SIZE_OF_NAT = mk_const("instSizeOfNat")
NAT_RELATION = mk_apps(mk_const("instWellFoundedRelationOfSizeOf", (ONE,)), (_NAT, _SIZE_OF_NAT))


def compile_well_founded(
    el: Elab, name: str, self_var: FVar, value: Expr, hints: ast.Termination, bound: int
) -> Expr:
    """Compile a function by well-founded recursion.

    Args:
        el: The elaborator, whose local context has `self_var`.
        name: The name of the function.
        self_var: The variable that stands for the function in `value`.
        value: `fun args => body`, fully instantiated.
        hints: What the source says about termination.
        bound: How many of the arguments stand before the colon.

    Raises:
        MetaError: No measure is found, or a call does not decrease.
    """
    m = el.m
    old = m.lctx
    try:
        body = open_body(m, name, self_var, value)
        ensure_sizes(m.env, [m.instantiate_mvars(m.local(x).type) for x in body.args])
        solve = solver(hints.decreasing)
        guessed = hints.measure is None
        measure = _guess(el, name, body, hints) if guessed else written_measure(el, name, body, hints, bound)
        compiled, calls = compile_with(m, body, measure)
        prove_calls(el, calls, solve)
        compiled = m.instantiate_mvars(compiled)
        if any(sub is self_var for sub in subterms(compiled)):
            raise MetaError("unexpected occurrence of recursive application")
        return compiled
    finally:
        m.lctx = old


def solver(block: ast.TacSeq | None) -> Solver:
    """Return what proves the goals: the tactics of `decreasing_by` on all of them, or `decreasing_tactic` on each."""

    def by_block(el: Elab, goals: Sequence[MVar]) -> None:
        assert el.run_tactics is not None and block is not None
        el.run_tactics(el, goals[0], block, goals[1:])

    def by_default(el: Elab, goals: Sequence[MVar]) -> None:
        assert el.run_tactics is not None
        inner = Elab(el.m, el.scope, el.run_tactics, el.level_names, source=DECREASING)
        for i, goal in enumerate(goals):
            try:
                el.run_tactics(inner, goal, parse_tactics(DECREASING))
            except BudgetError:
                raise
            except MetaError as error:
                # its position is one in the text of the tactic
                raise NotDecreasing(str(error), i, len(goals)) from None

    return by_default if block is None else by_block


def written_measure(el: Elab, name: str, body: Body, hints: ast.Termination, bound: int) -> Measure:
    """Elaborate the measure of `termination_by`."""
    m = el.m
    free = body.args[bound:]
    if len(hints.names) > len(free):
        raise MetaError(
            f"{len(hints.names)} parameters bound in `termination_by`, but the body of {name} only binds {len(free)} "
            "parameters."
        )
    names = dict(zip(free, hints.names, strict=False))
    decls = [d for d in m.lctx if d.fvar is not body.self_var]
    assert hints.measure is not None
    named = [type(d)(d.fvar, names.get(d.fvar, d.name), d.type, d.value, d.info, d.hidden) for d in decls]
    with m.with_lctx(m.lctx.replace_all(named)):
        value = el.elab_closed(hints.measure)
        type_ = m.instantiate_mvars(infer_type(m, value))
        ensure_sizes(m.env, [type_])
        level = sort_level(m, type_)
        wanted = mk_apps(mk_const("WellFoundedRelation", (level,)), (type_,))
        instance = synth_instance(m, wanted)
    variables = body.variables
    if any(sub in variables for sub in subterms(type_)):
        raise MetaError(f"the type of the measure depends on an argument\n  {show(m, type_, 2)}")
    if instance is None:
        raise MetaError(f"failed to synthesize instance of type class\n  {show(m, wanted, 2)}")
    return Measure(variables, value, type_, m.instantiate_mvars(instance))


# --- guessing -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Candidate:
    """A number that may decrease: its value over the arguments that vary, and its name in messages."""

    label: str
    value: Expr
    legend: str = ""


@dataclass(slots=True)
class _Matrix:
    """The relations between each candidate at a call and around it: `<`, `=`, `≤` or `?`, once they are known."""

    el: Elab
    body: Body
    calls: list[Call]
    candidates: list[_Candidate]
    solve: Solver
    entries: dict[tuple[int, int], str] = field(default_factory=dict)

    def entry(self, call: int, candidate: int) -> str:
        """Return the relation, which is looked for once."""
        key = (call, candidate)
        if key not in self.entries:
            self.entries[key] = self._relation(self.calls[call], self.candidates[candidate])
        return self.entries[key]

    def _relation(self, call: Call, candidate: _Candidate) -> str:
        variables = self.body.variables
        now, new = (instantiate_all(candidate.value, variables, xs) for xs in (call.current, call.values))
        m = self.el.m
        if self._proves(call, less(new, now)):
            return "<"
        with m.with_lctx(call.around):
            if m.attempt(lambda: is_def_eq(m, new, now)):
                return "="
        at_most = mk_apps(mk_const("LE.le", (ZERO,)), (_NAT, mk_const("instLENat"), new, now))
        return "≤" if self._proves(call, at_most) else "?"

    def _proves(self, call: Call, goal: Expr) -> bool:
        m = self.el.m
        mark, lctx = m.mctx.mark(), m.lctx
        try:
            with m.with_lctx(relevant(m, call.around, goal)):
                mvar = m.new_mvar(goal, Kind.OPAQUE)
                assert type(mvar) is MVar
                self.solve(self.el, [mvar])
            return True
        except BudgetError:
            raise
        except MetaError:
            return False
        finally:
            m.mctx.rollback(mark)
            m.lctx = lctx

    def order(self) -> list[int] | None:
        """Return the candidates in an order in which they decrease lexicographically; `None` if there is none."""
        return self._order(list(range(len(self.calls))), [])

    def _order(self, calls: list[int], chosen: list[int]) -> list[int] | None:
        if not calls:
            return chosen
        for k in range(len(self.candidates)):
            if k in chosen:
                continue
            found = []
            for call in calls:
                found.append(self.entry(call, k))
                if found[-1] == "?":
                    break
            if "?" in found or "<" not in found:
                continue
            rest = [call for call, entry in zip(calls, found, strict=True) if entry != "<"]
            order = self._order(rest, [*chosen, k])
            if order is not None:
                return order
        return None

    def explanation(self) -> str:
        """Return Lean's table of what is known."""
        rows = [["", *(c.label for c in self.candidates)]]
        for i in range(len(self.calls)):
            rows.append([f"{i + 1})", *(self.entries.get((i, k), "_") for k in range(len(self.candidates)))])
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = [
            " ".join(
                [
                    row[0].ljust(widths[0]),
                    *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)),
                ]
            )
            for row in rows
        ]
        legend = "".join(f"{c.label}: {c.legend}\n" for c in self.candidates if c.legend)
        return "\n".join(lines) + "\n" + (f"\n{legend}\n" if legend else "")


def _guess(el: Elab, name: str, body: Body, hints: ast.Termination) -> Measure:
    """Find a measure under which the calls decrease.

    Raises:
        MetaError: There is none among those that are tried.
    """
    m = el.m
    simple = sizes(m, body)
    if not simple:
        raise MetaError(f"well-founded recursion cannot be used: no argument of `{name}` has a size")
    mark = m.mctx.mark()
    first = Measure(body.variables, simple[0].value, _NAT, NAT_RELATION)
    _, calls = compile_with(m, body, first)
    candidates = [*simple, *_differences(m, body, calls)]
    if len(candidates) == 1:
        return first
    matrix = _Matrix(el, body, calls, candidates, solver(hints.decreasing))
    order = matrix.order()
    if order is None:
        raise MetaError(
            "Could not find a decreasing measure.\n"
            "The basic measures relate at each recursive call as follows:\n"
            "(<, ≤, =: relation proved, ? all proofs failed, _: no proof attempted)\n"
            f"{matrix.explanation()}Please use `termination_by` to specify a decreasing measure."
        )
    m.mctx.rollback(mark)
    return _lexicographic(body, [candidates[k].value for k in order])


def _lexicographic(body: Body, values: list[Expr]) -> Measure:
    value, instance = values[-1], NAT_RELATION
    type_: Expr = _NAT
    for other in reversed(values[:-1]):
        value = mk_apps(mk_const("Prod.mk", (ZERO, ZERO)), (_NAT, type_, other, value))
        instance = mk_apps(
            mk_const("Prod.instWellFoundedRelation", (ZERO, ZERO)), (_NAT, type_, NAT_RELATION, instance)
        )
        type_ = mk_apps(mk_const("Prod", (ZERO, ZERO)), (_NAT, type_))
    return Measure(body.variables, value, type_, instance)


def sizes(m: Meta, body: Body) -> list[_Candidate]:
    """Return the sizes of the arguments that vary and have one."""
    found = []
    for i in body.varying:
        x = body.args[i]
        type_ = m.instantiate_mvars(m.local(x).type)
        if is_type(m, x) or is_prop(m, type_):
            continue
        wanted = mk_apps(mk_const("SizeOf", (sort_level(m, type_),)), (type_,))
        instance = synth_instance(m, wanted)
        if instance is None or is_app_of(instance, "instSizeOfDefault", 1):
            continue
        label = m.local(x).name
        value = size_of(m, type_, m.instantiate_mvars(instance), x)
        found.append(_Candidate(f"x{i + 1}" if label.endswith("✝") else label, value))
    return found


_ORDERS = {"LT.lt": (2, 3), "LE.le": (2, 3), "GT.gt": (3, 2), "GE.ge": (3, 2)}


def _differences(m: Meta, body: Body, calls: Sequence[Call]) -> list[_Candidate]:
    """Return `b - a` for conditions `a < b` under which a call happens."""
    found: list[_Candidate] = []
    outer = {d.fvar for d in m.lctx}
    for call in calls:
        back = {x: v for x, v in zip(call.current, body.variables, strict=True) if type(x) is FVar}
        inner = [d for d in call.around if d.fvar not in outer]
        known = {d.fvar for d in inner}
        for decl in inner:
            for a, b in _compared(m.instantiate_mvars(decl.type)):
                inside = {s for e in (a, b) for s in subterms(e) if type(s) is FVar and s in known}
                if not inside or not inside <= back.keys():
                    continue
                value = mk_apps(
                    mk_const("HSub.hSub", (ZERO, ZERO, ZERO)),
                    (
                        _NAT,
                        _NAT,
                        _NAT,
                        mk_apps(mk_const("instHSub", (ZERO,)), (_NAT, mk_const("instSubNat"))),
                        b,
                        a,
                    ),
                )
                value = instantiate_all(value, list(back), list(back.values()))
                if all(value is not c.value for c in found):
                    found.append(_Candidate(f"#{len(found) + 1}", value, show(m, value, 0)))
    return found


def _compared(prop: Expr) -> list[tuple[Expr, Expr]]:
    """Return the pairs `(a, b)` of numbers with `a < b` or `a ≤ b` by a condition, or by its negation."""
    if is_app_of(prop, "Not", 1):
        return [(b, a) for a, b in _compared(get_app(prop)[1][0])]
    fn, args = get_app(prop)
    if type(fn) is Const and fn.name in _ORDERS and len(args) == 4 and args[0] is _NAT:
        small, large = _ORDERS[fn.name]
        return [(args[small], args[large])]
    if type(fn) is Const and fn.name == "Ne" and len(args) == 3 and args[0] is _NAT:
        return [(args[1], args[2])]
    return []
