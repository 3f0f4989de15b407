"""Bringing things into the context and back: `intro`, `revert`, `clear`, `rename_i`, `have`, `specialize`.

Source: Lean 4 `src/Lean/Meta/Tactic/Intro.lean`, `Revert.lean`, `Clear.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from minilean.elab.binders import push_binders, rcases_pattern
from minilean.kernel.expr import Expr, FVar, Let, MVar, Pi, mk_app, mk_apps, mk_bvar, mk_lam, mk_pi
from minilean.kernel.instantiate import abstract, instantiate1
from minilean.meta.context import Kind, LocalContext, LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf, whnf_core
from minilean.syntax import ast
from minilean.tactics.state import TacticFn, Tactics


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
    fvar, lctx = decl.lctx.push(shown, target.type, value=value)  # type: ignore[attr-defined]
    body = instantiate1(target.body, fvar)  # type: ignore[attr-defined]
    new = t.new_goal(body, decl.tag, lctx)
    if value is not None:
        _assign_under_let(t, goal, fvar, lctx, value, new)
    else:
        # `mk_lambda` on `new`, whose type less the variable on top is known: it is what `target` says
        type_ = target.type  # type: ignore[attr-defined]
        under = m.new_mvar(mk_pi(shown, type_, target.body), Kind.OPAQUE, decl.tag, decl.lctx)  # type: ignore[attr-defined]
        m.mctx.assign_delayed(under.id, (fvar,), new.id)
        fn = mk_lam(shown, type_, mk_app(under, mk_bvar(0)))
        t.assign(goal, mk_app(fn, target.value) if type(target) is Let else fn)
    t.replace_main([new])
    m.lctx = lctx
    return fvar


def _assign_under_let(t: Tactics, goal: MVar, fvar: FVar, lctx: LocalContext, value: Expr, new: MVar) -> None:
    """Reduce `goal` to `new`, which has the variable `fvar := value` on top: the value will take its place."""
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
    """Introduce several binders."""
    return [intro_one(t, name) for name in names]


def tac_intro(t: Tactics, stx: ast.Intro) -> None:
    """`intro x _ ⟨a, b⟩ (h : p)`."""
    if not stx.patterns:
        intro_one(t, None)
        return
    for pattern in stx.patterns:
        intro_pattern(t, pattern)
        t.m.lctx = t.m.mvar_decl(t.main).lctx


def intro_pattern(t: Tactics, pattern: ast.Term) -> None:
    """Introduce one binder by a name, `_`, `(x : type)` or a pattern that takes it apart."""
    from minilean.tactics.equations import subst_hypothesis
    from minilean.tactics.rcases import rcases_fvar

    if isinstance(pattern, ast.Paren):
        pattern = pattern.term
    if isinstance(pattern, ast.Ident) and pattern.name == "rfl":
        subst_hypothesis(t, intro_one(t, None))
    elif isinstance(pattern, ast.Ident):
        intro_one(t, pattern.name)
    elif isinstance(pattern, ast.Hole):
        intro_one(t, None)
    elif isinstance(pattern, ast.Ascription) and isinstance(pattern.term, (ast.Ident, ast.Hole)):
        name = pattern.term.name if isinstance(pattern.term, ast.Ident) else None
        _intro_typed(t, name, pattern.type)
    else:
        fvar = intro_one(t, "x✝")
        rcases_fvar(t, fvar, rcases_pattern(pattern), by_match=True)


def _intro_typed(t: Tactics, name: str | None, type_stx: ast.Term) -> None:
    m = t.m
    fvar = intro_one(t, name)
    el = t.elab()
    wanted = el.elab_type(type_stx)
    have = m.local(fvar).type
    fits = is_def_eq(m, have, wanted)  # before numerals get a type by default
    el.synthesize()
    if not fits:
        raise MetaError(
            f"Type mismatch: Hypothesis `{name}` has type\n  {t.show(have)}\n"
            f"but is expected to have type\n  {t.show(wanted)}\ndue to the provided type annotation"
        )
    retype(t, fvar, m.instantiate_mvars(wanted))


def retype(t: Tactics, fvar: FVar, type_: Expr) -> None:
    """Show a hypothesis at a definitionally equal type; it keeps its place."""
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


def tac_intros(t: Tactics, stx: ast.NamesTactic) -> None:
    """`intros`: all visible binders; `intros x y` as `intro x y`."""
    if stx.names:
        introduce(t, [None if name == "_" else name for name in stx.names])
        return
    while type(t.m.instantiate_mvars(t.m.mvar_decl(t.main).type)) in (Pi, Let):
        intro_one(t, None)


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


def tac_revert(t: Tactics, stx: ast.NamesTactic) -> None:
    """`revert h x`."""
    revert(t, [t.hypothesis(name).fvar for name in stx.names])


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


def tac_clear(t: Tactics, stx: ast.NamesTactic) -> None:
    """`clear h x`."""
    found = [t.hypothesis(name).fvar for name in stx.names]
    if twice := [x for i, x in enumerate(found) if x in found[:i]]:
        raise t.failed("clear", f"unknown variable '{t.show(twice[0])}'")
    clear(t, found)


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


def tac_rename_i(t: Tactics, stx: ast.NamesTactic) -> None:
    """`rename_i x y`."""
    t.replace_main([rename_inaccessible(t, t.main, stx.names)])


def tac_rename(t: Tactics, stx: ast.Rename) -> None:
    """`rename type => name`: the last hypothesis of that type."""
    m = t.m
    el = t.elab()
    wanted = el.elab_type(stx.type)
    el.synthesize(postpone=True)
    for decl in reversed(list(m.lctx)):
        if not decl.hidden and m.attempt(lambda d=decl: is_def_eq(m, d.type, wanted)):  # type: ignore[misc]
            goal = t.main
            own = m.mvar_decl(goal)
            renamed = replace(decl, name=stx.name)
            lctx = own.lctx.replace_all([renamed if d is decl else d for d in own.lctx])
            new = t.new_goal(own.type, own.tag, lctx)
            t.assign(goal, new)
            t.replace_main([new])
            return
    raise MetaError(f"Failed to find a hypothesis with type\n  {t.show(wanted)}")


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


def tac_have(t: Tactics, stx: ast.HaveTac) -> None:
    """`have h : p := e`, `have h : p` (a new goal), `let x := e`, `suffices h : p from e`, `replace h := e`."""
    from minilean.tactics.rcases import rcases_term

    if stx.pattern is not None:
        rcases_term(t, stx.value, stx.type, stx.pattern, by_match=True)
        return
    if stx.kind == "suffices":
        _suffices(t, stx)
        return
    name = stx.name or "this"
    m = t.m
    el = t.elab()
    old = m.lctx
    fvars = push_binders(el, stx.binders)
    type_ = None if stx.type is None else el.elab_type(stx.type)
    el.synthesize()
    new_goals: list[MVar] = []
    if stx.value is None:
        if type_ is None:
            raise MetaError("`have` without a value needs a type")
        mvar = t.new_goal(m.instantiate_mvars(type_), t.sub_tag("") if stx.name is None else t.tag)
        new_goals.append(mvar)
        value: Expr = mvar
    else:
        value, new_goals = t.term_with_holes(stx.value, type_)
        type_ = m.instantiate_mvars(infer_type(m, value)) if type_ is None else m.instantiate_mvars(type_)
    for x in fvars:
        if has_expr_mvar(m.instantiate_mvars(m.local(x).type)):
            raise MetaError(f"Failed to infer type of binder `{m.local(x).name}`")
    value = m.mk_lambda(fvars, value)
    type_ = m.mk_pi(fvars, type_)
    m.lctx = old
    if stx.kind == "let":
        _add_let(t, name, type_, value)
    else:
        replaced = t.m.lctx.by_name(name) if stx.kind == "replace" else None
        assert_hypothesis(t, name, type_, value)
        if replaced is not None:
            try_clear(t, replaced.fvar)
    t.goals = [*new_goals, *t.goals]


def _add_let(t: Tactics, name: str, type_: Expr, value: Expr) -> None:
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    fvar, lctx = decl.lctx.push(name, type_, value=value)
    new = t.new_goal(decl.type, decl.tag, lctx)
    _assign_under_let(t, goal, fvar, lctx, value, new)
    t.replace_main([new])


def _suffices(t: Tactics, stx: ast.HaveTac) -> None:
    m = t.m
    name = stx.name or "this"
    if stx.type is None:
        raise MetaError("`suffices` needs a type")
    el = t.elab()
    type_ = el.elab_type(stx.type)
    el.synthesize()
    type_ = m.instantiate_mvars(type_)
    sub = t.new_goal(type_, t.tag)
    goal = t.main
    decl = m.mvar_decl(goal)
    fvar, lctx = decl.lctx.push(name, type_)
    new = t.new_goal(decl.type, decl.tag, lctx)
    with m.with_lctx(lctx):
        fn = m.mk_lambda([fvar], new)
    t.assign(goal, mk_app(fn, sub))
    if stx.value is not None:
        t.goals[:1] = [new]
        with m.with_lctx(lctx):
            value, goals = t.term_with_holes(stx.value, decl.type)
        t.close(value)
        t.goals = [*goals, sub, *t.goals]
    else:
        t.goals[:1] = [new, sub]


def tac_specialize(t: Tactics, stx: ast.TermTactic) -> None:
    """`specialize h a b`."""
    m = t.m
    head = stx.term
    while isinstance(head, (ast.App, ast.Paren)):
        head = head.fn if isinstance(head, ast.App) else head.term
    if not isinstance(head, ast.Ident):
        raise MetaError(
            "'specialize' requires a term of the form `h x_1 .. x_n` where `h` appears in the local context"
        )
    decl = t.hypothesis(head.name)
    value, goals = t.term_with_holes(stx.term, None)
    type_ = m.instantiate_mvars(infer_type(m, value))
    assert_hypothesis(t, decl.name, type_, value)
    try_clear(t, decl.fvar)
    t.goals = [*goals, *t.goals]


TABLE: dict[tuple[type, str], TacticFn] = {
    (ast.Intro, ""): tac_intro,  # type: ignore[dict-item]
    (ast.NamesTactic, "intros"): tac_intros,  # type: ignore[dict-item]
    (ast.NamesTactic, "revert"): tac_revert,  # type: ignore[dict-item]
    (ast.NamesTactic, "clear"): tac_clear,  # type: ignore[dict-item]
    (ast.NamesTactic, "rename_i"): tac_rename_i,  # type: ignore[dict-item]
    (ast.Rename, ""): tac_rename,  # type: ignore[dict-item]
    (ast.HaveTac, ""): tac_have,  # type: ignore[dict-item]
    (ast.TermTactic, "specialize"): tac_specialize,  # type: ignore[dict-item]
}
