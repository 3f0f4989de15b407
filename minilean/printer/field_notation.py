"""Field notation: the applications that are shown as `obj.f ..`.

Source: Lean 4 `src/Lean/PrettyPrinter/Delaborator/FieldNotation.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence

from minilean.kernel.declaration import Inductive
from minilean.kernel.expr import Const, Expr, Lit, MVar, get_app, get_app_fn, is_app_of
from minilean.printer.quick_types import Glance, Signature


def without_parents(glance: Glance, obj: Expr) -> Expr:
    """Reduce `x.toB.toA` to `x`: field notation finds fields of parents without them."""
    while True:
        fn, args = get_app(obj)
        signature = glance.signature(fn.name) if type(fn) is Const else None
        if signature is None or not signature.is_parent or len(args) != signature.field + 1:
            return obj
        obj = args[-1]


def takes_field(glance: Glance, fn: Const, args: Sequence[Expr], signature: Signature) -> bool:
    """Return whether an application is shown as `obj.f ..` with the argument at `signature.field` before the dot."""
    if not 0 <= signature.field < len(args):
        return False
    obj = args[signature.field]
    if type(get_app_fn(obj)) is MVar or type(obj) is Lit or is_app_of(obj, "OfNat.ofNat", 3):
        return False
    if signature.is_projection:
        # error messages also show `a.x` where `a` is not of that structure
        head = glance.type_head(obj)
        return head is None or head == fn.name.rpartition(".")[0] or not _is_type(glance, head)
    return not glance.is_proof(fn) and glance.type_head(obj) == fn.name.rpartition(".")[0]


def _is_type(glance: Glance, name: str) -> bool:
    return type(glance.ctx.find(name)) is Inductive
