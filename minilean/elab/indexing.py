"""Indexing of collections, `xs[i]`, `xs[i]?`, `xs[i]!`, `xs[i]'h`, by instances of `GetElem` and `GetElem?`.

Source: Lean 4 `src/Init/GetElem.lean`; `resultIsOutParamSupport` in `src/Lean/Elab/App.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.argument_list import Arguments, Given
from minilean.elab.arguments import apply_args
from minilean.elab.instance_problems import apply_defaults
from minilean.elab.term import Elab, elaborates
from minilean.kernel.expr import Expr, MVar, Pi, get_app_fn, mk_app
from minilean.meta.infer import infer_type
from minilean.meta.metavars import Meta
from minilean.syntax import ast

_FUNCTIONS = {
    "": "GetElem.getElem",
    "'": "GetElem.getElem",
    "?": "GetElem?.getElem?",
    "!": "GetElem?.getElem!",
}


@elaborates(ast.Indexed)
def elab_indexed(el: Elab, stx: ast.Indexed, expected: Expr | None) -> Expr:
    """`xs[i]`: where no proof that the index is valid is given, `get_elem_tactic` has to find one."""
    m = el.m
    given = [Given(stx=stx.collection), Given(stx=stx.index)]
    if not stx.mark:
        tactic = ast.Simple("get_elem_tactic", start=stx.start, end=stx.end)
        block = ast.TacSeq((tactic,), start=stx.start, end=stx.end)
        given.append(Given(stx=ast.By(block, start=stx.start, end=stx.end)))
    if stx.mark == "?":
        return apply_args(el, m.const(_FUNCTIONS["?"]), Arguments(given), expected)
    # the instance decides the type of the elements, the expected type does not
    value = apply_args(el, m.const(_FUNCTIONS[stx.mark]), Arguments(given), None)
    while _is_undetermined(m, value):
        el.synthesize(postpone=True)
        if _is_undetermined(m, value) and not apply_defaults(m, el.pending):
            break
    if stx.proof is None:
        return value
    validity = m.instantiate_mvars(infer_type(m, value))
    assert type(validity) is Pi
    return mk_app(value, el.elab_ensuring(stx.proof, validity.type))


def _is_undetermined(m: Meta, value: Expr) -> bool:
    """Return whether the type of `xs[i]`, or the validity that it requires, still waits for the instance."""
    type_ = m.instantiate_mvars(infer_type(m, value))
    return type(get_app_fn(type_.type if type(type_) is Pi else type_)) is MVar
