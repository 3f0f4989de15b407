"""Forbidden tactics: the environment's option `forbid`, a dial of difficulty.

A text is refused when a forbidden word stands in it as a whole token, wherever that is: inside combinators (`first`,
`<;>`, `case .. =>`), after `by` in a term, among the options of another tactic (`simp +decide`). A dotted name
(`Nat.simp`), a field (`h.simp`), a quoted name (`«simp»`) and a longer word (`simp_h`) are other tokens. Strings and
comments are skipped where a plain reading finds their ends.

A token is not looked at in its context: with `decide` forbidden, the function in `decide p = true` is refused too.

This is no security. What Lean runs by itself, without a word in the text, is not refused: the bound of `xs[i]`, the
default `by simp` of an argument, a tactic that the theorem's context defines, `trivial`, which tries `decide`, unless
it is named as well. Proofs by computation in the kernel (`rfl`, `of_decide_eq_true rfl`) need no tactic at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from lean_gym.verification.tactic_filter import names_in

AUTOMATION: Final = (
    "simp", "simp_all", "simpa", "dsimp", "simp_arith", "simp_all_arith", "simp_intro", "simp_rw", "simp_wf",
    "field_simp", "norm_num", "norm_num1", "norm_cast", "norm_cast0", "push_cast", "exact_mod_cast",
    "apply_mod_cast", "rw_mod_cast", "assumption_mod_cast", "omega", "omega_nat", "fin_omega", "lia", "cutsat",
    "grind", "grobner", "linarith", "nlinarith", "polyrith", "positivity", "bound", "interval_cases", "ring", "ring1",
    "ring_nf", "noncomm_ring", "abel", "abel1", "abel_nf", "group", "module", "ac_rfl", "ac_nf", "cc", "decide",
    "native_decide", "bv_decide", "bv_omega", "bv_normalize", "trivial", "tauto", "itauto", "aesop", "aesop_cat",
    "solve_by_elim", "fun_prop", "continuity", "measurability", "exact?", "apply?", "rw?", "rw_search", "try?",
    "hint", "observe?", "duper", "canonical", "hammer", "get_elem_tactic", "decreasing_tactic",
)  # fmt: skip
"""Heads of tactics that search, simplify or decide: what `forbid="automation"` names. `trivial` is one of them because
it tries `decide`; `rfl`, `assumption` and `contradiction` are not."""
ALL: Final = "automation"
"""The name of that list."""

_HEAD: Final = re.compile(r"[^\W\d][\w'!?.]*")
# Text in which a plain reading may take code for a string or a comment: character literals, escapes, raw strings,
# comments in comments.
_HARD: Final = re.compile(r"""'"|\\|\br#*"|[«»]|/-(?:(?!-/).)*/-""", re.DOTALL)
_NO_CODE: Final = re.compile(r'"[^"]*"|--[^\n]*|/-.*?-/', re.DOTALL)
# `⟨a, b⟩.simp` is a field; in any other place a dot may begin a block.
_FIELD: Final = re.compile(r"[)\]}⟩]\.\Z")


def check_forbid(forbid: object) -> tuple[str, ...]:
    """Return the heads that an option `forbid` names, each once.

    Args:
        forbid: `"automation"`, or a list of heads, in which `"automation"` stands for its list. A head need not be the
            name of a known tactic.

    Raises:
        ValueError: Something else.
    """
    if forbid == ALL:
        forbid = (ALL,)
    if isinstance(forbid, str) or not isinstance(forbid, Collection):
        raise ValueError(
            f"forbid: got {forbid!r}, expected a list of tactic names, e.g. ['simp', 'omega'], or {ALL!r}"
        )
    for head in forbid:
        if not isinstance(head, str) or not _HEAD.fullmatch(head):
            raise ValueError(f"forbid: got {head!r}, expected the first word of a tactic, e.g. 'simp'")
    heads = (name for head in forbid for name in (AUTOMATION if head == ALL else (head,)))
    return tuple(dict.fromkeys(heads))


def forbidden_head(tactic: str, heads: Collection[str]) -> str | None:
    """Return the first forbidden word in a tactic; `None` if there is none.

    Args:
        tactic: Tactic source.
        heads: The forbidden words. `simp` stands for `simp?` and `simp!` too, and `exact?` for itself alone.
    """
    if not any(head in tactic for head in heads):
        return None
    text = tactic if _HARD.search(tactic) else _NO_CODE.sub(_blank, tactic)
    for at, word in names_in(text):
        if (word in heads or word.rstrip("?!") in heads) and not _FIELD.search(text[max(0, at - 2) : at]):
            return word
    return None


def _blank(found: re.Match[str]) -> str:
    # An interpolated string has terms between its braces.
    return found[0] if found[0][0] == '"' and "{" in found[0] else " "


def refused_head(tactic: str, heads: Collection[str]) -> str | None:
    """Return why a tactic is refused: one line that names the forbidden word; `None` if it is not."""
    word = forbidden_head(tactic, heads)
    return None if word is None else f"`{word}` is forbidden in this environment (option forbid)"


def uses_automation(tactics: Iterable[str]) -> bool:
    """Return whether a script uses one of `AUTOMATION` anywhere."""
    return any(forbidden_head(tactic, AUTOMATION) is not None for tactic in tactics)
