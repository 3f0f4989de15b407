"""`ext`: equations reduced to those of parts, by extensionality lemmas.

Source: Lean 4 `src/Lean/Elab/Tactic/Ext.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.expr import PROP, Const, Expr, MVar, Pi, get_app, get_app_fn, is_app_of
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.whnf import whnf, whnf_core, whnf_reducible
from minilean.syntax import ast
from minilean.tactics.apply import apply_term
from minilean.tactics.intro import tac_intros
from minilean.tactics.rcases import rintro
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics

# Core Lean's `@[ext]` lemmas for these types mention what the library does not have: `xs[i]?`, bytes of a string.
_ELSEWHERE = frozenset(["String"])


@runs(ast.Ext)
def tac_ext(t: Tactics, stx: ast.Ext) -> None:
    """`ext pats : depth`: apply extensionality lemmas, at most `depth` of them one after the other."""
    rest = t.goals[1:]
    t.goals = [*_once(t, t.main, stx.patterns, stx.depth), *rest] if stx.depth else t.goals


def _once(t: Tactics, goal: MVar, patterns: Sequence[ast.RPat], depth: int) -> list[MVar]:
    """Apply one lemma, introduce the binders of its premises, and continue with each premise."""
    out: list[MVar] = []
    for premise in _apply_lemma(t, goal):
        out += _introduced(t, premise, patterns, depth - 1)
    return out


def _introduced(t: Tactics, goal: MVar, patterns: Sequence[ast.RPat], depth: int) -> list[MVar]:
    t.goals = [goal]
    t.m.lctx = t.m.mvar_decl(goal).lctx
    if not patterns:
        tac_intros(t, ast.NamesTactic("intros", ()))
        return _again(t, t.main, (), depth)
    if type(whnf(t.m, t.target)) is not Pi:
        return _again(t, goal, patterns, depth)
    out: list[MVar] = []
    for one in rintro(t, goal, patterns[:1]):
        out += _introduced(t, one, patterns[1:], depth)
    return out


def _again(t: Tactics, goal: MVar, patterns: Sequence[ast.RPat], depth: int) -> list[MVar]:
    """Continue with a goal if some lemma applies; otherwise the goal stays as it is."""
    if depth == 0:
        return [goal]
    found: list[MVar] = []
    error = t.attempt(lambda: found.extend(_once(t, goal, patterns, depth)))
    if isinstance(error, UnsupportedError):
        raise error
    return [goal] if error is not None else found


def _apply_lemma(t: Tactics, goal: MVar) -> list[MVar]:
    m = t.m
    t.goals = [goal]
    m.lctx = m.mvar_decl(goal).lctx
    target = whnf(m, t.target)
    if not is_app_of(target, "Eq", 3):
        raise MetaError(f"This extensionality tactic only applies to equalities, not\n  {t.show(target)}")
    alpha = get_app(target)[1][0]
    shape = whnf_core(m, whnf_reducible(m, alpha))
    for name in _lemmas(t, shape):
        found: list[MVar] = []

        def go(name: str = name, out: list[MVar] = found) -> None:
            out.extend(apply_term(t, m.const(name), set(m.mctx.decls)))

        if t.attempt(go) is None:
            return found
    if type(head := get_app_fn(shape)) is Const and head.name in _ELSEWHERE:
        raise UnsupportedError(f"`ext` for `{head.name}`")
    raise MetaError(
        f"No applicable extensionality theorem found for type\n  {t.show(alpha)}\n\n"
        "Note: Extensionality theorems can be registered by marking them with the `[ext]` attribute"
    )


def _lemmas(t: Tactics, alpha: Expr) -> list[str]:
    """Return the extensionality lemmas for equations between values of a type."""
    if type(alpha) is Pi:
        return ["funext"]
    if alpha is PROP:
        return ["propext"]
    fn = get_app_fn(alpha)
    entries = t.m.env.ext_lemmas.get(fn.name, ()) if type(fn) is Const else ()
    return [entry.name for entry in entries]
