"""`shown`: syntax trees as short text, in which tests give the expected trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields

import pytest

from minilean.syntax import ast

BRACKETS = {"default": "()", "implicit": "{}", "strict": "⦃⦄", "inst": "[]"}


def show(node: object) -> str:
    """Operators come first: `a + b` is `(+ a b)`. Tactics are `(Class field .. optional=value ..)`."""
    match node:
        case tuple():
            return "[" + " ".join(show(item) for item in node) + "]"
        case ast.Ident(name=name, levels=levels):
            return name if levels is None else f"{name}.{{{' '.join(show(level) for level in levels)}}}"
        case ast.DotIdent(name=name):
            return f".{name}"
        case ast.Num(value=value):
            return str(value)
        case ast.Str(value=value):
            return repr(value)
        case ast.Hole():
            return "_"
        case ast.NamedHole(name=name):
            return f"?{name or '_'}"
        case ast.CDot():
            return "·"
        case ast.Sorry():
            return "sorry"
        case ast.App(fn=fn, args=args):
            return f"({show(fn)} {' '.join(show(arg) for arg in args)})"
        case ast.NamedArg(name=name, value=value):
            return f"({name} := {show(value)})"
        case ast.BinOp(op=op, left=left, right=right):
            return f"({op} {show(left)} {show(right)})"
        case ast.UnOp(op=op, arg=arg):
            return f"({op} {show(arg)})"
        case ast.Arrow(domain=domain, codomain=codomain):
            return f"(→ {show(domain)} {show(codomain)})"
        case ast.DepArrow(binder=binder, codomain=codomain):
            return f"(→ {show(binder)} {show(codomain)})"
        case ast.Explicit(term=term):
            return f"(@ {show(term)})"
        case ast.Proj(term=term, field=field):
            return f"(. {show(term)} {field})"
        case ast.Paren(term=term):
            return f"(paren {show(term)})"
        case ast.Ascription(term=term, type=type_):
            return f"(: {show(term)} {show(type_)})"
        case ast.TupleStx(items=items):
            return f"(tuple{''.join(' ' + show(item) for item in items)})"
        case ast.AnonCtor(args=items):
            return f"⟨{' '.join(show(item) for item in items)}⟩"
        case ast.ListLit(items=items):
            return f"(list{''.join(' ' + show(item) for item in items)})"
        case ast.SortStx(kind=kind, level=level):
            return kind if level is None else f"({kind} {show(level)})"
        case ast.Fun(binders=binders, body=body):
            return f"(fun {' '.join(show(b) for b in binders)} => {show(body)})"
        case ast.Forall(binders=binders, body=body):
            return f"(∀ {' '.join(show(b) for b in binders)}, {show(body)})"
        case ast.Exists(binders=binders, body=body):
            return f"(∃ {' '.join(show(b) for b in binders)}, {show(body)})"
        case ast.Binder():
            return show_binder(node)
        case ast.LevelStx():
            return show_level(node)
        case ast.By(tactics=tactics):
            return f"(by {show(tactics)})"
        case ast.TacSeq(tactics=tactics):
            return f"{{{'; '.join(show(item) for item in tactics)}}}"
        case ast.RPat():
            return show_pattern(node)
        case ast.Node():
            return show_other(node)
    return str(node)


def show_binder(binder: ast.Binder) -> str:
    if binder.pattern is not None:
        return f"pattern:{show(binder.pattern)}"
    if binder.relation is not None:
        return f"({' '.join(binder.names)} {binder.relation[0]} {show(binder.relation[1])})"
    left, right = BRACKETS[binder.kind]
    type_ = "" if binder.type is None else f" : {show(binder.type)}"
    default = "" if binder.default is None else f" := {show(binder.default)}"
    return left + " ".join(binder.names) + type_ + default + right


def show_level(level: ast.LevelStx) -> str:
    match level.op:
        case "num":
            return str(level.value)
        case "name":
            return level.name
        case "hole":
            return "_"
        case "succ":
            return f"({show(level.args[0])} + {level.value})"
    return f"({level.op} {' '.join(show(arg) for arg in level.args)})"


def show_pattern(pattern: ast.RPat) -> str:
    match pattern.kind:
        case "name":
            return pattern.name
        case "typed":
            return f"({show(pattern.items[0])} : {show(pattern.type)})"
        case "alts":
            return f"({' | '.join(show(item) for item in pattern.items)})"
    return f"⟨{' '.join(show(item) for item in pattern.items)}⟩"


def show_other(node: ast.Node) -> str:
    parts = [type(node).__name__]
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name in ("start", "end") or value == field.default:
            continue
        parts.append(show(value) if field.default is MISSING else f"{field.name}={show(value)}")
    return f"({' '.join(parts)})"


@pytest.fixture(scope="session")
def shown() -> Callable[[object], str]:
    return show
