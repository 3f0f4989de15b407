"""Recursive patterns: `rcases`, `obtain`, `rintro`, and the patterns of `intro` and `have`.

Source: Lean 4 `src/Lean/Elab/Tactic/RCases.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from minilean.kernel.declaration import Constructor, Inductive
from minilean.kernel.expr import Const, Expr, FVar, MVar, get_app_fn
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type, is_prop
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.tactics.apply import put_behind
from minilean.tactics.cases import cases_fvar, generalize_term
from minilean.tactics.constructors import explicit_fields
from minilean.tactics.equations import Subst, solve_equation, subst_hypothesis
from minilean.tactics.hypotheses import assert_hypothesis, intro_one, retype, try_clear
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics, retag

WILDCARD = ast.RPat("name", "_")
LEAVES = ("_", "-", "rfl")


@dataclass(frozen=True, slots=True)
class Work:
    """The patterns still to be applied in one goal.

    Attributes:
        todo: Variables and the patterns they are to match.
        intros: Patterns of variables that are still to be introduced, when `todo` is done.
        clears: Variables that `-` removes at the end.
        by_match: The pattern stands where Lean elaborates a `match`: there `rfl` keeps the older of two variables.
    """

    todo: tuple[tuple[Expr, ast.RPat], ...] = ()
    intros: tuple[ast.RPat, ...] = ()
    clears: tuple[Expr, ...] = ()
    by_match: bool = False

    def after(self, subst: Subst, *more: tuple[Expr, ast.RPat]) -> Work:
        """Return the work without its first item and with `more` in front, a substitution applied."""
        todo = [*more, *((_apply(subst, x), p) for x, p in self.todo[1:])]
        return replace(self, todo=tuple(todo), clears=tuple(_apply(subst, x) for x in self.clears))


def _apply(subst: Subst, e: Expr) -> Expr:
    return subst.get(e.id, e) if type(e) is FVar else e


def rcases_fvar(t: Tactics, fvar: FVar, pattern: ast.RPat, by_match: bool = False) -> None:
    """Destructure a local variable of the main goal; the goals that arise replace it."""
    goal = t.main
    rest = [g for g in t.goals if g is not goal]
    t.goals = _process(t, goal, Work(((fvar, pattern),), by_match=by_match)) + rest
    if t.goals:
        t.m.lctx = t.m.mvar_decl(t.goals[0]).lctx


def _process(t: Tactics, goal: MVar, work: Work) -> list[MVar]:
    """Apply the patterns one after another; later ones run in every goal that earlier ones produce."""
    t.goals = [goal]
    t.m.lctx = t.m.mvar_decl(goal).lctx
    if not work.todo and work.intros:
        fvar = intro_one(t, given_name(work.intros[0]))
        work = replace(work, todo=((fvar, work.intros[0]),), intros=work.intros[1:])
    if not work.todo:
        _clear_all(t, work.clears)
        return list(t.goals)
    e, pattern = work.todo[0]
    if pattern.kind == "name":
        return _leaf(t, e, pattern.name, work)
    if type(e) is not FVar:
        raise MetaError(f"Tactic `rcases` failed: `{t.show(e, 0)}` is not a free variable")
    if pattern.kind == "typed":
        _check_type(t, e, pattern)
        return _process(t, t.goals[0], work.after({}, (e, pattern.items[0])))
    if pattern.kind == "alts" and len(pattern.items) == 1:
        return _process(t, goal, work.after({}, (e, pattern.items[0])))
    return _split(t, goal, e, pattern, work)


def _leaf(t: Tactics, e: Expr, name: str, work: Work) -> list[MVar]:
    """A name (given already where the variable was introduced), `_`, `-` or `rfl`."""
    if name == "-":
        return _process(t, t.main, replace(work.after({}), clears=(*work.clears, e)))
    if name != "rfl":
        return _process(t, t.main, work.after({}))
    if type(e) is not FVar:
        raise MetaError(f"Tactic `rcases` failed: `{t.show(e, 0)}` is not a free variable")
    subst: Subst = {}
    if work.by_match:
        if solve_equation(t, e, subst):
            return []
    else:
        subst_hypothesis(t, e, subst)
    return _process(t, t.main, work.after(subst))


def _clear_all(t: Tactics, fvars: Sequence[Expr]) -> None:
    """Clear these variables and the hypotheses that depend on them, as far as nothing else needs them."""
    found = [x for x in fvars if type(x) is FVar and x.id in t.m.lctx]
    for decl in reversed([*found, *(d.fvar for d in t.dependents(found))]):
        try_clear(t, decl)


def given_name(pattern: ast.RPat) -> str | None:
    """Return the name that a pattern gives to the variable it matches, `None` if it gives none."""
    if pattern.kind == "name":
        return None if pattern.name in LEAVES else pattern.name
    if pattern.kind == "typed" or (pattern.kind == "alts" and len(pattern.items) == 1):
        return given_name(pattern.items[0])
    return None


def _check_type(t: Tactics, fvar: FVar, pattern: ast.RPat) -> None:
    m = t.m
    assert pattern.type is not None
    el = t.elab()
    wanted = el.elab_type(pattern.type)
    el.synthesize()
    have = m.local(fvar).type
    if not is_def_eq(m, have, wanted):
        raise MetaError(
            f"Tactic `rcases` failed: scrutinee\n  {t.show(fvar)}\nhas type\n  {t.show(have)}\n"
            f"but is expected to have type\n  {t.show(wanted)}"
        )
    retype(t, fvar, m.instantiate_mvars(wanted))


def _split(t: Tactics, goal: MVar, fvar: FVar, pattern: ast.RPat, work: Work) -> list[MVar]:
    m = t.m
    type_ = whnf(m, m.instantiate_mvars(m.local(fvar).type))
    fn = get_app_fn(type_)
    decl = m.env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Inductive):
        raise MetaError(
            f"Tactic `rcases` failed: `{t.show(fvar, 0)} : {t.show(type_)}` is not an inductive datatype"
        )
    m.env.require_shown(decl.name)
    per_ctor = _distribute(t, decl, pattern)
    names = {ctor: [given_name(p) or "_" for p in patterns] for ctor, patterns in per_ctor.items()}
    tag = m.mvar_decl(goal).tag
    out: list[MVar] = []
    for branch in cases_fvar(t, fvar, names, "rcases"):
        if len(decl.constructors) == 1:
            retag(t, branch.goal, tag)
        found = zip(branch.fields, per_ctor[branch.ctor], strict=False)
        out.extend(_process(t, branch.goal, work.after(branch.subst, *found)))
    return out


def _distribute(t: Tactics, decl: Inductive, pattern: ast.RPat) -> dict[str, list[ast.RPat]]:
    """Distribute a pattern over the fields of each constructor."""
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
    t: Tactics,
    term: ast.Term | None,
    type_stx: ast.Term | None,
    pattern: ast.RPat | None,
    by_match: bool = False,
    eq_name: str | None = None,
) -> None:
    """`obtain pat : type := e`; without `e` the type becomes the first goal.

    With `by_match`, as in `have pat := e`, a local variable `e` stays in the context. With `eq_name`, as in
    `rcases h : e`, each goal gets an equation between `e` and the matched pattern.
    """
    m = t.m
    if term is None:
        if type_stx is None:
            raise MetaError(
                "`obtain` requires either an expected type or a value.\n"
                "usage: `obtain ⟨patt⟩? : type (:= val)?` or `obtain ⟨patt⟩? (: type)? := val`"
            )
        el = t.elab()
        type_ = el.elab_type(type_stx)
        el.synthesize()
        type_ = m.instantiate_mvars(type_)
        goal = t.new_goal(type_)
        name = "this" if pattern is None else given_name(pattern) or "x✝"
        fvar = assert_hypothesis(t, name, type_, goal)
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
    others = len(t.goals) - 1
    e, new_goals = t.term_with_holes(term, expected)
    chosen = pattern if pattern is not None else ast.RPat("tuple")
    if eq_name is not None:
        fvar = generalize_term(t, e, given_name(chosen) or "x✝", "h✝" if eq_name == "_" else eq_name)
    elif type(e) is FVar and expected is None and not by_match:
        fvar = e
    else:
        type_ = expected if expected is not None else m.instantiate_mvars(infer_type(m, e))
        name = given_name(chosen) or "x✝"
        proof = is_prop(m, type_)
        fvar = assert_hypothesis(t, name, type_, e) if proof else generalize_term(t, e, name, None)
    rcases_fvar(t, fvar, chosen, by_match)
    if by_match and len(t.goals) > others:
        put_behind(t, new_goals)
    else:
        t.goals.extend(new_goals)


@runs(ast.RCases)
def tac_rcases(t: Tactics, stx: ast.RCases) -> None:
    """`rcases e with pat`, `rcases e, d with ⟨pat, pat⟩`, `obtain pat := e`."""
    if stx.more and stx.term is not None:
        _rcases_several(t, [stx.term, *stx.more], stx.pattern)
        return
    rcases_term(t, stx.term, stx.type, stx.pattern, eq_name=stx.eq_name)


def _rcases_several(t: Tactics, terms: Sequence[ast.Term], pattern: ast.RPat | None) -> None:
    """Match several terms, each by one part of a tuple; the last term gets the parts that are left.

    A term without a part stays as it is.
    """
    m = t.m
    parts = [pattern] if pattern is not None and pattern.kind != "tuple" else []
    if pattern is not None and pattern.kind == "tuple":
        parts = list(pattern.items)
    if len(parts) > len(terms):
        parts = [*parts[: len(terms) - 1], ast.RPat("tuple", items=tuple(parts[len(terms) - 1 :]))]
    parts += [WILDCARD] * (len(terms) - len(parts))
    todo: list[tuple[Expr, ast.RPat]] = []
    goals: list[MVar] = []
    for stx, part in zip(terms, parts, strict=True):
        m.lctx = m.mvar_decl(t.main).lctx
        e, new_goals = t.term_with_holes(stx, None)
        goals += new_goals
        if type(e) is not FVar:
            type_ = m.instantiate_mvars(infer_type(m, e))
            name = given_name(part) or "x✝"
            proof = is_prop(m, type_)
            e = assert_hypothesis(t, name, type_, e) if proof else generalize_term(t, e, name, None)
        todo.append((e, part))
    rest = t.goals[1:]
    t.goals = [*_process(t, t.main, Work(tuple(todo))), *rest, *goals]


def rintro(t: Tactics, goal: MVar, patterns: Sequence[ast.RPat]) -> list[MVar]:
    """Introduce binders of a goal by patterns; return the new goals."""
    return _process(t, goal, Work(intros=tuple(patterns)))


@runs(ast.RIntro)
def tac_rintro(t: Tactics, stx: ast.RIntro) -> None:
    """`rintro pats`."""
    rest = t.goals[1:]
    t.goals = [*rintro(t, t.main, stx.patterns), *rest]
