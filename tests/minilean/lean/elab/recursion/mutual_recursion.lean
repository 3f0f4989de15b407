-- Checked with Lean 4.35.0.

/-! # Functions and theorems of a `mutual` block: structural recursion, equations, and Lean's refusals -/

set_option linter.unusedVariables false

/-! Functions over a nested type and theorems about them. -/

namespace Ex1
inductive Term where
  | const : String → Term
  | app : String → List Term → Term
mutual
def Term.numConsts : Term → Nat
  | .const _ => 1
  | .app _ ts => numConstsLst ts
def numConstsLst : List Term → Nat
  | [] => 0
  | t :: ts => t.numConsts + numConstsLst ts
end
mutual
def Term.replace (a b : String) : Term → Term
  | .const c => if a == c then .const b else .const c
  | .app f cs => .app f (replaceLst a b cs)
def replaceLst (a b : String) : List Term → List Term
  | [] => []
  | c :: cs => c.replace a b :: replaceLst a b cs
end
mutual
theorem same (a b : String) (e : Term) : (Term.replace a b e).numConsts = e.numConsts := by
  match e with
  | .const c => simp [Term.replace]; split <;> simp [Term.numConsts]
  | .app f cs => simp [Term.replace, Term.numConsts, sameLst a b cs]
theorem sameLst (a b : String) (es : List Term) : numConstsLst (replaceLst a b es) = numConstsLst es := by
  match es with
  | [] => simp [replaceLst, numConstsLst]
  | c :: cs => simp [replaceLst, numConstsLst, same a b c, sameLst a b cs]
end

/-- info: 'Ex1.same' depends on axioms: [propext] -/
#guard_msgs in
#print axioms same
example : (Term.app "f" [.const "a", .app "g" [.const "b"]]).numConsts = 2 := rfl
end Ex1

/-! Functions over types declared together. -/

namespace Ex2
mutual
inductive Tree (α : Type) where
  | leaf : Tree α
  | node : α → Forest α → Tree α
inductive Forest (α : Type) where
  | nil : Forest α
  | cons : Tree α → Forest α → Forest α
end
mutual
def Tree.size : Tree α → Nat
  | .leaf => 1
  | .node _ f => f.size + 1
def Forest.size : Forest α → Nat
  | .nil => 0
  | .cons t f => t.size + f.size
end
example : (Tree.node 1 (.cons .leaf .nil)).size = 2 := rfl
mutual
theorem Tree.pos : (t : Tree α) → 0 < t.size
  | .leaf => by simp [Tree.size]
  | .node _ f => by simp [Tree.size]
theorem Forest.fine : (f : Forest α) → 0 ≤ f.size
  | .nil => Nat.zero_le _
  | .cons _ f => by
    have := Forest.fine f
    exact Nat.zero_le _
end
end Ex2

/-! One function over a nested type. -/

namespace Ex3
inductive Rose where
  | mk : Nat → List Rose → Rose
def Rose.first : Rose → Nat
  | .mk n [] => n
  | .mk _ (r :: _) => r.first
example : (Rose.mk 1 [.mk 2 [], .mk 3 []]).first = 2 := rfl
example (n : Nat) : (Rose.mk n []).first = n := by simp [Rose.first]
end Ex3

/-! Induction by the recursor with the other motive given. -/

namespace Ex4
inductive Rose where
  | mk : Nat → List Rose → Rose
mutual
def Rose.sum : Rose → Nat
  | .mk n rs => n + sums rs
def sums : List Rose → Nat
  | [] => 0
  | r :: rs => r.sum + sums rs
end
mutual
def Rose.sum' : Rose → Nat
  | .mk n rs => sums' rs + n
def sums' : List Rose → Nat
  | [] => 0
  | r :: rs => sums' rs + r.sum'
end
theorem same (r : Rose) : r.sum = r.sum' := by
  induction r using Rose.rec (motive_2 := fun rs => sums rs = sums' rs) with
  | mk n rs ih => rw [Rose.sum, Rose.sum', ih, Nat.add_comm]
  | nil => rfl
  | cons r rs h1 h2 => rw [sums, sums', h1, h2, Nat.add_comm]
end Ex4

/-! A function that does not call the others comes first. -/

namespace Ex5
mutual
def f (n : Nat) : Nat := g n + 1
def g : Nat → Nat
  | 0 => 0
  | n + 1 => g n + 2
end
example : f 2 = 5 := rfl
namespace A
mutual
@[simp] def k (n m : Nat) : Nat := match n with
  | 0 => m
  | n + 1 => l n (m + 1)
termination_by structural n
@[simp] def l (n m : Nat) : Nat := match n with
  | 0 => m
  | n + 1 => k n (m + 2)
termination_by structural n
end
end A
example : A.k 2 0 = 3 := by simp
end Ex5

/-! All functions take the section variables that one of them mentions. -/

namespace Ex6
section
variable {α : Type u} (p : α → Bool) (unused : Nat)
mutual
def evens : List α → Nat
  | [] => 0
  | x :: xs => if p x then odds xs + 1 else odds xs
def odds : List α → Nat
  | [] => 0
  | _ :: xs => evens xs
end

/-- info: @odds : {α : Type u_1} → (α → Bool) → List α → Nat -/
#guard_msgs in
#check @odds
theorem odds_cons (x : α) (xs) : odds p (x :: xs) = evens p xs := by rw [odds]
end
section
variable (a b : Nat)
mutual
def k : Nat → Nat
  | 0 => a
  | n + 1 => l n
def l : Nat → Nat
  | 0 => b
  | n + 1 => k n
end
end
example : k 1 2 3 = 2 := rfl
end Ex6

/-! A section variable proves nothing. -/

namespace Ex7
variable (h : 1 = 2)
mutual
def a : Nat → PLift (1 = 2)
  | 0 => ⟨h⟩
  | n + 1 => b n
def b : Nat → PLift (1 = 2)
  | 0 => ⟨h⟩
  | n + 1 => a n
end

/-- info: Ex7.a (h : 1 = 2) : Nat → PLift (1 = 2) -/
#guard_msgs in
#check a

/--
error: numerals are data in Lean, but the expected type is a proposition
  1 = 2 : Prop
-/
#guard_msgs in
example : 1 = 2 := (a 0).down
end Ex7

-- proofs see the variables that a statement mentions, and those of `include`
namespace Ex8
variable (h : 1 = 2)

/-- error: Unknown identifier `h` -/
#guard_msgs in
mutual
theorem a (n : Nat) : n = n := rfl
theorem b (n : Nat) : 1 = 2 := h
end
end Ex8

/-! Theorems over section variables. -/

namespace Ex9
variable (p : Nat → Prop) (h0 : p 0) (hs : ∀ n, p n → p (n + 1)) (unused : Nat)
include h0 hs
mutual
theorem a : ∀ n, p n
  | 0 => h0
  | n + 1 => hs n (b n)
theorem b : ∀ n, p n
  | 0 => h0
  | n + 1 => hs n (a n)
end

/-- info: a : ∀ (p : Nat → Prop), p 0 → (∀ (n : Nat), p n → p (n + 1)) → ∀ (n : Nat), p n -/
#guard_msgs in
#check @a
theorem c (n : Nat) : p n ∧ p n := ⟨a p h0 hs n, b p h0 hs n⟩
end Ex9

/-! Functions after where. -/

namespace Ex10
variable (k : Nat)
mutual
def p (n : Nat) : Nat := match n with
  | 0 => base
  | n + 1 => q n + twice 2
where
  base : Nat := k
  twice : Nat → Nat
    | 0 => 0
    | m + 1 => twice m + 2
def q (n : Nat) : Nat := match n with
  | 0 => 0
  | n + 1 => p n + shift n
where
  shift (m : Nat) := m + n
end

/-- info: q.shift : Nat → Nat → Nat -/
#guard_msgs in
#check @q.shift

/-- info: p.base : Nat → Nat -/
#guard_msgs in
#check @p.base
end Ex10

namespace WithParity

mutual
def isEven : Nat → Bool
  | 0 => true
  | n + 1 => isOdd n
def isOdd : Nat → Bool
  | 0 => false
  | n + 1 => isEven n
end

/-! Functions compute and have equations. -/

/-- info: 'WithParity.isEven' does not depend on any axioms -/
#guard_msgs in
#print axioms isEven

/-- info: isEven.eq_1 : isEven 0 = true -/
#guard_msgs in
#check @isEven.eq_1

/-- info: isEven.eq_2 : ∀ (n : Nat), isEven n.succ = isOdd n -/
#guard_msgs in
#check @isEven.eq_2

/--
info: isOdd.eq_def : ∀ (x : Nat),
  isOdd x =
    match x with
    | 0 => false
    | n.succ => isEven n
-/
#guard_msgs in
#check @isOdd.eq_def

/-! Tactics unfold the functions. a stuck call stays as it is -/

namespace Ex2
example : isEven 4 = true := rfl
example : isEven 5 = false := by decide
example (n : Nat) : isEven (n + 2) = isEven n := by simp [isEven, isOdd]
example (n : Nat) : isEven (n + 1) = isOdd n := by unfold isEven; rfl
example (n : Nat) : isOdd (n + 1) = isEven n := by rw [isOdd]
theorem or (n : Nat) : isEven n = true ∨ isOdd n = true := by
  induction n with
  | zero => simp [isEven]
  | succ n ih => simp [isEven, isOdd]; exact ih.symm
end Ex2

/--
error: Tactic `rfl` failed: The left-hand side
  isEven n
is not definitionally equal to the right-hand side
  isOdd n

n : Nat
⊢ isEven n = isOdd n
-/
#guard_msgs in
example (n : Nat) : isEven n = isOdd n := by rfl

end WithParity
