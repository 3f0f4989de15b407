-- minilean's own texts: Lean 4.35.0 says something else, or needs what minilean's library lacks.

/-! # The user's notations and tactic macros -/

set_option linter.unusedVariables false

-- A program without a note needs `Lean.ParserDescr` (notations and macros) or `Repr` (values that `#eval` shows):
-- minilean's library lacks both, so Lean refuses it there.

/-! The longest reading wins. -/

namespace Ex1
local notation:max "[" a " ↦ " b "]" => Nat.add a b
example : [1].length = 1 := rfl
example : [1 ↦ 2] = 3 := rfl
end Ex1

namespace Ex2
local notation:65 f "[" a " ↦ " b "]" => Nat.add f (Nat.mul a b)
example : 1[1 ↦ 2] = 3 := rfl
example (f : List Nat → Nat) : f [1, 2] = f [1, 2] := rfl
end Ex2

/-! A local notation may speak of variables. -/

namespace Ex3
variable {α} (op : α → α → α)
local infixr:60 " ∙ " => op
theorem t (h : ∀ x y, x ∙ y = y ∙ x) (x y : α) : x ∙ y = y ∙ x := h x y
end Ex3

namespace Ex4
variable {α} (op : α → α → α)
local infixr:60 " ∙ " => op

/-- error: unsupported: a notation that mentions the variable `op` where a later one shadows it -/
#guard_msgs in
example (op : Nat → Nat → Nat) : 1 ∙ 2 = op 1 2 := rfl
end Ex4

namespace Ex5
variable {α} (op : α → α → α)

/--
error: Unknown identifier `op` at quotation precheck

Note: You can use `set_option quotPrecheck false` to disable this check.
-/
#guard_msgs in
infixr:60 " ∙ " => op
end Ex5

/-! A notation without hygiene comes before what it speaks of. -/

namespace Ex6
set_option hygiene false in
infixl:40 " ==> " => Step
inductive Step : Nat → Nat → Prop where
  | one : ∀ n, n ==> n + 1
  | next : ∀ a b, a ==> b → a + 1 ==> b + 1
/-- info: Step 1 2 : Prop -/
#guard_msgs in
#check 1 ==> 2
end Ex6

/-! A notation between tokens is an argument. -/

namespace Ex7
local notation "‖" x "‖" => Nat.succ x

/-- info: ‖1‖.add 2 : Nat -/
#guard_msgs in
#check Nat.add ‖1‖ 2
end Ex7

/-! An operator may stand for anything whatever its names. -/

namespace Ex8
def a (x y : Nat) : Nat := x * y
def b (x : Nat) : Nat := x + 1
infixl:65 " +++ " => a
postfix:max "!!" => b
infixl:65 " ~~~ " => fun (a b : Nat) => a - b
example : 2 +++ 3 = 6 ∧ 5!! = 6 ∧ 5 ~~~ 3 = 2 := ⟨rfl, rfl, rfl⟩
end Ex8

namespace WithContext

inductive Com where | skip | seq (c d : Com) | ite (b : Bool) (c d : Com) | set (x : String) (n : Nat)
inductive Big : Com × Nat → Nat → Prop where | skip (s) : Big (Com.skip, s) s
structure P where (a b : Nat)

/-! Terms are shown by notations. Words that would become one token are kept apart; other spaces are those of the
notation (`pushToken`). -/

namespace Ex1
local infixl:65 " ⊹ " => Nat.sub

/-- info: fun a b => a ⊹ b ⊹ 1 = a ⊹ (b ⊹ 1) : Nat → Nat → Prop -/
#guard_msgs in
#check fun a b => a ⊹ b ⊹ 1 = a ⊹ (b ⊹ 1)
end Ex1

namespace Ex2
local infixr:65 "⊹" => Nat.sub

/-- info: 5⊹4⊹3 : Nat -/
#guard_msgs in
#check Nat.sub 5 (Nat.sub 4 3)
end Ex2

namespace Ex3
local prefix:max "√" => Nat.pred

/-- info: √(√3 + 1) : Nat -/
#guard_msgs in
#check √(√3 + 1)
end Ex3

namespace Ex4
local postfix:max " ‼" => Nat.pred

/-- info: 3 ‼ + (1 + 1) ‼ : Nat -/
#guard_msgs in
#check 3 ‼ + (1 + 1) ‼
end Ex4

namespace Ex5
local notation:max "‖" x "‖" => Nat.pred x

/-- info: fun x => ‖x + 1‖ : Nat → Nat -/
#guard_msgs in
#check fun x => ‖x + 1‖
end Ex5

namespace Ex6
local notation "S" => Nat.succ

/-- info: fun n => S n + (List.map S []).length : Nat → Nat -/
#guard_msgs in
#check fun (n : Nat) => n.succ + List.length (List.map S [])
end Ex6

namespace Ex7
local notation "ℕ" => Nat

/-- info: fun f => ∀ (n : ℕ), f n = n : (ℕ → ℕ) → Prop -/
#guard_msgs in
#check fun (f : Nat → Nat) => ∀ n : Nat, f n = n
end Ex7

namespace Ex8
local infix:110 " ⟹ " => Big

/-- info: fun s => ¬(Com.skip, s) ⟹ s ∧ True : Nat → Prop -/
#guard_msgs in
#check fun s => ¬ Big (Com.skip, s) s ∧ True
end Ex8

namespace Ex9
local infixr:8 ";;" => Com.seq

/-- info: (Com.skip;;Com.skip);;Com.skip : Com -/
#guard_msgs in
#check (Com.skip;;.skip);;.skip
end Ex9

namespace Ex10
local infixr:8 ";;" => Com.seq

/-- info: Com.skip.seq : Com → Com -/
#guard_msgs in
#check Com.seq .skip
end Ex10

namespace Ex11
local notation:10 "IF" b "THEN" c "ELSE" d => Com.ite b c d

/-- info: fun b c => IF !b THEN c ELSE Com.skip : Bool → Com → Com -/
#guard_msgs in
#check fun b c => IF (!b) THEN c ELSE .skip
end Ex11

namespace Ex12
local notation "[" x " ↦ " v "]" => Com.set x v

/-- info: ["x" ↦ 3] : Com -/
#guard_msgs in
#check Com.set "x" 3
end Ex12

namespace Ex13
local notation y " ← " x => Com.set x y

/-- info: 3 ← "x" : Com -/
#guard_msgs in
#check Com.set "x" 3
end Ex13

namespace Ex14
local infix:50 " ⋈ " => P.mk

/-- info: 1 ⋈ 2 : P -/
#guard_msgs in
#check P.mk 1 2
end Ex14

namespace Ex15
local infixr:35 " & " => And

/-- info: True & False & True : Prop -/
#guard_msgs in
#check True ∧ False ∧ True
end Ex15

namespace Ex16
local notation "⟦" a " plus3 " b "⟧" => Nat.add a (Nat.add 3 b)

/-- info: ⟦5 plus3 1⟧ : Nat -/
#guard_msgs in
#check Nat.add 5 (Nat.add 3 1)
end Ex16

namespace Ex17
local notation "⟦" a " plus3 " b "⟧" => Nat.add a (Nat.add 3 b)

/-- info: Nat.add 5 (Nat.add 4 1) : Nat -/
#guard_msgs in
#check Nat.add 5 (Nat.add 4 1)
end Ex17

namespace Ex18
local notation a " ⊕⊕ " b => (Nat.add a b)

/-- info: Nat.add 5 4 : Nat -/
#guard_msgs in
#check 5 ⊕⊕ 4
end Ex18

namespace Ex19
local notation a " ⊕⊕ " b => a + b

/-- info: 5 + 4 : Nat -/
#guard_msgs in
#check 5 ⊕⊕ 4
end Ex19

namespace Ex20
local infixl:90 " ⊙ " => Function.comp

/-- info: (Nat.succ ⊙ Nat.succ) 2 : Nat -/
#guard_msgs in
#check (Nat.succ ⊙ Nat.succ) 2
end Ex20

end WithContext
