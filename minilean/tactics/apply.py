"""Goals closed or reduced with a term: `exact`, `apply`, `refine`, `infer_instance`.

Source: Lean 4 `src/Lean/Elab/Tactic/ElabTerm.lean`, `src/Lean/Meta/Tactic/Apply.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minilean.elab.default_arguments import plain_type
from minilean.elab.holes import open_holes
from minilean.elab.identifiers import resolve_ident
from minilean.kernel.expr import INST, Expr, MVar, Pi, mk_app
from minilean.kernel.instantiate import instantiate1
from minilean.meta.context import Kind
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import infer_type
from minilean.meta.instances import synth_instance
from minilean.meta.occurrences import collect_mvars, occurs_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics, join_tags, retag


@runs(ast.TermTactic, "exact")
def tac_exact(t: Tactics, stx: ast.TermTactic) -> None:
    """`exact e`."""
    _close_exactly(t, stx.term)


def _close_exactly(t: Tactics, stx: ast.Term) -> None:
    value = t.term(stx, t.target)
    if value.has_mvar and occurs_mvar(t.m.mctx, t.main, value):
        raise t.failed(
            "exact",
            f"attempting to close the goal using\n  {t.show(value)}\nthis is often due occurs-check failure",
        )
    t.close(value)


@runs(ast.TermsTactic, "exacts")
def tac_exacts(t: Tactics, stx: ast.TermsTactic) -> None:
    """`exacts [a, b]`."""
    for term in stx.terms:
        with t.m.with_lctx(t.m.mvar_decl(t.main).lctx):
            _close_exactly(t, term)


@runs(ast.TermTactic, "refine", "refine'")
def tac_refine(t: Tactics, stx: ast.TermTactic) -> None:
    """`refine e` with `?_` holes; one hole keeps the tag, several are `refine_1`, `refine_2`, ..."""
    refine(t, stx.term, natural_ok=stx.name == "refine'")


def refine(t: Tactics, term: ast.Term, natural_ok: bool = False) -> None:
    """Close the main goal with `term`; its holes become goals."""
    tag = t.tag
    value, goals = t.term_with_holes(term, t.target, natural_ok)
    if value.has_mvar and occurs_mvar(t.m.mctx, t.main, value):
        main = t.show(t.main, 0)
        raise t.failed("refine", f"value\n  {t.show(value)}\ndepends on the main goal metavariable `{main}`")
    t.assign(t.main, value)
    tag_holes(t, goals, tag)
    t.replace_main(goals)


def tag_holes(t: Tactics, goals: Sequence[MVar], tag: str, word: str = "refine") -> None:
    """Name goals that have no name: the only one by the parent's tag, several `refine_1`, `refine_2`, ..."""
    unnamed = [g for g in goals if not t.m.mvar_decl(g).tag]
    for i, goal in enumerate(unnamed, 1):
        retag(t, goal, tag if len(unnamed) == 1 else join_tags(tag, f"{word}_{i}"))


def put_behind(t: Tactics, holes: Sequence[MVar]) -> None:
    """Put the holes of a value behind the main goal, as `refine_lift have h := e; ?_` does, which the names show."""
    main, *others = t.goals
    tag = t.tag
    if any(not t.m.mvar_decl(hole).tag for hole in holes):
        retag(t, main, "")
        tag_holes(t, [*holes, main], tag)
    t.goals = [main, *holes, *others]


@runs(ast.TermTactic, "apply")
def tac_apply(t: Tactics, stx: ast.TermTactic) -> None:
    """`apply e`."""
    el = t.elab()
    before = set(t.m.mctx.decls)
    e: Expr | None = None
    if isinstance(stx.term, ast.Ident):
        # A name is not applied to its implicit arguments yet: `apply` opens them and keeps their names.
        head, fields = resolve_ident(el, stx.term)
        e = None if fields else head
    if e is None:
        e = el.elab(stx.term, None)
        el.synthesize(postpone=True)
    e = t.m.instantiate_mvars(e)
    if type(e) is MVar and el.pending:
        # The goal's type is no hint: a whole term that waits for one, as `⟨a, b⟩` and `by tac` do, is refused.
        el.synthesize()
        e = t.m.instantiate_mvars(e)
    # Instances and tactic blocks inside it that wait for the goal's type are settled after unification.
    new_goals = apply_term(t, e, before, el.synthesize)
    extra = [g for g in open_holes(el) if g not in new_goals]
    t.goals = [*new_goals, *extra, *t.goals]


def apply_term(
    t: Tactics,
    e: Expr,
    before: set[int],
    settle: Callable[[], None] | None = None,
    *,
    written: bool = True,
) -> list[MVar]:
    """Apply `e` to the main goal and remove that goal; returns the new goals in Lean's order.

    Raises:
        MetaError: Its type is not that of the goal. A term that was not `written` as such is not named.
    """
    m = t.m
    goal = t.main
    target = t.target
    tag = t.tag
    type_ = m.instantiate_mvars(infer_type(m, e))
    available = count_premises(t, type_)
    wanted = count_premises(t, target)
    low = max(available - wanted, 0)
    error: MetaError | None = None
    for count in range(low, available + 1):
        mark = m.mctx.mark()
        try:
            fn, mvars, infos, result = open_premises(t, e, type_, count)
        except MetaError as caught:
            error = caught
            break
        if is_def_eq(m, result, target):
            _settle_instances(t, mvars, infos)
            if settle is not None:
                settle()
            return _finish_apply(t, goal, tag, fn, mvars, before)
        m.mctx.rollback(mark)
        if count == low:
            error = None
    raise error or _apply_error(t, e, type_, target, low, written)


def count_premises(t: Tactics, type_: Expr) -> int:
    """Return the number of arguments that a term of this type takes, definitions of function types unfolded."""
    m = t.m
    old = m.lctx
    try:
        count = 0
        while True:
            if type(type_) is not Pi:
                type_ = whnf(m, type_)
                if type(type_) is not Pi:
                    return count
            x = m.push_local(type_.name, type_.type)
            type_ = instantiate1(type_.body, x)
            count += 1
    finally:
        m.lctx = old


def open_premises(t: Tactics, e: Expr, type_: Expr, count: int) -> tuple[Expr, list[MVar], list[int], Expr]:
    """Apply `e` to `count` metavariables: return the term, these with their binder kinds, and its type."""
    m = t.m
    mvars: list[MVar] = []
    infos: list[int] = []
    for _ in range(count):
        if type(type_) is not Pi:
            type_ = whnf(m, type_)
        assert type(type_) is Pi
        if plain_type(type_.type) is not type_.type:
            raise UnsupportedError(
                f"`apply` with the optional argument `{type_.name}`: use `exact` or `refine`"
            )
        kind = Kind.SYNTHETIC if type_.info == INST else Kind.NATURAL
        mvar = m.new_mvar(type_.type, kind, type_.name)
        mvars.append(mvar)
        infos.append(type_.info)
        e = mk_app(e, mvar)
        type_ = instantiate1(type_.body, mvar)
    return e, mvars, infos, type_


def _settle_instances(t: Tactics, mvars: Sequence[MVar], infos: Sequence[int]) -> None:
    """Synthesize the instances among the arguments that unification has left open."""
    m = t.m
    for mvar, info in zip(mvars, infos, strict=True):
        if info != INST:
            continue
        class_type = m.instantiate_mvars(m.mvar_decl(mvar).type)
        value = synth_instance(m, class_type)
        if m.mctx.is_assigned(mvar.id):
            continue
        if value is None:
            raise MetaError(f"failed to synthesize instance of type class\n  {t.show(class_type)}")
        m.mctx.assign(mvar.id, value)


def _finish_apply(
    t: Tactics, goal: MVar, tag: str, fn: Expr, mvars: Sequence[MVar], before: set[int]
) -> list[MVar]:
    """Assign the goal, and return the open arguments and then the holes that were made since `before`."""
    m = t.m
    t.assign(goal, m.instantiate_mvars(fn))
    t.goals.remove(goal)
    own = [mvar for mvar in mvars if not m.mctx.is_assigned(mvar.id)]
    for mvar in own:
        retag(t, mvar, tag if len(own) == 1 else join_tags(tag, m.mvar_decl(mvar).tag))
    # Holes inside the applied term itself come after the arguments, in the order in which they were written.
    others = []
    for mvar in collect_mvars(m.instantiate_mvars(fn)):
        real = t.resolve_delayed(mvar)
        if (
            real.id not in before
            and real not in own
            and real not in others
            and not m.mctx.is_assigned(real.id)
        ):
            others.append(real)
    return [*dependent_last(t, own), *others]


def dependent_last(t: Tactics, goals: Sequence[MVar]) -> list[MVar]:
    """Return goals in order, except that those which occur in the statements of others come last."""
    m = t.m
    dependent: set[int] = set()
    for mvar in goals:
        dependent.update(sub.id for sub in collect_mvars(m.instantiate_mvars(m.mvar_decl(mvar).type)))
    return [g for g in goals if g.id not in dependent] + [g for g in goals if g.id in dependent]


def _apply_error(t: Tactics, e: Expr, type_: Expr, target: Expr, low: int, written: bool) -> MetaError:
    """Return Lean's message, with the conclusion after the arguments tried first, and then the whole type."""
    m = t.m
    name, shown_target = f"`{t.show(e, 0)}`" if written else "the term", t.show(target)
    if not low:
        what = f"could not unify the type of {name}\n  {t.show(type_)}\nwith the goal\n  {shown_target}"
        return t.failed("apply", what)
    _, _, _, conclusion = open_premises(t, e, type_, low)
    what = (
        f"could not unify the conclusion of {name}\n  {t.show(m.instantiate_mvars(conclusion))}\n"
        f"with the goal\n  {shown_target}"
    )
    return t.failed("apply", what, f"\n\nNote: The full type of {name} is\n  {t.show(type_)}")


@runs(ast.Simple, "infer_instance")
def tac_infer_instance(t: Tactics, stx: ast.Simple) -> None:
    """`infer_instance`."""
    value = synth_instance(t.m, t.target)
    if value is None:
        raise MetaError(f"failed to synthesize instance of type class\n  {t.show(t.target)}")
    t.close(value)
