"""Contexts that give Lean's own words another meaning: `notation "False" => True`.

Lean accepts such commands, and a theorem after them is what Lean makes of it, not what a reader takes it for. The
search goes by the layout of the commands. It finds what is written plainly, and it decides nothing.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from lean_gym.datasets.formats.lean_source import without_comments
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


def redefined(context: str, name: str = "") -> list[str]:
    """Return what the commands of a context may give another meaning, in the words of the commands; often nothing.

    Args:
        context: Lean commands.
        name: The name of the theorem after them, whose namespace is open in its statement.
    """
    if not context.strip():
        return []
    plain = without_comments(context).translate(_ALIKE)
    namespace = set(_NAME.findall(name.translate(_ALIKE).rpartition(".")[0]))
    return list(dict.fromkeys([*_found(plain, namespace), *_bound(_commands(plain), namespace)]))


@lru_cache(maxsize=1024)
def redefined_for(theorem: Theorem) -> tuple[str, ...]:
    """Return what the context of a theorem may give another meaning in its statement, see `redefined`."""
    return tuple(redefined(theorem.context, theorem.name))


def misleading(words: Sequence[str]) -> str:
    """Return what is wrong with a statement whose context gives these words another meaning."""
    return f"gives {', '.join(words)} another meaning; the statement would not say what it seems to"


def warn_of_redefinitions(theorems: Iterable[Theorem], stacklevel: int) -> None:
    """Warn once about theorems whose context gives Lean's own words another meaning.

    Args:
        theorems: A set.
        stacklevel: As for `warnings.warn`.
    """
    words: dict[tuple[str, str], list[str]] = {}
    concerned = []
    for theorem in theorems:
        key = theorem.context, theorem.name.rpartition(".")[0]
        if key not in words:
            words[key] = redefined(theorem.context, theorem.name)
        if words[key]:
            concerned.append((theorem, words[key]))
    if concerned:
        first, found = concerned[0]
        said = ", ".join(f"`{word}`" for word in found)
        warnings.warn(
            f"the context of theorem {first.name!r} may give {said} another meaning ({len(concerned)} such theorems): "
            "the goal is what Lean makes of it, which need not be what it says; read the context",
            stacklevel=stacklevel + 1,
        )


def _found(context: str, namespace: set[str]) -> Iterator[str]:
    for command in _TOKEN.finditer(context):
        for token in _TEXT.findall(command["items"]):
            if token in _CONSTANTS or token in _SYMBOLS:
                yield token
    if _RULES.search(context) is not None:
        yield "macro_rules"
    opened = _opened(_commands(context)) | namespace
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


def _bound(commands: Sequence[tuple[str, str]], namespace: set[str]) -> Iterator[str]:
    """Yield the words that variables, renamings, and members of opened types take."""
    opened = _opened(commands) | namespace
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
