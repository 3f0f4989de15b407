"""Random sessions: any commands in any order lead to no crash, no forged proof and no unknown state."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from minilean.kernel.errors import NotAProposition
from minilean.kernel.expr import Expr
from minilean.kernel.traversal import alpha_eq
from minilean.repl.goals import value_of
from minilean.repl.server import execute, new_session
from minilean.repl.session import Session
from minilean.repl.terms import elaborated_type

STATEMENTS = (
    "False",
    "∀ p : Prop, p",
    "∀ (p q : Prop), p ∨ q → q ∨ p",
    "∃ n : Nat, n + 1 = 2",
    "∀ n : Nat, n + 0 = n",
    "∀ p : Prop, p → p ∧ p",
    "Nat × Nat",
    "∀ (α : Type) (a b : α), a = b → b = a",
)
FALSE_ONES = STATEMENTS[:2]
TACTICS = """intro x
intros
constructor
cases x
apply Exists.intro
refine ⟨?_, ?_⟩
rfl
simp
sorry
left
right
assumption
trivial
exact h
have h : True := trivial
exact Or.inr h
all_goals sorry
induction n
revert x
exact fun x => x
refine ?_
exact _
rw [Nat.add_comm]
refine @Eq.mpr _ _ ?_ ?_
apply id
exfalso
exact sorryAx _ false
by_cases h : True
let y := 3
show ?_
generalize 1 = x
contradiction"""
TEXTS = {
    "tactic": TACTICS.splitlines(),
    "expr": ["?_", "sorry", "⟨?_, ?_⟩", "fun x => ?_", "fun x => sorry", "by skip", "rfl", "And.intro ?_ ?_"],
    "have": list(STATEMENTS),
    "let": list(STATEMENTS),
    "draft": [
        "sorry",
        "⟨sorry, sorry⟩",
        "fun x => sorry",
        "by\n intro x\n sorry",
        "(fun h => sorry) (sorry : True)",
    ],
    "mode": ["tactic", "conv"],
}
FILES = (
    "theorem t : False := sorry",
    "def f : Nat := sorry\ntheorem g : f = f := sorry",
    "axiom a : False\ntheorem b : False := a",
    "example : False := by sorry\n#eval 1 + 1",
    "theorem u (n : Nat) : n = n := by\n  induction n with\n  | zero => sorry\n  | succ n ih => rfl",
    'notation "oops" => sorry\ntheorem v : False := oops',
    "theorem w : 1 = 1 := rfl\nend",
)


class Player:
    """Sender of random commands."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.session: Session = new_session()

    def question(self) -> tuple[str, dict[str, Any]]:
        rng = self.rng
        here = rng.randrange(self.session.next_id + 1)
        there = rng.randrange(self.session.next_id + 1)
        name = rng.choice(self.names())
        kind = rng.choices(
            ("start", "step", "print", "continue", "subsume", "process", "distil", "track", "option"),
            (12, 60, 6, 6, 6, 3, 3, 2, 2),
        )[0]
        if kind == "start":
            return "goal.start", {"expr": rng.choice(STATEMENTS)}
        if kind == "step":
            field = rng.choices(list(TEXTS), (70, 10, 6, 4, 8, 2))[0]
            site = {"goalId": rng.randrange(3)} if rng.random() < 0.3 else {}
            return "goal.tactic", {"stateId": here, field: rng.choice(TEXTS[field]), **site}
        if kind == "print":
            return "goal.print", {"stateId": here, "rootExpr": True, "parentExprs": True, "goals": True}
        if kind == "continue":
            source = {"branch": there} if rng.random() < 0.5 else {"goals": [name]}
            return "goal.continue", {"target": here, **source}
        if kind == "subsume":
            return "goal.subsume", {"stateId": here, "goal": name, "candidates": self.names()}
        if kind == "option":
            return "options.set", {"automaticMode": rng.random() < 0.7, "printExprAST": rng.random() < 0.5}
        if kind == "track":
            return "frontend.track", {"src": rng.choice(FILES), "dst": rng.choice(FILES)}
        file = "\n".join(rng.sample(FILES, 2))
        if kind == "distil":
            return "frontend.distil", {"file": file, "ignoreValues": rng.random() < 0.5}
        return "frontend.process", {"file": file, "sorrys": True, "newConstants": True}

    def names(self) -> list[str]:
        states = list(self.session.states.values())
        if not states:
            return ["_uniq.1"]
        return [f"_uniq.{mvar}" for mvar in list(self.rng.choice(states).state.mctx.decls)[-5:]]


@pytest.mark.parametrize("seed", range(4))
def test_a_random_session(seed: int) -> None:
    player = Player(seed)
    session = player.session
    for _ in range(250):
        command, payload = player.question()
        before = dict(session.states)
        answer = execute(session, command, payload)
        text = json.dumps(answer)
        assert answer.get("error") != "main" and "internal error" not in text, (command, payload, text)
        failed = "error" in answer or (command == "goal.tactic" and "nextStateId" not in answer)
        if failed or command in ("goal.print", "frontend.track"):
            assert session.states == before, (command, payload)
        else:
            assert before.items() <= session.states.items()
        if "nextStateId" in answer and not answer["goals"]:
            check_finished(session, answer["nextStateId"])


def check_finished(session: Session, state_id: int) -> None:
    """Check that a root shown as complete is a proof that the kernel accepts, with `sorry` if the answer says so."""
    goal_state = session.states[state_id]
    printed = execute(session, "goal.print", {"stateId": state_id, "rootExpr": True})
    if goal_state.root is None:
        # Several `sorry`s of one declaration: the state does not prove a single statement.
        assert "root" not in printed
        return
    if "root" not in printed or printed["rootHasMVar"]:
        return
    problem = goal_state.problem
    with problem.reading(goal_state.state) as m:
        root, decl = value_of(m, goal_state.root), m.mvar_decl(goal_state.root)
    assert root is not None
    if len(decl.lctx):
        # The one `sorry` of a declaration: its proof is a term in a context.
        return
    try:
        axioms = problem.env.kernel.check_proof(problem.signature.level_params, decl.type, root)
    except NotAProposition:
        # The target was data.
        return
    assert printed["rootHasSorry"] == ("sorryAx" in axioms)
    if is_false(session, decl.type):
        assert "sorryAx" in axioms


def is_false(session: Session, statement: Expr) -> bool:
    """Return whether a statement is one of the false ones."""
    return any(alpha_eq(statement, elaborated_type(session, text, ())[1]) for text in FALSE_ONES)


def test_the_false_ones_are_recognised() -> None:
    session = new_session()
    for text in STATEMENTS:
        assert is_false(session, elaborated_type(session, text, ())[1]) == (text in FALSE_ONES)
