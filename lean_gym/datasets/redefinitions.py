"""Contexts that give Lean's own words another meaning: `notation "False" => True`.

Lean accepts such commands, and a theorem after them is what Lean makes of it, not what a reader takes it for. The
search goes by the layout of the commands. It finds what is written plainly, and it decides nothing.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Final

from lean_gym.datasets.lean_source import without_comments
from lean_gym.types import Theorem

_CONSTANTS: Final = frozenset([
    "And", "Array", "Bool", "Char", "Decidable", "Dvd", "Eq", "Even", "Exists", "False", "Fin", "Finset", "Float",
    "HEq", "Iff", "Int", "LE", "LT", "List", "Membership", "Nat", "Ne", "Not", "Odd", "Option", "Or", "Prod",
    "Prop", "Rat", "Real", "Set", "Sort", "String", "Sum", "True", "Type", "Unit", "absurd", "and", "bne", "decide",
    "false", "id", "ite", "max", "min", "not", "or", "true", "xor",
])  # fmt: skip
_SYMBOLS: Final = frozenset([
    "!", "!=", "%", "&&", "*", "+", "++", "-", "/", "<", "<=", "=", "==", ">", ">=", "^", "|", "||", "¬", "×", "→",
    "↔", "∀", "∃", "∃!", "∅", "∈", "∉", "∑", "∏", "∣", "∧", "∨", "∩", "∪", "∘", "≠", "≤", "≥", "⊂", "⊆", "λ", "fun",
    "forall", "ℕ", "ℤ", "ℚ", "ℝ", "ℂ",
])  # fmt: skip
_TOKEN: Final = re.compile(
    r"(?<![\w'.])(?:notation3?|infix[lr]?|prefix|postfix|macro|syntax|elab)\b(?:\s*:\s*[\w+]+)?(?:\s*\([^)]*\))*"
    r'(?P<items>[^=:]*"[^"]*"[^=:]*)'
)
_TEXT: Final = re.compile(r'"\s*([^"]*?)\s*"')
_RULES: Final = re.compile(r"(?<![\w'.])(?:macro_rules|elab_rules)(?![\w'])")
_DECLARATION: Final = re.compile(
    r"(?<![\w'.])(?:def|abbrev|inductive|structure|class|opaque|alias)\s+(?:_root_\.)?(?P<name>[\w'.]+)"
)
_OPEN: Final = re.compile(r"(?<![\w'.])(?:open|namespace)\s+([^\n]*)")
_INSTANCE: Final = re.compile(
    r"(?<![\w'.])instance\b[^\n]*?:\s*(?P<instance>[A-Z]\w*(?:\s+(?:Nat|Int|Rat|Real|Bool|Prop|String|ℕ|ℤ|ℚ|ℝ|ℂ)(?![\w'.]))+)"
)


def redefined(context: str) -> list[str]:
    """Return what the commands of a context may give another meaning, in the words of the commands; often nothing.

    Args:
        context: Lean commands.
    """
    return list(dict.fromkeys(_found(without_comments(context)))) if context.strip() else []


def warn_of_redefinitions(theorems: Iterable[Theorem], stacklevel: int) -> None:
    """Warn once about theorems whose context gives Lean's own words another meaning.

    Args:
        theorems: A set.
        stacklevel: As for `warnings.warn`.
    """
    words: dict[str, list[str]] = {}
    concerned = []
    for theorem in theorems:
        if theorem.context not in words:
            words[theorem.context] = redefined(theorem.context)
        if words[theorem.context]:
            concerned.append(theorem)
    if concerned:
        first = concerned[0]
        said = ", ".join(f"`{word}`" for word in words[first.context])
        warnings.warn(
            f"the context of theorem {first.name!r} may give {said} another meaning ({len(concerned)} such theorems): "
            "the goal is what Lean makes of it, which need not be what it says; read the context",
            stacklevel=stacklevel + 1,
        )


def _found(context: str) -> Iterator[str]:
    for command in _TOKEN.finditer(context):
        for token in _TEXT.findall(command["items"]):
            if token in _CONSTANTS or token in _SYMBOLS:
                yield token
    if _RULES.search(context) is not None:
        yield "macro_rules"
    opened = {space for names in _OPEN.findall(context) for space in re.split(r"[\s.]+", names)}
    for declaration in _DECLARATION.finditer(context):
        *spaces, name = declaration["name"].split(".")
        # `Tri.and` is `and` only where the namespace is open.
        if name in _CONSTANTS and (not spaces or spaces[0] in opened):
            yield declaration["name"]
    for instance in _INSTANCE.finditer(context):
        yield " ".join(instance["instance"].split())
