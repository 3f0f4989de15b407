"""`grind`: proof by contradiction with congruence closure, rules, case splits, E-matching and linear arithmetic.

The tactic proves a part of what Lean's proves: it has no solver for commutative rings and for orders, its arithmetic is
that of `omega`, and the library has no `@[grind]` lemmas of its own.

Source: Lean 4 `src/Lean/Elab/Tactic/Grind.lean`, `src/Lean/Meta/Tactic/Grind/` (4.34).
"""

from __future__ import annotations

from dataclasses import replace

from minilean.elab.display import show_goal
from minilean.meta.context import LocalContext, LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.infer import is_prop
from minilean.syntax import ast
from minilean.tactics.grind.options import limits_of
from minilean.tactics.grind.parameters import lemmas_of
from minilean.tactics.grind.search import GrindRun, Unproved, prove
from minilean.tactics.registry import runs
from minilean.tactics.simp.result import FALSE
from minilean.tactics.state import Tactics


@runs(ast.Grind)
def tac_grind(t: Tactics, stx: ast.Grind) -> None:
    """`grind`."""
    target = t.target
    if target.has_mvar:
        raise MetaError(f"`grind` failed: the goal has metavariables\n  {t.show(target)}")
    search = GrindRun(t, limits_of(stx.config))
    search.branch.lemmas += lemmas_of(t, stx, search.patterns)
    try:
        proof = prove(search, target)
    except Unproved:
        raise _failure(t, search) from None
    t.close(proof)


def _failure(t: Tactics, search: GrindRun) -> MetaError:
    """Return Lean's message with the goal of the branch that stayed open, without the diagnostics below it."""
    m = t.m
    with m.with_lctx(search.open_context):
        lctx = _named(t, search.open_context)
    tag = ".".join(["grind", *map(str, search.branch.path)])
    goal = t.new_goal(FALSE, tag, lctx)
    return MetaError(f"`grind` failed\n{show_goal(m, goal)}")


def _named(t: Tactics, lctx: LocalContext) -> LocalContext:
    """Give a name to each inaccessible entry: `h` to propositions, then `h_1`, `h_2`, ..."""
    taken = {decl.name for decl in lctx}
    decls: list[LocalDecl] = []
    for decl in lctx:
        name = decl.name
        if name.endswith("✝") and not decl.hidden:
            stem = name.rstrip("✝")
            if stem == "a" and is_prop(t.m, decl.type):
                stem = "h"
            name, number = stem, 0
            while name in taken:
                number += 1
                name = f"{stem}_{number}"
            taken.add(name)
        decls.append(replace(decl, name=name))
    return lctx.replace_all(decls)
