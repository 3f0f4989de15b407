"""`sorry` in files and in Pantograph's protocol: the axiom `sorryAx`, which is always reported.

A proof refuses `sorry`. Files and Pantograph's protocol (`hasSorry`, `frontend.distil`) may have holes: there `sorry`
becomes `sorryAx _ false`, as in Lean. The kernel counts `sorryAx` among the axioms of every constant that uses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from minilean.kernel.declaration import Declaration, Definition, TheoremDecl
from minilean.kernel.expr import Const, Expr, mk_bvar, mk_const, mk_pi, mk_sort
from minilean.kernel.level import mk_param
from minilean.kernel.traversal import subterms
from minilean.meta.extension import LeanEnv
from minilean.syntax import ast

SORRY = "sorryAx"
USES_SORRY = "declaration uses `sorry`"
_WORDS = ("sorry", "admit")

N = TypeVar("N")


def with_sorry(env: LeanEnv) -> LeanEnv:
    """Return a child of `env` in which `sorryAx : (α : Sort u) → (synthetic : Bool) → α` is declared."""
    child = env.child()
    if child.find(SORRY) is None and child.find("Bool") is not None:
        inner = mk_pi("synthetic", mk_const("Bool"), mk_bvar(1))
        child.kernel.add_axiom(SORRY, ("u",), mk_pi("α", mk_sort(mk_param("u")), inner))
    return child


def mentions_sorry(terms: Iterable[Expr]) -> bool:
    """Return whether `sorryAx` occurs in one of these terms; constants are not unfolded."""
    return any(type(part) is Const and part.name == SORRY for term in terms for part in subterms(term))


def declared_with_sorry(declaration: Declaration) -> bool:
    """Return whether the statement or value of a declaration contains `sorry`."""
    value = declaration.value if isinstance(declaration, (Definition, TheoremDecl)) else None
    return mentions_sorry([declaration.type] if value is None else [declaration.type, value])


def sorry_as_term(node: N, source: str) -> N:
    """Replace each `sorry` and `admit` in syntax by the axiom; `source` is the text that it was parsed from."""
    if not any(word in source for word in _WORDS):
        return node
    return _rewrite(node)  # type: ignore[no-any-return]


def stated(command: ast.Command) -> ast.Command | None:
    """Return a theorem with `sorry` for its proof; `None` for a command that is no theorem with a statement."""
    if isinstance(command, ast.InCmd):
        inner = stated(command.second)
        if inner is None or isinstance(command.first, ast.GuardMsgs):
            return inner
        return replace(command, second=inner)
    if not isinstance(command, ast.Decl) or command.kind not in ("theorem", "lemma") or command.type is None:
        return None
    return replace(command, value=_axiom(command, synthetic=True), local=(), termination=None)


def sorry_places(node: Any) -> list[tuple[int, int]]:
    """Return start and end offsets of each `sorryAx` in syntax that `sorry_as_term` returned, in order."""
    if isinstance(node, ast.Ident):
        return [(node.start, node.end)] if node.name.removeprefix("_root_.") == SORRY else []
    if isinstance(node, tuple):
        return [place for part in node for place in sorry_places(part)]
    if not is_dataclass(node):
        return []
    return [place for f in fields(node) for place in sorry_places(getattr(node, f.name))]


def name_place(command: ast.Command, source: str) -> tuple[int, int]:
    """Return start and end offsets for the warning about `sorry`: the name, or the word `example` or `instance`."""
    text = source[command.start : command.end]
    name = command.name if isinstance(command, ast.Decl) else ""
    found = re.search(r"(?<![\w.'])" + re.escape(name) + r"(?![\w.'])", text) if name else None
    found = found or re.search(r"\b(?:example|instance)\b", text)
    if found is None:
        return command.start, command.start
    return command.start + found.start(), command.start + found.end()


def _rewrite(node: Any) -> Any:
    if isinstance(node, ast.Sorry):
        return _axiom(node)
    if isinstance(node, ast.Refused) and node.name in _WORDS:
        return ast.TermTactic("exact", _axiom(node), start=node.start, end=node.end)
    if isinstance(node, tuple):
        return tuple(_rewrite(part) for part in node)
    if not is_dataclass(node):
        return node
    parts = {f.name: getattr(node, f.name) for f in fields(node)}
    new = {name: _rewrite(part) for name, part in parts.items() if isinstance(part, (tuple, ast.Node))}
    changed = {name: part for name, part in new.items() if part is not parts[name]}
    return replace(node, **changed) if changed else node  # type: ignore[type-var]


def _axiom(node: ast.Node, synthetic: bool = False) -> ast.Term:
    start, end = node.start, node.end
    head = ast.Ident(f"_root_.{SORRY}", start=start, end=end)
    arguments = (
        ast.Hole(start=start, end=end),
        ast.Ident(f"Bool.{str(synthetic).lower()}", start=start, end=end),
    )
    return ast.App(head, arguments, start=start, end=end)
