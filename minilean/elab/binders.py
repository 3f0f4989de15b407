"""Terms that bind variables: `fun`, `∀`, `∃`, `→`, `let`, `have`, `show`, `suffices`; also `if` and `by`.

Source: Lean 4 `src/Lean/Elab/Binders.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from minilean.elab.display import show
from minilean.elab.pending import PostponeError
from minilean.elab.term import Elab, elaborates
from minilean.kernel.expr import (
    DEFAULT,
    IMPLICIT,
    INST,
    PROP,
    STRICT,
    Expr,
    FVar,
    Pi,
    mk_app,
    mk_apps,
    mk_bvar,
    mk_const,
    mk_lam,
    mk_pi,
)
from minilean.kernel.instantiate import instantiate1
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.instances import class_of
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast

KINDS = {"default": DEFAULT, "implicit": IMPLICIT, "strict": STRICT, "inst": INST}


def flat(binders: Iterable[ast.Binder]) -> list[ast.Binder]:
    """Split binders into one per name: `(x y : T)` becomes `(x : T) (y : T)`; binders without a name stay."""
    out = []
    for binder in binders:
        if len(binder.names) <= 1 or binder.pattern is not None:
            out.append(binder)
        else:
            out.extend(replace(binder, names=(name,)) for name in binder.names)
    return out


def binder_name(binder: ast.Binder) -> str:
    """Return the name of a binder's variable; a generated name ends in a dagger."""
    name = binder.names[0] if binder.names and binder.pattern is None else "_"
    if name != "_":
        return name
    return "inst✝" if binder.kind == "inst" else "x✝"


def push_binders(el: Elab, binders: Iterable[ast.Binder]) -> list[FVar]:
    """Elaborate binders into the present local context (the caller restores it)."""
    m = el.m
    fvars = []
    for binder in flat(binders):
        if binder.pattern is not None:
            raise UnsupportedError("a pattern in this binder")
        type_ = m.new_type_mvar() if binder.type is None else el.elab_type(binder.type)
        el.synthesize(postpone=True)
        if binder.kind == "inst":
            _check_is_class(el, type_)
        fvars.append(m.push_local(binder_name(binder), type_, KINDS[binder.kind]))
        if binder.relation is not None:
            op, bound = binder.relation
            prop = el.elab(ast.BinOp(op, ast.Ident(binder.names[0]), bound), None)
            fvars.append(m.push_local("a✝", prop))
    return fvars


def _check_is_class(el: Elab, type_: Expr) -> None:
    """Refuse `[x : T]` where `T` is not a class."""
    m = el.m
    type_ = m.instantiate_mvars(type_)
    if el.scope.option("checkBinderAnnotations", "true") == "false" or class_of(m, type_) is not None:
        return
    raise MetaError(
        f"invalid binder annotation, type is not a class instance\n  {show(m, type_, 2)}\n\n"
        "Note: Use the command `set_option checkBinderAnnotations false` to disable the check"
    )


@elaborates(ast.Fun)
def elab_fun(el: Elab, stx: ast.Fun, expected: Expr | None) -> Expr:
    """`fun binders => body`; binder types come from the expected type where they are not written."""
    m = el.m
    binders = flat(stx.binders)
    old = m.lctx
    fvars: list[FVar] = []
    matched: list[tuple[FVar, ast.Term]] = []
    try:
        for i, binder in enumerate(binders):
            pi = None if expected is None else whnf(m, m.instantiate_mvars(expected))
            if type(pi) is not Pi:
                pi = None
            if i == 0 and pi is not None and pi.info in (IMPLICIT, INST) and binder.kind == "default":
                # `fun x` under an implicit binder: the implicit one is introduced first
                fvars.append(m.push_local(pi.name + "✝", pi.type, pi.info))
                expected = instantiate1(pi.body, fvars[-1])
                pi = whnf(m, m.instantiate_mvars(expected))
                pi = pi if type(pi) is Pi else None
            type_ = _fun_binder_type(el, binder, pi)
            fvar = m.push_local(binder_name(binder), type_, KINDS[binder.kind])
            fvars.append(fvar)
            expected = None if pi is None else instantiate1(pi.body, fvar)
            if binder.pattern is not None:
                matched.append((fvar, binder.pattern))
        body = el.elab(_matching(stx.body, matched), expected)
        if expected is not None:
            body = el.ensure_has_type(body, expected)
        return m.mk_lambda(fvars, body)
    finally:
        m.lctx = old


def _fun_binder_type(el: Elab, binder: ast.Binder, pi: Pi | None) -> Expr:
    m = el.m
    if binder.type is not None:
        type_ = el.elab_type(binder.type)
        el.synthesize(postpone=True)
        if pi is not None:
            is_def_eq(m, type_, pi.type)
        return type_
    return m.new_type_mvar() if pi is None else pi.type


def _matching(body: ast.Term, matched: list[tuple[FVar, ast.Term]]) -> ast.Term:
    """Expand `fun p q => body` to `match x with | p => match y with | q => body`.

    Source: Lean 4 `src/Lean/Elab/Binders.lean` (`expandFunBinders`) (4.34).
    """
    for fvar, pattern in reversed(matched):
        alternative = ast.MatchAlt((pattern,), body, start=pattern.start, end=body.end)
        body = ast.Match(((None, ast.Quoted(fvar)),), (alternative,), start=body.start, end=body.end)
    return body


@elaborates(ast.Forall)
def elab_forall(el: Elab, stx: ast.Forall, expected: Expr | None) -> Expr:
    """`∀ binders, body`."""
    m = el.m
    old = m.lctx
    try:
        fvars = push_binders(el, stx.binders)
        body = el.elab_type(stx.body)
        el.synthesize(postpone=True)
        return m.mk_pi(fvars, body)
    finally:
        m.lctx = old


@elaborates(ast.Arrow)
def elab_arrow(el: Elab, stx: ast.Arrow, expected: Expr | None) -> Expr:
    """`a → b`."""
    domain = el.elab_type(stx.domain)
    codomain = el.elab_type(stx.codomain)
    return mk_pi("a✝", domain, codomain)


@elaborates(ast.DepArrow)
def elab_dep_arrow(el: Elab, stx: ast.DepArrow, expected: Expr | None) -> Expr:
    """`(x : a) → b`."""
    m = el.m
    old = m.lctx
    try:
        fvars = push_binders(el, (stx.binder,))
        return m.mk_pi(fvars, el.elab_type(stx.codomain))
    finally:
        m.lctx = old


@elaborates(ast.Exists)
def elab_exists(el: Elab, stx: ast.Exists, expected: Expr | None) -> Expr:
    """`∃ binders, body`: nested `Exists fun x => ..`; `∃ x ∈ s, p` conjoins the condition."""
    m = el.m
    old = m.lctx
    try:
        bound: list[tuple[FVar, Expr | None]] = []
        for binder in flat(stx.binders):
            fvars = push_binders(el, (binder,))
            condition = m.local(fvars[1]).type if len(fvars) > 1 else None
            if condition is not None:
                # The condition is a conjunct, not a variable.
                m.lctx = m.lctx.without({fvars[1].id})
            bound.append((fvars[0], condition))
        body = el.ensure_has_type(el.elab(stx.body, PROP), PROP)
        # What stays open becomes a function of each variable, one after the other.
        el.synthesize(postpone=True)
        for fvar, condition in reversed(bound):
            if condition is not None:
                body = mk_apps(mk_const("And"), (condition, body))
            body = mk_exists(el, fvar, body)
        return body
    finally:
        m.lctx = old


def mk_exists(el: Elab, fvar: FVar, body: Expr) -> Expr:
    """`∃ fvar, body`."""
    m = el.m
    type_ = m.local(fvar).type
    level = sort_level(m, type_)
    return mk_apps(mk_const("Exists", (level,)), (type_, m.mk_lambda([fvar], body)))


@elaborates(ast.LetTerm)
def elab_let(el: Elab, stx: ast.LetTerm, expected: Expr | None) -> Expr:
    """`let x := v; b`, `let ⟨x, y⟩ := v; b`."""
    m = el.m
    if stx.pattern is not None:
        return _by_pattern(el, stx, expected)
    old = m.lctx
    try:
        type_, value = _binding_value(el, stx.binders, stx.type, stx.value)
        fvar = m.push_local(stx.name, type_, value=value)
        body = el.elab(stx.body, expected)
        if expected is not None:
            body = el.ensure_has_type(body, expected)
        return m.mk_lambda([fvar], body)
    finally:
        m.lctx = old


def _binding_value(
    el: Elab, binders: tuple[ast.Binder, ...], type_stx: ast.Term | None, value_stx: ast.Term
) -> tuple[Expr, Expr]:
    """Type and value of `name binders : type := value`, abstracted over the binders."""
    m = el.m
    old = m.lctx
    try:
        fvars = push_binders(el, binders)
        type_ = None if type_stx is None else el.elab_type(type_stx)
        if type_ is not None:
            el.synthesize(postpone=True)
            value = el.elab_ensuring(value_stx, type_)
        else:
            value = el.elab(value_stx, None)
            el.synthesize(postpone=True)
            type_ = m.instantiate_mvars(infer_type(m, value))
        return m.mk_pi(fvars, type_), m.mk_lambda(fvars, value)
    finally:
        m.lctx = old


@elaborates(ast.HaveTerm)
def elab_have(el: Elab, stx: ast.HaveTerm, expected: Expr | None) -> Expr:
    """`have h : t := v; b`, `suffices h : t from v; b`, `have ⟨x, y⟩ := v; b`."""
    m = el.m
    if stx.pattern is not None:
        return _by_pattern(el, stx, expected)
    if stx.is_suffices:
        return _suffices(el, stx, expected)
    old = m.lctx
    try:
        type_, value = _binding_value(el, stx.binders, stx.type, stx.value)
        fvar = m.push_local(stx.name or "this", type_)
        body = el.elab(stx.body, expected)
        if expected is not None:
            body = el.ensure_has_type(body, expected)
        body = m.mk_lambda([fvar], body)
        return mk_app(body, value)
    finally:
        m.lctx = old


def _suffices(el: Elab, stx: ast.HaveTerm, expected: Expr | None) -> Expr:
    """`suffices h : t from v; b`: `v` proves the goal from `h`, `b` proves `t`."""
    m = el.m
    goal = el.require_known(expected)
    assert stx.type is not None
    type_ = el.elab_type(stx.type)
    old = m.lctx
    try:
        fvar = m.push_local(stx.name or "this", type_)
        value = el.elab_ensuring(stx.value, goal)
        fn = m.mk_lambda([fvar], value)
    finally:
        m.lctx = old
    return mk_app(fn, el.elab_ensuring(stx.body, type_))


def _by_pattern(el: Elab, stx: ast.HaveTerm | ast.LetTerm, expected: Expr | None) -> Expr:
    """`let pattern : type := value; body` as `match (value : type) with | pattern => body`.

    Source: Lean 4 `src/Lean/Elab/Binders.lean` (`expandLetDecl`) (4.34).
    """
    assert stx.pattern is not None
    value = stx.value
    if stx.type is not None:
        value = ast.Ascription(value, stx.type, start=value.start, end=value.end)
    alternative = ast.MatchAlt((stx.pattern,), stx.body, start=stx.pattern.start, end=stx.body.end)
    return el.elab(ast.Match(((None, value),), (alternative,), start=stx.start, end=stx.end), expected)


def rcases_pattern(stx: ast.Term) -> ast.RPat:
    """A term pattern `⟨x, _⟩` as an `rcases` pattern."""
    if isinstance(stx, ast.Ident):
        return ast.RPat("name", stx.name)
    if isinstance(stx, ast.Hole):
        return ast.RPat("name", "_")
    if isinstance(stx, ast.AnonCtor):
        return ast.RPat("tuple", items=tuple(rcases_pattern(arg) for arg in stx.args))
    if isinstance(stx, ast.TupleStx):
        items = tuple(rcases_pattern(arg) for arg in stx.items)
        return ast.RPat("tuple", items=items)
    if isinstance(stx, ast.Paren):
        return rcases_pattern(stx.term)
    if isinstance(stx, ast.Ascription):
        return ast.RPat("typed", items=(rcases_pattern(stx.term),), type=stx.type)
    raise UnsupportedError("this pattern")


@elaborates(ast.ShowTerm)
def elab_show(el: Elab, stx: ast.ShowTerm, expected: Expr | None) -> Expr:
    """`show t from e`: `e` at type `t`, and the result keeps the type `t` as written."""
    type_ = el.elab_type(stx.type)
    el.synthesize(postpone=True)
    if expected is not None:
        is_def_eq(el.m, type_, expected)
    value = el.elab_ensuring(stx.value, type_)
    return mk_app(mk_lam("this", type_, mk_bvar(0)), value)


@elaborates(ast.If)
def elab_if(el: Elab, stx: ast.If, expected: Expr | None) -> Expr:
    """`if c then a else b`, `if h : c then a else b`."""
    m = el.m
    cond = el.ensure_type(el.elab(stx.cond, PROP))
    el.synthesize(postpone=True)
    instance = el.instance(mk_app(mk_const("Decidable"), cond))
    type_ = m.new_type_mvar() if expected is None else expected
    branches = []
    for prop, branch in ((cond, stx.then), (mk_app(mk_const("Not"), cond), stx.orelse)):
        old = m.lctx
        try:
            fvars = [] if stx.name is None else [m.push_local("h✝" if stx.name == "_" else stx.name, prop)]
            branches.append(m.mk_lambda(fvars, el.elab_ensuring(branch, type_)))
        finally:
            m.lctx = old
    level = sort_level(m, type_)
    return mk_apps(
        mk_const("ite" if stx.name is None else "dite", (level,)), (type_, cond, instance, *branches)
    )


@elaborates(ast.By)
def elab_by(el: Elab, stx: ast.By, expected: Expr | None) -> Expr:
    """`by tactics`: run at the very end, when its type is known."""
    if expected is None:
        raise PostponeError if el.may_postpone else MetaError("the type of this `by` block is not known")
    return el.tactic_block(stx, expected)
