-- Checked with Lean 4.35.0.

/-! # `match` and definitions by equations: values, printed text, equation theorems -/

set_option linter.unusedVariables false

/-! A match prints as Lean prints it. -/

/--
error: unsolved goals
n : Nat
⊢ (match n with
    | 0 => 1
    | k.succ => k) =
    5
-/
#guard_msgs in
example (n : Nat) : (match n with | 0 => 1 | k + 1 => k) = 5 := by
  skip

/-! A pattern that the others determine prints with a dot. -/

namespace Ex2
theorem s {a b : Nat} {p : Nat → Prop} (h : a = b) (x : p a) : p b :=
  match h with | rfl => x

/--
info: theorem Ex2.s : ∀ {a b : Nat} {p : Nat → Prop}, a = b → p a → p b :=
fun {a b} {p} h x =>
  match b, h with
  | .(a), Eq.refl a => x
-/
#guard_msgs in
#print s
end Ex2

/-! Patterns of numerals and sums of other types are constructors. -/

-- `toPattern` evaluates what is marked `@[match_pattern]` until constructors and variables are left.
namespace Ex3
inductive MyNat where | zero | succ (n : MyNat)
namespace MyNat
def ofNat : Nat → MyNat | 0 => zero | n + 1 => succ (ofNat n)
instance : OfNat MyNat n := ⟨ofNat n⟩
def add : MyNat → MyNat → MyNat
  | a, 0 => a
  | a, succ b => succ (add a b)
instance : Add MyNat := ⟨add⟩
def mul : MyNat → MyNat → MyNat
  | _, 0 => 0
  | a, b + 1 => mul a b + a
example (a b : MyNat) : mul a (succ b) = mul a b + a := rfl
end MyNat
end Ex3

namespace WithFunctions

def fib : Nat → Nat
  | 0 => 0
  | 1 => 1
  | n + 2 => fib n + fib (n + 1)

def len {α : Type u} : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1

def app (xs ys : List α) : List α := match xs with
  | [] => ys
  | x :: xs => x :: app xs ys

inductive Tree where
  | leaf : Tree
  | node (l : Tree) (v : Nat) (r : Tree) : Tree

def Tree.mirror : Tree → Tree
  | leaf => leaf
  | node l v r => node r.mirror v l.mirror

def Tree.size : Tree → Nat
  | leaf => 0
  | node l _ r => l.size + 1 + r.size

def overlap : Nat → Nat → Nat
  | 0, _ => 1
  | _, 0 => 2
  | n + 1, m + 1 => overlap n m

/-! Functions compute by rfl. -/

example : fib 10 = 55 := rfl
example : len [1, 2, 3] = 3 := rfl
example : app [1] [2, 3] = [1, 2, 3] := rfl
example : overlap 2 1 = 2 := rfl
example : Tree.leaf.mirror = Tree.leaf := rfl
example : (Tree.node .leaf 1 (.node .leaf 2 .leaf)).size = 2 := rfl

/-! Equations hold by rfl. -/

example (n : Nat) : fib (n + 2) = fib n + fib (n + 1) := rfl
example (a : Nat) (l : List Nat) : len (a :: l) = len l + 1 := rfl
example (x : α) (xs ys : List α) : app (x :: xs) ys = x :: app xs ys := rfl
example (l r : Tree) (v : Nat) : (Tree.node l v r).mirror = .node r.mirror v l.mirror := rfl
example (n m : Nat) : overlap (n + 1) (m + 1) = overlap n m := rfl
example (m : Nat) : overlap 0 m = 1 := rfl

/-! Equation theorems. -/

/-- info: WithFunctions.fib.eq_3 (n : Nat) : fib n.succ.succ = fib n + fib (n + 1) -/
#guard_msgs in
#check fib.eq_3

/-- info: WithFunctions.len.eq_1.{u} {α : Type u} : len [] = 0 -/
#guard_msgs in
#check len.eq_1

/-! Proofs by match and recursion. -/

section
theorem app_nil : ∀ xs : List α, app xs [] = xs
  | [] => rfl
  | x :: xs => congrArg (x :: ·) (app_nil xs)
theorem swap {p q : Prop} : p ∨ q → q ∨ p := fun
  | .inl h => .inr h
  | .inr h => .inl h
theorem Tree.mirror_mirror : ∀ t : Tree, t.mirror.mirror = t
  | .leaf => rfl
  | .node l v r => by
    show Tree.node l.mirror.mirror v r.mirror.mirror = _
    rw [mirror_mirror l, mirror_mirror r]
example : ¬(1 = 2) := nofun
example (h : 0 = 1) : False := nomatch h

/-- info: 'WithFunctions.Tree.mirror_mirror' does not depend on any axioms -/
#guard_msgs in
#print axioms Tree.mirror_mirror
end

end WithFunctions

namespace WithExpr

inductive Expr where
  | num : Nat → Expr
  | plus : Expr → Expr → Expr

def Expr.simp : Expr → Expr
  | num n => num n
  | plus (num 0) b => simp b
  | plus a b => plus (simp a) (simp b)

def Expr.eval : Expr → Nat
  | num n => n
  | plus a b => a.eval + b.eval

def toTen : Nat → Nat
  | 0 => 0
  | 10 => 1
  | n + 1 => toTen n

/-! Recursive functions with nested overlapping patterns have equations. -/

/-- info: WithExpr.Expr.simp.eq_2 (b : Expr) : ((Expr.num 0).plus b).simp = b.simp -/
#guard_msgs in
#check Expr.simp.eq_2

namespace Ex2
theorem eval_simp (e : Expr) : e.simp.eval = e.eval := by
  induction e with
  | num n => rfl
  | plus a b iha ihb =>
    unfold Expr.simp
    split
    next n h => cases h
    next c h => cases h; simp [Expr.eval, ihb]
    next c d _ h => cases h; simp [Expr.eval, iha, ihb]
end Ex2

end WithExpr
