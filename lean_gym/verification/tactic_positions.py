"""Places in a text where a tactic may begin, and places that belong to a term for sure.

Only Lean's parser knows. Both questions are answered from the text in front of a place, and in doubt a tactic may stand
there: tactics that this module does not know may combine others in any way.

Lean separates the tactics of a block by `;` or by a line break after which the column is that of the first tactic. A
line with deeper indentation continues the tactic above it (`Lean.Parser.sepBy1Indent`, Lean 4.29).
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
TACTIC_VALUES: Final = frozenset(["disch", "discharger", "norm"])
"""Options whose value is a tactic, which the filter reads like any other."""
BRACKETS: Final = {")": "(", "]": "[", "}": "{", "⟩": "⟨"}
"""Closing brackets with their opening ones."""
COMMENT_MARKS: Final = ("--", "/-", "-/")

_TERM_TACTICS: Final = OPTION_TACTICS | frozenset([
    "absurd", "apply'", "apply_fun", "by_cases", "by_contra", "calc", "cases", "cases'", "change", "choose", "congrm",
    "contrapose", "eapply", "exact", "exacts", "exists", "existsi", "fapply", "generalize", "have", "have'", "haveI",
    "induction", "induction'", "injection", "let", "letI", "lift", "nth_grewrite", "obtain", "peel", "rcases",
    "refine", "refine'", "replace", "set", "show", "specialize", "subst", "suffices", "trans", "transitivity", "use!",
    "wlog",
])  # fmt: skip
"""Tactics that take terms, and no tactic except behind `by`, `|` or `=>`."""
_BEFORE_TACTIC: Final = frozenset([
    "all_goals", "any_goals", "by", "by?", "classical", "conv", "do", "else", "fail_if_success", "first", "focus",
    "iterate", "repeat", "repeat'", "repeat1", "repeat1'", "show_term", "solve", "success_if_fail", "then", "try",
    "unhygienic",
    "with_reducible", "with_reducible_and_instances", "with_unfolding_all", "with_unfolding_none",
])  # fmt: skip
"""Words after which a tactic may stand on the same line."""
_INCOMPLETE: Final = frozenset(["exact", "refine", "apply", "from", "show", "have", "fun", "in"])
"""Words at the end of a line that the next line completes."""
_SPACE: Final = " \t\r\n"
_ENDS_WORD: Final = _SPACE + "()[]{}⟨⟩,;|"
_BULLETS: Final = re.compile(r"\A[ ·.(]+")
# Most words, groups and lines to go back; what stands further in front is not searched, so that texts made to be slow
# are not.
_MOST_WORDS: Final = 100
_MOST_LINES: Final = 40


def starts_tactic(text: str, at: int, in_brackets: bool) -> bool:
    """Return whether a tactic may begin at `at`, going by what stands directly in front.

    Args:
        text: Tactic source.
        at: The place of a word.
        in_brackets: Whether `(`, `{`, `|` and `=>` count, which begin terms as well.
    """
    end = skip_back(text, at)
    if any(mark in text[line_start(text, end) : end] for mark in COMMENT_MARKS):
        return True
    return _starts(text, at, end, in_brackets)


def in_term(text: str, at: int) -> bool:
    """Return whether the word at `at` is part of a term for sure, so that no tactic can begin there.

    It is where a tactic that takes terms or a `:=` comes first in the text before it, with nothing between that leads
    back to tactics. In `mytac (f (n := e))` with an unknown `mytac`, `f` may be a tactic.
    """
    arm = False  # `|`, `=>` or `with` has been passed, and not yet the `fun` or `match` that it belongs to
    for _ in range(_MOST_WORDS):
        end = skip_back(text, at)
        if "\n" in text[end:at] and _continues_term(text, at):
            return True
        if _starts(text, at, end, in_brackets=False):
            return False
        last = text[end - 1]
        if last == ";":
            return False
        if last in BRACKETS or last == ",":
            opening = opening_of(text, end - 1)
            if opening is None and last != ",":
                return False
            # The other members of a list say nothing about this one.
            at, arm = (end - 1, arm) if opening is None else (opening, arm and last != ",")
            if _has_marks(text[at:end]):
                return False
        elif last in "([{⟨":
            at, arm = end - 1, False
        elif last == "|":
            at, arm = end - 1, True
        else:
            word = word_before(text, end)
            at = end - len(word)
            known = _word_tells(text, at, word, arm)
            if known is not None:
                return known
            arm = word not in ("match", "fun", "λ") and (arm or "=>" in word or word == "with")
    return False


def _word_tells(text: str, at: int, word: str, arm: bool) -> bool | None:
    """Return whether a word puts what follows it into a term; `None` when the text in front of the word decides."""
    end = skip_back(text, at)
    if _has_marks(word) or "<;>" in word or word in _BEFORE_TACTIC or word in ("·", ".", "in"):
        return False
    name = word.partition(":=")[0] or word_before(text, end)
    if ":=" in word and name in TACTIC_VALUES:
        return False
    if arm:
        return None
    if word == "_" and "\n" in text[end:at]:
        return True  # a step of `calc`
    if ":=" in word:
        value_of_option = text[skip_back(text, at if word != ":=" else end - len(name)) - 1] == "("
        return None if value_of_option else True
    if word in _TERM_TACTICS and _starts(text, at, end, in_brackets=True):
        return True
    return None


def _starts(text: str, at: int, end: int, in_brackets: bool) -> bool:
    """Return the answer of `starts_tactic` where no comment stands in front of `end`."""
    if end == 0:
        return True
    before = text[end - 1]
    if before in ";·" or text.endswith("<;>", 0, end):
        return True
    if before in "({|" or text.endswith("=>", 0, end):
        return in_brackets
    word = word_before(text, end)
    if word in _BEFORE_TACTIC or word in ("·", "."):
        return True
    # The word of a line of its own follows a tactic that is complete, unless the last line is not.
    if "\n" not in text[end:at] or word in _INCOMPLETE or text[at : at + 1] == "_":
        return False
    complete = before in BRACKETS or (before.isalnum() or before in "_'!?»\"*⊢")
    return complete and not _continues_term(text, at)


def _continues_term(text: str, at: int) -> bool:
    """Return whether the line of `at` continues a tactic that takes a term, by its indentation."""
    start = line_start(text, at)
    column = at - start
    for _ in range(_MOST_LINES):
        if start == 0:
            return False
        end = start - 1
        start = line_start(text, end)
        line = text[start:end]
        if _has_marks(line) or "\t" in line or not _BEFORE_TACTIC.isdisjoint(line.split()):
            return False
        first = _BULLETS.sub("", line)
        if first and len(line) - len(first) < column:
            return first.split()[0] in _TERM_TACTICS and "=>" not in line and "|" not in line
    return False


def _has_marks(text: str) -> bool:
    return '"' in text or any(mark in text for mark in COMMENT_MARKS)


def opening_of(text: str, at: int) -> int | None:
    """Return the place of the opening bracket for the closing one, or for the comma, at `at`; `None` without one."""
    stack: list[str] = []
    for place in range(at, -1, -1):
        char = text[place]
        if char in BRACKETS:
            stack.append(BRACKETS[char])
        elif char in "([{⟨":
            if not stack:
                return place
            if stack.pop() != char:
                return None
            if not stack and text[at] in BRACKETS:
                return place
    return None


def word_before(text: str, end: int) -> str:
    """Return the word that ends at `end`, up to a space, a bracket, `,`, `;` or `|`."""
    start = end
    while start and text[start - 1] not in _ENDS_WORD:
        start -= 1
    return text[start:end]


def line_start(text: str, at: int) -> int:
    """Return the place where the line of `at` begins."""
    return text.rfind("\n", 0, at) + 1


def skip(text: str, at: int) -> int:
    """Return the first place from `at` on that is no white space."""
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def skip_back(text: str, at: int) -> int:
    """Return the end of what stands before `at` and before the white space in front of it."""
    while at and text[at - 1] in _SPACE:
        at -= 1
    return at
