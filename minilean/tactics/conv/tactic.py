"""`conv`: rewriting at one place of the target or of a hypothesis.

`moves` has the moves to other places; this module has the rewriting at a place and the tactic itself.

Source: Lean 4 `src/Lean/Elab/Tactic/Conv/*.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.elab.display import show_goal
from minilean.elab.missing_names import unknown
from minilean.elab.names import resolve_exact
from minilean.kernel.expr import Expr, FVar, MVar, mk_apps, mk_const
from minilean.kernel.traversal import alpha_eq
from minilean.meta.errors import MetaError, UnsupportedError, together
from minilean.meta.extension import REDUCIBLE
from minilean.meta.infer import sort_level
from minilean.meta.occurrences import collect_mvars
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.syntax.conv import Conv, ConvStep
from minilean.tactics.conv import moves
from minilean.tactics.conv.places import Converter, Focus
from minilean.tactics.location import replace_hypothesis
from minilean.tactics.registry import runs
from minilean.tactics.relations import try_rfl
from minilean.tactics.restating import changed
from minilean.tactics.rewrite import equation_of, rewrite, rule_equation, run_first, side_goals
from minilean.tactics.rewrite_options import ALL_OCCURRENCES, options_of
from minilean.tactics.simp.result import Result
from minilean.tactics.simp.simplifier import Simplifier
from minilean.tactics.simp.tactic import make_rules
from minilean.tactics.state import Tactics
from minilean.tactics.unfold import body_equation, stuck_calls, unfolded

MAX_REPEAT = 1_000


# --- changing ----------------------------------------------------------------------------------------------


def _rewrite(c: Converter, step: ConvStep) -> None:
    """`rw [..]`."""
    assert isinstance(step.tactic, ast.Rw)
    t = c.t
    options = options_of(step.tactic)

    def with_rule(rule: ast.RwRule) -> None:
        equation = rule_equation(t, rule)
        new, proof = rewrite(t, c.here, equation, "target", options)
        c.update(Result(new, proof))
        premises = side_goals(t, equation)
        c.premises += premises
        c.open[1:1] = [Focus(c.m.mvar_decl(x).lctx, x, Result(x), goal=x) for x in premises]

    for rule in step.tactic.rules:
        run_first(t, rule, lambda r: c.attempt(lambda: with_rule(r)))


def _simplify(c: Converter, step: ConvStep) -> None:
    """`simp ..`, `dsimp ..`."""
    assert isinstance(step.tactic, ast.Simp)
    rules, refused = make_rules(c.t, step.tactic)
    if refused:
        raise together(refused)
    c.update(Simplifier(c.t, rules).simp(c.here))


def _change(c: Converter, step: ConvStep) -> None:
    assert step.term is not None
    new, goals = changed(c.t, step.term, c.here)
    if goals:
        raise UnsupportedError("`?x` in a `change` within `conv`")
    c.update(Result(new))


def _apply(c: Converter, step: ConvStep) -> None:
    """`apply e`: rewrite the whole place by an equation and finish the place."""
    assert step.term is not None
    if c.main.goal is not None:
        _prove(c, c.main.goal, ast.TacSeq((ast.TermTactic(step.name, step.term),)))
        return
    t, e = c.t, c.here
    el = t.elab()
    proof = el.elab(step.term, None)
    el.synthesize(postpone=True)
    equation = equation_of(t, c.m.instantiate_mvars(proof), False)
    if not is_def_eq(c.m, equation.left, e):
        raise c.failed(f"Tactic `{step.name}` failed: the equation\n  {t.show(t.infer(proof))}\nis not about")
    el.synthesize()
    c.update(Result(c.m.instantiate_mvars(equation.right), c.m.instantiate_mvars(equation.proof)))
    c.open.pop(0)
    premises = side_goals(t, equation)
    c.premises += premises
    c.open[:0] = [Focus(c.m.mvar_decl(x).lctx, x, Result(x), goal=x) for x in premises]


def _equals(c: Converter, step: ConvStep) -> None:
    """`equals e => tacs`: rewrite the place to `e`, by an equation that the tactics prove."""
    assert step.term is not None and step.tactics is not None
    t, e = c.t, c.here
    type_ = t.infer(e)
    new = t.elab().elab_closed(step.term, type_)
    statement = mk_apps(mk_const("Eq", (sort_level(c.m, type_),)), (type_, e, new))
    goal, goals = t.new_goal(statement), t.goals
    t.goals = [goal]
    t.run_block(step.tactics)
    t.prune()
    if t.goals:
        raise t.unsolved()
    t.goals = goals
    c.update(Result(new, c.m.instantiate_mvars(goal)))
    c.open.pop(0)


def _trace_state(c: Converter, step: ConvStep) -> None:
    text = show_goal(c.m, c.t.new_goal(c.here))
    head, _, target = text.rpartition("⊢ ")
    c.t.say(f"{head}| {target}", step, "trace")


def _unfold(c: Converter, step: ConvStep) -> None:
    for name in step.names:
        full = resolve_exact(c.m.env, c.t.scope, name)
        if full is None:
            raise unknown(c.m.env, c.t.scope, name, f"Unknown constant `{name}`" if "." in name else None)
        stuck = stuck_calls(c.t, c.here, full)
        for e in stuck:
            new, proof = rewrite(c.t, c.here, body_equation(c.t, e), "target", ALL_OCCURRENCES)
            c.update(Result(new, proof))
        c.update(Result(unfolded(c.t, c.here, full, bool(stuck))))


def _whnf(c: Converter, step: ConvStep) -> None:
    c.update(Result(whnf(c.m, c.here)))


def _close(c: Converter, step: ConvStep) -> None:
    """`rfl`: finish the place."""
    _ = c.here
    c.open.pop(0)


def _skip(c: Converter, step: ConvStep) -> None:
    """`skip`."""


def _done(c: Converter, step: ConvStep) -> None:
    if c.open:
        raise c.failed("unsolved goals: the conv block is not done with")


def _tactic(c: Converter, step: ConvStep) -> None:
    """`tactic => tacs`: prove a premise."""
    goal = c.main.goal
    if goal is None:
        raise UnsupportedError("`tactic => ..` at a term inside `conv`")
    assert step.tactics is not None
    _prove(c, goal, step.tactics)


def _prove(c: Converter, goal: MVar, block: ast.TacSeq) -> None:
    """Prove the premise at the main place."""
    t, goals = c.t, c.t.goals
    t.goals = [goal]
    t.run_block(block)
    t.prune()
    if t.goals:
        raise t.unsolved()
    t.goals = goals
    c.open.pop(0)


# --- blocks ------------------------------------------------------------------------------------------------


def _bullet(c: Converter, step: ConvStep) -> None:
    c.focused(step.blocks[0])


def _group(c: Converter, step: ConvStep) -> None:
    c.run(step.blocks[0])


def _nested(c: Converter, step: ConvStep) -> None:
    """`conv => steps`: rewrite the term at the main place; moves in the block end with it."""
    outer = list(c.open)
    inner = c.place(c.here)
    c.open = [inner]
    c.run(step.blocks[0])
    result = c.finish(inner)
    premises = [place for place in c.open if place.goal is not None]
    c.open = [outer[0], *premises, *outer[1:]]
    c.update(result)


def _try(c: Converter, step: ConvStep) -> None:
    c.attempt(lambda: c.run(step.blocks[0]))


def _first(c: Converter, step: ConvStep) -> None:
    error: MetaError | None = None
    for steps in step.blocks:
        error = c.attempt(lambda s=steps: c.run(s))  # type: ignore[misc]
        if error is None:
            return
    assert error is not None
    raise error


def _repeat(c: Converter, step: ConvStep) -> None:
    for _ in range(MAX_REPEAT):
        before = (list(c.open), [p.result.expr for p in c.open])
        if not c.open or c.attempt(lambda: c.run(step.blocks[0])) is not None:
            return
        if before == (c.open, [p.result.expr for p in c.open]):
            return


def _everywhere(c: Converter, step: ConvStep) -> None:
    """`all_goals`, `any_goals`."""
    out: list[Focus] = []
    succeeded = step.name == "all_goals" or not c.open
    for place in list(c.open):
        c.open = [place]
        if step.name == "all_goals":
            c.run(step.blocks[0])
        elif c.attempt(lambda: c.run(step.blocks[0])) is None:
            succeeded = True
        out += c.open
    c.open = out
    if not succeeded:
        raise MetaError("Tactic failed on all goals")


def _and_then(c: Converter, step: ConvStep) -> None:
    rest, c.open = c.open[1:], c.open[:1]
    c.run(step.blocks[0])
    out: list[Focus] = []
    for place in list(c.open):
        c.open = [place]
        c.run(step.blocks[1])
        out += c.open
    c.open = [*out, *rest]


Action = Callable[[Converter, ConvStep], None]
_STEPS: dict[str, Action] = {
    "lhs": moves.go_to_side,
    "rhs": moves.go_to_side,
    "arg": moves.go_to_nth,
    "fun": moves.go_to_function,
    "congr": moves.go_to_all,
    "args": moves.go_to_all,
    "ext": moves.go_under_binders,
    "enter": moves.enter,
    "pattern": moves.find_pattern,
    "rw": _rewrite,
    "rewrite": _rewrite,
    "erw": _rewrite,
    "simp": _simplify,
    "dsimp": _simplify,
    "change": _change,
    "unfold": _unfold,
    "delta": _unfold,
    "whnf": _whnf,
    "rfl": _close,
    "tactic": _tactic,
    "apply": _apply,
    "equals": _equals,
    "trace_state": _trace_state,
}
_BLOCKS: dict[str, Action] = {
    "skip": _skip,
    "done": _done,
    "·": _bullet,
    ".": _bullet,
    "conv": _nested,
    "(": _group,
    "try": _try,
    "repeat": _repeat,
    "first": _first,
    "all_goals": _everywhere,
    "any_goals": _everywhere,
    "<;>": _and_then,
}


def run_step(c: Converter, step: ConvStep) -> None:
    """Run one conv tactic at the main place."""
    block = _BLOCKS.get(step.name)
    if block is not None:
        block(c, step)
        return
    action = _STEPS.get(step.name)
    if action is None:
        raise UnsupportedError(f"the conv tactic `{step.name}`")
    _ = c.main
    action(c, step)


# --- the tactic --------------------------------------------------------------------------------------------


@runs(Conv)
def tac_conv(t: Tactics, stx: Conv) -> None:
    """`conv at h in p => ..`."""
    m = t.m
    decl = None if stx.hypothesis is None else t.hypothesis(stx.hypothesis)
    e = t.target if decl is None else m.instantiate_mvars(decl.type)
    c = Converter(t, e, run_step)
    root = c.main
    if stx.pattern is not None:
        moves.find_pattern(c, ConvStep("pattern", term=stx.pattern))
    c.run(stx.body)
    result = c.finish(root)
    left = [x for x in c.premises if not m.mctx.is_assigned(x.id)]
    if left:
        shown = "\n\n".join(show_goal(m, x) for x in left)
        raise MetaError(f"Tactic `conv` failed: There are unsolved goals\n{shown}")
    new = m.instantiate_mvars(result.expr)
    if collect_mvars(new) and not collect_mvars(e):
        raise MetaError("don't know how to synthesize placeholder")
    m.lctx = m.mvar_decl(t.main).lctx
    if decl is not None:
        if not alpha_eq(new, e):
            _replace(t, decl.fvar, e, new, result)
        return
    goal = t.new_goal(new, t.tag)
    proof: Expr = goal
    if result.proof is not None:
        proof = mk_apps(mk_const("Eq.mpr", (sort_level(m, e),)), (e, new, result.proof, goal))
    t.assign(t.main, proof)
    t.replace_main([goal])
    t.attempt(lambda: _reflexivity(t))


def _reflexivity(t: Tactics) -> None:
    with t.m.with_transparency(REDUCIBLE):
        if not try_rfl(t):
            raise MetaError("rfl failed")


def _replace(t: Tactics, fvar: FVar, old: Expr, new: Expr, result: Result) -> None:
    value: Expr = fvar
    if result.proof is not None:
        value = mk_apps(mk_const("Eq.mp", (sort_level(t.m, old),)), (old, new, result.proof, fvar))
    replace_hypothesis(t, t.m.local(fvar), new, value)
