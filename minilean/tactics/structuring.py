"""Combinators: bullets, `<;>`, `try`, `first`, `repeat`, `all_goals`, ...

Source: Lean 4 `src/Lean/Elab/Tactic/BuiltinTactic.lean`, `src/Init/Tactics.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.display import show_goal
from minilean.elab.options import warning_about
from minilean.kernel.expr import MVar, is_app_of
from minilean.meta.errors import RECURSION, BudgetError, MetaError, UnsupportedError
from minilean.meta.extension import REDUCIBLE
from minilean.meta.occurrences import collect_mvars
from minilean.syntax import ast
from minilean.tactics.constructor_tactics import tac_constructor
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics

MAX_REPEAT = 10_000


@runs(ast.Bullet)
def tac_bullet(t: Tactics, stx: ast.Bullet) -> None:
    """`· tacs`: the main goal alone, and it has to be closed."""
    rest = [goal for goal in t.goals if goal is not t.main]
    try:
        t.close_focused(lambda: t.run_block(stx.block))
    except BudgetError:
        raise
    except MetaError as error:
        if error.position is None:
            error.position = stx.start
        t.failures.append(error)
        t.goals = rest


@runs(ast.Seq1)
def tac_paren(t: Tactics, stx: ast.Seq1) -> None:
    """`(tacs)`."""
    t.run_block(stx.block)


@runs(ast.WithOption)
def tac_with_option(t: Tactics, stx: ast.WithOption) -> None:
    """`set_option name value in tacs`."""
    warning = warning_about(stx.name, stx.value, by_command=False)
    if warning is not None:
        t.say(warning, stx, "warning")
    t.run_block(stx.block)


@runs(ast.AndThen)
def tac_and_then(t: Tactics, stx: ast.AndThen) -> None:
    """`a <;> b`: `b` on every goal that `a` makes from the main one."""
    main = t.main
    rest = t.goals[1:]
    t.goals = [main]
    t.run(stx.first)
    t.prune()
    produced, out = t.goals, []
    for goal in produced:
        if t.m.mctx.is_assigned(goal.id):
            continue
        t.goals = [goal]
        t.run(stx.second)
        t.prune()
        out.extend(t.goals)
    t.goals = [*out, *rest]


@runs(ast.Block)
def tac_block(t: Tactics, stx: ast.Block) -> None:
    """`try`, `repeat`, `all_goals`, `any_goals`, `focus`, `fail_if_success`, `iterate n`, ..."""
    runner = _BLOCKS.get(stx.name)
    if runner is None:
        raise UnsupportedError(f"the tactic `{stx.name}`")
    runner(t, stx)


def _try(t: Tactics, stx: ast.Block) -> None:
    with t.m.quietly():
        t.attempt(lambda: t.run_block(stx.block))


def _unhygienic(t: Tactics, stx: ast.Block) -> None:
    """`unhygienic tacs`: the names that tactics choose are accessible.

    Source: Lean 4 `src/Init/Tactics.lean` (`set_option tactic.hygienic false`), `getUnusedName` (4.34).
    """
    outer, t.hygienic = t.hygienic, False
    try:
        t.run_block(stx.block)
    finally:
        t.hygienic = outer


def _repeat(t: Tactics, stx: ast.Block) -> None:
    """`repeat`: run the block on the main goal until it fails; it is not repeated on each goal that it leaves."""
    for _ in range(MAX_REPEAT):
        t.prune()
        before = [g.id for g in t.goals]
        if not t.goals or t.attempt(lambda: t.run_block(stx.block)) is not None:
            return
        t.prune()
        if [g.id for g in t.goals] == before:
            break
    raise MetaError(RECURSION)


def _repeat_all(t: Tactics, stx: ast.Block) -> None:
    """`repeat'`: run the block on the main goal and on all goals that come from it, as long as it succeeds."""
    rest = t.goals[1:]
    todo, done = [t.main], []
    steps = 0
    once = stx.name == "repeat1'"
    while todo:
        goal = todo.pop(0)
        if t.m.mctx.is_assigned(goal.id):
            continue
        steps += 1
        if steps > MAX_REPEAT:
            raise MetaError(RECURSION)
        t.goals = [goal]
        error = t.attempt(lambda: t.run_block(stx.block))
        if error is not None:
            if once and steps == 1:
                raise error
            done.append(goal)
            continue
        t.prune()
        todo = [*t.goals, *todo]
    t.goals = [*done, *rest]


def _all_goals(t: Tactics, stx: ast.Block) -> None:
    out: list[MVar] = []
    for goal in list(t.goals):
        if t.m.mctx.is_assigned(goal.id):
            continue
        t.goals = [goal]
        t.run_block(stx.block)
        t.prune()
        out.extend(t.goals)
    t.goals = out


def _any_goals(t: Tactics, stx: ast.Block) -> None:
    out: list[MVar] = []
    succeeded = False
    for goal in list(t.goals):
        if t.m.mctx.is_assigned(goal.id):
            continue
        t.goals = [goal]
        if t.attempt(lambda: t.run_block(stx.block)) is None:
            succeeded = True
        t.prune()
        out.extend(t.goals)
    t.goals = out
    if not succeeded:
        raise MetaError(f"Tactic failed on all goals:\n  {t.quote(stx.block)}")


def _focus(t: Tactics, stx: ast.Block) -> None:
    t.focus(lambda: t.run_block(stx.block))


def _fail_if_success(t: Tactics, stx: ast.Block) -> None:
    mark = t.m.mctx.mark()
    goals = list(t.goals)
    if t.attempt(lambda: t.run_block(stx.block)) is None:
        t.m.mctx.rollback(mark)
        t.goals = goals
        raise MetaError(
            f"The tactic provided to `fail_if_success` succeeded but was expected to fail:\n  {t.quote(stx.block)}"
        )


def _iterate(t: Tactics, stx: ast.Block) -> None:
    if stx.count is None:
        _repeat(t, stx)
        return
    for step in range(stx.count):
        if step == MAX_REPEAT:
            raise MetaError(RECURSION)
        t.run_block(stx.block)


def _with_reducible(t: Tactics, stx: ast.Block) -> None:
    """`with_reducible tacs`: only reducible definitions are unfolded."""
    with t.m.with_transparency(REDUCIBLE):
        t.run_block(stx.block)


def _classical(t: Tactics, stx: ast.Block) -> None:
    """`classical tacs`: every proposition is decidable there."""
    before, t.m.classical = t.m.classical, True
    try:
        t.run_block(stx.block)
    finally:
        t.m.classical = before


def _show_term(t: Tactics, stx: ast.Block) -> None:
    """`show_term tacs`: run them and report the term that they built."""
    goal = t.main
    t.focus(lambda: t.run_block(stx.block))
    with t.m.with_lctx(t.m.mvar_decl(goal).lctx):
        value = t.m.instantiate_mvars(goal)
        word = "refine" if collect_mvars(value) else "exact"
        t.say(f"Try this:\n  [apply] {word} {t.show(value, 4)}", stx)


_BLOCKS = {
    "try": _try,
    "repeat": _repeat,
    "unhygienic": _unhygienic,
    "repeat'": _repeat_all,
    "repeat1'": _repeat_all,
    "all_goals": _all_goals,
    "any_goals": _any_goals,
    "focus": _focus,
    "fail_if_success": _fail_if_success,
    "iterate": _iterate,
    "show_term": _show_term,
    "classical": _classical,
    "with_reducible": _with_reducible,
}


@runs(ast.First)
def tac_first(t: Tactics, stx: ast.First) -> None:
    """`first | a | b`: the first that succeeds; the last one's error if none does."""
    error: MetaError | None = None
    for block in stx.alts:
        error = t.attempt(lambda b=block: t.run_block(b))  # type: ignore[misc]
        if error is None:
            return
    if error is not None:
        raise error


@runs(ast.Simple, "skip")
def tac_skip(t: Tactics, stx: ast.Simple) -> None:
    """`skip`."""


@runs(ast.Simple, "done")
def tac_done(t: Tactics, stx: ast.Simple) -> None:
    """`done`: fails while goals are left."""
    t.prune()
    if t.goals:
        raise t.unsolved()


@runs(ast.Fail)
def tac_fail(t: Tactics, stx: ast.Fail) -> None:
    """`fail`, `fail "message"`."""
    t.prune()
    head = "Failed: `fail` tactic was invoked" if stx.message is None else stx.message
    raise MetaError("\n".join([head, "\n\n".join(show_goal(t.m, g) for g in t.goals)]))


@runs(ast.NumTactic, "rotate_left", "rotate_right")
def tac_rotate(t: Tactics, stx: ast.NumTactic) -> None:
    """`rotate_left n`, `rotate_right n`: the first goals go to the end, or the last ones to the front."""
    t.prune()
    if t.goals:
        count = (1 if stx.num is None else stx.num) % len(t.goals)
        cut = count if stx.name == "rotate_left" else len(t.goals) - count
        t.goals = t.goals[cut:] + t.goals[:cut]


@runs(ast.Refused)
def tac_refused(t: Tactics, stx: ast.Refused) -> None:
    """Refuse a tactic that is parsed but not implemented."""
    raise MetaError(stx.reason)


@runs(ast.Simple, "and_intros")
def tac_and_intros(t: Tactics, stx: ast.Simple) -> None:
    """`and_intros`: apply `And.intro` as often as possible."""

    def split(goal: MVar) -> list[MVar]:
        t.goals = [goal]
        t.m.lctx = t.m.mvar_decl(goal).lctx
        if not is_app_of(t.target, "And", 2):
            return [goal]
        tac_constructor(t, ast.Simple("constructor"))
        return [g for part in list(t.goals) for g in split(part)]

    rest = t.goals[1:]
    t.goals = [*split(t.main), *rest]
