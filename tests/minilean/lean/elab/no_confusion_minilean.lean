-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

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

/-- info: @E.noConfusion : {P : Sort u_1} → {x y : E} → x = y → E.noConfusionType P x y -/
#guard_msgs in
#check @E.noConfusion

/--
info: @Bool.noConfusion : {P : Sort u_1} → {x y : Bool} → x = y → Bool.noConfusionType P x y
-/
#guard_msgs in
#check @Bool.noConfusion

/--
info: @L.noConfusion : {P : Sort u_1} → {α : Type u_2} → {t : L α} → {α' : Type u_2} → {t' : L α'} → α = α' → t ≍ t' → L.noConfusionType P t t'
-/
#guard_msgs in
#check @L.noConfusion

/-! No more than that. -/

/--
error: Missing cases:
_
-/
#guard_msgs in
example (h : T.c 1 x = T.c 1 y) : False := T.noConfusion h fun _ _ => nomatch h

/-! Types without it. -/

-- Lean: info: @String.noConfusion : {P : Sort u_1} → {t t' : String} → t = t' → String.noConfusionType P t t'
namespace Ex1
inductive T | a
/-- error: Unknown constant `String.noConfusion` -/
#guard_msgs in
#check @String.noConfusion
end Ex1
