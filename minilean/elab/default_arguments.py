"""Arguments that a caller may leave out: `(x : A := v)` has type `optParam A v`, `(h : p := by t)` `autoParam p t`.

Only the types of declarations are marked so; their bodies see the plain types. The tactics of an `autoParam` are kept
under the name of a constant, which stands for their syntax.

Source: Lean 4 `src/Lean/Elab/Binders.lean` (`expandBinderModifier`), `App.lean` (`processExplicitArg`) (4.34).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from minilean.elab.binders import flat
from minilean.elab.term import Elab
from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import App, Const, Expr, FVar, Pi, mk_app, mk_apps, mk_const
from minilean.meta.extension import LeanEnv
from minilean.meta.infer import sort_level
from minilean.meta.metavars import Meta
from minilean.syntax import ast

_SYNTAX = mk_const("Lean.Syntax")
_MISSING = mk_const("Lean.Syntax.missing")


@dataclass(frozen=True, slots=True)
class AutoTactic:
    """Tactic block that proves an argument when it is left out, with its source text, which says it all."""

    block: ast.TacSeq = field(compare=False)
    text: str


def elab_defaults(
    el: Elab, binders: Sequence[ast.Binder], fvars: Sequence[FVar]
) -> dict[FVar, Expr | ast.By]:
    """Elaborate the defaults of a header's binders, values or tactics; a value may mention earlier parameters."""
    m = el.m
    found: dict[FVar, Expr | ast.By] = {}
    inside = m.lctx
    for i, (binder, x) in enumerate(zip(flat(binders), fvars, strict=True)):
        if isinstance(binder.default, ast.By):
            found[x] = binder.default
        elif binder.default is not None:
            type_ = inside.get(x).type
            m.lctx = inside.without({y.id for y in fvars[i:]})
            try:
                marker = mk_app(mk_const("optParam", (sort_level(m, type_),)), type_)
                found[x] = el.ensure_has_type(el.elab(binder.default, type_), type_, marker)
                el.synthesize(postpone=True)
            finally:
                m.lctx = inside
    return found


def values_of(defaults: Mapping[FVar, Expr | ast.By]) -> list[Expr]:
    """The terms among defaults."""
    return [value for value in defaults.values() if not isinstance(value, ast.By)]


def marked_type(
    m: Meta,
    fvars: Sequence[FVar],
    type_: Expr,
    defaults: Mapping[FVar, Expr | ast.By],
    full: str,
    source: str,
) -> Expr:
    """`∀ fvars, type_` with the types of those that have a default marked.

    Args:
        m: In the context of the variables.
        fvars: The bound variables.
        type_: The type after the binders.
        defaults: The result of `elab_defaults`.
        full: The full name of the declaration; the constants for tactics are named after it.
        source: The text that the tactics are part of.
    """
    env, old = m.env, m.lctx
    count = 0
    decls = list(old)
    for i, decl in enumerate(decls):
        default = defaults.get(decl.fvar)
        if default is None or decl.fvar not in fvars:
            continue
        if isinstance(default, ast.By):
            count += 1
            mark, default = "autoParam", _tactic_constant(env, f"{full}._auto_{count}", default, source)
        else:
            mark = "optParam"
        marked = mk_apps(mk_const(mark, (sort_level(m, decl.type),)), (decl.type, default))
        decls[i] = replace(decl, type=marked)
    with m.with_lctx(old.replace_all(decls)):
        return m.mk_pi(fvars, type_)


def _tactic_constant(env: LeanEnv, name: str, stx: ast.By, source: str) -> Expr:
    if env.find(name) is None:
        env.kernel.add_definition(name, (), _SYNTAX, _MISSING)
        env.auto_tactics[name] = AutoTactic(stx.tactics, " ".join(source[stx.start : stx.end].split()))
    return mk_const(name)


def plain_type(e: Expr) -> Expr:
    """Return the type of a parameter without its `optParam` or `autoParam` mark."""
    while _marking(e) is not None:
        e = e.fn.arg  # type: ignore[attr-defined]
    return e


def _marking(e: Expr) -> str | None:
    if type(e) is App and type(e.fn) is App and type(e.fn.fn) is Const:
        name = e.fn.fn.name
        return name if name in ("optParam", "autoParam") else None
    return None


def default_of(env: LeanEnv, type_: Expr) -> Expr | AutoTactic | None:
    """Return the default of a parameter of this type: a value or tactics; `None` if the argument is required."""
    kind = _marking(type_)
    if kind is None:
        return None
    argument: Expr = type_.arg  # type: ignore[attr-defined]
    if kind == "optParam":
        return argument
    tactic = env.auto_tactics.get(argument.name) if type(argument) is Const else None
    return tactic if isinstance(tactic, AutoTactic) else None


def fields_with_defaults(env: LeanEnv, fn: Expr, type_: Expr) -> bool:
    """Return whether a constructor still takes a field that has a default.

    Defaults of fields are not in the constructor's type here; in Lean they are.
    """
    decl = env.find(fn.name) if type(fn) is Const else None
    if not isinstance(decl, Constructor):
        return False
    while type(type_) is Pi:
        if f"{decl.inductive}.{type_.name}" in env.field_defaults:
            return True
        type_ = type_.body
    return False


def may_omit(type_: Expr) -> bool:
    """Return whether some parameter of a function of this type has a default."""
    while type(type_) is Pi:
        if _marking(type_.type) is not None:
            return True
        type_ = type_.body
    return False
