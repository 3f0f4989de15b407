"""Every tactic on odd contexts: the answer is a state or a message of Lean's, never an exception of minilean's.

Each run draws a third of the tactics for each context. The random scripts have fixed seeds. Finished proofs are checked
by the kernel.
"""

from __future__ import annotations

import random
import re

import pytest

import minilean.tactics.families  # noqa: F401  registers all tactics
from minilean.library import library
from minilean.proof import Context, Problem, ProofError, State
from minilean.syntax.parser import CORE

pytestmark = pytest.mark.timeout(120)

CONTEXT = """
universe u v
inductive Two : Prop | a | b
inductive Three : Type | x | y (n : Three) | z
inductive Empty' : Type
inductive Bad : Prop
inductive Poly (α : Sort u) : Sort (max 1 u) | mk (a : α)
inductive Vec (α : Type u) : Nat → Type u | nil : Vec α 0 | cons {n : Nat} (a : α) (v : Vec α n) : Vec α (n + 1)
inductive Fam : Nat → Prop | zero : Fam 0 | succ (n : Nat) (h : Fam n) : Fam (n + 1)
inductive Tree (α : Type u) : Type u | node (a : α) (l : List (Tree α))
inductive W (α : Type) (β : α → Type) : Type | sup (a : α) (f : β a → W α β)
structure Pair (α : Type u) (β : α → Type v) where
  fst : α
  snd : β fst
structure Proved (p : Prop) : Prop where
  proof : p
structure Nothing' : Type
class Mark (α : Sort u) where
  mark : α
def two : Nat := 2
def odd : Nat → Bool | 0 => false | 1 => true | n + 2 => odd n
def pick (n : Nat) (h : n > 0) : Nat := match n with | m + 1 => m
abbrev Alias := Nat
"""

STATEMENTS = [
    "theorem t : Two.a ≠ Two.b",
    "theorem t (h : Two.a ≠ Two.b) : False",
    "theorem t (h k : Two) : h = k",
    "theorem t {α : Sort u} : ¬(∀ _a : α, False)",
    "theorem t {α : Sort u} (a b : α) (h : a = b) : b = a",
    "theorem t {α : Sort u} (h : α → False) (a : α) : Two",
    "theorem t (h : Empty') (n : Nat) : n = n + 1",
    "theorem t (f : Nat → Empty') : False",
    "theorem t (x y : Empty') : x = y",
    "theorem t (x : Bad) : x = x ∧ 1 = 2",
    "theorem t {α : Sort u} (x y : Poly α) (h : x = y) : y = x",
    "theorem t (x : Poly.{0} True) : x = ⟨trivial⟩",
    "theorem t (v : Vec Nat 0) : v = .nil",
    "theorem t {n : Nat} (v w : Vec Nat (n + 1)) (h : v = w) : w = v",
    "theorem t (n : Nat) (h : Fam (n + 1)) : Fam n",
    "theorem t (h : Fam 1) (k : Fam 2) : HEq h k ∨ True",
    "theorem t (x : Tree Nat) : ∃ a l, x = .node a l",
    "theorem t (x y : W Nat (fun _ => Bool)) (h : x = y) : y = x",
    "theorem t (p q : Pair Nat Fin) (h : p = q) : p.fst = q.fst",
    "theorem t (p : Pair Nat Fin) (h : HEq p.snd p.fst) : p = ⟨p.fst, p.snd⟩",
    "theorem t {p : Prop} (h : Proved p) : p",
    "theorem t (x y : Nothing') : x = y",
    "theorem t [Mark Nat] : (Mark.mark : Nat) = Mark.mark",
    "theorem t (n : Nat) : let k := n + two; k = n + 2",
    "theorem t (n : Nat) (i j : Fin n) (h : i = j) (k : n = 0) : False",
    "theorem t (i : Fin 0) : two = 3",
    "theorem t (n : Nat) (h : odd n = true) : n ≠ 0",
    "theorem t (n : Nat) (h : n > 0) : pick n h < n",
    "theorem t (a b : Alias) (h : a = b) : b + a = a + b",
    "theorem t (f g : Nat → Nat) (h : f = g) (x : Nat) : f x = g x",
    "theorem t (f : (n : Nat) → Fin (n + 1)) (h : f 0 = f 0) : (f 0).val = 0",
    "theorem t (p : Nat → Prop) (h : ∃ x, p x) (k : ∀ x, ¬p x) : False",
    "theorem t (p q : Prop) (h : p ↔ q) (k : p ∨ q) : p ∧ q",
    "theorem t (a b : Prop) (h : a = b) (x : a) : b",
    "theorem t (α β : Type u) (h : α = β) (x : α) (y : β) (e : HEq x y) : cast h x = y",
    "theorem t (x : Nat) (h : (if x = 0 then 1 else 2) = 2) : x ≠ 0",
    "theorem t (o : Option Nat) (h : (match o with | none => 0 | some n => n + 1) = 0) : o = none",
    "theorem t (x : Three) (h : x = .y x) : x = .z",
    "theorem t (s : { n : Nat // n > 0 }) : s.1 ≠ 0 ∧ s.2 = s.2",
    "theorem t (x : Nat × Nat) (h : x.1 = x.2) : x = (x.2, x.1)",
    "theorem t : ∀ α : Type, (α → Empty') → ∀ x : α, x = x",
    "theorem t (q : Quot (fun a b : Nat => a = b)) : q = q",
    "theorem t (h : ¬True) (x : Unit) : x = ()",
    "theorem t (n : Nat) (h : ¬(n < 5 → n < 3)) : n = 3 ∨ n = 4",
    "theorem t (x y : Int) (h : x < y) : x + 1 ≤ y",
    'theorem t (c : Char) (s : String) : c = c ∧ s = s ++ ""',
]

FORMS = {
    "": """ac_rfl and_intros apply_rfl assumption clean_wf constructor contradiction decide decreasing_tactic
        decreasing_trivial done eq_refl exact? exfalso false_or_by_contra get_elem_tactic grind infer_instance left
        nofun omega rfl right simp simp? simp_all simp_all? simp_wf skip split subst_vars symm trivial dsimp dsimp?
        simpa simp_arith intro intros ext funext injections congr rotate_left rotate_right classical fail by_contra
        bv_decide native_decide and_intros rcases obtain show""",
    "{h}": """cases induction rcases subst revert clear exact apply refine refine' specialize injection intro intros
        rintro rename_i unfold delta fun_cases fun_induction nomatch by_cases exacts funext ext change show exists
        generalize contradiction obtain simpa unfold_let replace have let suffices""",
    "[{h}]": "simp dsimp simp_all rw rewrite erw rwa grind exacts simp? simpa",
    "[← {h}]": "rw simp simp_all",
    "at {h}": "simp dsimp split symm rw contradiction norm_num simp_all unfold injections",
    "[{h}] at *": "simp dsimp rw",
    "at *": "simp dsimp split",
    "using {h}": "simpa",
    "(fun x => {h})": "exact apply refine cases exists have",
    "(x := {h})": "apply exact specialize refine",
    "⟨_, _⟩": "exact refine rintro intro",
    "⟨?_, {h}⟩": "refine refine'",
    "{h} with x | y": "rcases cases injection obtain induction",
    "⟨x, y⟩ := {h}": "obtain have",
    "{h} = q": "generalize",
    "e : {h} = q": "generalize",
    "e : {h}": "cases induction rcases by_cases",
    "({h} {k})": "exact apply specialize have",
    "({h}.{f})": "exact apply cases rw simp have",
    "@{c}": "exact apply refine have rw unfold",
    "{c}": "exact apply unfold delta simp rw exists cases induction exists",
    "[{c}]": "simp dsimp simp_all rw grind",
    "{h} using {c}": "induction cases",
    "=> {t}": "conv all_goals any_goals case' classical",
    "({t})": "try repeat iterate any_goals all_goals first",
    "{h} generalizing {k}": "induction",
    "(_ : {h} = {k})": "have show change",
    "_ = _": "show change have suffices by_cases calc",
}  # fmt: skip
FIELDS = "1 2 fst snd val elim symm mp rec casesOn noConfusion proof proof.1 le isLt succ"
CONSTANTS = """Two.a Two.rec Three.y Vec.cons Vec.rec Fam.casesOn Nat.rec Poly.mk Pair.mk Pair.fst Two Three Eq.rec rfl
    HEq.refl absurd False.elim Nat.succ odd pick two Alias Eq.subst id Classical.em propext funext Nat.le_antisymm
    Nat.strongRecOn Empty'.rec Quot.ind Iff.intro And.rec Exists.intro odd.induct Tree.rec W.rec Nat.noConfusion cast_eq
    sorryAx"""


def texts(draw: random.Random, names: list[str], depth: int = 0) -> str:
    """Return a tactic with arguments out of these names."""
    form = draw.choice(list(FORMS))
    word = draw.choice(FORMS[form].split())
    pick = [*names, "h", "_", "0", "x", "(by simp)", "rfl", "?a"]
    inner = texts(draw, names, depth + 1) if "{t}" in form and depth < 2 else "skip"
    arguments = form.format(
        h=draw.choice(pick),
        k=draw.choice(pick),
        f=draw.choice(FIELDS.split()),
        c=draw.choice(CONSTANTS.split()),
        t=inner,
    )
    return f"{word} {arguments}".strip()


def attempt(problem: Problem, state: State, tactic: str) -> State:
    """Return the state after a tactic, or the same state if it is refused by a message."""
    step = problem.apply(state, tactic, seconds=2.0, heartbeats=20_000)
    assert step.error is None or "internal" not in step.error, f"{tactic}: {step.error}"
    if step.state is None:
        return state
    problem.goal_texts(step.state)
    if not step.state.goals:
        try:
            axioms = problem.check(step.state)
        except ProofError as error:
            raise AssertionError(f"{tactic} makes a wrong proof: {error}") from None
        assert set(axioms) <= {"propext", "Classical.choice", "Quot.sound"}
    return step.state


def hypotheses(problem: Problem, state: State) -> list[str]:
    rows = problem.goal_rows(state)[0][1] if state.goals else []
    return [name for name, _, _ in rows if "✝" not in name]


@pytest.fixture(scope="module")
def context() -> Context:
    return Context(library(), CONTEXT)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_tactic_once(context: Context, statement: str) -> None:
    problem = context.problem(statement)
    for first in ("skip", "intros", "refine Classical.byContradiction fun no => ?_"):
        state = attempt(problem, problem.start(), first)
        names = hypotheses(problem, state)
        words = sorted(CORE.tactics)
        for word in random.sample(words, len(words) // 3):
            attempt(problem, state, word)
            for name in names[-2:]:
                for form in ("{w} {h}", "{w} [{h}]", "{w} at {h}"):
                    attempt(problem, state, form.format(w=word, h=name))


@pytest.mark.parametrize("statement", STATEMENTS)
def test_random_scripts(context: Context, statement: str) -> None:
    draw = random.Random(statement)
    problem = context.problem(statement)
    for _ in range(25):
        state = problem.start()
        for _ in range(6):
            if not state.goals:
                break
            state = attempt(problem, state, texts(draw, hypotheses(problem, state)))


def test_the_forms_are_tactics() -> None:
    """Most words of the forms exist; the others test that an unknown word is refused by a message."""
    words = {word for words in FORMS.values() for word in words.split()}
    assert len({word for word in words if re.match(r"\w+", word) and word in CORE.tactics}) > 60
