"""Tactic blocks and their layout, `by`, and the refusal of tactics that are known but not supported.

Source: Lean 4 `src/Lean/Parser/Term.lean` (`tacticSeq`, `tacticSeqIndentGt`), `Tactic.lean` beside it.
"""

from __future__ import annotations

from collections.abc import Callable

from minilean.syntax.ast import AndThen, By, Refused, TacSeq, Tactic, TacticPlace, Term
from minilean.syntax.cursor import CLOSING, OPENING, Cursor
from minilean.syntax.lexer import BAD, EOF, HASH, IDENT

_NO_PROOF = "it proves nothing"
_REFUSED = {
    "sorry": _NO_PROOF,
    "admit": _NO_PROOF,
    "stop": _NO_PROOF,
    "native_decide": "it trusts compiled code",
    "run_tac": "it runs arbitrary code",
}
# with those of Batteries, which Mathlib imports
_MATHLIB_NAMES = """
    abel abel_nf absurd aesop apply_fun assumption' bound by_contra by_contra! cases' casesm cc choose
    clear_value compute_degree congr! constructorm continuity contrapose contrapose! conv_lhs conv_rhs
    convert convert_to econstructor existsi extract_goal fail_if_no_progress fconstructor field field_simp
    filter_upwards fin_cases fun_prop gcongr group hint induction' infer_param inhabit interval_cases itauto
    lift linarith linear_combination measurability module move_add move_mul nlinarith noncomm_ring
    nontriviality norm_num norm_num1 nth_rewrite nth_rw observe pick_goal plausible polyrith positivity push
    push_neg qify rcongr recover reduce_mod_char rename' rename_bvar repeat1 rify ring ring! ring1 ring_nf
    rsuffices rw_search set simp_intro simp_rw slim_check split_ands split_ifs subsingleton swap swap_var
    tauto tfae_finish tfae_have trans triv unfold_let use use! wlog zify
"""
# Lean's own tactics that are not part of minilean.
_UNSUPPORTED_NAMES = """
    ac_nf apply_mod_cast as_aux_lemma assumption_mod_cast bv_decide bv_normalize bv_omega
    checkpoint conv' cutsat dbg_trace do exact_mod_cast expose_names ext1 extract_lets
    grind? grobner have' haveI if let' letI lia lift_lets
    mvcgen norm_cast norm_cast0 open push_cast rewrites rfl' rw? rw_mod_cast save sleep
    solve_by_elim subst_eqs symm_saturate try?
    with_reducible_and_instances with_unfolding_all
"""
_MATHLIB = frozenset(_MATHLIB_NAMES.split())
_UNSUPPORTED = frozenset(_UNSUPPORTED_NAMES.split())


def refusal(name: str) -> str | None:
    """Return the reason why a tactic of this name is not run, or `None` if no such tactic is known."""
    if name.startswith("#"):
        return f"`{name}` is refused: it is a command"
    if name in _REFUSED:
        return f"`{name}` is refused: {_REFUSED[name]}"
    if name in _MATHLIB:
        return f"unsupported: `{name}` belongs to Mathlib"
    if name in _UNSUPPORTED:
        return f"unsupported: the tactic `{name}`"
    return None


# Tokens that end a tactic that is skipped, not parsed; those of the second set only inside brackets.
_ENDS = frozenset({";", "<;>", "|", "then", "else", EOF, BAD})
_ENDS_IN_BRACKETS = frozenset({",", ":"})


def _refused(p: Cursor, name: str, reason: str) -> Tactic:
    """Skips the tactic that was just begun, whatever its arguments."""
    start, inside = p.starts[p.i - 1], p.brackets > 0
    while p.indented():
        kind = p.kinds[p.i]
        if kind in OPENING:
            p.skip_group()
        elif kind in _ENDS or kind in CLOSING or (inside and kind in _ENDS_IN_BRACKETS):
            break
        else:
            p.i += 1
    return Refused(name, reason, start=start, end=p.end())


def simple_tactic(p: Cursor) -> Tactic:
    """One tactic, up to a `<;>` or the end of the item."""
    i = p.i
    kind, start = p.kinds[i], p.starts[i]
    name = p.text[start : p.ends[i]] if kind is IDENT or kind is HASH else kind
    parse = p.tactics.get(name)
    if parse is not None:
        p.i = i + 1
        return parse(p, name, start)
    reason = refusal(name)
    if reason is not None:
        p.i = i + 1
        return _refused(p, name, reason)
    if kind is IDENT and name.startswith("$"):
        p.i = i + 1
        return TacticPlace(name, start=start, end=p.end())
    if kind is IDENT:
        raise p.error("unknown tactic", shift=1)
    p.fail("tactic")


def tactic(p: Cursor) -> Tactic:
    """One item of a block: `t`, `t <;> s`, `t <;> s <;> r`."""
    outer, p.height = p.height, 0
    start = p.starts[p.i]
    left = simple_tactic(p)
    while p.accept("<;>"):
        right = simple_tactic(p)
        p.grow()
        left = AndThen(left, right, start=start, end=p.end())
    p.height = max(outer, p.height)
    return left


def at_tactic(p: Cursor) -> bool:
    """Return whether the next token can start a tactic; an unknown word counts as a tactic."""
    kind = p.kinds[p.i]
    return kind is IDENT or kind is HASH or kind in p.tactics or refusal(kind) is not None


def script(p: Cursor) -> TacSeq:
    """A block at the top, where braces are the focusing tactic `{ .. }`."""
    p.split_dot()
    if not at_tactic(p):
        p.fail("tactic")
    return _items(p)


def at_indented(p: Cursor) -> bool:
    """Return whether a block begins right of the saved column. After `by` and a bullet there may be none.

    Callers ask it before they call `block` themselves, since each level of nesting has few frames.
    """
    p.split_dot()
    return p.indented() and (p.kinds[p.i] == "{" or at_tactic(p))


def no_tactics(p: Cursor) -> TacSeq:
    """The block that nobody wrote; it has the place of the word before."""
    return TacSeq((), start=p.starts[p.i - 1], end=p.end())


def block(p: Cursor, besides: str = "") -> TacSeq:
    """`{ .. }`, or tactics in one column; several on one line are separated by `;`.

    Args:
        p: The tokens.
        besides: What else may stand there, for the message.
    """
    p.enter()
    outer, p.height = p.height, 0
    start = p.starts[p.i]
    p.split_dot()
    if p.accept("{"):
        column = p.open()
        tactics = _items(p).tactics if at_tactic(p) else ()
        p.close("}", column)
        result = TacSeq(tactics, start=start, end=p.end())
    elif at_tactic(p):
        result = _items(p, inside=True)
    else:
        p.fail(f"{besides}'{{' or tactic")
    p.height = max(outer, p.height + 1)
    p.leave()
    return result


def _items(p: Cursor, inside: bool = False) -> TacSeq:
    """The tactics of a block; the first one sets the column. With `inside`, a command ends the block."""
    start, column = p.starts[p.i], p.columns[p.i]
    saved, p.column = p.column, column
    tactics = [tactic(p)]
    while True:
        end = p.end()
        separated = p.accept(";")
        distance = p.columns[p.i] - column
        if distance == 0:
            p.split_dot()
        if distance < 0 or (distance > 0 and not separated) or not at_tactic(p):
            break
        if inside and p.kinds[p.i] is HASH and p.columns[p.i] == 0:
            break
        tactics.append(tactic(p))
    p.column = saved
    return TacSeq(tuple(tactics), start=start, end=end)


def _by(p: Cursor, prec: int) -> Term:
    start = p.starts[p.i]
    p.i += 1
    tactics = block(p) if at_indented(p) else no_tactics(p)
    return By(tactics, start=start, end=p.end())


LEADING: dict[str, Callable[[Cursor, int], Term]] = {"by": _by}
