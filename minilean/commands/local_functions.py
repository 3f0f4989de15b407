"""Functions inside a definition: `where` and an outermost `let rec` become declarations of their own.

So does a `let rec` at the beginning of a proof.

A function `g` of `f` is declared as `f.g`. It takes the parameters of `f` that it mentions as its first arguments, as
section variables are taken. Inside `f` the name `g` is a local variable whose value is `f.g` at these parameters.

Source: Lean 4 `src/Lean/Elab/LetRec.lean`, `src/Lean/Elab/MutualDef.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from minilean.commands.universes import with_levels
from minilean.elab.names import Scope
from minilean.elab.term import Elab
from minilean.kernel.expr import Expr, FVar
from minilean.kernel.instantiate import abstract, instantiate
from minilean.meta.errors import UnsupportedError
from minilean.meta.infer import infer_type
from minilean.syntax import ast
from minilean.syntax.names_of import identifiers


@dataclass(frozen=True, slots=True)
class LocalFunction:
    """A function that was declared for the definition around it.

    Attributes:
        name: Its name inside the definition.
        full: The name of its declaration.
        parameters: The parameters of the definition that it takes as its first arguments.
    """

    name: str
    full: str
    parameters: tuple[str, ...]


def with_local_functions(decl: ast.Decl) -> ast.Decl:
    """Return a declaration whose outermost `let rec` functions, in a term or a proof, are written after `where`.

    Raises:
        UnsupportedError: The functions call each other in a circle.
    """
    local = list(decl.local)
    value = decl.value
    while isinstance(value, ast.LetRec):
        start, end = value.start, value.body.start
        parts = value.name, (), value.binders, value.type, value.value
        local.append(ast.Decl("def", *parts, termination=value.termination, start=start, end=end))
        value = value.body
    while isinstance(value, ast.By) and value.tactics.tactics:
        first, *rest = value.tactics.tactics
        if not isinstance(first, ast.LetRecTac):
            break
        parts = first.name, (), first.binders, first.type, first.value
        local.append(ast.Decl("def", *parts, termination=first.termination, start=first.start, end=first.end))
        value = replace(value, tactics=replace(value.tactics, tactics=tuple(rest)))
    if local and not decl.name:
        raise UnsupportedError(f"`where` and `let rec` in an `{decl.kind}` without a name")
    own = decl.name.rpartition(".")[2]
    for i, function in enumerate(local):
        later = {own, *(other.name for other in local[i + 1 :])}
        if any(name in later for name in identifiers(function.value)):
            raise UnsupportedError(f"mutual recursion of `{function.name}` with the definition around it")
    return replace(decl, value=value, local=tuple(local))


def declaration_of(decl: ast.Decl, function: ast.Decl) -> ast.Decl:
    """Return the declaration of a function that is local to `decl`."""
    kind = decl.kind if decl.kind in ("theorem", "lemma") else "def"
    modifiers = tuple(word for word in decl.modifiers if word == "noncomputable")
    return replace(function, kind=kind, name=f"{decl.name}.{function.name}", modifiers=modifiers)


def inside(scope: Scope, decl: ast.Decl) -> Scope:
    """Return the scope of the functions of `decl`, which see its universe parameters."""
    return replace(scope, levels=with_levels(scope.levels, decl.level_params))


def push_local_functions(el: Elab, functions: Sequence[LocalFunction]) -> list[tuple[FVar, Expr]]:
    """Add the functions to the context of the definition, and return the variables with their values."""
    m = el.m
    found = []
    for function in functions:
        given = tuple(ast.NamedArg(name, ast.Ident(name)) for name in function.parameters)
        term: ast.Term = ast.Ident(f"_root_.{function.full}")
        value = el.elab(ast.App(term, given) if given else term)
        found.append((m.push_local(function.name, infer_type(m, value), value=value), value))
    return found


def without_local_functions(el: Elab, e: Expr, pushed: Sequence[tuple[FVar, Expr]]) -> Expr:
    """Replace the variables of local functions in `e`, which is elaborated completely, by their values."""
    m = el.m
    for x, value in reversed(pushed):
        e = instantiate(abstract(m.instantiate_mvars(e), [x]), [m.instantiate_mvars(value)])
    return e
