"""`xs[i]`, `xs[i]?`, `xs[i]!`, `xs[i]'h`: elements of a collection, by its instance of `GetElem` or `GetElem?`.

Source: Lean 4 `src/Init/GetElem.lean`; `resultIsOutParamSupport` in `src/Lean/Elab/App.lean` (4.34).
"""

from __future__ import annotations

from minilean.elab.arguments import Arguments, Given, apply_args
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
    """`xs[i]`: where no proof that `i` is a place is given, `get_elem_tactic` has to find one."""
    m = el.m
    given = [Given(stx=stx.collection), Given(stx=stx.index)]
    if not stx.mark:
        tactic = ast.Simple("get_elem_tactic", start=stx.start, end=stx.end)
        block = ast.TacSeq((tactic,), start=stx.start, end=stx.end)
        given.append(Given(stx=ast.By(block, start=stx.start, end=stx.end)))
    if stx.mark == "?":
        return apply_args(el, m.const(_FUNCTIONS["?"]), Arguments(given), expected)
    # what the collection holds is for its instance to say: the expected type must not decide it
    value = apply_args(el, m.const(_FUNCTIONS[stx.mark]), Arguments(given), None)
    while _says_too_little(m, value):
        el.synthesize(postpone=True)
        if _says_too_little(m, value) and not apply_defaults(m, el.pending):
            break
    if stx.proof is None:
        return value
    place = m.instantiate_mvars(infer_type(m, value))
    assert type(place) is Pi
    return mk_app(value, el.elab_ensuring(stx.proof, place.type))


def _says_too_little(m: Meta, value: Expr) -> bool:
    """Whether the instance is still to be found that tells what `xs[i]` is, or what it asks for."""
    type_ = m.instantiate_mvars(infer_type(m, value))
    return type(get_app_fn(type_.type if type(type_) is Pi else type_)) is MVar
