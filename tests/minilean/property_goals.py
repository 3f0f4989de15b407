"""Goals for the property tests beyond the two sets: types, recursion, families, universes, classes, notation.

Every entry has a proof; `test_properties` damages and recombines its lines.
"""

from __future__ import annotations

from lean_gym.types import Theorem

TREE = """inductive Tree (α : Type u) where
  | leaf : Tree α
  | node (l : Tree α) (x : α) (r : Tree α) : Tree α
def Tree.size : Tree α → Nat
  | .leaf => 0
  | .node l _ r => l.size + r.size + 1
def Tree.mirror : Tree α → Tree α
  | .leaf => .leaf
  | .node l x r => .node r.mirror x l.mirror"""
VEC = """inductive Vec (α : Type u) : Nat → Type u where
  | nil : Vec α 0
  | cons (x : α) (xs : Vec α n) : Vec α (n + 1)
def Vec.toList : Vec α n → List α
  | .nil => []
  | .cons x xs => x :: xs.toList"""
EVEN = """inductive Even : Nat → Prop where
  | zero : Even 0
  | step (h : Even n) : Even (n + 2)
def double : Nat → Nat
  | 0 => 0
  | n + 1 => double n + 2"""
COLOUR = """inductive Colour where | red | green | blue
  deriving DecidableEq
def Colour.next : Colour → Colour
  | .red => .green | .green => .blue | .blue => .red
def rank (c : Colour) : Nat := match c with | .red => 0 | .green => 1 | .blue => 2"""
CLASSES = """class Magma (α : Type u) where
  op : α → α → α
class Semi (α : Type u) extends Magma α where
  assoc (a b c : α) : op (op a b) c = op a (op b c)
infixl:65 " ⋄ " => Magma.op
instance : Semi Nat where
  op := Nat.add
  assoc := Nat.add_assoc"""
POINT = """@[ext] structure Point where
  x : Nat
  y : Nat := 1
def Point.swap (p : Point) : Point := { x := p.y, y := p.x }
def shift (p : Point) (by_ : Nat := 2) : Point := { p with x := p.x + by_ }
theorem pos (n : Nat) (h : 0 < n := by omega) : n ≠ 0 := Nat.ne_of_gt h"""
FLIP = """inductive Rel : Nat → Nat → Prop where
  | base (n : Nat) : Rel n n
  | up (n m : Nat) (h : Rel n m) : Rel n (m + 1)
@[refl] theorem Rel.rfl' (n : Nat) : Rel n n := .base n
@[simp] theorem Rel.up_self (n : Nat) : Rel n (n + 1) := .up _ _ (.base _)
macro "steps" : tactic => `(tactic| repeat (first | exact Rel.base _ | apply Rel.up))
local notation "‖" n "‖" => Rel 0 n"""

_ROWS = [
    (TREE, "(t : Tree α) : t.mirror.mirror = t",
     "induction t with\n| leaf => rfl\n| node l x r ihl ihr => simp [Tree.mirror, ihl, ihr]"),
    (TREE, "(t : Tree α) : t.mirror.size = t.size",
     "induction t\ncase leaf => rfl\ncase node l x r h k =>\n  simp only [Tree.mirror, Tree.size, h, k]\n  omega"),
    (TREE, "(t : Tree Nat) : t.size = 0 ↔ t = .leaf",
     "constructor\n· intro h\n  cases t with\n  | leaf => rfl\n  | node l x r => simp [Tree.size] at h\n"
     "· rintro rfl\n  rfl"),
    (TREE, "(l r : Tree α) (x : α) : Tree.leaf ≠ .node l x r", "intro h\nnomatch h"),
    (TREE, "(l r s : Tree α) (x y : α) (h : Tree.node l x r = .node s y r) : x = y ∧ l = s",
     "injection h with h1 h2\nexact ⟨h2, h1⟩"),
    (VEC, "(v : Vec α n) : v.toList.length = n",
     "induction v with\n| nil => rfl\n| cons x xs ih => simp [Vec.toList, ih]"),
    (VEC, "(v : Vec α 0) : v = .nil", "cases v\nrfl"),
    (VEC, "(v : Vec Nat (n + 1)) : ∃ x xs, v = .cons x xs", "match v with | .cons x xs => exact ⟨x, xs, rfl⟩"),
    (VEC, "(v w : Vec α n) (h : v ≍ w) : v.toList = w.toList", "cases h\nrfl"),
    (EVEN, "(n : Nat) : Even (double n)", "induction n with\n| zero => exact .zero\n| succ n ih => exact .step ih"),
    (EVEN, "(h : Even (n + 2)) : Even n", "cases h\nassumption"),
    (EVEN, ": ¬Even 1", "intro h\ncases h"),
    (EVEN, "(n : Nat) (h : Even n) : ∃ k, n = 2 * k",
     "induction h with\n| zero => exact ⟨0, rfl⟩\n| step _ ih =>\n  obtain ⟨k, rfl⟩ := ih\n  exact ⟨k + 1, by omega⟩"),
    (EVEN, "(n : Nat) : double n = n + n",
     "induction n with\n| zero => rfl\n| succ n ih => unfold double; rw [ih]; omega"),
    (EVEN, "(n : Nat) : double n = 2 * n",
     "induction n\n· simp [double]\nrename_i n ih\nrw [double, ih, Nat.mul_add]"),
    (COLOUR, "(c : Colour) : c.next.next.next = c", "cases c <;> rfl"),
    (COLOUR, "(c : Colour) : c.next ≠ c", "rcases c with _ | _ | _\nall_goals decide"),
    (COLOUR, "(c : Colour) (h : rank c = 1) : c = .green", "unfold rank at h\nsplit at h <;> simp_all"),
    (COLOUR, "(c d : Colour) : (if c = d then 1 else 2) ≤ 2",
     "by_cases h : c = d\n· subst h; simp\nrw [if_neg h]\ndecide"),
    (COLOUR, "(c : Colour) : rank c < 3", "unfold rank\nsplit\n· decide\nall_goals decide"),
    (CLASSES, "[Semi α] (a b c d : α) : a ⋄ b ⋄ c ⋄ d = a ⋄ (b ⋄ (c ⋄ d))",
     "calc a ⋄ b ⋄ c ⋄ d = a ⋄ b ⋄ (c ⋄ d) := Semi.assoc _ _ _\n  _ = a ⋄ (b ⋄ (c ⋄ d)) := Semi.assoc ..\n"),
    (CLASSES, "(a b : Nat) : a ⋄ b = b ⋄ a", "show a + b = b + a\nexact Nat.add_comm a b"),
    (CLASSES, "{α : Type u} [Magma α] (f : α → α) (h : ∀ a b, f (a ⋄ b) = f a ⋄ f b) (a : α) : "
     "f (a ⋄ a ⋄ a) = f a ⋄ f a ⋄ f a", "simp only [h]"),
    (POINT, "(p : Point) : p.swap.swap = p", "rfl"),
    (POINT, "(p q : Point) (h : p.x = q.x) (k : p.y = q.y) : p = q", "ext\n· exact h\n· exact k"),
    (POINT, "(p : Point) : (shift p).x = p.x + 2 ∧ (shift p 3).y = p.y", "exact ⟨rfl, rfl⟩"),
    (POINT, ": ({ x := 3 } : Point) = ⟨3, 1⟩", "rfl"),
    (POINT, "(n : Nat) (h : 2 < n) : n ≠ 0", "exact pos n"),
    (FLIP, "(n : Nat) : ‖n‖", "induction n with\n| zero => rfl\n| succ n ih => exact .up _ _ ih"),
    (FLIP, ": Rel 2 5", "steps"),
    (FLIP, "(h : Rel n m) : n ≤ m", "induction h with\n| base => exact Nat.le_refl _\n| up m h ih => omega"),
    ("", "(xs : List Nat) (i : Nat) (h : i < xs.length) : xs[i] ∈ xs ∧ xs[i]? = some xs[i]",
     "refine ⟨?_, ?_⟩\n· simp\n· simp [h]"),
    ("", "(xs : List α) : xs.reverse.reverse = xs ∧ (xs ++ []).length = xs.length", "constructor <;> simp"),
    ("", "(f : α → β) (xs ys : List α) : (xs ++ ys).map f = xs.map f ++ ys.map f",
     "induction xs with\n| nil => rfl\n| cons x xs ih => rw [List.cons_append, List.map, ih]; rfl"),
    ("", "(o : Option Nat) (h : o ≠ none) : ∃ n, o = some n",
     "match o, h with\n| some n, _ => exact ⟨n, rfl⟩\n| none, h => exact absurd rfl h"),
    ("", "(a b : Nat) (h : a < b) : (if a < b then a else b) = min a b", "rw [if_pos h]\nomega"),
    ("", "(a b : Nat) : a ≤ b ∨ b ≤ a",
     "if h : a ≤ b then exact Or.inl h else\n  right\n  omega"),
    ("", "(a b c : Nat) (h : a = b) : a + c + 0 = c + b",
     "conv => lhs; rw [Nat.add_zero]\nconv at h => rhs; rw [← Nat.zero_add b]\nsimp only [Nat.zero_add] at h\n"
     "rw [h, Nat.add_comm]"),
    ("", "(f g : Nat × Nat → Nat) (h : ∀ x y, f (x, y) = g (x, y)) : f = g", "ext ⟨x, y⟩\nexact h x y"),
    ("", "(i j : Int) (h : 2 * i < 2 * j + 1) (k : i ≥ j) : i = j", "omega"),
    ("", "(n : Nat) (i j : Fin n) (h : i.val = j.val) : i = j", "ext\nexact h"),
    ("", "{α : Sort u} {p : α → Prop} (h : ∃ x, p x) (k : ∀ x, ¬p x) : False",
     "obtain ⟨x, hx⟩ := h\nexact k x hx"),
    ("", "{α : Type u} {β : Type v} (p : α × β) : (p.2, p.1).swap = p", "rcases p with ⟨a, b⟩\nrfl"),
    ("", "(s : {n : Nat // 0 < n}) : s.1 ≠ 0", "have h := s.property\nintro k\nsimp [k] at h"),
    ("", "(p q r : Prop) : (p → q) → (q → r) → ¬r → ¬p", "intro f g k hp\napply k\nrefine g ?_\nexact f hp"),
    ("", "(a b : Nat) (h : a ≤ b) : ∃ c, b = a + c", "exists b - a\ngeneralize k : b - a = c\nomega"),
    ("", "(xs : List Nat) (h : ∀ x ∈ xs, x = 0) : xs.foldr (· + ·) 0 = 0",
     "induction xs with\n| nil => rfl\n| cons x xs ih =>\n  simp only [List.foldr, h x (by simp)]\n"
     "  rw [ih fun y hy => h y (by simp [hy])]"),
    ("", "(a b : Bool) : (a && b) = (b && a) ∧ (!(a || b)) = (!a && !b)", "revert a b\ndecide"),
    ("", "(f : Nat → Nat) (h : ∀ x, f (x + 1) = f x) (n : Nat) : f n = f 0",
     "induction n using Nat.rec with\n| zero => rfl\n| succ n ih => exact (h n).trans ih"),
]  # fmt: skip


def goals() -> list[Theorem]:
    """Return the entries as theorems with reference proofs."""
    return [
        Theorem(f"extra_{i}", f"theorem extra_{i} {statement}", context=context, proof=proof)
        for i, (context, statement, proof) in enumerate(_ROWS)
    ]
