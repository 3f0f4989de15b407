"""The imports at the head of a file."""

from __future__ import annotations

import re

CORE_MODULES = ("Init", "Std", "Lean")
"""Roots of the modules that minilean's one library replaces."""
_BLANK = re.compile(r"(?:\s+|--[^\n]*|/-(?![-!]))")
_IMPORT = re.compile(r"(?:public\s+)?(?:meta\s+)?import\s+(?:all\s+)?((?:«[^»\n]*»|[^\s\-/«])+)")
_COMMENT = re.compile(r"/-|-/")


def split_header(text: str) -> tuple[list[str], int]:
    """Return the modules that a file imports, and the offset of the text after the imports."""
    imports: list[str] = []
    at = end = 0
    while True:
        at = skip_blank(text, at)
        match = _IMPORT.match(text, at)
        if match is None:
            return imports, skip_blank(text, end) if imports else 0
        imports.append(match[1])
        at = end = match.end()


def without_header(text: str, end: int) -> str:
    """Return a text with white space in place of its header, so that offsets, lines and columns do not change."""
    return re.sub(r"[^\n]", " ", text[:end]) + text[end:]


def is_core(module: str) -> bool:
    """Return whether minilean's library replaces a module."""
    return module.partition(".")[0] in CORE_MODULES


def skip_blank(text: str, at: int) -> int:
    """Return the offset of the first text at or after `at` that is neither white space nor a comment."""
    while match := _BLANK.match(text, at):
        at = match.end() if match[0] != "/-" else _comment_end(text, match.end())
    return at


def _comment_end(text: str, at: int) -> int:
    depth = 1
    for match in _COMMENT.finditer(text, at):
        depth += 1 if match[0] == "/-" else -1
        if depth == 0:
            return match.end()
    return len(text)
