"""`simp_all`: simplify hypotheses and target, each with the other hypotheses as rules, until nothing changes.

Source: Lean 4 `src/Lean/Meta/Tactic/Simp/SimpAll.lean` (4.35).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from minilean.kernel.expr import Expr, FVar, mk_apps, mk_const
from minilean.kernel.level import ZERO
from minilean.kernel.traversal import alpha_eq
from minilean.meta.errors import RECURSION, MetaError
from minilean.tactics.contradiction import absurd_term
from minilean.tactics.hypotheses import assert_hypothesis, try_clear
from minilean.tactics.simp.goals import free_propositions, simp_target
from minilean.tactics.simp.lemmas import rules_of
from minilean.tactics.simp.result import FALSE, TRUE
from minilean.tactics.simp.rules import Rule, RuleSet
from minilean.tactics.simp.simplifier import Simplifier
from minilean.tactics.state import Tactics

MAX_ROUNDS = 100


@dataclass(slots=True)
class Entry:
    """A hypothesis: its simplified type, a proof of it, and the rules that it gives."""

    fvar: FVar
    name: str
    type: Expr
    proof: Expr
    rules: list[Rule]
    changed: bool = False


def simp_all(t: Tactics, rules: RuleSet) -> None:
    """Simplify the hypotheses and the target, each with all other hypotheses."""
    m = t.m
    start = t.main
    entries = []
    for decl in free_propositions(t):
        label = f"_hyp{decl.fvar.id}"
        if label not in rules.erased:
            type_ = m.instantiate_mvars(decl.type)
            found = rules_of(m, label, decl.fvar, ())
            entries.append(Entry(decl.fvar, decl.name, type_, decl.fvar, found))
    for _ in range(MAX_ROUNDS):
        before = t.main
        modified = False
        for entry in entries:
            new = _simplified(t, entry, _with(rules, entries, entry))
            if new is None:
                return
            modified = modified or new
        m.lctx = m.mvar_decl(t.main).lctx
        if simp_target(t, _with(rules, entries, None)):
            return
        if not modified and t.main is before:
            break
    else:
        raise MetaError(f"Tactic `simp_all` failed with a nested error:\n{RECURSION}")
    changed = [entry for entry in entries if entry.changed]
    if not changed and t.main is start and rules.options.fail_if_unchanged:
        raise MetaError("simp_all made no progress")
    # From the first that changed on, all are stated anew, so they keep their order.
    moved = entries[entries.index(changed[0]) :] if changed else []
    for entry in moved:
        if not alpha_eq(entry.type, TRUE):
            assert_hypothesis(t, entry.name, entry.type, entry.proof)
    for entry in reversed(moved):
        try_clear(t, entry.fvar)


def _with(rules: RuleSet, entries: list[Entry], without: Entry | None) -> RuleSet:
    """Return the rules together with those of all hypotheses except `without`."""
    out = replace(rules, by_key={key: list(found) for key, found in rules.by_key.items()})
    for entry in entries:
        if entry is not without:
            out.add(entry.rules)
    return out


def _simplified(t: Tactics, entry: Entry, rules: RuleSet) -> bool | None:
    """Simplify one hypothesis; return whether that changed it, `None` if it closed the goal."""
    m = t.m
    if alpha_eq(entry.type, TRUE):
        return False
    result = Simplifier(t, rules).simp(entry.type)
    if alpha_eq(result.expr, entry.type):
        return False
    if result.proof is not None:
        args = (entry.type, result.expr, result.proof, entry.proof)
        entry.proof = mk_apps(mk_const("Eq.mp", (ZERO,)), args)
    else:
        # equal by definition: `id` gives the proof the new type, from which the rules are read
        entry.proof = mk_apps(mk_const("id", (ZERO,)), (result.expr, entry.proof))
    entry.type, entry.changed = result.expr, True
    if alpha_eq(entry.type, FALSE):
        t.close(absurd_term(t, entry.proof))
        return None
    entry.rules = [] if alpha_eq(entry.type, TRUE) else rules_of(m, f"_hyp{entry.fvar.id}", entry.proof, ())
    return True
