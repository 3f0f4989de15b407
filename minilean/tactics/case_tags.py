"""Goals chosen by their case tags: `case`, `case'`, `next`.

Source: Lean 4 `src/Lean/Elab/Tactic/BuiltinTactic.lean` (4.34).
"""

from __future__ import annotations

from minilean.kernel.expr import MVar
from minilean.meta.errors import MetaError
from minilean.syntax import ast
from minilean.tactics.hypotheses import rename_inaccessible
from minilean.tactics.registry import runs
from minilean.tactics.state import Tactics, retag
from minilean.tactics.structuring import tac_bullet


def case_goal(t: Tactics, tag: str) -> MVar | None:
    """Return the first goal with this tag, else the first that has it as a suffix, else as a prefix."""
    t.prune()
    if tag == "_":
        return t.goals[0] if t.goals else None
    tags = [(g, t.m.mvar_decl(g).tag.rstrip("✝")) for g in t.goals]
    exact = [g for g, own in tags if own == tag]
    suffix = [g for g, own in tags if own.endswith("." + tag)]
    prefix = [g for g, own in tags if own.startswith(tag + ".")]
    return next(iter([*exact, *suffix, *prefix]), None)


@runs(ast.CaseTac)
def tac_case(t: Tactics, stx: ast.CaseTac) -> None:
    """`case tag x y => tacs`, `case' ...`, `next x => tacs`."""
    for tag, names in stx.tags:
        goal = case_goal(t, tag)
        if goal is None:
            raise MetaError(_no_case(t, tag))
        others = [g for g in t.goals if g is not goal]
        new = rename_inaccessible(t, goal, names) if names else goal
        own = t.m.mvar_decl(new).tag
        if stx.kind != "case'":
            new = retag(t, new, "")
        t.goals = [new]
        t.m.lctx = t.m.mvar_decl(new).lctx
        if stx.kind == "case'":
            t.run_block(stx.block)
            t.prune()
        else:
            tac_bullet(t, ast.Bullet(stx.block, start=stx.start, end=stx.end))
        if len(t.goals) == 1:
            retag(t, t.goals[0], own)
        t.goals = [*t.goals, *others]


def _no_case(t: Tactics, tag: str) -> str:
    tags = [own for g in t.goals if (own := t.m.mvar_decl(g).tag.rstrip("✝"))]
    text = f"Case tag `{tag}` not found."
    if not tags:
        return text + "\n\nNote: There are no cases to select."
    if len(tags) == 1:
        return text + f"\n\nHint: The only available case tag is `{tags[0]}`."
    return text + "\n\nHint: Available tags:" + "".join(f"\n  `{own}`" for own in tags)
