"""Types of a structure's fields, instantiated with the values of the fields before them.

Source: Lean 4 `src/Lean/Elab/StructInst.lean`, `addStructFieldAux`, `reduceFieldProjs` (4.34).
"""

from __future__ import annotations

from minilean.kernel.declaration import Constructor
from minilean.kernel.expr import Const, Expr, FVar, get_app
from minilean.kernel.instantiate import beta_apply, instantiate1, replace
from minilean.meta.metavars import Meta


def over_field(m: Meta, body: Expr, value: Expr) -> Expr:
    """Put the value of a field into `body`; beta-reduce where the value is applied, reduce its projections.

    Args:
        m: The state whose environment lists the projections.
        body: The type of the fields that follow, with the field as its loose variable 0.
        value: The value of the field.
    """
    if not body.loose:
        return body
    value = m.instantiate_mvars(value)
    old = m.lctx
    self = m.push_local("self", body)  # only its identity matters: it stands in for the value
    m.lctx = old

    def at(e: Expr, _depth: int) -> Expr | None:
        if not e.has_fvar:
            return e
        fn, args = get_app(e)
        if fn is self:
            return beta_apply(value, [replace(a, at) for a in args])
        field = _projected(m, fn, args, self, value)
        if field is None:
            return None
        found, rest = field
        return beta_apply(found, [replace(a, at) for a in rest])

    return replace(instantiate1(body, self), at)


def _projected(
    m: Meta, fn: Expr, args: list[Expr], self: FVar, value: Expr
) -> tuple[Expr, list[Expr]] | None:
    """The field that a projection of `self` takes from its value, and the arguments that follow."""
    info = m.env.projections.get(fn.name) if type(fn) is Const else None
    if info is None or len(args) <= info.num_params:
        return None
    inner = args[info.num_params]
    head, inner_args = get_app(inner)
    if inner is self:
        made = value
    else:
        deeper = _projected(m, head, inner_args, self, value)
        if deeper is None or deeper[1]:
            return None
        made = deeper[0]
    ctor, fields = get_app(made)
    decl = m.env.find(ctor.name) if type(ctor) is Const else None
    if type(decl) is not Constructor or len(fields) != decl.num_params + decl.num_fields:
        return None
    return fields[decl.num_params + info.index], args[info.num_params + 1 :]
