"""Search tree as lines of text for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from lean_gym.types import Outcome
from trainers.proving.search.tree import Edge, Node, Tree

_LONGEST: Final = 100
"""Longest tactic or goal shown, in characters."""


def hidden_characters(text: str) -> Iterator[str]:
    """Yield the control and formatting characters of a text, newline and tab left out.

    Escape sequences and marks of direction would let a reader see another text than the one that Lean reads.
    """
    return (char for char in text if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cf"))


def draw_tree(tree: Tree) -> list[str]:
    """Return the lines of a tree: a line for each state with the tactic that led to it, and the refused ones counted.

    A state that was reached on several paths is drawn below one of them, the others name its number.
    """
    return [f"state 0: {_goal(tree.root)}", *_below(tree.root, "", set())]


def _below(node: Node, indent: str, drawn: set[int]) -> Iterator[str]:
    edges = node.edges.items()
    shown = [(text, edge) for text, edge in edges if edge.children or edge.proof or edge.solves]
    refused = sum(edge.outcome is not None for edge in node.edges.values()) - len(shown)
    last = len(shown) - (0 if refused else 1)
    for at, (text, edge) in enumerate(shown):
        inner = indent + ("   " if at == last else "│  ")
        yield f"{indent}{'└─' if at == last else '├─'} {one_line(text)}  {_result(edge, node, drawn)}"
        for child in edge.children:
            if child.parent is node and child.number not in drawn:
                drawn.add(child.number)
                if len(edge.children) > 1:
                    yield f"{inner}state {child.number}: {_goal(child)}"
                yield from _below(child, inner, drawn)
    if refused:
        yield f"{indent}└─ ({refused} refused)"


def _result(edge: Edge, node: Node, drawn: set[int]) -> str:
    child = edge.child
    if child is None:
        return "proved" if edge.proof else "solved"
    if len(edge.children) > 1:
        return f"apart: states {', '.join(str(each.number) for each in edge.children)}"
    if edge.outcome is Outcome.TACTIC_ERROR:
        return f"attempt {child.number} failed: {one_line(edge.error or '')}"
    below = child.parent is node and child.number not in drawn
    return f"state {child.number}: {_goal(child)}" if below else f"as state {child.number}"


def _goal(node: Node) -> str:
    goals = node.episode.goals
    target = one_line(goals[0].target) if goals else "no goals"
    return f"⊢ {target}" + (f" (and {len(goals) - 1} more)" if len(goals) > 1 else "")


def one_line(text: str) -> str:
    """Return the beginning of a text on one line, without characters that control a terminal."""
    plain = "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 3] + "..."
