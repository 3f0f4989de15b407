"""`fun_induction f x y` and `fun_cases f x y`: the cases of a function's definition, with its recursive calls.

Source: Lean 4 `src/Lean/Elab/Tactic/Induction.lean` (`evalFunInduction`, 4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.elab.missing_names import unknown
from minilean.elab.names import resolve_exact
from minilean.elab.recursion.functional_induction import functional_principle
from minilean.kernel.expr import DEFAULT, Const, Expr, FVar, Pi, get_app, is_app_of, mk_app, mk_const
from minilean.kernel.instantiate import beta_apply, instantiate1, instantiate_level_params
from minilean.kernel.level import Level
from minilean.kernel.traversal import subterms
from minilean.meta.errors import MetaError
from minilean.syntax import ast
from minilean.syntax.parser import parse_tactics
from minilean.tactics.cases import Branch, generalize_term
from minilean.tactics.eliminator import Alternative, Principle
from minilean.tactics.state import Tactics

_NOT = mk_const("Not")
KINDS = ("fun_induction", "fun_cases")


def principle_of(
    t: Tactics, name: str, levels: Sequence[Level], fixed: Sequence[Expr], cases_only: bool
) -> Principle:
    """Return the principle of a function at the values of its arguments that stay the same.

    Raises:
        MetaError: The function has none.
    """
    made = functional_principle(t.elab(), name, cases_only)
    value = instantiate_level_params(made.value, made.level_params, tuple(levels))
    type_ = instantiate_level_params(made.type, made.level_params, tuple(levels))
    term = beta_apply(value, list(fixed))
    for arg in fixed:
        assert type(type_) is Pi
        type_ = instantiate1(type_.body, arg)
    alternatives: dict[int, Alternative] = {}
    rest, position = type_, 0
    while type(rest) is Pi:
        if rest.name.startswith("case") and position == len(alternatives) + 1:
            alternatives[position] = Alternative(rest.name, tuple(_explicit(rest.type)))
        rest, position = rest.body, position + 1
    first = 1 + len(alternatives)
    return Principle(term, type_, 0, tuple(range(first, position)), alternatives)


def _explicit(type_: Expr) -> list[bool]:
    """Return a flag for each variable and hypothesis of a case: whether it is explicit."""
    found = []
    while type(type_) is Pi:
        found.append(type_.info == DEFAULT)
        type_ = type_.body
    return found


def functional_targets(t: Tactics, stx: ast.Cases) -> tuple[str, Principle, list[FVar]]:
    """Return the function, its principle and the variables on which it is applied.

    Raises:
        MetaError: The goal has no call of the function to variables, or the term is no call.
    """
    term = stx.targets[0][1]
    cases_only = stx.kind == "fun_cases"
    if isinstance(term, ast.Ident) and t.m.lctx.by_name(term.name) is None:
        name = resolve_exact(t.m.env, t.scope, term.name)
        if name is None:
            raise unknown(t.m.env, t.scope, term.name, f"Unknown constant `{term.name}`")
        call = _call_in_goal(t, name, cases_only)
    else:
        call = t.term(term)
    fn, args = get_app(call)
    if type(fn) is not Const:
        raise MetaError(f"expected a call of a function, got\n  {t.show(call)}")
    made = functional_principle(t.elab(), fn.name, cases_only)
    if len(args) < len(made.fixed) + len(made.varying):
        raise MetaError(f"the function `{fn.name}` is not applied to all its arguments")
    principle = principle_of(t, fn.name, fn.levels, [args[i] for i in made.fixed], cases_only)
    xs: list[FVar] = []
    for i in made.varying:
        arg = args[i]
        xs.append(arg if type(arg) is FVar and arg not in xs else generalize_term(t, arg, "x✝", None))
        t.m.lctx = t.m.mvar_decl(t.main).lctx
    return fn.name, principle, xs


def _call_in_goal(t: Tactics, name: str, cases_only: bool) -> Expr:
    made = functional_principle(t.elab(), name, cases_only)
    for sub in subterms(t.target):
        fn, args = get_app(sub)
        if type(fn) is not Const or fn.name != name or len(args) != len(made.fixed) + len(made.varying):
            continue
        targets = [args[i] for i in made.varying]
        if all(type(x) is FVar for x in targets) and len(set(targets)) == len(targets):
            return sub
    raise MetaError(f"Could not find suitable call of `{name}` in the goal")


def unfold_cases(t: Tactics, name: str, branches: Sequence[Branch]) -> None:
    """Replace the call in the goal of each case by the value of the function there."""
    rest = t.goals
    for branch in branches:
        t.goals = [branch.goal]
        t.m.lctx = t.m.mvar_decl(branch.goal).lctx
        for equation in t.m.env.equations.get(name, ()):
            if t.attempt(lambda equation=equation: _rewrite(t, equation)) is None:  # type: ignore[misc]
                break
        while any(t.attempt(lambda e=e: _decide(t, e)) is None for e in list(subterms(t.target))):  # type: ignore[misc]
            pass
        branch.goal = t.main
    t.goals = rest


def _rewrite(t: Tactics, equation: str) -> None:
    t.run_block(parse_tactics(f"rewrite [_root_.{equation}]"))
    main, *others = t.goals
    for goal in others:
        t.goals = [goal]
        t.run_block(parse_tactics("assumption"))
    t.goals = [main]


def _decide(t: Tactics, e: Expr) -> None:
    """Reduce `if c then a else b` by a hypothesis."""
    for word in ("if", "dif"):
        if is_app_of(e, "ite" if word == "if" else "dite", 5):
            prop = get_app(e)[1][1]
            for decl in t.m.lctx:
                lemma = None
                if decl.type is prop:
                    lemma = f"{word}_pos"
                elif decl.type is mk_app(_NOT, prop):
                    lemma = f"{word}_neg"
                if lemma is not None:
                    rule = ast.RwRule(False, ast.App(ast.Ident(lemma), (ast.Quoted(decl.fvar),)))
                    t.run(ast.Rw("rewrite", (rule,)))
                    return
    raise MetaError("nothing to decide")
