"""Contexts that give Lean's own words another meaning: `notation "False" => True`.

Lean accepts such commands, and a theorem after them is what Lean makes of it, not what a reader takes it for. The
search goes by the layout of the commands. It finds what is written plainly, and it decides nothing.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lean_gym.datasets.lean_source import without_comments
from lean_gym.types import Theorem
from lean_gym.verification.tactic_filter import COMMANDS

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
_COMMAND: Final = re.compile(rf"(?<![\w'.])(?:{'|'.join(map(re.escape, sorted(COMMANDS)))})(?![\w'])")
_NAME: Final = re.compile(r"[\w']+")
_BOUND: Final = re.compile(r"[({\[⦃]([\w'\s]+):")
_RENAMED: Final = re.compile(r"(?:→|->)\s*([\w']+)")
_CONSTRUCTOR: Final = re.compile(r"\|\s*([\w']+)")
_BEFORE_NAMES: Final = re.compile(r"[^\w' \t]")
_ALIKE: Final = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοаеорсхуіАВЕЅІМНОРСТХ", "ABEZHIKMNOPTYXoaeopcxyiABESIMHOPCTX", "«»"
)
"""Greek and Cyrillic letters that look like Latin ones, and the marks around names that hide nothing."""
_INSTANCE: Final = re.compile(
    r"(?<![\w'.])instance\b[^\n]*?:\s*(?P<instance>[A-Z]\w*(?:\s+(?:Nat|Int|Rat|Real|Bool|Prop|String|ℕ|ℤ|ℚ|ℝ|ℂ)(?![\w'.]))+)"
)


def redefined(context: str) -> list[str]:
    """Return what the commands of a context may give another meaning, in the words of the commands; often nothing.

    Args:
        context: Lean commands.
    """
    if not context.strip():
        return []
    plain = without_comments(context).translate(_ALIKE)
    return list(dict.fromkeys([*_found(plain), *_bound(_commands(plain))]))


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
    opened = _opened(_commands(context))
    for declaration in _DECLARATION.finditer(context):
        *spaces, name = declaration["name"].split(".")
        # `Tri.and` is `and` only where the namespace is open.
        if name in _CONSTANTS and (not spaces or spaces[0] in opened):
            yield declaration["name"]
    for instance in _INSTANCE.finditer(context):
        yield " ".join(instance["instance"].split())


def _commands(context: str) -> list[tuple[str, str]]:
    """Return the words that begin commands, each with the text behind it up to the next one."""
    starts = list(_COMMAND.finditer(context))
    ends = [*(each.start() for each in starts[1:]), len(context)]
    return [(start.group(), context[start.end() : end]) for start, end in zip(starts, ends, strict=False)]


def _opened(commands: Iterable[tuple[str, str]]) -> set[str]:
    """Return the parts of the names of namespaces that are opened."""
    return {name for word, text in commands if word in ("open", "namespace") for name in _NAME.findall(text)}


def _bound(commands: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the words that variables, renamings, and members of opened types take."""
    opened = _opened(commands)
    for word, text in commands:
        groups: list[str] = []
        if word == "variable":
            groups = _BOUND.findall(text)
        elif word == "open":
            groups = _RENAMED.findall(text)
        elif word in ("inductive", "structure", "class", "coinductive"):
            head = text.split(maxsplit=1)
            if head and head[0].split(".")[-1] in opened:
                groups = [*_CONSTRUCTOR.findall(text), *_fields(text)]
        yield from (name for group in groups for name in _NAME.findall(group) if name in _CONSTANTS)


def _fields(text: str) -> Iterator[str]:
    """Yield the names that stand right before a colon, those of each colon together."""
    for line in text.split("\n"):
        for piece in line.split(":")[:-1]:
            yield _BEFORE_NAMES.split(piece)[-1]
