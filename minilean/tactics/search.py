"""`exact?`: close the main goal with hypotheses and one lemma of the library, and report the proof.

The search is bounded: a lemma's premises are proved from hypotheses only, a few applications deep.

Source: Lean 4 `src/Lean/Meta/Tactic/LibrarySearch.lean`, `SolveByElim.lean` (4.34).
"""

from __future__ import annotations

from collections.abc import Iterator

from minilean.kernel.declaration import Constructor, TheoremDecl
from minilean.kernel.expr import Const, Expr, Let, MVar, Pi, get_app
from minilean.meta.errors import MetaError
from minilean.meta.extension import PRIVATE, REDUCIBLE, LeanEnv
from minilean.meta.infer import infer_type
from minilean.meta.occurrences import collect_mvars
from minilean.meta.whnf import whnf_core, whnf_reducible
from minilean.syntax import ast
from minilean.tactics.apply import apply_term
from minilean.tactics.contradiction import find_assumption
from minilean.tactics.hypotheses import intro_one
from minilean.tactics.registry import runs
from minilean.tactics.relations import try_rfl
from minilean.tactics.state import Tactics

MAX_DEPTH = 4
MAX_CANDIDATES = 600
MAX_ATTEMPTS = 6_000
_FAILED = "`exact?` could not close the goal. Try `apply?` to see partial suggestions."


def conclusion_head(type_: Expr) -> tuple[str, int]:
    """Return the head constant of the conclusion of a statement, and the number of its arguments."""
    while type(type_) is Pi:
        type_ = type_.body
    fn, args = get_app(type_)
    return (fn.name if type(fn) is Const else "", len(args))


def lemmas_by_head(env: LeanEnv) -> dict[tuple[str, int], list[str]]:
    """Return theorems and constructors by the head of their conclusion, those with fewest premises first."""
    hit = env.memo.get("lemmas_by_head")
    if hit is None:
        found: dict[tuple[str, int], list[tuple[int, int, str]]] = {}
        for number, name in enumerate(env.kernel):
            decl = env.find(name)
            # no source can write the private name of another file
            if isinstance(decl, (TheoremDecl, Constructor)) and not name.startswith(PRIVATE):
                key = conclusion_head(decl.type)
                found.setdefault(key, []).append((_premises(decl.type), number, name))
        hit = {key: [name for _, _, name in sorted(entries)] for key, entries in found.items()}
        env.memo["lemmas_by_head"] = hit
    return hit  # type: ignore[return-value]


def _premises(type_: Expr) -> int:
    """Return the number of premises to prove: binders that later binders and the conclusion do not mention."""
    count = 0
    while type(type_) is Pi:
        count += not type_.body.loose
        type_ = type_.body
    return count


class LibrarySearch:
    """One search; `left` is the number of attempts that may still be made."""

    def __init__(self, t: Tactics) -> None:
        self.t, self.m = t, t.m
        self.left = MAX_ATTEMPTS

    def solve(self, goals: list[MVar], depth: int) -> bool:
        """Close all goals from hypotheses."""
        t, m = self.t, self.m
        goals = [g for g in goals if not m.mctx.is_assigned(g.id)]
        if not goals:
            return True
        # goals that other goals mention are solved together with those
        goal = goals[0]
        t.goals = [goal]
        m.lctx = m.mvar_decl(goal).lctx
        for action in self._ways(depth):
            self.left -= 1
            if self.left < 0:
                return False
            solved = False

            def go(action: Expr | None = action) -> None:
                nonlocal solved
                t.goals = [goal]
                m.lctx = m.mvar_decl(goal).lctx
                more = self._apply(action)
                if not self.solve([*more, *goals[1:]], depth - bool(more)):
                    raise MetaError("no way")
                solved = True

            t.attempt(go)
            if solved:
                return True
        return False

    def _ways(self, depth: int) -> Iterator[Expr | None]:
        """Yield hypotheses to apply, the latest first; `None` stands for tactics that close the goal at once."""
        yield None
        if depth <= 0:
            return
        for decl in reversed(list(self.m.lctx)):
            if not decl.hidden and type(whnf_core(self.m, self.m.instantiate_mvars(decl.type))) is Pi:
                yield decl.fvar

    def _apply(self, way: Expr | None) -> list[MVar]:
        t, m = self.t, self.m
        if way is not None:
            return apply_term(t, way, set(m.mctx.decls))
        found = find_assumption(t, t.target)
        if found is not None:
            t.close(found.fvar)
        elif collect_mvars(t.target) or not try_rfl(t):
            raise MetaError("no assumption")
        return []

    def close(self, goal: MVar) -> bool:
        """Close the goal by hypotheses, else by a lemma and hypotheses."""
        t, m = self.t, self.m
        if self.solve([goal], MAX_DEPTH):
            return True
        target = whnf_reducible(m, m.instantiate_mvars(m.mvar_decl(goal).type))
        table = lemmas_by_head(m.env)
        fn, args = get_app(m.instantiate_mvars(m.mvar_decl(goal).type))
        heads = [(fn.name, len(args))] if type(fn) is Const else []
        reduced = get_app(target)
        if type(reduced[0]) is Const and (reduced[0].name, len(reduced[1])) not in heads:
            heads.append((reduced[0].name, len(reduced[1])))
        names = [name for head in heads for name in table.get(head, ())][:MAX_CANDIDATES]
        for name in names:
            closed = False

            def go(name: str = name) -> None:
                nonlocal closed
                t.goals = [goal]
                m.lctx = m.mvar_decl(goal).lctx
                with m.with_transparency(REDUCIBLE):
                    premises = apply_term(t, m.const(name), set(m.mctx.decls))
                if not self.solve(premises, 2):
                    raise MetaError("no way")
                closed = True

            self.left = MAX_ATTEMPTS // 20
            t.attempt(go)
            if closed:
                return True
        return False


@runs(ast.Simple, "exact?")
def tac_exact_search(t: Tactics, stx: ast.Simple) -> None:
    """`exact?`."""
    m = t.m
    main, rest = t.main, t.goals[1:]
    while type(m.instantiate_mvars(m.mvar_decl(t.main).type)) in (Pi, Let):
        intro_one(t, None)
    if not LibrarySearch(t).close(t.main):
        raise MetaError(_FAILED)
    m.lctx = m.mvar_decl(main).lctx
    value = m.instantiate_mvars(main)
    if collect_mvars(value):
        raise MetaError(_FAILED)
    infer_type(m, value)
    t.say(f"Try this:\n  [apply] exact {t.show(value, 4)}", stx)
    t.goals = rest
