"""Recursive patterns: `rcases`, `obtain`, `rintro`, and the patterns of `intro` and `have`.

Source: Lean 4 `src/Lean/Elab/Tactic/RCases.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from lean_gym.minilean.kernel.declaration import Constructor, Inductive
from lean_gym.minilean.kernel.expr import Const, FVar, MVar, get_app_fn, is_app_of
from lean_gym.minilean.meta.context import LocalDecl
from lean_gym.minilean.meta.errors import MetaError
from lean_gym.minilean.meta.infer import infer_type
from lean_gym.minilean.meta.unify import is_def_eq
from lean_gym.minilean.meta.whnf import whnf, whnf_core
from lean_gym.minilean.syntax import ast
from lean_gym.minilean.tactics.cases import cases_fvar, explicit_fields, solve_equation
from lean_gym.minilean.tactics.intro import assert_hypothesis, clear, intro_one, retype
from lean_gym.minilean.tactics.state import TacticFn, Tactics, retag

WILDCARD = ast.RPat("name", "_")


def rcases_fvar(t: Tactics, fvar: FVar, pattern: ast.RPat) -> None:
    """Destructure a local variable of the main goal; the goals that arise replace it."""
    goal = t.main
    rest = [g for g in t.goals if g is not goal]
    t.goals = _process(t, goal, [(fvar, pattern)]) + rest
    if t.goals:
        t.m.lctx = t.m.mvar_decl(t.goals[0]).lctx


def _process(t: Tactics, goal: MVar, work: list[tuple[FVar, ast.RPat]]) -> list[MVar]:
    """Apply the patterns one after another; later ones run in every goal that earlier ones produce."""
    if not work:
        return [goal]
    (fvar, pattern), later = work[0], work[1:]
    t.goals = [goal]
    t.m.lctx = t.m.mvar_decl(goal).lctx
    if fvar.id not in t.m.lctx:
        return _process(t, goal, later)
    if pattern.kind == "typed":
        _check_type(t, fvar, pattern)
        return _process(t, t.goals[0], [(fvar, pattern.items[0]), *later])
    if pattern.kind == "alts" and len(pattern.items) == 1:
        return _process(t, goal, [(fvar, pattern.items[0]), *later])
    if pattern.kind == "name":
        if _apply_name(t, fvar, pattern.name):
            return []
        return _process(t, t.goals[0], later)
    return _split(t, goal, fvar, pattern, later)


def _apply_name(t: Tactics, fvar: FVar, name: str) -> bool:
    """A leaf pattern; True when it closed the goal."""
    if name == "rfl":
        return solve_equation(t, fvar)
    if name == "-":
        clear(t, [fvar])
    elif name != "_":
        rename_local(t, fvar, name)
    return False


def rename_local(t: Tactics, fvar: FVar, name: str) -> None:
    """Give a local variable of the main goal another name."""
    m = t.m
    goal = t.main
    decl = m.mvar_decl(goal)
    lctx = decl.lctx.replace_all(
        [
            LocalDecl(d.fvar, name, d.type, d.value, d.info, d.hidden) if d.fvar is fvar else d
            for d in decl.lctx
        ]
    )
    new = t.new_goal(decl.type, decl.tag, lctx)
    t.assign(goal, new)
    t.replace_main([new])
    m.lctx = lctx


def _check_type(t: Tactics, fvar: FVar, pattern: ast.RPat) -> None:
    m = t.m
    assert pattern.type is not None
    el = t.elab()
    wanted = el.elab_type(pattern.type)
    el.synthesize()
    have = m.local(fvar).type
    if not is_def_eq(m, have, wanted):
        raise MetaError(
            f"Type mismatch: Hypothesis has type\n  {t.show(have)}\nbut is expected to have type\n  {t.show(wanted)}"
        )
    retype(t, fvar, m.instantiate_mvars(wanted))


def _split(
    t: Tactics, goal: MVar, fvar: FVar, pattern: ast.RPat, later: list[tuple[FVar, ast.RPat]]
) -> list[MVar]:
    m = t.m
    type_ = whnf(m, m.instantiate_mvars(m.local(fvar).type))
    fn = get_app_fn(type_)
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Inductive):
        if pattern.kind == "tuple" and len(pattern.items) == 1:
            return _process(t, goal, [(fvar, pattern.items[0]), *later])
        raise t.failed(
            "rcases", f"`{t.show(m.local(fvar).fvar, 0)} : {t.show(type_)}` is not an inductive datatype"
        )
    if is_app_of(whnf_core(m, m.instantiate_mvars(m.local(fvar).type)), "Eq", 3) and pattern.kind == "tuple":
        return [] if solve_equation(t, fvar) else _process(t, t.goals[0], later)
    per_ctor = _distribute(t, decl, pattern)
    names = {
        ctor: [p.name if p.kind == "name" and p.name not in ("rfl", "-") else "_" for p in patterns]
        for ctor, patterns in per_ctor.items()
    }
    tag = m.mvar_decl(goal).tag
    branches = cases_fvar(t, fvar, names, "rcases")
    out: list[MVar] = []
    for branch in branches:
        work = [
            (x, p)
            for x, p in zip(branch.fields, per_ctor[branch.ctor], strict=False)
            if not (p.kind == "name" and p.name not in ("rfl", "-"))
        ]
        if len(decl.constructors) == 1:
            retag(t, branch.goal, tag)
        out.extend(_process(t, branch.goal, [*work, *later]))
    return out


def _distribute(t: Tactics, decl: Inductive, pattern: ast.RPat) -> dict[str, list[ast.RPat]]:
    """Which pattern each field of each constructor gets."""
    alts = list(pattern.items) if pattern.kind == "alts" else [pattern]
    out: dict[str, list[ast.RPat]] = {}
    for i, name in enumerate(decl.constructors):
        last = i == len(decl.constructors) - 1
        if last and len(alts) > 1:
            mine: ast.RPat = ast.RPat("alts", items=tuple(alts))
        elif alts:
            mine = alts.pop(0)
        else:
            mine = WILDCARD
        out[name] = _fields(t, name, mine)
    return out


def _fields(t: Tactics, name: str, pattern: ast.RPat) -> list[ast.RPat]:
    ctor = t.m.env.find(name)
    assert isinstance(ctor, Constructor)
    explicit = explicit_fields(ctor)
    items: Sequence[ast.RPat] = pattern.items if pattern.kind == "tuple" else (pattern,)
    slots = sum(explicit)
    given = list(items)
    if len(given) > slots > 0:
        given = [*given[: slots - 1], ast.RPat("tuple", items=tuple(given[slots - 1 :]))]
    out = []
    for flag in explicit:
        out.append(given.pop(0) if flag and given else WILDCARD)
    return out


def rcases_term(
    t: Tactics, term: ast.Term | None, type_stx: ast.Term | None, pattern: ast.RPat | None
) -> None:
    """`obtain pat : type := e`; without `e` the type becomes a goal of its own, first."""
    m = t.m
    if term is None:
        if type_stx is None:
            raise MetaError("`obtain` requires either an expected type or a value.")
        el = t.elab()
        type_ = el.elab_type(type_stx)
        el.synthesize()
        type_ = m.instantiate_mvars(type_)
        goal = t.new_goal(type_)
        fvar = assert_hypothesis(t, "this", type_, goal)
        if pattern is not None:
            rcases_fvar(t, fvar, pattern)
        t.goals.insert(0, goal)
        return
    expected = None
    if type_stx is not None:
        el = t.elab()
        expected = el.elab_type(type_stx)
        el.synthesize()
        expected = m.instantiate_mvars(expected)
    e, new_goals = t.term_with_holes(term, expected)
    if type(e) is FVar and expected is None:
        fvar = e
    else:
        type_ = expected if expected is not None else m.instantiate_mvars(infer_type(m, e))
        fvar = assert_hypothesis(t, "x✝", type_, e)
    rcases_fvar(t, fvar, pattern if pattern is not None else ast.RPat("tuple"))
    t.goals.extend(new_goals)


def tac_rcases(t: Tactics, stx: ast.RCases) -> None:
    """`rcases e with pat`, `obtain pat := e`."""
    if stx.eq_name is not None:
        raise MetaError("unsupported: `rcases h : e`")
    rcases_term(t, stx.term, stx.type, stx.pattern)


def tac_rintro(t: Tactics, stx: ast.RIntro) -> None:
    """`rintro pats`."""
    goals = [t.main]
    rest = t.goals[1:]
    for pattern in stx.patterns:
        after: list[MVar] = []
        for goal in goals:
            t.goals = [goal]
            t.m.lctx = t.m.mvar_decl(goal).lctx
            name = pattern.name if pattern.kind == "name" and pattern.name not in ("rfl", "-") else "_"
            fvar = intro_one(t, None if name == "_" else name)
            if pattern.kind != "name" or pattern.name in ("rfl", "-"):
                rcases_fvar(t, fvar, pattern)
            after.extend(t.goals)
        goals = after
    t.goals = [*goals, *rest]


TABLE: dict[tuple[type, str], TacticFn] = {
    (ast.RCases, ""): tac_rcases,  # type: ignore[dict-item]
    (ast.RIntro, ""): tac_rintro,  # type: ignore[dict-item]
}
