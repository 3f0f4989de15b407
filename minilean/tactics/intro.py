"""Tactics that change the context: `intro`, `intros`, `revert`, `clear`, `rename_i`, `rename`.

Source: Lean 4 `src/Lean/Elab/Tactic/BuiltinTactic.lean`, `src/Lean/Elab/Tactic/Rename.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import replace

from minilean.elab.binders import rcases_pattern
from minilean.kernel.expr import Let, Pi
from minilean.meta.errors import MetaError
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast
from minilean.tactics.equations import subst_hypothesis
from minilean.tactics.hypotheses import clear, intro_one, introduce, rename_inaccessible, retype, revert
from minilean.tactics.rcases import rcases_fvar
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics


@runs(ast.Intro)
def tac_intro(t: Tactics, stx: ast.Intro) -> None:
    """`intro x _ ⟨a, b⟩ (h : p)`."""
    if not stx.patterns:
        intro_one(t, None)
        return
    for pattern in stx.patterns:
        intro_pattern(t, pattern)
        t.m.lctx = t.m.mvar_decl(t.main).lctx


def intro_pattern(t: Tactics, pattern: ast.Term) -> None:
    """Introduce one binder by a name, `_`, `(x : type)` or a pattern that destructures it."""
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


@runs(ast.NamesTactic, "intros")
def tac_intros(t: Tactics, stx: ast.NamesTactic) -> None:
    """`intros`: all visible binders; `intros x y` as `intro x y`."""
    if stx.names:
        introduce(t, [None if name == "_" else name for name in stx.names])
        return
    while type(t.m.instantiate_mvars(t.m.mvar_decl(t.main).type)) in (Pi, Let):
        intro_one(t, None)


@runs(ast.NamesTactic, "revert")
def tac_revert(t: Tactics, stx: ast.NamesTactic) -> None:
    """`revert h x`."""
    revert(t, [t.hypothesis(name).fvar for name in stx.names])


@runs(ast.NamesTactic, "clear")
def tac_clear(t: Tactics, stx: ast.NamesTactic) -> None:
    """`clear h x`."""
    found = [t.hypothesis(name).fvar for name in stx.names]
    if twice := [x for i, x in enumerate(found) if x in found[:i]]:
        raise t.failed("clear", f"unknown variable '{t.show(twice[0])}'")
    clear(t, found)


@runs(ast.NamesTactic, "rename_i")
def tac_rename_i(t: Tactics, stx: ast.NamesTactic) -> None:
    """`rename_i x y`."""
    t.replace_main([rename_inaccessible(t, t.main, stx.names)])


@runs(ast.Rename)
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
