"""`rw`, `rewrite`: rewriting with equalities and equivalences.

Source: Lean 4 `src/Lean/Meta/Tactic/Rewrite.lean`, `Elab/Tactic/Rewrite.lean`, `Unfold.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as replace_fields

from minilean.elab.display import application_mismatch, inline
from minilean.elab.names import resolve_exact
from minilean.kernel.declaration import Definition
from minilean.kernel.expr import (
    INST,
    PROP,
    Const,
    Expr,
    FVar,
    Lam,
    MVar,
    Pi,
    get_app,
    get_app_fn,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
)
from minilean.kernel.instantiate import instantiate1, instantiate_level_params
from minilean.kernel.level import ONE, Level
from minilean.kernel.traversal import subterms
from minilean.meta.check import IllTyped, check
from minilean.meta.context import Kind, LocalDecl
from minilean.meta.errors import MetaError
from minilean.meta.extension import REDUCIBLE
from minilean.meta.infer import infer_type, is_prop, sort_level
from minilean.meta.instances import synth_instance
from minilean.meta.kabstract import kabstract
from minilean.meta.occurrences import collect_mvars
from minilean.meta.whnf import unfold_definition, whnf
from minilean.syntax import ast
from minilean.tactics.apply import dependent_last
from minilean.tactics.contradiction import tac_assumption
from minilean.tactics.location import replace_hypothesis, run_at
from minilean.tactics.registry import runs
from minilean.tactics.relations import try_rfl
from minilean.tactics.rewrite_options import ALL_OCCURRENCES, Options, options_of
from minilean.tactics.state import Tactics, join_tags, retag

_EXPLANATION = (
    "\n\nExplanation: The rewrite tactic rewrites an expression 'e' using an equality 'a = b' by the following "
    "process. First, it looks for all 'a' in 'e'. Second, it tries to abstract these occurrences of 'a' to create "
    "a function 'm := fun _a => ...', called the *motive*, with the property that 'm a' is definitionally equal "
    "to 'e'. Third, we observe that 'congrArg' implies that 'm a = m b', which can be used with lemmas such as "
    "'Eq.mpr' to change the goal. However, if 'e' depends on specific properties of 'a', then the motive 'm' "
    "might not typecheck.\n\nPossible solutions: use rewrite's 'occs' configuration option to limit which "
    "occurrences are rewritten, or use 'simp' or 'conv' mode, which have strategies for certain kinds of "
    "dependencies (these tactics can handle proofs and 'Decidable' instances whose types depend on the rewritten "
    "term, and 'simp' can apply user-defined '@[congr]' theorems as well)."
)


@dataclass(frozen=True, slots=True)
class Equation:
    """`proof : left = right` over `alpha`, with the metavariables of its premises and of holes in the rule.

    `settle` elaborates the instances and tactic blocks that are postponed until an occurrence is found.
    """

    proof: Expr
    alpha: Expr
    left: Expr
    right: Expr
    mvars: tuple[MVar, ...]
    holes: tuple[MVar, ...] = ()
    settle: Callable[[], None] | None = None


def equation_of(t: Tactics, proof: Expr, symm: bool) -> Equation:
    """Return `∀ .., a = b` or `∀ .., a ↔ b` as an equation, with metavariables for its premises."""
    m = t.m
    type_ = m.instantiate_mvars(infer_type(m, proof))
    mvars: list[MVar] = []
    while True:
        if type(type_) is not Pi:
            reduced = type_ if _is_relation(type_) else whnf(m, type_)
            if type(reduced) is not Pi:
                break
            type_ = reduced
        kind = Kind.SYNTHETIC if type_.info == INST else Kind.NATURAL
        mvar = m.new_mvar(type_.type, kind, type_.name)
        mvars.append(mvar)
        proof = mk_app(proof, mvar)
        type_ = instantiate1(type_.body, mvar)
    equality = type_ if _is_relation(type_) else whnf(m, type_)
    if is_app_of(type_, "Iff", 2):
        _, (a, b) = get_app(type_)
        proof = mk_apps(mk_const("propext"), (a, b, proof))
        levels: tuple[Level, ...] = (ONE,)
        alpha: Expr = PROP
    elif is_app_of(equality, "Eq", 3):
        fn, (alpha, a, b) = get_app(equality)
        levels = fn.levels  # type: ignore[attr-defined]
    else:
        raise _not_an_equation(t, proof, type_)
    if symm:
        proof = mk_apps(mk_const("Eq.symm", levels), (alpha, a, b, proof))
        a, b = b, a
    return Equation(proof, alpha, a, b, tuple(mvars))


def _is_relation(e: Expr) -> bool:
    return is_app_of(e, "Eq", 3) or is_app_of(e, "Iff", 2)


def _not_an_equation(t: Tactics, proof: Expr, type_: Expr) -> MetaError:
    what = "a proof of" if is_prop(t.m, type_) else "a value of type"
    return MetaError(
        "Invalid rewrite argument: Expected an equality or iff proof or definition name, "
        f"but{inline(t.m, proof)}is {what}\n  {t.show(type_)}"
    )


def rewrite(
    t: Tactics, e: Expr, equation: Equation, place: str, options: Options = ALL_OCCURRENCES
) -> tuple[Expr, Expr]:
    """Rewrite `e` once with `equation`: return the new term and a proof of `e = new`."""
    m = t.m
    e = m.instantiate_mvars(e)
    left = m.instantiate_mvars(equation.left)
    if type(get_app_fn(left)) is MVar:
        raise MetaError(
            f"Invalid rewrite argument: The pattern to be substituted is a metavariable (`{t.show(left)}`) in this "
            f"equality\n  {t.show(left)} = {t.show(equation.right)}"
        )
    body = kabstract(m, e, left, options.transparency, options.wanted)
    if body is None:
        raise t.failed(
            "rewrite",
            "Did not find an occurrence of the pattern\n"
            f"  {t.show(left)}\nin the target expression\n  {t.show(e)}",
        )
    if equation.settle is not None:
        equation.settle()
    alpha = m.instantiate_mvars(equation.alpha)
    new = m.instantiate_mvars(instantiate1(body, equation.right))
    motive = mk_lam("_a", alpha, m.instantiate_mvars(body))
    try:
        check(m, motive)
    except IllTyped as error:
        raise _motive_error(t, motive, error) from None
    left, right = m.instantiate_mvars(equation.left), m.instantiate_mvars(equation.right)
    sort = whnf(m, m.instantiate_mvars(infer_type(m, e)))
    levels = (sort_level(m, alpha), sort_level(m, sort))
    proof = mk_apps(mk_const("congrArg", levels), (alpha, sort, left, right, motive, equation.proof))
    return new, m.instantiate_mvars(proof)


def _motive_error(t: Tactics, motive: Expr, error: IllTyped) -> MetaError:
    with t.m.with_lctx(error.lctx):
        detail = f"Error: {application_mismatch(t.m, error.fn, error.arg, error.arg_type, error.expected)}"
    return t.failed("rewrite", f"motive is not type correct:\n  {t.show(motive)}\n{detail}", _EXPLANATION)


def rule_equation(t: Tactics, rule: ast.RwRule) -> Equation:
    """Elaborate one rule of `rw [..]`."""
    m = t.m
    if isinstance(rule.term, ast.Ident):
        equation = _definition_equation(t, rule.term.name, rule.symm)
        if equation is not None:
            return equation
    el = t.elab()
    e = el.elab(rule.term, None)
    el.synthesize(postpone=True)
    if any(problem.kind == "term" for problem in el.pending):
        el.synthesize()
    equation = equation_of(t, m.instantiate_mvars(e), rule.symm)
    known = {x.id for x in equation.mvars}
    holes = [x for x in collect_mvars(m.instantiate_mvars(e)) if x.id not in known]
    return replace_fields(equation, holes=tuple(holes), settle=el.synthesize if el.pending else None)


def _definition_equation(t: Tactics, name: str, symm: bool) -> Equation | None:
    """Return the defining equation of `f` for `rw [f]`, true by `rfl`."""
    m = t.m
    if m.lctx.by_name(name) is not None:
        return None
    full = resolve_exact(m.env, t.scope, name)
    decl = m.env.find(full) if full else None
    if not isinstance(decl, Definition) or decl.is_opaque or full in m.env.projections:
        return None
    if m.env.is_recursive(decl.name):
        return _case_equation(t, decl.name, symm)
    const = m.const(decl.name)
    if is_prop(m, infer_type(m, const)):
        return None
    value = instantiate_level_params(decl.value, decl.level_params, const.levels)  # type: ignore[attr-defined]
    type_ = infer_type(m, const)
    mvars: list[MVar] = []
    while type(value) is Lam and type(type_) is Pi:
        mvar = m.new_mvar(type_.type, Kind.SYNTHETIC if type_.info == INST else Kind.NATURAL, type_.name)
        mvars.append(mvar)
        value = instantiate1(value.body, mvar)
        type_ = instantiate1(type_.body, mvar)
    left = mk_apps(const, mvars)
    levels = (sort_level(m, type_),)
    refl = mk_apps(mk_const("Eq.refl", levels), (type_, left))
    if symm:
        return Equation(refl, type_, value, left, tuple(mvars))
    return Equation(refl, type_, left, value, tuple(mvars))


def _case_equation(t: Tactics, name: str, symm: bool) -> Equation:
    """Return the equation of the first application of a recursive function that a case of its definition matches."""
    m = t.m
    for sub in subterms(t.target):
        fn = get_app_fn(sub)
        if sub.loose or type(fn) is not Const or fn.name != name:
            continue
        value = unfold_definition(m, sub)
        if value is None:
            continue
        type_ = infer_type(m, sub)
        refl = mk_apps(mk_const("Eq.refl", (sort_level(m, type_),)), (type_, sub))
        return Equation(refl, type_, value, sub, ()) if symm else Equation(refl, type_, sub, value, ())
    raise MetaError(f"Failed to rewrite using equation theorems for `{name}`")


def side_goals(t: Tactics, equation: Equation) -> list[MVar]:
    """Synthesize instances; return the open premises, then the open holes, as goals."""
    m = t.m
    out = []
    for mvar in equation.mvars:
        if m.mctx.is_assigned(mvar.id):
            continue
        decl = m.mvar_decl(mvar)
        if decl.kind is Kind.SYNTHETIC:
            value = synth_instance(m, decl.type)
            if value is None:
                raise MetaError(f"failed to synthesize instance of type class\n  {t.show(decl.type)}")
            m.mctx.assign(mvar.id, value)
            continue
        out.append(mvar)
    for mvar in out:
        retag(t, mvar, t.tag if len(out) == 1 else join_tags(t.tag, m.mvar_decl(mvar).tag))
    holes = [mvar for mvar in equation.holes if not m.mctx.is_assigned(mvar.id)]
    return [*dependent_last(t, out), *holes]


def rewrite_target(t: Tactics, rule: ast.RwRule, options: Options = ALL_OCCURRENCES) -> None:
    """Rewrite the main goal's target."""
    apply_to_target(t, rule_equation(t, rule), options)


def apply_to_target(t: Tactics, equation: Equation, options: Options = ALL_OCCURRENCES) -> None:
    """Rewrite the target with an elaborated equation."""
    m = t.m
    target = t.target
    new, proof = rewrite(t, target, equation, "target", options)
    sides = side_goals(t, equation)
    goal = t.new_goal(new, t.tag)
    t.assign(
        t.main,
        mk_apps(
            mk_const("Eq.mpr", (m.instantiate_level(sort_level(m, target)),)), (target, new, proof, goal)
        ),
    )
    t.replace_main([goal, *sides])


def rewrite_hypothesis(
    t: Tactics, decl: LocalDecl, rule: ast.RwRule, options: Options = ALL_OCCURRENCES
) -> None:
    """Rewrite a hypothesis in its place."""
    apply_to_hypothesis(t, decl, rule_equation(t, rule), options)


def apply_to_hypothesis(
    t: Tactics, decl: LocalDecl, equation: Equation, options: Options = ALL_OCCURRENCES
) -> FVar:
    """Rewrite a hypothesis with an elaborated equation; return the new hypothesis."""
    m = t.m
    type_ = m.instantiate_mvars(decl.type)
    new, proof = rewrite(t, type_, equation, decl.name, options)
    sides = side_goals(t, equation)
    value = mk_apps(mk_const("Eq.mp", (sort_level(m, type_),)), (type_, new, proof, decl.fvar))
    fvar = replace_hypothesis(t, decl, new, value)
    t.goals[1:1] = sides
    return fvar


@runs(ast.Rw)
def tac_rw(t: Tactics, stx: ast.Rw) -> None:
    """`rw [rules] at loc`; `rewrite` does not try `rfl`, `rwa` ends with `assumption`."""
    m = t.m
    options = options_of(stx)
    for rule in stx.rules:
        m.lctx = m.mvar_decl(t.main).lctx
        try:
            _rewrite_with_first(t, stx, rule, options)
        except MetaError as error:
            error.locate(rule.start, rule.end)
            raise
    if stx.name != "rewrite":
        t.attempt(lambda: _reducible_rfl(t))
    if stx.name == "rwa" and t.goals:
        m.lctx = m.mvar_decl(t.main).lctx
        tac_assumption(t, ast.Simple("assumption"))


def _rewrite_with_first(t: Tactics, stx: ast.Rw, rule: ast.RwRule, options: Options) -> None:
    """Rewrite with a rule; the name of a recursive function means the first of its equations that applies."""
    run_first(t, rule, lambda r: t.attempt(lambda: _rewrite_places(t, stx, r, options)))


def run_first(t: Tactics, rule: ast.RwRule, attempt: Callable[[ast.RwRule], MetaError | None]) -> None:
    """Run `attempt` with a rule; for a recursive function, with its equations until one works.

    Args:
        t: The tactic state.
        rule: A rule of `rw [..]`.
        attempt: Rewrites with a rule; when that fails it restores the state and returns the error.

    Raises:
        MetaError: No rule works.
    """
    name, equations = _equations_of(t, rule)
    if not equations:
        error = attempt(rule)
        if error is not None:
            raise error
        return
    rules = (replace_fields(rule, term=ast.Ident(f"_root_.{equation}")) for equation in equations)
    if all(attempt(r) is not None for r in rules):
        raise MetaError(f"Failed to rewrite using equation theorems for `{name}`")


def _equations_of(t: Tactics, rule: ast.RwRule) -> tuple[str, tuple[str, ...]]:
    env = t.m.env
    if not isinstance(rule.term, ast.Ident) or t.m.lctx.by_name(rule.term.name) is not None:
        return "", ()
    name = resolve_exact(env, t.scope, rule.term.name)
    if name is None or not env.is_recursive(name):
        return "", ()
    return name, env.equations.get(name, ())


def _rewrite_places(t: Tactics, stx: ast.Rw, rule: ast.RwRule, options: Options) -> None:
    run_at(
        t,
        stx.location,
        lambda d: rewrite_hypothesis(t, d, rule, options),
        lambda: rewrite_target(t, rule, options),
        lambda: t.failed("rewrite", "Did not find an occurrence of the pattern in the current goal"),
    )


def _reducible_rfl(t: Tactics) -> None:
    m = t.m
    with m.with_lctx(m.mvar_decl(t.main).lctx), m.with_transparency(REDUCIBLE):
        if not try_rfl(t):
            raise MetaError("rfl failed")
