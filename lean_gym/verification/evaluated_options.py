"""Option values that Lean would evaluate: `simp (config := e)` compiles and runs `e`.

Lean elaborates terms without running them, with a few exceptions. The option values of tactics are one: whatever `e` is
in `simp (maxSteps := e)`, it is evaluated. Named arguments of a term, `f (n := e)`, look alike and are not. A value
that is no literal is therefore refused unless the word in front shows that it belongs to a term.

Only Lean's own lexer tells code from comments and strings. Where a comment or a string stands between the tactic and
the value, the value counts as an option's.

Source: Lean 4 `src/Lean/Elab/Tactic/Config.lean` (4.29).
"""

from __future__ import annotations

import re
from typing import Final

OPTION_TACTICS: Final = frozenset([
    "abel", "abel_nf", "ac_nf", "aesop", "aesop_cat", "aesop_graph", "aesop_unfold", "apply", "apply_assumption",
    "apply_mod_cast", "apply_rules", "assumption_mod_cast", "bound", "bv_check", "bv_decide", "bv_normalize",
    "bv_omega", "cancel_denoms", "canonical", "cc", "compute_degree", "congr", "continuity", "convert", "convert_to",
    "cutsat", "decide", "dsimp", "duper", "erw", "exact_mod_cast", "ext", "field_simp", "fin_omega", "finiteness",
    "fun_prop",
    "gcongr", "grewrite", "grind", "grobner", "grw", "hammer", "interval_cases", "itauto", "lia", "linarith",
    "linear_combination", "linear_combination2", "measurability", "mono", "mvcgen", "nlinarith", "noncomm_ring",
    "norm_cast", "norm_cast0", "norm_num", "norm_num1", "nontriviality", "nth_rewrite", "nth_rw", "omega", "polyrith",
    "positivity", "pull", "push", "push_cast", "push_neg", "qify", "reduce_mod_char", "rewrite", "rify", "ring",
    "ring1", "ring1_nf", "ring_nf", "rsimp", "rw", "rw_mod_cast", "rw_search", "rwa", "simp", "simp_all",
    "simp_all_arith", "simp_arith", "simp_intro", "simp_rw", "simp_wf", "simpa", "solve_by_elim", "split_ifs",
    "symm_saturate", "tauto", "unfold_let", "use", "zify",
])  # fmt: skip
"""Tactics with options, of Lean, Batteries, Aesop and Mathlib."""
_TACTIC_VALUES: Final = frozenset(["disch", "discharger", "norm"])
"""Options whose value is a tactic, which the filter reads like any other."""
_BEFORE_TACTIC: Final = frozenset([
    "all_goals", "any_goals", "by", "by?", "classical", "conv", "do", "else", "fail_if_success", "first", "focus",
    "iterate", "repeat", "repeat'", "repeat1", "repeat1'", "show_term", "solve", "success_if_fail", "then", "try",
    "unhygienic",
    "with_reducible", "with_reducible_and_instances", "with_unfolding_all", "with_unfolding_none",
])  # fmt: skip
"""Words after which a tactic may stand on the same line."""
_CLOSING: Final = {")": "(", "]": "[", "}": "{", "⟩": "⟨"}
_SPACE: Final = " \t\r\n"
_ENDS_WORD: Final = _SPACE + "()[]{}⟨⟩,;|"
_COMMENT: Final = ("--", "/-", "-/")
_IDENTIFIER: Final = re.compile(r"[^\W\d][\w'!?.]*\Z")
_FLAG: Final = re.compile(r"[+-][A-Za-z_][\w.]*\Z")
_LITERAL: Final = re.compile(
    r"""true\b|false\b|-?[0-9][0-9_]*(?:[ ]+[0-9]+)*(?![\w.])|"[^"\\{}]*\""""
    r"""|\.[A-Za-z_]\w*(?![\w.'!?])(?:[ ]*\[[0-9, ]*\])?"""
)
_FIELD: Final = re.compile(r"\s*[A-Za-z_][\w.]*\s*:=\s*")
_RULE_SETS: Final = re.compile(r"\[[A-Za-z_\w.\s,-]*\]")


def evaluated_option(text: str) -> str | None:
    """Return the name of the first option whose value Lean may evaluate although it is no literal; `None` without one.

    Args:
        text: Tactic source, in which comments to the end of a line may have been removed.
    """
    at = text.find(":=")
    while at >= 0:
        name = _option_at(text, at)
        if name is not None:
            return name
        at = text.find(":=", at + 2)
    return None


def starts_tactic(text: str, at: int, in_brackets: bool) -> bool:
    """Return whether a tactic may begin at `at`, going by what stands in front.

    Args:
        text: Tactic source.
        at: The place of a word.
        in_brackets: Whether `(`, `{`, `|` and `=>` count, which begin terms as well.
    """
    end = _skip_back(text, at)
    if end == 0:
        return True
    before, new_line = text[end - 1], "\n" in text[end:at]
    if before in ";·" or text.endswith("<;>", 0, end):
        return True
    if before in "({|" or text.endswith("=>", 0, end):
        return in_brackets
    word = _word_before(text, end)
    if any(mark in text[_line_start(text, end) : end] for mark in _COMMENT):
        return True
    if word in _BEFORE_TACTIC or word in ("·", "."):
        return True
    # The word of a line of its own follows a tactic that is complete, unless the last line is not.
    complete = before in _CLOSING or (before.isalnum() or before in "_'!?»\"*⊢")
    return (
        new_line
        and complete
        and word not in ("exact", "refine", "apply", "from", "show", "have", "fun", "in")
    )


def _option_at(text: str, at: int) -> str | None:
    """Return the option in front of the `:=` at `at` if Lean may evaluate what follows."""
    end = _skip_back(text, at)
    word = _word_before(text, end)
    if _hidden(text, end, at) or any(mark in word for mark in _COMMENT):
        return word
    if not word:
        return None
    start = end - len(word)
    before = _skip_back(text, start)
    if _hidden(text, before, start) or text.endswith("-/", 0, before):
        return word
    if text[before - 1 : before] != "(":
        return None
    if word in _TACTIC_VALUES or _is_literal(text, at + 2, word):
        return None
    return word if _belongs_to_tactic(text, before - 1) else None


def _is_literal(text: str, at: int, option: str) -> bool:
    """Return whether a literal stands at `at`, and nothing else before the closing bracket."""
    at = _skip(text, at)
    if option == "rule_sets":
        found = _RULE_SETS.match(text, at)
        end = None if found is None else found.end()
    else:
        end = _literal_end(text, at)
    return end is not None and text[_skip(text, end) :][:1] == ")"


def _literal_end(text: str, at: int, depth: int = 0) -> int | None:
    """Return the end of the literal at `at`: a number, a string, a name such as `.all`, or `{ x := 1, y := true }`."""
    if text[at : at + 1] != "{":
        found = _LITERAL.match(text, at)
        return None if found is None else found.end()
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        field = _FIELD.match(text, at)
        end = None if field is None or depth > 4 else _literal_end(text, field.end(), depth + 1)
        if end is None:
            return None
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != "}":
            return None
    return at + 1


def _belongs_to_tactic(text: str, at: int) -> bool:
    """Return whether the group that begins at `at` may be an option of a tactic."""
    while True:
        end = _skip_back(text, at)
        if end == 0:
            return True
        if _hidden(text, end, at) or text.endswith("-/", 0, end) or text[end - 1] == '"':
            return True
        if text[end - 1] in _CLOSING:
            opening = _opening(text, end - 1)
            if opening is None:
                return True
            at = opening
            continue
        word = _word_before(text, end)
        if word == "only" or _FLAG.fullmatch(word):
            at = end - len(word)
            continue
        found = _IDENTIFIER.search(word)
        if found is None:
            return False
        head = found[0].rstrip("?!")
        if head in OPTION_TACTICS:
            return True
        if "." in head or head != head.lower():
            return False  # no tactic has such a name
        return starts_tactic(text, end - len(found[0]), in_brackets=False)


def _opening(text: str, at: int) -> int | None:
    """Return the place of the bracket that the one at `at` closes."""
    stack: list[str] = []
    for place in range(at, -1, -1):
        char = text[place]
        if char in _CLOSING:
            stack.append(_CLOSING[char])
        elif char in "([{⟨":
            if not stack or stack.pop() != char:
                return None
            if not stack:
                return place
    return None


def _hidden(text: str, end: int, at: int) -> bool:
    """Return whether a comment may stand between two places with nothing but white space between them."""
    return "\n" in text[end:at] and "--" in text[_line_start(text, end) : end]


def _word_before(text: str, end: int) -> str:
    start = end
    while start and text[start - 1] not in _ENDS_WORD:
        start -= 1
    return text[start:end]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _skip_back(text: str, at: int) -> int:
    while at and text[at - 1] in _SPACE:
        at -= 1
    return at
