"""Operations on the context of the main goal: introduce, revert, clear, rename, retype, assert a hypothesis.

Source: Lean 4 `src/Lean/Meta/Tactic/Intro.lean`, `Revert.lean`, `Clear.lean`, `Assert.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.expr import DEFAULT, Expr, FVar, Let, MVar, Pi, mk_app, mk_apps, mk_bvar, mk_lam, mk_pi
from minilean.kernel.instantiate import abstract, instantiate1
from minilean.meta.context import Kind, LocalContext, LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.whnf import whnf, whnf_core
from minilean.tactics.state import Tactics


def intro_one(t: Tactics, name: str | None) -> FVar:
    """Introduce one binder of the main goal under `name` (machine-made when `None`)."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    target = m.instantiate_mvars(decl.type)
    if type(target) not in (Pi, Let):
        target = whnf_core(m, target)
    if type(target) not in (Pi, Let):
        target = whnf(m, target)
    if type(target) not in (Pi, Let):
        raise t.failed("introN", "There are no additional binders or `let` bindings in the goal to introduce")
    shown = _default_name(target.name) if name is None else name  # type: ignore[attr-defined]
    value = target.value if type(target) is Let and not target.nondep else None
    info = target.info if type(target) is Pi else DEFAULT
    fvar, lctx = decl.lctx.push(shown, target.type, info, value)  # type: ignore[attr-defined]
    body = instantiate1(target.body, fvar)  # type: ignore[attr-defined]
    new = t.new_goal(body, decl.tag, lctx)
    if value is not None:
        _assign_under_let(t, goal, fvar, lctx, value, new)
    else:
        # as `mk_lambda` on `new`, but the type of the function is known: it is `target`
        type_ = target.type  # type: ignore[attr-defined]
        under = m.new_mvar(mk_pi(shown, type_, target.body), Kind.OPAQUE, decl.tag, decl.lctx)  # type: ignore[attr-defined]
        m.mctx.assign_delayed(under.id, (fvar,), new.id)
        fn = mk_lam(shown, type_, mk_app(under, mk_bvar(0)))
        t.assign(goal, mk_app(fn, target.value) if type(target) is Let else fn)
    t.replace_main([new])
    m.lctx = lctx
    return fvar


def _assign_under_let(t: Tactics, goal: MVar, fvar: FVar, lctx: LocalContext, value: Expr, new: MVar) -> None:
    """Reduce `goal` to `new`, whose context adds `fvar := value`: the value replaces the variable in the proof."""
    m = t.m
    decl, target = m.mvar_decl(goal), m.instantiate_mvars(m.mvar_decl(new).type)
    local = lctx.get(fvar)
    type_ = mk_pi(local.name, local.type, abstract(target, [fvar]))
    function = m.new_mvar(type_, Kind.OPAQUE, decl.tag, decl.lctx)
    m.mctx.assign_delayed(function.id, (fvar,), new.id)
    t.assign(goal, mk_app(function, value))


def _default_name(name: str) -> str:
    return name if name.endswith("✝") else name + "✝"


def introduce(t: Tactics, names: Sequence[str | None]) -> list[FVar]:
    """Introduce one binder of the main goal after the other, each under its name (machine-made when `None`)."""
    return [intro_one(t, name) for name in names]


def retype(t: Tactics, fvar: FVar, type_: Expr) -> None:
    """Give a hypothesis a definitionally equal type; it keeps its position."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    old = decl.lctx.get(fvar)
    lctx = decl.lctx.replace_all(
        [LocalDecl(d.fvar, d.name, type_, d.value, d.info, d.hidden) if d is old else d for d in decl.lctx]
    )
    new = t.new_goal(decl.type, decl.tag, lctx)
    t.assign(goal, new)
    t.replace_main([new])
    m.lctx = lctx


def revert(t: Tactics, fvars: Sequence[Expr]) -> list[LocalDecl]:
    """Move hypotheses, and those that depend on them, back into the target; returns them in order."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    m.lctx = decl.lctx
    ids = {x.id for x in fvars}  # type: ignore[attr-defined]
    ids.update(d.fvar.id for d in t.dependents(fvars))
    decls = [d for d in decl.lctx if d.fvar.id in ids]
    xs = [d.fvar for d in decls]
    outer = decl.lctx.without(ids)
    target = m.mk_pi(xs, decl.type)
    new = t.new_goal(target, decl.tag, outer)
    t.assign(goal, mk_apps(new, [d.fvar for d in decls if d.value is None]))
    t.replace_main([new])
    m.lctx = outer
    return decls


def clear(t: Tactics, fvars: Sequence[Expr]) -> None:
    """Remove hypotheses that nothing depends on."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    m.lctx = decl.lctx
    ids = {x.id for x in fvars}  # type: ignore[attr-defined]
    for other in decl.lctx:
        if other.fvar.id not in ids and t.mentions(other.type, ids):
            first = next(x for x in fvars if t.mentions(other.type, {x.id}))  # type: ignore[attr-defined]
            raise t.failed("clear", f"variable '{t.show(other.fvar)}' depends on '{t.show(first)}'")
    if t.mentions(decl.type, ids):
        first = next(x for x in fvars if t.mentions(decl.type, {x.id}))  # type: ignore[attr-defined]
        raise t.failed("clear", f"target depends on '{t.show(first)}'")
    outer = decl.lctx.without(ids)
    new = t.new_goal(decl.type, decl.tag, outer)
    t.assign(goal, new)
    t.replace_main([new])
    m.lctx = outer


def try_clear(t: Tactics, fvar: FVar) -> None:
    """Clear a hypothesis if nothing depends on it."""
    if fvar.id in t.m.mvar_decl(t.main).lctx:
        t.attempt(lambda: clear(t, [fvar]))
        t.m.lctx = t.m.mvar_decl(t.main).lctx


def rename_inaccessible(t: Tactics, goal: MVar, names: Sequence[str]) -> MVar:
    """Name the last inaccessible hypotheses of a goal, left to right."""
    m = t.m
    decl = m.mvar_decl(goal)
    todo = list(names)
    taken: set[str] = set()
    renamed: dict[int, str] = {}
    for d in reversed(list(decl.lctx)):
        if not todo:
            break
        if d.hidden:
            continue
        if d.name.endswith("✝") or d.name in taken:
            name = todo.pop()
            if name != "_":
                renamed[d.fvar.id] = name
        else:
            taken.add(d.name)
    if todo:
        raise MetaError("too many variable names provided")
    lctx = decl.lctx.replace_all(
        [
            LocalDecl(d.fvar, renamed.get(d.fvar.id, d.name), d.type, d.value, d.info, d.hidden)
            for d in decl.lctx
        ]
    )
    new = t.new_goal(decl.type, decl.tag, lctx)
    t.assign(goal, new)
    return new


def assert_hypothesis(t: Tactics, name: str, type_: Expr, value: Expr) -> FVar:
    """Add `name : type_` with the proof `value`."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    fvar, lctx = decl.lctx.push(name, type_)
    new = t.new_goal(decl.type, decl.tag, lctx)
    with m.with_lctx(lctx):
        fn = m.mk_lambda([fvar], new)
    t.assign(goal, mk_app(fn, value))
    t.replace_main([new])
    m.lctx = lctx
    return fvar


def add_let(t: Tactics, name: str, type_: Expr, value: Expr, hidden: bool = False) -> None:
    """Add the local definition `name : type_ := value`; goals do not show a hidden one."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    fvar, lctx = decl.lctx.push(name, type_, value=value, hidden=hidden)
    new = t.new_goal(decl.type, decl.tag, lctx)
    _assign_under_let(t, goal, fvar, lctx, value, new)
    t.replace_main([new])
