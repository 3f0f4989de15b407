"""Notations of core Lean: operators, numerals, `▸`, holes, lists, tuples.

Source: Lean 4 `src/Lean/Elab/BuiltinNotation.lean`, `Calc.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import replace

from minilean.elab.argument_list import Arguments, Given
from minilean.elab.arguments import apply_args
from minilean.elab.display import show
from minilean.elab.holes import new_hole
from minilean.elab.instance_problems import apply_defaults
from minilean.elab.operators import ARITHMETIC, RELATIONS, elab_operators, elab_relation, has_cdot
from minilean.elab.pending import HoleInfo
from minilean.elab.term import Elab, elaborates
from minilean.kernel.expr import (
    PROP,
    Const,
    Expr,
    Pi,
    Sort,
    get_app,
    is_app_of,
    mk_app,
    mk_apps,
    mk_const,
    mk_lam,
    mk_lit,
)
from minilean.kernel.instantiate import abstract, head_beta, instantiate1
from minilean.kernel.level import Param
from minilean.meta.errors import MetaError, UnsupportedError
from minilean.meta.infer import infer_type, sort_level
from minilean.meta.instances import local_instances
from minilean.meta.kabstract import kabstract
from minilean.meta.metavars import Meta
from minilean.meta.numerals import mk_numeral
from minilean.meta.occurrences import has_expr_mvar
from minilean.meta.unify import is_def_eq
from minilean.meta.whnf import whnf
from minilean.syntax import ast
from minilean.syntax.text_literals import mk_char, mk_string

PLAIN = {
    "∣": "Dvd.dvd",
    "≍": "HEq",
    "≈": "HasEquiv.Equiv",
    "::": "List.cons",
    "×": "Prod",
    "∘": "Function.comp",
    "&&": "Bool.and",
    "||": "Bool.or",
    "⊕": "Sum",
    "⊕'": "PSum",
    "×'": "PProd",
    "∪": "Union.union",
    "∩": "Inter.inter",
    "⊆": "HasSubset.Subset",
    "<$>": "Functor.map",
    "<&>": "Functor.mapRev",
    ">>=": "Bind.bind",
    "=<<": "Bind.bindLeft",
    ">=>": "Bind.kleisliRight",
}

DELAYED = {"<*>": "Seq.seq", "<*": "SeqLeft.seqLeft", "*>": "SeqRight.seqRight", "<|>": "HOrElse.hOrElse"}
"""Operators whose right operand is passed as a function of `Unit`."""

CONNECTIVES = {"∧": "And", "∨": "Or", "↔": "Iff"}


@elaborates(ast.BinOp)
def elab_binop(el: Elab, stx: ast.BinOp, expected: Expr | None) -> Expr:
    """Any infix operator."""
    op = stx.op
    if op in CONNECTIVES:
        return el.elab_operand(el.elab_operand(mk_const(CONNECTIVES[op]), stx.left), stx.right)
    if op in ARITHMETIC or op == "^":
        return elab_operators(el, stx, expected)
    if op in RELATIONS:
        return elab_relation(el, stx)
    if op in PLAIN:
        given = Arguments([Given(stx=stx.left), Given(stx=stx.right)])
        return apply_args(el, el.m.const(PLAIN[op]), given, expected)
    if op in DELAYED:
        late = ast.Fun((ast.Binder(("_",), ast.Ident("_root_.Unit")),), stx.right)
        given = Arguments([Given(stx=stx.left), Given(stx=late)])
        return apply_args(el, el.m.const(DELAYED[op]), given, expected)
    if op == "∈" or op == "∉":
        given = Arguments([Given(stx=stx.right), Given(stx=stx.left)])
        e = apply_args(el, el.m.const("Membership.mem"), given, PROP)
        return mk_app(mk_const("Not"), e) if op == "∉" else e
    if op == "<|":
        fn, args = (stx.left.fn, stx.left.args) if isinstance(stx.left, ast.App) else (stx.left, ())
        return el.elab(ast.App(fn, (*args, stx.right), start=stx.start, end=stx.end), expected)
    if op == "|>":
        return el.elab(ast.App(stx.right, (stx.left,), start=stx.start, end=stx.end), expected)
    if op == "▸":
        return _elab_subst(el, stx, expected)
    raise UnsupportedError(f"the operator `{op}`")


def _elab_up(el: Elab, stx: ast.UnOp, expected: Expr | None) -> Expr:
    """`↑e`: a coercion to the expected type; it waits until both types are known."""
    m = el.m
    el.require_known(expected)
    if expected is None:
        raise MetaError("invalid coercion notation, expected type is not known")
    e = el.elab(stx.arg, None)
    el.synthesize(postpone=True)
    type_, expected = m.instantiate_mvars(infer_type(m, e)), m.instantiate_mvars(expected)
    if is_def_eq(m, type_, expected):
        return e
    if has_expr_mvar(type_) or has_expr_mvar(expected):
        el.postpone_or_fail()
        # nothing else determines the types: the numerals of `e` get their default type
        while apply_defaults(m, el.pending):
            el.synthesize(postpone=True)
    return el.ensure_has_type(e, expected)


@elaborates(ast.UnOp)
def elab_unop(el: Elab, stx: ast.UnOp, expected: Expr | None) -> Expr:
    """`¬p`, `-x`, `!b`."""
    if stx.op == "¬":
        return el.elab_operand(mk_const("Not"), stx.arg)
    if stx.op == "↑":
        return _elab_up(el, stx, expected)
    if stx.op == "-":
        return elab_operators(el, stx, expected)
    if stx.op != "!":
        raise UnsupportedError(f"the operator `{stx.op}`")
    return apply_args(el, el.m.const("Bool.not"), Arguments([Given(stx=stx.arg)]), expected)


@elaborates(ast.Num)
def elab_num(el: Elab, stx: ast.Num, expected: Expr | None) -> Expr:
    """A numeral at the expected type, `Nat` by default."""
    m = el.m
    type_ = None if expected is None else m.instantiate_mvars(expected)
    if type(type_) is Const and type_.name == "Nat" and not _nat_numerals_are_redefined(m):
        return mk_numeral(stx.value)
    if type_ is None:
        type_ = m.new_type_mvar()
    fn = m.const("OfNat.ofNat")
    # OfNat.ofNat : {α : Type u} → (n : Nat) → [OfNat α n] → α; the sort fixes the universe.
    sort = m.instantiate_mvars(infer_type(m, type_))
    polymorphic = type(sort) is Sort and type(sort.level) is Param
    if polymorphic or not is_def_eq(m, infer_type(m, fn).type, sort):  # type: ignore[attr-defined]
        raise _no_data(m, stx, type_)
    lit = mk_lit(stx.value)
    class_type = mk_apps(mk_const("OfNat", fn.levels), (type_, lit))  # type: ignore[attr-defined]
    return mk_apps(fn, (type_, lit, el.instance(class_type)))


def _no_data(m: Meta, stx: ast.Num, type_: Expr) -> MetaError:
    """The error for a numeral where the expected type is, or may be, a proposition."""
    sort = m.instantiate_mvars(infer_type(m, type_))
    kind = "a proposition" if sort is PROP else "universe polymorphic and may be a proposition"
    error = MetaError(
        f"numerals are data in Lean, but the expected type is {kind}\n  {show(m, type_)} : {show(m, sort)}"
    )
    if stx.end:
        error.position, error.end = stx.start, stx.end
    return error


# characters of a string literal, whose term is as long as the text
_MAX_TEXT = 1_000
# name of the module in the text of `panic!`; a file of its own belongs to none
_MODULE = "[anonymous]"


@elaborates(ast.Char)
def elab_char(el: Elab, stx: ast.Char, expected: Expr | None) -> Expr:
    """A character literal."""
    return mk_char(stx.value)


@elaborates(ast.Str)
def elab_string(el: Elab, stx: ast.Str, expected: Expr | None) -> Expr:
    """A string literal."""
    if len(stx.value) > _MAX_TEXT:
        raise UnsupportedError(
            f"a string literal of {len(stx.value)} characters, at most {_MAX_TEXT} are handled"
        )
    return mk_string(stx.value)


@elaborates(ast.RawNat)
def elab_raw_nat(el: Elab, stx: ast.RawNat, expected: Expr | None) -> Expr:
    """`nat_lit n`."""
    return mk_lit(stx.value)


@elaborates(ast.Panic)
def elab_panic(el: Elab, stx: ast.Panic, expected: Expr | None) -> Expr:
    """`panic! message`: the default value of the type, under a name that says where it stands.

    Source: Lean 4 `src/Lean/Elab/BuiltinNotation.lean`, `elabPanic` (4.35).
    """
    before = el.source[: stx.start]
    column = stx.start - 1 - before.rfind("\n")
    own = el.m.auxiliary_prefix
    texts = [_MODULE] if own is None else [_MODULE, own]
    place: list[ast.Term] = [ast.Str(text, start=stx.start, end=stx.end) for text in texts]
    place += [ast.Num(n, start=stx.start, end=stx.end) for n in (before.count("\n") + 1, column)]
    function = ast.Ident(
        "panicWithPos" if own is None else "panicWithPosWithDecl", start=stx.start, end=stx.end
    )
    return el.elab(ast.App(function, (*place, stx.message), start=stx.start, end=stx.end), expected)


# The last two apply to `Nat` if it has an instance of `Zero` or `One`; `instOfNatNat` comes before them.
_GENERAL_NUMERALS = frozenset(["instOfNatNat", "Zero.toOfNat0", "One.toOfNat1"])


def _nat_numerals_are_redefined(m: Meta) -> bool:
    """Return whether an instance other than `instOfNatNat` may give the meaning of a numeral of type `Nat`."""
    kinds = [d.type for d in local_instances(m)]
    for entry in m.env.instances.get("OfNat", ()):
        declaration = m.env.find(entry.name)
        if entry.name not in _GENERAL_NUMERALS and declaration is not None:
            kinds.append(declaration.type)
    for kind in kinds:
        while type(kind) is Pi:
            kind = kind.body
        fn, args = get_app(kind)
        if (
            type(fn) is Const
            and fn.name == "OfNat"
            and not (type(args[0]) is Const and args[0].name != "Nat")
        ):
            return True
    return False


def _elab_subst(el: Elab, stx: ast.BinOp, expected: Expr | None) -> Expr:
    """`h ▸ e`: rewrite the expected type with `h` (either way round), else the type of `e`."""
    m = el.m
    el.require_known(expected)
    assert expected is not None
    goal = m.instantiate_mvars(expected)  # as written, not reduced
    proof = el.elab(stx.left, None)
    el.synthesize(postpone=True)
    equality = whnf(m, m.instantiate_mvars(infer_type(m, proof)))
    if is_app_of(equality, "Iff", 2):
        _, (a, b) = get_app(equality)
        proof = mk_apps(mk_const("propext"), (a, b, proof))
        equality = m.instantiate_mvars(infer_type(m, proof))
    if not is_app_of(equality, "Eq", 3):
        raise MetaError(f"invalid `▸` notation, argument\n  {show(m, proof, 2)}\nmust have equality type")
    symmetric = _symm(m, proof, equality)
    for eq_proof, eq_type in ((proof, equality), (symmetric, infer_type(m, symmetric))):
        # eq : a = b; the goal mentions b, e proves the goal with a in its place
        _, (alpha, a, b) = get_app(m.instantiate_mvars(eq_type))
        body = kabstract(m, goal, b)
        if body is None:
            continue
        motive = mk_lam("x", alpha, body)
        mark = m.mctx.mark()
        try:
            value = el.elab_ensuring(stx.right, instantiate1(body, a))
        except MetaError:
            m.mctx.rollback(mark)
            continue
        return _mk_subst(m, eq_proof, [alpha, a, b], motive, goal, value)
    value = el.elab(stx.right, None)
    el.synthesize(postpone=True)
    value_type = m.instantiate_mvars(infer_type(m, value))
    for eq_proof, eq_type in ((proof, equality), (symmetric, infer_type(m, symmetric))):
        _, (alpha, a, b) = get_app(m.instantiate_mvars(eq_type))
        body = kabstract(m, value_type, a)
        if body is not None:
            motive = mk_lam("x", alpha, body)
            return _mk_subst(m, eq_proof, [alpha, a, b], motive, instantiate1(body, b), value)
    raise MetaError("invalid `▸` notation, failed to compute motive for the substitution")


def _symm(m: Meta, proof: Expr, equality: Expr) -> Expr:
    fn, (alpha, a, b) = get_app(equality)
    return mk_apps(mk_const("Eq.symm", fn.levels), (alpha, a, b, proof))  # type: ignore[attr-defined]


def _mk_subst(m: Meta, proof: Expr, equation: list[Expr], motive: Expr, goal: Expr, value: Expr) -> Expr:
    """`Eq.rec` at `motive`: from `value : motive a` a term of type `motive b`; `equation` is `α`, `a` and `b`."""
    alpha, a, b = equation
    level = sort_level(m, goal)
    eq_level = sort_level(m, alpha)
    # Eq.rec {α} {a} {motive : (b : α) → a = b → Sort u} (refl : motive a rfl) {b} (t : a = b) : motive b t
    eq_type = mk_apps(mk_const("Eq", (eq_level,)), (alpha, a))
    fvar = m.push_local("x", alpha)
    dependent = mk_lam(
        "x", alpha, abstract(mk_lam("h", mk_app(eq_type, fvar), head_beta(mk_app(motive, fvar))), [fvar])
    )
    m.lctx = m.lctx.without({fvar.id})
    return mk_apps(mk_const("Eq.rec", (level, eq_level)), (alpha, a, dependent, value, b, proof))


@elaborates(ast.Paren)
def elab_paren(el: Elab, stx: ast.Paren, expected: Expr | None) -> Expr:
    """`(e)`, and `(· + 1)` as `fun x => x + 1`."""
    if not has_cdot(stx.term):
        return el.elab(stx.term, expected)
    names: list[str] = []
    body = _replace_cdots(stx.term, names)
    if len(names) == 1:
        names = []
        body = _replace_cdots(stx.term, names, "x✝")
    binders = tuple(ast.Binder((name,), None) for name in names)
    return el.elab(ast.Fun(binders, body, start=stx.start, end=stx.end), expected)


@elaborates(ast.CDot)
def elab_cdot(el: Elab, stx: ast.CDot, expected: Expr | None) -> Expr:
    """`·` outside of parentheses."""
    raise MetaError(
        "invalid occurrence of `·` notation, it must be surrounded by parentheses (e.g. `(· + 1)`)"
    )


def _replace_cdots(stx: ast.Term, names: list[str], only: str = "") -> ast.Term:
    """Replace each `·` by a variable named `only`, or `x1✝`, `x2✝`, ..; source text cannot write these names."""
    if isinstance(stx, ast.CDot):
        names.append(only or f"x{len(names) + 1}✝")
        return ast.Ident(names[-1], start=stx.start, end=stx.end)
    if isinstance(stx, ast.App):
        fn = _replace_cdots(stx.fn, names, only)
        return replace(
            stx,
            fn=fn,
            args=tuple(_replace_cdots(a, names, only) if isinstance(a, ast.Term) else a for a in stx.args),
        )
    if isinstance(stx, ast.BinOp):
        left = _replace_cdots(stx.left, names, only)
        return replace(stx, left=left, right=_replace_cdots(stx.right, names, only))
    if isinstance(stx, ast.UnOp):
        return replace(stx, arg=_replace_cdots(stx.arg, names, only))
    if isinstance(stx, ast.Proj):
        return replace(stx, term=_replace_cdots(stx.term, names, only))
    if isinstance(stx, ast.TupleStx | ast.ListLit):
        return replace(stx, items=tuple(_replace_cdots(item, names, only) for item in stx.items))
    return stx


@elaborates(ast.Ascription)
def elab_ascription(el: Elab, stx: ast.Ascription, expected: Expr | None) -> Expr:
    """`(e : t)`."""
    type_ = el.elab_type(stx.type)
    el.synthesize(postpone=True)
    return el.elab_ensuring(stx.term, type_)


@elaborates(ast.Hole)
def elab_hole(el: Elab, stx: ast.Hole, expected: Expr | None) -> Expr:
    """`_`."""
    mvar = el.m.new_mvar(el.m.new_type_mvar() if expected is None else expected)
    el.hole_infos[mvar.id] = HoleInfo(mvar)
    return mvar


@elaborates(ast.NamedHole)
def elab_named_hole(el: Elab, stx: ast.NamedHole, expected: Expr | None) -> Expr:
    """`?_`, `?x`."""
    return new_hole(el, stx.name, expected)


@elaborates(ast.SortStx)
def elab_sort(el: Elab, stx: ast.SortStx, expected: Expr | None) -> Expr:
    """`Prop`, `Type u`, ..."""
    return el.sort(stx)


@elaborates(ast.ListLit)
def elab_list(el: Elab, stx: ast.ListLit, expected: Expr | None) -> Expr:
    """`[a, b]`."""
    out: ast.Term = ast.Ident("List.nil")
    for item in reversed(stx.items):
        out = ast.App(ast.Ident("List.cons"), (item, out), start=item.start, end=stx.end)
    return el.elab(out, expected)


@elaborates(ast.TupleStx)
def elab_tuple(el: Elab, stx: ast.TupleStx, expected: Expr | None) -> Expr:
    """`(a, b, c)`, `()`."""
    if not stx.items:
        return el.elab(ast.Ident("Unit.unit"), expected)
    out = stx.items[-1]
    for item in reversed(stx.items[:-1]):
        out = ast.App(ast.Ident("Prod.mk"), (item, out), start=item.start, end=stx.end)
    return el.elab(out, expected)
