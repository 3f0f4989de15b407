"""Options of `rw`: the occurrences to rewrite, and the definitions that may be unfolded to find them.

Source: Lean 4 `src/Init/MetaTypes.lean`, `Rewrite.Config` (4.34).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from minilean.meta.errors import UnsupportedError
from minilean.meta.extension import DEFAULT_TRANSPARENCY, INSTANCES, REDUCIBLE
from minilean.syntax import ast


@dataclass(frozen=True, slots=True)
class Options:
    """Options in parentheses after `rw`.

    Attributes:
        transparency: Definitions that may be unfolded to find the pattern.
        wanted: Numbers of the occurrences to rewrite, from 1; `None` for all.
    """

    transparency: int = INSTANCES
    wanted: Callable[[int], bool] | None = None


ALL_OCCURRENCES = Options()
_OPTION = re.compile(r"\(\s*(?:config\s*:=\s*\{\s*)?(\w+)\s*:=\s*(.*?)\s*\}?\s*\)", re.DOTALL)
_OCCURRENCES = re.compile(r"\(?\s*(?:(?:Occurrences)?\.(all|pos|neg)\s*)?(?:\[([\d\s,]*)\]\s*)?\)?")
_TRANSPARENCIES = {".default": DEFAULT_TRANSPARENCY, ".instances": INSTANCES, ".reducible": REDUCIBLE}


def _all_but(numbers: frozenset[int]) -> Callable[[int], bool]:
    return lambda i: i not in numbers


def options_of(stx: ast.Rw) -> Options:
    """Read the options of `rw`.

    Raises:
        UnsupportedError: An option is unknown.
    """
    options = Options(DEFAULT_TRANSPARENCY) if stx.name == "erw" else ALL_OCCURRENCES
    for text in stx.config:
        option = _OPTION.fullmatch(text)
        name, value = option.groups() if option is not None else ("", "")
        occurrences = _OCCURRENCES.fullmatch(value)
        if name == "occs" and occurrences is not None:
            kind, listed = occurrences.groups()
            numbers = frozenset(int(number) for number in (listed or "").replace(",", " ").split())
            if kind == "pos" or (kind is None and listed is not None):
                options = replace(options, wanted=numbers.__contains__)
            elif kind == "neg":
                options = replace(options, wanted=_all_but(numbers))
        elif name == "offsetCnstrs":
            continue  # whether `n + 1` is unified with numerals in steps of one: the same terms are found
        elif name == "transparency" and value in _TRANSPARENCIES:
            options = replace(options, transparency=_TRANSPARENCIES[value])
        else:
            raise UnsupportedError(f"`{stx.name}` with the option `{text}`")
    return options
