-- Checked with Lean 4.35.0.

/-! # `T.noConfusion` and `T.noConfusionType`: Lean's types, what they prove, and what they do not -/

set_option linter.unusedVariables false

inductive T | a | b | c (n m : Nat)

inductive E | p | q | r

inductive L (α : Type u) | nil | cons (a : α) (l : L α)

inductive Vec (α : Type) : Nat → Type
  | nil : Vec α 0
  | cons : α → Vec α n → Vec α (n + 1)

inductive Tree (α : Type u) | mk (x : α) (c : List (Tree α))

structure S where
  x : Nat
  h : x = x

mutual
inductive Ev | z | s (o : Od)
inductive Od | s (e : Ev)
end

/-! Types. -/

/-- info: @T.noConfusion : {P : Sort u_1} → {t t' : T} → t = t' → T.noConfusionType P t t' -/
#guard_msgs in
#check @T.noConfusion

/--
info: @Vec.noConfusion : {P : Sort u_1} →
  {α : Type} →
    {a : Nat} →
      {t : Vec α a} →
        {α' : Type} → {a' : Nat} → {t' : Vec α' a'} → α = α' → a = a' → t ≍ t' → Vec.noConfusionType P t t'
-/
#guard_msgs in
#check @Vec.noConfusion

/-- info: T.noConfusionType : Sort u_1 → T → T → Sort u_1 -/
#guard_msgs in
#check @T.noConfusionType

/--
info: L.noConfusionType : Sort u_1 → {α : Type u_2} → L α → {α' : Type u_2} → L α' → Sort u_1
-/
#guard_msgs in
#check @L.noConfusionType

/-- info: @Ev.noConfusion : {P : Sort u_1} → {t t' : Ev} → t = t' → Ev.noConfusionType P t t' -/
#guard_msgs in
#check @Ev.noConfusion

/-! What equations tell. -/

example (h : T.a = T.b) : False := T.noConfusion h
example (h : T.a = T.b) : 1 = 2 := T.noConfusion h
example (h : T.c n x = T.c m y) : n = m := T.noConfusion h fun h _ => h
example (h : T.c 1 x = T.c 2 x) : False := T.noConfusion h fun h _ => nomatch h

example (h : T.c n x = T.c m y) : x = y := by
  apply T.noConfusion h
  intro _ h
  exact h

example (h : T.a = T.b) : False := nomatch h
example (h : E.p = E.q) : False := E.noConfusion h
example (P : Sort u) : T.noConfusionType P (.c 1 2) (.c n m) = ((1 = n → 2 = m → P) → P) := rfl
example (P : Sort u) : T.noConfusionType P .a .b = P := rfl
example (h : L.cons a l = L.cons b k) : a = b := L.noConfusion rfl (heq_of_eq h) fun h _ => eq_of_heq h
example (h : S.mk a p = S.mk c q) : a = c := S.noConfusion h id
example (h : some a = some b) : a = b := Option.noConfusion rfl (heq_of_eq h) eq_of_heq
example (h : Ev.z = Ev.s o) : False := Ev.noConfusion h

example (v w : Vec α n) (h : Vec.cons a v = Vec.cons b w) : v = w :=
  Vec.noConfusion rfl rfl (heq_of_eq h) fun _ _ h => eq_of_heq h

/-! No axioms. -/

theorem t (h : T.a = T.b) : False := T.noConfusion h
/-- info: 't' does not depend on any axioms -/
#guard_msgs in
#print axioms t
/-- info: 'Vec.noConfusion' does not depend on any axioms -/
#guard_msgs in
#print axioms Vec.noConfusion

/-! No more than that. -/

/--
error: Type mismatch
  T.noConfusion h
has type
  T.noConfusionType ?m.2 T.a T.a
but is expected to have type
  False
-/
#guard_msgs in
example (h : T.a = T.a) : False := T.noConfusion h

/--
error: Type mismatch
  T.noConfusion h
has type
  T.noConfusionType ?m.2 x y
but is expected to have type
  False
-/
#guard_msgs in
example (x y : T) (h : x = y) : False := T.noConfusion h

/-- error: Unknown constant `Or.noConfusion` -/
#guard_msgs in
example (p q : Prop) (a : p) (b : q) (h : (Or.inl a : p ∨ q) = .inr b) : False := Or.noConfusion h

/--
error: Type mismatch
  S.noConfusion h
has type
  S.noConfusionType ?m.6 { x := a, h := p } { x := c, h := q }
but is expected to have type
  False
-/
#guard_msgs in
example (h : S.mk a p = S.mk c q) : False := S.noConfusion h

/-! Types without it. -/

namespace Ex1
inductive T | a
/-- error: Unknown constant `And.noConfusion` -/
#guard_msgs in
#check @And.noConfusion
end Ex1

namespace Ex2
inductive T | a
/-- error: Unknown constant `Eq.noConfusion` -/
#guard_msgs in
#check @Eq.noConfusion
end Ex2

namespace Ex3
inductive T | a
/-- error: Unknown constant `Ex3.T.noConfusions` -/
#guard_msgs in
#check @T.noConfusions
end Ex3
