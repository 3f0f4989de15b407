"""Goals proved by a constructor: `constructor`, `left`, `right`, `exists`.

Source: Lean 4 `src/Lean/Meta/Tactic/Constructor.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.declaration import Inductive
from minilean.kernel.expr import Const, Expr, MVar, get_app, mk_const
from minilean.syntax import ast
from minilean.tactics.apply import apply_term, refine
from minilean.tactics.contradiction import tac_trivial
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics


def inductive_target(t: Tactics, tactic: str) -> tuple[Inductive, Const, list[Expr]]:
    """Return the inductive type that the target is an application of, its constant and the arguments."""
    reduced, name = t.whnf_head(t.target)
    decl = t.m.env.find(name) if name else None
    if not isinstance(decl, Inductive):
        raise t.failed(tactic, "target is not an inductive datatype")
    t.m.env.require_shown(decl.name)
    fn, args = get_app(reduced)
    assert isinstance(fn, Const)
    return decl, fn, args


@runs(ast.Simple, "constructor")
def tac_constructor(t: Tactics, stx: ast.Simple) -> None:
    """`constructor`: the first constructor that applies."""
    decl, fn, _ = inductive_target(t, "constructor")
    for name in decl.constructors:
        ctor = mk_const(name, fn.levels)
        result: list[MVar] = []

        def go(c: Expr = ctor, out: list[MVar] = result) -> None:
            out.extend(apply_term(t, c, set(t.m.mctx.decls)))

        goal = t.main
        if t.attempt(go) is None:
            t.goals = [*(g for g in result if g not in t.goals), *t.goals]
            return
        if goal not in t.goals:
            t.goals.insert(0, goal)
    raise t.failed("constructor", "no applicable constructor found")


@runs(ast.Simple, "left", "right")
def tac_side(t: Tactics, stx: ast.Simple) -> None:
    """`left`, `right`: the first or second of exactly two constructors."""
    decl, fn, _ = inductive_target(t, stx.name)
    if len(decl.constructors) != 2:
        raise t.failed(stx.name, f"{stx.name} tactic works for inductive types with exactly 2 constructors")
    ctor = mk_const(decl.constructors[0 if stx.name == "left" else 1], fn.levels)
    goals = apply_term(t, ctor, set(t.m.mctx.decls), written=False)
    t.goals = [*goals, *t.goals]


@runs(ast.TermsTactic, "exists")
def tac_exists(t: Tactics, stx: ast.TermsTactic) -> None:
    """`exists a, b`: `refine ⟨a, b, ?_⟩; try trivial`."""
    hole = ast.NamedHole(None, start=stx.start, end=stx.end)
    refine(t, ast.AnonCtor((*stx.terms, hole), start=stx.start, end=stx.end))

    def trivial() -> None:
        with t.m.with_lctx(t.m.mvar_decl(t.main).lctx):
            tac_trivial(t, ast.Simple("trivial"))

    if t.goals:
        t.attempt(trivial)
