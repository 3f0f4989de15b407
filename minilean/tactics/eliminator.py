"""`induction .. using r`, `cases .. using r`: elimination by a principle that the user names.

Source: Lean 4 `src/Lean/Meta/Tactic/ElimInfo.lean`, `src/Lean/Elab/Tactic/Induction.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from minilean.elab.identifiers import resolve_ident
from minilean.elab.missing_names import unknown
from minilean.elab.recursion.functional_induction import principle_named
from minilean.elab.term import Elab
from minilean.kernel.expr import DEFAULT, INST, BVar, Expr, FVar, Lam, MVar, Pi, get_app, mk_apps
from minilean.kernel.instantiate import head_beta, instantiate1, instantiate_level_params, replace
from minilean.kernel.traversal import subterms
from minilean.meta.context import Kind, LocalContext, LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.infer import infer_type
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast
from minilean.tactics.cases import Branch
from minilean.tactics.equations import introduce_again
from minilean.tactics.hypotheses import intro_one, revert
from minilean.tactics.state import Tactics


@dataclass(frozen=True, slots=True)
class Alternative:
    """A premise to be proved: its name, and a flag for each of its variables, true if it is explicit."""

    name: str
    explicit: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Principle:
    """A theorem that ends in `motive targets`.

    Attributes:
        term: The theorem.
        type: Its type.
        motive: Position of the motive among its arguments.
        targets: Positions of the targets.
        alternatives: Premises to be proved, by position.
    """

    term: Expr
    type: Expr
    motive: int
    targets: tuple[int, ...]
    alternatives: dict[int, Alternative]


@dataclass(frozen=True, slots=True)
class _Applied:
    """A principle that was applied to a goal.

    Attributes:
        principle: The principle.
        goal: The goal, which is not assigned yet.
        args: All arguments.
        open: Those that are metavariables, by position.
        given: The targets that the user gave.
        implied: The targets that these determine.
    """

    principle: Principle
    goal: MVar
    args: Sequence[Expr]
    open: Sequence[tuple[int, MVar]]
    given: Sequence[FVar]
    implied: Sequence[FVar]


def read_principle(t: Tactics, stx: ast.Term) -> Principle:
    """Read `using stx`.

    Raises:
        MetaError: The term is not an elimination principle.
    """
    m = t.m
    el = t.elab()
    known = principle_named(el, stx.name) if isinstance(stx, ast.Ident) else None
    if known is not None:
        # in a proof by itself, no command has added the theorem
        made = known[1]
        levels = [m.new_level_mvar() for _ in made.level_params]
        term = instantiate_level_params(made.value, made.level_params, levels)
    elif isinstance(stx, ast.Ident):
        term, fields = resolve_ident(el, stx)
        if fields:
            raise unknown(m.env, t.scope, stx.name, f"Unknown constant `{stx.name}`")
    elif isinstance(stx, ast.App) and isinstance(stx.fn, ast.Ident) and _only_named(stx):
        named = {arg.name: arg.value for arg in stx.args if isinstance(arg, ast.NamedArg)}
        term = _with_named(el, stx.fn, named)
    else:
        term = el.elab(stx, None)
        el.synthesize()
    type_ = _beta_heads(m.instantiate_mvars(infer_type(m, m.instantiate_mvars(term))))
    old = m.lctx
    try:
        binders, end = m.intro_binders(type_)
        head, args = get_app(end)
        if head not in binders or any(arg not in binders for arg in args):
            raise MetaError(
                f"Unexpected eliminator resulting type\n  {t.show(end)}\nThe type must be a motive applied to "
                "targets"
            )
        infos = [m.local(x).info for x in binders]
        motive = binders.index(head)
        targets = tuple(binders.index(arg) for arg in args if type(arg) is FVar)
        alternatives = {}
        for i, x in enumerate(binders):
            if i != motive and i not in targets and infos[i] == DEFAULT:
                variables, _ = m.intro_binders(m.local(x).type)
                explicit = tuple(m.local(y).info == DEFAULT for y in variables)
                alternatives[i] = Alternative(m.local(x).name.rstrip("✝"), explicit)
        return Principle(m.instantiate_mvars(term), type_, motive, targets, alternatives)
    finally:
        m.lctx = old


def _only_named(stx: ast.App) -> bool:
    return all(isinstance(arg, ast.NamedArg) for arg in stx.args)


def _with_named(el: Elab, fn: ast.Ident, given: dict[str, ast.Term]) -> Expr:
    """Elaborate `r (motive_2 := e)` as a function of the other arguments of `r`.

    Raises:
        MetaError: `r` has no argument of such a name.
    """
    m = el.m
    head, fields = resolve_ident(el, fn)
    if fields:
        raise unknown(m.env, el.scope, fn.name, f"Unknown constant `{fn.name}`")
    old = m.lctx
    try:
        type_ = m.instantiate_mvars(infer_type(m, head))
        args: list[Expr] = []
        rest: list[FVar] = []
        left = dict(given)
        while type(type_) is Pi and left:
            if type_.name in left:
                value = el.elab(left.pop(type_.name), type_.type)
                el.synthesize()
                args.append(m.instantiate_mvars(value))
            else:
                rest.append(m.push_local(type_.name, type_.type, type_.info))
                args.append(rest[-1])
            type_ = instantiate1(type_.body, args[-1])
        if left:
            raise MetaError(f"Invalid argument name `{next(iter(left))}` for function `{fn.name}`")
        return m.mk_lambda(rest, mk_apps(head, args))
    finally:
        m.lctx = old


def _beta_heads(e: Expr) -> Expr:
    """Beta-reduce the applied lambdas of `e`, which given motives leave."""

    def at(sub: Expr, _depth: int) -> Expr | None:
        fn, args = get_app(sub)
        return replace(head_beta(sub), at) if type(fn) is Lam and args else None

    return replace(e, at)


def eliminate_using(
    t: Tactics,
    principle: Principle,
    xs: Sequence[FVar],
    names: Mapping[str, Sequence[str]],
    tactic: str,
    general: Sequence[FVar] = (),
) -> list[Branch]:
    """Apply the principle to the main goal; the goals of the alternatives are not put into `t.goals`."""
    m = t.m
    targets = _all_targets(t, principle, xs, tactic)
    dependents = {d.fvar for d in t.dependents(targets)}.difference(targets).union(general)
    reverted = revert(t, [d.fvar for d in m.lctx if d.fvar in dependents]) if dependents else []
    goal = t.main
    decl = m.mvar_decl(goal)
    m.lctx = decl.lctx
    target = m.instantiate_mvars(decl.type)
    args: list[Expr] = []
    type_ = principle.type
    mvars: list[tuple[int, MVar]] = []
    given = list(xs)
    motive = m.mk_lambda(targets, target)
    explicit = _explicit_targets(principle)
    while type(type_) is Pi:
        i = len(args)
        if i == principle.motive:
            arg: Expr = motive
            if not is_def_eq(m, type_.type, infer_type(m, motive)):
                raise t.failed(tactic, f"the motive does not fit `{t.show(principle.term, 0)}`")
        elif i in explicit:
            arg = given.pop(0)
            _check_target(t, arg, type_.type)
        else:
            opaque = i in principle.alternatives
            kind = Kind.OPAQUE if opaque else Kind.SYNTHETIC if type_.info == INST else Kind.NATURAL
            arg = m.new_mvar(type_.type, kind)
            mvars.append((i, arg))
        args.append(arg)
        type_ = instantiate1(type_.body, arg)
    if not is_def_eq(m, head_beta(type_), target):
        raise t.failed(tactic, f"the conclusion of `{t.show(principle.term, 0)}` does not fit the goal")
    _settle(t, principle, mvars)
    if tactic.endswith("cases"):
        kept = {
            principle.alternatives[i].name: _kept_names(m, m.mvar_decl(mvar).type, targets)
            for i, mvar in mvars
            if i in principle.alternatives
        }
        names = {**kept, **names}
    implicit = [x for x in targets if x not in xs]
    return _branches(t, _Applied(principle, goal, args, mvars, xs, implicit), names, reverted)


def _check_target(t: Tactics, x: FVar, expected: Expr) -> None:
    m = t.m
    if not is_def_eq(m, expected, m.local(x).type):
        raise MetaError(
            f"Type mismatch: target\n  {t.show(x)}\nhas type\n  {t.show(m.local(x).type)}\n"
            f"but is expected to have type\n  {t.show(expected)}"
        )


def _all_targets(t: Tactics, principle: Principle, xs: Sequence[FVar], tactic: str) -> list[FVar]:
    """Return all targets in the order of the motive: those given, and those that the types of the given ones determine.

    Raises:
        MetaError: There are too few or too many, their types do not fit, or they are not distinct variables.
    """
    m = t.m
    explicit = _explicit_targets(principle)
    if len(explicit) != len(xs):
        raise MetaError(
            f"Expected {len(explicit)} targets for `{t.show(principle.term, 0)}`, but {len(xs)} were given"
        )
    m.lctx = m.mvar_decl(t.main).lctx
    args: list[Expr] = []
    type_ = principle.type
    while type(type_) is Pi:
        if len(args) in explicit:
            x = xs[explicit.index(len(args))]
            _check_target(t, x, type_.type)
            args.append(x)
        else:
            args.append(m.new_mvar(type_.type))
        type_ = instantiate1(type_.body, args[-1])
    found = [m.instantiate_mvars(args[i]) for i in principle.targets]
    targets = [x for x in found if type(x) is FVar]
    if len(set(targets)) < len(found):
        raise t.failed(tactic, f"the motive does not fit `{t.show(principle.term, 0)}`")
    return targets


def _explicit_targets(principle: Principle) -> list[int]:
    """Return the positions of the targets that a user gives: the explicit ones, in the order of the arguments."""
    type_, explicit = principle.type, []
    i = 0
    while type(type_) is Pi:
        if i in principle.targets and type_.info == DEFAULT:
            explicit.append(i)
        type_ = type_.body
        i += 1
    return explicit


def _settle(t: Tactics, principle: Principle, mvars: Sequence[tuple[int, MVar]]) -> None:
    """Synthesize instances, and check that only alternatives are left open."""
    m = t.m
    for i, mvar in mvars:
        if i in principle.alternatives or m.mctx.is_assigned(mvar.id):
            continue
        value = None
        if m.mvar_decl(mvar).kind is Kind.SYNTHETIC:
            value = synth_instance(m, m.instantiate_mvars(m.mvar_decl(mvar).type))
        if value is None:
            raise MetaError(f"failed to infer an implicit argument of `{t.show(principle.term, 0)}`")
        m.mctx.assign(mvar.id, value)


def _branches(
    t: Tactics, applied: _Applied, names: Mapping[str, Sequence[str]], reverted: Sequence[LocalDecl]
) -> list[Branch]:
    """Assign the goal, and introduce the variables of its alternatives."""
    m = t.m
    principle, goal = applied.principle, applied.goal
    tag = m.mvar_decl(goal).tag
    outer = m.mvar_decl(goal).lctx.without({x.id for x in applied.given})
    fresh: dict[int, MVar] = {}
    for i, mvar in applied.open:
        if i in principle.alternatives:
            short = principle.alternatives[i].name
            type_ = _beta(m.instantiate_mvars(m.mvar_decl(mvar).type))
            fresh[i] = t.new_goal(
                type_, f"{tag}.{short}" if tag else short, _cleared(m, outer, applied.implied, type_)
            )
            m.mctx.assign(mvar.id, fresh[i])
    t.assign(goal, m.instantiate_mvars(mk_apps(principle.term, applied.args)))
    rest = [g for g in t.goals if g is not goal]
    out = []
    for i, new in fresh.items():
        short = principle.alternatives[i].name
        given = list(names.get(short, ()))
        t.goals = [new]
        fields = []
        for k in range(len(principle.alternatives[i].explicit)):
            chosen = given[k] if k < len(given) and given[k] != "_" else None
            fields.append(intro_one(t, chosen))
        branch = Branch(short, t.main, fields, [])
        introduce_again(t, reverted, branch.subst)
        branch.goal = t.main
        out.append(branch)
    t.goals = rest
    return out


def _kept_names(m: Meta, premise: Expr, targets: Sequence[FVar]) -> list[str]:
    """Return names for the variables of a premise: one that stands for a target keeps the name of the target."""
    count = 0
    while type(premise) is Pi:
        premise, count = premise.body, count + 1
    names = ["_"] * count
    for term, target in zip(get_app(premise)[1], targets, strict=False):
        name = m.local(target).name
        if type(term) is BVar and term.idx < count and not name.endswith("✝"):
            names[count - 1 - term.idx] = name
    return names


def _cleared(m: Meta, lctx: LocalContext, xs: Sequence[FVar], type_: Expr) -> LocalContext:
    """Return the context without those `xs` that neither the goal nor the rest of the context mentions."""
    order = list(lctx.decls)
    for x in sorted(xs, key=lambda x: order.index(x.id), reverse=True):
        rest = lctx.without({x.id})
        if not any(x in subterms(m.instantiate_mvars(e)) for e in (type_, *(d.type for d in rest))):
            lctx = rest
    return lctx


def _beta(e: Expr) -> Expr:
    """`e` with the motive's applications reduced."""

    def at(sub: Expr, _depth: int) -> Expr | None:
        reduced = head_beta(sub)
        return replace(reduced, at) if reduced is not sub else None

    return replace(e, at)
