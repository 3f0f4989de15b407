"""Arithmetic and relations, as Lean's `binop%`, `unop%`, `rightact%` and `binrel%` elaborate them.

The leaves of a tree of operators are elaborated first, without an expected type. The largest type among those of the
leaves and the expected one is the type of the whole tree; the leaves are coerced to it.

Source: Lean 4 `src/Lean/Elab/Extra.lean` (4.34).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from minilean.elab.argument_list import Arguments, Given
from minilean.elab.arguments import apply_args
from minilean.elab.coercions import coercion
from minilean.elab.term import Elab
from minilean.kernel.expr import PROP, Const, Expr, MVar, Pi, get_app_fn, mk_apps, mk_const
from minilean.meta.infer import infer_type
from minilean.meta.instances import synth_instance
from minilean.meta.metavars import Meta
from minilean.meta.unify import is_def_eq
from minilean.syntax import ast

ARITHMETIC = {
    "+": "HAdd.hAdd",
    "-": "HSub.hSub",
    "*": "HMul.hMul",
    "/": "HDiv.hDiv",
    "%": "HMod.hMod",
    "++": "HAppend.hAppend",
}
RELATIONS = {
    "=": "Eq",
    "≠": "Ne",
    "<": "LT.lt",
    "≤": "LE.le",
    ">": "GT.gt",
    "≥": "GE.ge",
    "==": "BEq.beq",
    "!=": "bne",
}


@dataclass(frozen=True, slots=True)
class Node:
    """An operator over trees.

    Attributes:
        name: The function.
        args: Its operands.
        exponent: The second operand of `^`, which has a type of its own.
    """

    name: str
    args: tuple[Tree, ...]
    exponent: Expr | None = None


Tree: TypeAlias = "Node | Expr"


def has_cdot(stx: ast.Term) -> bool:
    """Return whether `stx` has a `·` that belongs to the parentheses around it."""
    if isinstance(stx, ast.CDot):
        return True
    if isinstance(stx, ast.App):
        return has_cdot(stx.fn) or any(isinstance(a, ast.Term) and has_cdot(a) for a in stx.args)
    if isinstance(stx, ast.BinOp):
        return has_cdot(stx.left) or has_cdot(stx.right)
    if isinstance(stx, ast.UnOp):
        return has_cdot(stx.arg)
    if isinstance(stx, ast.Proj):
        return has_cdot(stx.term)
    if isinstance(stx, ast.ListLit):
        return any(has_cdot(item) for item in stx.items)
    return False


def elab_operators(el: Elab, stx: ast.BinOp | ast.UnOp, expected: Expr | None) -> Expr:
    """A tree of operators."""
    return _build(el, _tree(el, stx), expected)


def elab_relation(el: Elab, stx: ast.BinOp) -> Expr:
    """A relation: `a = b`, `a < b`, `a == b`, .."""
    m = el.m
    tree = Node(RELATIONS[stx.op], (_tree(el, stx.left), _tree(el, stx.right)))
    type_ = _largest(el, tree, None)
    if type_ is PROP and stx.op in ("==", "!="):
        type_ = mk_const("Bool")
    left, right = (_apply(el, side, type_) for side in tree.args)
    if type_ is None:
        right = el.ensure_has_type(right, infer_type(m, left))
    return apply_args(el, m.const(tree.name), Arguments([Given(value=left), Given(value=right)]), None)


def _tree(el: Elab, stx: ast.Term) -> Tree:
    """The operators of `stx` over its elaborated leaves."""
    inner = stx
    while isinstance(inner, ast.Paren) and not has_cdot(inner.term):
        inner = inner.term
    if isinstance(inner, ast.BinOp) and inner.op in ARITHMETIC:
        return Node(ARITHMETIC[inner.op], (_tree(el, inner.left), _tree(el, inner.right)))
    if isinstance(inner, ast.BinOp) and inner.op == "^":
        base = _tree(el, inner.left)
        return Node("HPow.hPow", (base,), el.elab(inner.right, None))
    if isinstance(inner, ast.UnOp) and inner.op == "-":
        return Node("Neg.neg", (_tree(el, inner.arg),))
    return el.elab(stx, None)


def _leaf_types(el: Elab, tree: Tree) -> list[Expr]:
    """The types of the leaves that are known, from left to right."""
    if isinstance(tree, Node):
        return [type_ for arg in tree.args for type_ in _leaf_types(el, arg)]
    type_ = el.m.instantiate_mvars(infer_type(el.m, tree))
    return [] if type(get_app_fn(type_)) is MVar else [type_]


def _largest(el: Elab, tree: Tree, expected: Expr | None) -> Expr | None:
    """The type to which every leaf can be coerced, `None` when none is known or two cannot be compared."""
    m = el.m
    largest = None if expected is None else m.instantiate_mvars(expected)
    if largest is not None and type(get_app_fn(largest)) is MVar:
        largest = None
    for type_ in _leaf_types(el, tree):
        if largest is None:
            largest = type_
        elif type_ is not largest and not _same(m, largest, type_) and not _coerces(m, type_, largest):
            if not _coerces(m, largest, type_):
                return None
            largest = type_
    return largest


def _same(m: Meta, a: Expr, b: Expr) -> bool:
    with m.new_mctx_depth():
        return m.attempt(lambda: is_def_eq(m, a, b))


def _coerces(m: Meta, type_: Expr, expected: Expr) -> bool:
    """Return whether an arbitrary value of `type_` has a coercion to `expected`."""
    if type(type_) is Const and type_.name == "Bool" and expected is PROP:
        return True
    old, mark = m.lctx, m.mctx.mark()
    try:
        x = m.push_local("x", type_)
        return coercion(m, x, type_, expected) is not None
    finally:
        m.lctx = old
        m.mctx.rollback(mark)


def _build(el: Elab, tree: Tree, expected: Expr | None) -> Expr:
    type_ = _largest(el, tree, expected)
    return _apply(el, tree, type_, expected if type_ is None else None)


def _apply(el: Elab, tree: Tree, type_: Expr | None, expected: Expr | None = None) -> Expr:
    """Build the term of a tree; its leaves are coerced to `type_` if that is known."""
    m = el.m
    if not isinstance(tree, Node):
        return tree if type_ is None else el.ensure_has_type(tree, type_)
    if type_ is not None and len(tree.args) == 2 and not _is_homogeneous(m, tree.name, type_):
        args = [_build(el, arg, None) for arg in tree.args]
    else:
        args = [_apply(el, arg, type_) for arg in tree.args]
    if tree.exponent is not None:
        args.append(tree.exponent)
    given = Arguments([Given(value=arg) for arg in args])
    return apply_args(el, m.const(tree.name), given, expected)


def _is_homogeneous(m: Meta, name: str, type_: Expr) -> bool:
    """Return whether the operator maps two values of the type to a value of the same type."""
    if type(type_) is Const and type_.name in ("Nat", "Int") and name != "HAppend.hAppend":
        return True
    sort = infer_type(m, type_)
    fn = m.const(name.rpartition(".")[0])
    binders = infer_type(m, fn)
    for _ in range(3):
        if type(binders) is not Pi or not m.attempt(lambda b=binders: is_def_eq(m, b.type, sort)):  # type: ignore[misc]
            return False
        binders = binders.body
    class_type = m.instantiate_mvars(mk_apps(fn, (type_, type_, type_)))
    with m.new_mctx_depth():
        return synth_instance(m, class_type) is not None
