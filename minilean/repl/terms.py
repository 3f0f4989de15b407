"""Parsing and elaboration of terms in requests, and `expr.echo`.

Source: Pantograph `Pantograph/Library.lean` (`parseElabType`, `exprEcho`).
"""

from __future__ import annotations

from minilean.commands.universes import generalize_all
from minilean.elab.display import start_printing
from minilean.elab.holes import check_no_holes, hole_error, open_holes
from minilean.elab.sorry import sorry_as_term
from minilean.elab.term import Elab
from minilean.kernel.errors import DeepRecursion, KernelError
from minilean.kernel.expr import Expr
from minilean.kernel.fuel import deep_stack
from minilean.meta.budget import Budget
from minilean.meta.errors import RECURSION, MetaError
from minilean.meta.infer import infer_type
from minilean.meta.meta_m import MetaM
from minilean.repl.session import Session
from minilean.repl.show import FILE_NAME, expression
from minilean.repl.wire import Fields, Json, Refusal
from minilean.syntax import ast
from minilean.syntax.errors import ParseError
from minilean.syntax.parser import parse_term
from minilean.tactics.state import run_nested

MAX_TERM_CHARS = 100_000


def parsed_term(session: Session, text: str) -> ast.Term:
    """Parse a term, with the notations of inherited files.

    Raises:
        Refusal: It does not parse.
    """
    if len(text) > MAX_TERM_CHARS:
        raise Refusal("parse", f"the term has {len(text)} characters, at most {MAX_TERM_CHARS} are read")
    try:
        return sorry_as_term(parse_term(text, session.scope.grammar), text)
    except ParseError as error:
        raise Refusal("parse", located(error)) from None


def located(error: ParseError) -> str:
    """Return the text of a parse error as Pantograph words it."""
    return f"{FILE_NAME}:{error.line}:{error.column}: {error.message}"


def elaborator(session: Session, levels: tuple[str, ...], source: str) -> Elab:
    """Return an elaborator in the session's environment, with these universe names besides those declared."""
    m = MetaM(session.env, budget=Budget(session.heartbeats, session.seconds()))
    start_printing(m)
    return Elab(m, session.scope, run_nested, (*session.scope.levels, *levels), source=source)


def elaborated_type(session: Session, text: str, levels: tuple[str, ...]) -> tuple[tuple[str, ...], Expr]:
    """Elaborate a type without holes; return its universe parameters and the closed term.

    Raises:
        Refusal: It does not parse or elaborate.
    """
    syntax = parsed_term(session, text)
    try:
        with deep_stack():
            el = elaborator(session, levels, text)
            type_ = el.elab_type(syntax)
            el.synthesize()
            if holes := open_holes(el):
                raise hole_error(el, holes)
            type_ = check_no_holes(el, el.m.instantiate_mvars(type_))
            names, done = generalize_all(el.m, (*session.scope.levels, *levels), [type_])
            return names, done[0]
    except DeepRecursion:
        raise Refusal("elab", RECURSION) from None
    except (MetaError, KernelError) as error:
        raise Refusal("elab", str(error)) from None


def expr_echo(session: Session, fields: Fields) -> Json:
    """`expr.echo`: a term and its type, elaborated and printed."""
    text, wanted = fields.text("expr"), fields.optional_text("type")
    levels = fields.optional_texts("levels") or ()
    syntax = parsed_term(session, text)
    wanted_syntax = None if wanted is None else parsed_term(session, wanted)
    try:
        with deep_stack():
            el = elaborator(session, levels, text)
            expected = None if wanted_syntax is None else el.elab_type(wanted_syntax)
            term = el.elab_closed(syntax, expected)
            m = el.m
            type_ = m.instantiate_mvars(infer_type(m, term))
            options = session.options
            return {"expr": expression(m, term, options), "type": expression(m, type_, options)}
    except DeepRecursion:
        raise Refusal("elab", RECURSION) from None
    except (MetaError, KernelError) as error:
        raise Refusal("elab", str(error)) from None
