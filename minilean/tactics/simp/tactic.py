"""The tactics `simp`, `dsimp`, `simpa` and `simp_all`: their rules, options and suggestions.

Source: Lean 4 `src/Lean/Elab/Tactic/Simp.lean`, `Simpa.lean`, `src/Lean/Meta/Tactic/Simp/Main.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import replace

from minilean.elab.missing_names import unknown
from minilean.elab.names import resolve_exact
from minilean.kernel.declaration import Definition
from minilean.kernel.expr import FVar
from minilean.meta.errors import BudgetError, MetaError, UnsupportedError, together
from minilean.meta.extension import REDUCIBLE
from minilean.meta.infer import is_proof, is_prop
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast
from minilean.tactics.contradiction import tac_assumption
from minilean.tactics.hypotheses import assert_hypothesis
from minilean.tactics.registry import runs
from minilean.tactics.simp.all import simp_all
from minilean.tactics.simp.goals import free_propositions, simp_goal, simp_target
from minilean.tactics.simp.lemmas import constant_rules, default_rules, rules_of, unfolding_rules
from minilean.tactics.simp.procedures import ALL_PROCEDURES
from minilean.tactics.simp.result import TRUE
from minilean.tactics.simp.rules import Options, Rule, RuleSet
from minilean.tactics.simp.terms import abstract_holes
from minilean.tactics.state import Tactics

_SWITCHES = {"arith": "arith", "decide": "decide", "contextual": "contextual", "zetaDelta": "zeta_delta"}
_NO_MATTER = frozenset(
    ["maxSteps", "memoize", "implicitDefEqProofs"]
)  # these change only how a proof is found or written
_DEPRECATED = {
    "simp_arith": ("simp", " +decide"),
    "simp_arith!": ("simp!", " +decide"),
    "simp_all_arith": ("simp_all", " +decide"),
    "simp_all_arith!": ("simp_all!", " +decide"),
}


def make_rules(t: Tactics, stx: ast.Simp) -> tuple[RuleSet, list[MetaError]]:
    """Return the rules of `simp (only) [args]`, and the errors of the arguments that are refused."""
    m = t.m
    rules = RuleSet(options=options_of(stx))
    if stx.only:
        named = (arg.term.name for arg in stx.args if isinstance(arg.term, ast.Ident) and not arg.erase)
        rules.procedures = frozenset(named) & ALL_PROCEDURES
        for name in ("eq_self", "iff_self"):
            decl = m.env.find(name)
            if decl is not None:
                rules.add(constant_rules(m, decl))
    else:
        rules.base = default_rules(m.env, m)
    if rules.options.arith:
        rules.erased.add("Int.neg_mul")  # the normal form has `-1 * x`
    if rules.options.zeta_delta:
        rules.values |= {decl.fvar.id for decl in m.lctx if decl.value is not None}
    refused: list[MetaError] = []
    erase_locals = stx.name.startswith("simp_all")
    for arg in stx.args:
        erase_locals = erase_locals or arg.term is None
        try:
            _add_argument(t, arg, rules, erase_locals)
        except (UnsupportedError, BudgetError):
            raise
        except MetaError as error:
            error.locate(arg.start, arg.end)
            refused.append(error)
    return rules, refused


def _add_argument(t: Tactics, arg: ast.SimpArg, rules: RuleSet, erase_locals: bool) -> None:
    m = t.m
    if arg.term is None:
        for local in m.lctx:
            if not local.hidden and is_prop(m, m.instantiate_mvars(local.type)):
                rules.add(rules_of(m, f"_hyp{local.fvar.id}", local.fvar, ()))
    elif arg.erase:
        name = arg.term.name if isinstance(arg.term, ast.Ident) else ""
        hypothesis = m.lctx.by_name(name) if erase_locals else None
        if hypothesis is not None:
            rules.erased.add(f"_hyp{hypothesis.fvar.id}")
            return
        full = resolve_exact(m.env, t.scope, name)
        if full is None:
            raise unknown(m.env, t.scope, name, f"Unknown constant `{name}`")
        rules.erased.add(full)
    elif not (isinstance(arg.term, ast.Ident) and arg.term.name in ALL_PROCEDURES):
        rules.add(_argument_rules(t, arg, rules))


def _argument_rules(t: Tactics, arg: ast.SimpArg, rules: RuleSet) -> list[Rule]:
    m = t.m
    if isinstance(arg.term, ast.Ident) and m.lctx.by_name(arg.term.name) is None:
        full = resolve_exact(m.env, t.scope, arg.term.name)
        decl = m.env.find(full) if full is not None else None
        if decl is not None and is_prop(m, decl.type):
            return constant_rules(m, decl, arg.symm)
        if decl is not None and arg.symm:
            raise MetaError(
                f"Invalid `←` modifier: `{decl.name}` is a declaration name to be unfolded\n\n"
                'Hint: The simplifier cannot "refold" definitions by name. Use `rw` for this instead,\n'
                f"{' ' * 22}or use the `←` simp modifier with an equational lemma for `{decl.name}`."
            )
        if isinstance(decl, Definition) and not decl.is_opaque:
            return unfolding_rules(m, decl, rules)
        if decl is not None:
            return []
    el = t.elab()
    assert arg.term is not None
    e = el.elab(arg.term, None)
    el.synthesize()
    e = m.instantiate_mvars(e)
    if not is_proof(m, e):
        if type(e) is not FVar:
            raise MetaError(
                f"Invalid simp theorem: Expected a proposition, but found\n  {t.show(t.infer(e))}"
            )
        if m.local(e).value is None:
            raise MetaError(
                f"Invalid argument: Variable `{t.show(e)}` is not a proposition or let-declaration"
            )
        rules.values.add(e.id)
        return []
    levels, e = abstract_holes(m, e)
    name = f"_hyp{e.id}" if type(e) is FVar else "_term"
    return rules_of(m, name, e, levels, arg.symm)


def options_of(stx: ast.Simp) -> Options:
    """Return the options of a call.

    Raises:
        UnsupportedError: An option that may change the result is unknown.
    """
    options = Options(definitional=stx.name.startswith("dsimp"), contextual=stx.name.startswith("simp_all"))
    for text in stx.config:
        for name, value in _settings(text):
            if name in _SWITCHES:
                options = replace(options, **{_SWITCHES[name]: value})
            elif name == "failIfUnchanged":
                options = replace(options, fail_if_unchanged=value)
            elif name not in _NO_MATTER:
                raise UnsupportedError(f"the option `{name}` of `{stx.name}`")
    return options


def _settings(text: str) -> list[tuple[str, bool]]:
    """Return the settings in `+name`, `-name` or `(config := { name := true, .. })`."""
    if text[0] in "+-":
        return [(text[1:], text[0] == "+")]
    inner = text.strip("()").partition(":=")
    if inner[0].strip() != "config":
        return [(inner[0].strip(), True)]
    fields = [part.partition(":=") for part in inner[2].strip().strip("{}").split(",")]
    return [(name.strip(), value.strip() == "true") for name, _, value in fields]


@runs(ast.Simp)
def tac_simp(t: Tactics, stx: ast.Simp) -> None:
    """`simp`, `simp only [..]`, `simp [..] at ..`, `dsimp`, `simpa using e`; `?` reports the rules used."""
    name = stx.name.rstrip("?")
    if name in _DEPRECATED:
        new, extra = _DEPRECATED[name]
        raise MetaError(
            f"`{name}` has been deprecated. It was a shorthand for `{new} +arith{extra}`, but most of the time, "
            "`+decide` was redundant since simprocs have been implemented."
        )
    if name.endswith("!"):
        raise UnsupportedError(f"the tactic `{name}`")
    rules, refused = make_rules(t, stx)
    if refused:
        # Lean goes on without these arguments, and tells what becomes of that as well
        failed = t.attempt(lambda: _simplify(t, stx, name, rules))
        raise together(refused if failed is None else [*refused, failed])
    _simplify(t, stx, name, rules)
    if stx.name.endswith("?"):
        t.say(_suggestion(t, stx, name, rules), stx)


def _simplify(t: Tactics, stx: ast.Simp, name: str, rules: RuleSet) -> None:
    if name == "simp_all":
        simp_all(t, rules)
    elif name == "simpa":
        _simpa(t, stx, rules)
    else:
        _simp_at(t, stx.location, rules)


def _simp_at(t: Tactics, location: ast.Location | None, rules: RuleSet) -> None:
    if location is None:
        simp_goal(t, rules, [], True)
    elif location.wildcard:
        simp_goal(t, rules, free_propositions(t), True)
    else:
        simp_goal(t, rules, [t.hypothesis(name) for name in location.hyps], location.target)


def _suggestion(t: Tactics, stx: ast.Simp, name: str, rules: RuleSet) -> str:
    """Return the suggestion of a `simp only` with the same effect."""
    known = {f"_hyp{d.fvar.id}": d.name for d in t.m.lctx}
    used = [known.get(rule, rule) for rule in rules.used if rule != "_term"]
    listed = [rule for rule in used if rule not in ("eq_self", "iff_self")]
    text = " ".join([name, *stx.config, "only"]) + (f" [{', '.join(listed)}]" if listed else "")
    if stx.location is not None:
        text += f" {t.quote(stx.location)}"
    if stx.using is not None:
        text += f" using {t.quote(stx.using)}"
    return f"Try this:\n  [apply] {text}"


def _simpa(t: Tactics, stx: ast.Simp, rules: RuleSet) -> None:
    """`simpa using e`: simplify the goal and the type of `e`, which then have to be equal.

    Without `using`, the hypothesis `this` is simplified if there is one, and some hypothesis has to close the goal.
    """
    m = t.m
    rest = t.goals[1:]
    t.goals = [t.main]
    closed = simp_target(t, rules)
    if not closed:
        m.lctx = m.mvar_decl(t.main).lctx
        if stx.using is not None:
            _close_using(t, stx.using, rules)
        else:
            this = m.lctx.by_name("this")
            if this is not None:
                t.attempt(lambda: simp_goal(t, rules, [this], False))
            if t.goals:
                m.lctx = m.mvar_decl(t.main).lctx
                tac_assumption(t, ast.Simple("assumption"))
    elif stx.using is not None:
        t.term(stx.using)
    t.goals = [*t.goals, *rest]


def _close_using(t: Tactics, using: ast.Term, rules: RuleSet) -> None:
    """Close the simplified goal with `using`, whose type is simplified."""
    m = t.m
    e = t.term(using, None)
    assert_hypothesis(t, "h✝", t.infer(e), e)
    decl = m.lctx.by_name("h✝")
    assert decl is not None
    t.attempt(lambda: simp_goal(t, rules, [decl], False))
    if not t.goals:
        return
    m.lctx = m.mvar_decl(t.main).lctx
    last = m.lctx.by_name("h✝")
    with m.with_transparency(REDUCIBLE):
        fits = last is not None and m.attempt(lambda: is_def_eq(m, last.type, t.target))
    if last is None or not fits:
        raise MetaError(
            f"Type mismatch: After simplification, term\n  {t.show(e)}\n has type\n  "
            f"{t.show(TRUE if last is None else last.type)}\n"
            f"but is expected to have type\n  {t.show(t.target)}"
        )
    t.close(last.fvar)
